//! From slices on the host and back: where the time of a call goes.

use crate::common::check::{RandomSample, random_samples, relative_error, to_f64};
use crate::common::cli::Result;
use crate::common::timing::median;
use crate::each::print_each;
use crate::{Arguments, Problem};
use half::f16;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::event::Event;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE,
};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use std::time::Instant;
use wavelift::{
    Coefficients, Direction, Engine, Error, Feeder, Reader, Rounded, Sample, SampleType,
};

/// The columns after those that name the problem: a call on ordinary slices and its parts by themselves; a call on pinned arrays;
/// each of many frames of a stream; copies between pinned memory and the device, one way, the other way, and each of many both
/// ways at once. The last two are `bus up` and `bus down` over `call`, and `bus both` over `stream`.
const COLUMNS: [&str; 11] = [
    "call ms",
    "upload ms",
    "kernels ms",
    "download ms",
    "pinned ms",
    "stream ms",
    "bus up ms",
    "bus down ms",
    "bus both ms",
    "of bus",
    "stream of bus",
];

/// Frames on their way at a time, and how many are timed at once.
const SLOTS: usize = 4;
pub const FRAMES: u64 = 8;

/// Prints a row for every problem and device. The strategies are those that the planner composes.
pub fn benchmark(arguments: &Arguments, problems: &[Problem], engines: &[Engine]) -> Result<()> {
    print_each(COLUMNS, problems, engines, |engine, problem| {
        let times = match problem.sample {
            SampleType::I16 => measure::<i16>(engine, problem, arguments.runs),
            SampleType::I32 => measure::<i32>(engine, problem, arguments.runs),
            SampleType::F16 => measure::<f16>(engine, problem, arguments.runs),
            SampleType::Rounded => measure::<Rounded>(engine, problem, arguments.runs),
            SampleType::F32 => measure::<f32>(engine, problem, arguments.runs),
            SampleType::F64 => measure::<f64>(engine, problem, arguments.runs),
            other => Err(format!("cannot make samples of type {other}").into()),
        };
        Ok(times?.cells())
    })
}

/// Nanoseconds of every run, in the order of the columns.
#[derive(Default)]
struct Times([Vec<u64>; 9]);

impl Times {
    fn cells(&self) -> Vec<String> {
        let medians = self.0.each_ref().map(|times| median(times));
        let [call, .., stream, up, down, both] = medians;
        let share = |bus: u64, time: u64| bus as f64 / time.max(1) as f64;
        let mut cells = medians
            .map(|time| format!("{:.3}", time as f64 / 1e6))
            .to_vec();
        for of_bus in [share(up + down, call), share(both, stream)] {
            cells.push(format!("{of_bus:.3}"));
        }
        cells
    }
}

fn measure<T: RandomSample>(engine: &Engine, problem: &Problem, runs: usize) -> Result<Times> {
    let direction = problem.direction.direction();
    let plan = engine.plan::<T>(&problem.transform)?;
    let len = problem.transform.len();
    let samples = random_samples::<T>(len, 1);
    let mut coefficients = Coefficients::from_parts(&problem.transform, samples.clone())?;
    let mut output = vec![T::POISON; len];
    let mut bus = Bus::new(engine, len * size_of::<T>())?;
    let [mut pinned, mut result] = [engine.pinned::<T>(len)?, engine.pinned::<T>(len)?];
    pinned.copy_from_slice(&samples);
    let (feeder, reader) = plan.stream(direction, SLOTS)?;
    let (mut x, mut y) = (engine.upload(&samples)?, engine.upload(&output)?);
    let mut times = Times::default();
    // Two to warm up.
    for run in 0..runs + 2 {
        let call = match direction {
            Direction::Forward => clock(|| plan.forward_into(&samples, &mut coefficients)),
            Direction::Inverse => clock(|| plan.inverse_into(&coefficients, &mut output)),
        }?;
        let upload = clock(|| x.write(&samples))?;
        let kernels = match direction {
            Direction::Forward => plan.enqueue_forward(&x, &mut y)?,
            Direction::Inverse => plan.enqueue_inverse(&x, &mut y)?,
        };
        let kernels = kernels.device_time()?.as_nanos() as u64;
        let call_result = (run == 0).then(|| match direction {
            Direction::Forward => coefficients.as_slice().to_vec(),
            Direction::Inverse => output.clone(),
        });
        let download = clock(|| y.download_into(&mut output))?;
        let on_pinned = clock(|| match direction {
            Direction::Forward => plan.forward_pinned(&pinned, &mut result),
            Direction::Inverse => plan.inverse_pinned(&pinned, &mut result),
        })?;
        if let Some(call) = call_result {
            let expected = to_f64(&output);
            // Pictures in bands may go by another strategy.
            let errors = [&call, &*result].map(|got| relative_error(got, &expected));
            if errors.into_iter().any(|error| error > 2.0 * T::BOUND) {
                return Err("a call's result is another than that of arrays on the device".into());
            }
        }
        let frames = clock(|| stream(&feeder, &reader))?;
        let [up, down] = bus.copy()?;
        let both = bus.copy_both_ways()?;
        let [frame, both] = [frames / FRAMES, both / FRAMES];
        let all = [
            call, upload, kernels, download, on_pinned, frame, up, down, both,
        ];
        if run >= 2 {
            times
                .0
                .iter_mut()
                .zip(all)
                .for_each(|(times, time)| times.push(time));
        }
    }
    Ok(times)
}

