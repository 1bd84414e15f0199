//! Memory that nobody has touched yet.

/// Fewer bytes are not worth the call.
const LEAST_BYTES: usize = 4 << 20;

/// Asks the system for huge pages where it has them, for memory that is about to be written
/// for the first time: the system then fills 2 MiB with zeros where it otherwise does 4 KiB,
/// each time with an interrupt.
pub fn ask_for_huge_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        use std::ffi::{c_int, c_void};
        const PAGE: usize = 4096;
        const MADV_HUGEPAGE: c_int = 14;
        unsafe extern "C" {
            fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
        }
        let start = memory.as_mut_ptr().cast::<u8>();
        let head = start.align_offset(PAGE);
        let pages = size_of_val(memory).saturating_sub(head) / PAGE;
        if pages * PAGE >= LEAST_BYTES {
            // SAFETY: these pages lie within the slice, and the advice leaves what is in them as it
            // is. Where the system does not take it, nothing happens.
            unsafe { madvise(start.wrapping_add(head).cast(), pages * PAGE, MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, LEAST_BYTES);
}
