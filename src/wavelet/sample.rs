//! The sample types.

use super::{Element, IntegerStep, RealStep, Rounded, Stencil, Wavelet};
use crate::error::Error;
use crate::names::named;
use half::f16;
use std::fmt;

/// The type of samples and coefficients, as a value.
///
/// Steps of 16-bit integers compute in 32-bit integers, those of `half::f16`
/// and [`Rounded`] in `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SampleType {
    /// 16-bit signed integers.
    I16,
    /// 32-bit signed integers.
    I32,
    /// Floating point in half precision, `half::f16`: 16 bits in memory,
    /// computed in single precision.
    F16,
    /// [`Rounded`]: real numbers that memory holds as 16-bit integers, computed in single precision.
    Rounded,
    /// Floating point in single precision.
    F32,
    /// Floating point in double precision, on devices that support it.
    F64,
}

impl SampleType {
    /// All sample types.
    pub const ALL: &'static [SampleType] = &[
        SampleType::I16,
        SampleType::I32,
        SampleType::F16,
        SampleType::Rounded,
        SampleType::F32,
        SampleType::F64,
    ];

    /// Returns the name of the type in Rust, in lower case, as
    /// [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            SampleType::I16 => "i16",
            SampleType::I32 => "i32",
            SampleType::F16 => "f16",
            SampleType::Rounded => "rounded",
            SampleType::F32 => "f32",
            SampleType::F64 => "f64",
        }
    }

    /// Returns the number of bytes per sample.
    pub const fn size(self) -> usize {
        match self {
            SampleType::I16 | SampleType::F16 | SampleType::Rounded => 2,
            SampleType::I32 | SampleType::F32 => 4,
            SampleType::F64 => 8,
        }
    }

    /// The bytes that a number takes in local memory between steps.
    pub(crate) const fn local_size(self) -> usize {
        match self {
            SampleType::F16 | SampleType::Rounded => 4,
            _ => self.size(),
        }
    }

    /// Whether `wavelet` has steps for this type: integer steps for integers, real steps for
    /// the others.
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

    /// Whether the steps of this type are those of integers: `i16` and `i32`. [`Rounded`] is stored
    /// as one, and computed in reals.
    pub const fn is_integer(self) -> bool {
        matches!(self, SampleType::I16 | SampleType::I32)
    }

    pub(crate) fn check(self, wavelet: &Wavelet) -> Result<(), Error> {
        if self.is_served_by(wavelet) {
            return Ok(());
        }
        let (has, wants) = match self.is_integer() {
            true if self == SampleType::I16 => {
                ("real", "f32 or f64, or `Rounded` for 16-bit integers")
            }
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

/// A type whose arrays can be transformed: `i16`, `i32`, `half::f16`, [`Rounded`], `f32` or
/// `f64`, and no other type.
///
/// Besides comparing samples and printing them, code for any of these types can convert them and
/// take their absolute values:
///
/// ```
/// use wavelift::Sample;
/// /// What is larger than `threshold`, in either direction, moves closer to zero by it; the rest becomes zero.
/// fn soft<T: Sample>(value: T, threshold: f64) -> T {
///     let value = value.to_f64();
///     T::from_f64(value.signum() * (value.abs() - threshold).max(0.0))
/// }
/// assert_eq!(soft(-7i16, 2.5), -4); // -4.5 is halfway and goes to the even number
/// assert_eq!(soft(7.0f32, 2.5), 4.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "samples are `i16`, `i32`, `half::f16`, `Rounded`, `f32` or `f64`, not `{Self}`",
    note = "`Engine::plan_from` takes pixels of `u8` and `u16`; convert others first, for example `u32` to `f32`"
)]
pub trait Sample: Element + PartialOrd + fmt::Display {
    /// The sample type as a value.
    const TYPE: SampleType;

    /// Returns the sample as `f64`, which holds every sample of every type exactly.
    fn to_f64(self) -> f64;

    /// Returns the sample nearest to `value`, and of two that are equally near the even one.
    ///
    /// Values beyond the type's range become its smallest or largest sample. As an
    /// integer or [`Rounded`], an infinity becomes that too and NaN becomes 0; as a float
    /// they stay what they are.
    fn from_f64(value: f64) -> Self;

    /// Returns the absolute value. That of the smallest integer, which its type cannot hold, is the
    /// largest integer: `i16::MIN` gives `i16::MAX`.
    fn abs(self) -> Self;
}

macro_rules! sample {
    ($T:ident, $TYPE:ident, $into_range:expr, $abs:expr) => {
        impl Sample for $T {
            const TYPE: SampleType = SampleType::$TYPE;

            fn to_f64(self) -> f64 {
                self.into()
            }

            fn from_f64(value: f64) -> Self {
                let into_range: fn(f64) -> f64 = $into_range;
                into_range(value) as $T
            }

            fn abs(self) -> Self {
                let abs: fn($T) -> $T = $abs;
                abs(self)
            }
        }
    };
}

sample!(i16, I16, f64::round_ties_even, i16::saturating_abs);
sample!(i32, I32, f64::round_ties_even, i32::saturating_abs);
sample!(f32, F32, within_f32, f32::abs);
sample!(f64, F64, |value| value, f64::abs);

