//! One launch per level for two axes: each sub-group lifts a block of the picture in its registers
//! (cl/register_block/register_block.cl).

use super::Strategy;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{
    Define, Kernel, LANES_ALONE, Pass, Slots, can_stream, define, define_distance,
    group_of_sub_groups, lack_of_registers, loops_as_they_are, registers,
};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::border::Border;
use super::shared::pixels;
use super::streamed;
use crate::device::{DeviceKind, Exchange};
use crate::lifting::reach::Reach;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Direction, SampleType};

pub(super) const TUNABLES: &[Tunable] = &[BLOCK_ROWS];

const BLOCK_ROWS: Tunable = Tunable {
    name: "BLOCK_ROWS",
    default: 14,
    candidates: &[14, 20, 28],
    says: "rows of a block with its halo, rounded up to an even number; more where a wavelet's halo leaves too few",
};

const NAME: &str = "register_block";

/// Rows of a block that are no halo, at least.
const LEAST_RESULTS: usize = 4;

/// Samples that blocks load of pictures for each compute unit, up to which this is the best
/// strategy. On an NVIDIA H200, in f32 by 9/7, one level of 2048 x 2048 (83 Ki of them) takes 14.4
/// us, by `streamed` 14.8; of 1024 x 1024 6.9 and 8.4, of 512 x 512 5.3 and 6.2, of 1023 x 1021 7.8
/// and 12.5; of 64 pictures of 256 x 256, as many samples as the first, 15.4 and 14.1.
const LOADED: usize = 84 << 10;

/// How many times as large as its results a block may be then: 13/7, 5 times, still gains;
/// Fidelity, 14 times, was not tried.
const LARGEST_BLOCK: usize = 6;

/// How many times as many samples blocks may load as they would if pictures filled them; in small
/// arrays more, as far as these are no more than [`LOADED`]. On an NVIDIA H200 it is what they load
/// that counts, 0.9 us for 2^20 samples, and 2^22 take 26 us by two passes, one for each axis.
const MOSTLY_EMPTY: u128 = 2;

/// Samples of a row that is not aligned, up to which this is the best strategy where blocks have at
/// most so many times as many samples as there are, both by the pairs of a work-item. On an NVIDIA H100,
/// in f32 by 9/7 (i16 by 5/3), 256 of 511 x 513 (3.0 times; 2.3) take 207 us (141), by `streamed`
/// 293 (237), 64 of 1023 x 1021 272 (136) and 262 (197), inverse 205 (167) and 258 (169), 16 of
/// 2047 x 2047 269 (138) and 237 (172). 16384 of 63 x 63 (5.4; 3.6) take 332 (255), by a pass per
/// axis 519 (330); 131072 of 23 x 23 (6.8; 13.5) 439 (744) and 531 (325); 16384 of 45 x 45 (3.5;
/// 5.3) 117 (194) and 267 (164). On an NVIDIA H200, in i16 by 5/3, 16 of 2047 x 2047 take 115 us
/// (inverse 140), by `streamed` 302 (254), 8191 x 8191 111 (129) and 181 (139), 13 x 400001 14 (15)
/// and 21 (20).
const UNALIGNED: [i32; 2] = [1 << 10, i32::MAX];
const MOST_TIMES: [usize; 2] = [7, 5];

/// Rows of a picture whose blocks are best then however long its rows are: on the same card 3 x
/// 1398101 takes 23 us (19) by blocks, by `streamed` 27 (19), 2 x 699051 16 (11) and 171 (12), 5 x
/// 838861 18 (16) and 24 (16).
const LOW: i32 = 5;

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

pub(super) fn offer(asked: &Todo) -> Offer {
    let todo = &Todo {
        target: &asked.target.of(NAME),
        ..*asked
    };
    let Some([y, x]) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(1, 2).pictures(y, x)
    };
    let offer = Sizes::new(todo).and_then(|mut sizes| {
        let is_mostly_halo = sizes.is_mostly_halo();
        sizes.share_out(&geometry);
        let taken = Taken {
            levels: 1,
            axes: 2,
            passes: vec![pass(todo, &sizes, geometry)?],
        };
        let blocks = taken.passes[0].groups * (sizes.group / sizes.lanes);
        let is_best = is_best_for(todo, asked, &sizes, &geometry, blocks);
        Ok(match is_best && !is_mostly_halo {
            true => Offer::Preferred(taken),
            false => Offer::Works(taken),
        })
    });
    offer.unwrap_or_else(|why| Offer::No { why })
}

