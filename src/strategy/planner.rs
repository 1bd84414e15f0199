//! The planner walks a transform, level by level and axis by axis, and asks the strategies in turn how much of what is left
//! they take.

use super::design::{Array, Arrays, Design, Launch, Pass, Problem, Slot, Slots, Target};
use super::{Strategy, pixels, stepwise};
use crate::error::{Error, Result};
use crate::transform::geometry::{Axis, Geometry, Order, Side, Sides, View, most_lines};
use crate::transform::{Layout, Level, Region};
use crate::wavelet::{Direction, Pixels, SampleType};

/// What is left to do.
pub(super) struct Todo<'a> {
    pub problem: &'a Problem,
    pub target: &'a Target<'a>,
    /// The levels that are not done, finest first; the first is at hand.
    pub levels: &'a [Level],
    /// How many axes of the level at hand are done, in the order of the forward transform.
    pub done: usize,
    /// Whether the caller's pixels were made samples already, which are in one piece.
    pub converted: bool,
}

impl Todo<'_> {
    /// The axes of the level at hand that are left, in the order of the forward transform.
    pub fn axes(&self) -> &[usize] {
        &self.levels[0].axes[self.done..]
    }

    /// What a take of so many whole levels, or of so many axes of the level at hand, works between.
    pub fn sides(&self, levels: usize, axes: usize) -> Sides {
        let transform = &self.problem.transform;
        let level = &self.levels[0];
        let taken = self.done + axes;
        let planar =
            |done: usize| View::dense(&level.shape).with_order(&level.axes[..done], Order::Planar);
        let regions = &self.problem.regions;
        let is_complete = taken == level.axes.len();
        let bands = if is_complete {
            let settled = match transform.coefficient_layout() {
                Layout::Mallat => Order::Planar,
                Layout::Interleaved => Order::Interleaved,
            };
            View::of_level(transform, &regions.bands, level.number).with_order(&level.axes, settled)
        } else {
            planar(taken)
        };
        let next = self.levels.get(levels).filter(|_| is_complete);
        Sides {
            signal: match self.is_first() {
                true => View::of_region(&regions.signal),
                false => planar(self.done),
            },
            bands,
            low: next.map(|next| View::dense(&next.shape)),
        }
    }

    /// Whether the signal side of what is left is the caller's.
    fn is_first(&self) -> bool {
        self.levels[0].number == 1 && self.done == 0 && !self.converted
    }

    /// The pixels that the signal side has instead of samples.
    pub fn pixels(&self) -> Option<Pixels> {
        self.problem.pixels.filter(|_| self.is_first())
    }

    /// The bytes of a sample, or of a pixel, on the signal side.
    pub fn signal_size(&self) -> usize {
        let pixels = self.pixels().map(|pixels| pixels.pixel.size());
        pixels.unwrap_or(self.problem.sample.size())
    }

    /// The level's pre-shift, where a take of the axes that are left applies it: integers alone are shifted, once per
    /// level, by its first forward pass and its last inverse one.
    pub fn pre_shift(&self) -> i32 {
        let wavelet = self.problem.transform.wavelet();
        let applies = self.done == 0 && self.problem.sample.is_integer();
        if applies {
            wavelet.pre_shift() as i32
        } else {
            0
        }
    }

    /// The next two axes (y, x) where they are pictures whose rows are in one piece on the signal side, whatever is before,
    /// between or behind them.
    pub fn picture(&self) -> Option<[usize; 2]> {
        let [a, b, ..] = *self.axes() else {
            return None;
        };
        let (y, x) = (a.min(b), a.max(b));
        (self.sides(1, 2).signal.strides[x] == 1).then_some([y, x])
    }

    /// The next three axes (z, y, x) where they are volumes whose rows are in one piece on the signal side.
    pub fn volume(&self) -> Option<[usize; 3]> {
        let &[a, b, c, ..] = self.axes() else {
            return None;
        };
        let mut axes = [a, b, c];
        axes.sort_unstable();
        (self.sides(1, 3).signal.strides[axes[2]] == 1).then_some(axes)
    }

    /// The same as [`Self::picture`] where behind them is an inner batch of 2 to `most` that nothing transforms: pictures whose pixels are so
    /// many samples in one piece, in rows without gaps on the signal side.
    pub fn coloured_picture(&self, most: i64) -> Option<Coloured> {
        let [a, b] = *self.axes() else {
            return None;
        };
        let mut geometry = self.sides(1, 2).pictures(a.min(b), a.max(b));
        let colours = i64::from(geometry.across[1]);
        let pixel = Axis {
            stride: 2 * colours,
            detail: colours,
        };
        let inner = |side: &Side| side.across[1].stride == 1;
        let fits = (2..=most).contains(&colours)
            && geometry.low_across[1] == geometry.across[1]
            && geometry.signal.line == pixel
            && inner(&geometry.signal)
            && geometry.band_sides().all(inner);
        if !fits {
            return None;
        }
        geometry.lines /= geometry.across[1];
        (geometry.across[1], geometry.low_across[1]) = (geometry.across[2], geometry.low_across[2]);
        (geometry.across[2], geometry.low_across[2]) = (1, 1);
        for side in [&mut geometry.signal, &mut geometry.bands, &mut geometry.low] {
            side.across[1] = side.across[2];
            side.across[2] = Axis::default();
        }
        geometry.boundary = self.problem.transform.boundary_rule().number();
        Some(Coloured {
            geometry,
            colours: colours as usize,
        })
    }

    /// Whether the kernel lifts a picture along x before y.
    pub fn x_first(&self) -> bool {
        let forward = self.problem.direction == Direction::Forward;
        (self.axes()[0] > self.axes()[1]) == forward
    }
}

