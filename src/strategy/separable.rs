//! A pass over memory for each axis of each level: cl/row_four_pairs.cl along contiguous lines,
//! cl/column_four_pairs.cl along all others, both with cl/border.cl for the ends of lines. On CPU devices the
//! passes are those of vector_passes.rs.

use super::vectors::Vectors;
use super::{Array, Design, Kernel, Pass, Problem, Strategy, Target, vector_passes};
use crate::device::DeviceKind;
use crate::lifting::prelude;
use crate::lifting::reach::Reach;
use crate::strategy::tuning::Tiles;
use crate::transform::Layout;
use crate::transform::geometry::{Arguments, Order, Side, View, folded, lines, with_corner};
use crate::wavelet::Direction;

/// Pairs that one work-item lifts; `PAIRS` in cl/four_pairs.cl.
const PAIRS: usize = 4;

/// The boxes that a level's pass for one axis works between: `near` the signal, `far` from it.
struct Between {
    axis: usize,
    near: View,
    far: View,
    corner: Option<View>,
    shift: u32,
}

/// Every pass of the forward transform, in order; backwards, and from far to near, they are the inverse.
///
/// Within a level each axis is split into channels in turn. The last pass puts the details where they
/// stay, and the approximations into a dense array, where the next level takes them from.
fn between(problem: &Problem) -> Vec<Between> {
    let transform = &problem.transform;
    let levels = transform.active_levels();
    let settled = match transform.layout {
        Layout::Mallat => Order::Planar,
        Layout::Interleaved => Order::Interleaved,
    };
    let mut all = Vec::new();
    for level in &levels {
        let last_level = level.number == levels.last().expect("inside it").number;
        let low = transform.shape_after(level.number);
        for (i, &axis) in level.axes.iter().enumerate() {
            let dense = |done| View::dense(&level.shape).with_order(done, Order::Planar);
            let last_axis = i + 1 == level.axes.len();
            all.push(Between {
                axis,
                near: dense(&level.axes[..i]),
                far: if last_axis {
                    View::of_level(transform, level.number).with_order(&level.axes, settled)
                } else {
                    dense(&level.axes[..=i])
                },
                corner: (last_axis && !last_level).then(|| View::dense(&low)),
                shift: if i == 0 {
                    transform.wavelet.pre_shift()
                } else {
                    0
                },
            });
        }
    }
    all
}

/// Which array holds what each pass leaves to the next, in the order of the forward transform, for
/// `first_level` passes in the finest level and `total` in all.
///
/// Neighbours differ, and differ from what the passes beside them read or write: the details of the
/// coarser levels lie in the coefficients' array already, or still, so only scratch serves there. In the
/// finest level the output is free, but for the pass that reads (inverse) or writes (forward) it last.
fn between_arrays(first_level: usize, total: usize, direction: Direction) -> Vec<Array> {
    let scratch = |i: usize| Array::Scratch(i % 2);
    let mut arrays: Vec<Array> = (0..first_level - 1)
        .map(|i| {
            let to_output = match direction {
                Direction::Forward => first_level - 2 - i,
                Direction::Inverse => i,
            };
            if to_output % 2 == 0 {
                scratch(0)
            } else {
                Array::Output
            }
        })
        .collect();
    let first = if first_level > 1 { 1 } else { 0 };
    arrays.extend((first_level..total).map(|i| scratch(first + i - first_level)));
    arrays
}

