//! Bad input to every public call: the right error, which says what was wanted and what was
//! found, and never a panic.

mod choosing;
#[path = "../common/mod.rs"]
mod common;

use common::{can_run, devices, plans};
use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::time::{Duration, Instant};
use wavelift::{
    Band, Boundary, Channel, Coefficients, DeviceInfo, DeviceKind, DeviceSelector, Engine, Error,
    Exchange, IntegerStep, Layout, MAX_LENGTH, RealStep, Result, SampleType, Scale, Strategy,
    Transform, Wavelet, reference,
};

/// The message of an error, which must contain all these words.
#[track_caller]
fn says<T: Debug>(result: Result<T>, words: &[&str]) -> Error {
    let error = result.expect_err("should have been refused");
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in `{message}`");
    }
    error
}

#[track_caller]
fn wrong_length<T: Debug>(result: Result<T>, expected: usize, got: usize) {
    let error = says(result, &[&expected.to_string(), &got.to_string()]);
    let Error::Length {
        expected: e,
        got: g,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((e, g), (expected, got));
}

#[track_caller]
fn wrong_shape<T: Debug>(result: Result<T>, words: &[&str]) {
    let error = says(result, words);
    assert!(matches!(error, Error::Shape { .. }), "{error:?}");
}

#[track_caller]
fn unsupported<T: Debug>(result: Result<T>, words: &[&str]) {
    let error = says(result, words);
    assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
}

#[track_caller]
fn foreign<T: Debug>(result: Result<T>, what: &str) {
    let error = says(result, &[what, "another engine"]);
    assert!(matches!(error, Error::ForeignArray { .. }), "{error:?}");
}

fn on_every_device(check: impl Fn(&Engine)) {
    for device in devices() {
        check(&Engine::new(&device).unwrap());
    }
}

/// Transforms that can not be, and what the error must say.
fn impossible() -> Vec<(Transform, &'static [&'static str])> {
    let haar = |shape: &[usize]| Transform::new(Wavelet::HAAR, shape);
    let longest = MAX_LENGTH;
    vec![
        (haar(&[]), &["shape", "1 to 4 axes", "[]"]),
        (
            haar(&[1, 2, 1, 2, 1]),
            &["shape", "1 to 4 axes", "[1, 2, 1, 2, 1]"],
        ),
        (haar(&[3, 0]), &["shape", "1 to 1073741824", "[3, 0]"]),
        (haar(&[0]), &["shape", "1 to 1073741824", "[0]"]),
        (
            haar(&[longest + 1]),
            &["shape", "1073741824", "[1073741825]"],
        ),
        (haar(&[usize::MAX]), &["shape", "1073741824"]),
        (haar(&[longest; 3]), &["shape", "addressed"]),
        (haar(&[longest; 4]), &["shape", "addressed"]),
        // The product is 2^64.
        (haar(&[1 << 30, 1 << 30, 16]), &["shape", "addressed"]),
        (haar(&[4, 4]).axes([]), &["axes", "at least one", "none"]),
        (haar(&[4, 4]).axes([2]), &["axes", "below 2", "[2]"]),
        (haar(&[4, 4]).axes([0, usize::MAX]), &["axes", "below 2"]),
        (haar(&[4, 4]).axes([1, 1]), &["axes", "distinct", "[1, 1]"]),
        (haar(&[4, 4]).axes([0, 1, 0]), &["axes", "distinct"]),
        (haar(&[4, 4]).levels(65), &["levels", "0 to 64", "65"]),
        (
            haar(&[4, 4]).levels(u32::MAX),
            &["levels", "0 to 64", "4294967295"],
        ),
    ]
}

#[test]
fn impossible_transforms_are_refused_by_every_call() {
    for (transform, words) in impossible() {
        wrong_shape(transform.check(), words);
        wrong_shape(reference::forward(&transform, &[0f32; 16]), words);
        wrong_shape(reference::inverse(&transform, &[0f64; 16]), words);
        wrong_shape(Coefficients::<f32>::zeros(&transform), words);
        wrong_shape(Coefficients::<f32>::from_parts(&transform, vec![]), words);
        wrong_shape(transform.band_norm(SampleType::F32, 1, Band::HL), words);
        on_every_device(|engine| {
            wrong_shape(engine.plan::<f32>(&transform), words);
            for &strategy in Strategy::ALL {
                wrong_shape(engine.plan_with::<f32>(&transform, strategy), words);
            }
        });
    }
}

