//! One tile of a stage: which samples and coefficients go to the device with it, and come back.

use super::Stage;
use super::cuts::{Part, Piece};
use crate::error::Result;
use crate::transform::Region;
use std::ops::Range;

/// Samples on their way between an array and a tile: where they stand in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub array: Region,
    pub tile: Region,
    /// Whether they are of the low band, which has an array of its own where another stage follows.
    pub is_low: bool,
}

/// A tile of a stage: a piece of every axis.
pub(crate) struct Tile<'a> {
    pub(super) stage: &'a Stage,
    pub(super) pieces: Vec<&'a Piece>,
}

impl Tile<'_> {
    /// Its shape, halo included.
    pub fn shape(&self) -> Vec<usize> {
        let axes = self.stage.cuts.iter().zip(&self.pieces);
        axes.map(|(cut, piece)| cut.samples(piece)).collect()
    }

    /// Its samples on their way to the device, or those of its own on their way back, in an
    /// array that stands in `place`.
    pub fn samples(&self, place: &Region, is_source: bool) -> Result<Vec<Move>> {
        let tile = Region::dense(self.shape());
        self.moves(part(is_source), place, &tile, 0, |_| false)
    }

    /// Its coefficients on their way to the device, or those of its own on their way back, in an
    /// array that stands in `place`. The low band stands in `low`, if that has an array of its own.
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

    /// What moves between the arrays of a channel of a level along each axis, of
    /// the samples for level 0.
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