/// Pictures of pixels that have several samples, which the geometry does not count.
pub(super) struct Coloured {
    pub geometry: Geometry,
    pub colours: usize,
}

/// A strategy's answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Offer {
    Preferred(Taken),
    Works(Taken),
    /// It works, and is preferred for other shapes: for this one others are faster, even by a pass over memory for each axis.
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

/// What a strategy takes: so many whole levels, or so many axes of the level at hand, by these passes in running order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Taken {
    pub levels: usize,
    pub axes: usize,
    pub passes: Vec<Pass>,
}

/// Everything that a plan has to build for a problem, by those of `strategies` in the order of this list.
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

/// Why a level of two axes and more takes a pass over memory for each of them, and what would take fewer; nothing where that
/// is faster.
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

/// Taps of all steps beyond which a launch is best for each step: kernels for several have all of them written out, as often as they
/// keep pairs, and compilers take minutes over hundreds. By PoCL 3.1, plans of 40 steps of one tap take 17 s to be built and run once,
/// of 80 steps 38 s, step by step 4 s. The longest of the standards' have 16.
const LONG: usize = 64;

/// Whether there are so many, of samples that lose nothing in memory between two steps.
fn is_long(problem: &Problem) -> bool {
    let is_rounded = matches!(problem.sample, SampleType::F16 | SampleType::Rounded);
    let taps: usize = problem.stencils().iter().map(|step| step.count).sum();
    !is_rounded && taps > LONG
}

/// Lines along an axis at most: kernels count them, and those that the last work-group lacks, in 32 bits.
const MOST_LINES: usize = i32::MAX as usize - (1 << 12);

/// Why no strategy can compute a problem on a device.
pub(super) fn impossible(problem: &Problem, target: &Target) -> Option<String> {
    if problem.sample == SampleType::F64 && !target.device.fp64 {
        return Some(format!("{} has no double precision", target.device));
    }
    let too_many = most_lines(&problem.transform) > MOST_LINES;
    too_many.then(|| format!("the array has more than {MOST_LINES} lines along one axis"))
}

/// A step of the walk: passes that share their arrays.
struct Take {
    strategy: Strategy,
    passes: Vec<Pass>,
    /// The level at hand, and its samples.
    level: u32,
    samples: usize,
}

