//! One level or several of two axes in one launch: each work-group stores a tile of every level, and
//! computes by itself all that this takes (cl/pyramid/pyramid.cl).

mod sizes;
mod windows;

use self::sizes::Sizes;
use self::windows::Windows;
use super::planning::design::{Kernel, Pass, RUN, Slots, lack_of_registers};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::border::Border;
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::lifting::reach::Reach;
use crate::transform::Layout;
use crate::transform::geometry::{Geometry, Side};
use crate::wavelet::Direction;

pub(super) const TUNABLES: &[Tunable] = &[];

/// Samples that a compute unit loads, halos and coarser levels included, up to which several levels
/// of pictures of many tiles are best done by this strategy. On an NVIDIA H200, in f32 by 9/7, five
/// levels of 1024 x 1024 (19 Ki of them) took 22.0 us (inverse 16.4) by the kernel `pyramid`, by
/// `register_block` 22.7 (25.0); of 2048 x 2048 (38 Ki) 37.8 (39.4) and 32.2 (34.2); by that
/// kernel one level takes longer in any case. A picture that is one tile is best done so however many there are:
/// three levels of 4096 of 64 x 64 take 84 us (108), by `register_block` 139 (136).
const MOST_LOADED: usize = 24 << 10;

/// Pairs of halo, both sides of a run together, from which on this strategy is best for single
/// levels, too, and for larger ones: each segment of `streamed` lifts such a halo before its first
/// result. On an NVIDIA H200, three levels of VC-2's Fidelity (14 pairs) in 16 bits of 256 x 256
/// take 27.4 us (inverse 16.9), by `streamed` 56.1 (58.2); of 1024 x 1024 (41 Ki samples) 38.6
/// (29.0) and 61.1 (63.1). With 13/7 (6 pairs) one level gains nothing.
const LONG_REACH: usize = 12;
const MOST_LOADED_LONG: usize = 42 << 10;

/// The same by windows, which load more and take less time for it. On an NVIDIA H200, five levels
/// of 2048 x 2048 in f32 by 9/7 (154 Ki of them) took 25.2 us inverse, by `register_block` 34.2;
/// windows have become faster since (cl/pyramid/windows.cl). Of 8192 x 8192, whose first two levels
/// `streamed` takes, all five take 183 us (inverse 170), by a pass per level for the last three 187
/// (188), in `Rounded` 120 (111) and 127 (124); but a first plan that compiles their programs takes
/// 1.85 s instead of 1.24. On an NVIDIA H100, two levels of 3 x 1398101 by 5/3 in i16 (199 Ki) take
/// 38 us inverse, by `register_block` 30.
const MOST_IN_WINDOWS: usize = 192 << 10;

/// The same forward, of four bytes each. On an NVIDIA H200 five levels of 1024 x 1024 (35 Ki) took
/// 22.9 us by windows, before these were as fast as now, and 26.6 by the kernel `pyramid` where the
/// queue runs empty; of 2048 x 2048 (112 Ki) 27.5, with a first level by `register_block` 30.
/// Doubles in as many take longer: four levels of 2048 x 2048 48 us instead of 36.
const MOST_IN_WINDOWS_FORWARD: usize = 128 << 10;

/// The same of one level of 16-bit samples whose rows do not start at multiples of SHORTS samples, 16
/// bytes, and how many rows these have at least.
const MOST_OF_NO_VECTORS: usize = 56 << 10;
const SHORTS: usize = 8;
const LOW: usize = 8;

/// Samples of a row, up to which most of a strip or a block is beyond the picture: of such pictures
/// the kernel `pyramid` is best for the single levels that windows do not take, where a work-group
/// has so many results and a compute unit so many samples. On an NVIDIA H200, in f32 by 9/7, one level of 262144 x 16 takes
/// 22 us (inverse 22), of 599186 x 7 32 (28), of 4096 of 32 x 32 28 (31); by `register_block` 38
/// (37), 79 (76), 33 (32), by `streamed` 51 (62), 253 (284), 44 (51); on an NVIDIA H100 149796 x 7
/// takes 12 us, by `register_block` 24, 16384 x 32 8 and 7. Low pictures are `streamed`'s: 4 x
/// 1048576 takes 36 us (35) here and 15 (15) there. 65536 of 8 x 8, a work-group each, take 271
/// (331), by a pass per axis 60 (59).
const NARROW: usize = 32;
const LEAST_IN_NARROW: usize = 3 << 8;
const LEAST_SAMPLES: usize = 4 << 10;

