//! Transforms from pinned memory to pinned memory: what those of a plan on their way
//! (flight.rs) have in common.

use super::array::PinnedArray;
use super::batch::{Batch, count_of_parts};
use super::flight::Flight;
use super::route::{Parts, Route, RouteArrays};
use super::stripes::{Stripes, pairs_of_stripes};
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::Site;
use crate::runtime::lock::lock;
use crate::runtime::plan::Plan;
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Element, Sample};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How many submitted transforms of a plan are on their way at most: one goes up, one is
/// computed, one comes down.
const MOST: usize = 3;

/// What the transforms of a plan on their way have in common.
pub(in crate::runtime) struct Transit<T: Sample, P: Element = T> {
    most: usize,
    pub(super) state: Mutex<State<T, P>>,
    /// The plan's transform in parts, once it is known whether it goes so.
    parts: Mutex<Option<Parts<T, P>>>,
    /// Whether it was said that there is too little memory for stripes.
    has_warned: AtomicBool,
    /// Whether there was too little memory for the engine's ring beside the arrays: slices go
    /// without it from then on.
    pub(super) is_without_ring: AtomicBool,
    /// Blocking calls take turns.
    turn: Mutex<()>,
}

pub(super) struct State<T: Sample, P: Element> {
    /// For uploads and downloads, beside the engine's for kernels.
    queues: Option<[Arc<Queue>; 2]>,
    /// The arrays on the device for each.
    idle: Vec<RouteArrays<T, P>>,
    pub submitted: usize,
    /// Why it is not known what the device still does.
    pub lost: Option<Error>,
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
            parts: Mutex::new(None),
            has_warned: AtomicBool::new(false),
            is_without_ring: AtomicBool::new(false),
            turn: Mutex::default(),
        })
    }

    /// Frees the arrays that no transform on its way uses.
    pub fn free_idle(&self) {
        lock(&self.state).idle.clear();
    }

    /// Counts a transform on its way.
    pub(super) fn enter(&self, is_submitted: bool) -> Result<()> {
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

    pub(super) fn queues(&self, site: &Site) -> Result<[Arc<Queue>; 2]> {
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
    pub(super) fn keep(&self, state: &mut State<T, P>, arrays: RouteArrays<T, P>) {
        if state.idle.len() <= self.most {
            state.idle.push(arrays);
        }
    }

    /// The route of a plan's transform, with arrays for it.
    pub(super) fn route<'a>(
        &self,
        plan: &'a Plan<T, P>,
        direction: Direction,
    ) -> Result<(Route<'a, T, P>, RouteArrays<T, P>)> {
        let mut route = Route {
            plan,
            direction,
            parts: self.parts(plan),
        };
        let arrays = self.arrays(&plan.site, &route);
        let arrays = match arrays {
            Err(error) if matches!(route.parts, Parts::Stripes(_)) => {
                // As a whole it takes less memory.
                route.parts = Parts::Whole;
                if !self.has_warned.swap(true, Ordering::Relaxed) {
                    log::warn!("up and down are one after the other: {error}");
                }
                self.arrays(&plan.site, &route)
            }
            arrays => arrays,
        };
        Ok((route, arrays?))
    }

    /// Has `go` take a blocking call its way, between arrays that nothing else uses, by queues for
    /// uploads and downloads. When it returns without an error, the device is done with the arrays.
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

    /// The plan's transform in parts, if that is faster and their plans could be built.
    fn parts(&self, plan: &Plan<T, P>) -> Parts<T, P> {
        let mut parts = lock(&self.parts);
        if let Some(known) = &*parts {
            return known.clone();
        }
        let built = Self::built(plan).unwrap_or_else(|error| {
            log::warn!("up and down are one after the other: {error}");
            Parts::Whole
        });
        parts.insert(built).clone()
    }

    fn built(plan: &Plan<T, P>) -> Result<Parts<T, P>> {
        let (site, transform, wanted) = (&plan.site, plan.transform(), plan.wanted);
        if let Some(count) = count_of_parts::<T, P>(site, transform) {
            let batch = Batch::new(site, transform, plan.pixels(), wanted, count)?;
            return Ok(Parts::Batch(Arc::new(batch)));
        }
        match pairs_of_stripes::<T>(site, transform) {
            Some(pairs) if !plan.is_of_pixels() => {
                let stripes = Stripes::new(site, transform, wanted, pairs)?;
                Ok(Parts::Stripes(Arc::new(stripes)))
            }
            _ => Ok(Parts::Whole),
        }
    }
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// Transforms samples in a pinned array into coefficients in another one, in the transform's
    /// layout, and waits. The first such call allocates two arrays on the device.
    ///
    /// Pictures of 32 MiB and more, in the Mallat layout and not periodic, go in stripes of rows,
    /// one of which goes up while another one comes down, unless they are of pixels, on a CPU
    /// device or a queue of the caller's. For stripes the first call builds plans, and allocates up
    /// to one picture more, or two where rows are longer than 32 KiB, where there is so much
    /// memory. Batches, whose first axis is not transformed, go so in parts of some 8 MiB, those of
    /// pixels too, in the same two arrays and by one or two plans more. What a part is transformed
    /// by may differ from what the whole is, so the last bits of floats may differ from those of
    /// other calls; integers are the same.
    ///
    /// # Errors
    /// [`Error::Length`] for an array that has not as many elements as the transform;
    /// [`Error::Unsupported`] where this plan was made for regions; [`Error::Memory`] where the
    /// device cannot hold the arrays, and not even those of tiles; [`Error::HostMemory`] where
    /// the host cannot hold the low band of a level in tiles; [`Error::OpenCl`] where a copy or
    /// the transform fails. Where the device is lost and may still write `coefficients`, these
    /// have no samples any more.
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
        // SAFETY: `starts` checked the bytes and how they are aligned. Both arrays are borrowed
        // until the flight has landed or its memory is given up; it lands too where this panics.
        let flight = unsafe { Flight::depart(self, direction, both, false) };
        let landed = flight.and_then(Flight::land);
        drop(turn);
        landed.or_else(|failure| {
            let tiled = self.turn_to_tiles(failure.settle(input, output))?;
            self.tile_by_tile(&tiled, direction, input, output)
        })
    }

    /// Where an input and an output start, of at least the transform's length and of elements
    /// as large as those of this direction: so they have its bytes, aligned, since elements of
    /// one size are aligned alike.
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
