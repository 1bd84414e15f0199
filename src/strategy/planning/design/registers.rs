//! How many registers devices have, and what fits them.

use super::{Define, define};
use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::wavelet::SampleType;

/// Registers of 32 bits that a work-item of a device has at most. Where kernels may ask for the
/// size of their sub-groups, as on Intel's GPUs, a sub-group has 128 registers, each with a number
/// for every work-item of the smallest size. Elsewhere there are more than a work-item can name.
pub(in crate::strategy) fn registers(device: &DeviceInfo) -> usize {
    let Some(least) = least_sub_group(device) else {
        return MOST_REGISTERS;
    };
    // Without exchange compilers choose the size.
    let lanes = match device.exchange {
        Exchange::None => least.max(USUAL_LANES),
        _ => device.lanes,
    };
    (128 * least / lanes).min(MOST_REGISTERS)
}

/// Registers of a compute unit, of 32 bits each: NVIDIA's, whose OpenCL does not tell how many
/// work-groups run at once.
pub(in crate::strategy) const REGISTERS_OF_UNIT: usize = 64 << 10;

/// How many work-groups of so many work-items, by so many registers each, a
/// compute unit runs at once.
pub(in crate::strategy) fn groups_at_once(group: usize, registers: usize) -> usize {
    (REGISTERS_OF_UNIT / (group * registers).max(1)).max(1)
}

/// Work-items of a work-group, of at most `most`, where sub-groups of `lanes` share out `shares` of
/// a picture by the fewest groups: no group has more sub-groups than it needs, since one without a
/// share keeps its registers until the others are done. On an NVIDIA H100, one level of 1024 of 64
/// x 64 in f32 by 9/7 takes `streamed` 22 us (inverse 21) that way, and 32 (34) with four
/// sub-groups, of which two have a share.
pub(in crate::strategy) fn group_of_sub_groups(shares: usize, lanes: usize, most: usize) -> usize {
    let groups = shares.div_ceil(most / lanes).max(1);
    shares.div_ceil(groups).max(1) * lanes
}

/// The size that compilers for Intel's GPUs give sub-groups of kernels that keep much in registers.
const USUAL_LANES: usize = 16;

/// The smallest sub-groups of a GPU whose kernels may ask for their size. CPUs, which tests take
/// for GPUs, have smaller ones.
fn least_sub_group(device: &DeviceInfo) -> Option<usize> {
    let is_gpu = device.kind == DeviceKind::Gpu;
    let least = device.sub_group_sizes.iter().min().filter(|_| is_gpu)?;
    Some(*least.max(&8))
}

/// Makes sub-groups of a kernel that exchanges nothing, and keeps much in registers, small
/// where they have 16 work-items at least (`pvc`): the compiler makes them of 32 there even if
/// it then puts in memory what does not fit (`make vendors`). Where there are smaller ones it
/// goes down to these by itself.
pub(in crate::strategy) fn smallest_sub_groups(device: &DeviceInfo) -> Define {
    let least = least_sub_group(device).filter(|&least| least >= USUAL_LANES);
    define("SMALLEST", least.unwrap_or(0))
}

/// Whether a work-item has the registers to sweep down a picture. Of Intel's 64 or 128, compilers
/// put some of any wavelet's in memory, and the blocks of `register_block` fit (`make vendors`).
pub(in crate::strategy) fn can_stream(device: &DeviceInfo) -> bool {
    registers(device) > 128
}

/// What an instruction of NVIDIA's can name; AMD's has one more.
pub(in crate::strategy) const MOST_REGISTERS: usize = 255;

/// Why a work-item cannot hold so many numbers of `sample` in its registers, if it cannot:
/// GPUs give it 255 of 32 bits at most. What goes beyond them takes a compiler minutes, and
/// memory instead of registers.
pub(in crate::strategy) fn lack_of_registers(
    what: &str,
    numbers: usize,
    sample: SampleType,
) -> Option<String> {
    let needed = numbers * sample.size().div_ceil(4);
    (needed > MOST_REGISTERS).then(|| {
        format!("{what} needs {needed} registers, a work-item of a GPU has {MOST_REGISTERS}")
    })
}
