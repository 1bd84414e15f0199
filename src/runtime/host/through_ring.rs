//! Slices of the host to a device and back through a ring of pinned memory: one thread makes all OpenCL calls, others only copy.
//!
//! No command names a slice. A call ends, whether well or not, when the device is done with the ring, or else never uses it
//! again.

use super::belt::{Belt, Stop};
use super::copies::Way;
use super::past_caches;
use super::ring::Ring;
use crate::device::DeviceKind;
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::{Site, opencl};
use crate::runtime::event::Event;
use crate::runtime::lock::lock;
use crate::runtime::queue::{Access, Queue};
use crate::runtime::run::Run;
use crate::wavelet::Element;
use opencl3::memory::Buffer;
use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock};
use std::thread;

/// Slots of a ring, and the bytes of each.
const SLOTS: usize = 16;
const SLOT_BYTES: usize = 2 << 20;

/// Slots that the device has at a time, so that threads have the others.
const AHEAD: usize = 4;

/// More threads than this are faster than the bus.
const MOST_THREADS: usize = 8;

/// Arrays of fewer bytes go faster by the driver.
pub(super) const LEAST_BYTES: usize = 8 << 20;

/// How many threads should copy arrays of so many bytes through a ring; none where the driver does as well.
pub(in crate::runtime) fn copy_threads(site: &Site, bytes: usize) -> Option<usize> {
    let by_itself = || match site.shared.device.info().kind {
        DeviceKind::Cpu => 1,
        DeviceKind::Gpu | DeviceKind::Accelerator => parallelism().min(MOST_THREADS),
    };
    let threads = site.copy_threads.unwrap_or_else(by_itself);
    let is_worth = threads > 1 && bytes >= LEAST_BYTES;
    (is_worth && site.queue.takes_pieces()).then_some(threads)
}

/// How many threads should copy pieces of so many bytes between two places on the host, while it does so for so many devices; one
/// where that is as fast.
pub(super) fn host_threads(site: &Site, bytes: usize, devices: usize) -> usize {
    let by_itself = || parallelism().div_ceil(devices);
    let threads = site.copy_threads.unwrap_or_else(by_itself);
    match bytes >= LEAST_BYTES {
        true => threads.clamp(1, MOST_THREADS),
        false => 1,
    }
}

/// What the system says, asked once: it reads files.
fn parallelism() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// The ring of an engine, made with the first call that needs one.
pub(in crate::runtime) type Kept = Mutex<Option<Ring>>;

/// Copies a slice to an array, has `work` enqueue a run to another one, and copies that to a slice, through the engine's ring.
/// False where there is no ring or no thread to be had; nothing is done then.
pub(in crate::runtime) fn through_ring<I: Element, O: Element>(
    site: &Site,
    threads: usize,
    input: &[I],
    output: &mut [O],
    (from, to): (&mut DeviceArray<I>, &mut DeviceArray<O>),
    work: impl FnOnce(&DeviceArray<I>, &mut DeviceArray<O>) -> Result<Run>,
) -> Result<bool> {
    let mut kept = lock(&site.ring);
    let ring = match &mut *kept {
        Some(ring) => ring,
        none => match Ring::new(site, SLOTS, SLOT_BYTES) {
            Ok(ring) => none.insert(ring),
            Err(error) => {
                log::warn!("host slices are copied by the driver: {error}");
                return Ok(false);
            }
        },
    };
    if let Some(lost) = &ring.lost {
        return Err(lost.clone());
    }
    let (_, waits) = from.uses().for_host(Access::Write)?;
    let mut flight = Flight::new(ring, &site.queue);
    let done = flight.carry(threads, input, output, (from, to), &waits, work);
    drop(flight);
    done
}

/// Copies that the device has been given and may not be done with.
struct Flight<'a> {
    ring: &'a mut Ring,
    queue: &'a Queue,
    events: VecDeque<Event>,
}

impl<'a> Flight<'a> {
    fn new(ring: &'a mut Ring, queue: &'a Queue) -> Self {
        let events = VecDeque::new();
        Flight {
            ring,
            queue,
            events,
        }
    }

