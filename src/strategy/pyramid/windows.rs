//! Levels by windows whose sizes are constants of the program (cl/pyramid/windows.cl).

mod launch;
mod search;

pub(super) use self::search::cheapest;
use crate::device::Exchange;
use crate::strategy::planning::todo::Todo;

const NAME: &str = "pyramid_windows";

/// Pairs of columns of a work-item, at most MOST_OWN_PAIRS_X of cl/pyramid/window.cl.
const PAIRS: [usize; 2] = [1, MOST_OWN_PAIRS_X];
const MOST_OWN_PAIRS_X: usize = 2;

/// What a row of a block costs at each level, in samples that a compute unit loads in that time: on
/// an NVIDIA H200 some 9,000 per us. A level waits as long as its blocks are high.
const ROW: usize = 1100;
/// The same of the last work-group to arrive, until it goes on.
const ARRIVAL: usize = 14_000;

/// What steps find beyond the ends of a window along x. The kernel has the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Open,
    Mirrored,
    Closed,
    Wrapped,
}

/// What a work-group has of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Window {
    /// Pairs of rows.
    pairs_y: usize,
    /// Pairs of columns, in whole work-items; inverse with the halo, if there is one.
    pairs_x: usize,
    /// Those of a work-item, of rows without the halo.
    own_pairs_y: usize,
    own_pairs_x: usize,
    /// Work-items side by side.
    items_x: usize,
    /// Where in local memory begins what it reads (forward) or leaves (inverse).
    kept: usize,
}

/// How a picture is shared out, and on what the kernel is specialised.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    forward: bool,
    levels: usize,
    /// Pairs on which results depend, on both sides together and on the side where they are more.
    around: usize,
    reach: usize,
    x_first: bool,
    /// How far neighbours in a row are apart in memory: 1, or as many as a pixel has samples, or as there are planes.
    column_stride: usize,
    /// Samples of the level at hand along y and x.
    shape: [usize; 2],
    pictures: usize,
    /// Whether the device has vectors: a CPU, of which tests build few programs.
    in_one_program: bool,
    /// Whether steps reach beyond the extended picture, at the smallest level.
    extended_often: bool,
    /// Whether steps read one neighbour on each side, so that they can mirror a window at its ends.
    near: bool,
    /// Whether what they read beyond a border is at the other end.
    repeats: bool,
    ends: Ends,
    group: usize,
    /// Work-items in a sub-group, or in what takes its place.
    lanes: usize,
    /// Pairs from one tile to the next, of the finest level, and tiles along y and x.
    tile: [usize; 2],
    tiles: [usize; 2],
    /// Forward, pairs of a window before those that are stored.
    halo: usize,
    /// Finest first.
    windows: Vec<Window>,
    /// Samples that local memory holds of all low bands.
    kept: usize,
    /// What the last work-group of a picture to arrive goes on with, if it does: all levels that
    /// are left, in a single window.
    rest: Option<Box<Windows>>,
}

impl Windows {
    /// The windows of so many levels, if there are any of this size.
    fn sized(&self, [pairs, height, group, lanes]: [usize; 4]) -> Option<Self> {
        let mut windows = Windows {
            group,
            ..self.clone()
        };
        let finest = [height * (group / lanes), lanes * pairs];
        // Inverse, where a window is a whole line.
        let is_whole = finest[1] >= self.shape[1].div_ceil(2);
        let closed = match self.repeats {
            true => windows.close(finest, pairs),
            false => None,
        };
        windows.ends = match closed {
            Some(_) => Ends::Closed,
            None if self.repeats => Ends::Wrapped,
            None if self.near && (self.forward || is_whole) => Ends::Mirrored,
            None => Ends::Open,
        };
        let [of_rows, of_columns] = match closed {
            Some(windows) => windows,
            None if self.forward => windows.halve(finest)?,
            None => {
                let halo = windows.halo_of(pairs);
                windows.shrink([finest[0], finest[1].checked_sub(2 * halo)?])?
            }
        };
        for (level, (rows, columns)) in of_rows.into_iter().zip(of_columns).enumerate() {
            let least = if level == 0 { pairs } else { 1 };
            let window = windows.window(rows, columns, least)?;
            windows.windows.push(Window {
                kept: windows.kept,
                ..window
            });
            if level > 0 {
                windows.kept += 4 * window.pairs_y * window.pairs_x;
            }
        }
        Some(windows)
    }

