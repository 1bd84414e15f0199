//! The reference: transforms on the CPU, one sample after the other. It is slow, obviously right,
//! and the oracle of every test. It needs no OpenCL. Samples of 16 bits that compute in `f32` are
//! rounded once, in the result.

#[cfg(doc)]
use crate::error::Error;
use crate::error::{Result, check_length};
use crate::transform::arithmetic::{Arithmetic, by_type, is_rounded, numbers_of, rounded};
use crate::transform::{Layout, Level, Transform};
use crate::wavelet::Boundary;
use crate::wavelet::Sample;
use crate::wavelet::{Channel, Direction, Wavelet};

/// Transforms `samples` (row-major, of the transform's shape) into as many coefficients, in the
/// transform's layout, on the CPU.
///
/// ```
/// use wavelift::{Transform, Wavelet, reference};
/// let transform = Transform::new(Wavelet::CDF_5_3, [5]);
/// assert_eq!(reference::forward(&transform, &[1i32, 2, 3, 4, 9])?, [1, 3, 8, 0, -2]);
/// # Ok::<(), wavelift::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for a transform that [`Transform::check`] refuses;
/// [`Error::Unsupported`] if the wavelet has no steps for `T`; [`Error::Length`] if the
/// number of samples is not that of the shape.
pub fn forward<T: Sample>(transform: &Transform, samples: &[T]) -> Result<Vec<T>> {
    check(transform, samples)?;
    if is_rounded::<T>() {
        return Ok(rounded(&forward(transform, &numbers_of(samples))?));
    }
    let mut array = samples.to_vec();
    for level in transform.active_levels() {
        let bits = transform.wavelet.pre_shift();
        for (i, &axis) in level.axes.iter().enumerate() {
            for_each_line(transform, &level, axis, |places| {
                let mut line: Vec<T> = places.clone().map(|at| array[at]).collect();
                if i == 0 {
                    shift_line(bits, Direction::Forward, &mut line);
                }
                forward_line(&transform.wavelet, transform.boundary, &mut line);
                put(
                    &mut array,
                    places,
                    in_layout(transform.layout, line.len()).map(|i| line[i]),
                );
            });
        }
    }
    Ok(array)
}

/// Transforms `coefficients` (of the transform's shape, in its layout) back into as
/// many samples, on the CPU.
///
/// # Errors
/// [`Error::Shape`] for a transform that [`Transform::check`] refuses;
/// [`Error::Unsupported`] if the wavelet has no steps for `T`; [`Error::Length`] if the
/// number of coefficients is not that of the shape.
pub fn inverse<T: Sample>(transform: &Transform, coefficients: &[T]) -> Result<Vec<T>> {
    check(transform, coefficients)?;
    if is_rounded::<T>() {
        return Ok(rounded(&inverse(transform, &numbers_of(coefficients))?));
    }
    let mut array = coefficients.to_vec();
    for level in transform.active_levels().into_iter().rev() {
        let bits = transform.wavelet.pre_shift();
        for (i, &axis) in level.axes.iter().enumerate().rev() {
            for_each_line(transform, &level, axis, |places| {
                let mut line = vec![T::zeroed(); places.len()];
                for (i, at) in in_layout(transform.layout, line.len()).zip(places.clone()) {
                    line[i] = array[at];
                }
                inverse_line(&transform.wavelet, transform.boundary, &mut line);
                if i == 0 {
                    shift_line(bits, Direction::Inverse, &mut line);
                }
                put(&mut array, places, line.into_iter());
            });
        }
    }
    Ok(array)
}

/// Transforms one line by one level, in place: even samples become approximations, odd samples
/// details. The line must have at least two samples.
pub(crate) fn forward_line<T: Sample>(wavelet: &Wavelet, boundary: Boundary, line: &mut [T]) {
    by_type!(T, line => {
        for_each_step(wavelet, boundary, Direction::Forward, line);
        scale(wavelet, Direction::Forward, line);
    });
}

/// Undoes [`forward_line`] in place.
pub(crate) fn inverse_line<T: Sample>(wavelet: &Wavelet, boundary: Boundary, line: &mut [T]) {
    by_type!(T, line => {
        scale(wavelet, Direction::Inverse, line);
        for_each_step(wavelet, boundary, Direction::Inverse, line);
    });
}

/// Shifts a line by the `bits` of the pre-shift, in place: left before a forward level, back with
/// rounding after an inverse one.
pub(crate) fn shift_line<T: Sample>(bits: u32, direction: Direction, line: &mut [T]) {
    by_type!(T, line => line.iter_mut().for_each(|v| *v = v.shifted(bits, direction)));
}

fn for_each_step<T: Arithmetic>(
    wavelet: &Wavelet,
    boundary: Boundary,
    direction: Direction,
    line: &mut [T],
) {
    let steps = T::steps(wavelet).expect("checked by the caller").iter();
    match direction {
        Direction::Forward => steps.for_each(|step| apply(step, boundary, line, T::plus)),
        Direction::Inverse => steps
            .rev()
            .for_each(|step| apply(step, boundary, line, T::minus)),
    }
}

