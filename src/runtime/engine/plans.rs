//! The plans that an engine makes, by the arrays and the samples that these are for.

use super::Engine;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::runtime::in_place::InPlacePlan;
use crate::runtime::plan::Plan;
use crate::strategy::{Regions, Strategy};
#[cfg(doc)]
use crate::transform::Layout;
use crate::transform::{Region, Transform};
use crate::wavelet::{Pixel, Pixels, Sample};

impl Engine {
    /// Builds a plan of `transform` for samples of type `T`, in both directions, with the strategy
    /// that suits the device best. The choice is logged at debug level, and as a warning where it
    /// is a slow one that another shape would make fast, such as 17 colours innermost on a CPU.
    ///
    /// Where the device cannot hold input, output and the plan's own arrays, the plan takes host
    /// slices only, and transforms them in tiles: as large as what the engine has left of its
    /// memory ([`Engine::memory`]) allows, up to 128 MiB, each with its neighbours' samples as far
    /// as results depend on them. `{plan:?}` says how many there are.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`Transform::check`] refuses; [`Error::Unsupported`]
    /// if the wavelet has no steps for `T` or no strategy can compute the transform on the
    /// device; [`Error::Memory`] if even the smallest tiles do not fit, with the bytes that they
    /// need; [`Error::Build`] if the device's compiler rejects a kernel; [`Error::OpenCl`] if
    /// another OpenCL call fails.
    pub fn plan<T: Sample>(&self, transform: &Transform) -> Result<Plan<T>> {
        Plan::new(
            &self.site,
            transform,
            &Regions::dense(transform),
            None,
            None,
        )
    }

    /// Builds a plan of `transform` for samples of type `T`, in both directions, with the
    /// given strategy and no other.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the strategy cannot compute the transform on the device; all other
    /// errors are those of [`Engine::plan`].
    pub fn plan_with<T: Sample>(
        &self,
        transform: &Transform,
        strategy: Strategy,
    ) -> Result<Plan<T>> {
        Plan::new(
            &self.site,
            transform,
            &Regions::dense(transform),
            None,
            Some(strategy),
        )
    }

    /// Builds a plan of `transform` that takes pixels where [`Engine::plan`] takes samples of type
    /// `T`, and gives back pixels: `u8` and `u16` as they come from files and cameras.
    ///
    /// The forward transform computes with each pixel as the sample that it is; the inverse rounds
    /// every sample to the nearest pixel, of two that are equally near to the even one, and those
    /// beyond the pixels' range to the smallest or the largest. The first pass of the finest level
    /// reads pixels and the inverse's last one writes them, but for [`Strategy::Separable`] and
    /// [`Strategy::Stepwise`], where a pass more over memory turns pixels into samples and back;
    /// [`Plan::cost`] counts it. The plan transforms whole arrays, not regions of larger ones nor
    /// in tiles what the device cannot hold. Pixels are also what goes over the bus, by
    /// [`Plan::submit_forward`], [`Plan::stream_forward`] and those of the inverse, too.
    ///
    /// ```no_run
    /// use wavelift::{DeviceSelector, Engine, Transform, Wavelet};
    ///
    /// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
    /// let transform = Transform::new(Wavelet::CDF_5_3, [1080, 1920]).levels(5);
    /// let plan = engine.plan_from::<u8, i16>(&transform)?;
    /// let grey = vec![200u8; transform.len()];
    /// let coefficients = plan.forward(&grey)?; // of i16
    /// assert_eq!(plan.inverse(&coefficients)?, grey); // integer steps lose nothing
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if samples of type `T` do not hold every pixel exactly: `u16` fits
    /// `i16` and `Rounded` with a level shift alone, see [`Engine::plan_from_shifted`], and `f16`
    /// not at all. All other errors are those of [`Engine::plan`].
    pub fn plan_from<P: Pixel, T: Sample>(&self, transform: &Transform) -> Result<Plan<T, P>> {
        self.plan_from_shifted(transform, 0)
    }

    /// Builds a plan as [`Engine::plan_from`] does, of pixels from each of which `level_shift` is
    /// taken before the forward transform, and to which it is added after the inverse: the DC level
    /// shift of JPEG 2000, 128 of `u8`. With a shift of 32768 `u16` pixels are `i16` samples.
    ///
    /// # Errors
    /// As [`Engine::plan_from`]; of `i32` and floats, pixels less the shift must be within 2^20.
    pub fn plan_from_shifted<P: Pixel, T: Sample>(
        &self,
        transform: &Transform,
        level_shift: i32,
    ) -> Result<Plan<T, P>> {
        self.plan_of_pixels(transform, level_shift, None)
    }

