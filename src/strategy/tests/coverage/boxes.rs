//! The shares of kernels that lift boxes, whole or in tiles.

use super::{Coverage, Shares};

impl Shares<'_> {
    pub fn whole_boxes(&self) -> Coverage {
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

    /// Boxes of rows, of columns or of both: a box has places in the caches, and what a tile stores
    /// depends on nothing beyond it.
    pub fn boxes(&self) -> Coverage {
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
}
