//! Slices of the host on their way through a transform.
//!
//! Which call goes by which files, who owns the memory that the device works on or copies from
//! and to, and who waits for the device. `Plan::forward` and `inverse` take the first of the
//! four rows that they can:
//!
//! | call | where | files | memory | who waits |
//! |---|---|---|---|---|
//! | `Plan::forward`, `inverse` | the plan has turned to tiles | `tiled.rs`, as below | as below | the call |
//! | | a CPU device takes slices where they stand | `borrowed.rs` | the caller's slices | the call; where it cannot, the program ends |
//! | | several threads copy 8 MiB and more | `threads.rs`, `through_ring/`, `ring.rs`, `belt.rs`; `transit.rs`, `route.rs` | the engine's ring; arrays of the plan's `Transit` | the call, which makes all OpenCL calls; threads of its own only copy |
//! | | else | `plan/slices.rs` | the plan's two staging arrays | the call, while the driver copies |
//! | `Plan::forward_pinned`, `inverse_pinned` | not in tiles | `transit.rs`, `flight.rs`, `route.rs`, `copies.rs` | pinned arrays of the caller's, borrowed; arrays of the `Transit` | the call |
//! | `Plan::submit` and its like | | `pending.rs`, `flight.rs`, `route.rs`, `copies.rs` | pinned arrays, which the `Pending` owns; arrays of the `Transit` | `Pending::wait`, or its drop |
//! | `Plan::stream` and its like | | `stream/`, then as `submit` | pinned arrays, which the stream owns; arrays of its own plan's `Transit` | `Reader::next`; `Feeder::frame` where there is no reader |
//! | `TiledPlan` of one engine or of a group | a CPU device takes tiles where they stand | `tiled.rs`, `tile_plans.rs`, `tile_sizes.rs`, `carrier.rs`, `members.rs`, `sweep.rs`, `pile.rs`, `crew/`; `traffic.rs`, then as `submit` | pinned slots of the tiled plan | a thread for each device, one of them the caller's; others only copy |
//! | | else | the same; `conveyor/` instead of `traffic.rs` | pinned pieces, and arrays for two tiles at most, of the tiled plan | the same |
//!
//! A route goes over the transform as a whole, in stripes of rows (`stripes/`) or in parts of a
//! batch (`batch.rs`). On CPU devices that take memory of the host where it stands, what goes
//! by `flight.rs` is not copied either. Tiles come from and go to slices or files (`store.rs`,
//! `shared_slice.rs`, `file.rs`), line by line (`lines.rs`). Memory that a lost device may
//! still use is never given back: rings, pinned arrays and conveyors are given up then, and
//! borrowed slices end the program.
//!
//! Each word stands for one thing here:
//!
//! | word | what it is |
//! |---|---|
//! | direction, heading | forward or inverse; up to the device or down to the host |
//! | route, step | what a transform does from host to host; one copy of rows, or the kernels between copies |
//! | part | of a transform, with a plan of its own: a stripe of a picture, or some pictures of a batch |
//! | slot, piece | memory that is used in turn; what a slot holds, of a copy or of a tile |
//! | chunk | of a piece, what one thread copies at a time |
//! | stage, sweep | some levels in tiles; all tiles of a stage, as one device takes them |
//! | row, line | bytes that OpenCL copies by pitches; samples that are equally far apart in an array and in a tile |

mod array;
mod batch;
mod belt;
mod borrowed;
mod carrier;
mod conveyor;
mod copies;
mod crew;
mod file;
mod flight;
mod fresh;
mod lines;
mod members;
mod pages;
mod past_caches;
mod pending;
mod pile;
mod ring;
mod route;
mod shared_slice;
mod store;
mod stream;
mod stripes;
mod sweep;
mod threads;
mod through_ring;
mod tile_plans;
mod tile_sizes;
mod tiled;
mod traffic;
mod transit;

pub use array::PinnedArray;
pub(super) use borrowed::{stands_at, where_they_stand};
pub use file::{SinkFile, SourceFile};
pub(super) use fresh::ask_for_huge_pages;
pub use pending::{Pending, SubmitError};
pub(super) use ring::KeptRing;
pub use store::{Sink, Source};
pub use stream::{Feeder, ReadFrame, Reader, WriteFrame};
pub(super) use threads::{MOST_ASKED_FOR, copy_threads};
pub use tiled::{Progress, TiledPlan};
pub(super) use transit::Transit;
