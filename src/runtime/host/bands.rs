//! Pictures in bands of rows, so that one goes up while another one comes down.
//!
//! The finest level is done band by band, by plans for pictures of a few rows: each band with as many more rows above and below as
//! its results depend on, of whose results nothing is used. What such a plan takes for the border of a picture spoils no more.
//! The other levels have a quarter of the samples and are done as a whole, behind the bands, or for the inverse in front of them.

use super::copies::{At, Rows, Way, copy_rows, move_rows};
use crate::error::Result;
use crate::lifting::reach::Reach;
use crate::runtime::array::DeviceArray;
use crate::runtime::context::Site;
use crate::runtime::event::Event;
use crate::runtime::plan::Plan;
use crate::runtime::queue::Queue;
use crate::strategy::{Regions, Strategy};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, Sample};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a band, and how many bands it takes to be faster than a whole picture.
const BAND_BYTES: usize = 8 << 20;
const LEAST_BANDS: usize = 4;

/// Pairs of rows come in so many, so that every band starts at a multiple of 16 bytes.
const PAIRS: usize = 4;

/// A picture's finest level in bands, and the rest as a whole.
pub struct Bands<T: Sample> {
    height: usize,
    width: usize,
    bands: Vec<Band<T>>,
    /// The levels but the finest.
    rest: Option<Plan<T>>,
    /// Samples of the largest band with its neighbours' rows.
    slot: usize,
}

/// Pairs of rows, with those of its neighbours that results depend on.
struct Band<T: Sample> {
    own: Range<usize>,
    all: Range<usize>,
    plan: Arc<Plan<T>>,
}

/// What a picture in bands goes over.
pub struct Lanes<'a> {
    pub compute: &'a Queue,
    pub up: &'a Queue,
    pub down: &'a Queue,
    /// Of all commands so far.
    pub events: &'a mut Vec<Event>,
}

/// How many pairs of rows a band has where a transform goes in bands.
pub fn pairs_of_bands<T: Sample>(site: &Site, transform: &Transform) -> Option<usize> {
    let &[height, width] = transform.shape() else {
        return None;
    };
    let pairs = (BAND_BYTES / size_of::<T>() / 2 / width.max(1)).next_multiple_of(PAIRS);
    let is_own = site.queue.in_order && !site.queue.foreign;
    let is_fit = height / 2 / pairs >= LEAST_BANDS && can_go::<T>(transform, pairs);
    (is_own && is_fit).then_some(pairs)
}

/// Whether a transform can go in bands of so many pairs of rows.
fn can_go<T: Sample>(transform: &Transform, pairs: usize) -> bool {
    let &[height, width] = transform.shape() else {
        return false;
    };
    // The first rows of periodic pictures depend on the last.
    transform.boundary_rule() != Boundary::Periodic
        && transform.coefficient_layout() == Layout::Mallat
        && transform.chosen_axes() == [0, 1]
        && transform.level_count() > 0
        && width > 1
        && height / 2 >= 2 * pairs
        && halo::<T>(transform).is_some_and(|halo| halo <= pairs)
}

/// How many pairs of its neighbours' rows a band needs on either side.
fn halo<T: Sample>(transform: &Transform) -> Option<usize> {
    let mut stencils = T::TYPE.stencils(transform.wavelet())?;
    let forward = Reach::new(&stencils);
    stencils.reverse();
    let inverse = Reach::new(&stencils);
    let of = |reach: Reach| reach.before.max(reach.after + 1);
    Some(of(forward).max(of(inverse)).next_multiple_of(PAIRS))
}

impl<T: Sample> Bands<T> {
    /// Builds the plans. The transform can go in bands of so many pairs.
    pub fn new(
        site: &Site,
        transform: &Transform,
        wanted: Option<Strategy>,
        pairs: usize,
    ) -> Result<Self> {
        let (height, width) = (transform.shape()[0], transform.shape()[1]);
        let halo = halo::<T>(transform).unwrap_or(pairs);
        let levels = |shape, count| {
            let part = Transform::new(transform.wavelet().clone(), shape)
                .boundary(transform.boundary_rule())
                .levels(count);
            Plan::new(site, &part, &Regions::dense(&part), wanted)
        };
        let all = height.div_ceil(2);
        let count = all / pairs;
        let mut bands: Vec<Band<T>> = Vec::new();
        for number in 0..count {
            let own = number * pairs..if number + 1 < count {
                (number + 1) * pairs
            } else {
                all
            };
            let with_halo = own.start.saturating_sub(halo)..(own.end + halo).min(all);
            let rows = rows_of(&with_halo, height).len();
            let is_like = |band: &&Band<T>| band.plan.transform().shape() == [rows, width];
            let plan = match bands.iter().find(is_like) {
                Some(band) => band.plan.clone(),
                None => Arc::new(levels([rows, width], 1)?),
            };
            bands.push(Band {
                own,
                all: with_halo,
                plan,
            });
        }
        let has_rest = transform.level_count() > 1;
        let low = [all, width.div_ceil(2)];
        let rest = has_rest.then(|| levels(low, transform.level_count() - 1));
        let largest = bands.iter().map(|band| band.plan.transform().len()).max();
        Ok(Bands {
            height,
            width,
            bands,
            rest: rest.transpose()?,
            slot: largest.unwrap_or(0).next_multiple_of(16),
        })
    }

