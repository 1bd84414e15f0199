//! The discrete wavelet transform by lifting, on any OpenCL device. It is lossless on integers,
//! takes any size under any boundary rule without padding, transforms 1 to 4 axes and batches, and
//! works on arrays that stay on the device.
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
//! A [`Wavelet`] is a list of lifting steps, either from the library's table ([`Wavelet::ALL`]) or
//! your own. A [`Transform`] says what to compute: wavelet, shape, axes, levels, [`Boundary`] and
//! [`Layout`]. An [`Engine`] runs on one [`Device`], and a [`Plan`] is a transform built for an
//! engine with a [`Strategy`] that suits the device; an [`InPlacePlan`] is one that needs no second
//! array. The module [`mod@reference`] computes the same transforms on the CPU, one sample after
//! the other, without OpenCL.
//!
//! An [`EngineGroup`] shares out the pictures of a batch over several devices, or the tiles of one
//! array. Host slices that a device cannot hold are transformed in tiles;
//! [`Engine::with_memory_limit`] says how much an engine may take. A [`TiledPlan`] also goes from
//! file to file, which no memory need hold.
//!
//! # Letters
//!
//! Axes are counted from the outermost. Bands are named x first, the innermost axis: `HL` is
//! high-pass along x and low-pass along y. The number is that of the level; 1 is the finest. Two
//! levels of a picture of shape `[4, 8]`:
//!
//! ```text
//!   ---------> x: axis 1     Layout::Mallat                           Layout::Interleaved
//! |  . . . . . . . .         LL2 LL2 | HL2 HL2 | HL1 HL1 HL1 HL1      LL2 HL1 HL2 HL1 LL2 HL1 HL2 HL1
//! |  . . . . . . . .         LH2 LH2 | HH2 HH2 | HL1 HL1 HL1 HL1      LH1 HH1 LH1 HH1 LH1 HH1 LH1 HH1
//! |  . . . . . . . .         ------------------+----------------      LH2 HL1 HH2 HL1 LH2 HL1 HH2 HL1
//! v  . . . . . . . .         LH1 LH1   LH1 LH1 | HH1 HH1 HH1 HH1      LH1 HH1 LH1 HH1 LH1 HH1 LH1 HH1
//! y: axis 0                  LH1 LH1   LH1 LH1 | HH1 HH1 HH1 HH1
//! ```
//!
//! Of `LL` only the coarsest is kept: `LL1` is what the second level consists of. With other
//! numbers of axes there are as many letters; axes that are not transformed have none, and
//! their bands lie side by side.
//!
//! ```
//! # use wavelift::{Coefficients, Layout, Transform, Wavelet};
//! # fn letters(layout: Layout) -> Result<String, wavelift::Error> {
//! #     let transform = Transform::new(Wavelet::CDF_5_3, [4, 8]).levels(2).layout(layout);
//! #     let mut coefficients = Coefficients::<i32>::zeros(&transform)?;
//! #     let bands = transform.bands();
//! #     for (i, &(level, band)) in bands.iter().enumerate() {
//! #         coefficients.band_mut(level, band)?.apply(|_| i as i32);
//! #     }
//! #     let name = |&i: &i32| format!("{1}{0}", bands[i as usize].0, bands[i as usize].1);
//! #     let rows = coefficients.as_slice().chunks(8);
//! #     let rows: Vec<String> = rows.map(|row| row.iter().map(name).collect::<Vec<_>>().join(" ")).collect();
//! #     Ok(rows.join("\n"))
//! # }
//! # assert_eq!(letters(Layout::Mallat)?, "\
//! # LL2 LL2 HL2 HL2 HL1 HL1 HL1 HL1\n\
//! # LH2 LH2 HH2 HH2 HL1 HL1 HL1 HL1\n\
//! # LH1 LH1 LH1 LH1 HH1 HH1 HH1 HH1\n\
//! # LH1 LH1 LH1 LH1 HH1 HH1 HH1 HH1");
//! # assert_eq!(letters(Layout::Interleaved)?, "\
//! # LL2 HL1 HL2 HL1 LL2 HL1 HL2 HL1\n\
//! # LH1 HH1 LH1 HH1 LH1 HH1 LH1 HH1\n\
//! # LH2 HL1 HH2 HL1 LH2 HL1 HH2 HL1\n\
//! # LH1 HH1 LH1 HH1 LH1 HH1 LH1 HH1");
//! let transform = Transform::new(Wavelet::CDF_5_3, [4, 8]).levels(2);
//! let names: Vec<String> = transform.bands().iter().map(|(level, band)| format!("{band}{level}")).collect();
//! assert_eq!(names, ["LL2", "HL2", "LH2", "HH2", "HL1", "LH1", "HH1"]);
//! # Ok::<(), wavelift::Error>(())
//! ```
//!
//! [PyWavelets](https://pywavelets.readthedocs.io) has other names, signs and scales; the page
//! [`coming_from_pywavelets`] lists them.
//!
//! Pixels of `u8` and `u16` need not be converted: [`Engine::plan_from`] makes plans
//! that take and give them.
//!
//! A [`Region`] says where samples stand in a larger array, and a [`DeviceView`] is one on the
//! device. A program with OpenCL objects of its own hands them over by [`Engine::from_raw`],
//! [`DeviceArray::from_raw`] and [`Event::from_raw`].
//!
//! # Semantics
//!
//! - For any n >= 1, n samples have ceil(n/2) approximations (at the even places) and floor(n/2)
//!   details (at the odd places). An axis of one sample passes unchanged, without scaling.
//! - Levels apply to all chosen axes together and skip axes that are down to one sample.
//! - Every strategy sums integer steps modulo 2^32, shifts the sums right, rounding down, and
//!   reduces the results to the sample's width, so the inverse restores every input exactly.
//!   Wavelets with a pre-shift (VC-2) need the headroom that [`Transform::headroom`] states;
//!   [`Transform::check_range`] checks data for it.
//! - With the wavelets of the table, coefficients of floats are within 2e-6 (`f32`) and 1e-14
//!   (`f64`) of the exact ones, relative to the largest. An inverse enlarges errors by its gain
//!   ([`Rounded`] has the gains); that of Daubechies 4 is large at the end of an odd length, which
//!   many levels there and back do not restore. NaN and infinity spread as far as the wavelet
//!   reaches.
//! - [`struct@f16`] and [`Rounded`] take 16 bits and compute in `f32`. Each launch of a plan rounds
//!   what it writes, by up to 2^-11 of the value or half a unit, which later launches enlarge by
//!   their gain: [`Rounded`] says by how much. [`Plan::cost`] counts them.
//!
//! # Features
//!
//! All are off by default.
//!
//! - `ndarray`: coefficients and sub-bands can be seen as views of
//!   [ndarray](https://docs.rs/ndarray), without a copy (`as_array`, `as_array_mut`), and plans
//!   take and return its arrays (`Plan::forward_array`, `Plan::inverse_array`).
//! - `image`: turns pictures of the crate [image](https://docs.rs/image) into samples, and samples
//!   into pictures; see the module `picture`.
//! - `serde`: a [`Transform`], a [`Wavelet`], a [`Band`] and most enums are read and written by
//!   [serde](https://docs.rs/serde): `{"wavelet": "cdf97", "shape": [1080, 1920], "levels": 5}`.
//!   What the constructors refuse is an error when it is read, too.
//! - `rayon`: includes `ndarray`, whose views several threads can then walk, as `par_mapv_inplace`
//!   does. Soft thresholds in a band of 2048 x 2048 coefficients took 0.35 ms on 16 cores, and 1.38
//!   ms on one. The library itself does not compute with rayon: OpenCL devices, CPUs among them,
//!   are parallel by themselves, and [`mod@reference`] is simple on purpose.
//! - `ocl-interop`: takes queues, buffers and events of the crate [ocl](https://docs.rs/ocl)
//!   and gives them back, and lets engines work on buffers of OpenGL (`Engine::with_gl`,
//!   `DeviceArray::from_gl`). A program with this feature is linked to libOpenCL and libGL,
//!   and does not start where one of them is missing. Without it, the library looks for
//!   libOpenCL when it first needs it.
//!
//! # Environment
//!
//! - `WAVELIFT_DEVICE` says which device [`DeviceSelector::from_env`] picks
//!   (`nvidia`, `pocl:cpu`, `0:1`).
//! - `WAVELIFT_DUMP` names a folder to which programs are written that a device's compiler rejects,
//!   and the compiler's log behind them. [`Error::Build`] has both, too.
//! - `WAVELIFT_TUNING` names a file of sizes that override the library's own, one line per device,
//!   strategy and sample type: `NVIDIA H200 | streamed | f32 | PAIRS=8 FILLING=24`. A program can
//!   pass such lines to [`Engine::with_tuning`] instead.
//! - `WAVELIFT_EXCHANGE` chooses how work-items exchange values: `none`, or a way that the device
//!   offers (`ptx`, `khr`, `intel`, `amd`), also with the size of a sub-group (`khr:32`). Where the
//!   device does not prove it, [`Engine::new`] fails.

