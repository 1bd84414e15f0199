//! Views of sub-bands where they stand in an array of coefficients.

mod walks;

use super::band::BandBox;
#[cfg(doc)]
use crate::error::Error;
use crate::error::{Result, check_length};
use crate::wavelet::Sample;
use std::fmt;
use walks::Counted;

macro_rules! reading {
    () => {
        /// Returns the lengths of the band along the axes of the array, outermost first.
        pub fn shape(&self) -> &[usize] {
            &self.at.shape
        }

        /// Returns the place of the band's first coefficient in
        /// [`Coefficients::as_slice`](super::Coefficients::as_slice). An empty band has no
        /// coefficient at that place.
        pub fn offset(&self) -> usize {
            self.at.offset
        }

        /// Returns the distance in [`Coefficients::as_slice`](super::Coefficients::as_slice)
        /// between neighbours in the band along each axis, outermost first.
        pub fn strides(&self) -> &[usize] {
            &self.at.strides
        }

        /// Returns the length of the band along y, the last transformed axis but one; 1 where
        /// only one axis is transformed. [`rows_iter`](Self::rows_iter) gives this many rows
        /// for each picture of a batch, even where [`cols`](Self::cols) is 0. If the axes of
        /// the batch come before those that are transformed, it gives all rows of one picture
        /// before those of the next.
        pub fn rows(&self) -> usize {
            self.at.picture[0].map_or(1, |y| self.at.shape[y])
        }

        /// Returns the length of the band along x, the last transformed axis.
        pub fn cols(&self) -> usize {
            self.at.shape[self.at.x()]
        }

        /// Returns the number of coefficients of the band.
        pub fn len(&self) -> usize {
            self.at.len()
        }

        /// Whether the band has no coefficients.
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// Returns the coefficient at the given index along each axis of the band, or
        /// `None` outside the band.
        pub fn get(&self, index: &[usize]) -> Option<T> {
            self.at.place(index).map(|place| self.data[place])
        }

        /// Iterates over all coefficients of the band in row-major order.
        pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + '_ {
            let (count, stride) = self.at.line(self.at.last());
            let line = move |start| (0..count).map(move |i| self.data[start + i * stride]);
            Counted {
                items: self.at.starts(self.at.last()).flat_map(line),
                left: self.len(),
            }
        }

        /// Iterates over the rows of the band, its lines along x, in row-major order of all other
        /// axes: of a batch that is outside the transformed axes, those of one picture after the
        /// other; of colours innermost, each row of all colours before the next. Where the band has
        /// no columns, they are empty.
        pub fn rows_iter(
            &self,
        ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = T> + '_> + '_ {
            let (count, stride) = self.at.line(self.at.x());
            let row = move |start| (0..count).map(move |i| self.data[start + i * stride]);
            self.at.starts(self.at.x()).map(row)
        }

        /// Returns row `i` of [`rows_iter`](Self::rows_iter) as a slice, or `None` where the band
        /// has no such row, or its neighbours are not neighbours in memory.
        pub fn row(&self, i: usize) -> Option<&[T]> {
            self.at.row(i).map(|row| &self.data[row])
        }

        /// Returns a dense copy of the band in row-major order.
        pub fn to_vec(&self) -> Vec<T> {
            self.iter().collect()
        }

        /// The band alone: where it stands, and how it begins.
        fn describe(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let first: Vec<T> = self.iter().take(8).collect();
            f.debug_struct(name)
                .field("shape", &self.at.shape)
                .field("offset", &self.at.offset)
                .field("strides", &self.at.strides)
                .field("first", &first)
                .finish_non_exhaustive()
        }
    };
}

