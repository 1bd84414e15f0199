//! Slots that go round: who takes one waits here for those who give one back.

use super::Slot;
use crate::error::{Error, Result};
use crate::runtime::host::pending::{Pending, SubmitError};
use crate::runtime::lock::{lock, wait};
use crate::wavelet::Element;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Condvar, Mutex};

/// Sends the transform of a slot on its way.
type Submit<I, O> = dyn Fn(Slot<I, O>) -> Result<Pending<I, O>, SubmitError<I, O>> + Send + Sync;

/// What a feeder, a reader and their frames share.
pub(super) struct Circuit<I: Element, O: Element> {
    // By a plan of the stream's own, which takes as many as there are slots.
    pub submit: Box<Submit<I, O>>,
    state: Mutex<State<I, O>>,
    changed: Condvar,
}

pub(super) struct State<I: Element, O: Element> {
    /// All slots but those that a lost device keeps.
    slots: usize,
    /// Why the device keeps some.
    lost: Option<Error>,
    pub free: Vec<Slot<I, O>>,
    pub submitted: VecDeque<Pending<I, O>>,
    /// Slots that somebody waits for.
    landing: usize,
    /// The feeder, and the frames that it gave out and that are neither submitted nor dropped: from
    /// each of them a frame may still come.
    pub writers: usize,
    pub has_reader: bool,
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
    pub fn failed(&mut self, failed: SubmitError<I, O>) -> Error {
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

/// A slot whose landing panics, as a logger may: it is lost, and nobody waits for it.
struct Unwinding<'a, I: Element, O: Element>(&'a Circuit<I, O>);

impl<I: Element, O: Element> Drop for Unwinding<'_, I, O> {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.landing -= 1;
            state.slots -= 1;
        });
    }
}

impl<I: Element, O: Element> Circuit<I, O> {
    /// With all slots free, a feeder and a reader.
    pub fn new(
        submit: impl Fn(Slot<I, O>) -> Result<Pending<I, O>, SubmitError<I, O>> + Send + Sync + 'static,
        free: Vec<Slot<I, O>>,
    ) -> Arc<Self> {
        Arc::new(Circuit {
            submit: Box::new(submit),
            state: Mutex::new(State {
                slots: free.len(),
                lost: None,
                free,
                submitted: VecDeque::new(),
                landing: 0,
                writers: 1,
                has_reader: true,
            }),
            changed: Condvar::new(),
        })
    }

    /// Changes the state, and wakes who waits for that.
    pub fn change<R>(&self, change: impl FnOnce(&mut State<I, O>) -> R) -> R {
        let result = change(&mut lock(&self.state));
        self.changed.notify_all();
        result
    }

    /// A slot to be filled: who has it counts as a writer.
    pub fn to_fill(&self, waits: bool) -> Result<Slot<I, O>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(slot) = state.free.pop() {
                if state.is_busy() {
                    // Who waits learns it.
                    self.changed.notify_all();
                }
                state.writers += 1;
                return Ok(slot);
            }
            // Nobody will read it.
            let is_due = |pending: &Pending<I, O>| waits || pending.is_done();
            if !state.has_reader
                && state.submitted.front().is_some_and(is_due)
                && let Some(pending) = state.submitted.pop_front()
            {
                state.landing += 1;
                drop(state);
                let slot = self.land(pending)?;
                lock(&self.state).writers += 1;
                return Ok(slot);
            } else if !waits || state.is_busy() {
                return Err(state.busy());
            } else {
                state = wait(&self.changed, state);
            }
        }
    }

    /// The next slot whose transform is done, if there is still to be one.
    pub fn to_read(&self) -> Result<Option<Slot<I, O>>> {
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
        self.land(pending).map(Some)
    }

    /// Waits for a transform that counts as landing, without the lock: others go on meanwhile.
    fn land(&self, pending: Pending<I, O>) -> Result<Slot<I, O>> {
        let unwinding = Unwinding(self);
        let landed = pending.wait();
        mem::forget(unwinding);
        self.change(|state| {
            state.landing -= 1;
            landed.map_err(|failed| state.failed(failed))
        })
    }
}
