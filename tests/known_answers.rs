//! The reference and two strategies against numbers from outside; tests/data/README.md says whence.
//!
//! The reference and the kernels are made from one table of wavelets, so only this proves the
//! table. The other strategies are compared with the reference in tests/strategies.

mod common;

use common::{RandomSample, computes, devices, refer, relative_error, run, to_f64};
use serde_json::Value;
use wavelift::{
    AxisOrder, Boundary, Direction, Engine, Layout, SampleType, Strategy, Transform, Wavelet,
    reference,
};

const PYWAVELETS: &str = include_str!("data/pywavelets.jsonl");
const JPEG_2000: &str = include_str!("data/jpeg2000.jsonl");
const VC_2: &str = include_str!("data/vc2.jsonl");
const CCSDS_122: &str = include_str!("data/ccsds122.jsonl");
const OPENJPEG: &str = include_str!("data/openjpeg.jsonl");
const ENVISS: &str = include_str!("data/enviss.jsonl");
const FILTERS: &str = include_str!("data/filters.jsonl");

/// Those that take every transform.
const STRATEGIES: [Strategy; 2] = [Strategy::SEPARABLE, Strategy::Stepwise];

/// How far from the answer a result may be, relative to the answer's largest value. The taps that
/// the sources print agree to about twelve digits.
fn allowed<T: RandomSample>() -> f64 {
    match T::TYPE {
        SampleType::F64 => 1e-11,
        _ => T::BOUND,
    }
}

/// A transform, an input, and the output it must give.
struct Answer<T> {
    transform: Transform,
    input: Vec<T>,
    output: Vec<T>,
}

impl<T: RandomSample> Answer<T> {
    /// Both directions, as computed by `compute`.
    fn check(&self, by: &str, compute: impl Fn(Direction, &[T]) -> Vec<T>) {
        for (direction, from, to) in [
            (Direction::Forward, &self.input, &self.output),
            (Direction::Inverse, &self.output, &self.input),
        ] {
            let got = compute(direction, from);
            let error = relative_error(&got, &to_f64(to));
            assert!(
                error <= allowed::<T>(),
                "{direction:?} {:?} on {} samples by {by}: error {error:e}\n{got:?}\n{to:?}",
                self.transform,
                T::TYPE
            );
        }
    }

    fn check_reference(&self) {
        self.check("the reference", |direction, input| {
            refer(&self.transform, direction, input).unwrap()
        });
    }

    fn check_strategies(&self, engines: &[Engine]) {
        for engine in engines {
            if !computes("a known answer in f64", engine.device(), T::TYPE) {
                continue;
            }
            for strategy in STRATEGIES {
                let plan = engine.plan_with(&self.transform, strategy).unwrap();
                self.check(strategy.name(), |direction, input| {
                    run(engine, &plan, direction, input)
                });
            }
        }
    }

    fn check_all(&self, engines: &[Engine]) {
        self.check_reference();
        self.check_strategies(engines);
    }
}

fn engines() -> Vec<Engine> {
    devices().iter().map(|d| Engine::new(d).unwrap()).collect()
}

/// A line of a file of known answers.
struct Case {
    transform: Transform,
    sample: SampleType,
    input: Value,
    output: Value,
}

impl Case {
    fn parse(line: &str) -> Self {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| value[key].as_str().unwrap();
        let list = |key: &str| -> Vec<usize> {
            let numbers = value[key].as_array().unwrap().iter();
            numbers.map(|n| n.as_u64().unwrap() as usize).collect()
        };
        let wavelet: Wavelet = text("wavelet").parse().unwrap();
        let boundary: Boundary = text("boundary").parse().unwrap();
        let levels = value["levels"].as_u64().unwrap() as u32;
        Case {
            transform: Transform::new(wavelet, list("shape"))
                .axes(list("axes"))
                .levels(levels)
                .boundary(boundary),
            sample: text("sample").parse().unwrap(),
            input: value["input"].clone(),
            output: value["output"].clone(),
        }
    }

