//! What `streamed_volumes` is specialised on besides the wavelet: which work-item
//! has how much of a volume.

use super::{NAME, samples};
use crate::device::{DeviceKind, Exchange};
use crate::lifting::extension::{are_near, is_symmetric};
use crate::lifting::reach::Reach;
use crate::strategy::planning::design::{
    Define, LARGEST_VECTOR, define, define_distance, loops_as_they_are,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::border::Border;
use crate::strategy::shared::pixels;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Channel, SampleType, Stencil};

/// Work-items in a work-group, where the device allows as many, and along x at least.
const GROUP: usize = 128;
const LEAST_ITEMS_X: usize = 8;

/// Those side by side are a power of two, or a multiple of so many and of the lanes of a sub-group.
const LEAST_WHOLE: usize = 32;

/// Bytes that the array in which work-items exchange samples is aligned to: the largest vector of
/// them.
const STAGE_ALIGNMENT: usize = 32;

/// Rows of which a work-item has the results. On an NVIDIA H100, 512 x 512 x 512 by 9/7 in f32
/// takes 397 us by 2 of them (inverse 411, both by 384 work-items at once), 380 (376) by 4, and by
/// 6, which do not fit the registers, 789 (782).
pub(super) const OWN_ROWS: usize = 4;

/// Samples for each compute unit up to which it is waiting that takes time: then segments may be as
/// short as a pair of planes, where they otherwise have as many pairs as there are steps at least.
/// On an NVIDIA H200, 64 x 64 x 64 takes 10.4 us (inverse 11.0), by segments of two pairs of planes
/// and two rows of a work-item 10.6 (12.9); 128 x 128 x 128, which has more, takes 15.0 (16.8), and
/// by short segments 18.6 (19.3).
const FEW_SAMPLES: usize = 4 << 10;

/// Columns of a work-item, in pairs: 8 to 32 bytes of them. Of what computes in single precision 4
/// pairs take twice the local memory, and more registers: on an NVIDIA H200 512 x 512 x 512 by 9/7
/// in halves takes 312 us (inverse 329), by 2 pairs 248 (279).
const PAIRS: usize = 2;
const PAIRS_OF_SHORTS: usize = 4;

/// Work-items that a compute unit runs at once, where each loads a pair of
/// rows before it is needed.
const AT_ONCE: usize = 512;

/// Bytes of the rows that are read of a pair of planes, up to which a work-item loads all of
/// them before they are needed: then it seldom waits for memory, and a compute unit with
/// registers for half as many work-items is faster. On an NVIDIA H100, 512 x 512 x 512 by 9/7 in
/// f32 takes 380 us (inverse 376), by a pair of rows 473 (475), by half of the rows and 384
/// work-items at once 453 (429).
const MOST_PREFETCHED: usize = 384;
const AT_ONCE_BY_MOST: usize = 256;

/// Half of them leave registers to more: in halves 245 us (inverse 275), by 256 at once 273 (302),
/// by a pair of rows 259 (287).
const FEW_PREFETCHED: usize = 192;
const AT_ONCE_BY_FEW: usize = 384;

fn pairs_of_columns(todo: &Todo) -> usize {
    match todo.problem.sample {
        SampleType::I16 => PAIRS_OF_SHORTS,
        _ => PAIRS,
    }
}

/// How many pairs of rows a work-item loads before they are needed, and how many work-items a
/// compute unit then runs at once. Samples that come one by one have a register each.
///
/// NVIDIA's have four parts with registers for two such sub-groups each. Work-groups of three do
/// not fill them, and of four columns wait even so: 384 x 384 x 384 takes 211 us instead of 182.
/// Other GPUs were not tried; CPUs do the same, to be tested.
fn prefetched(todo: &Todo, turns: usize, group: usize, wide: bool) -> (usize, usize) {
    let columns = 2 * pairs_of_columns(todo);
    let size = todo.problem.sample.size();
    let bytes = turns * 4 * columns * if wide { size } else { size.max(4) };
    let device = todo.target.device;
    let was_timed = device.exchange == Exchange::Ptx || device.kind == DeviceKind::Cpu;
    match was_timed && group * columns >= GROUP * 2 * PAIRS && bytes <= MOST_PREFETCHED {
        true if bytes <= FEW_PREFETCHED => (turns, AT_ONCE_BY_FEW),
        true => (turns, AT_ONCE_BY_MOST),
        false => (1, AT_ONCE),
    }
}

/// Whether these steps make a pipeline: every step takes both neighbours of a sample alike, and
/// details and approximations take turns.
fn is_pipeline(todo: &Todo, stencils: &[Stencil]) -> bool {
    let take_turns = stencils
        .windows(2)
        .all(|pair| pair[0].target != pair[1].target);
    are_near(stencils)
        && is_symmetric(todo.problem.transform.wavelet(), todo.problem.sample)
        && take_turns
        && stencils.len().is_multiple_of(2)
}

