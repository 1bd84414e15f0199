//! What a GPU must show, run by hand: `cargo test --release --test interop measured -- --ignored --nocapture`.

use crate::common::{devices, random_samples};
use std::time::{Duration, Instant};
use wavelift::{Device, DeviceKind};
use wavelift::{Direction, Engine, Plan, Region, Transform, Wavelet};

fn gpus() -> impl Iterator<Item = Device> {
    let gpus = |device: &Device| device.info().kind == DeviceKind::Gpu;
    devices().into_iter().filter(gpus)
}

/// The median of 30 device times.
fn median(engine: &Engine, plan: &Plan<f32>, region: &Region, direction: Direction) -> Duration {
    let samples = random_samples::<f32>(region.end(), 1);
    let x = engine.upload(&samples).unwrap();
    let mut y = engine.zeros::<f32>(region.end()).unwrap();
    let mut times: Vec<Duration> = (0..35)
        .map(|_| {
            let (from, to) = (x.view(region).unwrap(), y.view_mut(region).unwrap());
            let run = match direction {
                Direction::Forward => plan.enqueue_forward(from, to),
                Direction::Inverse => plan.enqueue_inverse(from, to),
            };
            run.unwrap().device_time().unwrap()
        })
        .skip(5)
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// Rows a multiple of 64 bytes apart are within 5 % of packed ones.
#[test]
#[ignore = "a measurement"]
fn pitched_pictures() {
    for device in gpus() {
        let engine = Engine::with_profiling(&device).unwrap();
        for (side, levels) in [(1024, 5), (4096, 1), (4096, 5), (8192, 1), (8192, 5)] {
            let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(levels);
            let mut line = format!("{side}^2, {levels} levels:");
            for pitch in [side, side + 16, side + 64, side + 4, side + 1, 3 * side] {
                let region = match pitch == 3 * side {
                    true => Region::dense([side, side]).with_strides([3 * side, 3]),
                    false => Region::dense([side, side]).with_strides([pitch, 1]),
                };
                let plan = engine
                    .plan_regions::<f32>(&transform, &region, &region)
                    .unwrap();
                let [there, back] = [Direction::Forward, Direction::Inverse]
                    .map(|direction| median(&engine, &plan, &region, direction));
                line += &format!(
                    " +{} {:.1}/{:.1}",
                    pitch - side,
                    there.as_secs_f64() * 1e6,
                    back.as_secs_f64() * 1e6
                );
            }
            println!("{line} us");
        }
    }
}

/// Transforms a second of 256 x 256, five levels, by so many threads, each with a plan and a queue.
fn rate(open: impl Fn() -> Engine, threads: usize, waits: bool) -> f64 {
    const RUNS: usize = 2000;
    let transform = Transform::new(Wavelet::CDF_9_7, [256, 256]).levels(5);
    let engines: Vec<Engine> = (0..threads).map(|_| open()).collect();
    let plans: Vec<Plan<f32>> = engines
        .iter()
        .map(|engine| engine.plan::<f32>(&transform).unwrap())
        .collect();
    let samples = random_samples::<f32>(transform.len(), 1);
    let barrier = std::sync::Barrier::new(threads + 1);
    let start = std::thread::scope(|scope| {
        for (engine, plan) in engines.iter().zip(&plans) {
            let (barrier, samples, len) = (&barrier, &samples, transform.len());
            scope.spawn(move || {
                let x = engine.upload(samples).unwrap();
                let mut y = engine.zeros::<f32>(len).unwrap();
                plan.enqueue_forward(&x, &mut y).unwrap().wait().unwrap();
                barrier.wait();
                for _ in 0..RUNS {
                    let run = plan.enqueue_forward(&x, &mut y).unwrap();
                    if waits {
                        run.wait().unwrap();
                    }
                }
                engine.finish().unwrap();
            });
        }
        barrier.wait();
        Instant::now()
    });
    (threads * RUNS) as f64 / start.elapsed().as_secs_f64()
}

#[test]
#[ignore = "a measurement"]
fn several_threads() {
    for device in gpus() {
        let engine = Engine::new(&device).unwrap();
        let queues = || engine.another().unwrap();
        let contexts = || Engine::new(&device).unwrap();
        for waits in [false, true] {
            for own_context in [false, true] {
                let rates = [1, 2, 4, 8].map(|threads| match own_context {
                    false => rate(queues, threads, waits),
                    true => rate(contexts, threads, waits),
                });
                println!(
                    "1, 2, 4, 8 threads, a {} each{}: {rates:.0?} transforms a second",
                    if own_context { "context" } else { "queue" },
                    if waits { ", waiting for every run" } else { "" }
                );
            }
        }
    }
}
