//! Transforms between random pixels and coefficients: programs ask for them,
//! plans are checked, then run.

use super::check::{Random, RandomSample, expected, refer, wrong};
use super::cli;
use wavelift::{
    DeviceArray, Direction, Engine, Pixel, PixelType, Plan, Result, Run, Sample, SampleType,
    Transform,
};

/// The arguments of programs that measure plans of pixels.
#[derive(clap::Args)]
pub struct PixelArguments {
    /// Measure plans that take pixels of this type, and give them back, instead of plans of samples
    #[arg(long, value_parser = cli::pixels())]
    pub pixels: Option<PixelType>,
    /// What is taken from each pixel, and given back by the inverse
    #[arg(
        long,
        default_value_t = 0,
        allow_hyphen_values = true,
        requires = "pixels"
    )]
    pub level_shift: i32,
}

/// Evaluates an expression with the type of pixels that a [`PixelType`] names, or another
/// one with why there is none.
#[allow(unused_macros)]
macro_rules! by_pixel {
    ($pixel:expr, $P:ident => $value:expr, $why:ident => $none:expr) => {
        match $pixel {
            wavelift::PixelType::U8 => {
                type $P = u8;
                $value
            }
            wavelift::PixelType::U16 => {
                type $P = u16;
                $value
            }
            other => {
                let $why = format!("cannot make pixels of type {other}");
                $none
            }
        }
    };
}
#[allow(unused_imports)]
pub(crate) use by_pixel;

pub fn random_pixels<P: Pixel>(len: usize) -> Vec<P> {
    let mut random = Random::new(1);
    let largest = (1 << (8 * size_of::<P>())) - 1;
    let mut pixel = || P::from_sample((random.bits() >> 40) as i32 & largest, 0);
    (0..len).map(|_| pixel()).collect()
}

pub struct PixelCase<T, P> {
    pub direction: Direction,
    pixels: Vec<P>,
    /// The pixels less the level shift.
    pub samples: Vec<T>,
    /// What the reference makes of them.
    pub coefficients: Vec<T>,
    expected: Vec<f64>,
}

/// What a plan reads and writes.
pub struct PixelArrays<T: Sample, P: Pixel> {
    pixels: DeviceArray<P>,
    coefficients: DeviceArray<T>,
}

impl<T: RandomSample, P: Pixel> PixelCase<T, P> {
    pub fn new(transform: &Transform, direction: Direction, level_shift: i32) -> Result<Self> {
        let pixels = random_pixels::<P>(transform.len());
        let samples: Vec<T> = pixels.iter().map(|v| v.to_sample(level_shift)).collect();
        Ok(PixelCase {
            direction,
            pixels,
            coefficients: refer(transform, Direction::Forward, &samples)?,
            expected: expected(transform, Direction::Forward, &samples)?,
            samples,
        })
    }

    /// Runs a plan of the same transform once: what is wrong with the result, if anything is, and
    /// the arrays for [`enqueue`](Self::enqueue).
    pub fn try_once(
        &self,
        engine: &Engine,
        plan: &Plan<T, P>,
    ) -> Result<(Option<String>, PixelArrays<T, P>)> {
        let mut arrays = match self.direction {
            Direction::Forward => PixelArrays {
                pixels: engine.upload(&self.pixels)?,
                coefficients: engine.upload(&vec![T::POISON; self.pixels.len()])?,
            },
            Direction::Inverse => PixelArrays {
                pixels: engine.upload(&vec![P::from_sample(0, 0); self.pixels.len()])?,
                coefficients: engine.upload(&self.coefficients)?,
            },
        };
        self.enqueue(plan, &mut arrays)?.wait()?;
        let wrong = match self.direction {
            Direction::Forward => {
                let got = arrays.coefficients.download()?;
                let cost = plan.cost(self.direction);
                let wrong = wrong(plan.transform(), self.direction, cost, &got, &self.expected);
                wrong.map(|why| format!("WRONG: {why}"))
            }
            Direction::Inverse => {
                // Of halves and rounded samples coefficients are off by more than results may be.
                let is_exact = !matches!(T::TYPE, SampleType::F16 | SampleType::Rounded);
                let differs = is_exact && arrays.pixels.download()? != self.pixels;
                differs.then(|| "WRONG: the pixels did not come back".to_owned())
            }
        };
        Ok((wrong, arrays))
    }

    /// Enqueues a plan. What it reads is the same in every run.
    pub fn enqueue(&self, plan: &Plan<T, P>, arrays: &mut PixelArrays<T, P>) -> Result<Run> {
        let PixelArrays {
            pixels,
            coefficients,
        } = arrays;
        match self.direction {
            Direction::Forward => plan.enqueue_forward(pixels, coefficients),
            Direction::Inverse => plan.enqueue_inverse(coefficients, pixels),
        }
    }
}
