//! Real numbers that memory holds as 16-bit integers.

use std::fmt;

/// A sample of a real wavelet that takes 16 bits in memory: its steps compute in `f32`, and wherever an array is written it
/// is rounded to the nearest `i16`, of two that are equally near to the even one.
///
/// What is beyond the range of `i16` becomes its smallest or largest value, NaN becomes 0. Slices of `i16` are slices of it at
/// no cost, and the other way round. A transform that takes several passes over memory rounds between them too. The error of each rounding is at most half, times what later steps make of it: a transform back gives
/// the samples that it began with up to a few units, not exactly as a wavelet with integer steps does for `i16`.
///
/// ```
/// use wavelift::{Rounded, Transform, Wavelet, reference};
/// let pixels = [7i16, 9, 12, 10, 8, 250, 255, 251];
/// let transform = Transform::new(Wavelet::CDF_9_7, [8]);
/// let coefficients = reference::forward(&transform, bytemuck::cast_slice::<i16, Rounded>(&pixels))?;
/// let restored = reference::inverse(&transform, &coefficients)?;
/// let restored: &[i16] = bytemuck::cast_slice(&restored);
/// assert!(pixels.iter().zip(restored).all(|(a, b)| (a - b).abs() <= 2));
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    bytemuck::Pod,
    bytemuck::Zeroable,
    bytemuck::TransparentWrapper,
)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Rounded(pub i16);

impl From<i16> for Rounded {
    fn from(value: i16) -> Self {
        Rounded(value)
    }
}

impl From<Rounded> for i16 {
    fn from(sample: Rounded) -> Self {
        sample.0
    }
}

impl From<Rounded> for f64 {
    fn from(sample: Rounded) -> Self {
        sample.0.into()
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
