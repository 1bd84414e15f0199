//! One launch per level for two axes on CPU devices: one work-item per strip, rows in
//! cache, explicit vectors (cl/single_loop/single_loop.cl). `colour_loop` is the same for
//! pixels of several samples.

use super::Strategy;
use super::boxes_in_cache::MOST_WHOLE;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{Define, Kernel, Pass, Problem, Slots, define, lack_of_registers};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::cpu::{CACHED, VECTOR, Vectors};
use super::shared::pixels;
use crate::device::DeviceKind;
use crate::lifting::extension::Extension;
use crate::lifting::reach::{Reach, around_odd, effective};
use crate::lifting::schedule::Lags;
use crate::transform::Layout;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Boundary, SampleType};

pub(super) const TUNABLES: &[Tunable] = &[VECTOR, CACHED, STRIP];

const STRIP: Tunable = Tunable {
    name: "STRIP",
    default: 2048,
    candidates: &[512, 1024, 2048, 4096],
    says: "pairs of columns in a strip, at most; without a line as many as the second cache holds rows of",
};

/// About how many pairs of rows a block has at least.
const ROW_BLOCK: usize = 64;

/// Bytes of a cache of the second level that the rows of a strip should fit.
const SECOND_CACHE: usize = 256 << 10;

/// Numbers of strips that are tried, lest the last one is narrow: periodic
/// rows would be refused then.
const MORE_STRIPS: usize = 8;

/// Vectors of each run for which there is room while they wait to be stored,
/// where rows are not aligned.
const GATHERED: usize = 32;

/// Samples of narrow pictures that are preferred all the same, as too few of them are one vector's
/// boxes. PoCL 3.1 takes 2.3 ns per sample of pictures 16 wide (two cores of Zen 5) and 5 of those
/// 8 wide; on one core 32768 x 32 takes 2.1, pictures of 32 x 32 take 2.2, of 48 x 48 2.2, of 64 x
/// 64 0.76. By boxes in the caches they take 0.6 to 0.8 (Zen 4).
const MOST_IN_NARROW: usize = 1 << 14;

/// Rows of the highest pictures of which boxes are as fast as rows of two whole vectors.
const LOW: usize = 64;

/// Places beside each channel of a row, at least.
const MARGIN: usize = 32;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some([y, x]) = todo.picture() else {
        return Offer::no("it takes two axes of which the inner one is in one piece");
    };
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(1, 2).pictures(y, x)
    };
    offer_of(todo, Strategy::SingleLoop, geometry, 1)
}

