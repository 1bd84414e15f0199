//! One launch for all levels that are left, of boxes of one to three axes that local memory holds whole
//! (cl/whole_boxes/whole_boxes.cl): tiny pictures, small volumes, very short lines.

use super::border::Border;
use super::cost::{Cost, Meter};
use super::design::{
    Define, Kernel, Pass, Slots, define, loops_as_they_are, registers, smallest_sub_groups,
};
use super::pixels;
use super::planner::{Offer, Taken, Todo};
use super::pyramid::RUN;
use super::tuning::Tunable;
use crate::device::DeviceKind;
use crate::lifting::reach::Reach;
use crate::transform::Layout;
use crate::transform::geometry::Geometry;

pub(super) const TUNABLES: &[Tunable] = &[];

const NAME: &str = "whole_boxes";

/// Work-items of a work-group that has several boxes, about, and of all programs for CPUs.
const GROUP: usize = 256;

/// Local memory of a work-group, at most.
const LOCAL_MEMORY: usize = 48 << 10;

/// Registers of all work-items of a work-group, of 32 bits each, and those that a work-item needs besides its run.
const REGISTERS: usize = 64 << 10;
const REGISTERS_BESIDES: usize = 32;

/// Bytes of neighbouring boxes that a work-group loads together, where these are closer than neighbouring samples: wanted, and as
/// many as memory gives at once.
const TOGETHER: usize = 128;
const LEAST_TOGETHER: usize = 32;

