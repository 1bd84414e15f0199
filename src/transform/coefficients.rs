//! The coefficients of a transform on the host, and views of their sub-bands.

use super::band::{Band, BandBox};
use crate::error::{Error, Result};
use crate::transform::Transform;
use crate::wavelet::Sample;

/// The coefficients of a transform, on the host: an array of the transform's shape, in its layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients<T: Sample> {
    transform: Transform,
    data: Vec<T>,
}

impl<T: Sample> Coefficients<T> {
    /// Wraps `data`, the coefficients of `transform` in its layout, without copying them.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`Transform::check`] refuses; [`Error::Length`] if the number of
    /// coefficients is not that of the shape.
    pub fn from_parts(transform: &Transform, data: Vec<T>) -> Result<Self> {
        transform.check()?;
        if data.len() != transform.len() {
            return Err(Error::Length {
                what: "the data",
                expected: transform.len(),
                got: data.len(),
            });
        }
        let transform = transform.clone();
        Ok(Coefficients { transform, data })
    }

    /// Makes coefficients of `transform` that are all zero.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`Transform::check`] refuses; [`Error::HostMemory`] if there is not enough
    /// memory.
    pub fn zeros(transform: &Transform) -> Result<Self> {
        transform.check()?;
        Self::from_parts(transform, zeroed("the coefficients", transform.len())?)
    }

    /// Returns the transform whose coefficients these are.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Returns all coefficients, row-major in the transform's shape and layout.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// Returns all coefficients for modification, row-major in the transform's shape and layout.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Returns the array of coefficients itself, row-major in the transform's shape and layout, without copying
    /// it.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// Returns a view of a sub-band of a level; level 1 is the finest. Of the low-pass bands only that of the
    /// coarsest level is kept. A band may be empty.
    ///
    /// # Errors
    /// [`Error::Shape`] for a band that the coefficients do not have.
    pub fn band(&self, level: u32, band: Band) -> Result<BandView<'_, T>> {
        let at = self.transform.band_box(level, band)?;
        Ok(BandView {
            data: &self.data,
            at,
        })
    }

    /// Returns a view through which a sub-band of a level can be changed; see [`band`](Self::band).
    ///
    /// # Errors
    /// [`Error::Shape`] for a band that the coefficients do not have.
    pub fn band_mut(&mut self, level: u32, band: Band) -> Result<BandViewMut<'_, T>> {
        let at = self.transform.band_box(level, band)?;
        Ok(BandViewMut {
            data: &mut self.data,
            at,
        })
    }
}

/// As many zeros, or an error where `vec!` would abort the program; `what` names them.
pub(crate) fn zeroed<T: Sample>(what: &'static str, len: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostMemory {
        what,
        needed: (len as u64).saturating_mul(size_of::<T>() as u64),
    })
}

impl BandBox {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The length of an axis counted from the last, which is 1; the result is 1 if the axis does not exist.
    fn extent(&self, from_end: usize) -> usize {
        let axis = self.shape.len().checked_sub(from_end);
        axis.map_or(1, |axis| self.shape[axis])
    }

    fn place(&self, index: &[usize]) -> Option<usize> {
        let inside =
            index.len() == self.shape.len() && index.iter().zip(&self.shape).all(|(i, n)| i < n);
        let steps = index.iter().zip(&self.strides);
        inside.then(|| self.offset + steps.map(|(i, stride)| i * stride).sum::<usize>())
    }

    /// The place in the array of the i-th coefficient of the band, in row-major order.
    fn nth(&self, mut i: usize) -> usize {
        let mut place = self.offset;
        for (n, stride) in self.shape.iter().zip(&self.strides).rev() {
            place += i % n * stride;
            i /= n;
        }
        place
    }
}

