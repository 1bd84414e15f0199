//! Transforms between host slices that the device cannot hold: the same results, in less memory.

mod common;

use common::{RandomSample, computes, devices, random_samples, relative_error, to_f64};
use std::fs;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use wavelift::{
    Boundary, Coefficients, Device, DeviceKind, Direction, Engine, EngineGroup, Error, Layout,
    Plan, Progress, Region, SinkFile, SourceFile, Strategy, TiledPlan, Transform, Wavelet,
    reference,
};

/// What a plan says of itself where it goes in tiles.
fn is_tiled<T: RandomSample>(plan: &Plan<T>) -> bool {
    format!("{plan:?}").contains(" tiles, by")
}

/// Both ways, against the reference.
fn check<T: RandomSample>(plan: &Plan<T>, seed: u64) {
    let transform = plan.transform();
    let samples = random_samples::<T>(transform.len(), seed);
    let close = |got: &[T], expected: &[T]| {
        let error = relative_error(got, &to_f64(expected));
        assert!(error <= 2.0 * T::BOUND, "{error} of {plan:?}");
    };
    let expected = reference::forward(transform, &samples).unwrap();
    let poison = vec![T::POISON; transform.len()];
    let mut coefficients = Coefficients::from_parts(transform, poison.clone()).unwrap();
    plan.forward_into(&samples, &mut coefficients).unwrap();
    close(coefficients.as_slice(), &expected);

    // Any coefficients, not only those of some samples.
    let coefficients = Coefficients::from_parts(transform, samples).unwrap();
    let expected = reference::inverse(transform, coefficients.as_slice()).unwrap();
    let mut back = poison;
    plan.inverse_into(&coefficients, &mut back).unwrap();
    close(&back, &expected);
}

/// Under each of these limits, in bytes, and twice as many on devices that
/// have arrays of their own.
fn check_under<T: RandomSample>(device: &Device, transform: &Transform, limits: &[u64]) {
    let whole = Engine::new(device).unwrap();
    let more = match device.info().kind {
        DeviceKind::Cpu => 1,
        _ => 2,
    };
    for (seed, limit) in limits.iter().map(|limit| limit * more).enumerate() {
        let engine = whole.with_memory_limit(limit).unwrap();
        let plan = engine.plan::<T>(transform).unwrap();
        assert!(is_tiled(&plan), "{plan:?}");
        check(&plan, seed as u64);
        if seed == 0 {
            // Copied to arrays on the device, as on those that do not work in memory of the host.
            let copied = whole.with_memory_limit(limit * 2 / more).unwrap();
            let other = copied.with_copy_threads(1).plan::<T>(transform).unwrap();
            assert!(is_tiled(&other), "{other:?}");
            check(&other, 9);
        }
        let memory = engine.memory();
        assert!(memory.limit == limit && memory.used <= limit, "{memory:?}");
        drop(plan);
        assert_eq!(engine.memory().used, 0);
    }
    assert_eq!(whole.memory().used, 0);
}

#[test]
fn pictures_by_every_rule_and_layout() {
    for device in devices() {
        for (i, &boundary) in Boundary::ALL.iter().enumerate() {
            for &layout in Layout::ALL {
                let shape = [[611, 402], [520, 333]][i % 2];
                let transform = Transform::new(Wavelet::CDF_5_3, shape)
                    .boundary(boundary)
                    .layout(layout)
                    .levels(3);
                check_under::<i16>(&device, &transform, &[200_000, 71_000]);
            }
        }
    }
}

#[test]
fn signals() {
    for device in devices() {
        for boundary in [Boundary::Symmetric, Boundary::Periodic] {
            let transform = Transform::new(Wavelet::CDF_9_7, [200_003])
                .boundary(boundary)
                .levels(6);
            check_under::<f32>(&device, &transform, &[300_000, 30_001]);
        }
    }
}

#[test]
fn volumes() {
    for device in devices() {
        let transform = Transform::new(Wavelet::CDF_5_3, [61, 50, 47]).levels(2);
        check_under::<i32>(&device, &transform, &[500_000, 300_000]);
        // By the strategies and the copies of another kind of device.
        let gpu = device.with_kind(DeviceKind::Gpu);
        check_under::<i32>(&gpu, &transform, &[300_000]);
    }
}