pub(super) fn design(problem: &Problem, target: &Target) -> Design {
    let transform = &problem.transform;
    let kernels = Kernels::new(problem, target);
    let between = between(problem);
    let finest = transform.active_levels()[0].axes.len();
    let arrays = between_arrays(finest, between.len(), problem.direction);
    let mut scratch = [0; 2];
    for (array, pass) in arrays.iter().zip(&between[1..]) {
        if let Array::Scratch(i) = array {
            let held = pass.near.shape.iter().product::<usize>();
            scratch[*i] = held.max(scratch[*i]);
        }
    }

    let forward = problem.direction == Direction::Forward;
    let (signal, coefficients) = if forward {
        (Array::Input, Array::Output)
    } else {
        (Array::Output, Array::Input)
    };
    let mut passes = Vec::new();
    for (i, pass) in between.iter().enumerate() {
        let near = if i == 0 { signal } else { arrays[i - 1] };
        let next = arrays.get(i).copied();
        let level_ends = pass.corner.is_some() || next.is_none();
        let far = if level_ends {
            coefficients
        } else {
            next.expect("passes follow")
        };
        let (from, to, from_view, to_view) = if forward {
            (near, far, &pass.near, &pass.far)
        } else {
            (far, near, &pass.far, &pass.near)
        };
        let mut arguments = lines(pass.axis, from_view, to_view);
        if let Some(corner) = &pass.corner {
            arguments = with_corner(arguments, pass.axis, corner);
        }
        arguments = folded(arguments);
        arguments.boundary = transform.boundary.number();
        if forward {
            arguments.shift_in = pass.shift as i32;
        } else {
            arguments.shift_out = pass.shift as i32;
        }
        let corner = pass
            .corner
            .is_some()
            .then(|| next.expect("a corner is read again"));
        // The row pass counts places of a line in 32 bits: coefficients can be far apart where they stay in place.
        let pairs = (i64::from(arguments.samples) + 1) / 2;
        let fits = |side: &Side| side.line.pair.saturating_mul(pairs) <= i64::from(i32::MAX);
        let sides = [&arguments.from, &arguments.to, &arguments.corner];
        let contiguous = pass.near.strides[pass.axis] == 1 && sides.into_iter().all(fits);
        passes.push(kernels.launch(arguments, contiguous, (from, to, corner)));
    }
    if !forward {
        passes.reverse();
    }
    Design { passes, scratch }
}

/// The kernels of a problem's passes.
struct Kernels<'a> {
    target: &'a Target<'a>,
    reach: Reach,
    tiles: Tiles,
    /// What CPU devices work in.
    vectors: Option<Vectors>,
}

impl<'a> Kernels<'a> {
    fn new(problem: &Problem, target: &'a Target) -> Self {
        let stencils = prelude::stencils(
            &problem.transform.wavelet,
            problem.sample,
            problem.direction,
        );
        let (reach, bytes) = (Reach::new(&stencils), problem.sample.size());
        let tuned = |name: &str, default| {
            let (strategy, device) = (Strategy::Separable, target.device);
            target.tuning.size(name, strategy, problem, device, default)
        };
        let tiles = Tiles::new(
            target.device,
            tuned,
            |group| row_local_samples(group, &reach) * bytes,
            |group| column_local_samples(group, &reach) * bytes,
        );
        let is_cpu = target.device.kind == DeviceKind::Cpu;
        let vectors = is_cpu.then(|| vector_passes::vectors(problem, target));
        Kernels {
            target,
            reach,
            tiles,
            vectors: vectors.flatten(),
        }
    }

    /// The launch that does one pass, the ends of lines included.
    fn launch(
        &self,
        arguments: Arguments,
        contiguous: bool,
        (from, to, corner): (Array, Array, Option<Array>),
    ) -> Pass {
        let inner = self.reach.inner(arguments.samples as usize).len();
        let (target, border) = (self.target, self.reach.border());
        let (kernel, arguments, groups) = match (&self.vectors, contiguous) {
            (Some(vectors), true) => vector_passes::row_pass(vectors, target, arguments, border),
            (Some(vectors), false) => {
                vector_passes::column_pass(vectors, target, arguments, inner, border)
            }
            (None, _) if inner == 0 => self.ends(arguments),
            (None, true) => self.row_pass(arguments, inner),
            (None, false) => self.column_pass(arguments, inner),
        };
        Pass {
            kernel,
            from,
            to,
            corner,
            arguments,
            groups,
        }
    }