macro_rules! shape_of_view {
    () => {
        /// Returns the lengths of the band along the axes of the array, outermost first.
        pub fn shape(&self) -> &[usize] {
            &self.at.shape
        }

        /// Returns the distance in [`Coefficients::as_slice`] between neighbours in the band along each axis,
        /// outermost first.
        pub fn strides(&self) -> &[usize] {
            &self.at.strides
        }

        /// Returns the length of the band along the last axis but one, or 1 if the array has one axis only.
        pub fn rows(&self) -> usize {
            self.at.extent(2)
        }

        /// Returns the length of the band along the last axis.
        pub fn cols(&self) -> usize {
            self.at.extent(1)
        }

        /// Returns the number of coefficients of the band.
        pub fn len(&self) -> usize {
            self.at.len()
        }

        /// Whether the band has no coefficients.
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// Returns the coefficient at the given index along each axis of the band, or `None` outside the band.
        pub fn get(&self, index: &[usize]) -> Option<T> {
            self.at.place(index).map(|place| self.data[place])
        }

        /// Iterates over all coefficients of the band in row-major order.
        pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + '_ {
            (0..self.len()).map(|i| self.data[self.at.nth(i)])
        }

        /// Returns a dense copy of the band in row-major order.
        pub fn to_vec(&self) -> Vec<T> {
            self.iter().collect()
        }
    };
}

/// A view that reads a sub-band where it stands in [`Coefficients`].
#[derive(Clone, Debug)]
pub struct BandView<'a, T> {
    data: &'a [T],
    at: BandBox,
}

impl<T: Sample> BandView<'_, T> {
    shape_of_view!();
}

/// A view that reads and changes a sub-band where it stands in [`Coefficients`].
#[derive(Debug)]
pub struct BandViewMut<'a, T> {
    data: &'a mut [T],
    at: BandBox,
}

impl<T: Sample> BandViewMut<'_, T> {
    shape_of_view!();

    /// Returns the coefficient at the given index along each axis of the band, for modification, or `None`
    /// outside the band.
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let place = self.at.place(index)?;
        Some(&mut self.data[place])
    }

    /// Replaces each coefficient of the band by the result of `change` for it, in row-major order.
    pub fn apply(&mut self, mut change: impl FnMut(T) -> T) {
        for i in 0..self.len() {
            let place = self.at.nth(i);
            self.data[place] = change(self.data[place]);
        }
    }

    /// Replaces all coefficients of the band by `values`, in row-major order.
    ///
    /// # Errors
    /// [`Error::Length`] if the number of values is not that of the band's coefficients.
    pub fn copy_from_slice(&mut self, values: &[T]) -> Result<()> {
        if values.len() != self.len() {
            return Err(Error::Length {
                what: "the slice",
                expected: self.len(),
                got: values.len(),
            });
        }
        for (i, value) in values.iter().enumerate() {
            self.data[self.at.nth(i)] = *value;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::Layout;
    use crate::wavelet::Wavelet;

    #[test]
    fn bands_are_read_and_written_in_place() {
        let transform = Transform::new(Wavelet::CDF_5_3, [3, 4]);
        let data = (0..12).collect();
        let mut coefficients = Coefficients::<i32>::from_parts(&transform, data).unwrap();
        let hl = coefficients.band(1, Band::HL).unwrap();
        assert_eq!(
            (hl.rows(), hl.cols(), hl.to_vec()),
            (2, 2, vec![2, 3, 6, 7])
        );
        assert_eq!(
            (hl.get(&[1, 0]), hl.get(&[2, 0]), hl.get(&[0])),
            (Some(6), None, None)
        );

        let mut lh = coefficients.band_mut(1, Band::LH).unwrap();
        lh.apply(|v| -v);
        *lh.get_mut(&[0, 1]).unwrap() += 100;
        assert_eq!(coefficients.as_slice()[8..10], [-8, 91]);
        let mut hh = coefficients.band_mut(1, Band::HH).unwrap();
        assert!(hh.copy_from_slice(&[1]).is_err());
        hh.copy_from_slice(&[1, 2]).unwrap();
        assert_eq!(coefficients.as_slice()[10..], [1, 2]);
    }

    #[test]
    fn interleaved_bands_are_strided() {
        let transform = Transform::new(Wavelet::CDF_5_3, [2, 5])
            .axes([1])
            .layout(Layout::Interleaved);
        let coefficients = Coefficients::<i32>::from_parts(&transform, (0..10).collect()).unwrap();
        assert_eq!(
            coefficients.band(1, Band::L).unwrap().to_vec(),
            [0, 2, 4, 5, 7, 9]
        );
        assert_eq!(
            coefficients.band(1, Band::H).unwrap().to_vec(),
            [1, 3, 6, 8]
        );
    }

    #[test]
    fn the_wrong_number_of_coefficients_is_an_error() {
        let transform = Transform::new(Wavelet::CDF_5_3, [2, 5]);
        assert!(Coefficients::<i32>::from_parts(&transform, vec![0; 9]).is_err());
    }
}
