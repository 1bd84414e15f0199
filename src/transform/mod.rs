//! What to compute: a wavelet on an array of some shape.

mod band;
mod coefficients;
pub(crate) mod geometry;
pub mod reference;

pub use band::Band;
pub use coefficients::{BandView, BandViewMut, Coefficients};

use crate::error::{Error, Result};
use crate::names::named;
use crate::wavelet::Boundary;
use crate::wavelet::{AxisOrder, Wavelet};

/// The most axes that an array may have.
pub const MAX_AXES: usize = 4;
/// The most samples that one axis may have: kernels count twice as many places in 32 bits.
pub const MAX_LENGTH: usize = 1 << 30;
/// The most levels that may be asked for.
pub const MAX_LEVELS: u32 = 64;

/// Where the coefficients stand in an array of the input's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// On each axis the ceil(n/2) low-pass coefficients first, recursing into the low corner.
    Mallat,
    /// Coefficients stay where their samples were; level l works on every 2^(l-1)-th place of each axis.
    Interleaved,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Layout; 2] = [Layout::Mallat, Layout::Interleaved];

    /// The name, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Mallat => "mallat",
            Layout::Interleaved => "interleaved",
        }
    }
}

named!(Layout, "layout");

/// A transform, as plain data: the wavelet, the array's shape (1 to 4 axes, row-major, the last axis
/// contiguous), which axes are transformed (the others are a batch), how many levels, the boundary rule
/// and the layout of the coefficients.
///
/// ```
/// use wavelift::{Boundary, Transform, Wavelet};
/// // Five levels over the last two axes of a stack of three pictures.
/// let transform = Transform::new(Wavelet::CDF_5_3, [3, 1080, 1920])
///     .axes([1, 2])
///     .levels(5)
///     .boundary(Boundary::Symmetric);
/// assert_eq!(transform.len(), 3 * 1080 * 1920);
/// transform.check()?;
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transform {
    /// The wavelet.
    pub wavelet: Wavelet,
    /// The lengths of the axes, outermost first.
    pub shape: Vec<usize>,
    /// The axes that are transformed, outermost first; [`axes`](Self::axes()) sorts them.
    pub axes: Vec<usize>,
    /// The number of levels.
    pub levels: u32,
    /// The rule at the array's borders.
    pub boundary: Boundary,
    /// Where the coefficients stand.
    pub layout: Layout,
}

/// One level of a transform that has something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// 1 is the finest.
    pub number: u32,
    /// The shape before the level: of the picture, or of the low band of the level before.
    pub shape: Vec<usize>,
    /// The axes longer than one sample, in the order of the forward transform.
    pub axes: Vec<usize>,
}

impl Transform {
    /// One level of `wavelet` over all axes of an array of `shape`, with the wavelet's own boundary rule
    /// and the Mallat layout. Nothing is checked until it is planned, or [`check`](Self::check)ed.
    pub fn new(wavelet: Wavelet, shape: impl Into<Vec<usize>>) -> Self {
        let shape = shape.into();
        Transform {
            wavelet,
            axes: (0..shape.len()).collect(),
            shape,
            levels: 1,
            boundary: wavelet.boundary(),
            layout: Layout::Mallat,
        }
    }

    /// The same over these axes only, in any order, each at most once.
    pub fn axes(mut self, axes: impl Into<Vec<usize>>) -> Self {
        self.axes = axes.into();
        self.axes.sort_unstable();
        self
    }

    /// The same with this many levels, 0 to 64, applied to all chosen axes together. A level skips axes
    /// that are down to one sample, so more levels than fit do no harm.
    pub fn levels(mut self, levels: u32) -> Self {
        self.levels = levels;
        self
    }

    /// The same with this rule at the array's borders.
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// The same with this layout of the coefficients.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// How many samples the array has, and how many coefficients the transform gives. Zero where the
    /// shape is refused by [`check`](Self::check).
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

    /// Whether the array has no samples, which [`check`](Self::check) refuses.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether shape, axes and levels can be transformed.
    ///
    /// # Errors
    /// [`Error::Shape`] for no axes or more than [`MAX_AXES`], an axis of length 0 or over [`MAX_LENGTH`], more
    /// samples than can be addressed, an axis that is not there or is named twice, more than
    /// [`MAX_LEVELS`] levels.
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

    /// The shape that is left after `levels` levels: of the low corner (Mallat) or of the lattice that the
    /// next level works on (interleaved).
    pub(crate) fn shape_after(&self, levels: u32) -> Vec<usize> {
        let mut shape = self.shape.clone();
        for &axis in &self.axes {
            for _ in 0..levels.min(usize::BITS) {
                shape[axis] = shape[axis].div_ceil(2);
            }
        }
        shape
    }

    /// The levels in which some axis is longer than one sample, finest first.
    pub(crate) fn active_levels(&self) -> Vec<Level> {
        let mut order = self.axes.clone();
        order.sort_unstable();
        if self.wavelet.axis_order() == AxisOrder::InnermostFirst {
            order.reverse();
        }
        (1..=self.levels)
            .map(|number| {
                let shape = self.shape_after(number - 1);
                let axes = order.iter().copied().filter(|&a| shape[a] > 1).collect();
                Level {
                    number,
                    shape,
                    axes,
                }
            })
            .take_while(|level| !level.axes.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_checked() {
        let ok = |t: Transform| t.check().is_ok();
        let t = |shape: &[usize]| Transform::new(Wavelet::HAAR, shape);
        assert!(ok(t(&[1])) && ok(t(&[2, 3, 5, 7])) && ok(t(&[4, 4]).levels(64)));
        assert!(ok(t(&[4, 4]).axes([1, 0])) && ok(t(&[4, 4]).levels(0)));
        assert!(!ok(t(&[])) && !ok(t(&[1; 5])) && !ok(t(&[4, 0])));
        assert!(!ok(t(&[1 << 31])) && !ok(t(&[i32::MAX as usize; 4])));
        assert!(!ok(t(&[4, 4]).axes([0, 0])) && !ok(t(&[4, 4]).axes([2])) && !ok(t(&[4]).axes([])));
        assert!(!ok(t(&[4, 4]).levels(65)));
    }

    #[test]
    fn levels_stop_where_nothing_is_left() {
        let t = Transform::new(Wavelet::HAAR, [3, 9]).levels(64);
        let shapes: Vec<_> = t.active_levels().into_iter().map(|l| l.shape).collect();
        assert_eq!(shapes, [[3, 9], [2, 5], [1, 3], [1, 2]]);
        assert_eq!(t.active_levels()[3].axes, [1]);
        assert_eq!(t.shape_after(64), [1, 1]);
    }

    #[test]
    fn the_standard_gives_the_order_of_axes() {
        let order = |w| {
            Transform::new(w, [4, 4, 4]).axes([1, 0, 2]).active_levels()[0]
                .axes
                .clone()
        };
        assert_eq!(order(Wavelet::CDF_5_3), [0, 1, 2]);
        assert_eq!(order(Wavelet::VC2_DD_9_7), [2, 1, 0]);
    }
}
