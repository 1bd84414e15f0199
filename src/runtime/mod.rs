//! What runs: engines, plans, arrays and programs. All calls of OpenCL stand here, finding devices apart.

mod array;
mod context;
mod engine;
mod plan;
mod program;
mod run;
mod sources;

pub use array::DeviceArray;
pub use engine::Engine;
pub use plan::Plan;
pub use run::Run;
pub use sources::kernel_sources;
