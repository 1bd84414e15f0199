//! Slices of the host to a device and back through a ring of pinned memory: one thread makes all OpenCL calls, others only copy. A
//! transform in pieces comes down while it goes up.
//!
//! No command names a slice. A call ends, whether well or not, when the device is done with the ring, or else never uses it
//! again.

use super::belt::{Belt, Stop};
use super::copies::{At, Rows, Way, copy_rows};
use super::past_caches;
use super::ring::Ring;
use super::route::{Job, Route, RouteArrays, Step};
use crate::error::{Error, Result};
use crate::runtime::context::opencl;
use crate::runtime::event::{Event, wait_for_all};
use crate::runtime::plan::Plan;
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Element, Sample};
use opencl3::memory::ClMem;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// Slots that the device has at a time each way, so that threads have the others. By 2 slices of 8192 x 8192 in f32 take
/// 11.8 to 12.1 ms on the host of an NVIDIA H100, by 8 15 to 19 (ring.rs).
const AHEAD: usize = 4;

impl<T: Sample, P: Element> Plan<T, P> {
    /// Transforms a slice into another one, of this direction's elements, through the engine's ring, in pieces where that is faster.
    /// False where there is no ring or no thread to be had; nothing is done then.
    pub(in crate::runtime) fn through_ring<I: Element, O: Element>(
        &self,
        threads: usize,
        direction: Direction,
        input: &[I],
        output: &mut [O],
    ) -> Result<bool> {
        let ends = Ends {
            input: bytemuck::cast_slice(input),
            output: bytemuck::cast_slice_mut(output),
        };
        // First of all: where there is none, arrays for a route would only be in the way of those that the driver copies to.
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
                carry(ring, threads, route, arrays, queues, ends)
            });
        match carried {
            // Without the ring there may be enough. Later calls have the arrays that this one is given, and need no ring.
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
struct Ends<'a> {
    input: &'a [u8],
    output: &'a mut [u8],
}

/// Takes a slice over a route to another one. When this returns, the device is done with ring and arrays, or the ring is lost.
fn carry<T: Sample, P: Element>(
    ring: &mut Ring,
    threads: usize,
    route: &Route<T, P>,
    arrays: &mut RouteArrays<T, P>,
    queues: [Arc<Queue>; 2],
    ends: Ends,
) -> Result<bool> {
    let (steps, slot_bytes) = (route.steps(), ring.slot_bytes);
    let pieces = [Way::ToDevice, Way::ToHost].map(|way| {
        let jobs = steps.iter().filter_map(|step| match step {
            Step::Copy(job) if job.way == way => Some(*job),
            _ => None,
        });
        let pieces = jobs.flat_map(|job| pieces(job, slot_bytes));
        pieces.collect::<Vec<Job>>()
    });
    let belt = Belt::new([0, 1].map(|way| pieces[way].len()), ring.slots);
    let slots = [Way::ToDevice, Way::ToHost].map(|way| ring.slot(way, 0));
    let places = Places::new(slots, (ring.slots, slot_bytes), &pieces, ends);
    let mut passage = Passage {
        ring,
        queues,
        kernels: &route.plan.site.queue,
        copied: [0; 2],
        copies: [VecDeque::new(), VecDeque::new()],
        is_over: false,
    };
    thread::scope(|scope| {
        // A system that has no thread left has none for the next one either.
        let started = (0..threads).take_while(|_| {
            let copies = || places.copy_all(&belt);
            thread::Builder::new().spawn_scoped(scope, copies).is_ok()
        });
        if started.count() == 0 {
            passage.is_over = true;
            return Ok(false);
        }
        // No thread waits for this one if it gives up.
        let stop = Stop(&belt);
        let mut events = Vec::new();
        route.go(&steps, arrays, &mut events, |job, memory, waits| {
            passage.copy(&belt, *job, memory, waits)
        })?;
        for way in [Way::ToDevice, Way::ToHost] {
            while !passage.copies[way as usize].is_empty() {
                passage.land(&belt, way)?;
            }
        }
        wait_for_all(&events)?;
        passage.is_over = true;
        std::mem::forget(stop);
        Ok(true)
    })
}

