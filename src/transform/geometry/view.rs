//! Arrays seen at one level.

use super::Axis;
use crate::transform::{Layout, Region, Transform};

/// How the two channels of an axis lie in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Samples in the order of the signal: the axis is not transformed yet, or never.
    Signal,
    /// All approximations, then all details.
    Planar,
    /// Each coefficient where its sample was.
    Interleaved,
}

/// An array as one level sees it: its shape there, where it starts, and per axis the stride
/// and the order of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub offset: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub order: Vec<Order>,
}

impl View {
    /// A dense array of `shape`, all axes in signal order.
    pub fn dense(shape: &[usize]) -> Self {
        View::of_region(&Region::dense(shape))
    }

    /// The array that stands in a region, all axes in signal order.
    pub fn of_region(region: &Region) -> Self {
        let axes = region.shape().iter().zip(region.strides());
        View {
            offset: region.offset(),
            shape: region.shape().to_vec(),
            // A stride that leads nowhere may be any number.
            strides: axes
                .map(|(&n, &stride)| if n > 1 { stride } else { 1 })
                .collect(),
            order: vec![Order::Signal; region.shape().len()],
        }
    }

    /// The place of level `number` (1 is the finest) in coefficients in the transform's layout that
    /// stand in a region, before its axes are transformed.
    pub fn of_level(transform: &Transform, region: &Region, number: u32) -> Self {
        let mut view = View::of_region(region);
        view.shape = transform.shape_after(number - 1);
        if transform.layout == Layout::Interleaved {
            for &axis in &transform.axes {
                if view.shape[axis] > 1 {
                    view.strides[axis] <<= number - 1;
                }
            }
        }
        view
    }

    /// The same with `axes` transformed, their channels in `order`.
    pub fn with_order(mut self, axes: &[usize], order: Order) -> Self {
        for &axis in axes {
            self.order[axis] = order;
        }
        self
    }

    /// The channels of `axis` as the axis of a pass.
    pub(super) fn along(&self, axis: usize) -> Axis {
        let stride = self.strides[axis] as i64;
        match self.order[axis] {
            Order::Planar => Axis {
                stride,
                detail: stride * self.shape[axis].div_ceil(2) as i64,
            },
            Order::Signal | Order::Interleaved => Axis {
                stride: 2 * stride,
                detail: stride,
            },
        }
    }

    /// The places of lines across `axis`, the first `low` of which are low-pass.
    pub(super) fn across(&self, axis: usize, low: usize) -> Axis {
        let stride = self.strides[axis] as i64;
        match self.order[axis] {
            Order::Signal | Order::Planar => Axis {
                stride,
                detail: stride * low as i64,
            },
            Order::Interleaved => Axis {
                stride: 2 * stride,
                detail: stride,
            },
        }
    }
}
