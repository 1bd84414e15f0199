//! Every reference is given back, by the layer's count.

use crate::common::found_devices as devices;
use crate::layer::{Case, with_layer};
use std::time::Duration;
use wavelift::{Engine, Layout};

const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn every_reference_is_given_back() {
    with_layer(
        "counts::every_reference_is_given_back",
        LIMIT,
        &[],
        |layer| {
            for device in devices() {
                let case = Case::new();
                let engine = Engine::new(&device).unwrap();
                let plan = case.plan(&engine).unwrap();
                for round in 0..50_000 {
                    let x = engine.upload(&case.samples).unwrap();
                    let mut y = engine.zeros(case.samples.len()).unwrap();
                    let run = plan.enqueue_forward(&x, &mut y).unwrap();
                    let again = plan.enqueue_forward(&x, &mut y).unwrap();
                    // Most are dropped unasked.
                    if round % 100 == 0 {
                        again.wait().unwrap();
                        assert!(run.is_done().unwrap());
                        assert_eq!(y.download().unwrap(), case.expected);
                    }
                }
                let transform = case.transform.clone().layout(Layout::Interleaved);
                for _ in 0..1000 {
                    let _plan = plan.another().unwrap();
                    let _in_place = engine.plan_in_place::<i32>(&transform).unwrap();
                }
                drop((engine, plan));
                for round in 0..200 {
                    let engine = Engine::with_profiling(&device).unwrap();
                    // Each with the events and queues of all kinds of work, some with programs.
                    let other = engine.another().unwrap();
                    let x = engine.upload(&case.samples).unwrap();
                    assert_eq!(x.download().unwrap(), case.samples);
                    if round % 20 == 0 {
                        case.work(&other, &mut None).unwrap();
                    }
                }
                println!(
                    "{} references were given back on {device}",
                    layer.references()
                );
            }
            layer.check_balance("in the end");
            assert!(layer.references() > 300_000, "only {}", layer.references());
        },
    );
}
