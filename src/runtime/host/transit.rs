//! Transforms from memory of the host to memory of the host that nobody waits for: where they are on their way, what they take
//! along, and how they end.

use super::array::PinnedArray;
use super::bands::{Bands, pairs_of_bands};
use super::batch::{Batch, count_of_parts};
use super::borrowed::{over_both, seen_by_host, stands_at};
use super::copies::{Way, copy_rows};
use super::route::{Pieces, Route, RouteArrays};
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::{Site, opencl};
use crate::runtime::event::{Event, wait_for_all};
use crate::runtime::lock::lock;
use crate::runtime::plan::Plan;
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Element, Sample};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How many submitted transforms of a plan are on their way at most: one goes up, one is computed, one comes down.
const MOST: usize = 3;

/// What the transforms of a plan on their way have in common.
pub(in crate::runtime) struct Transit<T: Sample, P: Element = T> {
    most: usize,
    state: Mutex<State<T, P>>,
    /// The plan's transform in pieces, once it is known whether it goes so.
    pieces: Mutex<Option<Pieces<T, P>>>,
    /// Whether it was said that there is too little memory for bands.
    has_warned: AtomicBool,
    /// Blocking calls take turns.
    turn: Mutex<()>,
}

struct State<T: Sample, P: Element> {
    /// For uploads and downloads, beside the engine's for kernels.
    queues: Option<[Arc<Queue>; 2]>,
    /// The arrays on the device for each.
    idle: Vec<RouteArrays<T, P>>,
    submitted: usize,
    /// Why it is not known what the device still does.
    lost: Option<Error>,
}

impl<T: Sample, P: Element> Transit<T, P> {
    pub fn new(most: Option<usize>) -> Arc<Self> {
        Arc::new(Transit {
            most: most.unwrap_or(MOST),
            state: Mutex::new(State {
                queues: None,
                idle: Vec::new(),
                submitted: 0,
                lost: None,
            }),
            pieces: Mutex::new(None),
            has_warned: AtomicBool::new(false),
            turn: Mutex::default(),
        })
    }

    /// Frees the arrays that no transform on its way uses.
    pub fn free_idle(&self) {
        lock(&self.state).idle.clear();
    }

    /// Counts a transform on its way.
    fn enter(&self, is_submitted: bool) -> Result<()> {
        let mut state = lock(&self.state);
        if let Some(lost) = &state.lost {
            return Err(lost.clone());
        }
        if is_submitted && state.submitted == self.most {
            return Err(Error::Busy {
                what: "the plan",
                most: self.most,
            });
        }
        state.submitted += usize::from(is_submitted);
        Ok(())
    }

    fn queues(&self, site: &Site) -> Result<[Arc<Queue>; 2]> {
        let mut state = lock(&self.state);
        if let Some(queues) = &state.queues {
            return Ok(queues.clone());
        }
        let own = || Queue::own(&site.shared.context, &site.shared.device, 0);
        Ok(state.queues.insert([own()?, own()?]).clone())
    }

    /// The arrays of a route: the next one with as many of them may have the same.
    fn arrays(&self, site: &Site, route: &Route<T, P>) -> Result<RouteArrays<T, P>> {
        let (pixels, samples) = route.arrays();
        let mut state = lock(&self.state);
        let is_as_many = |idle: &RouteArrays<T, P>| idle.samples.len() == samples.len();
        if let Some(found) = state.idle.iter().position(is_as_many) {
            return Ok(state.idle.swap_remove(found));
        }
        drop(state);
        let array = |len: usize| DeviceArray::new(&site.shared, &site.queue, len);
        let of_pixels = pixels.map(|len| DeviceArray::new(&site.shared, &site.queue, len));
        Ok(RouteArrays {
            pixels: of_pixels.transpose()?,
            samples: samples.into_iter().map(array).collect::<Result<_>>()?,
        })
    }

