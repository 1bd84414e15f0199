//! Where the samples of a pass lie: views of arrays at one level, and their lines along one axis.

use crate::transform::{Layout, Transform};
use bytemuck::{Pod, Zeroable};

/// The two channels of an axis: the distance between neighbours within a channel, and where the second (detail)
/// channel starts. The same as `Axis` in cl/common.cl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Axis {
    pub pair: i64,
    pub high: i64,
}

/// Where the lines of a pass stand in one array: on its signal side, on its sub-band side, or in the LL band. The
/// same as `Side` in cl/common.cl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Side {
    pub offset: i64,
    pub line: Axis,
    pub across: [Axis; 3],
}

/// The arguments of a kernel besides its arrays. The same as `Pass` in cl/common.cl. The field `corner` says where
/// the LL band stands if it has an array of its own.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Arguments {
    pub from: Side,
    pub to: Side,
    pub corner: Side,
    pub samples: i32,
    pub lines: i32,
    pub across: [i32; 3],
    pub low: [i32; 3],
    pub boundary: i32,
    pub shift_in: i32,
    pub shift_out: i32,
    pub has_corner: i32,
    pub step: i32,
    pub groups: i32,
    pub windows: i32,
    pub segments: i32,
    pub frame_x: i32,
    pub frame_y: i32,
}

/// How the two channels of an axis lie in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// In the order of the signal: the axis is not transformed, or not yet.
    Signal,
    /// All approximations first, then all details.
    Planar,
    /// Each coefficient where its sample was.
    Interleaved,
}

/// An array as one level sees it: the shape at that level, and for each axis the stride and the order of the
/// samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub order: Vec<Order>,
}

impl View {
    /// A dense array of `shape`, with all axes in signal order.
    pub fn dense(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis];
        }
        View {
            shape: shape.to_vec(),
            strides,
            order: vec![Order::Signal; shape.len()],
        }
    }

    /// The place of level `number` (1 is the finest) in an array of coefficients in the transform's layout, before
    /// the level transforms its axes.
    pub fn of_level(transform: &Transform, number: u32) -> Self {
        let mut view = View::dense(&transform.shape);
        view.shape = transform.shape_after(number - 1);
        if transform.layout == Layout::Interleaved {
            for &axis in &transform.axes {
                if view.shape[axis] > 1 {
                    view.strides[axis] <<= number - 1;
                }
            }
        }
        view
    }

    /// This view with the channels of `axes` in `order`.
    pub fn with_order(mut self, axes: &[usize], order: Order) -> Self {
        for &axis in axes {
            self.order[axis] = order;
        }
        self
    }

    /// The channels of `axis` for a pass along it.
    fn along(&self, axis: usize) -> Axis {
        let stride = self.strides[axis] as i64;
        match self.order[axis] {
            Order::Planar => Axis {
                pair: stride,
                high: stride * self.shape[axis].div_ceil(2) as i64,
            },
            Order::Signal | Order::Interleaved => Axis {
                pair: 2 * stride,
                high: stride,
            },
        }
    }

    /// The places of the lines across `axis`, of which the first `low` are low-pass.
    fn across(&self, axis: usize, low: usize) -> Axis {
        let stride = self.strides[axis] as i64;
        match self.order[axis] {
            Order::Signal | Order::Planar => Axis {
                pair: stride,
                high: stride * low as i64,
            },
            Order::Interleaved => Axis {
                pair: 2 * stride,
                high: stride,
            },
        }
    }
}

/// The lines along `axis` of a box that stands as `from` in one array and as `to` in another. Across every axis
/// that is transformed in either array, lines are counted in channel order.
pub(crate) fn lines(axis: usize, from: &View, to: &View) -> Arguments {
    let mut arguments = Arguments {
        samples: from.shape[axis] as i32,
        lines: 1,
        across: [1; 3],
        low: [1; 3],
        ..Arguments::default()
    };
    arguments.from.line = from.along(axis);
    arguments.to.line = to.along(axis);
    let others = (0..from.shape.len()).rev().filter(|&other| other != axis);
    for (i, other) in others.enumerate() {
        let extent = from.shape[other];
        let signal = |view: &View| view.order[other] == Order::Signal;
        let low = if signal(from) && signal(to) {
            extent
        } else {
            extent.div_ceil(2)
        };
        arguments.across[i] = extent as i32;
        arguments.low[i] = low as i32;
        arguments.lines = arguments.lines.saturating_mul(extent as i32);
        arguments.from.across[i] = from.across(other, low);
        arguments.to.across[i] = to.across(other, low);
    }
    arguments
}