/// Gives every take its arrays, and puts the takes into running order.
fn bind_arrays(problem: &Problem, takes: Vec<Take>) -> Design {
    let direction = problem.direction;
    let (signal, coefficients) = match direction {
        Direction::Forward => (Array::Input, Array::Output),
        Direction::Inverse => (Array::Output, Array::Input),
    };
    let finest = takes
        .iter()
        .take_while(|take| take.level == takes[0].level)
        .count();
    // What lies between takes is in one piece, as it is where plans for arrays in one piece expect it.
    let output = problem.output();
    // What gives back pixels has no room for samples.
    let holds_samples = problem.pixels.is_none() || direction == Direction::Forward;
    let lends = output.is_dense() && output.offset() == 0 && holds_samples;
    let between = arrays_between(finest, takes.len(), direction, lends);
    let mut scratch = [0; 2];
    for (array, next) in between.iter().zip(&takes[1..]) {
        if let Array::Scratch(i) = array {
            scratch[*i] = next.samples.max(scratch[*i]);
        }
    }
    let next_levels: Vec<Option<u32>> = takes.iter().skip(1).map(|take| Some(take.level)).collect();
    let mut temps = [0; 2];
    let mut launches = Vec::new();
    for (i, take) in takes.into_iter().enumerate() {
        let next_level = next_levels.get(i).copied().flatten();
        let goes_on = next_level == Some(take.level);
        let arrays = Arrays {
            signal: if i == 0 { signal } else { between[i - 1] },
            bands: if goes_on { between[i] } else { coefficients },
            low: (next_level.is_some() && !goes_on).then(|| between[i]),
        };
        for pass in &take.passes {
            let Slots {
                signal,
                bands,
                between,
            } = pass.slots;
            for slot in [Some(signal), Some(bands), between] {
                if let Some(Slot::Temp(i)) = slot {
                    temps[i] = take.samples.max(temps[i]);
                }
            }
        }
        let strategy = take.strategy;
        launches.push(take.passes.into_iter().map(move |pass| Launch {
            strategy,
            arrays: arrays_of(pass.slots, arrays),
            pass,
        }));
    }
    if direction == Direction::Inverse {
        launches.reverse();
    }
    Design {
        launches: launches.into_iter().flatten().collect(),
        scratch,
        temps,
        advice: None,
    }
}

/// The arrays of a pass, of a take that has these.
fn arrays_of(slots: Slots, take: Arrays) -> Arrays {
    let array = |slot| match slot {
        Slot::Signal => take.signal,
        Slot::Bands => take.bands,
        Slot::Temp(i) => Array::Temp(i),
    };
    Arrays {
        signal: array(slots.signal),
        bands: array(slots.bands),
        low: match slots.between {
            Some(between) => Some(array(between)),
            None => take.low.filter(|_| slots.bands == Slot::Bands),
        },
    }
}

/// Which array holds what each take leaves to the next, in the order of the forward transform, for `finest` takes in the
/// finest level and `total` in all.
///
/// Neighbours differ, and differ from what the takes beside them read or write: the details of the coarser levels lie in
/// the coefficients' array already, or still, so only scratch serves there. In the finest level the output is free, where it
/// `lends` itself, but for the take that reads (inverse) or writes (forward) it last.
fn arrays_between(finest: usize, total: usize, direction: Direction, lends: bool) -> Vec<Array> {
    let scratch = |i: usize| Array::Scratch(i % 2);
    if !lends {
        return (0..total - 1).map(scratch).collect();
    }
    let mut arrays: Vec<Array> = (0..finest - 1)
        .map(|i| {
            let to_output = match direction {
                Direction::Forward => finest - 2 - i,
                Direction::Inverse => i,
            };
            if to_output % 2 == 0 {
                scratch(0)
            } else {
                Array::Output
            }
        })
        .collect();
    let first = if finest > 1 { 1 } else { 0 };
    arrays.extend((finest..total).map(|i| scratch(first + i - finest)));
    arrays
}
