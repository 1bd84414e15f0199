//! What a launch of `streamed` costs: strips and segments overlap, and a frame is lifted in tiles.

use super::picture::Picture;
use super::segments::Segments;
use crate::strategy::planning::cost::{Cost, Meter};
use crate::wavelet::Direction;

impl Picture<'_> {
    pub fn cost(&self, segments: &Segments) -> Cost {
        let meter = Meter::new(self.todo.problem, 2, self.todo.pre_shift())
            .with_signal(self.todo.signal_size());
        match self.extension {
            Some(_) => self.inside(&meter, segments),
            None => self.inside(&meter, segments) + self.frame(&meter),
        }
    }

    /// Samples that no frame lifts.
    pub fn inner_samples(&self) -> usize {
        self.count
            * match self.extension {
                Some(_) => self.width * self.height,
                None => 4 * self.columns.len() * self.rows.len(),
            }
    }

    /// Every sub-group loads the overlap beside its strip and the reach around its segment, and
    /// lifts all that it loads until its last pair of rows is done. Of two levels the one that
    /// comes first in a launch overlaps three times as far: forward the finer one. The coarser one
    /// always does, counted in rows of the finer.
    fn inside(&self, meter: &Meter, segments: &Segments) -> Cost {
        let (sizes, reach) = (&self.sizes, &self.sizes.reach);
        let coarser = if self.levels == 2 { 3 } else { 1 };
        let finer = match self.todo.problem.direction {
            Direction::Forward => coarser,
            Direction::Inverse => 1,
        };
        let rows = |overlap: usize| self.count * (self.rows.len() + segments.count * overlap);
        let [x_before, x_after] = [0, 1].map(|i| sizes.overlap[i] * sizes.pairs + sizes.halo[i]);
        let columns = self.columns.end + self.strips() * (x_before + x_after);
        let around = reach.before + reach.after;
        // Of four samples the inverse of two levels has one from the coarser level.
        let read = columns * (3 * rows(finer * around) + rows(coarser * around));
        let stored = self.inner_samples();
        // An LL band that has an array of its own has places in the rows as well.
        let again = usize::from(self.low_apart()) * (stored >> (2 * self.levels));
        let [read, stored] = meter.with_lows_again(read, stored, again);

        let until_done = reach.before + sizes.lags.last;
        let finer_turns = self.strips() * rows(finer * until_done);
        let cost = meter.scaled(read, stored) + self.turns(meter, finer_turns);
        let staged = !self.wide && sizes.lanes > 1;
        let staged = usize::from(staged) * 2 * sizes.pairs * sizes.group;
        let cost = cost + Cost::of_group(0, staged * self.todo.problem.sample.size());
        if self.levels == 1 {
            return cost;
        }
        let delayed = usize::from(self.interleaved) * sizes.delayed_bytes(self.todo) as usize;
        let cost = cost + Cost::of_group(0, delayed);
        // Half as many turns, of half as many pairs.
        let coarser_turns = self.strips() * rows(coarser * until_done) / 4;
        cost + self.turns(meter, coarser_turns) + meter.scaling(read / 4, stored / 4)
    }

    /// So many pairs of rows of a sub-group, lifted along both axes.
    fn turns(&self, meter: &Meter, turns: usize) -> Cost {
        let sizes = &self.sizes;
        let own = sizes.lanes * sizes.pairs;
        let along_x = match sizes.lanes {
            1 => meter.lifted_alone(2 * turns, own),
            _ => meter.lifted(2 * turns * own),
        };
        along_x + meter.lifted(2 * turns * (sizes.halo[0] + own + sizes.halo[1]))
    }

    /// Tiles of the joined ends of one axis, by those of the other and by windows of the rest.
    fn frame(&self, meter: &Meter) -> Cost {
        let (sizes, reach) = (&self.sizes, &self.sizes.reach);
        let around = reach.before + reach.after;
        let [x, y] = self.frames();
        let ends_x = self.width.min(4 * sizes.border_x(self.wide));
        let ends_y = self.height.min(4 * reach.border());
        let windows_x = 2 * (self.columns.len() + x * around);
        let windows_y = 2 * (self.rows.len() + y * around);
        let read = self.count * (ends_x * ends_y + windows_x * ends_y + ends_x * windows_y);
        let stored = self.count * self.width * self.height - self.inner_samples();
        let barriers = 2 * reach.steps.len() + 1;
        let local_bytes = sizes.frame_tile * self.todo.problem.sample.local_size();
        Cost {
            launches: 0,
            // Half as many pairs, along both axes.
            ..meter.scaled(read, stored)
                + meter.lifted(read)
                + Cost::of_group(barriers, local_bytes)
        }
    }
}
