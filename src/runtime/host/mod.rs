//! Slices of the host on their way through a transform.

mod borrowed;

pub(super) use borrowed::{stands_at, where_they_stand};
