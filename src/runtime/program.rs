//! From a kernel's description to a kernel that runs: source, build, cache.

use super::context::{Shared, opencl};
use super::event::Event;
use super::handle::Handle;
use super::launch::{BoundPass, Sync, enqueue};
use super::lock::lock;
use super::queue::Queue;
use super::sub_groups::check_sub_groups;
use crate::device::{Device, Exchange, Fence};
use crate::error::{Error, Result};
use crate::strategy::Kernel;
use cl3::program::build_program;
use opencl3::context::Context;
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::{Buffer, ClMem};
use opencl3::program::Program;
use std::ffi::CStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

/// Every file of cl/, by its path there; build.rs lists them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cl_files.rs"));

/// Version 1.2 of OpenCL C is what every device can compile; a fence can need another. Warnings are
/// for `make kernels`, which compiles every kernel with all of them; some drivers print them on the
/// user's terminal otherwise.
fn options(fence: Fence) -> &'static CStr {
    match fence {
        Fence::None | Fence::Ptx => c"-cl-std=CL1.2 -w",
        Fence::Cl20 => c"-cl-std=CL2.0 -w",
        Fence::Cl30 => c"-cl-std=CL3.0 -w",
    }
}

/// The source of a kernel: the prelude, what its file leaves open, `more`, then the file with what
/// it includes. The compiler's messages name the files.
pub(crate) fn source(prelude: &str, kernel: &Kernel, more: &str) -> String {
    let mut text = format!("#line 1 \"prelude\"\n{prelude}#line 1 \"sizes\"\n");
    for (name, value) in &kernel.defines {
        text += &format!("#define {name} {value}\n");
    }
    text += more;
    include(kernel.file, &mut Vec::new(), &mut text);
    text
}

/// Appends a file, each of its `#include` lines replaced by the file that it
/// names where it comes first.
fn include(name: &'static str, included: &mut Vec<&'static str>, text: &mut String) {
    included.push(name);
    *text += &format!("#line 1 \"{name}\"\n");
    for (number, line) in file(name).1.lines().enumerate() {
        let inner = line
            .strip_prefix("#include \"")
            .and_then(|rest| rest.strip_suffix('"'));
        match inner.map(|inner| file(inner).0) {
            Some(inner) if !included.contains(&inner) => {
                include(inner, included, text);
                *text += &format!("#line {} \"{name}\"\n", number + 2);
            }
            Some(_) => *text += "\n",
            None => *text += &format!("{line}\n"),
        }
    }
}

fn file(name: &str) -> (&'static str, &'static str) {
    let known = FILES.iter().find(|(known, _)| *known == name);
    *known.unwrap_or_else(|| panic!("there is no cl/{name}"))
}

/// Programs that an engine keeps for later plans, at most: their sources
/// alone have 60 to 80 KB each.
const MOST_PROGRAMS: usize = 1000;

/// Builds `source`, which has this fence, for the engine's device, or takes it
/// from the engine's cache.
pub(crate) fn build(shared: &Shared, source: String, fence: Fence) -> Result<Arc<Handle<Program>>> {
    let mut programs = lock(&shared.programs);
    if let Some(program) = programs.get(&source) {
        return Ok(program.clone());
    }
    let program = Arc::new(compile(&shared.context, &shared.device, &source, fence)?);
    // So an engine that plans for ever new shapes does not grow without bound.
    // Plans keep what they run.
    if programs.len() >= MOST_PROGRAMS
        && let Some(any) = programs.keys().next().cloned()
    {
        programs.remove(&any);
    }
    programs.insert(source, program.clone());
    Ok(program)
}

/// Compiles `source`, which has this fence, for a device.
pub(crate) fn compile(
    context: &Context,
    on: &Device,
    source: &str,
    fence: Fence,
) -> Result<Handle<Program>> {
    log::trace!("building\n{source}");
    let program: Handle<Program> = Program::create_from_source(context, source)
        .map_err(opencl("clCreateProgramWithSource"))?
        .into();
    let device = on.handle.id();
    // Not by opencl3, which asks the program something afterwards, and calls it
    // not built if that fails.
    let built = build_program(
        program.get(),
        &[device],
        options(fence),
        None,
        std::ptr::null_mut(),
    );
    if let Err(code) = built {
        let log = program.get_build_log(device).unwrap_or_default();
        // Compilers have several codes for a program that they reject, and
        // what else fails has no log.
        if code != CL_BUILD_PROGRAM_FAILURE && log.trim().is_empty() {
            return Err(opencl("clBuildProgram")(ClError(code)));
        }
        dump(source, &log);
        return Err(Error::Build {
            device: on.to_string(),
            log,
            program: source.to_owned(),
        });
    }
    Ok(program)
}

