//! Plans between slices of the host: where they stand, through staging arrays, or in tiles.

use super::{Plan, Staging};
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::Site;
use crate::runtime::host::{
    TiledPlan, ask_for_huge_pages, copy_threads, stands_at, where_they_stand,
};
use crate::runtime::lock::lock;
#[cfg(doc)]
use crate::transform::Transform;
use crate::transform::{Coefficients, zeroed};
use crate::wavelet::{Direction, Element, Sample};
use bytemuck::{cast_slice, cast_slice_mut};
use std::sync::Arc;

/// Which of the staging arrays is the input, and which the output.
type Arranged<P, T, I, O> =
    for<'a> fn(&'a mut Staging<P, T>) -> (&'a mut DeviceArray<I>, &'a mut DeviceArray<O>);

impl<T: Sample> Plan<T> {
    /// Transforms a slice into another one: samples into coefficients, or back.
    pub(crate) fn between_slices(
        &self,
        input: &[T],
        output: &mut [T],
        direction: Direction,
    ) -> Result<()> {
        match direction {
            Direction::Forward => self.there(input, output),
            Direction::Inverse => self.back(input, output),
        }
    }
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// Transforms samples (row-major, of the transform's shape) into coefficients. Integers that
    /// are too large wrap, and the inverse may not restore them: [`Transform::check_range`] says
    /// whether samples leave the wavelet enough bits.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of samples; [`Error::Memory`] where the device cannot
    /// hold the staging arrays of host slices beside the plan's own, and not even those of tiles;
    /// [`Error::HostMemory`] where the host cannot hold the coefficients, or the low band of a
    /// level in tiles; [`Error::Unsupported`] for a plan of regions that are not each in one piece;
    /// those of [`Engine::plan`](crate::runtime::Engine::plan) where plans of tiles or parts are
    /// built, as [`forward_into`](Self::forward_into) says; [`Error::OpenCl`].
    pub fn forward(&self, samples: &[P]) -> Result<Coefficients<T>> {
        let mut coefficients = Coefficients::zeros(&self.transform)?;
        ask_for_huge_pages(coefficients.as_mut_slice());
        self.forward_into(samples, &mut coefficients)?;
        Ok(coefficients)
    }

    /// Transforms samples (row-major, of the transform's shape) into existing coefficients. The
    /// first call with host slices allocates the plan's staging arrays, on CPU devices only if it
    /// needs them, and where several threads copy large pictures and batches to a device it builds
    /// the plans of their parts, as [`forward_pinned`](Self::forward_pinned) says; where there is
    /// too little memory left for the arrays, or for the tiles of a plan in tiles, it builds plans
    /// for tiles that fit, with a warning. Otherwise nothing is compiled, unless by the driver:
    /// PoCL finishes its compiling when a kernel first runs, so that the first run in each
    /// direction takes seconds there.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), and [`Error::Shape`] for coefficients of another transform.
    pub fn forward_into(&self, samples: &[P], coefficients: &mut Coefficients<T>) -> Result<()> {
        self.transform.check_same(coefficients.transform())?;
        self.there(samples, coefficients.as_mut_slice())
    }

