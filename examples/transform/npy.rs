//! Arrays in `.npy` files.
//!
//! The header is read here and not by `npyz`, which multiplies the axes of any header without a
//! check. The shape may come from anywhere, so every product is checked here, and no memory is
//! reserved for a shape before the file's length confirms it.

use crate::array::{Array, Kind, Samples};
use crate::common::cli::Result;
use half::f16;
use npyz::{AutoSerialize, WriterBuilder};
use std::io::{Read, Write};
use std::path::Path;
use wavelift::{PixelType, SampleType};

/// Reads an array in C order, of any of Rust's integer or float types up to 64 bits, as the kind
/// that `choose` makes of its own, which is none where the type cannot be transformed.
pub fn read(path: &Path, choose: impl FnOnce(Option<Kind>) -> Option<Kind>) -> Result<Array> {
    if !std::fs::metadata(path)?.is_file() {
        return Err("is not a regular file".into());
    }
    let file = std::fs::read(path)?;
    let (header, data) = split(&file)?;
    let header = Header::parse(header)?;
    header.check_order()?;
    let kind = header.kind(choose)?;
    let (samples, saturated) = header.samples(data, kind)?;
    Ok(Array {
        shape: header.shape,
        samples,
        saturated,
    })
}

/// Where samples stand that need no conversion: their type, the shape, and the byte of the first
/// one. The file's length is not looked at.
pub fn stored(path: &Path, wanted: Option<SampleType>) -> Result<(SampleType, Vec<usize>, u64)> {
    /// No header of an array that can be transformed is longer.
    const MOST: u64 = 1 << 17;
    if !std::fs::metadata(path)?.is_file() {
        return Err("is not a regular file".into());
    }
    let mut start = Vec::new();
    std::fs::File::open(path)?
        .take(MOST)
        .read_to_end(&mut start)?;
    let (header, data) = split(&start)?;
    let first = (start.len() - data.len()) as u64;
    let header = Header::parse(header)?;
    header.check_order()?;
    match header.kind(|own| wanted.map(Kind::Sample).or(own))? {
        Kind::Sample(sample) if header.dtype == dtype(sample)? => Ok((sample, header.shape, first)),
        _ => Err(format!(
            "dtype {} needs a conversion, which tiles do not do",
            header.dtype
        )
        .into()),
    }
}

/// A type in the machine's byte order, as NumPy writes it. To others, rounded samples are integers.
fn dtype(sample: SampleType) -> Result<String> {
    let name = match sample {
        SampleType::I16 | SampleType::Rounded => "i2",
        SampleType::I32 => "i4",
        SampleType::F16 => "f2",
        SampleType::F32 => "f4",
        SampleType::F64 => "f8",
        other => return Err(format!("cannot hold samples of type {other}").into()),
    };
    let order = if cfg!(target_endian = "big") {
        '>'
    } else {
        '<'
    };
    Ok(format!("{order}{name}"))
}

/// What stands in a file before the samples of an array, of a length that is a
/// multiple of 64, as NumPy has it.
pub fn header(sample: SampleType, shape: &[usize]) -> Result<Vec<u8>> {
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let dtype = dtype(sample)?;
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({axes}), }}");
    const BEFORE: usize = 10;
    let length = (BEFORE + text.len() + 1).next_multiple_of(64) - BEFORE;
    text = format!("{text:<width$}\n", width = length - 1);
    let length = (length as u16).to_le_bytes();
    Ok([b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat())
}

/// Splits a file into the text of its header and the data that follows.
fn split(file: &[u8]) -> Result<(&str, &[u8])> {
    let file = file
        .strip_prefix(b"\x93NUMPY")
        .ok_or("is not a .npy file: the magic is missing")?;
    let (version, rest) = file
        .split_first_chunk::<2>()
        .ok_or("ends within its header")?;
    let length = match version[0] {
        1 => rest
            .split_first_chunk()
            .map(|(n, rest)| (u16::from_le_bytes(*n).into(), rest)),
        2 | 3 => rest
            .split_first_chunk()
            .map(|(n, rest)| (u32::from_le_bytes(*n) as usize, rest)),
        other => return Err(format!("is of .npy version {other}, which is not known").into()),
    };
    let (length, rest) = length.ok_or("ends within its header")?;
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or("ends within its header")?;
    let header = std::str::from_utf8(header).map_err(|_| "has a header that is not text")?;
    Ok((header, data))
}

