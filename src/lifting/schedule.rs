//! When each lifting step can run while pairs of samples arrive one at a time.
//!
//! A streaming kernel reads pair t and then applies each step k once, to pair t - lag(k), in place.
//! The lag must be large enough that everything the step reads has arrived and has passed the
//! earlier steps, and that the step overwrites nothing that an earlier step still has to read.

use crate::wavelet::{Channel, Stencil};

/// The schedule of a list of steps, far from any border.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lags {
    /// For each step, how many pairs behind the newest it runs.
    pub steps: Vec<usize>,
    /// How many pairs behind the newest both channels have their final values.
    pub last: usize,
    /// The length of the delay line: how many pairs must be stored, including the newest.
    pub kept: usize,
    /// For approximations and for details, how many pairs behind the newest they
    /// are last read or written.
    pub oldest: [usize; 2],
    /// The same of where they are first read or written: until then they need not be there.
    pub newest: [usize; 2],
}

impl Lags {
    /// The schedule of `stencils`, in the order in which they run.
    pub fn new(stencils: &[Stencil]) -> Self {
        let mut lags: Vec<i32> = Vec::new();
        for (k, step) in stencils.iter().enumerate() {
            let earlier = stencils[..k].iter().zip(&lags);
            let lag = earlier.fold(step.last().max(0), |lag, (before, &its_lag)| {
                lag.max(if before.target == step.target {
                    its_lag
                } else {
                    // What the step reads is complete, and what it overwrites has been read.
                    (its_lag + step.last()).max(its_lag - before.first)
                })
            });
            lags.push(lag);
        }
        let last = lags.iter().copied().max().unwrap_or(0);
        let oldest = [Channel::Approximation, Channel::Detail].map(|channel| {
            let touched = stencils.iter().zip(&lags).map(|(step, &lag)| {
                if step.target == channel {
                    lag
                } else {
                    lag - step.first
                }
            });
            touched.max().unwrap_or(0).max(last) as usize
        });
        let newest = [Channel::Approximation, Channel::Detail].map(|channel| {
            let touched = stencils.iter().zip(&lags).map(|(step, &lag)| {
                if step.target == channel {
                    lag
                } else {
                    lag - step.last()
                }
            });
            touched.min().unwrap_or(0).clamp(0, last) as usize
        });
        Lags {
            steps: lags.into_iter().map(|lag| lag as usize).collect(),
            last: last as usize,
            kept: oldest[0].max(oldest[1]) + 1,
            oldest,
            newest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifting::reach::effective;
    use crate::wavelet::SampleType;
    use crate::wavelet::{Channel, IntegerStep, Wavelet};

    /// The lags of a wavelet's steps, and the length of the delay line, after `change`
    /// has changed the stencils.
    fn lags(
        wavelet: Wavelet,
        inverse: bool,
        change: fn(&[Stencil]) -> Vec<Stencil>,
    ) -> (Vec<usize>, usize) {
        let sample = match wavelet.integer_steps() {
            Some(_) => SampleType::I32,
            None => SampleType::F64,
        };
        let mut stencils = sample.stencils(&wavelet).unwrap();
        if inverse {
            stencils.reverse();
        }
        let lags = Lags::new(&change(&stencils));
        (lags.steps, lags.kept)
    }

    #[test]
    fn channels_are_touched_from_the_newest_pair_to_the_oldest() {
        let touched = |wavelet: Wavelet, sample: SampleType, inverse: bool| {
            let mut stencils = sample.stencils(&wavelet).unwrap();
            if inverse {
                stencils.reverse();
            }
            let lags = Lags::new(&stencils);
            [0, 1].map(|channel| (lags.newest[channel], lags.oldest[channel]))
        };
        let real = SampleType::F64;
        // Two samples of each channel stay between one pair and the next.
        assert_eq!(touched(Wavelet::CDF_9_7, real, false), [(0, 2), (1, 3)]);
        assert_eq!(touched(Wavelet::CDF_9_7, real, true), [(0, 2), (0, 2)]);
        assert_eq!(touched(Wavelet::CDF_5_3, real, false), [(0, 1), (1, 2)]);
        assert_eq!(touched(Wavelet::HAAR, real, false), [(0, 0), (0, 0)]);
    }

    #[test]
    fn the_lags_of_known_wavelets() {
        for (wavelet, forward, inverse) in [
            (Wavelet::CDF_5_3, (vec![1, 1], 3), (vec![0, 1], 2)),
            (
                Wavelet::CDF_9_7,
                (vec![1, 1, 2, 2], 4),
                (vec![0, 1, 1, 2], 3),
            ),
            (Wavelet::VC2_DD_9_7, (vec![2, 3], 5), (vec![0, 2], 4)),
            (Wavelet::CCSDS_9_7_M, (vec![2, 3], 5), (vec![0, 2], 4)),
            (Wavelet::VC2_DD_13_7, (vec![2, 3], 6), (vec![1, 3], 5)),
            (Wavelet::VC2_FIDELITY, (vec![3, 7], 11), (vec![4, 7], 12)),
            (Wavelet::VC2_HAAR_0, (vec![0, 0], 1), (vec![0, 0], 1)),
            (Wavelet::DAUB_4, (vec![0, 0, 1], 2), (vec![1, 1, 2], 3)),
        ] {
            assert_eq!(
                lags(wavelet.clone(), false, <[_]>::to_vec),
                forward,
                "{wavelet} forward"
            );
            assert_eq!(
                lags(wavelet.clone(), true, <[_]>::to_vec),
                inverse,
                "{wavelet} inverse"
            );
        }
    }

    #[test]
    fn boundary_rules_can_need_larger_lags() {
        for (wavelet, forward, inverse) in [
            (Wavelet::CDF_5_3, (vec![1, 1], 3), (vec![0, 1], 2)),
            (
                Wavelet::CDF_9_7,
                (vec![1, 1, 2, 2], 4),
                (vec![0, 1, 1, 2], 3),
            ),
            (Wavelet::VC2_DD_9_7, (vec![2, 3], 5), (vec![0, 2], 4)),
            (Wavelet::VC2_DD_13_7, (vec![2, 3], 6), (vec![1, 3], 5)),
            (Wavelet::VC2_FIDELITY, (vec![3, 7], 11), (vec![4, 7], 12)),
            (Wavelet::HAAR, (vec![0, 0], 2), (vec![0, 1], 2)),
            (Wavelet::DAUB_4, (vec![0, 1, 2], 5), (vec![1, 3, 4], 6)),
        ] {
            assert_eq!(
                lags(wavelet.clone(), false, effective),
                forward,
                "{wavelet} forward"
            );
            assert_eq!(
                lags(wavelet.clone(), true, effective),
                inverse,
                "{wavelet} inverse"
            );
        }
    }

    /// Streams a line through the schedule and compares the result with that of running
    /// each step on the whole line.
    fn check_stream(steps: &[IntegerStep]) {
        let stencils: Vec<Stencil> = steps.iter().map(IntegerStep::stencil).collect();
        let lags = Lags::new(&stencils);
        let pairs = 120;
        let skipped = 40;
        let start: Vec<[i64; 2]> = (0..pairs).map(|i| [i * i % 97, i * 31 % 89]).collect();

        let lift = |line: &[[i64; 2]], step: &IntegerStep, n: i64| -> i64 {
            let stencil = step.stencil();
            let source = stencil.target.other() as usize;
            let terms = step.taps().iter().enumerate().map(|(i, &tap)| {
                let at = n + i64::from(stencil.first) + i as i64;
                let value = usize::try_from(at).ok().and_then(|at| line.get(at));
                i64::from(tap) * value.map_or(0, |pair| pair[source])
            });
            line[n as usize][stencil.target as usize] + terms.sum::<i64>() % 1009
        };
        let mut whole = start.clone();
        for step in steps {
            for n in 0..pairs {
                whole[n as usize][step.stencil().target as usize] = lift(&whole, step, n);
            }
        }
        let mut line = Vec::new();
        for (t, pair) in start.into_iter().enumerate() {
            line.push(pair);
            // What has left the delay line must not be read.
            for (channel, oldest) in lags.oldest.into_iter().enumerate() {
                if let Some(gone) = t.checked_sub(oldest + 1) {
                    line[gone][channel] = 1 << 40;
                }
            }
            for (step, &lag) in steps.iter().zip(&lags.steps) {
                let Some(n) = t.checked_sub(lag) else {
                    continue;
                };
                line[n][step.stencil().target as usize] = lift(&line, step, n as i64);
            }
            if let Some(done) = t.checked_sub(lags.last)
                && (skipped as usize..(pairs - skipped) as usize).contains(&done)
            {
                assert_eq!(line[done], whole[done], "{stencils:?} pair {done}");
            }
        }
    }

    #[test]
    fn streaming_gives_what_whole_steps_give() {
        use Channel::{Approximation as S, Detail as D};
        for wavelet in Wavelet::ALL {
            let Some(steps) = wavelet.integer_steps() else {
                continue;
            };
            check_stream(steps);
            let mut backwards = steps.to_vec();
            backwards.reverse();
            check_stream(&backwards);
        }
        // Steps that look to one side only, as those of Daubechies 4 do.
        for (a, b, c) in [(0, -1, 1), (2, -3, 1), (-2, 3, -1), (-4, -4, -4), (3, 3, 3)] {
            for targets in [[S, D, S], [D, S, D], [S, S, D], [D, S, S]] {
                check_stream(&[
                    IntegerStep::add(targets[0], a, &[2], 0, 0),
                    IntegerStep::add(targets[1], b, &[3, -1], 0, 0),
                    IntegerStep::add(targets[2], c, &[1], 0, 0),
                ]);
            }
        }
    }
}
