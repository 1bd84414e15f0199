//! What `streamed` is specialised on besides the wavelet: which work-item
//! has how much of a picture.

use super::PAIRS;
use crate::device::Exchange;
use crate::lifting::extension::are_near;
use crate::lifting::prelude::stencils;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::strategy::Strategy;
use crate::strategy::planning::design::{Problem, lack_of_registers, registers};
use crate::strategy::planning::todo::Todo;
use crate::wavelet::Direction;

/// Pairs that a tile of the frame is long, and those where the frames are so small that compute
/// units wait for a tile each. On an NVIDIA H200, periodic pictures in us, forward, by 8 and 16:
/// 1023 x 1023 in f32 by 9/7 17 and 20, in i16 by 5/3 13 and 17.5; 4095 x 4095 in i16 by Fidelity
/// 151 and 128, inverse by 5/3 50 and 43.
pub const FRAME_PAIRS: usize = 16;
pub const FEW_FRAME_PAIRS: usize = 8;

/// Pairs of columns of a work-item, at least.
const LEAST_PAIRS: usize = 4;

/// The same where more do not fit the registers, of which these are many.
const FEW_PAIRS: usize = 2;
const MUCH: usize = 120;

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// The sizes of one launch.
#[derive(Clone)]
pub struct Sizes {
    pub reach: Reach,
    /// When each step runs along y.
    pub lags: Lags,
    /// Work-items in a sub-group; 1 without exchange.
    pub lanes: usize,
    /// Work-items in a work-group, whole sub-groups.
    pub group: usize,
    /// Pairs of columns of a work-item.
    pub pairs: usize,
    /// Pairs of columns before and after its own that a work-item loads itself.
    pub halo: [usize; 2],
    /// Work-items at the ends of a sub-group that store nothing.
    pub overlap: [usize; 2],
    /// Pairs of columns that a sub-group stores.
    pub strip: usize,
    /// Samples in a vector on the signal side, of a sub-band, of a sub-band of the coarsest level,
    /// and of two interleaved ones.
    pub vectors: [usize; 4],
    /// Samples of local memory that a tile of the frame needs.
    pub frame_tile: usize,
    /// Whether each step reads one neighbour on each side.
    pub near: bool,
    /// How many pairs further a step reads at most.
    pub farthest: usize,
    /// Whether few registers are left, by the fewest pairs that hold what a step reads.
    pub crowded: bool,
    /// Tuned sizes; none where they are left to the picture.
    pub prefetched: Option<usize>,
    pub filling: Option<usize>,
}

impl Sizes {
    /// The tuned sizes, and after them those with fewer pairs, as far as these hold what a
    /// step reads of a neighbour.
    pub fn choices(todo: &Todo, levels: usize) -> Vec<Sizes> {
        // Two levels have no registers for more. Vectors are powers of two.
        let tuned = todo.target.size(Strategy::Streamed, todo.problem, &PAIRS);
        let tuned = tuned.filter(|_| levels == 1);
        let pairs = tuned.unwrap_or(PAIRS.default);
        let pairs = pairs.next_power_of_two().clamp(LEAST_PAIRS, 16);
        let mut first = Sizes::new(todo, levels, pairs);
        if tuned.is_none() && levels == 1 && first.holds_much(todo) {
            if first.farthest <= FEW_PAIRS {
                first = Sizes::new(todo, levels, FEW_PAIRS);
            }
            first.crowded = first.holds_much(todo);
        }
        let fewer = [pairs / 2, pairs / 4].into_iter();
        let fewer = fewer.filter(|&pairs| pairs >= first.farthest.max(LEAST_PAIRS));
        let fewer: Vec<Sizes> = fewer.map(|pairs| Sizes::new(todo, levels, pairs)).collect();
        let fewer = fewer.into_iter().filter(|sizes| sizes.strip > 0);
        std::iter::once(first).chain(fewer).collect()
    }

    /// Whether a work-item holds so much that compilers put some in memory (`make vendors`): what
    /// steps still read, and what is loaded ahead. On an NVIDIA H200, 9/7 on doubles and 13/7 on
    /// i16 take as long by few pairs.
    fn holds_much(&self, todo: &Todo) -> bool {
        let prefetched = self.prefetched.unwrap_or(super::PREFETCHED.default);
        let sample = todo.problem.sample;
        let in_step = sample.size().max(4);
        // Halves are prefetched two in a register. Shorts as well, but counted so 13/7 on
        // i16 does not fit gfx906.
        let ahead = if sample.is_integer() {
            in_step
        } else {
            sample.size()
        };
        let held = self.pairs * (self.lags.kept * in_step + prefetched * ahead);
        self.lanes > 1 && held >= MUCH
    }

