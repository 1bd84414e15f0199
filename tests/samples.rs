//! Samples of 16 bits that compute in `f32`: how each strategy rounds them when it stores, and what
//! becomes of values that they have no place for. That its results are right otherwise,
//! tests/strategies checks.

mod common;

use common::{Place, Random, devices, expected, plans, plans_of, run};
use half::f16;
use wavelift::{
    Band, Boundary, Channel, Coefficients, Cost, Device, Direction, Engine, Error, Layout,
    RealStep, Rounded, Scale, Strategy, Transform, Wavelet, reference,
};

/// What each strategy makes of `samples`, by name.
fn results<T: common::RandomSample>(
    device: &Device,
    transform: &Transform,
    samples: &[T],
) -> Vec<(String, Vec<T>)> {
    let engine = Engine::new(device).unwrap();
    let of_plan = |plan: &wavelift::Plan<T>| {
        let result = run(&engine, plan, Direction::Forward, samples);
        (format!("{:?} on {device}", plan.strategies()), result)
    };
    plans::<T>(&engine, transform).iter().map(of_plan).collect()
}

/// Every strategy gives exactly what the reference does.
fn are_as_the_reference(transform: &Transform, samples: &[i16]) -> Vec<i16> {
    let samples: &[Rounded] = bytemuck::cast_slice(samples);
    let expected = reference::forward(transform, samples).unwrap();
    for device in devices() {
        for (by, got) in results(&device, transform, samples) {
            assert_eq!(got, expected, "{by}: {transform:?}");
        }
    }
    bytemuck::cast_slice(&expected).to_vec()
}

/// Adds to each detail `tap` times the approximation before it, and `other` times the one after it.
fn one_step(taps: &[f64]) -> Wavelet {
    let step = RealStep::new(Channel::Detail, 0, taps);
    Wavelet::real("one-step", &[step], Scale::NONE).unwrap()
}

#[test]
fn ties_go_to_the_even_number() {
    let row: Vec<i16> = (0..64).flat_map(|i| [2 * i - 63, 0]).collect();
    let transform = Transform::new(one_step(&[0.5]), [1, 128]);
    let got = are_as_the_reference(&transform, &row);
    assert_eq!(got[64..70], [-32, -30, -30, -28, -28, -26]);
    // In a picture only those that are details of both axes.
    let picture = (0..32 * 64).map(|i| {
        if i % 2 == 0 && i / 64 % 2 == 0 {
            2 * (i % 999) - 998
        } else {
            0
        }
    });
    let transform = Transform::new(one_step(&[0.5]), [32, 64]);
    are_as_the_reference(&transform, &picture.collect::<Vec<_>>());
}

#[test]
fn what_is_beyond_the_range_is_its_end() {
    let row = [
        30_000i16,
        30_000,
        -30_000,
        -30_000,
        0,
        i16::MAX,
        0,
        i16::MIN,
        -20_000,
        20_000,
    ];
    let transform = Transform::new(one_step(&[1.0]), [1, 10]);
    let got = are_as_the_reference(&transform, &row);
    assert_eq!(got[5..], [i16::MAX, i16::MIN, i16::MAX, i16::MIN, 0]);
}

/// But by `stepwise`, which rounds after each step.
#[test]
fn what_is_no_number_is_zero() {
    let steps = [
        RealStep::new(Channel::Detail, 0, &[3e38]),
        RealStep::new(Channel::Approximation, 0, &[1.0, -1.0]),
    ];
    let wavelet = Wavelet::real("no-number", &steps, Scale::NONE).unwrap();
    let transform = Transform::new(wavelet, [1, 8]);
    // Infinity less infinity, and less a number.
    let row = [30_000i16, 7, 30_000, 7, 0, 7, -30_000, 7].map(Rounded);
    let expected = [
        0,
        i16::MAX,
        i16::MAX,
        i16::MIN,
        i16::MAX,
        i16::MAX,
        7,
        i16::MIN,
    ]
    .map(Rounded);
    assert_eq!(reference::forward(&transform, &row).unwrap(), expected);
    for device in devices() {
        for (by, got) in results(&device, &transform, &row) {
            assert!(got == expected || by.contains("Stepwise"), "{by}: {got:?}");
        }
    }
}

