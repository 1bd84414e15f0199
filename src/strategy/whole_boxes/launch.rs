//! The launch of whole boxes: its arguments, its cost, and what the kernel is specialised on.

use super::{Boxes, NAME, is_known, numbers_held};
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{
    Define, Kernel, Pass, RUN, Slots, define, loops_as_they_are, smallest_sub_groups,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::pixels;

impl Boxes {
    pub fn pass(&self, todo: &Todo) -> Pass {
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
        let [x, y, z] = self.lengths;
        [
            ("levels", self.levels),
            ("length_x", x),
            ("length_y", y),
            ("length_z", z),
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
            define("SIDE_BY_SIDE", u8::from(self.side_by_side)),
            define("PRE_SHIFT", todo.pre_shift()),
            define("RESTORED", u8::from(self.restored)),
            define("KNOWN", u8::from(is_known)),
            smallest_sub_groups(device),
        ];
        if is_known {
            let own = self.own().into_iter().take(5);
            defines.extend(own.map(|(name, value)| define(name.to_uppercase(), value)));
        }
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }

    /// Every axis of every level is lifted in whole runs with the halo around
    /// them, and scaled by itself.
    fn cost(&self, todo: &Todo) -> Cost {
        let shift = todo.pre_shift();
        let stored = self.geometry.lines as usize * self.geometry.samples as usize;
        let boxes = stored / self.samples();
        let meter = Meter::new(todo.problem, 1, 0).with_signal(todo.signal_size());
        let mut cost = meter.moved(stored, stored);
        for level in 0..self.levels {
            let lengths = self.lengths.map(|length| length.div_ceil(1 << level));
            let samples = boxes * lengths.iter().product::<usize>();
            for (axis, length) in lengths[..self.axes].iter().enumerate() {
                let meter = Meter::new(todo.problem, 1, if axis == 0 { shift } else { 0 });
                let runs = samples / length * length.div_ceil(2 * RUN);
                cost = cost + meter.scaling(samples, samples) + meter.lifted_alone(runs, RUN);
            }
        }
        let bytes = self.places(self.together) * todo.problem.sample.local_size();
        cost + Cost::of_group(1 + 2 * self.levels * self.axes, bytes)
    }
}