#[test]
fn batches_and_colours() {
    for device in devices() {
        if !computes("tiles of doubles", &device, wavelift::SampleType::F64) {
            continue;
        }
        let pictures = Transform::new(Wavelet::CDF_9_7, [5, 130, 121]).axes([1, 2]);
        check_under::<f64>(&device, &pictures.levels(3), &[500_000, 150_000]);
        let colours = Transform::new(Wavelet::CDF_9_7, [211, 190, 3]).axes([0, 1]);
        check_under::<f64>(&device, &colours.levels(2), &[400_000]);
    }
}

/// The largest array is less than the transform's, with memory enough.
#[test]
fn arrays_larger_than_the_largest() {
    for device in devices() {
        let mut limits = device.info().clone();
        limits.max_allocation = 100_000;
        let engine = Engine::new(&device.with_limits(&limits)).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 301]).levels(3);
        let plan = engine.plan::<i16>(&transform).unwrap();
        assert!(is_tiled(&plan));
        check(&plan, 1);
        check(&plan.another().unwrap(), 2);

        limits.max_allocation = 50;
        let engine = Engine::new(&device.with_limits(&limits)).unwrap();
        let refused = engine.plan::<i16>(&transform).map(drop).unwrap_err();
        let Error::Memory {
            needed,
            limit: 50,
            used: None,
            ..
        } = refused
        else {
            panic!("{refused}")
        };
        assert!((51..10_000).contains(&needed), "{refused}");
    }
}

#[test]
fn the_least_limit_is_named_and_is_enough() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 401]).levels(3);
        let plan = |limit| {
            let engine = engine.with_memory_limit(limit).unwrap();
            engine.plan::<i16>(&transform)
        };
        let refused = plan(100).map(drop).unwrap_err();
        let Error::Memory { needed, limit, .. } = refused else {
            panic!("{refused}")
        };
        assert!(limit == 100 && needed > 100, "{refused}");
        println!("{refused}");
        check(&plan(needed).unwrap(), 3);
    }
}

/// What wants the arrays on the device is refused, what has them on the host is not.
#[test]
fn only_the_host_can_hold_the_arrays() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let small = engine.with_memory_limit(100_000).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 400]).levels(2);
        let plan = small.plan::<i16>(&transform).unwrap();
        let is_memory = |error: &Error| matches!(error, Error::Memory { .. });
        let x = engine.zeros::<i16>(transform.len()).unwrap();
        let mut y = engine.zeros::<i16>(transform.len()).unwrap();
        let refused = plan.enqueue_forward(&x, &mut y).unwrap_err();
        assert!(is_memory(&refused), "{refused}");
        let [mut input, mut output] = [0, 1].map(|_| engine.pinned(transform.len()).unwrap());
        input.copy_from_slice(&random_samples::<i16>(transform.len(), 5));
        plan.forward_pinned(&input, &mut output).unwrap();
        assert_eq!(*output, *reference::forward(&transform, &input).unwrap());
        let refused = plan.submit(Direction::Forward, input, output).unwrap_err();
        assert!(is_memory(&Error::from(refused)));
        // A strategy that is asked for is never left for tiles.
        let forced = small.plan_with::<i16>(&transform, Strategy::Stepwise);
        assert!(is_memory(&forced.map(drop).unwrap_err()));
        // Nor do plans of pixels go in tiles.
        let pixels = small.plan_from::<u8, i16>(&transform);
        assert!(is_memory(&pixels.map(drop).unwrap_err()));
    }
}

