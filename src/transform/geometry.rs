//! Where the samples of a pass lie: arrays seen at one level, and their lines along one axis.

use super::{Layout, Region, Transform};
use bytemuck::{Pod, Zeroable};

/// The two channels of an axis: the distance of neighbours within a channel, and where the details start. The same as
/// `Axis` in cl/core/pass.cl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Axis {
    pub stride: i64,
    pub detail: i64,
}

/// Where the lines of a pass stand in one array. The same as `Side` in cl/core/pass.cl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Side {
    pub offset: i64,
    pub line: Axis,
    pub across: [Axis; 3],
}

impl Side {
    /// Whether every row of pictures starts at a multiple of `size` samples, and neighbours in a row of one channel are
    /// `stride` samples apart.
    pub fn is_aligned(&self, stride: i64, size: usize) -> bool {
        let aligned = |place: i64| place % size as i64 == 0;
        let rows = self
            .across
            .iter()
            .all(|axis| aligned(axis.stride) && aligned(axis.detail));
        let starts = stride == 2 || aligned(self.line.detail);
        self.line.stride == stride && rows && starts && aligned(self.offset)
    }
}

/// Where a pass works: on the lines along one axis of a box, between the signal side and the sub-band side. The same as
/// `Pass` in cl/core/pass.cl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Geometry {
    pub signal: Side,
    pub bands: Side,
    /// Where the approximations stand that the next level reads.
    pub low: Side,
    pub samples: i32,
    pub lines: i32,
    pub across: [i32; 3],
    pub low_across: [i32; 3],
    pub boundary: i32,
    /// The level's pre-shift, where this pass applies it.
    pub shift: i32,
    pub has_low: i32,
    /// Makes the size a multiple of that of an `i64`.
    pub unused: i32,
}

impl Geometry {
    /// The arrays of the sub-bands: one of all, and that of the low band if it has its own.
    pub fn band_sides(&self) -> impl Iterator<Item = &Side> + Clone {
        let low = (self.has_low == 1).then_some(&self.low);
        [Some(&self.bands), low].into_iter().flatten()
    }

    /// The arrays of the signal and of the sub-bands.
    pub fn sides(&self) -> impl Iterator<Item = &Side> + Clone {
        [&self.signal].into_iter().chain(self.band_sides())
    }

    /// Whether coefficients of lines stay where their samples were.
    pub fn is_interleaved(&self) -> bool {
        self.bands.line.stride == 2 * self.bands.line.detail
    }

    /// Whether rows of sub-bands lie as those of the signal do: with both channels interleaved, without gaps.
    pub fn rows_lie_alike(&self) -> bool {
        self.bands.line == self.signal.line
    }

    /// Whether all pictures of a batch have their low band in an array of its own, or none has.
    pub fn lows_lie_alike(&self) -> bool {
        self.has_low == 0 || self.low_across[1..] == self.across[1..]
    }

    /// Whether the distances between the samples of a picture (2 axes) or a volume (3) fit 32 bits, those included that
    /// lie up to `past` samples past a row's end.
    pub fn fits_32_bits(&self, axes: usize, past: usize) -> bool {
        let [height, depth] = [self.across[0], self.across[1]].map(i64::from);
        let samples = [i64::from(self.samples) + past as i64, height, depth];
        let fits_32_bits = |side: &Side| {
            let places = [side.line, side.across[0], side.across[1]];
            let lengths = places.iter().zip(samples).map(|(axis, samples)| {
                let pairs = samples / 2 + 1;
                axis.stride
                    .saturating_mul(pairs)
                    .saturating_add(axis.detail)
            });
            lengths.take(axes).fold(0, i64::saturating_add) <= i64::from(i32::MAX)
        };
        self.sides().all(fits_32_bits)
    }
}

/// How the two channels of an axis lie in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Samples in the order of the signal: the axis is not transformed yet, or never.
    Signal,
    /// All approximations, then all details.
    Planar,
    /// Each coefficient where its sample was.
    Interleaved,
}

