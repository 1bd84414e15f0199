//! What `streamed_colours` is specialised on besides the wavelet: how much of a row a work-item
//! has, and by which vectors it moves.

use super::{Borders, NAME, pictures};
use crate::device::Exchange;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::strategy::Strategy;
use crate::strategy::planning::design::{
    Define, LANES_ALONE, define, define_distance, groups_at_once, lack_of_registers,
    loops_as_they_are,
};
use crate::strategy::planning::todo::{Coloured, Todo};
use crate::strategy::planning::tuning::Tunable;
use crate::strategy::shared::pixels;
use crate::transform::geometry::{Geometry, Side};

// On an NVIDIA H200, one level of 4096 x 4096 x 3 by 9/7 in f32 takes 131 us (inverse 134) by two
// pairs, 124 (121) by one.
pub(super) const PAIRS: Tunable = Tunable {
    name: "PAIRS",
    default: 1,
    candidates: &[1, 2],
    says: "pairs of pixels of a work-item, rounded up to a power of two; without a line as few as rows go by vectors with",
};
pub(super) const PREFETCHED: Tunable = Tunable {
    name: "PREFETCHED",
    default: 2,
    candidates: &[1, 2, 4],
    says: "pairs of rows that are loaded before they are needed, rounded up to a power of two; without a line 4 where that is little",
};
pub(super) const FILLING: Tunable = Tunable {
    name: "FILLING",
    default: 28,
    candidates: &[8, 12, 16, 20, 24, 28],
    says: "sub-groups that a compute unit runs at once; without a line as many as have registers",
};

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Bytes of a row up to which more of them are loaded ahead.
const SHORT_RUN: usize = 16;

/// Registers of a work-item besides its samples. One group too many at once takes
/// 1.1 to 1.3 times as long.
const OTHER_REGISTERS: usize = 6;

/// Registers, counted as above, that a work-item has where sub-groups share wavefronts: what one of
/// them knows of itself takes registers of its work-items as well, up to the 256 of AMD's GPUs
/// (`make vendors`). Elsewhere more fit, and less is slower: on an NVIDIA H200, 13/7 on 4096 x 4096
/// x 3 in i16 takes 141 and 152 us, by one pair 195 and 237, and 9/7 in f64 250 and 224, with one
/// pair of rows loaded ahead 264 and 263.
const MOST_OF_SHARED: usize = 125;

/// What a work-item has in registers, by the sizes that this depends on.
struct Held {
    pairs: usize,
    prefetched: usize,
    registers: usize,
}

impl Held {
    fn new(lags: &Lags, colours: usize, pairs: usize, prefetched: usize, bytes: usize) -> Self {
        let row = 2 * pairs * colours;
        // Rows wait in whole words where there are such.
        let waiting = match (pairs * colours * bytes).is_multiple_of(4) {
            true => bytes,
            false => bytes.max(4),
        };
        let kept = lags.oldest[0] + lags.oldest[1] + 2;
        let counted = row * (2 * prefetched * waiting + kept * bytes.max(4)) / 4 + OTHER_REGISTERS;
        Held {
            pairs,
            prefetched,
            registers: if pairs == 1 {
                counted
            } else {
                as_compiled(counted)
            },
        }
    }

    /// The registers where what is beyond the border is set anew before every step, or is not.
    fn compiled(&self, restored: bool) -> usize {
        if restored {
            as_compiled(self.registers)
        } else {
            self.registers
        }
    }
}

/// Compiled for two pairs, programs have 1.4 times as many registers as counted, and so they have
/// with a border that is restored.
fn as_compiled(registers: usize) -> usize {
    registers * 7 / 5
}

/// How rows are moved.
pub(super) struct Rows {
    /// Whether neighbouring pixels of a sub-band are neighbours in memory.
    pub planar: bool,
    /// Whether rows go by vectors, and then in those of sub-bands pixels of two are interleaved.
    pub wide: bool,
    pub interleaved: bool,
    /// Samples in a vector on the signal side, of a sub-band, or of two that are interleaved, and
    /// of LL where it then has an array of its own, else 0.
    pub signal: usize,
    pub band: usize,
    pub low: usize,
}

