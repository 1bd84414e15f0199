//! Tile sizes from a device's limits.

use crate::device_info::{DeviceInfo, DeviceKind};

/// Work-group sizes (x, y) of the kernels, and how many work-groups fill the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    /// Row pass: work-items along a row, rows.
    pub row: [usize; 2],
    /// Column pass: columns, work-items down a column.
    pub column: [usize; 2],
    /// Kernels with one work-item a line or a pair.
    pub linear: usize,
    /// Work-groups that keep the whole device busy.
    pub filling: usize,
}

impl Tiles {
    /// Sizes for kernels without local memory.
    pub fn of(device: &DeviceInfo) -> Self {
        Self::new(device, |_| 0, |_| 0)
    }

    /// The sizes that the papers found best, reduced to what the device allows. `row_bytes` and
    /// `column_bytes` say how much local memory a work-group of that size needs.
    pub fn new(
        device: &DeviceInfo,
        row_bytes: impl Fn([usize; 2]) -> usize,
        column_bytes: impl Fn([usize; 2]) -> usize,
    ) -> Self {
        // Kucis: groups of 256, strips of 32 columns.
        Tiles {
            row: reduced([32, 8], device, row_bytes),
            column: reduced([32, 8], device, column_bytes),
            linear: 64
                .min(device.max_work_group)
                .min(device.max_work_items[0])
                .max(1),
            filling: device.compute_units.max(1)
                * match device.kind {
                    DeviceKind::Cpu => 4,
                    DeviceKind::Gpu | DeviceKind::Accelerator => 32,
                },
        }
    }
}

/// Halves a work-group, keeping x about four times y, until the device can run it.
fn reduced(
    mut size: [usize; 2],
    device: &DeviceInfo,
    bytes: impl Fn([usize; 2]) -> usize,
) -> [usize; 2] {
    let fits = |size: [usize; 2]| {
        size[0] * size[1] <= device.max_work_group
            && size[0] <= device.max_work_items[0]
            && size[1] <= device.max_work_items[1]
            && bytes(size) as u64 <= device.local_memory
    };
    while !fits(size) && size != [1, 1] {
        let narrower = size[0] > 4 * size[1] || size[1] == 1;
        size[usize::from(!narrower)] /= 2;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(limit: usize, local_memory: u64) -> [usize; 2] {
        let device = DeviceInfo {
            max_work_group: limit,
            local_memory,
            ..DeviceInfo::imaginary()
        };
        Tiles::new(&device, |_| 0, |[x, y]| 64 * x * y).column
    }

    #[test]
    fn small_devices_get_small_groups() {
        assert_eq!(column(1024, 48 << 10), [32, 8]);
        assert_eq!(column(128, 48 << 10), [32, 4]);
        assert_eq!(column(64, 48 << 10), [16, 4]);
        assert_eq!(column(32, 48 << 10), [16, 2]);
        assert_eq!(column(1, 48 << 10), [1, 1]);
        assert_eq!(column(1024, 8 << 10), [32, 4]);
    }
}
