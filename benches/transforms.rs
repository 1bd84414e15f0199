//! How long a user's call takes, on the device that `WAVELIFT_DEVICE` names and on the CPU, for
//! wavelets, sample types and shapes in common use. The names say what is measured:
//!
//! - `resident`: arrays on the device, from enqueueing a forward transform to the end of waiting;
//!   `resident inverse` likewise;
//! - `host`: slices on the host, copied to the device and back;
//! - `reference`: [`wavelift::reference`], one thread, up to 2^20 samples;
//! - `bands`: one sub-band on the host changed in place, by `apply` and, with the features
//!   `ndarray` and `rayon`, by views.
//!
//! Bytes per second are those of the samples, once. `cargo bench -- cdf97-f32/host` measures only
//! what is named like that; what is not measured is not built either. The example `benchmark`
//! compares times with those of a plain copy, and strategies with each other.

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use std::time::Duration;
use wavelift::{
    Band, Coefficients, DeviceArray, DeviceSelector, Engine, Plan, Sample, Transform, Wavelet,
    reference,
};

/// The most samples of which the reference is measured.
const MOST_BY_REFERENCE: usize = 1 << 20;

/// A signal, pictures in grey and in three colours, and a volume.
fn transforms(wavelet: &Wavelet) -> [Transform; 5] {
    let over = |shape: &[usize]| Transform::new(wavelet.clone(), shape);
    [
        over(&[1 << 20]).levels(5),
        over(&[1024, 1024]).levels(5),
        over(&[4096, 4096]).levels(5),
        over(&[3, 1080, 1920]).axes([1, 2]).levels(5),
        over(&[128, 128, 128]).levels(3),
    ]
}

fn named(transform: &Transform) -> String {
    let lengths: Vec<String> = transform.shape().iter().map(usize::to_string).collect();
    format!("{} {} levels", lengths.join("x"), transform.level_count())
}

/// Pseudo-random samples of up to 12 bits by Knuth's multiplicative hash,
/// because zeros could be faster.
fn samples<T: Sample>(count: usize) -> Vec<T> {
    let hash = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
    (0..count as u64)
        .map(|i| T::from_f64(hash(i) as f64))
        .collect()
}

struct Resident<T: Sample> {
    plan: Plan<T>,
    input: DeviceArray<T>,
    output: DeviceArray<T>,
}

fn resident<T: Sample>(engine: &Engine, transform: &Transform) -> Resident<T> {
    Resident {
        plan: engine.plan(transform).expect("a plan"),
        input: engine.upload(&samples(transform.len())).expect("memory"),
        output: engine.zeros(transform.len()).expect("memory"),
    }
}

fn measure<T: Sample>(
    group: &mut BenchmarkGroup<WallTime>,
    engine: &Engine,
    transform: &Transform,
) {
    let id = |what: &str| BenchmarkId::new(what, named(transform));
    group.throughput(Throughput::Bytes((transform.len() * size_of::<T>()) as u64));

    // Made when the first of them is measured.
    let mut arrays = None;
    let make = || resident::<T>(engine, transform);
    group.bench_function(id("resident"), |bencher| {
        let Resident {
            plan,
            input,
            output,
        } = arrays.get_or_insert_with(make);
        bencher.iter(|| plan.enqueue_forward(&*input, &mut *output)?.wait());
    });
    group.bench_function(id("resident inverse"), |bencher| {
        let Resident {
            plan,
            input,
            output,
        } = arrays.get_or_insert_with(make);
        bencher.iter(|| plan.enqueue_inverse(&*input, &mut *output)?.wait());
    });
    group.bench_function(id("host"), |bencher| {
        let Resident { plan, .. } = arrays.get_or_insert_with(make);
        let samples = samples::<T>(transform.len());
        let mut coefficients = Coefficients::zeros(transform).expect("memory");
        bencher.iter(|| plan.forward_into(&samples, &mut coefficients));
    });
    if transform.len() <= MOST_BY_REFERENCE {
        let samples = samples::<T>(transform.len());
        group.bench_function(id("reference"), |bencher| {
            bencher.iter(|| reference::forward(transform, &samples));
        });
    }
}

fn of<T: Sample>(criterion: &mut Criterion, engine: &Engine, wavelet: &Wavelet) {
    let mut group = criterion.benchmark_group(format!("{wavelet}-{}", T::TYPE));
    for transform in transforms(wavelet) {
        measure::<T>(&mut group, engine, &transform);
    }
}

fn all_transforms(criterion: &mut Criterion) {
    let device = DeviceSelector::from_env()
        .and_then(|selector| selector.pick())
        .expect("a device");
    let engine = Engine::new(&device).expect("an engine");
    of::<i16>(criterion, &engine, &Wavelet::CDF_5_3);
    of::<f32>(criterion, &engine, &Wavelet::CDF_9_7);
    of::<f32>(criterion, &engine, &Wavelet::HAAR);
    if device.info().fp64 {
        of::<f64>(criterion, &engine, &Wavelet::CDF_9_7);
    }
}

/// Soft thresholding, as a denoiser does it.
fn shrunk(value: f32) -> f32 {
    value.signum() * (value.abs() - 3.0).max(0.0)
}

fn bands(criterion: &mut Criterion) {
    let transform = Transform::new(Wavelet::CDF_9_7, [4096, 4096]);
    let mut coefficients = None;
    let make = || {
        let data = samples::<f32>(transform.len());
        Coefficients::from_parts(&transform, data).expect("as many as the shape has")
    };
    let mut group = criterion.benchmark_group("bands");
    group.throughput(Throughput::Bytes(
        (transform.len() / 4 * size_of::<f32>()) as u64,
    ));
    let mut by = |name: &str, change: fn(&mut wavelift::BandViewMut<f32>)| {
        group.bench_function(BenchmarkId::new(name, "HH 1 of 4096x4096"), |bencher| {
            let coefficients = coefficients.get_or_insert_with(make);
            let mut band = coefficients.band_mut(1, Band::HH).expect("it exists");
            bencher.iter(|| change(&mut band));
        });
    };
    by("apply", |band| band.apply(shrunk));
    #[cfg(feature = "ndarray")]
    by("ndarray", |band| band.as_array_mut().mapv_inplace(shrunk));
    #[cfg(feature = "rayon")]
    by("rayon", |band| band.as_array_mut().par_mapv_inplace(shrunk));
}

fn quick() -> Criterion {
    // The slowest, the reference, takes some tenths of a second.
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! {
    name = benches;
    config = quick();
    targets = all_transforms, bands
}
criterion_main!(benches);
