//! What `Transform::headroom` promises: samples that leave it free are restored, the worst ones
//! included, and samples that do not can be lost.

mod common;

use common::{Random, RandomSample, random_samples};
use std::collections::BTreeMap;
use wavelift::{
    Boundary, Channel, Error, IntegerStep, Layout, RealStep, Sample, SampleType, Scale, Transform,
    Wavelet, reference,
};

fn with_pre_shift() -> Vec<Wavelet> {
    let all = Wavelet::ALL.iter().cloned();
    all.filter(|wavelet| wavelet.pre_shift() > 0).collect()
}

/// One to three axes, odd lengths and even ones, under every boundary rule, of one to five levels.
fn small(wavelet: &Wavelet) -> Vec<Transform> {
    let shapes: [&[usize]; 6] = [&[61], &[64], &[9, 15], &[16, 8], &[2, 37], &[6, 5, 7]];
    let mut all = Vec::new();
    for shape in shapes {
        for &boundary in Boundary::ALL {
            let transform = Transform::new(wavelet.clone(), shape).boundary(boundary);
            all.extend((1..=5).map(|levels| transform.clone().levels(levels)));
        }
    }
    all
}

/// Some axes of an array of any shape, by any rule, of any number of levels.
fn any(random: &mut Random, wavelets: &[Wavelet]) -> Transform {
    let mut below = |n: usize| (random.bits() >> 20) as usize % n;
    let count = 1 + below(3);
    let longest = [2000, 50, 14][count - 1];
    let shape: Vec<usize> = (0..count).map(|_| 1 + below(longest)).collect();
    let first = below(count);
    let axes: Vec<usize> = (first..count).collect();
    Transform::new(wavelets[below(wavelets.len())].clone(), shape)
        .axes(axes)
        .levels(1 + below(9) as u32)
        .boundary(Boundary::ALL[below(4)])
        .layout(Layout::ALL[below(2)])
}

/// What the integer steps do without rounding and pre-shift.
fn linear(wavelet: &Wavelet) -> Wavelet {
    let real = |step: &IntegerStep| {
        let unit = 0.5f64.powi(step.shift() as i32);
        let taps = step.taps().iter().map(|&tap| f64::from(tap) * unit);
        let taps: Vec<f64> = taps.collect();
        RealStep::new(step.stencil().target, step.stencil().first, &taps)
    };
    let steps = wavelet.integer_steps().unwrap().iter().map(real);
    Wavelet::real("linear", &steps.collect::<Vec<_>>(), Scale::NONE).unwrap()
}

/// For each result of all but the last level of a line of `n` samples, the largest
/// first: which samples it takes away. Samples of these signs, all as large as can be,
/// make it as large as can be.
fn worst_signs(transform: &Transform, n: usize) -> Vec<Vec<bool>> {
    let impulses = Transform::new(linear(transform.wavelet()), [n, n])
        .axes([1])
        .levels(transform.level_count() - 1)
        .boundary(transform.boundary_rule())
        .layout(Layout::Interleaved);
    let mut identity = vec![0f64; n * n];
    identity.iter_mut().step_by(n + 1).for_each(|v| *v = 1.0);
    let factors = reference::forward(&impulses, &identity).unwrap();
    let of_result = |at: usize| (0..n).map(|i| factors[i * n + at]).collect::<Vec<f64>>();
    let mut results: Vec<Vec<f64>> = (0..n).map(of_result).collect();
    let size = |factors: &Vec<f64>| factors.iter().map(|factor| factor.abs()).sum::<f64>();
    results.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let signs = |factors: Vec<f64>| factors.iter().map(|&factor| factor < 0.0).collect();
    results.into_iter().map(signs).collect()
}