/// An array as one level sees it: its shape there, where it starts, and per axis the stride and the order of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub offset: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub order: Vec<Order>,
}

impl View {
    /// A dense array of `shape`, all axes in signal order.
    pub fn dense(shape: &[usize]) -> Self {
        View::of_region(&Region::dense(shape))
    }

    /// The array that stands in a region, all axes in signal order.
    pub fn of_region(region: &Region) -> Self {
        let axes = region.shape().iter().zip(region.strides());
        View {
            offset: region.offset(),
            shape: region.shape().to_vec(),
            // A stride that leads nowhere may be any number.
            strides: axes
                .map(|(&n, &stride)| if n > 1 { stride } else { 1 })
                .collect(),
            order: vec![Order::Signal; region.shape().len()],
        }
    }

    /// The place of level `number` (1 is the finest) in coefficients in the transform's layout that stand in a region,
    /// before its axes are transformed.
    pub fn of_level(transform: &Transform, region: &Region, number: u32) -> Self {
        let mut view = View::of_region(region);
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

    /// The same with `axes` transformed, their channels in `order`.
    pub fn with_order(mut self, axes: &[usize], order: Order) -> Self {
        for &axis in axes {
            self.order[axis] = order;
        }
        self
    }

    /// The channels of `axis` as the axis of a pass.
    fn along(&self, axis: usize) -> Axis {
        let stride = self.strides[axis] as i64;
        match self.order[axis] {
            Order::Planar => Axis {
                stride,
                detail: stride * self.shape[axis].div_ceil(2) as i64,
            },
            Order::Signal | Order::Interleaved => Axis {
                stride: 2 * stride,
                detail: stride,
            },
        }
    }

    /// The places of lines across `axis`, the first `low` of which are low-pass.
    fn across(&self, axis: usize, low: usize) -> Axis {
        let stride = self.strides[axis] as i64;
        match self.order[axis] {
            Order::Signal | Order::Planar => Axis {
                stride,
                detail: stride * low as i64,
            },
            Order::Interleaved => Axis {
                stride: 2 * stride,
                detail: stride,
            },
        }
    }
}

/// What a pass, or several, work between: the signal before, the sub-bands after, and a dense array of its own for the
/// low band that the next level reads, if one follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    pub signal: View,
    pub bands: View,
    pub low: Option<View>,
}

impl Sides {
    /// The lines along `axis`, the other axes across in this order. Lines are counted in channel order on every axis that
    /// is transformed on either side.
    fn lines_across(&self, axis: usize, others: &[usize]) -> Geometry {
        let mut geometry = Geometry {
            samples: self.signal.shape[axis] as i32,
            lines: 1,
            across: [1; 3],
            low_across: [1; 3],
            has_low: i32::from(self.low.is_some()),
            ..Geometry::default()
        };
        geometry.signal.offset = self.signal.offset as i64;
        geometry.bands.offset = self.bands.offset as i64;
        geometry.signal.line = self.signal.along(axis);
        geometry.bands.line = self.bands.along(axis);
        let strides = |axis: usize| self.low.as_ref().map_or(0, |low| low.strides[axis] as i64);
        geometry.low.line.stride = strides(axis);
        for (i, &other) in others.iter().enumerate() {
            let extent = self.signal.shape[other];
            let is_signal = |view: &View| view.order[other] == Order::Signal;
            let low = if is_signal(&self.signal) && is_signal(&self.bands) {
                extent
            } else {
                extent.div_ceil(2)
            };
            geometry.across[i] = extent as i32;
            geometry.low_across[i] = low as i32;
            geometry.lines = geometry.lines.saturating_mul(extent as i32);
            geometry.signal.across[i] = self.signal.across(other, low);
            geometry.bands.across[i] = self.bands.across(other, low);
            geometry.low.across[i].stride = strides(other);
        }
        geometry
    }

    /// The lines along `axis`, on as few axes across as that takes.
    pub fn lines(&self, axis: usize) -> Geometry {
        folded(self.lines_across(axis, &self.others(&[axis])))
    }