    /// Samples of the arrays that a picture goes over: what comes up, what goes down, one band, and the low rows and columns with
    /// their transform.
    pub fn arrays(&self) -> [usize; 5] {
        let low = self.rest.as_ref().map_or(0, |rest| rest.transform().len());
        let outputs = self.bands.len() * self.slot;
        [self.height * self.width, outputs, self.slot, low, low]
    }

    /// Bytes of so many samples.
    fn bytes(samples: usize) -> usize {
        samples * size_of::<T>()
    }

    /// From this row and column on, in an array as wide as the picture.
    fn at(&self, first: usize, row: usize, column: usize) -> At {
        At {
            first: Self::bytes(first + row * self.width + column),
            pitch: Self::bytes(self.width),
        }
    }

    /// From this row on, in an array of low columns.
    fn low_at(&self, row: usize) -> At {
        let pitch = Self::bytes(self.width.div_ceil(2));
        At {
            first: row * pitch,
            pitch,
        }
    }

    /// The rows and columns of low and of high pairs of rows: those that are low both ways go with the rest, if there is one.
    fn parts(&self, pairs: &Range<usize>) -> [(Range<usize>, usize); 2] {
        let (low, high) = (pairs.clone(), pairs.start..pairs.end.min(self.height / 2));
        let column = match self.rest {
            Some(_) => self.width.div_ceil(2),
            None => 0,
        };
        [(low, column), (high, 0)]
    }

    fn rows(&self, pairs: &Range<usize>, column: usize) -> Rows {
        Rows {
            count: pairs.len(),
            bytes: Self::bytes(self.width - column),
        }
    }

    fn low_rows(&self, count: usize) -> Rows {
        Rows {
            count,
            bytes: Self::bytes(self.width.div_ceil(2)),
        }
    }

    /// Enqueues the transform from samples to coefficients.
    ///
    /// # Safety
    /// Input and output have the picture's samples. Until all events are done, or the queues, nothing else uses the output or the
    /// arrays, and nothing writes the input.
    pub unsafe fn forward(
        &self,
        lanes: Lanes,
        arrays: &mut [DeviceArray<T>],
        input: *mut u8,
        output: *mut u8,
    ) -> Result<()> {
        let Lanes {
            compute,
            up,
            down,
            events,
        } = lanes;
        let [from, to, _, low, low_bands] = arrays else {
            unreachable!("as many as `arrays` says");
        };
        let pairs = self.height.div_ceil(2);
        let mut uploaded = Vec::new();
        for band in &self.bands {
            let rows = rows_of(&band.own, self.height);
            let at = self.at(0, rows.start, 0);
            let (rows, place) = (self.rows(&rows, 0), (&*from.buffer, at));
            // SAFETY: both have these rows; the rest by the caller's promise.
            let event = unsafe { copy_rows(up, rows, place, (input, at), Way::ToDevice, &[])? };
            up.flush()?;
            uploaded.push(event);
        }
        events.extend_from_slice(&uploaded);
        for (number, band) in self.bands.iter().enumerate() {
            let len = band.plan.transform().len();
            let (first, slot) = (2 * band.all.start * self.width, number * self.slot);
            // Its neighbour's rows, too.
            let after = &uploaded[(number + 1).min(uploaded.len() - 1)];
            let run = band.plan.enqueue(
                from.slice(first, len)?,
                to.slice_mut(slot, len)?,
                Direction::Forward,
                std::slice::from_ref(after),
            )?;
            events.extend(run.events().cloned());
            // In a band high rows come behind its low ones, in the picture behind all.
            let starts = [(0, 0), (band.all.len(), pairs)];
            for ((part, column), (here, there)) in self.parts(&band.own).into_iter().zip(starts) {
                if part.is_empty() {
                    continue;
                }
                let row = here + part.start - band.all.start;
                let place = (&*to.buffer, self.at(slot, row, column));
                let host = (output, self.at(0, there + part.start, column));
                let rows = self.rows(&part, column);
                // SAFETY: as above.
                let event =
                    unsafe { copy_rows(down, rows, place, host, Way::ToHost, &[run.event()])? };
                events.push(event);
                down.flush()?;
            }
            if self.rest.is_some() {
                let row = band.own.start - band.all.start;
                let place = (&*to.buffer, self.at(slot, row, 0));
                let there = (&*low.buffer, self.low_at(band.own.start));
                let rows = self.low_rows(band.own.len());
                // SAFETY: as above; the queue is in order.
                events.push(unsafe { move_rows(compute, rows, place, there, &[])? });
            }
        }
        if let Some(rest) = &self.rest {
            let run = rest.enqueue(
                (&*low).into(),
                (&mut *low_bands).into(),
                Direction::Forward,
                &[],
            )?;
            events.extend(run.events().cloned());
            let place = (&*low_bands.buffer, self.low_at(0));
            let (rows, host) = (self.low_rows(pairs), (output, self.at(0, 0, 0)));
            // SAFETY: as above.
            let event = unsafe { copy_rows(down, rows, place, host, Way::ToHost, &[run.event()])? };
            events.push(event);
            down.flush()?;
        }
        Ok(())
    }

