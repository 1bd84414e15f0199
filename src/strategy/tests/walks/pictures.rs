//! How pictures are walked: two levels at once, on a lattice, in pixels, and beyond their border.

use super::{assert_walks, axis, forward, inverse, walk};
use crate::device::Exchange;
use crate::strategy::Strategy;
use crate::strategy::planning::design::{Design, Launch};
use crate::strategy::tests::cases::{Setting, cpu, gpu, large_gpu, problem};
use crate::strategy::tests::host::number;
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

#[test]
fn large_pictures_go_two_levels_at_once() {
    let walk_of = |side: usize, levels, setting: &Setting| {
        let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(levels);
        let there = forward(setting, &transform, SampleType::F32);
        let back = inverse(setting, &transform, SampleType::F32);
        // The inverse may take more levels at once.
        let scratch = there.scratch.iter().zip(&back.scratch);
        assert!(scratch.into_iter().all(|(there, back)| back <= there));
        let walks = [
            walk(&there, Direction::Forward),
            walk(&back, Direction::Inverse),
        ];
        (walks, there)
    };
    let setting = Setting::of(large_gpu());
    let ([there, back], design) = walk_of(8192, 5, &setting);
    assert_eq!(
        there,
        [
            "in streamed_two_levels out + A",
            "A pyramid_windows out + B",
            "B register_block out",
        ]
    );
    assert_eq!(
        back,
        ["in pyramid_windows A", "in + A streamed_two_levels out"]
    );
    // The low bands of two levels, and of four.
    assert_eq!(design.scratch, [2048 * 2048, 512 * 512]);
    let both = design.launches[0].pass.geometry;
    assert_eq!(
        (both.samples, both.across, both.has_low),
        (8192, [8192, 1, 1], 1)
    );
    assert_eq!((both.low.across[0].stride, both.low.line.stride), (2048, 1));
    assert_eq!(both.bands.across[0], axis(8192, 4096 * 8192));
    let third = design.launches[1].pass.geometry;
    assert_eq!(
        (third.samples, third.signal.across[0]),
        (2048, axis(4096, 2048))
    );

    let names = |side: usize, levels, setting: &Setting| {
        let (_, design) = walk_of(side, levels, setting);
        let name = |launch: &Launch| launch.pass.kernel.name;
        design.launches.iter().map(name).collect::<Vec<_>>()
    };
    // One level alone, and small pictures, gain nothing.
    assert_eq!(names(8192, 1, &setting), ["streamed_one_level"]);
    let streamed = Setting::of(large_gpu()).only(&[Strategy::Streamed]);
    assert_eq!(names(2048, 3, &streamed), ["streamed_one_level"; 3]);
    assert_eq!(
        names(2048, 3, &setting),
        ["pyramid_windows", "register_block"]
    );
    // Nor is there a launch of two levels without exchange.
    let alone = Setting::of(gpu(Exchange::None, 1));
    assert_eq!(names(8192, 2, &alone), ["register_block"; 2]);
    let alone = alone.only(&[Strategy::Streamed]);
    assert_eq!(names(8192, 2, &alone), ["streamed_one_level"; 2]);
}