    /// The pictures of a batch that are transformed along `x` and `y` at once: the lines along x, with y as the first
    /// axis across.
    pub fn pictures(&self, y: usize, x: usize) -> Geometry {
        let mut others = vec![y];
        others.extend(self.others(&[x, y]));
        let mut geometry = self.lines_across(x, &others);
        geometry.signal.across[0] = self.signal.along(y);
        geometry.bands.across[0] = self.bands.along(y);
        geometry
    }

    /// The volumes of a batch that are transformed along `x`, `y` and `z` at once: the lines along x, with y and z as the
    /// first axes across.
    pub fn volumes(&self, z: usize, y: usize, x: usize) -> Geometry {
        let mut others = vec![y, z];
        others.extend(self.others(&[x, y, z]));
        let mut geometry = self.lines_across(x, &others);
        for (i, axis) in [y, z].into_iter().enumerate() {
            geometry.signal.across[i] = self.signal.along(axis);
            geometry.bands.across[i] = self.bands.along(axis);
        }
        geometry
    }

    /// The other axes, innermost first, without those of one sample.
    fn others(&self, axes: &[usize]) -> Vec<usize> {
        let shape = &self.signal.shape;
        let is_other = |axis: &usize| !axes.contains(axis) && shape[*axis] > 1;
        (0..shape.len()).rev().filter(is_other).collect()
    }
}

/// The same lines on as few axes across as that takes: kernels take neighbours on the first one together.
fn folded(mut geometry: Geometry) -> Geometry {
    let sides = |g: &Geometry, i: usize| [g.signal.across[i], g.bands.across[i], g.low.across[i]];
    let count = if geometry.has_low == 1 { 3 } else { 2 };
    let mut axes: Vec<(i32, i32, [Axis; 3])> = Vec::new();
    for i in (0..3).filter(|&i| geometry.across[i] > 1) {
        let (extent, mut low) = (geometry.across[i], geometry.low_across[i]);
        let places = sides(&geometry, i);
        // Details that follow their approximations everywhere need no telling apart.
        let follow = |place: &Axis| place.detail == i64::from(low) * place.stride;
        if geometry.has_low == 0 && places[..count].iter().all(follow) {
            low = extent;
        }
        match axes.last_mut() {
            Some((within, within_low, inner))
                if within == within_low
                    && (0..count)
                        .all(|k| places[k].stride == i64::from(*within) * inner[k].stride) =>
            {
                *within_low = *within * low;
                *within *= extent;
                for (inner, outer) in inner.iter_mut().zip(places) {
                    inner.detail = outer.detail;
                }
            }
            _ => axes.push((extent, low, places)),
        }
    }
    for i in 0..3 {
        let (extent, low, places) = axes.get(i).copied().unwrap_or((1, 1, Default::default()));
        (geometry.across[i], geometry.low_across[i]) = (extent, low);
        [
            geometry.signal.across[i],
            geometry.bands.across[i],
            geometry.low.across[i],
        ] = places;
    }
    geometry
}

/// The innermost axis of more than one sample, along which what only copies or converts takes lines.
pub(crate) fn innermost(shape: &[usize]) -> usize {
    let last = shape.len() - 1;
    shape.iter().rposition(|&n| n > 1).unwrap_or(last)
}

/// How many lines a transform has along one of the axes that it lifts, at most, or along the one that it copies along: kernels count
/// them in 32 bits.
pub(crate) fn most_lines(transform: &Transform, copies: bool) -> usize {
    let levels = transform.active_levels();
    let lifted = levels.first().map_or(&[][..], |level| &level.axes);
    let copied = copies.then(|| innermost(&transform.shape));
    let axes = lifted.iter().copied().chain(copied);
    let lengths = axes.map(|axis| transform.shape[axis]);
    let shortest = lengths.filter(|&samples| samples > 1).min();
    transform.len() / shortest.unwrap_or(1)
}

#[cfg(test)]
mod tests;
