//! Regions of arrays: plans work on them where they stand, and nowhere else; samples go
//! there and come from there.

use crate::common::{
    RandomSample, can_run, computes, devices, expected, ran, random_samples, relative_error,
};
use crate::foreign::Program;
use wavelift::{
    Band, Boundary, Device, DeviceArray, DeviceInfo, Direction, Engine, Error, Layout, Plan,
    Region, Strategy, Transform, Wavelet,
};

/// Where each sample of a region is, in row-major order.
fn places(region: &Region) -> Vec<usize> {
    let mut places = vec![region.offset()];
    for (n, stride) in region.shape().iter().zip(region.strides()) {
        let along = |place: &usize| (0..*n).map(|i| place + i * stride).collect::<Vec<_>>();
        places = places.iter().flat_map(along).collect();
    }
    places
}

/// An array with these samples in a region, and poison everywhere else, also behind it.
fn placed<T: RandomSample>(region: &Region, samples: &[T]) -> Vec<T> {
    let mut array = vec![T::POISON; region.end() + 5];
    for (place, sample) in places(region).into_iter().zip(samples) {
        array[place] = *sample;
    }
    array
}

/// Takes a region out of an array that has poison everywhere else.
fn taken<T: RandomSample>(region: &Region, mut array: Vec<T>) -> Vec<T> {
    let taken = places(region).into_iter().map(|place| {
        let sample = array[place];
        array[place] = T::POISON;
        sample
    });
    let taken = taken.collect();
    let bytes = bytemuck::cast_slice::<T, u8>;
    let poison = vec![T::POISON; array.len()];
    assert!(bytes(&array) == bytes(&poison), "written beside {region:?}");
    taken
}

fn check<T: RandomSample>(engine: &Engine, plan: &Plan<T>, samples: &Region, bands: &Region) {
    let transform = plan.transform();
    let input = random_samples::<T>(transform.len(), samples.end() as u64);
    for direction in [Direction::Forward, Direction::Inverse] {
        let (from, to) = match direction {
            Direction::Forward => (samples, bands),
            Direction::Inverse => (bands, samples),
        };
        let x = engine.upload(&placed(from, &input)).unwrap();
        let mut y = engine.upload(&placed::<T>(to, &[])).unwrap();
        let (view, result) = (x.view(from).unwrap(), y.view_mut(to).unwrap());
        let run = match direction {
            Direction::Forward => plan.enqueue_forward(view, result),
            Direction::Inverse => plan.enqueue_inverse(view, result),
        };
        run.unwrap().wait().unwrap();
        assert_eq!(taken(from, x.download().unwrap()).len(), input.len());
        let got = taken(to, y.download().unwrap());
        let error = relative_error(&got, &expected(transform, direction, &input).unwrap());
        assert!(
            error <= T::BOUND,
            "{direction:?}: error {error:e} from {from:?} to {to:?} by {plan:?}"
        );
    }
}

/// Regions of a shape: in one piece, but not aligned; with a pitch of 64 bytes and with an odd one;
/// with neighbours along the last axis apart; with the axes the other way round.
fn regions<T: RandomSample>(shape: &[usize]) -> Vec<Region> {
    let last = *shape.last().unwrap();
    let pitched = |first: usize, pitch: usize| {
        let mut strides = vec![first; shape.len()];
        let mut next = pitch;
        for axis in (0..shape.len() - 1).rev() {
            strides[axis] = next;
            next = next * shape[axis] + 3 * pitch;
        }
        Region::dense(shape).with_strides(strides)
    };
    let line = 64 / size_of::<T>();
    let mut backwards = vec![0; shape.len()];
    let mut next = 1;
    for (stride, n) in backwards.iter_mut().zip(shape) {
        *stride = next;
        next *= n + 1;
    }
    vec![
        Region::dense(shape).at(3),
        pitched(1, last.next_multiple_of(line) + line).at(2 * line),
        pitched(1, last + 1).at(7),
        pitched(3, 3 * last).at(1),
        pitched(2, 2 * last + 5),
        Region::dense(shape).with_strides(backwards).at(2),
    ]
}

