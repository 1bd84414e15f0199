//! Problems and devices for tests, invented and random.

use crate::device::{DeviceInfo, DeviceKind, Exchange};
use crate::error::Result;
use crate::strategy::planning::design::Design;
use crate::strategy::{InPlace, Problem, Strategy, Target, Tuning, plan, plan_in_place};
use crate::transform::{Layout, Transform};
use crate::wavelet::{
    AxisOrder, Boundary, Channel, Direction, IntegerStep, SampleType, Scale, Wavelet,
};
use proptest::collection::vec;
use proptest::prelude::{Strategy as Generator, any, prop_oneof};
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// A device to design for, with sizes as if they had been measured there, and the
/// strategies that are asked.
#[derive(Clone, Debug)]
pub struct Setting {
    pub device: DeviceInfo,
    pub tuning: Tuning,
    pub strategies: Vec<Strategy>,
}

impl Setting {
    pub fn of(device: DeviceInfo) -> Self {
        Setting {
            device,
            tuning: Tuning::default(),
            strategies: Strategy::ALL.to_vec(),
        }
    }

    /// The same with lines of a tuning file.
    pub fn tuned(self, lines: &str) -> Self {
        let tuning = lines.parse().unwrap();
        Setting { tuning, ..self }
    }

    /// The same where only these strategies are asked.
    pub fn only(self, strategies: &[Strategy]) -> Self {
        let strategies = strategies.to_vec();
        Setting { strategies, ..self }
    }

    pub fn design(&self, problem: &Problem) -> Result<Design> {
        self.design_within(problem, &[])
    }

