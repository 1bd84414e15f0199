//! Streams of frames: slots go round from who fills them over the device to who reads them.

use super::array::PinnedArray;
use super::pages::PAGE;
use super::pending::{Pending, SubmitError};
use super::transit::Transit;
use crate::error::{Error, Result};
#[cfg(doc)]
use crate::runtime::engine::Engine;
use crate::runtime::lock::{lock, wait};
use crate::runtime::plan::Plan;
use crate::wavelet::{Direction, Element, Sample};
use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex};

/// An input and an output.
type Slot<I, O> = (PinnedArray<I>, PinnedArray<O>);

/// Sends the transform of a slot on its way.
type Submit<I, O> = dyn Fn(Slot<I, O>) -> Result<Pending<I, O>, SubmitError<I, O>> + Send + Sync;

/// What a feeder, a reader and their frames share.
struct Line<I: Element, O: Element> {
    // By a plan of the stream's own, which takes as many as there are slots.
    submit: Box<Submit<I, O>>,
    state: Mutex<State<I, O>>,
    changed: Condvar,
}

struct State<I: Element, O: Element> {
    /// All slots but those that a lost device keeps.
    slots: usize,
    /// Why the device keeps some.
    lost: Option<Error>,
    free: Vec<Slot<I, O>>,
    submitted: VecDeque<Pending<I, O>>,
    /// Slots that a reader waits for.
    landing: usize,
    /// The feeder, and the frames that it gave out and that are neither submitted nor dropped: from each of them a frame may
    /// still come.
    writers: usize,
    has_reader: bool,
}

impl<I: Element, O: Element> State<I, O> {
    /// Whether no slot comes back but from the user.
    fn is_busy(&self) -> bool {
        self.free.is_empty() && self.submitted.is_empty() && self.landing == 0
    }

    fn busy(&self) -> Error {
        match &self.lost {
            Some(lost) if self.slots == 0 => lost.clone(),
            _ => Error::Busy {
                what: "the stream",
                most: self.slots,
            },
        }
    }

    /// Takes back the slot of a transform that failed, unless the device may still use it.
    fn failed(&mut self, failed: SubmitError<I, O>) -> Error {
        match failed.output.len() == failed.input.len() {
            true => self.free.push((failed.input, failed.output)),
            false => {
                self.slots -= 1;
                self.lost = Some(failed.error.clone());
            }
        }
        failed.error
    }
}

impl<I: Element, O: Element> Line<I, O> {
    /// Changes the state, and wakes who waits for that.
    fn change<R>(&self, change: impl FnOnce(&mut State<I, O>) -> R) -> R {
        let result = change(&mut lock(&self.state));
        self.changed.notify_all();
        result
    }

    fn frame(self: &Arc<Self>, waits: bool) -> Result<WriteFrame<I, O>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(slot) = state.free.pop() {
                if state.is_busy() {
                    // Who waits learns it.
                    self.changed.notify_all();
                }
                state.writers += 1;
                let (line, slot) = (self.clone(), Some(slot));
                return Ok(WriteFrame { line, slot });
            }
            // Nobody will read it.
            let is_due = |pending: &Pending<I, O>| waits || pending.is_done();
            if !state.has_reader
                && state.submitted.front().is_some_and(is_due)
                && let Some(pending) = state.submitted.pop_front()
            {
                match pending.wait() {
                    Ok(slot) => state.free.push(slot),
                    Err(failed) => return Err(state.failed(failed)),
                }
            } else if !waits || state.is_busy() {
                return Err(state.busy());
            } else {
                state = wait(&self.changed, state);
            }
        }
    }

    fn next(self: &Arc<Self>) -> Result<Option<ReadFrame<I, O>>> {
        let mut state = lock(&self.state);
        let pending = loop {
            if let Some(pending) = state.submitted.pop_front() {
                state.landing += 1;
                break pending;
            }
            if state.writers == 0 {
                return Ok(None);
            }
            if state.is_busy() {
                return Err(state.busy());
            }
            state = wait(&self.changed, state);
        };
        drop(state);
        let landed = pending.wait();
        self.change(|state| {
            state.landing -= 1;
            match landed {
                Ok(slot) => Ok(Some(ReadFrame {
                    line: self.clone(),
                    slot: Some(slot),
                })),
                Err(failed) => Err(state.failed(failed)),
            }
        })
    }
}

/// Where frames enter a stream, by [`Plan::stream`] and its like. Once it is dropped, the stream ends behind the frames that were
/// submitted and those that somebody still holds.
pub struct Feeder<I: Element, O: Element = I>(Arc<Line<I, O>>);

/// Where results leave a stream, in the order in which frames were submitted, by [`Plan::stream`] and its like. Where it is
/// dropped, nobody reads them: the feeder goes on.
pub struct Reader<I: Element, O: Element = I>(Arc<Line<I, O>>);

/// A frame to be filled, which is a slice as long as the transform: of samples or pixels, row-major and of the transform's shape, or
/// for the inverse of coefficients in its layout. It holds what an earlier frame left.
///
/// Only [`submit`](Self::submit) sends it on its way; dropped, its slot is free again. Forgotten, it costs the stream one slot,
/// and the stream does not end, because the reader waits for it.
#[must_use = "a frame that is not submitted goes nowhere"]
pub struct WriteFrame<I: Element, O: Element = I> {
    line: Arc<Line<I, O>>,
    slot: Option<Slot<I, O>>,
}

