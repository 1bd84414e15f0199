//! The discrete wavelet transform by lifting, on any OpenCL device: lossless on integers, any size and
//! boundary without padding, 1 to 4 axes, batches, arrays that stay on the device.
//!
//! ```no_run
//! use wavelift::{Band, DeviceSelector, Engine, Transform, Wavelet};
//!
//! let pixels = vec![0.5f32; 1080 * 1920];
//! let device = DeviceSelector::from_env()?.pick()?; // WAVELIFT_DEVICE, else the best there is
//! let engine = Engine::new(&device)?;
//! let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
//! let plan = engine.plan::<f32>(&transform)?;
//! let mut coefficients = plan.forward(&pixels)?;
//!
//! // Sub-bands are views: silence the finest diagonal details.
//! coefficients.band_mut(1, Band::HH)?.apply(|_| 0.0);
//! let smoother = plan.inverse(&coefficients)?;
//!
//! // Resident on the device, nothing copied, nothing waited for.
//! let x = engine.upload(&pixels)?;
//! let mut y = engine.zeros::<f32>(transform.len())?;
//! let run = plan.enqueue_forward(&x, &mut y)?;
//! run.wait()?;
//! let on_host = y.download()?;
//! # Ok::<(), wavelift::Error>(())
//! ```
//!
//! # What is what
//!
//! A [`Wavelet`] is a list of lifting steps: one of a table ([`Wavelet::ALL`]) or one's own. A
//! [`Transform`] says what to compute: wavelet, shape, axes, levels, [`Boundary`], [`Layout`]. An [`Engine`]
//! runs on one [`Device`]; a [`Plan`] is a transform built for it, with a [`Strategy`] that suits the device.
//! [`mod@reference`] is the same transform on the CPU, one sample after the other, without OpenCL.
//!
//! # Semantics
//!
//! - n samples have ceil(n/2) approximations (even places) and floor(n/2) details (odd places), for any
//!   n >= 1. An axis of one sample passes unchanged, without scaling.
//! - Levels apply to all chosen axes together and skip those that are down to one sample.
//! - Integer steps are summed modulo 2^32, shifted with rounding down, and reduced to the sample's width,
//!   by every strategy alike: the inverse restores every input exactly. Wavelets with a pre-shift (VC-2)
//!   need the headroom that [`Wavelet::pre_shift`] names.
//! - Floats stay within 2e-6 (`f32`) and 1e-14 (`f64`) of the exact transform, relative to the largest
//!   coefficient, on the wavelets of the table; NaN and infinity spread as far as the wavelet reaches.
//!
//! # Environment
//!
//! - `WAVELIFT_DEVICE`: which device [`DeviceSelector::from_env`] picks (`nvidia`, `pocl:cpu`, `0:1`).
//! - `WAVELIFT_TUNING`: a file of sizes laid over the library's own, one line for each device, strategy
//!   and sample type: `NVIDIA H200 | streamed | f32 | GROUP=128 PAIRS=4`. [`Engine::with_tuning`] takes
//!   such lines from a program.

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
#[doc(hidden)]
pub use runtime::kernel_sources;
pub use runtime::{DeviceArray, Engine, Plan, Run};
pub use strategy::Strategy;
pub use transform::{
    Band, BandView, BandViewMut, Coefficients, Layout, MAX_AXES, MAX_LENGTH, MAX_LEVELS, Transform,
    reference,
};
pub use wavelet::{
    AxisOrder, Boundary, Channel, Direction, IntegerStep, MAX_REACH, MAX_STEPS, MAX_TAPS, RealStep,
    Sample, SampleType, Scale, Stencil, Wavelet,
};
