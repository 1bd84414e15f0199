//! What arrays hold besides samples: pixels, as cameras give them.

use super::{Rounded, Sample, SampleType};
use crate::error::Error;
use crate::names::named;
use half::f16;
use std::fmt;

/// The type of pixels, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PixelType {
    /// 8-bit unsigned integers.
    U8,
    /// 16-bit unsigned integers.
    U16,
}

impl PixelType {
    /// All types of pixels.
    pub const ALL: &'static [PixelType] = &[PixelType::U8, PixelType::U16];

    /// Returns the name of the type in Rust, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            PixelType::U8 => "u8",
            PixelType::U16 => "u16",
        }
    }

    /// Returns the number of bytes per pixel.
    pub const fn size(self) -> usize {
        match self {
            PixelType::U8 => 1,
            PixelType::U16 => 2,
        }
    }

    /// Checks that every pixel of this type, less a level shift, is a sample of type `sample`
    /// exactly, as plans of pixels demand.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if some are not: `i16` and [`Rounded`] hold -2^15 to 2^15 - 1, halves
    /// -2^11 to 2^11, and of the other types -2^20 to 2^20 are taken.
    ///
    /// ```
    /// use wavelift::{PixelType, SampleType};
    /// assert!(PixelType::U8.check(SampleType::I16, 0).is_ok());
    /// assert!(PixelType::U16.check(SampleType::I16, 0).is_err());
    /// assert!(PixelType::U16.check(SampleType::I16, 1 << 15).is_ok());
    /// ```
    pub fn check(self, sample: SampleType, level_shift: i32) -> Result<(), Error> {
        let most = (1i64 << (8 * self.size())) - 1;
        let shift = i64::from(level_shift);
        let (least, largest) = match sample {
            SampleType::I16 | SampleType::Rounded => (-(1 << 15), (1 << 15) - 1),
            SampleType::F16 => (-(1 << 11), 1 << 11),
            SampleType::I32 | SampleType::F32 | SampleType::F64 => (-(1 << 20), 1 << 20),
        };
        if -shift >= least && most - shift <= largest {
            return Ok(());
        }
        let to = most - shift;
        // In the middle, if the samples have so many values.
        let middle = (most + 1) / 2;
        let advice = match most < largest - least + 1 {
            true => format!("; a level shift of {middle} makes them fit"),
            false => String::new(),
        };
        Err(Error::Unsupported {
            what: format!("{self} pixels as {sample} samples with a level shift of {shift}"),
            why: format!(
                "they are {} to {to}, and {sample} samples are exactly {least} to {largest}{advice}",
                -shift
            ),
        })
    }
}

named!(PixelType, "pixel type");

/// The pixels that a transform takes instead of samples, and gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pixels {
    pub pixel: PixelType,
    /// What is taken from each, and given back.
    pub level_shift: i32,
}

/// What an array on a device can hold: samples of any [`Sample`] type, and pixels of any [`Pixel`]
/// type. No other type is one.
#[diagnostic::on_unimplemented(
    message = "arrays hold `i16`, `i32`, `half::f16`, `Rounded`, `f32`, `f64`, `u8` or `u16`, not `{Self}`"
)]
pub trait Element: sealed::Sealed + bytemuck::Pod + Send + Sync + PartialEq + fmt::Debug {
    /// The name of the type, in lower case.
    const NAME: &'static str;

    /// Returns the sample nearest to this element less a level shift, as [`Sample::from_f64`]
    /// rounds: what a plan makes of the element before the first step.
    fn to_sample<T: Sample>(self, level_shift: i32) -> T;

    /// Returns the element nearest to a sample and the level shift, of two that are equally near
    /// the even one. What is beyond the type's range becomes its smallest or largest value, and
    /// NaN, of integers, 0: what a plan makes of a sample after the last step of the inverse.
    fn from_sample<T: Sample>(sample: T, level_shift: i32) -> Self;
}

mod sealed {
    /// Keeps other types from being elements.
    pub trait Sealed {}
}