/// A copy in pieces, each of which a slot can hold: some rows, or a part of one.
fn pieces(job: Job, slot_bytes: usize) -> impl Iterator<Item = Job> {
    let Job {
        mut rows, at, host, ..
    } = job;
    if at.is_dense(rows) && host.is_dense(rows) {
        rows = Rows {
            count: 1,
            bytes: rows.count * rows.bytes,
        };
    }
    let count = (slot_bytes / rows.bytes).max(1);
    (0..rows.count).step_by(count).flat_map(move |row| {
        (0..rows.bytes).step_by(slot_bytes).map(move |byte| {
            let from_here = |at: At| At {
                first: at.first + row * at.pitch + byte,
                pitch: at.pitch,
            };
            Job {
                rows: Rows {
                    count: count.min(rows.count - row),
                    bytes: slot_bytes.min(rows.bytes - byte),
                },
                at: from_here(at),
                host: from_here(host),
                ..job
            }
        })
    })
}

/// Rows in a slot, one behind the other.
fn dense(rows: Rows) -> At {
    At {
        first: 0,
        pitch: rows.bytes,
    }
}

/// A transform on its way through a ring. Dropped before it is over, it waits for the device.
struct Passage<'a> {
    ring: &'a mut Ring,
    /// For uploads and for downloads.
    queues: [Arc<Queue>; 2],
    kernels: &'a Queue,
    /// Pieces each way that the device was given, and their copies that it may not be done with.
    copied: [usize; 2],
    copies: [VecDeque<Event>; 2],
    is_over: bool,
}

impl Passage<'_> {
    /// Enqueues a copy, piece by piece, and returns the event of the last.
    fn copy(
        &mut self,
        belt: &Belt,
        job: Job,
        memory: &dyn ClMem,
        waits: &[Event],
    ) -> Result<Event> {
        let way = job.way;
        let mut last = None;
        for piece in pieces(job, self.ring.slot_bytes) {
            let (number, queue) = (self.copied[way as usize], &self.queues[way as usize]);
            if !belt.is_ready(way, number) {
                return Err(Error::Thread {
                    what: "copying slices",
                    why: "a thread panicked".to_owned(),
                });
            }
            let slot = (self.ring.slot(way, number), dense(piece.rows));
            // SAFETY: the array has these rows, and the belt says that the slot is the device's; it becomes a thread's again when
            // the event is done. If this gives up before that, the ring is not used until all events are.
            let event =
                unsafe { copy_rows(queue, piece.rows, (memory, piece.at), slot, way, waits)? };
            self.copied[way as usize] += 1;
            self.copies[way as usize].push_back(event.clone());
            queue.flush()?;
            if self.copies[way as usize].len() > AHEAD {
                self.land(belt, way)?;
            }
            last = Some(event);
        }
        Ok(last.expect("no step copies nothing"))
    }

    /// Waits for the oldest copy that goes this way.
    fn land(&mut self, belt: &Belt, way: Way) -> Result<()> {
        let copies = &mut self.copies[way as usize];
        if let Some(oldest) = copies.front() {
            oldest.wait()?;
            copies.pop_front();
            belt.has_moved(way);
        }
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        let [up, down] = &self.queues;
        let finished = [up, down, self.kernels].map(|queue| queue.handle.finish());
        let mut finished = finished.into_iter();
        finished.try_for_each(|done| done.map_err(opencl("clFinish")))
    }
}

impl Drop for Passage<'_> {
    /// Waits for what is still on its way, after an error or a panic.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if let Err(error) = self.finish() {
            self.ring.lose(error.clone());
            // Behind that: a logger may panic.
            log::error!("the device may still use pinned memory: {error}");
        }
    }
}