/// A plan that fits, whose staging arrays do not, beside what else the engine has by then.
#[test]
fn tiles_are_made_when_memory_runs_out() {
    for device in devices() {
        let whole = Engine::new(&device).unwrap().with_copy_threads(1);
        let engine = whole.with_memory_limit(2_000_000).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 400]).levels(2);
        let plan = engine.plan::<i16>(&transform).unwrap();
        let array = engine.zeros::<i16>(850_000).unwrap();
        assert!(!is_tiled(&plan));
        let cost = plan.cost(Direction::Forward);
        std::thread::scope(|scope| {
            for seed in [0, 1] {
                let plan = &plan;
                scope.spawn(move || check(plan, seed));
            }
        });
        assert!(is_tiled(&plan), "{plan:?}");
        // That of arrays on the device.
        assert_eq!(plan.cost(Direction::Forward), cost);
        assert!(engine.memory().used <= 2_000_000);
        drop(array);
        check(&plan, 2);
        drop(plan);

        let plan = engine.plan::<i16>(&transform).unwrap();
        let _array = engine.zeros::<i16>(850_000).unwrap();
        let [mut input, mut output] = [0, 1].map(|_| whole.pinned(transform.len()).unwrap());
        input.copy_from_slice(&random_samples::<i16>(transform.len(), 5));
        plan.forward_pinned(&input, &mut output).unwrap();
        assert_eq!(*output, *reference::forward(&transform, &input).unwrap());
        assert!(is_tiled(&plan), "{plan:?}");
    }
}

/// What one plan takes for its tiles is not left for another one's, whose were chosen before.
#[test]
fn plans_in_tiles_share_what_memory_there_is() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for engine in [engine.clone(), engine.with_copy_threads(1)] {
            let engine = engine.with_memory_limit(400_000).unwrap();
            let transform = Transform::new(Wavelet::CDF_5_3, [300, 900]).levels(2);
            for taken in [50_000, 100_000] {
                let plan = || engine.plan::<i16>(&transform).unwrap();
                let array = engine.zeros::<i16>(taken).unwrap();
                let one = plan();
                drop(array);
                let other = plan();
                for seed in 0..2 {
                    check(&one, seed);
                    check(&other, seed);
                    assert!(engine.memory().used <= 400_000);
                }
            }
            // None of the slots is left.
            let plan = engine.plan::<i16>(&transform).unwrap();
            let array = engine.zeros::<i16>(160_000).unwrap();
            check(&plan, 1);
            drop(array);
            check(&plan, 2);
            drop(plan);
            assert_eq!(engine.memory().used, 0);
        }
    }
}

/// The same memory for sixteen times the rows.
#[test]
fn memory_does_not_grow_with_rows() {
    for device in devices() {
        for rows in [1000, 16_000] {
            let transform = Transform::new(Wavelet::CDF_5_3, [rows, 100]).levels(2);
            check_under::<i16>(&device, &transform, &[100_000]);
        }
    }
}

/// A file of these samples behind a header, and where it is.
fn file_of<T: RandomSample>(folder: &Path, name: &str, samples: &[T]) -> PathBuf {
    let path = folder.join(name);
    let bytes = [b"a header", bytemuck::cast_slice::<T, u8>(samples)].concat();
    fs::write(&path, bytes).unwrap();
    path
}

fn samples_of<T: RandomSample>(path: &Path) -> Vec<T> {
    bytemuck::pod_collect_to_vec(&fs::read(path).unwrap()[8..])
}

fn files_in(folder: &Path) -> usize {
    folder.read_dir().unwrap().count()
}

