//! From a kernel's description to a kernel that runs: source, build, cache, launch.

use super::context::{Shared, opencl};
use crate::error::{Error, Result};
use crate::strategy::Kernel;
use crate::transform::geometry::Arguments;
use opencl3::error_codes::{CL_SUCCESS, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE};
use opencl3::event::Event;
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::{Buffer, ClMem};
use opencl3::program::Program;
use std::sync::Arc;

/// The folder cl/, as it is compiled in.
const SOURCES: [(&str, &str); 28] = [
    ("common.cl", include_str!("../../cl/common.cl")),
    ("boundary.cl", include_str!("../../cl/boundary.cl")),
    ("border_lines.cl", include_str!("../../cl/border_lines.cl")),
    ("border.cl", include_str!("../../cl/border.cl")),
    ("four_pairs.cl", include_str!("../../cl/four_pairs.cl")),
    (
        "row_four_pairs.cl",
        include_str!("../../cl/row_four_pairs.cl"),
    ),
    (
        "column_four_pairs.cl",
        include_str!("../../cl/column_four_pairs.cl"),
    ),
    ("exchange.cl", include_str!("../../cl/exchange.cl")),
    ("plane.cl", include_str!("../../cl/plane.cl")),
    ("tile_2d.cl", include_str!("../../cl/tile_2d.cl")),
    ("frame_2d.cl", include_str!("../../cl/frame_2d.cl")),
    (
        "streamed_lifting.cl",
        include_str!("../../cl/streamed_lifting.cl"),
    ),
    (
        "streamed_rows.cl",
        include_str!("../../cl/streamed_rows.cl"),
    ),
    ("streamed_2d.cl", include_str!("../../cl/streamed_2d.cl")),
    (
        "two_levels_2d.cl",
        include_str!("../../cl/two_levels_2d.cl"),
    ),
    ("vectors.cl", include_str!("../../cl/vectors.cl")),
    ("lanes.cl", include_str!("../../cl/lanes.cl")),
    ("pairs.cl", include_str!("../../cl/pairs.cl")),
    ("pipeline_x.cl", include_str!("../../cl/pipeline_x.cl")),
    ("pipeline_y.cl", include_str!("../../cl/pipeline_y.cl")),
    ("row_vectors.cl", include_str!("../../cl/row_vectors.cl")),
    (
        "column_vectors.cl",
        include_str!("../../cl/column_vectors.cl"),
    ),
    ("row_buffers.cl", include_str!("../../cl/row_buffers.cl")),
    ("results.cl", include_str!("../../cl/results.cl")),
    ("patch_2d.cl", include_str!("../../cl/patch_2d.cl")),
    ("tail_2d.cl", include_str!("../../cl/tail_2d.cl")),
    (
        "single_loop_2d.cl",
        include_str!("../../cl/single_loop_2d.cl"),
    ),
    ("stepwise.cl", include_str!("../../cl/stepwise.cl")),
];

/// Version 1.2 of OpenCL C is what every device can compile. Warnings are found when the kernels are written
/// (scripts/kernels compiles all of them with every warning on); a user has no use for them, and NVIDIA's and Intel's
/// compilers would count them on the terminal.
const OPTIONS: &str = "-cl-std=CL1.2 -w";

/// The source of a kernel: the prelude, the sizes that the kernel leaves open, then its files. The
/// compiler's messages name the files.
pub(crate) fn source(prelude: &str, kernel: &Kernel) -> String {
    let mut text = format!("#line 1 \"prelude\"\n{prelude}#line 1 \"sizes\"\n");
    for (name, value) in &kernel.defines {
        text += &format!("#define {name} {value}\n");
    }
    for name in ["common.cl"].iter().chain(kernel.parts) {
        let (_, part) = SOURCES
            .iter()
            .find(|(source, _)| source == name)
            .expect("every part of a kernel is a file in cl/");
        text += &format!("#line 1 \"{name}\"\n{part}");
    }
    text
}

/// Builds `source` for the engine's device, or takes it from the engine's cache.
pub(crate) fn build(shared: &Shared, source: String) -> Result<Arc<Program>> {
    let mut programs = shared
        .programs
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(program) = programs.get(&source) {
        return Ok(program.clone());
    }
    log::trace!("building\n{source}");
    let mut program = Program::create_from_source(&shared.context, &source)
        .map_err(opencl("clCreateProgramWithSource"))?;
    let device = shared.device.handle.id();
    if program.build(&[device], OPTIONS).is_err() {
        return Err(Error::Build {
            device: shared.device.to_string(),
            log: program.get_build_log(device).unwrap_or_default(),
        });
    }
    let program = Arc::new(program);
    programs.insert(source, program.clone());
    Ok(program)
}

/// A kernel ready to be launched on (from, to, corner, arguments).
#[derive(Debug)]
pub(crate) struct PassKernel {
    kernel: ClKernel,
    group: [usize; 2],
}

impl PassKernel {
    /// Builds a kernel. The second result is how many work-items it allows in a work-group, which can be
    /// fewer than planned.
    pub fn new(shared: &Shared, prelude: &str, kernel: &Kernel) -> Result<(Self, usize)> {
        let program = build(shared, source(prelude, kernel))?;
        let built = ClKernel::create(&program, kernel.name).map_err(opencl("clCreateKernel"))?;
        let allowed = built
            .get_work_group_size(shared.device.handle.id())
            .map_err(opencl("clGetKernelWorkGroupInfo"))?;
        let group = kernel.group;
        Ok((
            PassKernel {
                kernel: built,
                group,
            },
            allowed,
        ))
    }

