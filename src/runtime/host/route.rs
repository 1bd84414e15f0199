//! The way of a transform from memory of the host to memory of the host: copies and kernels, one step after the other.

use super::bands::Bands;
use super::copies::{At, Rows, Way};
use crate::error::Result;
use crate::runtime::array::DeviceArray;
use crate::runtime::event::Event;
use crate::runtime::plan::Plan;
use crate::wavelet::{Direction, Sample};
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

/// A plan's way in one direction, in bands or as a whole.
pub struct Route<'a, T: Sample> {
    pub plan: &'a Plan<T>,
    pub direction: Direction,
    pub bands: Option<Arc<Bands<T>>>,
}

impl<T: Sample> Route<'_, T> {
    /// Samples of the arrays that it takes.
    pub fn arrays(&self) -> Vec<usize> {
        match &self.bands {
            Some(bands) => bands.arrays().into(),
            None => vec![self.plan.transform().len(); 2],
        }
    }

    /// Its steps.
    pub fn steps(&self) -> Vec<Step> {
        if let Some(bands) = &self.bands {
            return bands.steps(self.direction);
        }
        let bytes = self.plan.transform().len() * size_of::<T>();
        let all = At {
            first: 0,
            pitch: bytes,
        };
        let whole = |way, array| {
            Step::Copy(Job {
                way,
                array,
                rows: Rows { count: 1, bytes },
                at: all,
                host: all,
            })
        };
        vec![
            whole(Way::ToDevice, 0),
            Step::Compute(0),
            whole(Way::ToHost, 1),
        ]
    }

    /// Enqueues all steps between arrays, copies by `copy`, and appends their events.
    pub fn go(
        &self,
        steps: &[Step],
        arrays: &mut [DeviceArray<T>],
        events: &mut Vec<Event>,
        mut copy: impl FnMut(&Job, &DeviceArray<T>, &[Event]) -> Result<Event>,
    ) -> Result<()> {
        let (mut uploaded, mut computed) = (None, None);
        for step in steps {
            match step {
                Step::Copy(job) => {
                    let (last, waits) = match job.way {
                        Way::ToDevice => (Some(&mut uploaded), &[][..]),
                        Way::ToHost => (None, Option::as_slice(&computed)),
                    };
                    let event = copy(job, &arrays[job.array], waits)?;
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

    fn compute(
        &self,
        number: usize,
        arrays: &mut [DeviceArray<T>],
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<Event> {
        let (plan, direction) = (self.plan, self.direction);
        if let Some(bands) = &self.bands {
            let queue = &plan.site.queue;
            return bands.compute(number, direction, queue, arrays, after, events);
        }
        let [from, to] = arrays else {
            unreachable!("as many as `arrays` says");
        };
        let run = plan.enqueue((&*from).into(), to.into(), direction, after)?;
        events.extend(run.events().cloned());
        Ok(run.event())
    }
}
