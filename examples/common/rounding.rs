//! How far rounding to 16 bits can move the results of a transform, in roundings: half a
//! unit, or 2^-11 of a value.
//!
//! The launch that writes a result rounds it once. What an earlier launch rounded goes into it with
//! the gain of the passes that follow: the most that an error of 1 in every number becomes, which
//! is the sum of the magnitudes of the factors that a result has of these numbers. Along several
//! axes gains multiply. The reference, which is linear, tells the factors: they are what it makes
//! of a line with a single 1.

use super::check::refer;
use std::collections::HashMap;
use std::sync::Mutex;
use wavelift::{AxisOrder, Band, Boundary, Direction, RealStep, Scale, Transform, Wavelet};

/// Where a result stands: in a band of a level, or among the samples of an inverse transform.
#[derive(Clone, Copy)]
pub enum Place {
    Band(u32, Band),
    Samples,
}

/// One axis of one level.
#[derive(Clone, Copy)]
struct Pass {
    level: u32,
    /// Among the chosen axes.
    axis: usize,
}

/// How many roundings a result of a real transform by so many launches is off at most.
pub fn roundings(transform: &Transform, place: Place, launches: u64) -> f64 {
    let passes = passes_to(transform, place);
    let all = passes_to(transform, Place::Samples).len();
    if passes.is_empty() {
        return 1.0;
    }
    let steps = transform.wavelet().real_steps().unwrap_or_default().len();
    // After each pass, the last of which writes the result: its gain is 1.
    let mut gains: Vec<f64> = match place {
        Place::Band(level, band) => after_forward(transform, &passes, level, band),
        Place::Samples => after_inverse(transform, &passes),
    };
    // A launch for every step, after one that moves the samples, rounds between steps too.
    let stepwise = launches as usize >= all * (1 + steps);
    if stepwise {
        let within = passes.iter().map(|&pass| of_steps(transform, pass, place));
        let gains = gains.iter().zip(within);
        return gains.map(|(gain, within)| gain * within).sum();
    }
    // Which of the passes are one launch is not known: the worst places to round.
    gains.pop();
    gains.sort_by(|a, b| b.total_cmp(a));
    let before = (launches as usize).saturating_sub(1);
    1.0 + gains.iter().take(before).sum::<f64>()
}

/// The passes that a result goes through, in running order.
fn passes_to(transform: &Transform, place: Place) -> Vec<Pass> {
    let (coarsest, direction) = match place {
        Place::Band(level, _) => (level, Direction::Forward),
        Place::Samples => (transform.bands()[0].0, Direction::Inverse),
    };
    let mut axes: Vec<usize> = (0..transform.chosen_axes().len()).collect();
    if transform.wavelet().axis_order() == AxisOrder::InnermostFirst {
        axes.reverse();
    }
    let level = |level| axes.iter().map(move |&axis| Pass { level, axis });
    let mut passes: Vec<Pass> = (1..=coarsest).flat_map(level).collect();
    passes.retain(|pass| length(transform, pass.axis, pass.level) > 1);
    if direction == Direction::Inverse {
        passes.reverse();
    }
    passes
}

/// How long a chosen axis is before this level.
fn length(transform: &Transform, axis: usize, level: u32) -> usize {
    let samples = transform.shape()[transform.chosen_axes()[axis]];
    halved(samples, level - 1)
}

/// How many approximations are left after so many levels.
fn halved(samples: usize, levels: u32) -> usize {
    samples.div_ceil(1 << levels.min(63))
}

/// The gain of what follows each pass on the way to a band.
fn after_forward(transform: &Transform, passes: &[Pass], coarsest: u32, band: Band) -> Vec<f64> {
    let mut next = vec![1; transform.chosen_axes().len()];
    let after = passes.iter().map(|pass| {
        next[pass.axis] = pass.level + 1;
        let along = next.iter().enumerate().map(|(axis, &next)| {
            let levels = coarsest + 1 - next;
            let line = Line::of(transform, length(transform, axis, next), levels);
            line.gain_forward(is_high(transform, band, axis))
        });
        along.product()
    });
    after.collect()
}

/// The gain of what follows each pass on the way to samples.
fn after_inverse(transform: &Transform, passes: &[Pass]) -> Vec<f64> {
    let mut levels = vec![u32::MAX; transform.chosen_axes().len()];
    let after = passes.iter().map(|pass| {
        levels
            .iter_mut()
            .for_each(|left| *left = pass.level.min(*left));
        levels[pass.axis] = pass.level - 1;
        let along = levels.iter().enumerate().map(|(axis, &levels)| {
            // Of the coefficients these levels start from, the pass writes those of its own level.
            let inputs = length(transform, axis, pass.level);
            Line::of(transform, length(transform, axis, 1), levels).gain_inverse(inputs)
        });
        along.product()
    });
    after.collect()
}

