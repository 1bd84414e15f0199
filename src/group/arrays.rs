//! Batches whose shares stay on their devices.

use super::plan::GroupPlan;
use crate::error::{Error, Result, check_length};
use crate::runtime::{DeviceArray, Engine, Run};
use crate::transform::zeroed;
use crate::wavelet::{Direction, Sample};

/// A batch on the devices of a group: of each device, the pictures that are its share, made by
/// [`GroupPlan::upload`] and [`GroupPlan::zeros`].
pub struct GroupArray<T: Sample> {
    parts: Vec<DeviceArray<T>>,
}

impl<T: Sample> GroupArray<T> {
    /// The shares, in the order of the pictures, one for each device that has pictures.
    pub fn parts(&self) -> &[DeviceArray<T>] {
        &self.parts
    }

    /// The shares, to be written to by other work.
    pub fn parts_mut(&mut self) -> &mut [DeviceArray<T>] {
        &mut self.parts
    }

    /// The number of samples, of all shares together.
    pub fn len(&self) -> usize {
        self.parts.iter().map(DeviceArray::len).sum()
    }

    /// Whether there are no samples at all, which no plan's array is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies all samples to the host, when what was enqueued on the array is done.
    ///
    /// # Errors
    /// As [`DeviceArray::download`], of any share.
    pub fn download(&self) -> Result<Vec<T>> {
        let mut samples = zeroed("the samples", self.len())?;
        let mut rest = samples.as_mut_slice();
        for part in &self.parts {
            let (piece, behind) = rest.split_at_mut(part.len());
            part.download_into(piece)?;
            rest = behind;
        }
        Ok(samples)
    }
}

impl<T: Sample> std::fmt::Debug for GroupArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.parts).finish()
    }
}

/// Enqueued work on several devices, with which to wait for it. Dropping it does not stop the work.
#[derive(Debug)]
pub struct GroupRun {
    runs: Vec<Run>,
}

impl GroupRun {
    /// The work of each device that has pictures.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Waits until all of it is done.
    ///
    /// # Errors
    /// As [`Run::wait`]: the first of them, after all have ended.
    pub fn wait(&self) -> Result<()> {
        let results: Vec<Result<()>> = self.runs.iter().map(Run::wait).collect();
        results.into_iter().collect()
    }
}

impl<T: Sample> GroupPlan<T> {
    /// Copies samples (row-major, of the transform's shape) to the devices, to each its share.
    ///
    /// # Errors
    /// [`Error::Length`]; as [`Engine::upload`] on any device.
    pub fn upload(&self, samples: &[T]) -> Result<GroupArray<T>> {
        check_length("the input", samples.len(), self.transform().len())?;
        let mut rest = samples;
        self.arrays(|engine, len| {
            let (piece, behind) = rest.split_at(len);
            rest = behind;
            engine.upload(piece)
        })
    }

    /// Makes an array of zeros of the transform's shape, on each device its share.
    ///
    /// # Errors
    /// As [`Engine::zeros`] on any device.
    pub fn zeros(&self) -> Result<GroupArray<T>> {
        self.arrays(|engine, len| engine.zeros(len))
    }

    fn arrays(
        &self,
        mut array: impl FnMut(&Engine, usize) -> Result<DeviceArray<T>>,
    ) -> Result<GroupArray<T>> {
        let parts = self.parts.iter();
        let arrays = parts.map(|part| array(self.engine(part), part.len()));
        Ok(GroupArray {
            parts: arrays.collect::<Result<_>>()?,
        })
    }

    /// Enqueues the transform of `samples` into `coefficients`, of each device its share, and does
    /// not wait. Nobody stands in for a device that fails: its samples are on it.
    ///
    /// # Errors
    /// [`Error::Length`] for arrays of a plan with other shares, [`Error::Shape`] where
    /// another number of devices has one; as
    /// [`Plan::enqueue_forward`](crate::runtime::Plan::enqueue_forward) on any device.
    /// The others may have begun.
    pub fn enqueue_forward(
        &self,
        samples: &GroupArray<T>,
        coefficients: &mut GroupArray<T>,
    ) -> Result<GroupRun> {
        self.enqueue(samples, coefficients, Direction::Forward)
    }

    /// Enqueues the transform of `coefficients` back into `samples`, as
    /// [`enqueue_forward`](Self::enqueue_forward) does.
    ///
    /// # Errors
    /// As [`enqueue_forward`](Self::enqueue_forward).
    pub fn enqueue_inverse(
        &self,
        coefficients: &GroupArray<T>,
        samples: &mut GroupArray<T>,
    ) -> Result<GroupRun> {
        self.enqueue(coefficients, samples, Direction::Inverse)
    }

    fn enqueue(
        &self,
        input: &GroupArray<T>,
        output: &mut GroupArray<T>,
        direction: Direction,
    ) -> Result<GroupRun> {
        let lens = |array: &GroupArray<T>| array.parts.iter().map(DeviceArray::len).collect();
        self.check_parts("the parts of the input", lens(input))?;
        self.check_parts("the parts of the output", lens(output))?;
        let arrays = input.parts.iter().zip(&mut output.parts);
        let runs = self
            .parts
            .iter()
            .zip(arrays)
            .map(|(part, (from, to))| match direction {
                Direction::Forward => part.plan.enqueue_forward(from, to),
                Direction::Inverse => part.plan.enqueue_inverse(from, to),
            });
        Ok(GroupRun {
            runs: runs.collect::<Result<_>>()?,
        })
    }

    /// Checks before anything is enqueued that an array has a part for each of
    /// this plan, as long as it.
    pub(super) fn check_parts(&self, what: &'static str, parts: Vec<usize>) -> Result<()> {
        if parts.len() != self.parts.len() {
            return Err(Error::Shape {
                what,
                expected: format!("{}, one for each device that has a share", self.parts.len()),
                got: parts.len().to_string(),
            });
        }
        for (got, own) in parts.into_iter().zip(&self.parts) {
            check_length(what, got, own.len())?;
        }
        Ok(())
    }
}