/// What the kernel is specialised on besides the prelude.
pub(super) struct Sizes {
    pub reach: Reach,
    pub lags: Lags,
    /// Work-items in a sub-group; 1 without exchange.
    pub lanes: usize,
    /// Work-items in a work-group, whole sub-groups.
    pub group: usize,
    /// Pairs of pixels of a work-item.
    pub pairs: usize,
    /// Pairs of pixels before and after its own that a work-item loads itself.
    halo: [usize; 2],
    /// Work-items at the ends of a sub-group that store nothing.
    overlap: [usize; 2],
    prefetched: usize,
    /// Whether compilers find registers for it.
    pub fits: bool,
    /// Of a work-item.
    pub registers: usize,
    /// Sub-groups that a compute unit runs at once.
    pub filling: usize,
    x_first: bool,
}

impl Sizes {
    /// The sizes for a device, or why it cannot run them.
    pub fn new(todo: &Todo, picture: &Coloured, borders: &Borders) -> Result<Self, String> {
        let (problem, device) = (todo.problem, todo.target.device);
        let stencils = problem.stencils();
        let (reach, lags) = (Reach::new(&stencils), Lags::new(&stencils));
        let tuned = |tunable| {
            let size = todo
                .target
                .size(Strategy::StreamedColours, problem, tunable);
            size.map(usize::next_power_of_two)
        };
        let bytes = problem.sample.size();
        // Runs are whole words, of a sub-band and of the signal side, which
        // is twice as many samples.
        let has_whole_words = |bytes: usize| (picture.colours * bytes).is_multiple_of(4);
        let is_whole = has_whole_words(bytes) && has_whole_words(2 * todo.signal_size());
        let least = if is_whole { 1 } else { 2 };
        let alone = device.exchange == Exchange::None;
        let held = |pairs: usize, prefetched: Option<usize>| {
            let little = 2 * pairs * picture.colours * bytes <= SHORT_RUN;
            let usual = if little { 4 } else { PREFETCHED.default };
            let prefetched = tuned(&PREFETCHED).or(prefetched).unwrap_or(usual);
            Held::new(&lags, picture.colours, pairs, prefetched, bytes)
        };
        let shared = device.shares_wavefronts();
        let fits = |held: &Held| !shared || held.compiled(borders.are_restored()) <= MOST_OF_SHARED;
        let [usual, fewer] = [least, 1].map(|pairs| tuned(&PAIRS).unwrap_or(pairs));
        let choices = [
            held(usual, None),
            held(usual, Some(1)),
            held(fewer, None),
            held(fewer, Some(1)),
        ];
        let chosen = choices.iter().find(|held| fits(held));
        let Held {
            pairs,
            prefetched,
            registers,
        } = *chosen.unwrap_or(&choices[3]);
        let row = 2 * pairs * picture.colours;
        let kept = 2 * lags.kept * row;
        if let Some(why) = lack_of_registers("what its steps still read", kept, problem.sample) {
            return Err(why);
        }
        let lanes = if alone { 1 } else { device.lanes };
        let group = GROUP.min(todo.target.work_group(NAME)) / lanes * lanes;
        let side_by_side = if alone { LANES_ALONE } else { lanes };
        let filling = groups_at_once(group, registers) * group / side_by_side;
        let reaches = [reach.before, reach.after];
        let sizes = Sizes {
            lanes,
            group,
            pairs,
            halo: if alone { reaches } else { [0, 0] },
            overlap: match alone {
                true => [0, 0],
                false => reaches.map(|reach| reach.div_ceil(pairs)),
            },
            prefetched,
            fits: chosen.is_some(),
            registers,
            filling: todo
                .target
                .size(Strategy::StreamedColours, problem, &FILLING)
                .unwrap_or(filling),
            // Rounding apart, real steps along different axes commute; along x
            // last, fewer rows are lifted.
            x_first: todo.x_first() && problem.sample.is_integer(),
            reach,
            lags,
        };
        if sizes.group == 0 {
            return Err(format!("it needs work-groups of {lanes}"));
        }
        if sizes.strip() == 0 {
            return Err(format!("sub-groups of {lanes} are all overlap"));
        }
        // Runs that a sub-group exchanges with local memory; without exchange there are none.
        let staged = if alone { 1 } else { sizes.group * row };
        let (needed, have) = ((staged * bytes) as u64, device.local_memory);
        if needed > have {
            return Err(format!(
                "its runs need {needed} bytes of local memory, there are {have}"
            ));
        }
        Ok(sizes)
    }

    /// Pairs of pixels that a sub-group stores.
    pub fn strip(&self) -> usize {
        self.lanes.saturating_sub(self.overlap[0] + self.overlap[1]) * self.pairs
    }

