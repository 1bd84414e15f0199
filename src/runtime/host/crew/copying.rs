//! What several threads copy together, line by line: a piece of a tile from arrays, or to them.

use crate::error::{Error, Result};
use crate::runtime::host::lines::Lines;
use crate::runtime::host::shared_slice::SharedSlice;
use crate::runtime::host::store::Store;
use crate::runtime::lock::{lock, wait};
use crate::strategy::Move;
use crate::wavelet::Sample;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// Bytes that a thread copies at a time, about: few, so that all end at the same time. Five levels
/// of 16384 x 16384 in tiles take 46 to 48 ms on the host of an NVIDIA H100, inverse 48 to 50, by
/// chunks of 256 KiB 46 and 46 to 51, of 128 KiB 64 and 66, of 64 KiB 90. The tests of this
/// library's own have small arrays, which go in many chunks nevertheless.
const CHUNK_BYTES: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// What moves between a tile and arrays, one of which may be that of the low band.
pub(in crate::runtime::host) struct Moves<'a, T> {
    pub(super) all: Vec<(Lines, Store<'a, T>)>,
    /// Samples of the tile.
    pub tile: usize,
}

impl<'a, T: Sample> Moves<'a, T> {
    /// Of a tile of so many samples.
    pub fn new(moves: &[Move], arrays: [Store<'a, T>; 2], tile: usize) -> Result<Arc<Self>> {
        let moves = moves.iter().filter(|one| !one.tile.is_empty()).map(|one| {
            let array = arrays[usize::from(one.is_low)];
            let is_like = one.array.shape() == one.tile.shape();
            let lies_within = is_like && one.array.end() <= array.len() && one.tile.end() <= tile;
            let lines = || (Lines::of(&one.array, &one.tile), array);
            lies_within.then(lines).ok_or_else(|| Error::Shape {
                what: "a tile",
                expected: format!("one within {tile} of {} samples", array.len()),
                got: format!("{one:?}"),
            })
        });
        let all = moves.collect::<Result<_>>()?;
        Ok(Arc::new(Moves { all, tile }))
    }
}

/// A piece of a tile that is copied from arrays, or to them.
pub(in crate::runtime::host) struct Copying<'a, T> {
    moves: Arc<Moves<'a, T>>,
    /// Its places in the tile, and the memory in which it stands.
    places: Range<usize>,
    piece: SharedSlice<'a, T>,
    is_to_tile: bool,
    pub(super) chunks: usize,
    /// Chunks that threads have begun with.
    begun: AtomicUsize,
    state: Mutex<State>,
    ended: Condvar,
}

/// Chunks that have ended, and how the first one failed that did.
struct State {
    ended: usize,
    failed: Option<Error>,
}

impl<'a, T: Sample> Copying<'a, T> {
    /// # Safety
    /// Until all chunks have ended, or nobody begins with one any more, the side to which it goes
    /// may be written and is used by nothing else, and what it comes from is not written. The piece
    /// has as many samples as places. No two moves go to one place.
    pub unsafe fn new(
        moves: &Arc<Moves<'a, T>>,
        places: Range<usize>,
        piece: SharedSlice<'a, T>,
        is_to_tile: bool,
    ) -> Arc<Self> {
        let chunks = size_of::<T>() * places.len() / CHUNK_BYTES;
        Arc::new(Copying {
            moves: moves.clone(),
            chunks: chunks.clamp(1, places.len().max(1)),
            places,
            piece,
            is_to_tile,
            begun: AtomicUsize::new(0),
            state: Mutex::new(State {
                ended: 0,
                failed: None,
            }),
            ended: Condvar::new(),
        })
    }

    /// Whether threads have begun with all chunks.
    pub(super) fn is_taken(&self) -> bool {
        self.begun.load(Ordering::Relaxed) >= self.chunks
    }

    /// Copies chunks until all are begun with.
    pub(super) fn help(&self) {
        loop {
            let chunk = self.begun.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.chunks {
                return;
            }
            let end = EndOfChunk(self);
            if lock(&self.state).failed.is_none()
                && let Err(error) = self.copy(chunk)
            {
                lock(&self.state).failed.get_or_insert(error);
            }
            drop(end);
        }
    }

    fn copy(&self, chunk: usize) -> Result<()> {
        let Range { start, end } = self.places;
        let place = |chunk: usize| start + (end - start) * chunk / self.chunks;
        for (lines, array) in &self.moves.all {
            for line in lines.within(place(chunk)..place(chunk + 1)) {
                let ([at, other], [apart, other_apart]) = (line.at, line.apart);
                let piece = (self.piece.at(other - start), other_apart);
                // SAFETY: all samples lie within their arrays, and those of the piece within that;
                // no other chunk has any of them, and no two lines share one of the side to which
                // they go, which may be written, as who made this promised.
                unsafe { array.copy((at, apart), piece, line.samples, self.is_to_tile)? };
            }
        }
        Ok(())
    }

    /// Helps, and waits for the others.
    pub fn wait(&self) -> Result<()> {
        self.help();
        self.wait_for_others()
    }

    pub(super) fn wait_for_others(&self) -> Result<()> {
        let mut state = lock(&self.state);
        while state.ended < self.chunks {
            state = wait(&self.ended, state);
        }
        state.failed.take().map_or(Ok(()), Err)
    }
}

/// A chunk ends, even where its thread panics: then the copy fails, and the panic is passed on
/// when threads are joined.
pub(super) struct EndOfChunk<'b, 'a, T>(pub(super) &'b Copying<'a, T>);

impl<T> Drop for EndOfChunk<'_, '_, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.ended += 1;
        if thread::panicking() {
            state.failed.get_or_insert_with(|| Error::Thread {
                what: "copying between arrays and tiles",
                why: "a thread panicked".to_owned(),
            });
        }
        self.0.ended.notify_all();
    }
}
