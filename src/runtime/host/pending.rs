//! Submitted transforms, which own what they work between.

use super::array::PinnedArray;
use super::flight::{Flight, Flying};
use crate::error::{Error, Result};
use crate::runtime::plan::Plan;
use crate::wavelet::{Direction, Element, Sample};
use std::fmt;

/// A transform on its way, by [`Plan::submit`] and its like, which owns its input and its output.
///
/// Dropping it waits for its end; forgetting it leaks the two arrays, and its place among
/// those that are on their way.
#[must_use = "dropping this waits for the transform"]
pub struct Pending<I: Element, O: Element = I> {
    /// Both are there but at the end.
    arrays: Option<(PinnedArray<I>, PinnedArray<O>)>,
    flight: Option<Box<dyn Flying>>,
}

impl<I: Element, O: Element> Pending<I, O> {
    /// Whether the transform is done, or has failed, without waiting for it.
    pub fn is_done(&self) -> bool {
        self.flight.as_ref().is_none_or(|flight| flight.is_over())
    }

    /// Waits for the end of the transform and gives back the input, unchanged, and the output.
    ///
    /// # Errors
    /// [`Error::OpenCl`] where a copy or the transform failed, with both arrays; the
    /// output has any samples then. Where the device is lost and may still write the
    /// output, that has none any more.
    pub fn wait(mut self) -> Result<(PinnedArray<I>, PinnedArray<O>), SubmitError<I, O>> {
        let landed = self.land();
        let (input, output) = self.arrays.take().expect("this is the end");
        match landed {
            Ok(()) => Ok((input, output)),
            Err(error) => Err(SubmitError {
                error,
                input,
                output,
            }),
        }
    }

    fn land(&mut self) -> Result<()> {
        let landed = self.flight.take().map_or(Ok(()), |flight| flight.land());
        landed.map_err(|failure| match &mut self.arrays {
            Some((input, output)) => failure.settle(input, output),
            None => failure.error,
        })
    }
}

impl<I: Element, O: Element> Drop for Pending<I, O> {
    fn drop(&mut self) {
        if let Err(error) = self.land() {
            log::warn!("a transform that nobody waited for failed: {error}");
        }
    }
}

impl<I: Element, O: Element> fmt::Debug for Pending<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Pending<{}, {}>(done: {})",
            I::NAME,
            O::NAME,
            self.is_done()
        )
    }
}

/// An error of [`Plan::submit`] and its like, or of [`Pending::wait`], and the arrays that were
/// handed over. As an [`Error`] it is the error alone.
pub struct SubmitError<I: Element, O: Element = I> {
    /// What went wrong.
    pub error: Error,
    /// The input, unchanged.
    pub input: PinnedArray<I>,
    /// The output, with any samples, or with none where the device is lost and may still write it.
    pub output: PinnedArray<O>,
}

impl<I: Element, O: Element> From<SubmitError<I, O>> for Error {
    fn from(failed: SubmitError<I, O>) -> Error {
        failed.error
    }
}

