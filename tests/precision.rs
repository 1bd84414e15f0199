//! How exact floats are, and what real wavelets promise in mathematics: linearity, vanishing
//! moments, orthonormality, and that what is not finite stays near where it was.

mod common;

use common::{
    RandomSample, awkward, computes, devices, expected, plans, random_samples, relative_error, run,
    to_f64,
};
use wavelift::{Boundary, Coefficients, Direction, Engine, Layout, Transform, Wavelet, reference};

fn engines<T: RandomSample>() -> Vec<Engine> {
    let mut devices = devices();
    devices.retain(|device| computes("precision of f64", device, T::TYPE));
    let engines = devices.iter().map(|device| Engine::new(device).unwrap());
    engines.collect()
}

fn real_wavelets() -> impl Iterator<Item = Wavelet> {
    let all = Wavelet::ALL.iter().cloned();
    all.filter(|w| w.real_steps().is_some())
}

/// The transform whose precision the documentation states.
fn five_levels_of_9_7() -> Transform {
    Transform::new(Wavelet::CDF_9_7, [1024, 1024]).levels(5)
}

/// A picture of smooth waves, which cancel in the details, and one of noise.
fn pictures() -> [Vec<f32>; 2] {
    let wave = |i: usize| {
        let (y, x) = (i / 1024, i % 1024);
        (128.0 + 100.0 * (x as f64 / 37.0).sin() * (y as f64 / 53.0).cos()) as f32
    };
    [
        (0..1024 * 1024).map(wave).collect(),
        random_samples(1024 * 1024, 1),
    ]
}

#[test]
fn single_precision_is_within_2e_6_and_5e_6_there_and_back() {
    let transform = five_levels_of_9_7();
    for picture in pictures() {
        let exact = to_f64(&picture);
        let expected = reference::forward(&transform, &exact).unwrap();
        for engine in engines::<f32>() {
            for plan in plans::<f32>(&engine, &transform) {
                let there = run(&engine, &plan, Direction::Forward, &picture);
                let error = relative_error(&there, &expected);
                assert!(error < 2e-6, "{:?} forward: {error:e}", plan.strategy());
                let back = run(&engine, &plan, Direction::Inverse, &there);
                let error = relative_error(&back, &exact);
                assert!(error < 5e-6, "{:?} round trip: {error:e}", plan.strategy());
            }
        }
    }
}

#[test]
fn single_precision_of_the_reference_is_no_worse() {
    let transform = five_levels_of_9_7();
    for picture in pictures() {
        let exact = to_f64(&picture);
        let there = reference::forward(&transform, &picture).unwrap();
        let expected = reference::forward(&transform, &exact).unwrap();
        assert!(relative_error(&there, &expected) < 2e-6);
        let back = reference::inverse(&transform, &there).unwrap();
        assert!(relative_error(&back, &exact) < 5e-6);
    }
}

/// Awkward shapes under every boundary rule.
fn transforms(wavelet: Wavelet) -> impl Iterator<Item = Transform> {
    awkward(wavelet).into_iter().flat_map(|transform| {
        let rules = Boundary::ALL.iter();
        rules.map(move |&boundary| transform.clone().boundary(boundary))
    })
}

fn mixed<T: RandomSample>(x: &[T], y: &[T], mix: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let pairs = x.iter().zip(y);
    pairs.map(|(x, y)| mix(x.to_f64(), y.to_f64())).collect()
}

#[test]
fn transforms_of_reals_are_linear() {
    let mix = |x: f64, y: f64| 3.0 * x - 0.25 * y;
    for wavelet in real_wavelets() {
        for transform in transforms(wavelet) {
            let [x, y] = [1, 2].map(|seed| random_samples::<f64>(transform.len(), seed));
            for by_reference in [reference::forward::<f64>, reference::inverse::<f64>] {
                let apart = [&x, &y].map(|input| by_reference(&transform, input).unwrap());
                let together = by_reference(&transform, &mixed(&x, &y, mix)).unwrap();
                let error = relative_error(&together, &mixed(&apart[0], &apart[1], mix));
                assert!(error < 1e-12, "{transform:?}: {error:e}");
            }
        }
    }
}

