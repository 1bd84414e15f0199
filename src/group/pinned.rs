//! Batches in pinned memory of the host, each share where its device's driver has pinned it.

use super::plan::{Ends, GroupPlan};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::runtime::PinnedArray;
use crate::wavelet::{Direction, Sample};

/// A batch in pinned memory of the host, in one array for each device that has pictures:
/// by [`GroupPlan::pinned`].
///
/// ```no_run
/// use wavelift::{Device, EngineGroup, Transform, Wavelet};
///
/// let group = EngineGroup::new(&Device::all()?)?;
/// let transform = Transform::new(Wavelet::CDF_9_7, [100, 2048, 2048]).axes([1, 2]).levels(5);
/// let plan = group.plan::<f32>(&transform)?;
/// let (mut samples, mut coefficients) = (plan.pinned()?, plan.pinned()?);
/// for share in samples.parts_mut() {
///     share.fill(0.5); // neighbouring pictures: the first device's come first
/// }
/// plan.forward_pinned(&samples, &mut coefficients)?;
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct GroupPinned<T: Sample> {
    parts: Vec<PinnedArray<T>>,
}

impl<T: Sample> GroupPinned<T> {
    /// The shares, in the order of the pictures, one for each device that has pictures.
    pub fn parts(&self) -> &[PinnedArray<T>] {
        &self.parts
    }

    /// The shares, to be written.
    pub fn parts_mut(&mut self) -> &mut [PinnedArray<T>] {
        &mut self.parts
    }

    /// The number of samples, of all shares together.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// Whether there are no samples at all, which no plan's array is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Sample> std::fmt::Debug for GroupPinned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.parts).finish()
    }
}

impl<T: Sample> GroupPlan<T> {
    /// Makes an array of zeros of the transform's shape in pinned memory of the host, each device's
    /// share by its engine. This is slow, so keep the array: see
    /// [`Engine::pinned`](crate::runtime::Engine::pinned).
    ///
    /// # Errors
    /// As [`Engine::pinned`](crate::runtime::Engine::pinned) on any device.
    pub fn pinned(&self) -> Result<GroupPinned<T>> {
        let parts = self.parts.iter();
        let arrays = parts.map(|part| self.engine(part).pinned(part.len()));
        Ok(GroupPinned {
            parts: arrays.collect::<Result<_>>()?,
        })
    }

    /// Transforms samples in pinned memory into coefficients in such memory, each
    /// device its share, and waits.
    ///
    /// # Errors
    /// [`Error::Length`] for arrays of a plan with other shares, [`Error::Shape`] where another
    /// number of devices has one; as
    /// [`Plan::forward_pinned`](crate::runtime::Plan::forward_pinned), where every device fails.
    /// A lost device that may still write its share of `coefficients` keeps that memory for
    /// ever, and who stands in gives the share memory of its own; where nobody does, the share
    /// has no samples any more.
    pub fn forward_pinned(
        &self,
        samples: &GroupPinned<T>,
        coefficients: &mut GroupPinned<T>,
    ) -> Result<()> {
        self.between_pinned(samples, coefficients, Direction::Forward)
    }

    /// Transforms coefficients in pinned memory back into samples in such memory, each
    /// device its share, and waits.
    ///
    /// # Errors
    /// As [`forward_pinned`](Self::forward_pinned).
    pub fn inverse_pinned(
        &self,
        coefficients: &GroupPinned<T>,
        samples: &mut GroupPinned<T>,
    ) -> Result<()> {
        self.between_pinned(coefficients, samples, Direction::Inverse)
    }

    fn between_pinned(
        &self,
        input: &GroupPinned<T>,
        output: &mut GroupPinned<T>,
        direction: Direction,
    ) -> Result<()> {
        let lens = |array: &GroupPinned<T>| array.parts.iter().map(|part| part.len()).collect();
        self.check_parts("the parts of the input", lens(input))?;
        self.check_parts("the parts of the output", lens(output))?;
        let ends = input.parts.iter().zip(&mut output.parts);
        let pieces = self.parts.iter().zip(ends);
        let pieces = pieces.map(|(part, (from, to))| (part, Ends::Pinned(from, to)));
        self.go(pieces.collect(), direction)
    }
}
