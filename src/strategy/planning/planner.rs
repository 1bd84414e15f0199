//! The planner walks a transform, level by level and axis by axis, and asks the strategies in turn
//! how much of what is left they take.

use super::super::shared::pixels;
use super::super::{Strategy, stepwise};
use super::binding::{Take, bind_arrays};
use super::design::{Design, Pass, Problem, Target};
use super::todo::Todo;
use crate::error::{Error, Result};
use crate::transform::Region;
use crate::transform::geometry::most_lines;
use crate::wavelet::SampleType;

/// A strategy's answer.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::strategy) enum Offer {
    Preferred(Taken),
    Works(Taken),
    /// It works, and is preferred for other shapes: for this one others are faster, even by a pass
    /// over memory for each axis.
    Yields(Taken),
    No {
        why: String,
    },
}

impl Offer {
    pub fn no(why: impl Into<String>) -> Self {
        Offer::No { why: why.into() }
    }
}

/// What a strategy takes: so many whole levels, or so many axes of the level at hand, by these
/// passes in running order.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::strategy) struct Taken {
    pub levels: usize,
    pub axes: usize,
    pub passes: Vec<Pass>,
}

/// Everything that a plan has to build for a problem, by those of `strategies`
/// in the order of this list.
///
/// # Errors
/// [`Error::Unsupported`] where none of them takes what is left.
pub(crate) fn plan(problem: &Problem, target: &Target, strategies: &[Strategy]) -> Result<Design> {
    if let Some(why) = impossible(problem, target) {
        return Err(Error::Unsupported {
            what: format!(
                "{} on {} samples",
                problem.transform.wavelet(),
                problem.sample
            ),
            why,
        });
    }
    let levels = problem.transform.active_levels();
    let mut takes: Vec<Take> = Vec::new();
    let mut todo = Todo {
        problem,
        target,
        levels: &levels,
        done: 0,
        converted: false,
    };
    while !todo.levels.is_empty() {
        let (strategy, taken) = choose(&todo, strategies)?;
        let take = |passes| Take {
            strategy,
            passes,
            level: todo.levels[0].number,
            samples: todo.levels[0].shape.iter().product(),
        };
        if todo.pixels().is_some() && !strategy.takes_pixels() {
            let samples = Region::dense(problem.transform.shape());
            takes.push(take(vec![pixels::convert(problem, target, &samples)]));
            todo.converted = true;
            continue;
        }
        takes.push(take(taken.passes));
        todo.done += taken.axes;
        if todo.done == todo.levels[0].axes.len() {
            todo.levels = &todo.levels[taken.levels..];
            todo.done = 0;
        }
    }
    if takes.is_empty() {
        return Ok(stepwise::copy_only(problem, target));
    }
    // Of the strategies to choose from, none took two axes of the finest level at once.
    let finest = takes.iter().filter(|take| take.level == levels[0].number);
    let axes = levels[0].axes.len();
    let is_slow =
        strategies.len() > 1 && axes > 1 && finest.count() == axes + usize::from(todo.converted);
    let first = Todo {
        problem,
        target,
        levels: &levels,
        done: 0,
        converted: todo.converted,
    };
    Ok(Design {
        advice: is_slow.then(|| advice(&first, strategies)).flatten(),
        ..bind_arrays(problem, takes)
    })
}

/// Why a level of two axes and more takes a pass over memory for each of them, and what would take
/// fewer; nothing where that is faster.
fn advice(todo: &Todo, strategies: &[Strategy]) -> Option<String> {
    if is_long(todo.problem) {
        return Some(format!(
            "the wavelet's steps have more than {LONG} taps, so that each step is a launch of its own: programs with all of them are \
             built very slowly. A plan with a strategy by name has such programs"
        ));
    }
    let level = &todo.levels[0];
    let mut reasons: Vec<(String, String)> = Vec::new();
    for strategy in strategies {
        match strategy.offer(todo) {
            Offer::No { why } => match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => *names += &format!(", `{strategy}`"),
                None => reasons.push((why, format!("`{strategy}`"))),
            },
            Offer::Yields(_) => return None,
            _ => {}
        }
    }
    let reasons = reasons.iter().map(|(why, names)| format!("{names}: {why}"));
    let mut text = format!(
        "level {} takes a pass over memory for each of its axes {:?}: {}",
        level.number,
        level.axes,
        reasons.collect::<Vec<_>>().join("; ")
    );
    let axes = todo.problem.transform.chosen_axes();
    let is_behind = |axis: usize| axes.iter().all(|&transformed| transformed < axis);
    if (0..level.shape.len()).any(|axis| is_behind(axis) && level.shape[axis] > 1) {
        let batch = (0..level.shape.len()).filter(|axis| !axes.contains(axis));
        let order: Vec<usize> = batch.chain(axes.iter().copied()).collect();
        let shape: Vec<usize> = order.iter().map(|&axis| level.shape[axis]).collect();
        text += &format!("; an array of shape {shape:?}, with the batch outside, would take fewer");
    }
    Some(text)
}

/// The first strategy that prefers what is left, else the first that can do it.
fn choose(todo: &Todo, strategies: &[Strategy]) -> Result<(Strategy, Taken)> {
    let mut reasons = Vec::new();
    let mut works = None;
    if is_long(todo.problem)
        && strategies.contains(&Strategy::Stepwise)
        && let Offer::Works(taken) = Strategy::Stepwise.offer(todo)
    {
        works = Some((Strategy::Stepwise, taken));
    } else {
        for &strategy in strategies {
            match strategy.offer(todo) {
                Offer::Preferred(taken) => return Ok((strategy, taken)),
                Offer::Works(taken) | Offer::Yields(taken) => {
                    works = works.or(Some((strategy, taken)));
                }
                Offer::No { why } => reasons.push(format!("`{strategy}`: {why}")),
            }
        }
    }
    works.ok_or_else(|| Error::Unsupported {
        what: format!(
            "{} on {} samples, level {}, axes {:?}",
            todo.problem.transform.wavelet(),
            todo.problem.sample,
            todo.levels[0].number,
            todo.axes()
        ),
        why: reasons.join("; "),
    })
}

/// Taps of all steps beyond which a launch is best for each step: kernels for several have all of
/// them written out, as often as they keep pairs, and compilers take minutes over hundreds. By PoCL
/// 3.1, plans of 40 steps of one tap take 17 s to be built and run once, of 80 steps 38 s, step by
/// step 4 s. The longest of the standards' have 16.
const LONG: usize = 64;

/// Whether there are so many, of samples that lose nothing in memory between two steps.
fn is_long(problem: &Problem) -> bool {
    let is_rounded = matches!(problem.sample, SampleType::F16 | SampleType::Rounded);
    let taps: usize = problem.stencils().iter().map(|step| step.count).sum();
    !is_rounded && taps > LONG
}

/// Lines along an axis at most: kernels count them, and those that the last
/// work-group lacks, in 32 bits.
const MOST_LINES: usize = i32::MAX as usize - (1 << 12);

/// Why no strategy can compute a problem on a device.
pub(in crate::strategy) fn impossible(problem: &Problem, target: &Target) -> Option<String> {
    if problem.sample == SampleType::F64 && !target.device.fp64 {
        return Some(format!("{} has no double precision", target.device));
    }
    let transform = &problem.transform;
    let copies = problem.pixels.is_some() || transform.active_levels().is_empty();
    let too_many = most_lines(transform, copies) > MOST_LINES;
    too_many.then(|| format!("the array has more than {MOST_LINES} lines along one axis"))
}