    /// Enqueues the transform from coefficients to samples.
    ///
    /// # Safety
    /// As for `forward`.
    pub unsafe fn inverse(
        &self,
        lanes: Lanes,
        arrays: &mut [DeviceArray<T>],
        input: *mut u8,
        output: *mut u8,
    ) -> Result<()> {
        let Lanes {
            compute,
            up,
            down,
            events,
        } = lanes;
        let [from, to, gathered, low, low_bands] = arrays else {
            unreachable!("as many as `arrays` says");
        };
        let pairs = self.height.div_ceil(2);
        if let Some(rest) = &self.rest {
            let place = (&*low_bands.buffer, self.low_at(0));
            let (rows, host) = (self.low_rows(pairs), (input, self.at(0, 0, 0)));
            // SAFETY: both have these rows; the rest by the caller's promise.
            let event = unsafe { copy_rows(up, rows, place, host, Way::ToDevice, &[])? };
            events.push(event.clone());
            up.flush()?;
            let (bands, low) = ((&*low_bands).into(), (&mut *low).into());
            let run = rest.enqueue(bands, low, Direction::Inverse, &[event])?;
            events.extend(run.events().cloned());
        }
        let mut uploaded = Vec::new();
        for band in &self.bands {
            for ((part, column), there) in self.parts(&band.own).into_iter().zip([0, pairs]) {
                if part.is_empty() {
                    continue;
                }
                let at = self.at(0, there + part.start, column);
                let (rows, place) = (self.rows(&part, column), (&*from.buffer, at));
                // SAFETY: as above.
                events
                    .push(unsafe { copy_rows(up, rows, place, (input, at), Way::ToDevice, &[])? });
            }
            up.flush()?;
            uploaded.extend(events.last().cloned());
        }
        for (number, band) in self.bands.iter().enumerate() {
            let after = &uploaded[(number + 1).min(uploaded.len() - 1)];
            let starts = [(0, 0), (band.all.len(), pairs)];
            for ((part, column), (here, there)) in self.parts(&band.all).into_iter().zip(starts) {
                let place = (&*from.buffer, self.at(0, there + part.start, column));
                let band = (&*gathered.buffer, self.at(0, here, column));
                let (rows, after) = (self.rows(&part, column), std::slice::from_ref(after));
                // SAFETY: as above; the queue is in order.
                events.push(unsafe { move_rows(compute, rows, place, band, after)? });
            }
            if self.rest.is_some() {
                let place = (&*low.buffer, self.low_at(band.all.start));
                let rows = self.low_rows(band.all.len());
                let band = (&*gathered.buffer, self.at(0, 0, 0));
                // SAFETY: as above.
                events.push(unsafe { move_rows(compute, rows, place, band, &[])? });
            }
            let (len, slot) = (band.plan.transform().len(), number * self.slot);
            let run = band.plan.enqueue(
                gathered.slice(0, len)?,
                to.slice_mut(slot, len)?,
                Direction::Inverse,
                &[],
            )?;
            events.extend(run.events().cloned());
            let rows = rows_of(&band.own, self.height);
            let place = self.at(slot, rows.start - 2 * band.all.start, 0);
            let (place, host) = ((&*to.buffer, place), (output, self.at(0, rows.start, 0)));
            let rows = self.rows(&rows, 0);
            // SAFETY: as above.
            let event = unsafe { copy_rows(down, rows, place, host, Way::ToHost, &[run.event()])? };
            events.push(event);
            down.flush()?;
        }
        Ok(())
    }
}

