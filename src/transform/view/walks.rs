//! The places of a sub-band, one by one, in lines and in rows.

use crate::transform::MAX_AXES;
use crate::transform::band::BandBox;

impl BandBox {
    pub(super) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    pub(super) fn place(&self, index: &[usize]) -> Option<usize> {
        let inside =
            index.len() == self.shape.len() && index.iter().zip(&self.shape).all(|(i, n)| i < n);
        let steps = index.iter().zip(&self.strides);
        inside.then(|| self.offset + steps.map(|(i, stride)| i * stride).sum::<usize>())
    }

    /// The places in the array where the band's lines along `axis` start, in row-major order of the
    /// other axes. There are as many where they have no coefficients.
    pub(super) fn starts(&self, axis: usize) -> impl ExactSizeIterator<Item = usize> + use<> {
        let (shape, strides) = (self.shape.clone(), self.strides.clone());
        let others = shape.iter().enumerate().filter(|&(a, _)| a != axis);
        let lines: usize = others.map(|(_, &n)| n).product();
        let (mut index, mut place) = ([0; MAX_AXES], self.offset);
        (0..lines).map(move |_| {
            let start = place;
            for a in (0..shape.len()).rev().filter(|&a| a != axis) {
                index[a] += 1;
                place += strides[a];
                if index[a] < shape[a] {
                    break;
                }
                place -= strides[a] * shape[a];
                index[a] = 0;
            }
            start
        })
    }

    /// The number of coefficients of a line along `axis`, and the distance between two.
    pub(super) fn line(&self, axis: usize) -> (usize, usize) {
        (self.shape[axis], self.strides[axis])
    }

    /// The last transformed axis.
    pub(super) fn x(&self) -> usize {
        self.picture[1].unwrap_or(self.last())
    }

    /// The last axis of the array: its lines, one after the other, are the band in row-major order.
    pub(super) fn last(&self) -> usize {
        self.shape.len() - 1
    }

    /// Where a row is, if it is in one piece: along x, counted over all other
    /// axes in row-major order.
    pub(super) fn row(&self, mut i: usize) -> Option<std::ops::Range<usize>> {
        let (count, stride) = self.line(self.x());
        let mut start = self.offset;
        for a in (0..self.shape.len()).rev().filter(|&a| a != self.x()) {
            start += i.checked_rem(self.shape[a])? * self.strides[a];
            i /= self.shape[a];
        }
        let exists = i == 0 && (stride == 1 || count <= 1);
        exists.then_some(start..start + count)
    }
}

/// An iterator that knows how many items are left.
pub(super) struct Counted<I> {
    pub items: I,
    pub left: usize,
}

impl<I: Iterator> Iterator for Counted<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.items.next()?;
        self.left -= 1;
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for Counted<I> {}
