//! What a pass works between, and the lines, pictures and volumes that it has there.

use super::{Axis, Geometry, Order, View};

/// What a pass, or several, work between: the signal before, the sub-bands after, and a dense array
/// of its own for the low band that the next level reads, if one follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    pub signal: View,
    pub bands: View,
    pub low: Option<View>,
}

impl Sides {
    /// The lines along `axis`, the other axes across in this order. Lines are counted in channel
    /// order on every axis that is transformed on either side.
    fn lines_across(&self, axis: usize, others: &[usize]) -> Geometry {
        let mut geometry = Geometry {
            samples: self.signal.shape[axis] as i32,
            lines: 1,
            across: [1; 3],
            low_across: [1; 3],
            has_low: i32::from(self.low.is_some()),
            ..Geometry::default()
        };
        geometry.signal.offset = self.signal.offset as i64;
        geometry.bands.offset = self.bands.offset as i64;
        geometry.signal.line = self.signal.along(axis);
        geometry.bands.line = self.bands.along(axis);
        let strides = |axis: usize| self.low.as_ref().map_or(0, |low| low.strides[axis] as i64);
        geometry.low.line.stride = strides(axis);
        for (i, &other) in others.iter().enumerate() {
            let extent = self.signal.shape[other];
            let is_signal = |view: &View| view.order[other] == Order::Signal;
            let low = if is_signal(&self.signal) && is_signal(&self.bands) {
                extent
            } else {
                extent.div_ceil(2)
            };
            geometry.across[i] = extent as i32;
            geometry.low_across[i] = low as i32;
            geometry.lines = geometry.lines.saturating_mul(extent as i32);
            geometry.signal.across[i] = self.signal.across(other, low);
            geometry.bands.across[i] = self.bands.across(other, low);
            geometry.low.across[i].stride = strides(other);
        }
        geometry
    }

    /// The lines along `axis`, on as few axes across as that takes.
    pub fn lines(&self, axis: usize) -> Geometry {
        folded(self.lines_across(axis, &self.others(&[axis])))
    }

    /// The pictures of a batch that are transformed along `x` and `y` at once: the lines along x,
    /// with y as the first axis across.
    pub fn pictures(&self, y: usize, x: usize) -> Geometry {
        let mut others = vec![y];
        others.extend(self.others(&[x, y]));
        let mut geometry = self.lines_across(x, &others);
        geometry.signal.across[0] = self.signal.along(y);
        geometry.bands.across[0] = self.bands.along(y);
        geometry
    }

    /// The volumes of a batch that are transformed along `x`, `y` and `z` at once: the lines along
    /// x, with y and z as the first axes across.
    pub fn volumes(&self, z: usize, y: usize, x: usize) -> Geometry {
        let mut others = vec![y, z];
        others.extend(self.others(&[x, y, z]));
        let mut geometry = self.lines_across(x, &others);
        for (i, axis) in [y, z].into_iter().enumerate() {
            geometry.signal.across[i] = self.signal.along(axis);
            geometry.bands.across[i] = self.bands.along(axis);
        }
        geometry
    }

    /// The other axes, innermost first, without those of one sample.
    fn others(&self, axes: &[usize]) -> Vec<usize> {
        let shape = &self.signal.shape;
        let is_other = |axis: &usize| !axes.contains(axis) && shape[*axis] > 1;
        (0..shape.len()).rev().filter(is_other).collect()
    }
}

/// The same lines on as few axes across as that takes: kernels take neighbours
/// on the first one together.
fn folded(mut geometry: Geometry) -> Geometry {
    let sides = |g: &Geometry, i: usize| [g.signal.across[i], g.bands.across[i], g.low.across[i]];
    let count = if geometry.has_low == 1 { 3 } else { 2 };
    let mut axes: Vec<(i32, i32, [Axis; 3])> = Vec::new();
    for i in (0..3).filter(|&i| geometry.across[i] > 1) {
        let (extent, mut low) = (geometry.across[i], geometry.low_across[i]);
        let places = sides(&geometry, i);
        // Details that follow their approximations everywhere need no telling apart.
        let follow = |place: &Axis| place.detail == i64::from(low) * place.stride;
        if geometry.has_low == 0 && places[..count].iter().all(follow) {
            low = extent;
        }
        match axes.last_mut() {
            Some((within, within_low, inner))
                if within == within_low
                    && (0..count)
                        .all(|k| places[k].stride == i64::from(*within) * inner[k].stride) =>
            {
                *within_low = *within * low;
                *within *= extent;
                for (inner, outer) in inner.iter_mut().zip(places) {
                    inner.detail = outer.detail;
                }
            }
            _ => axes.push((extent, low, places)),
        }
    }
    for i in 0..3 {
        let (extent, low, places) = axes.get(i).copied().unwrap_or((1, 1, Default::default()));
        (geometry.across[i], geometry.low_across[i]) = (extent, low);
        [
            geometry.signal.across[i],
            geometry.bands.across[i],
            geometry.low.across[i],
        ] = places;
    }
    geometry
}
