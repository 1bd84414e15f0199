//! The route of a transform from memory of the host to memory of the host: copies and kernels,
//! one step after the other.

use super::batch::Batch;
use super::copies::{At, Heading, Rows};
use super::stripes::Stripes;
use crate::error::Result;
use crate::runtime::array::DeviceArray;
use crate::runtime::event::Event;
use crate::runtime::plan::Plan;
use crate::wavelet::{Direction, Element, Sample};
use opencl3::memory::ClMem;
use std::ops::Range;
use std::sync::Arc;

/// A copy of rows between memory of the host and one of the arrays of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCopy {
    pub heading: Heading,
    pub array: usize,
    pub rows: Rows,
    /// Where they stand in the array, and on the host.
    pub at: At,
    pub host: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Copy(RowCopy),
    /// Kernels that need what was uploaded so far, and of which what is
    /// downloaded next is the result.
    Compute(usize),
}

/// The arrays on the device that a transform goes over.
pub struct RouteArrays<T: Sample, P: Element> {
    /// The signal side of a plan of pixels.
    pub pixels: Option<DeviceArray<P>>,
    /// An input and an output, and more where it goes in stripes; of a plan of
    /// pixels the coefficients.
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

/// The parts of a transform: each goes up and comes down by itself.
pub enum Parts<T: Sample, P: Element = T> {
    Whole,
    Stripes(Arc<Stripes<T>>),
    Batch(Arc<Batch<T, P>>),
}

impl<T: Sample, P: Element> Clone for Parts<T, P> {
    fn clone(&self) -> Self {
        match self {
            Parts::Whole => Parts::Whole,
            Parts::Stripes(stripes) => Parts::Stripes(stripes.clone()),
            Parts::Batch(batch) => Parts::Batch(batch.clone()),
        }
    }
}

/// A plan's route in one direction, in parts or as a whole.
pub struct Route<'a, T: Sample, P: Element = T> {
    pub plan: &'a Plan<T, P>,
    pub direction: Direction,
    pub parts: Parts<T, P>,
}

