//! What compilers refuse, and how kernels are built for a design without it.

use super::context::Shared;
use super::program::PassKernel;
use crate::device::{DeviceInfo, Exchange, Fence, described};
use crate::error::{Error, Result};
use crate::strategy::Kernel;

/// What the compiler of a device did not allow so far.
#[derive(Clone, Default)]
pub(crate) struct Refused {
    /// Kernels that allow smaller work-groups than the device does.
    pub groups: Vec<(&'static str, usize)>,
    /// Kernels that cannot exchange as the probe does, or whose work-groups do not see what others
    /// stored, and the device with what is left to them. By name: what a kernel of one level is
    /// refused, that of the next level need not try.
    pub ways: Vec<(&'static str, DeviceInfo)>,
}

/// Builds the kernels of a design's passes, in their order. Where a kernel allows smaller
/// work-groups than the device does, or cannot exchange as the device does, or has a fence that the
/// device does not, `design` is asked again without that for that kernel.
///
/// # Errors
/// Those of `design`; [`Error::Unsupported`] where no design is small enough;
/// [`Error::Build`] and [`Error::OpenCl`].
pub(crate) fn build_kernels<D>(
    shared: &Shared,
    prelude: &str,
    refused: &mut Refused,
    design: impl Fn(&Refused) -> Result<D>,
    kernels: impl Fn(&D) -> Vec<&Kernel>,
) -> Result<(D, Vec<PassKernel>)> {
    'again: loop {
        let design = design(refused)?;
        let mut built = Vec::new();
        for kernel in kernels(&design) {
            let shown = shared.prove(kernel.fence());
            let (ready, allowed) =
                match shown.and_then(|()| PassKernel::new(shared, prelude, kernel)) {
                    Ok(ready) => ready,
                    Err(Error::OpenCl { call, name, code }) => {
                        return Err(Error::OpenCl { call, name, code });
                    }
                    Err(why) if kernel.fence().is_of_c() => {
                        refused.atomics(shared, kernel, &why);
                        continue 'again;
                    }
                    Err(why) if kernel.way().is_some() => {
                        refused.exchange(shared, kernel, why)?;
                        continue 'again;
                    }
                    Err(error) => return Err(error),
                };
            let (name, wanted) = (kernel.name, kernel.group.iter().product());
            if allowed >= wanted {
                built.push(ready);
                continue;
            }
            let mut known = refused.groups.iter();
            // No smaller design, or none that is small enough.
            if allowed == 0 || known.any(|(known, limit)| *known == name && allowed >= *limit) {
                return Err(Error::Unsupported {
                    what: format!("kernel `{name}`"),
                    why: format!("{} cannot run it", shared.device),
                });
            }
            log::debug!("`{name}` allows {allowed} work-items, not {wanted}");
            refused.groups.push((name, allowed));
            continue 'again;
        }
        return Ok((design, built));
    }
}

impl Refused {
    /// Leaves a kernel that cannot exchange as designed, for this reason, the
    /// next of the device's ways.
    ///
    /// # Errors
    /// The reason, where no way is left.
    pub fn exchange(&mut self, shared: &Shared, kernel: &Kernel, why: Error) -> Result<()> {
        let way = kernel.way().unwrap_or((Exchange::None, 1));
        // A design that did not take the way that this kernel was left would be asked for ever.
        let is_left = |next: &DeviceInfo| {
            let next = (kernel.name, next.exchange, next.lanes);
            let mut all = self.ways.iter();
            all.any(|(name, left)| (*name, left.exchange, left.lanes) == next)
        };
        let Some(next) = shared.way_after(way).filter(|next| !is_left(next)) else {
            return Err(why);
        };
        log::warn!(
            "`{}` does without exchange by {} on {next}, and takes the next way, {}: {why}",
            kernel.name,
            described(way),
            described((next.exchange, next.lanes)),
        );
        self.leave(kernel, next);
        Ok(())
    }

    /// Leaves a kernel that has a fence of OpenCL C, for this reason, none.
    fn atomics(&mut self, shared: &Shared, kernel: &Kernel, why: &Error) {
        let (name, fence) = (kernel.name, kernel.fence());
        log::warn!("`{name}` does without the fence {fence}: {why}");
        let known = self.ways.iter().find(|(known, _)| *known == name);
        let device = known.map_or(shared.device.info(), |(_, device)| device);
        let left = DeviceInfo {
            atomics: Fence::None,
            ..device.clone()
        };
        self.leave(kernel, left);
    }

    fn leave(&mut self, kernel: &Kernel, device: DeviceInfo) {
        self.ways.retain(|(known, _)| *known != kernel.name);
        self.ways.push((kernel.name, device));
    }
}
