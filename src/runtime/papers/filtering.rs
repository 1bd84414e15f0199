//! One axis as Shahbahrami et al. filter it, with and without their remedies for
//! aliasing (cl/papers/filter.cl).

use super::PaperKernel;
use crate::error::{Error, Result, check_length};
use crate::lifting::prelude::prelude;
use crate::runtime::array::DeviceArray;
use crate::runtime::engine::Engine;
use crate::runtime::program::source;
use crate::runtime::run::Run;
use crate::strategy::Kernel;
use crate::wavelet::{Boundary, Direction, Sample, SampleType, Wavelet};

/// Which axis, and which remedies along columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Along rows.
    Rows,
    /// Along columns, the details half a picture below the approximations.
    Columns,
    /// The same a row further below.
    Offset,
    /// The same, and sums in parts, some cache lines ahead; for reals.
    Lookahead,
}

/// Floats in a cache line.
const CACHE_LINE: usize = 16;

/// Rows of a picture, at least: what is looked ahead to starts again at most once.
const LEAST: usize = 4 * CACHE_LINE;

/// One axis of a square picture, filtered by one thread, with arrays of its own.
pub struct Filtering<T: Sample> {
    engine: Engine,
    kernel: PaperKernel,
    values: [i32; 3],
    from: DeviceArray<T>,
    to: DeviceArray<T>,
}

impl<T: Sample> Filtering<T> {
    /// Builds it for a square picture of so many rows, under the wavelet's own boundary rule: by
    /// the taps of both filters for reals, by the two steps of CDF 5/3 for integers.
    ///
    /// # Errors
    /// [`Error::Shape`] for an odd number of rows and for less than 64; [`Error::Unsupported`] for
    /// what this has no code for; [`Error::Length`] for other samples; as `Engine::plan`.
    pub fn new(
        engine: &Engine,
        wavelet: &Wavelet,
        size: usize,
        filter: Filter,
        samples: &[T],
    ) -> Result<Self> {
        T::TYPE.check(wavelet)?;
        if !(LEAST..=1 << 14).contains(&size) || size % 2 == 1 {
            return Err(Error::Shape {
                what: "picture to filter",
                expected: format!("an even number of rows, {LEAST} to 16384"),
                got: size.to_string(),
            });
        }
        let integer = T::TYPE.is_integer();
        let ahead = filter == Filter::Lookahead;
        if (integer && *wavelet != Wavelet::CDF_5_3) || (ahead && *wavelet != Wavelet::CDF_9_7) {
            return Err(Error::Unsupported {
                what: format!("{wavelet} by {filter:?}"),
                why: "integers are lifted by CDF 5/3 alone, and only CDF 9/7 looks ahead"
                    .to_owned(),
            });
        }
        check_length("the samples", samples.len(), size * size)?;
        let between = usize::from(matches!(filter, Filter::Offset | Filter::Lookahead));
        let prelude = prelude(wavelet, T::TYPE, Direction::Forward);
        let kernel = PaperKernel::new(engine, &prelude, &kernel(wavelet, filter))?;
        let high = (size / 2 + between) * size;
        Ok(Filtering {
            kernel,
            values: [size, size, high].map(|n| n as i32),
            from: engine.upload(samples)?,
            to: engine.zeros((size + between) * size)?,
            engine: engine.clone(),
        })
    }

    /// Enqueues it.
    ///
    /// # Errors
    /// [`Error::OpenCl`].
    pub fn enqueue(&mut self) -> Result<Run> {
        let buffers = [&*self.from.buffer, &*self.to.buffer];
        // SAFETY: the kernels take two buffers and this struct; they read a square picture of so
        // many rows and write as much, the second half `high` samples on.
        unsafe { self.kernel.enqueue(&self.engine, buffers, &self.values, 1) }
    }

    /// The approximations, then the details, of the last run.
    ///
    /// # Errors
    /// [`Error::OpenCl`].
    pub fn result(&self) -> Result<Vec<T>> {
        let mut all = self.to.download()?;
        let [size, _, high] = self.values.map(|n| n as usize);
        all.drain(size * size / 2..high.max(size * size / 2));
        Ok(all)
    }
}

fn kernel(wavelet: &Wavelet, filter: Filter) -> Kernel {
    let periodic = wavelet.boundary() == Boundary::Periodic;
    let lookahead = match filter {
        Filter::Lookahead => CACHE_LINE,
        _ => 0,
    };
    let name = match filter {
        Filter::Rows => "filter_rows",
        _ => "filter_columns",
    };
    let defines = [
        ("REPEATS", u8::from(periodic).to_string()),
        ("LOOKAHEAD", lookahead.to_string()),
    ];
    super::kernel_of("papers/filter.cl", name, &defines, 1)
}

/// Every program: both kernels are in one.
pub(super) fn sources() -> Vec<(String, String)> {
    let cases = [
        (Wavelet::CDF_5_3, SampleType::I16, Filter::Columns),
        (Wavelet::DAUB_4, SampleType::F32, Filter::Columns),
        (Wavelet::CDF_9_7, SampleType::F32, Filter::Columns),
        (Wavelet::CDF_9_7, SampleType::F32, Filter::Lookahead),
    ];
    let source_of = |(wavelet, sample, filter): &(Wavelet, SampleType, Filter)| {
        let kernel = kernel(wavelet, *filter);
        let prelude = prelude(wavelet, *sample, Direction::Forward);
        (kernel.name.to_owned(), source(&prelude, &kernel, ""))
    };
    cases.iter().map(source_of).collect()
}
