//! Copies in pieces that a slot can hold.

use crate::runtime::host::copies::{At, Rows};
use crate::runtime::host::route::RowCopy;

/// A copy in pieces, each of which a slot can hold: some rows, or a part of one.
pub(super) fn in_pieces(copy: RowCopy, slot_bytes: usize) -> impl Iterator<Item = RowCopy> {
    let RowCopy {
        mut rows, at, host, ..
    } = copy;
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
            RowCopy {
                rows: Rows {
                    count: count.min(rows.count - row),
                    bytes: slot_bytes.min(rows.bytes - byte),
                },
                at: from_here(at),
                host: from_here(host),
                ..copy
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::host::copies::Heading;

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
            let copy = RowCopy {
                heading: Heading::ToHost,
                array: 0,
                rows: Rows { count, bytes },
                at,
                host: at,
            };
            let mut times = vec![0; 13 + count * pitch];
            for piece in in_pieces(copy, 64) {
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
                assert_eq!(times, i32::from(within), "{copy:?} {place}");
            }
        }
    }
}