/// The rows of pairs, of which the last may have one.
fn rows_of(pairs: &Range<usize>, height: usize) -> Range<usize> {
    2 * pairs.start..(2 * pairs.end).min(height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Engine;
    use crate::transform::reference;
    use crate::wavelet::Wavelet;
    use crate::{Device, Error};

    /// Both ways in bands of so many pairs, on a device: the largest difference from the reference.
    fn largest_difference<T: Sample>(engine: &Engine, transform: &Transform, pairs: usize) -> f64 {
        assert!(can_go::<T>(transform, pairs), "{transform:?}, {pairs}");
        let bands = Bands::<T>::new(&engine.site, transform, None, pairs).unwrap();
        assert!(bands.bands.len() > 1);
        let own = || Queue::own(&engine.site.shared.context, engine.device(), 0).unwrap();
        let (up, down) = (own(), own());
        let compute = &*engine.site.queue;
        let samples: Vec<T> = (0..transform.len())
            .map(|i| T::from_f64((i * i % 1009) as f64 - 500.0))
            .collect();
        let go = |direction, input: &[T]| {
            let mut output = vec![T::from_f64(77.0); input.len()];
            let mut arrays: Vec<DeviceArray<T>> = bands
                .arrays()
                .map(|len| engine.upload(&vec![T::from_f64(99.0); len]).unwrap())
                .into();
            let mut events = Vec::new();
            let lanes = Lanes {
                compute,
                up: &up,
                down: &down,
                events: &mut events,
            };
            let from = input.as_ptr().cast_mut().cast();
            let to = output.as_mut_ptr().cast();
            // SAFETY: both are there until the queues are done, and nothing else uses them.
            let done = unsafe {
                match direction {
                    Direction::Forward => bands.forward(lanes, &mut arrays, from, to),
                    Direction::Inverse => bands.inverse(lanes, &mut arrays, from, to),
                }
            };
            for queue in [compute, &up, &down] {
                queue.handle.finish().unwrap();
            }
            done.unwrap();
            events.iter().try_for_each(Event::wait).unwrap();
            output
        };
        let forward = go(Direction::Forward, &samples);
        let expected = reference::forward(transform, &samples).unwrap();
        let inverse = go(Direction::Inverse, &expected);
        let back = reference::inverse(transform, &expected).unwrap();
        let pairs = forward
            .iter()
            .zip(&expected)
            .chain(inverse.iter().zip(&back));
        pairs.fold(0.0, |largest, (got, expected)| {
            largest.max((got.to_f64() - expected.to_f64()).abs())
        })
    }

    #[test]
    fn bands_give_what_the_whole_picture_does() {
        let devices = match Device::all() {
            // All other tests of the library's own need no device. Those in tests/ fail where there is none.
            Err(Error::NoRuntime { .. }) => return println!("not run: there is no OpenCL"),
            found => found.unwrap(),
        };
        for device in devices {
            let engine = Engine::new(&device).unwrap();
            for (shape, pairs, levels) in [([67, 40], 8, 1), ([100, 33], 12, 3), ([64, 35], 4, 2)] {
                for &boundary in Boundary::ALL {
                    let of = |wavelet| {
                        Transform::new(wavelet, shape)
                            .boundary(boundary)
                            .levels(levels)
                    };
                    if boundary == Boundary::Periodic {
                        assert!(!can_go::<i32>(&of(Wavelet::CDF_5_3), pairs));
                        continue;
                    }
                    let transform = of(Wavelet::CDF_5_3);
                    assert_eq!(largest_difference::<i32>(&engine, &transform, pairs), 0.0);
                    assert_eq!(largest_difference::<i16>(&engine, &transform, pairs), 0.0);
                    let difference =
                        largest_difference::<f32>(&engine, &of(Wavelet::CDF_9_7), pairs);
                    assert!(difference < 0.01, "{difference}");
                }
            }
            // Steps that reach far, and a pre-shift.
            let transform = Transform::new(Wavelet::VC2_FIDELITY, [75, 34]).levels(2);
            assert_eq!(largest_difference::<i32>(&engine, &transform, 8), 0.0);
            let transform = Transform::new(Wavelet::HAAR, [75, 34]).levels(2);
            assert!(largest_difference::<f32>(&engine, &transform, 8) < 0.01);
        }
    }
}
