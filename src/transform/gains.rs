//! How much the steps of an integer wavelet, without their rounding, can enlarge the samples of a
//! line: the largest sum of magnitudes of what a value is made of, borders included.

use crate::wavelet::{Boundary, Channel, IntegerStep};

/// Samples of a line on which gains are measured, at most, if one level fits them.
const LONGEST: usize = 1024;

/// What one axis does in one level to samples of magnitude 1, at most.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gains {
    /// The sum of each step before it is shifted.
    pub sums: Vec<f64>,
    /// Any value, before, between or after the steps.
    pub between: f64,
    /// The results.
    pub results: f64,
    /// The approximations of this level, of the next ... as far as they were measured: of
    /// samples before this level.
    pub low: Vec<f64>,
}

impl Gains {
    /// Of an axis that is down to one sample, or that is not transformed.
    pub fn none() -> Self {
        Gains {
            sums: Vec::new(),
            between: 1.0,
            results: 1.0,
            low: Vec::new(),
        }
    }

    /// Of at most `levels` levels of a line of `samples` samples.
    ///
    /// Every value is written out as a sum of the line's samples. A long line stands for all longer
    /// ones with the same remainder: no value depends on samples more than half the line away,
    /// around the seam of a periodic line neither, so what happens near an end, near the seam or
    /// between them is the same in every longer one.
    pub fn new(steps: &[IntegerStep], boundary: Boundary, samples: usize, levels: usize) -> Self {
        if samples < 2 || levels == 0 {
            return Self::none();
        }
        // A neighbour beyond the border can be mapped to one pair further inside than
        // the step reaches outside.
        let reach = |step: &IntegerStep| {
            let stencil = step.stencil();
            stencil
                .first
                .unsigned_abs()
                .max(stencil.last().unsigned_abs()) as usize
                + 1
        };
        let reach: usize = steps.iter().map(reach).sum();
        // Twice what the approximations of so many levels depend on, and a whole pair of the last.
        let long = |levels: usize| (4 * (reach + 1) + 2) << levels;
        let fitting = (1..levels.min(16)).take_while(|&level| long(level + 1) <= LONGEST);
        let levels = 1 + fitting.count();
        let long = long(levels);
        let samples = match samples.checked_sub(long) {
            Some(more) => long + more % (1 << levels),
            None => samples,
        };
        Line::new(samples).gains(steps, boundary, levels)
    }
}

/// A value as a sum of samples: the place of the first that it is made of, and their factors.
#[derive(Clone, Default)]
struct Value {
    first: usize,
    factors: Vec<f64>,
}

impl Value {
    fn sample(place: usize) -> Self {
        Value {
            first: place,
            factors: vec![1.0],
        }
    }

    fn add(&mut self, factor: f64, other: &Value) {
        if self.factors.is_empty() {
            self.first = other.first;
        }
        let before = self.first.saturating_sub(other.first);
        self.factors.splice(0..0, std::iter::repeat_n(0.0, before));
        self.first -= before;
        let at = other.first - self.first;
        let end = self.factors.len().max(at + other.factors.len());
        self.factors.resize(end, 0.0);
        let terms = self.factors[at..].iter_mut().zip(&other.factors);
        terms.for_each(|(own, more)| *own += factor * more);
    }

    fn magnitude(&self) -> f64 {
        self.factors.iter().map(|factor| factor.abs()).sum()
    }
}

fn largest(values: &[Value]) -> f64 {
    values.iter().map(Value::magnitude).fold(0.0, f64::max)
}

/// A line of values.
struct Line {
    values: Vec<Value>,
}

impl Line {
    fn new(samples: usize) -> Self {
        Line {
            values: (0..samples).map(Value::sample).collect(),
        }
    }

    fn gains(mut self, steps: &[IntegerStep], boundary: Boundary, levels: usize) -> Gains {
        let mut gains = Gains {
            between: 1.0,
            ..Gains::default()
        };
        for level in 0..levels {
            for step in steps {
                let [sum, between] = self.lift(step, boundary);
                if level == 0 {
                    gains.sums.push(sum);
                    gains.between = gains.between.max(between);
                }
            }
            if level == 0 {
                gains.results = largest(&self.values);
            }
            self.values = self.values.into_iter().step_by(2).collect();
            gains.low.push(largest(&self.values));
            if self.values.len() < 2 {
                break;
            }
        }
        gains
    }

