//! How long lines are cut into tiles that a work-item has in its registers, by several levels.

use crate::lifting::reach::effective;
use crate::strategy::Problem;
use crate::wavelet::{Direction, Stencil};
use std::ops::Range;

/// A tile of a line, or all of a short one. Tiles inside a line overlap; what is wrong where a tile
/// is cut is another one's result. One more joins both ends of the line, a head and a tail, to a
/// short line with the same two borders. So each is lifted as a whole line of so many samples,
/// under any boundary rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub levels: usize,
    /// Of any tile: as many as the line's but for a multiple of a pair of the coarsest level.
    pub samples: usize,
    /// Samples of the head, and how many of them are results.
    pub head: usize,
    pub head_results: usize,
    /// Samples before the first one that is a result, where a line is cut, and results
    /// of a tile inside.
    pub before: usize,
    pub results: usize,
}

impl Tile {
    pub fn whole(samples: usize, levels: usize) -> Self {
        Tile {
            levels,
            samples,
            head: samples,
            head_results: samples,
            before: 0,
            results: 0,
        }
    }

    pub fn is_whole(&self) -> bool {
        self.results == 0
    }

    /// Tiles of at most so many samples, by as many of the levels as leave half of them to results.
    pub fn of(problem: &Problem, samples: usize, most: usize, levels: usize) -> Option<Self> {
        // More levels do not leave a pair of the coarsest one to each end.
        let levels = levels.min(most.max(1).ilog2() as usize);
        let cut = Cut::new(problem);
        let tile = |levels| Self::by(&cut, samples, most, levels);
        let mut tiles = (1..=levels).rev().filter_map(tile);
        let tile = tiles.find(|tile| tile.levels == 1 || 2 * tile.results >= tile.samples);
        tile.map(|tile| Tile {
            // So that the last tile does not begin before its line.
            results: tile.results.min(samples - tile.samples + tile.head),
            ..tile
        })
    }

    /// Tiles by so many levels, where results of both ends meet those of the first and the last tile
    /// inside.
    fn by(cut: &Cut, samples: usize, most: usize, levels: usize) -> Option<Self> {
        let unit = 1 << levels;
        let of_tile = most.checked_sub(most.wrapping_sub(samples) % unit)?;
        let inside = cut.results(of_tile, levels);
        let head = of_tile / 2 / unit * unit;
        let at_head = cut.results(head, levels).end;
        let at_tail = of_tile.checked_sub(head + inside.start)?;
        let tile = Tile {
            levels,
            samples: of_tile,
            head,
            head_results: at_head,
            before: inside.start,
            results: inside.end.checked_sub(inside.start)?,
        };
        let meet = tile.before <= at_head && head <= tile.results;
        (meet && tile.results > 0 && at_head.min(at_tail) >= cut.farthest * unit).then_some(tile)
    }

    /// Tiles of a line of so many samples.
    pub fn count(&self, samples: usize) -> usize {
        if self.is_whole() {
            return 1;
        }
        let of_ends = self.head_results + self.samples - self.head - self.before;
        1 + (samples - of_ends).div_ceil(self.results)
    }
}

/// What is right of a line that is cut.
struct Cut {
    direction: Direction,
    stencils: Vec<Stencil>,
    /// Pairs of an end that a step reads at most where it reads beyond a border.
    farthest: usize,
}

impl Cut {
    fn new(problem: &Problem) -> Self {
        let stencils = problem.stencils();
        let reach = |step: &Stencil| step.first.abs().max(step.last().abs()) as usize;
        let farthest = effective(&stencils).iter().map(reach).max();
        Cut {
            direction: problem.direction,
            // An odd line that repeats goes on without its last detail.
            farthest: farthest.unwrap_or(0) + 1,
            stencils,
        }
    }

    /// Of a piece of so many samples the first and the last ones whose coefficients, or which in
    /// the inverse, depend on nothing else: whole pairs of the coarsest level.
    fn results(&self, samples: usize, levels: usize) -> Range<usize> {
        let right = match self.direction {
            Direction::Forward => self.coefficients(samples as i64, levels),
            Direction::Inverse => self.samples(samples as i64, levels),
        };
        let unit = 1 << levels;
        let start = right.start.max(0) as usize;
        start.next_multiple_of(unit)..right.end.max(0) as usize / unit * unit
    }

    fn coefficients(&self, samples: i64, levels: usize) -> Range<i64> {
        let mut left = 0..samples;
        let mut right = left.clone();
        for level in 1..=levels {
            let s = (left.start + 1) / 2..(left.end + 1) / 2;
            let d = left.start / 2..left.end / 2;
            let [s, d] = self.lift(s, d);
            right = right.start.max(d.start << level)..right.end.min(d.end << level);
            left = s;
        }
        let [start, end] = [left.start, left.end].map(|place| place << levels);
        right.start.max(start)..right.end.min(end)
    }

    fn samples(&self, samples: i64, levels: usize) -> Range<i64> {
        let halved = |levels: usize| (samples as usize).div_ceil(1 << levels) as i64;
        let mut right = 0..halved(levels);
        for level in (0..levels).rev() {
            let [s, d] = self.lift(right, 0..halved(level) / 2);
            right = (2 * s.start - 1).max(2 * d.start)..(2 * s.end).min(2 * d.end + 1);
        }
        right
    }

