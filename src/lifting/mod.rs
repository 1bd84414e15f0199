//! When and where lifting steps run: how far they reach, how they are scheduled on a stream,
//! how a signal is extended beyond its ends, which filters the steps amount to, and the macros
//! that specialise the kernels.

pub(crate) mod extension;
pub(crate) mod filters;
pub(crate) mod prelude;
pub(crate) mod reach;
pub(crate) mod schedule;