    /// Runs a step. Gives the magnitude of its largest sum, and of the
    /// largest value that it changes.
    fn lift(&mut self, step: &IntegerStep, boundary: Boundary) -> [f64; 2] {
        let stencil = step.stencil();
        let (target, source) = (stencil.target, stencil.target.other());
        let (count, unit) = (self.values.len(), 0.5f64.powi(step.shift() as i32));
        let mut most = [0f64; 2];
        for n in 0..target.count(count) {
            let mut sum = Value::default();
            for (at, &tap) in (stencil.first..).zip(step.taps()) {
                let at = boundary.map(source, n as i64 + i64::from(at), count);
                if let Some(at) = at {
                    sum.add(tap.into(), &self.values[2 * at + source as usize]);
                }
            }
            let value = &mut self.values[2 * n + target as usize];
            if !sum.factors.is_empty() {
                value.add(unit, &sum);
            }
            most[0] = most[0].max(sum.magnitude());
            most[1] = most[1].max(value.magnitude());
        }
        most
    }
}

/// How far rounding in one axis of a level can move values from what its
/// steps would give without it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rounding {
    /// Results: approximations and details.
    pub channels: [f64; 2],
    /// Any value on the way.
    pub between: f64,
    /// The sum of each step before it is shifted, its bias included.
    pub sums: Vec<f64>,
}

impl Rounding {
    pub fn of(steps: &[IntegerStep]) -> Self {
        let mut rounding = Rounding {
            channels: [0.0; 2],
            between: 0.0,
            sums: Vec::new(),
        };
        for step in steps {
            let target = step.stencil().target;
            let taps = step.taps().iter().map(|&tap| f64::from(tap).abs());
            let spread = taps.sum::<f64>() * rounding.channels[target.other() as usize];
            // The shift rounds down, by less than 1, what has the bias in it.
            let unit = 0.5f64.powi(step.shift() as i32);
            let bias = f64::from(step.bias()) * unit;
            let own = bias.abs().max((bias - (1.0 - unit)).abs());
            let moved = &mut rounding.channels[target as usize];
            *moved += spread * unit + own;
            rounding.between = rounding.between.max(*moved);
            rounding.sums.push(spread + f64::from(step.bias()).abs());
        }
        rounding
    }

    /// Of the approximations.
    pub fn low(&self) -> f64 {
        self.channels[Channel::Approximation as usize]
    }

    /// Of all results.
    pub fn results(&self) -> f64 {
        self.channels[0].max(self.channels[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    fn gains(wavelet: Wavelet, boundary: Boundary, samples: usize, levels: usize) -> Gains {
        Gains::new(wavelet.integer_steps().unwrap(), boundary, samples, levels)
    }

    #[test]
    fn gains_of_5_3() {
        // High -1/2 1 -1/2; low -1/8 1/4 3/4 1/4 -1/8.
        let gains = gains(Wavelet::VC2_LEGALL_5_3, Boundary::Symmetric, 1000, 1);
        assert_eq!(
            (gains.results, gains.between, &gains.low[..]),
            (2.0, 2.0, &[1.5][..])
        );
        // Two approximations; two details.
        assert_eq!(gains.sums, [2.0, 4.0]);
    }

    #[test]
    fn a_line_stands_for_all_longer_ones_with_the_same_remainder() {
        for wavelet in [
            Wavelet::VC2_DD_13_7,
            Wavelet::VC2_DAUB_9_7,
            Wavelet::VC2_HAAR_1,
        ] {
            for &boundary in Boundary::ALL {
                let steps = wavelet.integer_steps().unwrap();
                for samples in [800usize, 801, 802, 803] {
                    let short = gains(wavelet.clone(), boundary, samples, 2);
                    let long = Line::new(samples).gains(steps, boundary, 2);
                    assert_eq!(short.low.len(), 2);
                    let pairs = short.low.iter().zip(&long.low);
                    for (short, long) in pairs.chain([(&short.results, &long.results)]) {
                        assert!(
                            (short - long).abs() < 1e-12,
                            "{wavelet} {boundary} {samples}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn rounding_adds_up() {
        // d -= (a + b + 1) >> 1 is off by at most a half; s += (c + d + 2) >> 2 then by (1/2 +
        // 1/2) / 4 and as much again.
        let rounding = Rounding::of(Wavelet::VC2_LEGALL_5_3.integer_steps().unwrap());
        assert_eq!(rounding.channels, [0.75, 0.5]);
        assert_eq!(rounding.sums, [0.0, 3.0]);
    }
}
