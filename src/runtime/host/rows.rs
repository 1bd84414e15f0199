//! Copies between regions of two slices, row by row, by several threads.

use super::past_caches;
use crate::error::{Error, Result};
use crate::strategy::Move;
use crate::transform::Region;
use crate::wavelet::Sample;
use std::marker::PhantomData;
use std::thread;

/// Longer rows are copied in parts, so that every thread has some.
const LONGEST: usize = 1 << 16;

/// Rows of fewer bytes go through the caches.
const LEAST_BYTES: usize = 512;

/// A slice that several threads copy from, or to, each its own part.
pub struct Rows<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Rows<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Rows<'_, T> {}

// SAFETY: it is no more than an address; `copy_all` says who uses what is there.
unsafe impl<T: Sample> Sync for Rows<'_, T> {}

impl<'a, T> Rows<'a, T> {
    /// A slice to be read only.
    pub fn of(slice: &'a [T]) -> Self {
        Rows {
            start: slice.as_ptr().cast_mut(),
            len: slice.len(),
            slice: PhantomData,
        }
    }

    pub fn of_mut(slice: &'a mut [T]) -> Self {
        Rows {
            start: slice.as_mut_ptr(),
            len: slice.len(),
            slice: PhantomData,
        }
    }

    fn at(self, place: usize) -> *mut T {
        self.start.wrapping_add(place)
    }
}

/// The rows of a move: axes outside of the innermost as a length and two strides, and the innermost.
struct Lines {
    starts: [usize; 2],
    outer: Vec<(usize, [usize; 2])>,
    row: (usize, [usize; 2]),
}

impl Lines {
    /// With neighbouring axes taken together where both sides allow it.
    fn of(array: &Region, tile: &Region) -> Self {
        let mut axes: Vec<(usize, [usize; 2])> = Vec::new();
        let strides = array.strides().iter().zip(tile.strides());
        for (&n, (&one, &other)) in array.shape().iter().zip(strides) {
            match axes.last_mut() {
                Some(outer) if outer.1 == [n * one, n * other] => {
                    *outer = (outer.0 * n, [one, other])
                }
                _ if n == 1 => {}
                _ => axes.push((n, [one, other])),
            }
        }
        let row = axes.pop().unwrap_or((1, [1, 1]));
        Lines {
            starts: [array.offset(), tile.offset()],
            outer: axes,
            row,
        }
    }

    fn parts(&self) -> usize {
        self.row.0.div_ceil(LONGEST)
    }

    fn count(&self) -> usize {
        self.outer.iter().map(|(n, _)| n).product::<usize>() * self.parts()
    }

    /// Where a part of a row starts on either side, and its samples.
    fn at(&self, number: usize) -> ([usize; 2], usize) {
        let first = number % self.parts() * LONGEST;
        let mut number = number / self.parts();
        let mut at = [0, 1].map(|side| self.starts[side] + first * self.row.1[side]);
        for (n, strides) in self.outer.iter().rev() {
            let index = number % n;
            number /= n;
            at = [0, 1].map(|side| at[side] + index * strides[side]);
        }
        (at, LONGEST.min(self.row.0 - first))
    }
}

