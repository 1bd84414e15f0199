//! What the other threads do: copy between slots and slices.

use super::Slices;
use crate::runtime::host::belt::{Belt, Stop};
use crate::runtime::host::copies::{Heading, Rows};
use crate::runtime::host::past_caches;
use crate::runtime::host::route::RowCopy;

/// What threads copy between: slots, and pieces of the slices.
pub(super) struct SlotsAndSlices<'a> {
    /// The first slot for each heading, their number, and the bytes of each.
    slots: [*mut u8; 2],
    count: usize,
    slot_bytes: usize,
    pieces: &'a [Vec<RowCopy>; 2],
    input: &'a [u8],
    output: *mut u8,
}

// SAFETY: which thread uses a slot, and the piece that goes with it, is settled by the
// belt; the input is only read.
unsafe impl Sync for SlotsAndSlices<'_> {}

impl<'a> SlotsAndSlices<'a> {
    pub fn new(
        slots: [*mut u8; 2],
        (count, slot_bytes): (usize, usize),
        pieces: &'a [Vec<RowCopy>; 2],
        slices: Slices<'a>,
    ) -> Self {
        let end = |piece: &RowCopy| {
            let Rows { count, bytes } = piece.rows;
            piece.host.first + (count - 1) * piece.host.pitch + bytes
        };
        let lens = [slices.input.len(), slices.output.len()];
        for (pieces, len) in pieces.iter().zip(lens) {
            let bytes = |piece: &RowCopy| piece.rows.count * piece.rows.bytes;
            assert_eq!(pieces.iter().map(bytes).sum::<usize>(), len);
            assert!(pieces.iter().all(|piece| end(piece) <= len));
        }
        SlotsAndSlices {
            slots,
            count,
            slot_bytes,
            pieces,
            input: slices.input,
            output: slices.output.as_mut_ptr(),
        }
    }

    /// Copies as long as there is something to copy.
    pub fn copy_all(&self, belt: &Belt) {
        let stop = Stop(belt);
        while let Some((heading, job)) = belt.begin() {
            let RowCopy { rows, host, .. } = self.pieces[heading as usize][job];
            let slot = self.slots[heading as usize];
            let slot = slot.wrapping_add(job % self.count * self.slot_bytes);
            for row in 0..rows.count {
                let (slot, host) = (
                    slot.wrapping_add(row * rows.bytes),
                    host.first + row * host.pitch,
                );
                // SAFETY: between `begin` and `has_copied` the slot is this thread's, and so is the
                // piece of the output: a route brings every sample down once. No piece is larger
                // than a slot, and all lie within the slices, as `new` checked.
                unsafe {
                    match heading {
                        Heading::ToDevice => {
                            let piece = &self.input[host..host + rows.bytes];
                            slot.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
                        }
                        Heading::ToHost => {
                            past_caches::copy(slot, self.output.wrapping_add(host), rows.bytes);
                        }
                    }
                }
            }
            belt.has_copied(heading, job);
        }
        // Only a panic stops the others.
        std::mem::forget(stop);
    }
}
