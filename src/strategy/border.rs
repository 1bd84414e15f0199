//! How lines go on beyond their border, for kernels that lift it like the inside.

use super::lines::Lines;
use super::planner::Todo;
use crate::lifting::extension::Extension;
use crate::wavelet::Boundary;

/// How an axis goes on beyond its border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Border {
    /// The signal repeats after so many samples. Sample n is that at min(n, turn - n): mirrored, it runs backwards in the
    /// second half.
    pub period: i32,
    pub turn: i32,
    /// Whether samples beyond the border must be set anew before every step.
    pub restored: bool,
    /// Whether all this gives the inside of lines alone, so that their ends are lifted by themselves (line_ends.rs).
    pub apart: bool,
}

impl Border {
    pub fn new(todo: &Todo, samples: i32) -> Result<Self, String> {
        let transform = &todo.problem.transform;
        let (wavelet, boundary) = (transform.wavelet(), transform.boundary_rule());
        let extension = Extension::new(wavelet, todo.problem.sample, boundary, samples as usize);
        let mirrored = Border::mirrored(samples);
        match (extension, boundary) {
            (Some(Extension::Mirrored), _) => Ok(mirrored),
            (Some(Extension::Clamped), _) | (None, Boundary::Zero) => Ok(Border {
                restored: true,
                ..mirrored
            }),
            (Some(Extension::Periodic), _) => Ok(Border {
                period: samples,
                turn: i32::MAX,
                ..mirrored
            }),
            // Each step would have to read elsewhere in the block, or in another one.
            (None, _) => Err(format!(
                "{samples} samples and these steps do not go on beyond a {boundary} border"
            )),
        }
    }

    /// The same for lines whose ends are lifted by themselves where they do not go on.
    pub fn of_lines(todo: &Todo, lines: &Lines) -> Self {
        let samples = lines.geometry.samples;
        Self::new(todo, samples).unwrap_or(Border {
            apart: true,
            ..Border::mirrored(samples)
        })
    }

    fn mirrored(samples: i32) -> Self {
        // An axis has at most MAX_LENGTH samples, of which twice as many still fit.
        let period = 2 * (samples - 1);
        Border {
            period,
            turn: period,
            restored: false,
            apart: false,
        }
    }

    /// Whether the signal never runs backwards.
    pub fn is_periodic(self) -> bool {
        self.turn == i32::MAX
    }
}
