//! The order of work: by events of any origin, across queues, and on queues that keep none.

use crate::common::{Random, can_run, devices, random_samples};
use crate::foreign::{OUT_OF_ORDER, Owned, PROFILING, Program, set};
use std::ptr::null_mut;
use std::time::Duration;
use wavelift::{
    DeviceArray, DeviceInfo, Engine, Error, Event, Layout, Plan, Region, Strategy, Transform,
    Wavelet, reference,
};

const QUEUES: [u64; 2] = [0, OUT_OF_ORDER];

fn picture() -> Transform {
    Transform::new(Wavelet::CDF_5_3, [64, 96]).levels(3)
}

fn event(raw: &Owned) -> Event {
    // SAFETY: the event is valid.
    unsafe { Event::from_raw(raw.raw) }.unwrap()
}

fn pause() {
    std::thread::sleep(Duration::from_millis(30));
}

#[test]
fn runs_wait_for_events() {
    for device in devices() {
        for properties in QUEUES {
            let program = Program::on(&device, properties);
            let engine = program.engine();
            let transform = picture();
            let plan = engine.plan::<i32>(&transform).unwrap();
            let samples = random_samples::<i32>(transform.len(), 1);
            let x = engine.upload(&samples).unwrap();
            let mut y = engine.zeros(transform.len()).unwrap();
            let gate = program.user_event();
            let run = plan
                .enqueue_forward_after(&x, &mut y, &[event(&gate)])
                .unwrap();
            // What is set up meanwhile does not wait.
            let z = engine.upload(&[1i16, 2, 3]).unwrap();
            let zeros = engine.zeros::<i16>(5).unwrap();
            pause();
            assert_eq!(run.is_done(), Ok(false));
            // Another run waits for the first.
            let mut back = engine.zeros(transform.len()).unwrap();
            let other = engine.another().unwrap().plan::<i32>(&transform).unwrap();
            let later = other
                .enqueue_inverse_after(&y, &mut back, &[run.event()])
                .unwrap();
            pause();
            assert_eq!(later.is_done(), Ok(false));
            set(&gate, 0);
            later.wait().unwrap();
            assert_eq!(run.is_done(), Ok(true));
            assert!(y.download().unwrap() == reference::forward(&transform, &samples).unwrap());
            assert!(back.download().unwrap() == samples);
            assert_eq!(z.download().unwrap(), [1, 2, 3]);
            assert_eq!(zeros.download().unwrap(), [0; 5]);
        }
    }
}

#[test]
fn events_of_other_contexts_are_refused() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = picture();
        let plan = engine.plan::<i32>(&transform).unwrap();
        let x = engine.zeros::<i32>(transform.len()).unwrap();
        let mut y = engine.zeros::<i32>(transform.len()).unwrap();
        let foreign = Program::on(&device, 0).user_event();
        let refused = plan.enqueue_forward_after(&x, &mut y, &[event(&foreign)]);
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Handle { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "the event: expected an event of the engine's context, got one of another context"
        );
        // SAFETY: null is refused.
        let null = unsafe { Event::from_raw(null_mut()) };
        assert!(matches!(null, Err(Error::Handle { .. })));
        set(&foreign, 0);
    }
}

#[test]
fn a_plan_without_passes_has_an_event() {
    for device in devices() {
        for properties in QUEUES {
            let program = Program::on(&device, properties);
            let engine = program.engine();
            let nothing = picture().levels(0).layout(Layout::Interleaved);
            let plan = engine.plan_in_place::<i32>(&nothing).unwrap();
            let mut x = engine.zeros::<i32>(nothing.len()).unwrap();
            let gate = program.user_event();
            let run = plan.enqueue_forward_after(&mut x, &[event(&gate)]).unwrap();
            pause();
            assert_eq!(run.is_done(), Ok(false));
            set(&gate, 0);
            run.wait().unwrap();
            assert!(!run.as_raw().is_null());
            plan.enqueue_inverse(&mut x).unwrap().wait().unwrap();
        }
    }
}

