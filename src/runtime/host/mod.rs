//! Slices of the host on their way through a transform.

mod array;
mod bands;
mod batch;
mod belt;
mod borrowed;
mod conveyor;
mod copies;
mod crew;
mod file;
mod fresh;
mod members;
mod pages;
mod past_caches;
mod pending;
mod pile;
mod ring;
mod route;
mod rows;
mod store;
mod stream;
mod through_ring;
mod tile_plans;
mod tiled;
mod traffic;
mod transit;

pub use array::PinnedArray;
pub(super) use borrowed::{stands_at, where_they_stand};
pub use file::{SinkFile, SourceFile};
pub(super) use fresh::ask_for_huge_pages;
pub use pending::{Pending, SubmitError};
pub use store::{Sink, Source};
pub use stream::{Feeder, ReadFrame, Reader, WriteFrame};
pub(super) use through_ring::{Kept, copy_threads};
pub use tiled::{Progress, TiledPlan};
pub(super) use transit::Transit;
