//! The launch of windows: its arguments, its cost, and what the kernel is specialised on.

use super::{Ends, NAME, Window, Windows};
use crate::device::{Exchange, Fence};
use crate::strategy::planning::cost::{Cost, Meter};
use crate::strategy::planning::design::{
    Define, Kernel, LARGEST_VECTOR, Pass, Slots, define, define_distance, loops_as_they_are,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::pixels;
use crate::transform::geometry::Geometry;

impl Windows {
    pub fn pass(&self, todo: &Todo, [y, x]: [usize; 2]) -> Pass {
        let geometry = Geometry {
            boundary: todo.problem.transform.boundary_rule().number(),
            ..todo.sides(self.levels(), 2).pictures(y, x)
        };
        let own = self.own(todo, &geometry);
        Pass {
            kernel: Kernel {
                name: NAME,
                file: "pyramid/windows.cl",
                defines: self.defines(todo, &geometry),
                group: [self.group, 1],
            },
            slots: match self.rest {
                Some(_) => Slots::GOING_ON,
                None => Slots::OF_TAKE,
            },
            geometry,
            own: own.map(|(name, value)| (name, value as i32)).to_vec(),
            groups: self.groups(),
            cost: self.cost(todo),
        }
    }

    /// The kernel's own arguments.
    fn own(&self, todo: &Todo, geometry: &Geometry) -> [(&'static str, usize); 6] {
        let [tiles_y, tiles_x] = self.tiles;
        let samples = 2 * self.windows[0].own_pairs_x;
        let is_short = samples * todo.signal_size() <= LARGEST_VECTOR;
        // Beyond the end of a row that wraps, vectors are counted from its start.
        let is_whole = self.ends != Ends::Wrapped || self.shape[1].is_multiple_of(samples);
        let rest_aligned = self.rest.as_ref().is_some_and(|rest| {
            let samples = 2 * rest.windows[0].own_pairs_x;
            rest.shape[1] % samples == 0 && samples * todo.problem.sample.size() <= LARGEST_VECTOR
        });
        [
            ("tile_x", self.tile[1]),
            ("tile_y", self.tile[0]),
            ("tiles_x", tiles_x),
            ("tiles_y", tiles_y),
            (
                "aligned",
                usize::from(is_short && is_whole && geometry.signal.is_aligned(2, samples)),
            ),
            ("rest_aligned", usize::from(rest_aligned)),
        ]
    }

    fn cost(&self, todo: &Todo) -> Cost {
        let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
        let groups = self.groups();
        let (mut read, mut lifted) = (0, Cost::default());
        for (level, window) in self.windows.iter().enumerate() {
            let loaded = 4 * (window.pairs_y + self.around) * window.pairs_x;
            // What the level before has left is in local memory.
            read += match (self.forward, level) {
                (true, 0) => loaded,
                (true, _) => 0,
                (false, level) if level + 1 == self.levels => loaded,
                (false, _) => loaded - loaded / 4,
            };
            let blocks = groups * window.pairs_y.div_ceil(window.own_pairs_y);
            let pairs = self.pairs_lifted(window.own_pairs_y);
            lifted = lifted
                + meter.lifted_alone(2 * blocks * window.pairs_x, window.own_pairs_y)
                + meter.lifted(2 * blocks * pairs * window.pairs_x);
        }
        let stored = self.pictures * self.shape[0] * self.shape[1];
        let barriers = match todo.target.device.exchange {
            Exchange::None => 1 + 2 * todo.problem.stencils().len(),
            _ => 1,
        };
        let own = meter.scaled(groups * read, stored)
            + lifted
            + Cost::of_group(barriers * self.levels, self.bytes(todo) as usize);
        let rest = self.rest.as_ref().map(|rest| rest.cost(todo));
        own + rest.unwrap_or_default()
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry) -> Vec<Define> {
        let device = todo.target.device;
        // CPUs keep the general way under test.
        let single = !device.has_vectors() && geometry.across[1] * geometry.across[2] == 1;
        let rest = self.rest.as_ref();
        let extended_often = self.extended_often || rest.is_some_and(|rest| rest.extended_often);
        let mut defines = vec![
            define("EXCHANGE", device.exchange.number()),
            define("LANES", self.lanes),
            define("GROUP", self.group),
            define("MOST_OWN_PAIRS_Y", self.most_own_pairs_y()),
            define("X_FIRST", u8::from(self.x_first)),
            define("COLUMN_STRIDE", self.column_stride),
            define("LEVELS", self.levels()),
            define("REST", self.levels),
            define(
                "FENCE",
                rest.map_or(Fence::None, |_| device.fence()).number(),
            ),
            define("PLACES", self.places()),
            define("EXTENDED_OFTEN", u8::from(extended_often)),
            define("ENDS", self.ends as u8),
            define_distance(geometry.fits_32_bits(2, 0)),
            define("PLANAR", 1),
            define("SINGLE", u8::from(single)),
            define("PRE_SHIFT", todo.pre_shift()),
        ];
        if self.forward {
            defines.push(define("HALO", self.halo));
        }
        let none = Window::default();
        for (k, window) in self.all_windows().into_iter().chain([none]).enumerate() {
            defines.push(define(format!("PAIRS_Y_{k}"), window.pairs_y));
            defines.push(define(format!("PAIRS_X_{k}"), window.pairs_x));
            defines.push(define(
                format!("OWN_PAIRS_Y_{k}"),
                window.own_pairs_y.max(1),
            ));
            defines.push(define(
                format!("OWN_PAIRS_X_{k}"),
                window.own_pairs_x.max(1),
            ));
            defines.push(define(format!("ITEMS_X_{k}"), window.items_x.max(1)));
            defines.push(define(format!("KEPT_{k}"), window.kept));
        }
        // CPUs have one program for many shapes, and so do devices that must first try each kernel,
        // on the smallest picture of those that it is for.
        let known = !self.in_one_program && device.exchange.is_tried();
        defines.push(define("KNOWN", u8::from(known)));
        if known {
            let own = self.own(todo, geometry).into_iter();
            defines.extend(own.map(|(name, value)| define(name.to_uppercase(), value)));
            defines.push(define("HEIGHT", self.shape[0]));
            defines.push(define("WIDTH", self.shape[1]));
        }
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}
