//! The work-groups of a launch, with the arguments that they get, store every pair of every line, or every pair of rows and
//! columns of every picture, exactly once. This repeats how the kernels find their share, not what they do with it.

mod pictures;

use super::cases::{
    BOTH, Setting, TWO_LEVELS, coloured, for_all, gpu, large_gpu, pictures, problem, volumes,
};
use super::cases::{settings, small_gpu, transforms};
use super::host::{number, own};
use crate::device::{DeviceInfo, Exchange};
use crate::lifting::extension::Extension;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::strategy::Strategy;
use crate::strategy::design::Launch;
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};
use proptest::prelude::{Just, Strategy as Generator, prop_oneof};
use proptest::sample::select;
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

    fn rows(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let rows = self.number("ROWS_Y");
        let tile = self.number("PAIRS_LIFTED") * self.number("ROWS_X");
        let (segments, length) = (self.own("segments"), self.own("tiles_per_segment") * tile);
        for group in self.inner_groups(&mut coverage) {
            let first = group / segments * rows;
            let start = self.reach.before + group % segments * length;
            let end = (start + length).min(self.own("inner_end"));
            for line in first..(first + rows).min(self.lines()) {
                coverage.store(line, start..end);
            }
        }
        coverage
    }

    /// `apart`: whether what is beyond the ends of a row follows from both at each step.
    fn register_rows(&self, apart: bool) -> Coverage {
        let mut coverage = self.of_lines();
        let (tiles, length) = (self.own("tiles"), self.own("tile_samples"));
        let (samples, levels) = (
            self.launch.pass.geometry.samples as usize,
            self.own("levels"),
        );
        assert!((tiles - 1) * length < samples && samples <= tiles * length);
        let [group, items] = ["GROUP", "ROW_ITEMS"].map(|name| self.number(name));
        let rows = match self.launch.pass.kernel.name {
            "rows_in_registers" => group / self.number("LANES") * (self.number("LANES") / items),
            _ => group / items,
        };
        let tile = 2 * items * self.number("RUN_PAIRS");
        let names = ["halo", "end_groups", "end_samples", "gap"];
        let [halo, end_groups, of_end, gap] = names.map(|name| self.own(name));
        let loaded = length.min(samples) + if tiles > 1 { 2 * halo } else { 0 };
        assert!(loaded <= tile);
        if tiles > 1 {
            let reach = self.reach.before.max(self.reach.after);
            assert!(halo >= reach * ((2 << levels) - 2));
            assert!(
                [halo, of_end, gap, length]
                    .iter()
                    .all(|n| n % (1 << levels) == 0)
            );
        }
        let across = self.lines().div_ceil(rows);
        let joined = if tiles > 1 && apart { across } else { 0 };
        assert_eq!(end_groups, joined);
        let ends = gap + 3 * of_end;
        if end_groups > 0 {
            // The last pair of an odd line has no detail.
            let reach = self.reach.before.max(self.reach.after) + 1;
            assert!(of_end >= reach * ((2 << levels) - 2) && samples - ends >= of_end);
            assert!(samples - gap <= tile);
            for row in 0..self.lines() {
                coverage.store(row, 0..of_end / 2);
                coverage.store(row, ends / 2..samples.div_ceil(2));
            }
        }
        for number in 0..(self.launch.pass.groups - end_groups) * rows {
            let (group, in_group) = (number / rows, number % rows);
            let (row, tile) = match self.has("SIDE_BY_SIDE", "1") {
                false => (number / tiles, number % tiles),
                true => (group % across * rows + in_group, group / across),
            };
            if row >= self.lines() {
                continue;
            }
            let (mut begin, mut end) = (tile * length, ((tile + 1) * length).min(samples));
            if end_groups > 0 {
                (begin, end) = (begin.max(of_end), end.min(ends));
            }
            if begin < end {
                coverage.store(row, begin / 2..end.div_ceil(2));
            }
        }
        coverage
    }

    fn whole_boxes(&self) -> Coverage {
        let across = self.launch.pass.geometry.across.map(|n| n as usize);
        let axes = self.number("AXES");
        let neighbours = across[axes - 1];
        let rest = across[axes..].iter().product();
        let boxes = self.own("boxes");
        let sides = ["length_x", "length_y", "length_z"].map(|side| self.own(side));
        let samples: usize = sides.iter().product();
        for side in sides.into_iter().filter(|&side| side > 1) {
            let runs = samples / side * side.div_ceil(2 * 4);
            assert!(boxes * runs <= self.number("GROUP"), "{:?}", self.launch);
        }
        let places = (sides[0] | 1) * sides[1] * sides[2] * boxes;
        assert!(places <= self.number("PLACES"));
        let mut coverage = Coverage::new(rest, neighbours);
        let groups = neighbours.div_ceil(boxes);
        for group in self.groups() {
            let first = group % groups * boxes;
            coverage.store(group / groups, first..(first + boxes).min(neighbours));
        }
        coverage
    }

    fn columns_and_ends(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let (segments, each) = (self.own("segments"), self.own("pairs_per_segment"));
        let inside = self.reach.inner(self.launch.pass.geometry.samples as usize);
        assert!((segments - 1) * each < inside.len());
        let groups = self.inner_groups(&mut coverage);
        for item in 0..groups.len() * self.number("GROUP") {
            let (line, segment) = (item % self.lines(), item / self.lines());
            if segment < segments {
                let from = inside.start + segment * each;
                coverage.store(line, from..(from + each).min(inside.end));
            }
        }
        coverage
    }

    fn register_columns(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let kernel = &self.launch.pass.kernel;
        let has_vectors = kernel.defines.iter().any(|(name, _)| name == "VECTOR");
        let lines = if has_vectors {
            self.number("VECTOR")
        } else {
            1
        };
        let (vectors, segments) = (self.own("vectors"), self.own("segments"));
        let each = self.own("pairs_per_segment");
        assert!((segments - 1) * each < self.pairs());
        for item in 0..self.launch.pass.groups * self.number("GROUP") {
            let (vector, segment) = (item % vectors, item / vectors);
            for line in vector * lines..(vector + 1) * lines {
                if segment < segments {
                    // Lines of known length are whole in every segment.
                    let from = match self.number("LENGTH") {
                        0 => segment * each,
                        _ => 0,
                    };
                    coverage.store(line, from..(from + each).min(self.pairs()));
                }
            }
        }
        coverage
    }

    fn column_exchanged(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let (columns, strips) = (self.number("COLUMNS"), self.own("strips"));
        let (positions, length) = (
            self.own("positions_per_segment"),
            self.own("pairs_per_segment"),
        );
        // Results are done so many pairs behind the newest.
        let done = positions * self.number("ITEMS_Y") - self.last_lag;
        for group in self.inner_groups(&mut coverage) {
            let (first, top) = (group % strips * columns, group / strips * length);
            let start = self.reach.before + top;
            let end = (start + length).min(self.own("inner_end"));
            assert!(
                start < end,
                "a work-group without a share: {:?}",
                self.launch
            );
            for line in first..(first + columns).min(self.lines()) {
                coverage.store(line, start..end.min(top + done));
            }
        }
        coverage
    }

    fn column_pairs(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let columns = self.number("COLUMNS");
        let advance = self.number("PAIRS_LIFTED") * self.number("ITEMS_Y");
        let (strips, length) = (
            self.own("strips"),
            self.own("positions_per_segment") * advance,
        );
        for group in self.inner_groups(&mut coverage) {
            let first = group % strips * columns;
            let start = self.reach.before + group / strips * length;
            let end = (start + length).min(self.own("inner_end"));
            for line in first..(first + columns).min(self.lines()) {
                coverage.store(line, start..end);
            }
        }
        coverage
    }

    /// Counts samples, not pairs.
    fn transpose(&self) -> Coverage {
        let samples = self.launch.pass.geometry.samples as usize;
        let mut coverage = Coverage::new(self.lines(), samples);
        let (side, across) = (self.number("SIDE"), self.own("tiles_across"));
        for group in self.groups() {
            let (first, start) = (group % across * side, group / across * side);
            assert!(first < self.lines() && start < samples);
            for line in first..(first + side).min(self.lines()) {
                coverage.store(line, start..(start + side).min(samples));
            }
        }
        coverage
    }

    /// What is between the ends of lines is another launch's.
    fn line_ends(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let work_items = self.launch.pass.groups * self.number("GROUP");
        let samples = self.launch.pass.geometry.samples as usize;
        for line in 0..work_items.min(self.lines()) {
            coverage.store_border(line, self.number("BORDER"), self.reach);
            coverage.store(line, self.reach.inner(samples));
        }
        coverage
    }

    fn row_vectors(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let each = self.own("lines_per_group");
        for group in self.groups() {
            assert!(group * each < self.lines(), "a work-group without a line");
            for line in group * each..((group + 1) * each).min(self.lines()) {
                coverage.store(line, 0..self.pairs());
            }
        }
        coverage
    }

    /// Boxes of rows, of columns or of both: a box has places in the caches, and what a tile stores depends on nothing beyond it.
    fn boxes(&self) -> Coverage {
        let [lifts_y, lifts_x] = ["lifts_y", "lifts_x"].map(|name| self.own(name) == 1);
        let geometry = &self.launch.pass.geometry;
        let [neighbours, inner, outer] = geometry.across.map(|extent| extent as usize);
        let height = if lifts_x {
            neighbours
        } else {
            geometry.samples as usize
        };
        let (rows, tiles) = (self.own("rows"), self.own("tiles"));
        let (boxes, each) = (tiles * inner * outer, self.own("boxes_per_group"));
        assert_eq!(self.launch.pass.groups, boxes.div_ceil(each));
        let in_row = if lifts_x {
            geometry.samples as usize
        } else {
            neighbours
        };
        assert!(rows * in_row <= self.number("PLACES"));
        let [columns, row_pairs, pictures] = self.sizes();
        let mut coverage = match lifts_y && lifts_x {
            true => Coverage::new(pictures * row_pairs, columns),
            false => self.of_lines(),
        };
        let unit = if lifts_y { 1 << self.own("levels") } else { 1 };
        let top_of = |tile: usize| (height - rows) / unit * tile / (tiles - 1).max(1) * unit;
        for number in 0..boxes {
            let (tile, batch) = (number % tiles, number / tiles);
            let (top, halo) = (top_of(tile), self.own("halo"));
            let begin = if tile > 0 { halo + top } else { 0 };
            let end = if tile + 1 < tiles {
                halo + top_of(tile + 1)
            } else {
                height
            };
            assert!(top <= begin && begin < end && end <= top + rows);
            if lifts_y {
                // What a seam makes wrong grows by the reach in pairs of each level.
                let halo = |reach: usize| 2 * reach * (unit - 1);
                assert_eq!((top % unit, (height - top - rows) % unit), (0, 0));
                assert!(tile == 0 || begin - top >= halo(self.reach.before));
                assert!(end == height || top + rows - end >= halo(self.reach.after));
            }
            let pairs = begin / 2..end.div_ceil(2);
            match (lifts_y, lifts_x) {
                (true, true) => {
                    pairs.for_each(|pair| coverage.store(batch * row_pairs + pair, 0..columns))
                }
                (true, false) => (0..neighbours)
                    .for_each(|x| coverage.store(batch * neighbours + x, pairs.clone())),
                _ => (begin..end).for_each(|y| coverage.store(batch * height + y, 0..self.pairs())),
            }
        }
        coverage
    }

    fn column_vectors(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let geometry = &self.launch.pass.geometry;
        let [across, low] = [geometry.across[0], geometry.low_across[0]].map(|n| n as usize);
        let (strips, each, row) = (
            self.own("strips"),
            self.own("pairs_per_segment"),
            self.number("ROW"),
        );
        let (rows, border) = (self.lines() / across, self.number("BORDER"));
        let low_strips = low.div_ceil(row);
        for group in self.groups() {
            let (strip, rest) = (group % strips, group / strips);
            let (first, end) = if strip < low_strips {
                (strip * row, low)
            } else {
                (low + (strip - low_strips) * row, across)
            };
            let begin = self.reach.before + rest / rows * each;
            let inner_end =
                (begin + each).min(self.pairs() - (self.reach.after + 1).min(self.pairs()));
            let is_short = self.pairs() <= 2 * border;
            for line in first..(first + row).min(end) {
                let line = rest % rows * across + line;
                // What a short line's inside stores is stored again by its border.
                if !is_short {
                    coverage.store(line, begin..inner_end);
                }
                if begin == self.reach.before {
                    coverage.store_border(line, border, self.reach);
                }
            }
        }
        coverage
    }
}

