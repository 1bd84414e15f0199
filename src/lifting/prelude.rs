//! The only OpenCL C that Rust writes: macros that specialise the kernels for one wavelet, sample
//! type and direction. cl/core/wavelet.cl lists them.

use crate::lifting::filters::filters;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::wavelet::SampleType;
use crate::wavelet::{Channel, Direction, IntegerStep, RealStep, Scale, Stencil, Wavelet};
use std::fmt::Write;

/// The stencils of the steps in the order in which they run.
pub(crate) fn stencils(
    wavelet: &Wavelet,
    sample: SampleType,
    direction: Direction,
) -> Vec<Stencil> {
    let mut stencils = sample
        .stencils(wavelet)
        .expect("the wavelet serves the sample type");
    if direction == Direction::Inverse {
        stencils.reverse();
    }
    stencils
}

/// The macros that specialise every kernel for a wavelet, a sample type and a direction.
#[derive(Default)]
struct Prelude {
    text: String,
}

impl Prelude {
    fn define(&mut self, name: &str, value: impl std::fmt::Display) {
        writeln!(self.text, "#define {name} {value}").expect("writing to a String");
    }

    fn types(&mut self, sample: SampleType, direction: Direction) {
        let (global, local, register) = match sample {
            SampleType::I16 => ("short", "short", "int"),
            SampleType::I32 => ("int", "int", "int"),
            SampleType::F16 | SampleType::Rounded => ("short", "float", "float"),
            SampleType::F32 => ("float", "float", "float"),
            SampleType::F64 => ("double", "double", "double"),
        };
        self.define("T", global);
        self.define("L", local);
        self.define("A", register);
        self.define("INTEGER", u8::from(sample.is_integer()));
        self.define("SHORT", u8::from(sample.size() == 2));
        self.define("HALF", u8::from(sample == SampleType::F16));
        self.define("ROUNDED", u8::from(sample == SampleType::Rounded));
        self.define("DOUBLE", u8::from(sample == SampleType::F64));
        self.define("FORWARD", u8::from(direction == Direction::Forward));
    }

    /// The factors of one axis, and of two at once, rounded once: often the two cancel.
    fn scaling(&mut self, wavelet: &Wavelet, sample: SampleType, direction: Direction) {
        let scale = match sample.is_integer() {
            true => Scale::NONE,
            false => wavelet.scale(),
        };
        let (s, d) = (scale.approximation, scale.detail);
        for (name, factor) in [
            ("s", s),
            ("d", d),
            ("ss", s * s),
            ("sd", s * d),
            ("dd", d * d),
        ] {
            let (load, store) = match direction {
                Direction::Forward => (1.0, factor),
                Direction::Inverse => (1.0 / factor, 1.0),
            };
            let number = |value| match sample.is_integer() {
                true => "1".to_owned(),
                false => real(value, sample),
            };
            self.define(&format!("IN_{name}"), number(load));
            self.define(&format!("OUT_{name}"), number(store));
        }
    }

    fn steps(&mut self, wavelet: &Wavelet, sample: SampleType, direction: Direction) {
        let operator = match direction {
            Direction::Forward => '+',
            Direction::Inverse => '-',
        };
        let integers = wavelet.integer_steps().unwrap_or_default().iter();
        let reals = wavelet.real_steps().unwrap_or_default().iter();
        let mut lifts: Vec<String> = match sample.is_integer() {
            true => integers
                .map(|step| integer_lift(step, operator, sample))
                .collect(),
            false => reals
                .map(|step| real_lift(step, operator, sample))
                .collect(),
        };
        if direction == Direction::Inverse {
            lifts.reverse();
        }
        for (k, lift) in lifts.into_iter().enumerate() {
            self.define(&format!("LIFT_{k}(v, at)"), lift);
        }
    }

    /// The taps that a result has on all that it depends on, for kernels that do not lift.
    fn filters(&mut self, wavelet: &Wavelet, sample: SampleType, direction: Direction) {
        let both = filters(wavelet, direction).filter(|_| !sample.is_integer());
        let name = |channel| match channel {
            Channel::Approximation => "s",
            Channel::Detail => "d",
        };
        for (taps, result) in both.iter().flatten().zip(["s", "d"]) {
            let taps = taps.iter().map(|tap| {
                let factor = real(tap.factor, sample);
                format!("TAP({}, {}, {factor})", name(tap.channel), tap.offset)
            });
            let taps = taps.collect::<Vec<_>>().join(" ");
            self.define(&format!("FILTER_{result}(TAP)"), taps);
        }
    }

