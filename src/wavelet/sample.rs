//! The sample types and their arithmetic on the CPU.

use super::{Channel, Direction, IntegerStep, RealStep, Stencil, Wavelet};
use crate::error::Error;
use crate::names::named;
use std::fmt;

/// The type of samples and coefficients, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleType {
    /// 16-bit signed integers.
    I16,
    /// 32-bit signed integers.
    I32,
    /// Floating point in single precision.
    F32,
    /// Floating point in double precision, on devices that support it.
    F64,
}

impl SampleType {
    /// All sample types.
    pub const ALL: [SampleType; 4] = [
        SampleType::I16,
        SampleType::I32,
        SampleType::F32,
        SampleType::F64,
    ];

    /// Returns the name of the type in Rust, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            SampleType::I16 => "i16",
            SampleType::I32 => "i32",
            SampleType::F32 => "f32",
            SampleType::F64 => "f64",
        }
    }

    /// Returns the number of bytes per sample.
    pub const fn size(self) -> usize {
        match self {
            SampleType::I16 => 2,
            SampleType::I32 | SampleType::F32 => 4,
            SampleType::F64 => 8,
        }
    }

    /// Whether `wavelet` has steps for this type: integer steps for integers, real steps for floats.
    pub fn is_served_by(self, wavelet: &Wavelet) -> bool {
        self.stencils(wavelet).is_some()
    }

    /// The stencils of the steps that `wavelet` has for this type, in forward order.
    pub(crate) fn stencils(self, wavelet: &Wavelet) -> Option<Vec<Stencil>> {
        if self.is_integer() {
            let steps = wavelet.integer_steps()?;
            Some(steps.iter().map(IntegerStep::stencil).collect())
        } else {
            let steps = wavelet.real_steps()?;
            Some(steps.iter().map(RealStep::stencil).collect())
        }
    }

    pub(crate) const fn is_integer(self) -> bool {
        matches!(self, SampleType::I16 | SampleType::I32)
    }

    pub(crate) fn check(self, wavelet: &Wavelet) -> Result<(), Error> {
        if self.is_served_by(wavelet) {
            return Ok(());
        }
        let (has, wants) = match self.is_integer() {
            true => ("real", "f32 or f64"),
            false => ("integer", "i16 or i32"),
        };
        Err(Error::Unsupported {
            what: format!("wavelet `{wavelet}` on {self} samples"),
            why: format!("it has {has} steps only; use {wants}"),
        })
    }
}

named!(SampleType, "sample type");

/// A type whose arrays can be transformed: `i16`, `i32`, `f32` or `f64`.
pub trait Sample: arithmetic::Arithmetic + bytemuck::Pod + PartialEq + fmt::Debug {
    /// The sample type as a value.
    const TYPE: SampleType;
}

impl Sample for i16 {
    const TYPE: SampleType = SampleType::I16;
}

impl Sample for i32 {
    const TYPE: SampleType = SampleType::I32;
}

impl Sample for f32 {
    const TYPE: SampleType = SampleType::F32;
}

impl Sample for f64 {
    const TYPE: SampleType = SampleType::F64;
}

/// The arithmetic that the reference needs. It is kept out of the public trait [`Sample`], which it also seals.
pub(crate) mod arithmetic {
    use super::*;

    pub trait Arithmetic: Copy + Send + Sync + 'static {
        type Step: Copy;
        const ZERO: Self;

