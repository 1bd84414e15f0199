//! A device's word is checked: once in a process it shows that its work-items exchange values as it says.

mod arrivals;
mod judging;
mod running;
mod source;

pub(super) use arrivals::prove_fence;
pub(super) use source::probe_sources;

use crate::device::{self, Device, Exchange, Way, asked_for, described, listed};
use crate::error::{Error, Result};
use crate::runtime::lock::lock;
use judging::bits;
use opencl3::context::Context;
use std::collections::HashMap;
use std::env::VarError;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The work-groups of the probe, and the sub-groups of each, as far as the device allows.
const GROUPS: usize = 3;
const SUB_GROUPS: usize = 4;

/// Turns of the first sub-group's loop; the second has twice as many, and so on.
const ROUNDS: usize = 5;

/// What a work-item tells: its sub-group and its place there, its sum behind the loop, then what it has from its left and right.
const TOLD: usize = 11;

/// How long the proof took, or what was wrong.
type Verdict = std::result::Result<Duration, String>;

/// What a verdict is about: a device, a way, the size of work-groups, and what tests put into programs.
type Case = (usize, Way, usize, String);

/// What is known of the devices of this process.
static KNOWN: Mutex<Option<HashMap<Case, Verdict>>> = Mutex::new(None);

/// Returns a device with those of its ways that are left from the first that it proved to have. The environment variable
/// `WAVELIFT_EXCHANGE` can choose one.
///
/// # Errors
/// [`Error::Unsupported`] for a big-endian device, and where the chosen way is not there or wrong; [`Error::Unknown`] if the
/// variable cannot be read.
pub(super) fn proven(context: &Context, device: &Device) -> Result<Device> {
    if !device.info().little_endian {
        return Err(Error::Unsupported {
            what: device.to_string(),
            why: "numbers there begin with their most significant byte".to_owned(),
        });
    }
    let ways = match std::env::var(device::VARIABLE) {
        Ok(words) if !words.is_empty() => asked_for(&words, device.ways(), device.info())?,
        Ok(_) | Err(VarError::NotPresent) => device.ways().to_vec(),
        Err(VarError::NotUnicode(words)) => {
            return Err(Error::Unknown {
                what: device::VARIABLE,
                expected: "text in Unicode".to_owned(),
                got: format!("{words:?}"),
            });
        }
    };
    let mut reasons = Vec::new();
    for (i, &way) in ways.iter().enumerate() {
        match prove(context, device, way) {
            Ok(_) => return Ok(device.with_ways(ways[i..].to_vec())),
            Err(why) => reasons.push(format!("{}: {why}", described(way))),
        }
    }
    Err(Error::Unsupported {
        what: format!("exchange by {} on {device}", listed(&ways)),
        why: reasons.join("; "),
    })
}

/// How long it took a device to prove its way, in this process; `None` where there is nothing to prove.
pub(super) fn time_of_proof(device: &Device) -> Option<Duration> {
    let way = device.ways()[0];
    let known = lock(&KNOWN);
    known.as_ref()?.get(&key(device, way))?.clone().ok()
}

fn key(device: &Device, way: Way) -> Case {
    let lie = device.lie().to_owned();
    (device.handle.id() as usize, way, group_of(device, way), lie)
}

/// Several whole sub-groups.
fn group_of(device: &Device, (_, lanes): Way) -> usize {
    let info = device.info();
    let most = info.max_work_group.min(info.max_work_items[0]);
    (most / lanes).min(SUB_GROUPS) * lanes
}

/// Lets a device prove that it exchanges values in some way, unless it did so before in this process.
pub(super) fn prove(context: &Context, device: &Device, way: Way) -> Verdict {
    if way.0 == Exchange::None {
        return Ok(Duration::ZERO);
    }
    let key = key(device, way);
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    if let Some(verdict) = known.get(&key) {
        return verdict.clone();
    }
    let start = Instant::now();
    let probe = Probe::new(way, group_of(device, way));
    let told = probe
        .run(context, device)
        .map_err(|error| error.to_string());
    let verdict = told
        .and_then(|told| probe.check(&told))
        .map(|()| start.elapsed());
    match &verdict {
        Ok(time) => log::debug!(
            "{device} exchanges by {}, proven in {time:?}",
            described(way)
        ),
        Err(why) => log::warn!("{device} does not exchange by {}: {why}", described(way)),
    }
    known.insert(key, verdict.clone());
    verdict
}

/// The probe of a way.
struct Probe {
    way: Way,
    group: usize,
    /// Two numbers for each work-item.
    bits: Vec<i32>,
}

impl Probe {
    /// For work-groups of so many work-items.
    fn new(way: Way, group: usize) -> Self {
        Probe {
            way,
            group,
            bits: bits(GROUPS * group),
        }
    }
}