#[test]
fn a_kernel_of_two_levels_that_allows_half_a_sub_group_is_none() {
    let transform = Transform::new(Wavelet::CDF_9_7, [8192, 8192]).levels(2);
    let problem = problem(&transform, SampleType::F32, Direction::Forward);
    let names = |limits: &[(&'static str, usize)]| {
        let design = Setting::of(large_gpu())
            .design_within(&problem, limits)
            .unwrap();
        let name = |launch: &Launch| launch.pass.kernel.name;
        design.launches.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["streamed_two_levels"]);
    assert_eq!(
        names(&[("streamed_two_levels", 64)]),
        ["streamed_two_levels"]
    );
    assert_eq!(
        names(&[("streamed_two_levels", 16)]),
        ["streamed_one_level"; 2]
    );
    let neither = [("streamed_two_levels", 16), ("streamed_one_level", 31)];
    assert_eq!(
        names(&neither),
        ["register_columns", "register_rows"].repeat(2)
    );
}

#[test]
fn interleaved_levels_stand_on_a_lattice() {
    let transform = Transform::new(Wavelet::CDF_9_7, [8192, 8192])
        .levels(3)
        .layout(Layout::Interleaved);
    let [there, back] = assert_walks(
        &Setting::of(large_gpu()),
        &transform,
        SampleType::F32,
        &["in streamed_two_levels out + A", "A register_block out"],
        &["in register_block A", "in + A streamed_two_levels out"],
    );
    for (i, level) in [0, 2].into_iter().zip(&there) {
        let stride = 1 << i;
        assert_eq!(level.bands.line, axis(2 * stride, stride));
        assert_eq!(
            level.bands.across[0],
            axis(8192 * 2 * stride, 8192 * stride)
        );
        let side = 8192 >> i;
        assert_eq!(level.signal.across[0], axis(2 * side, side));
    }
    assert_eq!(there[0].low.across[0].stride, 2048);
    let mut backwards = back;
    backwards.reverse();
    assert_eq!(backwards, there);
}

#[test]
fn colours_are_in_pixels_and_many_channels_in_planes_or_columns() {
    let transform =
        |channels| Transform::new(Wavelet::CDF_9_7, [1080, 1920, channels]).axes([0, 1]);
    for (device, pixels) in [(large_gpu(), "streamed_colours"), (cpu(), "single_loop")] {
        let levels = transform(3).levels(2);
        let [there, _] = assert_walks(
            &Setting::of(device),
            &levels,
            SampleType::F32,
            &[&format!("in {pixels} out + A"), &format!("A {pixels} out")],
            &[&format!("in {pixels} A"), &format!("in + A {pixels} out")],
        );
        assert_eq!((there[0].samples, there[0].across), (1920, [1080, 1, 1]));
        assert_eq!(there[0].signal.line, axis(6, 3));
    }
    let by = "register_planes";
    let [there, _] = assert_walks(
        &Setting::of(large_gpu()),
        &transform(17).levels(2),
        SampleType::F32,
        &[&format!("in {by} out + A"), &format!("A {by} out")],
        &[&format!("in {by} A"), &format!("in + A {by} out")],
    );
    assert_eq!((there[0].samples, there[0].across), (1920, [1080, 17, 1]));
    // Along y a row of all channels, along x those of each row.
    let by = "column_vectors";
    let [there, back] = assert_walks(
        &Setting::of(cpu()),
        &transform(17),
        SampleType::F32,
        &[&format!("in {by} A"), &format!("A {by} out")],
        &[&format!("in {by} A"), &format!("A {by} out")],
    );
    let [along_y, along_x] = [there[0], there[1]];
    assert_eq!((along_y.samples, along_y.across), (1080, [1920 * 17, 1, 1]));
    assert_eq!((along_x.samples, along_x.across), (1920, [17, 1080, 1]));
    assert_eq!(along_x.signal.line, axis(2 * 17, 17));
    assert_eq!(back, [along_x, along_y]);
}

#[test]
fn each_level_goes_on_beyond_its_border_as_it_can() {
    let extension = |design: Design| {
        let of = |launch: &Launch| number(&launch.pass.kernel, "EXTENSION");
        design.launches.iter().map(of).collect::<Vec<_>>()
    };
    let transform = |side: usize| {
        Transform::new(Wavelet::CDF_9_7, [side, side])
            .levels(2)
            .boundary(Boundary::Periodic)
    };
    let setting = Setting::of(large_gpu()).only(&[Strategy::Streamed]);
    // 999 samples leave 500: the odd level has a frame, the even one repeats.
    let odd = transform(999);
    assert_eq!(extension(forward(&setting, &odd, SampleType::F32)), [0, 2]);
    assert_eq!(extension(inverse(&setting, &odd, SampleType::F32)), [2, 0]);
    let even = transform(1002);
    assert_eq!(extension(forward(&setting, &even, SampleType::F32)), [2, 0]);
    // On a CPU a single loop takes both.
    let names = |design: Design| {
        let name = |launch: &Launch| launch.pass.kernel.name;
        design.launches.iter().map(name).collect::<Vec<_>>()
    };
    let on_cpu = names(forward(&Setting::of(cpu()), &odd, SampleType::F32));
    assert_eq!(on_cpu, ["single_loop", "single_loop"]);
}