/// Whether `streamed` has no exchange: on an NVIDIA H200 without its own, one level of 4096 x
/// 2048 takes 28 us (inverse 28) in f32 by 9/7, by `streamed` 148 (207), by `separable` 61 (60);
/// in f64 43 (42), 279 (259), 102 (101); in i16 by 13/7 36 (23), 651 (905), 61 (61). Or whether
/// pictures are so small that it is waiting that takes time, and not memory: a block has all of
/// its loads under way at once. Not of 16-bit samples, whose blocks are twice as wide: five
/// levels of 1024 x 1024 by 5/3 take 34 us (inverse 31), by `streamed` 22.6 (19.7). `asked` is
/// about every strategy's device.
fn is_best_for(
    todo: &Todo,
    asked: &Todo,
    sizes: &Sizes,
    geometry: &Geometry,
    blocks: usize,
) -> bool {
    let (device, sample) = (todo.target.device, todo.problem.sample);
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let samples = geometry.across[0] as usize * geometry.samples as usize * pictures;
    let (block, results) = (sizes.block(), sizes.results());
    let loaded = samples as u128 * block as u128 / results as u128;
    let small = (LOADED * device.compute_units) as u128;
    let of_blocks = 4 * blocks * block;
    let is_full = of_blocks as u128 <= small.max(MOSTLY_EMPTY * loaded);
    let streams = asked.target.of("streamed_one_level");
    let alone = streams.device.exchange == Exchange::None;
    // Of doubles (56), compilers for Intel's GPUs put some in memory where a work-item has 64
    // registers (`make vendors`).
    let held = 2 * sizes.pairs * sizes.rows * sample.size().div_ceil(4);
    device.kind == DeviceKind::Gpu
        && 4 * held <= 3 * registers(device)
        && (alone
            || sizes.pairs == 1 && is_full && (loaded <= small || !can_stream(device))
            || is_best_of_unaligned(asked, sizes, geometry, of_blocks.div_ceil(samples)))
}

/// Whether rows go sample by sample, and are so short, or so few, that many of the sub-groups of
/// `streamed` are at the border, which takes longer than to load the halo of a block. Blocks have
/// so many times as many samples as the picture.
fn is_best_of_unaligned(asked: &Todo, sizes: &Sizes, geometry: &Geometry, times: usize) -> bool {
    (geometry.samples <= UNALIGNED[sizes.pairs - 1] || geometry.across[0] <= LOW)
        && times <= MOST_TIMES[sizes.pairs - 1]
        && streamed::rows_are_no_vectors(asked, *geometry)
}

