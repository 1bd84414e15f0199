//! Small boxes, as many in the first two caches as a vector has elements
//! (cl/vectors/boxes_in_cache.cl): short rows, narrow pictures, columns that are
//! short or have few neighbours.

mod launch;

use super::planning::planner::Taken;
use super::planning::todo::Todo;
use super::shared::cpu::{Vectors, extension_of, stored_size, wanted};
use super::shared::lines::{Lines, levels_alone};
use crate::lifting::reach::Reach;
use crate::transform::geometry::{Axis, Geometry};
use crate::wavelet::Boundary;

/// Samples of the longest rows that go by several levels; the nearest cache does not hold longer
/// ones. PoCL 3.1 on two cores of Zen 5 takes 0.27 ns per sample for five levels of rows of 512,
/// pass by pass 0.4, and for those of 1024 as much either way. Half as long are those of 32 bits or
/// more that a row pass lifts in one go (`extension_of`). In ns per sample in the caches and pass by
/// pass, forward / inverse (one core of Zen 4):
///
/// | rows, levels | in the caches | pass by pass |
/// |---|---|---|
/// | f32 `cdf97`, 512 samples, 3 | 0.53 / 0.53 | 0.47 / 0.38 |
/// | 5 | 0.57 / 0.57 | 0.59 / 0.52 |
/// | 256, 3 | 0.54 / 0.53 | 0.64 / 0.53 |
/// | f64, 512, 3 | 1.07 / 1.06 | 0.92 / 0.83 |
/// | i16 `cdf53`, 512, 3 | 0.31 / 0.31 | 0.33 / 0.28 |
/// | 5 | 0.33 / 0.34 | 0.41 / 0.33 |
const LONGEST_ROW: usize = 512;

/// The same where each coefficient stays where its sample was, which a row pass stores one by one
/// from the second level on. Three levels of 1024 x 1024 take 0.68 ns per sample in the caches and
/// 2.0, inverse 1.2, pass by pass, of 128 x 8192 0.82 and 1.07, in i16 by 5/3 0.52 and 1.07,
/// inverse 0.67 (PoCL 3.1, one core of Zen 4).
const LONGEST_INTERLEAVED: usize = 8 << 10;

/// Samples of the longest rows that go by a single level, half as many where a row pass lifts them in
/// one go. In ns per sample, forward / inverse (PoCL 3.1, one core of Zen 4; borders apart on two of
/// Zen 5):
///
/// | rows | in the caches | by a row pass |
/// |---|---|---|
/// | f32 `cdf97`, 128 samples | 0.41 / 0.40 | 0.34 / 0.27 |
/// | 64 | 0.41 / 0.41 | 0.54 / 0.39 |
/// | i16 `cdf53`, 96 | 0.28 / 0.28 | 0.27 / 0.20 |
/// | f32 `cdf97`, borders apart, 64 | 0.2 / 0.22 | 0.33 / 0.47 |
const LONGEST_ROW_ONCE: usize = 128;

/// Samples of a box of several rows: so many that finding the box takes little of the time.
const SOME_ROWS: usize = 256;

/// Columns of a picture, at most.
const MOST_COLUMNS: usize = 128;

/// Samples of a whole box, and of a tile, at most. Of 127 pictures of 128 x 65 by 9/7 in f32 beyond
/// zeros a sample takes 0.93 ns as boxes, 1.4 by a pass per axis, by 5/3 in i16 0.38 and 0.62;
/// three levels of 149796 x 7 along its first axis 0.83 in tiles of all levels, 0.94 in tiles of
/// one each, by 5/3 in i16 0.41 and 0.55, interleaved 0.78 and 1.35, 0.40 and 1.12. Pictures do not
/// gain by large tiles: 16384 x 64 takes 0.86, a pass per axis 0.66; three levels of 65536 x 16 at
/// once, interleaved, 1.2, level by level 1.1 (PoCL 3.1, one core of Zen 4).
pub(super) const MOST_WHOLE: usize = 9 << 10;
const MOST_OF_TILE: usize = 1024;

/// All boxes of a take, which are alike.
#[derive(Clone, Copy)]
struct Boxes {
    geometry: Geometry,
    lifts_x: bool,
    lifts_y: bool,
    levels: usize,
    /// Rows of a box, and how many boxes there are one below the other.
    rows: usize,
    tiles: usize,
    /// Rows that all of these but the first do not store at their top.
    halo: usize,
}

