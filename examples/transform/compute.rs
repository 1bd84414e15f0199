//! Computing the transform of an array, from and to samples or pixels.

use crate::array::{Array, Samples};
use crate::common::cli::Result;
use crate::common::runner::{Runner, Times};
use crate::{Arguments, StrategyChoice};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use wavelift::{Device, Element, Pixel, PixelType, Sample, SampleType, Strategy, Transform};

/// What is to be computed, and on which device; without one by the reference.
pub struct Task<'a> {
    pub arguments: &'a Arguments,
    pub transform: &'a Transform,
    pub device: Option<Device>,
}

/// The result, and a report of how and how long it was computed.
type Computed = Result<(Samples, Value)>;

impl Task<'_> {
    pub fn compute(&self, array: Array) -> Computed {
        match (array.samples, self.arguments.pixels) {
            (Samples::U8(pixels), _) => self.forward_of_pixels(&pixels),
            (Samples::U16(pixels), _) => self.forward_of_pixels(&pixels),
            (samples, None) => self.of_samples(samples),
            (samples, Some(PixelType::U8)) => self.inverse_to_pixels(samples, Samples::U8),
            (samples, Some(PixelType::U16)) => self.inverse_to_pixels(samples, Samples::U16),
            (_, Some(other)) => Err(format!("cannot make pixels of type {other}").into()),
        }
    }

    fn of_samples(&self, samples: Samples) -> Computed {
        match samples {
            Samples::I16(v) => self.of(&v, Samples::I16),
            Samples::I32(v) => self.of(&v, Samples::I32),
            Samples::F16(v) => self.of(&v, Samples::F16),
            Samples::Rounded(v) => self.of(&v, Samples::Rounded),
            Samples::F32(v) => self.of(&v, Samples::F32),
            Samples::F64(v) => self.of(&v, Samples::F64),
            Samples::U8(_) | Samples::U16(_) => Err("pixels are no coefficients".into()),
        }
    }

    fn forward_of_pixels<P: Pixel>(&self, pixels: &[P]) -> Computed {
        match self.arguments.sample_of(P::TYPE) {
            SampleType::I16 => self.forward(pixels, Samples::I16),
            SampleType::I32 => self.forward(pixels, Samples::I32),
            SampleType::F16 => self.forward(pixels, Samples::F16),
            SampleType::Rounded => self.forward(pixels, Samples::Rounded),
            SampleType::F32 => self.forward(pixels, Samples::F32),
            SampleType::F64 => self.forward(pixels, Samples::F64),
            other => Err(format!("cannot make samples of type {other}").into()),
        }
    }

    fn inverse_to_pixels<P: Pixel>(
        &self,
        samples: Samples,
        wrap: fn(Vec<P>) -> Samples,
    ) -> Computed {
        match samples {
            Samples::I16(v) => self.inverse(&v, wrap),
            Samples::I32(v) => self.inverse(&v, wrap),
            Samples::F16(v) => self.inverse(&v, wrap),
            Samples::Rounded(v) => self.inverse(&v, wrap),
            Samples::F32(v) => self.inverse(&v, wrap),
            Samples::F64(v) => self.inverse(&v, wrap),
            Samples::U8(_) | Samples::U16(_) => Err("pixels are no coefficients".into()),
        }
    }

    fn of<T: Sample>(&self, samples: &[T], wrap: fn(Vec<T>) -> Samples) -> Computed {
        let direction = self.arguments.direction.direction();
        let build =
            |device: Option<&_>, strategy| Ok(Runner::new(self.transform, device, strategy)?);
        self.timed(build, |runner| runner.run(direction, samples), wrap)
    }

    fn forward<P: Pixel, T: Sample>(&self, pixels: &[P], wrap: fn(Vec<T>) -> Samples) -> Computed {
        self.timed(
            |device, strategy| self.runner::<T, P>(device, strategy),
            |runner| runner.forward(pixels),
            wrap,
        )
    }

    fn inverse<P: Pixel, T: Sample>(&self, samples: &[T], wrap: fn(Vec<P>) -> Samples) -> Computed {
        self.timed(
            |device, strategy| self.runner::<T, P>(device, strategy),
            |runner| runner.inverse(samples),
            wrap,
        )
    }

    fn runner<T: Sample, P: Pixel>(
        &self,
        device: Option<&Device>,
        strategy: Option<Strategy>,
    ) -> Result<Runner<T, P>> {
        let level_shift = self.arguments.level_shift;
        // Plans refuse them too; the reference knows of no pixels.
        P::TYPE.check(T::TYPE, level_shift)?;
        let runner = Runner::from_pixels(self.transform, device, strategy, level_shift);
        Ok(runner?)
    }

    /// Builds and runs, and reports how and how long that took.
    fn timed<T: Sample, P: Element, O>(
        &self,
        build: impl FnOnce(Option<&Device>, Option<Strategy>) -> Result<Runner<T, P>>,
        run: impl FnOnce(&Runner<T, P>) -> wavelift::Result<(Vec<O>, Times)>,
        wrap: fn(Vec<O>) -> Samples,
    ) -> Computed {
        let strategy = match self.arguments.strategy {
            StrategyChoice::Fixed(strategy) => Some(strategy),
            StrategyChoice::Auto | StrategyChoice::Reference => None,
        };
        let start = Instant::now();
        let runner = build(self.device.as_ref(), strategy)?;
        let built = start.elapsed();
        let (result, times) = run(&runner)?;

        let device = self.device.as_ref();
        let mut report = report(self.arguments, self.transform, device, T::TYPE, built);
        report["strategy"] = json!(runner.strategy());
        report["pixels"] = json!((P::NAME != T::NAME).then_some(P::NAME));
        // Some drivers compile at the first launch; that time is part of `transform_ns`.
        for (name, time) in [
            ("upload_ns", Some(times.upload)),
            ("transform_ns", Some(times.transform)),
            ("device_ns", times.device),
            ("download_ns", Some(times.download)),
        ] {
            report[name] = json!(time.map(nanoseconds));
        }
        Ok((wrap(result), report))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

/// What was asked for, on which device, and how long the plan took to build.
pub fn report(
    arguments: &Arguments,
    transform: &Transform,
    device: Option<&Device>,
    sample: SampleType,
    build: Duration,
) -> Value {
    let info = device.map(Device::info);
    json!({
        "platform": info.map(|info| &info.platform),
        "device": info.map(|info| &info.name),
        "wavelet": transform.wavelet().name(),
        "sample": sample.name(),
        "direction": arguments.direction.name(),
        "levels": transform.level_count(),
        "shape": transform.shape(),
        "axes": transform.chosen_axes(),
        "boundary": transform.boundary_rule().name(),
        "layout": transform.coefficient_layout().name(),
        "build_ns": nanoseconds(build),
    })
}