/// Which samples are to be small and which large: what makes the largest results largest,
/// and others, and at random.
fn patterns(transform: &Transform) -> Vec<Vec<bool>> {
    let mut random = Random::new(transform.len() as u64);
    let is_chosen = |axis: &usize| transform.chosen_axes().contains(axis);
    let along = |(axis, &n): (usize, &usize)| match is_chosen(&axis) && n <= 100 {
        true => worst_signs(transform, n),
        false => vec![vec![false; n]],
    };
    let along: Vec<_> = transform.shape().iter().enumerate().map(along).collect();
    let mut pattern = |k: usize| {
        let mut signs = vec![false; transform.len()];
        let mut stride = transform.len();
        for axis in &along {
            let pick = if k == 0 {
                0
            } else {
                random.bits() as usize % axis.len()
            };
            stride /= axis[pick].len();
            for (i, sign) in signs.iter_mut().enumerate() {
                *sign ^=
                    axis[pick][i / stride % axis[pick].len()] || k > 16 && random.bits() >> 63 == 1;
            }
        }
        signs
    };
    (0..24).map(&mut pattern).collect()
}

fn is_restored<T: Sample>(transform: &Transform, samples: &[T]) -> bool {
    let coefficients = reference::forward(transform, samples).unwrap();
    reference::inverse(transform, &coefficients).unwrap() == samples
}

/// Whether samples of `bits` bits in these patterns are restored, either way round.
fn are_restored<T: Sample>(transform: &Transform, patterns: &[Vec<bool>], bits: u32) -> bool {
    let most = 2f64.powi(bits as i32 - 1);
    let [least, most] = [-most, most - 1.0].map(T::from_f64);
    patterns.iter().all(|signs| {
        [false, true].into_iter().all(|turned| {
            let sample = |&sign: &bool| if sign != turned { least } else { most };
            is_restored(transform, &signs.iter().map(sample).collect::<Vec<T>>())
        })
    })
}

fn bits(sample: SampleType) -> u32 {
    8 * sample.size() as u32
}

/// How many transforms have so many bits more than the worst data need that are tried here.
fn slack<T: Sample>() -> BTreeMap<u32, usize> {
    let mut found = BTreeMap::new();
    for transform in with_pre_shift().iter().flat_map(small) {
        let Ok(headroom) = transform.headroom(T::TYPE) else {
            continue;
        };
        let (patterns, width) = (patterns(&transform), bits(T::TYPE));
        let restores = |bits| are_restored::<T>(&transform, &patterns, bits);
        assert!(restores(width - headroom), "{transform:?}: {headroom} bits");
        let more = (1..).take_while(|more| restores(width - headroom + more));
        *found.entry(more.count() as u32).or_default() += 1;
    }
    found
}

/// The headroom is proved, not tried: mostly it is what these data need, or one bit more.
fn is_close<T: Sample>() {
    let slack = slack::<T>();
    println!("{} bits more than needed: {slack:?}", T::TYPE);
    let counted = |most: u32| slack.range(..=most).map(|(_, count)| count).sum::<usize>();
    assert!(counted(0) >= 280, "{slack:?}");
    assert!(counted(1) >= 440, "{slack:?}");
    assert_eq!(counted(5), 600, "{slack:?}");
}

#[test]
fn shorts_are_restored_with_the_headroom_and_not_with_much_less() {
    is_close::<i16>();
}

#[test]
fn ints_are_restored_with_the_headroom_and_not_with_much_less() {
    is_close::<i32>();
}

/// A wavelet with a pre-shift whose steps nobody would choose: taps from small
/// ones to such as overflow.
fn own(random: &mut Random) -> Wavelet {
    let mut below = |n: u64| ((random.bits() >> 20) % n) as i32;
    let steps: Vec<IntegerStep> = (0..1 + below(5))
        .map(|_| {
            let target = [Channel::Approximation, Channel::Detail][below(2) as usize];
            let shift = below(12) as u32;
            let overflows = below(4) == 0;
            let size = 1 + below(if overflows { 1 << 20 } else { 3 << shift });
            let taps: Vec<i32> = (0..1 + below(4))
                .map(|_| below(2 * size as u64) - size)
                .collect();
            IntegerStep::add(target, below(5) - 3, &taps, below(1 << (shift + 1)), shift)
        })
        .collect();
    Wavelet::integer("own", &steps, 1 + below(3) as u32).unwrap()
}