/// From file to file and back into the file that is read, and to and from slices, by
/// a plan of several stages.
fn check_files<T: RandomSample>(plan: &TiledPlan<T>) {
    let transform = plan.transform();
    let folder = tempfile::tempdir().unwrap();
    let len = transform.len();
    let samples = random_samples::<T>(len, 1);
    let input = file_of(folder.path(), "samples", &samples);
    let output = folder.path().join("coefficients");
    let close = |got: &[T], expected: &[T]| {
        let error = relative_error(got, &to_f64(expected));
        assert!(error <= 2.0 * T::BOUND, "{error} of {transform:?}");
    };
    let source = SourceFile::<T>::open(&input, 8, len).unwrap();
    let mut sink = SinkFile::<T>::create(&output, b"a header", len).unwrap();
    let mut seen = Vec::new();
    let progress = |progress: Progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    plan.forward(&source, &mut sink, progress).unwrap();
    assert!(seen.len() > 1 && seen.is_sorted_by(|a, b| a.done < b.done));
    assert!(seen.iter().all(|one| one.total == seen[0].total));
    assert_eq!(seen.last().unwrap().done, seen[0].total);
    assert!(!output.exists());
    sink.finish().unwrap();
    let expected = reference::forward(transform, &samples).unwrap();
    let coefficients = samples_of::<T>(&output);
    close(&coefficients, &expected);
    let go_on = |_| ControlFlow::Continue(());
    let mut slice = vec![T::POISON; len];
    plan.forward(&samples, &mut slice, go_on).unwrap();
    close(&slice, &expected);

    let expected = reference::inverse(transform, &coefficients).unwrap();
    let source = SourceFile::<T>::open(&output, 8, len).unwrap();
    let mut sink = SinkFile::<T>::create(&output, b"a header", len).unwrap();
    plan.inverse(&source, &mut sink, go_on).unwrap();
    sink.finish().unwrap();
    close(&samples_of::<T>(&output), &expected);
    plan.inverse(&coefficients, &mut slice, go_on).unwrap();
    close(&slice, &expected);
    assert_eq!(samples_of::<T>(&input), samples);
    assert_eq!(files_in(folder.path()), 2);
}

#[test]
fn files_there_and_back() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for engine in [engine.clone(), engine.with_copy_threads(2)] {
            let engine = engine.with_memory_limit(160_000).unwrap();
            for &layout in Layout::ALL {
                let transform = Transform::new(Wavelet::CDF_5_3, [520, 333])
                    .boundary(Boundary::Periodic)
                    .layout(layout)
                    .levels(3);
                check_files(&engine.plan_in_tiles::<i16>(&transform).unwrap());
            }
        }
        let engine = engine.with_memory_limit(300_000).unwrap();
        let transform = Transform::new(Wavelet::CDF_9_7, [200_003]).levels(6);
        check_files(&engine.plan_in_tiles::<f32>(&transform).unwrap());
        let picture = Transform::new(Wavelet::CDF_5_3, [601, 402]).levels(3);
        check_files(&both(&engine).plan_in_tiles::<i16>(&picture).unwrap());
    }
}

/// Tiles of a device by both ways at once, many of them by that whose thread tells of each.
fn both(engine: &Engine) -> EngineGroup {
    let engines = vec![engine.clone(), engine.with_copy_threads(1)];
    let group = EngineGroup::of(engines).unwrap();
    group.with_shares(&[2, 1]).unwrap()
}

/// What the caller stops, and what fails, leaves the files as they were, no
/// others, and a plan that works.
fn check_stops<T: RandomSample>(plan: &TiledPlan<T>) {
    let transform = plan.transform();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let len = transform.len();
    let samples = random_samples::<T>(len, 1);
    let input = file_of(folder.path(), "samples", &samples);
    fs::write(path("old"), "as it was").unwrap();
    let source = SourceFile::<T>::open(&input, 8, len).unwrap();
    for calls in 1..4 {
        let mut sink = SinkFile::<T>::create(path("old"), &[], len).unwrap();
        let mut left = calls;
        let stopped = plan.forward(&source, &mut sink, |_| {
            assert!(left > 0, "nobody asks again");
            left -= 1;
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        assert!(matches!(stopped, Err(Error::Cancelled { .. })));
        drop(sink);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut sink = SinkFile::<T>::create(path("old"), &[], len).unwrap();
            plan.inverse(&source, &mut sink, |_| panic!("a test"))
        }));
        assert!(panicked.is_err());
    }
    // A call from the callback of another one does not wait for itself, and this goes on.
    let mut slice = vec![T::POISON; len];
    let mut inner = None;
    let outer = plan.forward(&samples, &mut slice, |_| {
        let mut other = vec![T::POISON; len];
        inner = Some(plan.forward(&samples, &mut other, |_| ControlFlow::Continue(())));
        ControlFlow::Continue(())
    });
    outer.unwrap();
    assert!(matches!(inner, Some(Err(Error::Busy { most: 1, .. }))));
    // Cut short while it is read.
    let cut = file_of(folder.path(), "cut", &samples);
    let source = SourceFile::<T>::open(&cut, 8, len).unwrap();
    let writer = fs::File::options().write(true).open(&cut).unwrap();
    writer.set_len((len * size_of::<T>()) as u64).unwrap();
    let mut slice = vec![T::POISON; len];
    let go_on = |_| ControlFlow::Continue(());
    let failed = plan.forward(&source, &mut slice, go_on).unwrap_err();
    let Error::File {
        kind,
        why,
        path: of,
        ..
    } = &failed
    else {
        panic!("{failed}")
    };
    assert_eq!(*kind, ErrorKind::UnexpectedEof, "{failed}");
    assert!(why.contains("from byte") && *of == cut.display().to_string());
    let short = plan.forward(&samples[1..], &mut slice, go_on);
    assert!(matches!(short, Err(Error::Length { .. })));
    plan.forward(&samples, &mut slice, go_on).unwrap();
    let expected = reference::forward(transform, &samples).unwrap();
    assert!(bytemuck::cast_slice::<T, u8>(&slice) == bytemuck::cast_slice::<T, u8>(&expected));
    assert_eq!(fs::read_to_string(path("old")).unwrap(), "as it was");
    assert!(fs::read(&input).unwrap()[8..] == *bytemuck::cast_slice::<T, u8>(&samples));
    assert_eq!(files_in(folder.path()), 3);
}

