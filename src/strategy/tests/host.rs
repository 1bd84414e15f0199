//! Carries out a design on the host: every launch gathers and scatters the samples that its kernel
//! would, by the geometry alone, and lifts them as the reference does.
//!
//! What it repeats of the kernels is where samples lie (cl/core/pass.cl,
//! cl/core/picture.cl, cl/streamed/two_levels.cl, cl/pyramid/extent.cl) and in which order
//! axes are lifted, not how they are lifted.

mod boxes;
mod lines;
mod picture;
mod pictures;
mod volumes;

use crate::lifting::reach::Reach;
use crate::strategy::Problem;
use crate::strategy::planning::design::{Array, Design, Kernel, Launch};
use crate::transform::geometry::{Axis, Geometry, Side};
use crate::transform::reference::{forward_line, inverse_line};
use crate::wavelet::{Boundary, Direction, Sample};
use std::collections::HashSet;
use std::ops::Range;

/// A sample of one of the arrays.
type Place = (Array, i64);

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
            "register_rows" | "rows_in_registers" | "short_rows" | "register_lines"
            | "short_columns" => running.levels_of_rows(),
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

/// What a launch gets right of the lines of one axis: all, or what is left to the other of two
/// launches (line_ends.rs).
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
}

fn place_of_line(pass: &Geometry, index: i32) -> [i32; 3] {
    let rest = index / pass.across[0];
    [
        index % pass.across[0],
        rest % pass.across[1],
        rest / pass.across[1],
    ]
}

fn line_start(side: &Side, pass: &Geometry, at: [i32; 3]) -> i64 {
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
        "pyramid_windows" | "register_lines" => number(kernel, "LEVELS") as i32,
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
fn column_stride(kernel: &Kernel) -> usize {
    let mut defines = kernel.defines.iter();
    let known = defines.find(|(name, _)| name == "COLUMN_STRIDE");
    known.map_or(1, |(_, stride)| stride.parse().unwrap())
}

fn is_set(kernel: &Kernel, name: &str) -> bool {
    number(kernel, name) == 1
}
