//! How much a coefficient of each sub-band adds to the signal.

use super::band::Band;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::transform::Transform;
use crate::transform::reference::inverse_line;
use crate::wavelet::{Boundary, Channel, MAX_REACH, RealStep, SampleType, Scale, Wavelet};

impl Transform {
    /// Returns the L2 norm of the synthesis function of a band's coefficients, far from borders:
    /// the norm of what a coefficient of size 1 adds to the signal. A coefficient times the norm of
    /// its band is comparable between bands, so that one threshold means the same in all of them.
    /// The rounding of integer wavelets is ignored.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`check`](Self::check) refuses, or a band
    /// that its coefficients do not have; [`Error::Unsupported`] if the wavelet has no
    /// steps for the sample type.
    pub fn band_norm(&self, sample: SampleType, level: u32, band: Band) -> Result<f64> {
        sample.check(&self.wavelet)?;
        self.check_band(level, band)?;
        let linear = linear(&self.wavelet, sample);
        let [low, high] = [Channel::Approximation, Channel::Detail].map(|c| synthesis(&linear, c));
        let mut norm = 1.0;
        for (i, axis) in self.axes_innermost_first().into_iter().enumerate() {
            let active = |number: &u32| self.shape_after(number - 1)[axis] > 1;
            let levels = (1..=level).take_while(active).count();
            norm *= match band.is_high_along(i) {
                _ if levels == 0 => 1.0,
                true => cascade_norm(&low, &high, levels),
                false => cascade_norm(&low, &low, levels),
            };
        }
        if sample.is_integer() {
            let shifted = self.wavelet.pre_shift() * level.min(self.coarsest());
            norm *= 0.5f64.powi(shifted as i32);
        }
        Ok(norm)
    }
}

/// The wavelet's steps for `sample` as a wavelet for real samples: integer
/// steps without their rounding.
fn linear(wavelet: &Wavelet, sample: SampleType) -> Wavelet {
    if !sample.is_integer() {
        return wavelet.clone();
    }
    let steps: Vec<RealStep> = wavelet
        .integer_steps()
        .unwrap_or_default()
        .iter()
        .map(|step| {
            let unit = 1.0 / f64::from(1u32 << step.shift());
            let taps: Vec<f64> = step
                .taps()
                .iter()
                .map(|&tap| f64::from(tap) * unit)
                .collect();
            RealStep::new(step.stencil().target, step.stencil().first, &taps)
        })
        .collect();
    Wavelet::real(wavelet.name(), &steps, Scale::NONE).expect("integer steps are finite reals")
}

/// The signal that one inverse level makes of a single coefficient of a channel.
fn synthesis(wavelet: &Wavelet, channel: Channel) -> Vec<f64> {
    let centre = 2 * MAX_REACH;
    let mut line = vec![0.0; 4 * centre];
    line[2 * centre + channel as usize] = 1.0;
    inverse_line(wavelet, Boundary::Zero, &mut line);
    line
}

/// The L2 norm of `first` after it has been upsampled and filtered by `low` `levels - 1` times.
///
/// Its square is r(0) of the autocorrelation r of the whole cascade. Filtering by h after
/// upsampling takes r to r'(k) = sum over m of r(m) a(k - 2m), with a the autocorrelation of h, so
/// r'(0) is a weighted sum of r; the weights c start as c(0) = 1 and follow c'(m) = sum over k of
/// c(k) a(k - 2m), which never grows longer than a.
fn cascade_norm(low: &[f64], first: &[f64], levels: usize) -> f64 {
    let autocorrelation = |h: &[f64]| -> Vec<f64> {
        (0..h.len())
            .map(|lag| h[lag..].iter().zip(h).map(|(a, b)| a * b).sum())
            .collect()
    };
    let a = autocorrelation(low);
    let reach = a.len() as i64 - 1;
    let at = |values: &[f64], k: i64| {
        values
            .get(k.unsigned_abs() as usize)
            .copied()
            .unwrap_or(0.0)
    };
    // The functions c and a are even; c(m) is stored for m >= 0.
    let mut c = vec![0.0; a.len()];
    c[0] = 1.0;
    for _ in 1..levels {
        c = (0..=reach)
            .map(|m| {
                (-reach..=reach)
                    .map(|k| at(&c, k) * at(&a, k - 2 * m))
                    .sum()
            })
            .collect();
    }
    let r = autocorrelation(first);
    let square: f64 = (-reach..=reach).map(|k| at(&c, k) * at(&r, k)).sum();
    square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::reference;

    #[test]
    fn norms_are_those_of_synthesis_functions() {
        for wavelet in [
            Wavelet::CDF_9_7,
            Wavelet::CDF_5_3,
            Wavelet::DAUB_4,
            Wavelet::HAAR,
        ] {
            let transform = Transform::new(wavelet.clone(), [192, 256]).levels(3);
            for (level, band) in transform.bands() {
                let at = transform.band_box(level, band).unwrap();
                let mut coefficients = vec![0f64; transform.len()];
                let middle: usize = at
                    .shape
                    .iter()
                    .zip(&at.strides)
                    .map(|(n, s)| n / 2 * s)
                    .sum();
                coefficients[at.offset + middle] = 1.0;
                let function = reference::inverse(&transform, &coefficients).unwrap();
                let norm = function.iter().map(|v| v * v).sum::<f64>().sqrt();
                let given = transform.band_norm(SampleType::F64, level, band).unwrap();
                assert!(
                    (norm - given).abs() < 1e-9 * norm,
                    "{wavelet} {level} {band}: {norm} {given}"
                );
            }
        }
    }

    #[test]
    fn orthonormal_wavelets_have_norm_one_at_any_level() {
        let transform = Transform::new(Wavelet::HAAR, [1 << 30]).levels(30);
        for (level, band) in transform.bands() {
            let norm = transform.band_norm(SampleType::F32, level, band).unwrap();
            assert!((norm - 1.0).abs() < 1e-9, "{level} {band}: {norm}");
        }
    }

    #[test]
    fn a_pre_shift_halves_the_norm_of_every_level() {
        let norm = |wavelet, level| {
            let transform = Transform::new(wavelet, [64, 64]).levels(2);
            transform
                .band_norm(SampleType::I32, level, Band::HL)
                .unwrap()
        };
        for level in [1, 2] {
            let ratio = norm(Wavelet::VC2_HAAR_1, level) / norm(Wavelet::VC2_HAAR_0, level);
            assert!((ratio - 0.5f64.powi(level as i32)).abs() < 1e-12);
        }
    }
}