impl<I: Element, O: Element> fmt::Display for SubmitError<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<I: Element, O: Element> fmt::Debug for SubmitError<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<I: Element, O: Element> std::error::Error for SubmitError<I, O> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<T: Sample> Plan<T> {
    /// Sends a transform on its way from one pinned array to another, and does not wait. Both
    /// have as many elements as the transform: the samples are row-major, of its shape, and the
    /// coefficients are in its layout. Upload, transform and download of several overlap. Three
    /// of a plan can be on their way; each has two arrays on the device, which the plan keeps for
    /// the next. Where pictures go in stripes, as by [`forward_pinned`](Self::forward_pinned),
    /// each takes as much as three pictures there, or four where rows are very long, and the
    /// first call builds plans.
    ///
    /// Plans of pixels, whose two arrays are of two types, have
    /// [`submit_forward`](Self::submit_forward) and
    /// [`submit_inverse`](Self::submit_inverse) for that.
    ///
    /// ```no_run
    /// use wavelift::{Direction, DeviceSelector, Engine, Transform, Wavelet};
    ///
    /// let engine = Engine::new(&DeviceSelector::from_env()?.pick()?)?;
    /// let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(5);
    /// let plan = engine.plan::<f32>(&transform)?;
    /// let array = || engine.pinned::<f32>(transform.len());
    /// let one = plan.submit(Direction::Forward, array()?, array()?)?;
    /// let other = plan.submit(Direction::Forward, array()?, array()?)?;
    /// let (samples, coefficients) = one.wait()?; // while the other one is on its way
    /// println!("{} {}", samples[0], coefficients[0]);
    /// drop(other); // waits
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// Each with the two arrays: [`Error::Busy`] if three are on their way; [`Error::Length`] for
    /// an array of another length than the transform; [`Error::Unsupported`] where this plan was
    /// made for regions; [`Error::Memory`] where the device cannot hold the arrays;
    /// [`Error::OpenCl`] where a call fails.
    pub fn submit(
        &self,
        direction: Direction,
        input: PinnedArray<T>,
        output: PinnedArray<T>,
    ) -> Result<Pending<T>, SubmitError<T>> {
        self.submit_of(direction, input, output)
    }
}

impl<T: Sample, P: Element> Plan<T, P> {
    /// Sends samples, or the pixels of a plan of these, on their way to coefficients, as
    /// [`submit`](Plan::submit) does: between arrays of the same lengths, in the same order.
    ///
    /// # Errors
    /// As [`submit`](Plan::submit).
    pub fn submit_forward(
        &self,
        samples: PinnedArray<P>,
        coefficients: PinnedArray<T>,
    ) -> Result<Pending<P, T>, SubmitError<P, T>> {
        self.submit_of(Direction::Forward, samples, coefficients)
    }

    /// Sends coefficients on their way back to samples, or to the pixels of a plan of these, as
    /// [`submit`](Plan::submit) does: between arrays of the same lengths, in the same order.
    ///
    /// # Errors
    /// As [`submit`](Plan::submit).
    pub fn submit_inverse(
        &self,
        coefficients: PinnedArray<T>,
        samples: PinnedArray<P>,
    ) -> Result<Pending<T, P>, SubmitError<T, P>> {
        self.submit_of(Direction::Inverse, coefficients, samples)
    }

    /// The same between arrays of the direction's elements.
    pub(super) fn submit_of<I: Element, O: Element>(
        &self,
        direction: Direction,
        input: PinnedArray<I>,
        output: PinnedArray<O>,
    ) -> Result<Pending<I, O>, SubmitError<I, O>> {
        match self.check_host(input.len(), output.len()) {
            Ok(()) => self.submit_first(direction, input, output),
            Err(error) => Err(SubmitError {
                error,
                input,
                output,
            }),
        }
    }

    /// The same between arrays of at least the transform's length, of which it
    /// takes the first elements.
    pub(super) fn submit_first<I: Element, O: Element>(
        &self,
        direction: Direction,
        input: PinnedArray<I>,
        mut output: PinnedArray<O>,
    ) -> Result<Pending<I, O>, SubmitError<I, O>> {
        let both = self.starts(direction, &input, &output);
        // SAFETY: `starts` checked the bytes and how they are aligned. The arrays go where the
        // flight goes, which lands before they are given back or dropped; where a panic drops them
        // first, it has landed here or ends the program.
        let departed = unsafe { Flight::depart(self, direction, both, true) }
            .map_err(|failure| failure.settle(&input, &mut output));
        match departed {
            Ok(flight) => Ok(Pending {
                arrays: Some((input, output)),
                flight: Some(Box::new(flight)),
            }),
            Err(error) => Err(SubmitError {
                error,
                input,
                output,
            }),
        }
    }
}
