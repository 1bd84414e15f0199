//! How the planner composes known transforms: which kernels, between which arrays, on which lines.

use super::cases::{Setting, cpu, gpu, large_gpu, problem};
use super::host::number;
use crate::device::{DeviceInfo, Exchange};
use crate::strategy::design::{Array, Design, Launch};
use crate::strategy::{ColumnPass, RowPass, Strategy};
use crate::transform::geometry::{Axis, Geometry};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Channel, Direction, RealStep, SampleType, Scale, Wavelet};

fn forward(setting: &Setting, transform: &Transform, sample: SampleType) -> Design {
    let problem = problem(transform, sample, Direction::Forward);
    setting.design(&problem).unwrap()
}

fn inverse(setting: &Setting, transform: &Transform, sample: SampleType) -> Design {
    let problem = problem(transform, sample, Direction::Inverse);
    setting.design(&problem).unwrap()
}

/// The arrays and kernels of a design, a line for each launch: what is read, the kernel, what is written. A and B are the
/// scratch arrays, X and Y those within a take.
fn walk(design: &Design, direction: Direction) -> Vec<String> {
    let name = |array| match array {
        Array::Input => "in",
        Array::Output => "out",
        Array::Scratch(0) => "A",
        Array::Scratch(_) => "B",
        Array::Temp(0) => "X",
        Array::Temp(_) => "Y",
    };
    let line = |launch: &Launch| {
        let (arrays, kernel) = (launch.arrays, launch.pass.kernel.name);
        let low = arrays
            .low
            .map_or(String::new(), |low| format!(" + {}", name(low)));
        let (signal, bands) = (name(arrays.signal), name(arrays.bands));
        match direction {
            Direction::Forward => format!("{signal} {kernel} {bands}{low}"),
            Direction::Inverse => format!("{bands}{low} {kernel} {signal}"),
        }
    };
    design.launches.iter().map(line).collect()
}

#[track_caller]
fn assert_walks(
    setting: &Setting,
    transform: &Transform,
    sample: SampleType,
    there: &[&str],
    back: &[&str],
) -> [Vec<Geometry>; 2] {
    let designs = [
        forward(setting, transform, sample),
        inverse(setting, transform, sample),
    ];
    assert_eq!(walk(&designs[0], Direction::Forward), there);
    assert_eq!(walk(&designs[1], Direction::Inverse), back);
    designs.map(|design| {
        design
            .launches
            .iter()
            .map(|launch| launch.pass.geometry)
            .collect()
    })
}

fn axis(stride: i64, detail: i64) -> Axis {
    Axis { stride, detail }
}

#[test]
fn a_volume_is_columns_and_then_pictures() {
    let transform = Transform::new(Wavelet::CDF_5_3, [64, 64, 2]).levels(3);
    let [there, back] = assert_walks(
        &Setting::of(DeviceInfo::imaginary()),
        &transform,
        SampleType::I16,
        &[
            "in register_columns A",
            "A register_block out + B",
            "B pyramid out",
        ],
        &[
            "in pyramid B",
            "in + B register_block A",
            "A register_columns out",
        ],
    );
    // Along z, all 128 lines of a plane are neighbours; 32 planes of low bands follow one another.
    let columns = there[0];
    assert_eq!(
        (columns.samples, columns.lines, columns.across),
        (64, 128, [128, 1, 1])
    );
    assert_eq!(
        (columns.signal.line, columns.bands.line),
        (axis(256, 128), axis(128, 32 * 128))
    );
    // 64 pictures of 64 x 2, of which the first 32 have a low band that the next level reads.
    let pictures = there[1];
    assert_eq!((pictures.samples, pictures.across), (2, [64, 64, 1]));
    assert_eq!((pictures.has_low, pictures.low_across[1]), (1, 32));
    assert_eq!(
        (pictures.low.across[0].stride, pictures.low.across[1].stride),
        (1, 32)
    );
    assert_eq!(pictures.bands.across[0], axis(2, 64));
    // x is gone: one picture of 32 x 32 samples, whose sub-bands stand two apart in the volume of the first level.
    let picture = there[2];
    assert_eq!((picture.samples, picture.across), (32, [32, 1, 1]));
    assert_eq!(
        (picture.bands.line, picture.bands.across[0]),
        (axis(2, 32), axis(128, 16 * 128))
    );
    assert_eq!(
        (picture.signal.line, picture.signal.across[0]),
        (axis(2, 1), axis(64, 32))
    );
    assert_eq!(picture.has_low, 0);
    // The inverse is the same backwards.
    let mut backwards = back;
    backwards.reverse();
    assert_eq!(backwards, there);
}