/// Whether a band is high-pass along a chosen axis; its letters name the innermost first.
fn is_high(transform: &Transform, band: Band, axis: usize) -> bool {
    let letters = band.to_string();
    letters.as_bytes()[transform.chosen_axes().len() - 1 - axis] == b'H'
}

/// The gain of the steps that are left, and the scaling, after each step of a pass, together.
fn of_steps(transform: &Transform, pass: Pass, place: Place) -> f64 {
    let wavelet = transform.wavelet();
    let steps = wavelet.real_steps().unwrap_or_default();
    let samples = length(transform, pass.axis, pass.level);
    let rest = |steps: &[RealStep], scale| Line {
        wavelet: Wavelet::real("rest", steps, scale).unwrap(),
        boundary: transform.boundary_rule(),
        samples,
        levels: 1,
    };
    let gains = (1..=steps.len()).map(|step| match place {
        Place::Band(level, band) => {
            let high = pass.level == level && is_high(transform, band, pass.axis);
            let factor = match high {
                true => wavelet.scale().detail,
                false => wavelet.scale().approximation,
            };
            match &steps[step..] {
                [] => factor.abs(),
                left => rest(left, wavelet.scale()).gain_forward(high),
            }
        }
        Place::Samples => rest(&steps[..step], Scale::NONE).gain_inverse(samples),
    });
    1.0 + gains.sum::<f64>()
}

/// Some levels of a line by themselves.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Line {
    wavelet: Wavelet,
    boundary: Boundary,
    samples: usize,
    levels: u32,
}

impl Line {
    fn of(transform: &Transform, samples: usize, levels: u32) -> Self {
        Line {
            wavelet: transform.wavelet().clone(),
            boundary: transform.boundary_rule(),
            samples,
            levels,
        }
    }

    /// The gain of coefficients of the last level.
    fn gain_forward(&self, high: bool) -> f64 {
        if self.levels == 0 {
            return 1.0;
        }
        let line = self.short();
        let low = halved(line.samples, line.levels);
        let sums = line.sums(Direction::Forward, line.samples);
        largest(match high {
            true => &sums[low..halved(line.samples, line.levels - 1)],
            false => &sums[..low],
        })
    }

    /// The gain of samples, of errors in the first `inputs` coefficients in the
    /// order of the Mallat layout.
    fn gain_inverse(&self, inputs: usize) -> f64 {
        if self.levels == 0 {
            return 1.0;
        }
        let line = self.short();
        let is_low = inputs < halved(self.samples, self.levels - 1);
        let levels = line.levels - u32::from(!is_low);
        largest(&line.sums(Direction::Inverse, halved(line.samples, levels)))
    }

    /// A line that stands for all longer ones with the same remainder: the coarsest coefficients in
    /// the middle of it depend on no border, and no other coefficient on both.
    fn short(&self) -> Self {
        let long = 16usize << self.levels.min(32);
        let samples = match self.samples >= 2 * long {
            true => long + self.samples % long,
            false => self.samples,
        };
        Line {
            samples,
            ..self.clone()
        }
    }

    /// For each result the sum of the magnitudes of its factors of the first `inputs` numbers.
    fn sums(&self, direction: Direction, inputs: usize) -> Vec<f64> {
        type Known = HashMap<(Line, Direction, usize), Vec<f64>>;
        static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
        let key = (self.clone(), direction, inputs);
        let mut known = KNOWN.lock().unwrap();
        let known = known.get_or_insert_default();
        let sums = known.entry(key).or_insert_with(|| {
            let transform = Transform::new(self.wavelet.clone(), [self.samples]);
            let transform = transform.levels(self.levels).boundary(self.boundary);
            let mut sums = vec![0.0; self.samples];
            for at in 0..inputs {
                let mut single = vec![0f64; self.samples];
                single[at] = 1.0;
                let factors = refer(&transform, direction, &single).unwrap();
                let magnitudes = factors.iter().map(|factor| factor.abs());
                sums.iter_mut()
                    .zip(magnitudes)
                    .for_each(|(sum, more)| *sum += more);
            }
            sums
        });
        sums.clone()
    }
}

fn largest(sums: &[f64]) -> f64 {
    sums.iter().fold(0.0, |most, &sum| sum.max(most))
}