/// Lines along `axis` whose LL band, viewed as `corner`, has an array of its own.
pub(crate) fn with_corner(mut arguments: Arguments, axis: usize, corner: &View) -> Arguments {
    arguments.has_corner = 1;
    arguments.corner.line.pair = corner.strides[axis] as i64;
    let others = (0..corner.shape.len()).rev().filter(|&other| other != axis);
    for (i, other) in others.enumerate() {
        arguments.corner.across[i].pair = corner.strides[other] as i64;
    }
    arguments
}

/// The same lines, with the axes across merged into as few as possible: kernels take lines that are neighbours
/// across the first axis together.
pub(crate) fn folded(mut arguments: Arguments) -> Arguments {
    let sides = |a: &Arguments, i: usize| [a.from.across[i], a.to.across[i], a.corner.across[i]];
    let count = if arguments.has_corner == 1 { 3 } else { 2 };
    let mut axes: Vec<(i32, i32, [Axis; 3])> = Vec::new();
    for i in (0..3).filter(|&i| arguments.across[i] > 1) {
        let (extent, mut low, places) =
            (arguments.across[i], arguments.low[i], sides(&arguments, i));
        // Where details follow their approximations in every array, the two need not be told apart.
        let follow = |place: &Axis| place.high == i64::from(low) * place.pair;
        if arguments.has_corner == 0 && places[..count].iter().all(follow) {
            low = extent;
        }
        match axes.last_mut() {
            Some((within, within_low, inner))
                if within == within_low
                    && (0..count).all(|k| places[k].pair == i64::from(*within) * inner[k].pair) =>
            {
                *within_low = *within * low;
                *within *= extent;
                for (inner, outer) in inner.iter_mut().zip(places) {
                    inner.high = outer.high;
                }
            }
            _ => axes.push((extent, low, places)),
        }
    }
    for i in 0..3 {
        let (extent, low, places) = axes.get(i).copied().unwrap_or((1, 1, Default::default()));
        (arguments.across[i], arguments.low[i]) = (extent, low);
        [
            arguments.from.across[i],
            arguments.to.across[i],
            arguments.corner.across[i],
        ] = places;
    }
    arguments
}

/// The pictures of a batch whose last two axes are transformed in one pass, from `from` to `to`: the lines along x,
/// with y as the first axis across. If `corner` is given, the LL band has an array of its own.
pub(crate) fn planes(from: &View, to: &View, corner: Option<&View>) -> Arguments {
    let [y, x] = [from.shape.len() - 2, from.shape.len() - 1];
    let mut arguments = lines(x, from, to);
    if let Some(corner) = corner {
        arguments = with_corner(arguments, x, corner);
    }
    arguments.from.across[0] = from.along(y);
    arguments.to.across[0] = to.along(y);
    arguments
}

