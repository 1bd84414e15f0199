//! Regions: where the samples of an array stand in a larger one.

use super::overlap::{Sum, can_be};
use super::{Band, MAX_AXES, MAX_LENGTH, Transform};
use crate::error::{Error, Result};
use std::ops::Range;

/// Where the samples of an array stand in a larger one: from an offset on, and along each axis a
/// stride apart. All are counted in samples. A picture within a larger picture is a region, one
/// colour of interleaved ones is, and so is a sub-band.
///
/// ```
/// use wavelift::Region;
/// // 50 rows and 100 columns of a picture whose rows are 1920 samples apart.
/// let part = Region::dense([1080, 1920]).part(&[200..250, 300..400])?;
/// assert_eq!((part.offset(), part.strides()), (200 * 1920 + 300, &[1920, 1][..]));
/// // The second of three colours that stand side by side.
/// let green = Region::dense([1080, 1920]).with_strides([3 * 1920, 3]).at(1);
/// assert_eq!(green.end(), 1080 * 1920 * 3 - 1);
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Region {
    /// An array of `shape` in one piece and in row-major order, from the first place on. Nothing is
    /// checked until the region is used; [`check`](Self::check) checks it earlier.
    pub fn dense(shape: impl Into<Vec<usize>>) -> Self {
        let shape = shape.into();
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = shape[axis].saturating_mul(strides[axis]);
        }
        Region {
            offset: 0,
            shape,
            strides,
        }
    }

    /// Returns this region with its first sample at the place `offset`.
    pub fn at(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Returns this region with neighbours along each axis so many samples
    /// apart, outermost axis first.
    pub fn with_strides(mut self, strides: impl Into<Vec<usize>>) -> Self {
        self.strides = strides.into();
        self
    }

    /// Returns the part of this region that has these indices along each
    /// axis, outermost axis first.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of axes, and for a range that ends before it
    /// starts or beyond the axis.
    pub fn part(&self, ranges: &[Range<usize>]) -> Result<Region> {
        let inside =
            |(range, &n): (&Range<usize>, &usize)| range.start <= range.end && range.end <= n;
        let (axes, strides) = (self.shape.len(), self.strides.len());
        if strides != axes {
            return refuse(
                "strides",
                format!("{axes} of them"),
                format!("{:?}", self.strides),
            );
        }
        if ranges.len() != axes {
            return refuse("part", format!("{axes} ranges"), format!("{ranges:?}"));
        }
        if !ranges.iter().zip(&self.shape).all(inside) {
            return refuse(
                "part",
                format!("ranges within {:?}", self.shape),
                format!("{ranges:?}"),
            );
        }
        let starts = ranges.iter().zip(&self.strides);
        let offset = starts.fold(self.offset, |offset, (range, stride)| {
            offset.saturating_add(range.start.saturating_mul(*stride))
        });
        Ok(Region {
            offset,
            shape: ranges.iter().map(|range| range.end - range.start).collect(),
            strides: self.strides.clone(),
        })
    }

    /// Returns where a sub-band stands in the coefficients of `transform`,
    /// which stand in this region.
    ///
    /// # Errors
    /// [`Error::Shape`] for a region of another shape than the transform's, for a transform that
    /// [`Transform::check`] refuses, and for a band that its coefficients do not have.
    pub fn band(&self, transform: &Transform, level: u32, band: Band) -> Result<Region> {
        let at = transform.band_box(level, band)?;
        self.check_for(transform)?;
        let dense = Region::dense(transform.shape());
        let mut found = Region {
            offset: self.offset,
            strides: self.strides.clone(),
            shape: at.shape,
        };
        let mut rest = at.offset;
        for (axis, apart) in dense.strides.iter().enumerate() {
            found.offset += rest / apart * self.strides[axis];
            rest %= apart;
            found.strides[axis] = at.strides[axis] / apart * self.strides[axis];
        }
        Ok(found)
    }

    /// Returns the place of the first sample.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the lengths of the axes, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns how many samples apart neighbours are along each axis, outermost first.
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        let product = |product: usize, &n: &usize| product.saturating_mul(n);
        self.shape.iter().fold(1, product)
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of places that an array must have to hold the region: one past its last
    /// sample, 0 for an empty one. It is [`usize::MAX`] where it cannot be counted.
    pub fn end(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.steps()
            .fold(self.offset.saturating_add(1), |end, (n, stride)| {
                end.saturating_add((n - 1).saturating_mul(stride))
            })
    }

    /// Whether the samples are in one piece, in row-major order.
    pub fn is_dense(&self) -> bool {
        let dense = Region::dense(self.shape.as_slice());
        let mut axes = self.steps().zip(dense.steps());
        self.is_empty() || axes.all(|((n, stride), (_, dense))| n == 1 || stride == dense)
    }

    /// Whether the other region's samples are as far from one another, wherever its first one is.
    pub(crate) fn is_like(&self, other: &Region) -> bool {
        let mut steps = self.steps().zip(other.steps());
        let is_like = |((n, one), (_, other))| n == 1 || one == other;
        self.shape == other.shape && steps.all(is_like)
    }

    /// Checks whether this is a possible region. Every call that takes a region checks this itself.
    ///
    /// # Errors
    /// [`Error::Shape`] for no axes or more than [`MAX_AXES`], for an axis of more than
    /// [`MAX_LENGTH`] samples, for another number of strides, for a stride of 0, for places that
    /// cannot be addressed, and for two samples in one place (or if that is hard to tell).
    pub fn check(&self) -> Result<()> {
        let shape = &self.shape;
        if shape.is_empty() || shape.len() > MAX_AXES {
            return refuse(
                "region",
                format!("1 to {MAX_AXES} axes"),
                format!("{shape:?}"),
            );
        }
        if shape.iter().any(|&n| n > MAX_LENGTH) {
            return refuse(
                "region",
                format!("axes of up to {MAX_LENGTH} samples"),
                format!("{shape:?}"),
            );
        }
        self.check_places()
    }

    /// Whether samples or coefficients of a transform can stand here.
    pub(crate) fn check_for(&self, transform: &Transform) -> Result<()> {
        self.check()?;
        if self.shape != transform.shape() {
            return refuse(
                "region",
                format!("the transform's shape {:?}", transform.shape()),
                format!("{:?}", self.shape),
            );
        }
        Ok(())
    }

    /// Whether an array can have such places, and no two samples one of them.
    fn check_places(&self) -> Result<()> {
        let (shape, strides) = (&self.shape, &self.strides);
        if strides.len() != shape.len() || strides.contains(&0) {
            return refuse(
                "strides",
                format!("{} positive ones", shape.len()),
                format!("{strides:?}"),
            );
        }
        if self.end() > isize::MAX as usize / 8 {
            return refuse(
                "region",
                "places that can be addressed".to_owned(),
                format!("{self:?}"),
            );
        }
        if self.meets_itself() {
            return refuse(
                "strides",
                "no two samples in one place".to_owned(),
                format!("{strides:?} for {shape:?}"),
            );
        }
        Ok(())
    }

    /// Whether a sample of this region is in the same place as one of `other`, in the same array;
    /// or if that is hard to tell, as it is of a region that no array has ([`Region::check`], of
    /// which axes may be longer here).
    pub fn overlaps(&self, other: &Region) -> bool {
        let is_hard = |one: &Region| one.shape.len() > MAX_AXES || one.check_places().is_err();
        is_hard(self) || is_hard(other) || self.meets(other)
    }

    /// The same of regions that are checked.
    pub(crate) fn meets(&self, other: &Region) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        if self.end() <= other.offset || other.end() <= self.offset {
            return false;
        }
        // offset + sum of stride * index =
        // other offset + sum of other stride * (n - 1 - index from the end)
        let steps = self.steps().chain(other.steps());
        let sums = steps.map(|(n, stride)| Sum::of(stride, n - 1)).collect();
        can_be(sums, (other.end() - 1) as i128 - self.offset as i128)
    }

    /// Whether two samples are in the same place, or if that is hard to tell.
    fn meets_itself(&self) -> bool {
        let mut steps: Vec<(usize, usize)> = self.steps().filter(|(n, _)| *n > 1).collect();
        if self.is_empty() {
            return false;
        }
        steps.sort_unstable_by_key(|(_, stride)| *stride);
        // Each axis steps over all that is within the axes of smaller strides: nearly always so.
        let mut span = 0;
        let nested = steps.iter().all(|(n, stride)| {
            let steps_over = *stride > span;
            span += (n - 1) * stride;
            steps_over
        });
        // Two samples differ by some steps along each axis, forward along the first axis
        // along which they differ.
        let pair = |first: usize| {
            let (n, stride) = steps[first];
            let others = &steps[first + 1..];
            let back: usize = others.iter().map(|(n, stride)| (n - 1) * stride).sum();
            let sums = others
                .iter()
                .map(|(n, stride)| Sum::of(*stride, 2 * (n - 1)));
            let sums = sums.chain([Sum::of(stride, n - 2)]).collect();
            can_be(sums, back as i128 - stride as i128)
        };
        !nested && (0..steps.len()).any(pair)
    }

    /// Where each sample is, in row-major order.
    #[cfg(test)]
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut places = vec![self.offset];
        for (n, stride) in self.steps() {
            let along = |place: &usize| (0..n).map(|i| place + i * stride).collect::<Vec<_>>();
            places = places.iter().flat_map(along).collect();
        }
        places
    }

    /// The length and the stride of every axis.
    fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        self.shape.iter().copied().zip(self.strides.iter().copied())
    }
}

fn refuse<T>(what: &'static str, expected: String, got: String) -> Result<T> {
    Err(Error::Shape {
        what,
        expected,
        got,
    })
}

#[cfg(test)]
mod tests;