    /// What is right of each channel after all steps.
    fn lift(&self, s: Range<i64>, d: Range<i64>) -> [Range<i64>; 2] {
        let mut right = [s, d];
        for step in &self.stencils {
            let source = right[step.target.other() as usize].clone();
            let target = &mut right[step.target as usize];
            target.start = target.start.max(source.start - i64::from(step.first));
            target.end = target.end.min(source.end - i64::from(step.last()));
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifting::reach::tests::line;
    use crate::transform::Transform;
    use crate::transform::reference::{forward_line, inverse_line};
    use crate::wavelet::{Boundary, Channel, IntegerStep, SampleType, Wavelet};

    /// A line by all its levels, in place: detail j of a level is number (2 j + 1) << (level - 1).
    fn lift(problem: &Problem, levels: usize, line: &mut [i32]) {
        let transform = &problem.transform;
        let (wavelet, rule) = (transform.wavelet(), transform.boundary_rule());
        let mut of_level = |level: usize, lift: fn(&Wavelet, Boundary, &mut [i32])| {
            let mut left: Vec<i32> = line.iter().step_by(1 << level).copied().collect();
            lift(wavelet, rule, &mut left);
            for (number, lifted) in line.iter_mut().step_by(1 << level).zip(left) {
                *number = lifted;
            }
        };
        match problem.direction {
            Direction::Forward => (0..levels).for_each(|level| of_level(level, forward_line)),
            Direction::Inverse => (0..levels)
                .rev()
                .for_each(|level| of_level(level, inverse_line)),
        }
    }

    fn check(problem: &Problem, samples: usize, tile: &Tile) {
        let line = line(samples);
        let lifted = |mut piece: Vec<i32>| {
            lift(problem, tile.levels, &mut piece);
            piece
        };
        let whole = lifted(line.clone());
        let what = (problem, samples, tile);
        let gap = samples - tile.samples;
        let ends = lifted([&line[..tile.head], &line[gap + tile.head..]].concat());
        assert_eq!(
            whole[..tile.head_results],
            ends[..tile.head_results],
            "{what:?}"
        );
        let of_tail = tile.head + tile.before;
        assert_eq!(whole[gap + of_tail..], ends[of_tail..], "{what:?}");
        for start in (0..=gap).step_by(1 << tile.levels) {
            let piece = lifted(line[start..start + tile.samples].to_vec());
            let results = tile.before..tile.before + tile.results;
            let there = start + results.start..start + results.end;
            assert_eq!(whole[there], piece[results], "from {start}: {what:?}");
        }
    }

    #[test]
    fn results_of_tiles_are_those_of_the_whole_line() {
        // The hard cases are wavelets that look far to one side only.
        let lopsided = |first| {
            let taps = [3, -5, 7];
            let steps = [
                IntegerStep::add(Channel::Detail, first, &taps, 1, 2),
                IntegerStep::add(Channel::Approximation, -first - 1, &taps, 1, 2),
            ];
            Wavelet::integer("lopsided", &steps, 0).unwrap()
        };
        let known = Wavelet::ALL
            .iter()
            .filter(|one| one.integer_steps().is_some());
        let mut seen = 0;
        for wavelet in known.cloned().chain((-4..=4).map(lopsided)) {
            for (&rule, direction) in Boundary::ALL.iter().flat_map(|rule| {
                [Direction::Forward, Direction::Inverse].map(|direction| (rule, direction))
            }) {
                let transform = Transform::new(wavelet.clone(), [300]).boundary(rule);
                let problem = Problem::new(&transform, SampleType::I32, direction);
                for most in [20, 64, 128] {
                    for samples in (most + 1..most + 20).chain([201, 336]) {
                        for levels in [1, 2, 3, 6] {
                            let tile = Tile::of(&problem, samples, most, levels);
                            let tile = tile.filter(|tile| tile.samples < samples);
                            seen += usize::from(tile.is_some());
                            tile.iter().for_each(|tile| check(&problem, samples, tile));
                        }
                    }
                }
            }
        }
        assert!(seen > 5000, "{seen}");
    }

    #[test]
    fn as_many_levels_go_in_a_tile_as_leave_half_of_it_to_results() {
        let of = |wavelet, direction, most| {
            let transform = Transform::new(wavelet, [1024]);
            let problem = Problem::new(&transform, SampleType::F32, direction);
            Tile::of(&problem, 1024, most, 7).map(|tile| (tile.levels, tile.before, tile.results))
        };
        use Direction::{Forward, Inverse};
        assert_eq!(of(Wavelet::CDF_9_7, Forward, 128), Some((3, 32, 72)));
        assert_eq!(of(Wavelet::CDF_5_3, Forward, 128), Some((4, 32, 80)));
        assert_eq!(of(Wavelet::CDF_5_3, Inverse, 128), Some((4, 16, 96)));
        assert_eq!(of(Wavelet::HAAR, Forward, 128), Some((5, 0, 128)));
        assert_eq!(of(Wavelet::CDF_9_7, Forward, 32), Some((1, 4, 24)));
        assert_eq!(of(Wavelet::CDF_9_7, Forward, 12), None);
    }
}
