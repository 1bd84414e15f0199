//! Transforms in place against the reference, on every device: integers for equality, floats within
//! `RandomSample::BOUND` of the f64 reference.

mod common;

use common::{RandomSample, awkward, coarse, computes, devices, expected, random_samples, wrong};
use half::f16;
use wavelift::{
    Boundary, Device, Direction, Engine, Error, InPlacePlan, Layout, Rounded, Transform, Wavelet,
};

/// Each with every boundary rule.
fn everywhere(transforms: Vec<Transform>) -> Vec<Transform> {
    let each = transforms.into_iter().flat_map(|transform| {
        let interleaved = transform.layout(Layout::Interleaved);
        let rules = Boundary::ALL.iter();
        rules.map(move |&boundary| interleaved.clone().boundary(boundary))
    });
    each.collect()
}

fn check<T: RandomSample>(engine: &Engine, transform: &Transform, seed: u64) -> InPlacePlan<T> {
    let plan = engine.plan_in_place::<T>(transform);
    let plan = plan.unwrap_or_else(|error| panic!("{transform:?}: {error}"));
    let bytes = transform.len() * size_of::<T>();
    assert!(
        plan.scratch_bytes() <= (bytes as u64 * 3 / 100).max(64 << 10),
        "{plan:?}"
    );
    let samples = random_samples::<T>(transform.len(), seed);
    for direction in [Direction::Forward, Direction::Inverse] {
        let mut x = engine.upload(&samples).unwrap();
        let run = match direction {
            Direction::Forward => plan.enqueue_forward(&mut x),
            Direction::Inverse => plan.enqueue_inverse(&mut x),
        };
        run.unwrap().wait().unwrap();
        let expected = expected(transform, direction, &samples).unwrap();
        let got = x.download().unwrap();
        let wrong = wrong(transform, direction, plan.cost(direction), &got, &expected);
        assert!(
            wrong.is_none(),
            "{direction:?}, {:?}: {wrong:?} of {plan:?}",
            engine.device()
        );
    }
    plan
}

fn check_all<T: RandomSample>(device: &Device, transforms: &[Transform]) {
    let wavelet = transforms[0].wavelet();
    let what = format!("{} in place", T::TYPE);
    if !T::TYPE.is_served_by(wavelet) || !computes(&what, device, T::TYPE) {
        return;
    }
    let engine = Engine::new(device).unwrap();
    for (seed, transform) in transforms.iter().enumerate() {
        check::<T>(&engine, transform, seed as u64);
    }
}

/// Devices as they are, where small arrays are swept line by line, and as if they had as many
/// compute units as it takes for these to be cut.
fn few_and_many_segments() -> Vec<Device> {
    let as_they_are = devices();
    let large = as_they_are
        .iter()
        .map(|device| device.with_compute_units(1000));
    let large: Vec<_> = large.collect();
    as_they_are.into_iter().chain(large).collect()
}

fn matrix(wavelet: Wavelet) {
    let transforms = everywhere(awkward(wavelet));
    for device in few_and_many_segments() {
        check_all::<i16>(&device, &transforms);
        check_all::<i32>(&device, &transforms);
        check_all::<f32>(&device, &transforms);
        check_all::<f64>(&device, &transforms);
    }
}

/// They share their steps with floats.
#[test]
fn samples_that_are_rounded_when_stored() {
    let transforms = everywhere(awkward(Wavelet::CDF_9_7));
    for device in few_and_many_segments() {
        check_all::<f16>(&device, &transforms);
        check_all::<Rounded>(&device, &transforms);
    }
}

