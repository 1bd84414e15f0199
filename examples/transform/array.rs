//! Arrays as they are read from files and written to files.

use crate::common::cli::Result;
use half::f16;
use wavelift::{PixelType, Rounded, Sample, SampleType};

/// An array in row-major order, the last axis contiguous.
pub struct Array {
    pub shape: Vec<usize>,
    pub samples: Samples,
}

/// What an array holds.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Sample(SampleType),
    Pixel(PixelType),
}

/// Samples of a type that can be transformed, or pixels.
pub enum Samples {
    U8(Vec<u8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    F16(Vec<f16>),
    Rounded(Vec<Rounded>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Samples {
    /// Converts values by rounding to nearest (ties to even) and saturating. Values of the type itself do not
    /// change on their way through f64.
    pub fn convert(to: Kind, values: impl Iterator<Item = f64>) -> Result<Samples> {
        let to = match to {
            // Casts saturate.
            Kind::Pixel(PixelType::U8) => {
                let pixels = integers(values).map(|value| Ok(value? as u8));
                return Ok(Samples::U8(pixels.collect::<Result<_>>()?));
            }
            Kind::Pixel(PixelType::U16) => {
                let pixels = integers(values).map(|value| Ok(value? as u16));
                return Ok(Samples::U16(pixels.collect::<Result<_>>()?));
            }
            Kind::Pixel(other) => return Err(format!("cannot hold pixels of type {other}").into()),
            Kind::Sample(sample) => sample,
        };
        Ok(match to {
            SampleType::I16 => Samples::I16(converted(values)?),
            SampleType::I32 => Samples::I32(converted(values)?),
            SampleType::F16 => Samples::F16(converted(values)?),
            SampleType::Rounded => Samples::Rounded(converted(values)?),
            SampleType::F32 => Samples::F32(converted(values)?),
            SampleType::F64 => Samples::F64(converted(values)?),
            other => return Err(format!("cannot hold samples of type {other}").into()),
        })
    }

    /// All values, which f64 represents exactly.
    pub fn values(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        fn all<T: Sample>(samples: &[T]) -> Box<dyn Iterator<Item = f64> + '_> {
            Box::new(samples.iter().map(|sample| sample.to_f64()))
        }
        match self {
            Samples::U8(pixels) => Box::new(pixels.iter().map(|&pixel| pixel.into())),
            Samples::U16(pixels) => Box::new(pixels.iter().map(|&pixel| pixel.into())),
            Samples::I16(samples) => all(samples),
            Samples::I32(samples) => all(samples),
            Samples::F16(samples) => all(samples),
            Samples::Rounded(samples) => all(samples),
            Samples::F32(samples) => all(samples),
            Samples::F64(samples) => all(samples),
        }
    }
}

/// Converts values.
fn converted<T: Sample>(values: impl Iterator<Item = f64>) -> Result<Vec<T>> {
    if T::TYPE.is_integer() || T::TYPE == SampleType::Rounded {
        return integers(values)
            .map(|value| Ok(T::from_f64(value?)))
            .collect();
    }
    Ok(values.map(T::from_f64).collect())
}

/// The nearest integers. A NaN has none, so it is an error and does not become zero.
fn integers(values: impl Iterator<Item = f64>) -> impl Iterator<Item = Result<f64>> {
    values.map(|value| match value.is_nan() {
        true => Err("has a NaN, which no integer can represent".into()),
        false => Ok(value.round_ties_even()),
    })
}
