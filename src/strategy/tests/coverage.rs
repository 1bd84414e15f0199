//! The work-groups of a launch, with the arguments that they get, store every pair of every line,
//! or every pair of rows and columns of every picture, exactly once. This repeats how the kernels
//! find their share, not what they do with it.

mod boxes;
mod columns;
mod pictures;
mod rows;

use super::cases::{
    BOTH, Setting, TWO_LEVELS, coloured, cpu, for_all, gpu, large_gpu, pictures, problem, volumes,
};
use super::cases::{settings, small_gpu, transforms};
use super::host::{number, own};
use crate::device::{DeviceInfo, Exchange};
use crate::lifting::extension::Extension;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};
use proptest::prelude::{Just, Strategy as Generator, prop_oneof};
use proptest::sample::select;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

/// How often each pair is stored: of lines, or of rows of pictures and of columns.
struct Coverage {
    columns: usize,
    times: Vec<u8>,
}

impl Coverage {
    fn new(rows: usize, columns: usize) -> Self {
        let times = vec![0; rows * columns];
        Coverage { columns, times }
    }

    fn store(&mut self, row: usize, columns: Range<usize>) {
        assert!(columns.end <= self.columns || columns.is_empty());
        for column in columns {
            self.times[row * self.columns + column] += 1;
        }
    }

    /// What a border is: all of a short line, else its ends (`is_result` of cl/core/border.cl).
    fn store_border(&mut self, row: usize, border: usize, reach: &Reach) {
        let pairs = self.columns;
        if pairs <= 2 * border {
            self.store(row, 0..pairs);
        } else {
            self.store(row, 0..reach.before);
            self.store(row, pairs - reach.after - 1..pairs);
        }
    }
}

/// One launch, and the share of each of its work-groups.
struct Shares<'a> {
    launch: &'a Launch,
    reach: &'a Reach,
    last_lag: usize,
}

impl Shares<'_> {
    fn own(&self, name: &str) -> usize {
        own(self.launch, name).try_into().unwrap()
    }

    fn number(&self, name: &str) -> usize {
        number(&self.launch.pass.kernel, name)
    }

    fn has(&self, name: &str, value: &str) -> bool {
        let mut defines = self.launch.pass.kernel.defines.iter();
        defines.any(|(known, set)| known == name && set == value)
    }

    fn sets(&self, name: &str) -> bool {
        let mut defines = self.launch.pass.kernel.defines.iter();
        defines.any(|(known, _)| known == name)
    }

    /// Of sweeps along lines that are restored, only the first segment reads beyond their beginning,
    /// as cl/core/ring.cl takes for granted.
    fn check_ring(&self) {
        if self.has("RESTORED", "1") && self.sets("RING") && self.own("segments") > 1 {
            assert!(
                self.own("pairs_per_segment") >= self.reach.before,
                "{:#?}",
                self.launch
            );
        }
    }

    fn groups(&self) -> Range<usize> {
        0..self.launch.pass.groups
    }

    fn lines(&self) -> usize {
        self.launch.pass.geometry.lines as usize
    }

    fn pairs(&self) -> usize {
        (self.launch.pass.geometry.samples as usize).div_ceil(2)
    }

    fn of_lines(&self) -> Coverage {
        Coverage::new(self.lines(), self.pairs())
    }

    /// The work-groups that lift the inside, counted from 0; those of borders come first.
    fn inner_groups(&self, coverage: &mut Coverage) -> Range<usize> {
        let [x, y] = self.launch.pass.kernel.group;
        let border_groups = self.own("border_groups");
        for line in 0..(border_groups * x * y).min(self.lines()) {
            coverage.store_border(line, self.number("BORDER"), self.reach);
        }
        0..self.launch.pass.groups - border_groups
    }
}

