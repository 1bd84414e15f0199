//! What only the report on the papers runs (cl/papers), behind the feature `papers`: parts of
//! kernels, variants that no plan uses, and a yardstick. No strategy and no planner knows of it.

mod bottleneck;
mod filtering;
mod rate;
mod variant;

pub use bottleneck::{Bottleneck, Probe};
pub use filtering::{Filter, Filtering};
pub use rate::arithmetic_rate;
pub use variant::{Study, Variant};

use super::acquire::Enqueued;
use super::context::opencl;
use super::engine::Engine;
use super::handle::Handle;
use super::launch::{Sync, enqueue};
use super::program::{build, source};
use super::run::Run;
use crate::device::DeviceInfo;
use crate::error::Result;
use crate::strategy::Kernel;
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::Buffer;

fn kernel_of(
    file: &'static str,
    name: &'static str,
    defines: &[(&str, String)],
    group: usize,
) -> Kernel {
    let defines = defines.iter().cloned();
    Kernel {
        name,
        file,
        defines: defines
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        group: [group, 1],
    }
}

/// The name of the kernel and the source of every program that the report on the papers builds on
/// such a device, besides those of plans. Makes no OpenCL call: the device can be an imaginary one.
///
/// # Errors
/// As for a plan by `Strategy::RegisterBlock`.
pub fn paper_sources(device: &DeviceInfo, variants: &[Variant]) -> Result<Vec<(String, String)>> {
    let mut sources = bottleneck::sources(device)?;
    let alone = |kernel: Kernel| (kernel.name.to_owned(), source("", &kernel, ""));
    sources.extend([false, true].map(|reals| alone(rate::kernel(reals, 64))));
    for &variant in variants {
        let names = variant::kernel_names(variant);
        sources.extend(
            names
                .iter()
                .map(|name| alone(variant::kernel(variant, name))),
        );
    }
    sources.extend(filtering::sources());
    Ok(sources)
}

/// A kernel of cl/papers on some buffers and some `int`s.
struct PaperKernel {
    kernel: Handle<ClKernel>,
    group: usize,
}

impl PaperKernel {
    fn new(engine: &Engine, prelude: &str, kernel: &Kernel) -> Result<Self> {
        let text = source(prelude, kernel, engine.device().lie());
        let program = build(&engine.site.shared, text, kernel.fence())?;
        let built = ClKernel::create(&program, kernel.name).map_err(opencl("clCreateKernel"))?;
        Ok(PaperKernel {
            kernel: built.into(),
            group: kernel.group[0],
        })
    }

    /// Enqueues so many work-groups.
    ///
    /// # Safety
    /// The kernel takes these buffers, and then a struct of these `int`s if there are any, and
    /// accesses no more of the buffers than there is.
    unsafe fn enqueue<T, const BUFFERS: usize>(
        &self,
        engine: &Engine,
        buffers: [&Buffer<T>; BUFFERS],
        values: &[i32],
        groups: usize,
    ) -> Result<Run> {
        let queue = &engine.site.queue;
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let arguments: &[&[u8]] = if values.is_empty() { &[] } else { &[bytes] };
        let sync = Sync {
            waits: &[],
            wants_event: true,
        };
        let [global, group] = [[groups * self.group], [self.group]];
        // SAFETY: the caller's promise.
        let event =
            unsafe { enqueue(queue, &self.kernel, buffers, arguments, global, group, sync) }?;
        let work = event.into_iter().collect();
        let released = None;
        Run::of(queue, Enqueued { work, released }, 1)
    }
}
