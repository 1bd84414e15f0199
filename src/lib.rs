//! The discrete wavelet transform by lifting, on any OpenCL device. It is lossless on integers, takes any
//! size under any boundary rule without padding, transforms 1 to 4 axes and batches, and works on arrays
//! that stay on the device.
//!
//! ```no_run
//! use wavelift::{Band, DeviceSelector, Engine, Transform, Wavelet};
//!
//! let pixels = vec![0.5f32; 1080 * 1920];
//! let device = DeviceSelector::from_env()?.pick()?; // WAVELIFT_DEVICE, or else the best device
//! let engine = Engine::new(&device)?;
//! let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
//! let plan = engine.plan::<f32>(&transform)?;
//! let mut coefficients = plan.forward(&pixels)?;
//!
//! // Sub-bands are views: set the finest diagonal details to zero.
//! coefficients.band_mut(1, Band::HH)?.apply(|_| 0.0);
//! let smoother = plan.inverse(&coefficients)?;
//!
//! // Arrays on the device: the call copies nothing to the host and does not wait.
//! let x = engine.upload(&pixels)?;
//! let mut y = engine.zeros::<f32>(transform.len())?;
//! let run = plan.enqueue_forward(&x, &mut y)?;
//! run.wait()?;
//! let on_host = y.download()?;
//! # Ok::<(), wavelift::Error>(())
//! ```
//!
//! # Concepts
//!
//! A [`Wavelet`] is a list of lifting steps, either from the library's table ([`Wavelet::ALL`]) or your own.
//! A [`Transform`] says what to compute: wavelet, shape, axes, levels, [`Boundary`] and [`Layout`]. An
//! [`Engine`] runs on one [`Device`], and a [`Plan`] is a transform built for an engine with a [`Strategy`]
//! that suits the device; an [`InPlacePlan`] is one that needs no second array. The module [`mod@reference`] computes the same transforms on the CPU, one sample
//! after the other, without OpenCL.
//!
//! A [`Region`] says where samples stand in a larger array, and a [`DeviceView`] is one on the device. A program with OpenCL
//! objects of its own hands them over by [`Engine::from_raw`], [`DeviceArray::from_raw`] and [`Event::from_raw`].
//!
//! # Semantics
//!
//! - For any n >= 1, n samples have ceil(n/2) approximations (at the even places) and floor(n/2) details
//!   (at the odd places). An axis of one sample passes unchanged, without scaling.
//! - Levels apply to all chosen axes together and skip axes that are down to one sample.
//! - Every strategy sums integer steps modulo 2^32, shifts the sums right, rounding down, and reduces the
//!   results to the sample's width, so the inverse restores every input exactly. Wavelets with a pre-shift
//!   (VC-2) need the headroom that [`Wavelet::pre_shift`] states.
//! - With the wavelets of the table, floats stay within 2e-6 (`f32`) and 1e-14 (`f64`) of the exact
//!   transform, relative to the largest coefficient. NaN and infinity spread as far as the wavelet reaches.
//!
//! # Environment
//!
//! - `WAVELIFT_DEVICE` says which device [`DeviceSelector::from_env`] picks (`nvidia`, `pocl:cpu`, `0:1`).
//! - `WAVELIFT_TUNING` names a file of sizes that override the library's own, one line per device,
//!   strategy and sample type: `NVIDIA H200 | streamed | f32 | PAIRS=8 FILLING=24`. A program can pass such
//!   lines to [`Engine::with_tuning`] instead.

#![deny(missing_docs)]

mod device;
mod error;
mod lifting;
mod names;
mod runtime;
mod strategy;
mod transform;
mod wavelet;

pub use device::{Device, DeviceInfo, DeviceKind, DeviceSelector, Exchange};
pub use error::{Error, Result};
pub use runtime::{
    DeviceArray, DeviceView, DeviceViewMut, Engine, Event, InPlacePlan, Memory, Plan, Run,
};
#[doc(hidden)]
pub use runtime::{kernel_sources, kernel_sources_in_place};
pub use strategy::{ColumnPass, Cost, RowPass, Strategy, Tunable};
pub use transform::{
    Band, BandView, BandViewMut, Coefficients, Layout, MAX_AXES, MAX_LENGTH, MAX_LEVELS, Region,
    Transform, reference,
};
pub use wavelet::{
    AxisOrder, Boundary, Channel, Direction, IntegerStep, MAX_REACH, MAX_STEPS, MAX_TAPS, RealStep,
    Sample, SampleType, Scale, Stencil, Wavelet,
};