/// Shapes, axes and levels.
fn transforms(wavelet: Wavelet) -> Vec<Transform> {
    let all: &[(&[usize], &[usize], u32)] = &[
        (&[64, 64], &[0, 1], 3),
        (&[131, 77], &[0, 1], 4),
        (&[5000], &[0], 3),
        (&[3, 40, 46], &[1, 2], 2),
        (&[20, 33, 18], &[0, 1, 2], 2),
        (&[40, 41, 3], &[0, 1], 2),
        (&[3, 4, 5, 6], &[0, 1, 2, 3], 2),
        (&[13, 8], &[1], 0),
    ];
    all.iter()
        .map(|(shape, axes, levels)| {
            Transform::new(wavelet.clone(), *shape)
                .axes(*axes)
                .levels(*levels)
        })
        .collect()
}

/// Every strategy that takes each transform, between each of the regions and the next.
fn check_all<T: RandomSample>(device: &Device, wavelet: Wavelet, strategies: &[Strategy]) {
    check_each::<T>(device, transforms(wavelet), strategies);
}

fn check_each<T: RandomSample>(
    device: &Device,
    transforms: Vec<Transform>,
    strategies: &[Strategy],
) {
    if !computes("views", device, T::TYPE) {
        return;
    }
    let engine = Engine::new(device).unwrap();
    for (i, transform) in transforms.into_iter().enumerate() {
        let regions = regions::<T>(transform.shape());
        for (j, samples) in regions.iter().enumerate() {
            let bands = &regions[(i + j + 1) % regions.len()];
            let transform = transform
                .clone()
                .layout(Layout::ALL[j % Layout::ALL.len()])
                .boundary(Boundary::ALL[(i + j) % Boundary::ALL.len()]);
            let plan = engine
                .plan_regions::<T>(&transform, samples, bands)
                .unwrap();
            check(&engine, &plan, samples, bands);
            for &strategy in strategies {
                match engine.plan_regions_with::<T>(&transform, samples, bands, strategy) {
                    Ok(plan) => check(&engine, &plan, samples, bands),
                    Err(Error::Unsupported { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

#[test]
fn integers_by_every_strategy() {
    for device in devices() {
        check_all::<i32>(&device, Wavelet::CDF_5_3, Strategy::ALL);
    }
}

/// Volumes of several colours that stand one behind the other: rows are in one piece,
/// and in what lies between two levels they are not. They are as large as GPUs prefer to
/// take three axes at once.
#[test]
fn volumes_of_colours_apart() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let (shape, strides) = ([64, 64, 22, 3], [64 * 22, 22, 1, 64 * 64 * 22]);
        let region = Region::dense(shape).with_strides(strides);
        for layout in Layout::ALL {
            let transform = Transform::new(Wavelet::CDF_9_7, shape)
                .axes([0, 1, 2])
                .levels(2)
                .layout(*layout);
            let plan = engine.plan_regions(&transform, &region, &region).unwrap();
            check::<f32>(&engine, &plan, &region, &region);
        }
    }
}

/// Lines so many that work-items have one each: side by side on both sides, on one, and on none.
#[test]
fn many_lines_in_registers() {
    let of = |shape: [usize; 2], axis: usize, levels| {
        let lines = Transform::new(Wavelet::CDF_9_7, shape).axes([axis]);
        lines.levels(levels)
    };
    let transforms = [
        of([7, 4100], 0, 2),
        of([4100, 3], 1, 2),
        of([130, 140], 0, 1),
    ];
    for device in devices() {
        check_each::<f32>(&device, transforms.to_vec(), &[Strategy::RegisterLines]);
    }
}

#[test]
fn shorts_by_every_way_of_separable() {
    let ways: Vec<Strategy> = Strategy::each_pass().collect();
    for device in devices() {
        check_all::<i16>(&device, Wavelet::CDF_5_3, &ways);
    }
}

#[test]
fn floats_by_every_strategy() {
    for device in devices() {
        check_all::<f32>(&device, Wavelet::CDF_9_7, Strategy::ALL);
    }
}

#[test]
fn doubles_as_the_planner_composes_them() {
    for device in devices() {
        check_all::<f64>(&device, Wavelet::CDF_9_7, &[]);
    }
}

#[test]
fn regions_are_transformed_in_place() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for transform in transforms(Wavelet::CDF_5_3) {
            let transform = transform.layout(Layout::Interleaved);
            let samples = random_samples::<i32>(transform.len(), 1);
            for region in regions::<i32>(transform.shape()) {
                let plan = engine
                    .plan_in_place_region::<i32>(&transform, &region)
                    .unwrap();
                // Wherever it starts.
                let region = region.clone().at(region.offset() + 1);
                let mut x = engine.upload(&placed(&region, &samples)).unwrap();
                plan.enqueue_forward(x.view_mut(&region).unwrap()).unwrap();
                let got = taken(&region, x.download().unwrap());
                let expected = wavelift::reference::forward(&transform, &samples).unwrap();
                assert!(got == expected, "{region:?} by {plan:?}");
                let run = plan.enqueue_inverse(x.view_mut(&region).unwrap()).unwrap();
                run.wait().unwrap();
                assert!(taken(&region, x.download().unwrap()) == samples, "{plan:?}");
            }
        }
    }
}

#[test]
fn rectangles_of_one_array_are_input_and_output() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let whole = Region::dense([100, 200]);
        let transform = Transform::new(Wavelet::CDF_5_3, [50, 90]).levels(3);
        let left = whole.part(&[10..60, 3..93]).unwrap();
        let right = whole.part(&[20..70, 93..183]).unwrap();
        let plan = engine
            .plan_regions::<i32>(&transform, &left, &right)
            .unwrap();
        let samples = random_samples::<i32>(20_000, 4);
        let mut x = engine.upload(&samples).unwrap();
        let (from, to) = x.view_pair(&left, &right).unwrap();
        plan.enqueue_forward(from, to).unwrap();
        let mut expected = samples.clone();
        let input: Vec<i32> = places(&left).into_iter().map(|i| samples[i]).collect();
        let output = wavelift::reference::forward(&transform, &input).unwrap();
        for (place, value) in places(&right).into_iter().zip(output) {
            expected[place] = value;
        }
        assert!(x.download().unwrap() == expected);
        // Even and odd columns are apart; a column in common is not.
        let even = Region::dense([100, 100]).with_strides([200, 2]);
        x.view_pair(&even, &even.clone().at(1)).unwrap();
        let shared = whole.part(&[0..50, 92..182]).unwrap();
        let refused = x.view_pair(&left, &shared).err();
        assert!(matches!(
            refused,
            Some(Error::Overlap {
                one: "the view to be read",
                other: "the view to be written",
                ..
            })
        ));
    }
}

#[test]
fn views_that_a_plan_was_not_made_for_are_refused() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [50, 90]);
        let region = Region::dense([50, 90]).with_strides([100, 1]);
        let plan = engine
            .plan_regions::<i32>(&transform, &region, &region)
            .unwrap();
        let x = engine.zeros::<i32>(10_000).unwrap();
        let mut y = engine.zeros::<i32>(10_000).unwrap();
        let mut forward = |from: &Region, to: &Region| {
            let (from, to) = (x.view(from)?, y.view_mut(to)?);
            plan.enqueue_forward(from, to).map(drop)
        };
        forward(&region, &region.clone().at(4096)).unwrap();
        let other = Region::dense([50, 90]).with_strides([101, 1]);
        for refused in [forward(&region, &other), forward(&other, &region)] {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Shape { .. }), "{error}");
            assert!(
                error.to_string().contains("strides [100, 1], got"),
                "{error}"
            );
        }
        let outside = forward(&region.clone().at(6000), &region).unwrap_err();
        assert!(
            outside.to_string().contains("one within 10000 samples"),
            "{outside}"
        );
        assert!(forward(&Region::dense([4500]), &region).is_err());
        let shapes = engine.plan_regions::<i32>(&transform, &Region::dense([90, 50]), &region);
        let error = shapes.err().unwrap().to_string();
        assert!(
            error.contains("the transform's shape [50, 90], got [90, 50]"),
            "{error}"
        );
        let twice = Region::dense([50, 90]).with_strides([89, 1]);
        let error = engine.plan_regions::<i32>(&transform, &twice, &region);
        assert!(error.err().unwrap().to_string().contains("no two samples"));
        let error = plan.forward(&vec![0; 4500]).err().unwrap().to_string();
        assert!(error.contains("regions of arrays on the device"), "{error}");
    }
}

