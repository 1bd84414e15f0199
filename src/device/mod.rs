//! OpenCL devices: finding them, describing what they can do as plain data, and choosing one.

mod find;
mod info;
mod selector;
mod ways;

pub use find::Device;
#[cfg(test)]
pub(crate) use find::devices_if_any;
pub use info::{DeviceInfo, DeviceKind, Exchange, Fence};
pub use selector::DeviceSelector;
pub(crate) use ways::{VARIABLE, Way, asked_for, described, listed};