/// Random transforms, copies to and from the host and sub-views among a few arrays, by several
/// plans on several queues, give what the same gives one after the other on the host.
fn check_random_work(engines: &[Engine], seed: u64) {
    let transform = picture();
    let len = transform.len();
    let dense = Region::dense([len]);
    let plans: Vec<Plan<i32>> = engines
        .iter()
        .flat_map(|engine| {
            let plan = engine.plan::<i32>(&transform).unwrap();
            [plan.another().unwrap(), plan]
        })
        .collect();
    let mut random = Random::new(seed);
    let mut below = |n: usize| (random.bits() >> 33) as usize % n;
    let mut host: Vec<Vec<i32>> = (0..4).map(|i| random_samples(len, i)).collect();
    let mut arrays: Vec<DeviceArray<i32>> = host
        .iter()
        .map(|samples| engines[0].upload(samples).unwrap())
        .collect();
    for number in 0..60 {
        let (from, to) = (below(4), below(4));
        match below(8) {
            0 => {
                let samples = random_samples(len / 2, number);
                let mut half = arrays[to].slice_mut(len / 4, len / 2).unwrap();
                half.write(&samples).unwrap();
                host[to][len / 4..len / 4 + len / 2].copy_from_slice(&samples);
            }
            1 => assert!(arrays[from].download().unwrap() == host[from]),
            _ if from == to => {}
            choice => {
                let plan = &plans[below(plans.len())];
                let mut output = arrays.swap_remove(to);
                // The last one has its place now.
                let last = arrays.len();
                let input = &arrays[if from == last { to } else { from }];
                let result = output.view_mut(&dense).unwrap();
                let run = match choice % 2 {
                    0 => plan.enqueue_forward(input, result),
                    _ => plan.enqueue_inverse(input, result),
                };
                run.unwrap();
                host[to] = match choice % 2 {
                    0 => reference::forward(&transform, &host[from]).unwrap(),
                    _ => reference::inverse(&transform, &host[from]).unwrap(),
                };
                arrays.push(output);
                arrays.swap(to, last);
            }
        }
    }
    for (array, samples) in arrays.iter().zip(&host) {
        assert!(array.download().unwrap() == *samples);
    }
}

#[test]
fn work_on_an_array_is_in_order_whatever_the_queues_are() {
    for device in devices() {
        let in_order = Program::on(&device, 0);
        let out_of_order = Program::on(&device, OUT_OF_ORDER);
        let own = Engine::new(&device).unwrap();
        let another = out_of_order.another_queue(0);
        for engines in [
            vec![in_order.engine()],
            vec![out_of_order.engine()],
            vec![own.clone(), own.another().unwrap()],
            vec![out_of_order.engine(), out_of_order.engine_on(&another)],
        ] {
            for seed in 0..4 {
                check_random_work(&engines, seed);
            }
        }
    }
}

#[test]
fn after_a_failed_event_the_engine_goes_on() {
    for device in devices() {
        // Where work waits for an event that fails, PoCL 3.1 ends the process, and so does Intel's
        // runtime for CPUs (2026.2) on queues without order: with one kernel and nothing else.
        let is_on = |info: &DeviceInfo, name: &str| info.platform.contains(name);
        let fails = |info: &DeviceInfo| !is_on(info, "Portable Computing Language");
        if !can_run("a failed event", &device, "failed-events", fails) {
            continue;
        }
        for properties in QUEUES {
            if properties == OUT_OF_ORDER && is_on(device.info(), "Intel(R) OpenCL") {
                println!("not run: a failed event without order on {device}");
                continue;
            }
            let program = Program::on(&device, properties);
            let engine = program.engine();
            let transform = picture();
            let plan = engine.plan::<i32>(&transform).unwrap();
            let other = plan.another().unwrap();
            let samples = random_samples::<i32>(transform.len(), 1);
            let mut x = engine.upload(&samples).unwrap();
            let mut y = engine.zeros(transform.len()).unwrap();
            let gate = program.user_event();
            let run = plan
                .enqueue_forward_after(&x, &mut y, &[event(&gate)])
                .unwrap();
            let behind = other.enqueue_inverse(&y, &mut x).unwrap();
            set(&gate, -5);
            for run in [&run, &behind] {
                assert!(matches!(run.wait(), Err(Error::OpenCl { .. })), "{device}");
                assert!(run.is_done().is_err());
            }
            // One sample alone makes up for nothing.
            y.slice_mut(0, 1).unwrap().write(&[0]).unwrap();
            assert!(y.download().is_err(), "{device}");
            x.write(&samples).unwrap();
            let run = plan.enqueue_forward(&x, &mut y).unwrap();
            run.wait().unwrap();
            assert!(y.download().unwrap() == reference::forward(&transform, &samples).unwrap());
            engine.finish().unwrap();
        }
    }
}

