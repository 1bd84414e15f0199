//! Arrays as they are read from files and written to files.

use crate::common::cli::Result;
use half::f16;
use std::ops::RangeInclusive;
use wavelift::{PixelType, Rounded, Sample, SampleType};

/// An array in row-major order, the last axis contiguous.
pub struct Array {
    pub shape: Vec<usize>,
    pub samples: Samples,
    /// How many values were beyond the range of the samples.
    pub saturated: usize,
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
    /// Converts values by rounding to nearest (ties to even) and saturating, and counts those
    /// that are beyond the range of what they become. Values of the type itself do not change
    /// on their way through f64.
    pub fn convert(to: Kind, values: impl Iterator<Item = f64>) -> Result<(Samples, usize)> {
        let mut saturated = 0;
        let count = &mut saturated;
        let samples = match to {
            Kind::Pixel(PixelType::U8) => {
                Samples::U8(integers(values, 0.0..=255.0, |value| value as u8, count)?)
            }
            Kind::Pixel(PixelType::U16) => Samples::U16(integers(
                values,
                0.0..=65535.0,
                |value| value as u16,
                count,
            )?),
            Kind::Sample(SampleType::I16) => Samples::I16(converted(values, count)?),
            Kind::Sample(SampleType::I32) => Samples::I32(converted(values, count)?),
            Kind::Sample(SampleType::F16) => Samples::F16(converted(values, count)?),
            Kind::Sample(SampleType::Rounded) => Samples::Rounded(converted(values, count)?),
            Kind::Sample(SampleType::F32) => Samples::F32(converted(values, count)?),
            Kind::Sample(SampleType::F64) => Samples::F64(converted(values, count)?),
            Kind::Pixel(other) => return Err(format!("cannot hold pixels of type {other}").into()),
            Kind::Sample(other) => {
                return Err(format!("cannot hold samples of type {other}").into());
            }
        };
        Ok((samples, saturated))
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

fn converted<T: Sample>(
    values: impl Iterator<Item = f64>,
    saturated: &mut usize,
) -> Result<Vec<T>> {
    let smallest = T::from_f64(f64::MIN).to_f64();
    let range = smallest..=T::from_f64(f64::MAX).to_f64();
    if T::TYPE.is_integer() || T::TYPE == SampleType::Rounded {
        return integers(values, range, T::from_f64, saturated);
    }
    // What is rounded to the largest number is not beyond it: up to half of the
    // distance to the number before.
    let half = match T::TYPE {
        SampleType::F16 => 16.0,
        SampleType::F32 => 2f64.powi(103),
        _ => 0.0,
    };
    let is_beyond = |value: f64| value.is_finite() && value.abs() >= range.end() + half;
    let count = |value: &f64| *saturated += usize::from(is_beyond(*value));
    Ok(values.inspect(count).map(T::from_f64).collect())
}

/// The nearest integers, of which those beyond `range` are counted; `make` saturates. A NaN has
/// none, so it is an error and does not become zero.
fn integers<I>(
    values: impl Iterator<Item = f64>,
    range: RangeInclusive<f64>,
    make: impl Fn(f64) -> I,
    saturated: &mut usize,
) -> Result<Vec<I>> {
    let nearest = values.map(|value| {
        if value.is_nan() {
            return Err("has a NaN, which no integer can represent".into());
        }
        let value = value.round_ties_even();
        *saturated += usize::from(!range.contains(&value));
        Ok(make(value))
    });
    nearest.collect()
}