/// What threads copy between: slots, and pieces of the slices.
struct Places<'a> {
    /// The first slot each way, their number, and the bytes of each.
    slots: [*mut u8; 2],
    count: usize,
    slot_bytes: usize,
    pieces: &'a [Vec<Job>; 2],
    input: &'a [u8],
    output: *mut u8,
}

// SAFETY: which thread uses a slot, and the piece that goes with it, is settled by the belt; the input is only read.
unsafe impl Sync for Places<'_> {}

impl<'a> Places<'a> {
    fn new(
        slots: [*mut u8; 2],
        (count, slot_bytes): (usize, usize),
        pieces: &'a [Vec<Job>; 2],
        ends: Ends<'a>,
    ) -> Self {
        let end = |piece: &Job| {
            let Rows { count, bytes } = piece.rows;
            piece.host.first + (count - 1) * piece.host.pitch + bytes
        };
        let lens = [ends.input.len(), ends.output.len()];
        for (pieces, len) in pieces.iter().zip(lens) {
            let bytes = |piece: &Job| piece.rows.count * piece.rows.bytes;
            assert_eq!(pieces.iter().map(bytes).sum::<usize>(), len);
            assert!(pieces.iter().all(|piece| end(piece) <= len));
        }
        Places {
            slots,
            count,
            slot_bytes,
            pieces,
            input: ends.input,
            output: ends.output.as_mut_ptr(),
        }
    }

    /// Copies as long as there is something to copy.
    fn copy_all(&self, belt: &Belt) {
        let stop = Stop(belt);
        while let Some((way, job)) = belt.begin() {
            let Job { rows, host, .. } = self.pieces[way as usize][job];
            let slot = self.slots[way as usize];
            let slot = slot.wrapping_add(job % self.count * self.slot_bytes);
            for row in 0..rows.count {
                let (slot, host) = (
                    slot.wrapping_add(row * rows.bytes),
                    host.first + row * host.pitch,
                );
                // SAFETY: between `begin` and `has_copied` the slot is this thread's, and so is the piece of the output: a route
                // brings every sample down once. No piece is larger than a slot, and all lie within the slices, as `new` checked.
                unsafe {
                    match way {
                        Way::ToDevice => {
                            let piece = &self.input[host..host + rows.bytes];
                            slot.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
                        }
                        Way::ToHost => {
                            past_caches::copy(slot, self.output.wrapping_add(host), rows.bytes);
                        }
                    }
                }
            }
            belt.has_copied(way, job);
        }
        // Only a panic stops the others.
        std::mem::forget(stop);
    }
}

#[cfg(test)]
mod tests {
    use super::super::bands::Bands;
    use super::super::route::Pieces;
    use super::*;
    use crate::device::devices_if_any;
    use crate::runtime::Engine;
    use crate::transform::reference;
    use crate::{Boundary, Transform, Wavelet};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Carries samples through a ring by three threads, between arrays of which some may be missing; none where that panicked.
    fn carried<T: Sample>(
        engine: &Engine,
        ring: &mut Ring,
        route: &Route<T>,
        lens: &[usize],
        input: &[T],
    ) -> (Option<Result<bool>>, Vec<T>) {
        let own = || Queue::own(&engine.site.shared.context, engine.device(), 0).unwrap();
        let mut output = vec![T::from_f64(-77.0); input.len()];
        let poisoned = |&len: &usize| engine.upload(&vec![T::from_f64(99.0); len]).unwrap();
        let mut arrays = RouteArrays {
            pixels: None,
            samples: lens.iter().map(poisoned).collect(),
        };
        let ends = Ends {
            input: bytemuck::cast_slice(input),
            output: bytemuck::cast_slice_mut(&mut output),
        };
        let queues = [own(), own()];
        let done = catch_unwind(AssertUnwindSafe(|| {
            carry(ring, 3, route, &mut arrays, queues, ends)
        }));
        assert!(ring.lost.is_none());
        (done.ok(), output)
    }