    /// Inverse, pairs of halo on one side along x, in whole work-items.
    fn halo_of(&self, pairs: usize) -> usize {
        match self.ends {
            Ends::Open | Ends::Wrapped if !self.forward => self.reach.next_multiple_of(pairs),
            _ => 0,
        }
    }

    /// How a window is shared out to work-items, with as few pairs of columns each as a sub-group
    /// can take, `least` or more.
    fn window(&self, rows: usize, columns: usize, least: usize) -> Option<Window> {
        let of_pairs = |pairs: usize| {
            let columns = (columns + 2 * self.halo_of(pairs)).next_multiple_of(pairs);
            let items_x = (columns / pairs).next_power_of_two();
            (items_x <= self.lanes).then(|| Window {
                pairs_y: rows,
                pairs_x: columns,
                own_pairs_y: rows.div_ceil(self.group / items_x),
                own_pairs_x: pairs,
                items_x,
                kept: 0,
            })
        };
        PAIRS.into_iter().filter(|&n| n >= least).find_map(of_pairs)
    }

    /// Forward, the pairs of each level's window along y and x, finest first, of which
    /// that one has so many at most: each half of the one before, as all of them are
    /// whole at the coarsest level.
    fn halve(&mut self, most: [usize; 2]) -> Option<[Vec<usize>; 2]> {
        // Vectors are of up to two pairs.
        let unit = (1 << (self.levels - 1)).max(2);
        // Pairs of the coarsest level that the edges of a window make wrong: before and after the
        // others. To steps that read one neighbour on each side it is the same whether the last pair
        // of a level has one wrong approximation of the level before or none.
        let wrong = (0..self.levels).fold([0, 0], |[before, after]: [usize; 2], _| {
            let after = if self.near {
                after / 2
            } else {
                after.div_ceil(2)
            };
            [before.div_ceil(2) + self.reach, after + self.reach]
        });
        let [before, after] =
            wrong.map(|pairs| (pairs << (self.levels - 1)).next_multiple_of(unit));
        self.halo = before;
        // At an end of the picture, windows have a halo only where they go on beyond it.
        let is_wrapped = self.ends == Ends::Wrapped;
        let mut all = [Vec::new(), Vec::new()];
        for axis in 0..2 {
            let whole = self.shape[axis].div_ceil(2) + if is_wrapped { before + after } else { 0 };
            let window = match self.in_one_program {
                true => most[axis] / unit * unit,
                false => (most[axis] / unit * unit).min(whole.next_multiple_of(unit)),
            };
            self.tile[axis] = window;
            if is_wrapped || window < whole {
                self.tile[axis] = window.checked_sub(before + after).filter(|&n| n > 0)?;
            }
            self.tiles[axis] = 1 + whole
                .saturating_sub(window)
                .div_ceil(self.tile[axis].max(1));
            all[axis] = (0..self.levels).map(|level| window >> level).collect();
        }
        (all[0][0] > 0 && all[1][0] > 0).then_some(all)
    }

    /// The same of a whole picture that repeats, of rows that work-items of so many pairs fill.
    fn close(&mut self, most: [usize; 2], pairs: usize) -> Option<[Vec<usize>; 2]> {
        let whole = self.shape.map(|samples| samples / 2);
        let fills = whole[1].is_power_of_two() && whole[1].is_multiple_of(pairs);
        if !fills || whole[0] > most[0] || whole[1] > most[1] {
            return None;
        }
        self.tile = whole;
        let rows = if self.in_one_program {
            most[0]
        } else {
            whole[0]
        };
        Some([rows, whole[1]].map(|pairs| (0..self.levels).map(|level| pairs >> level).collect()))
    }

    /// Inverse, the same for a tile of so many pairs.
    fn shrink(&mut self, tile: [usize; 2]) -> Option<[Vec<usize>; 2]> {
        if tile[1] == 0 {
            return None;
        }
        self.tile = tile;
        self.tiles = [0, 1].map(|axis| self.shape[axis].div_ceil(2).div_ceil(tile[axis]));
        Some([0, 1].map(|axis| self.pairs_of(axis, tile[axis])))
    }