/// One test per wavelet, so that a test runner can spread them over processes.
macro_rules! matrices {
    ($($name:ident: $wavelet:ident;)*) => {
        $(#[test] fn $name() { matrix(Wavelet::$wavelet) })*
        #[test]
        fn every_wavelet_is_tested() {
            let tested = [$(Wavelet::$wavelet),*];
            assert!(Wavelet::ALL.iter().all(|wavelet| tested.contains(wavelet)));
        }
    };
}

common::for_every_wavelet!(matrices);

/// The segments of each pass that has some, forward.
fn segments(plan: &InPlacePlan<impl RandomSample>) -> Vec<usize> {
    let text = format!("{plan:?}");
    let passes = text.lines().filter(|line| line.contains("forward: "));
    let counts = passes.filter_map(|pass| {
        let (_, count) = pass.split_once("segments=")?;
        count.split(' ').next()?.parse().ok()
    });
    counts.collect()
}

/// Segments of every length, and last ones of every length, along both kinds of lines.
#[test]
fn seams_everywhere() {
    fn check_lengths<T: RandomSample>(wavelet: Wavelet, boundary: Boundary) {
        for device in devices() {
            // In work-groups of 16, tiles of rows are short.
            let small = device.with_max_work_group(16);
            let mut most = 0;
            for units in [1, 2, 3, 1000] {
                let engine = Engine::new(&small.with_compute_units(units)).unwrap();
                for samples in (200..264).step_by(5).chain([1023, 4001]) {
                    for (shape, axis) in [
                        (vec![samples], 0),
                        (vec![samples, 67], 0),
                        (vec![2, samples], 1),
                    ] {
                        let transform = Transform::new(wavelet.clone(), shape)
                            .axes([axis])
                            .boundary(boundary)
                            .layout(Layout::Interleaved);
                        let plan = check::<T>(&engine, &transform, samples as u64);
                        most = segments(&plan).into_iter().fold(most, usize::max);
                    }
                }
            }
            assert!(most >= 20, "at most {most} segments");
        }
    }
    check_lengths::<f32>(Wavelet::CDF_9_7, Boundary::Symmetric);
    check_lengths::<f32>(Wavelet::DAUB_4, Boundary::Periodic);
    check_lengths::<i16>(Wavelet::VC2_DD_13_7, Boundary::Clamp);
    check_lengths::<i32>(Wavelet::VC2_FIDELITY, Boundary::Zero);
    check_lengths::<i16>(Wavelet::VC2_HAAR_1, Boundary::Periodic);
}

#[test]
fn small_work_groups() {
    for limit in [7, 1] {
        for device in devices() {
            let device = device.with_max_work_group(limit).with_compute_units(50);
            let transforms = everywhere(vec![
                Transform::new(Wavelet::CDF_5_3, [131, 257]).levels(2),
                Transform::new(Wavelet::CDF_5_3, [3, 45, 50, 70]),
            ]);
            check_all::<i32>(&device, &transforms);
        }
    }
}

#[test]
fn coarse_levels() {
    for device in few_and_many_segments() {
        let engine = Engine::new(&device).unwrap();
        for (i, transform) in coarse(Wavelet::CDF_9_7).into_iter().enumerate() {
            check::<f32>(&engine, &transform.layout(Layout::Interleaved), i as u64);
        }
    }
}

#[test]
fn a_real_picture_size() {
    for device in devices() {
        let engine = Engine::new(&device.with_compute_units(132)).unwrap();
        let picture = |wavelet| {
            Transform::new(wavelet, [1080, 1920])
                .levels(5)
                .layout(Layout::Interleaved)
        };
        check::<f32>(&engine, &picture(Wavelet::CDF_9_7), 1);
        check::<i16>(&engine, &picture(Wavelet::VC2_DD_13_7), 2);
    }
}

/// One line fills the device.
#[test]
fn one_long_signal() {
    for device in devices() {
        let engine = Engine::new(&device.with_compute_units(132)).unwrap();
        let signal = Transform::new(Wavelet::CDF_5_3, [1_000_003])
            .boundary(Boundary::Periodic)
            .layout(Layout::Interleaved);
        let plan = check::<i16>(&engine, &signal, 3);
        assert!(segments(&plan)[0] > 1000, "{plan:?}");
    }
}

#[test]
fn coefficients_that_move_are_refused() {
    let engine = Engine::new(&devices()[0]).unwrap();
    let refused = engine.plan_in_place::<f32>(&Transform::new(Wavelet::CDF_9_7, [64, 64]));
    let Err(Error::Unsupported { what, why, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(what, "cdf97 on f32 samples in place");
    assert!(
        why.contains("Mallat") && why.contains("Layout::Interleaved"),
        "{why}"
    );
}

#[test]
fn arrays_that_do_not_fit_the_plan_are_refused() {
    let engine = Engine::new(&devices()[0]).unwrap();
    let transform = Transform::new(Wavelet::CDF_9_7, [64]).layout(Layout::Interleaved);
    let plan = engine.plan_in_place::<f32>(&transform).unwrap();
    let refused = plan.enqueue_forward(&mut engine.zeros(63).unwrap());
    assert!(matches!(refused, Err(Error::Length { .. })), "{refused:?}");
    let stranger = Engine::new(&devices()[0]).unwrap();
    let refused = plan.enqueue_inverse(&mut stranger.zeros(64).unwrap());
    assert!(
        matches!(refused, Err(Error::ForeignArray { .. })),
        "{refused:?}"
    );
    let real = engine.plan_in_place::<i16>(&transform);
    assert!(matches!(real, Err(Error::Unsupported { .. })), "{real:?}");
}
