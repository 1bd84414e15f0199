//! Transforms from memory of the host to memory of the host that nobody waits for: where they are on their way, what they take
//! along, and how they end.

use super::array::PinnedArray;
use super::bands::{Bands, pairs_of_bands};
use super::borrowed::{over_both, seen_by_host, stands_at};
use super::copies::{Way, copy_rows};
use super::route::Route;
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::{Site, opencl};
use crate::runtime::event::{Event, wait_for_all};
use crate::runtime::plan::{Plan, lock};
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Sample};
use std::mem;
use std::sync::{Arc, Mutex};

/// How many submitted transforms of a plan are on their way at most: one goes up, one is computed, one comes down.
const MOST: usize = 3;

/// What the transforms of a plan on their way have in common.
pub(in crate::runtime) struct Transit<T: Sample> {
    most: usize,
    state: Mutex<State<T>>,
    /// The plan's transform in bands, once it is known whether it goes so.
    bands: Mutex<Option<Option<Arc<Bands<T>>>>>,
    /// Blocking calls take turns.
    turn: Mutex<()>,
}

struct State<T: Sample> {
    /// For uploads and downloads, beside the engine's for kernels.
    queues: Option<[Arc<Queue>; 2]>,
    /// The arrays on the device for each: an input and an output, and more where it goes in bands.
    idle: Vec<Vec<DeviceArray<T>>>,
    submitted: usize,
    /// Why it is not known what the device still does.
    lost: Option<Error>,
}

impl<T: Sample> Transit<T> {
    pub fn new(most: Option<usize>) -> Arc<Self> {
        Arc::new(Transit {
            most: most.unwrap_or(MOST),
            state: Mutex::new(State {
                queues: None,
                idle: Vec::new(),
                submitted: 0,
                lost: None,
            }),
            bands: Mutex::new(None),
            turn: Mutex::default(),
        })
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

    /// Arrays of so many samples each: the next transform with as many of them may have the same.
    fn arrays(&self, site: &Site, samples: &[usize]) -> Result<Vec<DeviceArray<T>>> {
        let mut state = lock(&self.state);
        let found = state
            .idle
            .iter()
            .position(|idle| idle.len() == samples.len());
        if let Some(found) = found {
            return Ok(state.idle.swap_remove(found));
        }
        drop(state);
        let array = |&len| DeviceArray::new(&site.shared, &site.queue, len);
        samples.iter().map(array).collect()
    }

    /// Keeps arrays for the next transform: one set more than are submitted, for blocking calls.
    fn keep(&self, state: &mut State<T>, arrays: Vec<DeviceArray<T>>) {
        if state.idle.len() <= self.most {
            state.idle.push(arrays);
        }
    }

    /// The way of a plan's transform, with arrays for it.
    fn route<'a>(
        &self,
        plan: &'a Plan<T>,
        direction: Direction,
    ) -> Result<(Route<'a, T>, Vec<DeviceArray<T>>)> {
        let bands = self.bands(plan).unwrap_or_else(|error| {
            log::warn!("up and down are one after the other: {error}");
            None
        });
        let mut route = Route {
            plan,
            direction,
            bands,
        };
        let arrays = self.arrays(&plan.site, &route.arrays());
        let arrays = match arrays {
            Err(_) if route.bands.take().is_some() => {
                // As a whole it takes less memory.
                self.arrays(&plan.site, &route.arrays())
            }
            arrays => arrays,
        };
        Ok((route, arrays?))
    }

    /// The plan's transform in bands, if that is faster.
    fn bands(&self, plan: &Plan<T>) -> Result<Option<Arc<Bands<T>>>> {
        let mut bands = lock(&self.bands);
        if let Some(known) = &*bands {
            return Ok(known.clone());
        }
        let (site, transform) = (&plan.site, plan.transform());
        let built = match pairs_of_bands::<T>(site, transform) {
            None => None,
            Some(pairs) => Some(Arc::new(Bands::new(site, transform, plan.wanted, pairs)?)),
        };
        Ok(bands.insert(built).clone())
    }
}

/// Why a transform failed, and whether the device may use its memory for ever.
pub(super) struct Failure {
    pub error: Error,
    is_lost: bool,
}

impl Failure {
    /// Gives up the memory of a transform if it is lost.
    pub fn settle<T: Sample>(self, input: &PinnedArray<T>, output: &mut PinnedArray<T>) -> Error {
        if self.is_lost {
            input.lose_input();
            output.lose_output();
        }
        self.error
    }
}

/// A transform on its way. Dropped, it is waited for; where its end cannot be learnt then, the program ends.
pub(super) struct Flight<T: Sample> {
    home: Arc<Transit<T>>,
    is_submitted: bool,
    is_over: bool,
    /// Those whose commands name its memory or its arrays.
    queues: Vec<Arc<Queue>>,
    events: Vec<Event>,
    /// Its arrays on the device, and whether the next one may have them.
    arrays: Option<(Vec<DeviceArray<T>>, bool)>,
}

