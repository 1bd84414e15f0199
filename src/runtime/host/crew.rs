//! Threads that copy between arrays and tiles, kept over all tiles of a transform: one thread makes the OpenCL calls and posts
//! what is to be copied, which all do in its order, row by row.
//!
//! A thread that waits for a copy can help with it, and does where there are no others.

use super::rows::{Lines, Rows};
use super::store::Store;
use crate::error::{Error, Result};
use crate::runtime::lock::{lock, wait};
use crate::strategy::Move;
use crate::wavelet::Sample;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, Scope};

/// Bytes that a thread copies at a time, about: few, so that all end at the same time. Five levels of 16384 x 16384 in tiles take 46 to
/// 48 ms on the host of an NVIDIA H100, inverse 48 to 50, by parts of 256 KiB 46 and 46 to 51, of 128 KiB 64 and 66, of 64 KiB 90. The
/// tests of this library's own have small arrays, which go in many parts nevertheless.
const PART_BYTES: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// What moves between a tile and arrays, one of which may be that of the low band.
pub(super) struct Moves<'a, T> {
    all: Vec<(Lines, Store<'a, T>)>,
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
pub(super) struct Copying<'a, T> {
    moves: Arc<Moves<'a, T>>,
    /// Its places in the tile, and the memory in which it stands.
    places: Range<usize>,
    piece: Rows<'a, T>,
    is_to_tile: bool,
    parts: usize,
    /// Parts that threads have begun with.
    begun: AtomicUsize,
    state: Mutex<State>,
    ended: Condvar,
}

/// Parts that have ended, and how the first one failed that did.
struct State {
    ended: usize,
    failed: Option<Error>,
}

