//! How many threads copy on the host.

use crate::device::DeviceKind;
use crate::runtime::context::Site;
use std::sync::OnceLock;
use std::thread;

/// More threads than this are faster than the bus: slices of 8192 x 8192 in f32 take 11.8 to 13.3
/// ms on the host of an NVIDIA H100, by 6 threads 15.2 to 15.9, by 12 10.9 to 13.0, by 16 11.7.
const MOST_THREADS: usize = 8;

/// As many as can be asked for.
pub(in crate::runtime) const MOST_ASKED_FOR: usize = 64;

/// Arrays of fewer bytes go faster by the driver.
pub(super) const LEAST_BYTES: usize = 8 << 20;

/// How many threads should copy arrays of so many bytes through a ring; none where
/// the driver does as well.
pub(in crate::runtime) fn copy_threads(site: &Site, bytes: usize) -> Option<usize> {
    let by_itself = || match site.shared.device.info().kind {
        DeviceKind::Cpu => 1,
        DeviceKind::Gpu | DeviceKind::Accelerator => parallelism().min(MOST_THREADS),
    };
    let threads = site.copy_threads.unwrap_or_else(by_itself);
    let is_worth = threads > 1 && bytes >= LEAST_BYTES;
    (is_worth && site.queue.takes_parts()).then_some(threads)
}

/// How many threads should copy pieces of so many bytes between two places on the host, while it
/// does so for so many devices; one where that is as fast.
pub(super) fn host_threads(site: &Site, bytes: usize, devices: usize) -> usize {
    let by_itself = || parallelism().div_ceil(devices).min(MOST_THREADS);
    let threads = site.copy_threads.unwrap_or_else(by_itself);
    match bytes >= LEAST_BYTES {
        true => threads.max(1),
        false => 1,
    }
}

/// What the system says, asked once: it reads files.
fn parallelism() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}
