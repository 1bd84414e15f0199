//! Sub-bands: their names, and their places in an array of coefficients.

use crate::error::{Error, Result};
use crate::transform::{Layout, MAX_AXES, Transform};
use crate::wavelet::Channel;
use std::fmt;
use std::str::FromStr;

/// The name of a sub-band: whether it is low-pass (L) or high-pass (H) along each transformed
/// axis, innermost axis (x) first. `HL` is high-pass along x and low-pass along y; in the
/// Mallat layout it stands at the top right. [`FromStr`] reads the names for any number of
/// axes, such as `"H"` or `"HLL"`.
///
/// ```
/// use wavelift::{Band, Transform, Wavelet};
///
/// // A transform lists the bands that its coefficients consist of, coarsest first.
/// let transform = Transform::new(Wavelet::CDF_9_7, [64, 64]).levels(2);
/// let bands: Vec<String> = transform.bands().iter().map(|(level, band)| format!("{band}{level}")).collect();
/// assert_eq!(bands, ["LL2", "HL2", "LH2", "HH2", "HL1", "LH1", "HH1"]);
/// assert_eq!("HL".parse(), Ok(Band::HL));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Band {
    axes: usize,
    /// Bit i: high-pass along the i-th axis, innermost first.
    high: u32,
}

impl Band {
    /// The low-pass band of a transform of one axis. Only that of the coarsest level is kept.
    pub const L: Band = Band { axes: 1, high: 0 };
    /// The high-pass band of a transform of one axis.
    pub const H: Band = Band { axes: 1, high: 1 };
    /// The band that is low-pass along x and y. Only that of the coarsest level is kept.
    pub const LL: Band = Band { axes: 2, high: 0 };
    /// The band that is high-pass along x and low-pass along y.
    pub const HL: Band = Band { axes: 2, high: 1 };
    /// The band that is low-pass along x and high-pass along y.
    pub const LH: Band = Band { axes: 2, high: 2 };
    /// The band that is high-pass along x and y.
    pub const HH: Band = Band { axes: 2, high: 3 };

    /// Names the band that is low-pass (approximation) or high-pass (detail) along each transformed
    /// axis, innermost axis (x) first.
    ///
    /// ```
    /// use wavelift::{Band, Channel::{Approximation, Detail}};
    /// assert_eq!(Band::new([Detail, Approximation]), Band::HL);
    /// assert_eq!(Band::new([Detail, Approximation, Detail]).to_string(), "HLH");
    /// ```
    pub const fn new<const AXES: usize>(channels: [Channel; AXES]) -> Band {
        const { assert!(AXES >= 1 && AXES <= MAX_AXES, "a band has 1 to 4 axes") };
        let (mut high, mut i) = (0, 0);
        while i < AXES {
            high |= (matches!(channels[i], Channel::Detail) as u32) << i;
            i += 1;
        }
        Band { axes: AXES, high }
    }

    /// Returns all bands of a level of a transform of `axes` axes, the low-pass band first; none of
    /// 0 axes. A number above [`MAX_AXES`] counts as [`MAX_AXES`].
    pub fn of_axes(axes: usize) -> impl Iterator<Item = Band> {
        let axes = axes.min(MAX_AXES);
        let count = if axes == 0 { 0 } else { 1u32 << axes };
        (0..count).map(move |high| Band { axes, high })
    }

    /// Whether the band is low-pass along every axis.
    pub fn is_low(self) -> bool {
        self.high == 0
    }

    /// Whether the band is high-pass along the i-th transformed axis, innermost first.
    pub(crate) fn is_high_along(self, i: usize) -> bool {
        self.high >> i & 1 == 1
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |i| if self.is_high_along(i) { 'H' } else { 'L' };
        f.pad(&(0..self.axes).map(letter).collect::<String>())
    }
}

impl fmt::Debug for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Band({self})")
    }
}

impl FromStr for Band {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let good = name.bytes().all(|c| c == b'L' || c == b'H');
        if name.is_empty() || name.len() > MAX_AXES || !good {
            return Err(Error::Unknown {
                what: "band",
                expected: format!("1 to {MAX_AXES} letters L or H, innermost axis first"),
                got: name.to_owned(),
            });
        }
        let bit = |(i, c)| u32::from(c == b'H') << i;
        Ok(Band {
            axes: name.len(),
            high: name.bytes().enumerate().map(bit).sum(),
        })
    }
}

/// Where a band stands in an array of coefficients. Shape and strides have an entry for each axis
/// of the array, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BandBox {
    pub offset: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    /// The last two transformed axes, y and x, where there are as many.
    pub picture: [Option<usize>; 2],
}

impl Transform {
    /// The transformed axes, innermost first.
    pub(super) fn axes_innermost_first(&self) -> Vec<usize> {
        self.axes.iter().rev().copied().collect()
    }