    /// Enqueues `groups` work-groups, with an event if one is wanted. Kernels of one plan are launched by one
    /// thread at a time.
    pub fn launch<T>(
        &self,
        shared: &Shared,
        [from, to, corner]: [&Buffer<T>; 3],
        arguments: &Arguments,
        groups: usize,
        event: bool,
    ) -> Result<Option<Event>> {
        let global = [groups * self.group[0], self.group[1]];
        // SAFETY: every kernel made by `new` takes three buffers and a `Pass`, whose layout in cl/common.cl
        // is that of `Arguments`. The buffers hold as many samples as the arguments address: a plan checks
        // its callers' arrays and sizes its own.
        unsafe {
            enqueue(
                shared,
                &self.kernel,
                [from, to, corner],
                arguments,
                global,
                self.group,
                event,
            )
        }
    }
}

/// Sets a kernel's arguments, some buffers and one thing more, and enqueues it. An event is made only where one is
/// wanted: on an NVIDIA H200 the next kernel starts 2.7 us later for it.
///
/// # Safety
/// The kernel takes exactly these arguments, and accesses no more of the buffers than there is.
unsafe fn enqueue<T, A: bytemuck::Pod, const BUFFERS: usize, const DIMENSIONS: usize>(
    shared: &Shared,
    kernel: &ClKernel,
    buffers: [&Buffer<T>; BUFFERS],
    argument: &A,
    global: [usize; DIMENSIONS],
    group: [usize; DIMENSIONS],
    wants_event: bool,
) -> Result<Option<Event>> {
    let mut event = std::ptr::null_mut();
    let wanted = if wants_event {
        &raw mut event
    } else {
        std::ptr::null_mut()
    };
    // SAFETY: the arguments are the caller's promise; both sizes have a number for each dimension; queue and kernel
    // are alive, and `wanted` is null or points to a local.
    unsafe {
        for (i, buffer) in buffers.into_iter().enumerate() {
            kernel
                .set_arg(i as u32, &buffer.get())
                .map_err(opencl("clSetKernelArg"))?;
        }
        kernel
            .set_arg(BUFFERS as u32, argument)
            .map_err(opencl("clSetKernelArg"))?;
        let (offset, dimensions) = (std::ptr::null(), DIMENSIONS as u32);
        let (global, group, no_waits) = (global.as_ptr(), group.as_ptr(), std::ptr::null());
        let (queue, kernel) = (shared.queue.get(), kernel.get());
        let status = cl3::load_library().as_ref().ok().and_then(|runtime| {
            runtime.clEnqueueNDRangeKernel(
                queue, kernel, dimensions, offset, global, group, 0, no_waits, wanted,
            )
        });
        let status = status.unwrap_or(DLOPEN_FUNCTION_NOT_AVAILABLE);
        if status != CL_SUCCESS {
            return Err(opencl("clEnqueueNDRangeKernel")(ClError(status)));
        }
    }
    Ok(wants_event.then(|| Event::new(event)))
}

/// The yardstick kernel: copies `bytes` bytes from one buffer to another.
#[derive(Debug)]
pub(crate) struct CopyKernel {
    kernel: ClKernel,
    group: usize,
}

impl CopyKernel {
    pub fn new(shared: &Shared) -> Result<Self> {
        let source = include_str!("../../cl/copy.cl").to_owned();
        let program = build(shared, source)?;
        let kernel = ClKernel::create(&program, "copy").map_err(opencl("clCreateKernel"))?;
        let info = shared.device.info();
        let group = 256.min(info.max_work_group).min(info.max_work_items[0]);
        Ok(CopyKernel { kernel, group })
    }

    /// Enqueues the copy; both buffers must hold at least `bytes` bytes.
    pub fn launch<T>(
        &self,
        shared: &Shared,
        from: &Buffer<T>,
        to: &Buffer<T>,
        bytes: u64,
    ) -> Result<Option<Event>> {
        // One work-item for each 16 bytes, and one for what is left over.
        let items = (bytes / 16 + 1) as usize;
        let global = items.next_multiple_of(self.group);
        // SAFETY: the kernel takes two buffers and their size in bytes, and touches nothing beyond it.
        unsafe {
            enqueue(
                shared,
                &self.kernel,
                [from, to],
                &bytes,
                [global],
                [self.group],
                true,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_concatenated_with_their_names() {
        let kernel = Kernel {
            name: "border",
            parts: &["boundary.cl", "border.cl"],
            defines: vec![("GROUP", 64)],
            group: [64, 1],
        };
        let text = source("#define T float\n", &kernel);
        let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{needle}"));
        assert!(at("#define T float") < at("#define GROUP 64"));
        assert!(at("#define GROUP 64") < at("#line 1 \"common.cl\""));
        assert!(at("#line 1 \"boundary.cl\"") < at("#line 1 \"border.cl\""));
    }

    #[test]
    fn every_file_in_cl_ends_its_last_line() {
        assert!(SOURCES.iter().all(|(_, text)| text.ends_with('\n')));
    }
}