/// Samples of all boxes, up to which it is launches that take time. More are best done here where a line is one run, or by several
/// levels. On an NVIDIA H100, in f32 by 9/7, one level along the first two axes of 32 x 32 x 32 x 32 takes 14 us, by a pass per axis
/// 24; of 16384 pictures of 16 x 16 29 (inverse 34) and 28 (28), three levels 38 (49) and 61 (61); of 1024 volumes of 16 x 16 x 16 54
/// (59) and 34 (36), three levels 73 (68) and 116 (114), but side by side 83 (90) and 63 (72). One level of few pictures is best done by
/// `register_block`: of 64 x 64 10 us, there 8.
const FEW: usize = 1 << 20;

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
    sides: [usize; 3],
    reach: Reach,
    /// Whether lines repeat themselves beyond their border, and whether what is there is set anew before every step.
    periodic: bool,
    restored: bool,
    /// Whether neighbouring boxes are closer in memory than neighbouring samples of a box.
    are_beside: bool,
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
            sides: [
                geometry.samples as usize,
                if axes > 1 { across[0] } else { 1 },
                if axes > 2 { across[1] } else { 1 },
            ],
            reach: Reach::new(&todo.problem.stencils()),
            periodic: borders.iter().any(|border| border.is_periodic()),
            restored: borders.iter().any(|border| border.restored),
            are_beside: neighbours > 1 && apart < geometry.signal.line.detail,
            together: 1,
            group: 0,
            groups: 0,
        };
        boxes.deal_out(todo, neighbours)?;
        Ok(boxes)
    }

    /// As many of the `neighbours` to a work-group as fill it, or are loaded well, and as it has room for.
    fn deal_out(&mut self, todo: &Todo, neighbours: usize) -> Result<(), String> {
        let runs = self.runs();
        let most_items = todo.target.work_group(NAME).min(self.most_items(todo));
        let held = numbers_held(todo);
        let places = self.places(1);
        let most = (most_items / runs).min(held / places);
        if most == 0 {
            return Err(format!(
                "boxes of {places} samples and {runs} runs are too large for work-groups of {held} and {most_items}"
            ));
        }
        let wanted = match self.are_beside {
            true => (GROUP / runs).max(TOGETHER / todo.signal_size()),
            false => GROUP / runs,
        };
        self.together = wanted.clamp(1, most).min(neighbours);
        self.group = match is_known(todo) {
            true => (runs * self.together).next_multiple_of(32).min(most_items),
            false => GROUP.min(most_items).max(runs * self.together),
        };
        let all = self.geometry.lines as usize / (self.sides[1] * self.sides[2]);
        self.groups = neighbours.div_ceil(self.together) * (all / neighbours);
        Ok(())
    }

    fn samples(&self) -> usize {
        self.sides.iter().product()
    }

    /// The most runs of a box along one of its axes.
    fn runs(&self) -> usize {
        let along = |side: &usize| self.samples() / side * side.div_ceil(2 * RUN);
        let sides = self.sides[..self.axes].iter();
        sides.map(along).max().unwrap_or(1)
    }

    /// Work-items of a work-group whose registers hold a run each.
    fn most_items(&self, todo: &Todo) -> usize {
        let words = todo.problem.sample.size().div_ceil(4);
        let run = 2 * (self.reach.before + RUN + self.reach.after) * words;
        match run > registers(todo.target.device) {
            true => 0,
            false => REGISTERS / (run + REGISTERS_BESIDES) / 32 * 32,
        }
    }

    /// Numbers that so many boxes take in local memory: rows begin an odd number apart.
    fn places(&self, boxes: usize) -> usize {
        (self.sides[0] | 1) * self.sides[1] * self.sides[2] * boxes
    }

    fn are_best(&self, todo: &Todo) -> bool {
        let loads_well = !self.are_beside || self.together * todo.signal_size() >= LEAST_TOGETHER;
        if todo.target.device.kind != DeviceKind::Gpu || !loads_well {
            return false;
        }
        let samples = self.geometry.lines as usize * self.geometry.samples as usize;
        let are_few = samples <= FEW;
        let are_tiny = self.sides.iter().all(|&side| side <= 2 * RUN);
        match (self.axes, self.levels) {
            (1, levels) => are_tiny && levels > 1,
            (2, 1) if todo.picture().is_some() => are_tiny && !are_few,
            (_, 1) => are_tiny || are_few,
            (axes, _) => are_tiny || are_few || axes == 2 || !self.are_beside,
        }
    }

    fn pass(&self, todo: &Todo) -> Pass {
        Pass {
            kernel: Kernel {
                name: NAME,
                file: "whole_boxes/whole_boxes.cl",
                defines: self.defines(todo),
                group: [self.group, 1],
            },
            slots: Slots::OF_TAKE,
            geometry: self.geometry,
            own: self.own().map(|(name, n)| (name, n as i32)).to_vec(),
            groups: self.groups,
            cost: self.cost(todo),
        }
    }

    /// The kernel's own arguments.
    fn own(&self) -> [(&'static str, usize); 6] {
        let [x, y, z] = self.sides;
        [
            ("levels", self.levels),
            ("side_x", x),
            ("side_y", y),
            ("side_z", z),
            ("boxes", self.together),
            ("periodic", usize::from(self.periodic)),
        ]
    }

    fn defines(&self, todo: &Todo) -> Vec<Define> {
        let device = todo.target.device;
        let is_known = is_known(todo);
        let places = match is_known {
            true => self.places(self.together),
            false => numbers_held(todo),
        };
        let mut defines = vec![
            define("GROUP", self.group),
            define("PLACES", places),
            define("AXES", self.axes),
            define("X_FIRST", u8::from(self.axes > 1 && todo.x_first())),
            define("BESIDE", u8::from(self.are_beside)),
            define("PRE_SHIFT", todo.pre_shift()),
            define("RESTORED", u8::from(self.restored)),
            define("KNOWN", u8::from(is_known)),
            smallest_sub_groups(device),
        ];
        if is_known {
            let own = self.own().into_iter().take(5);
            defines.extend(own.map(|(name, value)| define(&name.to_uppercase(), value)));
        }
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }

    /// Every axis of every level is lifted in whole runs with the halo around them, and scaled by itself.
    fn cost(&self, todo: &Todo) -> Cost {
        let shift = todo.pre_shift();
        let stored = self.geometry.lines as usize * self.geometry.samples as usize;
        let boxes = stored / self.samples();
        let meter = Meter::new(todo.problem, 1, 0).with_signal(todo.signal_size());
        let mut cost = meter.moved(stored, stored);
        for level in 0..self.levels {
            let sides = self.sides.map(|side| side.div_ceil(1 << level));
            let samples = boxes * sides.iter().product::<usize>();
            for (axis, side) in sides[..self.axes].iter().enumerate() {
                let meter = Meter::new(todo.problem, 1, if axis == 0 { shift } else { 0 });
                let runs = samples / side * side.div_ceil(2 * RUN);
                cost = cost + meter.scaling(samples, samples) + meter.lifted_alone(runs, RUN);
            }
        }
        let bytes = self.places(self.together) * todo.problem.sample.local_size();
        cost + Cost::of_group(1 + 2 * self.levels * self.axes, bytes)
    }
}

