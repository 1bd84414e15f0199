//! Arrays in pictures: colours become a leading axis of 3.

use crate::array::{Array, Samples};
use crate::common::cli::Result;
use crate::common::{pixels_of_planes, planes_of_pixels};
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder};
use std::io::Write;
use std::path::Path;
use wavelift::{SampleType, Wavelet};

/// Overshoot of lossy coefficients goes a little beyond 255; a picture of 16 bits goes far beyond.
const MOST_OF_8_BITS: f64 = 383.0;

/// Reads a picture, as samples of the type `wanted`; else, where the wavelet has integer steps, i16 for 8
/// bits a sample and i32 for 16; else f32.
pub fn read(path: &Path, wanted: Option<SampleType>, wavelet: &Wavelet) -> Result<Array> {
    let reader = image::ImageReader::open(path)?.with_guessed_format()?;
    let image = without_alpha(reader.decode()?)?;
    let (height, width) = (image.height() as usize, image.width() as usize);
    let integers = wavelet.integer_steps().is_some();
    let default = |integer| if integers { integer } else { SampleType::F32 };
    let bits8 = wanted.unwrap_or(default(SampleType::I16));
    let bits16 = wanted.unwrap_or(default(SampleType::I32));
    let (colours, samples) = match image {
        DynamicImage::ImageLuma8(image) => (1, planar(image.as_raw(), 1, bits8)?),
        DynamicImage::ImageRgb8(image) => (3, planar(image.as_raw(), 3, bits8)?),
        DynamicImage::ImageLuma16(image) => (1, planar(image.as_raw(), 1, bits16)?),
        DynamicImage::ImageRgb16(image) => (3, planar(image.as_raw(), 3, bits16)?),
        _ => return Err("has neither 8 nor 16 bits a sample".into()),
    };
    let shape = match colours {
        1 => vec![height, width],
        _ => vec![colours, height, width],
    };
    Ok(Array { shape, samples })
}

fn planar<T: Copy + Into<f64>>(pixels: &[T], colours: usize, to: SampleType) -> Result<Samples> {
    let planes = planes_of_pixels(pixels, colours);
    Samples::convert(to, planes.into_iter().map(T::into))
}

/// The picture without an alpha channel that is opaque everywhere. Transparency has no place in the array,
/// and is not dropped in silence.
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
    /// Bits a sample.
    pub bits: u32,
    /// How many samples were below 0 or above what the bits hold.
    pub clipped: usize,
}

/// Writes a PNG, rounded and clamped to this many bits a sample; without a wish to 8 bits, or to 16 where
/// any value is above 383.
pub fn write(file: &mut impl Write, array: &Array, bits: Option<u32>) -> Result<Written> {
    let (colours, height, width) = match array.shape[..] {
        [height, width] => (1, height, width),
        [colours @ (1 | 3), height, width] => (colours, height, width),
        _ => {
            let shape = &array.shape;
            return Err(format!(
                "shape {shape:?} is no picture: wanted [height, width] or [3, height, width]"
            )
            .into());
        }
    };
    if array.samples.values().any(f64::is_nan) {
        return Err("the result holds a NaN, which no picture can".into());
    }
    let largest = array.samples.values().fold(0.0, f64::max);
    let bits = bits.unwrap_or(if largest > MOST_OF_8_BITS { 16 } else { 8 });
    let limit = f64::from((1u32 << bits) - 1);
    let rounded = || array.samples.values().map(f64::round_ties_even);
    let clipped = rounded().filter(|v| !(0.0..=limit).contains(v)).count();
    // Casts from float saturate.
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
