//! Pictures of the crate `image` as samples, and samples as pictures. Requires the feature `image`.
//!
//! A grey picture is an array of shape `[height, width]`. Of one with colours, the colours come one
//! after the other, as a batch: `[3, height, width]`. In memory a picture has its colours innermost
//! (`[height, width, 3]`, axes 0 and 1); wavelift transforms it like that as well, on GPUs in
//! little more time, on CPUs in about as much. [`transform`] does not describe that: a plan of
//! pixels (`Engine::plan_from`) for `as_raw()` of a picture with colours needs
//! `Transform::new(wavelet, [height, width, 3]).axes([0, 1])`.
//!
//! ```no_run
//! use image::Rgb;
//! use wavelift::{Band, DeviceSelector, Engine, Wavelet, picture};
//!
//! let before = image::open("before.png")?.to_rgb8();
//! let transform = picture::transform(Wavelet::CDF_9_7, &before).levels(3);
//! let plan = Engine::new(&DeviceSelector::from_env()?.pick()?)?.plan::<f32>(&transform)?;
//!
//! let mut coefficients = plan.forward(&picture::to_samples(&before)?)?;
//! coefficients.band_mut(1, Band::HH)?.apply(|_| 0.0);
//! let samples = plan.inverse(&coefficients)?;
//! picture::from_samples::<Rgb<u8>, _>(before.width(), before.height(), &samples)?.save("after.png")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::error::{Error, Result, check_length};
use crate::transform::{Transform, zeroed};
use crate::wavelet::{Sample, Wavelet};
use image::{ImageBuffer, Pixel, Primitive};
use std::ops::Deref;

/// Describes one level of `wavelet` over the height and the width of a picture: of an array of
/// shape `[height, width]`, or `[channels, height, width]` where pixels have several channels, as
/// [`to_samples`] returns it. Pixels as they are in memory, `as_raw()`, are in another order.
pub fn transform<P, C>(wavelet: Wavelet, picture: &ImageBuffer<P, C>) -> Transform
where
    P: Pixel,
    C: Deref<Target = [P::Subpixel]>,
{
    let [height, width] = [picture.height(), picture.width()].map(|n| n as usize);
    match usize::from(P::CHANNEL_COUNT) {
        1 => Transform::new(wavelet, [height, width]),
        channels => Transform::new(wavelet, [channels, height, width]).axes([1, 2]),
    }
}

/// Returns the samples of a picture, one channel after the other; an alpha channel is one more.
/// Values stay as they are, 0 to 255 for 8 bits, unless `T` cannot hold them: they are rounded and
/// saturated as by [`Sample::from_f64`].
///
/// ```
/// let picture = image::RgbImage::from_raw(2, 1, vec![1, 2, 3, 4, 5, 6]).unwrap();
/// assert_eq!(wavelift::picture::to_samples::<i16, _, _>(&picture)?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), wavelift::Error>(())
/// ```
///
/// # Errors
/// [`Error::HostMemory`] where the host cannot hold the samples.
pub fn to_samples<T, P, C>(picture: &ImageBuffer<P, C>) -> Result<Vec<T>>
where
    T: Sample,
    P: Pixel,
    C: Deref<Target = [P::Subpixel]>,
{
    let pixels = picture.as_raw();
    let channels = usize::from(P::CHANNEL_COUNT);
    let count = picture.width() as usize * picture.height() as usize;
    let mut samples = zeroed("the samples", count * channels)?;
    for (channel, plane) in samples.chunks_exact_mut(count.max(1)).enumerate() {
        let values = pixels.iter().skip(channel).step_by(channels);
        for (sample, &value) in plane.iter_mut().zip(values) {
            *sample = T::from_f64(real(value));
        }
    }
    Ok(samples)
}

/// Returns the picture whose samples these are, one channel after the other. Where pixels are
/// integers, values are rounded to the nearest, those beyond the type's range become its smallest
/// or largest value, and NaN becomes 0.
///
/// ```
/// use image::Luma;
/// use wavelift::picture::from_samples;
/// let picture = from_samples::<Luma<u8>, _>(4, 1, &[-3.0, 2.6, 300.0, f32::NAN])?;
/// assert_eq!(picture.into_raw(), [0, 3, 255, 0]);
/// # Ok::<(), wavelift::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if the number of samples is not that of the picture; [`Error::HostMemory`]
/// where the host cannot hold the picture.
pub fn from_samples<P, T>(
    width: u32,
    height: u32,
    samples: &[T],
) -> Result<ImageBuffer<P, Vec<P::Subpixel>>>
where
    P: Pixel,
    T: Sample,
{
    let channels = usize::from(P::CHANNEL_COUNT);
    let count = width as usize * height as usize;
    let expected = count.saturating_mul(channels);
    check_length("the picture", samples.len(), expected)?;
    let mut pixels = Vec::new();
    let no_memory = |_| Error::HostMemory {
        what: "the pixels",
        needed: expected as u64 * size_of::<P::Subpixel>() as u64,
    };
    pixels.try_reserve_exact(expected).map_err(no_memory)?;
    for pixel in 0..count {
        let channels = samples[pixel..].iter().step_by(count);
        pixels.extend(channels.map(|sample| subpixel::<P::Subpixel>(sample.to_f64())));
    }
    Ok(ImageBuffer::from_raw(width, height, pixels).expect("as many as the picture has"))
}

/// The value of a channel. Every type of channel can be read as a number.
fn real<S: Primitive>(value: S) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// The value of a channel that is nearest to `value`. Floats stay what they are.
fn subpixel<S: Primitive>(value: f64) -> S {
    // The largest value is that of colours: 1 in floats.
    let is_real = real(S::DEFAULT_MAX_VALUE) == 1.0;
    let nearest = if is_real {
        value
    } else {
        value.round_ties_even()
    };
    S::from(nearest).unwrap_or_else(|| match value {
        _ if value.is_nan() => S::zero(),
        _ if value > 0.0 => S::DEFAULT_MAX_VALUE,
        _ => S::DEFAULT_MIN_VALUE,
    })
}
