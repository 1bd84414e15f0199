//! A device's word is checked: once in a process it shows that its work-items exchange values as it says.

use super::context::opencl;
use super::handle::Handle;
use super::program::{Sync, compile, enqueue, source};
use super::queue::Queue;
use super::sub_groups::check_sub_groups;
use crate::device::{self, Device, DeviceInfo, Exchange, Way, asked_for, described, listed};
use crate::error::{Error, Result};
use crate::lifting::prelude::prelude;
use crate::strategy::{Kernel, define};
use crate::wavelet::{Direction, SampleType, Wavelet};
use opencl3::context::Context;
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::{Buffer, CL_MEM_COPY_HOST_PTR, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE};
use std::collections::HashMap;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a device may take to run the probe, which takes microseconds. A kernel that does nothing runs before it, for as long
/// as it takes: some drivers finish compiling when a kernel first runs, and NVIDIA's compiles one program at a time for all
/// processes of a machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// The work-groups of the probe, and the sub-groups of each, as far as the device allows.
const GROUPS: usize = 3;
const SUB_GROUPS: usize = 4;

/// Turns of the first sub-group's loop; the second has twice as many, and so on.
const ROUNDS: usize = 5;

/// What a work-item tells: its sub-group and its place there, its sum behind the loop, then what it has from its left and right.
const TOLD: usize = 11;

/// What a result is before the device writes it.
const POISON: i32 = 0x5EED_F00D_u32 as i32;

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
        _ => device.ways().to_vec(),
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
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
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
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Builds and runs the probe, and returns what the work-items tell.
    fn run(&self, context: &Context, device: &Device) -> Result<Vec<i32>> {
        if self.group == 0 {
            return Err(Error::Unsupported {
                what: format!("exchange by {}", described(self.way)),
                why: format!(
                    "work-groups have {} work-items",
                    device.info().max_work_group
                ),
            });
        }
        let kernel = probe_kernel(self.way, self.group);
        let text = source(&probe_prelude(device.info()), &kernel, device.lie());
        let program = compile(context, device, &text)?;
        let made = |name| -> Result<Handle<_>> {
            let made = ClKernel::create(&program, name);
            Ok(made.map_err(opencl("clCreateKernel"))?.into())
        };
        let (built, ready) = (made(kernel.name)?, made("ready")?);
        check_sub_groups(device, &built, &kernel, self.way)?;
        let queue = Queue::own(context, device, 0)?;
        let mut poison = vec![POISON; GROUPS * self.group * TOLD];
        let mut own = self.bits.clone();
        let array = |flags, from: &mut Vec<i32>| -> Result<Handle<Buffer<i32>>> {
            let (flags, host) = (flags | CL_MEM_COPY_HOST_PTR, from.as_mut_ptr());
            // SAFETY: the call copies as many numbers as there are.
            let buffer = unsafe { Buffer::create(context, flags, from.len(), host.cast()) };
            Ok(buffer.map_err(opencl("clCreateBuffer"))?.into())
        };
        let given = array(CL_MEM_READ_ONLY, &mut own)?;
        let told = array(CL_MEM_READ_WRITE, &mut poison)?;
        let sync = Sync {
            waits: &[],
            wants_event: true,
        };
        // SAFETY: the kernel takes one buffer, the first number of which it writes.
        let event = unsafe { enqueue(&queue, &ready, [&*told], &[], [1], [1], sync) }?;
        if let Some(event) = event {
            event.wait()?;
        }
        let (buffers, rounds) = ([&*given, &*told], (ROUNDS as i32).to_ne_bytes());
        let (global, group) = ([GROUPS * self.group], [self.group]);
        // SAFETY: the kernel takes two buffers and an `int`; of each work-item it reads two numbers and writes TOLD.
        let event = unsafe { enqueue(&queue, &built, buffers, &[&rounds], global, group, sync) }?;
        queue.flush()?;
        if let Some(event) = event
            && !ends(PATIENCE, move || event.wait())?
        {
            // Releasing what a kernel uses that never ends would wait for it.
            std::mem::forget((given, told, program, built, queue));
            return Err(Error::Unsupported {
                what: "the probe".to_owned(),
                why: format!("it was not done after {PATIENCE:?}"),
            });
        }
        // SAFETY: the queue and the buffer are alive, which has as many numbers; the call waits.
        let read = unsafe {
            queue
                .handle
                .enqueue_read_buffer(&told, 1, 0, &mut poison, &[])
        };
        let _released: Handle<_> = read.map_err(opencl("clEnqueueReadBuffer"))?.into();
        Ok(poison)
    }

    /// Compares what the work-items tell with what they should have got.
    fn check(&self, told: &[i32]) -> std::result::Result<(), String> {
        let groups = told
            .chunks(self.group * TOLD)
            .zip(self.bits.chunks(2 * self.group));
        for (told, bits) in groups {
            self.check_group(told, bits)?;
        }
        Ok(())
    }

    fn check_group(&self, told: &[i32], bits: &[i32]) -> std::result::Result<(), String> {
        let lanes = self.way.1;
        // Which work-item has which place in which sub-group.
        let mut places: Vec<Option<usize>> = vec![None; self.group];
        for (item, told) in told.chunks(TOLD).enumerate() {
            let [sub_group, lane] = [told[0], told[1]].map(|place| place as usize);
            let place = places.get_mut(sub_group.saturating_mul(lanes).saturating_add(lane));
            match place {
                Some(place @ None) if lane < lanes => *place = Some(item),
                _ => {
                    let (sub_group, lane) = (told[0], told[1]);
                    return Err(format!(
                        "work-item {item} is number {lane} of sub-group {sub_group}, as is another, or there is none"
                    ));
                }
            }
        }
        let items: Vec<usize> = places.into_iter().flatten().collect();
        for (sub_group, items) in items.chunks(lanes).enumerate() {
            let own: Vec<[i32; 2]> = items
                .iter()
                .map(|i| [bits[2 * i], bits[2 * i + 1]])
                .collect();
            let told: Vec<&[i32]> = items.iter().map(|i| &told[i * TOLD..][..TOLD]).collect();
            let rounds = ROUNDS * (sub_group + 1);
            for (lane, sum) in sums(&own, rounds).into_iter().enumerate() {
                if told[lane][2] != sum {
                    return Err(format!(
                        "values handed on through local memory in {rounds} rounds are wrong in work-item {lane} of sub-group {sub_group}"
                    ));
                }
            }
            check_neighbours(self.way, &own, &told)?;
        }
        Ok(())
    }
}

