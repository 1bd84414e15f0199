//! Where the samples of pictures and their coefficients lie, as kernels see
//! them that lift both axes.

use super::{Place, colours, column_stride, is_set, levels_of, line_start, own};
use crate::strategy::planning::design::{Array, Launch};
use crate::transform::geometry::Side;

/// `Picture` of cl/core/picture.cl.
#[derive(Clone)]
pub(super) struct Picture {
    pub width: i32,
    pub height: i32,
    signal: (Array, i64),
    signal_pitch: i64,
    /// From one column to the next: of the signal, and of sub-bands that are planar.
    column: i64,
    bands: [Band; 4],
}

#[derive(Clone, Copy)]
struct Band {
    array: Array,
    first: i64,
    start: i64,
    pitch: i64,
    stride: i64,
}

impl Picture {
    pub fn at(launch: &Launch, number: i32) -> Self {
        let (pass, kernel, arrays) = (&launch.pass.geometry, &launch.pass.kernel, launch.arrays);
        let is_box = kernel.name == "boxes_in_cache";
        let single = !is_box && is_set(kernel, "SINGLE");
        let outer = if pass.across[2] > 1 {
            number / pass.across[1]
        } else {
            0
        };
        let at = [0, number - outer * pass.across[1], outer];
        let start = |side: &Side| {
            if single {
                side.offset
            } else {
                line_start(side, pass, at)
            }
        };
        let known = match is_box {
            true => 0,
            false => (colours(kernel) * column_stride(kernel)) as i64,
        };
        let column = if known > 0 {
            known
        } else {
            pass.signal.line.detail
        };
        let is_planar = !is_box && (is_set(kernel, "PLANAR") || kernel.name == "register_planes");
        let stride = |stride: i64| match is_planar && known > 0 {
            true => column,
            false => stride,
        };
        let mut bands = [0, 1, 2, 3].map(|n| Band {
            array: arrays.bands,
            first: start(&pass.bands),
            start: (n & 1) * pass.bands.line.detail + (n >> 1) * pass.bands.across[0].detail,
            pitch: pass.bands.across[0].stride,
            stride: stride(pass.bands.line.stride),
        });
        let is_low = at[1] < pass.low_across[1] && at[2] < pass.low_across[2];
        if pass.has_low == 1 && (single || is_low) {
            bands[0] = Band {
                array: arrays.low.unwrap(),
                first: start(&pass.low),
                start: 0,
                pitch: pass.low.across[0].stride,
                stride: stride(pass.low.line.stride),
            };
        }
        Picture {
            width: pass.samples,
            height: pass.across[0],
            signal: (arrays.signal, start(&pass.signal)),
            signal_pitch: pass.signal.across[0].detail,
            column,
            bands,
        }
    }

    /// One colour of its pixels.
    pub fn of_colour(mut self, colour: usize) -> Self {
        self.signal.1 += colour as i64;
        self.bands
            .iter_mut()
            .for_each(|band| band.first += colour as i64);
        self
    }

    /// `coarse_picture` of cl/streamed/two_levels.cl, or every other row and column of
    /// interleaved coefficients.
    pub fn coarse(&self, launch: &Launch) -> Self {
        let interleaved = is_set(&launch.pass.kernel, "INTERLEAVED");
        let mut picture = self.clone();
        picture.width = (self.width + 1) / 2;
        picture.height = (self.height + 1) / 2;
        let (columns, rows) = ((picture.width + 1) / 2, (picture.height + 1) / 2);
        for (n, band) in (0..).zip(&mut picture.bands) {
            let is_low = n == 0 && launch.pass.geometry.has_low == 1;
            if interleaved && !is_low {
                (band.pitch, band.stride) = (2 * band.pitch, 2 * band.stride);
                band.start = (n & 1) * band.stride / 2 + (n >> 1) * band.pitch / 2;
            } else if n > 0 {
                band.start = (n & 1) * i64::from(columns) + (n >> 1) * band.pitch * i64::from(rows);
            }
        }
        picture
    }

    /// The levels of a launch of `pyramid` or of boxes, finest first (`set_strides`
    /// of cl/pyramid/extent.cl).
    pub fn pyramid(&self, launch: &Launch) -> Vec<Self> {
        let interleaved =
            launch.pass.kernel.name != "pyramid_windows" && own(launch, "interleaved") == 1;
        let level = |level: i32| {
            let mut picture = self.clone();
            picture.width = (self.width + (1 << level) - 1) >> level;
            picture.height = (self.height + (1 << level) - 1) >> level;
            let counts = [picture.width, picture.height].map(|n| i64::from((n + 1) / 2));
            for (n, band) in picture.bands.iter_mut().enumerate() {
                let is_low = n == 0 && launch.pass.geometry.has_low == 1;
                let (cx, cy) = (n as i64 & 1, n as i64 >> 1);
                if interleaved && !is_low {
                    (band.pitch, band.stride) = (band.pitch << level, band.stride << level);
                    band.start = cx * band.stride / 2 + cy * band.pitch / 2;
                } else {
                    band.start = cx * counts[0] * band.stride + cy * counts[1] * band.pitch;
                }
            }
            picture
        };
        (0..levels_of(launch)).map(level).collect()
    }

    /// Where its samples are, row by row.
    pub fn signal(&self) -> Vec<Place> {
        let (array, start) = self.signal;
        let place = |(y, x): (i32, i32)| {
            (
                array,
                start + i64::from(y) * self.signal_pitch + i64::from(x) * self.column,
            )
        };
        self.places().map(place).collect()
    }

    /// Where its coefficients are, each where its sample was, with the numbers of their sub-bands.
    pub fn bands(&self) -> Vec<(Place, usize)> {
        let place = |(y, x): (i32, i32)| {
            let number = (2 * (y & 1) + (x & 1)) as usize;
            let band = &self.bands[number];
            let within = i64::from(y / 2) * band.pitch + i64::from(x / 2) * band.stride;
            ((band.array, band.first + band.start + within), number)
        };
        self.places().map(place).collect()
    }

    fn places(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| (y, x)))
    }
}