    fn row_pass(&self, arguments: Arguments, inner: usize) -> (Kernel, Arguments, usize) {
        let [x, y] = self.tiles.row;
        let lines = arguments.lines as usize;
        let (rows, tiles) = (lines.div_ceil(y), inner.div_ceil(PAIRS * x));
        let segments = self.tiles.filling.div_ceil(rows).clamp(1, tiles);
        let tiles_each = tiles.div_ceil(segments);
        let segments = tiles.div_ceil(tiles_each);
        let kernel = Kernel {
            name: "row_four_pairs",
            parts: &[
                "boundary.cl",
                "border.cl",
                "four_pairs.cl",
                "row_four_pairs.cl",
            ],
            defines: vec![
                ("ROWS_X", x),
                ("ROWS_Y", y),
                ("BORDER", self.reach.border()),
            ],
            group: [x, y],
        };
        let arguments = Arguments {
            groups: segments as i32,
            windows: tiles_each as i32,
            step: lines.div_ceil(x * y) as i32,
            ..arguments
        };
        let groups = lines.div_ceil(x * y) + segments * rows;
        (kernel, arguments, groups)
    }

    fn column_pass(&self, arguments: Arguments, inner: usize) -> (Kernel, Arguments, usize) {
        let [x, y] = self.tiles.column;
        let lines = arguments.lines as usize;
        let strips = lines.div_ceil(x);
        let windows = inner.div_ceil(PAIRS * y);
        let segments = self.tiles.filling.div_ceil(strips).clamp(1, windows);
        let windows_each = windows.div_ceil(segments);
        let kernel = Kernel {
            name: "column_four_pairs",
            parts: &[
                "boundary.cl",
                "border.cl",
                "four_pairs.cl",
                "column_four_pairs.cl",
            ],
            defines: vec![
                ("COLUMNS", x),
                ("WINDOW_Y", y),
                ("BORDER", self.reach.border()),
            ],
            group: [x, y],
        };
        let arguments = Arguments {
            groups: strips as i32,
            windows: windows_each as i32,
            step: lines.div_ceil(x * y) as i32,
            ..arguments
        };
        let groups = lines.div_ceil(x * y) + strips * windows.div_ceil(windows_each);
        (kernel, arguments, groups)
    }

    fn ends(&self, arguments: Arguments) -> (Kernel, Arguments, usize) {
        let group = self.tiles.linear;
        let kernel = Kernel {
            name: "border_lines",
            parts: &["boundary.cl", "border.cl", "border_lines.cl"],
            defines: vec![("GROUP", group), ("BORDER", self.reach.border())],
            group: [group, 1],
        };
        (
            kernel,
            arguments,
            (arguments.lines as usize).div_ceil(group),
        )
    }
}

/// Samples of local memory that a work-group of the row kernel needs.
fn row_local_samples([x, y]: [usize; 2], reach: &Reach) -> usize {
    let span = reach.before + PAIRS * x + reach.after;
    y * 2 * (span + span / PAIRS)
}