    /// Keeps arrays for the next transform: one set more than are submitted, for blocking calls.
    fn keep(&self, state: &mut State<T, P>, arrays: RouteArrays<T, P>) {
        if state.idle.len() <= self.most {
            state.idle.push(arrays);
        }
    }

    /// The way of a plan's transform, with arrays for it.
    fn route<'a>(
        &self,
        plan: &'a Plan<T, P>,
        direction: Direction,
    ) -> Result<(Route<'a, T, P>, RouteArrays<T, P>)> {
        let mut route = Route {
            plan,
            direction,
            pieces: self.pieces(plan),
        };
        let arrays = self.arrays(&plan.site, &route);
        let arrays = match arrays {
            Err(error) if matches!(route.pieces, Pieces::Bands(_)) => {
                // As a whole it takes less memory.
                route.pieces = Pieces::Whole;
                if !self.has_warned.swap(true, Ordering::Relaxed) {
                    log::warn!("up and down are one after the other: {error}");
                }
                self.arrays(&plan.site, &route)
            }
            arrays => arrays,
        };
        Ok((route, arrays?))
    }

    /// Has `go` take a blocking call its way, between arrays that nothing else uses, by queues for uploads and downloads. When it
    /// returns without an error, the device is done with the arrays.
    pub fn in_turn<R>(
        &self,
        plan: &Plan<T, P>,
        direction: Direction,
        go: impl FnOnce(&Route<T, P>, &mut RouteArrays<T, P>, [Arc<Queue>; 2]) -> Result<R>,
    ) -> Result<R> {
        let _turn = lock(&self.turn);
        let queues = self.queues(&plan.site)?;
        let (route, mut arrays) = self.route(plan, direction)?;
        // After an error others are made: it may not be known what the device still does.
        let done = go(&route, &mut arrays, queues)?;
        self.keep(&mut lock(&self.state), arrays);
        Ok(done)
    }

    /// The plan's transform in pieces, if that is faster and their plans could be built.
    fn pieces(&self, plan: &Plan<T, P>) -> Pieces<T, P> {
        let mut pieces = lock(&self.pieces);
        if let Some(known) = &*pieces {
            return known.clone();
        }
        let built = Self::built(plan).unwrap_or_else(|error| {
            log::warn!("up and down are one after the other: {error}");
            Pieces::Whole
        });
        pieces.insert(built).clone()
    }

    fn built(plan: &Plan<T, P>) -> Result<Pieces<T, P>> {
        let (site, transform, wanted) = (&plan.site, plan.transform(), plan.wanted);
        if let Some(count) = count_of_parts::<T, P>(site, transform) {
            let batch = Batch::new(site, transform, plan.pixels(), wanted, count)?;
            return Ok(Pieces::Batch(Arc::new(batch)));
        }
        match pairs_of_bands::<T>(site, transform) {
            Some(pairs) if !plan.is_of_pixels() => {
                let bands = Bands::new(site, transform, wanted, pairs)?;
                Ok(Pieces::Bands(Arc::new(bands)))
            }
            _ => Ok(Pieces::Whole),
        }
    }
}

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