/// Whether a type has a headroom, in which random extremes and the worst data are restored.
fn keeps<T: RandomSample>(transform: &Transform, seed: u64) -> bool {
    let Ok(headroom) = transform.headroom(T::TYPE) else {
        return false;
    };
    let least = 0.5f64.powi(headroom as i32);
    let narrow = |sample: T| T::from_f64((sample.to_f64() * least).floor());
    let random: Vec<T> = random_samples(transform.len(), seed);
    let samples: Vec<T> = random.into_iter().map(narrow).collect();
    transform.check_range(&samples).unwrap();
    assert!(is_restored(transform, &samples), "{transform:?}");
    let width = bits(T::TYPE) - headroom;
    assert!(
        are_restored::<T>(transform, &patterns(transform), width),
        "{transform:?}"
    );
    true
}

#[test]
fn any_transform_restores_what_leaves_its_headroom() {
    let mut random = Random::new(7);
    let wavelets = with_pre_shift();
    let kept = (0..300).filter(|&seed| {
        let transform = any(&mut random, &wavelets);
        keeps::<i16>(&transform, seed) & keeps::<i32>(&transform, seed)
    });
    assert!(kept.count() > 150);
}

#[test]
fn wavelets_of_ones_own_have_a_headroom_or_an_error() {
    let mut random = Random::new(8);
    let kept = (0..600).filter(|&seed| {
        let wavelet = own(&mut random);
        let transform = any(&mut random, &[wavelet]);
        keeps::<i16>(&transform, seed) | keeps::<i32>(&transform, seed)
    });
    let kept = kept.count();
    assert!((100..600).contains(&kept), "{kept}");
}

#[test]
fn only_what_is_shifted_needs_headroom() {
    let of = |wavelet: Wavelet, sample| {
        let transform = Transform::new(wavelet, [64, 64]).levels(5);
        transform.headroom(sample)
    };
    assert_eq!(of(Wavelet::CDF_5_3, SampleType::I16), Ok(0));
    assert_eq!(of(Wavelet::VC2_FIDELITY, SampleType::I32), Ok(0));
    assert_eq!(of(Wavelet::CDF_9_7, SampleType::F32), Ok(0));
    let unsupported = of(Wavelet::CDF_9_7, SampleType::I16);
    assert!(matches!(unsupported, Err(Error::Unsupported { .. })));
    let picture = |shape: [usize; 2], levels| {
        let transform = Transform::new(Wavelet::VC2_DD_9_7, shape).levels(levels);
        transform.headroom(SampleType::I16)
    };
    assert_eq!(picture([64, 64], 0), Ok(0));
    assert_eq!(picture([1, 1], 3), Ok(0));
    // One level loses what it shifts out, and nothing else; levels without anything to do are none.
    assert_eq!(picture([64, 64], 1), Ok(1));
    assert_eq!(picture([2, 2], 9), Ok(1));
    assert!(matches!(picture([0, 4], 1), Err(Error::Shape { .. })));
    // Every level takes a bit, and there are but 16.
    let why = picture([1 << 20, 1 << 20], 17).unwrap_err().to_string();
    assert!(why.contains("i16 by vc2-dd97 in 17 levels"), "{why}");
}

#[test]
fn data_beyond_the_range_are_refused_by_name() {
    let transform = Transform::new(Wavelet::VC2_LEGALL_5_3, [2, 3, 4]).levels(2);
    let headroom = transform.headroom(SampleType::I32).unwrap();
    let most = (1 << (31 - headroom)) - 1;
    let mut samples = [0i32; 24];
    (samples[3], samples[17], samples[23]) = (-most - 1, most, most);
    assert_eq!(transform.check_range(&samples), Ok(()));
    (samples[18], samples[20]) = (-most - 2, most + 1);
    let Err(Error::Range {
        value,
        place,
        least,
        most: largest,
        ..
    }) = transform.check_range(&samples)
    else {
        panic!("{samples:?} pass");
    };
    assert_eq!((value, place), (i64::from(-most - 2), vec![1, 1, 2]));
    assert_eq!((least, largest), (i64::from(-most - 1), i64::from(most)));
    let too_few = transform.check_range(&samples[1..]);
    assert!(matches!(
        too_few,
        Err(Error::Length {
            expected: 24,
            got: 23,
            ..
        })
    ));
    let lossless = Transform::new(Wavelet::CDF_5_3, [2]);
    assert_eq!(lossless.check_range(&[i16::MIN, i16::MAX]), Ok(()));
}
