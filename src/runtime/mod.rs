//! What runs: engines, plans, arrays and programs. All OpenCL calls are made here, except
//! those that find devices.
//!
//! Which call goes by which files, who owns the memory that the device works on, and
//! who waits for the device:
//!
//! | call | files, in the order in which they are entered | memory | who waits |
//! |---|---|---|---|
//! | `Engine::new`, `from_raw` | `engine/mod.rs` or `raw.rs`, `context.rs`, `probe/` | the probe's own | the call, for the first proof of a device in a process |
//! | `Engine::plan` and its like | `engine/plans.rs`, `plan/building.rs`, `builder.rs`, `refused.rs`, `program.rs`, `trial.rs` | scratch arrays of the plan | the call: the compiler, and the trial of kernels that never ran on hardware |
//! | `Plan::enqueue_*` | `plan/enqueueing.rs`, `views.rs`, `queue.rs`, `launch.rs` | arrays of the caller's, and the plan's scratch | nobody, until `Run::wait` (`run.rs`) |
//! | `InPlacePlan::enqueue_*` | `in_place.rs`, then as above | one array of the caller's, and what the plan saves | nobody, until `Run::wait` |
//! | `upload`, `write`, `download` of arrays and views | `array/`, `views.rs`, `transfer.rs`, `host_copy.rs` | an array, and a slice of the caller's | the call |
//! | `Plan::forward`, `inverse` and all others between memory of the host | `plan/slices.rs`, `host/` | see `host/mod.rs` | see `host/mod.rs` |
//!
//! A plan locks its kernels while it enqueues, never while it waits. What uses one array follows
//! the order of the queue, or where that keeps none, and between two queues, the events that the
//! array remembers (`Uses` in `queue.rs`).

mod acquire;
mod array;
mod arrivals;
mod builder;
mod context;
mod engine;
mod event;
#[cfg(feature = "ocl-interop")]
mod gl;
mod handle;
mod host;
mod host_copy;
mod in_place;
mod launch;
pub(crate) mod lock;
#[cfg(feature = "ocl-interop")]
mod ocl;
#[cfg(feature = "papers")]
mod papers;
mod plan;
mod probe;
mod program;
mod queue;
mod raw;
mod refused;
mod run;
mod sources;
mod sub_groups;
mod transfer;
mod trial;
mod views;

pub use array::DeviceArray;
pub use context::Memory;
pub use engine::Engine;
pub use event::Event;
pub use host::{
    Feeder, Pending, PinnedArray, Progress, ReadFrame, Reader, Sink, SinkFile, Source, SourceFile,
    SubmitError, TiledPlan, WriteFrame,
};
pub use in_place::InPlacePlan;
#[cfg(feature = "papers")]
pub use papers::{
    Bottleneck, Filter, Filtering, Probe, Study, Variant, arithmetic_rate, paper_sources,
};
pub use plan::Plan;
pub use run::Run;
pub use sources::{
    kernel_sources, kernel_sources_in_place, kernel_sources_of_pixels, probe_sources,
};
pub use views::{DeviceView, DeviceViewMut};
