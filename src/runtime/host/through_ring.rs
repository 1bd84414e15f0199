//! Slices of the host to a device and back through a ring of pinned memory: one thread makes all OpenCL calls, others only copy.
//!
//! No command names a slice. A call ends, whether well or not, when the device is done with the ring, or else never uses it
//! again.

use super::belt::{Belt, Stop};
use super::copies::{At, Way, copy_rows};
use super::past_caches;
use super::ring::Ring;
use super::route::{Job, Route, Step};
use crate::device::DeviceKind;
use crate::error::{Error, Result};
use crate::runtime::array::DeviceArray;
use crate::runtime::context::{Site, opencl};
use crate::runtime::event::{Event, wait_for_all};
use crate::runtime::plan::lock;
use crate::runtime::queue::Queue;
use crate::wavelet::Sample;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

/// Slots of a ring, and the bytes of each.
const SLOTS: usize = 32;
const SLOT_BYTES: usize = 2 << 20;

/// Slots that the device has at a time, up and down, so that threads have the others.
const AHEAD: usize = 8;

/// More threads than this are faster than the bus.
const MOST_THREADS: usize = 8;

/// Arrays of fewer bytes go faster by the driver.
const LEAST_BYTES: usize = 8 << 20;

/// How many threads should copy arrays of so many bytes through a ring; none where the driver does as well.
pub(in crate::runtime) fn copy_threads(site: &Site, bytes: usize) -> Option<usize> {
    let by_itself = || match site.shared.device.info().kind {
        DeviceKind::Cpu => 1,
        DeviceKind::Gpu | DeviceKind::Accelerator => parallelism().min(MOST_THREADS),
    };
    let threads = site.copy_threads.unwrap_or_else(by_itself);
    let is_own = site.queue.in_order && !site.queue.foreign;
    (threads > 1 && is_own && bytes >= LEAST_BYTES).then_some(threads)
}

/// What the system says, asked once: it reads files.
fn parallelism() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// The ring of an engine, made with the first call that needs one.
pub(in crate::runtime) type Kept = Mutex<Option<Ring>>;

/// Takes a slice along a route to another slice, through the engine's ring. False where there is no ring or no thread to be had;
/// nothing is done then.
pub(super) fn through_ring<T: Sample>(
    threads: usize,
    input: &[T],
    output: &mut [T],
    route: &Route<T>,
    arrays: &mut [DeviceArray<T>],
    queues: &[Arc<Queue>; 2],
) -> Result<bool> {
    let site = &route.plan.site;
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
    let mut flight = Flight {
        ring,
        compute: &site.queue,
        queues,
        events: Vec::new(),
        landed: 0,
        is_over: true,
    };
    flight.carry(threads, input, output, route, arrays)
}

/// Copies that the device has been given and may not be done with.
struct Flight<'a> {
    ring: &'a mut Ring,
    compute: &'a Queue,
    /// For uploads and for downloads.
    queues: &'a [Arc<Queue>; 2],
    /// Of all copies, and how many of these are done.
    events: Vec<Event>,
    landed: usize,
    is_over: bool,
}

impl Flight<'_> {
    fn carry<T: Sample>(
        &mut self,
        threads: usize,
        input: &[T],
        output: &mut [T],
        route: &Route<T>,
        arrays: &mut [DeviceArray<T>],
    ) -> Result<bool> {
        let steps = route.steps(self.ring.slot_bytes);
        let job = |step: &Step| match step {
            Step::Copy(job) => Some(*job),
            Step::Compute(_) => None,
        };
        let jobs: Vec<Job> = steps.iter().filter_map(job).collect();
        let belt = Belt::new(jobs.iter().map(|job| job.way).collect(), self.ring.slots);
        let places = Places {
            start: self.ring.start(),
            slots: self.ring.slots,
            slot_bytes: self.ring.slot_bytes,
            input: input.as_ptr().cast(),
            output: output.as_mut_ptr().cast(),
            jobs,
        };
        thread::scope(|scope| {
            let started = (0..threads.min(places.jobs.len())).filter(|_| {
                let copies = || places.copy_all(&belt);
                thread::Builder::new().spawn_scoped(scope, copies).is_ok()
            });
            if started.count() == 0 {
                return Ok(false);
            }
            // No thread waits for this one if it gives up.
            let stop = Stop(&belt);
            self.is_over = false;
            self.drive(&belt, &steps, route, arrays)?;
            self.is_over = true;
            std::mem::forget(stop);
            Ok(true)
        })
    }

    /// Gives the device one job after the other.
    fn drive<T: Sample>(
        &mut self,
        belt: &Belt,
        steps: &[Step],
        route: &Route<T>,
        arrays: &mut [DeviceArray<T>],
    ) -> Result<()> {
        let (mut events, mut number) = (Vec::new(), 0);
        route.go(steps, arrays, &mut events, |job, array, waits| {
            let event = self.enqueue(belt, number, job, array, waits)?;
            number += 1;
            Ok(event)
        })?;
        while self.landed < self.events.len() {
            self.land(belt)?;
        }
        wait_for_all(&events)
    }

    fn enqueue<T: Sample>(
        &mut self,
        belt: &Belt,
        number: usize,
        job: &Job,
        array: &DeviceArray<T>,
        waits: &[Event],
    ) -> Result<Event> {
        // A thread may wait for one of those that the device has.
        while !belt.is_ready(number) && self.landed < self.events.len() {
            self.land(belt)?;
        }
        if !belt.wait_for(number) {
            return Err(Error::Unsupported {
                what: "copying slices on the host".to_owned(),
                why: "a thread failed".to_owned(),
            });
        }
        let queue = match job.way {
            Way::ToDevice => &self.queues[0],
            Way::ToHost => &self.queues[1],
        };
        let (place, slot) = (
            (&*array.buffer, job.at),
            (self.ring.slot(number), in_slot(job)),
        );
        // SAFETY: the array has these rows, and a slot their bytes. The belt says that the slot is the device's; it becomes a
        // thread's again when the event is done. If this gives up before that, the ring is not used until all events are.
        let event = unsafe { copy_rows(queue, job.rows, place, slot, job.way, waits)? };
        self.events.push(event.clone());
        queue.flush()?;
        if self.events.len() > self.landed + AHEAD {
            self.land(belt)?;
        }
        Ok(event)
    }

    /// Waits for the oldest copy.
    fn land(&mut self, belt: &Belt) -> Result<()> {
        self.events[self.landed].wait()?;
        self.landed += 1;
        belt.has_moved();
        Ok(())
    }
}