/// Samples of local memory that a work-group of the column kernel needs.
fn column_local_samples([x, y]: [usize; 2], reach: &Reach) -> usize {
    let span = reach.before + PAIRS * y + reach.after;
    2 * span * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::tuning::Tuning;
    use crate::transform::Transform;
    use crate::wavelet::SampleType;
    use crate::wavelet::Wavelet;

    fn designed(transform: Transform, direction: Direction) -> Design {
        let problem = Problem {
            transform,
            sample: SampleType::F32,
            direction,
        };
        let target = Target {
            device: &DeviceInfo::imaginary(),
            tuning: &Tuning::default(),
        };
        design(&problem, &target)
    }

    /// The arrays that the passes go between.
    fn path(design: &Design) -> Vec<(Array, Array, Option<Array>)> {
        let path = design.passes.iter();
        path.map(|pass| (pass.from, pass.to, pass.corner)).collect()
    }

    const IN: Array = Array::Input;
    const OUT: Array = Array::Output;
    const A: Array = Array::Scratch(0);
    const B: Array = Array::Scratch(1);

    #[test]
    fn two_levels_of_a_picture() {
        let transform = Transform::new(Wavelet::CDF_9_7, [200, 300]).levels(2);
        let forward = designed(transform.clone(), Direction::Forward);
        assert_eq!(
            path(&forward),
            [
                (IN, A, None),
                (A, OUT, Some(B)),
                (B, A, None),
                (A, OUT, None)
            ]
        );
        assert_eq!(forward.scratch, [200 * 300, 100 * 150]);
        let inverse = designed(transform, Direction::Inverse);
        assert_eq!(
            path(&inverse),
            [
                (IN, A, None),
                (A, B, None),
                (IN, A, Some(B)),
                (A, OUT, None)
            ]
        );
    }

    #[test]
    fn no_pass_reads_what_it_or_a_neighbour_writes() {
        for shape in [
            vec![999],
            vec![99, 98],
            vec![99, 98, 97],
            vec![90, 91, 92, 93],
        ] {
            for direction in [Direction::Forward, Direction::Inverse] {
                let transform = Transform::new(Wavelet::CDF_5_3, shape.clone()).levels(3);
                let design = designed(transform, direction);
                for pass in &design.passes {
                    assert_ne!(pass.from, pass.to);
                    assert_ne!(pass.to, Array::Input);
                    assert!(pass.corner != Some(pass.from) && pass.corner != Some(pass.to));
                }
                let path = path(&design);
                assert_eq!(path[0].0, IN);
                assert_eq!(path.last().unwrap().1, OUT);
                // The finest level is as large as the whole: one scratch array of that size at most.
                let whole: usize = shape.iter().product();
                assert!(design.scratch[1] <= whole / 2 + whole / 4);
            }
        }
    }

    #[test]
    fn rows_and_columns_get_their_kernels() {
        let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920, 4]).axes([0, 1]);
        let names: Vec<_> = designed(transform, Direction::Forward)
            .passes
            .iter()
            .map(|pass| pass.kernel.name)
            .collect();
        // Four interleaved channels: the innermost transformed axis is not contiguous.
        assert_eq!(names, ["column_four_pairs", "column_four_pairs"]);
        let picture = Transform::new(Wavelet::CDF_9_7, [1080, 1920]);
        let design = designed(picture, Direction::Forward);
        assert_eq!(design.passes[1].kernel.name, "row_four_pairs");
        // 135 rows of tiles, each of 8 tiles of 128 pairs, and 5 groups for borders.
        assert_eq!(design.passes[1].groups, 135 * 8 + 5);
    }

    #[test]
    fn the_window_of_9_7_is_71_rows_high() {
        let reach = Reach::new(&prelude::stencils(
            &Wavelet::CDF_9_7,
            SampleType::F32,
            Direction::Forward,
        ));
        let [columns, high] = [32, 8];
        // The papers' 71 rows are whole samples; ours are pairs of both channels, so one row more.
        assert_eq!(column_local_samples([columns, high], &reach) / columns, 72);
    }

    #[test]
    fn lines_that_stand_far_apart_are_columns() {
        let transform = Transform::new(Wavelet::CDF_5_3, [1 << 21, 1 << 11])
            .levels(12)
            .layout(Layout::Interleaved);
        let problem = Problem {
            transform,
            sample: SampleType::I16,
            direction: Direction::Forward,
        };
        let target = Target {
            device: &DeviceInfo::imaginary(),
            tuning: &Tuning::default(),
        };
        let design = super::design(&problem, &target);
        // 1024 samples are left along y and one along x; neighbours in a channel are 2^23 places apart.
        let last = design.passes.last().unwrap();
        assert_eq!(
            (last.arguments.samples, last.kernel.name),
            (1 << 10, "column_four_pairs")
        );
    }

    #[test]
    fn short_lines_are_left_to_the_border() {
        let tiny = designed(Transform::new(Wavelet::CDF_9_7, [5, 7]), Direction::Forward);
        assert!(
            tiny.passes
                .iter()
                .all(|pass| pass.kernel.name == "border_lines")
        );
    }
}
