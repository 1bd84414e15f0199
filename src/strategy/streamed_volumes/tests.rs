use super::*;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{Setting, large_gpu, problem};
use crate::strategy::tests::host::{number, own};
use crate::transform::Transform;
use crate::wavelet::{Boundary, Direction, Wavelet};

fn launch(transform: &Transform, sample: SampleType, direction: Direction) -> Launch {
    let problem = problem(transform, sample, direction);
    let setting = Setting::of(large_gpu()).only(&[Strategy::StreamedVolumes]);
    setting.design(&problem).unwrap().launches.swap_remove(0)
}

fn volume(shape: [usize; 3]) -> Transform {
    Transform::new(Wavelet::CDF_9_7, shape)
}

#[test]
fn all_work_groups_run_at_once_where_rows_are_as_long_as_a_tile() {
    for (direction, groups) in [(Direction::Forward, 256), (Direction::Inverse, 258)] {
        let launch = launch(&volume([512; 3]), SampleType::F32, direction);
        let shares = ["tiles_x", "tiles_y", "segments"].map(|name| own(&launch, name));
        assert_eq!(shares.iter().product::<i32>(), groups);
    }
}

#[test]
fn tiles_overlap_where_they_do_not_hold_rows() {
    let of = |width, boundary| {
        let volume = volume([64, 64, width]).boundary(boundary);
        let launch = launch(&volume, SampleType::F32, Direction::Forward);
        let own = ["tiles_x", "overlap", "strip"].map(|name| own(&launch, name));
        (number(&launch.pass.kernel, "ITEMS_X"), own)
    };
    assert_eq!(of(512, Boundary::Symmetric), (128, [1, 0, 256]));
    assert_eq!(of(384, Boundary::Symmetric), (96, [1, 0, 192]));
    assert_eq!(of(64, Boundary::Symmetric), (16, [1, 0, 32]));
    assert_eq!(of(64, Boundary::Periodic), (32, [1, 1, 32]));
    assert_eq!(of(128, Boundary::Periodic), (32, [1, 0, 64]));
    assert_eq!(of(512, Boundary::Periodic), (128, [1, 0, 256]));
    assert_eq!(of(508, Boundary::Periodic), (96, [2, 1, 128]));
    assert_eq!(of(255, Boundary::Symmetric), (64, [1, 0, 128]));
    assert_eq!(of(511, Boundary::Symmetric), (128, [1, 0, 256]));
    assert_eq!(of(510, Boundary::Periodic), (96, [2, 1, 128]));
    assert_eq!(of(1024, Boundary::Symmetric), (96, [3, 1, 172]));
}