#[test]
fn strategies_are_linear() {
    // Powers of two, so that the mixed samples are as exact as their parts.
    let mix = |x: f64, y: f64| 4.0 * x - 0.5 * y;
    let transform = Transform::new(Wavelet::CDF_9_7, [131, 140]).levels(3);
    let part = |seed| -> Vec<f32> {
        let integers = random_samples::<i16>(transform.len(), seed);
        integers.into_iter().map(f32::from).collect()
    };
    let [x, y] = [1, 2].map(part);
    let both: Vec<f32> = mixed(&x, &y, mix).into_iter().map(|v| v as f32).collect();
    assert_eq!(to_f64(&both), mixed(&x, &y, mix));
    for engine in engines::<f32>() {
        for plan in plans::<f32>(&engine, &transform) {
            for direction in [Direction::Forward, Direction::Inverse] {
                let [x, y, both] =
                    [&x, &y, &both].map(|input| run(&engine, &plan, direction, input));
                let error = relative_error(&both, &mixed(&x, &y, mix));
                assert!(
                    error < 5e-6,
                    "{:?} {direction:?}: {error:e}",
                    plan.strategy()
                );
            }
        }
    }
}

/// The largest detail coefficient, and the largest of the low-pass band.
fn largest<T: RandomSample>(transform: &Transform, coefficients: Vec<T>) -> (f64, f64) {
    let coefficients = Coefficients::from_parts(transform, coefficients).unwrap();
    let (mut detail, mut low) = (0f64, 0f64);
    for (level, band) in transform.bands() {
        let values = coefficients.band(level, band).unwrap();
        let size = values.iter().map(|v| v.to_f64().abs()).fold(0.0, f64::max);
        let largest = if band.is_low() { &mut low } else { &mut detail };
        *largest = largest.max(size);
    }
    (detail, low)
}