#[test]
fn files_when_stopped_and_when_wrong() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let engine = engine.with_memory_limit(160_000).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [300, 301]).levels(3);
        check_stops(&engine.plan_in_tiles::<i16>(&transform).unwrap());
        assert_eq!(engine.memory().used, 0);
        check_stops(&both(&engine).plan_in_tiles::<i16>(&transform).unwrap());
        assert_eq!(engine.memory().used, 0);
    }
}

/// Where no ring of pinned memory is to be had, or none beside the arrays, the driver copies, in no
/// more memory than where nobody asked for one.
#[test]
fn slices_without_a_ring_take_two_arrays() {
    for device in devices() {
        let transform = Transform::new(Wavelet::CDF_5_3, [2048, 1500]).levels(1);
        let bytes = (transform.len() * size_of::<i32>()) as u64;
        assert!(bytes >= BYTES_FOR_THREADS as u64);
        let whole = Engine::new(&device).unwrap().with_copy_threads(2);
        let scratch = whole.plan::<i32>(&transform).unwrap().scratch_bytes();
        let ring = 64 << 20;
        assert!(3 * bytes + scratch < ring);
        for limit in [3 * bytes + scratch, ring + bytes + scratch] {
            let engine = whole.with_memory_limit(limit).unwrap();
            let plan = engine.plan::<i32>(&transform).unwrap();
            check(&plan, 1);
            assert!(!is_tiled(&plan), "{plan:?}");
            let used = engine.memory().used;
            assert!(used <= 2 * bytes + scratch, "{used} bytes of {limit}");
        }
        // A plan that went without the ring stays without, though there is memory for it again.
        let engine = whole.with_memory_limit(ring + 5 * bytes + scratch).unwrap();
        let plan = engine.plan::<i32>(&transform).unwrap();
        let other = engine.zeros::<i32>(4 * transform.len()).unwrap();
        check(&plan, 1);
        drop(other);
        check(&plan, 2);
        let used = engine.memory().used;
        assert!(used <= 2 * bytes + scratch, "{used} bytes");
    }
}

/// Of fewer bytes one thread copies all.
const BYTES_FOR_THREADS: usize = 8 << 20;

/// Tiles that several threads copy: so many of them that each has bytes enough on the average,
/// so that the largest has.
#[test]
fn files_by_several_threads() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap().with_copy_threads(3);
        let engine = engine.with_memory_limit(80 << 20).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [4000, 2500]).levels(2);
        let mut tiles = 0;
        let plan = engine.plan_in_tiles::<i32>(&transform).unwrap();
        let samples = vec![0; transform.len()];
        let count = |_| {
            tiles += 1;
            ControlFlow::Continue(())
        };
        plan.forward(&samples, &mut vec![1; samples.len()], count)
            .unwrap();
        let each = transform.len() * size_of::<i32>() / tiles;
        assert!(tiles >= 3 && each >= BYTES_FOR_THREADS, "{tiles} tiles");
        check_stops(&plan);
        drop(plan);
        assert_eq!(engine.memory().used, 0);
    }
}