#[test]
fn vc2_takes_the_innermost_axes_first_and_shifts_once_per_level() {
    let transform = Transform::new(Wavelet::VC2_LEGALL_5_3, [64, 64, 2]).levels(2);
    let setting = Setting::of(DeviceInfo::imaginary());
    let [there, back] = assert_walks(
        &setting,
        &transform,
        SampleType::I16,
        &[
            "in register_block A",
            "A register_columns out + B",
            "B register_block out",
        ],
        &[
            "in register_block B",
            "in + B register_columns A",
            "A register_block out",
        ],
    );
    let [pictures, columns, picture] = there[..] else {
        panic!("{there:?}");
    };
    assert_eq!((pictures.samples, pictures.across), (2, [64, 64, 1]));
    // Only lines that are low along both x and y have a low band: the two stay apart.
    assert_eq!(
        (columns.samples, columns.across, columns.low_across),
        (64, [2, 64, 1], [1, 32, 1])
    );
    assert_eq!(picture.across, [32, 1, 1]);
    assert_eq!(back, [picture, columns, pictures]);
    // Pictures are shifted by a macro, lines by an argument.
    let shifts = |design: Design| {
        let shift = |launch: &Launch| match launch.pass.kernel.name {
            "register_block" => number(&launch.pass.kernel, "PRE_SHIFT") as i32,
            _ => launch.pass.geometry.shift,
        };
        design.launches.iter().map(shift).collect::<Vec<_>>()
    };
    assert_eq!(
        shifts(forward(&setting, &transform, SampleType::I16)),
        [1, 0, 1]
    );
    assert_eq!(
        shifts(inverse(&setting, &transform, SampleType::I16)),
        [1, 0, 1]
    );
    // An axis after the other, the first pass of a level shifts forward, the last one inverse.
    for strategy in [Strategy::SEPARABLE, Strategy::Stepwise] {
        let alone = setting.clone().only(&[strategy]);
        let mut there = shifts(forward(&alone, &transform, SampleType::I16));
        there.dedup();
        assert_eq!(there, [1, 0, 1, 0], "{strategy}");
        let mut back = shifts(inverse(&alone, &transform, SampleType::I16));
        back.dedup();
        assert_eq!(back, [0, 1, 0, 1], "{strategy}");
    }
}

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
    let why = "level 1 takes a pass over memory for each of its axes [0, 1]: `pyramid`: it takes two axes of which the \
               inner one is in one piece, or of pixels; ";
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
fn columns_are_transposed_and_lifted_as_rows() {
    let transform = Transform::new(Wavelet::CDF_9_7, [600, 400]).levels(2);
    let strategy = Strategy::from(ColumnPass::Transposed);
    let setting = Setting::of(DeviceInfo::imaginary()).only(&[strategy]);
    let [there, back] = assert_walks(
        &setting,
        &transform,
        SampleType::F32,
        &[
            "in transpose X",
            "X row_pairs Y",
            "Y transpose A",
            "A row_pairs out + B",
            "B transpose X",
            "X row_pairs Y",
            "Y transpose A",
            "A row_pairs out",
        ],
        &[
            "in row_pairs A",
            "A transpose Y",
            "Y row_pairs X",
            "X transpose B",
            "in + B row_pairs A",
            "A transpose Y",
            "Y row_pairs X",
            "X transpose out",
        ],
    );
    let mut backwards = back;
    backwards.reverse();
    assert_eq!(backwards, there);
    // Columns of 600 samples, one after the other, in the signal's order and planar.
    let lifted = there[1];
    assert_eq!((lifted.samples, lifted.lines), (600, 400));
    assert_eq!(
        (lifted.signal.line, lifted.bands.line),
        (axis(2, 1), axis(1, 300))
    );
    assert_eq!(lifted.signal.across[0].stride, 600);
    assert_eq!(there[0].signal.line, axis(800, 400));
    let design = forward(&setting, &transform, SampleType::F32);
    assert_eq!(design.scratch, [600 * 400, 300 * 200]);
    assert_eq!(design.temps, [600 * 400; 2]);
}

