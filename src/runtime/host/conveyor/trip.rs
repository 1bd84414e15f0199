//! A stage on its way by a conveyor: which piece goes up, comes down or is copied by threads next.

use super::Conveyor;
use crate::error::Result;
use crate::runtime::context::opencl;
use crate::runtime::event::Event;
use crate::runtime::host::array::PinnedArray;
use crate::runtime::host::copies::{Heading, copy};
use crate::runtime::host::crew::{Copying, Crew, Moves};
use crate::runtime::host::shared_slice::SharedSlice;
use crate::runtime::host::sweep::Sweep;
use crate::runtime::run::Run;
use crate::strategy::Tile;
use crate::wavelet::Sample;
use std::collections::VecDeque;
use std::iter;
use std::mem;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Copies that the device has at a time for each heading, so that threads have the other slots.
const AHEAD: usize = 4;

/// Where what goes up, and what comes down, stands in arrays of both.
const UP: usize = Heading::ToDevice as usize;
const DOWN: usize = Heading::ToHost as usize;

/// A tile on its way up or down.
struct Leg<'t, 'a, T> {
    number: usize,
    tile: Rc<Tile<'t>>,
    moves: Arc<Moves<'a, T>>,
    /// Its samples that are not on their way yet.
    left: Range<usize>,
}

/// Some samples of a tile, where the slot starts in which they are, and whether they are its last.
struct Piece<'t, 'a, T> {
    number: usize,
    tile: Rc<Tile<'t>>,
    moves: Arc<Moves<'a, T>>,
    places: Range<usize>,
    slot: *mut T,
    is_last: bool,
}