macro_rules! elements {
    ($($T:ident $name:literal $from_f64:expr;)*) => {$(
        impl sealed::Sealed for $T {}

        impl Element for $T {
            const NAME: &'static str = $name;

            fn to_sample<S: Sample>(self, level_shift: i32) -> S {
                S::from_f64(f64::from(self) - f64::from(level_shift))
            }

            fn from_sample<S: Sample>(sample: S, level_shift: i32) -> Self {
                let from_f64: fn(f64) -> $T = $from_f64;
                from_f64(sample.to_f64() + f64::from(level_shift))
            }
        }
    )*};
}

elements! {
    i16 "i16" Sample::from_f64;
    i32 "i32" Sample::from_f64;
    f16 "f16" <f16 as Sample>::from_f64;
    Rounded "rounded" Sample::from_f64;
    f32 "f32" Sample::from_f64;
    f64 "f64" Sample::from_f64;
    u8 "u8" |value| value.round_ties_even() as u8;
    u16 "u16" |value| value.round_ties_even() as u16;
}

/// A type of pixels that a plan takes instead of samples, and gives back: `u8` or `u16`, and no
/// other type. See `Engine::plan_from`.
///
/// ```
/// use wavelift::Element;
/// assert_eq!(7u8.to_sample::<i16>(128), -121);
/// assert_eq!(u8::from_sample(-121i16, 128), 7);
/// assert_eq!([-3.0f32, 2.5, 3.5, 300.0].map(|v| u8::from_sample(v, 0)), [0, 2, 4, 255]);
/// ```
#[diagnostic::on_unimplemented(message = "pixels are `u8` or `u16`, not `{Self}`")]
pub trait Pixel: Element {
    /// The type as a value.
    const TYPE: PixelType;
}

impl Pixel for u8 {
    const TYPE: PixelType = PixelType::U8;
}

impl Pixel for u16 {
    const TYPE: PixelType = PixelType::U16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_samples_exactly_or_refused() {
        let taken =
            |pixel: PixelType, level_shift, sample| pixel.check(sample, level_shift).is_ok();
        use PixelType::{U8, U16};
        use SampleType::{F16, F32, I16, I32, Rounded};
        for &sample in SampleType::ALL {
            assert!(taken(U8, 0, sample) && taken(U8, 128, sample), "{sample}");
        }
        assert!(!taken(U16, 0, I16) && taken(U16, 1 << 15, I16));
        assert!(!taken(U16, (1 << 15) + 1, Rounded) && taken(U16, 1 << 15, Rounded));
        assert!(!taken(U16, 0, F16) && taken(U16, 0, I32) && taken(U16, 0, F32));
        assert!(!taken(U8, i32::MIN, F32) && !taken(U8, i32::MAX, I32));
        let refused = U16.check(I16, 0).unwrap_err().to_string();
        assert!(refused.contains("u16") && refused.contains("65535"));
    }

    #[test]
    fn elements_round_to_the_nearest_and_saturate() {
        assert_eq!(u16::from_sample(70_000i32, 0), u16::MAX);
        assert_eq!(u16::from_sample(i32::MAX, 1 << 15), u16::MAX);
        assert_eq!(u8::from_sample(i32::MIN, 0), 0);
        assert_eq!(u8::from_sample(f32::NAN, 128), 0);
        assert_eq!(u8::from_sample(f32::INFINITY, 0), 255);
        assert_eq!(u8::from_sample(0.5f32, 0), 0);
        assert_eq!(u8::from_sample(f16::from_f32(1.5), 0), 2);
        for pixel in 0..=u8::MAX {
            assert_eq!(u8::from_sample(pixel.to_sample::<Rounded>(128), 128), pixel);
            assert_eq!(u8::from_sample(pixel.to_sample::<f16>(0), 0), pixel);
        }
        for pixel in 0..=u16::MAX {
            let sample = pixel.to_sample::<i16>(1 << 15);
            assert_eq!(u16::from_sample(sample, 1 << 15), pixel);
        }
    }
}
