//! Where the samples of a pass lie: arrays seen at one level, and their lines along one axis.

mod sides;
mod view;

pub(crate) use sides::Sides;
pub(crate) use view::{Order, View};

use super::Transform;
use bytemuck::{Pod, Zeroable};

/// The two channels of an axis: the distance of neighbours within a channel, and where the details
/// start. The same as `Axis` in cl/core/pass.cl.
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
    /// Whether every row of pictures starts at a multiple of `size` samples, and neighbours in a
    /// row of one channel are `stride` samples apart.
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

/// Where a pass works: on the lines along one axis of a box, between the signal side and the
/// sub-band side. The same as `Pass` in cl/core/pass.cl.
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

    /// Whether rows of sub-bands lie as those of the signal do: with both channels
    /// interleaved, without gaps.
    pub fn rows_lie_alike(&self) -> bool {
        self.bands.line == self.signal.line
    }

    /// Whether all pictures of a batch have their low band in an array of its own, or none has.
    pub fn lows_lie_alike(&self) -> bool {
        self.has_low == 0 || self.low_across[1..] == self.across[1..]
    }

    /// Whether the distances between the samples of a picture (2 axes) or a volume (3) fit 32 bits,
    /// those included that lie up to `past` samples past a row's end.
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

/// The innermost axis of more than one sample, along which what only copies
/// or converts takes lines.
pub(crate) fn innermost(shape: &[usize]) -> usize {
    let last = shape.len() - 1;
    shape.iter().rposition(|&n| n > 1).unwrap_or(last)
}

/// How many lines a transform has along one of the axes that it lifts, at most, or along the one
/// that it copies along: kernels count them in 32 bits.
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
