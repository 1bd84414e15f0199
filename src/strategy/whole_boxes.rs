//! One launch for all levels that are left, of boxes of one to three axes that local memory holds
//! whole (cl/whole_boxes/whole_boxes.cl): tiny pictures, small volumes.

mod launch;

use super::planning::design::{REGISTERS_OF_UNIT, RUN, registers};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::register_lines;
use super::shared::border::Border;
use crate::device::DeviceKind;
use crate::lifting::reach::Reach;
use crate::transform::Layout;
use crate::transform::geometry::{Axis, Geometry, Side};

pub(super) const TUNABLES: &[Tunable] = &[];

const NAME: &str = "whole_boxes";

/// Work-items of a work-group that has several boxes, about, and of all programs for CPUs.
const GROUP: usize = 256;

/// Local memory of a work-group, at most.
const LOCAL_MEMORY: usize = 48 << 10;

/// Registers that a work-item needs besides its run.
const REGISTERS_BESIDES: usize = 32;

/// Bytes of neighbouring boxes that a work-group loads together, where these are closer than
/// neighbouring samples: wanted, and as many as memory gives at once.
const BYTES_TOGETHER: usize = 128;
const LEAST_TOGETHER: usize = 32;
/// The same of boxes that are so few that a cache has them.
const LEAST_IN_CACHE: usize = 8;

/// Samples of all boxes, up to which it is launches that take time. More are best done here where a
/// line is one run, or by several levels. On an NVIDIA H100, in f32 by 9/7, one level along the
/// first two axes of 32 x 32 x 32 x 32 takes 14 us, by a pass per axis 24; of 16384 pictures of 16
/// x 16 29 (inverse 34) and 28 (28), three levels 38 (49) and 61 (61); of 1024 volumes of 16 x 16 x
/// 16 54 (59) and 34 (36), three levels 73 (68) and 116 (114), but side by side 83 (90) and 63
/// (72). One level of few pictures is best done by `register_block`: of 64 x 64 10 us, there 8. Two
/// levels along the first two axes of 64 x 64 x 128, two of which a work-group has side by side,
/// take 19 us, by `register_planes` 27; in i16 by 5/3 of 32 x 32 x 1024 11 and 20, but of 128 x 64
/// x 128, one by one, 34 and 20. One level of 4096 pictures of 8 x 8 takes 7 us, by
/// `register_block` 12, of 256 6 and 6.
const FEW: usize = 1 << 20;
/// As many as were timed. Passes per axis wait for their launches there, too: of many more boxes
/// that are not tiny they may be faster.
const MANY: usize = 1 << 22;