struct Header {
    /// The type as NumPy writes it, such as `<f4`.
    dtype: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Header {
    /// Reads the dictionary as NumPy writes it:
    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
    fn parse(text: &str) -> Result<Self> {
        let value = |key: &str| {
            let after = text
                .split_once(&format!("'{key}':"))
                .map(|(_, after)| after.trim_start());
            after.ok_or_else(|| format!("has a header without '{key}'"))
        };
        let descr = value("descr")?;
        if descr.starts_with(['[', '(']) {
            return Err("is a structured array; save one plain array of numbers".into());
        }
        let quoted = descr
            .strip_prefix('\'')
            .and_then(|descr| descr.split_once('\''));
        let (dtype, _) = quoted.ok_or("has a header with an unreadable 'descr'")?;
        let fortran_order = match value("fortran_order")? {
            order if order.starts_with("False") => false,
            order if order.starts_with("True") => true,
            _ => return Err("has a header with an unreadable 'fortran_order'".into()),
        };
        let inside = value("shape")?
            .strip_prefix('(')
            .and_then(|shape| shape.split_once(')'));
        let (shape, _) = inside.ok_or("has a header with an unreadable 'shape'")?;
        Ok(Header {
            dtype: dtype.to_owned(),
            fortran_order,
            shape: axes(shape)?,
        })
    }

    fn check_order(&self) -> Result<()> {
        match self.fortran_order {
            true => Err("is in Fortran order; save it in C order (numpy.ascontiguousarray)".into()),
            false => Ok(()),
        }
    }

    /// What becomes of the array's own type, in either byte order.
    fn kind(&self, choose: impl FnOnce(Option<Kind>) -> Option<Kind>) -> Result<Kind> {
        let own = match self.dtype.get(1..).unwrap_or_default() {
            "u1" => Some(Kind::Pixel(PixelType::U8)),
            "u2" => Some(Kind::Pixel(PixelType::U16)),
            "i2" => Some(Kind::Sample(SampleType::I16)),
            "i4" => Some(Kind::Sample(SampleType::I32)),
            "f2" => Some(Kind::Sample(SampleType::F16)),
            "f4" => Some(Kind::Sample(SampleType::F32)),
            "f8" => Some(Kind::Sample(SampleType::F64)),
            "i1" | "u4" | "i8" | "u8" => None,
            _ => return Err(format!("dtype {} is not supported", self.dtype).into()),
        };
        choose(own).ok_or_else(|| {
            let dtype = &self.dtype;
            format!("dtype {dtype} needs a conversion; add `--sample` i16, i32, f16, rounded, f32 or f64").into()
        })
    }

    fn samples(&self, data: &[u8], to: Kind) -> Result<(Samples, usize)> {
        let dtype = self.dtype.as_str();
        let big = match dtype.chars().next() {
            Some('<' | '|') => false,
            Some('>') => true,
            _ => return Err(format!("dtype {dtype} has no byte order").into()),
        };
        macro_rules! decode {
            ($T:ty) => {
                decode!($T, |value| value as f64)
            };
            ($T:ty, $wide:expr) => {{
                let wide: fn($T) -> f64 = $wide;
                self.check_length(data, size_of::<$T>())?;
                let values = data.chunks_exact(size_of::<$T>()).map(|bytes| {
                    let bytes = bytes.try_into().expect("chunks are as long as asked for");
                    let value = if big {
                        <$T>::from_be_bytes(bytes)
                    } else {
                        <$T>::from_le_bytes(bytes)
                    };
                    wide(value)
                });
                Samples::convert(to, values)
            }};
        }
        match dtype.get(1..).unwrap_or_default() {
            "i1" => decode!(i8),
            "i2" => decode!(i16),
            "i4" => decode!(i32),
            "i8" => decode!(i64),
            "u1" => decode!(u8),
            "u2" => decode!(u16),
            "u4" => decode!(u32),
            "u8" => decode!(u64),
            "f2" => decode!(f16, f64::from),
            "f4" => decode!(f32),
            "f8" => decode!(f64),
            _ => Err(format!("dtype {dtype} is not supported").into()),
        }
    }

    fn check_length(&self, data: &[u8], bytes: usize) -> Result<()> {
        let shape = &self.shape;
        let promised = shape
            .iter()
            .try_fold(bytes, |product, &n| product.checked_mul(n));
        match promised {
            None => Err(format!("shape {shape:?} is larger than any memory").into()),
            Some(promised) if promised != data.len() => Err(format!(
                "holds {} bytes of samples, but its header promises {promised}",
                data.len()
            )
            .into()),
            Some(_) => Ok(()),
        }
    }
}

/// Reads the axes between the parentheses of a shape. A comma may follow the last.
fn axes(shape: &str) -> Result<Vec<usize>> {
    let shape = shape.trim().trim_end_matches(',');
    if shape.is_empty() {
        return Ok(Vec::new());
    }
    let axis = |axis: &str| {
        let axis = axis.trim();
        axis.parse()
            .map_err(|_| format!("has an axis of `{axis}` samples").into())
    };
    shape.split(',').map(axis).collect()
}

/// Writes an array in C order and in the machine's byte order.
pub fn write(file: &mut impl Write, array: &Array) -> Result<()> {
    match &array.samples {
        Samples::U8(pixels) => write_as(file, &array.shape, pixels),
        Samples::U16(pixels) => write_as(file, &array.shape, pixels),
        Samples::I16(samples) => write_as(file, &array.shape, samples),
        Samples::I32(samples) => write_as(file, &array.shape, samples),
        Samples::F16(samples) => write_as(file, &array.shape, samples),
        // To others it is an array of integers.
        Samples::Rounded(samples) => {
            write_as(file, &array.shape, bytemuck::cast_slice::<_, i16>(samples))
        }
        Samples::F32(samples) => write_as(file, &array.shape, samples),
        Samples::F64(samples) => write_as(file, &array.shape, samples),
    }
}

fn write_as<T: AutoSerialize + Copy>(
    file: &mut impl Write,
    shape: &[usize],
    samples: &[T],
) -> Result<()> {
    let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
    let options = npyz::WriteOptions::new().default_dtype().shape(&shape);
    let mut writer = options.writer(file).begin_nd()?;
    writer.extend(samples.iter().copied())?;
    Ok(writer.finish()?)
}