/// Sends frames through a stream that has them already, as many at a time as there are slots.
fn stream<T: Sample>(feeder: &Feeder<T>, reader: &Reader<T>) -> std::result::Result<(), Error> {
    let slots = SLOTS as u64;
    for number in 0..FRAMES + slots {
        if number >= slots {
            drop(reader.next()?);
        }
        if number < FRAMES {
            feeder.frame()?.submit()?;
        }
    }
    Ok(())
}

fn clock<E>(work: impl FnOnce() -> std::result::Result<(), E>) -> std::result::Result<u64, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_nanos() as u64)
}

/// Pinned memory and as much on the device, for each way: how long copies between them take is the bus's own rate.
pub struct Bus([OneWay; 2]);

struct OneWay {
    queue: CommandQueue,
    device: Buffer<u8>,
    pinned: &'static mut [u8],
    // The memory's owner, released last.
    _owner: Buffer<u8>,
    _context: Context,
}

impl OneWay {
    fn new(engine: &Engine, bytes: usize) -> Result<Self> {
        let device = Device::new(engine.raw_device());
        let context = Context::from_device(&device)?;
        let none = std::ptr::null_mut();
        // SAFETY: the device is the context's; no host pointer is passed; the buffer has so many bytes, stays mapped as long as
        // the slice is used, and drivers fill what they map.
        unsafe {
            #[allow(deprecated, reason = "the successor needs OpenCL 2.0")]
            let queue = CommandQueue::create(&context, device.id(), 0)?;
            let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
            let owner = Buffer::create(&context, flags, bytes, none)?;
            let on_device = Buffer::create(&context, CL_MEM_READ_WRITE, bytes, none)?;
            let (access, mut start) = (CL_MAP_READ | CL_MAP_WRITE, none);
            queue.enqueue_map_buffer(&owner, CL_BLOCKING, access, 0, bytes, &mut start, &[])?;
            start.cast::<u8>().write_bytes(1, bytes);
            Ok(OneWay {
                queue,
                device: on_device,
                pinned: std::slice::from_raw_parts_mut(start.cast(), bytes),
                _owner: owner,
                _context: context,
            })
        }
    }

    fn copy(&mut self, goes_up: bool) -> Result<Event> {
        let (queue, buffer, pinned) = (&self.queue, &mut self.device, &mut *self.pinned);
        // SAFETY: the buffer is as long as the slice. Nothing reads or writes that but copies, which are all waited for.
        let event = unsafe {
            match goes_up {
                true => queue.enqueue_write_buffer(buffer, CL_NON_BLOCKING, 0, pinned, &[])?,
                false => queue.enqueue_read_buffer(buffer, CL_NON_BLOCKING, 0, pinned, &[])?,
            }
        };
        queue.flush()?;
        Ok(event)
    }
}

impl Drop for OneWay {
    fn drop(&mut self) {
        // Copies may still be on their way after an error.
        let _ = self.queue.finish();
    }
}

impl Bus {
    pub fn new(engine: &Engine, bytes: usize) -> Result<Self> {
        let way = || OneWay::new(engine, bytes);
        Ok(Bus([way()?, way()?]))
    }

    /// The nanoseconds of a copy to the device, and of one back.
    fn copy(&mut self) -> Result<[u64; 2]> {
        let Bus([up, down]) = self;
        let one = |way: &mut OneWay, goes_up| -> Result<u64> {
            let start = Instant::now();
            way.copy(goes_up)?.wait()?;
            Ok(start.elapsed().as_nanos() as u64)
        };
        Ok([one(up, true)?, one(down, false)?])
    }

    /// The nanoseconds of as many copies each way, both ways at once, as frames are timed.
    pub fn copy_both_ways(&mut self) -> Result<u64> {
        let Bus([up, down]) = self;
        let start = Instant::now();
        let mut last = Vec::new();
        for _ in 0..FRAMES {
            last = vec![up.copy(true)?, down.copy(false)?];
        }
        for event in last {
            event.wait()?;
        }
        Ok(start.elapsed().as_nanos() as u64)
    }
}