/// The same for pictures whose pixels have `colours` samples.
pub(super) fn offer_of(
    todo: &Todo,
    strategy: Strategy,
    geometry: Geometry,
    colours: usize,
) -> Offer {
    let is_periodic = todo.problem.transform.boundary_rule() == Boundary::Periodic;
    let sizes = Sizes::new(todo, strategy, &geometry, colours);
    if is_periodic && !sizes.close_rows(geometry.samples as usize) {
        return Offer::no(format!(
            "a periodic row of {} samples is too long for a strip of {} pairs, and its strips do not see both of its ends",
            geometry.samples, sizes.strip
        ));
    }
    // CPUs have a cache for what does not fit. An NVIDIA H200's compiler is not done with twenty
    // steps after 48 s. Counted as of 32 bits, so that doubles by 9/7 stay.
    if todo.target.device.kind != DeviceKind::Cpu
        && let kept = 2 * sizes.vectors.kept_x()
        && let Some(why) = lack_of_registers("a pair of rows", kept, SampleType::F32)
    {
        return Offer::No { why };
    }
    let needed = sizes.local_bytes() as u64;
    let available = todo.target.device.local_memory;
    if needed > available {
        return Offer::no(format!(
            "its rows need {needed} bytes of local memory, there are {available}"
        ));
    }
    let taken = Taken {
        levels: 1,
        axes: 2,
        passes: vec![pass(todo, &sizes, geometry)],
    };
    let narrow = colours == 1
        && (geometry.samples as usize) / 2
            < sizes.least_borders(todo.problem, &geometry) * sizes.border;
    // Periodic pictures of an odd height whose pairs of rows are all near the missing detail go
    // step by step as well: 3 x 349525 by 9/7 in f32 takes 2.8 ns per sample, 0.7 by a pass per
    // axis, and 15 x 69904 1.3 and 1.1, but 31 x 33824 0.8 and 0.9.
    let height = geometry.across[0] as usize;
    let low = is_periodic && height % 2 == 1 && height.div_ceil(2) <= sizes.vectors.y.kept;
    let many = todo.levels[0].shape.iter().product::<usize>() > MOST_IN_NARROW;
    match todo.target.device.kind {
        DeviceKind::Cpu if (narrow || low) && many => Offer::Yields(taken),
        DeviceKind::Cpu => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

fn extension_of(todo: &Todo, geometry: &Geometry) -> Option<Extension> {
    let transform = &todo.problem.transform;
    Extension::new(
        transform.wavelet(),
        todo.problem.sample,
        transform.boundary_rule(),
        geometry.samples as usize,
    )
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    /// Its y schedule is one for any boundary rule.
    vectors: Vectors,
    /// Pairs of columns in a strip, at most.
    strip: usize,
    /// Places beside each channel of a row: for mapped neighbours, and for vectors that run over.
    margin: usize,
    /// Places for one channel of a row, with room for what lies beside it.
    channel: usize,
    /// Pairs of columns at a border that are lifted apart from the rest of a row.
    border: usize,
    /// How rows go on beyond their ends, by a vector more, where that is enough and the same as
    /// the boundary rule; else 0.
    extension: i32,
    /// Pairs that a strip loads before and after its own, and pairs of rows that
    /// a row block loads before.
    halo: (usize, usize),
    halo_top: usize,
    x_first: bool,
}

impl Sizes {
    /// Results of reals leave a vector later where the narrowest strip has so many vectors. By
    /// 9/7, PoCL 3.1, 1024 x 1024 takes 0.95 of the CPU time of results at once in f32 (inverse
    /// 0.94), 0.79 (0.91) in rounded samples, 0.81 in halves, 4096 x 4096 0.94 (0.97), 0.95
    /// (0.96) and 0.87; 3000 x 3000 x 3 in 16 bits 1.1 (0.92), in f32 0.93 (Zen 4), as steps
    /// wait for each other less. On Zen 5 4096 x 4096 took 1.04 in f32. Integers take as long,
    /// and 1.08 where y is first.
    fn new(todo: &Todo, strategy: Strategy, geometry: &Geometry, colours: usize) -> Self {
        let samples = geometry.samples as usize;
        let later = Sizes::of(todo, strategy, geometry, colours, true);
        let [strips, strip] = later.strips(samples);
        match later.is_last_long(samples, strips, strip) {
            true => later,
            false => Sizes::of(todo, strategy, geometry, colours, false),
        }
    }

    /// The same with results of reals a vector later or not.
    fn of(
        todo: &Todo,
        strategy: Strategy,
        geometry: &Geometry,
        colours: usize,
        later: bool,
    ) -> Self {
        let (problem, target) = (todo.problem, todo.target);
        let stencils = effective(&problem.stencils());
        let reach = Reach::new(&stencils);
        let is_periodic = problem.transform.boundary_rule() == Boundary::Periodic;
        let height = geometry.across[0] as usize;
        let along_y = match is_periodic && height % 2 == 1 {
            true => around_odd(&problem.stencils(), height),
            false => stencils.clone(),
        };
        let lags = Lags::new(&along_y);
        let mut vectors = Vectors::of_pixels(colours, strategy, problem, target, lags);
        let (vector, pixels) = (vectors.samples, vectors.pixels);
        // Long runs of memory, as long as all rows that are kept fit a cache of the second level.
        let cached = SECOND_CACHE / (4 * vectors.y.kept * vectors.bytes * colours);
        let tuned = target.size(strategy, problem, &STRIP);
        // Rounding apart, real steps along different axes commute; x first
        // needs no row for results.
        let x_first = todo.x_first() || !problem.sample.is_integer();
        let is_cpu = target.device.kind == DeviceKind::Cpu;
        if later && is_cpu && x_first && !problem.sample.is_integer() {
            vectors = vectors.one_later_x();
        }
        // Strips start and end at whole vectors, so that their stores do.
        let whole = |pairs: usize| pairs.next_multiple_of(pixels);
        let border = whole(reach.before.max(reach.after).max(1));
        let extension = match extension_of(todo, geometry) {
            Some(extension @ (Extension::Mirrored | Extension::Periodic)) if border == pixels => {
                extension as i32
            }
            _ => 0,
        };
        let wanted = match is_periodic && !x_first && extension == 0 {
            true => (geometry.samples as usize).div_ceil(2),
            false => tuned.unwrap_or(cached.clamp(64, 4096)),
        };
        let ends = stencils.iter().flat_map(|step| [step.first, step.last()]);
        let farthest = ends.map(|offset| offset.unsigned_abs() as usize).max();
        let beside = farthest.unwrap_or(0) * colours + vector;
        let mut sizes = Sizes {
            strip: whole(wanted),
            margin: beside.next_multiple_of(vector).max(MARGIN),
            channel: 0,
            border,
            extension,
            halo: (whole(reach.before), whole(reach.after)),
            halo_top: Reach::new(&along_y).before,
            vectors,
            x_first,
        };
        loop {
            let loaded = sizes.halo.0 + sizes.strip + sizes.halo.1;
            // Head and tail of a row, joined.
            let borders = ((4 * sizes.border + pixels) * colours).next_multiple_of(vector);
            let places = (loaded / pixels * vector).max(borders);
            sizes.channel = sizes.margin + places + sizes.margin;
            let fits = sizes.local_bytes() as u64 <= target.device.local_memory;
            if fits || sizes.strip <= 4 * pixels {
                return sizes;
            }
            sizes.strip = whole(sizes.strip / 2);
        }
    }

    /// How many strips a row of so many samples has, and how many pairs each but the last one: some
    /// more of them where that one would be so narrow that it goes step by step.
    fn strips(&self, samples: usize) -> [usize; 2] {
        let columns = samples.div_ceil(2);
        let shares = |strips: usize| {
            let strip = columns.div_ceil(strips);
            let strip = strip.next_multiple_of(self.vectors.pixels);
            [columns.div_ceil(strip), strip]
        };
        let least = columns.div_ceil(self.strip);
        let mut candidates = (least..least + MORE_STRIPS).map(shares);
        let best = candidates.find(|&[strips, strip]| self.is_last_wide(samples, strips, strip));
        best.unwrap_or(shares(least))
    }

    /// Whether the last strip has two borders of details, and is long enough.
    fn is_last_wide(&self, samples: usize, strips: usize, strip: usize) -> bool {
        let details = (self.halo.0 + samples / 2).saturating_sub((strips - 1) * strip);
        let is_wide = details >= 2 * self.border && self.is_last_long(samples, strips, strip);
        strips == 1 || is_wide
    }

    /// Whether the last strip has as many vectors of its own as are loaded before the first result.
    /// Else it goes step by step.
    fn is_last_long(&self, samples: usize, strips: usize, strip: usize) -> bool {
        let own = samples.div_ceil(2) - (strips - 1) * strip;
        own.div_ceil(self.vectors.pixels) >= self.vectors.late_x()
    }

    /// Whether the strips at both ends of a periodic row get at what lies at the other end. One
    /// strip has both. Others load it beside them, if the last one does not go step by step: where
    /// x is first, before y has changed it; where y is, if the row goes on there, so that they
    /// lift it along y as well.
    fn close_rows(&self, samples: usize) -> bool {
        let [strips, strip] = self.strips(samples);
        let closes = self.x_first || self.extension != 0;
        strips == 1 || closes && self.is_last_wide(samples, strips, strip)
    }

    /// Borders that a channel of a row has at least where this is faster than boxes in the caches.
    /// With less than two, rows go step by step. Two of whole vectors are faster but in low
    /// pictures, whose rows mostly go step by step: by 9/7 in f32 pictures of 128 x 64 take 0.65 ns
    /// per sample here and 0.83 there, of 64 x 64 0.73 and 0.73, of 32 x 64 0.89 and 0.68. Others
    /// with less than three are interleaved, end within a vector, or have borders that are lifted
    /// apart, which takes most of the time, and samples of 16 bits and pictures that are whole
    /// boxes take less of it in boxes: 128 x 65 takes 1.0 and 0.75, by 13/7 in i32 65 x 65 1.4 and
    /// 0.58, by 5/3 in i16 128 x 65 0.9 and 0.4. Where boxes do not take them, a pass per axis is
    /// faster as well, 6400 x 70 beyond zeros 1.8 and 0.8, but in f32 mirrored 11037 x 95 takes
    /// 0.71 and 0.73, and in f64 65 x 95 1.1 and 1.3 as boxes (PoCL 3.1, one core of Zen 4).
    fn least_borders(&self, problem: &Problem, geometry: &Geometry) -> usize {
        let (sample, layout) = (problem.sample, problem.transform.coefficient_layout());
        let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
        let is_whole = width.is_multiple_of(2 * self.vectors.pixels) && layout == Layout::Mallat;
        let is_box = height * width <= MOST_WHOLE && sample.size() == 4;
        let three = match is_whole && self.extension != 0 {
            true => height <= LOW,
            false => self.extension == 0 || sample.size() == 2 || is_box,
        };
        if three { 3 } else { 2 }
    }

    fn local_bytes(&self) -> usize {
        2 * self.channel * self.rows() * self.vectors.bytes
    }

    /// Rows that gathered results take, in four runs; none where they go through the caches.
    fn gathered_rows(&self) -> usize {
        if !self.vectors.non_temporal {
            return 0;
        }
        (4 * GATHERED * self.vectors.samples).div_ceil(2 * self.channel)
    }

    /// Rows in local memory: the ring, zeros, borders, gathered results, and one for what is lifted
    /// along x outside of the ring.
    fn rows(&self) -> usize {
        let Vectors {
            samples,
            colours,
            pixels,
            ..
        } = self.vectors;
        let is_filled = pixels * colours == samples;
        let apart = !self.x_first || !is_filled;
        2 * self.vectors.y.kept + 1 + 2 + self.gathered_rows() + usize::from(apart)
    }

    fn defines(&self, todo: &Todo) -> Vec<Define> {
        let mut defines = self.vectors.defines();
        defines.extend(self.vectors.pipeline_x());
        defines.extend(self.vectors.pipeline_y(2 * self.channel));
        defines.extend([
            define("ROWS", self.rows()),
            define("GATHERED", GATHERED),
            define("GATHERED_ROWS", self.gathered_rows()),
            define("MARGIN", self.margin),
            define("CHANNEL", self.channel),
            define("X_FIRST", u8::from(self.x_first)),
            define("HALO_LO", self.halo.0),
            define("HALO_HI", self.halo.1),
            define("HALO_TOP", self.halo_top),
            define("BORDER_PAIRS", self.border),
            define("SINGLE", 0),
            define("PRE_SHIFT", todo.pre_shift()),
            define("PLANAR", 0),
            define("DISTANCE", "long"),
        ]);
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

fn pass(todo: &Todo, sizes: &Sizes, geometry: Geometry) -> Pass {
    let rows = (geometry.across[0] as usize).div_ceil(2);
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;

    let [strips, strip] = sizes.strips(geometry.samples as usize);
    // Some row blocks for each compute unit, so that all end at about the same time.
    let wanted = (4 * todo.target.device.compute_units).div_ceil(strips * pictures);
    let blocks = wanted.clamp(1, rows.div_ceil(ROW_BLOCK));
    let block = rows.div_ceil(blocks);
    let blocks = rows.div_ceil(block);
    Pass {
        kernel: Kernel {
            name: "single_loop",
            file: "single_loop/single_loop.cl",
            defines: sizes.defines(todo),
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![
            ("strips", strips as i32),
            ("row_blocks", blocks as i32),
            ("strip", strip as i32),
            ("row_block", block as i32),
            ("extension", sizes.extension),
        ],
        groups: strips * blocks * pictures,
        cost: cost(todo, sizes, &geometry, [strips, blocks]),
    }
}

/// Strips and row blocks read their halos again, and rows below those that wait to be stored. Rows
/// are lifted as whole vectors, and their borders once more, or one more vector at either end.
fn cost(todo: &Todo, sizes: &Sizes, geometry: &Geometry, [strips, blocks]: [usize; 2]) -> Cost {
    let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
    let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let late_rows = sizes.vectors.y.last;
    // What has less than two borders goes step by step.
    let extension = match width / 2 < 2 * sizes.border {
        true => 0,
        false => sizes.extension,
    };
    let columns = 2 * (strips - 1) * (sizes.halo.0 + sizes.halo.1) + width;
    let is_periodic = todo.problem.transform.boundary_rule() == Boundary::Periodic;
    let seams = blocks - usize::from(!is_periodic);
    let rows = 2 * seams * (sizes.halo_top + late_rows) + height;
    let ends = match extension {
        0 => 4 * sizes.border,
        _ => 2 * sizes.vectors.pixels,
    };
    // Where y is first, rows are lifted along it with what they go on with.
    let beyond = match sizes.x_first || extension == 0 {
        true => 0,
        false => 4 * sizes.vectors.pixels,
    };
    let pictures = pictures * sizes.vectors.colours;
    let pairs_x = columns.div_ceil(2) + ends;
    let pairs_y = rows.div_ceil(2) + late_rows;
    meter.scaled(pictures * rows * columns, pictures * height * width)
        + meter.lifted(pictures * rows * pairs_x)
        + meter.lifted(pictures * (columns + beyond) * pairs_y)
        + Cost::of_group(0, sizes.local_bytes())
}

#[cfg(test)]
mod tests;
