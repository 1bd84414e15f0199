//! A device's word is checked: once in a process it shows that its work-items
//! exchange values as it says.

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

/// What a work-item tells: its sub-group and its place there, its sum behind the loop, then what it
/// has from its left and right, alone and in rings.
const TOLD: usize = 13;

/// How long the proof took, or what was wrong.
type Verdict = std::result::Result<Duration, String>;

/// What a verdict is about: a device, a way, the size of work-groups, and what
/// tests put into programs.
type Case = (usize, Way, usize, String);

/// What is known of the devices of this process.
static KNOWN: Mutex<Option<HashMap<Case, Verdict>>> = Mutex::new(None);

/// Returns a device with those of its ways that are left from the first that it proved to have. The
/// environment variable `WAVELIFT_EXCHANGE` can choose one.
///
/// # Errors
/// [`Error::Unsupported`] for a big-endian device, and where the chosen way is not there or wrong;
/// [`Error::Unknown`] if the variable cannot be read.
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

/// How long it took a device to prove its way, in this process; `None` where
/// there is nothing to prove.
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

/// Lets a device prove that it exchanges values in some way, unless it did
/// so before in this process.
pub(super) fn prove(context: &Context, device: &Device, way: Way) -> Verdict {
    if way.0 == Exchange::None {
        return Ok(Duration::ZERO);
    }
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    let verdict = verdict_on(known, key(device, way), || {
        let start = Instant::now();
        let probe = Probe::new(way, group_of(device, way));
        let told = probe.run(context, device)?;
        Ok(probe.check(&told).map(|()| start.elapsed()))
    });
    match &verdict {
        Ok(time) => log::debug!(
            "{device} exchanges by {}, proven in {time:?}",
            described(way)
        ),
        Err(why) => log::warn!("{device} does not exchange by {}: {why}", described(way)),
    }
    verdict
}

/// The verdict that is known of a case, or else the one that is found, which is known from now on.
/// Where a call of OpenCL's fails on the way to it, or no thread is to be had, the way is refused
/// this time: that says nothing about the next time.
fn verdict_on(
    known: &mut HashMap<Case, Verdict>,
    case: Case,
    find: impl FnOnce() -> Result<Verdict>,
) -> Verdict {
    if let Some(verdict) = known.get(&case) {
        return verdict.clone();
    }
    let found = find();
    let may_pass = matches!(found, Err(Error::OpenCl { .. } | Error::Thread { .. }));
    let verdict = found.unwrap_or_else(|error| Err(error.to_string()));
    if !may_pass {
        known.insert(case, verdict.clone());
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_may_pass_are_asked_again() {
        let mut known = HashMap::new();
        let mut asked = 0;
        let mut verdict = |found: Result<Verdict>| {
            let case = (0, (Exchange::Khr, 32), 128, String::new());
            let verdict = verdict_on(&mut known, case, || {
                asked += 1;
                found
            });
            (verdict.is_ok(), asked)
        };
        let failed = Error::OpenCl {
            call: "clCreateBuffer",
            name: "CL_OUT_OF_RESOURCES".to_owned(),
            code: -5,
        };
        assert_eq!(verdict(Err(failed)), (false, 1));
        let no_thread = Error::Thread {
            what: "the probe",
            why: "a test".to_owned(),
        };
        assert_eq!(verdict(Err(no_thread)), (false, 2));
        assert_eq!(verdict(Ok(Ok(Duration::ZERO))), (true, 3));
        assert_eq!(verdict(Ok(Err("a test".to_owned()))), (true, 3));
    }

    #[test]
    fn verdicts_are_known_from_then_on() {
        let late = Error::Unsupported {
            what: "the probe".to_owned(),
            why: "it was not done after 10 s".to_owned(),
        };
        let unbuilt = Error::Build {
            device: String::new(),
            log: String::new(),
            program: String::new(),
        };
        for found in [Err(late), Err(unbuilt), Ok(Err("a test".to_owned()))] {
            let mut known = HashMap::new();
            let case = (0, (Exchange::Khr, 32), 128, String::new());
            let refused = verdict_on(&mut known, case.clone(), || found);
            assert!(refused.is_err());
            let again = verdict_on(&mut known, case, || unreachable!("the verdict is known"));
            assert_eq!(again, refused);
        }
    }
}