/// NaN and infinities spread as far as the wavelet reaches, results past the largest half are
/// infinite, and the smallest halves are not lost.
#[test]
fn halves_have_all_that_halves_have() {
    let picture = Transform::new(Wavelet::CDF_9_7, [32, 48]);
    let specials = [f16::NAN, f16::INFINITY, f16::NEG_INFINITY].map(|special| {
        let mut samples = vec![f16::ONE; 32 * 48];
        samples[16 * 48 + 20] = special;
        let expected = reference::forward(&picture, &samples).unwrap();
        assert!((60..200).contains(&expected.iter().filter(|v| !v.is_finite()).count()));
        (samples, expected)
    });
    let all: Vec<f16> = (0..32 * 48).map(|_| f16::MAX).collect();
    // Subnormal halves, and what becomes of them.
    let least: Vec<f16> = (0..32 * 48)
        .map(|i| f16::from_bits((i * 37 % 1024) as u16))
        .collect();
    let exact = expected(&picture, Direction::Forward, &least).unwrap();
    // Each of the twelve launches of `stepwise` rounds.
    let bound = 16.0 * 2f64.powi(-25);
    for device in devices() {
        for (samples, expected) in &specials {
            for (by, got) in results(&device, &picture, samples) {
                let alike = |(a, b): (&f16, &f16)| match samples[16 * 48 + 20].is_nan() {
                    true => a.is_nan() == b.is_nan(),
                    // Infinity less infinity is NaN; which sums come to
                    // that depends on their order.
                    false => a.is_finite() == b.is_finite(),
                };
                assert!(got.iter().zip(expected).all(alike), "{by}");
            }
        }
        // Approximations of the largest half grow.
        let haar = Transform::new(Wavelet::HAAR, [1, 32 * 48]);
        for (by, got) in results(&device, &haar, &all) {
            assert_eq!(got[0], f16::INFINITY, "{by}");
            assert_eq!(got[32 * 24].to_f64(), 0.0, "{by}");
        }
        for (by, got) in results(&device, &picture, &least) {
            let worst = got.iter().zip(&exact).map(|(a, b)| (a.to_f64() - b).abs());
            let worst = worst.fold(0.0, f64::max);
            assert!(worst <= bound, "{by}: {worst:e}");
        }
    }
}

#[test]
fn sixteen_bit_integers_need_the_type_that_rounds() {
    let transform = Transform::new(Wavelet::CDF_9_7, [8]);
    match reference::forward(&transform, &[0i16; 8]) {
        Err(error @ Error::Unsupported { .. }) => assert!(error.to_string().contains("Rounded")),
        other => panic!("{other:?}"),
    }
    let integers = Transform::new(Wavelet::VC2_LEGALL_5_3, [8]);
    assert!(matches!(
        reference::forward(&integers, &[Rounded(0); 8]),
        Err(Error::Unsupported { .. })
    ));
}

/// A picture of numbers that steps of quarters change by whole numbers alone, so that
/// nothing is ever rounded, not even in halves: every strategy gives the same, in both
/// directions, by every boundary rule.
fn is_exact<T: common::RandomSample>(boundaries: &[Boundary]) {
    let wavelet = || one_step(&[0.25, 0.25]);
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for (i, &boundary) in boundaries.iter().enumerate() {
            let transform = Transform::new(wavelet(), [33, 70])
                .boundary(boundary)
                .layout(Layout::ALL[i % Layout::ALL.len()]);
            // Each axis takes a quarter of sums of two.
            let sample = |number: i32| T::from_f64(f64::from(number.rem_euclid(65) - 32) * 16.0);
            let samples: Vec<T> = (0..33 * 70).map(|i| sample(i * i * 7 + i * 31)).collect();
            for plan in &plans::<T>(&engine, &transform) {
                for direction in [Direction::Forward, Direction::Inverse] {
                    let expected = expected(&transform, direction, &samples).unwrap();
                    assert!(
                        expected
                            .iter()
                            .all(|v| v.fract() == 0.0 && v.abs() < 2048.0)
                    );
                    let got = run(&engine, plan, direction, &samples);
                    let got: Vec<f64> = got.iter().map(|v| v.to_f64()).collect();
                    assert!(got == expected, "{direction:?} by {plan:?} on {device}");
                }
            }
        }
    }
}

#[test]
fn what_needs_no_rounding_is_exact() {
    is_exact::<Rounded>(Boundary::ALL);
    is_exact::<f16>(Boundary::ALL);
}