#[test]
fn the_longest_axes_and_the_most_levels_are_no_error() {
    for transform in [
        Transform::new(Wavelet::HAAR, [MAX_LENGTH]),
        Transform::new(Wavelet::HAAR, [1, 1, 1, 1]).levels(64),
        Transform::new(Wavelet::HAAR, [1 << 30, 1 << 29]).axes([1]),
    ] {
        transform.check().unwrap();
    }
}

#[test]
fn a_refused_shape_has_no_samples() {
    for (transform, _) in impossible() {
        let refused_shape = Transform::new(Wavelet::HAAR, transform.shape()).check();
        if refused_shape.is_err() {
            assert_eq!(transform.len(), 0, "{:?}", transform.shape());
            assert!(transform.is_empty());
        }
    }
}

#[test]
fn what_gives_no_result_does_not_panic_on_impossible_transforms() {
    for (transform, _) in impossible() {
        let named =
            |band: &(u32, Band)| transform.band_norm(SampleType::F32, band.0, band.1).is_ok();
        assert!(
            !transform.bands().iter().any(named),
            "{:?}",
            transform.shape()
        );
    }
}

#[test]
fn neighbours_of_no_signal_do_not_panic() {
    for &boundary in Boundary::ALL {
        for channel in [Channel::Approximation, Channel::Detail] {
            for samples in [0, 1, 2, 3, usize::MAX] {
                for index in [i64::MIN, -1, 0, 1, i64::MAX] {
                    let place = boundary.map(channel, index, samples);
                    assert!(place.is_none_or(|place| place < channel.count(samples)));
                }
            }
        }
    }
}

#[test]
fn the_reference_wants_as_many_samples_as_the_shape() {
    let transform = Transform::new(Wavelet::CDF_5_3, [3, 4]);
    for got in [0, 11, 13, 24] {
        wrong_length(reference::forward(&transform, &vec![0i16; got]), 12, got);
        wrong_length(reference::inverse(&transform, &vec![0f64; got]), 12, got);
        wrong_length(
            Coefficients::from_parts(&transform, vec![0i32; got]),
            12,
            got,
        );
    }
}

#[test]
fn plans_want_as_many_samples_as_the_shape() {
    let transform = Transform::new(Wavelet::CDF_5_3, [3, 4]);
    on_every_device(|engine| {
        for plan in plans::<i16>(engine, &transform) {
            let mut coefficients = Coefficients::zeros(&transform).unwrap();
            for got in [0, 1, 11, 13, 24] {
                let mut samples = vec![0; got];
                wrong_length(plan.forward(&samples), 12, got);
                wrong_length(plan.forward_into(&samples, &mut coefficients), 12, got);
                wrong_length(plan.inverse_into(&coefficients, &mut samples), 12, got);

                let right = engine.zeros(12).unwrap();
                let wrong = engine.zeros(got).unwrap();
                wrong_length(
                    plan.enqueue_forward(&wrong, &mut engine.zeros(12).unwrap()),
                    12,
                    got,
                );
                wrong_length(
                    plan.enqueue_inverse(&wrong, &mut engine.zeros(12).unwrap()),
                    12,
                    got,
                );
                let mut wrong = wrong;
                wrong_length(plan.enqueue_forward(&right, &mut wrong), 12, got);
                wrong_length(plan.enqueue_inverse(&right, &mut wrong), 12, got);
            }
            // It still works.
            assert_eq!(plan.forward(&[7; 12]).unwrap().as_slice()[0], 7);
        }
    });
}

#[test]
fn arrays_want_as_many_samples_as_they_have() {
    on_every_device(|engine| {
        let mut array = engine.upload(&[1f32, 2.0, 3.0]).unwrap();
        for got in [0, 2, 4] {
            let mut samples = vec![9.0; got];
            wrong_length(array.write(&samples), 3, got);
            wrong_length(array.download_into(&mut samples), 3, got);
            assert_eq!(samples, vec![9.0; got]);
            let mut other = engine.zeros(got).unwrap();
            wrong_length(engine.enqueue_copy(&array, &mut other), 3, got);
        }
        assert_eq!(array.download().unwrap(), [1.0, 2.0, 3.0]);
    });
}