    /// The pairs of each level's window along an axis, finest first, for a tile of so many.
    fn pairs_of(&self, axis: usize, tile: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut pairs = tile;
        for level in 0..self.levels {
            // CPUs have one program for all shapes that have the same ends, so that tests build few.
            // Windows that wrap go on beyond the picture, so that its size is no limit.
            all.push(match self.in_one_program || self.ends == Ends::Wrapped {
                true => pairs,
                false => pairs.min(self.shape[axis].div_ceil(2 << level)),
            });
            // Of the samples that these pairs depend on, the first may be odd.
            pairs = (pairs + 2 * self.reach + 2) / 2;
        }
        all
    }

    /// Pairs of rows that a work-item holds of a level.
    fn pairs_held(&self, window: &Window) -> usize {
        window.own_pairs_y + self.around
    }

    /// Samples that a work-item holds, of all levels at most.
    fn held(&self) -> usize {
        let held = |window: &Window| 4 * window.own_pairs_x * self.pairs_held(window);
        self.windows.iter().map(held).max().unwrap_or(0)
    }

    fn groups(&self) -> usize {
        self.pictures * self.tiles.iter().product::<usize>()
    }

    /// What a compute unit takes, in samples that it loads in that time.
    fn time(&self, compute_units: usize) -> usize {
        let rows = |window: &Window| 2 * self.pairs_held(window);
        let rows: usize = self.windows.iter().map(rows).sum();
        let rest = self.rest.as_ref();
        let rest = rest.map_or(0, |rest| ARRIVAL + rest.time(compute_units));
        self.loaded(compute_units) + ROW * rows + rest
    }

    /// Samples that a compute unit loads. As several work-groups run on it at once, what the last
    /// wave lacks of a whole one counts for three quarters, unless it is the only one.
    pub fn loaded(&self, compute_units: usize) -> usize {
        let (groups, units) = (self.groups(), compute_units.max(1));
        // In whole sub-groups that have rows.
        let of_level = |window: &Window| {
            let items = window.pairs_y.div_ceil(window.own_pairs_y) * window.items_x;
            items.next_multiple_of(self.lanes) * 4 * window.own_pairs_x * self.pairs_held(window)
        };
        let samples: usize = self.windows.iter().map(of_level).sum();
        samples * (3 * groups.next_multiple_of(units) + groups.max(units)) / (4 * units)
    }

    /// Whether no step reads beyond its pair.
    pub fn have_no_halo(&self) -> bool {
        self.around == 0
    }

    /// Whether a picture is one tile.
    pub fn is_one_tile(&self) -> bool {
        self.tiles == [1, 1]
    }

    /// Whether that tile's window has no halo.
    pub fn are_whole(&self) -> bool {
        self.is_one_tile() && self.ends != Ends::Wrapped
    }

    /// Of a picture.
    pub fn rows(&self) -> usize {
        self.shape[0]
    }

    /// Samples of a picture.
    pub fn samples(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether a tile has the whole width of a picture.
    pub fn have_whole_rows(&self) -> bool {
        self.tiles[1] == 1
    }

    fn bytes(&self, todo: &Todo) -> u64 {
        let shared = match todo.target.device.exchange {
            Exchange::None => {
                2 * self.pairs_lifted(self.most_own_pairs_y()) * self.group * MOST_OWN_PAIRS_X
            }
            _ => self.group * MOST_OWN_PAIRS_X,
        };
        // Steps compute in 32 bits at least.
        ((self.places() + 4 + shared) * todo.problem.sample.size().max(4)) as u64
    }

    /// The windows of all levels, finest first.
    fn all_windows(&self) -> Vec<Window> {
        let rest = self.rest.iter().flat_map(|rest| &rest.windows);
        self.windows.iter().chain(rest).copied().collect()
    }

    fn most_own_pairs_y(&self) -> usize {
        let heights = self.all_windows().into_iter();
        heights.map(|window| window.own_pairs_y).max().unwrap_or(0)
    }

    /// Samples in local memory: what is shared has left it when the last work-group goes on.
    fn places(&self) -> usize {
        self.kept
            .max(self.rest.as_ref().map_or(0, |rest| rest.kept))
    }

    /// Pairs of rows that are lifted along x, of so many without their halo.
    fn pairs_lifted(&self, height: usize) -> usize {
        height + if self.x_first { self.around } else { 0 }
    }

    /// All that are taken.
    pub fn levels(&self) -> usize {
        self.levels + self.rest.as_ref().map_or(0, |rest| rest.levels)
    }
}

#[cfg(test)]
mod tests;