    /// How rows are moved.
    pub fn rows(&self, todo: &Todo, picture: &Coloured) -> Rows {
        let Coloured { geometry, colours } = picture;
        let is_dense = |side: &Side| side.line.stride == *colours as i64;
        let planar = geometry.band_sides().all(is_dense);
        let run = self.pairs * colours;
        let bytes = todo.problem.sample.size();
        let signal_bytes = todo.signal_size();
        let signal = vector(&geometry.signal, 2 * run, signal_bytes);
        let interleaved = geometry.rows_lie_alike()
            && geometry.lows_lie_alike()
            && (geometry.has_low == 0 || is_dense(&geometry.low));
        let low = match geometry.has_low {
            0 => None,
            _ => Some(vector(&geometry.low, run, bytes)),
        };
        let band = match interleaved {
            true => vector(&geometry.bands, 2 * run, bytes),
            false => vector(&geometry.bands, run, bytes).min(low.unwrap_or(usize::MAX)),
        };
        // Bytes of the shortest vector: a word is needed; of samples, two words are chosen, which
        // smaller pixels often do not have.
        let least = if signal_bytes < bytes { 4 } else { 8 };
        let whole = (geometry.samples as usize).is_multiple_of(2 * self.pairs);
        let wide = self.lanes > 1
            && (planar || interleaved)
            && whole
            && band.min(low.unwrap_or(band)) * bytes >= 4
            && signal * signal_bytes >= least;
        let interleaved = wide && interleaved;
        Rows {
            planar,
            wide,
            interleaved,
            signal,
            band,
            low: low.filter(|_| interleaved).unwrap_or(0),
        }
    }

    pub fn defines(&self, todo: &Todo, picture: &Coloured, borders: &Borders) -> Vec<Define> {
        let Coloured { geometry, colours } = picture;
        let device = todo.target.device;
        let restored = borders.are_restored();
        let rows = self.rows(todo, picture);
        let ring = self.lags.kept.next_multiple_of(self.prefetched);
        let mut defines = vec![
            define("EXCHANGE", device.exchange.number()),
            define("LANES", self.lanes),
            define("GROUP", self.group),
            define("COLOURS", colours),
            define("PAIRS", self.pairs),
            define("HALO_LO", self.halo[0]),
            define("HALO_HI", self.halo[1]),
            define("OVERLAP_LO", self.overlap[0]),
            define("STRIP", self.strip()),
            define("WIDE", u8::from(rows.wide)),
            define("BY_WORDS", u8::from(rows.wide)),
            define("SIGNAL_VECTOR", rows.signal),
            define("BAND_VECTOR", rows.band),
            define("INTERLEAVED", u8::from(rows.interleaved)),
            define("LOW_APART", u8::from(rows.low > 0)),
            define("LOW_VECTOR", rows.low),
            define("PREFETCHED", self.prefetched),
            define("RING", ring),
            define("ROUND", ring),
            define("RESTORED", u8::from(restored)),
            define(
                "IS_PERIODIC",
                u8::from(borders.x.is_periodic() && !restored),
            ),
            define("X_FIRST", u8::from(self.x_first)),
            define("PLANAR", u8::from(rows.planar)),
            define("SINGLE", u8::from(pictures(geometry) == 1)),
            define("PRE_SHIFT", todo.pre_shift()),
            define_distance(self.fits_32_bits(geometry)),
        ];
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }

    /// Whether the distances between the samples of a picture fit 32 bits, those past it included
    /// that the last sub-group has. 4096 x 4096 x 3 takes 0.98 to 1.02 of the time without (NVIDIA
    /// H200); other shapes were not tried. CPUs without exchange keep the general way under test.
    fn fits_32_bits(&self, geometry: &Geometry) -> bool {
        self.lanes > 1 && geometry.fits_32_bits(2, 2 * self.lanes * self.pairs)
    }
}

/// How many samples of a run of so many are a vector, of 16 bytes at most, wherever a row starts.
fn vector(side: &Side, run: usize, bytes: usize) -> usize {
    let whole = |size: &usize| {
        let is_whole = |place: i64| place % *size as i64 == 0;
        let axes = [side.line, side.across[0], side.across[1], side.across[2]];
        // Of the signal side, where both channels of a row are a run, its details start nowhere.
        run.is_multiple_of(*size)
            && is_whole(side.offset)
            && axes[1..]
                .iter()
                .all(|axis| is_whole(axis.stride) && is_whole(axis.detail))
            && (2 * axes[0].detail == axes[0].stride || is_whole(axes[0].detail))
    };
    let candidates = [8, 4, 2];
    let mut candidates = candidates.into_iter().filter(|size| size * bytes <= 16);
    candidates.find(whole).unwrap_or(1)
}
