//! Pixels: plans that take `u8` or `u16` where others take samples give what the reference makes of
//! the samples that they are, and give back what it makes of its own, rounded.

mod common;

use common::{
    Place, Random, RandomSample, allowed, awkward, can_run, devices, expected, random_samples,
    to_f64, wrong,
};
use half::f16;
use wavelift::{
    Boundary, Coefficients, Direction, Engine, Error, Layout, Pixel, Plan, Rounded, Sample,
    SampleType, Strategy, Transform, Wavelet, reference,
};

/// Any pixels, the smallest and the largest among them.
fn random_pixels<P: Pixel>(len: usize, seed: u64) -> Vec<P> {
    let mut random = Random::new(seed);
    let mut pixel = || match random.bits() % 8 {
        0 => i32::MIN,
        1 => i32::MAX,
        _ => (random.bits() >> 40) as i32 % (1 << (8 * size_of::<P>())),
    };
    (0..len).map(|_| P::from_sample(pixel(), 0)).collect()
}

fn samples_of<P: Pixel, T: Sample>(pixels: &[P], level_shift: i32) -> Vec<T> {
    let sample = |pixel: &P| pixel.to_sample(level_shift);
    pixels.iter().map(sample).collect()
}

/// Compares both directions of a plan with the reference.
fn check<P: Pixel, T: RandomSample>(engine: &Engine, plan: &Plan<T, P>, level_shift: i32) {
    let transform = plan.transform();
    let pixels = random_pixels::<P>(transform.len(), 5);
    let samples = samples_of::<P, T>(&pixels, level_shift);
    let from = engine.upload(&pixels).unwrap();
    let mut to = engine.upload(&vec![T::POISON; pixels.len()]).unwrap();
    plan.enqueue_forward(&from, &mut to)
        .unwrap()
        .wait()
        .unwrap();
    let got = to.download().unwrap();
    let wanted = expected(transform, Direction::Forward, &samples).unwrap();
    let cost = plan.cost(Direction::Forward);
    let wrong = wrong(transform, Direction::Forward, cost, &got, &wanted);
    assert!(wrong.is_none(), "{wrong:?} of {plan:?}");
    assert_eq!(from.download().unwrap(), pixels, "the input was changed");

    // Any coefficients: many results are beyond the pixels' range.
    let mut coefficients = got;
    let others = random_samples::<T>(pixels.len(), 7);
    for (i, other) in others.into_iter().enumerate().filter(|(i, _)| i % 5 == 0) {
        coefficients[i] = other;
    }
    let from = engine.upload(&coefficients).unwrap();
    let mut to = engine
        .upload(&vec![P::from_sample(90i32, 0); pixels.len()])
        .unwrap();
    plan.enqueue_inverse(&from, &mut to)
        .unwrap()
        .wait()
        .unwrap();
    let wanted = expected(transform, Direction::Inverse, &coefficients).unwrap();
    let largest = to_f64(&coefficients)
        .iter()
        .fold(T::LEAST, |most, v| most.max(v.abs()));
    // Half a unit of what may itself be off by so much.
    let cost = plan.cost(Direction::Inverse);
    let bound = 0.5 + allowed::<T>(transform, Place::Samples, cost) * 8.0 * largest;
    let top = f64::from((1u32 << (8 * size_of::<P>())) - 1);
    for (i, (got, wanted)) in to.download().unwrap().into_iter().zip(wanted).enumerate() {
        let wanted = (wanted + f64::from(level_shift)).clamp(0.0, top);
        let error = (got.to_sample::<f64>(0) - wanted).abs();
        assert!(
            error <= bound,
            "pixel {i} is {got:?}, not {wanted}: {plan:?}"
        );
    }
}

/// The transform by the strategy that the planner chooses, on every device.
fn check_on_all<P: Pixel, T: RandomSample>(transforms: &[Transform], level_shift: i32) {
    for device in devices() {
        if T::TYPE == SampleType::F64 && !can_run("doubles", &device, "fp64", |info| info.fp64) {
            continue;
        }
        let engine = Engine::new(&device).unwrap();
        for transform in transforms {
            let plan = engine.plan_from_shifted::<P, T>(transform, level_shift);
            check(&engine, &plan.unwrap(), level_shift);
        }
    }
}

fn picture(wavelet: Wavelet, shape: [usize; 2]) -> Transform {
    Transform::new(wavelet, shape).levels(2)
}

#[test]
fn awkward_shapes_by_all_rules() {
    let all = awkward(Wavelet::CDF_5_3).into_iter();
    let mut transforms: Vec<Transform> = all.step_by(2).collect();
    for (i, transform) in transforms.iter_mut().enumerate() {
        *transform = transform
            .clone()
            .boundary(Boundary::ALL[i % Boundary::ALL.len()])
            .layout(Layout::ALL[i / 3 % Layout::ALL.len()]);
    }
    check_on_all::<u8, i16>(&transforms, 0);
}