#[test]
fn tunings_that_can_not_be_read_are_refused() {
    on_every_device(|engine| {
        let error = says(
            engine.with_tuning("gpu | streamed | f32 | PAIRS=4\ngpu | streamed | f32 | PAIRS"),
            &["gpu | streamed | f32 | PAIRS", "NAME=SIZE"],
        );
        assert!(matches!(error, Error::Tuning { .. }), "{error:?}");
        engine.with_tuning("# nothing\n").unwrap();
    });
}

#[test]
fn arrays_of_another_engine_are_refused() {
    let transform = Transform::new(Wavelet::CDF_5_3, [3, 4]);
    on_every_device(|engine| {
        let other = Engine::new(engine.device()).unwrap();
        let plan = engine.plan::<i32>(&transform).unwrap();
        let (own, strange) = (|| engine.zeros(12).unwrap(), || other.zeros(12).unwrap());
        foreign(plan.enqueue_forward(&strange(), &mut own()), "input");
        foreign(plan.enqueue_forward(&own(), &mut strange()), "output");
        foreign(plan.enqueue_inverse(&strange(), &mut own()), "input");
        foreign(plan.enqueue_inverse(&own(), &mut strange()), "output");
        foreign(engine.enqueue_copy(&strange(), &mut own()), "source");
        foreign(engine.enqueue_copy(&own(), &mut strange()), "destination");
        // Both of them belong together, but not to this plan.
        foreign(plan.enqueue_forward(&strange(), &mut strange()), "input");
    });
}

#[test]
fn coefficients_of_another_transform_are_refused() {
    let transform = Transform::new(Wavelet::CDF_5_3, [6, 4]);
    let steps = Wavelet::CDF_5_3.integer_steps().unwrap().to_vec();
    let others = [
        (
            Transform::new(Wavelet::VC2_LEGALL_5_3, [6, 4]).boundary(Boundary::Symmetric),
            "expected wavelet cdf53, got wavelet vc2-legall53",
        ),
        (
            Transform::new(Wavelet::CDF_5_3, [4, 6]),
            "expected shape [6, 4], got shape [4, 6]",
        ),
        (
            transform.clone().axes([1]).levels(3),
            "expected axes [0, 1], levels 1, got axes [1], levels 3",
        ),
        (
            transform.clone().boundary(Boundary::Zero),
            "expected boundary symmetric, got boundary zero",
        ),
        (
            transform.clone().layout(Layout::Interleaved),
            "expected layout mallat, got layout interleaved",
        ),
        (
            Transform::new(Wavelet::integer("cdf53", &steps[..1], 0).unwrap(), [6, 4]),
            "expected other steps of cdf53, got other steps of cdf53",
        ),
    ];
    on_every_device(|engine| {
        let plan = engine.plan::<i16>(&transform).unwrap();
        for (other, difference) in &others {
            let mut coefficients = Coefficients::zeros(other).unwrap();
            let words = [format!("coefficients: {difference}")];
            let words = [words[0].as_str()];
            wrong_shape(plan.inverse(&coefficients), &words);
            wrong_shape(plan.inverse_into(&coefficients, &mut [0; 24]), &words);
            wrong_shape(plan.forward_into(&[0; 24], &mut coefficients), &words);
        }
    });
}

#[test]
fn the_order_in_which_axes_are_listed_makes_no_other_transform() {
    let listed = |axes: [usize; 2]| Transform::new(Wavelet::CDF_5_3, [6, 4]).axes(axes);
    let coefficients = Coefficients::zeros(&listed([1, 0])).unwrap();
    on_every_device(|engine| {
        let plan = engine.plan::<i16>(&listed([0, 1])).unwrap();
        assert_eq!(plan.inverse(&coefficients), Ok(vec![0; 24]));
    });
}