impl<T: Sample> Flight<T> {
    /// Sends a transform on its way; submitted ones are counted.
    ///
    /// # Safety
    /// Both arrays have the transform's length. They are there until the flight has landed, or given up by `Failure::settle`;
    /// until then nothing writes the input, and nothing else uses the output.
    pub unsafe fn depart(
        plan: &Plan<T>,
        direction: Direction,
        input: &PinnedArray<T>,
        output: &PinnedArray<T>,
        is_submitted: bool,
    ) -> Result<Self, Failure> {
        let home = plan.transit.clone();
        home.enter(is_submitted).map_err(|error| Failure {
            error,
            is_lost: false,
        })?;
        let mut flight = Flight {
            home,
            is_submitted,
            is_over: false,
            queues: vec![plan.site.queue.clone()],
            events: Vec::new(),
            arrays: None,
        };
        let stands_at = stands_at(plan.site.shared.device.info()).filter(|_| {
            plan.site.copy_threads.is_none() && plan.takes_both(input, output, direction)
        });
        // SAFETY: by the caller's promise.
        let departed = unsafe {
            match stands_at {
                Some(multiple) => flight.where_they_stand(plan, direction, multiple, input, output),
                None => flight.by_copies(plan, direction, input, output),
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
        plan: &Plan<T>,
        direction: Direction,
        multiple: usize,
        input: &PinnedArray<T>,
        output: &PinnedArray<T>,
    ) -> Result<()> {
        let site = &plan.site;
        let [input, output] = [input, output].map(|array| (array.start().cast(), array.len()));
        // SAFETY: the memory is there until all commands are done, by the caller's promise.
        let arrays = unsafe { over_both(site, multiple, input, output)? };
        let (arrays, _) = self.arrays.insert((arrays.into(), false));
        let [from, to] = &mut arrays[..] else {
            unreachable!("two were made");
        };
        let run = plan.enqueue((&*from).into(), (&mut *to).into(), direction, &[])?;
        self.events.extend(run.events().cloned());
        self.events
            .extend(seen_by_host(&site.queue, to, &run.event())?);
        site.queue.flush()
    }

    /// Copies to the device, transforms there, and copies back, on a queue each.
    ///
    /// # Safety
    /// That of `depart`.
    unsafe fn by_copies(
        &mut self,
        plan: &Plan<T>,
        direction: Direction,
        input: &PinnedArray<T>,
        output: &PinnedArray<T>,
    ) -> Result<()> {
        let [up, down] = self.home.queues(&plan.site)?;
        self.queues.extend([up.clone(), down.clone()]);
        let (route, arrays) = self.home.route(plan, direction)?;
        let (arrays, _) = self.arrays.insert((arrays, true));
        let (input, output) = (input.start(), output.start());
        let steps = route.steps();
        route.go(&steps, arrays, &mut self.events, |job, array, waits| {
            let (queue, host) = match job.way {
                Way::ToDevice => (&up, input),
                Way::ToHost => (&down, output),
            };
            let (place, host) = ((&*array.buffer, job.at), (host, job.host));
            // SAFETY: arrays and memory have these rows. Nothing else uses the arrays before this has landed, nor does what used
            // them before, which has landed; of the memory the caller promised it.
            let event = unsafe { copy_rows(queue, job.rows, place, host, job.way, waits)? };
            queue.flush()?;
            Ok(event)
        })
    }

    /// Whether all is done, also where it failed.
    pub fn is_over(&self) -> bool {
        !self.events.iter().any(Event::is_pending)
    }

    /// Waits for the end.
    pub fn land(mut self) -> Result<(), Failure> {
        self.end(Ok(()))
    }

    /// Follows all commands to their end, after an error too.
    fn end(&mut self, done: Result<()>) -> Result<(), Failure> {
        let events = mem::take(&mut self.events);
        let done = done.and_then(|()| wait_for_all(&events));
        let mut lost = None;
        if done.is_err() {
            let mut finished = self.queues.iter().map(|queue| queue.handle.finish());
            lost = finished.find_map(Result::err).map(opencl("clFinish"));
        }
        self.is_over = true;
        let mut state = lock(&self.home.state);
        let is_lost = lost.is_some();
        if let Some(error) = lost {
            log::error!("a device may still use memory that it was lent: {error}");
            // What commands use stays for ever.
            mem::forget((self.arrays.take(), mem::take(&mut self.queues), events));
            state.lost = Some(error);
        } else {
            state.submitted -= usize::from(self.is_submitted);
            if let Some((arrays, true)) = self.arrays.take() {
                self.home.keep(&mut state, arrays);
            }
        }
        done.map_err(|error| Failure { error, is_lost })
    }
}

impl<T: Sample> Drop for Flight<T> {
    fn drop(&mut self) {
        if !self.is_over && self.end(Ok(())).is_err_and(|failure| failure.is_lost) {
            std::process::abort();
        }
    }
}

impl<T: Sample> Plan<T> {
    /// Transforms samples in a pinned array into coefficients in another one, in the transform's layout, and waits. The first such
    /// call allocates two arrays on the device.
    ///
    /// Pictures of 32 MiB and more, in the Mallat layout and not periodic, go in bands of rows, one of which goes up while another
    /// one comes down, unless they are on a CPU device or a queue of the caller's. For these the first call builds plans, and
    /// allocates up to three quarters of a picture more where there is so much memory.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Memory`] where the device cannot hold the arrays; [`Error::OpenCl`]. Where the device is lost
    /// and may still write `coefficients`, these have no samples any more.
    pub fn forward_pinned(
        &self,
        samples: &PinnedArray<T>,
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
        samples: &mut PinnedArray<T>,
    ) -> Result<()> {
        self.between_pinned(Direction::Inverse, coefficients, samples)
    }

    fn between_pinned(
        &self,
        direction: Direction,
        input: &PinnedArray<T>,
        output: &mut PinnedArray<T>,
    ) -> Result<()> {
        self.check_host(input, output)?;
        let _turn = lock(&self.transit.turn);
        // SAFETY: the lengths were checked. Both arrays are borrowed until the flight has landed or its memory is given up; it
        // lands too where this panics.
        let flight = unsafe { Flight::depart(self, direction, input, output, false) };
        let landed = flight.and_then(Flight::land);
        landed.map_err(|failure| failure.settle(input, output))
    }
}