/// What the kernel is specialised on besides the prelude.
pub(super) struct Sizes {
    pub steps: usize,
    /// Whether the first step changes details, so that those of a pair come
    /// after its approximations.
    details_first: bool,
    pub group: usize,
    pub items_x: usize,
    /// Work-items at either end of a tile that store nothing: none where the tile has whole rows
    /// that are mirrored, or closed.
    pub overlap: usize,
    /// Work-items of a tile that store, and tiles side by side.
    pub strip: usize,
    pub tiles_x: usize,
    /// Work-items that a compute unit runs at once.
    pub at_once: usize,
    pub rows: Rows,
    /// Pairs of rows that a work-item loads before they are needed.
    prefetched: usize,
    /// Pairs of planes of a segment at least.
    pub least: usize,
    pub wide: bool,
    /// Whether rows go on periodically beyond their border; others are mirrored.
    pub is_periodic: bool,
    /// Whether a tile has whole rows that are periodic, and its last work-item is beside the first.
    is_closed: bool,
    /// Whether neighbours in a row of a sub-band are neighbours in memory.
    planar: bool,
    /// Whether both channels along x are interleaved in rows that go by vectors.
    interleaved: bool,
    /// Whether approximations then have an array of their own as well.
    pub low_apart: bool,
    /// Columns of a work-item, in pairs.
    pub pairs: usize,
}

impl Sizes {
    pub fn new(todo: &Todo, geometry: &Geometry, x: Border) -> Result<Self, String> {
        let stencils = todo.problem.stencils();
        let reach = Reach::new(&stencils);
        if !is_pipeline(todo, &stencils) || reach.before.max(reach.after) > PAIRS {
            return Err(
                "it takes steps that read one neighbour on each side, and few of them".into(),
            );
        }
        let pairs = pairs_of_columns(todo);
        let device = todo.target.device;
        let few = samples(geometry) < FEW_SAMPLES * device.compute_units;
        let wide = is_wide(geometry, todo.problem.sample, pairs);
        let rows = Rows::new(todo, stencils.len(), wide);
        // As many work-items as have their pipelines in local memory.
        let most_items = GROUP.min(todo.target.work_group(NAME));
        let fits = |&items: &usize| rows.local_bytes(todo, items) as u64 <= device.local_memory;
        let group = (1..=most_items).rev().find(fits).unwrap_or(0);
        // The most that are side by side: as they are rounded up.
        let whole = device.lanes.max(LEAST_WHOLE);
        let most = match group < whole {
            true => group.checked_ilog2().map_or(0, |log| 1 << log),
            false => in_whole(group, whole),
        };
        let needed = LEAST_ITEMS_X.max(device.lanes);
        if group < needed {
            return Err(format!(
                "it needs work-groups of {needed}, and local memory for their pipelines"
            ));
        }
        let interleaved = wide && geometry.bands.line.stride == 2;
        let columns = (geometry.samples as usize).div_ceil(2 * pairs);
        // The end of a periodic row meets its start at a seam, where whole sub-groups have the row.
        let is_closed = x.is_periodic()
            && geometry.samples as usize == 2 * pairs * columns
            && (device.lanes..=most).contains(&columns)
            && rounded_up(columns, whole) == columns;
        let overlap = usize::from(columns > most || (x.is_periodic() && !is_closed));
        let strip = columns.div_ceil(columns.div_ceil(most - 2 * overlap));
        let items_x = rounded_up(strip + 2 * overlap, whole);
        let group = in_whole(group, items_x.max(device.lanes));
        let (prefetched, at_once) = prefetched(todo, rows.turns, group, wide);
        Ok(Sizes {
            steps: stencils.len(),
            details_first: stencils[0].target == Channel::Detail,
            group,
            items_x,
            overlap,
            strip,
            tiles_x: columns.div_ceil(strip),
            at_once,
            rows,
            prefetched,
            least: if few { 1 } else { stencils.len() },
            wide,
            is_periodic: x.is_periodic(),
            is_closed,
            planar: geometry.bands.line.stride == 1,
            interleaved,
            low_apart: interleaved && geometry.has_low == 1,
            pairs,
        })
    }

    /// Whether something of a row is exchanged between sub-groups, or between
    /// the ends of one.
    pub fn has_seams(&self, todo: &Todo) -> bool {
        self.is_closed || self.items_x > todo.target.device.lanes
    }

    /// Pairs along y or z: where a pair is a detail and the approximation after it, the first one
    /// has no detail, and the last one may have no approximation.
    pub fn pairs_along(&self, samples: i32) -> usize {
        let samples = samples as usize;
        match self.details_first {
            true => samples.div_ceil(2),
            false => samples / 2 + 1,
        }
    }

