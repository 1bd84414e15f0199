//! What to compute: a [`Transform`] by some wavelet of an array of some shape, its sub-bands and
//! coefficients, and the reference that computes it on the CPU.

mod arithmetic;
mod band;
mod coefficients;
mod gains;
pub(crate) mod geometry;
mod headroom;
mod layout;
mod levels;
mod norms;
mod overlap;
pub mod reference;
mod region;
mod view;

pub use band::Band;
pub use coefficients::Coefficients;
pub(crate) use coefficients::zeroed;
pub use layout::Layout;
pub(crate) use levels::Level;
pub use region::Region;
pub use view::{BandView, BandViewMut};

use crate::error::{Error, Result};
use crate::wavelet::{Boundary, Wavelet};

/// The largest number of axes that an array may have.
pub const MAX_AXES: usize = 4;
/// The largest length of an axis. Kernels count up to twice as many places in 32 bits.
pub const MAX_LENGTH: usize = 1 << 30;
/// The largest number of levels that a transform may have.
pub const MAX_LEVELS: u32 = 64;

/// A transform as plain data: the wavelet, the shape of the array (1 to 4 axes, row-major, the last
/// axis contiguous), the axes to transform (the others are a batch), the number of levels, the
/// boundary rule and the layout of the coefficients.
///
/// Equal transforms, whose axes may have been listed in any order, have equal plans, so a transform
/// can be the key of a map of plans.
///
/// ```
/// use wavelift::{Boundary, Transform, Wavelet};
/// // Five levels over the last two axes of a batch of three pictures.
/// let transform = Transform::new(Wavelet::CDF_5_3, [3, 1080, 1920])
///     .axes([1, 2])
///     .levels(5)
///     .boundary(Boundary::Symmetric);
/// assert_eq!(transform.len(), 3 * 1080 * 1920);
/// transform.check()?;
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    wavelet: Wavelet,
    shape: Vec<usize>,
    /// Sorted.
    axes: Vec<usize>,
    levels: u32,
    boundary: Boundary,
    layout: Layout,
}

impl Transform {
    /// Describes one level of `wavelet` over all axes of an array of `shape`, with the wavelet's
    /// own boundary rule and the Mallat layout. Nothing is checked until the transform is planned
    /// or computed; [`check`](Self::check) checks it earlier.
    pub fn new(wavelet: Wavelet, shape: impl Into<Vec<usize>>) -> Self {
        let shape = shape.into();
        Transform {
            axes: (0..shape.len()).collect(),
            shape,
            levels: 1,
            boundary: wavelet.boundary(),
            layout: Layout::Mallat,
            wavelet,
        }
    }

    /// The same transform of arrays of another shape, with as many axes.
    pub(crate) fn with_shape(&self, shape: Vec<usize>) -> Self {
        Transform {
            shape,
            ..self.clone()
        }
    }

    /// Refuses the coefficients of another transform.
    pub(crate) fn check_same(&self, other: &Self) -> Result<()> {
        self.difference(other).map_or(Ok(()), |[expected, got]| {
            Err(Error::Shape {
                what: "coefficients",
                expected,
                got,
            })
        })
    }

    /// In what `other` differs, as one line each for this one and for the other;
    /// `None` where they are equal.
    pub(crate) fn difference(&self, other: &Self) -> Option<[String; 2]> {
        let described = |t: &Self| {
            [
                format!("wavelet {}", t.wavelet.name()),
                format!("shape {:?}", t.shape),
                format!("axes {:?}", t.axes),
                format!("levels {}", t.levels),
                format!("boundary {}", t.boundary),
                format!("layout {}", t.layout),
            ]
        };
        let (one, two) = (described(self), described(other));
        let differ = || one.iter().zip(&two).filter(|(a, b)| a != b);
        let join = |parts: Vec<&str>| parts.join(", ");
        (self != other).then(|| {
            let sides = [
                join(differ().map(|(a, _)| a.as_str()).collect()),
                join(differ().map(|(_, b)| b.as_str()).collect()),
            ];
            // Wavelets of one's own may have one name and other steps.
            sides.map(|side| match side.is_empty() {
                true => format!("other steps of {}", self.wavelet.name()),
                false => side,
            })
        })
    }

    /// Returns this transform with only the given axes transformed and the others as a batch. Axes
    /// are counted from 0, outermost first; they may be listed in any order, each at most once.
    pub fn axes(mut self, axes: impl Into<Vec<usize>>) -> Self {
        self.axes = axes.into();
        self.axes.sort_unstable();
        self
    }

    /// Returns this transform with the given number of levels, 0 to [`MAX_LEVELS`]. Each level
    /// applies to all chosen axes together and skips axes that are down to one sample, so surplus
    /// levels do nothing: [`max_levels`](Self::max_levels) says from where on.
    pub fn levels(mut self, levels: u32) -> Self {
        self.levels = levels;
        self
    }

