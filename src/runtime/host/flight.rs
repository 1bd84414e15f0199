//! A transform on its way: what it takes along, and how it ends.

use super::array::PinnedArray;
use super::borrowed::{over_both, seen_by_host, stands_at};
use super::copies::{Heading, copy_rows};
use super::route::{Parts, Route, RouteArrays};
use super::transit::Transit;
use crate::error::{Error, Result};
use crate::runtime::context::opencl;
use crate::runtime::event::{Event, wait_for_all};
use crate::runtime::lock::lock;
use crate::runtime::plan::Plan;
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Element, Sample};
use std::mem;
use std::sync::Arc;

/// Why a transform failed, and why the device may use its memory for ever, if so.
pub(super) struct Failure {
    pub error: Error,
    lost: Option<Box<Error>>,
}

impl Failure {
    /// Gives up the memory of a transform if it is lost.
    pub fn settle<I: Element, O: Element>(
        self,
        input: &PinnedArray<I>,
        output: &mut PinnedArray<O>,
    ) -> Error {
        if let Some(lost) = self.lost {
            input.lose_input();
            output.lose_output();
            // Behind that: a logger may panic.
            say_lost(&lost);
        }
        self.error
    }
}

fn say_lost(error: &Error) {
    log::error!("a device may still use memory that it was lent: {error}");
}

/// A transform on its way, of whatever samples and pixels.
pub(super) trait Flying: Send + Sync {
    /// Whether all is done, also where it failed, or where asking does: waiting then says why.
    fn is_over(&self) -> bool;

    /// Waits for the end.
    fn land(self: Box<Self>) -> Result<(), Failure>;
}

/// A transform on its way. Dropped, it is waited for; where its end cannot be
/// learnt then, the program ends.
pub(super) struct Flight<T: Sample, P: Element> {
    home: Arc<Transit<T, P>>,
    is_submitted: bool,
    is_over: bool,
    /// Those whose commands may name its memory or its arrays. No others: a queue may wait for
    /// an event of the caller's.
    queues: Vec<Arc<Queue>>,
    events: Vec<Event>,
    /// Its arrays on the device, and whether the next one may have them.
    arrays: Option<(RouteArrays<T, P>, bool)>,
}

impl<T: Sample, P: Element> Flight<T, P> {
    /// Waits for the end.
    pub fn land(mut self) -> Result<(), Failure> {
        self.end(Ok(()))
    }

    /// Sends a transform on its way; submitted ones are counted.
    ///
    /// # Safety
    /// Both arrays, which start here, have at least the plan's bytes, aligned as their elements
    /// are. They are there until the flight has landed, or given up by `Failure::settle`; until
    /// then nothing writes the input, and nothing else uses the output.
    pub unsafe fn depart(
        plan: &Plan<T, P>,
        direction: Direction,
        both: [*mut u8; 2],
        is_submitted: bool,
    ) -> Result<Self, Failure> {
        let failed = |error| Failure { error, lost: None };
        plan.check_whole().map_err(failed)?;
        let home = plan.transit.clone();
        home.enter(is_submitted).map_err(failed)?;
        let mut flight = Flight {
            home,
            is_submitted,
            is_over: false,
            queues: Vec::new(),
            events: Vec::new(),
            arrays: None,
        };
        let stands_at = stands_at(plan.site.shared.device.info()).filter(|_| {
            plan.site.copy_threads.is_none()
                && plan.takes_both(direction, both.map(<*mut u8>::cast_const))
        });
        // SAFETY: by the caller's promise.
        let departed = unsafe {
            match stands_at {
                Some(multiple) => flight.where_they_stand(plan, direction, multiple, both),
                None => flight.by_copies(plan, direction, both),
            }
        };
        match departed {
            Ok(()) => Ok(flight),
            Err(error) => Err(flight.end(Err(error)).unwrap_err()),
        }
    }

    /// Has the device use memory of the host where it stands.
    ///
    /// # Safety
    /// That of `depart`.
    unsafe fn where_they_stand(
        &mut self,
        plan: &Plan<T, P>,
        direction: Direction,
        multiple: usize,
        both: [*mut u8; 2],
    ) -> Result<()> {
        let site = &plan.site;
        // SAFETY: the memory is there until all commands are done, by the caller's promise.
        let arrays = unsafe { over_arrays(plan, direction, multiple, both)? };
        let (arrays, _) = self.arrays.insert((arrays, false));
        self.queues.push(site.queue.clone());
        let route = Route {
            plan,
            direction,
            parts: Parts::Whole,
        };
        let end = route.compute(0, arrays, &[], &mut self.events)?;
        let seen = match (&arrays.pixels, direction) {
            (Some(pixels), Direction::Inverse) => seen_by_host(&site.queue, pixels, &end)?,
            _ => {
                let output = arrays.samples.last().expect("they are one or two");
                seen_by_host(&site.queue, output, &end)?
            }
        };
        self.events.extend(seen);
        site.queue.flush()
    }

