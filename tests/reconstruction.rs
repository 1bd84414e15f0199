//! What goes forward comes back: for every wavelet of the table and any other, every shape, axes,
//! levels, boundary and layout.

mod common;

use common::{
    Random, RandomSample, computes, devices, expected, for_all, plans, random_samples,
    relative_error, run, to_f64,
};
use proptest::collection::vec;
use proptest::prelude::{Strategy as Generator, any, prop_oneof};
use proptest::sample::{select, subsequence};
use proptest::{prop_assert, prop_assert_eq};
use wavelift::{
    AxisOrder, Boundary, Channel, Coefficients, Direction, Engine, IntegerStep, Layout, MAX_REACH,
    MAX_TAPS, RealStep, Sample, SampleType, Scale, Transform, Wavelet, reference,
};

/// 1 to 4 axes, short or long, of at most `most` samples in all.
fn shapes(most: usize) -> impl Generator<Value = Vec<usize>> {
    let axis = prop_oneof![1..=4usize, 1..=40usize, 1..=1000usize];
    vec(axis, 1..=4).prop_map(move |mut shape| {
        while shape.iter().product::<usize>() > most {
            *shape.iter_mut().max().unwrap() /= 2;
        }
        shape
    })
}

/// Any transform of at most `most` samples by one of `wavelets`.
fn transforms(wavelets: Vec<Wavelet>, most: usize) -> impl Generator<Value = Transform> {
    let axes = |shape: Vec<usize>| {
        let all: Vec<usize> = (0..shape.len()).collect();
        let count = 1..=all.len();
        let axes = subsequence(all, count).prop_shuffle();
        axes.prop_map(move |axes| (shape.clone(), axes))
    };
    let levels = prop_oneof![0..=3u32, 2..=7u32, 0..=64u32];
    (
        select(wavelets),
        shapes(most).prop_flat_map(axes),
        levels,
        select(Boundary::ALL),
        select(Layout::ALL),
    )
        .prop_map(|(wavelet, (shape, axes), levels, boundary, layout)| {
            Transform::new(wavelet, shape)
                .axes(axes)
                .levels(levels)
                .boundary(boundary)
                .layout(layout)
        })
}

fn wavelets(are_wanted: impl Fn(&Wavelet) -> bool) -> Vec<Wavelet> {
    Wavelet::ALL
        .iter()
        .filter(|&x| are_wanted(x))
        .cloned()
        .collect()
}

/// Samples over the full range; a fourth of the time nothing but extremes.
fn samples<T: RandomSample>(len: usize, seed: u64) -> Vec<T> {
    if !seed.is_multiple_of(4) {
        return random_samples(len, seed);
    }
    let mut random = Random::new(seed);
    let extreme = |_| T::EXTREMES[(random.bits() >> 63) as usize];
    (0..len).map(extreme).collect()
}

/// There and back by the reference.
fn restored<T: Sample>(transform: &Transform, samples: &[T]) -> Vec<T> {
    let coefficients = reference::forward(transform, samples).unwrap();
    reference::inverse(transform, &coefficients).unwrap()
}

#[test]
fn integers_are_restored_exactly() {
    let exact = wavelets(|w| w.integer_steps().is_some() && w.pre_shift() == 0);
    for_all(
        1500,
        (transforms(exact, 4000), any::<u64>()),
        |(transform, seed)| {
            let narrow = samples::<i16>(transform.len(), seed);
            prop_assert!(restored(&transform, &narrow) == narrow);
            let wide = samples::<i32>(transform.len(), seed);
            prop_assert!(restored(&transform, &wide) == wide);
            Ok(())
        },
    );
}

/// How far floats may come back from where they were, relative to the largest. The steps of daub4
/// are ill-conditioned at borders that are not its own.
fn round_trip_bound(wavelet: &Wavelet, sample: SampleType) -> f64 {
    let (single, double) = match *wavelet == Wavelet::DAUB_4 {
        true => (2e-4, 1e-12),
        false => (5e-6, 1e-14),
    };
    match sample {
        SampleType::F32 => single,
        _ => double,
    }
}

#[test]
fn reals_are_restored_within_rounding() {
    let real = wavelets(|w| w.real_steps().is_some());
    for_all(
        1500,
        (transforms(real, 4000), any::<u64>()),
        |(transform, seed)| {
            let single = samples::<f32>(transform.len(), seed);
            let error = relative_error(&restored(&transform, &single), &to_f64(&single));
            prop_assert!(
                error < round_trip_bound(transform.wavelet(), SampleType::F32),
                "{}",
                error
            );
            let double = samples::<f64>(transform.len(), seed);
            let error = relative_error(&restored(&transform, &double), &double);
            prop_assert!(
                error < round_trip_bound(transform.wavelet(), SampleType::F64),
                "{}",
                error
            );
            Ok(())
        },
    );
}