fn apply<T: Arithmetic>(
    step: &T::Step,
    boundary: Boundary,
    line: &mut [T],
    combine: fn(T, T) -> T,
) {
    let stencil = T::stencil(step);
    let (target, source) = (stencil.target, stencil.target.other());
    for n in 0..target.count(line.len()) {
        let neighbour = |tap: usize| {
            let index = n as i64 + i64::from(stencil.first) + tap as i64;
            match boundary.map(source, index, line.len()) {
                Some(index) => line[2 * index + source as usize],
                None => T::ZERO,
            }
        };
        let value = T::lifting(step, neighbour);
        let at = 2 * n + target as usize;
        line[at] = combine(line[at], value);
    }
}

fn scale<T: Arithmetic>(wavelet: &Wavelet, direction: Direction, line: &mut [T]) {
    for (i, value) in line.iter_mut().enumerate() {
        let channel = [Channel::Approximation, Channel::Detail][i % 2];
        *value = value.scaled(wavelet, channel, direction);
    }
}

/// For each place of a line in the layout, the place in the signal of the sample that stands there.
fn in_layout(layout: Layout, samples: usize) -> impl Iterator<Item = usize> {
    let low = samples.div_ceil(2);
    (0..samples).map(move |place| match layout {
        Layout::Interleaved => place,
        Layout::Mallat if place < low => 2 * place,
        Layout::Mallat => 2 * (place - low) + 1,
    })
}

/// Calls `action` for each line along `axis` that `level` works on, with the places of
/// its samples in the array.
fn for_each_line(
    transform: &Transform,
    level: &Level,
    axis: usize,
    mut action: impl FnMut(std::iter::StepBy<std::ops::Range<usize>>),
) {
    let strides = strides(transform, level.number - 1);
    let others: Vec<usize> = (0..level.shape.len()).filter(|&a| a != axis).collect();
    let lines: usize = others.iter().map(|&a| level.shape[a]).product();
    for line in 0..lines {
        let mut rest = line;
        let mut start = 0;
        for &other in others.iter().rev() {
            start += rest % level.shape[other] * strides[other];
            rest /= level.shape[other];
        }
        let end = start + (level.shape[axis] - 1) * strides[axis] + 1;
        action((start..end).step_by(strides[axis]));
    }
}

/// The distance in the array between neighbours along each axis, for the level that
/// follows `levels` levels.
pub(crate) fn strides(transform: &Transform, levels: u32) -> Vec<usize> {
    let mut strides = vec![1; transform.shape.len()];
    for axis in (1..strides.len()).rev() {
        strides[axis - 1] = strides[axis] * transform.shape[axis];
    }
    if transform.layout == Layout::Interleaved {
        for &axis in &transform.axes {
            strides[axis] <<= levels;
        }
    }
    strides
}

fn put<T>(array: &mut [T], places: impl Iterator<Item = usize>, values: impl Iterator<Item = T>) {
    for (at, value) in places.zip(values) {
        array[at] = value;
    }
}

fn check<T: Sample>(transform: &Transform, data: &[T]) -> Result<()> {
    transform.check()?;
    T::TYPE.check(&transform.wavelet)?;
    check_length("the input", data.len(), transform.len())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn one_sample_passes_unscaled() {
        for wavelet in [Wavelet::CDF_9_7, Wavelet::HAAR, Wavelet::DAUB_4] {
            let transform = Transform::new(wavelet, [1, 1]).levels(3);
            assert_eq!(forward(&transform, &[0.7f64]).unwrap(), [0.7]);
        }
        let transform = Transform::new(Wavelet::VC2_DD_9_7, [1]).levels(3);
        assert_eq!(forward(&transform, &[7i16]).unwrap(), [7]);
    }

    #[test]
    fn layouts_hold_the_same_coefficients() {
        let samples: Vec<i32> = (0..35).map(|i| (i * i * 37) % 101 - 50).collect();
        let mallat = Transform::new(Wavelet::VC2_LEGALL_5_3, [5, 7]).levels(2);
        let interleaved = mallat.clone().layout(Layout::Interleaved);
        let mallat = forward(&mallat, &samples).unwrap();
        let interleaved = forward(&interleaved, &samples).unwrap();
        // LL, HL, LH of level 2, then HL of level 1.
        assert_eq!(
            [mallat[0], mallat[2], mallat[2 * 7]],
            [interleaved[0], interleaved[2], interleaved[2 * 7]]
        );
        assert_eq!(
            [mallat[4], mallat[5], mallat[6]],
            [interleaved[1], interleaved[3], interleaved[5]]
        );
    }

    #[test]
    fn the_inverse_restores_every_axis_subset() {
        let samples: Vec<i32> = (0..3 * 4 * 5 * 2).map(|i| (i * 7919) % 257 - 128).collect();
        for axes in [vec![0], vec![1, 3], vec![2, 0], vec![0, 1, 2, 3]] {
            for &layout in Layout::ALL {
                let transform = Transform::new(Wavelet::CDF_5_3, [3, 4, 5, 2])
                    .axes(axes.clone())
                    .levels(4)
                    .layout(layout);
                let coefficients = forward(&transform, &samples).unwrap();
                assert_ne!(coefficients, samples);
                assert_eq!(inverse(&transform, &coefficients).unwrap(), samples);
            }
        }
    }

    #[test]
    fn wrong_input_is_an_error() {
        let transform = Transform::new(Wavelet::CDF_9_7, [4]);
        assert!(matches!(
            forward(&transform, &[0i16; 4]),
            Err(Error::Unsupported { .. })
        ));
        assert!(matches!(
            forward(&transform, &[0f32; 3]),
            Err(Error::Length {
                expected: 4,
                got: 3,
                ..
            })
        ));
    }
}
