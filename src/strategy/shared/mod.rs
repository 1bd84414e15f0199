//! What several strategies have in common: how lines go on beyond their border, which lines an axis
//! has and how they are cut, pixels, and what CPUs have.

pub(super) mod border;
pub(super) mod cpu;
pub(super) mod line_ends;
pub(super) mod lines;
pub(super) mod pixels;
