//! A device shows that its work-groups see what others have stored (cl/probe_arrivals.cl),
//! before plans rely on it.

use super::running::{array, read};
use super::source::probe_prelude;
use crate::device::{Device, DeviceInfo, Fence};
use crate::error::{Error, Result};
use crate::runtime::context::opencl;
use crate::runtime::handle::Handle;
use crate::runtime::launch::{Sync, enqueue};
use crate::runtime::lock::lock;
use crate::runtime::program::{compile, source};
use crate::runtime::queue::Queue;
use crate::strategy::{Kernel, define};
use opencl3::context::Context;
use opencl3::kernel::Kernel as ClKernel;
use std::collections::HashMap;
use std::sync::Mutex;

/// Pictures, and the work-groups of each: more than most devices run at a time.
const PICTURES: usize = 8;
const GROUPS: usize = 64;

/// How many are counted before each launch: as after a whole one, and as where
/// the one before was cut off.
const BEFORE: [i32; 4] = [0, GROUPS as i32, 2 * GROUPS as i32, 1 << 20];

/// What is known of the devices of this process, by fence and by what tests put into programs.
type Known = HashMap<(usize, Fence, String), bool>;
static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Lets a device prove a fence of OpenCL C, unless it did so before in this process. That of PTX
/// comes with its exchange.
///
/// # Errors
/// [`Error::Unsupported`] where it is disproved; [`Error::Build`]; [`Error::OpenCl`].
pub(in crate::runtime) fn prove_fence(
    context: &Context,
    device: &Device,
    fence: Fence,
) -> Result<()> {
    if !fence.is_of_c() {
        return Ok(());
    }
    let key = (device.handle.id() as usize, fence, device.lie().to_owned());
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    let is_right = match known.get(&key) {
        Some(&known) => known,
        None => {
            let group = group_of(device.info());
            let is_right = told(context, device, fence, group)? == expected(group);
            *known.entry(key).or_insert(is_right)
        }
    };
    match is_right {
        true => Ok(()),
        false => Err(Error::Unsupported {
            what: format!("the fence {fence} on {device}"),
            why: "a work-group does not see what others have stored".to_owned(),
        }),
    }
}

/// Work-items of a work-group.
fn group_of(info: &DeviceInfo) -> usize {
    64.min(info.max_work_group).min(info.max_work_items[0])
}

/// The kernel of the probe.
pub(super) fn arrivals_kernel(fence: Fence, group: usize) -> Kernel {
    Kernel {
        name: "probe_arrivals",
        file: "probe_arrivals.cl",
        defines: vec![
            define("FENCE", fence.number()),
            define("GROUP", group),
            define("GROUPS", GROUPS),
        ],
        group: [group, 1],
    }
}

/// What the last work-group of each picture tells.
fn told(context: &Context, device: &Device, fence: Fence, group: usize) -> Result<Vec<i32>> {
    let kernel = arrivals_kernel(fence, group);
    let text = source(&probe_prelude(device.info()), &kernel, device.lie());
    let program = compile(context, device, &text, fence)?;
    let built = ClKernel::create(&program, kernel.name).map_err(opencl("clCreateKernel"))?;
    let built: Handle<_> = built.into();
    let queue = Queue::own(context, device, 0)?;
    let mut told = vec![0; PICTURES * group];
    let arrivals = array(context, &mut [0; PICTURES])?;
    let stored = array(context, &mut vec![0; PICTURES * GROUPS * group])?;
    let sums = array(context, &mut told)?;
    let sync = Sync {
        waits: &[],
        wants_event: false,
    };
    for before in BEFORE {
        let buffers = [&*arrivals, &*stored, &*sums];
        let global = [PICTURES * GROUPS * group];
        // SAFETY: the kernel takes three buffers and an `int`; it counts in a place of
        // each picture, writes a number of each work-item, and sums of as many as a
        // work-group of each picture has.
        unsafe {
            enqueue(
                &queue,
                &built,
                buffers,
                &[&before.to_ne_bytes()],
                global,
                [group],
                sync,
            )
        }?;
    }
    read(&queue, &sums, &mut told)?;
    Ok(told)
}

/// What it should be.
fn expected(group: usize) -> Vec<i32> {
    let all = GROUPS * group;
    let sum_of = |before: i32, picture: usize, item: usize| {
        let terms = (0..all).map(|i| {
            let stored = before + (picture * all + i) as i32;
            ((i + item) as i32).wrapping_mul(stored)
        });
        terms.fold(0, i32::wrapping_add)
    };
    let of_item = |picture, item| {
        let sums = BEFORE.map(|before| sum_of(before, picture, item));
        sums.into_iter().fold(0, i32::wrapping_add)
    };
    let of_picture = |picture| (0..group).map(move |item| of_item(picture, item));
    (0..PICTURES).flat_map(of_picture).collect()
}
