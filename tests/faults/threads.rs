//! Sixteen threads on one engine.

use crate::common::found_devices as devices;
use crate::layer::{Case, with_layer};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};
use wavelift::Engine;

/// Threads share an engine and a plan, and have engines and plans of their own. `WAVELIFT_SECONDS`
/// says for how long on each device.
#[test]
fn sixteen_threads_get_right_results() {
    let seconds = std::env::var("WAVELIFT_SECONDS").map_or(20, |text| text.parse().unwrap());
    let limit = Duration::from_secs(120 + 10 * seconds);
    with_layer(
        "threads::sixteen_threads_get_right_results",
        limit,
        &[],
        |layer| {
            for device in devices() {
                let case = Case::new();
                let engine = Engine::with_profiling(&device).unwrap();
                let shared = case.plan(&engine).unwrap();
                let end = Instant::now() + Duration::from_secs(seconds);
                let rounds = AtomicU64::new(0);
                std::thread::scope(|scope| {
                    for thread in 0..16 {
                        let (case, shared, engine, rounds) = (&case, &shared, &engine, &rounds);
                        scope.spawn(move || {
                            let own = match thread % 4 {
                                0 => engine.another().unwrap(),
                                _ => engine.clone(),
                            };
                            let mut plan = None;
                            while Instant::now() < end {
                                case.work(&own, &mut plan).unwrap();
                                let coefficients = shared.forward(&case.samples).unwrap();
                                assert_eq!(coefficients.as_slice(), case.expected);
                                assert_eq!(shared.inverse(&coefficients).unwrap(), case.samples);
                                rounds.fetch_add(1, SeqCst);
                            }
                        });
                    }
                });
                let rounds = rounds.load(SeqCst);
                println!("16 threads, {seconds} s, {rounds} rounds on {device}");
                assert!(rounds >= 16);
            }
            layer.check_balance("after all threads");
        },
    );
}
