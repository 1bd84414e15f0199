//! Handles of another program: what is taken, what is refused, and that nothing is kept.

use crate::common::{devices, random_samples};
use crate::foreign::{OUT_OF_ORDER, Owned, PROFILING, Program, set, sub_buffer, sub_devices};
use cl3::memory::{
    CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_READ_ONLY,
    CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY,
};
use std::ptr::null_mut;
use std::thread::sleep;
use std::time::Duration;
use wavelift::{DeviceArray, Engine, Error, Event, Layout, Sample, Transform, Wavelet, reference};

fn picture() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [61, 64]).levels(3)
}

/// An array over another program's buffer.
fn array<T: Sample>(
    engine: &Engine,
    buffer: &Owned,
    offset: usize,
    len: usize,
) -> Result<DeviceArray<T>, Error> {
    // SAFETY: the buffer is valid, and the tests keep to the promises.
    unsafe { DeviceArray::from_raw(engine, buffer.raw, offset, len) }
}

#[track_caller]
fn refused<T>(result: Result<T, Error>, what: &str, needle: &str) {
    match result.err().expect("this should be refused") {
        Error::Handle {
            what: part,
            expected,
            got,
            ..
        } => {
            assert_eq!(part, what);
            let text = format!("{expected}, not {got}");
            assert!(text.contains(needle), "{text}");
        }
        error => panic!("{error}"),
    }
}

/// Forward and back between two buffers of the program, checked by the program's own means.
fn check_round_trip(program: &Program, engine: &Engine) {
    let transform = picture();
    let samples = random_samples::<i32>(transform.len(), 1);
    let bytes = 4 * transform.len();
    let [x, y] = [(), ()].map(|()| program.buffer(bytes, CL_MEM_READ_WRITE));
    let plan = engine.plan::<i32>(&transform).unwrap();
    let mut from = array::<i32>(engine, &x, 0, transform.len()).unwrap();
    let mut to = array::<i32>(engine, &y, 0, transform.len()).unwrap();
    from.write(&samples).unwrap();
    plan.enqueue_forward(&from, &mut to).unwrap();
    engine.finish().unwrap();
    let expected = reference::forward(&transform, &samples).unwrap();
    assert!(program.read::<i32>(&y, transform.len()) == expected);
    from.write(&vec![0; transform.len()]).unwrap();
    let run = plan.enqueue_inverse(&to, &mut from).unwrap();
    run.wait().unwrap();
    assert!(program.read::<i32>(&x, transform.len()) == samples);
}