    pub fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let place = if self.details_first { 1 } else { -1 };
        // Of periodic rows no column is the last.
        let last_column = match self.is_periodic {
            true => 2 * self.pairs - 1,
            false => (geometry.samples as usize - 1) % (2 * self.pairs),
        };
        let mut defines = vec![
            define("EXCHANGE", todo.target.device.exchange.number()),
            define("LANES", todo.target.device.lanes),
            define("STEPS", self.steps),
            define("DETAIL_PLACE", place),
            define("GROUP", self.group),
            define("ITEMS_X", self.items_x),
            define("OWN_PAIRS", self.pairs),
            define("OWN_ROWS", OWN_ROWS),
            define("PREFETCHED", self.prefetched),
            define("WIDE", u8::from(self.wide)),
            define("BY_WORDS", u8::from(self.wide)),
            define("LAST_COLUMN", last_column),
            define("PLANAR", u8::from(self.planar)),
            define("INTERLEAVED", u8::from(self.interleaved)),
            define("LOW_APART", u8::from(self.low_apart)),
            define("X_FIRST", u8::from(self.rows.order == Order::Xyz)),
            define("IS_PERIODIC", u8::from(self.is_periodic)),
            define("CLOSED", u8::from(self.is_closed)),
            define("PRE_SHIFT", todo.pre_shift()),
            define_distance(geometry.fits_32_bits(3, 0)),
        ];
        defines.extend(loops_as_they_are(todo.target.device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

fn in_whole(items: usize, unit: usize) -> usize {
    items / unit * unit
}

/// So many work-items side by side, or more: a power of two, or whole sub-groups, so that none has
/// a part of a row beside another row.
fn rounded_up(items: usize, whole: usize) -> usize {
    match items < whole {
        true => items.next_power_of_two().max(LEAST_ITEMS_X),
        false => items.next_multiple_of(whole),
    }
}

/// The order of the axes: reals are lifted along y first, and what is done there along z and x;
/// integers in the wavelet's order, as each step rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Yzx,
    Zyx,
    Xyz,
}

/// What a work-item has of each plane, in rows.
pub(super) struct Rows {
    order: Order,
    /// Pairs of rows that it reads.
    pub turns: usize,
    /// Those in a pipeline along z, in which so many numbers wait for each.
    kept: usize,
    waiting: usize,
    /// Samples that a work-item exchanges with its neighbours at once, of rows that do not go by
    /// vectors: its columns of a pair of rows of both planes.
    staged: usize,
}

impl Rows {
    fn new(todo: &Todo, steps: usize, wide: bool) -> Self {
        let order = match todo.problem.sample.is_integer() {
            true if todo.x_first() => Order::Xyz,
            true => Order::Zyx,
            false => Order::Yzx,
        };
        let turns = steps + OWN_ROWS / 2;
        Rows {
            order,
            turns,
            kept: match order {
                Order::Zyx => 2 * turns,
                Order::Yzx | Order::Xyz => OWN_ROWS,
            },
            waiting: steps + usize::from(order != Order::Yzx),
            staged: match wide || todo.target.device.lanes == 1 {
                true => 0,
                false => 8 * pairs_of_columns(todo),
            },
        }
    }

    /// Those that are lifted along z. Of the last pair that is read results along y
    /// depend on one row alone.
    pub fn along_z(&self) -> usize {
        self.kept - usize::from(self.order == Order::Zyx)
    }

    /// Those that are lifted along x, with a barrier for two where rows have
    /// seams between sub-groups.
    pub fn along_x(&self) -> usize {
        match self.order {
            Order::Xyz => 2 * self.turns,
            Order::Yzx | Order::Zyx => OWN_ROWS,
        }
    }

    /// What so many work-items have in local memory, at most: their pipelines along z, rows at
    /// the seams between sub-groups, and the samples that they exchange.
    pub fn local_bytes(&self, todo: &Todo, items: usize) -> usize {
        // Pieces of rows in one sub-group are no shorter.
        let lanes = todo.target.device.lanes;
        let pieces = items.div_ceil(lanes.min(LEAST_ITEMS_X));
        // Two pairs of rows of both planes, with a place more at either end
        // (cl/streamed_volumes/lift_x.cl).
        let at_seams = 2 * 4 * (pieces * lanes.min(2) + 2);
        let columns = 2 * pairs_of_columns(todo) * todo.problem.sample.local_size();
        // The places of all rows that are read, and those of approximations once more, for
        // every row of work-items.
        let places = 3 * self.turns * size_of::<i64>();
        (items * self.kept * self.waiting + at_seams) * columns
            + items * places.div_ceil(LEAST_ITEMS_X)
            + items * self.staged * todo.problem.sample.size()
            + STAGE_ALIGNMENT
    }
}

/// Whether a work-item's columns are vectors everywhere, none larger than
/// what arrays are aligned to.
fn is_wide(geometry: &Geometry, sample: SampleType, pairs: usize) -> bool {
    let width = geometry.samples as usize;
    let interleaved = geometry.rows_lie_alike() && geometry.bands.is_aligned(2, 2 * pairs);
    2 * pairs * sample.size() <= LARGEST_VECTOR
        && width.is_multiple_of(2 * pairs)
        && width >= 4 * pairs
        && geometry.signal.is_aligned(2, 2 * pairs)
        && (geometry.has_low == 0 || geometry.low.is_aligned(1, pairs))
        && (geometry.bands.is_aligned(1, pairs) || interleaved)
}