/// A result, which is a slice as long as the transform: of coefficients in its layout, or for the inverse of samples or pixels,
/// row-major and of the transform's shape. Dropped, its slot is free again; forgotten, it costs the stream one slot.
pub struct ReadFrame<I: Element, O: Element = I> {
    line: Arc<Line<I, O>>,
    slot: Option<Slot<I, O>>,
}

impl<I: Element, O: Element> Feeder<I, O> {
    /// Returns a frame to be filled. Waits until a slot is free, as long as that does not depend on who holds the frames.
    ///
    /// It waits for the reader where results are to be read: one thread that has both ends reads first, or calls
    /// [`try_frame`](Self::try_frame), or would wait for ever.
    ///
    /// # Errors
    /// [`Error::Busy`] where all slots are frames that somebody holds or has forgotten, which may pass where another thread holds
    /// them; the error of an earlier transform whose result nobody reads any more, or by which the device was lost with all slots.
    pub fn frame(&self) -> Result<WriteFrame<I, O>> {
        self.0.frame(true)
    }

    /// Returns a frame to be filled if a slot is free now.
    ///
    /// # Errors
    /// As [`frame`](Self::frame), and [`Error::Busy`] where none is free.
    pub fn try_frame(&self) -> Result<WriteFrame<I, O>> {
        self.0.frame(false)
    }
}

impl<I: Element, O: Element> Reader<I, O> {
    /// Waits for the next result. There is none where the feeder is gone, nobody holds a frame to be filled any more, and all results
    /// were read.
    ///
    /// # Errors
    /// [`Error::OpenCl`] where this frame's transform or copy failed, after which the stream goes on with the next;
    /// [`Error::Busy`] where all slots are frames that somebody holds or has forgotten, which may pass where another thread holds
    /// them. Where the device was lost with all slots, each call says why.
    #[allow(
        clippy::should_implement_trait,
        reason = "errors do not end the stream, but may repeat for ever"
    )]
    pub fn next(&self) -> Result<Option<ReadFrame<I, O>>> {
        self.0.next()
    }
}

impl<I: Element, O: Element> WriteFrame<I, O> {
    /// Sends the frame on its way: up, through the transform, and down. Does not wait.
    ///
    /// # Errors
    /// [`Error::Memory`] where the device cannot hold the arrays; [`Error::OpenCl`]. The slot is free again then.
    pub fn submit(mut self) -> Result<()> {
        let (line, slot) = (self.line.clone(), self.slot.take());
        let slot = slot.expect("a frame has a slot until it is submitted or dropped");
        line.change(|state| {
            // Under the lock, so that results come in the order of frames.
            let pending = (line.submit)(slot).map_err(|failed| state.failed(failed))?;
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
        self.line.change(|state| {
            state.free.extend(slot);
            state.writers -= 1;
        });
    }
}

impl<I: Element, O: Element> Drop for ReadFrame<I, O> {
    fn drop(&mut self) {
        let slot = mem::take(&mut self.slot);
        self.line.change(|state| state.free.extend(slot));
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

impl<T: Sample> Plan<T> {
    /// Makes a stream of frames with so many slots, at least two, in one direction: one end that fills frames and one that reads
    /// results, each of which can go to a thread of its own. Upload, transform and download of neighbouring frames overlap; with
    /// three slots and one for each frame that is filled or read meanwhile nobody waits but for the slowest of them.
    ///
    /// The stream has kernels of its own ([`another`](Self::another)), and for each slot two arrays of pinned memory and two on the
    /// device, all of which count as [`Engine::memory`]. Where pictures go in bands, as by
    /// [`forward_pinned`](Self::forward_pinned), those on the device take as much as three pictures, or four where rows are very
    /// long, and the first frame's submission builds plans.
    ///
    /// One thread can have both ends if it reads before it waits for a frame: see [`Feeder::frame`]. Plans of pixels have
    /// [`stream_forward`](Self::stream_forward) and [`stream_inverse`](Self::stream_inverse).
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
    /// [`Error::Unsupported`] for less than two slots, or where this plan was made for regions; [`Error::Memory`] and
    /// [`Error::HostMemory`] where there is not enough for the slots; all other errors are those of [`Engine::plan`].
    pub fn stream(&self, direction: Direction, slots: usize) -> Result<(Feeder<T>, Reader<T>)> {
        self.stream_of(direction, slots)
    }
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// Makes a stream from samples, or from the pixels of a plan of these, to coefficients, as [`stream`](Plan::stream) does: the
    /// bus carries what a camera gave, and the device makes samples of it.
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

    /// Makes a stream from coefficients back to samples, or to the pixels of a plan of these, rounded and within their range, as
    /// [`stream`](Plan::stream) does.
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
        let line = Arc::new(Line {
            submit: Box::new(submit),
            state: Mutex::new(State {
                slots,
                lost: None,
                free,
                submitted: VecDeque::new(),
                landing: 0,
                writers: 1,
                has_reader: true,
            }),
            changed: Condvar::new(),
        });
        Ok((Feeder(line.clone()), Reader(line)))
    }
}