/// Counts of references that have not changed for a while: PoCL lets go of a command's queue a
/// little after `clFinish` has returned.
fn settled<const N: usize>(counts: impl Fn() -> [u32; N]) -> [u32; N] {
    let (mut last, mut same) = (counts(), 0);
    while same < 10 {
        sleep(Duration::from_millis(5));
        let now = counts();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    last
}

#[test]
fn every_reference_is_given_back() {
    for device in devices() {
        for properties in [0, PROFILING, OUT_OF_ORDER, OUT_OF_ORDER | PROFILING] {
            let program = Program::on(&device, properties);
            let buffer = program.buffer(4096, CL_MEM_READ_WRITE);
            let event = program.user_event();
            let counts =
                || [&program.context, &program.queue, &buffer, &event].map(Owned::references);
            // PoCL's queues hold a reference to themselves from the first command on.
            program.read::<f32>(&buffer, 1);
            let before = settled(counts);
            {
                let engine = program.engine();
                let clone = engine.clone();
                assert_eq!(engine.raw_context(), program.context.raw);
                assert_eq!(engine.raw_device(), program.device);
                assert_eq!(engine.raw_queue(), program.queue.raw);
                let x = array::<f32>(&engine, &buffer, 256, 100).unwrap();
                assert_eq!((x.as_raw(), x.raw_offset()), (buffer.raw, 256));
                assert_eq!(engine.memory().used, 0);
                // SAFETY: the event is valid.
                let ours = unsafe { Event::from_raw(event.raw) }.unwrap();
                assert_eq!(ours.as_raw(), event.raw);
                let after = counts();
                assert_eq!(after[1..], [before[1] + 1, before[2] + 1, before[3] + 1]);
                assert!(after[0] > before[0]);
                drop(engine);
                check_round_trip(&program, &clone);
                // An array outlives its engine.
                drop(clone);
                assert_eq!(x.download().unwrap().len(), 100);
            }
            program.finish();
            assert_eq!(settled(counts), before, "{device} with {properties}");
            // What is refused is not kept either.
            let engine = program.engine();
            let counted = counts();
            assert!(array::<f32>(&engine, &buffer, 0, 1025).is_err());
            // SAFETY: the handles are valid or null.
            let null = unsafe { Engine::from_raw(program.context.raw, program.device, null_mut()) };
            assert!(null.is_err());
            assert_eq!(counts(), counted);
            // NVIDIA's driver does not let go of a context with an event that is still to come.
            set(&event, 0);
        }
    }
}

#[test]
fn engines_are_made_of_what_belongs_together() {
    for device in devices() {
        let (one, other) = (Program::on(&device, 0), Program::on(&device, 0));
        let raw = |context, device, queue| {
            // SAFETY: all are valid or null.
            unsafe { Engine::from_raw(context, device, queue) }
        };
        let [context, queue] = [one.context.raw, one.queue.raw];
        refused(raw(null_mut(), one.device, queue), "the context", "null");
        refused(raw(context, null_mut(), queue), "the device", "null");
        refused(raw(context, one.device, null_mut()), "the queue", "null");
        refused(
            raw(context, one.device, other.queue.raw),
            "the queue",
            "another context",
        );
        if let Some([part, another]) = sub_devices(&device) {
            // PoCL's contexts take parts of their devices as theirs; the queue is not.
            let error = raw(context, part.raw, queue).unwrap_err().to_string();
            let expected = ["a device of the context", "a queue of the device"];
            assert!(expected.iter().any(|one| error.contains(one)), "{error}");
            let both = Program::of(&[part.raw, another.raw], 0);
            let wrong = raw(both.context.raw, part.raw, both.queue.raw);
            refused(wrong, "the queue", "another device");
        }
    }
}

#[test]
fn sub_devices_and_contexts_of_several_devices_work() {
    for device in devices() {
        let Some(parts) = sub_devices(&device) else {
            println!("not run: {device} cannot be divided");
            continue;
        };
        let counts = || parts.each_ref().map(Owned::references);
        let before = counts();
        let handles = parts.each_ref().map(|part| part.raw);
        let alone = Program::of(&handles[..1], 0);
        let both = Program::of(&handles, 0);
        let kept = {
            let engine = alone.engine();
            assert_eq!(engine.device().info().compute_units, 1);
            assert_eq!(engine.device().info().index, device.info().index);
            check_round_trip(&alone, &engine);
            check_round_trip(&both, &both.engine());
            engine.device().clone()
        };
        drop((alone, both));
        // A device that is kept can be opened again.
        assert_eq!(settled(counts)[0], before[0] + 1);
        Engine::new(&kept).unwrap();
        drop(kept);
        assert_eq!(settled(counts), before);
    }
}

#[test]
fn buffers_of_another_kind_or_context_are_refused() {
    for device in devices() {
        let program = Program::on(&device, 0);
        let engine = program.engine();
        let buffer = program.buffer(400, CL_MEM_READ_WRITE);
        let of = |offset, len| array::<f32>(&engine, &buffer, offset, len);
        assert!(of(0, 100).is_ok() && of(396, 1).is_ok() && of(400, 0).is_ok());
        refused(of(0, 101), "the buffer", "400 bytes");
        refused(
            of(4, 100),
            "the buffer",
            "100 samples of f32 from byte 4 on",
        );
        refused(of(8, usize::MAX / 4), "the buffer", "400 bytes");
        refused(of(usize::MAX, 1), "the buffer", "400 bytes");
        refused(of(4, usize::MAX / 2), "the buffer", "400 bytes");
        // SAFETY: null is refused.
        let null = unsafe { DeviceArray::<f32>::from_raw(&engine, null_mut(), 0, 0) };
        refused(null, "the buffer", "null");
        let foreign = Program::on(&device, 0).buffer(400, CL_MEM_READ_WRITE);
        refused(
            array::<f32>(&engine, &foreign, 0, 1),
            "the buffer",
            "another context",
        );
        if let Some(image) = image(&program) {
            refused(
                array::<f32>(&engine, &image, 0, 1),
                "the buffer",
                "type 0x10f1",
            );
        } else {
            println!("not run: {device} has no images");
        }
        // An array of an engine in another context.
        let own = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::HAAR, [100]);
        let plan = own.plan::<f32>(&transform).unwrap();
        let mut y = own.zeros(100).unwrap();
        let refused = plan.enqueue_forward(&of(0, 100).unwrap(), &mut y);
        assert!(matches!(refused, Err(Error::ForeignArray { .. })));
    }
}