    fn answer<T>(&self, read: impl Fn(&Value) -> T) -> Answer<T> {
        let list = |values: &Value| -> Vec<T> {
            let values: Vec<T> = values.as_array().unwrap().iter().map(&read).collect();
            assert_eq!(values.len(), self.transform.len());
            values
        };
        Answer {
            transform: self.transform.clone(),
            input: list(&self.input),
            output: list(&self.output),
        }
    }

    fn i16(&self) -> Answer<i16> {
        self.answer(|v| v.as_i64().unwrap().try_into().unwrap())
    }

    fn i32(&self) -> Answer<i32> {
        self.answer(|v| v.as_i64().unwrap().try_into().unwrap())
    }

    fn f32(&self) -> Answer<f32> {
        self.answer(|v| v.as_f64().unwrap() as f32)
    }

    fn f64(&self) -> Answer<f64> {
        self.answer(|v| v.as_f64().unwrap())
    }
}

fn cases(file: &str, count: usize) -> Vec<Case> {
    let cases: Vec<Case> = file.lines().map(Case::parse).collect();
    assert_eq!(cases.len(), count, "a file of known answers is cut short");
    cases
}

fn check_reference(cases: &[Case]) {
    for case in cases {
        match case.sample {
            SampleType::I16 => case.i16().check_reference(),
            SampleType::I32 => case.i32().check_reference(),
            SampleType::F32 => case.f32().check_reference(),
            SampleType::F64 => {
                case.f64().check_reference();
                // Single precision must come as near as it can.
                case.f32().check_reference();
            }
            other => panic!("no known answers for {other}"),
        }
    }
}

fn check_strategies(cases: &[Case]) {
    let engines = engines();
    for case in cases {
        match case.sample {
            SampleType::I16 => case.i16().check_strategies(&engines),
            SampleType::I32 => case.i32().check_strategies(&engines),
            SampleType::F32 => case.f32().check_strategies(&engines),
            SampleType::F64 => case.f64().check_strategies(&engines),
            other => panic!("no known answers for {other}"),
        }
    }
}

