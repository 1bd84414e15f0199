use super::*;
use crate::device::DeviceInfo;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{BOTH, Setting, gpu, large_gpu, problem};
use crate::strategy::tests::host::{number, own};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Wavelet};

fn exchanging() -> Setting {
    Setting::of(gpu(Exchange::Khr, 32)).only(&[Strategy::RegisterBlock])
}

fn launch_in(
    direction: Direction,
    setting: &Setting,
    transform: &Transform,
    sample: SampleType,
) -> Launch {
    let problem = problem(transform, sample, direction);
    setting.design(&problem).unwrap().launches.swap_remove(0)
}

fn launch(setting: &Setting, transform: &Transform, sample: SampleType) -> Launch {
    launch_in(Direction::Forward, setting, transform, sample)
}

#[test]
fn blocks_are_those_of_the_paper() {
    let picture = Transform::new(Wavelet::CDF_9_7, [8192, 8192]);
    let tuned = exchanging().tuned("gpu | register_block | f32 | BLOCK_ROWS=20");
    let launch = launch(&tuned, &picture, SampleType::F32);
    let kernel = &launch.pass.kernel;
    assert_eq!(
        ["LANES", "BLOCK_ROWS", "GROUP"].map(|name| number(kernel, name)),
        [32, 20, 128]
    );
    // 56 x 12 samples of each are no halo; four blocks of a work-group stand one below another.
    let strips = 8192usize.div_ceil(56);
    assert_eq!(own(&launch, "strips"), strips as i32);
    assert_eq!(
        launch.pass.groups,
        strips * 8192usize.div_ceil(12).div_ceil(4)
    );
}

#[test]
fn blocks_have_an_even_number_of_rows_and_some_that_are_no_halo() {
    let rows = |wavelet, tuned: usize| {
        let lines = format!("gpu | register_block | i32 | BLOCK_ROWS={tuned}");
        let picture = Transform::new(wavelet, [99, 99]);
        let launch = launch(&exchanging().tuned(&lines), &picture, SampleType::I32);
        number(&launch.pass.kernel, "BLOCK_ROWS")
    };
    assert_eq!(rows(Wavelet::CDF_5_3, 28), 28);
    assert_eq!(rows(Wavelet::CDF_5_3, 13), 14);
    assert_eq!(rows(Wavelet::CDF_5_3, 1), 8);
    assert_eq!(rows(Wavelet::VC2_FIDELITY, 20), 32);
}

#[test]
fn borders_go_on_as_their_rule_allows() {
    let of = |wavelet: Wavelet, boundary, shape: [usize; 2]| {
        let sample = match wavelet.integer_steps() {
            Some(_) => SampleType::I32,
            None => SampleType::F32,
        };
        let transform = Transform::new(wavelet, shape).boundary(boundary);
        let launch = launch(&exchanging(), &transform, sample);
        let names = ["periodic_x", "periodic_y", "restored"];
        names.map(|name| own(&launch, name))
    };
    let (cdf97, dd137) = (Wavelet::CDF_9_7, Wavelet::VC2_DD_13_7);
    let mirrored = [0, 0, 0];
    assert_eq!(of(cdf97.clone(), Boundary::Symmetric, [10, 7]), mirrored);
    assert_eq!(of(cdf97.clone(), Boundary::Clamp, [10, 7]), mirrored);
    assert_eq!(of(cdf97.clone(), Boundary::Periodic, [10, 8]), [1, 1, 0]);
    // Anew at every step.
    let restored = [0, 0, 1];
    assert_eq!(of(cdf97, Boundary::Zero, [10, 7]), restored);
    assert_eq!(of(dd137, Boundary::Clamp, [10, 7]), restored);
    // No step reads beyond the border, or only along x.
    let haar = |boundary, shape| of(Wavelet::HAAR, boundary, shape);
    assert_eq!(haar(Boundary::Symmetric, [10, 8]), [1, 1, 0]);
    assert_eq!(haar(Boundary::Zero, [10, 7]), [0, 1, 1]);
}

#[test]
fn reals_go_along_y_first_and_integers_as_they_must() {
    let x_first = |wavelet, sample| {
        let transform = Transform::new(wavelet, [64, 64]);
        BOTH.map(|direction| {
            let launch = launch_in(direction, &exchanging(), &transform, sample);
            number(&launch.pass.kernel, "X_FIRST")
        })
    };
    assert_eq!(x_first(Wavelet::CDF_5_3, SampleType::F64), [0, 0]);
    assert_eq!(x_first(Wavelet::CDF_5_3, SampleType::I16), [0, 1]);
    assert_eq!(x_first(Wavelet::VC2_DD_9_7, SampleType::I16), [1, 0]);
}

