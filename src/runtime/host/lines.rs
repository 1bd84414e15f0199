//! Lines of what moves between an array and a tile: samples that are equally
//! far apart on either side.

use crate::transform::Region;
use std::ops::Range;

/// Longer lines are cut, so that every thread has some.
const LONGEST: usize = 1 << 16;

/// The lines of a move: axes outside of the innermost as a length and two
/// strides, and the innermost.
pub(super) struct Lines {
    starts: [usize; 2],
    outer: Vec<(usize, [usize; 2])>,
    inner: (usize, [usize; 2]),
}

/// Samples of a line: where the first one stands on either side, how far they are apart
/// there, and how many they are.
pub(super) struct Line {
    pub at: [usize; 2],
    pub apart: [usize; 2],
    pub samples: usize,
}

impl Line {
    /// What stands between these places of the tile.
    fn within(self, places: &Range<usize>) -> Self {
        let Line { at, apart, samples } = self;
        let before = |place: usize| place.saturating_sub(at[1]).div_ceil(apart[1]).min(samples);
        let (first, end) = (before(places.start), before(places.end));
        Line {
            at: [0, 1].map(|side| at[side] + first * apart[side]),
            apart,
            samples: end - first,
        }
    }
}

impl Lines {
    /// With neighbouring axes taken together where both sides allow it.
    pub fn of(array: &Region, tile: &Region) -> Self {
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
        let inner = axes.pop().unwrap_or((1, [1, 1]));
        Lines {
            starts: [array.offset(), tile.offset()],
            outer: axes,
            inner,
        }
    }

    fn cuts(&self) -> usize {
        self.inner.0.div_ceil(LONGEST)
    }

    fn count(&self) -> usize {
        self.outer.iter().map(|(n, _)| n).product::<usize>() * self.cuts()
    }

    /// A line, or a cut of one. They are in the order in which they stand in the tile.
    fn line(&self, number: usize) -> Line {
        let first = number % self.cuts() * LONGEST;
        let mut number = number / self.cuts();
        let mut at = [0, 1].map(|side| self.starts[side] + first * self.inner.1[side]);
        for (n, strides) in self.outer.iter().rev() {
            let index = number % n;
            number /= n;
            at = [0, 1].map(|side| at[side] + index * strides[side]);
        }
        Line {
            at,
            apart: self.inner.1,
            samples: LONGEST.min(self.inner.0 - first),
        }
    }

    /// What stands between these places of the tile.
    pub fn within(&self, places: Range<usize>) -> impl Iterator<Item = Line> {
        let (mut first, mut end) = (0, self.count());
        while first < end {
            let middle = first.midpoint(end);
            let Line { at, apart, samples } = self.line(middle);
            match at[1] + (samples - 1) * apart[1] < places.start {
                true => first = middle + 1,
                false => end = middle,
            }
        }
        (first..self.count())
            .map(|number| self.line(number))
            .take_while({
                let end = places.end;
                move |line| line.at[1] < end
            })
            .map(move |line| line.within(&places))
            // Samples that stand apart may have all of these places between two of them.
            .filter(|line| line.samples > 0)
    }
}
