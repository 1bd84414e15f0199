//! OpenCL devices: finding them, what they can do as plain data, choosing one.

mod find;
mod info;
mod selector;

pub use find::Device;
pub use info::{DeviceInfo, DeviceKind, Exchange};
pub use selector::DeviceSelector;
