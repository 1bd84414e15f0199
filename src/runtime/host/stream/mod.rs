//! Streams of frames: slots go round from who fills them over the device to who reads them.

mod circuit;
mod ends;

use self::circuit::Circuit;
pub use self::ends::{Feeder, ReadFrame, Reader, WriteFrame};
use super::array::PinnedArray;
use super::pages::PAGE;
use super::transit::Transit;
use crate::error::{Error, Result};
#[cfg(doc)]
use crate::runtime::engine::Engine;
use crate::runtime::plan::Plan;
use crate::wavelet::{Direction, Element, Sample};

/// An input and an output.
type Slot<I, O> = (PinnedArray<I>, PinnedArray<O>);

impl<T: Sample> Plan<T> {
    /// Makes a stream of frames with so many slots, at least two, in one direction: one end that
    /// fills frames and one that reads results, each of which can go to a thread of its own.
    /// Upload, transform and download of neighbouring frames overlap; with three slots and one for
    /// each frame that is filled or read meanwhile nobody waits but for the slowest of them.
    ///
    /// The stream has kernels of its own ([`another`](Self::another)), and for each slot two arrays
    /// of pinned memory and two on the device, all of which count as [`Engine::memory`]. Where
    /// pictures go in stripes, as by [`forward_pinned`](Self::forward_pinned), those on the device
    /// take as much as three pictures, or four where rows are very long, and the first frame's
    /// submission builds plans.
    ///
    /// One thread can have both ends if it reads before it waits for a frame: see
    /// [`Feeder::frame`]. Plans of pixels have [`stream_forward`](Self::stream_forward) and
    /// [`stream_inverse`](Self::stream_inverse).
    ///
    /// ```no_run
    /// use wavelift::{Direction, DeviceSelector, Engine, Transform, Wavelet};
    ///
    /// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
    /// let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
    /// let plan = engine.plan::<f32>(&transform)?;
    /// let (feeder, reader) = plan.stream(Direction::Forward, 4)?;
    /// let camera = std::thread::spawn(move || {
    ///     for number in 0..100 {
    ///         let mut frame = feeder.frame()?; // a slice in pinned memory, once a slot is free
    ///         frame.fill(number as f32);
    ///         frame.submit()?;
    ///     }
    ///     Ok::<(), wavelift::Error>(())
    /// });
    /// while let Some(coefficients) = reader.next()? {
    ///     println!("{}", coefficients[0]);
    /// }
    /// camera.join().unwrap()?;
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for less than two slots, or where this plan was made for regions;
    /// [`Error::Memory`] and [`Error::HostMemory`] where there is not enough for the slots; all
    /// other errors are those of [`Engine::plan`].
    pub fn stream(&self, direction: Direction, slots: usize) -> Result<(Feeder<T>, Reader<T>)> {
        self.stream_of(direction, slots)
    }
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// Makes a stream from samples, or from the pixels of a plan of these, to
    /// coefficients, as [`stream`](Plan::stream) does: the bus carries what a camera gave,
    /// and the device makes samples of it.
    ///
    /// ```no_run
    /// use wavelift::{DeviceSelector, Engine, Transform, Wavelet};
    ///
    /// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
    /// let transform = Transform::new(Wavelet::CDF_5_3, [1080, 1920]).levels(5);
    /// let plan = engine.plan_from::<u8, i16>(&transform)?;
    /// let (feeder, reader) = plan.stream_forward(4)?;
    /// let mut frame = feeder.frame()?; // a slice of `u8`
    /// frame.fill(7);
    /// frame.submit()?;
    /// if let Some(coefficients) = reader.next()? {
    ///     println!("{}", coefficients[0]); // an `i16`
    /// }
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`stream`](Plan::stream).
    pub fn stream_forward(&self, slots: usize) -> Result<(Feeder<P, T>, Reader<P, T>)> {
        self.stream_of(Direction::Forward, slots)
    }

    /// Makes a stream from coefficients back to samples, or to the pixels of a plan of these,
    /// rounded and within their range, as [`stream`](Plan::stream) does.
    ///
    /// # Errors
    /// As [`stream`](Plan::stream).
    pub fn stream_inverse(&self, slots: usize) -> Result<(Feeder<T, P>, Reader<T, P>)> {
        self.stream_of(Direction::Inverse, slots)
    }

    /// A stream between frames of the direction's elements.
    fn stream_of<I: Element, O: Element>(
        &self,
        direction: Direction,
        slots: usize,
    ) -> Result<(Feeder<I, O>, Reader<I, O>)> {
        if slots < 2 {
            return Err(Error::Unsupported {
                what: format!("a stream with {slots} slots"),
                why: "one is filled while another one is read".to_owned(),
            });
        }
        self.check_dense()?;
        self.check_whole()?;
        let mut plan = self.another()?;
        plan.check_whole()?;
        plan.transit = Transit::new(Some(slots));
        let (site, len) = (&plan.site, plan.transform().len());
        // Before any is made; the two arrays of a slot are in pages of their own.
        let pages = |bytes: usize| len.saturating_mul(bytes).max(PAGE);
        let each = pages(size_of::<I>()).saturating_add(pages(size_of::<O>()));
        let all = each.saturating_mul(slots) as u64;
        site.shared.check_left("the slots of a stream", all)?;
        let slot = || Ok((PinnedArray::new(site, len)?, PinnedArray::new(site, len)?));
        let free: Vec<Slot<I, O>> = (0..slots).map(|_| slot()).collect::<Result<_>>()?;
        let submit = move |(input, output): Slot<I, O>| plan.submit_of(direction, input, output);
        let circuit = Circuit::new(submit, free);
        Ok((Feeder(circuit.clone()), Reader(circuit)))
    }
}
