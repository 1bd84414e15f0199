//! What `single_loop` is specialised on besides the wavelet: strips of columns, their borders, and
//! the rows of them that are in a cache.

use crate::device::DeviceKind;
use crate::lifting::reach::{Reach, around_odd, effective};
use crate::lifting::schedule::Lags;
use crate::strategy::Strategy;
use crate::strategy::boxes_in_cache::MOST_WHOLE;
use crate::strategy::planning::design::{Define, Problem, define};
use crate::strategy::planning::todo::Todo;
use crate::strategy::planning::tuning::Tunable;
use crate::strategy::shared::cpu::{CACHE_LINE, Vectors, extension_of, stored_size};
use crate::strategy::shared::pixels;
use crate::transform::Layout;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Boundary, Direction};

pub(super) const STRIP: Tunable = Tunable {
    name: "STRIP",
    default: 2048,
    candidates: &[512, 1024, 2048, 4096],
    says: "pairs of columns in a strip, at most; without a line as many as the second cache holds rows of",
};

/// Bytes of a cache of the second level that the rows of a strip should fit.
const SECOND_CACHE: usize = 256 << 10;

/// Numbers of strips that are tried, lest the last one is narrow: periodic
/// rows would be refused then.
const MORE_STRIPS: usize = 8;

/// Vectors of each run for which there is room while they wait to be stored,
/// where rows are not aligned.
const GATHERED: usize = 32;

/// Bytes of a row from which on it gains by stores past the caches although it is not whole lines of
/// these.
const LONG: usize = 1000;

/// Rows of the highest pictures of which boxes are as fast as rows of two whole vectors.
const LOW: usize = 64;

/// Places beside each channel of a row, at least.
const MARGIN: usize = 32;

/// Whether rows of so many samples gain by stores past the caches: all whose runs are whole lines of
/// the caches, and such as are gathered (cl/single_loop/results.cl) and long. Interleaved coefficients
/// are not gathered. In ns per sample by 9/7 in f32, forward / inverse, past the caches and through
/// them (PoCL 3.1, one core of Zen 4):
///
/// | picture | past | through |
/// |---|---|---|
/// | 116508 x 72 | 1.12 / 0.94 | 0.92 / 0.93 |
/// | 65536 x 132 | 1.03 / 0.88 | 0.75 / 0.77 |
/// | 52428 x 160, in lines | 0.44 / 0.41 | 0.45 / 0.63 |
/// | 31775 x 264 | 0.66 / 0.50 | 0.68 / 0.82 |
/// | 8388 x 1000 | 0.47 / 0.46 | 0.68 / 0.59 |
/// | 116508 x 72, interleaved | 5.8 / 1.0 | 0.90 / 0.99 |
/// | 8388 x 1000 | 0.60 / 0.63 | 0.59 / 0.69 |
/// | 4096 x 4096, in lines | 0.40 / 0.50 | 0.52 / 0.58 |
fn rows_gain_past_the_caches(todo: &Todo, samples: usize) -> bool {
    let row = samples * stored_size(todo);
    let is_forward = todo.problem.direction == Direction::Forward;
    let is_interleaved = todo.problem.transform.coefficient_layout() == Layout::Interleaved;
    let runs = if is_forward && !is_interleaved { 2 } else { 1 };
    row.is_multiple_of(runs * CACHE_LINE) || row >= LONG && !(is_forward && is_interleaved)
}

/// What the kernel is specialised on besides the prelude.
pub(super) struct Sizes {
    /// Its y schedule is one for any boundary rule.
    pub vectors: Vectors,
    /// Pairs of columns in a strip, at most.
    pub strip: usize,
    /// Places beside each channel of a row: for mapped neighbours, and for vectors that run over.
    margin: usize,
    /// Places for one channel of a row, with room for what lies beside it.
    channel: usize,
    /// Pairs of columns at a border that are lifted apart from the rest of a row.
    pub border: usize,
    /// How rows go on beyond their ends, by a vector more, where that is enough and the same as
    /// the boundary rule; else 0.
    pub extension: i32,
    /// Pairs that a strip loads before and after its own, and pairs of rows that
    /// a row block loads before.
    pub halo: (usize, usize),
    pub halo_top: usize,
    pub x_first: bool,
}