/// Every strategy on every device, by few wavelets since each has programs of its own: forward as
/// the reference, and back.
fn on_devices<T: RandomSample>(wavelets: &[Wavelet], round_trip: impl Fn(&Wavelet) -> f64) {
    for device in devices() {
        if !computes("round trips of f64", &device, T::TYPE) {
            continue;
        }
        let engine = Engine::new(&device).unwrap();
        let inputs = (transforms(wavelets.to_vec(), 30_000), any::<u64>());
        for_all(60, inputs, |(transform, seed)| {
            let samples = samples::<T>(transform.len(), seed);
            let expected = expected(&transform, Direction::Forward, &samples).unwrap();
            for plan in plans::<T>(&engine, &transform) {
                let strategy = plan.strategy();
                let there = run(&engine, &plan, Direction::Forward, &samples);
                let error = relative_error(&there, &expected);
                prop_assert!(error <= T::BOUND, "{} forward: {:e}", strategy, error);
                let back = run(&engine, &plan, Direction::Inverse, &there);
                let error = relative_error(&back, &to_f64(&samples));
                let bound = round_trip(transform.wavelet());
                prop_assert!(error <= bound, "{} round trip: {:e}", strategy, error);
            }
            Ok(())
        });
    }
}

mod every_strategy_restores {
    use super::*;

    #[test]
    fn i16() {
        on_devices::<i16>(&[Wavelet::CDF_5_3, Wavelet::VC2_FIDELITY], |_| 0.0);
    }

    #[test]
    fn i32() {
        on_devices::<i32>(&[Wavelet::CDF_5_3, Wavelet::CCSDS_9_7_M], |_| 0.0);
    }

    #[test]
    fn f32() {
        let wavelets = [Wavelet::CDF_9_7, Wavelet::HAAR];
        on_devices::<f32>(&wavelets, |w| round_trip_bound(w, SampleType::F32));
    }

    #[test]
    fn f64() {
        let wavelets = [Wavelet::CDF_9_7, Wavelet::DAUB_4];
        on_devices::<f64>(&wavelets, |w| round_trip_bound(w, SampleType::F64));
    }
}

mod wavelets_of_ones_own {
    use super::*;

    /// Stencils that together reach no further than is allowed.
    fn stencils(random: &mut Random) -> Vec<(Channel, i32, usize)> {
        let mut room = [MAX_REACH as i32; 2];
        let mut below = |n: i32| (random.bits() % n as u64) as i32;
        let steps = 1 + below(24);
        // Some wavelets use up all room in a few steps, some reach a little in each.
        let reach = 1 + below(MAX_REACH as i32);
        (0..steps)
            .map(|_| {
                let target = [Channel::Approximation, Channel::Detail][below(2) as usize];
                let [before, after] = room.map(|room| room.min(reach));
                let count = 1 + below(MAX_TAPS.min((before + after + 1) as usize) as i32);
                let first = below(before + after + 2 - count) - before;
                room[0] -= (-first).max(0);
                room[1] -= (first + count - 1).max(0);
                (target, first, count as usize)
            })
            .collect()
    }

    fn with_conventions(wavelet: Wavelet, random: &mut Random) -> Wavelet {
        let orders = [AxisOrder::InnermostFirst, AxisOrder::OutermostFirst];
        wavelet
            .with_boundary(Boundary::ALL[random.bits() as usize % Boundary::ALL.len()])
            .with_axis_order(orders[(random.bits() % 2) as usize])
    }

    /// Any integer steps at all: taps and biases from small ones to such as overflow.
    fn integer(seed: u64) -> Wavelet {
        let mut random = Random::new(seed);
        let steps: Vec<IntegerStep> = stencils(&mut random)
            .into_iter()
            .map(|(target, first, count)| {
                let narrow = random.bits() % 32;
                let mut number = || random.bits() as i32 >> narrow;
                let taps: Vec<i32> = (0..count).map(|_| number()).collect();
                let bias = number();
                let shift = (random.bits() % 32) as u32;
                match random.bits() % 2 {
                    0 => IntegerStep::add(target, first, &taps, bias, shift),
                    _ => IntegerStep::subtract(target, first, &taps, bias, shift),
                }
            })
            .collect();
        let wavelet = Wavelet::integer("integer", &steps, 0).unwrap();
        with_conventions(wavelet, &mut random)
    }

