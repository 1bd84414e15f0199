//! Arrays that are larger than a device's memory, in tiles that are not.
//!
//! A *stage* does the next few levels of an array, tile by tile. A tile goes to the device with as many more samples around it, its
//! halo, as its results depend on, and is there an array like any other: an ordinary plan transforms it by all levels of the stage.
//! What that plan takes for the border of an array spoils results no farther inside than the halo, and these are not used. At the
//! true border a tile ends where the array does, so that the boundary rule of the plan is the one that counts. Where an axis is
//! periodic its first samples depend on its last: one tile is both ends, joined. So kernels and plans know nothing of tiles, every
//! rule and layout is served, and integers are the same bit for bit.
//!
//! A stage of L levels counts in units of 2^L samples, at multiples of which tiles begin: within a tile every level has its
//! approximations where it has them in the array. The low band of a stage is the array of the next one; the last stage does all
//! levels that are left. More levels at once move fewer samples in all but have a longer halo, which is what decides.
//!
//! All of this is plain data, and proven against the reference without a device.

use crate::error::Result;
use crate::lifting::reach::Reach;
use crate::transform::{Region, Transform};
use crate::wavelet::{Boundary, SampleType, Stencil};
use std::ops::Range;

/// A range of units along an axis, and how many of its neighbours go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    own: Range<usize>,
    all: Range<usize>,
}

/// Where a tile stands along an axis: one segment, or where it is both ends of a periodic axis, two.
type Piece = Vec<Segment>;

/// How an axis is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    /// Samples of the axis.
    length: usize,
    /// Levels that lift the axis: a unit is two to the power of so many samples.
    levels: u32,
    pieces: Vec<Piece>,
}

/// Which part of a tile: all of it, or what is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All,
    Own,
}

/// Samples on their way between an array and a tile: where they stand in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub array: Region,
    pub tile: Region,
    /// Whether they are of the low band, which has an array of its own where another stage follows.
    pub is_low: bool,
}

/// Some levels of an array, in tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// Of the array at these levels, and by these levels alone.
    transform: Transform,
    cuts: Vec<Cut>,
    is_last: bool,
}

/// A tile of a stage: a piece of every axis.
pub(crate) struct Tile<'a> {
    stage: &'a Stage,
    pieces: Vec<&'a Piece>,
}

/// The stages of a transform in tiles of at most so many samples; none where tiles must be larger.
pub(crate) fn stages(transform: &Transform, sample: SampleType, most: usize) -> Option<Vec<Stage>> {
    let mut rest = transform.clone().levels(transform.coarsest());
    let mut stages = Vec::new();
    loop {
        let all = rest.level_count();
        let of = |levels| Stage::new(&rest, sample, levels, most);
        let offers = (all.min(1)..=all).filter_map(of);
        let stage = offers.min_by(|one, other| one.traffic().total_cmp(&other.traffic()))?;
        let done = stage.transform.level_count();
        let shape = rest.shape_after(done);
        rest = rest.with_shape(shape).levels(all - done);
        let is_last = stage.is_last;
        stages.push(stage);
        if is_last {
            return Some(stages);
        }
    }
}

impl Stage {
    /// So many levels of a transform.
    fn new(transform: &Transform, sample: SampleType, levels: u32, most: usize) -> Option<Self> {
        let axes = transform.chosen_axes();
        let stencils = sample.stencils(transform.wavelet())?;
        let is_periodic = transform.boundary_rule() == Boundary::Periodic;
        let lengths = transform.shape().iter().enumerate();
        let ways = lengths.map(|(axis, &length)| {
            let levels = if axes.contains(&axis) { levels } else { 0 };
            let (halo, least) = match levels {
                0 => (0, 1),
                levels => halo(&stencils, levels),
            };
            Way {
                length,
                levels,
                halo,
                least: if is_periodic {
                    2 * least.max(halo)
                } else {
                    least
                },
                is_periodic: is_periodic && levels > 0,
            }
        });
        let ways: Vec<Way> = ways.collect();
        let own = shrunk(&ways, most)?;
        Some(Stage {
            transform: transform.clone().levels(levels),
            cuts: ways
                .iter()
                .zip(own)
                .map(|(way, own)| way.cut(own))
                .collect(),
            is_last: levels == transform.level_count(),
        })
    }

    /// The transform of the array at these levels.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Whether no other stage follows.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// The shape of the low band.
    pub fn low(&self) -> Vec<usize> {
        self.transform.shape_after(self.transform.level_count())
    }

    /// Samples that this stage and, about, all later ones move, per sample of the array.
    fn traffic(&self) -> f64 {
        let along = |cut: &Cut| {
            cut.pieces
                .iter()
                .map(|piece| cut.samples(piece))
                .sum::<usize>()
        };
        let moved: f64 = self
            .cuts
            .iter()
            .map(|cut| along(cut) as f64 / cut.length as f64)
            .product();
        let low = self.low().iter().product::<usize>();
        let later = if self.is_last { 0 } else { low };
        moved + 1.5 * later as f64 / self.transform.len() as f64
    }

    /// The shapes of tiles, each once.
    pub fn shapes(&self) -> Vec<Vec<usize>> {
        let mut shapes = vec![Vec::new()];
        for cut in &self.cuts {
            let mut lengths: Vec<usize> =
                cut.pieces.iter().map(|piece| cut.samples(piece)).collect();
            lengths.sort_unstable();
            lengths.dedup();
            let with = |shape: Vec<usize>| {
                let along = lengths
                    .iter()
                    .map(|&length| [&shape[..], &[length]].concat());
                along.collect::<Vec<_>>()
            };
            shapes = shapes.into_iter().flat_map(with).collect();
        }
        shapes
    }

