//! The two ends of a stream, and the frames that they give out.

use super::Slot;
use super::circuit::Circuit;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
#[cfg(doc)]
use crate::runtime::plan::Plan;
use crate::wavelet::Element;
use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Where frames enter a stream, by [`Plan::stream`] and its like. Once it is dropped, the stream
/// ends behind the frames that were submitted and those that somebody still holds.
pub struct Feeder<I: Element, O: Element = I>(pub(super) Arc<Circuit<I, O>>);

/// Where results leave a stream, in the order in which frames were submitted, by [`Plan::stream`]
/// and its like. Where it is dropped, nobody reads them: the feeder goes on.
pub struct Reader<I: Element, O: Element = I>(pub(super) Arc<Circuit<I, O>>);

/// A frame to be filled, which is a slice as long as the transform: of samples or pixels,
/// row-major and of the transform's shape, or for the inverse of coefficients in its layout. It
/// holds what an earlier frame left.
///
/// Only [`submit`](Self::submit) sends it on its way; dropped, its slot is free again. Forgotten,
/// it costs the stream one slot, and the stream does not end, because the reader waits for it.
#[must_use = "a frame that is not submitted goes nowhere"]
pub struct WriteFrame<I: Element, O: Element = I> {
    circuit: Arc<Circuit<I, O>>,
    slot: Option<Slot<I, O>>,
}

/// A result, which is a slice as long as the transform: of coefficients in its layout, or for the
/// inverse of samples or pixels, row-major and of the transform's shape. Dropped, its slot is free
/// again; forgotten, it costs the stream one slot.
pub struct ReadFrame<I: Element, O: Element = I> {
    circuit: Arc<Circuit<I, O>>,
    slot: Option<Slot<I, O>>,
}

impl<I: Element, O: Element> Feeder<I, O> {
    /// Returns a frame to be filled. Waits until a slot is free; where every slot is a frame that
    /// somebody still holds, it does not wait but returns [`Error::Busy`].
    ///
    /// It waits for the reader where results are to be read: one thread that has both ends reads
    /// first, or calls [`try_frame`](Self::try_frame), or would wait for ever.
    ///
    /// # Errors
    /// [`Error::Busy`] where all slots are frames that somebody holds or has forgotten, which may
    /// pass where another thread holds them; the error of an earlier transform whose result nobody
    /// reads any more, or by which the device was lost with all slots.
    pub fn frame(&self) -> Result<WriteFrame<I, O>> {
        self.frame_if(true)
    }

    /// Returns a frame to be filled if a slot is free now.
    ///
    /// # Errors
    /// As [`frame`](Self::frame), and [`Error::Busy`] where none is free.
    pub fn try_frame(&self) -> Result<WriteFrame<I, O>> {
        self.frame_if(false)
    }

    fn frame_if(&self, waits: bool) -> Result<WriteFrame<I, O>> {
        let slot = Some(self.0.to_fill(waits)?);
        let circuit = self.0.clone();
        Ok(WriteFrame { circuit, slot })
    }
}

impl<I: Element, O: Element> Reader<I, O> {
    /// Waits for the next result. There is none where the feeder is gone, nobody holds a frame to
    /// be filled any more, and all results were read.
    ///
    /// # Errors
    /// [`Error::OpenCl`] where this frame's transform or copy failed, after which the stream goes
    /// on with the next; [`Error::Busy`] where all slots are frames that somebody holds or has
    /// forgotten, which may pass where another thread holds them. Where the device was lost with
    /// all slots, each call says why.
    #[allow(
        clippy::should_implement_trait,
        reason = "errors do not end the stream, but may repeat for ever"
    )]
    pub fn next(&self) -> Result<Option<ReadFrame<I, O>>> {
        let slot = self.0.to_read()?;
        Ok(slot.map(|slot| ReadFrame {
            circuit: self.0.clone(),
            slot: Some(slot),
        }))
    }
}

impl<I: Element, O: Element> WriteFrame<I, O> {
    /// Sends the frame on its way: up, through the transform, and down. Does not wait.
    ///
    /// # Errors
    /// [`Error::Memory`] where the device cannot hold the arrays; [`Error::OpenCl`]. The
    /// slot is free again then.
    pub fn submit(mut self) -> Result<()> {
        let (circuit, slot) = (self.circuit.clone(), self.slot.take());
        let slot = slot.expect("a frame has a slot until it is submitted or dropped");
        circuit.change(|state| {
            // Under the lock, so that results come in the order of frames.
            let pending = (circuit.submit)(slot).map_err(|failed| state.failed(failed))?;
            state.submitted.push_back(pending);
            Ok(())
        })
    }
}

impl<I: Element, O: Element> Drop for Feeder<I, O> {
    fn drop(&mut self) {
        self.0.change(|state| state.writers -= 1);
    }
}

impl<I: Element, O: Element> Drop for Reader<I, O> {
    fn drop(&mut self) {
        self.0.change(|state| state.has_reader = false);
    }
}

impl<I: Element, O: Element> Drop for WriteFrame<I, O> {
    /// Behind [`submit`](WriteFrame::submit), too, which has taken the slot.
    fn drop(&mut self) {
        let slot = mem::take(&mut self.slot);
        self.circuit.change(|state| {
            state.free.extend(slot);
            state.writers -= 1;
        });
    }
}

impl<I: Element, O: Element> Drop for ReadFrame<I, O> {
    fn drop(&mut self) {
        let slot = mem::take(&mut self.slot);
        self.circuit.change(|state| state.free.extend(slot));
    }
}

impl<I: Element, O: Element> Deref for WriteFrame<I, O> {
    type Target = [I];

    fn deref(&self) -> &[I] {
        self.slot.as_ref().map_or(&[], |(input, _)| input)
    }
}

impl<I: Element, O: Element> DerefMut for WriteFrame<I, O> {
    fn deref_mut(&mut self) -> &mut [I] {
        self.slot.as_mut().map_or(&mut [], |(input, _)| input)
    }
}

impl<I: Element, O: Element> Deref for ReadFrame<I, O> {
    type Target = [O];

    fn deref(&self) -> &[O] {
        self.slot.as_ref().map_or(&[], |(_, output)| output)
    }
}

macro_rules! debug {
    ($($Type:ident)*) => {$(
        impl<I: Element, O: Element> fmt::Debug for $Type<I, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}<{}, {}>", stringify!($Type), I::NAME, O::NAME)
            }
        }
    )*};
}

debug!(Feeder Reader WriteFrame ReadFrame);
