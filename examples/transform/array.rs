//! Arrays as they are read from files and written to files.

use crate::common::cli::Result;
use wavelift::SampleType;

/// An array in row-major order, the last axis contiguous.
pub struct Array {
    pub shape: Vec<usize>,
    pub samples: Samples,
}

/// Samples of a type that can be transformed.
pub enum Samples {
    I16(Vec<i16>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Samples {
    /// Converts values by rounding to nearest (ties to even) and saturating. Values of the type itself do not
    /// change on their way through f64.
    pub fn convert(to: SampleType, values: impl Iterator<Item = f64>) -> Result<Samples> {
        Ok(match to {
            SampleType::I16 => Samples::I16(integers(values, |v| v as i16)?),
            SampleType::I32 => Samples::I32(integers(values, |v| v as i32)?),
            SampleType::F32 => Samples::F32(values.map(to_f32).collect()),
            SampleType::F64 => Samples::F64(values.collect()),
        })
    }

    /// All values, which f64 represents exactly.
    pub fn values(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Samples::I16(samples) => Box::new(samples.iter().map(|&v| v.into())),
            Samples::I32(samples) => Box::new(samples.iter().map(|&v| v.into())),
            Samples::F32(samples) => Box::new(samples.iter().map(|&v| v.into())),
            Samples::F64(samples) => Box::new(samples.iter().copied()),
        }
    }
}

/// Converts values to integers. A NaN has no integer, so it is an error and does not become zero.
fn integers<T>(values: impl Iterator<Item = f64>, cast: fn(f64) -> T) -> Result<Vec<T>> {
    let convert = |value: f64| match value.is_nan() {
        true => Err("has a NaN, which no integer can represent".into()),
        false => Ok(cast(value.round_ties_even())),
    };
    values.map(convert).collect()
}

fn to_f32(value: f64) -> f32 {
    let largest = f64::from(f32::MAX);
    match value.is_finite() {
        true => value.clamp(-largest, largest) as f32,
        false => value as f32,
    }
}