#[test]
fn every_type_of_pixels_and_samples() {
    let integers = [picture(Wavelet::CDF_5_3, [63, 72])];
    let reals = [picture(Wavelet::CDF_9_7, [64, 71])];
    // Those of u8 and i16 are in most other tests.
    check_on_all::<u16, i16>(&integers, 1 << 15);
    check_on_all::<u16, i32>(&integers, -7);
    check_on_all::<u8, f32>(&reals, 128);
    check_on_all::<u8, Rounded>(&reals, 0);
    check_on_all::<u16, f64>(&reals, 0);
    // With a pre-shift.
    check_on_all::<u8, i16>(&[picture(Wavelet::VC2_LEGALL_5_3, [64, 64])], 128);
}

/// The transform by each of these strategies that takes it; how many do.
fn check_by<P: Pixel, T: RandomSample>(
    engine: &Engine,
    transform: &Transform,
    level_shift: i32,
    strategies: &[Strategy],
) -> usize {
    let mut taken = 0;
    for &strategy in strategies {
        match engine.plan_from_with::<P, T>(transform, level_shift, strategy) {
            Ok(plan) => check(engine, &plan, level_shift),
            Err(Error::Unsupported { .. }) => continue,
            Err(error) => panic!("{strategy}: {error}"),
        }
        taken += 1;
    }
    taken
}

#[test]
fn every_strategy() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        // Wide enough that sub-groups of 32 have blocks inside the picture, which go by vectors.
        let transform = picture(Wavelet::CDF_5_3, [66, 256]);
        let taken = check_by::<u8, i16>(&engine, &transform, 7, Strategy::ALL);
        assert!(taken > 5, "{device}: {taken}");
        // Of samples that are as large as a word, work-items have other shares.
        let transform = picture(Wavelet::CDF_9_7, [40, 128]);
        let by = [Strategy::Pyramid, Strategy::RegisterBlock];
        let taken = check_by::<u8, f32>(&engine, &transform, 7, &by);
        assert_eq!(taken, 2, "{device}");
        let boxes = Transform::new(Wavelet::CDF_5_3, [9, 6, 10])
            .axes([1, 2])
            .levels(3);
        let taken = check_by::<u8, i16>(&engine, &boxes, 128, &[Strategy::WholeBoxes]);
        assert_eq!(taken, 1, "{device}");
    }
}

fn colours(shape: [usize; 3], boundary: Boundary) -> Transform {
    let transform = Transform::new(Wavelet::CDF_5_3, shape).axes([0, 1]);
    transform.levels(1).boundary(boundary)
}

#[test]
fn colours_and_volumes() {
    let by = [
        Strategy::StreamedColours,
        Strategy::ColourLoop,
        Strategy::RegisterPlanes,
    ];
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for transform in [
            colours([34, 64, 3], Boundary::Symmetric).levels(2),
            colours([33, 45, 3], Boundary::Clamp),
            // Zeros beyond the border are zeros after the shift.
            colours([34, 64, 3], Boundary::Zero),
            colours([34, 64, 2], Boundary::Symmetric),
        ] {
            let taken = check_by::<u8, i16>(&engine, &transform, 128, &by);
            assert_eq!(taken, 3, "{device}");
        }
        let transform = colours([34, 64, 4], Boundary::Symmetric);
        let taken = check_by::<u16, i16>(&engine, &transform, 1 << 15, &by);
        assert_eq!(taken, 3, "{device}");
        let by = [Strategy::StreamedVolumes];
        // Rows that are vectors, and that are not.
        for width in [32, 35] {
            let volume = |wavelet| Transform::new(wavelet, [12, 20, width]).levels(2);
            let (real, integer) = (volume(Wavelet::CDF_9_7), volume(Wavelet::CDF_5_3));
            let taken = [
                check_by::<u8, f32>(&engine, &real, 7, &by),
                check_by::<u8, f16>(&engine, &real, 128, &by),
                check_by::<u8, Rounded>(&engine, &real, 128, &by),
                check_by::<u8, i16>(&engine, &integer, 128, &by),
                check_by::<u16, i32>(&engine, &integer, 0, &by),
            ];
            assert_eq!(taken, [1; 5], "{width} on {device}");
        }
    }
}