    /// Transforms coefficients back into samples (row-major, of the transform's shape).
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into), and [`Error::HostMemory`] where the host
    /// cannot hold the samples.
    pub fn inverse(&self, coefficients: &Coefficients<T>) -> Result<Vec<P>> {
        let mut samples = zeroed("the samples", self.transform.len())?;
        ask_for_huge_pages(&mut samples);
        self.inverse_into(coefficients, &mut samples)?;
        Ok(samples)
    }

    /// Transforms coefficients back into an existing slice of samples. The first call with host
    /// slices is as that of [`forward_into`](Self::forward_into).
    ///
    /// # Errors
    /// As [`forward_into`](Self::forward_into).
    pub fn inverse_into(&self, coefficients: &Coefficients<T>, samples: &mut [P]) -> Result<()> {
        self.transform.check_same(coefficients.transform())?;
        self.back(coefficients.as_slice(), samples)
    }

    fn there(&self, samples: &[P], coefficients: &mut [T]) -> Result<()> {
        let arrays: Arranged<P, T, P, T> = |(signal, bands)| (signal, bands);
        self.on_host(samples, coefficients, arrays, Direction::Forward)
    }

    fn back(&self, coefficients: &[T], samples: &mut [P]) -> Result<()> {
        let arrays: Arranged<P, T, T, P> = |(signal, bands)| (bands, signal);
        self.on_host(coefficients, samples, arrays, Direction::Inverse)
    }

    /// Transforms a slice into another one.
    fn on_host<I: Element, O: Element>(
        &self,
        input: &[I],
        output: &mut [O],
        arrays: Arranged<P, T, I, O>,
        direction: Direction,
    ) -> Result<()> {
        self.check_host(input.len(), output.len())?;
        if let Some(tiled) = self.tiled() {
            return self.tile_by_tile(&tiled, direction, input, output);
        }
        if self.site.copy_threads.is_none()
            && let Some(multiple) = stands_at(self.site.shared.device.info())
            && self.takes_both(direction, [input.as_ptr().cast(), output.as_ptr().cast()])
        {
            return where_they_stand(&self.site, multiple, input, output, |from, to| {
                self.enqueue(from.into(), to.into(), direction, &[])
            });
        }
        if let Some(threads) = copy_threads(&self.site, size_of_val(input)) {
            match self.through_ring(threads, direction, input, output) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => {
                    let tiled = self.turn_to_tiles(error)?;
                    return self.tile_by_tile(&tiled, direction, input, output);
                }
            }
        }
        let mut staging = lock(&self.staging);
        let (from, to) = arrays(match &mut *staging {
            Some(arrays) => arrays,
            None => {
                if let Some(tiled) = self.tiled() {
                    // Since it was asked above.
                    drop(staging);
                    return self.tile_by_tile(&tiled, direction, input, output);
                }
                let Site { shared, queue, .. } = &self.site;
                let len = self.transform.len();
                let both = || {
                    let signal = DeviceArray::new(shared, queue, len)?;
                    Ok((signal, DeviceArray::new(shared, queue, len)?))
                };
                match both() {
                    Ok(arrays) => staging.insert(arrays),
                    Err(error) => {
                        drop(staging);
                        let tiled = self.turn_to_tiles(error)?;
                        return self.tile_by_tile(&tiled, direction, input, output);
                    }
                }
            }
        });
        from.write(input)?;
        let _run = self.enqueue((&*from).into(), (&mut *to).into(), direction, &[])?;
        to.download_into(output)
    }

    /// The transform in tiles, where the device has too little memory for host slices as a whole.
    pub(in crate::runtime) fn tiled(&self) -> Option<Arc<TiledPlan<T>>> {
        lock(&self.tiled).clone()
    }

    /// Has slices of the host, dense ones, transformed in tiles from now on, if that is why they
    /// cannot be as a whole and the plan may.
    pub(in crate::runtime) fn turn_to_tiles(&self, why: Error) -> Result<Arc<TiledPlan<T>>> {
        let is_memory = matches!(why, Error::Memory { .. });
        if !is_memory || self.wanted.is_some() || self.pixels.is_some() {
            return Err(why);
        }
        // Calls that wait do not use them any more.
        *lock(&self.staging) = None;
        self.transit.free_idle();
        let mut tiled = lock(&self.tiled);
        if let Some(tiled) = &*tiled {
            return Ok(tiled.clone());
        }
        warn_of_tiles(&why);
        let new = TiledPlan::new(&self.site, &self.transform)?;
        Ok(tiled.insert(Arc::new(new)).clone())
    }

    /// Transforms slices in tiles, which only plans of samples have.
    pub(in crate::runtime) fn tile_by_tile<I: Element, O: Element>(
        &self,
        tiled: &TiledPlan<T>,
        direction: Direction,
        input: &[I],
        output: &mut [O],
    ) -> Result<()> {
        debug_assert!(self.pixels.is_none());
        tiled.between_slices(direction, cast_slice(input), cast_slice_mut(output))
    }
}

pub(super) fn warn_of_tiles(why: &Error) {
    log::warn!("host slices are transformed in tiles: {why}");
}
