//! Slices of the host on their way through a transform.

mod belt;
mod borrowed;
mod past_caches;
mod pinned;
mod ring;

pub(super) use borrowed::{stands_at, where_they_stand};
pub(super) use pinned::{Kept, copy_threads, through_ring};
