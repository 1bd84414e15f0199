//! How axes are cut into pieces, and where the samples of a piece stand.

use crate::lifting::reach::Reach;
use crate::wavelet::Stencil;
use std::ops::Range;

/// A range of units along an axis, and how many of its neighbours go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    own: Range<usize>,
    all: Range<usize>,
}

/// Where a tile stands along an axis: one segment, or where it is both ends
/// of a periodic axis, two.
pub(super) type Piece = Vec<Segment>;

/// How an axis is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Samples of the axis.
    pub length: usize,
    /// Levels that lift the axis: a unit is as many samples as two to their power.
    levels: u32,
    pub pieces: Vec<Piece>,
}

/// Which part of a tile: all of it, or what is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    All,
    Own,
}

impl Cut {
    /// The samples of a piece.
    pub fn samples(&self, piece: &Piece) -> usize {
        let samples = |all: &Range<usize>| {
            (all.end << self.levels).min(self.length) - (all.start << self.levels)
        };
        piece.iter().map(|segment| samples(&segment.all)).sum()
    }

    /// The ranges of a piece in the array and in the tile, in a channel of a level,
    /// or of samples for level 0.
    pub fn ranges(
        &self,
        piece: &Piece,
        part: Part,
        level: u32,
        is_high: bool,
    ) -> Vec<(Range<usize>, Range<usize>)> {
        let level = level.min(self.levels);
        let finer = self.length.div_ceil(1 << level.saturating_sub(1));
        let count = match (level, is_high) {
            (0, _) => self.length,
            (_, false) => finer.div_ceil(2),
            (_, true) => finer / 2,
        };
        let place = |unit: usize| (unit << (self.levels - level)).min(count);
        let mut before = 0;
        let mut ranges = Vec::new();
        for Segment { own, all } in piece {
            let range = if part == Part::Own { own } else { all };
            let range = place(range.start)..place(range.end);
            let start = place(all.start);
            ranges.push((
                range.clone(),
                before + range.start - start..before + range.end - start,
            ));
            before += place(all.end) - start;
        }
        ranges
    }
}

/// An axis has so many pieces at most: with more, all that is said of them takes
/// more memory than a tile.
const MOST_PIECES: usize = 1 << 16;

/// How an axis can be cut.
pub(super) struct Way {
    pub length: usize,
    pub levels: u32,
    /// Units that go with a tile on either side.
    pub halo: usize,
    /// Units of its own that a tile has at least.
    pub least: usize,
    pub is_periodic: bool,
}

/// Units of a halo, and those that a tile must have for the border not to reach through it.
pub(super) fn halo(stencils: &[Stencil], levels: u32) -> (usize, usize) {
    let both = Reach::of_both_directions(stencils);
    let [one, other] = both.map(|reach| (reach.halo_of_a_cut(), reach.border()));
    let (reach, border) = (one.0.max(other.0), one.1.max(other.1));
    // What a level spoils, later ones spread, each half as far.
    let halo = if levels == 1 { reach } else { 2 * reach };
    (halo, border.max(halo))
}

impl Way {
    fn units(&self) -> usize {
        self.length.div_ceil(1 << self.levels)
    }

    /// Units of a tile that has so many of its own.
    fn all(&self, own: usize) -> usize {
        (own + 2 * self.halo).min(self.units())
    }

    /// Samples of a tile that has so many units of its own.
    fn samples(&self, own: usize) -> usize {
        (self.all(own) << self.levels).min(self.length)
    }

    /// The next smaller tile's own units.
    fn smaller(&self, own: usize) -> Option<usize> {
        let most = (self.units() - 1).checked_sub(2 * self.halo)?;
        let next = most.min(own - own.div_ceil(8));
        (next >= self.least && self.units() / next <= MOST_PIECES).then_some(next)
    }

    /// Tiles of about so many units of their own.
    pub fn cut(&self, own: usize) -> Cut {
        Cut {
            length: self.length,
            levels: self.levels,
            pieces: self.pieces(own),
        }
    }

    fn pieces(&self, own: usize) -> Vec<Piece> {
        let units = self.units();
        if own == units {
            return vec![vec![Segment {
                own: 0..units,
                all: 0..units,
            }]];
        }
        let mut pieces = Vec::new();
        let mut middle = 0..units;
        if self.is_periodic {
            let end = own / 2;
            middle = end..units - end;
            let head = Segment {
                own: 0..end,
                all: 0..end + self.halo,
            };
            let tail = Segment {
                own: middle.end..units,
                all: middle.end - self.halo..units,
            };
            pieces.push(vec![head, tail]);
        }
        let count = middle.len().div_ceil(own);
        let place = |number| middle.start + middle.len() * number / count;
        let longest = self.all(middle.len().div_ceil(count));
        pieces.extend((0..count).map(|number| {
            let own = place(number)..place(number + 1);
            // As long as the others, so that few plans do.
            let start = own.start.saturating_sub(self.halo).min(units - longest);
            vec![Segment {
                own,
                all: start..start + longest,
            }]
        }));
        pieces
    }
}

/// Units of their own that tiles of at most so many samples have along each axis: rows stay whole
/// where that is good enough.
pub(super) fn shrunk(ways: &[Way], most: usize) -> Option<Vec<usize>> {
    /// Tiles of so many halos have little of it.
    const MANY: usize = 16;
    let mut own: Vec<usize> = ways.iter().map(Way::units).collect();
    loop {
        let samples = ways.iter().zip(&own).map(|(way, &own)| way.samples(own));
        if samples.fold(1, usize::saturating_mul) <= most {
            return Some(own);
        }
        let smaller = |axis: usize| Some((axis, ways[axis].smaller(own[axis])?));
        let axes = 0..ways.len();
        let outer = axes.clone().rev().skip(1).rev().filter_map(smaller);
        let good = outer
            .clone()
            .find(|&(axis, next)| next >= MANY * ways[axis].halo);
        let halos = |&(axis, next): &(usize, usize)| next / (2 * ways[axis].halo + 1);
        let (axis, next) = good.or_else(|| axes.filter_map(smaller).max_by_key(halos))?;
        own[axis] = next;
    }
}