    /// The design where kernels allow smaller work-groups than the device does.
    pub fn design_within(
        &self,
        problem: &Problem,
        limits: &[(&'static str, usize)],
    ) -> Result<Design> {
        let target = Target {
            device: &self.device,
            tuning: &self.tuning,
            limits,
            ways: &[],
        };
        plan(problem, &target, &self.strategies)
    }

    pub fn design_in_place(&self, problem: &Problem) -> Result<InPlace> {
        let target = Target {
            device: &self.device,
            tuning: &self.tuning,
            limits: &[],
            ways: &[],
        };
        plan_in_place(problem, &target)
    }
}

pub fn problem(transform: &Transform, sample: SampleType, direction: Direction) -> Problem {
    Problem::new(transform, sample, direction)
}

/// A GPU whose sub-groups exchange values among so many work-items.
pub fn gpu(exchange: Exchange, lanes: usize) -> DeviceInfo {
    DeviceInfo {
        exchange,
        lanes,
        sub_group_sizes: match exchange {
            Exchange::Khr | Exchange::Intel => vec![8, 16, 32],
            _ => Vec::new(),
        },
        ..DeviceInfo::imaginary()
    }
}

pub fn large_gpu() -> DeviceInfo {
    DeviceInfo {
        compute_units: 132,
        ..gpu(Exchange::Ptx, 32)
    }
}

pub fn cpu() -> DeviceInfo {
    DeviceInfo {
        kind: DeviceKind::Cpu,
        compute_units: 2,
        max_work_group: 4096,
        max_work_items: [4096; 3],
        local_memory: 256 << 10,
        float_vector: 16,
        ..DeviceInfo::imaginary()
    }
}

/// A GPU that allows little of everything.
pub fn small_gpu() -> DeviceInfo {
    DeviceInfo {
        compute_units: 1,
        max_work_group: 16,
        max_work_items: [16, 4, 1],
        local_memory: 4 << 10,
        ..DeviceInfo::imaginary()
    }
}

/// Lines that make even small pictures go two levels at once.
pub const TWO_LEVELS: &str = "
    gpu | streamed | i16 | TWO_FILLING=1
    gpu | streamed | i32 | TWO_FILLING=2
    gpu | streamed | f32 | TWO_FILLING=1
    gpu | streamed | f64 | TWO_FILLING=1
";

/// Devices of every kind, and every strategy on some.
pub fn settings() -> Vec<Setting> {
    let mut settings: Vec<Setting> = [
        DeviceInfo::imaginary(),
        large_gpu(),
        gpu(Exchange::Intel, 8),
        gpu(Exchange::Khr, 64),
        small_gpu(),
        cpu(),
    ]
    .map(Setting::of)
    .to_vec();
    settings.push(Setting::of(large_gpu()).tuned(TWO_LEVELS));
    for device in [large_gpu(), cpu()] {
        let alone = Strategy::ALL.iter().map(|&one| vec![one]);
        let in_turn = [
            vec![Strategy::SingleLoop, Strategy::Stepwise],
            vec![Strategy::RegisterBlock, Strategy::SEPARABLE],
            vec![Strategy::Stepwise, Strategy::SEPARABLE],
        ];
        let forced = alone.chain(in_turn);
        settings.extend(forced.map(|some| Setting::of(device.clone()).only(&some)));
    }
    for device in [DeviceInfo::imaginary(), small_gpu()] {
        let passes = Strategy::each_pass();
        settings.extend(passes.map(|one| Setting::of(device.clone()).only(&[one])));
    }
    settings
}

/// The wavelets of the table and some that a user might make: with a pre-shift and the axis order
/// outermost first, with a step that no rule of a table has, and with steps for all samples.
pub fn wavelets() -> Vec<Wavelet> {
    use Channel::{Approximation as S, Detail as D};
    let predict = IntegerStep::subtract(D, 0, &[1, 1], 1, 1);
    let update = IntegerStep::add(S, -1, &[1, 1], 2, 2);
    let outermost = Wavelet::integer("own-outermost", &[predict, update], 3).unwrap();
    assert_eq!(outermost.axis_order(), AxisOrder::OutermostFirst);
    let innermost = Wavelet::integer("own-innermost", &[predict, update], 2)
        .unwrap()
        .with_axis_order(AxisOrder::InnermostFirst);
    let one_sided = [
        IntegerStep::add(D, -3, &[5, -1], 1, 2),
        IntegerStep::subtract(S, 1, &[3, 1, 2], 2, 3),
    ];
    let one_sided = Wavelet::integer("own-one-sided", &one_sided, 1).unwrap();
    let cdf97 = Wavelet::CDF_9_7;
    let real = cdf97.real_steps().unwrap();
    let scale = Scale {
        approximation: 0.5,
        detail: 3.0,
    };
    let both = Wavelet::real("own-both", real, scale)
        .and_then(|wavelet| wavelet.with_integer_steps(&[update, predict], 1))
        .unwrap()
        .with_axis_order(AxisOrder::InnermostFirst);
    let mut wavelets = Wavelet::ALL.to_vec();
    wavelets.extend([outermost, innermost, one_sided, both]);
    wavelets
}

/// Those of [`wavelets`] that have steps for `sample`.
fn wavelets_for(sample: SampleType) -> Vec<Wavelet> {
    let all = wavelets().into_iter();
    all.filter(|wavelet| sample.is_served_by(wavelet)).collect()
}

/// A wavelet with steps for `sample`, a boundary rule and a layout.
fn rules(sample: SampleType) -> impl Generator<Value = (Wavelet, Boundary, Layout)> {
    (
        select(wavelets_for(sample)),
        select(Boundary::ALL),
        select(Layout::ALL),
    )
}

/// 1 to 4 axes of 1 to 40 samples each, at most `most` samples in all; any
/// axes of them, any levels.
pub fn transforms(sample: SampleType, most: usize) -> impl Generator<Value = Transform> {
    let axis = prop_oneof![1..=4usize, 1..=40usize, 1..=40usize];
    let shapes = vec(axis, 1..=4).prop_map(move |mut shape| {
        while shape.iter().product::<usize>() > most {
            *shape.iter_mut().max().unwrap() /= 2;
        }
        shape
    });
    let with_axes = shapes.prop_flat_map(|shape| {
        let axes: Vec<usize> = (0..shape.len()).collect();
        let count = 1..=axes.len();
        subsequence(axes, count).prop_map(move |axes| (shape.clone(), axes))
    });
    let levels = prop_oneof![0..=3u32, 2..=7u32];
    (rules(sample), with_axes, levels).prop_map(
        |((wavelet, boundary, layout), (shape, axes), levels)| {
            Transform::new(wavelet, shape)
                .axes(axes)
                .levels(levels)
                .boundary(boundary)
                .layout(layout)
        },
    )
}

/// Pictures before an inner batch, mostly one that makes pixels, and perhaps in a batch.
pub fn coloured(sample: SampleType) -> impl Generator<Value = Transform> {
    let shapes = (1..=2usize, 1..=20usize, 1..=30usize, 2..=5usize);
    (rules(sample), shapes, 1..=3u32).prop_map(
        |((wavelet, boundary, layout), (count, height, width, colours), levels)| {
            Transform::new(wavelet, [count, height, width, colours])
                .axes([1, 2])
                .levels(levels)
                .boundary(boundary)
                .layout(layout)
        },
    )
}

/// Pictures, and volumes of them, whose rows go by vectors, and which are high
/// enough for two levels at once.
pub fn pictures(sample: SampleType) -> impl Generator<Value = Transform> {
    let shapes = prop_oneof![
        (20..=64usize, 1..=8usize).prop_map(|(height, width)| vec![height, 16 * width]),
        (1..=3usize, 20..=40usize, 1..=4usize).prop_map(|(depth, height, width)| vec![
            depth,
            height,
            16 * width
        ]),
        (1..=3usize, 20..=40usize, 1..=3usize, 1..=3usize)
            .prop_map(|(depth, height, width, last)| vec![height, depth, 16 * width, last]),
    ];
    let volume = prop_oneof![3 => select(vec![false]), 1 => select(vec![true])];
    (rules(sample), shapes, volume, 1..=4u32).prop_map(
        |((wavelet, boundary, layout), shape, volume, levels)| {
            let axes = match (shape.len(), volume) {
                (2, _) => vec![0, 1],
                (3, false) => vec![1, 2],
                (3, true) => vec![0, 1, 2],
                _ => vec![0, 2],
            };
            Transform::new(wavelet, shape)
                .axes(axes)
                .levels(levels)
                .boundary(boundary)
                .layout(layout)
        },
    )
}

/// Volumes, in a batch or before it, whose rows go by vectors or do not.
pub fn volumes(sample: SampleType) -> impl Generator<Value = Transform> {
    let shapes = (1..=2usize, 2..=20usize, 2..=20usize, 2..=70usize);
    (rules(sample), shapes, any::<bool>(), 1..=2u32).prop_map(
        |((wavelet, boundary, layout), (count, depth, height, width), whole, levels)| {
            let width = if whole { 4 * width } else { width };
            Transform::new(wavelet, [count, depth, height, width])
                .axes([1, 2, 3])
                .levels(levels)
                .boundary(boundary)
                .layout(layout)
        },
    )
}

/// Checks a property of as many random inputs, always the same ones; one that fails is made
/// smaller before it is shown.
pub fn for_all<G: Generator>(cases: u32, inputs: G, property: impl Fn(G::Value) -> TestCaseResult) {
    let config = Config {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5EED),
        ..Config::with_cases(cases)
    };
    if let Err(failure) = TestRunner::new(config).run(&inputs, property) {
        panic!("{failure}");
    }
}
