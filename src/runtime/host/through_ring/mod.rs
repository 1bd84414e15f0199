//! Slices of the host to a device and back through a ring of pinned memory: one thread makes all
//! OpenCL calls, others only copy. A transform in parts comes down while it goes up.
//!
//! No command names a slice. A call ends, whether well or not, when the device is done with the
//! ring, or else never uses it again.

mod passage;
mod pieces;
mod slots_and_slices;

use self::passage::Passage;
use self::pieces::in_pieces;
use self::slots_and_slices::SlotsAndSlices;
use super::belt::{Belt, Stop};
use super::copies::Heading;
use super::ring::Ring;
use super::route::{Route, RouteArrays, RowCopy, Step};
use crate::error::{Error, Result};
use crate::runtime::event::wait_for_all;
use crate::runtime::plan::Plan;
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Element, Sample};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

impl<T: Sample, P: Element> Plan<T, P> {
    /// Transforms a slice into another one, of this direction's elements, through the engine's
    /// ring, in parts where that is faster. False where there is no ring or no thread to be
    /// had; nothing is done then.
    pub(in crate::runtime) fn through_ring<I: Element, O: Element>(
        &self,
        threads: usize,
        direction: Direction,
        input: &[I],
        output: &mut [O],
    ) -> Result<bool> {
        let slices = Slices {
            input: bytemuck::cast_slice(input),
            output: bytemuck::cast_slice_mut(output),
        };
        // First of all: where there is none, arrays for a route would only be in the way of those
        // that the driver copies to.
        let is_without_ring = &self.transit.is_without_ring;
        if is_without_ring.load(Ordering::Relaxed) || !self.site.ring.is_there(&self.site) {
            return Ok(false);
        }
        let carried = self
            .transit
            .in_turn(self, direction, |route, arrays, queues| {
                let mut kept = self.site.ring.lock();
                let Some(ring) = &mut *kept else {
                    return Ok(false);
                };
                if let Some(lost) = &ring.lost {
                    return Err(lost.clone());
                }
                carry(ring, threads, route, arrays, queues, slices)
            });
        match carried {
            // Without the ring there may be enough. Later calls have the arrays that this one is
            // given, and need no ring.
            Err(error @ Error::Memory { .. }) => {
                self.site.ring.free();
                if !is_without_ring.swap(true, Ordering::Relaxed) {
                    log::warn!("host slices of this plan are copied by the driver: {error}");
                }
            }
            Ok(false) => self.transit.free_idle(),
            carried => return carried,
        }
        Ok(false)
    }
}

/// The slices of a transform, in bytes.
struct Slices<'a> {
    input: &'a [u8],
    output: &'a mut [u8],
}

/// Takes a slice over a route to another one. When this returns, the device is done with ring and
/// arrays, or the ring is lost.
fn carry<T: Sample, P: Element>(
    ring: &mut Ring,
    threads: usize,
    route: &Route<T, P>,
    arrays: &mut RouteArrays<T, P>,
    queues: [Arc<Queue>; 2],
    slices: Slices,
) -> Result<bool> {
    let (steps, slot_bytes) = (route.steps(), ring.slot_bytes);
    let pieces = [Heading::ToDevice, Heading::ToHost].map(|heading| {
        let copies = steps.iter().filter_map(|step| match step {
            Step::Copy(copy) if copy.heading == heading => Some(*copy),
            _ => None,
        });
        let pieces = copies.flat_map(|copy| in_pieces(copy, slot_bytes));
        pieces.collect::<Vec<RowCopy>>()
    });
    let belt = Belt::new([0, 1].map(|heading| pieces[heading].len()), ring.slots);
    let slots = [Heading::ToDevice, Heading::ToHost].map(|heading| ring.slot(heading, 0));
    let between = SlotsAndSlices::new(slots, (ring.slots, slot_bytes), &pieces, slices);
    let mut passage = Passage::new(ring, queues, &route.plan.site.queue);
    thread::scope(|scope| {
        // A system that has no thread left has none for the next one either.
        let started = (0..threads).take_while(|_| {
            let copies = || between.copy_all(&belt);
            thread::Builder::new().spawn_scoped(scope, copies).is_ok()
        });
        if started.count() == 0 {
            passage.is_over = true;
            return Ok(false);
        }
        // No thread waits for this one if it gives up.
        let stop = Stop(&belt);
        let mut events = Vec::new();
        route.go(&steps, arrays, &mut events, |copy, memory, waits| {
            passage.copy(&belt, *copy, memory, waits)
        })?;
        passage.land_all(&belt)?;
        wait_for_all(&events)?;
        passage.is_over = true;
        std::mem::forget(stop);
        Ok(true)
    })
}

#[cfg(test)]
mod tests;