impl Sample for f16 {
    const TYPE: SampleType = SampleType::F16;

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn from_f64(value: f64) -> Self {
        let largest = f64::from(f16::MAX);
        match value.is_infinite() {
            true => f16::from_f32(value as f32),
            false => f16::from_f32(to_odd(value.clamp(-largest, largest))),
        }
    }

    fn abs(self) -> Self {
        f16::from_bits(self.to_bits() & 0x7FFF)
    }
}

/// A number of `f32` beside `value`, if not `value` itself then of the two the one whose
/// last bit is 1: it is rounded to fewer bits as `value` would be, where the nearest could
/// make a tie of what is none.
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let bits = nearest.to_bits();
    match f64::from(nearest).abs().partial_cmp(&value.abs()) {
        Some(std::cmp::Ordering::Less) => f32::from_bits(bits | 1),
        Some(std::cmp::Ordering::Greater) => f32::from_bits((bits - 1) | 1),
        _ => nearest,
    }
}

impl Sample for Rounded {
    const TYPE: SampleType = SampleType::Rounded;

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn from_f64(value: f64) -> Self {
        Rounded(i16::from_f64(value))
    }

    fn abs(self) -> Self {
        Rounded(self.0.saturating_abs())
    }
}

/// Saturates a number, not an infinity. The conversion itself rounds to the nearest.
fn within_f32(value: f64) -> f64 {
    match value.is_infinite() {
        true => value,
        false => value.clamp(f32::MIN.into(), f32::MAX.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &sample in SampleType::ALL {
            assert_eq!(sample.name().parse(), Ok(sample));
        }
        assert!("u8".parse::<SampleType>().is_err());
    }

    #[test]
    fn every_wavelet_serves_integers_or_reals_and_says_which() {
        for wavelet in Wavelet::ALL {
            assert_eq!(
                SampleType::I16.check(wavelet).is_ok(),
                wavelet.integer_steps().is_some()
            );
            assert_eq!(
                SampleType::F64.check(wavelet).is_ok(),
                wavelet.real_steps().is_some()
            );
        }
        let refused = SampleType::I16
            .check(&Wavelet::CDF_9_7)
            .unwrap_err()
            .to_string();
        for word in ["cdf97", "f32", "Rounded"] {
            assert!(refused.contains(word), "{refused}");
        }
    }

    #[test]
    fn conversions_round_to_nearest_and_saturate() {
        let cases = [
            (2.5, 2),
            (3.5, 4),
            (-2.5, -2),
            (0.500001, 1),
            (-0.49, 0),
            (32767.5, i16::MAX),
            (1e300, i16::MAX),
            (f64::NEG_INFINITY, i16::MIN),
            (f64::NAN, 0),
        ];
        for (value, expected) in cases {
            assert_eq!(i16::from_f64(value), expected, "{value}");
        }
        assert_eq!(i32::from_f64(-2147483648.5), i32::MIN);
        assert_eq!(f32::from_f64(0.1), 0.1f32);
        assert_eq!(f32::from_f64(-1e300), f32::MIN);
        assert_eq!(f32::from_f64(f64::INFINITY), f32::INFINITY);
        assert!(f32::from_f64(f64::NAN).is_nan() && f64::from_f64(f64::NAN).is_nan());
        assert_eq!(Rounded::from_f64(-2.5), Rounded(-2));
        assert_eq!(Rounded::from_f64(f64::NAN), Rounded(0));
        assert_eq!(<f16 as Sample>::from_f64(1e300), f16::MAX);
        assert_eq!(
            <f16 as Sample>::from_f64(f64::NEG_INFINITY),
            f16::NEG_INFINITY
        );
        assert!(<f16 as Sample>::from_f64(f64::NAN).is_nan());
        // A tie goes to the even number, what is a little more does not.
        let tie = 1.0 + 1.0 / 2048.0;
        assert_eq!(<f16 as Sample>::from_f64(tie), f16::ONE);
        assert_eq!(
            <f16 as Sample>::from_f64(tie + 1e-14),
            f16::ONE + f16::EPSILON
        );
        fn round_trip<T: Sample>(samples: &[T]) {
            for &sample in samples {
                assert_eq!(T::from_f64(sample.to_f64()), sample);
            }
        }
        round_trip(&[i16::MIN, -1, 0, i16::MAX]);
        round_trip(&[i32::MIN, -1, 0, i32::MAX - 1, i32::MAX]);
        round_trip(&[f16::MIN, f16::from_bits(1), f16::from_f32(0.1)]);
        round_trip(&[Rounded(i16::MIN), Rounded(7)]);
        round_trip(&[f32::MIN, f32::MIN_POSITIVE, 0.1]);
    }

    #[test]
    fn absolute_values_saturate() {
        assert_eq!([i16::MIN, -3, 3].map(Sample::abs), [i16::MAX, 3, 3]);
        assert_eq!(Sample::abs(i32::MIN), i32::MAX);
        assert_eq!([-0.5f32, 0.5].map(Sample::abs), [0.5, 0.5]);
        assert_eq!(Sample::abs(f64::NEG_INFINITY), f64::INFINITY);
    }
}