/// What one level of a volume in one pass makes of samples.
fn in_one_pass<T: common::RandomSample>(
    engine: &Engine,
    volume: &Transform,
    direction: Direction,
    samples: &[T],
) -> Vec<T> {
    let plans = plans_of::<T>(engine, volume, |by| by == Strategy::StreamedVolumes);
    assert_eq!(plans.len(), 1, "{volume:?} on {:?}", engine.device());
    run(engine, &plans[0], direction, samples)
}

/// Volumes in one pass are rounded once, as the reference does it. The sums of 5/3 are
/// multiples of 2^-9 that single precision holds: so results are equal, ties and what is
/// beyond the range included.
fn volumes_are_rounded_once<T: common::RandomSample>() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for shape in [[9, 10, 24], [8, 7, 13]] {
            let volume = Transform::new(Wavelet::CDF_5_3, shape);
            for unit in [1.0, 512.0] {
                let mut random = Random::new(5);
                let mut number = || match unit {
                    1.0 => (random.bits() >> 40) as f64 % 127.0 - 63.0,
                    _ => 63.0 - (random.bits() >> 40 & 1) as f64 * 126.0,
                };
                let sample = |_| T::from_f64(unit * number());
                let samples: Vec<T> = (0..volume.len()).map(sample).collect();
                for direction in [Direction::Forward, Direction::Inverse] {
                    let exact = expected(&volume, direction, &samples).unwrap();
                    let seen = match unit {
                        1.0 => exact.iter().filter(|v| v.fract().abs() == 0.5).count(),
                        _ => exact.iter().filter(|v| v.abs() > 66_000.0).count(),
                    };
                    assert!(seen >= 4, "{seen} of unit {unit}, {direction:?}");
                    let reference = match direction {
                        Direction::Forward => reference::forward(&volume, &samples),
                        Direction::Inverse => reference::inverse(&volume, &samples),
                    };
                    let got = in_one_pass(&engine, &volume, direction, &samples);
                    assert_eq!(got, reference.unwrap(), "{direction:?} on {device}");
                }
            }
        }
    }
}

#[test]
fn volumes_in_one_pass_are_rounded_once() {
    volumes_are_rounded_once::<Rounded>();
    volumes_are_rounded_once::<f16>();
}

/// As of pictures: of NaN, infinities and the smallest halves.
#[test]
fn volumes_in_one_pass_have_all_that_halves_have() {
    let volume = Transform::new(Wavelet::CDF_9_7, [18, 16, 24]);
    let [place, low_place] = [[9, 8, 11], [4, 4, 6]].map(|[z, y, x]| (z * 16 + y) * 24 + x);
    let least = |i: usize| f16::from_bits((i * 37 % 1024) as u16);
    let least: Vec<f16> = (0..volume.len()).map(least).collect();
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for direction in [Direction::Forward, Direction::Inverse] {
            for special in [f16::NAN, f16::INFINITY, f16::NEG_INFINITY] {
                let mut samples = vec![f16::ONE; volume.len()];
                let at = match direction {
                    Direction::Forward => place,
                    Direction::Inverse => low_place,
                };
                samples[at] = special;
                // In doubles: which sums of infinities are NaN depends on their order.
                let exact = expected(&volume, direction, &samples).unwrap();
                assert!((300..1000).contains(&exact.iter().filter(|v| !v.is_finite()).count()));
                let got = in_one_pass(&engine, &volume, direction, &samples);
                let alike = |(a, b): (&f16, &f64)| match special.is_nan() {
                    true => a.is_nan() == b.is_nan(),
                    false => a.is_finite() == b.is_finite(),
                };
                let alike = got.iter().zip(&exact).all(alike);
                assert!(alike, "{special} {direction:?} on {device}");
            }
            // Half of the smallest one, or of the last bit, and what computing
            // in single precision adds.
            let exact = expected(&volume, direction, &least).unwrap();
            let got = in_one_pass(&engine, &volume, direction, &least);
            for (got, exact) in got.iter().zip(exact) {
                let bound = 1.01 * 2f64.powi(-11) * exact.abs().max(2f64.powi(-14));
                let error = (got.to_f64() - exact).abs();
                assert!(
                    error <= bound,
                    "{direction:?} {got} for {exact:e} on {device}"
                );
            }
        }
    }
}

