//! One launch a level for the last two axes on CPU devices: one work-item a strip, rows in cache, explicit
//! vectors (cl/single_loop_2d.cl).

use super::{Array, Design, Fit, Kernel, Pass, Problem, Strategy, Target, levels};
use crate::boundary::Boundary;
use crate::device_info::DeviceKind;
use crate::geometry::Arguments;
use crate::lags::Lags;
use crate::prelude;
use crate::reach::{Reach, effective};
use crate::wavelet::Stencil;

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
    let wavelet = &problem.transform.wavelet;
    let stencils = prelude::stencils(wavelet, problem.sample, problem.direction);
    let far = |offset: i32| offset.unsigned_abs() as usize > sizes.vector;
    if stencils
        .iter()
        .any(|step| far(step.first) || far(step.last()))
    {
        return Fit::No {
            why: format!("a step reaches over the {} pairs of a vector", sizes.vector),
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
    /// Samples in a vector.
    vector: usize,
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
    /// The schedule of pairs of rows, as any boundary rule needs it.
    lags: Lags,
    /// The schedule of vectors within a row, away from borders.
    vector_lags: Lags,
    /// Whether the picture is too large for the caches.
    stream: bool,
    x_first: bool,
    /// Bytes of a number that the steps compute with.
    bytes: usize,
}

impl Sizes {
    fn new(problem: &Problem, target: &Target) -> Self {
        let tuned = |name, default| {
            let (strategy, device) = (Strategy::SingleLoop, target.device);
            target.tuning.size(name, strategy, problem, device, default)
        };
        let stencils = prelude::stencils(
            &problem.transform.wavelet,
            problem.sample,
            problem.direction,
        );
        let by_vector: Vec<Stencil> = stencils.iter().map(in_vectors).collect();
        let stencils = effective(&stencils);
        let (reach, lags) = (Reach::new(&stencils), Lags::new(&stencils));
        let bytes = problem.sample.size().max(4);
        let native = target.device.float_vector * 4 / bytes;
        let vector = tuned("VECTOR", native).next_power_of_two().clamp(8, 16);
        // Long runs of memory, as long as all rows that are kept fit a cache of the second level.
        let cached = (256 << 10) / (4 * lags.kept * bytes);
        let wanted = tuned("STRIP", cached.clamp(64, 2048));
        // Strips start at whole vectors, so that their stores do.
        let halo = (
            reach.before.next_multiple_of(vector),
            reach.after.next_multiple_of(vector),
        );
        let mut sizes = Sizes {
            vector,
            strip: wanted.next_multiple_of(vector),
            band: tuned("BAND", 64),
            channel: 0,
            ends: reach
                .before
                .max(reach.after)
                .max(1)
                .next_multiple_of(vector),
            halo,
            halo_top: reach.before,
            lags,
            vector_lags: Lags::new(&by_vector),
            stream: problem.transform.len() * problem.sample.size() > STREAMED,
            // Rounding apart, real steps along different axes commute; x first saves a copy of each row.
            x_first: levels::x_first(problem) || !problem.sample.is_integer(),
            bytes,
        };
        loop {
            let held = sizes.halo.0 + sizes.strip + sizes.halo.1;
            let ends = 2 * (2 * sizes.ends + vector + 2 * MARGIN);
            sizes.channel = ends.max(MARGIN + held + MARGIN);
            let fits = sizes.local_bytes() as u64 <= target.device.local_memory;
            if fits || sizes.strip <= 4 * vector {
                return sizes;
            }
            sizes.strip = (sizes.strip / 2).next_multiple_of(vector);
        }
    }

    fn local_bytes(&self) -> usize {
        2 * self.channel * self.rows() * self.bytes
    }

    /// Rows in local memory: the ring, zeros, ends, gathered results, and a result whose x comes last.
    fn rows(&self) -> usize {
        2 * self.lags.kept + 1 + 2 + 2 + usize::from(!self.x_first)
    }
}

/// A stencil in whole vectors: which of a vector's neighbours a step reads.
fn in_vectors(stencil: &Stencil) -> Stencil {
    let (first, last) = (
        stencil.first.signum().min(0),
        stencil.last().signum().max(0),
    );
    Stencil {
        target: stencil.target,
        first,
        count: (last - first + 1) as usize,
    }
}

/// Bytes of a picture from which on results are stored past the caches.
const STREAMED: usize = 16 << 20;

/// Places beside each channel of a row: for mapped neighbours, and for vectors that run over.
const MARGIN: usize = 32;

/// Names of the kernel's macros for the lag of each step.
const LAGS: [[&str; crate::wavelet::MAX_STEPS]; 2] = [
    [
        "X_LAG_0", "X_LAG_1", "X_LAG_2", "X_LAG_3", "X_LAG_4", "X_LAG_5", "X_LAG_6", "X_LAG_7",
    ],
    [
        "Y_LAG_0", "Y_LAG_1", "Y_LAG_2", "Y_LAG_3", "Y_LAG_4", "Y_LAG_5", "Y_LAG_6", "Y_LAG_7",
    ],
];

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
    let strip = columns.div_ceil(strips).next_multiple_of(sizes.vector);
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

    let mut defines = vec![
        ("VECTOR", sizes.vector),
        ("ROWS", sizes.rows()),
        ("MARGIN", MARGIN),
        ("CHANNEL", sizes.channel),
        ("X_FIRST", usize::from(sizes.x_first)),
        ("HALO_LO", sizes.halo.0),
        ("HALO_HI", sizes.halo.1),
        ("HALO_TOP", sizes.halo_top),
        ("ENDS", sizes.ends),
        // In the simulator the portable ways are taken: they are tested there.
        (
            "BUILTINS",
            usize::from(target.device.platform != "Oclgrind"),
        ),
        ("STREAM", usize::from(sizes.stream)),
        ("X_KEPT", sizes.vector_lags.kept),
        ("X_LAST_LAG", sizes.vector_lags.last),
        ("Y_KEPT", sizes.lags.kept),
        ("Y_LAST_LAG", sizes.lags.last),
        ("Y_OLDEST_s", sizes.lags.oldest[0]),
        ("Y_OLDEST_d", sizes.lags.oldest[1]),
    ];
    for (names, lags) in LAGS.iter().zip([&sizes.vector_lags, &sizes.lags]) {
        defines.extend(names.iter().copied().zip(lags.steps.iter().copied()));
    }
    Pass {
        kernel: Kernel {
            name: "single_loop_2d",
            parts: &[
                "boundary.cl",
                "plane.cl",
                "vectors.cl",
                "row_buffers.cl",
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
