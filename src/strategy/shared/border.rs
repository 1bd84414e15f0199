//! How lines go on beyond their border, for kernels that lift it like the inside.

use super::super::planning::todo::Todo;
use super::lines::Lines;
use crate::lifting::extension::Extension;
use crate::wavelet::Boundary;

/// How an axis goes on beyond its border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::strategy) enum Border {
    /// Backwards, from its outermost sample on.
    Mirrored,
    /// From its other end on.
    Periodic,
    /// In some way: what is there must be set anew before every step.
    Restored,
    /// In no way that holds for all steps, and what a step reads may be at the other end:
    /// the ends of lines are lifted by themselves (line_ends.rs), or whole lines step by
    /// step (register_rows.rs).
    Apart,
}

impl Border {
    /// How an axis of so many samples goes on, or why it does not.
    pub fn new(todo: &Todo, samples: i32) -> Result<Self, String> {
        let transform = &todo.problem.transform;
        let (wavelet, boundary) = (transform.wavelet(), transform.boundary_rule());
        let extension = Extension::new(wavelet, todo.problem.sample, boundary, samples as usize);
        match (extension, boundary) {
            (Some(Extension::Mirrored), _) => Ok(Border::Mirrored),
            (Some(Extension::Clamped), _) | (None, Boundary::Zero) => Ok(Border::Restored),
            (Some(Extension::Periodic), _) => Ok(Border::Periodic),
            // Each step would have to read elsewhere in the block, or in another one.
            (None, _) => Err(format!(
                "{samples} samples and these steps do not go on beyond a {boundary} border"
            )),
        }
    }

    /// The same for lines, whose ends can be lifted apart or step by step.
    pub fn of_lines(todo: &Todo, lines: &Lines) -> Self {
        Self::new(todo, lines.geometry.samples).unwrap_or(Border::Apart)
    }

    pub fn is_periodic(self) -> bool {
        self == Border::Periodic
    }

    pub fn is_restored(self) -> bool {
        self == Border::Restored
    }

    pub fn is_apart(self) -> bool {
        self == Border::Apart
    }
}