/// Samples of pictures that are tiny, and how many of these there are for each compute unit from
/// which on they are too many.
const TINY: usize = 1 << 9;
const MOST_TINY: usize = 16;

/// Samples of a pixel, of which a work-group has one colour; more are planes that stand side by
/// side, of which there are so many at most.
const MOST_COLOURS: usize = 8;
const MOST_PLANES: usize = 1 << 12;

/// Of planes each sample takes so many bytes of memory, which are loaded at once, and several levels
/// are best by windows where a compute unit loads so many samples' worth. On an NVIDIA H200, levels
/// in f32 by 9/7 along the first two axes, us forward and inverse:
///
/// | planes | here | otherwise |
/// |---|---|---|
/// | two of 64 x 64 x 16 (68 Ki) | 9, 7 | 15, 16 by `whole_boxes` |
/// | three of 64 x 32 x 128 (73 Ki) | 12, 12 | 15, 15 by `whole_boxes` |
/// | three of 128 x 128 x 16, inverse (87 Ki) | 13 | 25 by `register_planes` |
/// | two of 128 x 64 x 128 (176 Ki) | 30, 30 | 21, 21 by `register_planes` |
/// | two of 300 x 200 x 12 (193 and 221 Ki) | 26, 19 | 20, 21 by `register_planes` |
///
/// Tiny ones and those of other GPUs were not tried.
const SECTOR: usize = 32;
const MOST_OF_PLANES: usize = 96 << 10;

/// Samples of an axis, up to which places in it and in the halo around fit 32 bits.
const MOST_LENGTH: usize = 1 << 28;

pub(super) fn offer(todo: &Todo) -> Offer {
    let Some((axes, column_stride)) = pictures(todo) else {
        return Offer::no(
            "it takes two axes of which the inner one is in one piece, or of pixels, or planes",
        );
    };
    if todo.done > 0 || todo.levels[0].axes.len() > 2 {
        return Offer::no("it takes whole levels of two axes");
    }
    let most = MOST_LENGTH / column_stride;
    if todo.levels[0].shape.iter().any(|&n| n > most) {
        return Offer::no(format!("it takes axes of at most {most} samples"));
    }
    if column_stride > 1 {
        let offer = offer_of_windows(todo, axes, column_stride);
        return offer.unwrap_or_else(|| {
            Offer::no("of pixels and planes it takes what windows take, on GPUs")
        });
    }
    let borders = match borders(todo, axes) {
        Ok(borders) => borders,
        Err(why) => return Offer::No { why },
    };
    match offer_of_windows(todo, axes, 1) {
        Some(offer @ Offer::Preferred(_)) => offer,
        windows => match (offer_of_tiles(todo, axes, borders), windows) {
            (offer @ Offer::Preferred(_), _) | (offer, None) => offer,
            (_, Some(windows)) => windows,
        },
    }
}

/// The axes of pictures, and how far neighbours in a row are apart.
fn pictures(todo: &Todo) -> Option<([usize; 2], usize)> {
    if let Some(axes) = todo.picture() {
        return Some((axes, 1));
    }
    let coloured = todo.coloured_picture(MOST_PLANES as i64)?;
    let [a, b] = *todo.axes() else {
        return None;
    };
    Some(([a.min(b), a.max(b)], coloured.colours))
}