#[test]
fn passes_are_timed_on_request() {
    for device in devices() {
        let program = Program::on(&device, PROFILING);
        let transform = picture();
        let (x, mut y) = {
            let engine = program.engine();
            (
                engine.zeros::<i32>(transform.len()).unwrap(),
                engine.zeros(transform.len()).unwrap(),
            )
        };
        let engine = program.engine();
        // Of several passes on every device.
        let plan = engine
            .plan_with::<i32>(&transform, Strategy::Stepwise)
            .unwrap();
        let run = plan.enqueue_forward(&x, &mut y).unwrap();
        assert!(run.device_time().unwrap() > Duration::ZERO);
        assert!(
            run.pass_times()
                .unwrap_err()
                .to_string()
                .contains("timing_passes")
        );
        let plan = engine
            .timing_passes()
            .plan_with::<i32>(&transform, Strategy::Stepwise)
            .unwrap();
        let run = plan.enqueue_forward(&x, &mut y).unwrap();
        let times = run.pass_times().unwrap();
        let passes = format!("{plan:?}").matches("\nforward: ").count();
        assert!(passes > 1 && times.len() == passes, "{times:?}");
        assert!(times.iter().sum::<Duration>() <= run.device_time().unwrap());
        // A transform without levels, in place, has no pass.
        let nothing = transform
            .clone()
            .levels(0)
            .layout(wavelift::Layout::Interleaved);
        let plan = engine.timing_passes().plan_in_place::<i32>(&nothing);
        let run = plan.unwrap().enqueue_forward(&mut y).unwrap();
        assert_eq!(run.pass_times().unwrap(), []);
        // The queue decides.
        let program = Program::on(&device, 0);
        let plan = program
            .engine()
            .timing_passes()
            .plan_with::<i32>(&transform, Strategy::Stepwise)
            .unwrap();
        let engine = program.engine();
        let [x, mut y] = [(), ()].map(|()| engine.zeros::<i32>(transform.len()).unwrap());
        let run = plan.enqueue_forward(&x, &mut y).unwrap();
        assert!(matches!(run.pass_times(), Err(Error::Unsupported { .. })));
    }
}

#[test]
fn several_threads_have_queues_of_their_own() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = picture();
        let samples = random_samples::<i32>(transform.len(), 1);
        let x = engine.upload(&samples).unwrap();
        let expected = reference::forward(&transform, &samples).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let engine = engine.another().unwrap();
                    let plan = engine.plan::<i32>(&transform).unwrap();
                    let mut y = engine.zeros(transform.len()).unwrap();
                    for _ in 0..20 {
                        y.write(&vec![0; transform.len()]).unwrap();
                        plan.enqueue_forward(&x, &mut y).unwrap();
                        assert!(y.download().unwrap() == expected);
                    }
                });
            }
        });
        assert!(x.download().unwrap() == samples);
        drop(x);
        assert_eq!(engine.memory().used, 0);
    }
}

/// Each of two arrays is the input of one thread and the output of another.
#[test]
fn threads_may_use_two_arrays_the_other_way_round() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [64]);
        let plans = [0, 1].map(|_| engine.plan::<i16>(&transform).unwrap());
        let arrays = [0, 1].map(|_| engine.zeros::<i16>(128).unwrap());
        let [mut x, mut y] = arrays;
        let [read, written] = [0, 64].map(|first| Region::dense([64]).at(first));
        let (read_x, written_x) = x.view_pair(&read, &written).unwrap();
        let (read_y, written_y) = y.view_pair(&read, &written).unwrap();
        let [one, other] = &plans;
        std::thread::scope(|scope| {
            for (plan, from, mut to) in [(one, read_x, written_y), (other, read_y, written_x)] {
                scope.spawn(move || {
                    for _ in 0..2000 {
                        plan.enqueue_forward(from.clone(), to.reborrow()).unwrap();
                    }
                });
            }
        });
        engine.finish().unwrap();
    }
}

#[test]
fn what_the_host_writes_leaves_the_rest_of_an_array_waiting() {
    for device in devices() {
        for properties in QUEUES {
            let program = Program::on(&device, properties);
            let engine = program.engine();
            let transform = picture();
            let plan = engine.plan::<i32>(&transform).unwrap();
            let samples = random_samples::<i32>(transform.len(), 1);
            let x = engine.upload(&samples).unwrap();
            let mut y = engine.zeros::<i32>(transform.len()).unwrap();
            let gate = program.user_event();
            let half = transform.len() / 2;
            plan.enqueue_forward_after(&x, &mut y, &[event(&gate)])
                .unwrap();
            let [first, second] = [0, half].map(|start| Region::dense([half]).at(start));
            let (first, mut second) = y.view_pair(&first, &second).unwrap();
            let read = std::thread::scope(|scope| {
                let write = scope.spawn(move || second.write(&vec![5; half]).unwrap());
                pause();
                let read = scope.spawn(move || first.download().unwrap());
                pause();
                assert!(!read.is_finished() && !write.is_finished());
                set(&gate, 0);
                read.join().unwrap()
            });
            let expected = reference::forward(&transform, &samples).unwrap();
            assert!(read == expected[..half]);
            let all = y.download().unwrap();
            assert!(all[..half] == expected[..half] && all[half..].iter().all(|&n| n == 5));
        }
    }
}
