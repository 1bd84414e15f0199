//! How far away the samples lie on which a result of a list of steps depends, in pairs of samples.

use crate::wavelet::{Boundary, MAX_REACH};
use crate::wavelet::{Channel, Stencil};

/// Stencils that cover everything the steps read under the boundary rules that stay near the
/// border (symmetric, clamp, zero). A mirrored neighbour can lie further from the changed sample
/// than the step itself reads.
pub(crate) fn effective(stencils: &[Stencil]) -> Vec<Stencil> {
    let rules = [Boundary::Symmetric, Boundary::Clamp];
    let widen = |&stencil: &Stencil| {
        let (mut first, mut last) = (stencil.first, stencil.last());
        let source = stencil.target.other();
        // All lengths of both parities up to lines that are longer than any step reaches.
        const LONGEST: usize = 2 * MAX_REACH + 16;
        for (rule, samples) in rules
            .iter()
            .flat_map(|rule| (2..=LONGEST).map(move |n| (rule, n)))
        {
            for target in 0..stencil.target.count(samples) as i32 {
                for neighbour in target + stencil.first..=target + stencil.last() {
                    let mapped = rule.map(source, neighbour.into(), samples);
                    let offset = mapped.map_or(0, |at| at as i32 - target);
                    first = first.min(offset);
                    last = last.max(offset);
                }
            }
        }
        Stencil {
            target: stencil.target,
            first,
            count: (last - first + 1) as usize,
        }
    };
    stencils.iter().map(widen).collect()
}

/// Stencils that cover everything the steps read where a periodic line of `samples` samples, an odd
/// number, goes on with its first pair after its last. That one lacks its detail, and
/// approximations on either side of it find those beyond one pair further away; in a short line
/// again for each time that a step reads around it.
pub(crate) fn around_odd(stencils: &[Stencil], samples: usize) -> Vec<Stencil> {
    let details = (samples / 2) as i32;
    let widen = |&stencil: &Stencil| {
        if stencil.target == Channel::Detail {
            return stencil;
        }
        // From the first pair back, and from the last pair on.
        let first = stencil.first + stencil.first.div_euclid(details);
        let last = stencil.last() + 1 + stencil.last().div_euclid(details);
        Stencil {
            first,
            count: (last - first + 1) as usize,
            ..stencil
        }
    };
    stencils.iter().map(widen).collect()
}

/// The reach of a list of steps, far from any border.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// How many pairs before a pair its results depend on.
    pub before: usize,
    /// How many pairs after a pair its results depend on.
    pub after: usize,
    /// For each step, on how many more pairs it must run, before and after those
    /// whose results are wanted.
    pub steps: Vec<(usize, usize)>,
}

impl Reach {
    /// The reach of `stencils`, in the order in which they run.
    pub fn new(stencils: &[Stencil]) -> Self {
        // Counted backwards from the results: how many pairs of each channel are
        // needed beyond the wanted ones.
        let mut needed = [(0i32, 0i32); 2];
        let mut steps = vec![(0, 0); stencils.len()];
        for (stencil, step) in stencils.iter().zip(&mut steps).rev() {
            let target = needed[stencil.target as usize];
            *step = (target.0 as usize, target.1 as usize);
            let source = &mut needed[stencil.target.other() as usize];
            source.0 = source.0.max(target.0 - stencil.first);
            source.1 = source.1.max(target.1 + stencil.last());
        }
        let [s, d] = [
            needed[Channel::Approximation as usize],
            needed[Channel::Detail as usize],
        ];
        Reach {
            before: s.0.max(d.0) as usize,
            after: s.1.max(d.1) as usize,
            steps,
        }
    }

    /// The same of a list of steps and of those of the inverse, which run the other way.
    pub fn of_both_directions(stencils: &[Stencil]) -> [Self; 2] {
        let mut backwards = stencils.to_vec();
        backwards.reverse();
        [Reach::new(stencils), Reach::new(&backwards)]
    }

    /// How many pairs a piece of a line needs on either side where the line is cut: one more at the
    /// tail, as a cut may leave an approximation without its detail.
    pub fn halo_of_a_cut(&self) -> usize {
        self.before.max(self.after + 1)
    }

    /// How many pairs must be taken from each end of a line so that they, joined to a short
    /// line, have the same outermost results as the whole line: `before` pairs at the head and
    /// `after + 1` at the tail.
    ///
    /// The seam spoils results as far as `before` and `after`, and a boundary rule reads at most
    /// one place further inside than a step reaches outside.
    pub fn border(&self) -> usize {
        self.before + self.after + 3
    }

