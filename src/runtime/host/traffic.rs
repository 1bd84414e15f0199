//! Tiles to a device that takes them where they stand, in slots of memory of the host, as by
//! `Plan::submit`: threads gather one tile and scatter another meanwhile.

use super::carrier::Slot;
use super::crew::{Copying, Crew};
use super::pending::Pending;
use super::shared_slice::SharedSlice;
use super::sweep::Sweep;
use crate::error::Result;
use crate::strategy::Tile;
use crate::wavelet::Sample;
use std::collections::VecDeque;
use std::sync::Arc;

/// The tiles that are on their way: what is here must outlive the threads that copy.
pub(super) struct Traffic<'t, 'a, T: Sample> {
    /// Those that nothing uses.
    slots: &'t mut Vec<Slot<T>>,
    gathering: Option<Slot<T>>,
    flying: VecDeque<(Tile<'t>, Pending<T>)>,
    scattering: VecDeque<(Arc<Copying<'a, T>>, Slot<T>)>,
}

impl<'t, 'a, T: Sample> Traffic<'t, 'a, T> {
    pub fn new(slots: &'t mut Vec<Slot<T>>) -> Self {
        Traffic {
            slots,
            gathering: None,
            flying: VecDeque::new(),
            scattering: VecDeque::new(),
        }
    }

    /// Takes tiles from arrays to arrays as long as there are any, and calls `done` after each.
    pub fn carry(
        &mut self,
        crew: &Crew<'a, T>,
        sweep: &Sweep<'t, 'a, T>,
        mut done: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        loop {
            while self.slots.is_empty() {
                let goes_on = self.advance(crew, sweep, &mut done)?;
                assert!(goes_on, "slots that are not free are on their way");
            }
            let Some(tile) = sweep.take() else {
                break;
            };
            let gathering = self.gather(crew, sweep, &tile)?;
            // Meanwhile the device has another one.
            while self.flying.len() > 1 {
                self.land(crew, sweep)?;
            }
            gathering.wait()?;
            if let Some((input, output)) = self.gathering.take() {
                let plan = sweep.plan_of(&tile);
                let pending = plan.submit_first(sweep.direction, input, output)?;
                self.flying.push_back((tile, pending));
            }
        }
        while self.advance(crew, sweep, &mut done)? {}
        Ok(())
    }

    /// Waits until one more tile is where it belongs, or is on its way there;
    /// false where there is none.
    fn advance(
        &mut self,
        crew: &Crew<'a, T>,
        sweep: &Sweep<'t, 'a, T>,
        done: impl FnOnce() -> Result<()>,
    ) -> Result<bool> {
        if self.scattering.is_empty() {
            return self.land(crew, sweep);
        }
        self.settle()?;
        done()?;
        Ok(true)
    }

    /// Has a tile gathered into a slot that nothing uses.
    fn gather(
        &mut self,
        crew: &Crew<'a, T>,
        sweep: &Sweep<'t, 'a, T>,
        tile: &Tile,
    ) -> Result<Arc<Copying<'a, T>>> {
        self.gathering = self.slots.pop();
        let Some((input, _)) = &self.gathering else {
            unreachable!("there is a slot that nothing uses");
        };
        let moves = sweep.moves(tile, true)?;
        assert!(moves.tile <= input.len(), "slots have the largest tile");
        // SAFETY: the slot has so many samples, is this tile's alone, within which each sample has
        // a place of its own, and outlives the threads.
        let copying = unsafe {
            let rows = SharedSlice::over(input.start().cast(), moves.tile);
            Copying::new(&moves, 0..moves.tile, rows, true)
        };
        crew.post(&copying);
        Ok(copying)
    }

    /// Waits for the oldest tile on the device, and has it scattered; false where there is none.
    fn land(&mut self, crew: &Crew<'a, T>, sweep: &Sweep<'t, 'a, T>) -> Result<bool> {
        let Some((tile, pending)) = self.flying.pop_front() else {
            return Ok(false);
        };
        let (input, output) = pending.wait()?;
        let moves = sweep.moves(&tile, false)?;
        assert!(moves.tile <= output.len(), "slots have the largest tile");
        // SAFETY: the slot has so many samples, is this tile's alone, and outlives the threads.
        // What it goes to is borrowed for writing, and only tiles of this stage are written there,
        // by other devices as well: these have nothing of their own in common, and the pile gives
        // each to one device at a time, to another only when the threads of the first are joined.
        let copying = unsafe {
            let rows = SharedSlice::over(output.start().cast(), moves.tile);
            Copying::new(&moves, 0..moves.tile, rows, false)
        };
        crew.post(&copying);
        self.scattering.push_back((copying, (input, output)));
        Ok(true)
    }

    /// Waits until the oldest tile that is scattered is where it belongs: its slot is free then.
    fn settle(&mut self) -> Result<()> {
        if let Some((copying, _)) = self.scattering.front() {
            copying.wait()?;
        }
        let settled = self.scattering.pop_front();
        self.slots.extend(settled.map(|(_, slot)| slot));
        Ok(())
    }
}