#[test]
fn slices_are_arrays_too() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [32, 64]).levels(2);
        let len = transform.len();
        let plan = engine.plan::<i32>(&transform).unwrap();
        let samples = random_samples::<i32>(3 * len, 5);
        let x = engine.upload(&samples).unwrap();
        let mut y = engine.zeros::<i32>(3 * len).unwrap();
        plan.enqueue_forward(
            x.slice(len, len).unwrap(),
            y.slice_mut(2 * len, len).unwrap(),
        )
        .unwrap();
        let expected = wavelift::reference::forward(&transform, &samples[len..2 * len]).unwrap();
        let got = y.download().unwrap();
        assert!(got[2 * len..] == expected && got[..2 * len].iter().all(|v| *v == 0));
        let short = plan.enqueue_forward(x.slice(0, len - 1).unwrap(), &mut y);
        assert!(matches!(short, Err(Error::Length { .. })));
        assert!(x.slice(len, 3 * len).is_err() && x.slice(usize::MAX, 2).is_err());
        assert!(x.slice(3 * len, 0).unwrap().download().unwrap().is_empty());
    }
}

/// Samples go to a region, and come from it, as they would one by one.
fn check_transfer(x: &mut DeviceArray<i16>, region: &Region) {
    let len = x.len();
    let before = random_samples::<i16>(len, 6);
    let samples = random_samples::<i16>(region.len(), 7);
    x.write(&before).unwrap();
    let at = places(region);
    let expected: Vec<i16> = match region.is_empty() {
        true => Vec::new(),
        false => at.iter().map(|&place| before[place]).collect(),
    };
    assert!(
        x.view(region).unwrap().download().unwrap() == expected,
        "{region:?}"
    );
    x.view_mut(region).unwrap().write(&samples).unwrap();
    let mut expected = before;
    for (&place, sample) in at.iter().zip(&samples) {
        expected[place] = *sample;
    }
    assert!(x.download().unwrap() == expected, "{region:?}");
}

