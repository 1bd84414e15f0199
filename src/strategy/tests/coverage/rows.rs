//! The shares of kernels that lift rows: a tile of one, a segment, or a few of
//! them. And the ends of lines.

use super::{Coverage, Shares};

impl Shares<'_> {
    pub fn rows(&self) -> Coverage {
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
    pub fn register_rows(&self, apart: bool) -> Coverage {
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

    pub fn short_rows(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let samples = self.launch.pass.geometry.samples as usize;
        assert_eq!(self.number("JOINED_SAMPLES"), samples);
        for row in 0..(self.launch.pass.groups * self.number("GROUP")).min(self.lines()) {
            coverage.store(row, 0..self.pairs());
        }
        coverage
    }

    /// Whole lines, or tiles of which the first one joins both ends of its line.
    pub fn register_lines(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let samples = self.launch.pass.geometry.samples as usize;
        let [tiles, together, gap] = ["tiles", "together", "gap"].map(|name| self.own(name));
        let of_tile = self.number("JOINED_SAMPLES");
        assert_eq!(of_tile + gap, samples);
        assert_eq!(self.has("TILED", "1"), tiles > 1);
        for item in 0..self.launch.pass.groups * self.number("GROUP") {
            if tiles == 1 {
                if item < self.lines() {
                    coverage.store(item, 0..self.pairs());
                }
                continue;
            }
            let names = ["HEAD", "HEAD_RESULTS", "BEFORE", "RESULTS", "LEVELS"];
            let [head, of_head, before, results, levels] = names.map(|name| self.number(name));
            let units = [head, of_head, before, results, gap];
            assert!(units.iter().all(|n| n % (1 << levels) == 0), "{units:?}");
            let (block, in_block) = (item / (together * tiles), item % (together * tiles));
            let (tile, line) = (in_block / together, block * together + in_block % together);
            if line >= self.lines() {
                continue;
            }
            if tile == 0 {
                coverage.store(line, 0..of_head / 2);
                coverage.store(line, (gap + head + before) / 2..self.pairs());
                continue;
            }
            let begin = of_head + (tile - 1) * results;
            let start = (begin - before).min(gap + head - results);
            assert!(start + of_tile <= samples, "it reads beyond its line");
            coverage.store(line, begin / 2..(start + before + results) / 2);
        }
        coverage
    }

    pub fn row_vectors(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let names = ["lines_per_group", "segments", "pairs_per_segment"];
        let [each, segments, pairs] = names.map(|name| self.own(name));
        assert!(pairs.is_multiple_of(self.number("VECTOR")));
        assert!(
            segments == 1 || !self.has("EXTENSION", "0"),
            "seams are no borders"
        );
        for group in self.groups() {
            let (first, begin) = (group / segments * each, group % segments * pairs);
            assert!(first < self.lines(), "a work-group without a line");
            assert!(begin < self.pairs(), "a work-group without a pair");
            for line in first..(first + each).min(self.lines()) {
                coverage.store(line, begin..(begin + pairs).min(self.pairs()));
            }
        }
        coverage
    }

    /// What is between the ends of lines is another launch's.
    pub fn line_ends(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let work_items = self.launch.pass.groups * self.number("GROUP");
        let samples = self.launch.pass.geometry.samples as usize;
        for line in 0..work_items.min(self.lines()) {
            coverage.store_border(line, self.number("BORDER"), self.reach);
            coverage.store(line, self.reach.inner(samples));
        }
        coverage
    }
}