#[test]
fn rows_go_by_words_where_they_are_aligned() {
    let words = |shape: &[usize], axes: [usize; 2], sample| {
        let transform = Transform::new(Wavelet::CDF_5_3, shape).axes(axes);
        BOTH.map(|direction| {
            let launch = launch_in(direction, &exchanging(), &transform, sample);
            [own(&launch, "loads_words"), own(&launch, "stores_words")]
        })
    };
    // A pair of 32 bits; of a sub-band single samples, which always go.
    let i32s = |shape: &[usize]| words(shape, [shape.len() - 2, shape.len() - 1], SampleType::I32);
    assert_eq!([i32s(&[9, 10]), i32s(&[3, 9, 10])], [[[1, 1]; 2]; 2]);
    assert_eq!([i32s(&[10, 9]), i32s(&[2, 10, 9])], [[[0, 1], [1, 0]]; 2]);
    // Rows of other pictures of the batch stand between.
    assert_eq!(words(&[8, 3, 9], [0, 2], SampleType::I32), [[0, 1], [1, 0]]);
    // Two pairs of 16 bits; of a sub-band two samples.
    let i16s = |shape| words(shape, [0, 1], SampleType::I16);
    assert_eq!(i16s(&[10, 12]), [[1, 1]; 2]);
    assert_eq!([i16s(&[10, 10]), i16s(&[10, 11])], [[[0, 0]; 2]; 2]);
}

#[test]
fn blocks_are_preferred_for_small_pictures_and_without_exchange() {
    let of = |device: DeviceInfo, wavelet, shape: &[usize], sample| {
        let transform = Transform::new(wavelet, shape).axes([shape.len() - 2, shape.len() - 1]);
        let problem = problem(&transform, sample, Direction::Forward);
        let setting = Setting::of(device).only(&[Strategy::RegisterBlock, Strategy::Streamed]);
        setting.design(&problem).unwrap().launches[0].strategy
    };
    let first = |device, wavelet, shape: &[usize]| of(device, wavelet, shape, SampleType::I32);
    let cdf53 = |shape: &[usize]| first(large_gpu(), Wavelet::CDF_5_3, shape);
    assert_eq!(cdf53(&[2048, 2048]), Strategy::RegisterBlock);
    assert_eq!(cdf53(&[4096, 4096]), Strategy::Streamed);
    assert_eq!(cdf53(&[500, 33, 31]), Strategy::RegisterBlock);
    assert_eq!(cdf53(&[5000, 64, 64]), Strategy::Streamed);
    let picture = [512, 512];
    let fidelity = first(large_gpu(), Wavelet::VC2_FIDELITY, &picture);
    assert_eq!(fidelity, Strategy::Streamed);
    let shorts = of(large_gpu(), Wavelet::CDF_5_3, &picture, SampleType::I16);
    assert_eq!(shorts, Strategy::Streamed);
    // Where rows are not aligned, of pictures that are not mostly empty: in 32 bits of those that are not
    // wide, in 16 of all.
    for (shape, best) in [
        ([4096, 127, 127], [Strategy::RegisterBlock; 2]),
        ([4096, 128, 128], [Strategy::Streamed; 2]),
        (
            [16, 1023, 1025],
            [Strategy::Streamed, Strategy::RegisterBlock],
        ),
    ] {
        let floats = of(large_gpu(), Wavelet::CDF_9_7, &shape, SampleType::F32);
        let shorts = of(large_gpu(), Wavelet::CDF_5_3, &shape, SampleType::I16);
        assert_eq!([floats, shorts], best, "{shape:?}");
    }
    let all = Setting::of(large_gpu());
    let transform = Transform::new(Wavelet::CDF_5_3, [16384, 45, 45])
        .axes([1, 2])
        .layout(Layout::Interleaved);
    let chosen = launch(&all, &transform, SampleType::I16).strategy;
    assert_eq!(chosen, Strategy::RegisterLines);
    // Without exchange pictures of any size, by steps of any length: where neither is
    // preferred it is asked first.
    for wavelet in [Wavelet::CDF_5_3, Wavelet::VC2_FIDELITY] {
        let alone = first(gpu(Exchange::None, 1), wavelet, &[4096, 4096]);
        assert_eq!(alone, Strategy::RegisterBlock);
    }
}

#[test]
fn work_groups_have_no_more_sub_groups_than_there_are_blocks() {
    let group = |height| {
        let transform = Transform::new(Wavelet::CDF_9_7, [height, 64]);
        let launch = launch(&exchanging(), &transform, SampleType::F32);
        [number(&launch.pass.kernel, "GROUP"), launch.pass.groups]
    };
    // Blocks have 6 rows of results, of which a strip of 64 columns has two side by side.
    assert_eq!(group(6), [32, 2]);
    assert_eq!(group(24), [128, 2]);
    assert_eq!(group(30), [96, 4]);
    assert_eq!(group(600), [128, 50]);
}

#[test]
fn without_exchange_work_groups_fit_local_memory() {
    let group = |local_memory, most| {
        let device = DeviceInfo {
            local_memory,
            max_work_group: most,
            ..DeviceInfo::imaginary()
        };
        let setting = Setting::of(device).only(&[Strategy::RegisterBlock]);
        let transform = Transform::new(Wavelet::CDF_9_7, [64, 64]);
        let launch = launch(&setting, &transform, SampleType::F32);
        ["GROUP", "LANES"].map(|name| number(&launch.pass.kernel, name))
    };
    assert_eq!(group(48 << 10, 1024), [128, 32]);
    // 6 rows are lifted along x.
    assert_eq!(group(4 * 6 * 128, 1024), [128, 32]);
    assert_eq!(group(4 * 6 * 128 - 1, 1024), [96, 32]);
    assert_eq!(group(48 << 10, 100), [96, 32]);
    assert_eq!(group(48 << 10, 20), [20, 20]);
}