    /// The pairs of a line of `samples` samples whose results do not depend on the boundary rule.
    /// The range is empty for a line that is short enough to be treated as a border as a whole.
    pub fn inner(&self, samples: usize) -> std::ops::Range<usize> {
        let pairs = samples.div_ceil(2);
        if pairs <= 2 * self.border() {
            0..0
        } else {
            self.before..pairs - self.after - 1
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::transform::reference::{forward_line, inverse_line};
    use crate::wavelet::SampleType;
    use crate::wavelet::{IntegerStep, Wavelet};

    fn reach(wavelet: Wavelet, sample: SampleType) -> Reach {
        Reach::new(&sample.stencils(&wavelet).unwrap())
    }

    #[test]
    fn the_reach_of_known_wavelets() {
        let of = |wavelet, sample| {
            let reach = reach(wavelet, sample);
            (reach.before, reach.after)
        };
        assert_eq!(of(Wavelet::CDF_5_3, SampleType::I16), (1, 1));
        assert_eq!(of(Wavelet::CDF_9_7, SampleType::F32), (2, 2));
        assert_eq!(of(Wavelet::VC2_DD_13_7, SampleType::I32), (3, 3));
        assert_eq!(of(Wavelet::VC2_FIDELITY, SampleType::I32), (7, 7));
        assert_eq!(of(Wavelet::HAAR, SampleType::F64), (0, 0));
        assert_eq!(of(Wavelet::DAUB_4, SampleType::F64), (1, 1));
    }

    #[test]
    fn an_odd_periodic_line_goes_on_with_a_detail_missing() {
        for wavelet in Wavelet::ALL {
            let sample = match wavelet.integer_steps() {
                Some(_) => SampleType::I32,
                None => SampleType::F64,
            };
            let stencils = sample.stencils(wavelet).unwrap();
            for samples in (3..40usize).step_by(2) {
                let pairs = samples.div_ceil(2) as i32;
                let is_detail = |at: &i32| at.rem_euclid(pairs) != pairs - 1;
                for (step, wide) in stencils.iter().zip(around_odd(&stencils, samples)) {
                    let source = step.target.other();
                    // Where the source's samples stand in the stream, from many before the
                    // first target's own pair on.
                    let places: Vec<i32> = (-20 * pairs..20 * pairs)
                        .filter(|at| source == Channel::Approximation || is_detail(at))
                        .collect();
                    let start = places.iter().position(|&at| at == 0).unwrap() as i32;
                    let targets = 0..step.target.count(samples) as i32;
                    let read = targets.flat_map(|target| {
                        let neighbours = target + step.first..=target + step.last();
                        neighbours.map(move |neighbour| (target, neighbour))
                    });
                    let offsets = read.map(|(target, neighbour)| {
                        let place = places[(start + neighbour) as usize];
                        let mapped = Boundary::Periodic.map(source, neighbour.into(), samples);
                        assert_eq!(place.rem_euclid(pairs) as usize, mapped.unwrap());
                        place - target
                    });
                    let offsets: Vec<i32> = offsets.collect();
                    let farthest = (offsets.iter().min(), offsets.iter().max());
                    assert_eq!(
                        farthest,
                        (Some(&wide.first), Some(&wide.last())),
                        "{wavelet} {samples}"
                    );
                }
            }
        }
    }

    #[test]
    fn steps_of_9_7_run_on_ever_fewer_pairs() {
        let reach = reach(Wavelet::CDF_9_7, SampleType::F32);
        assert_eq!(reach.steps, [(2, 1), (1, 1), (1, 0), (0, 0)]);
    }

    /// Compares the results of head and tail of `line`, joined as the border kernel joins them,
    /// with those of the whole line.
    fn check_border(wavelet: &Wavelet, boundary: Boundary, inverse: bool, line: &[i32]) {
        let mut stencils = SampleType::I32.stencils(wavelet).unwrap();
        let lift = if inverse {
            stencils.reverse();
            inverse_line::<i32>
        } else {
            forward_line::<i32>
        };
        let reach = Reach::new(&stencils);
        let pairs = line.len().div_ceil(2);
        let gap = pairs.saturating_sub(2 * reach.border());
        let seam = 2 * reach.border().min(pairs);

        let mut short = line.to_vec();
        short.drain(seam.min(line.len())..(seam + 2 * gap).min(line.len()));
        lift(wavelet, boundary, &mut short);
        let mut whole = line.to_vec();
        lift(wavelet, boundary, &mut whole);

        let inner = reach.inner(line.len());
        for (at, value) in whole.iter().enumerate() {
            if !inner.contains(&(at / 2)) {
                let at_short = if at < seam { at } else { at - 2 * gap };
                assert_eq!(
                    *value,
                    short[at_short],
                    "{wavelet} {boundary} {} at {at}",
                    line.len()
                );
            }
        }
    }

    /// Numbers that look random.
    pub(crate) fn line(samples: usize) -> Vec<i32> {
        let mut state = 12345u32;
        let mut next = || {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 8) as i32 % 100_000
        };
        (0..samples).map(|_| next()).collect()
    }

    #[test]
    fn joined_ends_give_the_results_of_the_whole_line() {
        // The hard cases are wavelets that look far to one side only.
        let lopsided = |first| {
            let taps = [3, -5, 7];
            let steps = [
                IntegerStep::add(Channel::Detail, first, &taps, 1, 2),
                IntegerStep::add(Channel::Approximation, -first - 1, &taps, 1, 2),
                IntegerStep::add(Channel::Detail, first, &taps, 0, 3),
                IntegerStep::subtract(Channel::Detail, -first, &taps, 0, 3),
            ];
            Wavelet::integer("lopsided", &steps, 0).unwrap()
        };
        let wavelets = Wavelet::ALL
            .iter()
            .filter(|&w| w.integer_steps().is_some())
            .cloned()
            .chain((-4..=4).map(lopsided));
        for wavelet in wavelets {
            for &boundary in Boundary::ALL {
                for samples in (2..140).chain([201, 202, 203, 204]) {
                    check_border(&wavelet, boundary, false, &line(samples));
                    check_border(&wavelet, boundary, true, &line(samples));
                }
            }
        }
    }
}
