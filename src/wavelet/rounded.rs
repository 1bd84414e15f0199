//! Real numbers that memory holds as 16-bit integers.

use std::fmt;

/// A sample of a real wavelet that takes 16 bits in memory: its steps compute in `f32`,
/// and wherever an array is written it is rounded to the nearest `i16`, of two that are
/// equally near to the even one.
///
/// What is beyond the range of `i16` becomes its smallest or largest value, NaN becomes 0. Slices
/// of `i16` are slices of it at no cost, and the other way round. A transform that takes several
/// passes over memory rounds between them too: a transform back gives the samples that it began
/// with up to a few units, not exactly as a wavelet with integer steps does for `i16`.
///
/// The launch that writes a result errs by at most half a unit. Each launch before it adds at
/// most half a unit times the gain of all that follows, which is the product of these, for each
/// axis and level that is left:
///
/// | | CDF 9/7 | CDF 5/3 | Haar | Daubechies 4 |
/// |---|---|---|---|---|
/// | details | 2.60 | 2 | 1.42 | 1.68 |
/// | approximations | 1.39 | 1.5 | 1.42 | 1.68 |
/// | inverse | 2.18 | 2 | 1.42 | 1.68 |
///
/// Of a picture by CDF 9/7 that takes a launch for each axis, details of both axes are within
/// 0.5 + 0.5 * 2.60 = 1.8, approximations within 1.2. Of a volume of which one axis is lifted before
/// the other two, details are within 0.5 + 0.5 * 2.60 * 2.60 = 3.9. (Steps that are launches of
/// their own, as of `stepwise`, round more often.)
///
/// At borders gains can be larger. For mirrored and periodic lines this table has the largest; for
/// zeros and clamped lines it is not stated. Many levels of odd lengths by Daubechies 4 are not
/// restored.
///
/// | | CDF 9/7 | CDF 5/3 | Haar | Daubechies 4 |
/// |---|---|---|---|---|
/// | details, periodic and odd | 2.78 | 2 | 1.42 | 1.68 |
/// | approximations, periodic and odd | 1.60 | 1.75 | 2.83 | 1.87 |
/// | approximations, mirrored, even / odd | 1.39 | 1.5 | 1.42 / 2.83 | 1.87 |
/// | inverse, periodic and odd | 2.37 | 2 | 1.42 | 4.70 |
/// | inverse, mirrored, even / odd | 2.18 | 2 | 1.42 | 1.80 / 5.36 |
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