#[test]
fn one_row_is_a_line() {
    for shape in [vec![1000], vec![1, 1000], vec![1, 1000, 1]] {
        let transform = Transform::new(Wavelet::CDF_5_3, shape).levels(3);
        let [there, _] = assert_walks(
            &Setting::of(DeviceInfo::imaginary()),
            &transform,
            SampleType::I32,
            &[
                "in row_pairs out + A",
                "A row_pairs out + B",
                "B row_pairs out",
            ],
            &[
                "in row_pairs B",
                "in + B row_pairs A",
                "in + A row_pairs out",
            ],
        );
        let lines: Vec<_> = there
            .iter()
            .map(|pass| (pass.samples, pass.lines))
            .collect();
        assert_eq!(lines, [(1000, 1), (500, 1), (250, 1)]);
    }
}

#[test]
fn rows_of_several_levels_are_one_launch() {
    let rows = Transform::new(Wavelet::CDF_9_7, [3, 5, 1024])
        .axes([2])
        .levels(5);
    let setting = Setting::of(large_gpu());
    let one = |transform: &Transform, there: &[&str], back: &[&str]| {
        let [there, mut back] = assert_walks(&setting, transform, SampleType::F32, there, back);
        back.reverse();
        assert_eq!(back, there);
        there
    };
    let all = one(&rows, &["in register_rows out"], &["in register_rows out"]);
    assert_eq!((all[0].samples, all[0].across), (1024, [15, 1, 1]));
    // A long row goes a few levels at a time.
    let signal = Transform::new(Wavelet::CDF_9_7, [1 << 20]).levels(8);
    let there = ["in register_rows out + A", "A register_rows out"];
    let back = ["in register_rows A", "in + A register_rows out"];
    let both = one(&signal, &there, &back);
    assert_eq!((both[0].low.line.stride, both[1].samples), (1, 1 << 16));
    // Of pictures whose columns are used up, rows are left.
    let picture = Transform::new(Wavelet::CDF_9_7, [4, 4096]).levels(4);
    let there = forward(&setting, &picture, SampleType::F32);
    let kernels = ["pyramid_windows", "register_rows"];
    let name = |launch: &Launch| launch.pass.kernel.name;
    let names: Vec<_> = there.launches.iter().map(name).collect();
    assert_eq!(names, kernels);
    assert_eq!(there.launches[1].pass.geometry.bands.line, axis(1, 512));
}

#[test]
fn a_transform_without_levels_is_a_copy() {
    let none = Transform::new(Wavelet::CDF_9_7, [5, 7]).levels(0);
    let one_sample = Transform::new(Wavelet::CDF_9_7, [5, 1]).axes([1]).levels(9);
    for transform in [none, one_sample] {
        let setting = Setting::of(DeviceInfo::imaginary()).only(&[Strategy::Streamed]);
        assert_walks(
            &setting,
            &transform,
            SampleType::F32,
            &["in move out"],
            &["in move out"],
        );
    }
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
