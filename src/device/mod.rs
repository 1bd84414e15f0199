//! OpenCL devices: finding them, describing what they can do as plain data, and choosing one.

mod find;
mod info;
mod selector;

pub use find::Device;
pub use info::{DeviceInfo, DeviceKind, Exchange};
pub use selector::DeviceSelector;
