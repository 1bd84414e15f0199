//! The plans for the tiles of all stages.
//!
//! All tiles of a stage have the same few shapes, so that there are few plans; slots and arrays are
//! for the largest tile of all stages.

use super::carrier::Carrier;
use super::tile_sizes::{Choice, choose_for_all};
use crate::error::{Error, Result};
use crate::runtime::context::Site;
use crate::runtime::plan::Plan;
use crate::strategy::{Cost, Regions, Stage, Tile};
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample};

/// What is built for some choice of tiles.
pub(super) struct Tiles<T: Sample> {
    pub stages: Vec<PlannedStage<T>>,
    /// Samples of the largest tile.
    pub largest: usize,
    /// How many are on their way at most, on each device.
    most: Vec<usize>,
}

/// A stage, and of each device a plan for every shape of its tiles.
pub(super) struct PlannedStage<T: Sample> {
    pub stage: Stage,
    pub plans: Vec<Vec<Plan<T>>>,
}

impl<T: Sample> PlannedStage<T> {
    fn new(sites: &[Option<&Site>], stage: Stage) -> Result<Self> {
        let plans = sites.iter().map(|site| {
            let Some(site) = site else {
                return Ok(Vec::new());
            };
            let plan = |(shape, _)| {
                let part = stage.transform().with_shape(shape);
                Plan::built(site, &part, &Regions::dense(&part), None, None, None)
            };
            stage.shapes().into_iter().map(plan).collect()
        });
        let plans = plans.collect::<Result<_>>()?;
        Ok(PlannedStage { stage, plans })
    }

    pub fn plan_of(&self, device: usize, tile: &Tile) -> &Plan<T> {
        self.plan_of_shape(device, &tile.shape())
    }

    fn plan_of_shape(&self, device: usize, shape: &[usize]) -> &Plan<T> {
        let plan = |plan: &&Plan<T>| plan.transform().shape() == shape;
        let found = self.plans[device].iter().find(plan);
        found.expect("there is a plan for every shape")
    }

    /// What all tiles together cost on one device, of which there may be millions.
    pub fn cost(&self, device: usize, direction: Direction) -> Cost {
        let of = |(shape, tiles): (Vec<usize>, usize)| {
            let plan = self.plan_of_shape(device, &shape);
            plan.cost(direction).times(tiles as u64)
        };
        self.stage.shapes().into_iter().map(of).sum()
    }
}

impl<T: Sample> Tiles<T> {
    /// Builds the plans of tiles that are as large as what is left of the memory of every engine
    /// allows; none for devices that are left out.
    pub fn new(sites: &[Option<&Site>], transform: &Transform) -> Result<Self> {
        let able: Vec<&Site> = sites.iter().copied().flatten().collect();
        let mut choices = choose_for_all::<T>(&able, transform)?;
        let mut tiles = choices.iter().map(|choice| choice.tiles);
        let most = sites
            .iter()
            .map(|site| site.map_or(0, |_| tiles.next().unwrap_or(0)))
            .collect();
        // All are the same.
        let Choice {
            stages, largest, ..
        } = choices.swap_remove(0);
        let stages = stages
            .into_iter()
            .map(|stage| PlannedStage::new(sites, stage));
        Ok(Tiles {
            stages: stages.collect::<Result<_>>()?,
            largest,
            most,
        })
    }

    /// Whether there are plans for all of these devices.
    pub fn serve(&self, sites: &[Option<&Site>]) -> bool {
        let mut both = self.most.iter().zip(sites);
        both.all(|(&most, site)| most > 0 || site.is_none())
    }

    /// Makes what is missing for tiles to be on their way on a device; for fewer, but one at least,
    /// where there is no memory for all.
    pub fn fill(&self, device: usize, site: &Site, carrier: &mut Carrier<T>) -> Result<()> {
        while carrier.tiles() < self.most[device] {
            match carrier.add_tile(site, self.largest) {
                Err(Error::Memory { .. }) if carrier.tiles() > 0 => break,
                added => added?,
            }
        }
        Ok(())
    }
}
