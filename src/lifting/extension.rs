//! How a signal is extended beyond its ends, for kernels that do not treat its border apart.
//!
//! For some wavelets and lengths, applying the boundary rule at every step gives the same result as
//! lifting a signal that was extended once, by mirroring or periodically. A kernel then only has to
//! read the samples beyond the ends from elsewhere. A signal can also be extended by clamping, but
//! then the outermost sample of each channel must be repeated anew after each step.

use crate::wavelet::Boundary;
use crate::wavelet::SampleType;
use crate::wavelet::{Channel, Stencil, Wavelet};

/// How a signal is extended. The kernels use the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extension {
    /// Mirrored about the first and the last sample.
    Mirrored = 1,
    /// Repeated from the start.
    Periodic = 2,
    /// Each channel is extended by its first and its last sample, with the values that they have
    /// after each step. Only for symmetric wavelets: a step that looks to one side only may have to
    /// read further inside the signal.
    Clamped = 3,
}

impl Extension {
    /// How to extend a signal of `samples` samples so that the result is the same as with
    /// `boundary` at every step, or `None` if no extension gives that.
    pub fn new(
        wavelet: &Wavelet,
        sample: SampleType,
        boundary: Boundary,
        samples: usize,
    ) -> Option<Self> {
        let stencils = sample.stencils(wavelet)?;
        let even = samples.is_multiple_of(2);
        if even
            && stencils
                .iter()
                .all(|step| step.first == 0 && step.count == 1)
        {
            // No step reads beyond its pair, so any extension would do.
            return Some(Extension::Periodic);
        }
        let symmetric = is_symmetric(wavelet, sample);
        // A step that reads one neighbour on each side finds the same sample mirrored or clamped.
        let reads_adjacent = are_near(&stencils);
        match boundary {
            Boundary::Symmetric if symmetric && samples > 1 => Some(Extension::Mirrored),
            Boundary::Clamp if symmetric && reads_adjacent && samples > 1 => {
                Some(Extension::Mirrored)
            }
            Boundary::Clamp if symmetric && samples > 1 => Some(Extension::Clamped),
            Boundary::Periodic if even => Some(Extension::Periodic),
            _ => None,
        }
    }
}

/// Whether each step reads two neighbours, which a symmetric wavelet has one on each side.
pub(crate) fn are_near(stencils: &[Stencil]) -> bool {
    stencils.iter().all(|step| step.count == 2)
}

/// Whether each step reads one neighbour on each side.
pub(crate) fn are_between(stencils: &[Stencil]) -> bool {
    are_near(stencils) && stencils.iter().all(is_centred)
}

/// Whether a step reads as far to the left of the changed sample as to the right.
fn is_centred(step: &Stencil) -> bool {
    let centre = match step.target {
        Channel::Approximation => -1,
        Channel::Detail => 1,
    };
    step.first + step.last() == centre
}

/// Whether each step is the same backwards, so that a reversed signal has
/// the reversed coefficients.
pub(crate) fn is_symmetric(wavelet: &Wavelet, sample: SampleType) -> bool {
    let stencils = sample.stencils(wavelet).unwrap_or_default();
    if !stencils.iter().all(is_centred) {
        return false;
    }
    fn palindrome<T: PartialEq>(taps: &[T]) -> bool {
        taps.iter().eq(taps.iter().rev())
    }
    if sample.is_integer() {
        let mut steps = wavelet.integer_steps().unwrap_or_default().iter();
        steps.all(|step| palindrome(step.taps()))
    } else {
        let mut steps = wavelet.real_steps().unwrap_or_default().iter();
        steps.all(|step| palindrome(step.taps()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::reference::{forward_line, inverse_line};

    /// A line extended by `more` samples on each side.
    fn extended(extension: Extension, line: &[i32], more: i64) -> Vec<i32> {
        let last = line.len() as i64 - 1;
        let place = |at: i64| match extension {
            Extension::Mirrored => last - (last - at.abs()).abs(),
            Extension::Periodic => at.rem_euclid(last + 1),
            Extension::Clamped => panic!("clamping is not done by reading from elsewhere"),
        };
        (-more..=last + more)
            .map(|at| line[place(at) as usize])
            .collect()
    }

    #[test]
    fn lifting_the_extended_line_is_lifting_by_the_rule() {
        let mut cases = 0;
        for wavelet in Wavelet::ALL {
            for &boundary in Boundary::ALL {
                for samples in [30usize, 31, 64, 65] {
                    let Some(extension) =
                        Extension::new(wavelet, SampleType::I32, boundary, samples)
                    else {
                        continue;
                    };
                    if extension == Extension::Clamped {
                        continue;
                    }
                    cases += 1;
                    let line: Vec<i32> = (0..samples as u32)
                        .map(|i| (i.wrapping_mul(2654435761) >> 12) as i32 - 500_000)
                        .collect();
                    for lift in [forward_line::<i32>, inverse_line::<i32>] {
                        let more = 28;
                        let mut long = extended(extension, &line, more);
                        // Errors from the outer ends do not reach the line itself.
                        lift(wavelet, Boundary::Zero, &mut long);
                        let mut short = line.clone();
                        lift(wavelet, boundary, &mut short);
                        let middle = more as usize..more as usize + samples;
                        assert_eq!(long[middle], short, "{wavelet} {boundary} {samples}");
                    }
                }
            }
        }
        assert!(cases > 50, "{cases}");
    }

    #[test]
    fn each_rule_has_its_extension_or_none() {
        let of = |wavelet, boundary, samples| {
            Extension::new(&wavelet, SampleType::I32, boundary, samples)
        };
        let mirrored = Some(Extension::Mirrored);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Symmetric, 9), mirrored);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Clamp, 9), mirrored);
        assert_eq!(of(Wavelet::VC2_DD_13_7, Boundary::Symmetric, 9), mirrored);
        let clamped = Some(Extension::Clamped);
        assert_eq!(of(Wavelet::VC2_DD_13_7, Boundary::Clamp, 9), clamped);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Zero, 9), None);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Periodic, 9), None);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Symmetric, 1), None);
        assert_eq!(of(Wavelet::VC2_HAAR_0, Boundary::Symmetric, 9), None);
        let periodic = Some(Extension::Periodic);
        assert_eq!(of(Wavelet::VC2_HAAR_0, Boundary::Symmetric, 8), periodic);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Periodic, 8), periodic);
    }
}