#[test]
fn samples_go_to_regions_and_come_from_them() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        let mut x = engine.zeros::<i16>(20_000).unwrap();
        let shape = [4, 3, 10, 7];
        for strides in [
            [210, 70, 7, 1],
            [2000, 300, 11, 1],
            [2000, 301, 11, 1],
            [2000, 300, 22, 2],
            [2001, 301, 23, 2],
            [1, 5, 20, 300],
            [900, 15, 50, 2],
        ] {
            for offset in [0, 1, 555] {
                let region = Region::dense(shape).with_strides(strides).at(offset);
                check_transfer(&mut x, &region);
            }
        }
        check_transfer(&mut x, &Region::dense([0, 5]));
        check_transfer(&mut x, &Region::dense([1]).at(19_999));
        check_transfer(&mut x, &Region::dense([3]).with_strides([9_000]).at(1));
        let view = x.slice(3, 4).unwrap();
        assert!(matches!(
            view.download_into(&mut [0; 5]),
            Err(Error::Length { .. })
        ));
    }
}

#[test]
fn sub_bands_come_to_the_host() {
    for device in devices() {
        let engine = Engine::new(&device).unwrap();
        for layout in Layout::ALL {
            let transform = Transform::new(Wavelet::CDF_5_3, [61, 95])
                .levels(3)
                .layout(*layout);
            let plan = engine.plan::<i32>(&transform).unwrap();
            let samples = random_samples::<i32>(transform.len(), 8);
            let on_host = plan.forward(&samples).unwrap();
            let x = engine.upload(&samples).unwrap();
            let mut y = engine.zeros(transform.len()).unwrap();
            plan.enqueue_forward(&x, &mut y).unwrap();
            let coefficients = y.view(&Region::dense([61, 95])).unwrap();
            for (level, band) in transform.bands() {
                let expected = on_host.band(level, band).unwrap().to_vec();
                let view = coefficients.band(&transform, level, band).unwrap();
                assert!(
                    view.download().unwrap() == expected,
                    "{layout} {level} {band}"
                );
            }
            assert!(coefficients.band(&transform, 4, Band::HH).is_err());
        }
    }
}