/// Bands of one column beside wider ones, by several threads: in a file they
/// stand in the same bytes.
#[test]
fn narrow_files_by_several_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coefficients");
    let transform = Transform::new(Wavelet::CDF_5_3, [700_003, 3]).levels(1);
    assert!(transform.len() * size_of::<i32>() >= BYTES_FOR_THREADS);
    let samples = random_samples::<i32>(transform.len(), 1);
    let expected = reference::forward(&transform, &samples).unwrap();
    for device in devices() {
        let engine = Engine::new(&device).unwrap().with_copy_threads(3);
        let plan = engine.plan_in_tiles::<i32>(&transform).unwrap();
        let mut sink = SinkFile::create(&path, b"a header", transform.len()).unwrap();
        let go_on = |_| ControlFlow::Continue(());
        plan.forward(&samples, &mut sink, go_on).unwrap();
        sink.finish().unwrap();
        assert!(samples_of::<i32>(&path) == expected, "{plan:?}");
    }
}

#[test]
fn files_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let len = 1000;
    let input = file_of(folder.path(), "samples", &vec![0i16; len]);
    fs::write(path("old"), "as it was").unwrap();
    for (path, first, len) in [
        (&input, 8, len - 1),
        (&input, 9, len),
        (&input, u64::MAX, len),
        (&input, 8, usize::MAX),
        (&path("missing"), 8, len),
        (&folder.path().to_owned(), 8, len),
    ] {
        let refused = SourceFile::<i16>::open(path, first, len).unwrap_err();
        assert!(matches!(refused, Error::File { .. }), "{refused}");
    }
    for (path, len) in [
        (path("old"), usize::MAX),
        // Larger than any disk, which shows only when the file is there.
        (path("old"), 1 << 61),
        (path("missing/new"), 5),
        (path("new/"), 5),
        (path("old/"), 5),
        (path("."), 5),
        (PathBuf::new(), 5),
    ] {
        let refused = SinkFile::<i16>::create(&path, &[], len).unwrap_err();
        assert!(matches!(refused, Error::File { .. }), "{refused}");
    }
    assert_eq!(files_in(folder.path()), 2);
    #[cfg(unix)]
    {
        let socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        let refused = SinkFile::<i16>::create(path("socket"), &[], 5).unwrap_err();
        assert!(refused.to_string().contains("regular"), "{refused}");
        assert_eq!(files_in(folder.path()), 3);
        drop(socket);
    }
    assert_eq!(fs::read_to_string(path("old")).unwrap(), "as it was");
}

/// What a device has room for 64 MiB of at a time is what it is as a whole, also in a file.
#[test]
#[ignore = "takes 2 GB of memory: `make optimised` runs it alone"]
fn large_pictures_under_64_mib() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples");
    for device in devices() {
        let whole = Engine::new(&device).unwrap();
        let small = whole.with_memory_limit(64 << 20).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [16384, 12288]).levels(5);
        let samples = random_samples::<i16>(transform.len(), 1);
        let plan = small.plan_in_tiles::<i16>(&transform).unwrap();
        let go_on = |_| ControlFlow::Continue(());
        let mut coefficients = vec![i16::POISON; transform.len()];
        plan.forward(&samples, &mut coefficients, go_on).unwrap();
        let expected = whole.plan::<i16>(&transform).unwrap().forward(&samples);
        assert!(coefficients == expected.unwrap().as_slice());
        let mut back = SinkFile::create(&path, b"a header", transform.len()).unwrap();
        plan.inverse(&coefficients, &mut back, go_on).unwrap();
        back.finish().unwrap();
        assert!(samples_of::<i16>(&path) == samples);
        println!("{device}: {:?}", small.memory());
    }
}

/// Milliseconds that a program takes, and the most memory that it has had, in MiB.
fn run(command: &mut Command) -> (u128, u64) {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{command:?}: {ended}");
            return (start.elapsed().as_millis(), most >> 10);
        }
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(kibibytes.unwrap_or(0));
        sleep(Duration::from_millis(20));
    }
}