    /// Copies to the device, transforms there, and copies back, on a queue each.
    ///
    /// # Safety
    /// That of `depart`.
    unsafe fn by_copies(
        &mut self,
        plan: &Plan<T, P>,
        direction: Direction,
        [input, output]: [*mut u8; 2],
    ) -> Result<()> {
        let [up, down] = self.home.queues(&plan.site)?;
        let (route, arrays) = self.home.route(plan, direction)?;
        let (arrays, _) = self.arrays.insert((arrays, true));
        let (steps, kernels) = (route.steps(), &plan.site.queue);
        let queues = &mut self.queues;
        let mut names = |queue: &Arc<Queue>| {
            if !queues.iter().any(|known| Arc::ptr_eq(known, queue)) {
                queues.push(queue.clone());
            }
        };
        route.go(&steps, arrays, &mut self.events, |copy, memory, waits| {
            let (queue, host) = match copy.heading {
                Heading::ToDevice => (&up, input),
                Heading::ToHost => (&down, output),
            };
            names(queue);
            let (place, host) = ((memory, copy.at), (host, copy.host));
            // SAFETY: arrays and memory have these rows. Nothing else uses the arrays before
            // this has landed, nor does what used them before, which has landed; of the
            // memory the caller promised it.
            let event = unsafe { copy_rows(queue, copy.rows, place, host, copy.heading, waits)? };
            // Kernels come behind an upload only.
            names(kernels);
            queue.flush()?;
            Ok(event)
        })
    }

    /// Follows all commands to their end, after an error too.
    fn end(&mut self, done: Result<()>) -> Result<(), Failure> {
        let events = mem::take(&mut self.events);
        let done = done.and_then(|()| wait_for_all(&events));
        let lost = done.as_ref().err().and_then(|_| self.finish().err());
        self.is_over = true;
        let mut state = lock(&self.home.state);
        if lost.is_some() {
            // What commands use stays for ever.
            mem::forget((self.arrays.take(), mem::take(&mut self.queues), events));
            state.lost.clone_from(&lost);
        } else {
            state.submitted -= usize::from(self.is_submitted);
            if let Some((arrays, true)) = self.arrays.take() {
                self.home.keep(&mut state, arrays);
            }
        }
        done.map_err(|error| Failure {
            error,
            lost: lost.map(Box::new),
        })
    }

    fn finish(&self) -> Result<()> {
        let mut finished = self.queues.iter().map(|queue| queue.handle.finish());
        finished.try_for_each(|done| done.map_err(opencl("clFinish")))
    }
}

impl<T: Sample, P: Element> Flying for Flight<T, P> {
    fn is_over(&self) -> bool {
        let is_pending = |event: &Event| matches!(event.is_done(), Ok(false));
        !self.events.iter().any(is_pending)
    }

    fn land(self: Box<Self>) -> Result<(), Failure> {
        Flight::land(*self)
    }
}

/// Makes arrays over an input and an output of the host.
///
/// # Safety
/// As for `over_both`: the plan's bytes are there, aligned, as long as the arrays and every
/// command that names them.
unsafe fn over_arrays<T: Sample, P: Element>(
    plan: &Plan<T, P>,
    direction: Direction,
    multiple: usize,
    [input, output]: [*mut u8; 2],
) -> Result<RouteArrays<T, P>> {
    let (site, len) = (&plan.site, plan.transform().len());
    // SAFETY: by the caller's promise; without pixels, P is T.
    unsafe {
        if !plan.is_of_pixels() {
            let (input, output) = ((input.cast(), len), (output.cast(), len));
            let (from, to) = over_both(site, multiple, input, output)?;
            return Ok(RouteArrays {
                pixels: None,
                samples: vec![from, to],
            });
        }
        let (pixels, bands) = match direction {
            Direction::Forward => {
                over_both(site, multiple, (input.cast(), len), (output.cast(), len))?
            }
            Direction::Inverse => {
                let (input, output) = ((input.cast(), len), (output.cast(), len));
                let (bands, pixels) = over_both(site, multiple, input, output)?;
                (pixels, bands)
            }
        };
        Ok(RouteArrays {
            pixels: Some(pixels),
            samples: vec![bands],
        })
    }
}

impl<T: Sample, P: Element> Drop for Flight<T, P> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // A panic may have come between a command and the note of its event, so the queues
        // are finished in any case.
        let finished = self.finish();
        if let Err(Failure {
            lost: Some(lost), ..
        }) = self.end(finished)
        {
            say_lost(&lost);
            std::process::abort();
        }
    }
}
