//! What `streamed` is specialised on besides the wavelet: who holds how much, and who gets which share of a picture.

use crate::device::Exchange;
use crate::lifting::extension::{Extension, are_near};
use crate::lifting::prelude;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::strategy::{Problem, Strategy, Target};
use crate::wavelet::SampleType;

/// Pairs that a tile of the border is long.
pub const FRAME_PAIRS: usize = 16;

/// The sizes of one launch.
#[derive(Clone)]
pub struct Sizes {
    pub reach: Reach,
    pub lanes: usize,
    pub group: usize,
    /// Pairs of columns that one work-item holds.
    pub pairs: usize,
    /// Levels that a launch does: the sizes of those that do two have names that begin with `TWO_`.
    pub levels: usize,
    /// Pairs of rows that are loaded before they are needed.
    pub ahead: usize,
    /// The same where there are many more segments than run at once.
    pub many_ahead: usize,
    /// Whether one more may be loaded ahead where that takes fewer turns.
    pub may_go_further: bool,
    /// When each step runs along y.
    pub lags: Lags,
    /// Sub-groups for each compute unit; 0 for as many as suit the picture.
    pub filling: usize,
    /// The same where that gives long segments; best is a multiple of how many run at once.
    pub many_filling: usize,
    /// Pairs of rows that a segment has at least; where they would be fewer, two levels are two launches.
    pub shortest: usize,
    /// Pairs of rows from which on segments march apart.
    pub turning: usize,
    /// Pairs at each end that make the joined line of the border, along x for rows that go by vectors.
    pub border: usize,
    /// Samples of local memory that a tile of the border needs.
    pub tile: usize,
    /// Whether each step reads one neighbour on each side.
    pub near: bool,
    /// How many pairs further a step reads at most.
    pub farthest: usize,
    /// Whether a whole sub-group may be in a work-group: a kernel may allow fewer work-items than the device.
    pub holds_a_sub_group: bool,
}

impl Sizes {
    pub fn new(problem: &Problem, target: &Target, levels: usize) -> Self {
        let (device, tuning) = (target.device, target.tuning);
        let tuned = |name: &str, default| {
            let two = format!("TWO_{name}");
            let name = if levels == 2 { &two } else { name };
            tuning.size(name, Strategy::Streamed, problem, device, default)
        };
        let of_one = |name: &str, default| {
            if levels == 1 {
                tuned(name, default)
            } else {
                default
            }
        };
        // Vectors are powers of two.
        let pairs = tuned("PAIRS", 4).next_power_of_two().clamp(2, 16);
        let wavelet = &problem.transform.wavelet;
        let stencils = prelude::stencils(wavelet, problem.sample, problem.direction);
        let reach = Reach::new(&stencils);
        let lags = Lags::new(&stencils);
        let lanes = match device.exchange {
            Exchange::None => 1,
            _ => device.lanes,
        };
        // Two levels gain nothing where half of the turns are overlap.
        let shortest = match levels {
            2 => 2 * levels_reach(reach.before + lags.last, 2),
            _ => 1,
        };
        let most = device.max_work_group.min(device.max_work_items[0]);
        let (ahead, is_tuned) = match tuned("AHEAD", 0) {
            0 => (2, false),
            ahead => (ahead, true),
        };
        let ends = stencils.iter().flat_map(|step| [step.first, step.last()]);
        let farthest = ends.map(|offset| offset.unsigned_abs() as usize);
        let window = 2 * (reach.before + FRAME_PAIRS + reach.after);
        let mut sizes = Sizes {
            lanes,
            // Whole sub-groups.
            group: (tuned("GROUP", 128).min(most) / lanes).max(1) * lanes,
            pairs,
            levels,
            ahead,
            many_ahead: of_one("MANY_AHEAD", ahead).max(1),
            may_go_further: !is_tuned,
            lags,
            filling: tuned("FILLING", 0),
            many_filling: of_one("MANY_FILLING", 0),
            shortest: tuned("SHORTEST", shortest).max(1),
            turning: of_one("TURNING", 12),
            border: reach.border(),
            tile: 0,
            holds_a_sub_group: lanes <= most,
            near: are_near(&stencils),
            farthest: farthest.max().unwrap_or(0),
            reach,
        };
        let (x, y) = (4 * sizes.border_x(false), 4 * sizes.border);
        sizes.tile = (row(x) * window.max(y)).max(row(window) * y);
        sizes
    }

