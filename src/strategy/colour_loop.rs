//! One launch per level for two axes of pictures whose pixels have a few samples side by side, on CPU devices: one work-item
//! per strip, rows in cache, explicit vectors (cl/colour_loop/colour_loop.cl).

use super::Strategy;
use super::cost::{Cost, Meter};
use super::design::{Define, Kernel, Pass, Slots, define};
use super::pixels;
use super::planner::{Coloured, Offer, Taken, Todo};
use super::tuning::Tunable;
use super::vectors::{CACHED, VECTOR, Vectors};
use crate::device::DeviceKind;
use crate::lifting::reach::{Reach, effective};
use crate::lifting::schedule::Lags;
use crate::wavelet::Boundary;

pub(super) const TUNABLES: &[Tunable] = &[VECTOR, CACHED, STRIP];

const STRIP: Tunable = Tunable {
    name: "STRIP",
    default: 1024,
    candidates: &[128, 256, 512, 1024],
    says: "pairs of columns in a strip, at most",
};

/// About how many pairs of rows a block has at least.
const ROW_BLOCK: usize = 64;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some(picture) = todo.coloured_picture(4) else {
        return Offer::no("it takes two axes before an inner batch of 2 to 4, in one piece");
    };
    if todo.problem.transform.boundary_rule() == Boundary::Periodic {
        return Offer::no(
            "a loop that goes down once does not see the other end of a periodic column",
        );
    }
    let sizes = Sizes::new(todo, &picture);
    let (needed, available) = (sizes.local_bytes(), todo.target.device.local_memory);
    if needed as u64 > available {
        return Offer::no(format!(
            "its rows need {needed} bytes of local memory, there are {available}"
        ));
    }
    let taken = Taken {
        levels: 1,
        axes: 2,
        passes: vec![pass(todo, &sizes, &picture)],
    };
    match todo.target.device.kind {
        DeviceKind::Cpu => Offer::Preferred(taken),
        DeviceKind::Gpu | DeviceKind::Accelerator => Offer::Works(taken),
    }
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    /// Its y schedule is one for any boundary rule.
    vectors: Vectors,
    reach: Reach,
    /// Pairs of columns in a strip, at most.
    strip: usize,
    /// Places beside each channel of a row: for mapped neighbours, and for vectors that run over.
    margin: usize,
    /// Places for one channel of a row, with those beside it.
    channel: usize,
    x_first: bool,
}

impl Sizes {
    fn new(todo: &Todo, picture: &Coloured) -> Self {
        let (problem, target) = (todo.problem, todo.target);
        let stencils = effective(&problem.stencils());
        let reach = Reach::new(&stencils);
        let vectors = Vectors::new(Strategy::ColourLoop, problem, target, Lags::new(&stencils));
        let ends = stencils.iter().flat_map(|step| [step.first, step.last()]);
        let farthest = ends.map(|offset| offset.unsigned_abs() as usize).max();
        let tuned = target.size(Strategy::ColourLoop, problem, &STRIP);
        let margin = (farthest.unwrap_or(0) * picture.colours + vectors.samples)
            .next_multiple_of(vectors.samples);
        let mut sizes = Sizes {
            strip: tuned.unwrap_or(STRIP.default),
            margin,
            channel: 0,
            // Rounding apart, real steps along different axes commute; x first needs no row for results.
            x_first: todo.x_first() || !problem.sample.is_integer(),
            reach,
            vectors,
        };
        loop {
            let pairs = sizes.reach.before + sizes.strip + sizes.reach.after;
            let places = (pairs * picture.colours).next_multiple_of(sizes.vectors.samples);
            sizes.channel = margin + places + margin;
            let fits = sizes.local_bytes() as u64 <= target.device.local_memory;
            if fits || sizes.strip <= 16 {
                return sizes;
            }
            sizes.strip /= 2;
        }
    }

    /// Rows in local memory: the ring, zeros, a pair of results, and what is gathered.
    fn rows(&self) -> usize {
        2 * self.vectors.y.kept + 4
    }

    fn local_bytes(&self) -> usize {
        2 * self.channel * self.rows() * self.vectors.bytes
    }

    fn defines(&self, todo: &Todo, colours: usize) -> Vec<Define> {
        let mut defines = self.vectors.defines();
        defines.extend(self.vectors.pipeline_y(2 * self.channel));
        defines.extend([
            define("COLOURS", colours),
            define("ROWS", self.rows()),
            define("MARGIN", self.margin),
            define("CHANNEL", self.channel),
            define("X_FIRST", u8::from(self.x_first)),
            define("HALO_LO", self.reach.before),
            define("HALO_HI", self.reach.after),
            define("HALO_TOP", self.reach.before),
            define("SINGLE", 0),
            define("PRE_SHIFT", todo.pre_shift()),
            define("PLANAR", 0),
            define("DISTANCE", "long"),
        ]);
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

fn pass(todo: &Todo, sizes: &Sizes, picture: &Coloured) -> Pass {
    let Coloured { geometry, colours } = picture;
    let [height, width] = [geometry.across[0], geometry.samples].map(|n| n as usize);
    let (columns, rows) = (width.div_ceil(2), height.div_ceil(2));
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let strips = columns.div_ceil(sizes.strip);
    let strip = columns.div_ceil(strips);
    let strips = columns.div_ceil(strip);
    // Some row blocks for each compute unit, so that all end at about the same time.
    let wanted = (4 * todo.target.device.compute_units).div_ceil(strips * pictures);
    let blocks = wanted.clamp(1, rows.div_ceil(ROW_BLOCK));
    let block = rows.div_ceil(blocks);
    let blocks = rows.div_ceil(block);
    let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
    let (reach, late_rows) = (&sizes.reach, sizes.vectors.y.last);
    let loaded_columns = width + 2 * (strips - 1) * (reach.before + reach.after);
    let loaded_rows = height + 2 * (blocks - 1) * (reach.before + late_rows);
    let loaded = pictures * colours * loaded_columns * loaded_rows;
    Pass {
        kernel: Kernel {
            name: "colour_loop",
            file: "colour_loop/colour_loop.cl",
            defines: sizes.defines(todo, *colours),
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("strips", strips as i32),
            ("row_blocks", blocks as i32),
            ("strip", strip as i32),
            ("row_block", block as i32),
        ],
        groups: strips * blocks * pictures,
        // Half as many pairs, along both axes.
        cost: meter.scaled(loaded, pictures * colours * height * width)
            + meter.lifted(loaded)
            + Cost::of_group(0, sizes.local_bytes()),
    }
}
