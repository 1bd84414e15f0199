//! Batches over several engines: results are those of one.

mod common;

use common::{RandomSample, devices, random_samples, relative_error, to_f64};
use std::ops::ControlFlow;
use wavelift::{
    Boundary, Coefficients, Engine, EngineGroup, Error, GroupPinned, GroupPlan, Layout, Progress,
    TiledPlan, Transform, Wavelet, reference,
};

/// Two engines on every device, one of which copies slices.
fn group() -> EngineGroup {
    let both = |device| {
        let engine = Engine::new(&device).unwrap();
        [engine.with_copy_threads(1), engine]
    };
    EngineGroup::of(devices().into_iter().flat_map(both).collect()).unwrap()
}

/// A batch of pictures of odd sizes.
fn batch(pictures: usize) -> Transform {
    Transform::new(Wavelet::CDF_5_3, [pictures, 13, 22])
        .axes([1, 2])
        .levels(2)
}

/// There and back by slices and by arrays on the devices, against the reference.
fn check(plan: &GroupPlan<i16>) {
    let transform = plan.transform();
    let shares: usize = plan.shares().iter().sum();
    assert_eq!(shares, transform.shape()[0], "{plan:?}");
    let samples = random_samples::<i16>(transform.len(), 1);
    let expected = reference::forward(transform, &samples).unwrap();

    let poison = vec![i16::POISON; samples.len()];
    let mut coefficients = Coefficients::from_parts(transform, poison.clone()).unwrap();
    plan.forward_into(&samples, &mut coefficients).unwrap();
    assert!(coefficients.as_slice() == expected, "{plan:?}");
    assert!(plan.forward(&samples).unwrap() == coefficients);
    let mut back = poison.clone();
    plan.inverse_into(&coefficients, &mut back).unwrap();
    assert!(back == samples, "{plan:?}");
    assert!(plan.inverse(&coefficients).unwrap() == samples);

    let x = plan.upload(&samples).unwrap();
    let mut y = plan.upload(&poison).unwrap();
    let mut z = plan.zeros().unwrap();
    assert_eq!(x.len(), samples.len());
    plan.enqueue_forward(&x, &mut y).unwrap();
    let run = plan.enqueue_inverse(&y, &mut z).unwrap();
    run.wait().unwrap();
    assert_eq!(run.runs().len(), x.parts().len());
    assert!(y.download().unwrap() == expected, "{plan:?}");
    assert!(z.download().unwrap() == samples, "{plan:?}");

    let (mut x, mut y) = (plan.pinned().unwrap(), plan.pinned().unwrap());
    assert_eq!(
        (x.len(), x.parts().len()),
        (samples.len(), run.runs().len())
    );
    let mut rest = &samples[..];
    for part in x.parts_mut() {
        let piece = rest.split_off(..part.len());
        part.copy_from_slice(piece.unwrap());
    }
    let gathered = |array: &GroupPinned<i16>| -> Vec<i16> {
        array
            .parts()
            .iter()
            .flat_map(|part| part.to_vec())
            .collect()
    };
    y.parts_mut()
        .iter_mut()
        .for_each(|part| part.fill(i16::POISON));
    plan.forward_pinned(&x, &mut y).unwrap();
    assert!(gathered(&y) == expected, "{plan:?}");
    x.parts_mut()
        .iter_mut()
        .for_each(|part| part.fill(i16::POISON));
    plan.inverse_pinned(&y, &mut x).unwrap();
    assert!(gathered(&x) == samples, "{plan:?}");
}

#[test]
fn a_group_gives_what_one_engine_gives() {
    let group = group();
    let mut shares = vec![1; group.engines().len()];
    check(&group.with_shares(&shares).unwrap().plan(&batch(8)).unwrap());
    shares[0] = 3;
    let plan = group.with_shares(&shares).unwrap().plan(&batch(7)).unwrap();
    assert!(plan.shares()[0] > plan.shares()[1], "{:?}", plan.shares());
    check(&plan);
    shares[0] = 0;
    let plan = group.with_shares(&shares).unwrap().plan(&batch(3)).unwrap();
    assert_eq!(plan.shares()[0], 0);
    check(&plan);
    // More devices than pictures; the other layout; a batch of two axes, of signals.
    check(&group.with_shares(&shares).unwrap().plan(&batch(1)).unwrap());
    let volumes = Transform::new(Wavelet::CDF_5_3, [5, 3, 40])
        .axes([2])
        .layout(Layout::Interleaved);
    check(&group.plan(&volumes).unwrap());
}

#[test]
fn a_group_measures_its_devices() {
    let group = group();
    check(&group.plan::<i16>(&batch(40)).unwrap());
    let alone = EngineGroup::of(group.engines()[..1].to_vec()).unwrap();
    let plan = alone.plan::<i16>(&batch(4)).unwrap();
    assert_eq!(plan.shares(), [4]);
    check(&plan);
}

#[test]
fn devices_with_little_memory_go_in_tiles() {
    let engines = group().engines()[..2].to_vec();
    let limited = engines
        .iter()
        .map(|engine| engine.with_memory_limit(400_000).unwrap());
    let group = EngineGroup::of(limited.collect()).unwrap();
    let transform = Transform::new(Wavelet::CDF_5_3, [4, 300, 400])
        .axes([1, 2])
        .levels(2);
    let plan = group.plan::<i16>(&transform).unwrap();
    assert_eq!(plan.shares().iter().sum::<usize>(), 4);
    let samples = random_samples::<i16>(transform.len(), 1);
    let coefficients = plan.forward(&samples).unwrap();
    assert!(coefficients.as_slice() == reference::forward(&transform, &samples).unwrap());
    assert!(plan.inverse(&coefficients).unwrap() == samples);
    assert!(matches!(plan.zeros(), Err(Error::Memory { .. })));
}

