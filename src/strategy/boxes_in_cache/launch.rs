//! The launch of boxes: its arguments, and its cost.

use super::{Boxes, MOST_OF_TILE, MOST_WHOLE, bytes_per_place, is_periodic};
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{Kernel, Pass, Slots, define};
use crate::strategy::planning::planner::Taken;
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::cpu::{Vectors, wanted};
use crate::strategy::shared::line_ends;
use crate::strategy::shared::lines::Lines;
use crate::strategy::shared::pixels;

impl Boxes {
    pub fn taken(self, todo: &Todo, vectors: &Vectors, held: usize) -> Taken {
        let geometry = self.geometry;
        let boxes = self.count();
        let each = boxes.div_ceil(wanted(todo.target));
        let each = each.next_multiple_of(vectors.samples);
        let places = match self.places() <= MOST_OF_TILE {
            true => MOST_OF_TILE,
            false => MOST_WHOLE,
        }
        .min(held);
        debug_assert!(self.places() <= places);
        let interleaved = geometry.is_interleaved();
        let axes = usize::from(self.lifts_x) + usize::from(self.lifts_y);
        let x_first = axes == 2 && todo.x_first();
        let mut defines = vectors.defines();
        defines.push(define("PLACES", places));
        defines.extend(pixels::defines(todo.pixels()));
        let own = [
            ("lifts_x", usize::from(self.lifts_x)),
            ("lifts_y", usize::from(self.lifts_y)),
            ("x_first", usize::from(x_first)),
            ("levels", self.levels),
            ("interleaved", usize::from(interleaved)),
            ("rows", self.rows),
            ("tiles", self.tiles),
            ("halo", self.halo),
            ("boxes_per_group", each),
        ];
        let pass = Pass {
            kernel: Kernel {
                name: "boxes_in_cache",
                file: "vectors/boxes_in_cache.cl",
                defines,
                group: [1, 1],
            },
            slots: Slots::OF_TAKE,
            geometry,
            own: own.map(|(name, value)| (name, value as i32)).to_vec(),
            groups: boxes.div_ceil(each),
            cost: self.cost(todo, axes) + Cost::of_group(0, places * bytes_per_place(vectors)),
        };
        let cuts_period = self.tiles > 1 && self.lifts_y && is_periodic(todo);
        let ends = cuts_period.then(|| line_ends::pass(todo, &Lines::new(todo)));
        Taken {
            levels: self.levels,
            axes,
            passes: [pass].into_iter().chain(ends).collect(),
        }
    }

    /// Integers are shifted at every level, reals are scaled once for all levels. Tiles are loaded
    /// and lifted with their halos, but stored without.
    fn cost(&self, todo: &Todo, axes: usize) -> Cost {
        let meter = Meter::new(todo.problem, axes as u32, self.geometry.shift);
        let meter = meter.with_signal(todo.signal_size());
        let of_level = |level: usize| {
            let halved = |lifts: bool, n: usize| n.div_ceil(1 << if lifts { level } else { 0 });
            let rows = halved(self.lifts_y, self.rows);
            let columns = halved(self.lifts_x, self.columns());
            let samples = self.count() * rows * columns;
            let scaled = match level > 0 && !todo.problem.sample.is_integer() {
                true => 0,
                false => samples,
            };
            let pairs = |lifts: bool, n: usize, lines: usize| match lifts {
                true => meter.lifted(self.count() * lines * n.div_ceil(2)),
                false => Cost::default(),
            };
            let along_x = pairs(self.lifts_x, columns, rows);
            meter.scaling(scaled, scaled) + along_x + pairs(self.lifts_y, rows, columns)
        };
        let stored = self.geometry.lines as usize * self.geometry.samples as usize;
        meter.moved(self.count() * self.places(), stored) + (0..self.levels).map(of_level).sum()
    }
}