    /// The same with fewer pairs, as far as these hold what a step reads of a neighbour.
    pub fn with_fewer_pairs(&self) -> impl Iterator<Item = Sizes> {
        let with = |pairs| Sizes {
            pairs,
            ..self.clone()
        };
        let fewer = [self.pairs / 2, self.pairs / 4].into_iter();
        let fewer = fewer.filter(|&pairs| pairs >= self.farthest.max(4));
        fewer.map(with).filter(|sizes| sizes.strip() > 0)
    }

    /// Samples of a vector on the near side, on the far side, and in the corner.
    pub fn vectors(&self, sample: SampleType) -> [usize; 3] {
        let most = (16 / sample.size()).max(1);
        let far = most.min(self.pairs);
        let corner = if self.levels == 2 {
            far.min(self.pairs / 2)
        } else {
            far
        };
        [most.min(2 * self.pairs), far, corner]
    }

    /// Pairs at the ends of a row that make the joined line of the border. Where rows do not go by vectors, the
    /// work-item in which the picture ends is border too, with those in its reach.
    pub fn border_x(&self, wide: bool) -> usize {
        let more = if wide { 1 } else { 2 };
        self.border + more * (self.pairs - 1)
    }

    /// Pairs of columns that a sub-group stores.
    pub fn strip(&self) -> usize {
        let overlap = |reach| match self.lanes {
            1 => 0,
            _ => levels_reach(reach, self.levels).div_ceil(self.pairs),
        };
        let lanes = self
            .lanes
            .saturating_sub(overlap(self.reach.before) + overlap(self.reach.after));
        lanes * self.pairs
    }

    /// Whether two levels of a picture that goes on in that way can be done at once.
    pub fn fits_two(&self, extension: Option<Extension>, height: usize) -> bool {
        // The low band, too, must be longer than what is read beyond it.
        let rows = 4 * (levels_reach(self.reach.before.max(self.reach.after), 2) + 1);
        extension == Some(Extension::Mirrored)
            && self.near
            && self.lanes > 1
            && self.holds_a_sub_group
            && self.pairs > 2
            && self.strip() > 0
            && height > rows
    }

    /// How many pairs of rows a segment has, where `rows` pairs of each of `strips` strips are shared out, and how
    /// many are loaded ahead.
    pub fn share(
        &self,
        rows: usize,
        strips: usize,
        kept: usize,
        compute_units: usize,
    ) -> (usize, usize) {
        let windows = |filling: usize, shortest: usize| {
            // Not one more than fill the device: a few that come after all others would take as long again.
            let most = compute_units * filling / strips;
            rows.div_ceil(most.clamp(1, rows.div_ceil(shortest)))
        };
        let (shortest, ahead) = (self.shortest, self.ahead);
        if self.levels == 2 {
            let filling = if self.filling == 0 { 12 } else { self.filling };
            return (windows(filling, 2), ahead);
        }
        // Turns of the loop without a result.
        let overlap = self.reach.before + self.lags.last;
        // Many more than run at once even out, as long as the overlaps do not count; next best is what runs at once.
        // Where the picture is small, fewer are faster on their way. Measured on an NVIDIA H200.
        let are_long = |filling, times| windows(filling, shortest) >= times * overlap;
        let (filling, ahead) = match (self.filling, self.many_filling) {
            (0, 0) if are_long(48, 5) => (48, self.many_ahead),
            (0, many @ 1..) if are_long(many, 4) => (many, self.many_ahead),
            (0, _) if are_long(12, 4) => (12, ahead),
            (0, _) => (10, ahead),
            (filling, _) => (filling, ahead),
        };
        let windows = windows(filling, shortest);
        // Turns go by whole rounds of the ring.
        let turns = |ahead: usize| (windows + overlap).next_multiple_of(ring(kept, ahead));
        let is_slow = windows < overlap && turns(ahead + 1) < turns(ahead);
        let further = self.may_go_further && is_slow;
        (windows, ahead + usize::from(further))
    }