/// Where a job's rows stand in a slot: one behind the other.
fn in_slot(job: &Job) -> At {
    At {
        first: 0,
        pitch: job.rows.bytes,
    }
}

impl Drop for Flight<'_> {
    /// Waits for what is still on its way, after an error or a panic.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let [up, down] = self.queues;
        for queue in [self.compute, up, down] {
            if let Err(error) = queue.handle.finish() {
                let error = opencl("clFinish")(error);
                log::error!("the device may still use pinned memory: {error}");
                self.ring.lose(error);
            }
        }
    }
}

/// What threads copy between: slots, and rows of the slices.
struct Places {
    start: *mut u8,
    slots: usize,
    slot_bytes: usize,
    input: *const u8,
    output: *mut u8,
    jobs: Vec<Job>,
}

// SAFETY: which thread uses a slot is settled by the belt. The input is only read, and no two jobs write the same rows of the
// output. Both slices are borrowed as long as threads have this.
unsafe impl Sync for Places {}

impl Places {
    /// Copies as long as there is something to copy.
    fn copy_all(&self, belt: &Belt) {
        let stop = Stop(belt);
        while let Some(number) = belt.begin() {
            let job = &self.jobs[number];
            let slot = self
                .start
                .wrapping_add(number % self.slots * self.slot_bytes);
            let (count, bytes) = match job.host.is_dense(job.rows) {
                true => (1, job.rows.count * job.rows.bytes),
                false => (job.rows.count, job.rows.bytes),
            };
            for row in 0..count {
                let (here, there) = (row * bytes, job.host.first + row * job.host.pitch);
                // SAFETY: the slices have the rows of all jobs. Between `begin` and `has_copied` the slot is this thread's, and no
                // job is larger.
                unsafe {
                    match job.way {
                        Way::ToDevice => slot
                            .add(here)
                            .copy_from_nonoverlapping(self.input.add(there), bytes),
                        Way::ToHost => {
                            past_caches::copy(slot.add(here), self.output.add(there), bytes);
                        }
                    }
                }
            }
            belt.has_copied(number);
        }
        // Only a panic stops the others.
        std::mem::forget(stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Engine;
    use crate::{Device, Direction, Transform, Wavelet};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// How a call ends.
    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Well,
        Fails,
        Panics,
    }

    /// Carries numbers through a ring by three threads; none where that panicked.
    fn carried(engine: &Engine, ring: &mut Ring, len: usize, end: End) -> Option<Result<bool>> {
        let transform = Transform::new(Wavelet::CDF_5_3, [len]).levels(0);
        let plan = engine.plan::<i16>(&transform).unwrap();
        let input: Vec<i16> = (0..len as i16).collect();
        let mut output = vec![-1; len];
        let Site { shared, queue, .. } = &engine.site;
        let array = |len| DeviceArray::new(shared, queue, len).unwrap();
        let mut arrays = match end {
            End::Well => vec![array(len), array(len)],
            End::Fails => vec![array(len), array(len + 1)],
            End::Panics => vec![array(len)],
        };
        let own = || Queue::own(&engine.site.shared.context, engine.device(), 0).unwrap();
        let mut flight = Flight {
            ring,
            compute: &engine.site.queue,
            queues: &[own(), own()],
            events: Vec::new(),
            landed: 0,
            is_over: true,
        };
        let route = Route {
            plan: &plan,
            direction: Direction::Forward,
            bands: None,
        };
        let done = catch_unwind(AssertUnwindSafe(|| {
            flight.carry(3, &input, &mut output, &route, &mut arrays)
        }));
        drop(flight);
        if end == End::Well {
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
        let devices = match Device::all() {
            // All other tests of the library's own need no device. Those in tests/ fail where there is none.
            Err(Error::NoRuntime { .. }) => return println!("not run: there is no OpenCL"),
            found => found.unwrap(),
        };
        for device in devices {
            let engine = Engine::new(&device).unwrap();
            for slots in [AHEAD + 1, AHEAD + 4] {
                let mut ring = Ring::new(&engine.site, slots, 64).unwrap();
                for len in [1, 32, 33, 160, 161, 1000] {
                    let mut carry = |end| carried(&engine, &mut ring, len, end);
                    assert_eq!(carry(End::Well), Some(Ok(true)));
                    assert!(matches!(carry(End::Fails), Some(Err(Error::Length { .. }))));
                    assert_eq!(carry(End::Panics), None);
                    assert_eq!(carry(End::Well), Some(Ok(true)));
                }
            }
        }
    }
}