    fn new(todo: &Todo, levels: usize, pairs: usize) -> Self {
        let Problem { sample, .. } = *todo.problem;
        let device = todo.target.device;
        let stencils = todo.problem.stencils();
        let reach = Reach::new(&stencils);
        let alone = device.exchange == Exchange::None;
        let lanes = if alone { 1 } else { device.lanes };
        let reaches = [reach.before, reach.after];
        let (halo, overlap) = if alone {
            (reaches, [0, 0])
        } else {
            // Pairs of the second level are two of the first apart.
            let farther = (1 << levels) - 1;
            (
                [0, 0],
                reaches.map(|reach| (farther * reach).div_ceil(pairs)),
            )
        };
        let kernel = ["streamed_one_level", "streamed_two_levels"][levels - 1];
        let tuned = |tunable| todo.target.size(Strategy::Streamed, todo.problem, tunable);
        let (prefetched, filling) = match levels {
            1 => (&super::PREFETCHED, &super::FILLING),
            _ => (&super::TWO_PREFETCHED, &super::TWO_FILLING),
        };
        let ends = stencils.iter().flat_map(|step| [step.first, step.last()]);
        let signal = todo.signal_size();
        let coarse_pairs = if levels == 2 { pairs / 2 } else { pairs };
        let mut sizes = Sizes {
            lags: Lags::new(&stencils),
            lanes,
            group: (GROUP.min(todo.target.work_group(kernel)) / lanes) * lanes,
            pairs,
            halo,
            overlap,
            strip: lanes.saturating_sub(overlap[0] + overlap[1]) * pairs,
            vectors: [
                (signal, 2 * pairs),
                (sample.size(), pairs),
                (sample.size(), coarse_pairs),
                (sample.size(), 2 * pairs),
            ]
            .map(|(size, samples)| vector(size, samples)),
            frame_tile: 0,
            near: are_near(&stencils),
            farthest: ends
                .map(|offset| offset.unsigned_abs() as usize)
                .max()
                .unwrap_or(0),
            crowded: false,
            prefetched: tuned(prefetched),
            filling: tuned(filling),
            reach,
        };
        let window = 2 * (sizes.reach.before + FRAME_PAIRS + sizes.reach.after);
        let (x, y) = (4 * sizes.border_x(false), 4 * sizes.reach.border());
        // Rows of a tile are an odd number of places long, so that a column does not stay in
        // one bank of local memory.
        sizes.frame_tile = ((x | 1) * window.max(y)).max((window | 1) * y);
        sizes
    }

    /// Lets a sub-group store all of its pairs where it has whole rows of so many samples: its
    /// outermost work-items go on beyond the border by themselves. Of a batch of pictures 256 wide
    /// this halves the sub-groups.
    pub fn hold_rows_of(&mut self, width: usize) {
        if self.lanes > 1 && width <= 2 * self.lanes * self.pairs {
            self.overlap = [0, 0];
            self.strip = self.lanes * self.pairs;
        }
    }

    /// Whether compilers find registers for two levels at once. 9/7 on doubles, whose steps
    /// still read pairs in 128 of them, does not fit 255 (`make vendors`), nor does its
    /// inverse, of which it is 96; 5/3 on doubles (96 both ways) does. So it is the direction
    /// that keeps more that counts.
    pub fn two_levels_fit_registers(&self, todo: &Todo) -> bool {
        let (wavelet, sample) = (todo.problem.transform.wavelet(), todo.problem.sample);
        let kept = [Direction::Forward, Direction::Inverse]
            .map(|direction| Lags::new(&stencils(wavelet, sample, direction)).kept);
        let held = 4 * self.pairs * kept[0].max(kept[1]) * sample.size().div_ceil(4);
        2 * held <= registers(todo.target.device)
    }

    /// Rows of the delay line of samples of the finer of two levels, as the coarser one is so
    /// far behind; a power of two.
    pub fn delayed_rows(&self) -> usize {
        (2 * self.lags.last + 3).next_power_of_two()
    }

    /// The local memory that they take.
    pub fn delayed_bytes(&self, todo: &Todo) -> u64 {
        (self.delayed_rows() * self.group * self.pairs * todo.problem.sample.size()) as u64
    }

    /// Why a device cannot run it.
    pub fn check(&self, todo: &Todo) -> Result<(), String> {
        let device = todo.target.device;
        // Pairs of rows of at least so many pairs of columns.
        let kept = self.lags.kept * 4 * LEAST_PAIRS;
        if let Some(why) = lack_of_registers("what its steps still read", kept, todo.problem.sample)
        {
            return Err(why);
        }
        if self.crowded && device.shares_wavefronts() {
            // What a sub-group knows of itself takes registers of its work-items as well: of
            // Fidelity, 65 to 130 were in memory.
            let why = "sub-groups that share wavefronts have no registers for what its steps read";
            return Err(why.to_owned());
        }
        if self.lanes > 1 && self.farthest > self.pairs {
            let pairs = self.pairs;
            return Err(format!(
                "a step reaches over {pairs} pairs, past the neighbouring work-item"
            ));
        }
        if self.strip == 0 {
            return Err(format!("sub-groups of {} are all overlap", self.lanes));
        }
        if self.group == 0 {
            return Err(format!("it needs work-groups of {}", self.lanes));
        }
        // A tile of the frame, and a row for each sub-group where rows are not aligned.
        let (sample, staged) = (todo.problem.sample, 2 * self.pairs * self.group);
        let local = (self.frame_tile * sample.local_size() + staged * sample.size()) as u64;
        if local > device.local_memory {
            let have = device.local_memory;
            return Err(format!(
                "its tiles and rows need {local} bytes of local memory, there are {have}"
            ));
        }
        Ok(())
    }

    /// Pairs at the ends of a row that make the joined line of the frame. Where rows do not go by
    /// vectors, the work-item in which the picture ends is border too, with those in its reach.
    pub fn border_x(&self, wide: bool) -> usize {
        let more = if wide { 1 } else { 2 };
        self.reach.border() + more * (self.pairs - 1)
    }

    /// The pairs of columns that depend on no border, in whole work-items; none where
    /// the whole width is border.
    pub fn inner_columns(&self, width: usize, wide: bool) -> std::ops::Range<usize> {
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

/// Samples of such a size in the vectors by which rows go: at most 16 bytes.
fn vector(size: usize, samples: usize) -> usize {
    (16 / size).clamp(1, samples)
}