/// Checks all launches of a transform in both directions.
fn check(
    transform: &Transform,
    sample: SampleType,
    setting: &Setting,
    limits: &[(&'static str, usize)],
) {
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
            let [x, y] = kernel.group;
            let mut allowed = limits.iter().filter(|(name, _)| *name == kernel.name);
            let device = &setting.device;
            assert!(allowed.all(|(_, most)| x * y <= *most), "{launch:?}");
            assert!(
                x * y <= device.max_work_group && y <= device.max_work_items[1],
                "{launch:?}"
            );
            let coverage = match kernel.name {
                "row_pairs" | "row_exchanged" => shares.rows(),
                "column_exchanged" => shares.column_exchanged(),
                "transpose" => shares.transpose(),
                "column_pairs" => shares.column_pairs(),
                "line_ends" => shares.line_ends(),
                "row_vectors" => shares.row_vectors(),
                "boxes_in_cache" => shares.boxes(),
                "column_vectors" => shares.column_vectors(),
                "single_loop" => shares.single_loop(),
                "streamed_colours" => shares.streamed_colours(),
                "register_planes" => shares.register_planes(),
                "streamed_volumes" => shares.streamed_volumes(),
                "streamed_one_level" | "streamed_two_levels" => shares.streamed(),
                "whole_boxes" => shares.whole_boxes(),
                "register_block" => shares.register_block(),
                "register_rows" | "rows_in_registers" | "short_rows" => {
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
