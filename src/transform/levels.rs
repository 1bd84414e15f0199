//! The levels of a transform, and what is left after them.

use super::Transform;
use crate::wavelet::AxisOrder;

/// A level that transforms at least one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The number of the level; 1 is the finest.
    pub number: u32,
    /// The shape that the level transforms: of the array, or of the LL band of the level before.
    pub shape: Vec<usize>,
    /// The transformed axes that are longer than one sample here, in the order
    /// of the forward transform.
    pub axes: Vec<usize>,
}

impl Transform {
    /// The shape that is left after `levels` levels: that of the LL band (Mallat) or of the lattice
    /// that the next level works on (interleaved).
    pub(crate) fn shape_after(&self, levels: u32) -> Vec<usize> {
        let mut shape = self.shape.clone();
        for &axis in &self.axes {
            for _ in 0..levels.min(usize::BITS) {
                shape[axis] = shape[axis].div_ceil(2);
            }
        }
        shape
    }

    /// The levels in which some axis is longer than one sample, finest first.
    pub(crate) fn active_levels(&self) -> Vec<Level> {
        let mut order = self.axes.clone();
        if self.wavelet.axis_order() == AxisOrder::InnermostFirst {
            order.reverse();
        }
        (1..=self.levels)
            .map(|number| {
                let shape = self.shape_after(number - 1);
                let axes = order.iter().copied().filter(|&a| shape[a] > 1).collect();
                Level {
                    number,
                    shape,
                    axes,
                }
            })
            .take_while(|level| !level.axes.is_empty())
            .collect()
    }

    /// The number of the coarsest level that transforms anything; 0 if none does.
    pub(crate) fn coarsest(&self) -> u32 {
        self.active_levels().len() as u32
    }
}