    fn carry<I: Element, O: Element>(
        &mut self,
        threads: usize,
        input: &[I],
        output: &mut [O],
        arrays: (&mut DeviceArray<I>, &mut DeviceArray<O>),
        waits: &[Event],
        work: impl FnOnce(&DeviceArray<I>, &mut DeviceArray<O>) -> Result<Run>,
    ) -> Result<bool> {
        let (slot_bytes, slots) = (self.ring.slot_bytes, self.ring.slots);
        let bytes = [size_of_val(input), size_of_val(output)];
        let [uploads, downloads] = bytes.map(|bytes| bytes.div_ceil(slot_bytes));
        let belt = Belt::new(uploads, downloads, slots);
        let places = Places {
            start: self.ring.start(),
            slots,
            slot_bytes,
            input: bytemuck::cast_slice(input).chunks(slot_bytes).collect(),
            output: bytemuck::cast_slice_mut(output)
                .chunks_mut(slot_bytes)
                .map(Mutex::new)
                .collect(),
        };
        thread::scope(|scope| {
            let started = (0..threads.min(belt.uploads())).filter(|_| {
                let copies = || places.copy_all(&belt);
                thread::Builder::new().spawn_scoped(scope, copies).is_ok()
            });
            if started.count() == 0 {
                return Ok(false);
            }
            // No thread waits for this one if it gives up.
            let stop = Stop(&belt);
            self.drive(&belt, bytes, arrays, waits, work)?;
            std::mem::forget(stop);
            Ok(true)
        })
    }

    /// Gives the device one job after the other.
    fn drive<I: Element, O: Element>(
        &mut self,
        belt: &Belt,
        [up, down]: [usize; 2],
        (from, to): (&mut DeviceArray<I>, &mut DeviceArray<O>),
        waits: &[Event],
        work: impl FnOnce(&DeviceArray<I>, &mut DeviceArray<O>) -> Result<Run>,
    ) -> Result<()> {
        let (uploads, slot_bytes) = (belt.uploads(), self.ring.slot_bytes);
        let piece = |number: usize, bytes: usize| {
            let first = number * slot_bytes;
            (first, slot_bytes.min(bytes - first))
        };
        for number in 0..uploads {
            let waits = if number == 0 { waits } else { &[] };
            self.enqueue(
                belt,
                number,
                (&from.buffer, piece(number, up)),
                Way::ToDevice,
                waits,
            )?;
        }
        let run = work(from, to)?;
        for number in 0..down.div_ceil(slot_bytes) {
            let place = (&*to.buffer, piece(number, down));
            self.enqueue(belt, uploads + number, place, Way::ToHost, &[])?;
        }
        while !self.events.is_empty() {
            self.land(belt)?;
        }
        run.wait()
    }

    fn enqueue<T>(
        &mut self,
        belt: &Belt,
        job: usize,
        (array, (first, bytes)): (&Buffer<T>, (usize, usize)),
        way: Way,
        waits: &[Event],
    ) -> Result<()> {
        if !belt.is_ready(job) {
            return Err(Error::Unsupported {
                what: "copying slices on the host".to_owned(),
                why: "a thread failed".to_owned(),
            });
        }
        let place = (array, first, bytes);
        // SAFETY: the array has these bytes, and the belt says that the slot is the device's; it becomes a thread's again when
        // the event is done. If this gives up before that, the ring is not used until all events are.
        let event = unsafe { self.ring.copy(self.queue, job, place, way, waits)? };
        self.events.push_back(event);
        self.queue.flush()?;
        if self.events.len() > AHEAD {
            self.land(belt)?;
        }
        Ok(())
    }

    /// Waits for the oldest copy.
    fn land(&mut self, belt: &Belt) -> Result<()> {
        if let Some(oldest) = self.events.front() {
            oldest.wait()?;
            self.events.pop_front();
            belt.has_moved();
        }
        Ok(())
    }
}

