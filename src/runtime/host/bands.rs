//! Pictures in bands of rows, so that one goes up while another one comes down.
//!
//! The finest level is done band by band, by plans for pictures of a few rows: each band with as many more rows above and below as
//! its results depend on, of whose results nothing is used. What such a plan takes for the border of a picture spoils no more.
//! The other levels have a quarter of the samples and are done as a whole, behind the bands, or for the inverse in front of them.

use super::copies::{At, Rows, Way, move_rows};
use super::route::{Job, Step};
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

/// Bytes of a band, and how many bands it takes to be faster than a whole picture. Pinned arrays of 8192 x 8192 in f32 take 6.2 to 6.3 ms
/// on the host of an NVIDIA H100 by bands of so many bytes and of twice as many, 6.3 to 6.6 by half as many.
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
    /// Samples of the largest band with its neighbours' rows, in whole rows, so that each slot starts at the first column.
    slot: usize,
}

/// Pairs of rows, with those of its neighbours that results depend on.
struct Band<T: Sample> {
    own: Range<usize>,
    all: Range<usize>,
    plan: Arc<Plan<T>>,
}

/// The arrays of a picture in bands: what comes up, what goes down, one band, and the low rows and columns with their transform.
const FROM: usize = 0;
const TO: usize = 1;
const LOW_BANDS: usize = 4;

/// How many pairs of rows a band has where a transform goes in bands.
pub fn pairs_of_bands<T: Sample>(site: &Site, transform: &Transform) -> Option<usize> {
    let &[height, width] = transform.shape() else {
        return None;
    };
    let pairs = BAND_BYTES / size_of::<T>() / 2 / width.max(1);
    let pairs = pairs.max(1).next_multiple_of(PAIRS);
    // Bands of few rows would be mostly their neighbours'.
    let is_short = halo::<T>(transform).is_some_and(|halo| halo * 4 <= pairs);
    let is_fit = is_short && height / 2 / pairs >= LEAST_BANDS && can_go::<T>(transform, pairs);
    (site.queue.takes_pieces() && is_fit).then_some(pairs)
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
    let stencils = T::TYPE.stencils(transform.wavelet())?;
    let [forward, inverse] =
        Reach::of_both_directions(&stencils).map(|reach| reach.halo_of_a_cut());
    Some(forward.max(inverse).next_multiple_of(PAIRS))
}