/// A view that reads a sub-band where it stands in [`Coefficients`](super::Coefficients).
///
/// ```
/// use wavelift::{Band, Coefficients, Transform, Wavelet};
///
/// let transform = Transform::new(Wavelet::CDF_5_3, [4, 6]);
/// let coefficients = Coefficients::from_parts(&transform, (0..24).collect::<Vec<i32>>())?;
/// let hl = coefficients.band(1, Band::HL)?; // top right in the Mallat layout
/// assert_eq!((hl.get(&[1, 0]), hl.row(1)), (Some(9), Some(&[9, 10, 11][..])));
/// let largest = hl.rows_iter().map(|row| row.max()).max();
/// assert_eq!((largest, hl.to_vec()), (Some(Some(11)), vec![3, 4, 5, 9, 10, 11]));
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone)]
pub struct BandView<'a, T> {
    data: &'a [T],
    at: BandBox,
}

impl<'a, T: Sample> BandView<'a, T> {
    pub(super) fn new(data: &'a [T], at: BandBox) -> Self {
        BandView { data, at }
    }

    /// The array in which the band stands.
    #[cfg(feature = "ndarray")]
    pub(crate) fn array(&self) -> &'a [T] {
        self.data
    }

    reading!();
}

impl<T: Sample> fmt::Debug for BandView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe("BandView", f)
    }
}

/// A view that reads and changes a sub-band where it stands in
/// [`Coefficients`](super::Coefficients).
///
/// ```
/// use wavelift::{Band, Coefficients, Transform, Wavelet};
///
/// let transform = Transform::new(Wavelet::CDF_5_3, [4, 4]);
/// let mut coefficients = Coefficients::from_parts(&transform, (0..16).collect::<Vec<i32>>())?;
/// let mut hh = coefficients.band_mut(1, Band::HH)?; // bottom right in the Mallat layout
/// hh.apply(|value| if value > 12 { value } else { 0 });
/// assert_eq!(hh.to_vec(), [0, 0, 14, 15]);
/// # Ok::<(), wavelift::Error>(())
/// ```
pub struct BandViewMut<'a, T> {
    data: &'a mut [T],
    at: BandBox,
}

impl<'a, T: Sample> BandViewMut<'a, T> {
    pub(super) fn new(data: &'a mut [T], at: BandBox) -> Self {
        BandViewMut { data, at }
    }

    /// The array in which the band stands.
    #[cfg(feature = "ndarray")]
    pub(crate) fn array(&self) -> &[T] {
        self.data
    }

    /// The array in which the band stands, for modification.
    #[cfg(feature = "ndarray")]
    pub(crate) fn array_mut(&mut self) -> &mut [T] {
        self.data
    }

    reading!();

    /// Returns the coefficient at the given index along each axis of the band, for modification, or
    /// `None` outside the band.
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let place = self.at.place(index)?;
        Some(&mut self.data[place])
    }

    /// Returns row `i` of [`rows_iter`](Self::rows_iter) for modification, or `None` where the band
    /// has no such row, or its neighbours are not neighbours in memory.
    pub fn row_mut(&mut self, i: usize) -> Option<&mut [T]> {
        self.at.row(i).map(|row| &mut self.data[row])
    }

    /// Replaces each coefficient of the band by the result of `change` for it, in row-major order.
    pub fn apply(&mut self, mut change: impl FnMut(T) -> T) {
        let (count, stride) = self.at.line(self.at.last());
        for start in self.at.starts(self.at.last()) {
            // Compilers make less of steps of one.
            if stride == 1 {
                let line = &mut self.data[start..start + count];
                line.iter_mut().for_each(|value| *value = change(*value));
            } else {
                let line = self.data[start..].iter_mut().step_by(stride).take(count);
                line.for_each(|value| *value = change(*value));
            }
        }
    }

    /// Replaces all coefficients of the band by `values`, in row-major order.
    ///
    /// # Errors
    /// [`Error::Length`] if the number of values is not that of the band's coefficients.
    pub fn copy_from_slice(&mut self, values: &[T]) -> Result<()> {
        check_length("the slice", values.len(), self.len())?;
        let mut values = values.iter().copied();
        self.apply(|old| values.next().unwrap_or(old));
        Ok(())
    }
}

impl<T: Sample> fmt::Debug for BandViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe("BandViewMut", f)
    }
}

#[cfg(test)]
mod tests;
