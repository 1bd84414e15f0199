//! Which arrays the passes of a plan work between: what a level leaves is what the next one takes.

use super::super::Strategy;
use super::design::{Array, Arrays, Design, Launch, Pass, Problem, Slot, Slots};
use crate::wavelet::Direction;

/// A step of the walk: passes that share their arrays.
pub(in crate::strategy) struct Take {
    pub strategy: Strategy,
    pub passes: Vec<Pass>,
    /// The level at hand, and its samples.
    pub level: u32,
    pub samples: usize,
}

/// Gives every take its arrays, and puts the takes into running order.
pub(in crate::strategy) fn bind_arrays(problem: &Problem, takes: Vec<Take>) -> Design {
    let direction = problem.direction;
    let (signal, coefficients) = match direction {
        Direction::Forward => (Array::Input, Array::Output),
        Direction::Inverse => (Array::Output, Array::Input),
    };
    let finest = takes
        .iter()
        .take_while(|take| take.level == takes[0].level)
        .count();
    // What lies between takes is in one piece, as it is where plans for
    // arrays in one piece expect it.
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

/// Which array holds what each take leaves to the next, in the order of the forward transform, for
/// `finest` takes in the finest level and `total` in all.
///
/// Neighbours differ, and differ from what the takes beside them read or write: the details of the
/// coarser levels lie in the coefficients' array already, or still, so only scratch serves there.
/// In the finest level the output is free, where it `lends` itself, but for the take that reads
/// (inverse) or writes (forward) it last.
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
