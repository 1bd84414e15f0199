//! The shares of kernels that lift pictures and volumes.

use super::{Coverage, Shares};
use crate::strategy::planning::design::RUN;

impl Shares<'_> {
    /// Pairs of columns, pairs of rows and pictures.
    pub fn sizes(&self) -> [usize; 3] {
        let geometry = &self.launch.pass.geometry;
        let pairs = |samples: i32| (samples as usize).div_ceil(2);
        let pictures = geometry.across[1] * geometry.across[2];
        [
            pairs(geometry.samples),
            pairs(geometry.across[0]),
            pictures as usize,
        ]
    }

    pub fn single_loop(&self) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let mut coverage = Coverage::new(pictures * rows, columns);
        let (strips, blocks) = (self.own("strips"), self.own("row_blocks"));
        let (strip, block) = (self.own("strip"), self.own("row_block"));
        for group in self.groups() {
            let (left, rest) = (group % strips * strip, group / strips);
            let (picture, top) = (rest / blocks, rest % blocks * block);
            assert!(left < columns && top < rows, "a work-group without a share");
            for row in top..(top + block).min(rows) {
                coverage.store(picture * rows + row, left..(left + strip).min(columns));
            }
        }
        coverage
    }

    pub fn streamed_colours(&self) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let mut coverage = Coverage::new(pictures * rows, columns);
        let (strips, segments) = (self.own("strips"), self.own("segments"));
        let (strip, each) = (self.number("STRIP"), self.own("pairs_per_segment"));
        let sub_groups = self.number("GROUP") / self.number("LANES");
        let groups = (strips * segments).div_ceil(sub_groups);
        assert_eq!(self.launch.pass.groups, groups * pictures);
        for group in self.groups() {
            for sub_group in 0..sub_groups {
                let share = group % groups * sub_groups + sub_group;
                let (segment, left) = (share / strips, share % strips * strip);
                for row in segment * each..((segment + 1) * each).min(rows) {
                    let row = group / groups * rows + row;
                    coverage.store(row, left..(left + strip).min(columns));
                }
            }
        }
        coverage
    }

    pub fn register_planes(&self) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let mut coverage = Coverage::new(pictures * rows, columns);
        let beside = self.launch.pass.geometry.across[1] as usize;
        let sizes = [
            "together",
            "runs",
            "blocks",
            "segments",
            "pairs_per_segment",
        ];
        let [together, runs, blocks, segments, each] = sizes.map(|name| self.own(name));
        assert!((blocks - 1) * together < beside && (segments - 1) * each < rows);
        for item in 0..self.launch.pass.groups * self.number("GROUP") {
            let (plane, rest) = (item % together, item / together);
            let (left, rest) = (rest % runs * RUN, rest / runs);
            let (plane, rest) = (rest % blocks * together + plane, rest / blocks);
            let (top, outer) = (rest % segments * each, rest / segments);
            if plane < beside && outer < pictures / beside {
                for row in top..(top + each).min(rows) {
                    let row = (outer * beside + plane) * rows + row;
                    coverage.store(row, left..(left + RUN).min(columns));
                }
            }
        }
        coverage
    }

    /// Rows of both kinds of pairs count as samples, planes as the pairs in a stream.
    pub fn streamed_volumes(&self) -> Coverage {
        let geometry = &self.launch.pass.geometry;
        let [height, depth, volumes] = geometry.across.map(|n| n as usize);
        let mut coverage = Coverage::new(volumes * depth * height, self.pairs());
        let [tiles_x, tiles_y, segments] =
            ["tiles_x", "tiles_y", "segments"].map(|name| self.own(name));
        let tiles = tiles_x * tiles_y;
        let (strip, overlap) = (self.own("strip"), self.own("overlap"));
        let (items, rows) = (self.number("ITEMS_X"), self.number("OWN_ROWS"));
        let own = self.number("OWN_PAIRS");
        assert!((strip <= own * (items - 2 * overlap)) && strip % own == 0);
        // Without others beside them, the ends of periodic rows have each other.
        let is_alone = self.has("IS_PERIODIC", "1") && overlap == 0;
        assert_eq!(self.has("CLOSED", "1"), is_alone);
        assert!(!is_alone || (tiles_x == 1 && own * items == self.pairs()));
        let is_after = self.has("DETAIL_PLACE", "1");
        let place = if is_after { 1 } else { -1 };
        let samples = |pair: usize, length: usize| {
            let both = [2 * pair as i64, 2 * pair as i64 + place];
            both.into_iter()
                .filter_map(|at| usize::try_from(at).ok())
                .filter(move |at| *at < length)
        };
        assert_eq!(self.launch.pass.groups, volumes * segments * tiles);
        for group in self.groups() {
            let (tile, share) = (group % tiles, group / tiles);
            let (x, y) = (tile % tiles_x, tile / tiles_x);
            let (segment, volume) = (share % segments, share / segments);
            let each = self.own("pairs_per_segment");
            let columns = x * strip..((x + 1) * strip).min(self.pairs());
            let high = self.number("GROUP") / items * rows / 2;
            for plane in segment * each..(segment + 1) * each {
                for z in samples(plane, depth) {
                    for row in y * high..(y + 1) * high {
                        for y in samples(row, height) {
                            coverage.store((volume * depth + z) * height + y, columns.clone());
                        }
                    }
                }
            }
        }
        coverage
    }

    pub fn streamed(&self) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let mut coverage = Coverage::new(pictures * rows, columns);
        let frames = if self.number("EXTENSION") == 0 {
            let tiles = 1 + self.own("frame_x") + self.own("frame_y");
            (0..tiles * pictures)
                .for_each(|tile| self.tile(tile / tiles, tile % tiles, &mut coverage));
            // Work-items store all of their columns, or none.
            for end in ["left", "right"] {
                assert_eq!(self.own(end) % self.number("PAIRS"), 0, "{:?}", self.launch);
            }
            tiles * pictures
        } else {
            0
        };
        let (strips, segments) = (self.own("strips"), self.own("segments"));
        let sub_groups = self.number("GROUP") / self.number("LANES");
        let groups = (strips * segments).div_ceil(sub_groups);
        assert_eq!(self.launch.pass.groups, frames + groups * pictures);
        let (strip, each) = (self.number("STRIP"), self.own("pairs_per_segment"));
        for group in 0..groups * pictures {
            let picture = group / groups;
            for sub_group in 0..sub_groups {
                let share = group % groups * sub_groups + sub_group;
                if share >= strips * segments {
                    continue;
                }
                let (number, first) = (share / strips, share % strips * strip);
                let top = self.own("top") + number * each;
                let left = first.max(self.own("left"));
                let right = (first + strip).min(self.own("right"));
                for row in top..(top + each).min(self.own("bottom")) {
                    coverage.store(picture * rows + row, left..right.max(left));
                }
            }
        }
        coverage
    }

    pub fn register_block(&self) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let mut coverage = Coverage::new(pictures * rows, columns);
        let pairs = self.number("PAIRS");
        let halo = [self.reach.before, self.reach.after];
        let [before, after] = halo.map(|halo| halo.div_ceil(pairs));
        let width = (self.number("LANES") - before - after) * pairs;
        let height = self.number("BLOCK_ROWS") / 2 - halo[0] - halo[1];
        let sub_groups = self.number("GROUP") / self.number("LANES");
        let (strips, groups) = (self.own("strips"), self.own("groups"));
        assert_eq!(self.launch.pass.groups, groups * pictures);
        for group in self.groups() {
            let (picture, share) = (group / groups, group % groups);
            let left = share % strips * width;
            assert!(left < columns, "a work-group without a share");
            for sub_group in 0..sub_groups {
                let top = (share / strips * sub_groups + sub_group) * height;
                for row in top..(top + height).min(rows) {
                    coverage.store(picture * rows + row, left..(left + width).min(columns));
                }
            }
        }
        coverage
    }

    /// Of all levels that is the one whose tiles are counted: the coarsest
    /// forward, the finest inverse.
    pub fn pyramid(&self, forward: bool) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let halved = if forward { self.own("levels") - 1 } else { 0 };
        let [columns, rows] = [columns, rows].map(|pairs| pairs.div_ceil(1 << halved));
        let mut coverage = Coverage::new(pictures * rows, columns);
        let [tiles_x, tiles_y] = ["tiles_x", "tiles_y"].map(|name| self.own(name));
        let [tile_x, tile_y] = ["tile_x", "tile_y"].map(|name| self.own(name));
        assert_eq!(self.launch.pass.groups, tiles_x * tiles_y * pictures);
        for group in self.groups() {
            let (picture, tile) = (group / (tiles_x * tiles_y), group % (tiles_x * tiles_y));
            let (left, top) = (tile % tiles_x * tile_x, tile / tiles_x * tile_y);
            assert!(left < columns && top < rows, "a work-group without a share");
            for row in top..(top + tile_y).min(rows) {
                coverage.store(picture * rows + row, left..(left + tile_x).min(columns));
            }
        }
        coverage
    }

    /// Of the finest level, what windows store forward (`span_of` in cl/pyramid/window_forward.cl).
    pub fn forward_windows(&self) -> Coverage {
        let [columns, rows, pictures] = self.sizes();
        let mut coverage = Coverage::new(pictures * rows, columns);
        // ENDS_WRAPPED of cl/pyramid/window.cl: a halo before the first tile, too.
        let wraps = self.number("ENDS") == 3;
        let halo = if wraps { 0 } else { self.number("HALO") };
        let [tiles_x, tiles_y] = ["tiles_x", "tiles_y"].map(|name| self.own(name));
        let [tile_x, tile_y] = ["tile_x", "tile_y"].map(|name| self.own(name));
        assert_eq!(self.launch.pass.groups, tiles_x * tiles_y * pictures);
        let stored = |number: usize, tile: usize, tiles: usize, count: usize| {
            let begin = |number: usize| number * tile + halo;
            let from = if number == 0 { 0 } else { begin(number) };
            let to = if number + 1 == tiles {
                count
            } else {
                begin(number + 1)
            };
            assert!(from < to && to <= count, "a work-group without a share");
            from..to
        };
        for group in self.groups() {
            let (picture, tile) = (group / (tiles_x * tiles_y), group % (tiles_x * tiles_y));
            for row in stored(tile / tiles_x, tile_y, tiles_y, rows) {
                let columns = stored(tile % tiles_x, tile_x, tiles_x, columns);
                coverage.store(picture * rows + row, columns);
            }
        }
        coverage
    }

    /// A tile of the frame (cl/streamed/frame.cl).
    fn tile(&self, picture: usize, tile: usize, coverage: &mut Coverage) {
        let [columns, rows, _] = self.sizes();
        let (frame_y, length) = (self.own("frame_y"), self.number("FRAME_PAIRS"));
        let x = (
            self.own("left"),
            self.own("right"),
            columns,
            self.number("BORDER_X"),
        );
        let y = (
            self.own("top"),
            self.own("bottom"),
            rows,
            self.number("BORDER_Y"),
        );
        // The pairs at both ends; all where they meet.
        let ends = |(from, to, pairs, border): (usize, usize, usize, usize)| -> Vec<usize> {
            let is_joined = pairs > 2 * border;
            let is_inside = |pair: &usize| is_joined && (from..to).contains(pair);
            let is_loaded = |pair: &usize| !is_joined || *pair < border || *pair >= pairs - border;
            let stored: Vec<usize> = (0..pairs).filter(|pair| !is_inside(pair)).collect();
            assert!(
                stored.iter().all(is_loaded),
                "{from}..{to} of {pairs}, {border} at each end"
            );
            stored
        };
        let window =
            |(from, to, _, _): (usize, usize, usize, usize), number: usize| -> Vec<usize> {
                let first = from + number * length;
                (first..(first + length).min(to)).collect()
            };
        let of_x = if tile <= frame_y {
            ends(x)
        } else {
            window(x, tile - frame_y - 1)
        };
        let of_y = if tile == 0 || tile > frame_y {
            ends(y)
        } else {
            window(y, tile - 1)
        };
        for row in of_y {
            of_x.iter()
                .for_each(|&column| coverage.store(picture * rows + row, column..column + 1));
        }
    }
}
