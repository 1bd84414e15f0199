//! How kernels without a border of their own go on beside a signal.
//!
//! Where a boundary rule, applied at every step, says the same as lifting a signal that goes on, mirrored or
//! repeated, a kernel need only read samples from elsewhere. The outermost samples of both channels can be held as
//! well, but anew after each step.

use crate::wavelet::Boundary;
use crate::wavelet::SampleType;
use crate::wavelet::{Channel, Stencil, Wavelet};

/// How a signal goes on; its numbers are those in the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extension {
    /// Mirrored about the first and the last sample.
    Mirrored = 1,
    /// From the start again.
    Repeated = 2,
    /// Each channel with its first and its last sample, whatever they are after each step. Steps that look to one
    /// side only could read still further in: not these.
    Held = 3,
}

impl Extension {
    /// How a signal of `samples` samples has to go on, for `boundary` at every step to be the same; `None`
    /// where there is no such way.
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
            // No step reads beyond its pair.
            return Some(Extension::Repeated);
        }
        let symmetric = is_symmetric(wavelet, sample);
        // Steps that read one neighbour on each side find the same one mirrored or held.
        let near = are_near(&stencils);
        match boundary {
            Boundary::Symmetric if symmetric && samples > 1 => Some(Extension::Mirrored),
            Boundary::Clamp if symmetric && near && samples > 1 => Some(Extension::Mirrored),
            Boundary::Clamp if symmetric && samples > 1 => Some(Extension::Held),
            Boundary::Periodic if even => Some(Extension::Repeated),
            _ => None,
        }
    }
}

/// Whether each step reads two neighbours: of a symmetric wavelet, one on each side.
pub(crate) fn are_near(stencils: &[Stencil]) -> bool {
    stencils.iter().all(|step| step.count == 2)
}

/// Whether a step reads as far to the left of its target as to the right.
fn is_centred(step: &Stencil) -> bool {
    let centre = match step.target {
        Channel::Approximation => -1,
        Channel::Detail => 1,
    };
    step.first + step.last() == centre
}

/// Whether each step is the same backwards, so that a signal turned round has the coefficients turned round.
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

    /// A line, its length even or odd, and the same with `more` samples on each side.
    fn extended(extension: Extension, line: &[i32], more: i64) -> Vec<i32> {
        let last = line.len() as i64 - 1;
        let place = |at: i64| match extension {
            Extension::Mirrored => last - (last - at.abs()).abs(),
            Extension::Repeated => at.rem_euclid(last + 1),
            Extension::Held => panic!("more than reading from elsewhere"),
        };
        (-more..=last + more)
            .map(|at| line[place(at) as usize])
            .collect()
    }

    #[test]
    fn lifting_the_extended_line_is_lifting_by_the_rule() {
        let mut cases = 0;
        for wavelet in Wavelet::ALL {
            for boundary in Boundary::ALL {
                for samples in [30usize, 31, 64, 65] {
                    let Some(extension) =
                        Extension::new(&wavelet, SampleType::I32, boundary, samples)
                    else {
                        continue;
                    };
                    if extension == Extension::Held {
                        continue;
                    }
                    cases += 1;
                    let line: Vec<i32> = (0..samples as u32)
                        .map(|i| (i.wrapping_mul(2654435761) >> 12) as i32 - 500_000)
                        .collect();
                    for lift in [forward_line::<i32>, inverse_line::<i32>] {
                        let more = 28;
                        let mut long = extended(extension, &line, more);
                        // What the far ends spoil stays there.
                        lift(&wavelet, Boundary::Zero, &mut long);
                        let mut short = line.clone();
                        lift(&wavelet, boundary, &mut short);
                        let middle = more as usize..more as usize + samples;
                        assert_eq!(long[middle], short, "{wavelet} {boundary} {samples}");
                    }
                }
            }
        }
        assert!(cases > 50, "{cases}");
    }

    #[test]
    fn rules_that_do_more_than_reading_elsewhere_are_known() {
        let of = |wavelet, boundary, samples| {
            Extension::new(&wavelet, SampleType::I32, boundary, samples)
        };
        let mirrored = Some(Extension::Mirrored);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Symmetric, 9), mirrored);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Clamp, 9), mirrored);
        assert_eq!(of(Wavelet::VC2_DD_13_7, Boundary::Symmetric, 9), mirrored);
        let held = Some(Extension::Held);
        assert_eq!(of(Wavelet::VC2_DD_13_7, Boundary::Clamp, 9), held);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Zero, 9), None);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Periodic, 9), None);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Symmetric, 1), None);
        assert_eq!(of(Wavelet::VC2_HAAR_0, Boundary::Symmetric, 9), None);
        let repeated = Some(Extension::Repeated);
        assert_eq!(of(Wavelet::VC2_HAAR_0, Boundary::Symmetric, 8), repeated);
        assert_eq!(of(Wavelet::CDF_5_3, Boundary::Periodic, 8), repeated);
    }
}