/// Copies what moves between an array, of which the low band may be another one, and a tile: to the tile, or from it.
///
/// # Safety
/// The side to which it goes is by `of_mut`, and nothing else uses it meanwhile; no two moves go to one place.
pub unsafe fn copy_all<T: Sample>(
    moves: &[Move],
    arrays: [Rows<T>; 2],
    tile: Rows<T>,
    is_to_tile: bool,
    threads: usize,
) -> Result<()> {
    let all: Vec<(Lines, Rows<T>)> = moves
        .iter()
        .filter(|one| !one.tile.is_empty())
        .map(|one| {
            let array = arrays[usize::from(one.is_low)];
            let is_like = one.array.shape() == one.tile.shape();
            let lies_within = is_like && one.array.end() <= array.len && one.tile.end() <= tile.len;
            let lines = || (Lines::of(&one.array, &one.tile), array);
            lies_within.then(lines).ok_or_else(|| Error::Shape {
                what: "a tile",
                expected: format!("one within {} of {} samples", tile.len, array.len),
                got: format!("{one:?}"),
            })
        })
        .collect::<Result<_>>()?;
    let total: usize = all.iter().map(|(lines, _)| lines.count()).sum();
    let part = |number: usize| total * number / threads..total * (number + 1) / threads;
    let copy = |number: usize| {
        let wanted = part(number);
        let mut before = 0;
        for (lines, array) in &all {
            let count = lines.count();
            let here = wanted.start.max(before)..wanted.end.min(before + count);
            for line in here {
                let ([one, other], samples) = lines.at(line - before);
                let sides = [array.at(one), tile.at(other)];
                // SAFETY: both regions lie within their slices; no other thread has this line, and no two lines share a sample
                // of the side to which they go, which may be written, by the caller's promise.
                unsafe { copy_line(sides, lines.row.1, samples, is_to_tile) };
            }
            before += count;
        }
    };
    thread::scope(|scope| {
        for number in 1..threads {
            // Where there is no thread to be had, this one does it.
            let (copy, started) = (&copy, thread::Builder::new());
            if started.spawn_scoped(scope, move || copy(number)).is_err() {
                copy(number);
            }
        }
        copy(0);
    });
    Ok(())
}

/// # Safety
/// On both sides there are so many samples, so far apart; those to which they go are used by nobody else.
unsafe fn copy_line<T: Sample>(
    [array, tile]: [*mut T; 2],
    [apart, tile_apart]: [usize; 2],
    samples: usize,
    is_to_tile: bool,
) {
    let (from, from_apart, to, to_apart) = match is_to_tile {
        true => (array, apart, tile, tile_apart),
        false => (tile, tile_apart, array, apart),
    };
    // SAFETY: by the caller's promise.
    unsafe {
        if [from_apart, to_apart] != [1, 1] {
            for i in 0..samples {
                *to.add(i * to_apart) = *from.add(i * from_apart);
            }
        } else if !is_to_tile && samples * size_of::<T>() >= LEAST_BYTES {
            past_caches::copy(from.cast(), to.cast(), samples * size_of::<T>());
        } else {
            to.copy_from_nonoverlapping(from, samples);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There and back by so many threads, against a copy place by place.
    fn check(array: Region, tile: Region, threads: usize) {
        let samples: Vec<i32> = (0..array.end() as i32).collect();
        let moves = [Move {
            array: array.clone(),
            tile: tile.clone(),
            is_low: true,
        }];
        let mut inside = vec![-1; tile.end()];
        let arrays = [Rows::of(&[]), Rows::of(&samples)];
        // SAFETY: what is written is borrowed so, and a move's places are apart.
        unsafe { copy_all(&moves, arrays, Rows::of_mut(&mut inside), true, threads) }.unwrap();
        let mut back = vec![-1; samples.len()];
        let arrays = [Rows::of(&[]), Rows::of_mut(&mut back)];
        // SAFETY: as above.
        unsafe { copy_all(&moves, arrays, Rows::of(&inside), false, threads) }.unwrap();
        let mut expected = [vec![-1; inside.len()], vec![-1; back.len()]];
        for (one, other) in array.places().into_iter().zip(tile.places()) {
            expected[0][other] = samples[one];
            expected[1][one] = samples[one];
        }
        assert!(expected == [inside, back], "{array:?} {tile:?} {threads}");
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

    #[test]
    fn what_lies_outside_is_refused() {
        let region = Region::dense([4]);
        for (array, tile) in [
            (region.clone().at(1), region.clone()),
            (region.clone(), region.at(1)),
            (Region::dense([4]), Region::dense([3])),
        ] {
            let moves = [Move {
                array,
                tile,
                is_low: false,
            }];
            let (array, mut tile) = ([1i16; 4], [2; 4]);
            let arrays = [Rows::of(&array), Rows::of(&[])];
            // SAFETY: as above.
            let refused = unsafe { copy_all(&moves, arrays, Rows::of_mut(&mut tile), true, 1) };
            assert!(matches!(refused, Err(Error::Shape { .. })));
            assert_eq!(tile, [2; 4]);
        }
    }
}
