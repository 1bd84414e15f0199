//! Where no strategy that may be asked takes what is left, the error names it and every reason.

use super::cases::{BOTH, Setting, cpu, gpu, large_gpu, problem};
use crate::device::{DeviceInfo, Exchange};
use crate::error::Error;
use crate::strategy::{ColumnPass, RowPass, Strategy};
use crate::transform::{Region, Transform};
use crate::wavelet::{Boundary, Channel, Direction, RealStep, SampleType, Scale, Wavelet};

/// What the error says was asked for, the same in both directions, and why
/// it cannot be had forward.
#[track_caller]
fn refused(setting: &Setting, transform: &Transform, sample: SampleType) -> (String, String) {
    let [there, back] = BOTH.map(|direction| {
        let refused = setting.design(&problem(transform, sample, direction));
        match refused {
            Err(Error::Unsupported { what, why }) => (what, why),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(there.0, back.0);
    there
}

#[test]
fn the_first_level_and_axes_that_are_refused_are_named() {
    let streamed = Setting::of(DeviceInfo::imaginary()).only(&[Strategy::Streamed]);
    let no_picture = "it takes two axes of which the inner one is in one piece";
    let refused = |shape: &[usize], wavelet| {
        let transform = Transform::new(wavelet, shape).levels(9);
        refused(&streamed, &transform, SampleType::F32)
    };
    // Colours behind a picture, a line, a volume.
    let colours = Transform::new(Wavelet::CDF_9_7, [9, 9, 3]).axes([0, 1]);
    let (what, why) = self::refused(&streamed, &colours, SampleType::F32);
    assert_eq!(what, "cdf97 on f32 samples, level 1, axes [0, 1]");
    assert_eq!(why, format!("`streamed`: {no_picture}"));
    let (what, _) = refused(&[99], Wavelet::CDF_9_7);
    assert_eq!(what, "cdf97 on f32 samples, level 1, axes [0]");
    let (what, _) = refused(&[8, 8, 8], Wavelet::CDF_9_7);
    assert_eq!(what, "cdf97 on f32 samples, level 1, axes [0, 1, 2]");
    // Three levels of a picture, and then a row.
    let (what, why) = refused(&[8, 16], Wavelet::CDF_5_3);
    assert_eq!(what, "cdf53 on f32 samples, level 4, axes [1]");
    assert_eq!(why, format!("`streamed`: {no_picture}"));
}

#[test]
fn the_axes_that_are_left_of_a_level_are_named() {
    // Innermost first: x and y are a picture, z is left.
    let transform = Transform::new(Wavelet::VC2_DD_9_7, [4, 8, 8]);
    let pictures = Setting::of(cpu()).only(&[Strategy::Streamed, Strategy::SingleLoop]);
    let (what, why) = refused(&pictures, &transform, SampleType::I16);
    assert_eq!(what, "vc2-dd97 on i16 samples, level 1, axes [0]");
    assert!(
        why.starts_with("`streamed`: ") && why.contains("; `single_loop`: "),
        "{why}"
    );
}

#[test]
fn doubles_need_a_device_that_has_them() {
    let device = DeviceInfo {
        fp64: false,
        ..DeviceInfo::imaginary()
    };
    let setting = Setting::of(device);
    let transform = Transform::new(Wavelet::CDF_9_7, [64, 64]);
    for direction in BOTH {
        assert!(
            setting
                .design(&problem(&transform, SampleType::F32, direction))
                .is_ok()
        );
    }
    for &strategy in Strategy::ALL {
        let alone = setting.clone().only(&[strategy]);
        let (_, why) = refused(&alone, &transform, SampleType::F64);
        assert!(why.contains("double precision"), "{why}");
    }
}

#[test]
fn lines_are_counted_in_32_bits() {
    let setting = Setting::of(DeviceInfo::imaginary());
    let fits = Transform::new(Wavelet::HAAR, [1 << 30, 2]).axes([1]);
    for direction in BOTH {
        let design = setting
            .design(&problem(&fits, SampleType::F32, direction))
            .unwrap();
        assert_eq!(design.launches[0].pass.geometry.lines, 1 << 30);
    }
    let too_many = Transform::new(Wavelet::HAAR, [1 << 30, 2, 2]).axes([2]);
    let (_, why) = refused(&setting, &too_many, SampleType::F32);
    assert!(why.contains("more than 2147479551 lines"), "{why}");
}

/// Of pixels kernels count the samples of a row, which are more than its places.
#[test]
fn samples_of_rows_of_pixels_are_counted_in_32_bits() {
    let loops = [
        (large_gpu(), Strategy::StreamedColours),
        (cpu(), Strategy::ColourLoop),
    ];
    for (device, strategy) in loops {
        let setting = Setting::of(device).only(&[strategy]);
        let picture = |width| Transform::new(Wavelet::CDF_5_3, [4, width, 8]).axes([0, 1]);
        let fits = problem(&picture(1 << 27), SampleType::I16, Direction::Forward);
        assert!(setting.design(&fits).is_ok(), "{strategy}");
        let (what, why) = refused(&setting, &picture((1 << 27) + 2), SampleType::I16);
        assert!(why.ends_with("rows of at most 2^30 samples"), "{why}");
        assert_eq!(what, "cdf53 on i16 samples, level 1, axes [0, 1]");
    }
}

/// What each strategy alone says to a problem.
fn reason(
    strategy: Strategy,
    device: DeviceInfo,
    transform: &Transform,
    sample: SampleType,
) -> String {
    let (_, why) = refused(&Setting::of(device).only(&[strategy]), transform, sample);
    why
}

#[test]
fn streamed_refuses_what_its_sub_groups_cannot_hold() {
    let picture = |wavelet| Transform::new(wavelet, [512, 512]);
    let reason = |device, transform: &Transform, sample| {
        reason(Strategy::Streamed, device, transform, sample)
    };
    // Two lanes of four pairs are all overlap for a reach of seven pairs on either side.
    let fidelity = picture(Wavelet::VC2_FIDELITY);
    let why = reason(gpu(Exchange::Khr, 2), &fidelity, SampleType::I32);
    assert_eq!(why, "`streamed`: sub-groups of 2 are all overlap");
    let half = DeviceInfo {
        max_work_group: 16,
        ..large_gpu()
    };
    let why = reason(half, &picture(Wavelet::CDF_9_7), SampleType::F32);
    assert_eq!(why, "`streamed`: it needs work-groups of 32");
    let little = DeviceInfo {
        local_memory: 1 << 10,
        ..large_gpu()
    };
    let why = reason(little, &picture(Wavelet::CDF_9_7), SampleType::F32);
    assert!(
        why.contains("bytes of local memory, there are 1024"),
        "{why}"
    );
    let far = RealStep::new(Channel::Detail, 5, &[0.5]);
    let far = Wavelet::real("far", &[far], Scale::NONE).unwrap();
    let why = reason(large_gpu(), &picture(far.clone()), SampleType::F32);
    assert!(
        why.contains("reaches over 4 pairs, past the neighbouring work-item"),
        "{why}"
    );
    // Work-items that are alone load what they need.
    let alone = Setting::of(DeviceInfo::imaginary()).only(&[Strategy::Streamed]);
    for direction in BOTH {
        assert!(
            alone
                .design(&problem(&picture(far.clone()), SampleType::F32, direction))
                .is_ok()
        );
    }
}

#[test]
fn colours_refuse_runs_that_local_memory_cannot_hold() {
    let picture = Transform::new(Wavelet::HAAR, [64, 64, 7]).axes([0, 1]);
    let eight_pairs = |device| {
        let setting = Setting::of(device).only(&[Strategy::StreamedColours]);
        setting.tuned("gpu | streamed_colours | f32 | PAIRS=8")
    };
    let (_, why) = refused(&eight_pairs(large_gpu()), &picture, SampleType::F32);
    let expected = "its runs need 57344 bytes of local memory, there are 49152";
    assert_eq!(why, format!("`streamed_colours`: {expected}"));
    // Work-items that are alone put nothing there.
    let alone = eight_pairs(DeviceInfo::imaginary());
    for direction in BOTH {
        let problem = problem(&picture, SampleType::F32, direction);
        assert!(alone.design(&problem).is_ok());
    }
}

#[test]
fn steps_that_are_too_many_for_registers_are_refused() {
    let steps = |count: usize| {
        let steps = [
            RealStep::new(Channel::Detail, 0, &[0.1, 0.1]),
            RealStep::new(Channel::Approximation, -1, &[0.1, 0.1]),
        ];
        let wavelet = Wavelet::real("many", &steps.repeat(count / 2), Scale::NONE).unwrap();
        Transform::new(wavelet, [512, 512])
    };
    let wide = || gpu(Exchange::Khr, 64);
    let accepts = |strategy, transform: &Transform, sample| {
        let problem = problem(transform, sample, Direction::Forward);
        let setting = Setting::of(wide()).only(&[strategy]);
        setting.design(&problem).is_ok()
    };
    use SampleType::{F32, F64};
    // 12 pairs of rows of 4 pairs of columns.
    assert!(accepts(Strategy::Streamed, &steps(20), F32));
    let why = reason(Strategy::Streamed, wide(), &steps(20), F64);
    assert_eq!(
        why,
        "`streamed`: what its steps still read needs 384 registers, a work-item of a GPU has 255"
    );
    // Two rows of 12 vectors of 8 pairs.
    let why = reason(Strategy::SingleLoop, wide(), &steps(20), F32);
    assert_eq!(
        why,
        "`single_loop`: a pair of rows needs 384 registers, a work-item of a GPU has 255"
    );
    // 68 rows of one pair.
    assert!(accepts(Strategy::RegisterBlock, &steps(32), F32));
    let why = reason(Strategy::RegisterBlock, wide(), &steps(32), F64);
    assert_eq!(
        why,
        "`register_block`: a block with its halo needs 272 registers, a work-item of a GPU has 255"
    );
}

#[test]
fn blocks_refuse_borders_that_do_not_go_on_and_what_they_cannot_hold() {
    let reason = |device, transform: &Transform, sample| {
        reason(Strategy::RegisterBlock, device, transform, sample)
    };
    let picture = |wavelet| Transform::new(wavelet, [512, 511]);
    let borders = [
        picture(Wavelet::CDF_9_7).boundary(Boundary::Periodic),
        picture(Wavelet::HAAR),
        picture(Wavelet::DAUB_4).boundary(Boundary::Clamp),
    ];
    for transform in borders {
        let why = reason(large_gpu(), &transform, SampleType::F32);
        let boundary = transform.boundary_rule();
        let expected =
            format!("511 samples and these steps do not go on beyond a {boundary} border");
        assert_eq!(why, format!("`register_block`: {expected}"));
    }
    let fidelity = picture(Wavelet::VC2_FIDELITY);
    let why = reason(gpu(Exchange::Khr, 8), &fidelity, SampleType::I32);
    assert_eq!(why, "`register_block`: sub-groups of 8 are all halo");
    let cdf97 = picture(Wavelet::CDF_9_7);
    let half = DeviceInfo {
        max_work_group: 16,
        ..large_gpu()
    };
    let why = reason(half, &cdf97, SampleType::F32);
    assert_eq!(why, "`register_block`: it needs work-groups of 32");
    let little = DeviceInfo {
        local_memory: 1 << 9,
        ..DeviceInfo::imaginary()
    };
    let why = reason(little, &cdf97, SampleType::F32);
    assert!(
        why.contains("768 bytes of local memory, there are 512"),
        "{why}"
    );
    let far = RealStep::new(Channel::Detail, 16, &[0.5]);
    let far = Wavelet::real("far", &[far], Scale::NONE).unwrap();
    let far = picture(far).boundary(Boundary::Zero);
    assert!(reason(gpu(Exchange::Khr, 16), &far, SampleType::F32).contains("are all halo"));
}

#[test]
fn lines_in_registers_refuse_rows_few_lines_and_what_is_all_halo() {
    let reason = |wavelet, shape: [usize; 2], axis: usize, device| {
        let lines = Transform::new(wavelet, shape).axes([axis]);
        let lines = lines.boundary(Boundary::Zero);
        reason(Strategy::RegisterLines, device, &lines, SampleType::F32)
    };
    let of = |wavelet, shape, axis| reason(wavelet, shape, axis, large_gpu());
    assert_eq!(
        of(Wavelet::CDF_9_7, [64, 512], 1),
        "`register_lines`: it takes lines that stand side by side, whose places fit 32 bits"
    );
    assert_eq!(
        of(Wavelet::CDF_9_7, [127, 129], 0),
        "`register_lines`: it takes lines that have at least 16384 samples in all, here are 16383"
    );
    let far = RealStep::new(Channel::Detail, 32, &[0.5]);
    let far = Wavelet::real("far", &[far], Scale::NONE).unwrap();
    let why = of(far.clone(), [500, 500], 0);
    assert!(why.ends_with("tiles of 84 samples are all halo"), "{why}");
    let why = reason(far, [500, 500], 0, gpu(Exchange::Khr, 16));
    assert!(why.ends_with("tiles of 0 samples are all halo"), "{why}");
}

#[test]
fn rows_refuse_other_lines_and_what_they_cannot_hold() {
    let reason = |device, transform: &Transform| {
        reason(Strategy::RegisterRows, device, transform, SampleType::F32)
    };
    let apart = Region::dense([64, 64]).with_strides([512, 8]);
    let setting = Setting::of(large_gpu()).only(&[Strategy::RegisterRows]);
    let columns = Transform::new(Wavelet::CDF_9_7, [64, 64]).axes([0]);
    let mut columns = problem(&columns, SampleType::F32, BOTH[0]);
    columns.regions.signal = apart.clone();
    columns.regions.bands = apart;
    let why = setting.design(&columns).unwrap_err().to_string();
    assert!(
        why.contains(
            "it takes rows in one piece, or lines that stand side by side, whose places fit 32 bits"
        ),
        "{why}"
    );
    let row = Transform::new(Wavelet::CDF_9_7, [512]);
    let half = DeviceInfo {
        max_work_group: 16,
        ..large_gpu()
    };
    let why = reason(half, &row);
    assert_eq!(why, "`register_rows`: it needs work-groups of 32");
    let little = DeviceInfo {
        local_memory: 1 << 10,
        ..large_gpu()
    };
    let why = reason(little, &row);
    assert!(
        why.contains("bytes of local memory, there are 1024"),
        "{why}"
    );
    let far = |offset| {
        let step = RealStep::new(Channel::Detail, offset, &[0.5]);
        let wavelet = Wavelet::real("far", &[step], Scale::NONE).unwrap();
        Transform::new(wavelet, [512]).boundary(Boundary::Zero)
    };
    let why = reason(large_gpu(), &far(16));
    assert_eq!(
        why,
        "`register_rows`: its margins hold no reach of 16 pairs"
    );
    let narrow = gpu(Exchange::Khr, 1);
    let long = Transform::new(Wavelet::VC2_FIDELITY, [512]);
    let setting = Setting::of(narrow).only(&[Strategy::RegisterRows]);
    let tiles = setting.design(&problem(&long, SampleType::I32, BOTH[0]));
    assert_eq!(tiles.unwrap().launches.len(), 1);
}

#[test]
fn convolution_refuses_integers() {
    for strategy in [
        Strategy::from(RowPass::Convolution),
        Strategy::from(ColumnPass::Convolution),
    ] {
        let transform = Transform::new(Wavelet::CDF_5_3, [512, 9]);
        let reason = reason(strategy, large_gpu(), &transform, SampleType::I16);
        let why = "convolution cannot round at every step, as lifting rounds integers";
        assert_eq!(reason, format!("`{strategy}`: {why}"));
    }
}

#[test]
fn vectors_refuse_what_they_cannot_hold() {
    let reason = |device, transform: &Transform| {
        reason(Strategy::Vectors, device, transform, SampleType::F32)
    };
    let little = DeviceInfo {
        local_memory: 127,
        ..cpu()
    };
    let why = reason(little, &Transform::new(Wavelet::CDF_9_7, [512, 512]));
    let needed = "`vectors`: a vector of every kept row, or of the borders, needs 2048 bytes of local memory, there are 127";
    assert_eq!(why, needed);
}

#[test]
fn a_single_loop_refuses_what_its_rows_cannot_hold() {
    let reason = |device, transform: &Transform| {
        reason(Strategy::SingleLoop, device, transform, SampleType::F32)
    };
    let picture = Transform::new(Wavelet::CDF_9_7, [512, 512]);
    let little = DeviceInfo {
        local_memory: 1 << 10,
        ..cpu()
    };
    let why = reason(little, &picture);
    assert!(
        why.contains("bytes of local memory, there are 1024"),
        "{why}"
    );
}

#[test]
fn more_lines_than_can_be_counted_are_refused_even_where_nothing_is_lifted() {
    let setting = Setting::of(large_gpu());
    let copy = |shape: &[usize], axes: &[usize], levels| {
        let transform = Transform::new(Wavelet::CDF_5_3, shape);
        let transform = transform.axes(axes).levels(levels);
        BOTH.map(|direction| setting.design(&problem(&transform, SampleType::I16, direction)))
    };
    // Lines along the innermost axis that has any, for which 32 bits are enough.
    for (axes, levels) in [(&[0, 1, 2][..], 0), (&[2], 3)] {
        for design in copy(&[1 << 16, 1 << 16, 1], axes, levels) {
            let geometry = design.unwrap().launches[0].pass.geometry;
            assert_eq!((geometry.lines, geometry.samples), (1 << 16, 1 << 16));
        }
    }
    for design in copy(&[2, 1 << 20, 1 << 11], &[0, 1, 2], 0) {
        assert_eq!(design.unwrap().launches[0].pass.geometry.lines, 1 << 21);
    }
    for design in copy(&[1 << 20, 1 << 11, 2], &[0, 1, 2], 0) {
        assert!(matches!(design, Err(Error::Unsupported { .. })));
    }
}
