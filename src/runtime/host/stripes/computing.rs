//! The kernels of a stripe, and of what is left of the picture.

use super::{Stripe, Stripes};
use crate::error::Result;
use crate::runtime::array::DeviceArray;
use crate::runtime::event::Event;
use crate::runtime::host::copies::copy_rows_on_device;
use crate::runtime::queue::Queue;
use crate::wavelet::{Direction, Sample};

impl<T: Sample> Stripes<T> {
    /// Enqueues the kernels of a stripe, or, behind the last of these, of the rest; returns the
    /// event of their end, which may come before that of all, which are appended.
    pub fn compute(
        &self,
        number: usize,
        direction: Direction,
        queue: &Queue,
        arrays: &mut [DeviceArray<T>],
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<Event> {
        let Some(stripe) = self.stripes.get(number) else {
            return self.compute_rest(direction, arrays, after, events);
        };
        let (len, start) = (stripe.plan.transform().len(), number * self.largest);
        let [from, to, gathered, low, _] = arrays else {
            unreachable!("as many as `arrays` says");
        };
        let run = match direction {
            Direction::Forward => {
                let from = from.slice(2 * stripe.all.start * self.width, len)?;
                stripe
                    .plan
                    .enqueue(from, to.slice_mut(start, len)?, direction, after)?
            }
            Direction::Inverse => {
                self.gather(stripe, queue, [&*from, &*low, &*gathered], after, events)?;
                let from = gathered.slice(0, len)?;
                stripe
                    .plan
                    .enqueue(from, to.slice_mut(start, len)?, direction, &[])?
            }
        };
        events.extend(run.events().cloned());
        if self.rest.is_some() && direction == Direction::Forward {
            let row = stripe.own.start - stripe.all.start;
            let place = (&*to.buffer, self.at(start, row, 0));
            let there = (&*low.buffer, self.low_at(stripe.own.start));
            let rows = self.low_rows(stripe.own.len());
            // SAFETY: both have these rows. The queue is in order, and nothing else writes
            // the one or uses the other.
            events.push(unsafe { copy_rows_on_device(queue, rows, place, there, &[])? });
        }
        Ok(run.event())
    }

    /// Enqueues what puts the coefficients of a stripe and its neighbours' rows together.
    fn gather(
        &self,
        stripe: &Stripe<T>,
        queue: &Queue,
        [from, low, to]: [&DeviceArray<T>; 3],
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<()> {
        let pairs = self.height.div_ceil(2);
        let starts = [(0, 0), (stripe.all.len(), pairs)];
        for ((half, column), (here, there)) in self.halves(&stripe.all).into_iter().zip(starts) {
            let place = (&*from.buffer, self.at(0, there + half.start, column));
            let (rows, to) = (
                self.rows(&half, column),
                (&*to.buffer, self.at(0, here, column)),
            );
            // SAFETY: both have these rows. The queue is in order, and nothing else uses the second
            // one; in the first one later stripes arrive meanwhile.
            events.push(unsafe { copy_rows_on_device(queue, rows, place, to, after)? });
        }
        if self.rest.is_some() {
            let place = (&*low.buffer, self.low_at(stripe.all.start));
            let rows = self.low_rows(stripe.all.len());
            let to = (&*to.buffer, self.at(0, 0, 0));
            // SAFETY: as above.
            events.push(unsafe { copy_rows_on_device(queue, rows, place, to, &[])? });
        }
        Ok(())
    }

    fn compute_rest(
        &self,
        direction: Direction,
        arrays: &mut [DeviceArray<T>],
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<Event> {
        let [.., low, low_bands] = arrays else {
            unreachable!("as many as `arrays` says");
        };
        let (input, output) = match direction {
            Direction::Forward => (&*low, low_bands),
            Direction::Inverse => (&*low_bands, low),
        };
        let rest = self.rest.as_ref().expect("it is a step where there is one");
        let run = rest.enqueue(input.into(), output.into(), direction, after)?;
        events.extend(run.events().cloned());
        Ok(run.event())
    }
}
