//! Arrays that are larger than a device's memory, in tiles that are not.
//!
//! A *stage* does the next few levels of an array, tile by tile. A tile goes to the device with as
//! many more samples around it, its halo, as its results depend on, and is there an array like any
//! other: an ordinary plan transforms it by all levels of the stage. What that plan takes for the
//! border of an array spoils results no farther inside than the halo, and these are not used. At
//! the true border a tile ends where the array does, so that the boundary rule of the plan is the
//! one that counts. Where an axis is periodic its first samples depend on its last: one tile is
//! both ends, joined. So kernels and plans know nothing of tiles, every rule and layout is served,
//! and integers are the same bit for bit.
//!
//! A stage of L levels counts in units of 2^L samples, at multiples of which tiles begin: within a
//! tile every level has its approximations where it has them in the array. The low band of a stage
//! is the array of the next one; the last stage does all levels that are left. More levels at once
//! move fewer samples in all but have a longer halo, which is what decides.
//!
//! All of this is plain data, and proven against the reference without a device.

mod cuts;
mod tile;

pub(crate) use tile::{Move, Tile};

use crate::transform::Transform;
use crate::wavelet::{Boundary, SampleType};
use cuts::{Cut, Piece, Way, halo, shrunk};
use std::collections::BTreeMap;

/// Some levels of an array, in tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// Of the array at these levels, and by these levels alone.
    transform: Transform,
    cuts: Vec<Cut>,
    is_last: bool,
}

/// The stages of a transform in tiles of at most so many samples; none where tiles must be larger.
pub(crate) fn stages(transform: &Transform, sample: SampleType, most: usize) -> Option<Vec<Stage>> {
    let mut rest = transform.clone().levels(transform.coarsest());
    let mut stages = Vec::new();
    loop {
        let all = rest.level_count();
        let of = |levels| Stage::new(&rest, sample, levels, most);
        let offers = (all.min(1)..=all).filter_map(of);
        let stage = offers.min_by(|one, other| one.traffic().total_cmp(&other.traffic()))?;
        let done = stage.transform.level_count();
        let shape = rest.shape_after(done);
        rest = rest.with_shape(shape).levels(all - done);
        let is_last = stage.is_last;
        stages.push(stage);
        if is_last {
            return Some(stages);
        }
    }
}

impl Stage {
    /// So many levels of a transform.
    fn new(transform: &Transform, sample: SampleType, levels: u32, most: usize) -> Option<Self> {
        let axes = transform.chosen_axes();
        let stencils = sample.stencils(transform.wavelet())?;
        let is_periodic = transform.boundary_rule() == Boundary::Periodic;
        let lengths = transform.shape().iter().enumerate();
        let ways = lengths.map(|(axis, &length)| {
            let levels = if axes.contains(&axis) { levels } else { 0 };
            let (halo, least) = match levels {
                0 => (0, 1),
                levels => halo(&stencils, levels),
            };
            Way {
                length,
                levels,
                halo,
                least: if is_periodic {
                    2 * least.max(halo)
                } else {
                    least
                },
                is_periodic: is_periodic && levels > 0,
            }
        });
        let ways: Vec<Way> = ways.collect();
        let own = shrunk(&ways, most)?;
        Some(Stage {
            transform: transform.clone().levels(levels),
            cuts: ways
                .iter()
                .zip(own)
                .map(|(way, own)| way.cut(own))
                .collect(),
            is_last: levels == transform.level_count(),
        })
    }

    /// The transform of the array at these levels.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Whether no other stage follows.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// The shape of the low band.
    pub fn low(&self) -> Vec<usize> {
        self.transform.shape_after(self.transform.level_count())
    }

    /// Samples that this stage and, about, all later ones move, per sample of the array.
    fn traffic(&self) -> f64 {
        let along = |cut: &Cut| {
            cut.pieces
                .iter()
                .map(|piece| cut.samples(piece))
                .sum::<usize>()
        };
        let moved: f64 = self
            .cuts
            .iter()
            .map(|cut| along(cut) as f64 / cut.length as f64)
            .product();
        let low = self.low().iter().product::<usize>();
        let later = if self.is_last { 0 } else { low };
        moved + 1.5 * later as f64 / self.transform.len() as f64
    }

    /// The shapes of tiles, each once, and how many tiles have them.
    pub fn shapes(&self) -> Vec<(Vec<usize>, usize)> {
        let mut shapes = vec![(Vec::new(), 1)];
        for cut in &self.cuts {
            let mut lengths = BTreeMap::new();
            for piece in &cut.pieces {
                *lengths.entry(cut.samples(piece)).or_insert(0) += 1;
            }
            let with = |(shape, tiles): (Vec<usize>, usize)| {
                let along = lengths
                    .iter()
                    .map(|(&length, &pieces)| ([&shape[..], &[length]].concat(), tiles * pieces));
                along.collect::<Vec<_>>()
            };
            shapes = shapes.into_iter().flat_map(with).collect();
        }
        shapes
    }

    /// The number of tiles.
    pub fn count(&self) -> usize {
        self.cuts.iter().map(|cut| cut.pieces.len()).product()
    }

    /// One of the tiles, by its place in row-major order.
    pub fn tile(&self, mut number: usize) -> Tile<'_> {
        let mut pieces: Vec<&Piece> = Vec::new();
        for cut in self.cuts.iter().rev() {
            pieces.push(&cut.pieces[number % cut.pieces.len()]);
            number /= cut.pieces.len();
        }
        pieces.reverse();
        Tile {
            stage: self,
            pieces,
        }
    }
}

#[cfg(test)]
mod tests;