    fn schedule(&mut self, stencils: &[Stencil]) {
        let (reach, lags) = (Reach::new(stencils), Lags::new(stencils));
        self.define("REACH_LO", reach.before);
        self.define("REACH_HI", reach.after);
        for (k, lag) in lags.steps.iter().enumerate() {
            self.define(&format!("LAG_{k}"), lag);
        }
        self.define("LAST_LAG", lags.last);
        self.define("KEPT", lags.kept);
        let steps = stencils.iter().zip(&reach.steps).enumerate();
        let steps = steps.map(|(k, (stencil, (before, after)))| {
            let (target, source) = match stencil.target {
                Channel::Approximation => ("s", "d"),
                Channel::Detail => ("d", "s"),
            };
            let (first, last) = (stencil.first, stencil.last());
            format!("STEP({k}, {target}, {source}, {first}, {last}, {before}, {after})")
        });
        self.define("LIFT_STEPS(STEP)", steps.collect::<Vec<_>>().join(" "));
    }
}

/// The prelude for `wavelet`, which must have steps for `sample`; cl/core/wavelet.cl
/// says what each macro means.
pub(crate) fn prelude(wavelet: &Wavelet, sample: SampleType, direction: Direction) -> String {
    let mut prelude = Prelude::default();
    prelude.types(sample, direction);
    prelude.scaling(wavelet, sample, direction);
    prelude.steps(wavelet, sample, direction);
    prelude.filters(wavelet, sample, direction);
    prelude.schedule(&stencils(wavelet, sample, direction));
    prelude.text
}

fn real(value: f64, sample: SampleType) -> String {
    match sample {
        SampleType::F64 => format!("({value:e})"),
        _ => format!("({:e}f)", value as f32),
    }
}

fn real_lift(step: &RealStep, operator: char, sample: SampleType) -> String {
    let (taps, first) = (step.taps(), step.stencil().first);
    let at = |i: usize| format!("at({})", first + i as i32);
    let term = |i: usize, neighbours: String| format!("{} * {neighbours}", real(taps[i], sample));
    // Term by term from v on, so that each can be one fused multiply-add.
    let terms = grouped(taps, at, term);
    let sum = |sum, term| format!("({sum} {operator} {term})");
    terms.into_iter().fold("(v)".to_owned(), sum)
}

/// The terms of a sum. Neighbours of the same factor first make one sum: as many operations or
/// fewer, and the same result backwards.
fn grouped<T: PartialEq>(
    taps: &[T],
    at: impl Fn(usize) -> String,
    term: impl Fn(usize, String) -> String,
) -> Vec<String> {
    let count = taps.len();
    if taps.iter().eq(taps.iter().rev()) {
        let pairs = (0..count / 2).map(|i| term(i, format!("({} + {})", at(i), at(count - 1 - i))));
        let middle = (count % 2 == 1).then(|| term(count / 2, at(count / 2)));
        pairs.chain(middle).collect()
    } else {
        (0..count).map(|i| term(i, at(i))).collect()
    }
}

/// Sums are taken in `uint`: signed overflow is undefined in C.
fn integer_lift(step: &IntegerStep, operator: char, sample: SampleType) -> String {
    let (shift, mut bias, mut sign) = (step.shift(), step.bias(), 1);
    let mut operator = operator;
    if operator == '-' && stays_within_32_bits(step, sample) {
        // -((t + bias) >> k) = (-t - bias + 2^k - 1) >> k: GPUs shift and add at once.
        (bias, sign, operator) = (-bias + (1 << shift) - 1, -1, '+');
    }
    let (taps, first) = (step.taps(), step.stencil().first);
    let at = |i: usize| format!("UNSIGNED(at({}))", first + i as i32);
    let term =
        |i: usize, neighbours: String| format!("{}u * {neighbours}", (sign * taps[i]) as u32);
    // Where nothing is multiplied there is nothing to gain, and PoCL's vectors of 16 bits lose 5 %.
    let terms = if taps.iter().all(|tap| tap.unsigned_abs() == 1) {
        (0..taps.len()).map(|i| term(i, at(i))).collect()
    } else {
        grouped(taps, at, term)
    };
    let bias = format!("{}u", bias as u32);
    format!(
        "REDUCE(UNSIGNED(v) {operator} UNSIGNED(SIGNED({} + {bias}) >> {shift}))",
        terms.join(" + ")
    )
}

