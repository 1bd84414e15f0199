//! The discrete wavelet transform by lifting, on any OpenCL device.

#![deny(missing_docs)]

pub mod reference;

mod band;
mod boundary;
mod coefficients;
mod device;
mod device_info;
mod engine;
mod error;
mod geometry;
mod lags;
mod plan;
mod prelude;
mod program;
mod reach;
mod sample;
mod strategy;
mod transform;
mod tuning;
mod wavelet;

pub use band::Band;
pub use boundary::Boundary;
pub use coefficients::{BandView, BandViewMut, Coefficients};
pub use device::{Device, DeviceSelector};
pub use device_info::{DeviceInfo, DeviceKind, Exchange};
pub use engine::{DeviceArray, Engine, Run};
pub use error::{Error, Result};
pub use plan::Plan;
pub use sample::{Sample, SampleType};
pub use strategy::Strategy;
pub use transform::{Layout, MAX_AXES, MAX_LEVELS, Transform};
pub use wavelet::{
    AxisOrder, Channel, Direction, IntegerStep, MAX_REACH, MAX_STEPS, MAX_TAPS, RealStep, Scale,
    Stencil, Wavelet,
};
