//! The two filters that lifting factors: the taps that a result of each channel has
//! on the inputs around it.

use crate::wavelet::{Channel, Direction, RealStep, Wavelet};
use std::collections::BTreeMap;

/// A factor of input `offset` places further in its channel than the result in its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tap {
    pub channel: Channel,
    pub offset: i32,
    pub factor: f64,
}

/// A filter while it is derived: its factors by channel and offset.
#[derive(Clone, Default)]
struct Filter {
    factors: BTreeMap<(u8, i32), f64>,
}

impl Filter {
    fn input(channel: Channel, factor: f64) -> Self {
        let factors = BTreeMap::from([((channel as u8, 0), factor)]);
        Filter { factors }
    }

    /// Adds another filter, moved and multiplied.
    fn add(&mut self, other: &Filter, offset: i32, factor: f64) {
        for (&(channel, at), &tap) in &other.factors {
            *self.factors.entry((channel, at + offset)).or_default() += factor * tap;
        }
    }

    /// Taps that cancel leave what their rounding is.
    fn taps(self) -> Vec<Tap> {
        let largest = self
            .factors
            .values()
            .fold(0.0, |most: f64, tap| most.max(tap.abs()));
        let is_tap = |(_, factor): &(_, f64)| factor.abs() > 16.0 * f64::EPSILON * largest;
        let taps = self.factors.into_iter().filter(is_tap);
        let channels = [Channel::Approximation, Channel::Detail];
        taps.map(|((channel, offset), factor)| Tap {
            channel: channels[usize::from(channel)],
            offset,
            factor,
        })
        .collect()
    }
}

