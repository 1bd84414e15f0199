//! Pictures, as in cl/core/picture.cl: both axes of some levels at once, of samples and of pixels.

use super::picture::Picture;
use super::{Place, Running, colours, is_set, lift, number, own};
use crate::transform::reference::shift_line;
use crate::wavelet::{Direction, Sample};

impl<T: Sample> Running<'_, T> {
    /// Lifts every picture by the levels that it has, finest first.
    pub(super) fn pictures(&mut self, levels_of: impl Fn(Picture) -> Vec<Picture>) {
        let geometry = self.geometry();
        let is_box = self.launch.pass.kernel.name == "boxes_in_cache";
        assert!(
            is_box || geometry.shift == 0,
            "pictures are shifted by PRE_SHIFT"
        );
        let pictures = geometry.across[1] * geometry.across[2];
        let kernel = &self.launch.pass.kernel;
        assert!(is_box || !is_set(kernel, "SINGLE") || pictures == 1);
        for number in 0..pictures {
            let levels = levels_of(Picture::at(self.launch, number));
            let signal = levels[0].signal();
            let last = levels.len() - 1;
            if self.forward() {
                let mut low = self.gather(&signal);
                for (n, level) in levels.iter().enumerate() {
                    self.lift_picture(level, &mut low);
                    low = self.scatter_bands(level, &low, n == last);
                }
            } else {
                let mut low = None;
                for level in levels.iter().rev() {
                    let mut samples = self.gather_bands(level, low.take());
                    self.lift_picture(level, &mut samples);
                    low = Some(samples);
                }
                self.scatter(&signal, &low.unwrap());
            }
        }
    }

    /// The same where every sample is the first of a pixel's.
    pub(super) fn colours(&mut self) {
        for number in 0..self.geometry().across[1] * self.geometry().across[2] {
            for colour in 0..colours(&self.launch.pass.kernel) {
                let picture = Picture::at(self.launch, number).of_colour(colour);
                let (signal, bands) = (picture.signal(), picture.bands());
                let bands: Vec<Place> = bands.into_iter().map(|(place, _)| place).collect();
                let (from, to) = match self.forward() {
                    true => (signal, bands),
                    false => (bands, signal),
                };
                let mut samples = self.gather(&from);
                self.lift_picture(&picture, &mut samples);
                self.scatter(&to, &samples);
            }
        }
    }

    /// Stores the sub-bands of a lifted picture, and returns its low band; that of the last
    /// level is stored as well.
    fn scatter_bands(&mut self, picture: &Picture, samples: &[T], is_last: bool) -> Vec<T> {
        let mut low = Vec::new();
        for (i, (place, band)) in picture.bands().into_iter().enumerate() {
            if band == 0 {
                low.push(samples[i]);
            }
            if band > 0 || is_last {
                self.scatter(&[place], &[samples[i]]);
            }
        }
        low
    }

    /// The sub-bands of a picture, with the low band of the coarser level if there is one.
    fn gather_bands(&mut self, picture: &Picture, low: Option<Vec<T>>) -> Vec<T> {
        let mut low = low.map(Vec::into_iter);
        let places = picture.bands().into_iter();
        places
            .map(|(place, band)| match &mut low {
                Some(low) if band == 0 => low.next().unwrap(),
                _ => self.memory.read(place),
            })
            .collect()
    }

    /// One level along both axes.
    fn lift_picture(&self, picture: &Picture, samples: &mut [T]) {
        let kernel = &self.launch.pass.kernel;
        let boundary = self.geometry().boundary;
        let (shift, x_first) = match kernel.name {
            "boxes_in_cache" => (self.geometry().shift, own(self.launch, "x_first") == 1),
            _ => (
                number(kernel, "PRE_SHIFT") as i32,
                is_set(kernel, "X_FIRST"),
            ),
        };
        let shift = shift as u32;
        if self.forward() {
            shift_line(shift, Direction::Forward, samples);
        }
        let (width, height) = (picture.width as usize, picture.height as usize);
        let along_x = |samples: &mut [T]| {
            samples
                .chunks_mut(width)
                .for_each(|row| lift(self.problem, boundary, row));
        };
        let along_y = |samples: &mut [T]| {
            for x in 0..width {
                let mut column: Vec<T> = (0..height).map(|y| samples[y * width + x]).collect();
                lift(self.problem, boundary, &mut column);
                (0..height).for_each(|y| samples[y * width + x] = column[y]);
            }
        };
        if x_first {
            along_x(samples);
            along_y(samples);
        } else {
            along_y(samples);
            along_x(samples);
        }
        if !self.forward() {
            shift_line(shift, Direction::Inverse, samples);
        }
    }
}
