//! Arrays as pictures, in which three colours are a leading axis of length 3.

use crate::array::{Array, Kind, Samples};
use crate::common::cli::Result;
use crate::common::{pixels_of_planes, planes_of_pixels};
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder};
use std::io::Write;
use std::path::Path;
use wavelift::PixelType;

/// Values up to this are taken for a picture of 8 bits: lossy coefficients make it overshoot 255 a
/// little, whereas a picture of 16 bits goes far beyond.
const MOST_OF_8_BITS: f64 = 383.0;

/// Reads a picture as the kind that `choose` makes of its own pixels.
pub fn read(path: &Path, choose: impl FnOnce(PixelType) -> Kind) -> Result<Array> {
    let reader = image::ImageReader::open(path)?.with_guessed_format()?;
    let image = without_alpha(reader.decode()?)?;
    let (height, width) = (image.height() as usize, image.width() as usize);
    let (colours, (samples, saturated)) = match image {
        DynamicImage::ImageLuma8(image) => (1, planar(image.as_raw(), 1, choose(PixelType::U8))?),
        DynamicImage::ImageRgb8(image) => (3, planar(image.as_raw(), 3, choose(PixelType::U8))?),
        DynamicImage::ImageLuma16(image) => (1, planar(image.as_raw(), 1, choose(PixelType::U16))?),
        DynamicImage::ImageRgb16(image) => (3, planar(image.as_raw(), 3, choose(PixelType::U16))?),
        _ => return Err("has neither 8 nor 16 bits per sample".into()),
    };
    let shape = match colours {
        1 => vec![height, width],
        _ => vec![colours, height, width],
    };
    Ok(Array {
        shape,
        samples,
        saturated,
    })
}

fn planar<T: Copy + Into<f64>>(pixels: &[T], colours: usize, to: Kind) -> Result<(Samples, usize)> {
    let planes = planes_of_pixels(pixels, colours);
    Samples::convert(to, planes.into_iter().map(T::into))
}

/// Removes an alpha channel that is opaque everywhere. Any transparency is an error, because the
/// array has no place for it and it must not be lost silently.
fn without_alpha(image: DynamicImage) -> Result<DynamicImage> {
    let image = match image {
        DynamicImage::ImageLumaA8(ref a) if a.pixels().all(|p| p[1] == u8::MAX) => {
            image.into_luma8().into()
        }
        DynamicImage::ImageLumaA16(ref a) if a.pixels().all(|p| p[1] == u16::MAX) => {
            image.into_luma16().into()
        }
        DynamicImage::ImageRgba8(ref a) if a.pixels().all(|p| p[3] == u8::MAX) => {
            image.into_rgb8().into()
        }
        DynamicImage::ImageRgba16(ref a) if a.pixels().all(|p| p[3] == u16::MAX) => {
            image.into_rgb16().into()
        }
        image => image,
    };
    match image.color().has_alpha() {
        true => Err("is transparent in places; remove its alpha channel first".into()),
        false => Ok(image),
    }
}

/// How a picture was written.
pub struct Written {
    /// Bits per sample.
    pub bits: u32,
    /// The number of samples that were below 0 or above the largest value of that many bits.
    pub clipped: usize,
}

/// Writes an array as PNG, rounded and clamped to the given number of bits per sample. Without it
/// pixels have their own, and others 8, or 16 if any value is above 383.
pub fn write(file: &mut impl Write, array: &Array, bits: Option<u32>) -> Result<Written> {
    let (colours, height, width) = match array.shape[..] {
        [height, width] => (1, height, width),
        [colours @ (1 | 3), height, width] => (colours, height, width),
        _ => {
            let shape = &array.shape;
            return Err(format!(
                "shape {shape:?} is not that of a picture: expected [height, width] or [3, height, width]"
            )
            .into());
        }
    };
    if array.samples.values().any(f64::is_nan) {
        return Err("the result has a NaN, which a picture cannot hold".into());
    }
    let largest = array.samples.values().fold(0.0, f64::max);
    let own = match array.samples {
        Samples::U8(_) => 8,
        Samples::U16(_) => 16,
        _ if largest > MOST_OF_8_BITS => 16,
        _ => 8,
    };
    let bits = bits.unwrap_or(own);
    let limit = f64::from((1u32 << bits) - 1);
    let rounded = || array.samples.values().map(f64::round_ties_even);
    let clipped = rounded().filter(|v| !(0.0..=limit).contains(v)).count();
    // Casts from float to integer saturate.
    let pixels: Vec<u8> = match bits {
        8 => pixels_of_planes(&rounded().map(|v| v as u8).collect::<Vec<_>>(), colours),
        _ => pixels_of_planes(&rounded().map(|v| v as u16).collect::<Vec<_>>(), colours)
            .into_iter()
            .flat_map(u16::to_ne_bytes)
            .collect(),
    };
    let colour = match (colours, bits) {
        (3, 8) => ExtendedColorType::Rgb8,
        (3, _) => ExtendedColorType::Rgb16,
        (_, 8) => ExtendedColorType::L8,
        _ => ExtendedColorType::L16,
    };
    let too_large = |_| format!("shape {:?} is larger than a PNG may be", array.shape);
    let (width, height) = (
        width.try_into().map_err(too_large)?,
        height.try_into().map_err(too_large)?,
    );
    PngEncoder::new(file).write_image(&pixels, width, height, colour)?;
    Ok(Written { bits, clipped })
}
