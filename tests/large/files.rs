//! Files: there and back, stopped and failing, and such as cannot be.

use super::*;
use crate::common::devices;
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use wavelift::{
    Boundary, Engine, EngineGroup, Error, Layout, Progress, SinkFile, SourceFile, TiledPlan,
    Transform, Wavelet, reference,
};

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
        let unfinished = sink.finish().unwrap_err().to_string();
        assert!(unfinished.contains("was cancelled"), "{unfinished}");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut sink = SinkFile::<T>::create(path("old"), &[], len).unwrap();
            plan.inverse(&source, &mut sink, |_| panic!("a test"))
        }));
        assert!(panicked.is_err());
    }
    // The next transform into it makes it whole.
    let go_on = |_| ControlFlow::Continue(());
    let expected = reference::forward(transform, &samples).unwrap();
    let mut sink = SinkFile::<T>::create(path("whole"), &[], len).unwrap();
    let stopped = plan.forward(&source, &mut sink, |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(Error::Cancelled { .. })));
    plan.forward(&source, &mut sink, go_on).unwrap();
    sink.finish().unwrap();
    assert!(fs::read(path("whole")).unwrap() == bytemuck::cast_slice::<T, u8>(&expected));
    fs::remove_file(path("whole")).unwrap();
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
        // Names that no system takes.
        (path(&"n".repeat(3000)), 5),
        (path("a\0b"), 5),
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

/// One frame of a longer file, of which nothing else is read.
#[test]
fn frames_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let frame = Transform::new(Wavelet::CDF_5_3, [50, 70]).levels(2);
    let samples = random_samples::<i16>(3 * frame.len(), 1);
    let video = file_of(folder.path(), "video", &samples);
    for device in devices() {
        let plan = Engine::new(&device).unwrap();
        let plan = plan.plan_in_tiles::<i16>(&frame).unwrap();
        for (number, expected) in samples.chunks(frame.len()).enumerate() {
            let first = 8 + number * size_of_val(expected);
            let source = SourceFile::open_part(&video, first as u64, frame.len()).unwrap();
            let mut found = vec![i16::POISON; frame.len()];
            let go_on = |_| ControlFlow::Continue(());
            plan.forward(&source, &mut found, go_on).unwrap();
            assert_eq!(found, reference::forward(&frame, expected).unwrap());
        }
        let last = SourceFile::<i16>::open_part(&video, 9, samples.len());
        assert!(last.unwrap_err().to_string().contains("bytes take"));
    }
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
