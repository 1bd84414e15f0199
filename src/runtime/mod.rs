//! What runs: engines, plans, arrays and programs. All OpenCL calls are made here, except those that find devices.

mod array;
mod context;
mod engine;
mod handle;
mod in_place;
mod plan;
mod program;
mod run;
mod sources;

pub use array::DeviceArray;
pub use context::Memory;
pub use engine::Engine;
pub use in_place::InPlacePlan;
pub use plan::Plan;
pub use run::Run;
pub use sources::{kernel_sources, kernel_sources_in_place};
