//! Volumes, as in cl/streamed_volumes/part.cl: three axes of one level at once.

use super::{Place, Running, along, is_set, lift, line_start, number};
use crate::transform::geometry::{Axis, Side};
use crate::transform::reference::shift_line;
use crate::wavelet::{Direction, Sample};

impl<T: Sample> Running<'_, T> {
    pub(super) fn volumes(&mut self) {
        let (launch, geometry) = (self.launch, self.geometry());
        let kernel = &launch.pass.kernel;
        let shift = number(kernel, "PRE_SHIFT") as u32;
        let [height, depth, count] = geometry.across;
        let shape = [depth, height, geometry.samples];
        for number in 0..count {
            let (signal, bands) = self.places_of_volume(shape, number);
            let (from, to) = match self.forward() {
                true => (signal, bands),
                false => (bands, signal),
            };
            let mut samples = self.gather(&from);
            if self.forward() {
                shift_line(shift, Direction::Forward, &mut samples);
            }
            // Real steps along different axes commute, but for their rounding.
            let axes = match (self.problem.sample.is_integer(), is_set(kernel, "X_FIRST")) {
                (true, true) => [2, 1, 0],
                (true, false) => [0, 1, 2],
                (false, _) => [1, 0, 2],
            };
            for axis in axes {
                let behind: usize = shape[axis + 1..].iter().map(|&n| n as usize).product();
                let length = shape[axis] as usize;
                for start in (0..samples.len()).filter(|at| (at / behind).is_multiple_of(length)) {
                    let at = |i: usize| start + i * behind;
                    let mut line: Vec<T> = (0..length).map(|i| samples[at(i)]).collect();
                    lift(self.problem, geometry.boundary, &mut line);
                    (0..length).for_each(|i| samples[at(i)] = line[i]);
                }
            }
            if !self.forward() {
                shift_line(shift, Direction::Inverse, &mut samples);
            }
            self.scatter(&to, &samples);
        }
    }

    fn places_of_volume(
        &self,
        [depth, height, width]: [i32; 3],
        number: i32,
    ) -> (Vec<Place>, Vec<Place>) {
        let (pass, arrays) = (&self.launch.pass.geometry, self.launch.arrays);
        let at = [0, 0, number];
        let start = |side: &Side| line_start(side, pass, at);
        let has_low = pass.has_low == 1 && number < pass.low_across[2];
        let in_signal = |[z, y, x]: [i32; 3]| {
            let (side, one) = (&pass.signal, |axis: Axis, n: i32| {
                axis.detail * i64::from(n)
            });
            start(side) + one(side.across[1], z) + one(side.across[0], y) + i64::from(x)
        };
        let in_bands = |[z, y, x]: [i32; 3]| {
            let is_low = has_low && [z, y, x].iter().all(|n| n % 2 == 0);
            let side = if is_low { &pass.low } else { &pass.bands };
            let array = if is_low {
                arrays.low.unwrap()
            } else {
                arrays.bands
            };
            let within = along(side.across[1], z) + along(side.across[0], y);
            (array, start(side) + within + along(side.line, x))
        };
        let places = (0..depth).flat_map(|z| (0..height).map(move |y| (z, y)));
        let places = places.flat_map(|(z, y)| (0..width).map(move |x| [z, y, x]));
        let both = places.map(|at| ((arrays.signal, in_signal(at)), in_bands(at)));
        both.unzip()
    }
}