/// Whether programs know their boxes. CPUs have one for all, so that tests build few.
fn is_known(todo: &Todo) -> bool {
    todo.target.device.float_vector == 1
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
        [y, x] => sides.pictures(y, x),
        _ => sides.volumes(axes[0], axes[1], axes[2]),
    };
    Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..geometry
    }
}

#[cfg(test)]
mod tests {
    use crate::device::DeviceInfo;
    use crate::strategy::Strategy;
    use crate::strategy::tests::cases::{Setting, large_gpu, problem};
    use crate::strategy::tests::host::number;
    use crate::transform::Transform;
    use crate::wavelet::{Direction, SampleType, Wavelet};

    fn of(shape: &[usize], axes: &[usize], levels: u32) -> Transform {
        let transform = Transform::new(Wavelet::CDF_9_7, shape);
        transform.axes(axes.to_vec()).levels(levels)
    }

    #[test]
    fn a_work_group_has_as_many_boxes_as_fill_it() {
        let sizes = |transform: &Transform, device: DeviceInfo| {
            let setting = Setting::of(device).only(&[Strategy::WholeBoxes]);
            let problem = problem(transform, SampleType::F32, Direction::Forward);
            let design = setting.design(&problem).unwrap();
            let pass = &design.launches[0].pass;
            let names = ["GROUP", "BOXES", "BESIDE"].map(|name| number(&pass.kernel, name));
            (names, pass.groups, design.launches.len())
        };
        let gpu = |shape: &[usize], axes: &[usize]| sizes(&of(shape, axes, 2), large_gpu());
        assert_eq!(gpu(&[1000, 8, 8], &[1, 2]), ([256, 32, 0], 32, 1));
        assert_eq!(gpu(&[9, 9, 1000], &[0, 1]), ([576, 32, 1], 32, 1));
        assert_eq!(gpu(&[5, 16, 16, 16], &[1, 2, 3]), ([512, 1, 0], 5, 1));
        assert_eq!(gpu(&[2, 1000, 7], &[2]), ([256, 256, 0], 8, 1));
        let little = DeviceInfo {
            max_work_group: 96,
            ..large_gpu()
        };
        let tiny = sizes(&of(&[1000, 8, 8], &[1, 2], 2), little);
        assert_eq!(tiny, ([96, 12, 0], 84, 1));
    }

    #[test]
    fn what_is_tiny_or_would_take_many_launches_goes_in_boxes() {
        let goes_in_boxes = |transform: &Transform, direction| {
            let problem = problem(transform, SampleType::F32, direction);
            let design = Setting::of(large_gpu()).design(&problem).unwrap();
            let strategies = design.launches.iter().map(|launch| launch.strategy);
            strategies.eq([Strategy::WholeBoxes])
        };
        let both = |transform: Transform| {
            [Direction::Forward, Direction::Inverse].map(|way| goes_in_boxes(&transform, way))
        };
        let all: &[(&[usize], &[usize], u32, bool)] = &[
            (&[65536, 8, 8], &[1, 2], 1, true),
            (&[16, 8, 8], &[1, 2], 1, false),
            (&[16384, 16, 16], &[1, 2], 1, false),
            (&[16384, 16, 16], &[1, 2], 3, true),
            (&[32, 32, 32, 32], &[0, 2], 1, true),
            (&[16, 16, 16], &[0, 1, 2], 3, true),
            (&[1024, 16, 16, 16], &[1, 2, 3], 1, false),
            (&[1024, 16, 16, 16], &[1, 2, 3], 2, true),
            (&[16, 16, 16, 1024], &[0, 1, 2], 2, false),
            (&[3, 1398101], &[0], 2, true),
            (&[3, 1398101], &[0], 1, false),
            (&[599186, 7], &[1], 3, true),
        ];
        for &(shape, axes, levels, expected) in all {
            let found = both(of(shape, axes, levels));
            assert_eq!(found, [expected; 2], "{shape:?} {axes:?} {levels}");
        }
    }
}