pub(super) fn offer(todo: &Todo) -> Offer {
    let boxes = match Boxes::new(todo) {
        Ok(boxes) => boxes,
        Err(why) => return Offer::No { why },
    };
    let taken = Taken {
        levels: todo.levels.len(),
        axes: boxes.axes,
        passes: vec![boxes.pass(todo)],
    };
    match boxes.are_best(todo) {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

/// How boxes are dealt out to work-groups.
struct Boxes {
    geometry: Geometry,
    axes: usize,
    levels: usize,
    /// Samples along x, y and z, 1 where a box is not lifted.
    lengths: [usize; 3],
    reach: Reach,
    /// Whether lines repeat themselves beyond their border, and whether what is there is
    /// set anew before every step.
    periodic: bool,
    restored: bool,
    /// Whether neighbouring boxes are closer in memory than neighbouring samples of a box.
    side_by_side: bool,
    /// Boxes of a work-group, its work-items, and how many work-groups there are.
    together: usize,
    group: usize,
    groups: usize,
}

impl Boxes {
    fn new(todo: &Todo) -> Result<Self, String> {
        let first = &todo.levels[0].axes;
        let are_alike = todo.levels.iter().all(|level| level.axes == *first);
        let axes = first.len();
        if todo.done > 0 || axes > 3 || !are_alike {
            return Err("it takes all levels of the same axes, three at most".to_owned());
        }
        if todo.problem.transform.coefficient_layout() != Layout::Mallat {
            return Err("its sub-bands stand one after the other".to_owned());
        }
        let borders = borders(todo)?;
        let geometry = geometry(todo);
        let across = geometry.across.map(|extent| extent as usize);
        let (neighbours, apart) = (across[axes - 1], geometry.signal.across[axes - 1].stride);
        let mut boxes = Boxes {
            geometry,
            axes,
            levels: todo.levels.len(),
            lengths: [
                geometry.samples as usize,
                if axes > 1 { across[0] } else { 1 },
                if axes > 2 { across[1] } else { 1 },
            ],
            reach: Reach::new(&todo.problem.stencils()),
            periodic: borders.iter().any(|border| border.is_periodic()),
            restored: borders.iter().any(|border| border.is_restored()),
            side_by_side: neighbours > 1 && apart < geometry.signal.line.detail,
            together: 1,
            group: 0,
            groups: 0,
        };
        boxes.deal_out(todo, neighbours)?;
        Ok(boxes)
    }

    /// As many of the `neighbours` to a work-group as fill it, or are loaded
    /// well, and as it has room for.
    fn deal_out(&mut self, todo: &Todo, neighbours: usize) -> Result<(), String> {
        let runs = self.runs();
        let most_items = todo.target.work_group(NAME).min(self.most_items(todo));
        let held = numbers_held(todo);
        let places = self.places(1);
        let most = (most_items / runs).min(held / places);
        if most == 0 {
            return Err(format!(
                "boxes too large for a work-group: one takes {runs} work-items and {places} numbers in local memory, there are {most_items} and {held}"
            ));
        }
        let wanted = match self.side_by_side {
            true => (GROUP / runs).max(BYTES_TOGETHER / todo.signal_size()),
            false => GROUP / runs,
        };
        let together = wanted.clamp(1, most).min(neighbours);
        // In whole pieces of memory, where there are such.
        let piece = LEAST_TOGETHER / todo.signal_size();
        self.together = match self.side_by_side && together > piece {
            true => together / piece * piece,
            false => together,
        };
        self.group = match is_known(todo) {
            true => (runs * self.together).next_multiple_of(32).min(most_items),
            false => GROUP.min(most_items).max(runs * self.together),
        };
        let all = self.geometry.lines as usize / (self.lengths[1] * self.lengths[2]);
        self.groups = neighbours.div_ceil(self.together) * (all / neighbours);
        Ok(())
    }

    fn samples(&self) -> usize {
        self.lengths.iter().product()
    }

    /// The most runs of a box along one of its axes.
    fn runs(&self) -> usize {
        let along = |length: &usize| self.samples() / length * length.div_ceil(2 * RUN);
        let lengths = self.lengths[..self.axes].iter();
        lengths.map(along).max().unwrap_or(1)
    }

    /// Work-items of a work-group whose registers hold a run each.
    fn most_items(&self, todo: &Todo) -> usize {
        let words = todo.problem.sample.size().div_ceil(4);
        let run = 2 * (self.reach.before + RUN + self.reach.after) * words;
        match run > registers(todo.target.device) {
            true => 0,
            false => REGISTERS_OF_UNIT / (run + REGISTERS_BESIDES) / 32 * 32,
        }
    }

    /// Numbers that so many boxes take in local memory: rows begin an odd number apart.
    fn places(&self, boxes: usize) -> usize {
        (self.lengths[0] | 1) * self.lengths[1] * self.lengths[2] * boxes
    }

    fn are_best(&self, todo: &Todo) -> bool {
        let samples = self.geometry.lines as usize * self.geometry.samples as usize;
        let (are_few, are_many) = (samples <= FEW, samples > MANY);
        let least = match self.axes == 2 && self.levels > 1 && are_few {
            true => LEAST_IN_CACHE,
            false => LEAST_TOGETHER,
        };
        let loads_well = !self.side_by_side || self.together * todo.signal_size() >= least;
        let can = todo.target.device.kind == DeviceKind::Gpu && is_known(todo);
        // A run is not mostly halo.
        let is_short = self.reach.before + self.reach.after <= RUN;
        if !can || !loads_well || !is_short {
            return false;
        }
        // Where there are many such lines, a work-item has each.
        let go_alone = || matches!(register_lines::offer(todo), Offer::Preferred(_));
        let are_tiny = self.lengths.iter().all(|&length| length <= 2 * RUN);
        match (self.axes, self.levels) {
            (1, levels) => are_tiny && levels > 1 && self.side_by_side && !go_alone(),
            (2, 1) if todo.picture().is_some() => are_tiny,
            (_, 1) => are_tiny || are_few,
            (2, _) => are_tiny || !are_many,
            _ => are_tiny || are_few || !are_many && !self.side_by_side,
        }
    }
}

/// Whether programs know their boxes. CPUs have one for all, so that tests build few.
fn is_known(todo: &Todo) -> bool {
    !todo.target.device.has_vectors()
}

/// Numbers that a work-group's local memory holds.
fn numbers_held(todo: &Todo) -> usize {
    let bytes = LOCAL_MEMORY.min(todo.target.device.local_memory as usize);
    bytes / todo.problem.sample.local_size()
}

/// How all axes of all levels go on beyond their border.
fn borders(todo: &Todo) -> Result<Vec<Border>, String> {
    let lengths = todo.levels.iter().flat_map(|level| {
        let length = |&axis: &usize| level.shape[axis] as i32;
        level.axes.iter().map(length)
    });
    lengths.map(|samples| Border::new(todo, samples)).collect()
}

/// The lines along the last of the axes, with the others as the first ones across.
fn geometry(todo: &Todo) -> Geometry {
    let mut axes = todo.levels[0].axes.clone();
    axes.sort_unstable();
    let sides = todo.sides(todo.levels.len(), axes.len());
    let geometry = match *axes {
        [x] => sides.lines(x),
        [y, x] => with_one_batch(sides.pictures(y, x)),
        _ => sides.volumes(axes[0], axes[1], axes[2]),
    };
    Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..geometry
    }
}

/// The same pictures with both axes that are not lifted as one, where they
/// stand in memory like one.
fn with_one_batch(mut geometry: Geometry) -> Geometry {
    let [_, inner, outer] = geometry.across;
    let are_one = |side: &Side| side.across[2].stride == i64::from(inner) * side.across[1].stride;
    if outer > 1 && [&geometry.signal, &geometry.bands].into_iter().all(are_one) {
        geometry.across = [geometry.across[0], inner * outer, 1];
        geometry.low_across = [geometry.low_across[0], inner * outer, 1];
        for side in [&mut geometry.signal, &mut geometry.bands] {
            side.across[2] = Axis::default();
        }
    }
    geometry
}

#[cfg(test)]
mod tests;
