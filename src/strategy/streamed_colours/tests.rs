use crate::device::{DeviceInfo, Exchange};
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{Setting, gpu, large_gpu, problem};
use crate::strategy::tests::host::{number, own};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

fn launch(device: DeviceInfo, transform: &Transform, sample: SampleType) -> Launch {
    let problem = problem(transform, sample, Direction::Forward);
    let setting = Setting::of(device);
    setting.design(&problem).unwrap().launches.swap_remove(0)
}

fn picture(wavelet: Wavelet, shape: [usize; 3]) -> Transform {
    Transform::new(wavelet, shape).axes([0, 1])
}

#[test]
fn pixels_are_interleaved_where_all_pictures_have_their_low_band_alike() {
    let of = |axes: &[usize], levels| {
        let transform = Transform::new(Wavelet::CDF_9_7, [64, 256, 256, 4])
            .axes(axes.to_vec())
            .levels(levels)
            .layout(Layout::Interleaved);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let design = Setting::of(large_gpu()).design(&problem).unwrap();
        let mut launches = design.launches.into_iter();
        let launch = launches.find(|one| one.strategy == Strategy::StreamedColours);
        let kernel = launch.unwrap().pass.kernel;
        ["WIDE", "INTERLEAVED", "LOW_VECTOR"].map(|name| number(&kernel, name))
    };
    assert_eq!(of(&[1, 2], 1), [1, 1, 0]);
    assert_eq!(of(&[1, 2], 2), [1, 1, 4]);
    // Half of the pictures have no such array.
    assert_eq!(of(&[0, 1, 2], 2), [0, 0, 0]);
    assert_eq!(of(&[0, 1, 2], 1), [1, 1, 0]);
}

#[test]
fn rows_go_by_vectors_where_they_are_aligned_and_end_between_work_items() {
    let of = |sample, shape| {
        let picture = picture(Wavelet::CDF_5_3, shape);
        let launch = launch(large_gpu(), &picture, sample);
        let names = ["PAIRS", "WIDE", "SIGNAL_VECTOR", "BAND_VECTOR"];
        names.map(|name| number(&launch.pass.kernel, name))
    };
    assert_eq!(of(SampleType::F32, [64, 64, 3]), [1, 1, 2, 1]);
    assert_eq!(of(SampleType::F32, [64, 64, 4]), [1, 1, 4, 4]);
    assert_eq!(of(SampleType::F32, [64, 63, 3])[1], 0);
    // Two samples of 16 bits are a word.
    assert_eq!(of(SampleType::I16, [64, 64, 3]), [2, 1, 4, 2]);
    assert_eq!(of(SampleType::I16, [64, 66, 3])[1], 0);
    assert_eq!(of(SampleType::I16, [64, 66, 2]), [1, 1, 4, 2]);
}

#[test]
fn sizes_are_smaller_where_sub_groups_share_wavefronts() {
    let of = |wavefront, wavelet, sample| {
        let device = DeviceInfo {
            wavefront,
            ..gpu(Exchange::Amd, 32)
        };
        let launch = launch(device, &picture(wavelet, [64, 64, 3]), sample);
        ["PAIRS", "PREFETCHED"].map(|name| number(&launch.pass.kernel, name))
    };
    let (long, short) = (Wavelet::VC2_DD_13_7, Wavelet::CDF_9_7);
    assert_eq!(of(32, long.clone(), SampleType::I16), [2, 2]);
    assert_eq!(of(64, long, SampleType::I16), [1, 1]);
    assert_eq!(of(32, short.clone(), SampleType::F64), [1, 2]);
    assert_eq!(of(64, short.clone(), SampleType::F64), [1, 1]);
    assert_eq!(of(64, short, SampleType::F32), [1, 2]);
}

#[test]
fn segments_are_as_many_as_run_at_once() {
    let of = |wavelet, colours| {
        let picture = picture(wavelet, [4096, 4096, colours]);
        let launch = launch(large_gpu(), &picture, SampleType::F32);
        let [strips, segments] = ["strips", "segments"].map(|name| own(&launch, name));
        (strips * segments) as f64 / large_gpu().compute_units as f64
    };
    for (colours, at_once) in [(2, 28.0), (3, 28.0), (4, 20.0)] {
        let found = of(Wavelet::CDF_9_7, colours);
        assert!((0.9 * at_once..=at_once).contains(&found), "{found}");
    }
}

#[test]
fn pixels_of_many_bytes_and_of_seven_samples_are_planes() {
    let kernel = |wavelet, colours, sample| {
        let picture = picture(wavelet, [2048, 2048, colours]);
        launch(large_gpu(), &picture, sample).pass.kernel.name
    };
    let floats = |colours| kernel(Wavelet::CDF_9_7, colours, SampleType::F32);
    let shorts = |colours| kernel(Wavelet::CDF_5_3, colours, SampleType::I16);
    assert_eq!(
        [4, 5, 8].map(floats),
        ["streamed_colours", "register_planes", "register_planes"]
    );
    assert_eq!(
        [4, 7, 8].map(shorts),
        ["streamed_colours", "register_planes", "streamed_colours"]
    );
}

#[test]
fn it_is_preferred_where_sub_groups_store_most_of_what_they_load() {
    let kernel = |device, wavelet| {
        let picture = picture(wavelet, [64, 64, 3]).boundary(Boundary::Symmetric);
        launch(device, &picture, SampleType::I32).pass.kernel.name
    };
    assert_eq!(kernel(large_gpu(), Wavelet::CDF_5_3), "streamed_colours");
    assert_eq!(
        kernel(large_gpu(), Wavelet::VC2_DD_13_7),
        "streamed_colours"
    );
    assert_eq!(kernel(large_gpu(), Wavelet::VC2_FIDELITY), "register_rows");
    assert_eq!(
        kernel(gpu(Exchange::None, 1), Wavelet::CDF_5_3),
        "register_planes"
    );
}
