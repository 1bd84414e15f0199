//! What runs: engines, plans, arrays and programs. All OpenCL calls are made here, except those that find devices.

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
