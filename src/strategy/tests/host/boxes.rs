//! Boxes that are held whole, as in cl/whole_boxes/whole_boxes.cl: several
//! levels of pictures or volumes.

use super::{Place, Running, is_set, lift, line_start, number, own, place_of_line};
use crate::transform::geometry::Side;
use crate::transform::reference::shift_line;
use crate::wavelet::{Direction, Sample};

impl<T: Sample> Running<'_, T> {
    pub(super) fn whole_boxes(&mut self) {
        let geometry = self.geometry();
        let kernel = &self.launch.pass.kernel;
        let axes = number(kernel, "AXES");
        let levels = own(self.launch, "levels") as usize;
        let sides =
            ["length_z", "length_y", "length_x"].map(|side| own(self.launch, side) as usize);
        let across = geometry.across;
        let boxes = across[axes - 1..].iter().product();
        for n in 0..boxes {
            let at = match axes {
                1 => place_of_line(&geometry, n),
                2 => [0, n % across[1], n / across[1]],
                _ => [0, 0, n],
            };
            let (signal, bands) = self.places_of_box(sides, at);
            let of_level = |level: usize| sides.map(|side| side.div_ceil(1 << level));
            if self.forward() {
                let mut samples = self.gather(&signal);
                for level in 0..levels {
                    self.lift_box(sides, of_level(level), &mut samples);
                }
                self.scatter(&bands, &samples);
            } else {
                let mut samples = self.gather(&bands);
                for level in (0..levels).rev() {
                    self.lift_box(sides, of_level(level), &mut samples);
                }
                self.scatter(&signal, &samples);
            }
        }
    }

    /// Where the samples of a box and its coefficients are, in the order of its axes.
    fn places_of_box(&self, sides: [usize; 3], at: [i32; 3]) -> (Vec<Place>, Vec<Place>) {
        let (pass, arrays) = (&self.launch.pass.geometry, self.launch.arrays);
        let places = |array, side: &Side, is_signal: bool| {
            let apart = [side.across[1], side.across[0], side.line];
            let apart = apart.map(|axis| if is_signal { axis.detail } else { axis.stride });
            let start = line_start(side, pass, at);
            let in_row =
                move |row: i64| (0..sides[2] as i64).map(move |x| (array, row + x * apart[2]));
            let rows = (0..sides[0] * sides[1]).map(move |n| {
                let (z, y) = ((n / sides[1]) as i64, (n % sides[1]) as i64);
                start + z * apart[0] + y * apart[1]
            });
            rows.flat_map(in_row).collect()
        };
        let signal = places(arrays.signal, &pass.signal, true);
        (signal, places(arrays.bands, &pass.bands, false))
    }

    /// One level of the first samples of a box along each axis: approximations first, then details.
    fn lift_box(&self, sides: [usize; 3], part: [usize; 3], samples: &mut [T]) {
        let kernel = &self.launch.pass.kernel;
        let (shift, forward) = (number(kernel, "PRE_SHIFT") as u32, self.forward());
        let apart = [sides[1] * sides[2], sides[2], 1];
        let mut places = Vec::new();
        for n in 0..part.iter().product() {
            let [z, y, x] = [n / part[2] / part[1], n / part[2] % part[1], n % part[2]];
            places.push(z * apart[0] + y * apart[1] + x);
        }
        let shift_all = |samples: &mut [T], direction| {
            for &place in &places {
                shift_line(shift, direction, &mut samples[place..=place]);
            }
        };
        if forward {
            shift_all(samples, Direction::Forward);
        }
        let mut axes = vec![0, 1, 2];
        axes.drain(..3 - number(kernel, "AXES"));
        if is_set(kernel, "X_FIRST") {
            axes.reverse();
        }
        for axis in axes {
            let step = apart[axis];
            let length = part[axis];
            let first = |place: &usize| (place / step).is_multiple_of(sides[axis]);
            for start in places.iter().copied().filter(first) {
                let mut line: Vec<T> = (0..length).map(|i| samples[start + i * step]).collect();
                let split = |i: usize| i % 2 * length.div_ceil(2) + i / 2;
                if !forward {
                    line = (0..length).map(|i| line[split(i)]).collect();
                }
                lift(self.problem, self.geometry().boundary, &mut line);
                for (i, &sample) in line.iter().enumerate() {
                    let to = if forward { split(i) } else { i };
                    samples[start + to * step] = sample;
                }
            }
        }
        if !forward {
            shift_all(samples, Direction::Inverse);
        }
    }
}