#![deny(missing_docs, clippy::undocumented_unsafe_blocks)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc(test(attr(deny(unused_must_use))))]

/// The programs of the README compile. One of them needs a feature.
#[cfg(all(doctest, feature = "image"))]
#[doc = include_str!("../README.md")]
struct Readme;

mod crates;
mod device;
mod error;
mod group;
mod lifting;
mod names;
mod runtime;
mod strategy;
mod transform;
mod wavelet;

#[cfg(any(doc, doctest))]
pub use crates::coming_from_pywavelets;
#[cfg(feature = "image")]
pub use crates::picture;
pub use device::{Device, DeviceInfo, DeviceKind, DeviceSelector, Exchange, Fence};
pub use error::{Error, Result};
pub use group::{EngineGroup, GroupArray, GroupPinned, GroupPlan, GroupRun};
/// Half precision, of the crate `half`: a [`Sample`] for wavelets with real steps.
///
/// Memory holds 16 bits, steps compute in `f32`, and a sample is rounded to the nearest half, of
/// two that are equally near to the even one, wherever an array is written: the result, and what
/// lies between two passes or levels of a plan. Each rounding errs by at most 2^-11 of a value;
/// beyond 65504 a half is infinite. A result errs by 2^-11 of the largest value on its way for the
/// launch that writes it, and for each launch before that by as much times the gain of what
/// follows, which [`Rounded`] lists. [`Plan::cost`] counts the launches.
#[doc(inline)]
pub use half::f16;
#[cfg(feature = "papers")]
#[doc(hidden)]
pub use runtime::{
    Bottleneck, Filter, Filtering, Probe, Study, Variant, arithmetic_rate, paper_sources,
};
pub use runtime::{
    DeviceArray, DeviceView, DeviceViewMut, Engine, Event, Feeder, InPlacePlan, Memory, Pending,
    PinnedArray, Plan, Progress, ReadFrame, Reader, Run, Sink, SinkFile, Source, SourceFile,
    SubmitError, TiledPlan, WriteFrame,
};
#[doc(hidden)]
pub use runtime::{
    kernel_sources, kernel_sources_in_place, kernel_sources_of_pixels, probe_sources,
};
pub use strategy::{ColumnPass, Cost, RowPass, Strategy, Tunable};
pub use transform::{
    Band, BandView, BandViewMut, Coefficients, Layout, MAX_AXES, MAX_LENGTH, MAX_LEVELS, Region,
    Transform, reference,
};
pub use wavelet::{
    AxisOrder, Boundary, Channel, Direction, Element, IntegerStep, MAX_REACH, MAX_STEPS, MAX_TAPS,
    Pixel, PixelType, RealStep, Rounded, Sample, SampleType, Scale, Stencil, Wavelet,
};