impl Drop for Flight<'_> {
    /// Waits for what is still on its way, after an error or a panic.
    fn drop(&mut self) {
        if self.events.is_empty() {
            return;
        }
        if let Err(error) = self.queue.handle.finish() {
            let error = opencl("clFinish")(error);
            self.ring.lose(error.clone());
            // Behind that: a logger may panic.
            log::error!("the device may still use pinned memory: {error}");
        }
    }
}

/// What threads copy between: slots, and pieces of the slices, of which piece n is what job n brings up, and what the nth
/// job after those comes down with.
struct Places<'a> {
    start: *mut u8,
    slots: usize,
    slot_bytes: usize,
    input: Vec<&'a [u8]>,
    output: Vec<Mutex<&'a mut [u8]>>,
}

// SAFETY: which thread uses a slot is settled by the belt; the rest is slices, and locks around those that are written.
unsafe impl Sync for Places<'_> {}

impl Places<'_> {
    /// Copies as long as there is something to copy.
    fn copy_all(&self, belt: &Belt) {
        let stop = Stop(belt);
        while let Some(job) = belt.begin() {
            let slot = self.start.wrapping_add(job % self.slots * self.slot_bytes);
            // SAFETY: between `begin` and `has_copied` the slot is this thread's, and no piece is larger.
            unsafe {
                match job.checked_sub(belt.uploads()) {
                    None => {
                        let piece = self.input[job];
                        slot.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
                    }
                    Some(number) => {
                        let mut piece = lock(&self.output[number]);
                        let len = piece.len();
                        past_caches::copy(slot, piece.as_mut_ptr(), len);
                    }
                }
            }
            belt.has_copied(job);
        }
        // Only a panic stops the others.
        std::mem::forget(stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::devices_if_any;
    use crate::runtime::Engine;
    use crate::{Transform, Wavelet};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// What `work` does instead of enqueueing a run.
    #[derive(Clone, Copy, PartialEq)]
    enum Work {
        Runs,
        Fails,
        Panics,
    }

    /// Carries numbers through a ring by three threads; none where that panicked.
    fn carried(engine: &Engine, ring: &mut Ring, len: usize, what: Work) -> Option<Result<bool>> {
        let transform = Transform::new(Wavelet::CDF_5_3, [len]).levels(0);
        let plan = engine.plan::<i16>(&transform).unwrap();
        let input: Vec<i16> = (0..len as i16).collect();
        let mut output = vec![-1; len];
        let [mut from, mut to] = [0, 1].map(|_| engine.zeros::<i16>(len).unwrap());
        let work = |from: &DeviceArray<i16>, to: &mut DeviceArray<i16>| match what {
            Work::Runs => plan.enqueue_forward(from, to),
            Work::Fails => Err(Error::Length {
                what: "a test",
                expected: 0,
                got: 0,
            }),
            Work::Panics => panic!("a test"),
        };
        let mut flight = Flight::new(ring, &engine.site.queue);
        let arrays = (&mut from, &mut to);
        let done = catch_unwind(AssertUnwindSafe(|| {
            flight.carry(3, &input, &mut output, arrays, &[], work)
        }));
        drop(flight);
        if what == Work::Runs {
            assert_eq!(output, input);
        } else {
            assert!(output.iter().all(|&sample| sample == -1));
        }
        assert!(input.iter().copied().eq(0..len as i16));
        assert!(ring.lost.is_none());
        done.ok()
    }

    #[test]
    fn slices_of_any_length_are_carried_also_after_errors_and_panics() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            for slots in [AHEAD + 1, AHEAD + 4] {
                let mut ring = Ring::new(&engine.site, slots, 64).unwrap();
                for len in [1, 32, 33, 160, 161, 1000] {
                    let mut carry = |what| carried(&engine, &mut ring, len, what);
                    assert_eq!(carry(Work::Runs), Some(Ok(true)));
                    assert!(matches!(
                        carry(Work::Fails),
                        Some(Err(Error::Length { .. }))
                    ));
                    assert_eq!(carry(Work::Panics), None);
                    assert_eq!(carry(Work::Runs), Some(Ok(true)));
                }
            }
        }
    }
}