impl Sizes {
    /// Results of reals leave a vector later where the narrowest strip has so many vectors. By
    /// 9/7, PoCL 3.1, 1024 x 1024 takes 0.95 of the CPU time of results at once in f32 (inverse
    /// 0.94), 0.79 (0.91) in rounded samples, 0.81 in halves, 4096 x 4096 0.94 (0.97), 0.95
    /// (0.96) and 0.87; 3000 x 3000 x 3 in 16 bits 1.1 (0.92), in f32 0.93 (Zen 4), as steps
    /// wait for each other less. On Zen 5 4096 x 4096 took 1.04 in f32. Integers take as long,
    /// and 1.08 where y is first.
    pub fn new(todo: &Todo, strategy: Strategy, geometry: &Geometry, colours: usize) -> Self {
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
        let (height, samples) = (geometry.across[0] as usize, geometry.samples as usize);
        let along_y = match is_periodic && height % 2 == 1 {
            true => around_odd(&problem.stencils(), height),
            false => stencils.clone(),
        };
        let lags = Lags::new(&along_y);
        let mut vectors = Vectors::of_pixels(colours, strategy, problem, target, lags)
            .past_the_caches_if(rows_gain_past_the_caches(todo, samples * colours));
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
        let extension = match extension_of(todo, samples) {
            Some(extension) if border == pixels => extension as i32,
            _ => 0,
        };
        let wanted = match is_periodic && !x_first && extension == 0 {
            true => samples.div_ceil(2),
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
    pub fn strips(&self, samples: usize) -> [usize; 2] {
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
    pub fn close_rows(&self, samples: usize) -> bool {
        let [strips, strip] = self.strips(samples);
        let closes = self.x_first || self.extension != 0;
        strips == 1 || closes && self.is_last_wide(samples, strips, strip)
    }

    /// Whether rows go step by step, as a channel of one has less than two borders. Pixels of so few
    /// columns are faster otherwise as well: 32000 x 16 x 3 by 9/7 in f32 takes 3.2 ns per sample,
    /// inverse 2.8, by a pass per axis 1.04 and 0.99 (PoCL 3.1, one core with AVX-512).
    pub fn goes_by_steps(&self, width: usize) -> bool {
        width / 2 / self.border < 2
    }

    /// Whether pictures of so narrow rows are faster here than by boxes in the caches, by how many
    /// borders a channel of a row has.
    pub fn is_best(&self, problem: &Problem, geometry: &Geometry) -> bool {
        let (sample, layout) = (problem.sample, problem.transform.coefficient_layout());
        let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
        let is_whole = width.is_multiple_of(2 * self.vectors.pixels) && layout == Layout::Mallat;
        let is_box = height * width <= MOST_WHOLE && sample.size() == 4;
        match (width / 2 / self.border, self.extension != 0) {
            _ if self.goes_by_steps(width) => false,
            // But for low pictures, of which most rows go step by step: by 9/7 in f32 128 x 64 takes
            // 0.65 ns per sample here and 0.83 there, 64 x 64 0.73 and 0.73, 32 x 64 0.89 and 0.68.
            (2, true) if is_whole => height > LOW,
            // Interleaved, or they end within a vector: in f32 11037 x 95 takes 0.71 and 0.73, in
            // f64 65 x 95 1.1 and 1.3 as boxes. Samples of 16 bits, and what is a whole box, take
            // less there: by 5/3 in i16 128 x 65 takes 0.9 and 0.4, by 9/7 in f32 1.0 and 0.75.
            (2, true) => sample.size() > 2 && !is_box,
            // Borders that are lifted apart take most of the time: by 13/7 in i32 65 x 65 takes 1.4
            // and 0.58. What boxes do not take is faster by a pass per axis, 6400 x 70 beyond zeros
            // 1.8 and 0.8. (PoCL 3.1, one core of Zen 4.)
            (2, false) => false,
            _ => true,
        }
    }

    pub fn local_bytes(&self) -> usize {
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

    pub fn defines(&self, todo: &Todo) -> Vec<Define> {
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