/// Writes a rejected program to the folder that `WAVELIFT_DUMP` names, if it
/// does, and the log behind it.
fn dump(source: &str, log: &str) {
    let Some(folder) = std::env::var_os("WAVELIFT_DUMP") else {
        return;
    };
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    let file = Path::new(&folder).join(format!("{:016x}.cl", hasher.finish()));
    let log = log.replace("*/", "* /");
    match std::fs::write(&file, format!("{source}/*\n{log}\n*/\n")) {
        Ok(()) => log::warn!("a program that does not build is in {}", file.display()),
        Err(error) => log::warn!("{} cannot be written: {error}", file.display()),
    }
}

/// A kernel ready to be launched on (signal, bands, low, geometry, own arguments).
#[derive(Debug)]
pub(crate) struct PassKernel {
    kernel: Handle<ClKernel>,
    group: [usize; 2],
}

impl PassKernel {
    /// Builds a kernel. The second result is how many work-items it allows in a work-group, which
    /// can be fewer than planned.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for sub-groups of another size than it exchanges among;
    /// [`Error::Build`]; [`Error::OpenCl`].
    pub fn new(shared: &Shared, prelude: &str, kernel: &Kernel) -> Result<(Self, usize)> {
        let text = source(prelude, kernel, shared.device.lie());
        let program = build(shared, text, kernel.fence())?;
        let built: Handle<_> = ClKernel::create(&program, kernel.name)
            .map_err(opencl("clCreateKernel"))?
            .into();
        if let Some(way) = kernel.way() {
            check_sub_groups(&shared.device, &built, kernel, way)?;
        }
        let allowed = allowed(&shared.device, &built, kernel.group)?;
        let group = kernel.group;
        Ok((
            PassKernel {
                kernel: built,
                group,
            },
            allowed,
        ))
    }

    /// Enqueues a pass that this is the kernel of. Kernels of one plan are launched
    /// by one thread at a time.
    pub(super) fn launch(
        &self,
        queue: &Queue,
        bound: &BoundPass,
        sync: Sync,
    ) -> Result<Option<Event>> {
        let (pass, sides) = (bound.pass, bound.sides);
        let buffers = sides.map(|(buffer, _)| buffer);
        let mut geometry = pass.geometry;
        for (side, (_, later)) in [&mut geometry.signal, &mut geometry.bands, &mut geometry.low]
            .into_iter()
            .zip(sides)
        {
            side.offset += later;
        }
        let global = [pass.groups * self.group[0], self.group[1]];
        let own: Vec<i32> = pass.own.iter().map(|(_, value)| *value).collect();
        // A buffer's handle is an argument like any other.
        let handle = |buffer: &dyn ClMem| (buffer.get() as usize).to_ne_bytes();
        let arrivals = bound
            .arrivals
            .map(|(buffer, before)| (handle(buffer), before));
        let arrivals = arrivals
            .iter()
            .flat_map(|(handle, before)| -> [&[u8]; 2] { [handle, bytemuck::bytes_of(before)] });
        let numbers = [bytemuck::bytes_of(&geometry), bytemuck::cast_slice(&own)];
        let arguments: Vec<&[u8]> = arrivals.chain(numbers).collect();
        // SAFETY: every kernel made by `new` takes three buffers, where it counts work-groups one
        // of `int`s, as many as there can be pictures, and an `int`, a `Pass`, whose layout in
        // cl/core/pass.cl is that of `Geometry`, and a struct of as many `int`s as its pass has
        // arguments of its own, which a test compares. The buffers have as many samples as the
        // geometry addresses: a plan checks its callers' views and sizes its own. Two of them may
        // be one, as in place: these kernels have no `restrict` pointer.
        unsafe {
            enqueue(
                queue,
                &self.kernel,
                buffers,
                &arguments,
                global,
                self.group,
                sync,
            )
        }
    }
}