/// A stage on its way. Dropped, it waits for the device.
pub(super) struct Trip<'c, 't, 'a, T: Sample> {
    conveyor: &'c mut Conveyor<T>,
    crew: &'c Crew<'a, T>,
    sweep: &'c Sweep<'t, 'a, T>,
    /// Tiles of which pieces are still to go up, and to come down, and how many pieces have.
    legs: [VecDeque<Leg<'t, 'a, T>>; 2],
    begun: [usize; 2],
    /// Pieces on their way, the oldest first.
    gathering: VecDeque<(Piece<'t, 'a, T>, Arc<Copying<'a, T>>)>,
    uploading: VecDeque<Event>,
    downloading: VecDeque<(Piece<'t, 'a, T>, Event)>,
    scattering: VecDeque<(Arc<Copying<'a, T>>, bool)>,
    /// The runs of tiles of which nothing is down yet, and for every tile's arrays their last run
    /// and the last copy from them.
    runs: VecDeque<Run>,
    computed: Vec<Option<Event>>,
    fetched: Vec<Option<Event>>,
    /// Tiles that are where they belong, which nobody was told of yet.
    unsettled: usize,
    has_computed: bool,
    is_over: bool,
}

impl<'c, 't, 'a, T: Sample> Trip<'c, 't, 'a, T> {
    pub fn new(
        conveyor: &'c mut Conveyor<T>,
        crew: &'c Crew<'a, T>,
        sweep: &'c Sweep<'t, 'a, T>,
    ) -> Self {
        let tiles = conveyor.tiles();
        Trip {
            conveyor,
            crew,
            sweep,
            legs: [VecDeque::new(), VecDeque::new()],
            begun: [0; 2],
            gathering: VecDeque::new(),
            uploading: VecDeque::new(),
            downloading: VecDeque::new(),
            scattering: VecDeque::new(),
            runs: VecDeque::new(),
            computed: vec![None; tiles],
            fetched: vec![None; tiles],
            unsettled: 0,
            has_computed: false,
            is_over: false,
        }
    }

    /// Takes tiles from arrays to arrays as long as there are any, and calls `done` after each.
    pub fn go(&mut self, mut done: impl FnMut() -> Result<()>) -> Result<()> {
        let sweep = self.sweep;
        let mut tiles = iter::from_fn(|| sweep.take()).enumerate();
        loop {
            // Threads have as many pieces as there are slots.
            while self.gathering.len() + self.uploading.len() < self.conveyor.slots {
                if self.legs[UP].is_empty() {
                    let Some((number, tile)) = tiles.next() else {
                        break;
                    };
                    self.begin(Heading::ToDevice, number, Rc::new(tile))?;
                }
                self.gather();
            }
            let (uploads, downloads) = (self.upload()?, self.download()?);
            let goes_on = uploads || downloads;
            let most = AHEAD.min(self.conveyor.slots / 2);
            let ahead = if goes_on { most } else { 0 };
            while self.uploading.len() > ahead {
                self.land_upload()?;
            }
            while self.downloading.len() > ahead {
                self.land_download()?;
            }
            while !goes_on && !self.scattering.is_empty() {
                self.settle()?;
            }
            for _ in 0..mem::take(&mut self.unsettled) {
                done()?;
            }
            if !goes_on {
                self.is_over = true;
                return Ok(());
            }
        }
    }

    /// A tile is to go up or to come down.
    fn begin(&mut self, heading: Heading, number: usize, tile: Rc<Tile<'t>>) -> Result<()> {
        let moves = self.sweep.moves(&tile, heading == Heading::ToDevice)?;
        self.legs[heading as usize].push_back(Leg {
            number,
            tile,
            left: 0..moves.tile,
            moves,
        });
        Ok(())
    }

    /// The next piece with this heading.
    fn next(&mut self, heading: Heading) -> Option<Piece<'t, 'a, T>> {
        let conveyor = &*self.conveyor;
        let leg = self.legs[heading as usize].front_mut()?;
        let Range { start, end } = leg.left;
        leg.left.start = end.min(start + conveyor.piece);
        let piece = Piece {
            number: leg.number,
            tile: leg.tile.clone(),
            moves: leg.moves.clone(),
            places: start..leg.left.start,
            slot: conveyor.slot(heading, self.begun[heading as usize] % conveyor.slots),
            is_last: leg.left.is_empty(),
        };
        self.begun[heading as usize] += 1;
        if piece.is_last {
            self.legs[heading as usize].pop_front();
        }
        Some(piece)
    }

    /// Has threads copy a piece between its slot and arrays.
    fn post(&self, piece: &Piece<'t, 'a, T>, is_to_tile: bool) -> Arc<Copying<'a, T>> {
        let len = piece.places.len();
        // SAFETY: the slot has so many samples. Pieces take slots in turn and leave them in this
        // order, and there are no more on their way than slots: so it is this one's alone, and the
        // device is done with it. The conveyor outlives the threads, and so do its slots. Arrays
        // that are written are borrowed so, and only tiles of this stage are written there, by
        // other devices as well: these have nothing of their own in common, and the pile gives each
        // to one device at a time, to another only when the threads of the first are joined.
        let copying = unsafe {
            let slot = SharedSlice::over(piece.slot, len);
            Copying::new(&piece.moves, piece.places.clone(), slot, is_to_tile)
        };
        self.crew.post(&copying);
        copying
    }

    fn gather(&mut self) {
        if let Some(piece) = self.next(Heading::ToDevice) {
            let copying = self.post(&piece, true);
            self.gathering.push_back((piece, copying));
        }
    }

    /// Sends the oldest piece that is gathered on its way, and has its tile computed behind the
    /// last one; false where there is none.
    fn upload(&mut self) -> Result<bool> {
        let Some((piece, copying)) = self.gathering.pop_front() else {
            return Ok(false);
        };
        self.crew.wait(&copying)?;
        let event = self.copy(&piece, Heading::ToDevice)?;
        self.uploading.push_back(event.clone());
        if piece.is_last {
            self.compute(piece, event)?;
        }
        Ok(true)
    }

    fn compute(&mut self, piece: Piece<'t, 'a, T>, uploaded: Event) -> Result<()> {
        let (number, tiles) = (piece.number, self.conveyor.arrays.len());
        // What the results replace must be on its way.
        while let Some(leg) = self.legs[DOWN].front()
            && leg.number + tiles <= number
        {
            self.download()?;
        }
        let waits: Vec<Event> = [Some(uploaded), self.fetched[number % tiles].clone()]
            .into_iter()
            .flatten()
            .collect();
        let plan = self.sweep.plan_of(&piece.tile);
        let len = plan.transform().len();
        let [from, to] = &mut self.conveyor.arrays[number % tiles];
        let (from, to) = (from.slice(0, len)?, to.slice_mut(0, len)?);
        self.has_computed = true;
        let run = plan.enqueue(from, to, self.sweep.direction, &waits)?;
        self.computed[number % tiles] = Some(run.event());
        self.runs.push_back(run);
        self.begin(Heading::ToHost, number, piece.tile)
    }

    /// Sends the next piece of what is computed on its way; false where there is none.
    fn download(&mut self) -> Result<bool> {
        if self.legs[DOWN].is_empty() {
            return Ok(false);
        }
        if self.downloading.len() + self.scattering.len() == self.conveyor.slots {
            if self.scattering.is_empty() {
                self.land_download()?;
            }
            self.settle()?;
        }
        if let Some(piece) = self.next(Heading::ToHost) {
            let event = self.copy(&piece, Heading::ToHost)?;
            if piece.is_last {
                let tiles = self.fetched.len();
                self.fetched[piece.number % tiles] = Some(event.clone());
            }
            self.downloading.push_back((piece, event));
        }
        Ok(true)
    }

    /// Enqueues the copy of a piece between its slot and the device.
    fn copy(&self, piece: &Piece<T>, heading: Heading) -> Result<Event> {
        let Conveyor { arrays, queues, .. } = &*self.conveyor;
        let number = piece.number % arrays.len();
        let [from, to] = &arrays[number];
        let (queue, array) = match heading {
            Heading::ToDevice => (&queues[UP], from),
            Heading::ToHost => (&queues[DOWN], to),
        };
        // Up, behind the run of an earlier tile that reads the array; down, behind this tile's own.
        let waits = match piece.places.start {
            0 => self.computed[number].as_slice(),
            _ => &[],
        };
        let bytes = |samples: usize| samples * size_of::<T>();
        let (first, count) = (bytes(piece.places.start), bytes(piece.places.len()));
        let slot = piece.slot.cast();
        // SAFETY: the array, which is for the largest tile, has so many bytes there, and the slot
        // has as many. No thread uses the slot: what goes up is gathered, and what comes down is
        // scattered when it is here. It is the device's until the event is done, or `drop` has
        // waited for the queue, or given the slots up. Of the array, no other piece has these bytes
        // but that of an earlier tile, behind whose run, or copy, this one is.
        let event = unsafe { copy(queue, (&*array.buffer, first, count), slot, heading, waits)? };
        queue.flush()?;
        Ok(event)
    }

    fn land_upload(&mut self) -> Result<()> {
        self.uploading
            .pop_front()
            .map_or(Ok(()), |event| event.wait())
    }

    /// Waits for the oldest piece that comes down, and has it scattered.
    fn land_download(&mut self) -> Result<()> {
        let Some((piece, event)) = self.downloading.pop_front() else {
            return Ok(());
        };
        event.wait()?;
        if piece.places.start == 0
            && let Some(run) = self.runs.pop_front()
        {
            run.wait()?;
        }
        let copying = self.post(&piece, false);
        self.scattering.push_back((copying, piece.is_last));
        Ok(())
    }

    /// Waits until the oldest piece that is scattered is where it belongs.
    fn settle(&mut self) -> Result<()> {
        if let Some((copying, is_last)) = self.scattering.pop_front() {
            self.crew.wait(&copying)?;
            self.unsettled += usize::from(is_last);
        }
        Ok(())
    }
}

impl<T: Sample> Drop for Trip<'_, '_, '_, T> {
    /// Waits for what is still on its way, after an error or a panic.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let Conveyor {
            queues,
            memory,
            arrays,
            lost,
            ..
        } = &mut *self.conveyor;
        // The last may be the caller's, who may have stopped it.
        let used = if self.has_computed { 3 } else { 2 };
        let mut used = queues[..used].iter();
        if let Err(error) = used.try_for_each(|queue| queue.handle.finish()) {
            let error = opencl("clFinish")(error);
            memory.iter().for_each(PinnedArray::lose_input);
            // What commands use stays for ever.
            mem::forget((mem::take(arrays), queues.clone()));
            mem::forget((mem::take(&mut self.uploading), mem::take(&mut self.runs)));
            mem::forget((mem::take(&mut self.computed), mem::take(&mut self.fetched)));
            mem::forget(mem::take(&mut self.downloading));
            *lost = Some(error.clone());
            // Behind that: a logger may panic.
            log::error!("the device may still use pinned memory: {error}");
        }
    }
}
