//! Batches in parts of some pictures, so that one goes up while another one comes down.
//!
//! A part stands where it does in the whole batch, in arrays of the whole batch on the device as on
//! the host. Parts of as many pictures have one plan.

use crate::error::Result;
use crate::runtime::context::Site;
use crate::runtime::plan::Plan;
use crate::strategy::{LARGEST_VECTOR, Regions, Strategy};
use crate::transform::Transform;
use crate::wavelet::{Element, Pixels, Sample};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a part, about.
const PART_BYTES: usize = 8 << 20;

/// A batch in parts.
pub struct Batch<T: Sample, P: Element = T> {
    parts: Vec<Part<T, P>>,
}

/// Neighbouring pictures of a batch, and a plan for as many.
struct Part<T: Sample, P: Element> {
    samples: Range<usize>,
    plan: Arc<Plan<T, P>>,
}

/// Into how many parts a batch goes, if it does.
pub fn count_of_parts<T: Sample, P: Element>(site: &Site, transform: &Transform) -> Option<usize> {
    let is_batch = !transform.chosen_axes().contains(&0);
    let bytes = transform.len() * size_of::<T>().max(size_of::<P>());
    let most = transform.shape()[0] / unit::<T, P>(transform);
    let count = (bytes / PART_BYTES).min(most);
    (site.queue.takes_parts() && is_batch && count > 1).then_some(count)
}

/// Parts start at multiples of so many pictures, where vectors may start too.
fn unit<T: Sample, P: Element>(transform: &Transform) -> usize {
    let picture = transform.len() / transform.shape()[0].max(1);
    let bytes = picture * size_of::<T>().min(size_of::<P>());
    LARGEST_VECTOR >> (bytes | LARGEST_VECTOR).trailing_zeros()
}

impl<T: Sample, P: Element> Batch<T, P> {
    /// Cuts a batch into `count` parts, and builds their plans.
    pub fn new(
        site: &Site,
        transform: &Transform,
        pixels: Option<Pixels>,
        wanted: Option<Strategy>,
        count: usize,
    ) -> Result<Self> {
        let all = transform.shape()[0];
        let (picture, unit) = (transform.len() / all, unit::<T, P>(transform));
        let start = |number| match number == count {
            true => all,
            false => all * number / count / unit * unit,
        };
        let mut parts: Vec<Part<T, P>> = Vec::new();
        for number in 0..count {
            let pictures = start(number)..start(number + 1);
            let mut shape = transform.shape().to_vec();
            shape[0] = pictures.len();
            let is_like = |part: &&Part<T, P>| part.plan.transform().shape() == shape;
            let plan = match parts.iter().find(is_like) {
                Some(part) => part.plan.clone(),
                None => {
                    let part = transform.with_shape(shape);
                    let regions = Regions::dense(&part);
                    Arc::new(Plan::built(site, &part, &regions, pixels, wanted, None)?)
                }
            };
            let samples = pictures.start * picture..pictures.end * picture;
            parts.push(Part { samples, plan });
        }
        Ok(Batch { parts })
    }

    /// The samples of all parts.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        self.parts.iter().map(|part| part.samples.clone())
    }

    /// A part's plan, and its samples.
    pub fn part(&self, number: usize) -> (&Plan<T, P>, Range<usize>) {
        let part = &self.parts[number];
        (&part.plan, part.samples.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::copies::Heading;
    use super::super::route::{Parts, Route, Step, tests::largest_difference_by};
    use super::*;
    use crate::device::devices_if_any;
    use crate::runtime::Engine;
    use crate::wavelet::{Direction, Wavelet};

    /// In both directions in so many parts, on a device: the largest difference from the reference.
    fn largest_difference<T: Sample>(engine: &Engine, transform: &Transform, count: usize) -> f64 {
        let batch = Batch::<T>::new(&engine.site, transform, None, None, count).unwrap();
        assert_eq!(batch.parts.len(), count);
        largest_difference_by(engine, transform, &Parts::Batch(Arc::new(batch)))
    }

    #[test]
    fn parts_give_what_the_whole_batch_does() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            let pictures = |wavelet| Transform::new(wavelet, [7, 20, 24]).axes([1, 2]).levels(2);
            for count in [2, 3, 7] {
                let transform = pictures(Wavelet::CDF_5_3);
                assert_eq!(largest_difference::<i16>(&engine, &transform, count), 0.0);
            }
            let difference = largest_difference::<f32>(&engine, &pictures(Wavelet::CDF_9_7), 3);
            assert!(difference < 0.01, "{difference}");
            // A picture of two axes, of which one is a batch; samples of which eight are a vector.
            let rows = Transform::new(Wavelet::CDF_5_3, [37, 15]).axes([1]);
            assert_eq!(largest_difference::<i16>(&engine, &rows, 4), 0.0);
        }
    }

    #[test]
    fn the_next_part_goes_up_before_one_comes_down() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            let transform = Transform::new(Wavelet::CDF_5_3, [7, 20, 24]).axes([1, 2]);
            let batch = Batch::<i16>::new(&engine.site, &transform, None, None, 3).unwrap();
            let route = Route {
                plan: &engine.plan::<i16>(&transform).unwrap(),
                direction: Direction::Forward,
                parts: Parts::Batch(Arc::new(batch)),
            };
            let steps = route.steps().into_iter().map(|step| match step {
                Step::Compute(_) => "lift",
                Step::Copy(copy) if copy.heading == Heading::ToDevice => "up",
                Step::Copy(_) => "down",
            });
            let first = ["up", "lift", "up", "down", "lift", "up", "down"];
            assert!(steps.eq(first.into_iter().chain(["lift", "down"])));
        }
    }

    #[test]
    fn parts_begin_where_vectors_may() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            // 20 MB in pictures of 2058 bytes, of which eight are a multiple of 16; 40
            // MB on the side of 32 bits.
            let odd = Transform::new(Wavelet::CDF_5_3, [9613, 21, 49]).axes([1, 2]);
            assert_eq!(count_of_parts::<i16, i16>(&engine.site, &odd), Some(2));
            assert_eq!(count_of_parts::<i32, i16>(&engine.site, &odd), Some(4));
            let batch = Batch::<i16>::new(&engine.site, &odd, None, None, 4).unwrap();
            let starts: Vec<_> = batch.parts().map(|part| part.start).collect();
            assert_eq!(
                starts,
                [0, 2400, 4800, 7208].map(|picture| picture * 21 * 49)
            );
            assert_eq!(batch.parts().last().unwrap().end, odd.len());
            // No parts: what is transformed along its first axis, and two pictures of which the
            // second begins within a vector.
            let whole = Transform::new(Wavelet::CDF_5_3, [4096, 4096]);
            assert_eq!(count_of_parts::<f32, f32>(&engine.site, &whole), None);
            let two = Transform::new(Wavelet::CDF_5_3, [2, 4001, 4001]).axes([1, 2]);
            assert_eq!(count_of_parts::<f32, f32>(&engine.site, &two), None);
        }
    }
}
