//! What goes forward comes back: for every wavelet of the table and any other, every shape, axes, levels,
//! boundary and layout.

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
    MAX_STEPS, MAX_TAPS, RealStep, Sample, SampleType, Scale, Transform, Wavelet, reference,
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

mod with_pre_shift {
    use super::*;

    /// Levels that have anything to do.
    fn active_levels(transform: &Transform) -> u32 {
        let lengths = transform
            .chosen_axes()
            .iter()
            .map(|&axis| transform.shape()[axis]);
        let halvings = lengths.max().unwrap().next_power_of_two().ilog2();
        halvings.min(transform.level_count())
    }

    /// How many bits samples must leave free so that no level's shift loses any: one a level, and what
    /// the approximations can grow by, at borders and odd lengths above all.
    fn headroom(transform: &Transform) -> u32 {
        let (levels, axes) = (
            active_levels(transform),
            transform.chosen_axes().len() as u32,
        );
        let growth = if *transform.wavelet() == Wavelet::VC2_DAUB_9_7 {
            // Its low-pass gain is 1.23, a third of a bit a level and axis.
            (axes * (levels + 2)).div_ceil(3)
        } else {
            2 * axes
        };
        levels + growth
    }

    /// The same for pictures as VC-2 has them: two axes of multiples of 2^levels, few levels, clamped.
    fn headroom_in_vc_2(transform: &Transform) -> u32 {
        let daub97 = *transform.wavelet() == Wavelet::VC2_DAUB_9_7;
        transform.level_count() + if daub97 { 3 } else { 2 }
    }

    /// Sums have 32 bits; this many more are free where samples have 16, but not where they have 32. A sum
    /// that wraps is undone, but the wrong approximation can be too large for the next level's shift.
    fn bits_of_sums<T: Sample>(wavelet: &Wavelet) -> u32 {
        if T::TYPE == SampleType::I16 {
            return 0;
        }
        let steps = wavelet.integer_steps().unwrap().iter();
        let sums = steps.map(|step| step.taps().iter().map(|tap| tap.unsigned_abs()).sum());
        sums.max()
            .map_or(0, |sum: u32| sum.next_power_of_two().ilog2())
    }

    /// The signs of the samples of a line that together drive an approximation after `levels` levels
    /// farthest.
    fn worst_signs(transform: &Transform, n: usize, levels: u32) -> Vec<bool> {
        let steps = transform.wavelet().integer_steps().unwrap().iter();
        let linear: Vec<RealStep> = steps
            .map(|step| {
                let unit = 0.5f64.powi(step.shift() as i32);
                let taps: Vec<f64> = step.taps().iter().map(|&t| f64::from(t) * unit).collect();
                RealStep::new(step.stencil().target, step.stencil().first, &taps)
            })
            .collect();
        let linear = Wavelet::real("linear", &linear, Scale::NONE).unwrap();
        let impulses = Transform::new(linear, [n, n])
            .axes([1])
            .levels(levels)
            .boundary(transform.boundary_rule());
        let mut identity = vec![0f64; n * n];
        identity.iter_mut().step_by(n + 1).for_each(|v| *v = 1.0);
        let weights = reference::forward(&impulses, &identity).unwrap();
        let weight = |at: usize, sample: usize| weights[sample * n + at];
        let sum = |at: &usize| (0..n).map(|sample| weight(*at, sample).abs()).sum::<f64>();
        let lows = (0..levels).fold(n, |n, _| n.div_ceil(2));
        let worst = (0..lows).max_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap();
        (0..n).map(|sample| weight(worst, sample) >= 0.0).collect()
    }

    /// Samples of the largest size that drive the approximations farthest.
    fn worst(transform: &Transform, low: i64, high: i64) -> Vec<i64> {
        let levels = active_levels(transform).saturating_sub(1);
        let mut samples = vec![high; transform.len()];
        let mut stride = transform.len();
        for (axis, &n) in transform.shape().iter().enumerate() {
            stride /= n;
            if transform.chosen_axes().contains(&axis) {
                let signs = worst_signs(transform, n, levels);
                for (i, sample) in samples.iter_mut().enumerate() {
                    if !signs[i / stride % n] {
                        *sample = if *sample == high { low } else { high };
                    }
                }
            }
        }
        samples
    }

    fn within(transform: &Transform, bits: u32, seed: u64) -> Vec<i64> {
        let (low, high) = (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1);
        let short = transform.shape().iter().all(|&n| n <= 100);
        if seed.is_multiple_of(4) && short {
            return worst(transform, low, high);
        }
        let mut random = Random::new(seed);
        let only_extremes = seed % 4 == 1;
        let mut sample = || match random.bits() >> 60 {
            0..8 if only_extremes => low,
            0 => low,
            8.. if only_extremes => high,
            1 => high,
            _ => low + (random.bits() >> 1) as i64 % (high - low + 1),
        };
        (0..transform.len()).map(|_| sample()).collect()
    }

    fn is_restored<T>(transform: &Transform, headroom: u32, seed: u64) -> bool
    where
        T: RandomSample + TryFrom<i64, Error: std::fmt::Debug>,
    {
        let width = 8 * T::TYPE.size() as u32;
        let bits = width.saturating_sub(headroom + bits_of_sums::<T>(transform.wavelet()));
        if bits == 0 {
            return true;
        }
        let samples = within(transform, bits, seed).into_iter();
        let samples: Vec<T> = samples.map(|v| v.try_into().unwrap()).collect();
        restored(transform, &samples) == samples
    }

    fn shifting() -> Vec<Wavelet> {
        wavelets(|w| w.pre_shift() > 0)
    }

    #[test]
    fn integers_within_the_headroom_are_restored_exactly() {
        for_all(
            1500,
            (transforms(shifting(), 4000), any::<u64>()),
            |(transform, seed)| {
                let headroom = headroom(&transform);
                prop_assert!(is_restored::<i16>(&transform, headroom, seed));
                prop_assert!(is_restored::<i32>(&transform, headroom, seed));
                Ok(())
            },
        );
    }

    #[test]
    fn two_bits_and_one_a_level_are_enough_in_vc_2() {
        let blocks = [1..=3usize, 1..=3usize];
        for_all(
            1000,
            (select(shifting()), 1..=4u32, blocks, any::<u64>()),
            |input| {
                let (wavelet, levels, blocks, seed) = input;
                let transform = Transform::new(wavelet, blocks.map(|n| n << levels)).levels(levels);
                let headroom = headroom_in_vc_2(&transform);
                prop_assert!(is_restored::<i16>(&transform, headroom, seed));
                prop_assert!(is_restored::<i32>(&transform, headroom, seed));
                Ok(())
            },
        );
    }
}

/// How far floats may come back from where they were, relative to the largest. The steps of daub4 are
/// ill-conditioned at borders that are not its own.
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

/// Every strategy on every device, by few wavelets since each has programs of its own: forward as the
/// reference, and back.
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
        let steps = 1 + below(MAX_STEPS as i32);
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

    // One test for each, since each compiles programs of its own: two to five steps, of a short reach
    // and of the longest, in both orders of axes.
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
