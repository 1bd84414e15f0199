//! Tiles that are lifted one by one give what the whole array gives.

use super::*;
use crate::transform::{Layout, Region, reference};
use crate::wavelet::Wavelet;

fn moved(moves: &[Move], from: &[i32], to: &mut [i32], is_source: bool) {
    for one in moves {
        let [array, tile] = [one.array.places(), one.tile.places()];
        for (array, tile) in array.into_iter().zip(tile) {
            match is_source {
                true => to[tile] = from[array],
                false => {
                    assert_eq!(to[array], POISON, "written twice");
                    to[array] = from[tile];
                }
            }
        }
    }
}

const POISON: i32 = i32::MIN + 77;

/// One stage of a transform in tiles, which must be all of its levels.
fn check(transform: &Transform, stage: &Stage) {
    let whole = stage.transform();
    let place = Region::dense(transform.shape());
    let samples: Vec<i32> = (0..transform.len() as u32)
        .map(|i| (i.wrapping_mul(2654435761) >> 12) as i32 - 500_000)
        .collect();
    let coefficients = reference::forward(whole, &samples).unwrap();
    let low = Region::dense(stage.low());
    let ll = place
        .band(whole, whole.level_count(), whole.bands()[0].1)
        .unwrap();
    let wanted_low: Vec<i32> = ll.places().into_iter().map(|at| coefficients[at]).collect();
    let (mut got, mut got_low, mut back) = (
        vec![POISON; samples.len()],
        vec![POISON; low.len()],
        vec![POISON; samples.len()],
    );
    let mut shapes = stage.shapes();
    for tile in (0..stage.count()).map(|number| stage.tile(number)) {
        let one = whole.with_shape(tile.shape());
        let counted = shapes.iter_mut().find(|(shape, _)| *shape == tile.shape());
        counted.unwrap().1 -= 1;
        assert_eq!(one.coarsest(), whole.level_count());
        let mut inside = vec![POISON; one.len()];
        moved(
            &tile.samples(&place, true).unwrap(),
            &samples,
            &mut inside,
            true,
        );
        assert!(!inside.contains(&POISON));
        let inside = reference::forward(&one, &inside).unwrap();
        for is_low in [false, true] {
            let mut moves = tile.coefficients(&place, Some(&low), false).unwrap();
            moves.retain(|one| one.is_low == is_low);
            moved(
                &moves,
                &inside,
                if is_low { &mut got_low } else { &mut got },
                false,
            );
        }
        let mut inside = vec![POISON; one.len()];
        moved(
            &tile.coefficients(&place, None, true).unwrap(),
            &coefficients,
            &mut inside,
            true,
        );
        assert!(!inside.contains(&POISON));
        let inside = reference::inverse(&one, &inside).unwrap();
        moved(
            &tile.samples(&place, false).unwrap(),
            &inside,
            &mut back,
            false,
        );
    }
    assert!(shapes.iter().all(|&(_, left)| left == 0), "{stage:?}");
    assert!(got_low == wanted_low, "{stage:?}");
    for (at, value) in ll.places().into_iter().zip(got_low) {
        assert_eq!(got[at], POISON);
        got[at] = value;
    }
    assert!(got == coefficients, "{stage:?}");
    assert!(
        back == reference::inverse(whole, &coefficients).unwrap(),
        "{stage:?}"
    );
}

#[test]
fn tiles_give_what_the_whole_array_does() {
    let mut cases = 0;
    for wavelet in Wavelet::ALL
        .iter()
        .filter(|one| one.integer_steps().is_some())
    {
        for &boundary in Boundary::ALL {
            for (shape, axes, most) in [
                (&[1200][..], &[0][..], [300, 700]),
                (&[1203], &[0], [200, 1000]),
                (&[97, 130], &[0, 1], [3000, 8000]),
                (&[5, 211, 3], &[1], [30, 400]),
                (&[41, 43, 45], &[0, 1, 2], [20_000, 40_000]),
            ] {
                for levels in 0..4 {
                    let transform = Transform::new(wavelet.clone(), shape)
                        .axes(axes)
                        .boundary(boundary)
                        .levels(levels);
                    for most in most {
                        let layout = Layout::ALL[cases % 2];
                        let transform = transform.clone().layout(layout);
                        if let Some(stage) = Stage::new(&transform, SampleType::I32, levels, most) {
                            let mut shapes = stage.shapes().into_iter();
                            assert!(
                                shapes.all(|(shape, _)| shape.iter().product::<usize>() <= most)
                            );
                            check(&transform, &stage);
                            cases += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{cases} cases");
    assert!(cases > 500, "{cases}");
}