    /// Returns the bands that the coefficients consist of, each with the number of its level,
    /// coarsest first: the low-pass band of the coarsest level, then the other bands of every level
    /// down to the finest, which is level 1. A band may be empty.
    ///
    /// Levels at which every chosen axis is down to one sample are left out; asked for by number,
    /// their bands are empty. A transform that [`check`](Self::check) refuses has no bands.
    pub fn bands(&self) -> Vec<(u32, Band)> {
        if self.check().is_err() {
            return Vec::new();
        }
        let coarsest = self.coarsest();
        let axes = self.axes.len();
        let low = Band { axes, high: 0 };
        let details = (1..=coarsest).rev().flat_map(|level| {
            let high = Band::of_axes(axes).filter(|band| !band.is_low());
            high.map(move |band| (level, band))
        });
        std::iter::once((coarsest, low)).chain(details).collect()
    }

    pub(super) fn check_band(&self, level: u32, band: Band) -> Result<()> {
        self.check()?;
        let refuse = |expected: String| {
            Err(Error::Shape {
                what: "band",
                expected,
                got: format!("{band} of level {level}"),
            })
        };
        if band.axes != self.axes.len() {
            return refuse(format!("{} letters, one for each axis", self.axes.len()));
        }
        let coarsest = self.coarsest();
        if band.is_low() {
            // A level beyond the coarsest has the same low-pass band as the coarsest.
            if level < coarsest || level > self.levels {
                return refuse(format!("{band} of level {coarsest}, the only one kept"));
            }
        } else if self.levels == 0 {
            return refuse("a low-pass band, since the transform has no levels".to_owned());
        } else if level == 0 || level > self.levels {
            return refuse(format!("a level from 1 to {}", self.levels));
        }
        Ok(())
    }

    /// Where a band of a level stands in the array of coefficients.
    pub(crate) fn band_box(&self, level: u32, band: Band) -> Result<BandBox> {
        self.check_band(level, band)?;
        let level = if band.is_low() {
            level.min(self.coarsest())
        } else {
            level
        };
        let mut at = BandBox {
            offset: 0,
            shape: self.shape.clone(),
            strides: vec![1; self.shape.len()],
            picture: [1, 0].map(|i| self.axes_innermost_first().get(i).copied()),
        };
        for axis in (1..self.shape.len()).rev() {
            at.strides[axis - 1] = at.strides[axis] * self.shape[axis];
        }
        if level == 0 {
            return Ok(at);
        }
        let before = self.shape_after(level - 1);
        for (i, &axis) in self.axes_innermost_first().iter().enumerate() {
            let n = before[axis];
            let (low, high) = (n.div_ceil(2), n / 2);
            let is_high = band.is_high_along(i);
            at.shape[axis] = if is_high { high } else { low };
            if n == 1 {
                continue;
            }
            let stride = at.strides[axis];
            let to_high = match self.layout {
                Layout::Mallat => low * stride,
                Layout::Interleaved => {
                    at.strides[axis] = stride << level;
                    stride << (level - 1)
                }
            };
            if is_high {
                at.offset += to_high;
            }
        }
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    #[test]
    fn names_round_trip() {
        for axes in 1..=4 {
            for band in Band::of_axes(axes) {
                assert_eq!(band.to_string().parse(), Ok(band));
            }
        }
        assert_eq!("HL".parse(), Ok(Band::HL));
        for bad in ["", "hl", "LLLLL", "LX"] {
            assert!(bad.parse::<Band>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_band_has_a_name() {
        let counts = [0, 1, 2, 3, 4, 5].map(|axes| Band::of_axes(axes).count());
        assert_eq!(counts, [0, 2, 4, 8, 16, 16]);
        for band in (0..=4).flat_map(Band::of_axes) {
            assert_eq!(band.to_string().parse(), Ok(band));
        }
    }

    #[test]
    fn bands_cover_every_coefficient_once() {
        for &layout in Layout::ALL {
            for (shape, axes) in [
                (vec![5, 7], vec![0, 1]),
                (vec![3, 1, 6], vec![2, 1]),
                (vec![4, 3, 2, 5], vec![0, 3]),
                (vec![9], vec![0]),
            ] {
                for levels in [0, 1, 2, 5] {
                    let transform = Transform::new(Wavelet::HAAR, shape.clone())
                        .axes(axes.clone())
                        .levels(levels)
                        .layout(layout);
                    let mut seen = vec![0; transform.len()];
                    for (level, band) in transform.bands() {
                        let at = transform.band_box(level, band).unwrap();
                        let count: usize = at.shape.iter().product();
                        for i in 0..count {
                            let (mut rest, mut place) = (i, at.offset);
                            for (n, stride) in at.shape.iter().zip(&at.strides).rev() {
                                place += rest % n * stride;
                                rest /= n;
                            }
                            seen[place] += 1;
                        }
                    }
                    assert!(
                        seen.iter().all(|&times| times == 1),
                        "{transform:?} {seen:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn only_existing_bands_have_a_place() {
        let transform = Transform::new(Wavelet::HAAR, [8, 8]).levels(2);
        assert!(transform.band_box(2, Band::LL).is_ok());
        assert!(transform.band_box(1, Band::LL).is_err());
        assert!(transform.band_box(3, Band::HL).is_err());
        assert!(transform.band_box(0, Band::HL).is_err());
        assert!(transform.band_box(1, Band::H).is_err());
        let hl = transform.band_box(1, Band::HL).unwrap();
        assert_eq!((hl.offset, hl.shape), (4, vec![4, 4]));
    }
}
