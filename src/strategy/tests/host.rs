//! Carries out a design on the host: every launch gathers and scatters the samples that its kernel would, by the geometry
//! alone, and lifts them as the reference does.
//!
//! What it repeats of the kernels is where samples lie (cl/core/pass.cl, cl/core/picture.cl, cl/streamed/two_levels.cl,
//! cl/pyramid/extent.cl)
//! and in which order axes are lifted, not how they are lifted.

use super::host_pictures::Picture;
use crate::lifting::reach::Reach;
use crate::strategy::Problem;
use crate::strategy::design::{Array, Design, Kernel, Launch};
use crate::transform::geometry::{Axis, Geometry, Side};
use crate::transform::reference::{forward_line, inverse_line, shift_line};
use crate::wavelet::{Boundary, Direction, Sample};
use std::collections::HashSet;
use std::ops::Range;

/// A sample of one of the arrays.
pub(super) type Place = (Array, i64);

/// The arrays of a plan while it runs.
struct Memory<T> {
    input: Vec<T>,
    output: Vec<T>,
    scratch: [Vec<T>; 2],
    temps: [Vec<T>; 2],
}

impl<T: Sample> Memory<T> {
    fn array(&mut self, array: Array) -> &mut Vec<T> {
        match array {
            Array::Input => &mut self.input,
            Array::Output => &mut self.output,
            Array::Scratch(i) => &mut self.scratch[i],
            Array::Temp(i) => &mut self.temps[i],
        }
    }

    fn read(&mut self, (array, place): Place) -> T {
        self.array(array)[usize::try_from(place).unwrap()]
    }

    fn write(&mut self, (array, place): Place, value: T) {
        assert_ne!(array, Array::Input, "the input is never written");
        self.array(array)[usize::try_from(place).unwrap()] = value;
    }
}

/// One launch, and what it works in.
struct Running<'a, T> {
    problem: &'a Problem,
    launch: &'a Launch,
    memory: &'a mut Memory<T>,
    /// What this launch has written: nothing twice.
    written: HashSet<(usize, i64)>,
    garbage: T,
    lifts: Lifts,
}

/// The output of a design for `input`. What no launch has written is `garbage`.
pub(super) fn run<T: Sample>(
    problem: &Problem,
    design: &Design,
    input: &[T],
    garbage: T,
) -> Vec<T> {
    let mut memory = Memory {
        input: input.to_vec(),
        output: vec![garbage; problem.output().end()],
        scratch: design.scratch.map(|samples| vec![garbage; samples]),
        temps: design.temps.map(|samples| vec![garbage; samples]),
    };
    for (i, launch) in design.launches.iter().enumerate() {
        let arrays = launch.arrays;
        let has_low = launch.pass.geometry.has_low == 1;
        let goes_on = launch.pass.slots.between.is_some();
        assert_eq!(arrays.low.is_some(), has_low || goes_on, "{launch:?}");
        let mut running = Running {
            problem,
            launch,
            memory: &mut memory,
            written: HashSet::new(),
            garbage,
            lifts: Lifts::of(problem, launch, design.launches.get(i + 1)),
        };
        match launch.pass.kernel.name {
            "streamed_one_level" | "register_block" | "register_planes" => {
                running.pictures(|fine| vec![fine])
            }
            "streamed_colours" | "single_loop" => running.colours(),
            "register_rows" | "rows_in_registers" | "short_rows" => running.levels_of_rows(),
            "boxes_in_cache" if is_picture(launch) => running.pictures(|fine| fine.pyramid(launch)),
            "boxes_in_cache" => running.levels_of_rows(),
            "streamed_volumes" => running.volumes(),
            "whole_boxes" => running.whole_boxes(),
            "pyramid" | "pyramid_windows" => running.pictures(|fine| fine.pyramid(launch)),
            "streamed_two_levels" => {
                running.pictures(|fine| vec![fine.clone(), fine.coarse(launch)])
            }
            // The first of the launches of `stepwise` for an axis stands for all of them.
            "load" | "lift" | "store" => continue,
            "move" | "line_ends" | "register_columns" | "columns_and_ends" | "row_pairs"
            | "row_exchanged" | "column_pairs" | "column_exchanged" | "row_vectors"
            | "column_vectors" => running.lines(true),
            "transpose" => running.lines(false),
            name => panic!("{name} is not known here"),
        }
        let geometry = &launch.pass.geometry;
        let samples = i64::from(geometry.samples)
            * geometry.across.map(i64::from).iter().product::<i64>()
            * colours(&launch.pass.kernel) as i64;
        let written = match running.lifts {
            Lifts::Ends => {
                samples - inside(problem, geometry).len() as i64 * i64::from(geometry.lines)
            }
            _ => samples,
        };
        assert_eq!(running.written.len() as i64, written, "{launch:?}");
    }
    memory.output
}

/// What a launch gets right of the lines of one axis: all, or what is left to the other of two launches (line_ends.rs).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lifts {
    All,
    /// What it stores at the ends of lines is anything.
    Inside,
    Ends,
}