    /// The number of tiles.
    pub fn count(&self) -> usize {
        self.cuts.iter().map(|cut| cut.pieces.len()).product()
    }

    /// One of the tiles, by its place in row-major order.
    pub fn tile(&self, mut number: usize) -> Tile<'_> {
        let mut pieces: Vec<&Piece> = Vec::new();
        for cut in self.cuts.iter().rev() {
            pieces.push(&cut.pieces[number % cut.pieces.len()]);
            number /= cut.pieces.len();
        }
        pieces.reverse();
        Tile {
            stage: self,
            pieces,
        }
    }

    /// All tiles, in row-major order.
    pub fn tiles(&self) -> impl Iterator<Item = Tile<'_>> {
        (0..self.count()).map(|number| self.tile(number))
    }
}

impl Tile<'_> {
    /// Its shape, halo included.
    pub fn shape(&self) -> Vec<usize> {
        let axes = self.stage.cuts.iter().zip(&self.pieces);
        axes.map(|(cut, piece)| cut.samples(piece)).collect()
    }

    /// Its samples on their way to the device, or those of its own on their way back, in an array that stands in `place`.
    pub fn samples(&self, place: &Region, is_source: bool) -> Result<Vec<Move>> {
        let tile = Region::dense(self.shape());
        self.moves(part(is_source), place, &tile, 0, |_| false)
    }

    /// Its coefficients on their way to the device, or those of its own on their way back, in an array that stands in `place`.
    /// The low band stands in `low`, if that has an array of its own.
    pub fn coefficients(
        &self,
        place: &Region,
        low: Option<&Region>,
        is_source: bool,
    ) -> Result<Vec<Move>> {
        let (whole, shape) = (&self.stage.transform, self.shape());
        let transform = whole.with_shape(shape.clone());
        let mut moves = Vec::new();
        for (level, band) in whole.bands() {
            let tile = Region::dense(shape.as_slice()).band(&transform, level, band)?;
            let low = low.filter(|_| band.is_low());
            let place = match low {
                Some(low) => low.clone(),
                None => place.band(whole, level, band)?,
            };
            let axes = whole.chosen_axes();
            let is_high = |axis| {
                axes.iter()
                    .rev()
                    .position(|&one| one == axis)
                    .is_some_and(|i| band.is_high_along(i))
            };
            let mut found = self.moves(part(is_source), &place, &tile, level, is_high)?;
            found.iter_mut().for_each(|one| one.is_low = low.is_some());
            moves.append(&mut found);
        }
        Ok(moves)
    }

    /// What moves between the arrays of a channel of a level along each axis, of the samples for level 0.
    fn moves(
        &self,
        part: Part,
        array: &Region,
        tile: &Region,
        level: u32,
        is_high: impl Fn(usize) -> bool,
    ) -> Result<Vec<Move>> {
        let mut all = vec![(Vec::new(), Vec::new())];
        for (axis, (cut, piece)) in self.stage.cuts.iter().zip(&self.pieces).enumerate() {
            let along = cut.ranges(piece, part, level, is_high(axis));
            let with = |(array, tile): (Vec<Range<usize>>, Vec<Range<usize>>)| {
                along
                    .iter()
                    .map(move |(one, other)| {
                        let [mut array, mut tile] = [array.clone(), tile.clone()];
                        array.push(one.clone());
                        tile.push(other.clone());
                        (array, tile)
                    })
                    .collect::<Vec<_>>()
            };
            all = all.into_iter().flat_map(with).collect();
        }
        let moves = all.into_iter().map(|(one, other)| {
            Ok(Move {
                array: array.part(&one)?,
                tile: tile.part(&other)?,
                is_low: false,
            })
        });
        moves.collect()
    }
}

fn part(is_source: bool) -> Part {
    match is_source {
        true => Part::All,
        false => Part::Own,
    }
}

impl Cut {
    /// The samples of a piece.
    fn samples(&self, piece: &Piece) -> usize {
        let samples = |all: &Range<usize>| {
            (all.end << self.levels).min(self.length) - (all.start << self.levels)
        };
        piece.iter().map(|segment| samples(&segment.all)).sum()
    }

    /// The ranges of a piece in the array and in the tile, in a channel of a level, or of samples for level 0.
    fn ranges(
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

/// An axis has so many pieces at most: with more, all that is said of them takes more memory than a tile.
const MOST_PIECES: usize = 1 << 16;

/// How an axis can be cut.
struct Way {
    length: usize,
    levels: u32,
    /// Units that go with a tile on either side.
    halo: usize,
    /// Units of its own that a tile has at least.
    least: usize,
    is_periodic: bool,
}

/// Units of a halo, and those that a tile must have for the border not to reach through it.
fn halo(stencils: &[Stencil], levels: u32) -> (usize, usize) {
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
    fn cut(&self, own: usize) -> Cut {
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

/// Units of their own that tiles of at most so many samples have along each axis: rows stay whole where that is good enough.
fn shrunk(ways: &[Way], most: usize) -> Option<Vec<usize>> {
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

#[cfg(test)]
mod tests;
