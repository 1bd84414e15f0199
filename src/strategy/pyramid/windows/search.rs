//! How levels are shared out to launches, and windows to work-items: all that there is to choose
//! from, and what takes least time.

use super::super::{Border, borders};
use super::{Ends, NAME, PAIRS, Windows};
use crate::device::{DeviceInfo, Exchange, Fence};
use crate::lifting::extension::are_between;
use crate::lifting::reach::Reach;
use crate::strategy::planning::design::{LANES_ALONE, MOST_ARRIVALS, MOST_REGISTERS, registers};
use crate::strategy::planning::todo::Todo;
use crate::transform::Layout;
use crate::wavelet::Direction;

/// Pairs of rows of a block that are no halo, work-items in a work-group, and those
/// side by side in the finest window, among which the cheapest are chosen, as among
/// PAIRS of columns of a work-item.
const HEIGHTS: [usize; 6] = [1, 2, 3, 4, 5, 6];
const GROUPS: [usize; 3] = [128, 256, 512];
const SIDE_BY_SIDE: [usize; 4] = [4, 8, 16, 32];
type Size = [usize; 4];

/// The only size on CPUs, of which tests build few programs: of 16 work-items side by side, where
/// sub-groups have as many.
fn of_cpus(lanes: usize) -> Size {
    [2, 2, 256, lanes.min(16)]
}

fn lanes_of(device: &DeviceInfo) -> usize {
    match device.exchange {
        Exchange::None => LANES_ALONE,
        _ => device.lanes,
    }
}

/// Levels of a launch (cl/pyramid/windows.cl).
const LEVELS_AT_ONCE: usize = 7;

/// What a launch costs, in samples that a compute unit loads in that time: on an NVIDIA H200 an
/// empty one takes 5.0 us, two of them 12.7.
const LAUNCH: usize = 70_000;

/// The windows that take least time where all levels that can be taken so
/// are, of so many at most, or why there are none.
pub(in super::super) fn cheapest(
    todo: &Todo,
    axes: [usize; 2],
    column_stride: usize,
    most_levels: usize,
) -> Result<Windows, String> {
    let problem = todo.problem;
    if problem.transform.coefficient_layout() == Layout::Interleaved {
        return Err("coefficients are interleaved".to_owned());
    }
    let border = border_of(todo, axes, 0).filter(|border| !border.is_restored());
    let border = border.ok_or_else(|| "the level does not go on beyond its border".to_owned())?;
    let is_mirrored = border == Border::Mirrored;
    if problem.direction == Direction::Forward && is_mirrored && !are_between(&problem.stencils()) {
        return Err(
            "windows end with mirrors, which steps that read one neighbour on each side have"
                .to_owned(),
        );
    }
    let most = todo.levels.len().min(LEVELS_AT_ONCE).min(most_levels);
    let goes_on_so = |&level: &usize| border_of(todo, axes, level) == Some(border);
    let levels = (0..most).take_while(goes_on_so).count();
    let search = Search::new(todo, axes, column_stride, levels, border);
    search
        .of_least_time()
        .ok_or_else(|| "no windows fit".to_owned())
}

/// How a level of the same axes goes on beyond its border, along both in one way.
fn border_of(todo: &Todo, axes: [usize; 2], level: usize) -> Option<Border> {
    let next = Todo {
        levels: &todo.levels[level..],
        ..*todo
    };
    let [y, x] = borders(&next, axes).ok()?;
    (todo.levels[level].axes == todo.levels[0].axes && y == x).then_some(y)
}

/// What to choose from.
struct Search<'a> {
    todo: &'a Todo<'a>,
    axes: [usize; 2],
    column_stride: usize,
    levels: usize,
    border: Border,
    reach: Reach,
    sizes: Vec<Size>,
    in_one_program: bool,
    /// Work-items in a work-group, and samples that a work-item holds, at most.
    most_items: usize,
    most_held: usize,
}

impl<'a> Search<'a> {
    fn new(
        todo: &'a Todo<'a>,
        axes: [usize; 2],
        column_stride: usize,
        levels: usize,
        border: Border,
    ) -> Self {
        let (problem, device) = (todo.problem, todo.target.device);
        let in_one_program = device.has_vectors();
        // Where sub-groups have 128 registers, compilers spill some of what fills more (`make
        // vendors`: skl), doubles sooner, and 16 bits, which wait beside the numbers that they
        // become (dg2); of 48 numbers and more they put all in memory in some programs (pvc). CPUs,
        // which have one size, keep most in memory anyway.
        let bytes = problem.sample.size();
        let (words, halves) = (bytes.div_ceil(4), if bytes < 4 { 3 } else { 2 });
        let registers = registers(device);
        let (eighths, most) = match registers {
            MOST_REGISTERS => (6, usize::MAX),
            _ => (5, 40),
        };
        let held = registers * (eighths - usize::from(words > 1)) / 8 / words * 2 / halves;
        let most_held = held.min(most);
        let reach = Reach::new(&problem.stencils());
        let width = todo.levels[0].shape[axes[1]];
        let has_halo = reach.before + reach.after > 0;
        Search {
            todo,
            axes,
            column_stride,
            levels,
            border,
            reach,
            sizes: match in_one_program {
                true => vec![of_cpus(lanes_of(device))],
                false if has_halo => all_sizes(),
                false => sizes_without_halo(width, column_stride),
            },
            in_one_program,
            most_items: todo.target.of(NAME).work_group(NAME),
            most_held: if in_one_program {
                usize::MAX
            } else {
                most_held
            },
        }
    }

    fn units(&self) -> usize {
        self.todo.target.device.compute_units
    }

    fn time(&self, windows: &Windows) -> usize {
        windows.time(self.units())
    }

