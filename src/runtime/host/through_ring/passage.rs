//! What one thread does: every call that copies between slots and the device.

use super::pieces::in_pieces;
use crate::error::{Error, Result};
use crate::runtime::context::opencl;
use crate::runtime::event::Event;
use crate::runtime::host::belt::Belt;
use crate::runtime::host::copies::{At, Heading, Rows, copy_rows};
use crate::runtime::host::ring::Ring;
use crate::runtime::host::route::RowCopy;
use crate::runtime::queue::Queue;
use opencl3::memory::ClMem;
use std::collections::VecDeque;
use std::sync::Arc;

/// Slots that the device has at a time for each heading, so that threads have the others.
/// By 2 slices of 8192 x 8192 in f32 take 11.8 to 12.1 ms on the host of an NVIDIA H100,
/// by 8 15 to 19 (ring.rs).
pub(super) const AHEAD: usize = 4;

/// A transform on its way through a ring. Dropped before it is over, it waits for the device.
pub(super) struct Passage<'a> {
    ring: &'a mut Ring,
    /// For uploads and for downloads.
    queues: [Arc<Queue>; 2],
    kernels: &'a Queue,
    /// Pieces for each heading that the device was given, and their copies that
    /// it may not be done with.
    copied: [usize; 2],
    copies: [VecDeque<Event>; 2],
    pub is_over: bool,
}

impl<'a> Passage<'a> {
    pub fn new(ring: &'a mut Ring, queues: [Arc<Queue>; 2], kernels: &'a Queue) -> Self {
        Passage {
            ring,
            queues,
            kernels,
            copied: [0; 2],
            copies: [VecDeque::new(), VecDeque::new()],
            is_over: false,
        }
    }

    /// Enqueues a copy, piece by piece, and returns the event of the last.
    pub fn copy(
        &mut self,
        belt: &Belt,
        copy: RowCopy,
        memory: &dyn ClMem,
        waits: &[Event],
    ) -> Result<Event> {
        let heading = copy.heading;
        let mut last = None;
        for piece in in_pieces(copy, self.ring.slot_bytes) {
            let (number, queue) = (
                self.copied[heading as usize],
                &self.queues[heading as usize],
            );
            if !belt.is_ready(heading, number) {
                return Err(Error::Thread {
                    what: "copying slices",
                    why: "a thread panicked".to_owned(),
                });
            }
            let slot = (self.ring.slot(heading, number), dense(piece.rows));
            // SAFETY: the array has these rows, and the belt says that the slot is the device's; it
            // becomes a thread's again when the event is done. If this gives up before that, the
            // ring is not used until all events are.
            let event =
                unsafe { copy_rows(queue, piece.rows, (memory, piece.at), slot, heading, waits)? };
            self.copied[heading as usize] += 1;
            self.copies[heading as usize].push_back(event.clone());
            queue.flush()?;
            if self.copies[heading as usize].len() > AHEAD {
                self.land(belt, heading)?;
            }
            last = Some(event);
        }
        Ok(last.expect("no step copies nothing"))
    }

    /// Waits for the oldest copy with this heading.
    fn land(&mut self, belt: &Belt, heading: Heading) -> Result<()> {
        let copies = &mut self.copies[heading as usize];
        if let Some(oldest) = copies.front() {
            oldest.wait()?;
            copies.pop_front();
            belt.has_moved(heading);
        }
        Ok(())
    }

    /// Waits for all copies.
    pub fn land_all(&mut self, belt: &Belt) -> Result<()> {
        for heading in [Heading::ToDevice, Heading::ToHost] {
            while !self.copies[heading as usize].is_empty() {
                self.land(belt, heading)?;
            }
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

/// Rows in a slot, one behind the other.
fn dense(rows: Rows) -> At {
    At {
        first: 0,
        pitch: rows.bytes,
    }
}