/// Whether a wait ends, well, before `patience` does.
fn ends(patience: Duration, wait: impl FnOnce() -> Result<()> + Send + 'static) -> Result<bool> {
    let (tell, told) = mpsc::channel();
    let thread = std::thread::spawn(move || tell.send(wait()));
    match told.recv_timeout(patience) {
        Ok(ended) => {
            // It gives back its reference to the event.
            let _ = thread.join();
            ended.map(|()| true)
        }
        Err(_) => Ok(false),
    }
}

/// What the work-items of a sub-group have summed after so many rounds.
fn sums(own: &[[i32; 2]], rounds: usize) -> Vec<i32> {
    let lanes = own.len();
    let mut sums: Vec<i32> = own.iter().map(|own| own[0]).collect();
    for round in 0..rounds {
        let next = (0..lanes).map(|lane| {
            let handed = sums[(lane + 1 + round) % lanes];
            let right = sums.get(lane + 1).copied().unwrap_or(own[lane][1]);
            handed.wrapping_mul(3).wrapping_add(right)
        });
        sums = next.collect();
    }
    sums
}

/// Checks what the work-items of a sub-group say that they have from their left and right.
fn check_neighbours(
    (exchange, lanes): Way,
    own: &[[i32; 2]],
    told: &[&[i32]],
) -> std::result::Result<(), String> {
    // AMD's way goes round; of others, nothing is asked of the ends.
    let goes_round = exchange == Exchange::Amd;
    for (lane, told) in told.iter().enumerate() {
        let [left, right] = [lane + lanes - 1, lane + 1].map(|neighbour| own[neighbour % lanes]);
        let (has_left, has_right) = (lane > 0 || goes_round, lane + 1 < lanes || goes_round);
        let [x, y] = [0, 1];
        for (has, what, at, expected) in [
            (has_left, "int from the left", 3, left[x]),
            (has_right, "int from the right", 4, right[x]),
            (has_left, "float from the left", 5, left[y]),
            (has_right, "float from the right", 6, right[y]),
            (has_left, "first half of a double from the left", 7, left[x]),
            (
                has_left,
                "second half of a double from the left",
                8,
                left[y],
            ),
            (
                has_right,
                "first half of a double from the right",
                9,
                right[x],
            ),
            (
                has_right,
                "second half of a double from the right",
                10,
                right[y],
            ),
        ] {
            let got = told[at];
            if has && got != expected {
                return Err(format!(
                    "work-item {lane} of {lanes} got {got:#010x} for {expected:#010x}, the {what}"
                ));
            }
        }
    }
    Ok(())
}

