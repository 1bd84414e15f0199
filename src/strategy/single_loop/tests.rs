use super::*;
use crate::device::DeviceInfo;
use crate::lifting::extension::Extension;
use crate::strategy::planning::design::Launch;
use crate::strategy::tests::cases::{BOTH, Setting, cpu, problem};
use crate::strategy::tests::host::{number, own};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Channel, Direction, RealStep, SampleType, Scale, Wavelet};

fn launch(device: DeviceInfo, tuning: &str, shape: [usize; 2], sample: SampleType) -> Launch {
    let problem = problem(
        &Transform::new(Wavelet::CDF_5_3, shape),
        sample,
        Direction::Forward,
    );
    let setting = Setting::of(device)
        .tuned(tuning)
        .only(&[Strategy::SingleLoop]);
    setting.design(&problem).unwrap().launches.swap_remove(0)
}

#[test]
fn gpus_have_registers_for_every_wavelet_of_the_table() {
    for wavelet in Wavelet::ALL {
        for &sample in SampleType::ALL {
            for direction in BOTH {
                if !sample.is_served_by(wavelet) {
                    continue;
                }
                let picture = Transform::new(wavelet.clone(), [64, 64]).boundary(Boundary::Zero);
                let device = DeviceInfo {
                    local_memory: 1 << 20,
                    ..DeviceInfo::imaginary()
                };
                let setting = Setting::of(device).only(&[Strategy::SingleLoop]);
                setting
                    .design(&problem(&picture, sample, direction))
                    .unwrap();
            }
        }
    }
}

#[test]
fn strips_and_row_blocks_share_a_picture() {
    let shares = |tuning, shape| {
        let launch = launch(cpu(), tuning, shape, SampleType::F32);
        ["strips", "strip", "row_blocks", "row_block"].map(|name| own(&launch, name))
    };
    let tuned = "cpu | single_loop | f32 | STRIP=1024";
    // Two compute units want eight work-items; blocks have about 64 pairs of rows or more.
    assert_eq!(shares(tuned, [4096, 4096]), [2, 1024, 4, 512]);
    assert_eq!(shares(tuned, [200, 4096]), [2, 1024, 2, 50]);
    assert_eq!(shares(tuned, [16, 16]), [1, 16, 1, 8]);
    // Strips are equally wide, in whole vectors.
    assert_eq!(shares(tuned, [4096, 4100])[..2], [3, 688]);
    // 17 of 64 pairs would leave one for the last.
    let narrow = "cpu | single_loop | f32 | STRIP=64";
    assert_eq!(shares(narrow, [200, 2050])[..2], [22, 48]);
}