#[test]
fn wavelets_without_steps_for_a_sample_type_are_refused() {
    for wavelet in Wavelet::ALL {
        let transform = Transform::new(wavelet.clone(), [8]);
        let name = wavelet.name();
        if wavelet.integer_steps().is_none() {
            let words = [name, "i16", "f32 or f64"];
            unsupported(reference::forward(&transform, &[0i16; 8]), &words);
            unsupported(reference::inverse(&transform, &[0i16; 8]), &words);
            unsupported(transform.band_norm(SampleType::I16, 1, Band::H), &words);
            on_every_device(|engine| unsupported(engine.plan::<i16>(&transform), &words));
        }
        if wavelet.real_steps().is_none() {
            let words = [name, "f64", "i16 or i32"];
            unsupported(reference::forward(&transform, &[0f64; 8]), &words);
            unsupported(reference::inverse(&transform, &[0f64; 8]), &words);
            unsupported(transform.band_norm(SampleType::F64, 1, Band::H), &words);
            on_every_device(|engine| {
                unsupported(engine.plan::<f64>(&transform), &words);
                for &strategy in Strategy::ALL {
                    unsupported(engine.plan_with::<f64>(&transform, strategy), &words);
                }
            });
        }
    }
}

#[test]
fn doubles_are_refused_by_devices_without() {
    let transform = Transform::new(Wavelet::CDF_9_7, [8]);
    on_every_device(|engine| {
        let plan = engine.plan::<f64>(&transform);
        if engine.device().info().fp64 {
            assert!(plan.is_ok());
        } else {
            unsupported(
                plan,
                &["f64", "double precision", &engine.device().info().name],
            );
        }
    });
}

/// An error of memory, refused within a moment: nothing was allocated, built or enqueued.
#[track_caller]
fn too_large<T: Debug>(engine: &Engine, call: impl FnOnce() -> Result<T>) -> (u64, u64) {
    let start = Instant::now();
    let error = says(call(), &["bytes", &engine.device().info().name]);
    let Error::Memory { needed, limit, .. } = error else {
        panic!("{error:?}")
    };
    assert!(needed > limit, "{error}");
    let limits = [
        engine.device().info().max_allocation,
        engine.device().info().global_memory,
    ];
    assert!(limits.contains(&limit), "{error}");
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    (needed, limit)
}

#[test]
fn what_does_not_fit_the_device_is_refused_at_once() {
    on_every_device(|engine| {
        let transform = Transform::new(Wavelet::CDF_9_7, [1 << 22, 1 << 20]);
        for levels in [0, 1, 5, 64] {
            let transform = transform.clone().levels(levels);
            for strategy in [Strategy::SEPARABLE, Strategy::Stepwise] {
                let plan = || engine.plan_with::<f32>(&transform, strategy);
                assert!(too_large(engine, plan).0 >= 1 << 44);
            }
        }

        let info = engine.device().info();
        let len = (info.max_allocation / 4 + 1) as usize;
        let (needed, limit) = too_large(engine, || engine.zeros::<f32>(len));
        assert_eq!((needed, limit), (4 * len as u64, info.max_allocation));
        too_large(engine, || engine.zeros::<f64>(usize::MAX));
        too_large(engine, || engine.zeros::<i16>(usize::MAX / 2));
    });
}

#[test]
fn two_arrays_and_scratch_have_to_fit_together() {
    on_every_device(|engine| {
        let device = engine.device();
        let info = device.info();
        let largest = |info: &DeviceInfo| (info.max_allocation / 4).min(MAX_LENGTH as u64);
        let len = largest(info);
        // Input, output and scratch, each as large as one array may be.
        let is_little = |info: &DeviceInfo| 3 * 4 * largest(info) > info.global_memory;
        if !can_run(
            "the refusal of three arrays each of which fits",
            device,
            "little-memory",
            is_little,
        ) {
            return;
        }
        let transform = Transform::new(Wavelet::CDF_9_7, [len as usize / 4, 4]);
        let plan = || engine.plan_with::<f32>(&transform, Strategy::Stepwise);
        let (needed, limit) = too_large(engine, plan);
        assert_eq!(limit, info.global_memory);
        assert!(needed >= 3 * 4 * (len - 3));
    });
}