    /// A number between -1 and 1.
    fn fraction(random: &mut Random) -> f64 {
        (random.bits() >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    /// Real steps whose taps sum up to a half at most, so that errors do not explode.
    fn real(seed: u64) -> Wavelet {
        let mut random = Random::new(seed);
        let scale = Scale {
            approximation: 2f64.powf(fraction(&mut random)),
            detail: -(2f64.powf(fraction(&mut random))),
        };
        let steps: Vec<RealStep> = stencils(&mut random)
            .into_iter()
            .map(|(target, first, count)| {
                let tap = |_| 0.5 / count as f64 * fraction(&mut random);
                let taps: Vec<f64> = (0..count).map(tap).collect();
                RealStep::new(target, first, &taps)
            })
            .collect();
        let wavelet = Wavelet::real("real", &steps, scale).unwrap();
        with_conventions(wavelet, &mut random)
    }

    /// The transform by another wavelet.
    fn with_wavelet(wavelet: Wavelet, transform: &Transform) -> Transform {
        Transform::new(wavelet, transform.shape())
            .axes(transform.chosen_axes())
            .levels(transform.level_count())
            .boundary(transform.boundary_rule())
            .layout(transform.coefficient_layout())
    }

    #[test]
    fn restore_integers_exactly() {
        let inputs = (
            transforms(vec![Wavelet::CDF_5_3], 2000),
            any::<u64>(),
            any::<u64>(),
        );
        for_all(1500, inputs, |(transform, seed, wavelet)| {
            let transform = with_wavelet(integer(wavelet), &transform);
            let narrow = samples::<i16>(transform.len(), seed);
            prop_assert!(restored(&transform, &narrow) == narrow);
            let wide = samples::<i32>(transform.len(), seed);
            prop_assert!(restored(&transform, &wide) == wide);
            Ok(())
        });
    }

    #[test]
    fn restore_reals_within_rounding() {
        let inputs = (
            transforms(vec![Wavelet::CDF_5_3], 2000),
            any::<u64>(),
            any::<u64>(),
        );
        for_all(1000, inputs, |(transform, seed, wavelet)| {
            let levels = transform.level_count().min(2);
            let transform = with_wavelet(real(wavelet), &transform).levels(levels);
            let samples = samples::<f64>(transform.len(), seed);
            let error = relative_error(&restored(&transform, &samples), &samples);
            prop_assert!(error < 1e-9, "{:e}", error);
            Ok(())
        });
    }

    /// Shapes whose lines are too long for one window and too short for two, along each axis.
    fn shapes() -> [(Vec<usize>, Vec<usize>); 3] {
        [
            (vec![150, 333], vec![0, 1]),
            (vec![5, 61, 2, 90], vec![3, 1]),
            (vec![7, 3], vec![0, 1]),
        ]
    }

    fn check<T: RandomSample>(wavelet: Wavelet, seed: u64, allowed: f64) {
        for device in devices() {
            let engine = Engine::new(&device).unwrap();
            for (shape, axes) in shapes() {
                for &boundary in Boundary::ALL {
                    let transform = Transform::new(wavelet.clone(), shape.clone())
                        .axes(axes.clone())
                        .levels(2)
                        .boundary(boundary);
                    let samples = samples::<T>(transform.len(), seed);
                    for direction in [Direction::Forward, Direction::Inverse] {
                        let expected = expected(&transform, direction, &samples).unwrap();
                        for plan in plans::<T>(&engine, &transform) {
                            let got = run(&engine, &plan, direction, &samples);
                            let error = relative_error(&got, &expected);
                            let strategy = plan.strategy();
                            assert!(
                                error <= allowed,
                                "{strategy} {direction:?} {boundary} {shape:?}, seed {seed}: {error:e}"
                            );
                        }
                    }
                }
            }
        }
    }

    macro_rules! on_devices {
        ($($name:ident: $check:expr;)*) => {
            mod are_the_same_by_every_strategy {
                use super::*;
                $(#[test] fn $name() { $check })*
            }
        };
    }

    // One test for each, since each compiles programs of its own: two to five steps, of a short
    // reach and of the longest, in both orders of axes.
    on_devices! {
        integer_5: check::<i16>(integer(5), 1, 0.0);
        integer_54: check::<i16>(integer(54), 2, 0.0);
        integer_2: check::<i32>(integer(2), 3, 0.0);
        integer_49: check::<i32>(integer(49), 4, 0.0);
        real_4: check::<f32>(real(4), 5, 1e-5);
        real_51: check::<f32>(real(51), 6, 1e-5);
    }
}

fn bands_of<T: RandomSample>(transform: &Transform, coefficients: Vec<T>) -> Vec<Vec<T>> {
    let coefficients = Coefficients::from_parts(transform, coefficients).unwrap();
    let bands = transform.bands().into_iter();
    bands
        .map(|(level, band)| coefficients.band(level, band).unwrap().to_vec())
        .collect()
}

#[test]
fn layouts_hold_the_same_bands_in_other_places() {
    let integers = wavelets(|w| w.integer_steps().is_some());
    for_all(
        500,
        (transforms(integers, 4000), any::<u64>()),
        |(transform, seed)| {
            let samples = random_samples::<i32>(transform.len(), seed);
            let [mallat, interleaved] = [Layout::Mallat, Layout::Interleaved].map(|layout| {
                let transform = transform.clone().layout(layout);
                bands_of(
                    &transform,
                    reference::forward(&transform, &samples).unwrap(),
                )
            });
            let coefficients: usize = mallat.iter().map(Vec::len).sum();
            prop_assert_eq!(coefficients, transform.len());
            prop_assert!(mallat == interleaved);
            Ok(())
        },
    );
}