/// Checks all launches of a transform in both directions, and gives the names of their kernels.
fn check(
    transform: &Transform,
    sample: SampleType,
    setting: &Setting,
    limits: &[(&'static str, usize)],
) -> Vec<&'static str> {
    let mut names = Vec::new();
    for direction in BOTH {
        let problem = problem(transform, sample, direction);
        let reach = &Reach::new(&problem.stencils());
        let last_lag = Lags::new(&problem.stencils()).last;
        let design = setting.design_within(&problem, limits);
        for launch in &design.map_or(Vec::new(), |design| design.launches) {
            let shares = Shares {
                launch,
                reach,
                last_lag,
            };
            let kernel = &launch.pass.kernel;
            names.push(kernel.name);
            let [x, y] = kernel.group;
            let mut allowed = limits.iter().filter(|(name, _)| *name == kernel.name);
            let device = &setting.device;
            assert!(allowed.all(|(_, most)| x * y <= *most), "{launch:?}");
            assert!(
                x * y <= device.max_work_group && y <= device.max_work_items[1],
                "{launch:?}"
            );
            shares.check_ring();
            let coverage = match kernel.name {
                "row_pairs" | "row_exchanged" => shares.rows(),
                "column_exchanged" => shares.column_exchanged(),
                "transpose" => shares.transpose(),
                "column_pairs" => shares.column_pairs(),
                "line_ends" => shares.line_ends(),
                "row_vectors" => shares.row_vectors(),
                "boxes_in_cache" => shares.boxes(),
                "column_vectors" => shares.column_vectors(),
                "short_columns" => shares.short_columns(),
                "single_loop" => shares.single_loop(),
                "streamed_colours" => shares.streamed_colours(),
                "register_planes" => shares.register_planes(),
                "streamed_volumes" => shares.streamed_volumes(),
                "streamed_one_level" | "streamed_two_levels" => shares.streamed(),
                "whole_boxes" => shares.whole_boxes(),
                "register_block" => shares.register_block(),
                "short_rows" => shares.short_rows(),
                "register_lines" => shares.register_lines(),
                "register_rows" | "rows_in_registers" => {
                    let (rule, samples) = (transform.boundary_rule(), launch.pass.geometry.samples);
                    let wavelet = transform.wavelet();
                    let way = Extension::new(wavelet, sample, rule, samples as usize);
                    shares.register_rows(way.is_none() && rule != Boundary::Zero)
                }
                "register_columns" => shares.register_columns(),
                "columns_and_ends" => shares.columns_and_ends(),
                "pyramid_windows" if direction == Direction::Forward => shares.forward_windows(),
                "pyramid" | "pyramid_windows" => shares.pyramid(direction == Direction::Forward),
                "move" | "load" | "lift" | "store" => {
                    assert!(launch.pass.groups * x >= shares.lines() * shares.pairs());
                    continue;
                }
                name => panic!("{name} is not known here"),
            };
            let wrong = coverage.times.iter().position(|&times| times != 1);
            assert_eq!(wrong, None, "of {} columns: {launch:#?}", coverage.columns);
        }
    }
    names
}

/// Kernels that allow less than the devices do.
const LIMITS: &[(&str, usize)] = &[
    ("row_pairs", 100),
    ("row_exchanged", 50),
    ("column_pairs", 24),
    ("column_exchanged", 13),
    ("transpose", 30),
    ("line_ends", 7),
    ("streamed_one_level", 96),
    ("streamed_colours", 96),
    ("register_planes", 50),
    ("streamed_volumes", 24),
    ("register_block", 40),
    ("register_rows", 70),
    ("rows_in_registers", 40),
    ("short_rows", 30),
    ("register_lines", 30),
    ("register_columns", 20),
    ("columns_and_ends", 13),
    ("pyramid", 100),
    ("move", 5),
    ("lift", 3),
];

#[test]
fn every_pair_is_stored_once() {
    for sample in [SampleType::I16, SampleType::F64] {
        let shapes = prop_oneof![4 => transforms(sample, 20_000), 4 => pictures(sample), 1 => coloured(sample), 1 => volumes(sample)];
        let limits = prop_oneof![Just(&[][..]), Just(LIMITS)];
        for_all(
            2000,
            (shapes, select(settings()), limits),
            |(transform, setting, limits)| {
                check(&transform, sample, &setting, limits);
                Ok(())
            },
        );
    }
}

/// Longer lines and larger pictures.
fn large() -> impl Generator<Value = Transform> {
    let shapes = prop_oneof![
        (500..=30_000usize).prop_map(|n| (vec![n], vec![0])),
        (1..=9usize, 500..=9000usize).prop_map(|(lines, n)| (vec![lines, n], vec![1])),
        (500..=9000usize, 1..=40usize).prop_map(|(n, lines)| (vec![n, lines], vec![0])),
        (100..=900usize, 100..=900usize).prop_map(|(y, x)| (vec![y, x], vec![0, 1])),
        (1000..=30_000usize, 2..=20usize).prop_map(|(y, x)| (vec![y, x], vec![0, 1])),
        (2..=4usize, 50..=400usize, 10..=50usize)
            .prop_map(|(n, y, x)| (vec![n, y, 8 * x], vec![1, 2])),
    ];
    let wavelets = [
        Wavelet::CDF_9_7,
        Wavelet::HAAR,
        Wavelet::DAUB_4,
        Wavelet::CDF_5_3,
    ];
    (
        shapes,
        select(wavelets.to_vec()),
        select(Boundary::ALL),
        select(Layout::ALL),
    )
        .prop_map(|((shape, axes), wavelet, boundary, layout)| {
            Transform::new(wavelet, shape)
                .axes(axes)
                .levels(2)
                .boundary(boundary)
                .layout(layout)
        })
}

#[test]
fn every_pair_of_large_arrays_is_stored_once() {
    let mut settings = settings();
    let two_levels = Setting::of(large_gpu()).tuned(TWO_LEVELS);
    settings.extend(
        [small_gpu(), gpu(Exchange::Khr, 16)]
            .map(|device| Setting::of(device).only(&[Strategy::Streamed, Strategy::SEPARABLE])),
    );
    settings.extend(
        [small_gpu(), gpu(Exchange::Khr, 64), gpu(Exchange::Khr, 16)].map(|device| {
            Setting::of(device).only(&[Strategy::RegisterBlock, Strategy::SEPARABLE])
        }),
    );
    settings.extend([two_levels.clone(), two_levels]);
    let odd = "gpu | separable | f32 | ROWS_X=48 ROWS_Y=3\ngpu | streamed | f32 | PAIRS=16 FILLING=7 PREFETCHED=3";
    settings.push(Setting::of(DeviceInfo::imaginary()).tuned(odd));
    for_all(600, (large(), select(settings)), |(transform, setting)| {
        check(&transform, SampleType::F32, &setting, &[]);
        Ok(())
    });
}

#[test]
fn every_pair_of_lines_in_tiles_is_stored_once() {
    let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterLines]);
    for samples in [129, 130, 131, 159, 209, 303, 2047, 2048, 9001] {
        for lines in [128, 130, 257] {
            for &boundary in Boundary::ALL {
                for wavelet in [Wavelet::CDF_9_7, Wavelet::DAUB_4, Wavelet::HAAR] {
                    let lines = Transform::new(wavelet, [samples, lines]).axes([0]);
                    let names = check(&lines.boundary(boundary), SampleType::F32, &setting, LIMITS);
                    assert_eq!(names, ["register_lines"; 2]);
                }
            }
        }
    }
}

#[test]
fn every_pair_of_many_lines_side_by_side_is_stored_once() {
    let shapes = prop_oneof![
        (2..=130usize, 4096..=9000usize).prop_map(|(n, lines)| (vec![n, lines], vec![0])),
        (2..=40usize, 2..=9usize, 500..=3000usize)
            .prop_map(|(n, y, x)| (vec![n, y, x], vec![0, 2])),
    ];
    let settings = [cpu(), large_gpu()].map(Setting::of).to_vec();
    let seen = RefCell::new(HashSet::new());
    let cases = (shapes, select(Boundary::ALL), 1..=4u32, select(settings));
    for_all(200, cases, |((shape, axes), boundary, levels, setting)| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes(axes);
        let transform = transform.levels(levels).boundary(boundary);
        seen.borrow_mut()
            .extend(check(&transform, SampleType::F32, &setting, &[]));
        Ok(())
    });
    assert!(
        ["short_columns", "register_lines"]
            .iter()
            .all(|name| seen.borrow().contains(name))
    );
}
