//! The ends of lines under any boundary rule, in a launch by themselves
//! (cl/line_ends/line_ends.cl): of lines that are nothing else, or after a launch of a kernel
//! that knows no such border.

use super::super::planning::cost::Meter;
use super::super::planning::design::{Define, Kernel, Pass, Slots, define, loops_as_they_are};
use super::super::planning::todo::Todo;
use super::lines::Lines;
use super::pixels;

pub(in crate::strategy) const KERNEL: &str = "line_ends";
pub(in crate::strategy) const FILE: &str = "line_ends/line_ends.cl";

/// Work-items in a work-group, each with a line.
const GROUP: usize = 64;

/// Registers of 32 bits for a joined line at most.
const MOST_JOINED: usize = 64;

/// Samples of the line that both ends make, where the compiler shall know them and the rule
/// (cl/line_ends/line_ends.cl): of long lines in two programs for each rule, of short ones where
/// there are many. Registers hold no more.
fn joined_samples(todo: &Todo, lines: &Lines) -> Option<i32> {
    let joined = match lines.have_inside() {
        true => 4 * lines.reach.border() as i32 - lines.geometry.samples % 2,
        false => lines.known_length()?,
    };
    let registers = joined as usize * todo.problem.sample.size().div_ceil(4);
    (registers <= MOST_JOINED).then_some(joined)
}

/// What the compiler shall know of the ends of lines (cl/core/border.cl).
pub(in crate::strategy) fn defines(todo: &Todo, lines: &Lines) -> Vec<Define> {
    let mut defines = vec![define("BORDER", lines.reach.border())];
    if let Some(samples) = joined_samples(todo, lines) {
        defines.push(define("JOINED_SAMPLES", samples));
        defines.push(define("RULE", lines.geometry.boundary));
    }
    defines
}

pub(in crate::strategy) fn pass(todo: &Todo, lines: &Lines) -> Pass {
    let meter = Meter::new(todo.problem, 1, lines.geometry.shift).with_signal(todo.signal_size());
    let group = GROUP.min(todo.target.work_group(KERNEL));
    let mut defines = defines(todo, lines);
    defines.push(define("GROUP", group));
    defines.extend(loops_as_they_are(todo.target.device));
    defines.extend(pixels::defines(todo.pixels()));
    Pass {
        kernel: Kernel {
            name: KERNEL,
            file: FILE,
            defines,
            group: [group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: lines.geometry,
        own: vec![("unused", 0)],
        groups: (lines.geometry.lines as usize).div_ceil(group),
        cost: meter.line_ends(&lines.geometry, &lines.reach),
    }
}