/// The bytes that are left on the disk of a folder.
fn free_bytes(folder: &Path) -> u64 {
    let found = Command::new("df").arg("-Pk").arg(folder).output().unwrap();
    let text = String::from_utf8(found.stdout).unwrap();
    let cell = text.lines().nth(1).unwrap().split_whitespace().nth(3);
    cell.unwrap().parse::<u64>().unwrap() << 10
}

/// Pieces of a file that is larger than memory.
const PIECE: usize = 1 << 20;

/// Makes a file of random samples.
fn write_random<T: RandomSample>(path: &Path, len: usize) {
    let mut file = fs::File::create(path).unwrap();
    // A hundred pieces in turns: drawing all would take longer than all else.
    let pieces: Vec<Vec<T>> = (0..100.min(len.div_ceil(PIECE)))
        .map(|seed| random_samples(PIECE, seed as u64))
        .collect();
    for number in 0..len.div_ceil(PIECE) {
        let samples = &pieces[number % pieces.len()][..PIECE.min(len - number * PIECE)];
        file.write_all(bytemuck::cast_slice(samples)).unwrap();
    }
}

/// The largest difference between two files, over the largest value of the first.
fn difference<T: RandomSample>(paths: [&Path; 2], len: usize) -> f64 {
    let mut files = paths.map(|path| fs::File::open(path).unwrap());
    let [mut one, mut other] = [0, 1].map(|_| vec![T::POISON; PIECE]);
    let (mut most, mut largest) = (0.0, f64::MIN_POSITIVE);
    for at in (0..len).step_by(PIECE) {
        let count = PIECE.min(len - at);
        for (file, samples) in files.iter_mut().zip([&mut one, &mut other]) {
            file.read_exact(bytemuck::cast_slice_mut(&mut samples[..count]))
                .unwrap();
        }
        for (one, other) in one[..count].iter().zip(&other) {
            let apart = (one.to_f64() - other.to_f64()).abs();
            if !apart.is_finite() {
                return f64::INFINITY;
            }
            most = f64::max(most, apart);
            largest = f64::max(largest, one.to_f64().abs());
        }
    }
    most / largest
}

/// Where the rows of a part of a picture start, each of which is in one piece.
fn rows_of(part: &Region) -> impl Iterator<Item = usize> {
    (0..part.shape()[0]).map(|row| part.offset() + row * part.strides()[0])
}

/// The samples of a part of a picture in a file.
fn part_of<T: RandomSample>(path: &Path, part: &Region) -> Vec<T> {
    let mut file = fs::File::open(path).unwrap();
    let mut samples = vec![T::POISON; part.len()];
    for (first, row) in rows_of(part).zip(samples.chunks_mut(part.shape()[1])) {
        let byte = (first * size_of::<T>()) as u64;
        file.seek(SeekFrom::Start(byte)).unwrap();
        file.read_exact(bytemuck::cast_slice_mut(row)).unwrap();
    }
    samples
}

