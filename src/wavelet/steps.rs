//! Lifting steps: which samples they change, which neighbours they read, and what they add.

use super::{Channel, MAX_TAPS};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The samples that a lifting step changes and the neighbours that it reads for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stencil {
    /// The channel that the step changes. It reads the other channel.
    pub target: Channel,
    /// The index of the first neighbour that is read, relative to the index of the changed sample.
    pub first: i32,
    /// The number of consecutive neighbours that are read.
    pub count: usize,
}

impl Stencil {
    /// Returns the index of the last neighbour that is read, relative to the index of the changed
    /// sample; of a stencil that no wavelet has, the largest one at most.
    pub const fn last(self) -> i32 {
        let most = i32::MAX as usize;
        let count = if self.count < most { self.count } else { most };
        self.first.saturating_add(count as i32 - 1)
    }
}

/// A lifting step on real samples: target\[n\] += sum of taps\[i\] * other\[n + first + i\].
///
/// Steps are equal if their taps are, bit for bit; a tap of -0.0 is stored as 0.0.
#[derive(Clone, Copy, Debug)]
pub struct RealStep {
    stencil: Stencil,
    taps: [f64; MAX_TAPS],
}

impl RealStep {
    /// Makes a step that adds to the channel `target`. Its first tap belongs to the
    /// neighbour whose index is larger by `first`. Steps are checked when a
    /// [`Wavelet`](super::Wavelet) is made of them.
    pub const fn new(target: Channel, first: i32, taps: &[f64]) -> Self {
        let mut all = [0.0; MAX_TAPS];
        let mut i = 0;
        while i < taps.len() && i < MAX_TAPS {
            all[i] = plain_zero(taps[i]);
            i += 1;
        }
        let count = taps.len();
        RealStep {
            stencil: Stencil {
                target,
                first,
                count,
            },
            taps: all,
        }
    }

    /// Returns which samples the step changes and which it reads.
    pub const fn stencil(&self) -> Stencil {
        self.stencil
    }

    /// Returns the factors of the neighbours, in the order of their indices.
    pub fn taps(&self) -> &[f64] {
        &self.taps[..self.stencil.count.min(MAX_TAPS)]
    }
}

impl RealStep {
    fn bits(&self) -> (Stencil, [u64; MAX_TAPS]) {
        (self.stencil, self.taps.map(f64::to_bits))
    }
}

impl PartialEq for RealStep {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for RealStep {}

impl Hash for RealStep {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

/// The number itself, with 0.0 for -0.0, so that equal numbers have equal bits.
pub(super) const fn plain_zero(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

/// A lifting step on integer samples:
/// target\[n\] += (sum of taps\[i\] * other\[n + first + i\] + bias) >> shift.
///
/// The sum is taken modulo 2^32 and read as a signed number, the shift rounds down, and the result
/// is reduced to the sample's width, so that the inverse restores every input exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerStep {
    stencil: Stencil,
    taps: [i32; MAX_TAPS],
    bias: i32,
    shift: u32,
}

impl IntegerStep {
    /// Makes a step that adds (sum + bias) >> shift to the channel `target`. The first of `taps`
    /// belongs to the neighbour whose index is larger by `first`. Steps are checked when a
    /// [`Wavelet`](super::Wavelet) is made of them.
    pub const fn add(target: Channel, first: i32, taps: &[i32], bias: i32, shift: u32) -> Self {
        let mut all = [0; MAX_TAPS];
        let mut i = 0;
        while i < taps.len() && i < MAX_TAPS {
            all[i] = taps[i];
            i += 1;
        }
        let count = taps.len();
        let stencil = Stencil {
            target,
            first,
            count,
        };
        IntegerStep {
            stencil,
            taps: all,
            bias,
            shift,
        }
    }

    /// Makes a step that subtracts (sum + bias) >> shift from the channel `target`, as
    /// most standards write it. The first of `taps` belongs to the neighbour whose
    /// index is larger by `first`.
    ///
    /// The step is stored as an addition, with -((t + bias) >> k) = (-t - bias + 2^k - 1) >> k, so
    /// [`taps`](Self::taps) and [`bias`](Self::bias) return other values than those given here. The
    /// two forms agree as long as -t - bias + 2^k - 1 fits 32 bits; beyond that it is the sum of
    /// the addition that wraps.
    pub const fn subtract(
        target: Channel,
        first: i32,
        taps: &[i32],
        bias: i32,
        shift: u32,
    ) -> Self {
        let mut step = Self::add(target, first, taps, 0, shift);
        let mut i = 0;
        while i < MAX_TAPS {
            step.taps[i] = step.taps[i].wrapping_neg();
            i += 1;
        }
        step.bias = 1i32.wrapping_shl(shift).wrapping_sub(1).wrapping_sub(bias);
        step
    }

    /// Returns which samples the step changes and which it reads.
    pub const fn stencil(&self) -> Stencil {
        self.stencil
    }

    /// Returns the factors of the neighbours, in the order of their indices.
    pub fn taps(&self) -> &[i32] {
        &self.taps[..self.stencil.count.min(MAX_TAPS)]
    }

    /// Returns the number that is added to the sum before the shift.
    pub const fn bias(&self) -> i32 {
        self.bias
    }

    /// Returns by how many bits the sum is shifted right, rounding down.
    pub const fn shift(&self) -> u32 {
        self.shift
    }
}

/// A list of steps that is cheap to clone: one of the table, or one of a user,
/// shared among its clones.
#[derive(Clone)]
pub(super) enum Steps<S: 'static> {
    Table(&'static [S]),
    Shared(Arc<[S]>),
}

impl<S> std::ops::Deref for Steps<S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        match self {
            Steps::Table(steps) => steps,
            Steps::Shared(steps) => steps,
        }
    }
}

impl<S: PartialEq> PartialEq for Steps<S> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<S: Eq> Eq for Steps<S> {}

impl<S: Hash> Hash for Steps<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_stencil_is_past_all_numbers() {
        let last = |first, count| {
            let target = Channel::Detail;
            let stencil = Stencil {
                target,
                first,
                count,
            };
            stencil.last()
        };
        assert_eq!([last(-1, 2), last(0, 1), last(3, 0)], [0, 0, 2]);
        assert_eq!(last(i32::MAX, 2), i32::MAX);
        assert_eq!(last(-1, usize::MAX), i32::MAX - 2);
        assert_eq!(last(i32::MIN, 1), i32::MIN);
    }
}
