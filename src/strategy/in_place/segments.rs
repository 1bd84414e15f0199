//! How a line is cut into segments, so that even a single one fills a device.

/// How the pairs of a line that depend on no border are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segments {
    pub count: usize,
    /// But for the last one.
    pub pairs_each: usize,
    pub pairs: usize,
}

impl Segments {
    /// Cuts `pairs` into segments of a multiple of `unit` pairs, at most `most` of them.
    pub fn new(pairs: usize, unit: usize, most: usize) -> Self {
        let pairs_each = pairs.div_ceil(most.max(1)).next_multiple_of(unit);
        Segments {
            count: pairs.div_ceil(pairs_each),
            pairs_each,
            pairs,
        }
    }

    /// As the kernels' arguments.
    pub fn own(&self, border_groups: usize) -> Vec<(&'static str, i32)> {
        vec![
            ("segments", self.count as i32),
            ("pairs_per_segment", self.pairs_each as i32),
            ("pairs", self.pairs as i32),
            ("border_groups", border_groups as i32),
        ]
    }
}