/// Rows, whole and in tiles and of an inner batch, and lines that stand side by side, by vectors
/// and not, by every boundary rule.
fn check_lines<P: Pixel, T: RandomSample>(wavelet: Wavelet, level_shift: i32) {
    let rows: [(&[usize], usize); 5] = [
        (&[1000], 0),
        (&[3, 301], 1),
        (&[2, 5000], 1),
        (&[4, 70, 3], 1),
        (&[46, 64], 0),
    ];
    let many: [(&[usize], usize); 2] = [(&[7, 4100], 0), (&[300, 120], 0)];
    let columns: [(&[usize], usize); 3] = [(&[46, 64], 0), (&[33, 9, 24], 0), (&[2, 50, 37], 1)];
    // In the caches, too: short ones by several levels, and those with few neighbours.
    let in_vectors: [(&[usize], usize); 8] = [
        (&[1000], 0),
        (&[3, 301], 1),
        (&[37, 70], 1),
        (&[20, 64], 1),
        (&[30, 50, 3], 1),
        (&[46, 64], 0),
        (&[33, 9, 24], 0),
        (&[2, 50, 37], 1),
    ];
    let rows = rows.map(|of| (of, Strategy::RegisterRows));
    let columns = columns.map(|of| (of, Strategy::RegisterColumns));
    let rows = rows.into_iter();
    let rows = rows.chain(many.map(|of| (of, Strategy::RegisterLines)));
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for ((shape, axis), by) in rows.clone().chain(columns) {
            for &boundary in Boundary::ALL {
                let transform = Transform::new(wavelet.clone(), shape).axes([axis]);
                let transform = transform.levels(2).boundary(boundary);
                let made = check_by::<P, T>(&engine, &transform, level_shift, &[by]);
                assert_eq!(made, 1, "{device}: {transform:?}");
            }
        }
        let by_vectors = in_vectors.into_iter().map(|of| (of, Strategy::Vectors));
        for ((shape, axis), by) in by_vectors {
            for &boundary in Boundary::ALL {
                for &layout in Layout::ALL {
                    let transform = Transform::new(wavelet.clone(), shape).axes([axis]);
                    let transform = transform.levels(2).boundary(boundary).layout(layout);
                    let made = check_by::<P, T>(&engine, &transform, level_shift, &[by]);
                    assert_eq!(made, 1, "{device}: {transform:?}");
                }
            }
        }
    }
}

#[test]
fn lines_of_integers() {
    check_lines::<u8, i16>(Wavelet::CDF_5_3, 128);
    check_lines::<u16, i32>(Wavelet::VC2_DD_13_7, -7);
}

#[test]
fn lines_of_reals() {
    check_lines::<u8, f32>(Wavelet::CDF_9_7, 128);
    check_lines::<u8, f16>(Wavelet::CDF_9_7, 0);
    check_lines::<u8, Rounded>(Wavelet::CDF_5_3, 128);
}

/// From slices of the host and back, also where the driver or threads copy them: nothing is lost.
#[test]
fn integer_steps_lose_nothing() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for shape in [vec![67, 85], vec![3, 20, 33], vec![1000], vec![1, 1]] {
            let transform = Transform::new(Wavelet::CDF_5_3, shape).levels(3);
            for engine in [engine.clone(), engine.with_copy_threads(2)] {
                let plan = engine.plan_from::<u8, i16>(&transform).unwrap();
                let pixels = random_pixels::<u8>(transform.len(), 3);
                let coefficients = plan.forward(&pixels).unwrap();
                let samples = samples_of::<u8, i16>(&pixels, 0);
                let wanted = reference::forward(&transform, &samples).unwrap();
                assert_eq!(coefficients.as_slice(), wanted);
                assert_eq!(plan.inverse(&coefficients).unwrap(), pixels);
                let again = plan.another().unwrap();
                assert_eq!(again.inverse(&coefficients).unwrap(), pixels);
            }
        }
    }
}

/// Slices of which one is larger than the other go through the ring of pinned memory.
#[test]
fn large_slices_go_by_threads() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap().with_copy_threads(2);
        let transform = Transform::new(Wavelet::CDF_5_3, [4096, 2176]);
        let plan = engine.plan_from::<u8, i32>(&transform).unwrap();
        let pixels = random_pixels::<u8>(transform.len(), 3);
        let coefficients = plan.forward(&pixels).unwrap();
        assert!(plan.inverse(&coefficients).unwrap() == pixels);
    }
}

/// A transform of no level shows how single samples become pixels.
#[test]
fn ties_go_to_the_even_pixel_and_others_to_the_ends() {
    let samples = [0.5f32, 1.5, 2.5, -0.5, -3.0, 254.5, 255.5, 1e30, f32::NAN];
    let wanted = [0u8, 2, 2, 0, 0, 254, 255, 255, 0];
    let transform = Transform::new(Wavelet::CDF_9_7, [samples.len()]).levels(0);
    let coefficients = Coefficients::from_parts(&transform, samples.to_vec()).unwrap();
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let plan = engine.plan_from::<u8, f32>(&transform).unwrap();
        assert_eq!(plan.inverse(&coefficients).unwrap(), wanted, "{device}");
    }
}

#[test]
fn pixels_that_are_no_samples_are_refused() {
    let device = devices().swap_remove(0);
    let engine = Engine::new(&device).unwrap();
    let transform = picture(Wavelet::CDF_5_3, [64, 64]);
    let refused = engine.plan_from::<u16, i16>(&transform).unwrap_err();
    assert!(refused.to_string().contains("u16 pixels"), "{refused}");
    let far = engine.plan_from_shifted::<u8, i32>(&transform, i32::MIN);
    assert!(matches!(far, Err(Error::Unsupported { .. })));
    let plan = engine.plan_from::<u8, i16>(&transform).unwrap();
    assert!(matches!(plan.forward(&[7; 5]), Err(Error::Length { .. })));
}
