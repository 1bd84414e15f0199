//! The single loop of Barina and Zemcik in its variants, and what they compare it with
//! (cl/papers/core.cl, naive.cl).

use super::PaperKernel;
use crate::error::{Error, Result, check_length};
use crate::runtime::array::DeviceArray;
use crate::runtime::engine::Engine;
use crate::runtime::run::Run;
use crate::strategy::Kernel;
use crate::wavelet::Wavelet;

/// A way to compute one level of CDF 9/7, interleaved, in `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Whether all steps of a line are computed at once (diagonal vectorisation), or lines
    /// side by side (vertical).
    pub diagonal: bool,
    /// Columns and rows of a core, or none for rows and columns each by itself.
    pub core: Option<[usize; 2]>,
    /// Whether cores go down columns first, and not along rows.
    pub by_columns: bool,
    /// Whether borders are mirrored, and not zeros.
    pub symmetric: bool,
}

impl Variant {
    /// In raster order, with zeros beyond the border.
    pub const fn core(diagonal: bool, core: [usize; 2]) -> Self {
        Variant {
            diagonal,
            core: Some(core),
            by_columns: false,
            symmetric: false,
        }
    }

    /// Rows and then columns, each line by itself.
    pub const fn naive(diagonal: bool) -> Self {
        Variant {
            diagonal,
            core: None,
            by_columns: false,
            symmetric: false,
        }
    }

    /// How far samples are ahead of coefficients, how many numbers a line keeps.
    fn line(self) -> [usize; 2] {
        if self.diagonal { [10, 12] } else { [3, 4] }
    }

    /// Where a line begins before its first sample.
    fn lead(self, core: usize) -> usize {
        (self.line()[0] + 4).next_multiple_of(core)
    }
}

/// Samples beside a picture on each side: zeros that are read, places where
/// results may go that are none.
const FRAME: usize = 32;

/// A variant on a picture, with arrays of its own.
pub struct Study {
    engine: Engine,
    kernels: Vec<(PaperKernel, usize, [i32; 5])>,
    shape: [usize; 2],
    pitch: usize,
    from: DeviceArray<f32>,
    to: DeviceArray<f32>,
    states: DeviceArray<f32>,
}

impl Study {
    /// Builds a variant for a picture of so many rows and columns, which so
    /// many threads of a CPU share.
    ///
    /// # Errors
    /// [`Error::Shape`] for pictures of fewer than 32 rows or columns; [`Error::Length`] for other
    /// samples; as `Engine::plan`.
    pub fn new(
        engine: &Engine,
        variant: Variant,
        shape: [usize; 2],
        threads: usize,
        samples: &[f32],
    ) -> Result<Self> {
        let [height, width] = shape;
        if height < FRAME || width < FRAME || height > 1 << 16 || width > 1 << 16 {
            return Err(Error::Shape {
                what: "picture of a variant",
                expected: format!("{FRAME} to 65536 rows and columns"),
                got: format!("{shape:?}"),
            });
        }
        check_length("the samples", samples.len(), height * width)?;
        // Rows that are a prime number of samples apart alias nowhere, as the paper has them.
        let pitch = next_prime(width + 2 * FRAME);
        let len = pitch * (height + 2 * FRAME);
        let mut framed = vec![0.0; len];
        for (y, row) in samples.chunks(width).enumerate() {
            let start = (y + FRAME) * pitch + FRAME;
            framed[start..start + width].copy_from_slice(row);
        }
        let [core_x, core_y] = variant.core.unwrap_or([2, 2]);
        let block = height.div_ceil(threads.max(1)).next_multiple_of(core_y);
        let columns = variant.lead(core_x) + width + core_x;
        let rows = variant.lead(core_y) + block + core_y;
        let kept = if variant.by_columns { rows } else { columns };
        let state = variant.line()[1] * kept.next_multiple_of(16);
        let threads = height.div_ceil(block);
        let states = if variant.core.is_some() {
            threads * state
        } else {
            0
        };
        let own = |block: usize| [width, height, pitch, block, state].map(|n| n as i32);
        // Of rows; of the naive columns, columns.
        let across = width.div_ceil(threads);
        let shares = [(threads, own(block)), (width.div_ceil(across), own(across))];
        let mut kernels = Vec::new();
        for (name, (groups, own)) in kernel_names(variant).iter().zip(shares) {
            let kernel = PaperKernel::new(engine, "", &kernel(variant, name))?;
            kernels.push((kernel, groups, own));
        }
        Ok(Study {
            kernels,
            shape,
            pitch,
            from: engine.upload(&framed)?,
            to: engine.zeros(len)?,
            states: engine.zeros(states.max(1))?,
            engine: engine.clone(),
        })
    }