impl<T: Sample, P: Element> Route<'_, T, P> {
    /// Elements of the arrays that it takes: of pixels, and of samples.
    pub fn arrays(&self) -> (Option<usize>, Vec<usize>) {
        let len = self.plan.transform().len();
        match &self.parts {
            Parts::Stripes(stripes) => (None, stripes.arrays().into()),
            _ if self.plan.is_of_pixels() => (Some(len), vec![len]),
            _ => (None, vec![len; 2]),
        }
    }

    /// Its steps.
    pub fn steps(&self) -> Vec<Step> {
        let len = self.plan.transform().len();
        let parts: Vec<Range<usize>> = match &self.parts {
            Parts::Stripes(stripes) => return stripes.steps(self.direction),
            Parts::Batch(batch) => batch.parts().collect(),
            Parts::Whole => std::iter::once(0..len).collect(),
        };
        let [input, output] = self
            .plan
            .host_bytes(self.direction)
            .map(|all| all / len.max(1));
        let up = |part| copy_of(part, input, Heading::ToDevice, 0);
        let down = |part| copy_of(part, output, Heading::ToHost, 1);
        // The next part goes up before this one comes down.
        let mut ups = parts.iter().map(up);
        let mut steps = Vec::from_iter(ups.next());
        for (number, part) in parts.iter().enumerate() {
            steps.push(Step::Compute(number));
            steps.extend(ups.next());
            steps.push(down(part));
        }
        steps
    }

    /// Enqueues all steps between arrays, copies by `enqueue`, and appends their events.
    pub fn go(
        &self,
        steps: &[Step],
        arrays: &mut RouteArrays<T, P>,
        events: &mut Vec<Event>,
        mut enqueue: impl FnMut(&RowCopy, &dyn ClMem, &[Event]) -> Result<Event>,
    ) -> Result<()> {
        let (mut uploaded, mut computed) = (None, None);
        for step in steps {
            match step {
                Step::Copy(copy) => {
                    let (last, waits) = match copy.heading {
                        Heading::ToDevice => (Some(&mut uploaded), &[][..]),
                        Heading::ToHost => (None, Option::as_slice(&computed)),
                    };
                    let event = enqueue(copy, arrays.memory(copy.array, self.direction), waits)?;
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
        arrays: &mut RouteArrays<T, P>,
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<Event> {
        let (plan, part) = match &self.parts {
            Parts::Stripes(stripes) => {
                let (queue, samples) = (&self.plan.site.queue, &mut arrays.samples);
                return stripes.compute(number, self.direction, queue, samples, after, events);
            }
            Parts::Batch(batch) => batch.part(number),
            Parts::Whole => (self.plan, 0..self.plan.transform().len()),
        };
        let (start, len) = (part.start, part.len());
        let (pixels, samples) = (&mut arrays.pixels, &mut arrays.samples[..]);
        let run = match (pixels, samples, self.direction) {
            (Some(pixels), [bands], Direction::Forward) => {
                let (from, to) = (pixels.slice(start, len)?, bands.slice_mut(start, len)?);
                plan.enqueue(from, to, Direction::Forward, after)?
            }
            (Some(pixels), [bands], Direction::Inverse) => {
                let (from, to) = (bands.slice(start, len)?, pixels.slice_mut(start, len)?);
                plan.enqueue(from, to, Direction::Inverse, after)?
            }
            (None, [from, to], direction) => {
                let (from, to) = (from.slice(start, len)?, to.slice_mut(start, len)?);
                plan.enqueue(from, to, direction, after)?
            }
            _ => unreachable!("as many as `arrays` says"),
        };
        events.extend(run.events().cloned());
        Ok(run.event())
    }
}

/// The copy of a part, which stands in the array where it stands on the host.
fn copy_of(part: &Range<usize>, of_sample: usize, heading: Heading, array: usize) -> Step {
    let bytes = part.len() * of_sample;
    let at = At {
        first: part.start * of_sample,
        pitch: bytes,
    };
    Step::Copy(RowCopy {
        heading,
        array,
        rows: Rows { count: 1, bytes },
        at,
        host: at,
    })
}

#[cfg(test)]
pub mod tests {
    use super::super::copies::copy_rows;
    use super::*;
    use crate::runtime::Engine;
    use crate::runtime::queue::Queue;
    use crate::transform::{Transform, reference};

    /// In both directions in these parts, on a device, between arrays that are poisoned: the
    /// largest difference from the reference.
    pub fn largest_difference_by<T: Sample>(
        engine: &Engine,
        transform: &Transform,
        parts: &Parts<T>,
    ) -> f64 {
        let plan = engine.plan::<T>(transform).unwrap();
        let samples: Vec<T> = (0..transform.len())
            .map(|i| T::from_f64((i * i % 1009) as f64 - 500.0))
            .collect();
        let by = |direction, input: &[T]| {
            let parts = parts.clone();
            let route = Route {
                plan: &plan,
                direction,
                parts,
            };
            go(engine, &route, input)
        };
        let forward = by(Direction::Forward, &samples);
        let expected = reference::forward(transform, &samples).unwrap();
        let inverse = by(Direction::Inverse, &expected);
        let back = reference::inverse(transform, &expected).unwrap();
        let pairs = forward
            .iter()
            .zip(&expected)
            .chain(inverse.iter().zip(&back));
        pairs.fold(0.0, |largest, (got, expected)| {
            largest.max((got.to_f64() - expected.to_f64()).abs())
        })
    }

    fn go<T: Sample>(engine: &Engine, route: &Route<T>, input: &[T]) -> Vec<T> {
        let own = || Queue::own(&engine.site.shared.context, engine.device(), 0).unwrap();
        let (up, down) = (own(), own());
        let mut output = vec![T::from_f64(77.0); input.len()];
        let poisoned = |len| engine.upload(&vec![T::from_f64(99.0); len]).unwrap();
        let mut arrays = RouteArrays {
            pixels: None,
            samples: route.arrays().1.into_iter().map(poisoned).collect(),
        };
        let from = input.as_ptr().cast_mut().cast();
        let to = output.as_mut_ptr().cast();
        let (mut events, steps) = (Vec::new(), route.steps());
        let done = route.go(&steps, &mut arrays, &mut events, |copy, memory, waits| {
            let (queue, host) = match copy.heading {
                Heading::ToDevice => (&up, from),
                Heading::ToHost => (&down, to),
            };
            let place = (memory, copy.at);
            // SAFETY: both are there until the queues are done, and nothing else uses them.
            let event = unsafe {
                copy_rows(
                    queue,
                    copy.rows,
                    place,
                    (host, copy.host),
                    copy.heading,
                    waits,
                )?
            };
            queue.flush()?;
            Ok(event)
        });
        for queue in [&engine.site.queue, &up, &down] {
            queue.handle.finish().unwrap();
        }
        done.unwrap();
        events.iter().try_for_each(Event::wait).unwrap();
        output
    }
}