#[test]
fn bands_that_are_not_there_are_refused() {
    let transform = Transform::new(Wavelet::CDF_5_3, [9, 7]).levels(3);
    let three: Band = "HLL".parse().unwrap();
    for (level, band, words) in [
        (0, Band::HL, ["HL of level 0", "1 to 3"]),
        (4, Band::HH, ["HH of level 4", "1 to 3"]),
        (u32::MAX, Band::LH, ["LH of level", "1 to 3"]),
        (1, Band::LL, ["LL of level 1", "level 3"]),
        (4, Band::LL, ["LL of level 4", "level 3"]),
        (1, Band::H, ["H of level 1", "2 letters"]),
        (3, Band::L, ["L of level 3", "2 letters"]),
        (1, three, ["HLL of level 1", "2 letters"]),
    ] {
        let mut coefficients = Coefficients::<i32>::zeros(&transform).unwrap();
        wrong_shape(coefficients.band(level, band), &words);
        wrong_shape(coefficients.band_mut(level, band), &words);
        wrong_shape(transform.band_norm(SampleType::I32, level, band), &words);
    }
}

#[test]
fn bands_want_as_many_values_as_they_have_and_no_index_outside() {
    let transform = Transform::new(Wavelet::CDF_5_3, [9, 7]);
    let mut coefficients = Coefficients::<i32>::zeros(&transform).unwrap();
    let mut band = coefficients.band_mut(1, Band::HL).unwrap();
    for got in [0, 14, 16] {
        wrong_length(band.copy_from_slice(&vec![1; got]), 15, got);
    }
    for index in [
        &[5, 0][..],
        &[0, 3],
        &[usize::MAX, usize::MAX],
        &[0],
        &[0, 0, 0],
        &[],
    ] {
        assert_eq!(band.get(index), None, "{index:?}");
        assert_eq!(band.get_mut(index), None, "{index:?}");
    }
    assert!(coefficients.as_slice().iter().all(|&v| v == 0));
}

#[track_caller]
fn unknown<T: FromStr<Err = Error> + Debug>(kind: &str, known: &[impl Display], bad: &[&str]) {
    for word in bad {
        let error = says(word.parse::<T>(), &[kind, &format!("`{word}`")]);
        assert!(matches!(error, Error::Unknown { .. }), "{error:?}");
        for name in known {
            says::<T>(Err(error.clone()), &[&name.to_string()]);
        }
    }
}

#[test]
fn unknown_words_are_refused_with_the_known_ones() {
    let bad = [
        "",
        " ",
        "no-such-word",
        "CDF97",
        "cdf97 ",
        "é",
        "symmetric\0",
    ];
    unknown::<Wavelet>("wavelet", Wavelet::ALL, &bad);
    unknown::<Boundary>("boundary", Boundary::ALL, &bad);
    unknown::<Layout>("layout", Layout::ALL, &bad);
    unknown::<Strategy>("strategy", Strategy::ALL, &bad);
    unknown::<SampleType>("sample type", SampleType::ALL, &bad);
    unknown::<DeviceKind>("device kind", DeviceKind::ALL, &bad);
    unknown::<Band>(
        "band",
        &["L", "H", "4"],
        &["", "hl", "HL ", "LLLLL", "HX", "ĤL"],
    );
    let devices = [
        ":", "a:", ":a", "1", "1:2:3", "0:cpu", "cpu:0", " : ", "nvidia:1",
    ];
    let known = ["nvidia", "pocl:cpu", "100", "0:1"];
    unknown::<DeviceSelector>("device", &known, &devices);
}

#[test]
fn names_are_padded_as_asked() {
    assert_eq!(format!("{:>9}|", Wavelet::CDF_9_7), "    cdf97|");
    assert_eq!(format!("{:10}|", Boundary::Clamp), "clamp     |");
    assert_eq!(format!("{:>8}|", Layout::Mallat), "  mallat|");
    assert_eq!(format!("{:10}|", Strategy::Stepwise), "stepwise  |");
    assert_eq!(format!("{:>5}|", SampleType::F32), "  f32|");
    assert_eq!(format!("{:>5}|", DeviceKind::Gpu), "  gpu|");
    assert_eq!(format!("{:4}|", Band::HL), "HL  |");
}

