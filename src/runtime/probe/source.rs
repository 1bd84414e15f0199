//! The source of the probe (cl/probe.cl).

use super::SUB_GROUPS;
use crate::device::{DeviceInfo, Way};
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

/// The source of the probe of a device, for checks that need none; nothing where it does not exchange.
pub(in crate::runtime) fn probe_source(info: &DeviceInfo) -> Option<(String, String)> {
    let kernel = probe_kernel((info.exchange, info.lanes), SUB_GROUPS * info.lanes);
    kernel.way()?;
    let text = source(&probe_prelude(info), &kernel, "");
    Some((kernel.name.to_owned(), text))
}
