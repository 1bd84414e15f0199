//! The sources of the probes (cl/probe.cl, cl/probe_arrivals.cl).

use super::SUB_GROUPS;
use super::arrivals::arrivals_kernel;
use crate::device::{DeviceInfo, Fence, Way};
use crate::lifting::prelude::prelude;
use crate::runtime::program::source;
use crate::strategy::{Kernel, define};
use crate::wavelet::{Direction, SampleType, Wavelet};

/// The kernel of the probe.
pub(super) fn probe_kernel((exchange, lanes): Way, group: usize) -> Kernel {
    Kernel {
        name: "probe",
        file: "probe.cl",
        defines: vec![
            define("EXCHANGE", exchange.number()),
            define("LANES", lanes),
            define("GROUP", group),
        ],
        group: [group, 1],
    }
}

/// The probe lifts nothing: of its prelude it uses whether there are doubles.
pub(super) fn probe_prelude(info: &DeviceInfo) -> String {
    let sample = if info.fp64 {
        SampleType::F64
    } else {
        SampleType::F32
    };
    prelude(&Wavelet::HAAR, sample, Direction::Forward)
}

/// The sources of the probes of a device, with their names, for checks that need none: of its
/// exchange and of its fence, if it has them.
pub(in crate::runtime) fn probe_sources(info: &DeviceInfo) -> Vec<(String, String)> {
    let exchange = probe_kernel((info.exchange, info.lanes), SUB_GROUPS * info.lanes);
    let fence = arrivals_kernel(info.fence(), 64);
    let exchange = exchange.way().is_some().then_some(exchange);
    let fence = (info.fence() != Fence::None).then_some(fence);
    let kernels = exchange.into_iter().chain(fence);
    let text = |kernel: Kernel| source(&probe_prelude(info), &kernel, "");
    kernels
        .map(|kernel| (kernel.name.to_owned(), text(kernel)))
        .collect()
}
