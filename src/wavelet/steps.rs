//! Lifting steps: which samples they change, which neighbours they read, and what they add.

use super::{Channel, MAX_STEPS, MAX_TAPS};

/// Which samples a step changes, and which of their neighbours it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// The channel that is changed; the other one is read.
    pub target: Channel,
    /// The first neighbour read, relative to the index of the target.
    pub first: i32,
    /// How many consecutive neighbours are read.
    pub count: usize,
}

impl Stencil {
    /// The last neighbour read, relative to the index of the target.
    pub const fn last(self) -> i32 {
        self.first + self.count as i32 - 1
    }
}

/// A lifting step on real numbers: target\[n\] += sum of taps\[i\] * other\[n + first + i\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealStep {
    stencil: Stencil,
    taps: [f64; MAX_TAPS],
}

impl RealStep {
    /// A step that adds to `target`; its first tap is for the neighbour `first` places further. What a
    /// step may not be is refused when a [`Wavelet`](super::Wavelet) is made of it.
    pub const fn new(target: Channel, first: i32, taps: &[f64]) -> Self {
        let mut all = [0.0; MAX_TAPS];
        let mut i = 0;
        while i < taps.len() && i < MAX_TAPS {
            all[i] = taps[i];
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

    /// Which samples are changed and which are read.
    pub const fn stencil(&self) -> Stencil {
        self.stencil
    }

    /// The factors of the neighbours, the first one's first.
    pub fn taps(&self) -> &[f64] {
        &self.taps[..self.stencil.count.min(MAX_TAPS)]
    }
}

/// A lifting step on integers:
/// target\[n\] += (sum of taps\[i\] * other\[n + first + i\] + bias) >> shift.
///
/// The sum is taken modulo 2^32 and read as a signed number, the shift rounds down, and the result is
/// reduced to the sample's width: every input is restored exactly by the inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerStep {
    stencil: Stencil,
    taps: [i32; MAX_TAPS],
    bias: i32,
    shift: u32,
}

impl IntegerStep {
    /// A step that adds (sum + bias) >> shift to `target`. What a step may not be is refused when a
    /// [`Wavelet`](super::Wavelet) is made of it.
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

    /// A step that subtracts (sum + bias) >> shift from `target`, as most standards write it.
    ///
    /// It is kept as an addition: -((t + bias) >> k) = (-t - bias + 2^k - 1) >> k.
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

    /// Which samples are changed and which are read.
    pub const fn stencil(&self) -> Stencil {
        self.stencil
    }

    /// The factors of the neighbours, the first one's first.
    pub fn taps(&self) -> &[i32] {
        &self.taps[..self.stencil.count.min(MAX_TAPS)]
    }

    /// What is added to the sum before the shift.
    pub const fn bias(&self) -> i32 {
        self.bias
    }

    /// By how many bits the sum is shifted right, rounding down.
    pub const fn shift(&self) -> u32 {
        self.shift
    }
}

/// A list of at most [`MAX_STEPS`] steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Steps<S> {
    all: [S; MAX_STEPS],
    count: usize,
}

impl<S: Copy> Steps<S> {
    pub const fn new(steps: &[S]) -> Self {
        assert!(
            !steps.is_empty() && steps.len() <= MAX_STEPS,
            "1 to MAX_STEPS steps"
        );
        let mut all = [steps[0]; MAX_STEPS];
        let mut i = 1;
        while i < steps.len() {
            all[i] = steps[i];
            i += 1;
        }
        Steps {
            all,
            count: steps.len(),
        }
    }

    pub fn as_slice(&self) -> &[S] {
        &self.all[..self.count]
    }
}