/// How many work-items of a work-group a kernel allows that is launched with
/// so many along each axis.
///
/// NVIDIA answers 256 for every kernel. Its compiler fits the registers of a kernel to the
/// work-group that this is compiled for: on an H200, kernels that hold up to 200 numbers and are
/// compiled for 512 and 1024 work-items spill where they must, and run right. Elsewhere the answer
/// counts: a kernel that is refused has a smaller design, a launch that fails has none.
fn allowed(device: &Device, kernel: &ClKernel, group: [usize; 2]) -> Result<usize> {
    let failed = opencl("clGetKernelWorkGroupInfo");
    let id = device.handle.id();
    let answered = kernel.get_work_group_size(id).map_err(&failed)?;
    let wanted = group.iter().product();
    if device.info().exchange != Exchange::Ptx || answered >= wanted {
        return Ok(answered);
    }
    let compiled_for = kernel.get_compile_work_group_size(id).map_err(&failed)?;
    let is_compiled_for =
        compiled_for.starts_with(&group) && wanted <= device.info().max_work_group;
    Ok(if is_compiled_for { wanted } else { answered })
}

/// The yardstick kernel: copies `bytes` bytes from one buffer to another.
#[derive(Debug)]
pub(crate) struct CopyKernel {
    kernel: Handle<ClKernel>,
    group: usize,
}

impl CopyKernel {
    pub fn new(shared: &Shared) -> Result<Self> {
        let source = file("copy.cl").1.to_owned();
        let program = build(shared, source, Fence::None)?;
        let kernel = ClKernel::create(&program, "copy")
            .map_err(opencl("clCreateKernel"))?
            .into();
        let info = shared.device.info();
        let group = 256.min(info.max_work_group).min(info.max_work_items[0]);
        Ok(CopyKernel { kernel, group })
    }

    /// Enqueues the copy of so many bytes from one place to another, each a buffer and the byte in
    /// it, a multiple of 16; both buffers have as many there.
    pub fn launch<T>(
        &self,
        queue: &Queue,
        from: (&Buffer<T>, u64),
        to: (&Buffer<T>, u64),
        bytes: u64,
        waits: &[Event],
    ) -> Result<Option<Event>> {
        // One work-item for each 16 bytes, and one for what is left over.
        let items = (bytes / 16 + 1) as usize;
        let global = items.next_multiple_of(self.group);
        let values = [bytes, from.1, to.1].map(u64::to_ne_bytes);
        let [bytes, from_start, to_start] = &values;
        // SAFETY: the kernel takes two buffers, a size in bytes and where it starts in each,
        // and touches nothing beyond.
        unsafe {
            enqueue(
                queue,
                &self.kernel,
                [from.0, to.0],
                &[bytes, from_start, to_start],
                [global],
                [self.group],
                Sync {
                    waits,
                    wants_event: true,
                },
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_included_once_and_named() {
        let kernel = Kernel {
            name: "lift",
            file: "stepwise/stepwise.cl",
            defines: vec![("GROUP".to_owned(), "64".to_owned())],
            group: [64, 1],
        };
        let text = source("#define T float\n", &kernel, "");
        let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{needle}"));
        assert!(at("#define T float") < at("#define GROUP 64"));
        assert!(at("#define GROUP 64") < at("#line 1 \"stepwise/stepwise.cl\""));
        assert!(at("#line 1 \"core/boundary.cl\"") < at("#line 1 \"core/wavelet.cl\""));
        assert_eq!(text.matches("#line 1 \"core/wavelet.cl\"").count(), 1);
        assert!(!text.contains("#include"));
    }

    /// An include that a condition leaves out would be missing where it is named again.
    #[test]
    fn files_include_others_before_any_condition() {
        for (name, text) in FILES {
            let lines: Vec<&str> = text.lines().collect();
            let last = lines.iter().rposition(|line| line.starts_with("#include"));
            let condition = lines.iter().position(|line| line.starts_with("#if"));
            if let (Some(last), Some(condition)) = (last, condition) {
                assert!(last < condition, "{name}");
            }
        }
    }

    #[test]
    fn every_file_in_cl_ends_its_last_line() {
        assert!(FILES.iter().all(|(_, text)| text.ends_with('\n')));
    }
}
