//! One launch a level for the last two axes on CPU devices: one work-item a strip, rows in cache, explicit
//! vectors (cl/single_loop_2d.cl).

use super::vectors::Vectors;
use super::{Array, Design, Fit, Kernel, Pass, Problem, Strategy, Target, levels};
use crate::device::DeviceKind;
use crate::lifting::prelude;
use crate::lifting::reach::{Reach, effective};
use crate::lifting::schedule::Lags;
use crate::transform::geometry::Arguments;
use crate::wavelet::Boundary;

pub(super) fn fit(problem: &Problem, target: &Target) -> Fit {
    if let Some(why) = levels::no_picture(&problem.transform) {
        return Fit::No { why };
    }
    if problem.transform.boundary == Boundary::Periodic {
        return Fit::No {
            why: "a loop that goes down once does not see the other end of a periodic column"
                .into(),
        };
    }
    let sizes = Sizes::new(problem, target);
    if !sizes.vectors.hold(problem) {
        let vector = sizes.vectors.samples;
        return Fit::No {
            why: format!("a step reaches over the {vector} pairs of a vector"),
        };
    }
    let needed = sizes.local_bytes() as u64;
    let available = target.device.local_memory;
    if needed > available {
        return Fit::No {
            why: format!("its rows need {needed} bytes of local memory, there are {available}"),
        };
    }
    match target.device.kind {
        DeviceKind::Cpu => Fit::Preferred,
        DeviceKind::Gpu | DeviceKind::Accelerator => Fit::Works,
    }
}

pub(super) fn design(problem: &Problem, target: &Target) -> Design {
    let sizes = Sizes::new(problem, target);
    levels::design(problem, |arguments, arrays| {
        launch(target, &sizes, arguments, arrays)
    })
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    /// Its y schedule is one for any boundary rule.
    vectors: Vectors,
    /// Pairs of columns in a strip, at most.
    strip: usize,
    /// Pairs of rows in a band, at least.
    band: usize,
    /// Places for one channel of a row, with room for what lies beside it.
    channel: usize,
    /// Pairs beside a border that are lifted apart from the rest of a row.
    ends: usize,
    /// Pairs that a strip reads before and after its own, and pairs of rows that a band reads before.
    halo: (usize, usize),
    halo_top: usize,
    x_first: bool,
}

impl Sizes {
    fn new(problem: &Problem, target: &Target) -> Self {
        let tuned = |name, default| {
            let (strategy, device) = (Strategy::SingleLoop, target.device);
            target.tuning.size(name, strategy, problem, device, default)
        };
        let stencils = effective(&prelude::stencils(
            &problem.transform.wavelet,
            problem.sample,
            problem.direction,
        ));
        let reach = Reach::new(&stencils);
        let lags = Lags::new(&stencils);
        let vectors = Vectors::new(Strategy::SingleLoop, problem, target, lags);
        let vector = vectors.samples;
        // Long runs of memory, as long as all rows that are kept fit a cache of the second level.
        let cached = (256 << 10) / (4 * vectors.y.kept * vectors.bytes);
        let wanted = tuned("STRIP", cached.clamp(64, 4096));
        // Strips start and end at whole vectors, so that their stores do.
        let whole = |pairs: usize| pairs.next_multiple_of(vector);
        let mut sizes = Sizes {
            strip: whole(wanted),
            band: tuned("BAND", 64),
            channel: 0,
            ends: whole(reach.before.max(reach.after).max(1)),
            halo: (whole(reach.before), whole(reach.after)),
            halo_top: reach.before,
            vectors,
            // Rounding apart, real steps along different axes commute; x first needs no row for results.
            x_first: levels::x_first(problem) || !problem.sample.is_integer(),
        };
        loop {
            let held = sizes.halo.0 + sizes.strip + sizes.halo.1;
            let ends = 2 * (2 * sizes.ends + vector + 2 * MARGIN);
            sizes.channel = ends.max(MARGIN + held + MARGIN);
            let fits = sizes.local_bytes() as u64 <= target.device.local_memory;
            if fits || sizes.strip <= 4 * vector {
                return sizes;
            }
            sizes.strip = whole(sizes.strip / 2);
        }
    }

    fn local_bytes(&self) -> usize {
        2 * self.channel * self.rows() * self.vectors.bytes
    }

    /// Rows that gathered results take, in four bands; none where they go through the caches.
    fn gathered_rows(&self) -> usize {
        if !self.vectors.stream {
            return 0;
        }
        (4 * GATHERED * self.vectors.samples).div_ceil(2 * self.channel)
    }

    /// Rows in local memory: the ring, zeros, ends, gathered results, and a result whose x comes last.
    fn rows(&self) -> usize {
        2 * self.vectors.y.kept + 1 + 2 + self.gathered_rows() + usize::from(!self.x_first)
    }
}

/// Vectors of each band for which there is room while they wait to be stored, where rows are not aligned.
const GATHERED: usize = 32;

/// Places beside each channel of a row: for mapped neighbours, and for vectors that run over.
const MARGIN: usize = 32;

fn launch(
    target: &Target,
    sizes: &Sizes,
    mut arguments: Arguments,
    (from, to, corner): (Array, Array, Option<Array>),
) -> Pass {
    let pairs = |samples: i32| (samples as usize).div_ceil(2);
    let (columns, rows) = (pairs(arguments.samples), pairs(arguments.across[0]));
    let pictures = (arguments.across[1] * arguments.across[2]) as usize;

    let strips = columns.div_ceil(sizes.strip);
    let strip = columns
        .div_ceil(strips)
        .next_multiple_of(sizes.vectors.samples);
    let strips = columns.div_ceil(strip);
    // Some bands for each compute unit, so that all end at about the same time.
    let wanted = (4 * target.device.compute_units).div_ceil(strips * pictures);
    let bands = wanted.clamp(1, rows.div_ceil(sizes.band));
    let band = rows.div_ceil(bands);
    let bands = rows.div_ceil(band);
    arguments.groups = strips as i32;
    arguments.step = strip as i32;
    arguments.windows = band as i32;
    arguments.segments = bands as i32;

    let mut defines = sizes.vectors.defines(target);
    defines.extend([
        ("ROWS", sizes.rows()),
        ("GATHERED", GATHERED),
        ("GATHERED_ROWS", sizes.gathered_rows()),
        ("ROW", 2 * sizes.channel),
        ("MARGIN", MARGIN),
        ("CHANNEL", sizes.channel),
        ("X_FIRST", usize::from(sizes.x_first)),
        ("HALO_LO", sizes.halo.0),
        ("HALO_HI", sizes.halo.1),
        ("HALO_TOP", sizes.halo_top),
        ("ENDS", sizes.ends),
    ]);
    Pass {
        kernel: Kernel {
            name: "single_loop_2d",
            parts: &[
                "boundary.cl",
                "plane.cl",
                "vectors.cl",
                "pairs.cl",
                "pipeline_x.cl",
                "pipeline_y.cl",
                "row_buffers.cl",
                "results.cl",
                "single_loop_2d.cl",
            ],
            defines,
            group: [1, 1],
        },
        from,
        to,
        corner,
        arguments,
        groups: strips * bands * pictures,
    }
}
