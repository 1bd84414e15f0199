//! Kernels of a way to exchange that never ran on the hardware it is for first transform a small
//! picture: what they make of it is compared with the reference.

use super::array::DeviceArray;
use super::context::Site;
use super::plan::Plan;
use super::queue::Queue;
use super::refused::Refused;
use crate::error::{Error, Result};
use crate::strategy::{Kernel, Problem, Regions, Strategy};
use crate::transform::{Transform, reference};
use crate::wavelet::{Direction, Element, Sample};

/// How far a real result may be from the reference, relative to the largest: a wrong neighbour is
/// much farther off, whatever the wavelet.
const BOUND: f64 = 1e-3;
/// The same of samples of 16 bits, which each launch rounds.
const ROUNDED_BOUND: f64 = 1e-2;

/// Lets a kernel of a problem's design transform a picture that is as small as can be.
/// `designs` says whether the design of a transform has the kernel; `refused` is what the
/// compiler did not allow for it.
///
/// # Errors
/// [`Error::Unsupported`] where the results are wrong, or no picture in one piece has the
/// kernel; what else goes wrong.
pub(super) fn try_kernel<T: Sample, P: Element>(
    site: &Site,
    problem: &Problem,
    wanted: Option<Strategy>,
    refused: &Refused,
    kernel: &Kernel,
    designs: impl Fn(&Transform) -> bool,
) -> Result<()> {
    let unsupported = |why: &str| Error::Unsupported {
        what: format!(
            "kernel `{}`, whose way to exchange is untried,",
            kernel.name
        ),
        why: why.to_owned(),
    };
    let small = smallest(&problem.transform, designs)
        .ok_or_else(|| unsupported("no small picture is computed by it"))?;
    // The queue may be the caller's, and stopped.
    let own = Site {
        queue: Queue::own(&site.shared.context, &site.shared.device, 0)?,
        ..site.clone()
    };
    let regions = Regions::dense(&small);
    let plan = Plan::<T, P>::built(
        &own,
        &small,
        &regions,
        problem.pixels,
        wanted,
        Some(refused),
    )?;
    let level_shift = problem.pixels.map_or(0, |pixels| pixels.level_shift);
    let samples: Vec<T> = (0..small.len() as u32).map(sample).collect();
    let taken = |pixel: &P| pixel.to_sample::<T>(level_shift);
    let given = |&sample: &T| P::from_sample(sample, level_shift);
    let (got, expected): (Vec<T>, Vec<T>) = match problem.direction {
        Direction::Forward => {
            let pixels: Vec<P> = samples.iter().map(given).collect();
            let samples: Vec<T> = pixels.iter().map(taken).collect();
            let expected = reference::forward(&small, &samples)?;
            (on_device(&plan, &pixels, Direction::Forward)?, expected)
        }
        Direction::Inverse => {
            let got: Vec<P> = on_device(&plan, &samples, Direction::Inverse)?;
            let expected = reference::inverse(&small, &samples)?;
            let expected = expected.iter().map(given);
            (
                got.iter().map(taken).collect(),
                expected.map(|pixel| taken(&pixel)).collect(),
            )
        }
    };
    let is_right = match T::TYPE.is_integer() {
        true => got == expected,
        // A pixel more or less is how it was rounded.
        false => are_near(
            &got,
            &expected,
            f64::from(u8::from(problem.pixels.is_some())),
        ),
    };
    if !is_right {
        return Err(unsupported(&format!(
            "it is wrong of {:?} samples",
            small.shape()
        )));
    }
    log::debug!("`{}` is right of {:?} samples", kernel.name, small.shape());
    Ok(())
}

/// Transforms a slice by way of arrays on the device, so that it is never done in
/// tiles, by other kernels.
fn on_device<T: Sample, P: Element, I: Element, O: Element>(
    plan: &Plan<T, P>,
    input: &[I],
    direction: Direction,
) -> Result<Vec<O>> {
    let Site { shared, queue, .. } = &plan.site;
    let mut from = DeviceArray::<I>::new(shared, queue, input.len())?;
    let mut to = DeviceArray::<O>::new(shared, queue, input.len())?;
    from.write(input)?;
    let _run = plan.enqueue((&from).into(), (&mut to).into(), direction, &[])?;
    to.download()
}

fn are_near<T: Sample>(got: &[T], expected: &[T], rounding: f64) -> bool {
    let largest = expected
        .iter()
        .map(|v| v.to_f64().abs())
        .fold(0.0, f64::max);
    let bound = match T::TYPE.size() {
        2 => ROUNDED_BOUND,
        _ => BOUND,
    };
    let mut pairs = got.iter().zip(expected);
    pairs.all(|(got, expected)| {
        (got.to_f64() - expected.to_f64()).abs() <= rounding.max(bound * largest)
    })
}

/// Any sample between -1000 and 1000.
fn sample<T: Sample>(place: u32) -> T {
    let bits = (place ^ 0x5EED).wrapping_mul(0x9E37_79B9).rotate_left(15);
    T::from_f64((bits.wrapping_mul(0x85EB_CA6B) >> 8) as f64 / (1 << 23) as f64 * 1000.0 - 1000.0)
}

/// The smallest picture like that of a transform that still `fits`: with shorter axes, and as many
/// samples beyond a multiple of 64 where that is possible.
fn smallest(transform: &Transform, fits: impl Fn(&Transform) -> bool) -> Option<Transform> {
    fits(transform).then_some(())?;
    let mut small = transform.clone();
    for axis in 0..transform.shape().len() {
        loop {
            let length = small.shape()[axis];
            let half = length / 2;
            let shorter = [half - half % 64 + length % 64, half];
            let shorter = shorter.into_iter().filter(|new| (1..length).contains(new));
            let next = shorter.map(|new| {
                let mut shape = small.shape().to_vec();
                shape[axis] = new;
                small.with_shape(shape)
            });
            match next.into_iter().find(|next| fits(next)) {
                Some(next) => small = next,
                None => break,
            }
        }
    }
    Some(small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    #[test]
    fn pictures_shrink_as_far_as_they_fit() {
        let transform = Transform::new(Wavelet::CDF_9_7, [1080, 1920]).levels(3);
        let small = |fits: fn(&[usize]) -> bool| {
            let small = smallest(&transform, |one| fits(one.shape()));
            small.map(|small| small.shape().to_vec())
        };
        assert_eq!(small(|_| true), Some(vec![1, 1]));
        assert_eq!(
            small(|shape| shape[0] > 29 && shape[1] >= 512),
            Some(vec![56, 960])
        );
        // Of odd lengths, 1080 % 64 = 56 samples beyond a multiple.
        assert_eq!(small(|shape| shape[0] % 64 == 56), Some(vec![56, 1]));
        assert_eq!(small(|_| false), None);
    }

    #[test]
    fn samples_are_of_all_sizes() {
        let samples: Vec<f64> = (0..1000).map(sample::<f64>).collect();
        let count = |low: f64| {
            samples
                .iter()
                .filter(|v| (low..low + 500.0).contains(*v))
                .count()
        };
        for low in [-1000.0, -500.0, 0.0, 500.0] {
            assert!(count(low) > 150, "{} from {low} on", count(low));
        }
    }
}