macro_rules! files {
    ($($name:ident: $file:ident, $count:literal;)*) => {
        mod the_reference_gives {
            use super::*;
            $(#[test] fn $name() { check_reference(&cases($file, $count)) })*
        }
        mod strategies_give {
            use super::*;
            $(#[test] fn $name() { check_strategies(&cases($file, $count)) })*
        }
        #[test]
        fn every_wavelet_has_known_answers() {
            let all: Vec<Case> = [$(cases($file, $count)),*].into_iter().flatten().collect();
            for wavelet in Wavelet::ALL {
                let of = |levels: u32| {
                    let transforms = all.iter().map(|case| &case.transform);
                    transforms.filter(|t| t.wavelet() == wavelet && t.level_count() >= levels).count()
                };
                assert!(of(1) >= 13 && of(2) >= 8, "{wavelet}: {} {}", of(1), of(2));
            }
        }
    };
}

files! {
    pywavelets: PYWAVELETS, 110;
    jpeg_2000: JPEG_2000, 61;
    vc_2: VC_2, 140;
    ccsds_122: CCSDS_122, 15;
    openjpeg: OPENJPEG, 12;
    enviss: ENVISS, 3;
}

/// What a coefficient is the sum of: `taps` times the samples from `first` places from its own on.
struct Filter {
    first: i64,
    taps: Vec<f64>,
}

impl Filter {
    fn parse(value: &Value) -> Self {
        let taps = value["taps"].as_array().unwrap().iter();
        Filter {
            first: value["first"].as_i64().unwrap(),
            taps: taps.map(|tap| tap.as_f64().unwrap()).collect(),
        }
    }

    fn at(&self, offset: i64) -> f64 {
        let tap = usize::try_from(offset - self.first);
        let tap = tap.ok().and_then(|tap| self.taps.get(tap));
        tap.copied().unwrap_or(0.0)
    }
}

/// Impulses in the middle of lines, and what becomes of them. Interleaved, a coefficient
/// stands where its sample was.
fn impulses(wavelet: Wavelet, low: &Filter, high: &Filter) -> Answer<f64> {
    let (places, len) = (40..60, 100);
    let transform = Transform::new(wavelet, [places.len(), len])
        .axes([1])
        .layout(Layout::Interleaved);
    let mut input = vec![0.0; transform.len()];
    let mut output = Vec::new();
    for (line, impulse) in places.enumerate() {
        input[line * len + impulse] = 1.0;
        output.extend((0..len).map(|place| {
            let filter = if place % 2 == 0 { low } else { high };
            filter.at(impulse as i64 - place as i64)
        }));
    }
    Answer {
        transform,
        input,
        output,
    }
}

#[test]
fn impulse_responses_are_the_published_filters() {
    let engines = engines();
    let mut filters = 0;
    for line in FILTERS.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let wavelet = line["wavelet"].as_str().unwrap().parse().unwrap();
        let [low, high] = [&line["low"], &line["high"]].map(Filter::parse);
        impulses(wavelet, &low, &high).check_all(&engines);
        filters += 1;
    }
    assert_eq!(filters, 8);
}

/// Answers small enough to follow with a pencil.
fn by_hand<T: RandomSample>(transform: Transform, input: &[T], output: &[T]) {
    let answer = Answer {
        transform,
        input: input.to_vec(),
        output: output.to_vec(),
    };
    answer.check_all(&engines());
}

#[test]
fn five_samples_by_hand() {
    // Details 2 - (1 + 3) / 2 and 4 - (3 + 9) / 2; with them 1 + 2 / 4, 3 + 0 / 4,
    // 9 + -2 / 4, rounded down.
    let transform = Transform::new(Wavelet::CDF_5_3, [5]);
    by_hand(transform.clone(), &[1i32, 2, 3, 4, 9], &[1, 3, 8, 0, -2]);
    by_hand(transform.clone(), &[1i16, 2, 3, 4, 9], &[1, 3, 8, 0, -2]);
    let exact = [1.0, 2.5, 8.0, 0.0, -2.0];
    by_hand(
        transform.clone(),
        &[1f32, 2.0, 3.0, 4.0, 9.0],
        &exact.map(|v| v as f32),
    );
    by_hand(transform, &[1f64, 2.0, 3.0, 4.0, 9.0], &exact);
}

#[test]
fn the_second_level_works_on_the_approximations_of_the_first() {
    let two = Transform::new(Wavelet::CDF_5_3, [5]).levels(2);
    by_hand(two.clone(), &[1i32, 2, 3, 4, 9], &[1, 8, -1, 0, -2]);
    let woven = two.layout(Layout::Interleaved);
    by_hand(woven, &[1i32, 2, 3, 4, 9], &[1, 0, -1, -2, 8]);
}

#[test]
fn borders_by_hand() {
    for (boundary, output) in [
        (Boundary::Symmetric, [6, 7, 4, -7]),
        (Boundary::Periodic, [4, 8, 4, -5]),
        (Boundary::Clamp, [6, 7, 4, -7]),
        (Boundary::Zero, [5, 8, 4, -3]),
    ] {
        let transform = Transform::new(Wavelet::CDF_5_3, [4]).boundary(boundary);
        by_hand(transform, &[4i32, 10, 8, 1], &output);
    }
}

#[test]
fn four_taps_tell_clamped_from_mirrored_borders() {
    // d[0] = 5 - ((-s[-1] + 9 * 16 + 9 * 32 - s[2] + 8) >> 4), where s[-1] is mirrored s[1] or
    // clamped s[0]; s[0] = 16 - ((-2 d[0] + 2) >> 2).
    for (boundary, output) in [
        (Boundary::Symmetric, [16 - 9, 32 - 12, 5 - 23, 6 - 34]),
        (Boundary::Clamp, [16 - 10, 32 - 12, 5 - 24, 6 - 33]),
    ] {
        let transform = Transform::new(Wavelet::CCSDS_9_7_M, [4]).boundary(boundary);
        by_hand(transform, &[16i32, 5, 32, 6], &output);
    }
}

#[test]
fn the_order_of_axes_shows_in_integers() {
    let columns_first = Transform::new(Wavelet::CDF_5_3, [2, 2]);
    by_hand(columns_first, &[1i32, 2, 4, 8], &[4, 2, 5, 3]);
    let wavelet = Wavelet::CDF_5_3.with_axis_order(AxisOrder::InnermostFirst);
    let rows_first = Transform::new(wavelet, [2, 2]);
    by_hand(rows_first, &[1i32, 2, 4, 8], &[4, 3, 4, 3]);
    let ccsds = Transform::new(Wavelet::CCSDS_9_7_M, [2, 2]);
    by_hand(ccsds, &[1i32, 2, 4, 8], &[3, 2, 5, 3]);
}

#[test]
fn haar_by_hand() {
    let root = std::f64::consts::SQRT_2;
    let transform = Transform::new(Wavelet::HAAR, [4]).levels(2);
    // (1 + 3 + 5 + 9) / 2, (5 + 9 - 1 - 3) / 2, then the differences of
    // neighbours over the root of 2.
    let output = [9.0, 5.0, 2.0 / root, 4.0 / root];
    by_hand(transform, &[1.0, 3.0, 5.0, 9.0], &output);
    by_hand(
        Transform::new(Wavelet::VC2_HAAR_0, [2]),
        &[5i32, 2],
        &[4, -3],
    );
    by_hand(
        Transform::new(Wavelet::VC2_HAAR_1, [2]),
        &[5i32, 2],
        &[7, -6],
    );
}

#[test]
fn a_pre_shift_comes_once_a_level_and_not_once_an_axis() {
    // Doubled to 10 and 6, 4 and 8; rows (8, -4) and (6, 4); columns (7, -2) and (0, 8).
    let transform = Transform::new(Wavelet::VC2_HAAR_1, [2, 2]);
    by_hand(transform, &[5i32, 3, 2, 4], &[7, 0, -2, 8]);
    // The second level has nothing left to do and does not shift either.
    let transform = Transform::new(Wavelet::VC2_HAAR_1, [1, 2]).levels(2);
    by_hand(transform, &[5i32, 2], &[7, -6]);
    by_hand(Transform::new(Wavelet::VC2_HAAR_1, [1]), &[5i32], &[5]);
}

#[test]
fn the_shift_back_rounds() {
    // Undone to (9, 4) and (-10, -5); half of it, rounded: an input that no
    // forward transform gives.
    let transform = Transform::new(Wavelet::VC2_HAAR_1, [2, 2]).axes([1]);
    let (input, expected) = ([7, -5, -7, 5], [5, 2, -5, -2]);
    assert_eq!(reference::inverse(&transform, &input).unwrap(), expected);
    for engine in engines() {
        for strategy in STRATEGIES {
            let plan = engine.plan_with(&transform, strategy).unwrap();
            let got = run(&engine, &plan, Direction::Inverse, &input);
            assert_eq!(got, expected, "{strategy}");
        }
    }
}

#[test]
fn integers_wrap() {
    let transform = Transform::new(Wavelet::CDF_5_3, [2]);
    // The detail -65535 is 1 in 16 bits, and 32767 + 1 is -32768.
    by_hand(transform.clone(), &[i16::MAX, i16::MIN], &[i16::MIN, 1]);
    // The sum -(2^32 - 2) + 1 is 3 in 32 bits, the half of it 1.
    by_hand(transform, &[i32::MAX, 0], &[i32::MIN, 1]);
}