/// What the kernel `pyramid` takes.
fn offer_of_tiles(todo: &Todo, axes: [usize; 2], borders: [Border; 2]) -> Offer {
    let reach = Reach::new(&todo.problem.stencils());
    let loaded = 2 * (reach.before + RUN + reach.after);
    if let Some(why) = lack_of_registers("a run with its halo", loaded, todo.problem.sample) {
        return Offer::No { why };
    }
    let Some(sizes) = Sizes::new(todo, axes, borders) else {
        let have = todo.target.device.local_memory;
        return Offer::no(format!(
            "{have} bytes of local memory hold no tile with its halo"
        ));
    };
    let pass = pass(todo, axes, borders, &sizes);
    let is_best = is_best_for(todo.target.device, &sizes) && !is_of_many_tiny(todo, axes)
        || is_best_of_narrow(todo, &sizes);
    let taken = Taken {
        levels: sizes.levels,
        axes: 2,
        passes: vec![pass],
    };
    match is_best {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// What windows take, which win wherever pictures are small: all levels that they can, or where that
/// is not best the one at hand. CPUs take long to compile them.
fn offer_of_windows(todo: &Todo, axes: [usize; 2], column_stride: usize) -> Option<Offer> {
    if todo.target.device.kind != DeviceKind::Gpu {
        return None;
    }
    let todo = &Todo {
        target: &todo.target.of("pyramid_windows"),
        ..*todo
    };
    let of_levels = |most| offer_of_levels(todo, axes, column_stride, most);
    match of_levels(usize::MAX) {
        Some(all @ Offer::Preferred(_)) => Some(all),
        all => match of_levels(1) {
            Some(one @ Offer::Preferred(_)) => Some(one),
            one => all.or(one),
        },
    }
}

fn offer_of_levels(
    todo: &Todo,
    axes: [usize; 2],
    column_stride: usize,
    most_levels: usize,
) -> Option<Offer> {
    let windows = windows::cheapest(todo, axes, column_stride, most_levels).ok()?;
    let pass = windows.pass(todo, axes);
    let is_dense = |side: &Side| side.line.stride == column_stride as i64;
    if !pass.geometry.band_sides().all(is_dense) {
        return None;
    }
    let is_best = windows_are_best(todo, &windows, &pass.geometry, column_stride);
    let taken = Taken {
        levels: windows.levels(),
        axes: 2,
        passes: vec![pass],
    };
    Some(match is_best && !is_of_many_tiny(todo, axes) {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    })
}

/// Several levels are best by windows where a picture is one tile without a halo, where no step reads beyond its pair,
/// or where little is loaded. On an NVIDIA H200, three levels by Haar in f32 of 8192 x 8192 take 134 us
/// (inverse 133), by `streamed` 188 (238), where a copy takes 131.
fn windows_are_best(
    todo: &Todo,
    windows: &Windows,
    geometry: &Geometry,
    column_stride: usize,
) -> bool {
    if windows.levels() == 1 {
        return column_stride == 1 && one_level_is_best(todo, windows, geometry);
    }
    let size = todo.problem.sample.size();
    let loaded = windows.loaded(todo.target.device.compute_units);
    if column_stride > MOST_COLOURS {
        return todo.target.device.exchange == Exchange::Ptx
            && windows.samples() >= TINY
            && loaded * (SECTOR / size) <= MOST_OF_PLANES / size.div_ceil(4);
    }
    let most = match todo.problem.direction {
        Direction::Forward => MOST_IN_WINDOWS_FORWARD / size.div_ceil(4),
        Direction::Inverse => MOST_IN_WINDOWS,
    };
    // Each colour of a pixel is loaded beside all others, which takes time where there are many.
    column_stride == 1 && (windows.are_whole() || windows.have_no_halo())
        || column_stride * loaded <= most
}

/// One level is best by windows where no step reads beyond its pair, and where rows are whole in them
/// and a device has much to do: on an NVIDIA H200, in f32 by 9/7, 16384 of 64 x 64 take 133 us (inverse
/// 136), by `streamed` 241 (272), of 63 x 63 137 (144), by `register_block` 332 (321), 65536 of 32 x 32
/// 135 (165), by the kernel `pyramid` 360 (364), where a copy takes 131. 512 of 256 x 256 take 103 (84),
/// by `streamed` 74 (75), and of 1024 x 1024 or fewer small ones, 7.3 us and by `register_block` 7.7,
/// each size has a program of its own for a tenth of the time. But of 16 bits in rows that are no
/// vectors, 2048 x 1500 by 5/3 takes 9.1 us (9.8), by `streamed` 18.9 (19.3), 2047 x 2049 13.7 (12.4),
/// on another day by `streamed` 30.6 (24.6); larger arrays were not timed. Lower ones are mostly halo:
/// 3 x 349525 takes 7.0 us (9.8), by `register_block` 7.6 (7.6), 7 x 149797 7.0 (7.3) and 7.4 (7.1).
fn one_level_is_best(todo: &Todo, windows: &Windows, geometry: &Geometry) -> bool {
    let device = todo.target.device;
    let samples = todo.levels[0].shape.iter().product::<usize>();
    let are_shorts = todo.problem.sample.size() == 2;
    let are_no_vectors = are_shorts
        && !geometry.signal.is_aligned(2, SHORTS)
        && windows.rows() >= LOW
        && windows.loaded(device.compute_units) <= MOST_OF_NO_VECTORS;
    windows.have_no_halo()
        || device.exchange != Exchange::None
            && (windows.have_whole_rows() || are_no_vectors)
            && windows.samples() >= TINY
            && samples >= LEAST_SAMPLES * device.compute_units
}

/// Whether pictures are so small that it is launches and waiting that take time, and not memory.
/// CPUs hardly wait, and take long to compile this.
fn is_best_for(device: &DeviceInfo, sizes: &Sizes) -> bool {
    let is_long = sizes.reach.before + sizes.reach.after >= LONG_REACH;
    let most = if is_long {
        MOST_LOADED_LONG
    } else {
        MOST_LOADED
    };
    let is_small = sizes.tiles() == [1, 1] || sizes.loaded <= most;
    device.kind == DeviceKind::Gpu && (sizes.levels > 1 || is_long) && is_small
}

/// Whether pictures are so narrow that other strategies are mostly beyond
/// them, and fill work-groups.
fn is_best_of_narrow(todo: &Todo, sizes: &Sizes) -> bool {
    let device = todo.target.device;
    let [_, width] = sizes.shape;
    let results = (0..2).map(|axis| sizes.shape[axis].min(2 * sizes.tile[axis]));
    let results: usize = results.product();
    let samples: usize = todo.levels[0].shape.iter().product();
    device.kind == DeviceKind::Gpu
        && device.exchange != Exchange::None
        && width <= NARROW
        && results >= LEAST_IN_NARROW
        && samples >= LEAST_SAMPLES * device.compute_units
}

/// Whether there are so many pictures that a work-group for each takes longer than passes per axis,
/// which are the best for the levels of tiny ones: on an NVIDIA H200, in f32 by 9/7, three levels
/// of 65536 of 8 x 8 take 561 us (inverse 347), of 4096 of 32 x 32, as many samples, 45 (32).
fn is_of_many_tiny(todo: &Todo, axes: [usize; 2]) -> bool {
    let shape = &todo.levels[0].shape;
    let picture: usize = axes.iter().map(|&axis| shape[axis]).product();
    let pictures = shape.iter().product::<usize>() / picture.max(1);
    picture < TINY && pictures > MOST_TINY * todo.target.device.compute_units
}

/// How the level at hand goes on beyond its border along y and x.
fn borders(todo: &Todo, [y, x]: [usize; 2]) -> Result<[Border; 2], String> {
    let shape = &todo.levels[0].shape;
    Ok([
        Border::new(todo, shape[y] as i32)?,
        Border::new(todo, shape[x] as i32)?,
    ])
}

fn pass(todo: &Todo, [y, x]: [usize; 2], borders: [Border; 2], sizes: &Sizes) -> Pass {
    let transform = &todo.problem.transform;
    let geometry = Geometry {
        boundary: transform.boundary_rule().number(),
        ..todo.sides(sizes.levels, 2).pictures(y, x)
    };
    let pictures = (geometry.across[1] * geometry.across[2]) as usize;
    let [tiles_y, tiles_x] = sizes.tiles();
    let [by_y, by_x] = borders;
    let own = [
        ("levels", sizes.levels),
        ("tile_x", sizes.tile[1]),
        ("tile_y", sizes.tile[0]),
        ("tiles_x", tiles_x),
        ("tiles_y", tiles_y),
        ("periodic_x", usize::from(by_x.is_periodic())),
        ("periodic_y", usize::from(by_y.is_periodic())),
        (
            "interleaved",
            usize::from(transform.coefficient_layout() == Layout::Interleaved),
        ),
        ("kept_row", sizes.local.kept_row),
        ("lifted_row", sizes.local.lifted_row),
        ("lifted", sizes.local.lifted),
    ];
    Pass {
        kernel: Kernel {
            name: "pyramid",
            file: "pyramid/pyramid.cl",
            defines: sizes.defines(todo, &geometry),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: own.map(|(name, value)| (name, value as i32)).to_vec(),
        groups: tiles_y * tiles_x * pictures,
        cost: sizes.cost(todo, pictures),
    }
}

#[cfg(test)]
mod tests;
