use super::copying::EndOfChunk;
use super::*;
use crate::error::Error;
use crate::runtime::host::file::SinkFile;
use crate::runtime::host::lines::Lines;
use crate::runtime::host::shared_slice::SharedSlice;
use crate::runtime::host::store::{Sink, Store};
use crate::strategy::Move;
use crate::transform::Region;

/// Copies by so many threads, twice: the second time there is nothing left to do.
///
/// # Safety
/// That of [`Copying::new`].
unsafe fn copy<T: Sample>(
    moves: &[Move],
    array: Store<T>,
    tile: SharedSlice<T>,
    is_to_tile: bool,
    threads: usize,
) -> Result<()> {
    let arrays = [Store::Slice(SharedSlice::of(&[])), array];
    let moves = Moves::new(moves, arrays, tile.len())?;
    let crew = Crew::new();
    thread::scope(|scope| {
        let _over = crew.start(scope, threads - 1);
        // In two pieces.
        let middle = tile.len() / 3;
        let copies = [0..middle, middle..tile.len()].map(|places| {
            // SAFETY: by the caller's promise.
            unsafe {
                let piece = SharedSlice::over(tile.at(places.start), places.len());
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
    let from = Store::Slice(SharedSlice::of(&samples));
    // SAFETY: what is written is borrowed so, and a move's places are apart.
    unsafe { copy(moves, from, SharedSlice::of_mut(&mut inside), true, threads) }.unwrap();
    let mut back = vec![-1; samples.len()];
    let to = Store::Slice(SharedSlice::of_mut(&mut back));
    // SAFETY: as above.
    unsafe { copy(moves, to, SharedSlice::of(&inside), false, threads) }.unwrap();
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
    let mut file = SinkFile::create(folder.path().join("file"), b"head", samples.len()).unwrap();
    // SAFETY: as above.
    unsafe {
        copy(
            moves,
            Store::of_mut(Sink::File(&mut file)),
            SharedSlice::of(&inside),
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
            SharedSlice::of_mut(&mut again),
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

/// Columns one sample wide go to a file as samples that stand apart, among those
/// that other threads write.
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
    let arrays = [SharedSlice::of(&[]), SharedSlice::of(&from)].map(Store::Slice);
    let moves = Moves::new(&[move_of(&region, &region)], arrays, 4).unwrap();
    let tile = SharedSlice::of_mut(&mut to);
    // SAFETY: what is written is borrowed so, and a move's places are apart.
    let copying = unsafe { Copying::new(&moves, 0..4, tile, true) };
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _end = EndOfChunk(&copying);
        panic!("a test")
    }));
    assert!(panicked.is_err());
    let failed = copying.wait().unwrap_err();
    assert!(matches!(failed, Error::Thread { .. }), "{failed}");
}

/// The only thread goes on with the chunks that are left, and with what is posted later.
#[test]
fn a_thread_that_panics_copies_what_is_left() {
    let from: Vec<i16> = (0..128).collect();
    let mut to = vec![-1; from.len()];
    let (array, tile) = (SharedSlice::of(&from), SharedSlice::of_mut(&mut to));
    let whole = Region::dense([from.len()]);
    // Two samples in the first place of all: nobody makes such a move, and how many stand before a
    // place is a division by 0.
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
        assert!(copying.chunks > 1);
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
        let from = Store::Slice(SharedSlice::of(&array));
        // SAFETY: as above.
        let refused = unsafe { copy(&one, from, SharedSlice::of_mut(&mut tile), true, 1) };
        assert!(matches!(refused, Err(Error::Shape { .. })));
        assert_eq!(tile, [2; 4]);
    }
}