        fn steps(wavelet: &Wavelet) -> Option<&[Self::Step]>;
        fn stencil(step: &Self::Step) -> Stencil;
        /// The value that `step` adds to a sample whose neighbours are `at(0)`, `at(1)` ..., reduced to the
        /// sample's width.
        fn lifting(step: &Self::Step, at: impl Fn(usize) -> Self) -> Self;
        fn plus(self, value: Self) -> Self;
        fn minus(self, value: Self) -> Self;
        /// The sample after scaling, which follows the forward steps and is undone before the inverse steps.
        /// Integers are not scaled.
        fn scaled(self, wavelet: &Wavelet, channel: Channel, direction: Direction) -> Self;
        /// The sample after the pre-shift: to the left before a forward level, back with rounding after an inverse
        /// level. Reals are not shifted.
        fn shifted(self, bits: u32, direction: Direction) -> Self;
    }

    macro_rules! integer {
        ($T:ty) => {
            impl Arithmetic for $T {
                type Step = IntegerStep;
                const ZERO: Self = 0;

                fn steps(wavelet: &Wavelet) -> Option<&[IntegerStep]> {
                    wavelet.integer_steps()
                }

                fn stencil(step: &IntegerStep) -> Stencil {
                    step.stencil()
                }

                fn lifting(step: &IntegerStep, at: impl Fn(usize) -> Self) -> Self {
                    let taps = step.taps().iter().enumerate();
                    let sum = taps.fold(step.bias(), |sum, (i, tap)| {
                        sum.wrapping_add(tap.wrapping_mul(i32::from(at(i))))
                    });
                    (sum >> step.shift()) as $T
                }

                fn plus(self, value: Self) -> Self {
                    self.wrapping_add(value)
                }

                fn minus(self, value: Self) -> Self {
                    self.wrapping_sub(value)
                }

                fn scaled(self, _: &Wavelet, _: Channel, _: Direction) -> Self {
                    self
                }

                fn shifted(self, bits: u32, direction: Direction) -> Self {
                    let wide = i32::from(self);
                    match direction {
                        Direction::Forward => (wide << bits) as $T,
                        Direction::Inverse => (wide.wrapping_add((1 << bits) >> 1) >> bits) as $T,
                    }
                }
            }
        };
    }

    macro_rules! real {
        ($T:ty) => {
            impl Arithmetic for $T {
                type Step = RealStep;
                const ZERO: Self = 0.0;

                fn steps(wavelet: &Wavelet) -> Option<&[RealStep]> {
                    wavelet.real_steps()
                }

                fn stencil(step: &RealStep) -> Stencil {
                    step.stencil()
                }

                fn lifting(step: &RealStep, at: impl Fn(usize) -> Self) -> Self {
                    let taps = step.taps().iter().enumerate();
                    taps.map(|(i, &tap)| tap as $T * at(i)).sum()
                }

                fn plus(self, value: Self) -> Self {
                    self + value
                }

                fn minus(self, value: Self) -> Self {
                    self - value
                }

                fn scaled(self, wavelet: &Wavelet, channel: Channel, direction: Direction) -> Self {
                    let factor = wavelet.scale().of(channel);
                    match direction {
                        Direction::Forward => self * factor as $T,
                        Direction::Inverse => self * (1.0 / factor) as $T,
                    }
                }

                fn shifted(self, _: u32, _: Direction) -> Self {
                    self
                }
            }
        };
    }

    integer!(i16);
    integer!(i32);
    real!(f32);
    real!(f64);
}

#[cfg(test)]
mod tests {
    use super::arithmetic::Arithmetic;
    use super::*;

    #[test]
    fn names_round_trip() {
        for sample in SampleType::ALL {
            assert_eq!(sample.name().parse(), Ok(sample));
        }
        assert!("u8".parse::<SampleType>().is_err());
    }

    #[test]
    fn every_wavelet_serves_integers_or_reals_and_says_which() {
        for wavelet in Wavelet::ALL {
            assert_eq!(
                SampleType::I16.check(&wavelet).is_ok(),
                wavelet.integer_steps().is_some()
            );
            assert_eq!(
                SampleType::F64.check(&wavelet).is_ok(),
                wavelet.real_steps().is_some()
            );
        }
        let refused = SampleType::I16
            .check(&Wavelet::CDF_9_7)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("cdf97") && refused.contains("f32"));
    }

    #[test]
    fn integer_sums_wrap_at_32_bits_and_results_at_the_width() {
        let step = IntegerStep::add(Channel::Detail, 0, &[1 << 20, 1], 0, 0);
        assert_eq!(i16::lifting(&step, |i| [1 << 12, 5][i]), 5);
        let step = IntegerStep::add(Channel::Detail, 0, &[2], 1, 1);
        assert_eq!(i16::lifting(&step, |_| i16::MIN), i16::MIN);
        assert_eq!(i32::lifting(&step, |_| i32::MIN), 0);
    }

    #[test]
    fn shifting_back_rounds() {
        assert_eq!((-3i16).shifted(1, Direction::Inverse), -1);
        assert_eq!(3i16.shifted(1, Direction::Inverse), 2);
        assert_eq!(i16::MAX.shifted(1, Direction::Forward), -2);
        assert_eq!(i16::MAX.shifted(0, Direction::Inverse), i16::MAX);
    }
}
