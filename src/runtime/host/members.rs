//! The devices that take the tiles of a transform: one, or those of a group, each by a thread of
//! its own. All are done with a stage before the next one, which reads what they wrote.

use super::carrier::Carrier;
use super::crew::Crew;
use super::sweep::Sweep;
use super::threads::host_threads;
use super::tile_plans::Tiles;
use super::traffic::Traffic;
use crate::error::{Error, Result};
use crate::runtime::context::Site;
use crate::wavelet::Sample;
use std::thread;

/// A device, and its tiles on their way.
struct Member<T: Sample> {
    carrier: Carrier<T>,
    /// Whether it is left out.
    has_failed: bool,
}

pub(super) struct Members<T: Sample> {
    sites: Vec<Site>,
    all: Vec<Member<T>>,
    /// How the first one failed in this call.
    first: Option<Error>,
}

impl<T: Sample> Members<T> {
    pub fn new(sites: &[Site]) -> Self {
        let member = |_| Member {
            carrier: Carrier::default(),
            has_failed: false,
        };
        Members {
            sites: sites.to_vec(),
            all: sites.iter().map(member).collect(),
            first: None,
        }
    }

    /// Gives up what takes tiles to the devices.
    pub fn clear(&mut self) {
        self.all
            .iter_mut()
            .for_each(|one| one.carrier = Carrier::default());
    }

    /// A call begins. A device that failed in an earlier one stays out, unless all have.
    pub fn begin(&mut self) {
        self.first = None;
        if self.all.iter().all(|one| one.has_failed) {
            self.all.iter_mut().for_each(|one| one.has_failed = false);
        }
    }

    /// The engine of each device, but for those that are left out.
    pub fn able(&self) -> Vec<Option<&Site>> {
        let both = self.all.iter().zip(&self.sites);
        both.map(|(one, site)| (!one.has_failed).then_some(site))
            .collect()
    }

    /// Makes what is missing for tiles to be on their way.
    ///
    /// # Errors
    /// `Error::Memory` where any device has none left for such tiles; the first error
    /// where every device fails.
    pub fn fill(&mut self, tiles: &Tiles<T>) -> Result<()> {
        let (mut failures, mut memory) = (Vec::new(), Ok(()));
        for (device, one) in self.all.iter_mut().enumerate() {
            if one.has_failed {
                continue;
            }
            match tiles.fill(device, &self.sites[device], &mut one.carrier) {
                Ok(()) => {}
                Err(error @ Error::Memory { .. }) => memory = Err(error),
                Err(error) => failures.push((device, error)),
            }
        }
        self.leave_out(failures)?;
        memory
    }

    /// Leaves out devices that failed, with a warning, as long as there are others.
    fn leave_out(&mut self, failures: Vec<(usize, Error)>) -> Result<()> {
        for (device, error) in &failures {
            self.all[*device].has_failed = true;
            self.first.get_or_insert_with(|| error.clone());
        }
        if let Some(first) = &self.first
            && self.all.iter().all(|one| one.has_failed)
        {
            return Err(first.clone());
        }
        for (device, error) in failures {
            let device = &self.sites[device].shared.device;
            log::warn!("{device} failed ({error}): its tiles are done by others");
        }
        Ok(())
    }

    /// Takes all tiles of a stage, of which the largest has so many samples, from arrays to arrays,
    /// and tells now and then how many are done.
    pub fn carry(
        &mut self,
        sweep: &Sweep<T>,
        largest: usize,
        mut tell: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let mut told = 0;
        loop {
            self.round(sweep, largest, &mut told, &mut tell);
            let (failures, is_left) = sweep.pile.failures()?;
            self.leave_out(failures)?;
            if !is_left {
                return Ok(());
            }
        }
    }

    /// Has every device that did not fail take tiles until there are none, and tells of more
    /// tiles than were told of.
    fn round(
        &mut self,
        sweep: &Sweep<T>,
        largest: usize,
        told: &mut u64,
        tell: &mut impl FnMut(u64) -> Result<()>,
    ) {
        let (pile, devices) = (sweep.pile, self.all.len());
        let both = self.all.iter_mut().zip(&self.sites).enumerate();
        let mut able = both.filter(|(_, (one, _))| !one.has_failed);
        let Some((first, (member, site))) = able.next() else {
            return;
        };
        let threads = |site| host_threads(site, largest * size_of::<T>(), devices);
        thread::scope(|scope| {
            let mut working = pile.start(first);
            for (device, (member, site)) in able {
                let mut working = pile.start(device);
                let work = move || {
                    let done = || pile.settle(device).map(drop);
                    let sweep = sweep.on(device);
                    working.end(member.carry(&sweep, threads(site), done));
                };
                // Where there is no thread to be had, the others do more.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            let done = || {
                *told = pile.settle(first)?;
                tell(*told)
            };
            working.end(member.carry(&sweep.on(first), threads(site), done));
            while let Some(done) = pile.more_than(*told) {
                *told = done;
                if let Err(error) = tell(done) {
                    pile.stop(error);
                }
            }
        });
    }
}

impl<T: Sample> Member<T> {
    /// Takes tiles from arrays to arrays as long as there are any, and calls `done` after each.
    fn carry(
        &mut self,
        sweep: &Sweep<T>,
        threads: usize,
        done: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let Carrier { slots, conveyor } = &mut self.carrier;
        let crew = Crew::new();
        let mut traffic = Traffic::new(slots);
        thread::scope(|scope| {
            // Where this thread makes calls all the time, others copy.
            let others = threads - usize::from(conveyor.is_none());
            let _over = crew.start(scope, others);
            match conveyor {
                Some(conveyor) => conveyor.carry(&crew, sweep, done),
                None => traffic.carry(&crew, sweep, done),
            }
        })
    }
}