/// The filters of approximations and of details by a wavelet's real steps, scaling included, away
/// from borders: forward those of the analysis; inverse those of the synthesis, for even and for
/// odd samples. None where there are no real steps.
pub(crate) fn filters(wavelet: &Wavelet, direction: Direction) -> Option<[Vec<Tap>; 2]> {
    let steps = wavelet.real_steps()?;
    let scale = [wavelet.scale().approximation, wavelet.scale().detail];
    let channels = [Channel::Approximation, Channel::Detail];
    let (load, sign) = match direction {
        Direction::Forward => ([1.0; 2], 1.0),
        Direction::Inverse => (scale.map(|factor| 1.0 / factor), -1.0),
    };
    let mut filters = [0, 1].map(|c| Filter::input(channels[c], load[c]));
    let mut run = |step: &RealStep| {
        let stencil = step.stencil();
        let source = filters[stencil.target.other() as usize].clone();
        for (offset, tap) in (stencil.first..).zip(step.taps()) {
            filters[stencil.target as usize].add(&source, offset, sign * tap);
        }
    };
    match direction {
        Direction::Forward => steps.iter().for_each(&mut run),
        Direction::Inverse => steps.iter().rev().for_each(&mut run),
    }
    if direction == Direction::Forward {
        for (filter, factor) in filters.iter_mut().zip(scale) {
            filter.factors.values_mut().for_each(|tap| *tap *= factor);
        }
    }
    Some(filters.map(Filter::taps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::reference::{forward_line, inverse_line};
    use crate::wavelet::{Boundary, Scale};

    /// An analysis filter in the order of the signal: its first place, counted from the
    /// result's, and its taps there.
    fn published(wavelet: Wavelet, channel: Channel) -> (i32, Vec<f64>) {
        let filters = filters(&wavelet, Direction::Forward).unwrap();
        let place = |tap: &Tap| 2 * tap.offset + tap.channel as i32 - channel as i32;
        let taps = &filters[channel as usize];
        let places = taps.iter().map(|tap| (place(tap), tap.factor));
        let places: BTreeMap<i32, f64> = places.collect();
        let (first, last) = (*places.keys().min().unwrap(), *places.keys().max().unwrap());
        assert_eq!(places.len() as i32, last - first + 1, "{places:?}");
        (first, places.into_values().collect())
    }

    #[track_caller]
    fn assert_published(wavelet: Wavelet, channel: Channel, first: i32, taps: &[f64]) {
        let got = published(wavelet, channel);
        assert_eq!((got.0, got.1.len()), (first, taps.len()));
        for (got, expected) in got.1.iter().zip(taps) {
            assert!((got - expected).abs() < 1e-12, "{got}, not {expected}");
        }
    }

    #[test]
    fn filters_of_9_7() {
        // ISO/IEC 15444-1 (JPEG 2000); Cohen, Daubechies and Feauveau 1992 have
        // sqrt(2) times the first.
        let [a, b, c, d, e] = [
            0.602949018236358,
            0.266864118442872,
            -0.078223266528988,
            -0.016864118442875,
            0.026748757410810,
        ];
        let low = [e, d, c, b, a, b, c, d, e];
        assert_published(Wavelet::CDF_9_7, Channel::Approximation, -4, &low);
        let [a, b, c, d] = [
            1.115087052456994,
            -0.591271763114247,
            -0.057543526228500,
            0.091271763114250,
        ];
        let high = [d, c, b, a, b, c, d];
        assert_published(Wavelet::CDF_9_7, Channel::Detail, -3, &high);
    }

    #[test]
    fn filters_of_5_3() {
        let low = [-0.125, 0.25, 0.75, 0.25, -0.125];
        assert_published(Wavelet::CDF_5_3, Channel::Approximation, -2, &low);
        assert_published(Wavelet::CDF_5_3, Channel::Detail, -1, &[-0.5, 1.0, -0.5]);
    }

    #[test]
    fn filters_of_daubechies_4() {
        let root = 3f64.sqrt();
        let low = [1.0 + root, 3.0 + root, 3.0 - root, 1.0 - root];
        let low = low.map(|tap| tap / (4.0 * 2f64.sqrt()));
        let mut high = [-low[3], low[2], -low[1], low[0]];
        let (first, _) = published(Wavelet::DAUB_4, Channel::Approximation);
        assert_published(Wavelet::DAUB_4, Channel::Approximation, first, &low);
        // The sign of the other filter and its place are free: lifting gives one of them.
        let (first, taps) = published(Wavelet::DAUB_4, Channel::Detail);
        if taps[0] * high[0] < 0.0 {
            high = high.map(|tap| -tap);
        }
        assert_published(Wavelet::DAUB_4, Channel::Detail, first, &high);
    }

    /// The results of a filter for all pairs of a line that it does not reach out of.
    fn filtered(taps: &[Tap], line: &[f64]) -> Vec<(usize, f64)> {
        let pairs = line.len() / 2;
        let value = |n: usize| {
            let terms = taps.iter().map(|tap| {
                let at = 2 * (n as i32 + tap.offset) + tap.channel as i32;
                let sample = usize::try_from(at).ok().and_then(|at| line.get(at));
                sample.map(|sample| tap.factor * sample)
            });
            Some((n, terms.sum::<Option<f64>>()?))
        };
        (0..pairs).filter_map(value).collect()
    }

    #[test]
    fn filters_give_what_lifting_gives() {
        let one_sided = [
            RealStep::new(Channel::Detail, -3, &[0.5, -0.25]),
            RealStep::new(Channel::Approximation, 1, &[0.75]),
            RealStep::new(Channel::Detail, 0, &[1.5]),
        ];
        let scale = Scale {
            approximation: 0.5,
            detail: 3.0,
        };
        let one_sided = Wavelet::real("one-sided", &one_sided, scale).unwrap();
        let real = Wavelet::ALL
            .iter()
            .filter(|&one| one.real_steps().is_some())
            .cloned();
        for wavelet in real.chain([one_sided]) {
            let line: Vec<f64> = (0..64)
                .map(|i| ((i * i * 37) % 101) as f64 - 50.0)
                .collect();
            for direction in [Direction::Forward, Direction::Inverse] {
                let mut expected = line.clone();
                match direction {
                    Direction::Forward => forward_line(&wavelet, Boundary::Zero, &mut expected),
                    Direction::Inverse => inverse_line(&wavelet, Boundary::Zero, &mut expected),
                }
                let filters = filters(&wavelet, direction).unwrap();
                for (channel, taps) in filters.iter().enumerate() {
                    let results = filtered(taps, &line);
                    assert!(results.len() > 20);
                    // Beyond the reach of all steps, borders make no difference.
                    for (n, value) in results.into_iter().filter(|(n, _)| (8..24).contains(n)) {
                        let error = value - expected[2 * n + channel];
                        assert!(
                            error.abs() < 1e-11,
                            "{wavelet} {direction:?} at {n}: {error}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn integers_alone_have_no_filters() {
        assert!(filters(&Wavelet::VC2_DD_9_7, Direction::Forward).is_none());
    }
}
