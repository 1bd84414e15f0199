//! Pictures of 8 bits per sample, as files and as arrays in which the colours are a batch.

use super::cli::{Result, about};
use super::{pixels_of_planes, planes_of_pixels};
use image::{DynamicImage, ExtendedColorType};
use std::path::Path;
use wavelift::{Transform, Wavelet};

/// A picture of 8 bits per sample, one colour after the other.
pub struct Picture {
    pub colours: usize,
    pub height: usize,
    pub width: usize,
    pub planes: Vec<u8>,
}

impl Picture {
    pub fn open(path: &Path) -> Result<Self> {
        let reader = image::ImageReader::open(path).map_err(about(path))?;
        let reader = reader.with_guessed_format().map_err(about(path))?;
        let image = reader.decode().map_err(about(path))?;
        let (width, height) = (image.width() as usize, image.height() as usize);
        let (colours, pixels) = match has_colour(&image) {
            true => (3, image.into_rgb8().into_raw()),
            false => (1, image.into_luma8().into_raw()),
        };
        let planes = planes_of_pixels(&pixels, colours);
        Ok(Picture {
            colours,
            height,
            width,
            planes,
        })
    }

    /// A picture of the same size with other samples.
    pub fn with(&self, planes: Vec<u8>) -> Picture {
        Picture { planes, ..*self }
    }

    pub fn size(&self) -> String {
        let colour = if self.colours == 3 { "RGB" } else { "grey" };
        format!("{} x {} {colour}", self.width, self.height)
    }

    /// A transform over rows and columns, with the colours as a batch.
    pub fn transform(&self, wavelet: Wavelet, levels: u32) -> Transform {
        let shape = [self.colours, self.height, self.width];
        Transform::new(wavelet, shape).axes([1, 2]).levels(levels)
    }

    pub fn save(&self, path: &Path) -> Result<()> {
        let pixels = pixels_of_planes(&self.planes, self.colours);
        let colour = match self.colours {
            3 => ExtendedColorType::Rgb8,
            _ => ExtendedColorType::L8,
        };
        let (width, height) = (self.width as u32, self.height as u32);
        image::save_buffer(path, &pixels, width, height, colour).map_err(about(path))
    }
}

fn has_colour(image: &DynamicImage) -> bool {
    image.color().has_color()
}

/// The peak signal-to-noise ratio of 8-bit samples, in decibels.
pub fn psnr(wanted: &[u8], got: &[u8]) -> f64 {
    let square = |(a, b): (&u8, &u8)| (f64::from(*a) - f64::from(*b)).powi(2);
    let error: f64 = wanted.iter().zip(got).map(square).sum();
    10.0 * (255.0 * 255.0 * wanted.len() as f64 / error).log10()
}

/// The nearest sample; what is beyond the range of a sample is its end.
pub fn to_byte(value: f32) -> u8 {
    value.round() as u8
}