/// One axis or both of a picture, where boxes are faster than a pass per axis: all levels that
/// are left of what is small, and of columns that are cut as many as tiles have room for, one
/// level of pictures that are cut.
pub(super) fn taken(todo: &Todo, vectors: &Vectors, are_rows: bool) -> Option<Taken> {
    let held = todo.target.device.local_memory as usize / bytes_per_place(vectors);
    let lines = match are_rows {
        true => short_rows(todo, vectors, held).into_iter().collect(),
        false => few_columns(todo, vectors, held),
    };
    // A vector of boxes for each compute unit, or one at all where they are short rows. A quarter may
    // lack: tiles start at pairs of the last level.
    let are_enough = |boxes: &Boxes| {
        let wanted = match boxes.lifts_y || boxes.columns() > LONGEST_ROW {
            true => for_all_units(todo, vectors),
            false => vectors.samples,
        };
        4 * boxes.count() >= 3 * wanted
    };
    let fits = |boxes: &Boxes| boxes.places() <= held && boxes.follow_each_other();
    let pictures = narrow_pictures(todo, vectors, held);
    let mut boxes = pictures.into_iter().chain(lines).filter(fits);
    let best = boxes.find(are_enough)?;
    Some(best.taken(todo, vectors, held))
}

/// A place is a vector, and has three entries in the table, each of which
/// takes as much as two numbers.
fn bytes_per_place(vectors: &Vectors) -> usize {
    (vectors.samples + 3 * 2) * vectors.bytes
}

/// Boxes of which each compute unit has a vector.
fn for_all_units(todo: &Todo, vectors: &Vectors) -> usize {
    todo.target.device.compute_units * vectors.samples
}

fn is_periodic(todo: &Todo) -> bool {
    todo.problem.transform.boundary_rule() == Boundary::Periodic
}

/// Whole alone where rows are in pieces, but pictures are side by side.
fn narrow_pictures(todo: &Todo, vectors: &Vectors, held: usize) -> Vec<Boxes> {
    let &[a, b, ..] = todo.axes() else {
        return Vec::new();
    };
    let levels = levels_alone(todo, &todo.axes()[..2]);
    let of_levels = |levels| Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        shift: todo.pre_shift(),
        ..todo.sides(levels, 2).pictures(a.min(b), a.max(b))
    };
    let whole = Boxes::whole(of_levels(levels), [true, true], levels);
    if whole.columns() > MOST_COLUMNS {
        return Vec::new();
    }
    let are_side_by_side = whole.are_side_by_side(vectors);
    let mut boxes = whole.or_cut(todo, vectors, held, of_levels);
    if todo.picture().is_none() {
        boxes.retain(|one| one.tiles == 1 && are_side_by_side);
    }
    boxes
}

/// Rows are worth it for several levels, or where they are so short that they are mostly border.
fn short_rows(todo: &Todo, vectors: &Vectors, held: usize) -> Option<Boxes> {
    let levels = levels_alone(todo, &todo.axes()[..1]);
    let geometry = Lines::of_levels(todo, levels).geometry;
    let columns = geometry.samples as usize;
    let in_one_go = extension_of(todo, columns).is_some();
    let longest = match levels {
        1 if in_one_go => LONGEST_ROW_ONCE / 2,
        1 => LONGEST_ROW_ONCE,
        _ if geometry.is_interleaved() => LONGEST_INTERLEAVED,
        _ if in_one_go && stored_size(todo) >= 4 => LONGEST_ROW / 2,
        _ => LONGEST_ROW,
    };
    if columns > longest {
        return None;
    }
    // Several to a box where they are shorter than SOME_ROWS and there are enough.
    let lines = geometry.lines as usize;
    let most = lines / (vectors.samples * wanted(todo.target));
    let rows = (SOME_ROWS.min(held) / columns).clamp(1, most.max(1));
    let rows = rows.min(geometry.across[0] as usize);
    Some(Boxes {
        tiles: (geometry.across[0] as usize).div_ceil(rows),
        rows,
        ..Boxes::whole(geometry, [false, true], levels)
    })
}

/// Columns are worth it where too few of them are neighbours for the column pass, or all of them
/// are short. By 9/7 in f32 4096 of 16 x 16 take 0.43 ns per sample (0.8 by the column pass), three
/// levels 0.56 (1.8), 2048 of 16 x 32 0.45 (0.7) and 0.55 (1.5), 1024 of 32 x 32 0.53 (0.6) and
/// 0.65 (1.2), but 1024 of 16 x 64 0.52 (0.45) and 0.86 (1.3) (PoCL 3.1, one core of Zen 4).
fn few_columns(todo: &Todo, vectors: &Vectors, held: usize) -> Vec<Boxes> {
    let levels = levels_alone(todo, &todo.axes()[..1]);
    let of_levels = |levels| Lines::of_levels(todo, levels).geometry;
    let whole = Boxes::whole(of_levels(levels), [true, false], levels);
    let columns = whole.columns();
    if columns < vectors.samples {
        return whole.or_cut(todo, vectors, held, of_levels);
    }
    let are_short = columns <= 2 * vectors.samples && whole.places() <= MOST_OF_TILE;
    are_short.then_some(whole).into_iter().collect()
}

