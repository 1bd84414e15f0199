//! The layout of coefficients.

use crate::names::named;

/// The layout of the coefficients: where they stand in an array of the input's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Planar: along each axis of n samples the ceil(n/2) low-pass coefficients come
    /// first, then the high-pass ones. The next level recurses into the LL band, which is
    /// at the start of every axis.
    Mallat,
    /// Interleaved: coefficients stay where their samples were. Level l works on every 2^(l-1)-th
    /// place along each transformed axis.
    Interleaved,
}

impl Layout {
    /// All layouts.
    pub const ALL: &'static [Layout] = &[Layout::Mallat, Layout::Interleaved];

    /// Returns the name of the layout, as [`FromStr`](std::str::FromStr) reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Mallat => "mallat",
            Layout::Interleaved => "interleaved",
        }
    }
}

named!(Layout, "layout");