impl<'a, T: Sample> Copying<'a, T> {
    /// # Safety
    /// Until all parts have ended, or nobody begins with one any more, the side to which it goes may be written and is used by
    /// nothing else, and what it comes from is not written. The piece has as many samples as places. No two moves go to one place.
    pub unsafe fn new(
        moves: &Arc<Moves<'a, T>>,
        places: Range<usize>,
        piece: Rows<'a, T>,
        is_to_tile: bool,
    ) -> Arc<Self> {
        let parts = size_of::<T>() * places.len() / PART_BYTES;
        Arc::new(Copying {
            moves: moves.clone(),
            parts: parts.clamp(1, places.len().max(1)),
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

    /// Whether threads have begun with all parts.
    fn is_taken(&self) -> bool {
        self.begun.load(Ordering::Relaxed) >= self.parts
    }

    /// Copies parts until all are begun with.
    fn help(&self) {
        loop {
            let part = self.begun.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts {
                return;
            }
            let end = End(self);
            if lock(&self.state).failed.is_none()
                && let Err(error) = self.copy(part)
            {
                lock(&self.state).failed.get_or_insert(error);
            }
            drop(end);
        }
    }

    fn copy(&self, part: usize) -> Result<()> {
        let Range { start, end } = self.places;
        let place = |part: usize| start + (end - start) * part / self.parts;
        for (lines, array) in &self.moves.all {
            for line in lines.within(place(part)..place(part + 1)) {
                let ([at, other], [apart, other_apart]) = (line.at, line.apart);
                let piece = (self.piece.at(other - start), other_apart);
                // SAFETY: all samples lie within their arrays, and those of the piece within that; no other part has any of them,
                // and no two lines share one of the side to which they go, which may be written, as who made this promised.
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

    fn wait_for_others(&self) -> Result<()> {
        let mut state = lock(&self.state);
        while state.ended < self.parts {
            state = wait(&self.ended, state);
        }
        state.failed.take().map_or(Ok(()), Err)
    }
}

/// A part ends, even where its thread panics: then the copy fails, and the panic is passed on when threads are joined.
struct End<'b, 'a, T>(&'b Copying<'a, T>);

impl<T> Drop for End<'_, '_, T> {
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

/// What threads are to copy.
pub(super) struct Crew<'a, T> {
    posted: Mutex<Posted<'a, T>>,
    change: Condvar,
    /// Threads that were started.
    threads: AtomicUsize,
}

struct Posted<'a, T> {
    copies: VecDeque<Arc<Copying<'a, T>>>,
    is_over: bool,
}

impl<'a, T: Sample> Crew<'a, T> {
    pub fn new() -> Self {
        Crew {
            posted: Mutex::new(Posted {
                copies: VecDeque::new(),
                is_over: false,
            }),
            change: Condvar::new(),
            threads: AtomicUsize::new(0),
        }
    }

    /// Starts so many threads, or as many as there are to be had, which end when what this returns is dropped.
    #[must_use]
    pub fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, threads: usize) -> Over<'s, 'a, T> {
        let over = Over(self);
        for _ in 0..threads {
            let started = thread::Builder::new().spawn_scoped(scope, || self.work());
            if started.is_err() {
                break;
            }
            self.threads.fetch_add(1, Ordering::Relaxed);
        }
        over
    }

    /// Has the threads copy, after what was posted before.
    pub fn post(&self, copying: &Arc<Copying<'a, T>>) {
        lock(&self.posted).copies.push_back(copying.clone());
        self.change.notify_all();
    }

    /// Waits for a copy, and helps only where there are no other threads: this one has calls to make.
    pub fn wait(&self, copying: &Copying<'a, T>) -> Result<()> {
        match self.threads.load(Ordering::Relaxed) {
            0 => copying.wait(),
            _ => copying.wait_for_others(),
        }
    }

    /// Copies to the end, also after a panic, which is passed on then: there may be no other thread for what is left.
    fn work(&self) {
        let mut panicked = None;
        while let Some(copying) = self.next() {
            if let Err(why) = catch_unwind(AssertUnwindSafe(|| copying.help())) {
                panicked = Some(why);
            }
        }
        if let Some(why) = panicked {
            resume_unwind(why);
        }
    }

    /// The oldest copy that needs help; none at the end.
    fn next(&self) -> Option<Arc<Copying<'a, T>>> {
        let mut posted = lock(&self.posted);
        while !posted.is_over {
            while posted.copies.front().is_some_and(|one| one.is_taken()) {
                posted.copies.pop_front();
            }
            if let Some(copying) = posted.copies.front() {
                return Some(copying.clone());
            }
            posted = wait(&self.change, posted);
        }
        None
    }
}

/// When dropped, threads begin with nothing new.
pub(super) struct Over<'s, 'a, T>(&'s Crew<'a, T>);

impl<T> Drop for Over<'_, '_, T> {
    fn drop(&mut self) {
        let mut posted = lock(&self.0.posted);
        posted.is_over = true;
        posted.copies.clear();
        self.0.change.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::host::file::SinkFile;
    use crate::runtime::host::store::Sink;
    use crate::transform::Region;

    /// Copies by so many threads, twice: the second time there is nothing left to do.
    ///
    /// # Safety
    /// That of [`Copying::new`].
    unsafe fn copy<T: Sample>(
        moves: &[Move],
        array: Store<T>,
        tile: Rows<T>,
        is_to_tile: bool,
        threads: usize,
    ) -> Result<()> {
        let arrays = [Store::Slice(Rows::of(&[])), array];
        let moves = Moves::new(moves, arrays, tile.len())?;
        let crew = Crew::new();
        thread::scope(|scope| {
            let _over = crew.start(scope, threads - 1);
            // In two pieces.
            let middle = tile.len() / 3;
            let copies = [0..middle, middle..tile.len()].map(|places| {
                // SAFETY: by the caller's promise.
                unsafe {
                    let piece = Rows::over(tile.at(places.start), places.len());
                    Copying::new(&moves, places, piece, is_to_tile)
                }
            });
            copies.iter().for_each(|copying| crew.post(copying));
            let mut all = copies.iter().chain(&copies);
            all.try_for_each(|copying| copying.wait())
        })
    }

    fn move_of(array: &Region, tile: &Region) -> Move {
        Move {
            array: array.clone(),
            tile: tile.clone(),
            is_low: true,
        }
    }

    /// There and back by so many threads, against a copy place by place.
    fn check(array: Region, tile: Region, threads: usize) {
        check_all(&[move_of(&array, &tile)], threads);
    }

    /// The same of several moves, of which no two have a place in common.
    fn check_all(moves: &[Move], threads: usize) {
        let ends = moves.iter().map(|one| [one.array.end(), one.tile.end()]);
        let [array_end, tile_end] = ends.fold([0, 0], |most, end| {
            [0, 1].map(|side| end[side].max(most[side]))
        });
        let samples: Vec<i32> = (0..array_end as i32).collect();
        let mut inside = vec![-1; tile_end];
        let from = Store::Slice(Rows::of(&samples));
        // SAFETY: what is written is borrowed so, and a move's places are apart.
        unsafe { copy(moves, from, Rows::of_mut(&mut inside), true, threads) }.unwrap();
        let mut back = vec![-1; samples.len()];
        let to = Store::Slice(Rows::of_mut(&mut back));
        // SAFETY: as above.
        unsafe { copy(moves, to, Rows::of(&inside), false, threads) }.unwrap();
        let mut expected = [vec![-1; inside.len()], vec![-1; back.len()]];
        for one in moves {
            for (one, other) in one.array.places().into_iter().zip(one.tile.places()) {
                expected[0][other] = samples[one];
                expected[1][one] = samples[one];
            }
        }
        assert!(expected == [inside.clone(), back], "{moves:?} {threads}");

        // The same to a file and back.
        let folder = tempfile::tempdir().unwrap();
        let mut file =
            SinkFile::create(folder.path().join("file"), b"head", samples.len()).unwrap();
        // SAFETY: as above.
        unsafe {
            copy(
                moves,
                Store::of_mut(Sink::File(&mut file)),
                Rows::of(&inside),
                false,
                threads,
            )
        }
        .unwrap();
        let mut again = vec![-1; tile_end];
        // SAFETY: as above.
        unsafe {
            copy(
                moves,
                Store::of_mut(Sink::File(&mut file)),
                Rows::of_mut(&mut again),
                true,
                threads,
            )
        }
        .unwrap();
        assert!(again == inside, "{moves:?} {threads}");
        drop(file);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn any_regions_by_any_threads() {
        for threads in [1, 2, 5] {
            let whole = Region::dense([20, 300]);
            let part = whole.part(&[3..17, 5..277]).unwrap();
            check(part, Region::dense([14, 272]).at(7), threads);
            check(whole.clone(), whole, threads);
            let line = Region::dense([200_000]).at(3);
            check(line.clone(), line, threads);
            let volume = Region::dense([6, 7, 8]).part(&[0..6, 1..3, 0..8]).unwrap();
            check(volume, Region::dense([6, 2, 8]), threads);
            let lattice = Region::dense([5, 9]).with_strides([60, 3]);
            check(lattice, Region::dense([5, 9]), threads);
            check(Region::dense([1, 1]), Region::dense([1, 1]), threads);
        }
    }

    /// Columns one sample wide go to a file as samples that stand apart, among those that other threads write.
    #[test]
    fn narrow_bands_side_by_side() {
        let whole = Region::dense([100_000, 3]);
        let bands = [2..3, 0..2].map(|columns| {
            let band = whole.part(&[0..100_000, columns]).unwrap();
            move_of(&band, &band)
        });
        check_all(&bands, 3);
    }

    #[test]
    fn a_thread_that_panics_fails_the_copy() {
        let region = Region::dense([4]);
        let (from, mut to) = ([1i16; 4], [2; 4]);
        let arrays = [Rows::of(&[]), Rows::of(&from)].map(Store::Slice);
        let moves = Moves::new(&[move_of(&region, &region)], arrays, 4).unwrap();
        let tile = Rows::of_mut(&mut to);
        // SAFETY: what is written is borrowed so, and a move's places are apart.
        let copying = unsafe { Copying::new(&moves, 0..4, tile, true) };
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _end = End(&copying);
            panic!("a test")
        }));
        assert!(panicked.is_err());
        let failed = copying.wait().unwrap_err();
        assert!(matches!(failed, Error::Thread { .. }), "{failed}");
    }

    /// The only thread goes on with the parts that are left, and with what is posted later.
    #[test]
    fn a_thread_that_panics_copies_what_is_left() {
        let from: Vec<i16> = (0..128).collect();
        let mut to = vec![-1; from.len()];
        let (array, tile) = (Rows::of(&from), Rows::of_mut(&mut to));
        let whole = Region::dense([from.len()]);
        // Two samples in the first place of all: nobody makes such a move, and how many stand before a place is a division by 0.
        let bad = Region::dense([2]).with_strides([0]);
        let moves_of = |regions: &[Region]| {
            let lines = |region| (Lines::of(region, region), Store::Slice(array));
            let all = regions.iter().map(lines).collect();
            let tile = tile.len();
            Arc::new(Moves { all, tile })
        };
        let copying = |regions: &[Region]| {
            // SAFETY: what is written is borrowed so, and all moves have samples for the same places.
            let copying = unsafe { Copying::new(&moves_of(regions), 0..128, tile, true) };
            assert!(copying.parts > 1);
            copying
        };
        let crew = Crew::new();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                let _over = crew.start(scope, 1);
                let [first, later] = [&[bad, whole.clone()][..], &[whole]].map(copying);
                crew.post(&first);
                let failed = crew.wait(&first).unwrap_err();
                assert!(matches!(failed, Error::Thread { .. }), "{failed}");
                crew.post(&later);
                crew.wait(&later).unwrap();
            });
        }));
        let why = panicked.unwrap_err();
        assert_eq!(
            why.downcast_ref(),
            Some(&"a scoped thread panicked"),
            "and nothing else"
        );
        assert_eq!(to, from);
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let region = Region::dense([4]);
        for (array, tile) in [
            (region.clone().at(1), region.clone()),
            (region.clone(), region.at(1)),
            (Region::dense([4]), Region::dense([3])),
        ] {
            let one = [move_of(&array, &tile)];
            let (array, mut tile) = ([1i16; 4], [2; 4]);
            let from = Store::Slice(Rows::of(&array));
            // SAFETY: as above.
            let refused = unsafe { copy(&one, from, Rows::of_mut(&mut tile), true, 1) };
            assert!(matches!(refused, Err(Error::Shape { .. })));
            assert_eq!(tile, [2; 4]);
        }
    }
}
