//! The boundary rule: what a lifting step reads in place of neighbours outside the signal.

use super::Channel;
use crate::names::named;

/// The boundary rule: what a lifting step reads in place of a neighbour outside the signal. It is
/// applied to the neighbour's index at every step.
///
/// Under every rule the transform has as many coefficients as samples and is invertible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Boundary {
    /// The signal is mirrored about its first and its last sample, repeatedly if needed. This is
    /// the whole-sample symmetry of JPEG 2000 and CCSDS 122, and for CDF 9/7 and 5/3 the mode
    /// `reflect` of PyWavelets.
    Symmetric,
    /// Each channel repeats periodically. On even lengths this is the mode
    /// `periodization` of PyWavelets.
    Periodic,
    /// The index is clamped to the nearest sample of the same channel, as
    /// in VC-2 (SMPTE ST 2042-1).
    Clamp,
    /// A missing neighbour counts as zero.
    Zero,
}

impl Boundary {
    /// All boundary rules. The kernels number them in this order, from 0.
    pub const ALL: &'static [Boundary] = &[
        Boundary::Symmetric,
        Boundary::Periodic,
        Boundary::Clamp,
        Boundary::Zero,
    ];

    /// Returns the name of the rule, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Boundary::Symmetric => "symmetric",
            Boundary::Periodic => "periodic",
            Boundary::Clamp => "clamp",
            Boundary::Zero => "zero",
        }
    }

    pub(crate) fn number(self) -> i32 {
        Self::ALL.iter().position(|&rule| rule == self).unwrap() as i32
    }

    /// Maps the index of a wanted sample of `channel` to the index that is read instead, in a
    /// signal of `samples` samples. The result lies within the channel; it is `None` where the
    /// value counts as zero, as it always does in an empty channel.
    pub fn map(self, channel: Channel, index: i64, samples: usize) -> Option<usize> {
        let count = channel.count(samples);
        if let Ok(inside) = usize::try_from(index)
            && inside < count
        {
            return Some(inside);
        }
        if count < 2 {
            return (count == 1 && self != Boundary::Zero).then_some(0);
        }
        // 128 bits suffice for any index and any length.
        let (index, n, count) = (i128::from(index), samples as i128, count as i128);
        let mapped = match self {
            Boundary::Symmetric => {
                let parity = channel as i128;
                let place = (2 * index + parity).rem_euclid(2 * (n - 1));
                (place.min(2 * (n - 1) - place) - parity) / 2
            }
            Boundary::Periodic => index.rem_euclid(count),
            Boundary::Clamp => index.clamp(0, count - 1),
            Boundary::Zero => return None,
        };
        Some(mapped as usize)
    }
}

named!(Boundary, "boundary");

#[cfg(test)]
mod tests {
    use super::*;
    use Channel::{Approximation, Detail};

    #[test]
    fn symmetric_mirrors_signal_places() {
        // Places of a signal of 5: 4 3 2 1 | 0 1 2 3 4 | 3 2 1 0 1 ...
        let low = |i| Boundary::Symmetric.map(Approximation, i, 5).unwrap();
        let high = |i| Boundary::Symmetric.map(Detail, i, 5).unwrap();
        assert_eq!([low(-2), low(-1), low(3), low(4), low(5)], [2, 1, 1, 0, 1]);
        assert_eq!([high(-2), high(-1), high(2), high(3)], [1, 0, 1, 0]);
    }

    #[test]
    fn symmetric_repeats_on_two_samples() {
        for i in -9..9 {
            assert_eq!(Boundary::Symmetric.map(Approximation, i, 2), Some(0));
            assert_eq!(Boundary::Symmetric.map(Detail, i, 2), Some(0));
        }
    }

    #[test]
    fn periodic_and_clamp_stay_in_the_channel() {
        // Three approximation and two detail samples.
        let wrap = |c, i| Boundary::Periodic.map(c, i, 5).unwrap();
        assert_eq!([wrap(Approximation, -1), wrap(Approximation, 3)], [2, 0]);
        assert_eq!([wrap(Detail, -1), wrap(Detail, 2)], [1, 0]);
        let clamp = |c, i| Boundary::Clamp.map(c, i, 5).unwrap();
        assert_eq!([clamp(Approximation, -7), clamp(Approximation, 7)], [0, 2]);
        assert_eq!([clamp(Detail, -7), clamp(Detail, 7)], [0, 1]);
    }

    #[test]
    fn zero_is_nowhere_outside() {
        assert_eq!(Boundary::Zero.map(Detail, -1, 5), None);
        assert_eq!(Boundary::Zero.map(Detail, 2, 5), None);
        assert_eq!(Boundary::Zero.map(Detail, 1, 5), Some(1));
    }

    #[test]
    fn names_round_trip() {
        for &rule in Boundary::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
        }
        assert!("mirror".parse::<Boundary>().is_err());
    }
}