#[test]
fn vectors_and_strips_are_of_whole_pixels() {
    let shares = |colours| {
        let shape = [4096, 4096, colours];
        let transform = Transform::new(Wavelet::CDF_5_3, shape).axes([0, 1]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let device = DeviceInfo {
            float_vector: 16,
            ..cpu()
        };
        let setting = Setting::of(device).tuned("cpu | colour_loop | f32 | STRIP=128");
        let launch = setting.design(&problem).unwrap().launches.swap_remove(0);
        let kernel = &launch.pass.kernel;
        (own(&launch, "strip"), number(kernel, "BORDER_PAIRS"))
    };
    assert_eq!([2, 3, 4].map(shares), [(128, 8), (130, 5), (128, 4)]);
    assert_eq!(
        [5, 8, 9, 16].map(shares),
        [(129, 3), (128, 2), (128, 1), (128, 1)]
    );
}

#[test]
fn strips_fit_local_memory() {
    let strip = |local_memory| {
        let device = DeviceInfo {
            local_memory,
            ..cpu()
        };
        let launch = launch(device, "", [4096, 16384], SampleType::F32);
        let kernel = &launch.pass.kernel;
        let bytes = number(kernel, "ROWS") * number(kernel, "ROW") * 4;
        assert!(bytes as u64 <= local_memory, "{bytes} of {local_memory}");
        assert_eq!(number(kernel, "ROW"), 2 * number(kernel, "CHANNEL"));
        own(&launch, "strip")
    };
    assert!(strip(1 << 20) > strip(64 << 10));
    assert!(strip(64 << 10) > strip(32 << 10));
}

#[test]
fn results_of_reals_leave_a_vector_later() {
    let lag = |device, sample| {
        let launch = launch(device, "", [64, 64], sample);
        number(&launch.pass.kernel, "X_LAST_LAG")
    };
    let gpu = || DeviceInfo {
        kind: DeviceKind::Gpu,
        ..cpu()
    };
    for sample in [SampleType::F16, SampleType::F32, SampleType::F64] {
        assert_eq!(lag(cpu(), sample), lag(gpu(), sample) + 1);
    }
    assert_eq!(lag(cpu(), SampleType::I32), lag(gpu(), SampleType::I32));
}

#[test]
fn periodic_columns_of_odd_lengths_wait_for_what_is_beyond_the_missing_detail() {
    let sizes = |boundary, height| {
        let picture = Transform::new(Wavelet::CDF_9_7, [height, 64]).boundary(boundary);
        let problem = problem(&picture, SampleType::F32, Direction::Forward);
        let setting = Setting::of(cpu()).only(&[Strategy::SingleLoop]);
        let design = setting.design(&problem).unwrap();
        let kernel = &design.launches[0].pass.kernel;
        ["HALO_TOP", "Y_LAST_LAG", "Y_KEPT"].map(|name| number(kernel, name))
    };
    assert_eq!(sizes(Boundary::Periodic, 64), [2, 2, 4]);
    assert_eq!(sizes(Boundary::Symmetric, 65), [2, 2, 4]);
    assert_eq!(sizes(Boundary::Periodic, 65), [4, 5, 8]);
}

#[test]
fn reals_go_along_x_first() {
    let x_first = |wavelet: Wavelet, sample| {
        BOTH.map(|direction| {
            let problem = problem(
                &Transform::new(wavelet.clone(), [64, 64]),
                sample,
                direction,
            );
            let setting = Setting::of(cpu()).only(&[Strategy::SingleLoop]);
            let design = setting.design(&problem).unwrap();
            number(&design.launches[0].pass.kernel, "X_FIRST")
        })
    };
    // JPEG 2000 takes y first and its inverse x; VC-2 the other way round.
    assert_eq!(x_first(Wavelet::CDF_5_3, SampleType::I32), [0, 1]);
    assert_eq!(x_first(Wavelet::VC2_DD_9_7, SampleType::I32), [1, 0]);
    assert_eq!(x_first(Wavelet::CDF_9_7, SampleType::F32), [1, 1]);
}

#[test]
fn rows_go_on_by_a_vector_where_that_is_the_boundary_rule() {
    let extension = |wavelet: Wavelet, sample, boundary, width| {
        let picture = Transform::new(wavelet, [64, width]).boundary(boundary);
        let problem = problem(&picture, sample, Direction::Forward);
        let setting = Setting::of(cpu()).only(&[Strategy::SingleLoop]);
        own(&setting.design(&problem).unwrap().launches[0], "extension")
    };
    let of = |boundary, width| extension(Wavelet::CDF_9_7, SampleType::F32, boundary, width);
    let (mirrored, periodic) = (Extension::Mirrored as i32, Extension::Periodic as i32);
    assert_eq!(of(Boundary::Symmetric, 65), mirrored);
    assert_eq!(of(Boundary::Clamp, 65), mirrored);
    assert_eq!(of(Boundary::Periodic, 64), periodic);
    assert_eq!(of(Boundary::Periodic, 65), 0);
    assert_eq!(of(Boundary::Zero, 64), 0);
    // JPEG 2000 takes y first, VC-2 x.
    let integers = |wavelet, boundary| extension(wavelet, SampleType::I32, boundary, 64);
    let symmetric = |wavelet| integers(wavelet, Boundary::Symmetric);
    assert_eq!(symmetric(Wavelet::CDF_5_3), mirrored);
    assert_eq!(symmetric(Wavelet::VC2_LEGALL_5_3), mirrored);
    assert_eq!(integers(Wavelet::CDF_5_3, Boundary::Periodic), periodic);
    // Forty steps reach twenty pairs, which is more than a vector.
    let tap = RealStep::new(Channel::Detail, 0, &[0.5, 0.5]);
    let other = RealStep::new(Channel::Approximation, -1, &[0.25, 0.25]);
    let far = Wavelet::real("far", &[tap, other].repeat(20), Scale::NONE).unwrap();
    let far = extension(far, SampleType::F32, Boundary::Symmetric, 256);
    assert_eq!(far, 0);
}

#[test]
fn long_periodic_rows_go_in_strips() {
    let strips = |boundary, width| {
        let picture = Transform::new(Wavelet::CDF_5_3, [64, width]).boundary(boundary);
        let problem = problem(&picture, SampleType::I16, Direction::Forward);
        let setting = Setting::of(cpu()).only(&[Strategy::SingleLoop]);
        let design = setting.design(&problem);
        design.map(|design| own(&design.launches[0], "strips"))
    };
    let [mirrored, periodic] =
        [Boundary::Symmetric, Boundary::Periodic].map(|rule| strips(rule, 65_536).unwrap());
    assert!(periodic > 1 && periodic == mirrored, "{periodic}");
    // Along y first, steps beyond the detail that is missing would read one pair further.
    assert!(strips(Boundary::Periodic, 65_537).is_err());
}

#[test]
fn it_is_preferred_on_cpus() {
    let name = |device, shape: [usize; 2]| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let design = Setting::of(device).design(&problem).unwrap();
        design.launches[0].strategy
    };
    let picture = [6400, 4800];
    assert_eq!(name(cpu(), picture), Strategy::SingleLoop);
    assert_eq!(
        name(DeviceInfo::imaginary(), picture),
        Strategy::RegisterBlock
    );
    // Of narrow ones only where they are small.
    assert_eq!(name(cpu(), [6400, 12]), Strategy::Vectors);
    assert_eq!(name(cpu(), [129, 12]), Strategy::Vectors);
    assert_eq!(name(cpu(), [128, 12]), Strategy::SingleLoop);
    // By 5/3 in i16 a row of 65 samples has two borders.
    let shorts = |shape: [usize; 2]| {
        let problem = problem(
            &Transform::new(Wavelet::CDF_5_3, shape),
            SampleType::I16,
            Direction::Forward,
        );
        Setting::of(cpu()).design(&problem).unwrap().launches[0].strategy
    };
    assert_eq!(shorts([250, 65]), Strategy::SingleLoop);
    assert_eq!(shorts([253, 65]), Strategy::Vectors);
    // So with pixels: a vector has five of three colours.
    let pixels = |shape: [usize; 3]| {
        let transform = Transform::new(Wavelet::CDF_9_7, shape).axes([0, 1]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        Setting::of(cpu()).design(&problem).unwrap().launches[0].strategy
    };
    assert_eq!(pixels([640, 19, 3]), Strategy::Vectors);
    assert_eq!(pixels([640, 20, 3]), Strategy::ColourLoop);
    assert_eq!(pixels([128, 19, 3]), Strategy::ColourLoop);
    // And of low ones, whose rows are all near a border, only where they are small.
    assert_eq!(name(cpu(), [8, 192]), Strategy::SingleLoop);
    assert_eq!(name(cpu(), [8, 6400]), Strategy::Vectors);
    assert_eq!(name(cpu(), [9, 6400]), Strategy::SingleLoop);
    assert_eq!(pixels([4, 6400, 3]), Strategy::Vectors);
    assert_eq!(pixels([5, 6400, 3]), Strategy::ColourLoop);
    // Of periodic ones with a missing detail, more rows are near it.
    let periodic = |height| {
        let transform = Transform::new(Wavelet::CDF_9_7, [height, 6400]);
        let transform = transform.boundary(Boundary::Periodic);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        Setting::of(cpu()).design(&problem).unwrap().launches[0].strategy
    };
    assert_eq!(periodic(3), Strategy::Vectors);
    assert_eq!(periodic(10), Strategy::SingleLoop);
    assert_eq!(periodic(11), Strategy::Vectors);
    assert_eq!(periodic(31), Strategy::SingleLoop);
    // The loop has its first vector inside where either channel of a row has
    // two borders of 16 pairs.
    assert_eq!(name(cpu(), [6400, 63]), Strategy::Vectors);
    assert_eq!(name(cpu(), [6400, 64]), Strategy::SingleLoop);
    // Boxes are faster than it with less than three.
    let many = |width| {
        let transform = Transform::new(Wavelet::CDF_9_7, [400, 64, width]).axes([1, 2]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let device = DeviceInfo {
            local_memory: 1 << 20,
            ..cpu()
        };
        Setting::of(device).design(&problem).unwrap().launches[0].strategy
    };
    assert_eq!(many(95), Strategy::Vectors);
    assert_eq!(many(96), Strategy::SingleLoop);
}

#[test]
fn rows_of_two_whole_vectors_are_preferred_but_in_low_pictures() {
    let strategies = |shape: [usize; 3], layout| {
        let pictures = Transform::new(Wavelet::CDF_9_7, shape)
            .axes([1, 2])
            .layout(layout);
        let device = DeviceInfo {
            float_vector: 16,
            ..cpu()
        };
        let problem = problem(&pictures, SampleType::F32, Direction::Forward);
        let design = Setting::of(device).design(&problem).unwrap();
        design.launches[0].strategy
    };
    let mallat = |height, width| strategies([300, height, width], Layout::Mallat);
    assert_eq!(mallat(128, 64), Strategy::SingleLoop);
    assert_eq!(mallat(64, 64), Strategy::Vectors);
    assert_eq!(mallat(128, 65), Strategy::Vectors);
    assert_eq!(mallat(64, 96), Strategy::SingleLoop);
    let interleaved = strategies([300, 128, 64], Layout::Interleaved);
    assert_eq!(interleaved, Strategy::Vectors);
}