    /// Builds a plan as [`Engine::plan_from_shifted`] does, with the given strategy and no other.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the strategy cannot compute the transform on the device; all other
    /// errors are those of [`Engine::plan_from_shifted`].
    pub fn plan_from_with<P: Pixel, T: Sample>(
        &self,
        transform: &Transform,
        level_shift: i32,
        strategy: Strategy,
    ) -> Result<Plan<T, P>> {
        self.plan_of_pixels(transform, level_shift, Some(strategy))
    }

    fn plan_of_pixels<P: Pixel, T: Sample>(
        &self,
        transform: &Transform,
        level_shift: i32,
        wanted: Option<Strategy>,
    ) -> Result<Plan<T, P>> {
        let pixel = P::TYPE;
        let pixels = Some(Pixels { pixel, level_shift });
        let regions = Regions::dense(transform);
        Plan::new(&self.site, transform, &regions, pixels, wanted)
    }

    /// Builds a plan of `transform` for samples of type `T`, in both directions, that transforms an
    /// array where it stands. The transform's layout must be [`Layout::Interleaved`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] for the Mallat layout, which moves coefficients; all other errors are
    /// those of [`Engine::plan`].
    pub fn plan_in_place<T: Sample>(&self, transform: &Transform) -> Result<InPlacePlan<T>> {
        let whole = Region::dense(transform.shape());
        InPlacePlan::new(&self.site, transform, &whole)
    }

    /// Builds a plan of `transform` as [`Engine::plan`] does, for samples and coefficients that
    /// stand in regions of larger arrays. The plan works on every view that has these strides; the
    /// offset of the region says no more than how much of the address kernels may take for
    /// granted: a view may start anywhere where that is as good a multiple of a power of two, up
    /// to 16 bytes. With regions at offset 1 the plan takes any view, with vectors where a kernel
    /// looks at addresses itself.
    ///
    /// Fastest are rows in one piece, in which neighbours are neighbours in memory, that are a
    /// multiple of 64 bytes apart. Where neighbours along the last axis are apart, such as one of
    /// several colours, slower strategies do the finest level.
    ///
    /// ```no_run
    /// use wavelift::{DeviceSelector, Engine, Region, Transform, Wavelet};
    ///
    /// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
    /// let atlas = engine.upload(&vec![1i16; 4096 * 4096])?;
    /// let tile = Region::dense([4096, 4096]).part(&[0..1000, 0..1000])?;
    /// let transform = Transform::new(Wavelet::CDF_5_3, [1000, 1000]).levels(3);
    /// let plan = engine.plan_regions::<i16>(&transform, &tile, &Region::dense([1000, 1000]))?;
    /// let mut coefficients = engine.zeros(transform.len())?;
    /// for x in [0, 1000, 2000] {
    ///     let run = plan.enqueue_forward(atlas.view(&tile.clone().at(x))?, &mut coefficients)?;
    ///     run.wait()?;
    /// }
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for a region that [`Region::check`] refuses, or of another shape than the
    /// transform's; all other errors are those of [`Engine::plan`].
    pub fn plan_regions<T: Sample>(
        &self,
        transform: &Transform,
        samples: &Region,
        coefficients: &Region,
    ) -> Result<Plan<T>> {
        check_regions(transform, &[samples, coefficients])?;
        let regions = Regions {
            signal: samples.clone(),
            bands: coefficients.clone(),
        };
        Plan::new(&self.site, transform, &regions, None, None)
    }

    /// Builds a plan of `transform` as [`Engine::plan_regions`] does, with the
    /// given strategy and no other.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the strategy cannot compute the transform between these regions on
    /// the device; all other errors are those of [`Engine::plan_regions`].
    pub fn plan_regions_with<T: Sample>(
        &self,
        transform: &Transform,
        samples: &Region,
        coefficients: &Region,
        strategy: Strategy,
    ) -> Result<Plan<T>> {
        check_regions(transform, &[samples, coefficients])?;
        let regions = Regions {
            signal: samples.clone(),
            bands: coefficients.clone(),
        };
        Plan::new(&self.site, transform, &regions, None, Some(strategy))
    }

    /// Builds a plan of `transform` as [`Engine::plan_in_place`] does, for samples that stand in a
    /// region of a larger array, of which no other sample is touched. The plan works on every view
    /// that has these strides, wherever it starts.
    ///
    /// # Errors
    /// [`Error::Shape`] for a region that [`Region::check`] refuses, or of another shape than the
    /// transform's; all other errors are those of [`Engine::plan_in_place`].
    pub fn plan_in_place_region<T: Sample>(
        &self,
        transform: &Transform,
        region: &Region,
    ) -> Result<InPlacePlan<T>> {
        check_regions(transform, &[region])?;
        InPlacePlan::new(&self.site, transform, region)
    }
}

fn check_regions(transform: &Transform, regions: &[&Region]) -> Result<()> {
    transform.check()?;
    regions
        .iter()
        .try_for_each(|region| region.check_for(transform))
}
