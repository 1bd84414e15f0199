//! A pass over memory per axis, by any of the methods of the papers: a row pass along contiguous
//! lines, a column pass along all others. Both do the ends of lines by cl/core/border.cl.

mod columns;
pub(super) mod passes;
mod rows;
mod transposed;

use super::planning::cost::{Cost, Meter};
use super::planning::design::Target;
use super::planning::planner::Offer;
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::line_ends;
use super::shared::lines::{Lines, taken};
use super::{ColumnPass, RowPass};
use crate::device::{DeviceInfo, DeviceKind};

pub(super) const TUNABLES: &[Tunable] = &[rows::ROWS_X, rows::ROWS_Y];

/// Pairs that one work-item lifts in its registers at once (Blazewicz et al.).
const FOUR_PAIRS: usize = 4;

/// One axis.
pub(super) fn offer(todo: &Todo, rows: RowPass, columns: ColumnPass) -> Offer {
    let convolves = rows == RowPass::Convolution || columns == ColumnPass::Convolution;
    if convolves && todo.problem.sample.is_integer() {
        return Offer::no("convolution cannot round at every step, as lifting rounds integers");
    }
    let lines = Lines::new(todo);
    let passes = if !lines.have_inside() {
        vec![line_ends::pass(todo, &lines)]
    } else if lines.are_rows {
        vec![rows::pass(todo, &lines, rows)]
    } else {
        match columns {
            ColumnPass::FourPairs => vec![columns::pairs(todo, &lines, false)],
            ColumnPass::Convolution => vec![columns::pairs(todo, &lines, true)],
            ColumnPass::Exchanged => vec![columns::exchanged(todo, &lines)],
            ColumnPass::Transposed => transposed::passes(todo, &lines),
        }
    };
    Offer::Preferred(taken(passes))
}

/// What lines cost of which every inner pair is computed in registers
/// (cl/separable/pairs.cl), in so many runs of so many pairs, and the border by itself; each
/// of `overlaps` in a line reads the reach again.
fn in_registers(
    meter: &Meter,
    lines: &Lines,
    overlaps: usize,
    [runs, pairs]: [usize; 2],
    convolution: bool,
) -> Cost {
    let [read, stored] = lines.inner_samples(overlaps);
    let inner = match convolution {
        true => meter.moved(read, stored) + meter.convolved(runs),
        false => meter.scaled(read, stored) + meter.lifted_alone(runs, pairs),
    };
    inner + meter.borders(&lines.geometry, &lines.reach)
}

/// Work-groups that keep the whole device busy.
fn filling(device: &DeviceInfo) -> usize {
    let each = match device.kind {
        DeviceKind::Cpu => 4,
        DeviceKind::Gpu | DeviceKind::Accelerator => 32,
    };
    device.compute_units.max(1) * each
}

/// Halves a work-group, keeping x about four times y, until the device can run it.
pub(super) fn reduced(
    mut size: [usize; 2],
    kernel: &str,
    target: &Target,
    local_bytes: impl Fn([usize; 2]) -> usize,
) -> [usize; 2] {
    let most = target.work_group(kernel);
    let fits = |size: [usize; 2]| {
        size[0] * size[1] <= most
            && size[1] <= target.device.max_work_items[1]
            && local_bytes(size) as u64 <= target.device.local_memory
    };
    while !fits(size) && size != [1, 1] {
        let narrower = size[0] > 4 * size[1] || size[1] == 1;
        size[usize::from(!narrower)] /= 2;
    }
    size
}

#[cfg(test)]
mod tests;
