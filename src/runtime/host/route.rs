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

impl Job {
    /// The same in pieces of at most so many bytes.
    pub fn cut(self, bytes: usize) -> Vec<Job> {
        let Job { rows, at, host, .. } = self;
        let of = |at: At, first| At { first, ..at };
        let is_one = at.is_dense(rows) && host.is_dense(rows);
        if is_one || rows.bytes > bytes {
            let [count, row] = match is_one {
                true => [1, rows.count * rows.bytes],
                false => [rows.count, rows.bytes],
            };
            let places = (0..count).flat_map(|y| (0..row).step_by(bytes).map(move |x| (y, x)));
            let piece = |(y, x)| Job {
                rows: Rows {
                    count: 1,
                    bytes: bytes.min(row - x),
                },
                at: of(at, at.first + y * at.pitch + x),
                host: of(host, host.first + y * host.pitch + x),
                ..self
            };
            return places.map(piece).collect();
        }
        let most = bytes / rows.bytes;
        let piece = |first: usize| Job {
            rows: Rows {
                count: most.min(rows.count - first),
                ..rows
            },
            at: of(at, at.first + first * at.pitch),
            host: of(host, host.first + first * host.pitch),
            ..self
        };
        (0..rows.count).step_by(most).map(piece).collect()
    }
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

    /// Its steps, with copies of at most so many bytes.
    pub fn steps(&self, most: usize) -> Vec<Step> {
        if let Some(bands) = &self.bands {
            return bands.steps(self.direction, most);
        }
        let bytes = self.plan.transform().len() * size_of::<T>();
        let all = At {
            first: 0,
            pitch: bytes.max(1),
        };
        let copies = |way, array| {
            let rows = Rows { count: 1, bytes };
            let whole = Job {
                way,
                array,
                rows,
                at: all,
                host: all,
            };
            whole.cut(most).into_iter().map(Step::Copy)
        };
        copies(Way::ToDevice, 0)
            .chain([Step::Compute(0)])
            .chain(copies(Way::ToHost, 1))
            .collect()
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