#[test]
fn bad_wavelets_are_refused_with_their_names_and_the_reason() {
    let real = |taps: &[f64], scale: f64| {
        let step = RealStep::new(Channel::Detail, 0, taps);
        let scale = Scale {
            approximation: scale,
            detail: 1.0,
        };
        Wavelet::real("mine", &[step], scale)
    };
    let integer = |first, taps: &[i32], shift| {
        let step = IntegerStep::add(Channel::Detail, first, taps, 0, shift);
        Wavelet::integer("mine", &[step], 0)
    };
    let reaching = |first| {
        let step = IntegerStep::add(Channel::Detail, first, &[1], 0, 0);
        Wavelet::integer("mine", &[step; 11], 0)
    };
    let good = IntegerStep::add(Channel::Detail, 0, &[1], 0, 0);
    for (refused, words) in [
        (real(&[], 1.0), ["`mine`", "0 taps"]),
        (real(&[0.1; 9], 1.0), ["`mine`", "9 taps"]),
        (real(&[f64::INFINITY], 1.0), ["`mine`", "inf"]),
        (real(&[-1e39], 1.0), ["`mine`", "f32"]),
        (real(&[1.0], 0.0), ["`mine`", "scale 0"]),
        (real(&[1.0], f64::NAN), ["`mine`", "NaN"]),
        (real(&[1.0], 1e-39), ["`mine`", "scale"]),
        (real(&[1.0], 1e39), ["`mine`", "scale"]),
        (real(&[1.0], 1e20), ["`mine`", "of two"]),
        (real(&[1.0], 1e-20), ["`mine`", "of two"]),
        (integer(0, &[], 0), ["`mine`", "0 taps"]),
        (integer(0, &[1; 9], 0), ["`mine`", "9 taps"]),
        (integer(0, &[1], 32), ["`mine`", "32 bits"]),
        (integer(0, &[1], u32::MAX), ["`mine`", "bits"]),
        (integer(33, &[1], 0), ["`mine`", "33 ahead"]),
        (integer(-33, &[1], 0), ["`mine`", "33 pairs back"]),
        (integer(i32::MIN, &[1; 8], 0), ["`mine`", "pairs back"]),
        (integer(i32::MAX, &[1; 8], 0), ["`mine`", "ahead"]),
        (reaching(3), ["`mine`", "33 ahead"]),
        (reaching(-3), ["`mine`", "33 pairs back"]),
        (Wavelet::integer("mine", &[], 0), ["`mine`", "no steps"]),
        (
            Wavelet::integer("mine", &[good], 9),
            ["`mine`", "pre-shift 9"],
        ),
        (Wavelet::integer("", &[good], 0), ["``", "name"]),
        (
            Wavelet::integer("Mine", &[good], 0),
            ["`Mine`", "lower-case"],
        ),
        (Wavelet::integer("a b", &[good], 0), ["`a b`", "name"]),
        (Wavelet::integer("ünde", &[good], 0), ["`ünde`", "name"]),
        (
            Wavelet::integer("abcdefghijklmnopqrstuvwxy", &[good], 0),
            ["name", "24"],
        ),
        (
            Wavelet::HAAR.with_integer_steps(&[], 0),
            ["`haar`", "no steps"],
        ),
    ] {
        let error = says(refused, &words);
        assert!(matches!(error, Error::Wavelet { .. }), "{error:?}");
    }
    // At the limits there is nothing to refuse.
    Wavelet::integer("abcdefghijklmnopqrstuv-_", &[good; 8], 8).unwrap();
    integer(16, &[1], 31).unwrap();
    integer(-16, &[1; 8], 0).unwrap();
    reaching(2).unwrap();
}

#[test]
fn more_than_the_host_has_is_refused() {
    let huge = Transform::new(Wavelet::CDF_5_3, [MAX_LENGTH, 1 << 17]);
    huge.check().unwrap();
    let error = says(Coefficients::<f64>::zeros(&huge), &["bytes", "host"]);
    assert!(matches!(error, Error::HostMemory { .. }), "{error:?}");
}

#[test]
fn exchange_that_a_device_lacks_is_refused() {
    on_every_device(|engine| {
        let device = engine.device();
        for &exchange in Exchange::ALL {
            for lanes in [0, usize::MAX] {
                // SAFETY: no device has sub-groups of these sizes, so there is none to use.
                let refused = unsafe { device.with_exchange(exchange, lanes) };
                says(refused, &[exchange.name(), &device.info().name]);
            }
        }
        let info = device.without_exchange().info().clone();
        assert_eq!((info.exchange, info.lanes), (Exchange::None, 1));
        // SAFETY: none is always right.
        let same = unsafe { device.with_exchange(Exchange::None, 1) }.unwrap();
        assert_eq!(*same.info(), info);
    });
}
