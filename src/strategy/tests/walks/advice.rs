//! What is slow, and what the user is told of it.

use super::{forward, inverse};
use crate::strategy::tests::cases::{Setting, cpu, large_gpu};
use crate::strategy::{ColumnPass, RowPass, Strategy};
use crate::transform::Transform;
use crate::wavelet::{Boundary, Channel, RealStep, SampleType, Scale, Wavelet};

#[test]
fn a_slow_choice_says_what_would_be_fast() {
    let advice = |device, transform: &Transform| {
        forward(&Setting::of(device), transform, SampleType::F32).advice
    };
    let channels = |count| {
        let transform = Transform::new(Wavelet::CDF_9_7, [480, 640, count]);
        transform.axes([0, 1]).levels(3)
    };
    let many = channels(17);
    assert_eq!(advice(large_gpu(), &many), None);
    assert_eq!(advice(cpu(), &channels(3)), None);
    // Of steps that read one neighbour, odd lines do not go on beyond their border.
    let odd = Transform::new(Wavelet::HAAR, [481, 641, 17]).axes([0, 1]);
    let text = advice(large_gpu(), &odd).unwrap();
    assert!(text.contains("with the batch outside"), "{text}");
    let text = advice(cpu(), &many).unwrap();
    let why = "level 1 takes a pass over memory for each of its axes [0, 1]: `pyramid`: of pixels and planes it takes \
               what windows take, on GPUs; ";
    let better = "an array of shape [17, 480, 640], with the batch outside, would take fewer";
    assert!(text.starts_with(why) && text.ends_with(better), "{text}");
    // Rows of an odd length that are lifted along y first, of which no strip holds both ends.
    let periodic = Transform::new(Wavelet::CDF_5_3, [480, 64_001]).boundary(Boundary::Periodic);
    let design = forward(&Setting::of(cpu()), &periodic, SampleType::I16);
    let text = design.advice.unwrap();
    assert!(
        text.contains("periodic") && !text.contains("shape"),
        "{text}"
    );

    let volume = Transform::new(Wavelet::CDF_9_7, [64, 64, 64]);
    let row = Transform::new(Wavelet::CDF_9_7, [1000, 3]).axes([0]);
    for transform in [volume, row, many.clone().axes([1])] {
        assert_eq!(advice(large_gpu(), &transform), None, "{transform:?}");
    }
    // Who names a strategy knows what it does.
    let named = Setting::of(large_gpu()).only(&[Strategy::SEPARABLE]);
    assert_eq!(forward(&named, &many, SampleType::F32).advice, None);
}

#[test]
fn wavelets_of_many_taps_go_step_by_step() {
    let lifted_by = |steps: usize, sample, setting: &Setting| {
        let pair = [
            RealStep::new(Channel::Detail, 0, &[0.1, 0.1]),
            RealStep::new(Channel::Approximation, -1, &[0.1, 0.1]),
        ];
        let wavelet = Wavelet::real("many", &pair.repeat(steps / 2), Scale::NONE).unwrap();
        let transform = Transform::new(wavelet, [64, 64]);
        let there = forward(setting, &transform, sample);
        let back = inverse(setting, &transform, sample);
        let [there, back] = [there, back].map(|one| (one.launches[0].strategy, one.advice));
        assert_eq!(there.0, back.0);
        (there.0, there.1.unwrap_or_default())
    };
    let any = Setting::of(large_gpu());
    let is_stepwise = |steps, sample| lifted_by(steps, sample, &any).0 == Strategy::Stepwise;
    assert!(!is_stepwise(32, SampleType::F32));
    assert!(is_stepwise(34, SampleType::F32));
    assert!(is_stepwise(34, SampleType::F64));
    // Each step would round.
    assert!(!is_stepwise(34, SampleType::F16));
    assert!(!is_stepwise(34, SampleType::Rounded));
    let (_, advice) = lifted_by(34, SampleType::F32, &any);
    assert!(advice.contains("more than 64 taps"), "{advice}");
    let separable = Strategy::Separable {
        rows: RowPass::FourPairs,
        columns: ColumnPass::FourPairs,
    };
    let named = Setting::of(large_gpu()).only(&[separable]);
    assert_eq!(lifted_by(34, SampleType::F32, &named).0, separable);
}
