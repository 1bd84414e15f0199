//! The coefficients of a transform on the host.

use super::band::Band;
use super::view::{BandView, BandViewMut};
use crate::error::{Error, Result, check_length};
use crate::transform::Transform;
use crate::wavelet::{Element, Sample};
use std::fmt;

/// The coefficients of a transform, on the host: an array of the transform's shape, in its layout.
///
/// ```
/// use wavelift::{Band, Coefficients, Transform, Wavelet, reference};
///
/// let transform = Transform::new(Wavelet::CDF_5_3, [4, 6]).levels(2);
/// let samples: Vec<i32> = (0..24).collect();
/// // As from `Plan::forward`; the reference needs no device.
/// let data = reference::forward(&transform, &samples)?;
/// let mut coefficients = Coefficients::from_parts(&transform, data)?;
///
/// // The finest details along x: two rows of three. A view reads them where they stand.
/// let details = coefficients.band(1, Band::HL)?;
/// assert_eq!((details.rows(), details.cols()), (2, 3));
///
/// // Without them the picture is smoother.
/// coefficients.band_mut(1, Band::HL)?.apply(|_| 0);
/// let smoother = reference::inverse(&transform, coefficients.as_slice())?;
/// assert_eq!(smoother.len(), 24);
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Coefficients<T: Sample> {
    transform: Transform,
    data: Vec<T>,
}

/// The first few of them: pictures have millions.
impl<T: Sample> fmt::Debug for Coefficients<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coefficients")
            .field("transform", &self.transform)
            .field("first", &&self.data[..self.data.len().min(8)])
            .finish_non_exhaustive()
    }
}

impl<T: Sample> Coefficients<T> {
    /// Wraps `data`, the coefficients of `transform` in its layout, without copying them.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`Transform::check`] refuses; [`Error::Length`] if the
    /// number of coefficients is not that of the shape.
    pub fn from_parts(transform: &Transform, data: Vec<T>) -> Result<Self> {
        transform.check()?;
        check_length("the data", data.len(), transform.len())?;
        let transform = transform.clone();
        Ok(Coefficients { transform, data })
    }

    /// Makes coefficients of `transform` that are all zero.
    ///
    /// # Errors
    /// [`Error::Shape`] for a transform that [`Transform::check`] refuses; [`Error::HostMemory`] if
    /// there is not enough memory.
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

    /// Returns the array of coefficients itself, row-major in the transform's shape and
    /// layout, without copying it.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// Returns a view of a sub-band of a level; level 1 is the finest. Of the low-pass bands only
    /// that of the coarsest level is kept. A band may be empty.
    ///
    /// # Errors
    /// [`Error::Shape`] for a band that the coefficients do not have.
    pub fn band(&self, level: u32, band: Band) -> Result<BandView<'_, T>> {
        let at = self.transform.band_box(level, band)?;
        Ok(BandView::new(&self.data, at))
    }

    /// Returns a view through which a sub-band of a level can be changed; see [`band`](Self::band).
    ///
    /// # Errors
    /// [`Error::Shape`] for a band that the coefficients do not have.
    pub fn band_mut(&mut self, level: u32, band: Band) -> Result<BandViewMut<'_, T>> {
        let at = self.transform.band_box(level, band)?;
        Ok(BandViewMut::new(&mut self.data, at))
    }
}

/// As many zeros, or an error where `vec!` would abort the program; `what` names them.
pub(crate) fn zeroed<T: Element>(what: &'static str, len: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostMemory {
        what,
        needed: (len as u64).saturating_mul(size_of::<T>() as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavelet::Wavelet;

    #[test]
    fn the_wrong_number_of_coefficients_is_an_error() {
        let transform = Transform::new(Wavelet::CDF_5_3, [2, 5]);
        assert!(Coefficients::<i32>::from_parts(&transform, vec![0; 9]).is_err());
    }
}