/// Regions past byte 2^32 of an array, and one whose rows go past it, of memory that is
/// otherwise never touched.
#[test]
fn views_may_be_past_32_bits() {
    const LEN: usize = (1 << 30) + 100_000;
    for device in devices() {
        let holds = |info: &DeviceInfo| {
            let bytes = 4 * LEN as u64;
            info.max_allocation >= bytes && info.global_memory >= bytes
        };
        if !can_run("arrays past 2^32 bytes", &device, "past-32-bits", holds) {
            continue;
        }
        let program = Program::on(&device, 0);
        let engine = program.engine();
        let buffer = program.buffer(4 * LEN, 0);
        // SAFETY: the buffer is valid; samples are written before they are read.
        let mut x = unsafe { DeviceArray::<i32>::from_raw(&engine, buffer.raw, 0, LEN) }.unwrap();
        let transform = Transform::new(Wavelet::CDF_5_3, [64, 96]).levels(3);
        let past = Region::dense([64, 96])
            .with_strides([200, 1])
            .at((1 << 30) + 10);
        let wide = Region::dense([64, 96])
            .with_strides([(1 << 24) + 1000, 1])
            .at(50);
        let samples = random_samples::<i32>(transform.len(), 1);
        let expected = wavelift::reference::forward(&transform, &samples).unwrap();
        for strategy in Strategy::ALL {
            let plan = engine.plan_regions_with::<i32>(&transform, &past, &wide, *strategy);
            let Ok(plan) = plan else { continue };
            x.view_mut(&past).unwrap().write(&samples).unwrap();
            let (from, to) = x.view_pair(&past, &wide).unwrap();
            plan.enqueue_forward(from, to).unwrap();
            assert!(
                x.view(&wide).unwrap().download().unwrap() == expected,
                "{plan:?}"
            );
            x.view_mut(&past)
                .unwrap()
                .write(&vec![0; samples.len()])
                .unwrap();
            let (from, to) = x.view_pair(&wide, &past).unwrap();
            plan.enqueue_inverse(from, to).unwrap();
            assert!(
                x.view(&past).unwrap().download().unwrap() == samples,
                "{plan:?}"
            );
        }
        let transform = transform.layout(Layout::Interleaved);
        let expected = wavelift::reference::forward(&transform, &samples).unwrap();
        for region in [&past, &wide] {
            let plan = engine
                .plan_in_place_region::<i32>(&transform, region)
                .unwrap();
            x.view_mut(region).unwrap().write(&samples).unwrap();
            plan.enqueue_forward(x.view_mut(region).unwrap()).unwrap();
            assert!(
                x.view(region).unwrap().download().unwrap() == expected,
                "{plan:?}"
            );
        }
        ran("arrays past 2^32 bytes", &device);
    }
}