    /// Returns this transform with the given boundary rule instead of the wavelet's own.
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// Returns this transform with the given layout of the coefficients.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Returns the wavelet.
    pub fn wavelet(&self) -> &Wavelet {
        &self.wavelet
    }

    /// Returns the lengths of the axes of the array, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the axes that are transformed, outermost first, in whatever order they were
    /// listed. The others are a batch.
    pub fn chosen_axes(&self) -> &[usize] {
        &self.axes
    }

    /// Returns the number of levels that were asked for, whether or not the shape has so many.
    pub fn level_count(&self) -> u32 {
        self.levels
    }

    /// Returns the number of levels after which every chosen axis is down to one sample, so that
    /// further ones do nothing: the logarithm to base 2 of the longest of them, rounded up. The
    /// wavelet does not matter, nor how many levels were asked for. A shape or axes that
    /// [`check`](Self::check) refuses have 0.
    ///
    /// ```
    /// use wavelift::{Transform, Wavelet};
    /// // 640, 320, 160, 80, 40, 20, 10, 5, 3, 2, 1.
    /// let picture = Transform::new(Wavelet::CDF_9_7, [480, 640]);
    /// assert_eq!(picture.max_levels(), 10);
    /// // As many as the shorter of two axes has, but no more than five.
    /// let along = |axis: usize| picture.clone().axes([axis]).max_levels();
    /// let levels = along(0).min(along(1)).min(5);
    /// let transform = picture.clone().levels(levels);
    /// # assert_eq!((transform.level_count(), along(0)), (5, 9));
    /// ```
    pub fn max_levels(&self) -> u32 {
        if self.clone().levels(0).check().is_err() {
            return 0;
        }
        let longest = self.axes.iter().map(|&axis| self.shape[axis]).max();
        longest.map_or(0, |n| n.next_power_of_two().ilog2())
    }

    /// Returns the boundary rule.
    pub fn boundary_rule(&self) -> Boundary {
        self.boundary
    }

    /// Returns the layout of the coefficients.
    pub fn coefficient_layout(&self) -> Layout {
        self.layout
    }

    /// Returns the number of samples of the array, which is also the number of coefficients. It is
    /// zero if [`check`](Self::check) refuses the shape.
    pub fn len(&self) -> usize {
        let product =
            |product: usize, &n: &usize| product.checked_mul(n).filter(|_| n <= MAX_LENGTH);
        let samples = self.shape.iter().try_fold(1, product);
        let addressable = samples.filter(|&samples| samples <= isize::MAX as usize / 8);
        let axes = 1..=MAX_AXES;
        addressable
            .filter(|_| axes.contains(&self.shape.len()))
            .unwrap_or(0)
    }

    /// Whether [`len`](Self::len) is zero, which means that
    /// [`check`](Self::check) refuses the shape.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks whether the shape, the axes and the number of levels make a possible transform. Every
    /// call that takes a transform checks this itself.
    ///
    /// # Errors
    /// [`Error::Shape`] for a shape of no axes or more than [`MAX_AXES`]; for an axis of
    /// length 0 or over [`MAX_LENGTH`]; for more samples than can be addressed; if no
    /// axis is to be transformed, one is listed twice, or one does not exist; and for
    /// more than [`MAX_LEVELS`] levels.
    pub fn check(&self) -> Result<()> {
        let refuse = |what, expected: String, got: String| {
            Err(Error::Shape {
                what,
                expected,
                got,
            })
        };
        let shape = &self.shape;
        if shape.is_empty() || shape.len() > MAX_AXES {
            let expected = format!("1 to {MAX_AXES} axes");
            return refuse("shape", expected, format!("{shape:?}"));
        }
        if shape.iter().any(|n| !(1..=MAX_LENGTH).contains(n)) {
            let expected = format!("axes of 1 to {MAX_LENGTH} samples");
            return refuse("shape", expected, format!("{shape:?}"));
        }
        if self.is_empty() {
            let expected = "a number of samples that can be addressed".to_owned();
            return refuse("shape", expected, format!("{shape:?}"));
        }
        for (i, axis) in self.axes.iter().enumerate() {
            if *axis >= shape.len() || self.axes[..i].contains(axis) {
                let expected = format!("distinct axes below {}", shape.len());
                return refuse("axes", expected, format!("{:?}", self.axes));
            }
        }
        if self.axes.is_empty() {
            let expected = "at least one axis".to_owned();
            return refuse("axes", expected, "none".to_owned());
        }
        if self.levels > MAX_LEVELS {
            let expected = format!("0 to {MAX_LEVELS}");
            return refuse("levels", expected, self.levels.to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