fn image(program: &Program) -> Option<Owned> {
    use cl3::types::{cl_image_desc, cl_image_format};
    let format = cl_image_format {
        image_channel_order: cl3::memory::CL_RGBA,
        image_channel_data_type: cl3::memory::CL_UNORM_INT8,
    };
    // SAFETY: zeros are a description, but for what is set.
    let mut description: cl_image_desc = unsafe { std::mem::zeroed() };
    description.image_type = cl3::memory::CL_MEM_OBJECT_IMAGE2D;
    (description.image_width, description.image_height) = (8, 8);
    // SAFETY: the two are descriptions of an image, and there is no memory of the host.
    let raw = unsafe {
        cl3::memory::create_image(program.context.raw, 1, &format, &description, null_mut())
    };
    raw.ok().map(Owned::of_memory)
}

#[test]
fn flags_are_kept_to() {
    for device in devices() {
        let program = Program::on(&device, 0);
        let engine = program.engine();
        let transform = Transform::new(Wavelet::HAAR, [100]);
        let plan = engine.plan::<f32>(&transform).unwrap();
        let in_place = transform.clone().layout(Layout::Interleaved);
        let in_place = engine.plan_in_place::<f32>(&in_place).unwrap();
        let of = |flags| {
            let buffer = program.buffer(400, flags);
            array::<f32>(&engine, &buffer, 0, 100).unwrap()
        };
        let any = || of(CL_MEM_READ_WRITE);
        let forward = |x: &DeviceArray<f32>, mut y| plan.enqueue_forward(x, &mut y);
        forward(&of(CL_MEM_READ_ONLY), any()).unwrap();
        forward(&of(0), of(0)).unwrap();
        refused(
            forward(&of(CL_MEM_WRITE_ONLY), any()),
            "the input",
            "may read",
        );
        refused(
            forward(&any(), of(CL_MEM_READ_ONLY)),
            "the output",
            "read and write",
        );
        refused(
            forward(&any(), of(CL_MEM_WRITE_ONLY)),
            "the output",
            "read and write",
        );
        let mut read_only = of(CL_MEM_READ_ONLY);
        refused(
            in_place.enqueue_forward(&mut read_only),
            "the array",
            "read and write",
        );
        let write = |flags| of(flags).write(&[0.0; 100]);
        let read = |flags| of(flags).download();
        write(CL_MEM_HOST_WRITE_ONLY).unwrap();
        read(CL_MEM_HOST_READ_ONLY).unwrap();
        refused(
            write(CL_MEM_HOST_READ_ONLY),
            "the array",
            "host may have written",
        );
        refused(
            write(CL_MEM_HOST_NO_ACCESS),
            "the array",
            "host may have written",
        );
        refused(
            read(CL_MEM_HOST_WRITE_ONLY),
            "the array",
            "host may have read",
        );
        refused(
            read(CL_MEM_HOST_NO_ACCESS),
            "the array",
            "host may have read",
        );
        engine.finish().unwrap();
    }
}

/// Memory of the host whose first sample is at 16 bytes, and no more, past a
/// multiple of 64, as NumPy has it.
fn host(samples: &[f32]) -> (Vec<f32>, usize) {
    let mut memory = vec![0.0; samples.len() + 64];
    let start = (0..)
        .find(|i| (memory.as_ptr() as usize + 4 * i) % 64 == 16)
        .unwrap();
    memory[start..start + samples.len()].copy_from_slice(samples);
    (memory, start)
}