/// Compares coefficients in a file, at the first corner of a picture, in its middle and at its last
/// corner, with the reference of only the samples there: they are the same but for those at the
/// border of what is cut out, which the wavelets of these tests reach 4 of at most.
fn error_of_parts<T: RandomSample>([samples, coefficients]: [&Path; 2], whole: &Transform) -> f64 {
    const SIDE: usize = 1024;
    const BORDER: usize = 8;
    let (all, levels) = (Region::dense(whole.shape()), whole.level_count());
    let error_at = |corner: usize| {
        // All levels start at such places.
        let start = |n: usize| (n.saturating_sub(SIDE) * corner / 2) >> levels << levels;
        let cut = |&n: &usize| start(n)..n.min(start(n) + SIDE);
        let cuts: Vec<Range<usize>> = whole.shape().iter().map(cut).collect();
        let shape: Vec<usize> = cuts.iter().map(Range::len).collect();
        let part = Transform::new(whole.wavelet().clone(), shape).levels(levels);
        let cut_out = part_of::<T>(samples, &all.part(&cuts).unwrap());
        let expected = reference::forward(&part, &cut_out).unwrap();
        let (mut wanted, mut got): (Vec<T>, Vec<T>) = Default::default();
        for (level, band) in part.bands() {
            let small = Region::dense(part.shape()).band(&part, level, band);
            let large = all.band(whole, level, band).unwrap();
            let inner = |first: [usize; 2], small: &Region| -> Vec<Range<usize>> {
                let axes = first.iter().zip(small.shape());
                axes.map(|(at, n)| at + BORDER..at + n - BORDER).collect()
            };
            let small = small.unwrap();
            let first = [0, 1].map(|axis| cuts[axis].start >> level);
            let region = small.part(&inner([0, 0], &small)).unwrap();
            let width = region.shape()[1];
            wanted.extend(rows_of(&region).flat_map(|at| &expected[at..at + width]));
            let region = large.part(&inner(first, &small)).unwrap();
            got.extend(part_of::<T>(coefficients, &region));
        }
        assert!(!got.is_empty());
        relative_error(&got, &to_f64(&wanted))
    };
    (0..3).map(error_at).fold(0.0, f64::max)
}

/// From file to file and back by the program `transform` under a limit of 1 GiB,
/// beside `cp` of the same file.
fn files_by_the_program<T: RandomSample>(shape: &str, wavelet: &str, len: usize) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| folder.path().join(name);
    let [input, middle, back] = ["samples.raw", "middle.raw", "back.raw"].map(path);
    write_random::<T>(&input, len);
    let (copied, _) = run(Command::new("cp").arg(&input).arg(path("copy")));
    fs::remove_file(path("copy")).unwrap();
    let programs = std::env::current_exe().unwrap();
    let program = programs
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples/transform");
    for (direction, from, to) in [("forward", &input, &middle), ("inverse", &middle, &back)] {
        let mut command = Command::new(&program);
        command.arg(direction).args([from, to]);
        command.args(["--memory", "1024", "--levels", "5", "--wavelet", wavelet]);
        command.args(["--shape", shape, "--sample", T::TYPE.name()]);
        let (took, memory) = run(&mut command);
        let ratio = took as f64 / copied as f64;
        println!(
            "{shape} {} {wavelet} {direction}: {took} ms, {ratio:.2} times cp, {memory} MiB",
            T::TYPE
        );
        // The ratio is not held to anything: `cp` is done before the disk has the file,
        // which the program waits for.
        assert!(memory <= 2048, "{memory} MiB");
        assert!(memory > 0 || !cfg!(target_os = "linux"));
    }
    let axes = shape.split('x').map(|n| n.parse::<usize>().unwrap());
    let transform = Transform::new(wavelet.parse().unwrap(), axes.collect::<Vec<_>>()).levels(5);
    let error = error_of_parts::<T>([&input, &middle], &transform);
    println!(
        "{shape} {} {wavelet}: forward to within {error:.1e}",
        T::TYPE
    );
    assert!(error <= 2.0 * T::BOUND, "{error}");
    let error = difference::<T>([&input, &back], len);
    println!("{shape} {} {wavelet}: back to within {error:.1e}", T::TYPE);
    // Both ways err.
    assert!(error <= 2.0 * T::BOUND, "{error}");
}

/// Files that are larger than memory, of the shape `LARGE` (65536x49152): `make large`.
#[test]
#[ignore = "takes 45 GB of disk"]
fn files_larger_than_memory() {
    let shape = std::env::var("LARGE").unwrap_or_else(|_| "65536x49152".to_owned());
    let axes = shape.split('x').map(|n| n.parse::<usize>().unwrap());
    let len: usize = axes.product();
    // Three files of samples, and some more.
    let needed = 7 * (len * size_of::<f32>()) as u64 / 2;
    let free = free_bytes(Path::new(env!("CARGO_TARGET_TMPDIR")));
    assert!(
        free >= needed,
        "{needed} bytes of disk are needed, {free} are left"
    );
    files_by_the_program::<i16>(&shape, "cdf53", len);
    files_by_the_program::<f32>(&shape, "cdf97", len);
}
