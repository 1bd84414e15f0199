//! The two polyphase channels of a signal, and the two directions of a transform.

/// One of the two polyphase channels of a signal. There will never be another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The even samples, which become the approximation (low-pass) coefficients.
    Approximation = 0,
    /// The odd samples, which become the detail (high-pass) coefficients.
    Detail = 1,
}

impl Channel {
    /// Returns how many samples this channel has in a signal of `samples` samples.
    pub const fn count(self, samples: usize) -> usize {
        match self {
            Channel::Approximation => samples.div_ceil(2),
            Channel::Detail => samples / 2,
        }
    }

    /// Returns the other channel.
    pub const fn other(self) -> Self {
        match self {
            Channel::Approximation => Channel::Detail,
            Channel::Detail => Channel::Approximation,
        }
    }
}

/// The direction of a transform: forward (analysis) or inverse (synthesis).
/// There will never be another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From samples to coefficients.
    Forward,
    /// From coefficients to samples.
    Inverse,
}
