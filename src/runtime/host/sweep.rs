//! A stage of a transform in tiles, from its arrays to others, as one of the devices
//! that take its tiles sees it.

use super::crew::Moves;
use super::pile::Pile;
use super::store::Store;
use super::tile_plans::PlannedStage;
use crate::error::Result;
use crate::runtime::plan::Plan;
use crate::strategy::Tile;
use crate::transform::Region;
use crate::wavelet::{Direction, Sample};
use std::sync::Arc;

/// A stage and its arrays, the second of each two that of the low band, for one of the
/// devices that take its tiles.
#[derive(Clone)]
pub(super) struct Sweep<'t, 'a, T: Sample> {
    pub stage: &'t PlannedStage<T>,
    pub direction: Direction,
    pub from: [Store<'a, T>; 2],
    pub to: [Store<'a, T>; 2],
    /// Where the coefficients stand in theirs.
    pub place: Region,
    pub pile: &'t Pile,
    pub device: usize,
}

impl<'t, 'a, T: Sample> Sweep<'t, 'a, T> {
    pub fn samples(&self) -> u64 {
        self.stage.stage.transform().len() as u64
    }

    /// The same for another device.
    pub fn on(&self, device: usize) -> Self {
        Sweep {
            device,
            ..self.clone()
        }
    }

    /// The next tile for the device, if there is any.
    pub fn take(&self) -> Option<Tile<'t>> {
        let number = self.pile.take(self.device)?;
        Some(self.stage.stage.tile(number))
    }

    pub fn plan_of(&self, tile: &Tile) -> &'t Plan<T> {
        self.stage.plan_of(self.device, tile)
    }

    /// What moves of a tile, to the device or back.
    pub fn moves(&self, tile: &Tile, is_source: bool) -> Result<Arc<Moves<'a, T>>> {
        let stage = &self.stage.stage;
        let moves = if (self.direction == Direction::Forward) == is_source {
            tile.samples(&Region::dense(stage.transform().shape()), is_source)?
        } else {
            let low = (!stage.is_last()).then(|| Region::dense(stage.low()));
            tile.coefficients(&self.place, low.as_ref(), is_source)?
        };
        let arrays = if is_source { self.from } else { self.to };
        Moves::new(&moves, arrays, tile.shape().iter().product())
    }
}