fn pass(todo: &Todo, sizes: &Sizes, geometry: Geometry) -> Result<Pass, String> {
    let [height, width] = [geometry.across[0], geometry.samples];
    let (x, y) = (Border::new(todo, width)?, Border::new(todo, height)?);
    let strips = (width as usize).div_ceil(2).div_ceil(sizes.width());
    let rows = (height as usize).div_ceil(2).div_ceil(sizes.height());
    // Blocks of a work-group stand one below another.
    let groups = strips * rows.div_ceil(sizes.group / sizes.lanes);
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let [loads_words, stores_words] = sizes.words(todo.problem.direction, &geometry);
    Ok(Pass {
        kernel: Kernel {
            name: NAME,
            file: "register_block/register_block.cl",
            defines: sizes.defines(todo, &geometry),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![
            ("strips", strips as i32),
            ("groups", groups as i32),
            ("loads_words", i32::from(loads_words)),
            ("stores_words", i32::from(stores_words)),
            ("restored", i32::from(x.is_restored() || y.is_restored())),
            ("periodic_x", i32::from(x.is_periodic())),
            ("periodic_y", i32::from(y.is_periodic())),
        ],
        groups: groups * pictures,
        cost: sizes.cost(todo, &geometry, [strips, rows]),
    })
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    reach: Reach,
    /// Work-items in a sub-group, or in what takes its place.
    lanes: usize,
    /// Work-items in a work-group, whole sub-groups.
    group: usize,
    /// Pairs of columns of a work-item, two words of memory.
    pairs: usize,
    /// Rows of a block with its halo.
    rows: usize,
    x_first: bool,
}

impl Sizes {
    /// The sizes for a device, or why it cannot run them.
    fn new(todo: &Todo) -> Result<Self, String> {
        let (device, sample) = (todo.target.device, todo.problem.sample);
        let reach = Reach::new(&todo.problem.stencils());
        let most = todo.target.work_group(NAME);
        let alone = device.exchange == Exchange::None;
        let lanes = if alone {
            LANES_ALONE.min(most)
        } else {
            device.lanes
        };
        let tuned = todo
            .target
            .size(Strategy::RegisterBlock, todo.problem, &BLOCK_ROWS);
        let rows = tuned.unwrap_or(BLOCK_ROWS.default).next_multiple_of(2);
        let mut sizes = Sizes {
            lanes,
            group: GROUP.min(most) / lanes * lanes,
            pairs: if sample.size() == 2 { 2 } else { 1 },
            rows: rows.max(2 * (reach.before + reach.after) + LEAST_RESULTS),
            // Rounding apart, real steps along different axes commute; along x
            // last, fewer rows are lifted.
            x_first: todo.x_first() && sample.is_integer(),
            reach,
        };
        if sizes.group == 0 {
            return Err(format!("it needs work-groups of {lanes}"));
        }
        if sizes.width() == 0 {
            return Err(format!("sub-groups of {lanes} are all halo"));
        }
        if let Some(why) = lack_of_registers(
            "a block with its halo",
            2 * sizes.pairs * sizes.rows,
            sample,
        ) {
            return Err(why);
        }
        while alone && sizes.local_bytes(sample) > device.local_memory {
            if sizes.group == lanes {
                let (needed, have) = (sizes.local_bytes(sample), device.local_memory);
                return Err(format!(
                    "its exchange needs {needed} bytes of local memory, there are {have}"
                ));
            }
            sizes.group -= lanes;
        }
        Ok(sizes)
    }

    /// Makes blocks no higher than a picture with its halo, and work-groups as large as the
    /// blocks of a strip are many, which stand one below another. On an NVIDIA H100, 3 x 1398101
    /// takes 23 us (inverse 23) in f32 by 9/7 by blocks of 12 rows and 26 (25) by 14, in i16 by
    /// 5/3 19 (18) by 8 and 29 (27).
    fn share_out(&mut self, geometry: &Geometry) {
        let pairs = (geometry.across[0] as usize).div_ceil(2);
        let halo = self.reach.before + self.reach.after;
        self.rows = self.rows.min(2 * (halo + pairs));
        let rows = pairs.div_ceil(self.height());
        self.group = group_of_sub_groups(rows, self.lanes, self.group);
    }

    /// Pairs of columns from one block to the next: what is left when the
    /// halo has whole work-items.
    fn width(&self) -> usize {
        let halo = [self.reach.before, self.reach.after].map(|pairs| pairs.div_ceil(self.pairs));
        self.lanes.saturating_sub(halo[0] + halo[1]) * self.pairs
    }

    /// Pairs of rows from one block to the next.
    fn height(&self) -> usize {
        self.rows / 2 - self.reach.before - self.reach.after
    }

    /// Pairs of pairs that a block loads, and those that it stores.
    fn block(&self) -> usize {
        self.lanes * self.pairs * self.rows / 2
    }

    fn results(&self) -> usize {
        self.width() * self.height()
    }

    /// Of the largest blocks: those of low pictures have fewer rows.
    fn is_mostly_halo(&self) -> bool {
        self.block() > LARGEST_BLOCK * self.results()
    }

    /// Whether what is loaded, and what is stored, is in whole words of memory.
    fn words(&self, direction: Direction, geometry: &Geometry) -> [bool; 2] {
        let signal = geometry.signal.is_aligned(2, 2 * self.pairs);
        let mut bands = geometry.band_sides();
        let bands = self.pairs == 1 || bands.all(|side| side.is_aligned(1, self.pairs));
        match direction {
            Direction::Forward => [signal, bands],
            Direction::Inverse => [bands, signal],
        }
    }

    /// Rows of a block that are lifted along x.
    fn rows_along_x(&self) -> usize {
        if self.x_first {
            self.rows
        } else {
            2 * self.height()
        }
    }

    /// What work-items show one another where there is no exchange: a channel of the rows
    /// that are lifted along x.
    fn local_bytes(&self, sample: SampleType) -> u64 {
        // Steps compute in 32 bits at least.
        (self.rows_along_x() * self.group * self.pairs * sample.size().max(4)) as u64
    }

    /// So many blocks side by side and one below another in each picture. They read their halos;
    /// along y each lifts what its results depend on, along x all of its columns.
    fn cost(&self, todo: &Todo, geometry: &Geometry, [strips, rows]: [usize; 2]) -> Cost {
        let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
        let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
        let pictures = (geometry.across[1] * geometry.across[2]) as usize;
        let halo = 2 * (self.lanes * self.pairs - self.width());
        let halo_rows = 2 * (self.reach.before + self.reach.after);
        let read = (width + strips * halo) * (height + rows * halo_rows);
        let blocks = pictures * strips * rows.next_multiple_of(self.group / self.lanes);
        let alone = todo.target.device.exchange == Exchange::None;
        let of_group = match alone {
            true => Cost::of_group(
                2 * self.reach.steps.len(),
                self.local_bytes(todo.problem.sample) as usize,
            ),
            false => Cost::default(),
        };
        meter.scaled(pictures * read, pictures * height * width)
            + meter.lifted_alone(blocks * 2 * self.lanes * self.pairs, self.height())
            + meter.lifted(blocks * self.lanes * self.pairs * self.rows_along_x())
            + of_group
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        // To find one of several pictures takes a fifth more instructions (9/7 in f32, compiled for
        // an NVIDIA H200). CPUs keep the general way under test.
        let exchanges = device.exchange != Exchange::None;
        let single = exchanges && geometry.across[1] * geometry.across[2] == 1;
        let mut defines = vec![
            define("EXCHANGE", device.exchange.number()),
            define("LANES", self.lanes),
            define("GROUP", self.group),
            define("PAIRS", self.pairs),
            define("BLOCK_ROWS", self.rows),
            define("X_FIRST", u8::from(self.x_first)),
            define_distance(geometry.fits_32_bits(2, 0)),
            define("PLANAR", 0),
            define("SINGLE", u8::from(single)),
            define("PRE_SHIFT", todo.pre_shift()),
        ];
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

#[cfg(test)]
mod tests;