    #[test]
    fn slices_of_any_length_are_carried_also_after_errors_and_panics() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            for slots in [AHEAD + 1, AHEAD + 4] {
                let mut ring = Ring::new(&engine.site, slots, 64).unwrap();
                for len in [1, 32, 33, 160, 161, 1000] {
                    let transform = Transform::new(Wavelet::CDF_5_3, [len]).levels(0);
                    let plan = engine.plan::<i16>(&transform).unwrap();
                    let route = Route {
                        plan: &plan,
                        direction: Direction::Forward,
                        pieces: Pieces::Whole,
                    };
                    let input: Vec<i16> = (0..len as i16).collect();
                    let untouched = vec![-77; len];
                    let mut by =
                        |arrays: &[usize]| carried(&engine, &mut ring, &route, arrays, &input);
                    assert_eq!(by(&[len, len]), (Some(Ok(true)), input.clone()));
                    // The output is too short, and is not there: both show behind the uploads.
                    let (failed, output) = by(&[len, len - 1]);
                    assert!(matches!(failed, Some(Err(_))), "{failed:?}");
                    assert_eq!(output, untouched);
                    assert_eq!(by(&[len]), (None, untouched));
                    assert_eq!(by(&[len, len]), (Some(Ok(true)), input.clone()));
                }
            }
        }
    }

    /// Bands whose rows are longer than a slot, or of which a slot has several.
    #[test]
    fn bands_come_down_while_others_go_up() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            for (shape, pairs, levels) in [([67, 40], 8, 1), ([100, 33], 12, 3), ([64, 35], 4, 2)] {
                let transform = Transform::new(Wavelet::CDF_5_3, shape)
                    .boundary(Boundary::Symmetric)
                    .levels(levels);
                let plan = engine.plan::<i32>(&transform).unwrap();
                let bands = Bands::new(&engine.site, &transform, None, pairs).unwrap();
                let bands = Pieces::Bands(Arc::new(bands));
                let samples: Vec<i32> = (0..transform.len())
                    .map(|i| (i * i % 1009) as i32 - 500)
                    .collect();
                let coefficients = reference::forward(&transform, &samples).unwrap();
                for slot_bytes in [64, 100, 600] {
                    let mut ring = Ring::new(&engine.site, AHEAD + 1, slot_bytes).unwrap();
                    for (direction, from, to) in [
                        (Direction::Forward, &samples, &coefficients),
                        (Direction::Inverse, &coefficients, &samples),
                    ] {
                        let route = Route {
                            plan: &plan,
                            direction,
                            pieces: bands.clone(),
                        };
                        let lens = route.arrays().1;
                        let (done, output) = carried(&engine, &mut ring, &route, &lens, from);
                        assert_eq!(done, Some(Ok(true)));
                        assert!(output == **to, "{transform:?} {direction:?} {slot_bytes}");
                    }
                }
            }
        }
    }

    #[test]
    fn pieces_are_no_larger_than_slots_and_have_every_byte_once() {
        for (rows, pitch) in [
            ((1, 1000), 1000),
            ((7, 40), 40),
            ((7, 40), 100),
            ((5, 130), 131),
        ] {
            let (count, bytes) = rows;
            let at = At { first: 13, pitch };
            let job = Job {
                way: Way::ToHost,
                array: 0,
                rows: Rows { count, bytes },
                at,
                host: at,
            };
            let mut times = vec![0; 13 + count * pitch];
            for piece in pieces(job, 64) {
                assert!(piece.rows.count * piece.rows.bytes <= 64);
                for row in 0..piece.rows.count {
                    let first = piece.host.first + row * pitch;
                    times[first..first + piece.rows.bytes]
                        .iter_mut()
                        .for_each(|times| *times += 1);
                }
            }
            for (place, &times) in times.iter().enumerate() {
                let within = place
                    .checked_sub(13)
                    .is_some_and(|place| place % pitch < bytes);
                assert_eq!(times, i32::from(within), "{job:?} {place}");
            }
        }
    }
}