#[test]
fn memory_of_the_host_is_used_where_it_stands() {
    for device in devices() {
        let program = Program::on(&device, 0);
        let engine = program.engine();
        let transform = Transform::new(Wavelet::CDF_9_7, [64, 128]).levels(2);
        let len = transform.len();
        let samples = random_samples::<f32>(len, 2);
        let expected = reference::forward(&transform, &samples).unwrap();
        let plan = engine.plan::<f32>(&transform).unwrap();
        // As NumPy has it, and one sample further.
        for further in [0, 1, 4] {
            let (mut memory, start) = host(&samples);
            memory.copy_within(start..start + len, start + further);
            let place = memory[start + further..].as_mut_ptr().cast();
            // SAFETY: the memory is there, and longer than the buffer.
            let buffer = unsafe { program.buffer_over(4 * len, CL_MEM_USE_HOST_PTR, place) };
            let x = array::<f32>(&engine, &buffer, 0, len).unwrap();
            let mut y = engine.zeros(len).unwrap();
            match plan.enqueue_forward(&x, &mut y) {
                Ok(_) => {}
                Err(Error::Misaligned {
                    what,
                    needed: 16,
                    found: 4,
                    ..
                }) if further == 1 => {
                    assert_eq!(what, "the input");
                    let odd = wavelift::Region::dense([64, 128]).at(1);
                    let plan = engine.plan_regions::<f32>(&transform, &odd, &odd).unwrap();
                    plan.enqueue_forward(&x, &mut y).unwrap();
                }
                Err(error) => panic!("{further}: {error}"),
            }
            let got = y.download().unwrap();
            let error = crate::common::relative_error(&got, &crate::common::to_f64(&expected));
            assert!(error < 4e-6, "{error}");
            drop(x);
        }
        // Bytes that no sample can start at.
        let mut memory = vec![0u8; 4096];
        let odd = 1 - memory.as_ptr() as usize % 2;
        let place = memory[odd..].as_mut_ptr().cast();
        // SAFETY: the memory is there, and longer than the buffer.
        let buffer = unsafe { program.buffer_over(2000, CL_MEM_USE_HOST_PTR, place) };
        let refused = array::<f32>(&engine, &buffer, 0, 4).unwrap_err();
        assert!(
            matches!(refused, Error::Misaligned { needed: 4, .. }),
            "{refused}"
        );
    }
}

#[test]
fn places_in_buffers_are_aligned_and_apart() {
    for device in devices() {
        let program = Program::on(&device, 0);
        let engine = program.engine();
        let buffer = program.buffer(1 << 16, CL_MEM_READ_WRITE);
        let misaligned = array::<f32>(&engine, &buffer, 6, 10).unwrap_err();
        assert!(matches!(misaligned, Error::Misaligned { .. }));
        assert_eq!(
            misaligned.to_string(),
            "the array starts at a multiple of 2 bytes only, but must start at a multiple of 4"
        );
        let transform = Transform::new(Wavelet::CDF_5_3, [32, 64]);
        let plan = engine.plan::<i32>(&transform).unwrap();
        let len = transform.len();
        let size = 4 * len;
        let of = |buffer: &Owned, offset| array::<i32>(&engine, buffer, offset, len).unwrap();
        let [low, high] =
            [0, 4096].map(|origin| sub_buffer(&buffer, origin, 4096 + size, CL_MEM_READ_WRITE));
        let overlaps =
            |x: &DeviceArray<i32>, mut y: DeviceArray<i32>| match plan.enqueue_forward(x, &mut y) {
                Ok(_) => None,
                Err(Error::Overlap { one, other, .. }) => Some((one, other)),
                Err(error) => panic!("{error}"),
            };
        let expected = Some(("the input", "the output"));
        assert_eq!(overlaps(&of(&buffer, 0), of(&buffer, 0)), expected);
        assert_eq!(overlaps(&of(&buffer, size - 16), of(&buffer, 0)), expected);
        assert_eq!(overlaps(&of(&low, 0), of(&buffer, 16)), expected);
        assert_eq!(overlaps(&of(&low, 4096), of(&high, 0)), expected);
        assert_eq!(overlaps(&of(&high, 0), of(&low, 16)), expected);
        assert_eq!(overlaps(&of(&buffer, 0), of(&buffer, size)), None);
        assert_eq!(overlaps(&of(&high, 4096), of(&low, 0)), None);
        // What is apart is computed: from the end of one sub-buffer to the start of the other.
        let samples = random_samples::<i32>(len, 3);
        let (mut x, mut y) = (of(&high, 4096), of(&low, 0));
        x.write(&samples).unwrap();
        plan.enqueue_forward(&x, &mut y).unwrap();
        let expected = reference::forward(&transform, &samples).unwrap();
        assert!(y.download().unwrap() == expected && x.download().unwrap() == samples);
        let whole = program.read::<i32>(&buffer, 1 << 14);
        assert!(whole[..len] == expected && whole[2048..2048 + len] == samples);
        // Two buffers over the same memory of the host.
        let mut memory = vec![0i32; 3 * len];
        let place = |i: usize| memory[i..].as_ptr().cast_mut().cast();
        // SAFETY: the memory is longer than the buffers, and nothing runs on both.
        let [a, b, c] = unsafe {
            [0, len / 2, len].map(|i| program.buffer_over(size, CL_MEM_USE_HOST_PTR, place(i)))
        };
        assert_eq!(
            overlaps(&of(&a, 0), of(&b, 0)),
            Some(("the input", "the output"))
        );
        drop((a, b, c));
        memory.fill(1);
    }
}
