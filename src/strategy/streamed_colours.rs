//! One launch per level for two axes of pictures whose pixels have a few samples side by side:
//! sub-groups sweep along strips of whole pixels, both axes in registers
//! (cl/streamed_colours/streamed_colours.cl).

mod sizes;

use self::sizes::{FILLING, PAIRS, PREFETCHED, Sizes};
use super::planning::cost::Meter;
use super::planning::design::{Kernel, Pass, Slots, can_stream};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::{Coloured, Todo};
use super::planning::tuning::Tunable;
use super::register_planes;
use super::shared::border::Border;
use super::shared::lines::segments;
use crate::device::{DeviceKind, Exchange};
use crate::lifting::extension::is_symmetric;
use crate::transform::geometry::Geometry;

pub(super) const TUNABLES: &[Tunable] = &[PAIRS, PREFETCHED, FILLING];

const NAME: &str = "streamed_colours";

/// Samples of a pixel at most. On an NVIDIA H200, one level of 4096 x 4096 x 5 by 9/7 in f32 takes
/// 250 us (inverse 278), of x 8 312 (370), where copies take 162 and 255, and two passes 1170 (820)
/// and 740 (764). Of more than 4 it is preferred where a work-item has so few registers.
const MOST_COLOURS: i64 = 8;
const MOST_REGISTERS: usize = 192;

/// Samples of a pixel, and its bytes, from which on `register_planes` is asked first, and samples that
/// no vectors hold well. On an NVIDIA H200 by 9/7 in f32 and by 5/3 in i16, us forward and inverse:
///
/// | pixels | f32 here | there | i16 here | there |
/// |---|---|---|---|---|
/// | 4096 x 4096 x 3 | 122, 119 | 136, 133 | 78, 70 | 88, 132 |
/// | x 5 | 241, 269 | 226, 216 | 145, 133 | 150, 167 |
/// | x 7 | 664, 518 | 304, 291 | 250, 294 | 206, 215 |
/// | 1024 x 512 x 5 | 15, 18 | 15, 16 | 15, 14 | 12, 15 |
/// | x 6 | 19, 22 | 15, 16 | 13, 13 | 11, 13 |
/// | x 7 | 30, 32 | 16, 17 | 23, 20 | 12, 16 |
///
/// On an NVIDIA H100 4096 x 4096 x 8 in f32 takes 409 us (450) here, there 406 (411), interleaved
/// 1024 x 512 x 8 48 (65) and 21 (29). On other GPUs, where nothing was timed, planes are those of 8
/// alone.
const PLANES: usize = 5;
const BYTES_OF_PLANES: usize = 20;
const NO_VECTORS: usize = 7;

pub(super) fn offer(todo: &Todo) -> Offer {
    let todo = &Todo {
        target: &todo.target.of(NAME),
        ..*todo
    };
    let Some(picture) = todo.coloured_picture(MOST_COLOURS) else {
        return Offer::no(
            "it takes two axes before an inner batch of 2 to 8, in one piece, and rows of at most 2^30 samples",
        );
    };
    let found = Borders::new(todo, &picture).and_then(|borders| {
        let sizes = Sizes::new(todo, &picture, &borders)?;
        let pass = pass(todo, &sizes, &picture, &borders);
        Ok((sizes, pass))
    });
    let (sizes, pass) = match found {
        Ok(found) => found,
        Err(why) => return Offer::No { why },
    };
    let taken = Taken {
        levels: 1,
        axes: 2,
        passes: vec![pass],
    };
    // VC-2's Fidelity, for which 14 of 32 work-items are overlap, took 1191 us where 9/7 took 157.
    let little_overlap = 3 * sizes.strip() >= 2 * sizes.lanes * sizes.pairs;
    let device = todo.target.device;
    let is_light = sizes.registers <= MOST_REGISTERS;
    let bytes = picture.colours * todo.problem.sample.size();
    let of_many_bytes = picture.colours >= PLANES && bytes >= BYTES_OF_PLANES;
    let are_planes = of_many_bytes || picture.colours == NO_VECTORS;
    let are_eight = picture.colours as i64 == MOST_COLOURS;
    if are_planes
        && (are_eight || device.exchange == Exchange::Ptx)
        && matches!(register_planes::offer(todo), Offer::Preferred(_))
    {
        return Offer::Works(taken);
    }
    let fits = can_stream(device) && sizes.fits && (picture.colours <= 4 || is_light);
    match device.kind {
        DeviceKind::Gpu if fits && sizes.lanes > 1 && little_overlap => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

/// How rows and columns of a picture go on beyond its border.
struct Borders {
    x: Border,
    y: Border,
}

impl Borders {
    fn new(todo: &Todo, picture: &Coloured) -> Result<Self, String> {
        Ok(Borders {
            x: Border::new(todo, picture.geometry.samples)?,
            y: Border::new(todo, picture.geometry.across[0])?,
        })
    }

    /// Whether samples beyond one of them must be set anew before every step.
    fn are_restored(&self) -> bool {
        self.x.is_restored() || self.y.is_restored()
    }
}

fn pictures(geometry: &Geometry) -> usize {
    (geometry.across[1] * geometry.across[2]) as usize
}

fn pass(todo: &Todo, sizes: &Sizes, picture: &Coloured, borders: &Borders) -> Pass {
    let Coloured { geometry, colours } = picture;
    let [height, width] = [geometry.across[0], geometry.samples];
    let pairs = |samples: i32| (samples as usize).div_ceil(2);
    let (rows, count) = (pairs(height), pictures(geometry));
    let strips = pairs(width).div_ceil(sizes.strip());
    let at_once = todo.target.device.compute_units * sizes.filling;
    let overlap = sizes.reach.before + sizes.lags.last;
    let pairs_each = rows.div_ceil(segments([strips * count, rows], overlap, at_once, overlap));
    let segments = rows.div_ceil(pairs_each);
    let symmetric = is_symmetric(todo.problem.transform.wavelet(), todo.problem.sample);
    let is_periodic = borders.x.is_periodic() || borders.y.is_periodic();
    let alternating = symmetric && !borders.are_restored() && !is_periodic;
    let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
    let columns = width as usize + 2 * (strips - 1) * (sizes.reach.before + sizes.reach.after);
    let lines = height as usize + 2 * (segments - 1) * (sizes.reach.before + sizes.reach.after);
    let lifted =
        count * colours * (rows + segments * overlap) * 2 * strips * sizes.lanes * sizes.pairs;
    let (read, stored) = (
        count * colours * lines * columns,
        count * colours * height as usize * width as usize,
    );
    // LL that has an array of its own has places in the rows as well.
    let is_again = sizes.rows(todo, picture).low > 0;
    let again = if is_again { stored / 4 } else { 0 };
    let [read, stored] = meter.with_lows_again(read, stored, again);
    let sub_groups = sizes.group / sizes.lanes;
    Pass {
        kernel: Kernel {
            name: NAME,
            file: "streamed_colours/streamed_colours.cl",
            defines: sizes.defines(todo, picture, borders),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("strips", strips as i32),
            ("segments", segments as i32),
            ("pairs_per_segment", pairs_each as i32),
            ("alternating", i32::from(alternating && segments > 1)),
        ],
        groups: (strips * segments).div_ceil(sub_groups) * count,
        cost: meter.scaled(read, stored) + meter.lifted(lifted) + meter.lifted(lifted),
    }
}

#[cfg(test)]
mod tests;
