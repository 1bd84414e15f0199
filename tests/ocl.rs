//! Objects of the crate `ocl` in and out, and that no reference is kept:
//! `cargo test --features ocl-interop --test ocl`.
#![cfg(feature = "ocl-interop")]

use ocl::core::{
    CommandQueueInfo, CommandQueueInfoResult, ContextInfo, ContextInfoResult, EventInfo,
    EventInfoResult, MemInfo, MemInfoResult,
};
use ocl::{Buffer, EventList, Queue};
use std::sync::Mutex;
use wavelift::{DeviceArray, Engine, Error, Event, Transform, Wavelet, reference};

fn of_queue(queue: &ocl::core::CommandQueue) -> u32 {
    match ocl::core::get_command_queue_info(queue, CommandQueueInfo::ReferenceCount).unwrap() {
        CommandQueueInfoResult::ReferenceCount(count) => count,
        other => panic!("{other}"),
    }
}

fn of_buffer(buffer: &ocl::core::Mem) -> u32 {
    match ocl::core::get_mem_object_info(buffer, MemInfo::ReferenceCount).unwrap() {
        MemInfoResult::ReferenceCount(count) => count,
        other => panic!("{other}"),
    }
}

fn of_event(event: &ocl::core::Event) -> u32 {
    match ocl::core::get_event_info(event, EventInfo::ReferenceCount).unwrap() {
        EventInfoResult::ReferenceCount(count) => count,
        other => panic!("{other}"),
    }
}

fn of_context(context: &ocl::core::Context) -> u32 {
    match ocl::core::get_context_info(context, ContextInfo::ReferenceCount).unwrap() {
        ContextInfoResult::ReferenceCount(count) => count,
        other => panic!("{other}"),
    }
}

/// PoCL crashes if two threads make the first call at once, which `ocl` leaves to them.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn a_queue_and_buffers_are_used_and_given_back() {
    let _guard = ONE_AT_A_TIME.lock();
    let context = ocl::Context::builder().build().unwrap();
    let queue = Queue::new(&context, context.devices()[0], None).unwrap();
    let transform = Transform::new(Wavelet::CDF_5_3, [40, 50]).levels(2);
    let samples: Vec<i32> = (0..2000).map(|i| i * i % 1009).collect();
    let buffer = || {
        let builder = Buffer::<i32>::builder().queue(queue.clone());
        builder.len(2000).copy_host_slice(&samples).build().unwrap()
    };
    let (x, y) = (buffer(), buffer());
    let mut got = vec![0; 2000];
    // What drivers keep of a queue's last commands they have then.
    y.read(&mut got).enq().unwrap();
    let counts = || {
        let context = of_context(context.as_core());
        [
            context,
            of_queue(queue.as_core()),
            of_buffer(x.as_core()),
            of_buffer(y.as_core()),
        ]
    };
    let before = counts();
    let event = {
        let engine = Engine::from_ocl(&queue).unwrap();
        // SAFETY: both are written, and used in the order of the queue.
        let (from, mut to) = unsafe {
            let from = DeviceArray::from_ocl(&engine, &x).unwrap();
            (from, DeviceArray::from_ocl(&engine, &y).unwrap())
        };
        assert_eq!(counts()[1..], [before[1] + 1, before[2] + 1, before[3] + 1]);
        let plan = engine.plan::<i32>(&transform).unwrap();
        let run = plan.enqueue_forward(&from, &mut to).unwrap();
        let event = run.event().to_ocl().unwrap();
        event.wait_for().unwrap();
        // And back.
        let held = of_buffer(y.as_core());
        let (queue, memory) = (engine.to_ocl(), to.to_ocl());
        assert_eq!(
            (queue.as_ptr(), memory.as_ptr()),
            (engine.raw_queue(), to.as_raw())
        );
        assert_eq!(of_buffer(&memory), held + 1);
        event
    };
    y.read(&mut got).enq().unwrap();
    assert!(got == reference::forward(&transform, &samples).unwrap());
    queue.finish().unwrap();
    drop(event);
    assert_eq!(counts()[2..], before[2..]);
}

#[test]
fn events_go_both_ways() {
    let _guard = ONE_AT_A_TIME.lock();
    let context = ocl::Context::builder().build().unwrap();
    let queue = Queue::new(&context, context.devices()[0], None).unwrap();
    let event = ocl::Event::user(&context).unwrap();
    let before = of_event(event.as_core());
    let ours = Event::from_ocl(&event).unwrap();
    assert_eq!(of_event(event.as_core()), before + 1);
    let theirs = ours.to_ocl().unwrap();
    assert_eq!(of_event(event.as_core()), before + 2);
    assert_eq!(of_event(theirs.as_core()), before + 2);
    drop((ours, theirs));
    assert_eq!(of_event(event.as_core()), before);
    assert!(matches!(
        Event::from_ocl(&ocl::Event::empty()),
        Err(Error::Handle { .. })
    ));

    let engine = Engine::from_ocl(&queue).unwrap();
    let transform = Transform::new(Wavelet::HAAR, [100]);
    let plan = engine.plan::<f32>(&transform).unwrap();
    let x = engine.zeros::<f32>(100).unwrap();
    let mut y = engine.zeros::<f32>(100).unwrap();
    let gate = Event::from_ocl(&event).unwrap();
    let run = plan.enqueue_forward_after(&x, &mut y, &[gate]).unwrap();
    let list: EventList = run.event().to_ocl().unwrap().into();
    assert_eq!(run.is_done(), Ok(false));
    event.set_complete().unwrap();
    list.wait_for().unwrap();
    assert_eq!(run.is_done(), Ok(true));
}
