//! Measures how long a transform of arrays on the device takes, from enqueueing to the end of waiting, on the device that
//! `WAVELIFT_DEVICE` names. The example `benchmark` compares times with those of a plain copy.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wavelift::{DeviceSelector, Engine, Sample, Strategy, Transform, Wavelet};

fn resident<T: Sample>(criterion: &mut Criterion, wavelet: Wavelet, sample: fn(u64) -> T) {
    let device = DeviceSelector::from_env()
        .and_then(|selector| selector.pick())
        .expect("a device");
    let engine = Engine::new(&device).expect("an engine");
    let mut group = criterion.benchmark_group(format!("{wavelet}-{}", T::TYPE));
    for side in [256, 1024] {
        let transform = Transform::new(wavelet.clone(), [side, side]).levels(5);
        // Pseudo-random samples by Knuth's multiplicative hash, because zeros could be faster.
        let samples = (0..transform.len() as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let samples: Vec<T> = samples.map(sample).collect();
        let input = engine.upload(&samples).expect("memory");
        let mut output = engine.zeros(transform.len()).expect("memory");
        group.throughput(Throughput::Elements(transform.len() as u64));
        for &strategy in Strategy::ALL {
            let Ok(plan) = engine.plan_with::<T>(&transform, strategy) else {
                continue;
            };
            let id = BenchmarkId::new(strategy.to_string(), side);
            group.bench_function(id, |bencher| {
                bencher.iter(|| plan.enqueue_forward(&input, &mut output)?.wait());
            });
        }
    }
}

fn transforms(criterion: &mut Criterion) {
    resident(criterion, Wavelet::CDF_9_7, |bits| (bits >> 40) as f32);
    resident(criterion, Wavelet::CDF_5_3, |bits| (bits >> 52) as i16);
}

criterion_group!(benches, transforms);
criterion_main!(benches);
