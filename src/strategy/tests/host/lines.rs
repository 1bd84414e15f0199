//! Lines one by one, as in cl/core/pass.cl, and several levels of them, as in
//! cl/register_rows/register_rows.cl and cl/vectors/boxes_in_cache.cl.

use super::{Lifts, Place, Running, along, inside, levels_of, lift, line_start, place_of_line};
use crate::transform::reference::shift_line;
use crate::wavelet::{Direction, Sample};

impl<T: Sample> Running<'_, T> {
    pub(super) fn lines(&mut self, lifts: bool) {
        let geometry = self.geometry();
        assert_eq!(geometry.lines, geometry.across.iter().product::<i32>());
        for index in 0..geometry.lines {
            let at = place_of_line(&geometry, index);
            let signal = self.signal_line(at);
            let bands = self.bands_line(at);
            let (from, to) = if self.forward() {
                (signal, bands)
            } else {
                (bands, signal)
            };
            let mut line = self.gather(&from);
            // A transform without levels is a copy.
            if lifts && !self.problem.transform.active_levels().is_empty() {
                self.lift_line(&mut line);
            }
            let inside = inside(self.problem, &geometry);
            let ends = [0..inside.start, inside.end..line.len()];
            match self.lifts {
                Lifts::All => self.scatter(&to, &line),
                Lifts::Inside => {
                    for end in ends {
                        line[end].fill(self.garbage);
                    }
                    self.scatter(&to, &line);
                }
                Lifts::Ends => {
                    for end in ends {
                        self.scatter(&to[end.clone()], &line[end]);
                    }
                }
            }
        }
    }

    fn signal_line(&self, at: [i32; 3]) -> Vec<Place> {
        let geometry = self.geometry();
        let array = self.launch.arrays.signal;
        let start = line_start(&geometry.signal, &geometry, at);
        let axis = geometry.signal.line;
        (0..geometry.samples)
            .map(|n| (array, start + along(axis, n)))
            .collect()
    }

    fn bands_line(&self, at: [i32; 3]) -> Vec<Place> {
        let geometry = self.geometry();
        let array = self.launch.arrays.bands;
        let start = line_start(&geometry.bands, &geometry, at);
        let is_low = geometry.has_low == 1 && (0..3).all(|i| at[i] < geometry.low_across[i]);
        let place = |n: i32| {
            if is_low && n % 2 == 0 {
                let stride = geometry.low.line.stride;
                let start = line_start(&geometry.low, &geometry, at);
                (
                    self.launch.arrays.low.unwrap(),
                    start + i64::from(n / 2) * stride,
                )
            } else {
                (array, start + along(geometry.bands.line, n))
            }
        };
        (0..geometry.samples).map(place).collect()
    }

    fn lift_line(&self, line: &mut [T]) {
        let geometry = self.geometry();
        let shift = geometry.shift as u32;
        if self.forward() {
            shift_line(shift, Direction::Forward, line);
        }
        lift(self.problem, geometry.boundary, line);
        if !self.forward() {
            shift_line(shift, Direction::Inverse, line);
        }
    }

    pub(super) fn levels_of_rows(&mut self) {
        let geometry = self.geometry();
        let levels = levels_of(self.launch) as usize;
        for index in 0..geometry.lines {
            let at = place_of_line(&geometry, index);
            let signal = self.signal_line(at);
            let (details, low) = self.bands_of_levels(at, levels);
            let apart = |samples: &[T], parity: usize| -> Vec<T> {
                samples.iter().skip(parity).step_by(2).copied().collect()
            };
            if self.forward() {
                let mut samples = self.gather(&signal);
                for places in &details {
                    self.lift_line(&mut samples);
                    self.scatter(places, &apart(&samples, 1));
                    samples = apart(&samples, 0);
                }
                self.scatter(&low, &samples);
            } else {
                let mut samples = self.gather(&low);
                for places in details.iter().rev() {
                    let details = self.gather(places);
                    let low = std::mem::take(&mut samples);
                    let both = low.len() + details.len();
                    let channels = [low, details];
                    samples = (0..both).map(|i| channels[i % 2][i / 2]).collect();
                    self.lift_line(&mut samples);
                }
                self.scatter(&signal, &samples);
            }
        }
    }

    /// Where the details of each level are, finest first, and the approximations of the last one.
    fn bands_of_levels(&self, at: [i32; 3], levels: usize) -> (Vec<Vec<Place>>, Vec<Place>) {
        let geometry = self.geometry();
        let axis = geometry.bands.line;
        let is_interleaved = axis.stride == 2 * axis.detail;
        let start = line_start(&geometry.bands, &geometry, at);
        let place =
            |first: i64, stride: i64, n: i64| (self.launch.arrays.bands, first + n * stride);
        let mut samples = i64::from(geometry.samples);
        let mut details = Vec::new();
        for level in 0..levels {
            let (first, stride) = match is_interleaved {
                true => (axis.detail << level, axis.stride << level),
                false => (axis.stride * ((samples + 1) / 2), axis.stride),
            };
            let of_level = (0..samples / 2).map(|n| place(start + first, stride, n));
            details.push(of_level.collect());
            samples = (samples + 1) / 2;
        }
        let mut low = self.bands_line(at).into_iter().step_by(2);
        let (array, first) = low.next().unwrap();
        let in_low = low.next().map_or(axis.stride, |(_, second)| second - first);
        let stride = match is_interleaved && Some(array) != self.launch.arrays.low {
            true => axis.stride << (levels - 1),
            false => in_low,
        };
        let low = (0..samples).map(|n| (array, first + n * stride)).collect();
        (details, low)
    }
}
