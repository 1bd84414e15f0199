//! How a plan is built: as a whole, or where the device cannot hold the
//! arrays, for host slices alone.

use super::slices::warn_of_tiles;
use super::{Kernels, Plan};
use crate::device::Fence;
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::arrivals::Arrivals;
use crate::runtime::builder::{Builder, Scratch, advice_of};
use crate::runtime::context::Site;
use crate::runtime::host::{TiledPlan, Transit};
use crate::runtime::queue::Uses;
use crate::runtime::refused::Refused;
use crate::runtime::views::Planned;
use crate::strategy::{Problem, Regions, Strategy};
use crate::transform::Transform;
use crate::wavelet::{Direction, Element, Pixels, Sample};
use std::sync::{Arc, Mutex};

impl<T: Sample, P: Element> Plan<T, P> {
    /// Builds a plan; where the device cannot hold the arrays, one for host slices
    /// alone, if it may go in tiles.
    pub(crate) fn new(
        site: &Site,
        transform: &Transform,
        regions: &Regions,
        pixels: Option<Pixels>,
        wanted: Option<Strategy>,
    ) -> Result<Self> {
        let is_dense = regions.signal.is_dense() && regions.bands.is_dense();
        match Plan::built(site, transform, regions, pixels, wanted, None) {
            Err(error @ Error::Memory { .. })
                if wanted.is_none() && pixels.is_none() && is_dense =>
            {
                Plan::in_tiles(site, transform, regions, error)
            }
            built => built,
        }
    }

    /// Builds a plan for host slices alone.
    fn in_tiles(site: &Site, transform: &Transform, regions: &Regions, why: Error) -> Result<Self> {
        warn_of_tiles(&why);
        let tiled = TiledPlan::new(site, transform)?;
        let none = || DeviceArray::new(&site.shared, &site.queue, 0);
        let scratch = [none()?, none()?, none()?, none()?];
        let kernels = Kernels {
            forward: Vec::new(),
            inverse: Vec::new(),
            scratch,
            scratch_uses: Uses::none(&site.queue),
            arrivals: None,
        };
        let plan = Plan {
            strategies: tiled.strategies(),
            too_large: Some(why),
            tiled: Mutex::new(Some(Arc::new(tiled))),
            ..Plan::of(site, transform, regions, kernels, false)
        };
        log::debug!("{plan:?} on {}", site.shared.device);
        Ok(plan)
    }

    /// A plan of samples that goes by these kernels.
    fn of(
        site: &Site,
        transform: &Transform,
        regions: &Regions,
        kernels: Kernels<T>,
        takes_any_offset: bool,
    ) -> Self {
        let launches = kernels.forward.iter();
        let mut strategies: Vec<Strategy> = launches.map(|(launch, _)| launch.strategy).collect();
        strategies.dedup();
        Plan {
            transform: transform.clone(),
            site: site.clone(),
            wanted: None,
            signal: Planned::new::<P>(&regions.signal, takes_any_offset),
            bands: Planned::new::<T>(&regions.bands, takes_any_offset),
            pixels: None,
            strategies,
            kernels: Mutex::new(kernels),
            staging: Mutex::new(None),
            transit: Transit::new(None),
            too_large: None,
            tiled: Mutex::new(None),
        }
    }

    /// Builds a plan, on trial if what the compiler refused before is handed over: then
    /// its kernels need no trial.
    pub(in crate::runtime) fn built(
        site: &Site,
        transform: &Transform,
        regions: &Regions,
        pixels: Option<Pixels>,
        wanted: Option<Strategy>,
        on_trial: Option<&Refused>,
    ) -> Result<Self> {
        transform.check()?;
        T::TYPE.check(transform.wavelet())?;
        if let Some(Pixels { pixel, level_shift }) = pixels {
            pixel.check(T::TYPE, level_shift)?;
        }
        let builder = Builder {
            site,
            wanted: wanted.as_ref(),
            on_trial,
        };
        let problem = |direction| Problem {
            regions: Regions {
                signal: Planned::designed::<P>(&regions.signal),
                bands: Planned::designed::<T>(&regions.bands),
            },
            pixels,
            ..Problem::new(transform, T::TYPE, direction)
        };
        let [forward, inverse] = [Direction::Forward, Direction::Inverse].map(problem);
        // Before anything is built: what the plan and its caller's two arrays take.
        let shared = &site.shared;
        let bytes = |samples: usize| samples as u64 * size_of::<T>() as u64;
        let signal = transform.len() as u64 * size_of::<P>() as u64;
        let largest = |a: Scratch<usize>, b: Scratch<usize>| [0, 1, 2, 3].map(|i| a[i].max(b[i]));
        let check_memory = |scratch: Scratch<usize>| {
            let what = match pixels {
                Some(_) => "the transform of pixels, which does not go in tiles,",
                None => "the transform",
            };
            let [a, b, c, d] = scratch.map(bytes);
            shared.check_memory(what, &[signal, bytes(transform.len()), a, b, c, d])
        };
        // What no device holds is not designed: its costs may be too large to be counted.
        check_memory([0; 4])?;
        check_memory(largest(
            builder.scratch(&forward)?,
            builder.scratch(&inverse)?,
        ))?;

        let (forward, inverse) = (
            builder.build::<T, P>(&forward)?,
            builder.build::<T, P>(&inverse)?,
        );
        let any_offset = forward.takes_any_offset && inverse.takes_any_offset;
        for advice in advice_of([&forward, &inverse]) {
            log::warn!("{advice}");
        }
        let [a, b, c, d] = largest(forward.scratch, inverse.scratch);
        let own = |samples| DeviceArray::new(shared, &site.queue, samples);
        let mut launches = forward.launches.iter().chain(&inverse.launches);
        let counts = launches.any(|(launch, _)| launch.pass.kernel.fence() != Fence::None);
        let kernels = Kernels {
            arrivals: counts.then(|| Arrivals::new(site)).transpose()?,
            forward: forward.launches,
            inverse: inverse.launches,
            scratch: [own(a)?, own(b)?, own(c)?, own(d)?],
            scratch_uses: Uses::none(&site.queue),
        };
        let plan = Plan {
            wanted,
            pixels,
            ..Plan::of(site, transform, regions, kernels, any_offset)
        };
        log::debug!("{plan:?} on {}", shared.device);
        Ok(plan)
    }

    /// Builds the same plan again, with kernels and intermediate results of its own, so
    /// that runs of the two can overlap where the engine's queue allows it. The
    /// programs are not compiled again.
    ///
    /// # Errors
    /// As `Engine::plan`.
    pub fn another(&self) -> Result<Self> {
        let regions = Regions {
            signal: self.signal.region().clone(),
            bands: self.bands.region().clone(),
        };
        Plan::new(
            &self.site,
            &self.transform,
            &regions,
            self.pixels,
            self.wanted,
        )
    }
}