/// Results are within what rounding can do to them, and one unit more is beyond it, in every band:
/// in one launch and in two, of which so few samples come close to the worst.
fn is_within_its_roundings(transform: &Transform, directions: &[Direction]) {
    let samples = common::random_samples::<Rounded>(transform.len(), 3);
    let mut seen = [0; 2];
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let plans = plans_of::<Rounded>(&engine, transform, |_| true);
        for plan in plans.iter().chain([&engine.plan(transform).unwrap()]) {
            for &direction in directions {
                let exact = expected(transform, direction, &samples).unwrap();
                let cost = plan.cost(direction);
                if cost.launches > 2 {
                    continue;
                }
                seen[cost.launches as usize - 1] += 1;
                let got = run(&engine, plan, direction, &samples);
                let wrong =
                    |got: &[Rounded]| common::wrong(transform, direction, cost, got, &exact);
                assert_eq!(wrong(&got), None, "{direction:?} by {plan:?}");
                // Farther from what is exact by a unit.
                let farther = got.iter().zip(&exact).map(|(got, &exact)| {
                    let more = if f64::from(got.0) < exact { -1 } else { 1 };
                    Rounded(got.0 + more)
                });
                let farther: Vec<Rounded> = farther.collect();
                assert!(wrong(&farther).is_some(), "{direction:?} by {plan:?}");
                // In a single band.
                if direction == Direction::Forward {
                    for (level, band) in transform.bands() {
                        let bands =
                            |of: &[Rounded]| Coefficients::from_parts(transform, of.to_vec());
                        let mut got = bands(&got).unwrap();
                        let farther = bands(&farther).unwrap();
                        let more = farther.band(level, band).unwrap();
                        let mut more = more.iter();
                        got.band_mut(level, band)
                            .unwrap()
                            .apply(|_| more.next().unwrap());
                        let wrong = wrong(got.as_slice());
                        assert!(wrong.is_some(), "{band}{level} by {plan:?}");
                    }
                }
            }
        }
    }
    assert!(!seen.contains(&0), "{seen:?}");
}

#[test]
fn one_unit_more_than_rounding_can_do_is_found() {
    let picture = Transform::new(Wavelet::CDF_9_7, [48, 64]);
    is_within_its_roundings(&picture, &[Direction::Forward, Direction::Inverse]);
    // Which two axes of a volume are one launch is not known to the bound, and its inverse is
    // allowed the worse. Of 34 columns, which are not whole vectors, it is the last two in
    // every plan of two launches.
    let volume = Transform::new(Wavelet::CDF_5_3, [6, 20, 34]);
    is_within_its_roundings(&volume, &[Direction::Forward]);
}

/// As the documentation of `Rounded` has it.
#[test]
fn bounds_are_those_of_the_documentation() {
    let units = |transform: &Transform, place, launches| {
        let mut cost = Cost::default();
        cost.launches = launches;
        let units = common::allowed::<Rounded>(transform, place, cost) * 1000.0;
        (units / 0.51 * 0.5 * 100.0).round() / 100.0
    };
    let picture = Transform::new(Wavelet::CDF_9_7, [64, 64]);
    let in_band = |band, launches| units(&picture, Place::Band(1, band), launches);
    assert_eq!([1, 2].map(|n| in_band(Band::HH, n)), [0.5, 1.8]);
    assert_eq!(
        [in_band(Band::LL, 2), units(&picture, Place::Samples, 2)],
        [1.19, 1.59]
    );
    let volume = Transform::new(Wavelet::CDF_9_7, [64, 64, 64]);
    let details = Band::new([Channel::Detail; 3]);
    assert_eq!(units(&volume, Place::Band(1, details), 2), 3.87);
    for (wavelet, [high, low, inverse]) in [
        (Wavelet::CDF_9_7, [2.60, 1.38, 2.18]),
        (Wavelet::CDF_5_3, [2.0, 1.5, 2.0]),
        (Wavelet::HAAR, [1.41, 1.41, 1.41]),
        (Wavelet::DAUB_4, [1.67, 1.67, 1.67]),
    ] {
        let periodic = Transform::new(wavelet, [64, 64]).boundary(Boundary::Periodic);
        let places = [
            Place::Band(1, Band::HH),
            Place::Band(1, Band::LL),
            Place::Samples,
        ];
        for (place, gain) in places.into_iter().zip([high, low, inverse]) {
            let got = units(&periodic, place, 2) * 2.0 - 1.0;
            assert!((got - gain).abs() < 0.02, "{got}, not {gain}");
        }
    }
}
