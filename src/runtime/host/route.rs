//! The way of a transform from memory of the host to memory of the host: copies and kernels, one step after the other.

use super::bands::Bands;
use super::copies::{At, Rows, Way};
use crate::error::Result;
use crate::runtime::array::DeviceArray;
use crate::runtime::event::Event;
use crate::runtime::plan::Plan;
use crate::wavelet::{Direction, Element, Sample};
use opencl3::memory::ClMem;
use std::sync::Arc;

/// Rows that are copied between memory of the host and one of the arrays of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    pub way: Way,
    pub array: usize,
    pub rows: Rows,
    /// Where they stand in the array, and on the host.
    pub at: At,
    pub host: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Copy(Job),
    /// Kernels that need what was uploaded so far, and of which what is downloaded next is the result.
    Compute(usize),
}

/// The arrays on the device that a transform goes over.
pub struct RouteArrays<T: Sample, P: Element> {
    /// The signal side of a plan of pixels.
    pub pixels: Option<DeviceArray<P>>,
    /// An input and an output, and more where it goes in bands; of a plan of pixels the coefficients.
    pub samples: Vec<DeviceArray<T>>,
}

impl<T: Sample, P: Element> RouteArrays<T, P> {
    /// The memory of the input, of the output, and so on.
    fn memory(&self, number: usize, direction: Direction) -> &dyn ClMem {
        let is_signal = (number == 0) == (direction == Direction::Forward);
        match &self.pixels {
            Some(pixels) if is_signal => &*pixels.buffer,
            Some(_) => &*self.samples[0].buffer,
            None => &*self.samples[number].buffer,
        }
    }
}

/// A plan's way in one direction, in bands or as a whole.
pub struct Route<'a, T: Sample, P: Element = T> {
    pub plan: &'a Plan<T, P>,
    pub direction: Direction,
    pub bands: Option<Arc<Bands<T>>>,
}

impl<T: Sample, P: Element> Route<'_, T, P> {
    /// Elements of the arrays that it takes: of pixels, and of samples.
    pub fn arrays(&self) -> (Option<usize>, Vec<usize>) {
        let len = self.plan.transform().len();
        match &self.bands {
            _ if self.plan.is_of_pixels() => (Some(len), vec![len]),
            Some(bands) => (None, bands.arrays().into()),
            None => (None, vec![len; 2]),
        }
    }

    /// Its steps.
    pub fn steps(&self) -> Vec<Step> {
        if let Some(bands) = &self.bands {
            return bands.steps(self.direction);
        }
        let [input, output] = self.plan.host_bytes(self.direction);
        let whole = |way, array, bytes| {
            let all = At {
                first: 0,
                pitch: bytes,
            };
            Step::Copy(Job {
                way,
                array,
                rows: Rows { count: 1, bytes },
                at: all,
                host: all,
            })
        };
        vec![
            whole(Way::ToDevice, 0, input),
            Step::Compute(0),
            whole(Way::ToHost, 1, output),
        ]
    }

    /// Enqueues all steps between arrays, copies by `copy`, and appends their events.
    pub fn go(
        &self,
        steps: &[Step],
        arrays: &mut RouteArrays<T, P>,
        events: &mut Vec<Event>,
        mut copy: impl FnMut(&Job, &dyn ClMem, &[Event]) -> Result<Event>,
    ) -> Result<()> {
        let (mut uploaded, mut computed) = (None, None);
        for step in steps {
            match step {
                Step::Copy(job) => {
                    let (last, waits) = match job.way {
                        Way::ToDevice => (Some(&mut uploaded), &[][..]),
                        Way::ToHost => (None, Option::as_slice(&computed)),
                    };
                    let event = copy(job, arrays.memory(job.array, self.direction), waits)?;
                    if let Some(last) = last {
                        *last = Some(event.clone());
                    }
                    events.push(event);
                }
                Step::Compute(number) => {
                    let after = Option::as_slice(&uploaded);
                    computed = Some(self.compute(*number, arrays, after, events)?);
                }
            }
        }
        Ok(())
    }

    /// Enqueues the kernels of a step, and returns the event of their end.
    pub fn compute(
        &self,
        number: usize,
        RouteArrays { pixels, samples }: &mut RouteArrays<T, P>,
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<Event> {
        let (plan, direction) = (self.plan, self.direction);
        if let Some(bands) = &self.bands {
            let queue = &plan.site.queue;
            return bands.compute(number, direction, queue, samples, after, events);
        }
        let run = match (pixels, &mut samples[..], direction) {
            (Some(pixels), [bands], Direction::Forward) => {
                plan.enqueue((&*pixels).into(), bands.into(), direction, after)?
            }
            (Some(pixels), [bands], Direction::Inverse) => {
                plan.enqueue((&*bands).into(), pixels.into(), direction, after)?
            }
            (None, [from, to], _) => plan.enqueue((&*from).into(), to.into(), direction, after)?,
            _ => unreachable!("as many as `arrays` says"),
        };
        events.extend(run.events().cloned());
        Ok(run.event())
    }
}
