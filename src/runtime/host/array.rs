//! Arrays on the host that copies to and from the device go to at the speed of the bus.

use super::borrowed::stands_at;
use super::pages::Pages;
use crate::error::{Error, Result};
use crate::runtime::context::Site;
use crate::runtime::engine::Engine;
#[cfg(doc)]
use crate::runtime::plan::Plan;
use crate::wavelet::Element;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// An array of samples in pinned memory of the host, by [`Engine::pinned`]: a device
/// copies from and to it at the full speed of the bus, without the host's help. It is a
/// slice to read and write.
///
/// [`Plan::forward_pinned`] and [`Plan::inverse_pinned`] go from one such array to another and
/// wait; [`Plan::submit`] does not.
///
/// ```no_run
/// use wavelift::{DeviceSelector, Engine, Transform, Wavelet};
///
/// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
/// let transform = Transform::new(Wavelet::CDF_9_7, [8192, 8192]).levels(5);
/// let plan = engine.plan::<f32>(&transform)?;
/// let mut samples = engine.pinned::<f32>(transform.len())?; // zeros; slow to make, so keep it
/// let mut coefficients = engine.pinned::<f32>(transform.len())?;
/// samples[0] = 1.0;
/// plan.forward_pinned(&samples, &mut coefficients)?;
/// println!("{}", coefficients[0]);
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct PinnedArray<T: Element> {
    // In a box, so that errors that give arrays back are small.
    pages: Box<Pages>,
    len: usize,
    samples: PhantomData<T>,
}

impl<T: Element> PinnedArray<T> {
    pub(super) fn new(site: &Site, len: usize) -> Result<Self> {
        const WHAT: &str = "a pinned array";
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Error::HostMemory {
            what: WHAT,
            needed: u64::MAX,
        })?;
        let of = |pages| PinnedArray {
            pages: Box::new(pages),
            len,
            samples: PhantomData,
        };
        // A device that works in memory of the host copies nothing.
        if stands_at(site.shared.device.info()).is_some() && site.copy_threads.is_none() {
            return Ok(of(Pages::ordinary(site, WHAT, bytes)?));
        }
        match Pages::pinned(site, WHAT, bytes.max(1)) {
            Ok(pages) if pages.start().cast::<T>().is_aligned() => {
                // SAFETY: so many bytes are there, and nothing else uses them.
                unsafe { pages.start().write_bytes(0, bytes) };
                return Ok(of(pages));
            }
            Ok(_) => log::warn!("pinned memory is not aligned, so that copies are slower"),
            Err(error @ Error::Memory { .. }) => return Err(error),
            Err(error) => {
                log::warn!("there is no pinned memory, so that copies are slower: {error}")
            }
        }
        Ok(of(Pages::ordinary(site, WHAT, bytes)?))
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.pages.start()
    }

    /// Gives up memory that a device may use for ever: of an input, which is
    /// only read, it stays here.
    pub(super) fn lose_input(&self) {
        self.pages.lose();
    }

    /// Gives up memory that a device may write for ever. The array has no samples any more.
    pub(super) fn lose_output(&mut self) {
        self.pages.lose();
        self.len = 0;
    }
}

impl<T: Element> Deref for PinnedArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many samples are there, aligned and written before; every bit pattern is
        // one. Commands write the memory only where the array is borrowed for writing, or
        // owned, by who has them end.
        unsafe { std::slice::from_raw_parts(self.start().cast(), self.len) }
    }
}

impl<T: Element> DerefMut for PinnedArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; commands read the memory only where the array is borrowed, or
        // owned, by who has them end.
        unsafe { std::slice::from_raw_parts_mut(self.start().cast(), self.len) }
    }
}

impl<T: Element> fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedArray<{}>({})", T::NAME, self.len)
    }
}

impl Engine {
    /// Allocates an array of `len` samples, all zero, in pinned memory of the host. This takes 0.35
    /// to 0.5 ms per MiB on an NVIDIA H200, so keep the array. It counts as [`Engine::memory`]:
    /// drivers take as much of the device's memory. For CPU devices, which use memory of the host
    /// where it stands, it is ordinary memory; so it is, with a warning, where the driver has no
    /// pinned memory, and copies are slower then.
    ///
    /// # Errors
    /// [`Error::Memory`] where that is more than the engine may take; [`Error::HostMemory`] where
    /// the host cannot hold it.
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedArray<T>> {
        PinnedArray::new(&self.site, len)
    }
}