impl Boxes {
    fn whole(geometry: Geometry, [lifts_y, lifts_x]: [bool; 2], levels: usize) -> Self {
        let boxes = Boxes {
            geometry,
            lifts_x,
            lifts_y,
            levels,
            rows: 0,
            tiles: 1,
            halo: 0,
        };
        Boxes {
            rows: boxes.height(),
            ..boxes
        }
    }

    /// These, where they are not too large; columns in tiles of as many levels as they have
    /// room for, pictures of one.
    fn or_cut(
        self,
        todo: &Todo,
        vectors: &Vectors,
        held: usize,
        of_levels: impl Fn(usize) -> Geometry,
    ) -> Vec<Self> {
        let mut boxes = Vec::new();
        if self.places() <= MOST_WHOLE {
            boxes.push(self);
        }
        let (levels, sizes) = match self.lifts_x {
            true => (1, &[MOST_OF_TILE][..]),
            false => (self.levels, &[MOST_OF_TILE, MOST_WHOLE][..]),
        };
        for levels in (1..=levels).rev() {
            let whole = Boxes::whole(of_levels(levels), [self.lifts_y, self.lifts_x], levels);
            boxes.extend(
                sizes
                    .iter()
                    .filter_map(|&most| whole.cut(todo, vectors, most.min(held))),
            );
        }
        boxes
    }

    /// These in tiles of at most so many samples, and a vector of them for each compute unit, where
    /// halos are a third of them at most; not periodic pictures, whose ends read each other, nor
    /// several levels of periodic columns, whose ends are lifted again, apart, after each.
    fn cut(&self, todo: &Todo, vectors: &Vectors, most: usize) -> Option<Self> {
        let reach = Reach::new(&todo.problem.stencils());
        let height = self.height();
        // All tiles start with a pair of rows of the last level, the last one too,
        // which ends with the signal.
        let unit = 1usize.checked_shl(self.levels as u32)?;
        let halo = |pairs: usize| (2 * pairs * (unit - 1)).next_multiple_of(unit);
        let (before, after) = (halo(reach.before), halo(reach.after) + height % unit);
        let most = (most / self.columns()).saturating_sub(before + after) / unit * unit;
        let inside = height.saturating_sub(before + after);
        // All about as long.
        let least = for_all_units(todo, vectors).div_ceil(self.count());
        let tiles = inside.div_ceil(most.max(1)).max(least);
        let advance = inside.div_ceil(tiles.max(1)).next_multiple_of(unit);
        let rows = before + advance + after;
        let goes_around = is_periodic(todo) && (self.lifts_x || self.levels > 1);
        let fits = !goes_around && most > 0 && advance >= 2 * (before + after) && height > rows;
        fits.then(|| Boxes {
            rows,
            tiles: (height - rows).div_ceil(advance) + 1,
            halo: before,
            ..*self
        })
    }

    fn height(&self) -> usize {
        match self.lifts_x {
            true => self.geometry.across[0] as usize,
            false => self.geometry.samples as usize,
        }
    }

    fn columns(&self) -> usize {
        match self.lifts_x {
            true => self.geometry.samples as usize,
            false => self.geometry.across[0] as usize,
        }
    }

    fn count(&self) -> usize {
        self.tiles * (self.geometry.across[1] * self.geometry.across[2]) as usize
    }

    fn places(&self) -> usize {
        self.rows * self.columns()
    }

    /// Whether the neighbours of a box along an axis that is not lifted are equally
    /// far apart everywhere: where an earlier take has lifted that axis, its details
    /// follow its approximations.
    fn follow_each_other(&self) -> bool {
        let Geometry { signal, bands, .. } = &self.geometry;
        let [extent, low] = [self.geometry.across[0], self.geometry.low_across[0]];
        let follow = |axis: Axis| low == extent || axis.detail == i64::from(low) * axis.stride;
        (self.lifts_x && self.lifts_y) || [signal, bands].iter().all(|side| follow(side.across[0]))
    }

    /// Whether they are neighbours in memory, in whole vectors.
    fn are_side_by_side(&self, vectors: &Vectors) -> bool {
        let Geometry { signal, bands, .. } = &self.geometry;
        let are_neighbours = [signal, bands]
            .iter()
            .all(|side| side.across[1].stride == 1);
        are_neighbours && (self.geometry.across[1] as usize).is_multiple_of(vectors.samples)
    }
}

#[cfg(test)]
mod tests;
