//! The shares of kernels that lift lines along other axes, in strips and segments.

use super::{Coverage, Shares};

impl Shares<'_> {
    pub fn columns_and_ends(&self) -> Coverage {
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

    pub fn register_columns(&self) -> Coverage {
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
                    let from = segment * each;
                    coverage.store(line, from..(from + each).min(self.pairs()));
                }
            }
        }
        coverage
    }

    pub fn column_exchanged(&self) -> Coverage {
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

    pub fn column_pairs(&self) -> Coverage {
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

    pub fn column_vectors(&self) -> Coverage {
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

    pub fn short_columns(&self) -> Coverage {
        let mut coverage = self.of_lines();
        let geometry = &self.launch.pass.geometry;
        let [across, low] = [geometry.across[0], geometry.low_across[0]].map(|n| n as usize);
        let (strips, each) = (self.own("strips"), self.own("strip"));
        let vector = self.number("VECTOR");
        assert_eq!(each % vector, 0);
        for group in self.groups() {
            let (strip, row) = (group % strips, group / strips);
            let (first, end) = match strip < low.div_ceil(each) {
                true => (strip * each, low),
                false => (low + (strip - low.div_ceil(each)) * each, across),
            };
            let end = end.min(first + each);
            assert!(end - first >= vector, "less than a vector of lines");
            (first..end).for_each(|line| coverage.store(row * across + line, 0..self.pairs()));
        }
        coverage
    }

    /// Counts samples, not pairs.
    pub fn transpose(&self) -> Coverage {
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
}
