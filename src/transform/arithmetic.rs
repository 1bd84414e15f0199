//! The arithmetic of the reference: what one lifting step, the scaling and the
//! pre-shift do to a sample.

use crate::wavelet::{
    Channel, Direction, IntegerStep, RealStep, Rounded, Sample, SampleType, Stencil, Wavelet,
};
use half::f16;

/// A sample type in the reference. It is kept apart from the public trait
/// [`Sample`](crate::wavelet::Sample), so that users of that see nothing of it;
/// [`by_type`] gets here from there.
pub(super) trait Arithmetic: Copy {
    type Step: Copy;
    const ZERO: Self;

    fn steps(wavelet: &Wavelet) -> Option<&[Self::Step]>;
    fn stencil(step: &Self::Step) -> Stencil;
    /// The value that `step` adds to a sample whose neighbours are `at(0)`, `at(1)` ...,
    /// reduced to the sample's width.
    fn lifting(step: &Self::Step, at: impl Fn(usize) -> Self) -> Self;
    fn plus(self, value: Self) -> Self;
    fn minus(self, value: Self) -> Self;
    /// The sample after scaling, which follows the forward steps and is undone before the inverse
    /// steps. Integers are not scaled.
    fn scaled(self, wavelet: &Wavelet, channel: Channel, direction: Direction) -> Self;
    /// The sample after the pre-shift: to the left before a forward level, back with rounding after
    /// an inverse level. Reals are not shifted.
    fn shifted(self, bits: u32, direction: Direction) -> Self;
}

macro_rules! integer {
    ($T:ty) => {
        impl Arithmetic for $T {
            type Step = IntegerStep;
            const ZERO: Self = 0;

            fn steps(wavelet: &Wavelet) -> Option<&[IntegerStep]> {
                wavelet.integer_steps()
            }

            fn stencil(step: &IntegerStep) -> Stencil {
                step.stencil()
            }

            fn lifting(step: &IntegerStep, at: impl Fn(usize) -> Self) -> Self {
                let taps = step.taps().iter().enumerate();
                let sum = taps.fold(step.bias(), |sum, (i, tap)| {
                    sum.wrapping_add(tap.wrapping_mul(i32::from(at(i))))
                });
                (sum >> step.shift()) as $T
            }

            fn plus(self, value: Self) -> Self {
                self.wrapping_add(value)
            }

            fn minus(self, value: Self) -> Self {
                self.wrapping_sub(value)
            }

            fn scaled(self, _: &Wavelet, _: Channel, _: Direction) -> Self {
                self
            }

            fn shifted(self, bits: u32, direction: Direction) -> Self {
                let wide = i32::from(self);
                match direction {
                    Direction::Forward => (wide << bits) as $T,
                    Direction::Inverse => (wide.wrapping_add((1 << bits) >> 1) >> bits) as $T,
                }
            }
        }
    };
}

macro_rules! real {
    ($T:ty) => {
        impl Arithmetic for $T {
            type Step = RealStep;
            const ZERO: Self = 0.0;

            fn steps(wavelet: &Wavelet) -> Option<&[RealStep]> {
                wavelet.real_steps()
            }

            fn stencil(step: &RealStep) -> Stencil {
                step.stencil()
            }

            fn lifting(step: &RealStep, at: impl Fn(usize) -> Self) -> Self {
                let taps = step.taps().iter().enumerate();
                taps.map(|(i, &tap)| tap as $T * at(i)).sum()
            }

            fn plus(self, value: Self) -> Self {
                self + value
            }

            fn minus(self, value: Self) -> Self {
                self - value
            }

            fn scaled(self, wavelet: &Wavelet, channel: Channel, direction: Direction) -> Self {
                let factor = wavelet.scale().of(channel);
                match direction {
                    Direction::Forward => self * factor as $T,
                    Direction::Inverse => self * (1.0 / factor) as $T,
                }
            }

            fn shifted(self, _: u32, _: Direction) -> Self {
                self
            }
        }
    };
}

integer!(i16);
integer!(i32);
real!(f32);
real!(f64);

/// Evaluates an expression with a slice of some [`Sample`](crate::wavelet::Sample) as a slice of
/// the type that it is, which has an [`Arithmetic`].
macro_rules! by_type {
    ($T:ty, $slice:ident => $value:expr) => {
        match <$T as crate::wavelet::Sample>::TYPE {
            crate::wavelet::SampleType::I16 => {
                let $slice = bytemuck::cast_slice_mut::<$T, i16>($slice);
                $value
            }
            crate::wavelet::SampleType::I32 => {
                let $slice = bytemuck::cast_slice_mut::<$T, i32>($slice);
                $value
            }
            crate::wavelet::SampleType::F16 | crate::wavelet::SampleType::Rounded => {
                let mut numbers = crate::transform::arithmetic::numbers_of($slice);
                {
                    let $slice = numbers.as_mut_slice();
                    $value
                }
                $slice.copy_from_slice(&crate::transform::arithmetic::rounded(&numbers));
            }
            crate::wavelet::SampleType::F32 => {
                let $slice = bytemuck::cast_slice_mut::<$T, f32>($slice);
                $value
            }
            crate::wavelet::SampleType::F64 => {
                let $slice = bytemuck::cast_slice_mut::<$T, f64>($slice);
                $value
            }
        }
    };
}
pub(super) use by_type;

/// The numbers that types of 16 bits compute with.
pub(super) fn numbers_of<T: Sample>(samples: &[T]) -> Vec<f32> {
    samples
        .iter()
        .map(|sample| sample.to_f64() as f32)
        .collect()
}

/// Numbers as the samples that an array of `T` holds of them: as [`Sample::from_f64`] rounds, but
/// that halves overflow to infinity.
pub(super) fn rounded<T: Sample>(numbers: &[f32]) -> Vec<T> {
    let round = |&number: &f32| match T::TYPE {
        SampleType::F16 => bytemuck::cast::<f16, u16>(f16::from_f32(number)),
        _ => bytemuck::cast::<Rounded, u16>(Rounded::from_f64(number.into())),
    };
    let bits: Vec<u16> = numbers.iter().map(round).collect();
    bytemuck::cast_slice::<u16, T>(&bits).to_vec()
}

/// Whether samples of `T` are computed in `f32` and stored in fewer bits.
pub(super) fn is_rounded<T: Sample>() -> bool {
    matches!(T::TYPE, SampleType::F16 | SampleType::Rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_sums_wrap_at_32_bits_and_results_at_the_width() {
        let step = IntegerStep::add(Channel::Detail, 0, &[1 << 20, 1], 0, 0);
        assert_eq!(i16::lifting(&step, |i| [1 << 12, 5][i]), 5);
        let step = IntegerStep::add(Channel::Detail, 0, &[2], 1, 1);
        assert_eq!(i16::lifting(&step, |_| i16::MIN), i16::MIN);
        assert_eq!(i32::lifting(&step, |_| i32::MIN), 0);
    }

    #[test]
    fn shifting_back_rounds() {
        assert_eq!((-3i16).shifted(1, Direction::Inverse), -1);
        assert_eq!(3i16.shifted(1, Direction::Inverse), 2);
        assert_eq!(i16::MAX.shifted(1, Direction::Forward), -2);
        assert_eq!(i16::MAX.shifted(0, Direction::Inverse), i16::MAX);
    }
}