    /// Whether a line of `samples` samples is so long that what a stream reads beyond it is within one turn.
    pub fn is_long(&self, samples: usize) -> bool {
        samples > 2 * (self.reach.before.max(self.reach.after) + 1)
    }

    /// The pairs of columns that depend on no border, in whole work-items; none where the whole width is border.
    pub fn columns(&self, width: usize, wide: bool) -> std::ops::Range<usize> {
        let (pairs, after) = (width.div_ceil(2), self.reach.after);
        if pairs <= 2 * self.border_x(wide) {
            return 0..0;
        }
        let end = if wide {
            pairs - after - 1
        } else {
            width / 2 - after.next_multiple_of(self.pairs)
        };
        self.reach.before.next_multiple_of(self.pairs)..end / self.pairs * self.pairs
    }
}

/// Pairs of the finest level that `levels` levels reach: those of the second are two of the first apart.
fn levels_reach(reach: usize, levels: usize) -> usize {
    ((1 << levels) - 1) * reach
}

/// Segments as long or longer, by whole `steps`, so that the last of `rows` pairs has at least `least`.
pub fn with_whole_end(windows: usize, rows: usize, steps: usize, least: usize) -> usize {
    let last = |windows: usize| rows - (rows.div_ceil(windows) - 1) * windows;
    let mut longer = (windows..rows).step_by(steps);
    longer
        .find(|&windows| last(windows) >= least)
        .unwrap_or(rows.max(windows))
}

/// How many pairs of rows have registers of their own: every one that is kept, whichever waits.
pub fn ring(kept: usize, ahead: usize) -> usize {
    kept.next_multiple_of(ahead)
}

/// Places from row to row of a tile of the border, `TILE_ROW` in cl/tile_2d.cl.
fn row(width: usize) -> usize {
    width | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::transform::Transform;
    use crate::wavelet::{Direction, Wavelet};

    fn sizes(tuning: &str) -> Sizes {
        let problem = Problem {
            transform: Transform::new(Wavelet::CDF_9_7, [512, 512]),
            sample: SampleType::F32,
            direction: Direction::Forward,
        };
        let device = DeviceInfo {
            exchange: Exchange::Khr,
            lanes: 32,
            ..DeviceInfo::imaginary()
        };
        let target = Target {
            device: &device,
            tuning: &tuning.parse().unwrap(),
        };
        Sizes::new(&problem, &target, 1)
    }

    #[test]
    fn segments_suit_the_picture() {
        let windows = |tuning, side: usize| {
            let sizes = sizes(tuning);
            let pairs = side / 2;
            sizes
                .share(pairs, pairs.div_ceil(sizes.strip()), sizes.lags.kept, 132)
                .0
        };
        let sides = [8192, 4096, 2048, 64];
        assert_eq!(sides.map(|side| windows("", side)), [23, 24, 8, 1]);
        let two = "gpu | streamed | f32 | FILLING=2";
        assert_eq!(windows(two, 8192), 586);
        let many = "gpu | streamed | f32 | MANY_FILLING=20";
        assert_eq!(sides.map(|side| windows(many, side)), [55, 24, 8, 1]);
    }

    #[test]
    fn the_last_segment_is_never_too_short() {
        assert_eq!(with_whole_end(8, 100, 2, 4), 8);
        assert_eq!(with_whole_end(8, 97, 2, 4), 10);
        assert_eq!(with_whole_end(4, 9, 1, 4), 5);
        assert_eq!(with_whole_end(4, 5, 1, 4), 5);
        assert_eq!(with_whole_end(4, 2, 1, 4), 4);
    }
}