impl Lifts {
    fn of(problem: &Problem, launch: &Launch, next: Option<&Launch>) -> Self {
        let lifts_ends = |launch: &Launch| {
            launch.pass.kernel.name == "line_ends"
                && !inside(problem, &launch.pass.geometry).is_empty()
        };
        if lifts_ends(launch) {
            Lifts::Ends
        } else if next.is_some_and(lifts_ends) {
            Lifts::Inside
        } else {
            Lifts::All
        }
    }
}

/// The samples of a line that are between its ends.
fn inside(problem: &Problem, geometry: &Geometry) -> Range<usize> {
    let pairs = Reach::new(&problem.stencils()).inner(geometry.samples as usize);
    2 * pairs.start..2 * pairs.end
}

impl<T: Sample> Running<'_, T> {
    fn forward(&self) -> bool {
        self.problem.direction == Direction::Forward
    }

    fn geometry(&self) -> Geometry {
        self.launch.pass.geometry
    }

    fn gather(&mut self, places: &[Place]) -> Vec<T> {
        places
            .iter()
            .map(|&place| self.memory.read(place))
            .collect()
    }

    fn scatter(&mut self, places: &[Place], values: &[T]) {
        assert_eq!(places.len(), values.len());
        for (&place, &value) in places.iter().zip(values) {
            let number = match place.0 {
                Array::Input => 0,
                Array::Output => 1,
                Array::Scratch(i) => 2 + i,
                Array::Temp(i) => 4 + i,
            };
            assert!(
                self.written.insert((number, place.1)),
                "{place:?} is written twice"
            );
            self.memory.write(place, value);
        }
    }

    // --- lines, as in cl/core/pass.cl ---

    fn lines(&mut self, lifts: bool) {
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

    // --- several levels of lines, as in cl/register_rows/register_rows.cl and cl/vectors/boxes_in_cache.cl ---

    fn levels_of_rows(&mut self) {
        let geometry = self.geometry();
        let levels = own(self.launch, "levels") as usize;
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

    // --- pictures, as in cl/core/picture.cl ---

    /// Lifts every picture by the levels that it has, finest first.
    fn pictures(&mut self, levels_of: impl Fn(Picture) -> Vec<Picture>) {
        let geometry = self.geometry();
        let is_box = self.launch.pass.kernel.name == "boxes_in_cache";
        assert!(
            is_box || geometry.shift == 0,
            "pictures are shifted by PRE_SHIFT"
        );
        let pictures = geometry.across[1] * geometry.across[2];
        let kernel = &self.launch.pass.kernel;
        assert!(is_box || !is_set(kernel, "SINGLE") || pictures == 1);
        for number in 0..pictures {
            let levels = levels_of(Picture::at(self.launch, number));
            let signal = levels[0].signal();
            let last = levels.len() - 1;
            if self.forward() {
                let mut low = self.gather(&signal);
                for (n, level) in levels.iter().enumerate() {
                    self.lift_picture(level, &mut low);
                    low = self.scatter_bands(level, &low, n == last);
                }
            } else {
                let mut low = None;
                for level in levels.iter().rev() {
                    let mut samples = self.gather_bands(level, low.take());
                    self.lift_picture(level, &mut samples);
                    low = Some(samples);
                }
                self.scatter(&signal, &low.unwrap());
            }
        }
    }

    /// The same where every sample is the first of a pixel's.
    fn colours(&mut self) {
        for number in 0..self.geometry().across[1] * self.geometry().across[2] {
            for colour in 0..colours(&self.launch.pass.kernel) {
                let picture = Picture::at(self.launch, number).of_colour(colour);
                let (signal, bands) = (picture.signal(), picture.bands());
                let bands: Vec<Place> = bands.into_iter().map(|(place, _)| place).collect();
                let (from, to) = match self.forward() {
                    true => (signal, bands),
                    false => (bands, signal),
                };
                let mut samples = self.gather(&from);
                self.lift_picture(&picture, &mut samples);
                self.scatter(&to, &samples);
            }
        }
    }

    /// Stores the sub-bands of a lifted picture, and returns its low band; that of the last level is stored as well.
    fn scatter_bands(&mut self, picture: &Picture, samples: &[T], is_last: bool) -> Vec<T> {
        let mut low = Vec::new();
        for (i, (place, band)) in picture.bands().into_iter().enumerate() {
            if band == 0 {
                low.push(samples[i]);
            }
            if band > 0 || is_last {
                self.scatter(&[place], &[samples[i]]);
            }
        }
        low
    }

    /// The sub-bands of a picture, with the low band of the coarser level if there is one.
    fn gather_bands(&mut self, picture: &Picture, low: Option<Vec<T>>) -> Vec<T> {
        let mut low = low.map(Vec::into_iter);
        let places = picture.bands().into_iter();
        places
            .map(|(place, band)| match &mut low {
                Some(low) if band == 0 => low.next().unwrap(),
                _ => self.memory.read(place),
            })
            .collect()
    }

    /// One level along both axes.
    fn lift_picture(&self, picture: &Picture, samples: &mut [T]) {
        let kernel = &self.launch.pass.kernel;
        let boundary = self.geometry().boundary;
        let (shift, x_first) = match kernel.name {
            "boxes_in_cache" => (self.geometry().shift, own(self.launch, "x_first") == 1),
            _ => (
                number(kernel, "PRE_SHIFT") as i32,
                is_set(kernel, "X_FIRST"),
            ),
        };
        let shift = shift as u32;
        if self.forward() {
            shift_line(shift, Direction::Forward, samples);
        }
        let (width, height) = (picture.width as usize, picture.height as usize);
        let along_x = |samples: &mut [T]| {
            samples
                .chunks_mut(width)
                .for_each(|row| lift(self.problem, boundary, row));
        };
        let along_y = |samples: &mut [T]| {
            for x in 0..width {
                let mut column: Vec<T> = (0..height).map(|y| samples[y * width + x]).collect();
                lift(self.problem, boundary, &mut column);
                (0..height).for_each(|y| samples[y * width + x] = column[y]);
            }
        };
        if x_first {
            along_x(samples);
            along_y(samples);
        } else {
            along_y(samples);
            along_x(samples);
        }
        if !self.forward() {
            shift_line(shift, Direction::Inverse, samples);
        }
    }
}

/// Volumes, as in cl/streamed_volumes/part.cl.
impl<T: Sample> Running<'_, T> {
    fn volumes(&mut self) {
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

/// Several levels of pictures or volumes, as in cl/whole_boxes/whole_boxes.cl.
impl<T: Sample> Running<'_, T> {
    fn whole_boxes(&mut self) {
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

fn place_of_line(pass: &Geometry, index: i32) -> [i32; 3] {
    let rest = index / pass.across[0];
    [
        index % pass.across[0],
        rest % pass.across[1],
        rest / pass.across[1],
    ]
}

pub(super) fn line_start(side: &Side, pass: &Geometry, at: [i32; 3]) -> i64 {
    let across = (0..3).map(|i| place_across(side.across[i], at[i], pass.low_across[i]));
    side.offset + across.sum::<i64>()
}

fn place_across(axis: Axis, index: i32, low: i32) -> i64 {
    if index < low {
        i64::from(index) * axis.stride
    } else {
        axis.detail + i64::from(index - low) * axis.stride
    }
}

/// Sample n of a line, counted as in the signal.
fn along(axis: Axis, n: i32) -> i64 {
    i64::from(n / 2) * axis.stride + i64::from(n % 2) * axis.detail
}

fn lift<T: Sample>(problem: &Problem, boundary: i32, line: &mut [T]) {
    let wavelet = problem.transform.wavelet();
    let boundary = Boundary::ALL[boundary as usize];
    match problem.direction {
        Direction::Forward => forward_line(wavelet, boundary, line),
        Direction::Inverse => inverse_line(wavelet, boundary, line),
    }
}

/// The number that the host sets for a macro of a kernel.
pub fn number(kernel: &Kernel, name: &str) -> usize {
    let define = kernel.defines.iter().find(|(known, _)| known == name);
    let (_, value) = define.unwrap_or_else(|| panic!("{} has no {name}", kernel.name));
    value.parse().unwrap()
}

/// One of a launch's own arguments.
pub fn own(launch: &Launch, name: &str) -> i32 {
    let mut own = launch.pass.own.iter();
    let argument = own.find(|(known, _)| *known == name);
    argument.unwrap_or_else(|| panic!("no argument {name}")).1
}

/// How many levels a launch takes, which a kernel is told or was written for.
pub fn levels_of(launch: &Launch) -> i32 {
    let kernel = &launch.pass.kernel;
    match kernel.name {
        "pyramid_windows" => number(kernel, "LEVELS") as i32,
        _ => own(launch, "levels"),
    }
}

/// Whether both axes of boxes are lifted.
fn is_picture(launch: &Launch) -> bool {
    own(launch, "lifts_x") == 1 && own(launch, "lifts_y") == 1
}

/// How many samples a pixel has, which the geometry does not count.
pub fn colours(kernel: &Kernel) -> usize {
    let known = kernel.defines.iter().any(|(name, _)| name == "COLOURS");
    if known { number(kernel, "COLOURS") } else { 1 }
}

/// How far neighbours in a row are apart, of pixels or samples: 0 says that the kernel finds it.
pub(super) fn column_stride(kernel: &Kernel) -> usize {
    let mut defines = kernel.defines.iter();
    let known = defines.find(|(name, _)| name == "COLUMN_STRIDE");
    known.map_or(1, |(_, stride)| stride.parse().unwrap())
}

pub(super) fn is_set(kernel: &Kernel, name: &str) -> bool {
    number(kernel, name) == 1
}