    /// The windows that a walk from the finest level begins with, where all
    /// of them take least time.
    fn of_least_time(&self) -> Option<Windows> {
        // From the coarsest level on: the least time of all levels from
        // this one, and how it begins.
        let mut best: Vec<(usize, Option<Windows>)> = vec![(0, None)];
        for first in (0..self.levels).rev() {
            let left = self.levels - first;
            // Where several can be taken, the first launch takes more than one.
            let least = if first == 0 { 2.min(left) } else { 1 };
            let launches = (least..=left).filter_map(|count| {
                let windows = self.best(self.all_of(first, count))?;
                let then = best[best.len() - count].0;
                Some((self.time(&windows).saturating_add(then), windows))
            });
            let going_on = (1..left).filter_map(|count| {
                let windows = self.going_on(first, count)?;
                Some((self.time(&windows), windows))
            });
            let all = launches.chain(going_on);
            let all = all.map(|(time, windows)| (time.saturating_add(LAUNCH), Some(windows)));
            let none = (usize::MAX, None);
            best.push(all.min_by_key(|(time, _)| *time).unwrap_or(none));
        }
        best.pop()?.1
    }

    fn best(&self, all: impl Iterator<Item = Windows>) -> Option<Windows> {
        all.min_by_key(|windows| self.time(windows))
    }

    /// All windows of so many levels from this one on.
    fn all_of(&self, first: usize, count: usize) -> impl Iterator<Item = Windows> {
        let windows = self.windows(first, count);
        let all = self
            .sizes
            .iter()
            .filter_map(move |&size| windows.sized(size));
        all.filter(|windows| self.fits(windows))
    }

    /// The windows of so many levels after which the last work-group goes on with all others alone:
    /// then what it goes on from is all that is left in between.
    fn going_on(&self, first: usize, count: usize) -> Option<Windows> {
        let windows = self.windows(first, count);
        let may = self.todo.problem.direction == Direction::Forward
            && self.todo.target.device.fence() != Fence::None
            && self.levels == self.todo.levels.len()
            && windows.pictures <= MOST_ARRIVALS
            && self.column_stride == 1
            && self.todo.pixels().is_none();
        if !may {
            return None;
        }
        let of_group = |group: usize| {
            let rest = self.all_of(first + count, self.levels - first - count);
            let rest = rest.filter(|rest| rest.group == group && rest.are_whole());
            let rest = Some(Box::new(self.best(rest)?));
            // Where windows wrap and do not run all at once, another launch takes less time: five
            // levels of 64 pictures of 256 x 256 in f32 by 9/7 took 31 us by 640 work-groups, of
            // which the last ones went on, by `register_block` and a launch 26 (NVIDIA H200). CPUs
            // keep this way under test.
            let may_wait = |shared: &Windows| {
                let at_once = shared.groups() <= self.units() || self.in_one_program;
                shared.ends != Ends::Wrapped || at_once
            };
            let shared = self.all_of(first, count);
            let shared = shared.filter(|shared| shared.group == group && may_wait(shared));
            let shared = self.best(shared)?;
            Some(Windows { rest, ..shared })
        };
        let all = GROUPS.into_iter().filter_map(of_group);
        self.best(all.filter(|windows| self.fits(windows)))
    }

    fn fits(&self, windows: &Windows) -> bool {
        windows.group <= self.most_items
            && windows.bytes(self.todo) <= self.todo.target.device.local_memory
            && windows.held() <= self.most_held
    }

    /// Windows of so many levels from this one on, without their sizes.
    fn windows(&self, first: usize, count: usize) -> Windows {
        let (todo, device) = (self.todo, self.todo.target.device);
        let shape_of = |level: usize| self.axes.map(|axis| todo.levels[level].shape[axis]);
        let whole: usize = todo.levels[0].shape.iter().product();
        let reach = self.reach.before.max(self.reach.after);
        let is_near = |&samples: &usize| samples < 2 * reach + 2;
        Windows {
            forward: todo.problem.direction == Direction::Forward,
            levels: count,
            around: self.reach.before + self.reach.after,
            reach,
            x_first: todo.x_first() && todo.problem.sample.is_integer(),
            column_stride: self.column_stride,
            shape: shape_of(first),
            pictures: whole / shape_of(0).iter().product::<usize>(),
            in_one_program: self.in_one_program,
            near: are_between(&todo.problem.stencils()),
            repeats: self.border == Border::Periodic && reach > 0,
            ends: Ends::Open,
            extended_often: self.in_one_program || shape_of(first + count - 1).iter().any(is_near),
            group: 0,
            lanes: lanes_of(device),
            tile: [0; 2],
            tiles: [1; 2],
            halo: 0,
            windows: Vec::new(),
            kept: 0,
            rest: None,
        }
    }
}

/// All of them: pairs, rows, group and side by side.
fn all_sizes() -> Vec<Size> {
    let mut sizes = Vec::new();
    for pairs in PAIRS {
        for height in HEIGHTS {
            for group in GROUPS {
                sizes.extend(SIDE_BY_SIDE.map(|lanes| [pairs, height, group, lanes]));
            }
        }
    }
    sizes
}

/// The same without a halo, where all sizes load as much: what has long runs of memory, and of 16
/// bytes, side by side in a row, and several of them in a work-item. Pixels have one pair, as their
/// other colours are between.
fn sizes_without_halo(width: usize, column_stride: usize) -> Vec<Size> {
    let pairs = if column_stride == 1 { 2 } else { 1 };
    let lanes = width.div_ceil(2 * pairs).next_power_of_two().clamp(4, 32);
    let all = all_sizes().into_iter();
    all.filter(|size| size[0] == pairs && size[1] >= 2 && size[3] == lanes)
        .collect()
}
