//! The factors of the two channels.

use super::Channel;
use super::steps::plain_zero;
use std::hash::{Hash, Hasher};

/// The factors by which the two channels are multiplied after the last forward step. The inverse
/// divides by them before its first step.
///
/// Scales are equal if their factors are, bit for bit, where -0.0 is taken for 0.0.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The factor of the approximation channel.
    pub approximation: f64,
    /// The factor of the detail channel.
    pub detail: f64,
}

impl Scale {
    /// No scaling.
    pub const NONE: Scale = Scale {
        approximation: 1.0,
        detail: 1.0,
    };

    /// Returns the factor of a channel.
    pub const fn of(self, channel: Channel) -> f64 {
        match channel {
            Channel::Approximation => self.approximation,
            Channel::Detail => self.detail,
        }
    }
}

impl Scale {
    fn bits(self) -> [u64; 2] {
        [self.approximation, self.detail].map(|factor| plain_zero(factor).to_bits())
    }
}

impl PartialEq for Scale {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Scale {}

impl Hash for Scale {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}
