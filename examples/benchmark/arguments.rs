//! What can be asked for on the command line.

use crate::choice::StrategyChoice;
use crate::common::cli::{self, DirectionArgument, Shape, Size, at_least};
use crate::common::pixels::PixelArguments;
use crate::map;
use clap::Parser;
use std::path::PathBuf;
use wavelift::{Boundary, DeviceSelector, Layout, SampleType, Strategy, Wavelet};

/// Measures how long transforms take on OpenCL devices, in turns with a plain copy kernel over the
/// same bytes. Each result is first compared with the CPU reference: integers must be equal, floats
/// within 2e-6 (f32) or 1e-14 (f64) of the largest value of the f64 reference.
///
/// Every combination of the lists is one row; with --compare the strategies are columns. Times are
/// device times, from the start of the first kernel to the end of the last. `wall` is the time from
/// enqueueing to the end of waiting, which with --queued includes the copies before the transform.
/// `of copy` is the copy's median over the transform's: 1.00 is as fast as copying. `moved GB/s`
/// and `Gop/s` are what all passes together read and write of global memory and calculate, as the
/// plan counts it, over the median. With --pixels a row has the times of plans of pixels, of plans
/// of samples, and of a pass that only converts; with --host as well, of calls of such plans on
/// slices of the host. The exit code is 2 if any check fails.
#[derive(Parser)]
#[command(name = "benchmark", version)]
#[command(mut_arg("pixels", |pixels| {
    pixels.conflicts_with_all(["strategies", "compare", "queued", "json", "group", "tiles", "map"])
}))]
pub struct Arguments {
    /// Sizes of pictures, such as `4096` (4096x4096) or `1920x1080` (width x height)
    /// [default: 4096, where there is no --shape]
    #[arg(long, value_delimiter = ',')]
    pub sizes: Vec<Size>,
    /// The shape of an array of 1 to 4 axes, outermost first, and after a colon the axes that are
    /// transformed: `4096x4096x3:0+1`; without a colon all of them. Can be given several times
    #[arg(long = "shape", value_name = "SHAPE")]
    pub shapes: Vec<Shape>,
    /// The number of pictures per array
    #[arg(long, default_value_t = 1, value_parser = at_least(1))]
    pub batch: usize,
    /// Wavelets
    #[arg(long, value_delimiter = ',', default_value = "cdf53,cdf97", value_parser = cli::wavelet())]
    pub wavelets: Vec<Wavelet>,
    /// Sample types. Combinations with wavelets that have no steps for them are left out
    #[arg(long, value_delimiter = ',', default_value = "i16,f32", value_parser = cli::sample())]
    pub samples: Vec<SampleType>,
    /// Numbers of levels, each from 0 to 64
    #[arg(long, value_delimiter = ',', default_value = "1,5")]
    pub levels: Vec<u32>,
    /// Layouts of the coefficients
    #[arg(long, value_delimiter = ',', default_value = "mallat", value_parser = cli::layout())]
    pub layouts: Vec<Layout>,
    /// Boundary rules [default: each wavelet's own]
    #[arg(long, value_delimiter = ',', value_parser = cli::boundary())]
    pub boundaries: Vec<Boundary>,
    /// Directions
    #[arg(long, value_delimiter = ',', default_value = "forward,inverse")]
    pub directions: Vec<DirectionArgument>,
    /// `auto` for the strategies that the planner composes, or single strategies by name, as
    /// docs/strategies.md lists them, or with passes as in separable:one_pair+exchanged; `in_place`
    /// for a plan in place, which has the interleaved layout alone [default: auto; with --compare,
    /// all, separable with its default passes]
    #[arg(long, value_delimiter = ',', value_parser = cli::strategy::<StrategyChoice>())]
    pub strategies: Vec<StrategyChoice>,
    /// Show strategies side by side, in one row per device and problem. Slow ones run less often
    #[arg(long)]
    pub compare: bool,
    /// Use only this OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device
    /// like `0:1` [default: every device]
    #[arg(long, value_name = "SPEC")]
    pub device: Option<DeviceSelector>,
    /// The number of runs per strategy, after warming up
    #[arg(long, default_value_t = 20, value_parser = at_least(20))]
    pub runs: usize,
    /// Enqueue each transform behind long copies, so that device times do not include gaps in which
    /// the device waits for the next kernel to be enqueued, and behind one of its own arrays, which
    /// leaves them in the caches
    #[arg(long)]
    pub queued: bool,
    /// Measure calls on slices of the host instead, as in `forward_into`: how long a call takes, an
    /// upload, the kernels and a download by themselves, a call on pinned arrays, a frame of a
    /// stream, and copies between pinned memory and the device, which is the bus's own rate
    #[arg(long, conflicts_with_all = ["strategies", "compare", "queued", "json"])]
    pub host: bool,
    /// Measure a batch over all devices at once instead, by the clock, beside the first of them
    /// alone: arrays that stay on the devices, and calls on slices of the host. Its outermost axis
    /// is shared out; where that is transformed, tiles are, in calls
    #[arg(long, conflicts_with_all = ["strategies", "compare", "queued", "json", "host", "map"])]
    pub group: bool,
    /// Measure calls on slices of the host under limits of memory instead, each so many MiB, in
    /// tiles where these are less than the arrays need: by the clock, beside a call without a
    /// limit and the bus's own rate
    #[arg(long, value_name = "MIB", value_delimiter = ',', conflicts_with_all = ["strategies", "compare", "queued", "json", "host", "group", "map"])]
    pub tiles: Vec<u64>,
    #[command(flatten)]
    pub pixels: PixelArguments,
    /// Draw how long a sample takes as a heat map, into this SVG file, and name the worst ten: a
    /// sweep of shapes of 1 to 4 axes, or those of --shape, by all that is asked for otherwise.
    /// Results are not checked, and slow ones run less often. Each cell is the least time over that
    /// of the best as many levels along as many axes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "host"])]
    pub map: Option<PathBuf>,
    /// About how many samples the shapes of the map have
    #[arg(long, default_value_t = 1 << 22, value_parser = at_least(256), requires = "map")]
    pub map_samples: usize,
    /// Write the measured rows to this file, as a JSON list with one object per row
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl Arguments {
    /// The arrays that are transformed: pictures by their sizes, then those given by their shapes.
    pub fn shapes(&self) -> Vec<Shape> {
        let mut sizes = self.sizes.clone();
        if sizes.is_empty() && self.shapes.is_empty() {
            if self.map.is_some() {
                return map::sweep(self.map_samples);
            }
            sizes.push(Size {
                width: 4096,
                height: 4096,
            });
        }
        let pictures = sizes.into_iter().map(|size| self.pictures(size));
        pictures.chain(self.shapes.iter().cloned()).collect()
    }

    fn pictures(&self, size: Size) -> Shape {
        let mut lengths = vec![size.height, size.width];
        if self.batch > 1 {
            lengths.insert(0, self.batch);
        }
        let axes = (lengths.len() - 2..lengths.len()).collect();
        Shape { lengths, axes }
    }

    pub fn strategies(&self) -> Vec<StrategyChoice> {
        match (self.strategies.as_slice(), self.compare) {
            ([], true) => Strategy::ALL
                .iter()
                .copied()
                .map(StrategyChoice::Fixed)
                .collect(),
            ([], false) => vec![StrategyChoice::Auto],
            (named, _) => named.to_vec(),
        }
    }
}
