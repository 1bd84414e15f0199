//! From file to file in tiles, so that arrays may be larger than the memory of this machine.

use crate::common::cli::{self, Result, about};
use crate::compute::report;
use crate::{Arguments, Format, StrategyChoice, npy};
use half::f16;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use wavelift::{Direction, Engine, Rounded, Sample, SampleType, SinkFile, SourceFile, Transform};

/// Arrays of so many bytes go in tiles without being asked to.
const LARGE: u64 = 1 << 30;

/// Where the samples of IN stand, if they can be transformed from file to file.
pub struct Stored {
    sample: SampleType,
    shape: Vec<usize>,
    first: u64,
}

impl Stored {
    /// Finds out whether the arguments ask for it, or the array is large and
    /// nothing stands against it.
    ///
    /// # Errors
    /// Where they ask for it and it cannot be.
    pub fn of(arguments: &Arguments, input: Format, output: Format) -> Result<Option<Self>> {
        let is_raw = [input, output].contains(&Format::Raw);
        let is_asked_for = arguments.memory.is_some() || is_raw;
        match Self::find(arguments, input, output) {
            Ok(stored) if is_asked_for || stored.bytes() >= LARGE => Ok(Some(stored)),
            Err(why) if is_asked_for => Err(why),
            _ => Ok(None),
        }
    }

    fn find(arguments: &Arguments, input: Format, output: Format) -> Result<Self> {
        if arguments.strategy != StrategyChoice::Auto {
            return Err("tiles go by the strategies that the planner composes".into());
        }
        for (format, path) in [(input, &arguments.input), (output, &arguments.output)] {
            if ![Format::Npy, Format::Raw].contains(&format) {
                return Err(about(path)("a picture does not go in tiles"));
            }
        }
        if arguments.pixels.is_some() {
            return Err("`--pixels` goes neither in tiles nor with .raw files".into());
        }
        if input == Format::Raw {
            let (Some(shape), Some(sample)) = (&arguments.shape, arguments.sample) else {
                return Err("samples without a header need `--shape` and `--sample`".into());
            };
            return Ok(Stored {
                sample,
                shape: shape.clone(),
                first: 0,
            });
        }
        let stored = npy::stored(&arguments.input, arguments.sample);
        let (sample, shape, first) = stored.map_err(about(&arguments.input))?;
        Ok(Stored {
            sample,
            shape,
            first,
        })
    }

    /// The bytes of the samples, which a header may exaggerate: their number is checked
    /// when the file is opened.
    fn bytes(&self) -> u64 {
        let product = |all: u64, n: &usize| all.saturating_mul(*n as u64);
        self.shape.iter().fold(self.sample.size() as u64, product)
    }

    pub fn transform(&self, arguments: &Arguments, output: Format) -> Result<()> {
        let transform = arguments.transform(&self.shape, false);
        transform.check()?;
        match self.sample {
            SampleType::I16 => self.compute::<i16>(arguments, &transform, output),
            SampleType::I32 => self.compute::<i32>(arguments, &transform, output),
            SampleType::F16 => self.compute::<f16>(arguments, &transform, output),
            SampleType::Rounded => self.compute::<Rounded>(arguments, &transform, output),
            SampleType::F32 => self.compute::<f32>(arguments, &transform, output),
            SampleType::F64 => self.compute::<f64>(arguments, &transform, output),
            other => Err(format!("cannot hold samples of type {other}").into()),
        }
    }

    fn compute<T: Sample>(
        &self,
        arguments: &Arguments,
        transform: &Transform,
        output: Format,
    ) -> Result<()> {
        let source = SourceFile::<T>::open(&arguments.input, self.first, transform.len())?;
        let device = cli::selector(arguments.device.clone())?.pick()?;
        let start = Instant::now();
        let mut engine = Engine::new(&device)?;
        if let Some(mebibytes) = arguments.memory {
            engine = engine.with_memory_limit(mebibytes.saturating_mul(1 << 20))?;
        }
        let plan = engine.plan_in_tiles::<T>(transform)?;
        let build = start.elapsed();
        let header = match output {
            Format::Raw => Vec::new(),
            _ => npy::header(T::TYPE, transform.shape())?,
        };
        // Before there is a file to be removed: to set its space aside may take long.
        let is_stopped = stop_on_interrupt()?;
        let mut sink = SinkFile::<T>::create(&arguments.output, &header, transform.len())?;
        let bar = ProgressBar::no_length();
        bar.set_style(ProgressStyle::with_template(
            "{bar:40} {percent} % {elapsed}, {eta} left",
        )?);
        let progress = |progress: wavelift::Progress| {
            bar.set_length(progress.total);
            bar.set_position(progress.done);
            match is_stopped.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let start = Instant::now();
        match arguments.direction.direction() {
            Direction::Forward => plan.forward(&source, &mut sink, progress)?,
            Direction::Inverse => plan.inverse(&source, &mut sink, progress)?,
        }
        let took = start.elapsed();
        bar.finish_and_clear();
        let mut report: Value = report(arguments, transform, Some(&device), T::TYPE, build);
        report["strategy"] = json!("tiles");
        // Nothing is converted.
        report["saturated"] = json!(0);
        report["transform_ns"] = json!(took.as_nanos() as u64);
        cli::print(report)?;
        Ok(sink.finish()?)
    }
}

/// What becomes true when somebody ends the program from the terminal, so that it
/// removes its files first.
fn stop_on_interrupt() -> Result<Arc<AtomicBool>> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let stopped = is_stopped.clone();
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))?;
    Ok(is_stopped)
}
