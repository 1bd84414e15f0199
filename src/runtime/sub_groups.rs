//! The size of a built kernel's sub-groups.

use super::context::opencl;
use crate::device::{Device, Exchange, Way, described};
use crate::error::{Error, Result};
use crate::strategy::Kernel;
use cl3::kernel::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
use opencl3::error_codes::{CL_SUCCESS, ClError};
use opencl3::kernel::Kernel as ClKernel;
use std::ffi::c_void;

/// Asks for the size of a built kernel's sub-groups: what another kernel proved
/// says nothing of this one.
///
/// # Errors
/// [`Error::Unsupported`] if it is not what the kernel was built for;
/// [`Error::OpenCl`] if asking fails.
pub(super) fn check_sub_groups(
    device: &Device,
    built: &ClKernel,
    kernel: &Kernel,
    (exchange, lanes): Way,
) -> Result<()> {
    let (size, fits) = match sub_group_size(device, built, kernel.group) {
        // Those of AMD's way are parts of the hardware's.
        Some(size) if exchange == Exchange::Amd => (size, size % lanes == 0),
        Some(size) => (size, size == lanes),
        None => {
            let size = built
                .get_work_group_size_multiple(device.handle.id())
                .map_err(opencl("clGetKernelWorkGroupInfo"))?;
            (size, size % lanes == 0)
        }
    };
    if fits {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: format!("exchange by {}", described((exchange, lanes))),
        why: format!("sub-groups of `{}` have {size} work-items", kernel.name),
    })
}

/// The size of a kernel's sub-groups in work-groups of this size, where the device can tell.
fn sub_group_size(device: &Device, built: &ClKernel, group: [usize; 2]) -> Option<usize> {
    if !device.info().sub_groups {
        return None;
    }
    let mut size = 0_usize;
    type Ask = unsafe extern "C" fn(
        *mut c_void,
        *mut c_void,
        u32,
        usize,
        *const c_void,
        usize,
        *mut c_void,
        *mut usize,
    ) -> i32;
    // SAFETY: the platform is the device's; where it has this extension function, it is of this
    // type. Kernel and device are alive, and both sizes are those of what is behind the pointers.
    let status = unsafe {
        let platform = device.handle.platform().ok()?;
        let runtime = cl3::load_library().as_ref().ok()?;
        let name = c"clGetKernelSubGroupInfoKHR";
        let found = runtime.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr())?;
        if found.is_null() {
            return None;
        }
        let ask = std::mem::transmute::<*mut c_void, Ask>(found);
        ask(
            built.get(),
            device.handle.id(),
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            size_of_val(&group),
            group.as_ptr().cast(),
            size_of::<usize>(),
            (&raw mut size).cast(),
            std::ptr::null_mut(),
        )
    };
    if status != CL_SUCCESS {
        log::debug!("clGetKernelSubGroupInfoKHR: {}", ClError(status));
        return None;
    }
    (size > 0).then_some(size)
}
