//! How many bits samples must leave free where a wavelet has a pre-shift,
//! so that they are restored.
//!
//! Lifting is undone exactly whatever wraps, but the pre-shift of a level moves bits out of the
//! sample: what it shifts must fit the sample's width less these bits, and where it does the
//! inverse shift restores it. That is all there is to ask: of the samples at the first level, and
//! at each other level of the approximations of the level before, which are bounded here. Results
//! of the last level may wrap.
//!
//! Without rounding an approximation is a sum of samples. Its magnitude is at most that of the
//! largest sample times the factors' magnitudes together (gains.rs); along several axes these
//! multiply. Rounding at a level adds to its approximations what it can add there, times what later
//! levels make of it. This holds where no value and no sum of the level wraps, which is checked by
//! bounds of the same kind. Where it is not certain, another bound is: a step adds to an
//! approximation at most what its shift leaves of a whole sum.

use super::gains::{Gains, Rounding};
use super::{Level, Transform};
use crate::error::{Error, Result, check_length};
use crate::wavelet::{Channel, IntegerStep, Sample, SampleType};

impl Transform {
    /// Returns how many bits of their type integer samples must leave free, so that the
    /// inverse restores them exactly. With a headroom of 6, all `i16` samples from -512 to 511
    /// are restored, in 10 bits.
    ///
    /// It is 0 for wavelets without a [pre-shift](crate::wavelet::Wavelet::pre_shift): they
    /// restore every sample of the type, the extremes included. It is 0 for reals too, which
    /// are not shifted: it says nothing of whether coefficients fit `f16` or `Rounded`. Otherwise it
    /// is at least the pre-shift, and with a single level no more. For several levels it is a bound
    /// that is proved from the wavelet's steps, for this shape and boundary rule, borders and rounding
    /// included. Mostly the worst data need as many bits, or one less.
    ///
    /// It depends on the shape and not on the data. For the wavelets of the table it takes
    /// milliseconds; with many steps, in proportion to the square of their number.
    ///
    /// ```
    /// use wavelift::{SampleType, Transform, Wavelet};
    /// let picture = |wavelet| Transform::new(wavelet, [1080, 1920]).levels(3);
    /// assert_eq!(picture(Wavelet::CDF_5_3).headroom(SampleType::I16)?, 0);
    /// // Video of ten bits fits, once it is centred at zero.
    /// assert_eq!(picture(Wavelet::VC2_LEGALL_5_3).headroom(SampleType::I16)?, 6);
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`check`](Self::check) refuses; [`Error::Unsupported`]
    /// if the wavelet has no steps for the type, or if no number of bits is known to be enough, as
    /// with many levels of 16-bit samples.
    pub fn headroom(&self, sample: SampleType) -> Result<u32> {
        self.check()?;
        sample.check(&self.wavelet)?;
        let levels = self.active_levels();
        if !sample.is_integer() || self.wavelet.pre_shift() == 0 || levels.is_empty() {
            return Ok(0);
        }
        let growth = Growth::new(self, &levels);
        let width = 8 * sample.size() as u32;
        let mut fewer = self.wavelet.pre_shift()..width;
        let enough = fewer.find(|headroom| growth.fits(width, 1 << (width - headroom - 1)));
        enough.ok_or_else(|| Error::Unsupported {
            what: format!(
                "exact reconstruction of {sample} by {} in {} levels",
                self.wavelet,
                levels.len()
            ),
            why: "shifted and enlarged at each level, samples of a single bit could be too large for the type"
                .to_owned(),
        })
    }

    /// Checks whether all samples are small enough for this transform to restore them exactly,
    /// which only wavelets with a [pre-shift](crate::wavelet::Wavelet::pre_shift) ask for: whether
    /// they leave the [`headroom`](Self::headroom) free. Reals, those of 16 bits too, and all samples
    /// of wavelets without a pre-shift pass.
    ///
    /// ```
    /// use wavelift::{Transform, Wavelet};
    /// let transform = Transform::new(Wavelet::VC2_LEGALL_5_3, [2, 2]);
    /// transform.check_range(&[-16384i16, 16383, 0, 1])?;
    /// let refused = transform.check_range(&[0i16, 1, 16384, 0]).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "sample 16384 at [1, 0] is not within -16384..=16383, the samples that vc2-legall53 restores here"
    /// );
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Range`] names the first sample that is too large, its place, and the range that is
    /// safe; [`Error::Length`] if the number of samples is not that of the shape; and the errors of
    /// [`headroom`](Self::headroom).
    pub fn check_range<T: Sample>(&self, samples: &[T]) -> Result<()> {
        let headroom = self.headroom(T::TYPE)?;
        check_length("the input", samples.len(), self.len())?;
        if headroom == 0 {
            return Ok(());
        }
        let most = (1i64 << (8 * T::TYPE.size() as u32 - headroom - 1)) - 1;
        let (least, values) = (
            -most - 1,
            samples.iter().map(|sample| sample.to_f64() as i64),
        );
        let mut outside = values.enumerate();
        match outside.find(|(_, value)| !(least..=most).contains(value)) {
            None => Ok(()),
            Some((at, value)) => Err(Error::Range {
                what: format!("{} restores here", self.wavelet),
                value,
                place: self.place(at),
                least,
                most,
            }),
        }
    }

    /// The place along each axis of a sample of the array.
    fn place(&self, at: usize) -> Vec<usize> {
        let mut rest = at;
        let mut place: Vec<usize> = self
            .shape
            .iter()
            .rev()
            .map(|n| (rest % n, rest /= n).0)
            .collect();
        place.reverse();
        place
    }
}

/// What the levels of a transform can make of samples.
struct Growth<'a> {
    transform: &'a Transform,
    steps: &'a [IntegerStep],
    levels: &'a [Level],
    /// For each level and chosen axis, in the transform's order, from that level on.
    gains: Vec<Vec<Gains>>,
}

impl<'a> Growth<'a> {
    fn new(transform: &'a Transform, levels: &'a [Level]) -> Self {
        let steps = transform.wavelet.integer_steps().unwrap_or_default();
        let of_level = |(i, level): (usize, &Level)| {
            let axes = transform.axes.iter();
            // The last level's own results are shifted no more.
            let left = levels.len() - 1 - i;
            axes.map(|&axis| Gains::new(steps, transform.boundary, level.shape[axis], left))
                .collect()
        };
        Growth {
            transform,
            steps,
            levels,
            gains: levels.iter().enumerate().map(of_level).collect(),
        }
    }

    /// What the approximations after level `to` are of those before level `from`, both
    /// counted from 0, at most.
    fn low(&self, from: usize, to: usize) -> f64 {
        let along = |axis: usize| {
            let (mut at, mut gain) = (from, 1.0);
            while at <= to && !self.gains[at][axis].low.is_empty() {
                let low = &self.gains[at][axis].low;
                let levels = low.len().min(to + 1 - at);
                gain *= low[levels - 1];
                at += levels;
            }
            gain
        };
        (0..self.transform.axes.len()).map(along).product()
    }

    /// Whether samples of magnitude `most` are restored in a type of so many bits.
    fn fits(&self, width: u32, most: i64) -> bool {
        let shift = f64::from(1u32 << self.transform.wavelet.pre_shift());
        let shifted = 2f64.powi(width as i32 - 1);
        // What all approximations so far are made of: the samples, and the rounding of each level.
        let mut sources = vec![most as f64];
        let mut values = most as f64;
        for at in 0..self.levels.len() - 1 {
            sources.iter_mut().for_each(|source| *source *= shift);
            if let Some(rounding) = self.rounding(at, values * shift, shifted - 1.0) {
                // Each by its gain in all levels since: the product of the
                // levels' gains would be more.
                let grown = sources.iter().enumerate();
                let grown: f64 = grown
                    .map(|(from, source)| source * self.low(from, at))
                    .sum();
                // These sums are rounded, too.
                values = (grown + rounding) * (1.0 + 1e-9);
                sources.push(rounding);
            } else {
                values = self.whatever_wraps(at, values * shift, shifted);
                sources.fill(0.0);
                sources.push(values);
            }
            if values * shift > shifted - shift {
                return false;
            }
        }
        true
    }

    /// How far rounding in a level can move its approximations, if nothing wraps there: values, of
    /// magnitude `most` before it, stay below `limit`, and sums below 2^31.
    fn rounding(&self, level: usize, most: f64, limit: f64) -> Option<f64> {
        let sum_limit = f64::from(i32::MAX);
        let own = Rounding::of(self.steps);
        let (mut most, mut low) = (most, 0.0);
        for axis in &self.levels[level].axes {
            let place = self
                .transform
                .axes
                .iter()
                .position(|chosen| chosen == axis)?;
            let gains = &self.gains[level][place];
            let mut sums = gains.sums.iter().zip(&own.sums);
            let fits = most * gains.between + own.between <= limit
                && sums.all(|(gain, more)| most * gain + more <= sum_limit);
            if !fits {
                return None;
            }
            most = most * gains.results + own.results();
            low = low * gains.low[0] + own.low();
        }
        Some(low)
    }

    /// The approximations of a level of values up to `most`, whatever details and sums may
    /// do: a step adds to a sample what its shift leaves of a sum, of 32 bits or of
    /// neighbours below `limit`.
    fn whatever_wraps(&self, level: usize, most: f64, limit: f64) -> f64 {
        let added = |step: &IntegerStep| {
            let taps = step.taps().iter().map(|&tap| f64::from(tap).abs());
            let sum = taps.sum::<f64>() * limit + f64::from(step.bias()).abs();
            sum.min(2f64.powi(31)) * 0.5f64.powi(step.shift() as i32) + 1.0
        };
        let steps = self.steps.iter();
        let updates = steps.filter(|step| step.stencil().target == Channel::Approximation);
        most + updates.map(added).sum::<f64>() * self.levels[level].axes.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    fn headrooms(wavelet: Wavelet, shape: &[usize], sample: SampleType) -> [u32; 5] {
        let transform = |levels| Transform::new(wavelet.clone(), shape).levels(levels);
        [1, 2, 3, 4, 5].map(|levels| transform(levels).headroom(sample).unwrap())
    }

    #[test]
    fn pictures_in_16_bits_need_what_the_readme_says() {
        let of = |wavelet| headrooms(wavelet, &[1080, 1920], SampleType::I16);
        assert_eq!(of(Wavelet::VC2_DD_9_7), [1, 4, 6, 7, 8]);
        assert_eq!(of(Wavelet::VC2_LEGALL_5_3), [1, 4, 6, 7, 8]);
        assert_eq!(of(Wavelet::VC2_DD_13_7), [1, 4, 6, 7, 8]);
        assert_eq!(of(Wavelet::VC2_HAAR_1), [1, 4, 5, 6, 7]);
        assert_eq!(of(Wavelet::VC2_DAUB_9_7), [1, 5, 7, 9, 10]);
    }

    #[test]
    fn sums_that_may_wrap_move_approximations_little() {
        // Sums of vc2-daub97 can exceed 32 bits, but its steps shift them by 12.
        let of = |wavelet| headrooms(wavelet, &[1000], SampleType::I32);
        assert_eq!(of(Wavelet::VC2_DAUB_9_7), [1, 3, 4, 5, 6]);
        assert_eq!(of(Wavelet::VC2_LEGALL_5_3), [1, 4, 5, 6, 7]);
    }

    #[test]
    fn places_count_the_last_axis_fastest() {
        let transform = Transform::new(Wavelet::HAAR, [2, 3, 4]);
        assert_eq!(transform.place(0), [0, 0, 0]);
        assert_eq!(transform.place(18), [1, 1, 2]);
        assert_eq!(transform.place(23), [1, 2, 3]);
    }
}
