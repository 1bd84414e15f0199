//! What is left of a transform when the planner asks a strategy: the levels, the axes of the one at
//! hand, and where they stand.

use super::design::{Problem, Target};
use crate::transform::geometry::{Axis, Geometry, Order, Side, Sides, View};
use crate::transform::{Layout, Level, MAX_LENGTH};
use crate::wavelet::{Direction, Pixels};

/// What is left to do.
pub(in crate::strategy) struct Todo<'a> {
    pub problem: &'a Problem,
    pub target: &'a Target<'a>,
    /// The levels that are not done, finest first; the first is at hand.
    pub levels: &'a [Level],
    /// How many axes of the level at hand are done, in the order of the forward transform.
    pub done: usize,
    /// Whether the caller's pixels were made samples already, which are in one piece.
    pub converted: bool,
}

impl Todo<'_> {
    /// The axes of the level at hand that are left, in the order of the forward transform.
    pub fn axes(&self) -> &[usize] {
        &self.levels[0].axes[self.done..]
    }

    /// What a take of so many whole levels, or of so many axes of the level at hand, works between.
    pub fn sides(&self, levels: usize, axes: usize) -> Sides {
        let transform = &self.problem.transform;
        let level = &self.levels[0];
        let taken = self.done + axes;
        let planar =
            |done: usize| View::dense(&level.shape).with_order(&level.axes[..done], Order::Planar);
        let regions = &self.problem.regions;
        let is_complete = taken == level.axes.len();
        let bands = if is_complete {
            let settled = match transform.coefficient_layout() {
                Layout::Mallat => Order::Planar,
                Layout::Interleaved => Order::Interleaved,
            };
            View::of_level(transform, &regions.bands, level.number).with_order(&level.axes, settled)
        } else {
            planar(taken)
        };
        let next = self.levels.get(levels).filter(|_| is_complete);
        Sides {
            signal: match self.is_first() {
                true => View::of_region(&regions.signal),
                false => planar(self.done),
            },
            bands,
            low: next.map(|next| View::dense(&next.shape)),
        }
    }

    /// Whether the signal side of what is left is the caller's.
    fn is_first(&self) -> bool {
        self.levels[0].number == 1 && self.done == 0 && !self.converted
    }

    /// The pixels that the signal side has instead of samples.
    pub fn pixels(&self) -> Option<Pixels> {
        self.problem.pixels.filter(|_| self.is_first())
    }

    /// The bytes of a sample, or of a pixel, on the signal side.
    pub fn signal_size(&self) -> usize {
        let pixels = self.pixels().map(|pixels| pixels.pixel.size());
        pixels.unwrap_or(self.problem.sample.size())
    }

    /// The level's pre-shift, where a take of the axes that are left applies it: integers alone are
    /// shifted, once per level, by its first forward pass and its last inverse one.
    pub fn pre_shift(&self) -> i32 {
        let wavelet = self.problem.transform.wavelet();
        let applies = self.done == 0 && self.problem.sample.is_integer();
        if applies {
            wavelet.pre_shift() as i32
        } else {
            0
        }
    }

    /// The next two axes (y, x) where they are pictures whose rows are in one piece on the signal
    /// side, whatever is before, between or behind them.
    pub fn picture(&self) -> Option<[usize; 2]> {
        let [a, b, ..] = *self.axes() else {
            return None;
        };
        let (y, x) = (a.min(b), a.max(b));
        (self.sides(1, 2).signal.strides[x] == 1).then_some([y, x])
    }

    /// The next three axes (z, y, x) where they are volumes whose rows are in one
    /// piece on the signal side.
    pub fn volume(&self) -> Option<[usize; 3]> {
        let &[a, b, c, ..] = self.axes() else {
            return None;
        };
        let mut axes = [a, b, c];
        axes.sort_unstable();
        (self.sides(1, 3).signal.strides[axes[2]] == 1).then_some(axes)
    }

    /// The same as [`Self::picture`] where behind them is an inner batch of 2 to `most` that
    /// nothing transforms: pictures whose pixels are so many samples in one piece, in rows without
    /// gaps on the signal side.
    pub fn coloured_picture(&self, most: i64) -> Option<Coloured> {
        let [a, b] = *self.axes() else {
            return None;
        };
        let mut geometry = self.sides(1, 2).pictures(a.min(b), a.max(b));
        let colours = i64::from(geometry.across[1]);
        let pixel = Axis {
            stride: 2 * colours,
            detail: colours,
        };
        let inner = |side: &Side| side.across[1].stride == 1;
        // Kernels count samples of a row as they do pixels, in 32 bits.
        let places = i64::from(geometry.samples) * colours;
        let fits = (2..=most).contains(&colours)
            && places <= MAX_LENGTH as i64
            && geometry.low_across[1] == geometry.across[1]
            && geometry.signal.line == pixel
            && inner(&geometry.signal)
            && geometry.band_sides().all(inner);
        if !fits {
            return None;
        }
        geometry.lines /= geometry.across[1];
        (geometry.across[1], geometry.low_across[1]) = (geometry.across[2], geometry.low_across[2]);
        (geometry.across[2], geometry.low_across[2]) = (1, 1);
        for side in [&mut geometry.signal, &mut geometry.bands, &mut geometry.low] {
            side.across[1] = side.across[2];
            side.across[2] = Axis::default();
        }
        geometry.boundary = self.problem.transform.boundary_rule().number();
        Some(Coloured {
            geometry,
            colours: colours as usize,
        })
    }

    /// Whether the kernel lifts a picture along x before y.
    pub fn x_first(&self) -> bool {
        let forward = self.problem.direction == Direction::Forward;
        (self.axes()[0] > self.axes()[1]) == forward
    }
}

/// Pictures of pixels that have several samples, which the geometry does not count.
pub(in crate::strategy) struct Coloured {
    pub geometry: Geometry,
    pub colours: usize,
}
