//! From a problem to kernels that are built: a design is asked for, and asked again without what
//! the device's compiler refuses of it.

use super::context::Site;
use super::lock::lock;
use super::program::PassKernel;
use super::refused::{Refused, build_kernels};
use super::trial::try_kernel;
use crate::error::{Error, Result};
use crate::lifting::prelude::prelude;
use crate::strategy::{self, Design, Kernel, Launch, Problem, Regions, Strategy, Target};
use crate::transform::Transform;
use crate::wavelet::{Element, Sample};

/// The arrays of a plan's own, or how many samples each has: two between
/// takes, then two within them.
pub(super) type Scratch<A> = [A; 4];

/// One direction of a plan, built.
pub(super) struct Built {
    pub launches: Vec<(Launch, PassKernel)>,
    pub scratch: Scratch<usize>,
    pub advice: Option<String>,
    /// Whether the design is the same wherever samples and coefficients start.
    pub takes_any_offset: bool,
}

/// What both directions of a plan advise, once where it is the same.
pub(super) fn advice_of(built: [&Built; 2]) -> Vec<&str> {
    let advice = built.into_iter().filter_map(|one| one.advice.as_deref());
    let mut advice: Vec<&str> = advice.collect();
    advice.dedup();
    advice
}

fn scratch_of(design: &Design) -> Scratch<usize> {
    let ([a, b], [c, d]) = (design.scratch, design.temps);
    [a, b, c, d]
}

/// What designs and builds.
pub(super) struct Builder<'a> {
    pub site: &'a Site,
    /// The strategy that is asked for, if one is.
    pub wanted: Option<&'a Strategy>,
    /// What the compiler refused before, for a plan that is itself on trial: its kernels need none.
    pub on_trial: Option<&'a Refused>,
}

impl Builder<'_> {
    fn target<'a>(&'a self, refused: &'a Refused) -> Target<'a> {
        Target {
            device: self.site.shared.device.info(),
            tuning: &self.site.tuning,
            limits: &refused.groups,
            ways: &refused.ways,
        }
    }

    /// The samples of the scratch arrays that a problem takes.
    pub fn scratch(&self, problem: &Problem) -> Result<Scratch<usize>> {
        let refused = Refused::default();
        Ok(scratch_of(&self.design(problem, &refused)?))
    }

    /// Whether the design is the same wherever samples and coefficients start.
    fn takes_any_offset(&self, problem: &Problem, refused: &Refused) -> Result<bool> {
        let odd = Problem {
            regions: Regions {
                signal: problem.regions.signal.clone().at(1),
                bands: problem.regions.bands.clone().at(1),
            },
            ..problem.clone()
        };
        let [mut one, mut other] = [self.design(problem, refused)?, self.design(&odd, refused)?];
        for launch in one.launches.iter_mut().chain(&mut other.launches) {
            let geometry = &mut launch.pass.geometry;
            (geometry.signal.offset, geometry.bands.offset) = (0, 0);
        }
        Ok(one == other)
    }

    fn design(&self, problem: &Problem, refused: &Refused) -> Result<Design> {
        let strategies = self.wanted.map_or(Strategy::ALL, std::slice::from_ref);
        strategy::plan(problem, &self.target(refused), strategies)
    }

    /// Builds the launches of a problem.
    pub fn build<T: Sample, P: Element>(&self, problem: &Problem) -> Result<Built> {
        let Problem {
            transform,
            sample,
            direction,
            ..
        } = problem;
        let shared = &self.site.shared;
        let prelude = prelude(transform.wavelet(), *sample, *direction);
        let mut refused = self.on_trial.cloned().unwrap_or_default();
        let (design, kernels) = loop {
            let (design, kernels) = build_kernels(
                shared,
                &prelude,
                &mut refused,
                |refused| self.design(problem, refused),
                |design| design.launches.iter().map(|one| &one.pass.kernel).collect(),
            )?;
            match self.wrong::<T, P>(problem, &prelude, &design, &refused)? {
                None => break (design, kernels),
                Some((kernel, why)) => {
                    refused.exchange(shared, kernel, why)?;
                }
            }
        };
        Ok(Built {
            takes_any_offset: self.takes_any_offset(problem, &refused)?,
            scratch: scratch_of(&design),
            advice: design.advice,
            launches: design.launches.into_iter().zip(kernels).collect(),
        })
    }

    /// A kernel whose work-items exchange values in a way that never ran on
    /// hardware, and not as they should.
    ///
    /// # Errors
    /// `Error::Memory` where there is too little for a trial, which says nothing of the kernel.
    fn wrong<'d, T: Sample, P: Element>(
        &self,
        problem: &Problem,
        prelude: &str,
        design: &'d Design,
        refused: &Refused,
    ) -> Result<Option<(&'d Kernel, Error)>> {
        if self.on_trial.is_some() {
            return Ok(None);
        }
        let right = &self.site.shared.right;
        for launch in &design.launches {
            let kernel = &launch.pass.kernel;
            if kernel.way().is_none_or(|(exchange, _)| exchange.is_tried()) {
                continue;
            }
            let known = (prelude.to_owned(), kernel.clone());
            if lock(right).contains(&known) {
                continue;
            }
            let designs = |transform: &Transform| {
                let small = Problem {
                    pixels: problem.pixels,
                    ..Problem::new(transform, problem.sample, problem.direction)
                };
                let design = self.design(&small, refused);
                design.is_ok_and(|one| one.launches.iter().any(|one| one.pass.kernel == *kernel))
            };
            match try_kernel::<T, P>(
                self.site,
                problem,
                self.wanted.copied(),
                refused,
                kernel,
                designs,
            ) {
                Ok(()) => {
                    lock(right).insert(known);
                }
                Err(error @ Error::Memory { .. }) => return Err(error),
                Err(why) => return Ok(Some((kernel, why))),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_of_both_directions_is_given_once() {
        let build = |advice: Option<&str>| Built {
            launches: Vec::new(),
            scratch: [0; 4],
            advice: advice.map(str::to_owned),
            takes_any_offset: true,
        };
        for (forward, inverse, all) in [
            (None, None, &[][..]),
            (Some("a"), None, &["a"]),
            (None, Some("a"), &["a"]),
            (Some("a"), Some("a"), &["a"]),
            (Some("a"), Some("b"), &["a", "b"]),
        ] {
            assert_eq!(advice_of([&build(forward), &build(inverse)]), all);
        }
    }
}