impl<T: Sample> Bands<T> {
    /// Builds the plans. The transform can go in bands of so many pairs or a few more, all of about as many.
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
            Plan::built(site, &part, &Regions::dense(&part), None, wanted, None)
        };
        let all = height.div_ceil(2);
        let count = all / pairs;
        let start = |number| match number == count {
            true => all,
            false => all * number / count / PAIRS * PAIRS,
        };
        let mut bands: Vec<Band<T>> = Vec::new();
        for number in 0..count {
            let own = start(number)..start(number + 1);
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
        let rows = bands.iter().map(|band| band.plan.transform().shape()[0]);
        let most = rows.max().unwrap_or(0).next_multiple_of(16);
        Ok(Bands {
            height,
            width,
            bands,
            rest: rest.transpose()?,
            slot: most * width,
        })
    }

    /// Samples of the arrays that a picture goes over.
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

    /// All steps: bands come down while later ones go up.
    pub fn steps(&self, direction: Direction) -> Vec<Step> {
        let [ups, downs] = [Way::ToDevice, Way::ToHost].map(|way| {
            let is_signal = (way == Way::ToDevice) == (direction == Direction::Forward);
            let jobs = self
                .bands
                .iter()
                .enumerate()
                .map(move |(number, band)| match is_signal {
                    true => vec![self.samples_of(band, number, way)],
                    false => self.coefficients_of(band, number, way),
                });
            let copies = |jobs: Vec<Job>| jobs.into_iter().map(Step::Copy).collect();
            jobs.map(copies).collect::<Vec<Vec<_>>>()
        });
        let count = self.bands.len();
        let rest = self.rest.as_ref().map(|_| Step::Compute(count));
        let mut steps = Vec::new();
        if let (Some(rest), Direction::Inverse) = (rest, direction) {
            steps.push(Step::Copy(self.rest_of(Way::ToDevice)));
            steps.push(rest);
        }
        // Each needs its neighbours' rows.
        steps.extend(ups.iter().take(2).flatten());
        for (number, down) in downs.iter().enumerate() {
            steps.push(Step::Compute(number));
            let later = ups.get(number + 2).into_iter().flatten();
            interleave(&mut steps, later, down.iter());
        }
        if let (Some(rest), Direction::Forward) = (rest, direction) {
            steps.push(rest);
            steps.push(Step::Copy(self.rest_of(Way::ToHost)));
        }
        steps
    }

    /// The copy of a band's samples. On their way back they stand in an output of the band's own, behind rows of its neighbour.
    fn samples_of(&self, band: &Band<T>, number: usize, way: Way) -> Job {
        let rows = rows_of(&band.own, self.height);
        let host = self.at(0, rows.start, 0);
        let (array, at) = match way {
            Way::ToDevice => (FROM, host),
            Way::ToHost => {
                let row = rows.start - 2 * band.all.start;
                (TO, self.at(number * self.slot, row, 0))
            }
        };
        Job {
            way,
            array,
            rows: self.rows(&rows, 0),
            at,
            host,
        }
    }

    /// The copies of a band's coefficients but for those that go with the rest.
    fn coefficients_of(&self, band: &Band<T>, number: usize, way: Way) -> Vec<Job> {
        let pairs = self.height.div_ceil(2);
        // In a band high rows come behind its low ones, in the picture behind all.
        let starts = [(0, 0), (band.all.len(), pairs)];
        let parts = self.parts(&band.own).into_iter().zip(starts);
        let job = |((part, column), (here, there)): ((Range<usize>, usize), _)| {
            let host = self.at(0, there + part.start, column);
            let (array, at) = match way {
                Way::ToDevice => (FROM, host),
                Way::ToHost => {
                    let row = here + part.start - band.all.start;
                    (TO, self.at(number * self.slot, row, column))
                }
            };
            Job {
                way,
                array,
                rows: self.rows(&part, column),
                at,
                host,
            }
        };
        let jobs = parts.map(job).filter(|job| job.rows.count > 0);
        jobs.collect()
    }

    /// The copy of the coefficients of all levels but the finest.
    fn rest_of(&self, way: Way) -> Job {
        Job {
            way,
            array: LOW_BANDS,
            rows: self.low_rows(self.height.div_ceil(2)),
            at: self.low_at(0),
            host: self.at(0, 0, 0),
        }
    }

    /// Enqueues the kernels of a band, or, behind the last of these, of the rest; returns the event of their end, which may come
    /// before that of all, which are appended.
    pub fn compute(
        &self,
        number: usize,
        direction: Direction,
        queue: &Queue,
        arrays: &mut [DeviceArray<T>],
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<Event> {
        let Some(band) = self.bands.get(number) else {
            return self.compute_rest(direction, arrays, after, events);
        };
        let (len, slot) = (band.plan.transform().len(), number * self.slot);
        let [from, to, gathered, low, _] = arrays else {
            unreachable!("as many as `arrays` says");
        };
        let run = match direction {
            Direction::Forward => {
                let from = from.slice(2 * band.all.start * self.width, len)?;
                band.plan
                    .enqueue(from, to.slice_mut(slot, len)?, direction, after)?
            }
            Direction::Inverse => {
                self.gather(band, queue, [&*from, &*low, &*gathered], after, events)?;
                let from = gathered.slice(0, len)?;
                band.plan
                    .enqueue(from, to.slice_mut(slot, len)?, direction, &[])?
            }
        };
        events.extend(run.events().cloned());
        if self.rest.is_some() && direction == Direction::Forward {
            let row = band.own.start - band.all.start;
            let place = (&*to.buffer, self.at(slot, row, 0));
            let there = (&*low.buffer, self.low_at(band.own.start));
            let rows = self.low_rows(band.own.len());
            // SAFETY: both have these rows. The queue is in order, and nothing else writes the one or uses the other.
            events.push(unsafe { move_rows(queue, rows, place, there, &[])? });
        }
        Ok(run.event())
    }

    /// Enqueues what puts the coefficients of a band and its neighbours' rows together.
    fn gather(
        &self,
        band: &Band<T>,
        queue: &Queue,
        [from, low, to]: [&DeviceArray<T>; 3],
        after: &[Event],
        events: &mut Vec<Event>,
    ) -> Result<()> {
        let pairs = self.height.div_ceil(2);
        let starts = [(0, 0), (band.all.len(), pairs)];
        for ((part, column), (here, there)) in self.parts(&band.all).into_iter().zip(starts) {
            let place = (&*from.buffer, self.at(0, there + part.start, column));
            let (rows, to) = (
                self.rows(&part, column),
                (&*to.buffer, self.at(0, here, column)),
            );
            // SAFETY: both have these rows. The queue is in order, and nothing else uses the second one; in the first one later
            // bands arrive meanwhile.
            events.push(unsafe { move_rows(queue, rows, place, to, after)? });
        }
        if self.rest.is_some() {
            let place = (&*low.buffer, self.low_at(band.all.start));
            let rows = self.low_rows(band.all.len());
            let to = (&*to.buffer, self.at(0, 0, 0));
            // SAFETY: as above.
            events.push(unsafe { move_rows(queue, rows, place, to, &[])? });
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

/// Appends one of these and one of those in turn.
fn interleave<'a>(
    steps: &mut Vec<Step>,
    mut these: impl Iterator<Item = &'a Step>,
    mut those: impl Iterator<Item = &'a Step>,
) {
    loop {
        let both = [these.next(), those.next()];
        if both == [None, None] {
            return;
        }
        steps.extend(both.into_iter().flatten());
    }
}

/// The rows of pairs, of which the last may have one.
fn rows_of(pairs: &Range<usize>, height: usize) -> Range<usize> {
    2 * pairs.start..(2 * pairs.end).min(height)
}

#[cfg(test)]
mod tests {
    use super::super::route::{Pieces, tests::largest_difference_by};
    use super::*;
    use crate::device::devices_if_any;
    use crate::runtime::Engine;
    use crate::wavelet::Wavelet;

    /// Both ways in bands of so many pairs, on a device: the largest difference from the reference.
    fn largest_difference<T: Sample>(engine: &Engine, transform: &Transform, pairs: usize) -> f64 {
        assert!(can_go::<T>(transform, pairs), "{transform:?}, {pairs}");
        let bands = Bands::<T>::new(&engine.site, transform, None, pairs).unwrap();
        assert!(bands.bands.len() > 1);
        largest_difference_by(engine, transform, &Pieces::Bands(Arc::new(bands)))
    }

    #[test]
    fn bands_give_what_the_whole_picture_does() {
        for device in devices_if_any() {
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
            // Rows whose samples are no multiple of 16.
            for width in [3501, 5000] {
                let transform = Transform::new(Wavelet::CDF_5_3, [51, width]).levels(2);
                assert_eq!(largest_difference::<i32>(&engine, &transform, 8), 0.0);
            }
            // Steps that reach far, and a pre-shift.
            let transform = Transform::new(Wavelet::VC2_FIDELITY, [75, 34]).levels(2);
            assert_eq!(largest_difference::<i32>(&engine, &transform, 8), 0.0);
            let transform = Transform::new(Wavelet::HAAR, [75, 34]).levels(2);
            assert!(largest_difference::<f32>(&engine, &transform, 8) < 0.01);
        }
    }
}