#[test]
fn large_volumes_are_preferred_where_most_work_items_store() {
    let of = |transform: &Transform, sample| {
        let preferred = [Direction::Forward, Direction::Inverse].map(|direction| {
            let problem = problem(transform, sample, direction);
            let design = Setting::of(large_gpu()).design(&problem).unwrap();
            design.launches[0].strategy == Strategy::StreamedVolumes
        });
        assert_eq!(preferred[0], preferred[1]);
        preferred[0]
    };
    let is_preferred =
        |wavelet: Wavelet, shape: [usize; 3], sample| of(&Transform::new(wavelet, shape), sample);
    let (wavelet, single) = (Wavelet::CDF_9_7, SampleType::F32);
    assert!(is_preferred(wavelet.clone(), [256; 3], single));
    assert!(is_preferred(wavelet.clone(), [256, 256, 1024], single));
    assert!(is_preferred(wavelet.clone(), [64; 3], single));
    assert!(!is_preferred(wavelet.clone(), [32; 3], single));
    assert!(is_preferred(wavelet.clone(), [512, 512, 511], single));
    assert!(!is_preferred(wavelet.clone(), [129; 3], single));
    assert!(is_preferred(wavelet.clone(), [512; 3], SampleType::F16));
    assert!(is_preferred(wavelet.clone(), [64; 3], SampleType::Rounded));
    assert!(!is_preferred(wavelet, [256; 3], SampleType::F64));
    assert!(!is_preferred(Wavelet::HAAR, [256; 3], single));
    let short = SampleType::I16;
    assert!(is_preferred(Wavelet::CDF_5_3, [256; 3], short));
    assert!(is_preferred(Wavelet::CDF_5_3, [512; 3], short));
    assert!(is_preferred(Wavelet::CDF_5_3, [256; 3], SampleType::I32));
    assert!(is_preferred(Wavelet::CDF_5_3, [512; 3], SampleType::I32));
    assert!(is_preferred(Wavelet::CDF_5_3, [256, 256, 236], short));
    let periodic = |shape: [usize; 3]| {
        let volume = Transform::new(Wavelet::CDF_5_3, shape).boundary(Boundary::Periodic);
        of(&volume, short)
    };
    assert!(periodic([512; 3]) && !periodic([512, 512, 510]));
    assert!(periodic([256; 3]) && !periodic([256, 256, 272]));
    assert!(!is_preferred(Wavelet::CDF_5_3, [256, 256, 257], short));
    assert!(!is_preferred(Wavelet::VC2_DAUB_9_7, [256; 3], short));
    assert!(!is_preferred(Wavelet::VC2_DD_9_7, [256; 3], short));
}

#[test]
fn integers_keep_the_order_of_the_axes() {
    let x_first = |wavelet, sample, direction| {
        let volume = Transform::new(wavelet, [64; 3]);
        let launch = launch(&volume, sample, direction);
        number(&launch.pass.kernel, "X_FIRST") == 1
    };
    for direction in [Direction::Forward, Direction::Inverse] {
        let is_forward = direction == Direction::Forward;
        let vc2 = Wavelet::VC2_LEGALL_5_3;
        assert_eq!(x_first(vc2, SampleType::I16, direction), is_forward);
        let jpeg = || Wavelet::CDF_5_3;
        assert_eq!(x_first(jpeg(), SampleType::I32, direction), !is_forward);
        assert!(!x_first(jpeg(), SampleType::F32, direction));
    }
}

#[test]
fn pipelines_of_doubles_take_smaller_work_groups() {
    let of = |sample| {
        let launch = launch(&volume([256; 3]), sample, Direction::Forward);
        launch.pass.kernel.group[0]
    };
    assert_eq!([SampleType::F32, SampleType::F64].map(of), [128, 64]);
    // What has 16 bits in memory waits in single precision.
    assert_eq!([SampleType::F16, SampleType::Rounded].map(of), [128; 2]);
}

#[test]
fn volumes_may_have_more_samples_than_32_bits_count() {
    let transform = Transform::new(Wavelet::CDF_5_3, [1296; 3]);
    let setting = Setting::of(large_gpu());
    let design = setting.design(&problem(&transform, SampleType::I16, Direction::Forward));
    let pass = design.unwrap().launches.swap_remove(0).pass;
    assert_eq!(pass.kernel.name, "streamed_volumes");
    assert_eq!(pass.cost.bytes_written, 2 * 1296 * 1296 * 1296);
}

#[test]
fn what_waits_for_its_turn_fits_the_registers() {
    let prefetched = |width, sample, wavelet| {
        let volume = Transform::new(wavelet, [511, 511, width]);
        let launch = launch(&volume, sample, Direction::Forward);
        number(&launch.pass.kernel, "PREFETCHED")
    };
    let of_halves = |width| prefetched(width, SampleType::F16, Wavelet::CDF_9_7);
    assert_eq!([512, 511].map(of_halves), [6, 6]);
    // Of rows that are vectors two samples share a register.
    let of_shorts = |width| prefetched(width, SampleType::I16, Wavelet::CDF_5_3);
    assert_eq!([512, 511].map(of_shorts), [4, 1]);
}
