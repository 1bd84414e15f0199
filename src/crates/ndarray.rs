//! The feature `ndarray`: coefficients and sub-bands as views of ndarray, where they stand, and
//! plans that take its arrays.

use crate::error::{Error, Result};
use crate::runtime::Plan;
use crate::transform::{BandView, BandViewMut, Coefficients, Transform};
use crate::wavelet::{Element, Sample};
use ndarray::{
    ArrayBase, ArrayD, ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, Data, Dimension, IxDyn,
    ShapeBuilder, StrideShape,
};

/// Requires the feature `ndarray`.
impl<T: Sample> Coefficients<T> {
    /// Returns all coefficients as a view of the transform's shape, in its
    /// layout, without copying them.
    pub fn as_array(&self) -> ArrayViewD<'_, T> {
        ArrayView::from_shape(self.transform().shape(), self.as_slice())
            .expect("as many as the shape has")
    }

    /// Returns all coefficients as a view of the transform's shape, in its
    /// layout, for modification.
    pub fn as_array_mut(&mut self) -> ArrayViewMutD<'_, T> {
        let shape = self.transform().shape().to_vec();
        ArrayViewMut::from_shape(shape, self.as_mut_slice()).expect("as many as the shape has")
    }

    /// Returns the coefficients as an array of the transform's shape, in its
    /// layout, without copying them.
    pub fn into_array(self) -> ArrayD<T> {
        let shape = self.transform().shape().to_vec();
        ArrayD::from_shape_vec(shape, self.into_vec()).expect("as many as the shape has")
    }
}

/// Requires the feature `ndarray`.
impl<'a, T: Sample> BandView<'a, T> {
    /// Returns the band as a view of ndarray, where it stands among the coefficients.
    ///
    /// ```
    /// use wavelift::{Band, Coefficients, Transform, Wavelet};
    /// let transform = Transform::new(Wavelet::CDF_9_7, [6, 8]);
    /// let coefficients = Coefficients::<f32>::zeros(&transform)?;
    /// let hl = coefficients.band(1, Band::HL)?.as_array();
    /// assert_eq!((hl.shape(), hl.sum()), (&[3, 4][..], 0.0));
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    pub fn as_array(&self) -> ArrayViewD<'a, T> {
        let data = self.array().get(self.offset()..).unwrap_or_default();
        ArrayView::from_shape(strided(self.shape(), self.strides()), data)
            .expect("a band lies in its array")
    }
}

/// Requires the feature `ndarray`.
impl<T: Sample> BandViewMut<'_, T> {
    /// Returns the band as a view of ndarray, where it stands among the coefficients.
    pub fn as_array(&self) -> ArrayViewD<'_, T> {
        let data = self.array().get(self.offset()..).unwrap_or_default();
        ArrayView::from_shape(strided(self.shape(), self.strides()), data)
            .expect("a band lies in its array")
    }

    /// Returns the band as a view of ndarray for modification, where it
    /// stands among the coefficients.
    ///
    /// With the feature `rayon`, several threads walk it:
    /// ```
    /// # use wavelift::{Band, Coefficients, Transform, Wavelet};
    /// # let transform = Transform::new(Wavelet::CDF_9_7, [6, 8]);
    /// # let mut coefficients = Coefficients::<f32>::zeros(&transform)?;
    /// let mut hh = coefficients.band_mut(1, Band::HH)?;
    /// # #[cfg(feature = "rayon")]
    /// hh.as_array_mut().par_mapv_inplace(|value| value.signum() * (value.abs() - 0.1).max(0.0));
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    pub fn as_array_mut(&mut self) -> ArrayViewMutD<'_, T> {
        let (shape, offset) = (strided(self.shape(), self.strides()), self.offset());
        let data = self.array_mut().get_mut(offset..).unwrap_or_default();
        ArrayViewMut::from_shape(shape, data)
            .expect("the places of a band are distinct and lie in its array")
    }
}

/// Requires the feature `ndarray`.
impl<T: Sample, P: Element> Plan<T, P> {
    /// Transforms an array of samples, or of the pixels of a plan of these, which must
    /// have the transform's shape, into coefficients. An array that is not row-major
    /// and dense is copied first.
    ///
    /// # Errors
    /// [`Error::Shape`] for an array of another shape; all others are those of
    /// [`forward`](Self::forward).
    pub fn forward_array<S, D>(&self, samples: &ArrayBase<S, D>) -> Result<Coefficients<T>>
    where
        S: Data<Elem = P>,
        D: Dimension,
    {
        check_shape(self.transform(), samples.shape())?;
        let dense = samples.as_standard_layout();
        self.forward(dense.as_slice().expect("in standard layout"))
    }

    /// Transforms coefficients back into an array of samples, or of pixels,
    /// of the transform's shape.
    ///
    /// # Errors
    /// As [`inverse`](Self::inverse).
    pub fn inverse_array(&self, coefficients: &Coefficients<T>) -> Result<ArrayD<P>> {
        let samples = self.inverse(coefficients)?;
        let shape = self.transform().shape();
        Ok(ArrayD::from_shape_vec(shape, samples).expect("as many as the shape has"))
    }
}

fn strided(shape: &[usize], strides: &[usize]) -> StrideShape<IxDyn> {
    IxDyn(shape).strides(IxDyn(strides))
}

fn check_shape(transform: &Transform, got: &[usize]) -> Result<()> {
    if got == transform.shape() {
        return Ok(());
    }
    Err(Error::Shape {
        what: "the array's shape",
        expected: format!("{:?}", transform.shape()),
        got: format!("{got:?}"),
    })
}