/// Both ways, between slices, against the reference; progress counts every tile once.
fn check_tiles<T: RandomSample>(plan: &TiledPlan<T>) {
    let transform = plan.transform();
    let samples = random_samples::<T>(transform.len(), 1);
    let mut seen = Vec::new();
    let mut count = |progress: Progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    let mut got = vec![T::POISON; samples.len()];
    plan.forward(&samples, &mut got, &mut count).unwrap();
    let expected = reference::forward(transform, &samples).unwrap();
    let error = relative_error(&got, &to_f64(&expected));
    assert!(error <= 2.0 * T::BOUND, "{error} of {plan:?}");
    assert!(seen.is_sorted_by(|a, b| a.done < b.done));
    assert_eq!(seen.last().unwrap().done, seen[0].total);

    // Any coefficients, not only those of some samples.
    let mut back = vec![T::POISON; samples.len()];
    let go_on = |_| ControlFlow::Continue(());
    plan.inverse(&samples, &mut back, go_on).unwrap();
    let expected = reference::inverse(transform, &samples).unwrap();
    let error = relative_error(&back, &to_f64(&expected));
    assert!(error <= 2.0 * T::BOUND, "{error} of {plan:?}");
}

/// The group with so many bytes for each engine, those of the same device
/// with an account in common.
fn under(bytes: u64) -> EngineGroup {
    let limited = devices().into_iter().flat_map(|device| {
        let engine = Engine::new(&device).unwrap();
        let engine = engine.with_memory_limit(2 * bytes).unwrap();
        [engine.with_copy_threads(1), engine]
    });
    EngineGroup::of(limited.collect()).unwrap()
}

#[test]
fn one_array_in_tiles() {
    let group = under(100_000);
    let mut shares = vec![2; group.engines().len()];
    for (i, &boundary) in Boundary::ALL.iter().enumerate() {
        shares[0] = i as u32;
        let fixed = group.with_shares(&shares).unwrap();
        let group = [&group, &fixed][i % 2];
        let picture = Transform::new(Wavelet::CDF_5_3, [[611, 402], [520, 333]][i % 2])
            .boundary(boundary)
            .layout(Layout::ALL[i % 2])
            .levels(3);
        check_tiles(&group.plan_in_tiles::<i16>(&picture).unwrap());
    }
    let signal = Transform::new(Wavelet::CDF_9_7, [200_003]).levels(6);
    check_tiles(&group.plan_in_tiles::<f32>(&signal).unwrap());
    let group = under(400_000);
    let volume = Transform::new(Wavelet::CDF_5_3, [61, 50, 47]).levels(2);
    check_tiles(&group.plan_in_tiles::<i32>(&volume).unwrap());
    for engine in group.engines() {
        assert_eq!(engine.memory().used, 0);
    }
}

#[test]
fn what_a_group_cannot_do_is_refused() {
    let group = group();
    assert!(matches!(EngineGroup::new(&[]), Err(Error::Shape { .. })));
    let engines = group.engines().len();
    let error = group.with_shares(&vec![1; engines + 1]).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    let expected =
        format!("shares of the devices: expected {engines}, one for each device, got [1");
    assert!(error.to_string().contains(&expected), "{error}");
    let error = group.with_shares(&vec![0; engines]).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    let whole = Transform::new(Wavelet::CDF_5_3, [4, 13, 22]);
    let error = group.plan::<i16>(&whole).unwrap_err();
    assert!(error.to_string().contains("axis 0"), "{error}");
    let error = group.plan::<i16>(&batch(0)).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");

    let plan = group
        .with_shares(&vec![1; engines])
        .unwrap()
        .plan::<i16>(&batch(8))
        .unwrap();
    let error = plan.forward(&[0; 5]).unwrap_err();
    assert!(matches!(error, Error::Length { got: 5, .. }), "{error}");
    let other = Coefficients::zeros(&batch(7)).unwrap();
    assert!(matches!(plan.inverse(&other), Err(Error::Shape { .. })));
    assert!(matches!(plan.upload(&[0; 5]), Err(Error::Length { .. })));

    // Arrays of other shares, of as many samples.
    let mut shares = vec![1; engines];
    shares[0] = 5;
    let elsewhere = group
        .with_shares(&shares)
        .unwrap()
        .plan::<i16>(&batch(8))
        .unwrap();
    let (x, mut y) = (elsewhere.zeros().unwrap(), plan.zeros().unwrap());
    let error = plan.enqueue_forward(&x, &mut y).unwrap_err();
    assert!(matches!(error, Error::Length { .. }), "{error}");
    let (x, mut y) = (elsewhere.pinned().unwrap(), plan.pinned().unwrap());
    let error = plan.forward_pinned(&x, &mut y).unwrap_err();
    assert!(matches!(error, Error::Length { .. }), "{error}");
    // A device that has no picture has no part.
    let [of_all, of_fewer] = [1, 0].map(|first| {
        let mut shares = vec![1; engines];
        shares[0] = first;
        let group = group.with_shares(&shares).unwrap();
        group.plan::<i16>(&batch(engines)).unwrap()
    });
    let (x, mut y) = (of_all.zeros().unwrap(), of_fewer.zeros().unwrap());
    let error = of_all.enqueue_forward(&x, &mut y).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    let parts =
        format!("the parts of the output: expected {engines}, one for each device that has");
    assert!(error.to_string().starts_with(&parts), "{error}");
    let got = format!("got {}", engines - 1);
    assert!(error.to_string().ends_with(&got), "{error}");
}