#[test]
fn constants_have_no_details() {
    let mut checked = 0;
    for wavelet in Wavelet::ALL {
        // What lies beyond a zero border is no constant.
        for transform in transforms(wavelet.clone()).filter(|t| t.boundary_rule() != Boundary::Zero)
        {
            if wavelet.real_steps().is_some() {
                let constant = vec![77f64; transform.len()];
                let (detail, low) = largest(
                    &transform,
                    reference::forward(&transform, &constant).unwrap(),
                );
                assert!(
                    low >= 77.0 / 1.001 && detail < 1e-12 * low,
                    "{transform:?} {detail}"
                );
                checked += 1;
            }
            // The integer taps of vc2-daub97 are rounded to 12 bits.
            if wavelet.integer_steps().is_some() && *wavelet != Wavelet::VC2_DAUB_9_7 {
                let constant = vec![77i32; transform.len()];
                let (detail, low) = largest(
                    &transform,
                    reference::forward(&transform, &constant).unwrap(),
                );
                assert!(low > 0.0 && detail == 0.0, "{transform:?} {detail}");
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

/// The largest detail of x^degree on 200 places, far from the borders,
/// relative to its largest value.
fn detail_of_power(wavelet: Wavelet, degree: i32) -> f64 {
    let line: Vec<f64> = (0..200)
        .map(|x| (f64::from(x) / 200.0).powi(degree))
        .collect();
    let transform = Transform::new(wavelet, [200]);
    let details = &reference::forward(&transform, &line).unwrap()[100 + 5..200 - 5];
    details.iter().fold(0.0, |largest, d| d.abs().max(largest))
}

#[test]
fn polynomials_below_the_vanishing_moments_have_no_details() {
    for (wavelet, moments) in [
        (Wavelet::HAAR, 1),
        (Wavelet::DAUB_4, 2),
        (Wavelet::CDF_5_3, 2),
        (Wavelet::CDF_9_7, 4),
    ] {
        for degree in 0..moments {
            let detail = detail_of_power(wavelet.clone(), degree);
            assert!(detail < 1e-13, "{wavelet} x^{degree}: {detail:e}");
        }
        let detail = detail_of_power(wavelet.clone(), moments);
        assert!(detail > 1e-10, "{wavelet} x^{moments}: {detail:e}");
    }
}

#[test]
fn orthonormal_wavelets_keep_the_energy() {
    let energy = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    for wavelet in [Wavelet::HAAR, Wavelet::DAUB_4] {
        let transform = Transform::new(wavelet.clone(), [16, 40, 24])
            .levels(3)
            .boundary(Boundary::Periodic);
        let samples = random_samples::<f64>(transform.len(), 3);
        let before = energy(&samples);
        let there = energy(&reference::forward(&transform, &samples).unwrap());
        let back = energy(&reference::inverse(&transform, &samples).unwrap());
        assert!((there / before - 1.0).abs() < 1e-12, "{wavelet}");
        assert!((back / before - 1.0).abs() < 1e-12, "{wavelet}");
    }
}

mod what_is_not_finite {
    use super::*;

    const SIDE: usize = 300;

    fn picture<T: RandomSample>(hole: T, at: [usize; 2]) -> (Vec<T>, Vec<f64>) {
        let whole = random_samples::<T>(SIDE * SIDE, 4);
        let mut holed = whole.clone();
        holed[at[0] * SIDE + at[1]] = hole;
        (holed, to_f64(&whole))
    }

    /// Finite values as `expected`, others where `is_hole` says so and only there.
    fn check<T: RandomSample>(
        got: &[T],
        expected: &[f64],
        is_hole: impl Fn(usize, usize) -> bool,
        allowed: f64,
        what: &str,
    ) {
        let mut got = to_f64(got);
        let largest = expected
            .iter()
            .filter(|v| v.is_finite())
            .fold(0f64, |l, v| l.max(v.abs()));
        for (i, got) in got.iter_mut().enumerate() {
            let (y, x) = (i / SIDE, i % SIDE);
            assert_eq!(!got.is_finite(), is_hole(y, x), "{what}: {got} at {y} {x}");
            let error = (*got - expected[i]).abs();
            assert!(
                is_hole(y, x) || error <= allowed * largest,
                "{what}: {got} for {} at {y} {x}",
                expected[i]
            );
        }
    }

    /// One level of 9/7: a coefficient sees four samples to either side where it is low-pass, three
    /// where it is high-pass.
    fn one_level<T: RandomSample>(hole: T, allowed: f64) {
        let at = [150, 151];
        let transform = Transform::new(Wavelet::CDF_9_7, [SIDE, SIDE]).layout(Layout::Interleaved);
        let (holed, whole) = picture(hole, at);
        let sees = |place: usize, at: usize| place.abs_diff(at) <= 4 - place % 2;
        let is_hole = |y, x| sees(y, at[0]) && sees(x, at[1]);
        let expected = reference::forward(&transform, &whole).unwrap();
        let got = reference::forward(&transform, &holed).unwrap();
        check(&got, &expected, is_hole, allowed, "the reference");
        for engine in engines::<T>() {
            for plan in plans::<T>(&engine, &transform) {
                let got = run(&engine, &plan, Direction::Forward, &holed);
                check(&got, &expected, is_hole, allowed, plan.strategy().name());
            }
        }
    }

    #[test]
    fn reaches_as_far_as_the_filters() {
        for hole in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            one_level(hole, 2e-6);
        }
        for hole in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            one_level(hole, 1e-14);
        }
    }

    /// Three levels there and back, by every strategy: far away, the samples come back.
    fn round_trip<T: RandomSample>(hole: T, allowed: f64) {
        let at = [150, 151];
        let transform = Transform::new(Wavelet::CDF_9_7, [SIDE, SIDE]).levels(3);
        let (holed, whole) = picture(hole, at);
        // (4 + 8 + 16) samples there, and as many back.
        let is_near = |y: usize, x: usize| y.abs_diff(at[0]) <= 56 && x.abs_diff(at[1]) <= 56;
        let check_far = |mut back: Vec<T>, what: &str| {
            assert!(!back[at[0] * SIDE + at[1]].to_f64().is_finite(), "{what}");
            for (i, sample) in back.iter_mut().enumerate() {
                if is_near(i / SIDE, i % SIDE) {
                    *sample = hole;
                }
            }
            check(&back, &whole, is_near, allowed, what);
        };
        let there = reference::forward(&transform, &holed).unwrap();
        check_far(
            reference::inverse(&transform, &there).unwrap(),
            "the reference",
        );
        for engine in engines::<T>() {
            for plan in plans::<T>(&engine, &transform) {
                let there = run(&engine, &plan, Direction::Forward, &holed);
                let back = run(&engine, &plan, Direction::Inverse, &there);
                check_far(back, plan.strategy().name());
            }
        }
    }

    #[test]
    fn spoils_nothing_far_away_on_the_way_there_and_back() {
        round_trip(f32::NAN, 5e-6);
        round_trip(f32::INFINITY, 5e-6);
        round_trip(f64::NAN, 1e-14);
        round_trip(f64::INFINITY, 1e-14);
    }

    /// At borders, where neighbours are mirrored, wrapped, clamped or missing: the same places by
    /// every strategy, in both directions.
    #[test]
    fn is_in_the_same_places_by_every_strategy() {
        let engines = engines::<f32>();
        for at in [[0, 0], [299, 298], [7, 299], [290, 3]] {
            let (holed, _) = picture(f32::NAN, at);
            for &boundary in Boundary::ALL {
                let transform = Transform::new(Wavelet::CDF_9_7, [SIDE, SIDE])
                    .levels(2)
                    .boundary(boundary);
                for direction in [Direction::Forward, Direction::Inverse] {
                    let expected = expected(&transform, direction, &holed).unwrap();
                    let is_hole = |y: usize, x: usize| !expected[y * SIDE + x].is_finite();
                    let holes = expected.iter().filter(|v| !v.is_finite()).count();
                    assert!(0 < holes && holes < 5000, "{holes}");
                    for engine in &engines {
                        for plan in plans::<f32>(engine, &transform) {
                            let got = run(engine, &plan, direction, &holed);
                            check(&got, &expected, is_hole, 5e-6, plan.strategy().name());
                        }
                    }
                }
            }
        }
    }
}

/// By how much a level of one axis enlarges errors, at most: of approximations, of details, and of
/// samples by the inverse.
fn gains(wavelet: &Wavelet, boundary: Boundary, samples: usize) -> [f64; 3] {
    let line = Transform::new(wavelet.clone(), [samples]).boundary(boundary);
    let sizes = |by: fn(&Transform, &[f64]) -> wavelift::Result<Vec<f64>>| {
        let mut sums = vec![0.0; samples];
        for place in 0..samples {
            let mut input = vec![0.0; samples];
            input[place] = 1.0;
            let outputs = by(&line, &input).unwrap();
            sums.iter_mut()
                .zip(outputs)
                .for_each(|(sum, v)| *sum += v.abs());
        }
        sums
    };
    let largest = |sums: &[f64]| sums.iter().copied().fold(0.0, f64::max);
    let (forward, inverse) = (sizes(reference::forward), sizes(reference::inverse));
    let (low, high) = forward.split_at(samples.div_ceil(2));
    [largest(low), largest(high), largest(&inverse)]
}

/// In the order of the tables of `Rounded`.
#[test]
fn gains_are_those_of_the_documentation() {
    let (even, odd) = ([2, 16, 40], [3, 17, 39]);
    for (wavelet, periodic, mirrored, periodic_odd, mirrored_odd) in [
        (
            Wavelet::CDF_9_7,
            [1.39, 2.60, 2.18],
            [1.39, 2.60, 2.18],
            [1.60, 2.78, 2.37],
            [1.39, 2.60, 2.18],
        ),
        (
            Wavelet::CDF_5_3,
            [1.5, 2.0, 2.0],
            [1.5, 2.0, 2.0],
            [1.75, 2.0, 2.0],
            [1.5, 2.0, 2.0],
        ),
        (
            Wavelet::HAAR,
            [1.42; 3],
            [1.42; 3],
            [2.83, 1.42, 1.42],
            [2.83, 1.42, 1.42],
        ),
        (
            Wavelet::DAUB_4,
            [1.68; 3],
            [1.87, 1.68, 1.80],
            [1.87, 1.68, 4.70],
            [1.87, 1.68, 5.36],
        ),
    ] {
        for (boundary, lengths, stated) in [
            (Boundary::Periodic, even, periodic),
            (Boundary::Symmetric, even, mirrored),
            (Boundary::Periodic, odd, periodic_odd),
            (Boundary::Symmetric, odd, mirrored_odd),
        ] {
            let mut found = [0.0f64; 3];
            for samples in lengths {
                let gains = gains(&wavelet, boundary, samples);
                found
                    .iter_mut()
                    .zip(gains)
                    .for_each(|(most, gain)| *most = most.max(gain));
            }
            let fits = found
                .iter()
                .zip(stated)
                .all(|(&gain, most)| gain <= most + 1e-9 && gain > most - 0.02);
            assert!(fits, "{wavelet} {boundary:?}: {found:?}, not {stated:?}");
        }
    }
}
