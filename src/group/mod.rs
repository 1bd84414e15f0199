//! Several devices as one: the pictures of a batch are shared out over them, or the tiles of one
//! picture. Made of engines and plans alone.

mod arrays;
mod pinned;
mod plan;
mod shares;

pub use arrays::{GroupArray, GroupRun};
pub use pinned::GroupPinned;
pub use plan::GroupPlan;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::runtime::{Engine, TiledPlan};
use crate::transform::Transform;
use crate::wavelet::Sample;

/// Engines on several devices, which share out the pictures of a batch: the outermost axis of an
/// array, which is not transformed. By [`plan_in_tiles`](Self::plan_in_tiles) they share out any
/// one array of the host, by the rules said there.
///
/// Each plan of a batch measures once how fast each device is at its transform, and gives it as
/// many pictures as are its due; [`with_shares`](Self::with_shares) fixes that instead, so that a
/// run repeats. Pictures do not depend on each other, and results are those of one engine alone.
///
/// Where several devices of PoCL 3.1 are in one process, an assertion of its may end the program when
/// shares of different sizes first run side by side: run the largest once on one device before.
///
/// ```no_run
/// use wavelift::{Device, DeviceKind, EngineGroup, Transform, Wavelet};
///
/// // A hundred pictures, over all GPUs of this machine.
/// let mut devices = Device::all()?;
/// devices.retain(|device| device.info().kind == DeviceKind::Gpu);
/// let group = EngineGroup::new(&devices)?;
/// let transform = Transform::new(Wavelet::CDF_9_7, [100, 2048, 2048]).axes([1, 2]).levels(5);
/// let plan = group.plan::<f32>(&transform)?;
/// println!("{:?} pictures for each device", plan.shares());
/// let coefficients = plan.forward(&vec![0.5; transform.len()])?;
/// # let _ = coefficients;
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone)]
pub struct EngineGroup {
    engines: Vec<Engine>,
    shares: Option<Vec<u32>>,
}

impl EngineGroup {
    /// Opens an engine on each of these devices. One that is named twice has two.
    ///
    /// # Errors
    /// [`Error::Shape`] for no device at all; those of [`Engine::new`].
    pub fn new(devices: &[Device]) -> Result<Self> {
        let engines = devices
            .iter()
            .map(Engine::new)
            .collect::<Result<Vec<_>>>()?;
        EngineGroup::of(engines)
    }

    /// Makes a group of engines that are there already, such as those with sizes of their own.
    ///
    /// # Errors
    /// [`Error::Shape`] for no engine at all.
    pub fn of(engines: Vec<Engine>) -> Result<Self> {
        if engines.is_empty() {
            return Err(Error::Shape {
                what: "the engines of a group",
                expected: "at least one".to_owned(),
                got: "none".to_owned(),
            });
        }
        Ok(EngineGroup {
            engines,
            shares: None,
        })
    }

    /// Returns this group with fixed shares: the pictures of a batch, or the tiles of an
    /// array, are given to the devices in these proportions, as near as whole ones come. A
    /// device of share 0 has none.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a share for each device, and one of them is not 0.
    pub fn with_shares(&self, shares: &[u32]) -> Result<Self> {
        let refuse = |expected| {
            Err(Error::Shape {
                what: "the shares of the devices",
                expected,
                got: format!("{shares:?}"),
            })
        };
        if shares.len() != self.engines.len() {
            return refuse(format!("{}, one for each device", self.engines.len()));
        }
        if shares.iter().all(|&share| share == 0) {
            return refuse("one of at least 1".to_owned());
        }
        Ok(EngineGroup {
            engines: self.engines.clone(),
            shares: Some(shares.to_vec()),
        })
    }

    /// Returns the engines, in the order of their devices.
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }

    /// Builds a plan for the batch `transform`: one of [`Engine::plan`] for each device
    /// that gets pictures. Unless shares are fixed, each device first transforms some
    /// pictures, to measure its speed.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the outermost axis is transformed; those of
    /// [`Engine::plan`] on any device.
    pub fn plan<T: Sample>(&self, transform: &Transform) -> Result<GroupPlan<T>> {
        transform.check()?;
        if transform.chosen_axes().contains(&0) {
            return Err(Error::Unsupported {
                what: format!(
                    "a transform of {:?} along axis 0 by several devices",
                    transform.shape()
                ),
                why: "they share out the outermost axis, which is to be a batch; others go by plan_in_tiles"
                    .to_owned(),
            });
        }
        let speeds = match &self.shares {
            Some(shares) => shares.iter().map(|&share| f64::from(share)).collect(),
            None => shares::measured::<T>(&self.engines, transform)?,
        };
        let shares = shares::shared_out(transform.shape()[0], &speeds);
        GroupPlan::new(&self.engines, &shares, transform)
    }

    /// Builds a plan of any `transform`, such as that of one large picture or volume, between
    /// slices of the host or files: the devices take its tiles, each the next one when it is done
    /// with another, or where shares are fixed each its share. Tiles are such that every engine has
    /// memory for them, and about eight for each device where they are large enough then. A device
    /// has two on their way, so one that is many times slower than the others may hold them up.
    ///
    /// Integers are those of one engine bit for bit. Floats of devices that differ may differ in
    /// their last bits, so that a run repeats only by fixed shares, and as long as no device fails.
    ///
    /// ```no_run
    /// use std::ops::ControlFlow;
    /// use wavelift::{Device, EngineGroup, Transform, Wavelet};
    ///
    /// let group = EngineGroup::new(&Device::all()?)?;
    /// let transform = Transform::new(Wavelet::CDF_9_7, [32768, 32768]).levels(5);
    /// let plan = group.plan_in_tiles::<f32>(&transform)?;
    /// let (samples, mut coefficients) = (vec![0.5; transform.len()], vec![0.0; transform.len()]);
    /// plan.forward(&samples, &mut coefficients, |_| ControlFlow::Continue(()))?;
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Engine::plan_in_tiles`] on any device.
    pub fn plan_in_tiles<T: Sample>(&self, transform: &Transform) -> Result<TiledPlan<T>> {
        TiledPlan::of_engines(&self.engines, self.shares.as_deref(), transform)
    }
}

impl std::fmt::Debug for EngineGroup {
    /// The devices, and their shares where they are fixed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let devices: Vec<_> = self.engines.iter().map(|engine| engine.device()).collect();
        f.debug_struct("EngineGroup")
            .field("devices", &devices)
            .field("shares", &self.shares)
            .finish()
    }
}