/// The largest number of lines that a transform has along one of its axes; kernels count lines in 32 bits. Lines of
/// one sample are never lifted. Lines along the last axis always count, because arrays are copied along it.
pub(crate) fn most_lines(transform: &Transform) -> usize {
    let last = transform.shape.last().copied();
    let lifted = transform.axes.iter().map(|&axis| transform.shape[axis]);
    let shortest = lifted.chain(last).filter(|&samples| samples > 1).min();
    transform.len() / shortest.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    #[test]
    fn arguments_have_no_hidden_padding() {
        assert_eq!(size_of::<Side>(), 9 * 8);
        assert_eq!(size_of::<Arguments>(), 27 * 8 + 18 * 4);
    }

    #[test]
    fn a_column_pass_of_a_batch_of_pictures() {
        let signal = View::dense(&[3, 5, 7]);
        let bands = signal.clone().with_order(&[1], Order::Planar);
        let pass = lines(1, &signal, &bands);
        assert_eq!((pass.samples, pass.lines), (5, 21));
        assert_eq!((pass.across, pass.low), ([7, 3, 1], [7, 3, 1]));
        assert_eq!(pass.from.line, Axis { pair: 14, high: 7 });
        assert_eq!(pass.to.line, Axis { pair: 7, high: 21 });
        assert_eq!(pass.from.across[1].pair, 35);
    }

    #[test]
    fn axes_across_fold_where_lines_are_evenly_apart() {
        let folded = |axis, from: &View, to: &View| {
            let pass = folded(lines(axis, from, to));
            assert_eq!(pass.lines, pass.across.iter().product());
            (pass.across, pass.low, pass.to.across[0])
        };
        let axis = |pair, high| Axis { pair, high };
        // A picture of three colours, pixel by pixel. The lines along y merge across a row of all pixels; those along
        // x, across the colours of a pixel.
        let signal = View::dense(&[5, 7, 3]);
        let bands = |axes: &[usize]| signal.clone().with_order(axes, Order::Planar);
        let row = folded(0, &signal, &bands(&[0]));
        assert_eq!((row.0, row.1), ([21, 1, 1], [21, 1, 1]));
        let colours = folded(1, &signal, &bands(&[1]));
        assert_eq!((colours.0, colours.2), ([3, 5, 1], axis(1, 3)));
        // After a pass along x, approximations come first on both sides, or on one.
        let row = folded(0, &bands(&[1]), &bands(&[0, 1]));
        assert_eq!((row.0, row.1), ([21, 1, 1], [21, 1, 1]));
        let interleaved = signal.clone().with_order(&[0, 1], Order::Interleaved);
        let apart = folded(0, &bands(&[1]), &interleaved);
        assert_eq!((apart.0, apart.1), ([3, 7, 1], [3, 4, 1]));
        // Where the LL band has an array of its own, approximations and details stay apart.
        let pass = with_corner(
            lines(0, &bands(&[1]), &bands(&[0, 1])),
            0,
            &View::dense(&[3, 4, 3]),
        );
        let pass = super::folded(pass);
        assert_eq!((pass.across, pass.low), ([21, 1, 1], [12, 1, 1]));
        assert_eq!(
            (pass.to.across[0], pass.corner.across[0].pair),
            (axis(1, 12), 1)
        );
        // An axis of one sample does not count.
        let pass = folded(2, &View::dense(&[9, 1, 8]), &View::dense(&[9, 1, 8]));
        assert_eq!((pass.0, pass.2.pair), ([9, 1, 1], 8));
    }

    #[test]
    fn only_axes_that_are_lifted_make_lines() {
        let lines = |transform: Transform| most_lines(&transform);
        assert_eq!(
            lines(Transform::new(Wavelet::HAAR, [1, 65536, 65536])),
            65536
        );
        assert_eq!(
            lines(Transform::new(Wavelet::HAAR, [3, 8, 9]).axes([1])),
            27
        );
        assert_eq!(lines(Transform::new(Wavelet::HAAR, [1, 1])), 1);
    }

    #[test]
    fn interleaved_levels_keep_their_places() {
        let transform = Transform::new(Wavelet::CDF_5_3, [9, 10]).layout(Layout::Interleaved);
        let view = View::of_level(&transform, 2).with_order(&[0, 1], Order::Interleaved);
        assert_eq!(
            (view.shape.as_slice(), view.strides.as_slice()),
            (&[5, 5][..], &[20, 2][..])
        );
        let pass = lines(
            1,
            &View::dense(&[5, 5]).with_order(&[0], Order::Planar),
            &view,
        );
        assert_eq!(pass.low[0], 3);
        // Row 3 of the dense array is the first detail row, at place 1 of the level's lattice.
        assert_eq!(pass.to.across[0], Axis { pair: 40, high: 20 });
        assert_eq!(pass.to.line, Axis { pair: 4, high: 2 });
    }
}