/// Whether no sum of a step wraps, whatever the samples, nor its negative.
fn stays_within_32_bits(step: &IntegerStep, sample: SampleType) -> bool {
    let taps: i64 = step.taps().iter().map(|&tap| i64::from(tap).abs()).sum();
    let most = taps * (1 << 15) + i64::from(step.bias()).abs() + (1 << step.shift());
    sample == SampleType::I16 && most <= i64::from(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_9_7_prelude_reads_like_the_table() {
        let text = prelude(&Wavelet::CDF_9_7, SampleType::F32, Direction::Forward);
        for line in [
            "#define T float",
            "#define FORWARD 1",
            "#define IN_s (1e0f)",
            "#define OUT_d (1.2301741e0f)",
            "#define LIFT_0(v, at) ((v) + (-1.5861343e0f) * (at(0) + at(1)))",
            "#define REACH_LO 2",
            "#define LIFT_STEPS(STEP) STEP(0, d, s, 0, 1, 2, 1) STEP(1, s, d, -1, 0, 1, 1) \
             STEP(2, d, s, 0, 1, 1, 0) STEP(3, s, d, -1, 0, 0, 0)",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\nnot in\n{text}");
        }
    }

    #[test]
    fn the_inverse_subtracts_in_reverse_order_and_keeps_the_taps() {
        let text = prelude(&Wavelet::CDF_5_3, SampleType::I32, Direction::Inverse);
        for line in [
            "#define LIFT_0(v, at) REDUCE(UNSIGNED(v) - UNSIGNED(SIGNED(1u * UNSIGNED(at(-1)) + 1u * UNSIGNED(at(0)) + 2u) >> 2))",
            "#define LIFT_STEPS(STEP) STEP(0, s, d, -1, 0, 0, 1) STEP(1, d, s, 0, 1, 0, 0)",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\nnot in\n{text}");
        }
        assert!(text.contains("#define FORWARD 0\n") && text.contains("#define IN_s 1\n"));
    }

    #[test]
    fn reals_have_the_taps_of_their_filters() {
        let text = prelude(&Wavelet::CDF_5_3, SampleType::F32, Direction::Forward);
        for line in [
            "#define FILTER_s(TAP) TAP(s, -1, (-1.25e-1f)) TAP(s, 0, (7.5e-1f)) TAP(s, 1, (-1.25e-1f)) \
             TAP(d, -1, (2.5e-1f)) TAP(d, 0, (2.5e-1f))",
            "#define FILTER_d(TAP) TAP(s, 0, (-5e-1f)) TAP(s, 1, (-5e-1f)) TAP(d, 0, (1e0f))",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\nnot in\n{text}");
        }
        let text = prelude(&Wavelet::CDF_5_3, SampleType::I32, Direction::Forward);
        assert!(!text.contains("FILTER"));
    }

    #[test]
    fn equal_taps_are_multiplied_once() {
        let text = prelude(&Wavelet::VC2_DD_9_7, SampleType::I32, Direction::Forward);
        let line = "#define LIFT_0(v, at) REDUCE(UNSIGNED(v) + UNSIGNED(SIGNED(1u * (UNSIGNED(at(-1)) + UNSIGNED(at(2))) + 4294967287u * (UNSIGNED(at(0)) + UNSIGNED(at(1))) + 7u) >> 4))";
        assert!(text.lines().any(|l| l == line), "{line}\nnot in\n{text}");
    }

    #[test]
    fn sixteen_bits_are_subtracted_by_adding() {
        let text = prelude(&Wavelet::CDF_5_3, SampleType::I16, Direction::Inverse);
        // -((a + b + 2) >> 2) = (-a - b + 1) >> 2
        let line = "#define LIFT_0(v, at) REDUCE(UNSIGNED(v) + UNSIGNED(SIGNED(4294967295u * UNSIGNED(at(-1)) + 4294967295u * UNSIGNED(at(0)) + 1u) >> 2))";
        assert!(text.lines().any(|l| l == line), "{line}\nnot in\n{text}");
        for (a, b) in [(i16::MIN, i16::MIN), (i16::MAX, i16::MAX), (-7, 3), (5, 0)] {
            let sum = i32::from(a) + i32::from(b);
            assert_eq!(-((sum + 2) >> 2), (-sum + 1) >> 2);
        }
    }
}