    /// Enqueues it.
    ///
    /// # Errors
    /// [`Error::OpenCl`].
    pub fn enqueue(&mut self) -> Result<Run> {
        // Where the picture begins in its frame.
        let start = (FRAME * self.pitch + FRAME) as i32;
        let mut events = Vec::new();
        for (i, (kernel, groups, own)) in self.kernels.iter().enumerate() {
            let values: Vec<i32> = own.iter().copied().chain([start]).collect();
            let [from, to, states] =
                [&self.from, &self.to, &self.states].map(|array| &*array.buffer);
            // SAFETY: `core` takes three buffers, `naive_rows` two and `naive_columns` one, then
            // this struct. What they read is in the frame of the picture, which is wider than a
            // core and what it reads ahead; they write in the same frame of as large an array, and
            // `states` has `state` floats for each thread.
            events.push(unsafe {
                match (self.kernels.len(), i) {
                    (1, _) => kernel.enqueue(&self.engine, [from, to, states], &values, *groups),
                    (_, 0) => kernel.enqueue(&self.engine, [from, to], &values, *groups),
                    _ => kernel.enqueue(&self.engine, [to], &values, *groups),
                }
            }?);
        }
        Run::from_first_to_last(&self.engine.site.queue, events)
    }

    /// The coefficients of the last run, interleaved.
    ///
    /// # Errors
    /// [`Error::OpenCl`].
    pub fn result(&self) -> Result<Vec<f32>> {
        let all = self.to.download()?;
        let rows = all.chunks(self.pitch).skip(FRAME).take(self.shape[0]);
        Ok(rows
            .flat_map(|row| row[FRAME..FRAME + self.shape[1]].to_vec())
            .collect())
    }
}

/// In the order in which they run.
pub(super) fn kernel_names(variant: Variant) -> &'static [&'static str] {
    match variant.core {
        Some(_) => &["core"],
        None => &["naive_rows", "naive_columns"],
    }
}

pub(super) fn kernel(variant: Variant, name: &'static str) -> Kernel {
    let wavelet = Wavelet::CDF_9_7;
    let steps = wavelet.real_steps().unwrap_or_default().iter();
    let weights: Vec<String> = steps
        .map(|step| format!("{:e}f", step.taps()[0] as f32))
        .collect();
    let flag = |flag: bool| u8::from(flag).to_string();
    let mut defines = vec![
        ("DIAGONAL", flag(variant.diagonal)),
        ("WEIGHTS", weights.join(", ")),
        (
            "SCALE_LOW",
            format!("{:e}f", wavelet.scale().approximation as f32),
        ),
    ];
    let mut file = "papers/naive.cl";
    if let Some([x, y]) = variant.core {
        file = "papers/core.cl";
        defines.extend([
            ("CORE_X", x.to_string()),
            ("CORE_Y", y.to_string()),
            ("BY_COLUMNS", flag(variant.by_columns)),
            ("MIRRORED_BORDER", flag(variant.symmetric)),
        ]);
    }
    super::kernel_of(file, name, &defines, 1)
}

fn next_prime(from: usize) -> usize {
    let is_prime = |n: &usize| {
        (2..)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    (from..).find(is_prime).unwrap_or(from)
}