/// Two numbers for each work-item: random bits, and NaNs of either kind, of floats and, taken together, of doubles.
fn bits(items: usize) -> Vec<i32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    let pair = |item| match item % 5 {
        1 => [random() | 0x7F80_0000, random() | 0x7FF0_0000],
        3 => [0x7FA0_0001, 0xFFF4_0000 | random() >> 14],
        _ => [random(), random()],
    };
    (0..items).flat_map(pair).map(|bits| bits as i32).collect()
}

/// The kernel of the probe.
fn probe_kernel((exchange, lanes): Way, group: usize) -> Kernel {
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
fn probe_prelude(info: &DeviceInfo) -> String {
    let sample = if info.fp64 {
        SampleType::F64
    } else {
        SampleType::F32
    };
    prelude(&Wavelet::HAAR, sample, Direction::Forward)
}

/// The source of the probe of a device, for checks that need none; nothing where it does not exchange.
pub(super) fn probe_source(info: &DeviceInfo) -> Option<(String, String)> {
    let kernel = probe_kernel((info.exchange, info.lanes), SUB_GROUPS * info.lanes);
    kernel.way()?;
    let text = source(&probe_prelude(info), &kernel, "");
    Some((kernel.name.to_owned(), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAYS: [Way; 4] = [
        (Exchange::Ptx, 32),
        (Exchange::Khr, 8),
        (Exchange::Intel, 64),
        (Exchange::Amd, 32),
    ];

    /// What an honest device tells, its sub-groups numbered as they come.
    fn honest(probe: &Probe) -> Vec<i32> {
        let lanes = probe.way.1;
        let mut told = Vec::new();
        for (number, own) in probe.bits.chunks(2 * lanes).enumerate() {
            let own: Vec<[i32; 2]> = own.chunks(2).map(|own| [own[0], own[1]]).collect();
            let sub_group = number % SUB_GROUPS;
            let sums = sums(&own, ROUNDS * (sub_group + 1));
            for (lane, sum) in sums.into_iter().enumerate() {
                let [left, right] = [lane + lanes - 1, lane + 1].map(|place| own[place % lanes]);
                told.extend([sub_group as i32, lane as i32, sum]);
                told.extend([left[0], right[0], left[1], right[1]]);
                told.extend(left.into_iter().chain(right));
            }
        }
        told
    }

    /// Any one thing that is wrong is found; what the first gets from its left may be anything but on AMD's way.
    #[test]
    fn anything_wrong_is_found() {
        for way in WAYS {
            let probe = Probe::new(way, SUB_GROUPS * way.1);
            let told = honest(&probe);
            probe.check(&told).unwrap();
            for place in 0..told.len() {
                let (item, what) = (place / TOLD, place % TOLD);
                let is_first = item % way.1 == 0 && [3, 5, 7, 8].contains(&what);
                let is_last = (item + 1) % way.1 == 0 && [4, 6, 9, 10].contains(&what);
                let means_nothing = (is_first || is_last) && way.0 != Exchange::Amd;
                let mut wrong = told.clone();
                wrong[place] ^= 1 << (place % 31);
                assert_eq!(
                    probe.check(&wrong).is_ok(),
                    means_nothing,
                    "{way:?} {place}"
                );
            }
        }
    }

    #[test]
    fn bits_are_any_with_nans_of_both_types() {
        let bits = bits(1000);
        let floats = bits.iter().map(|&bits| f32::from_bits(bits as u32));
        let nans = floats.filter(|v| v.is_nan()).count();
        let double = |both: &[i32]| (both[1] as u32 as u64) << 32 | both[0] as u32 as u64;
        let doubles = bits.chunks(2).map(|both| f64::from_bits(double(both)));
        assert!(nans > 500 && nans < 1000, "{nans}");
        assert!(doubles.filter(|v| v.is_nan()).count() >= 400);
    }

    #[test]
    fn patience_ends() {
        let (end, wait) = mpsc::channel::<()>();
        let forever = move || {
            let _ = wait.recv();
            Ok(())
        };
        assert_eq!(ends(Duration::from_millis(20), forever), Ok(false));
        drop(end);
        assert_eq!(ends(PATIENCE, || Ok(())), Ok(true));
        let failed = Error::Unsupported {
            what: "the wait".to_owned(),
            why: "it failed".to_owned(),
        };
        let fails = failed.clone();
        assert_eq!(ends(PATIENCE, || Err(fails)), Err(failed));
    }
}