/// A transform on its way. Dropped, it is waited for; where its end cannot be learnt then, the program ends.
pub(super) struct Flight<T: Sample, P: Element> {
    home: Arc<Transit<T, P>>,
    is_submitted: bool,
    is_over: bool,
    /// Those whose commands may name its memory or its arrays. No others: a queue may wait for an event of the caller's.
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
    /// Both arrays, which start here, have at least the plan's bytes, aligned as their elements are. They are there until the flight
    /// has landed, or given up by `Failure::settle`; until then nothing writes the input, and nothing else uses the output.
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
            pieces: Pieces::Whole,
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
        route.go(&steps, arrays, &mut self.events, |job, memory, waits| {
            let (queue, host) = match job.way {
                Way::ToDevice => (&up, input),
                Way::ToHost => (&down, output),
            };
            names(queue);
            let (place, host) = ((memory, job.at), (host, job.host));
            // SAFETY: arrays and memory have these rows. Nothing else uses the arrays before this has landed, nor does what used
            // them before, which has landed; of the memory the caller promised it.
            let event = unsafe { copy_rows(queue, job.rows, place, host, job.way, waits)? };
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
/// As for `over_both`: the plan's bytes are there, aligned, as long as the arrays and every command that names them.
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
        // A panic may have come between a command and the note of its event, so the queues are finished in any case.
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

impl<T: Sample, P: Element> Plan<T, P> {
    /// Transforms samples in a pinned array into coefficients in another one, in the transform's layout, and waits. The first such
    /// call allocates two arrays on the device.
    ///
    /// Pictures of 32 MiB and more, in the Mallat layout and not periodic, go in bands of rows, one of which goes up while another
    /// one comes down, unless they are of pixels, on a CPU device or a queue of the caller's. For bands the first call builds
    /// plans, and allocates up to one picture more, or two where rows are longer than 32 KiB, where there is so much memory.
    /// Batches, whose first axis is not transformed, go so in parts of some 8 MiB, those of pixels too, in the same two arrays and by
    /// one or two plans more. What a part is transformed by may differ from what the whole is, so the last bits of floats may differ
    /// from those of other calls; integers are the same.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Unsupported`] where this plan was made for regions; [`Error::Memory`] where the device cannot
    /// hold the arrays, and not even those of tiles; [`Error::HostMemory`] where the host cannot hold the low band of a level in
    /// tiles; [`Error::OpenCl`]. Where the device is lost and may still write `coefficients`, these have no samples any more.
    pub fn forward_pinned(
        &self,
        samples: &PinnedArray<P>,
        coefficients: &mut PinnedArray<T>,
    ) -> Result<()> {
        self.between_pinned(Direction::Forward, samples, coefficients)
    }

    /// Transforms coefficients in a pinned array back into samples in another one, and waits.
    ///
    /// # Errors
    /// As [`forward_pinned`](Self::forward_pinned).
    pub fn inverse_pinned(
        &self,
        coefficients: &PinnedArray<T>,
        samples: &mut PinnedArray<P>,
    ) -> Result<()> {
        self.between_pinned(Direction::Inverse, coefficients, samples)
    }

    /// From one array to another, of the direction's elements.
    pub(crate) fn between_pinned<I: Element, O: Element>(
        &self,
        direction: Direction,
        input: &PinnedArray<I>,
        output: &mut PinnedArray<O>,
    ) -> Result<()> {
        self.check_host(input.len(), output.len())?;
        if let Some(tiled) = self.tiled() {
            return self.tile_by_tile(&tiled, direction, input, output);
        }
        let both = self.starts(direction, input, output);
        let turn = lock(&self.transit.turn);
        // SAFETY: `starts` checked the bytes and how they are aligned. Both arrays are borrowed until the flight has landed or its
        // memory is given up; it lands too where this panics.
        let flight = unsafe { Flight::depart(self, direction, both, false) };
        let landed = flight.and_then(Flight::land);
        drop(turn);
        landed.or_else(|failure| {
            let tiled = self.turn_to_tiles(failure.settle(input, output))?;
            self.tile_by_tile(&tiled, direction, input, output)
        })
    }

    /// Where an input and an output start, of at least the transform's length and of elements as large as those of this direction:
    /// so they have its bytes, aligned, since elements of one size are aligned alike.
    pub(super) fn starts<I: Element, O: Element>(
        &self,
        direction: Direction,
        input: &PinnedArray<I>,
        output: &PinnedArray<O>,
    ) -> [*mut u8; 2] {
        let len = self.transform().len();
        let bytes = [size_of::<I>(), size_of::<O>()].map(|size| size * len);
        assert_eq!(bytes, self.host_bytes(direction));
        assert!(input.len() >= len && output.len() >= len);
        [input.start(), output.start()]
    }
}
