//! An array as it is read from a file and written to one.

use crate::common::cli::Result;
use wavelift::SampleType;

/// Row-major, the last axis contiguous.
pub struct Array {
    pub shape: Vec<usize>,
    pub samples: Samples,
}

/// Samples of one of the types that can be transformed.
pub enum Samples {
    I16(Vec<i16>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Samples {
    /// Converts by rounding to nearest, ties to even, and saturating. Any value of the type itself stays
    /// what it is on its way through f64.
    pub fn convert(to: SampleType, values: impl Iterator<Item = f64>) -> Result<Samples> {
        Ok(match to {
            SampleType::I16 => Samples::I16(integers(values, |v| v as i16)?),
            SampleType::I32 => Samples::I32(integers(values, |v| v as i32)?),
            SampleType::F32 => Samples::F32(values.map(to_f32).collect()),
            SampleType::F64 => Samples::F64(values.collect()),
        })
    }

    /// All values, exactly.
    pub fn values(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Samples::I16(samples) => Box::new(samples.iter().map(|&v| v.into())),
            Samples::I32(samples) => Box::new(samples.iter().map(|&v| v.into())),
            Samples::F32(samples) => Box::new(samples.iter().map(|&v| v.into())),
            Samples::F64(samples) => Box::new(samples.iter().copied()),
        }
    }
}

/// No integer stands for a NaN, so that is an error and not a zero.
fn integers<T>(values: impl Iterator<Item = f64>, cast: fn(f64) -> T) -> Result<Vec<T>> {
    let convert = |value: f64| match value.is_nan() {
        true => Err("holds a NaN, which is no integer".into()),
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
