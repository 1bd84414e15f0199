//! Which pictures windows take, of which sizes they are, and that they hold what is read of them.

use super::*;
use crate::device::{DeviceInfo, Exchange, Fence};
use crate::lifting::reach::Reach;
use crate::strategy::Strategy;
use crate::strategy::planning::design::Launch;
use crate::strategy::pyramid::tests::launches;
use crate::strategy::tests::cases::{BOTH, Setting, gpu, large_gpu, problem};
use crate::strategy::tests::host::{levels_of, number, own};
use crate::transform::{Layout, Region, Transform};
use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

fn kernels(transform: &Transform, sample: SampleType, direction: Direction) -> Vec<&'static str> {
    let all = launches(large_gpu(), transform, sample, direction);
    all.iter().map(|launch| launch.pass.kernel.name).collect()
}

#[test]
fn they_take_pictures_in_planar_sub_bands() {
    let picture = Transform::new(Wavelet::CDF_9_7, [256, 200]).levels(4);
    for direction in BOTH {
        for levels in [1, 4] {
            let taken = kernels(&picture.clone().levels(levels), SampleType::F32, direction);
            assert!(taken.iter().all(|&name| name == NAME), "{taken:?}");
        }
        // Of pictures that repeat those of even lengths at each level.
        let repeating = |wavelet, shape: [usize; 2]| {
            let picture = Transform::new(wavelet, shape).boundary(Boundary::Periodic);
            kernels(&picture.levels(2), SampleType::F32, direction)
        };
        let closed = [[256, 64], [12, 8], [128, 128], [4, 4]];
        for shape in closed.into_iter().chain([[64, 256], [256, 48], [500, 64]]) {
            assert_eq!(repeating(Wavelet::CDF_9_7, shape), [NAME], "{shape:?}");
            assert_eq!(repeating(Wavelet::DAUB_4, shape), [NAME], "{shape:?}");
        }
        // Of an odd length at the second level only the first one.
        let odd = problem(
            &Transform::new(Wavelet::CDF_9_7, [250, 64])
                .boundary(Boundary::Periodic)
                .levels(2),
            SampleType::F32,
            direction,
        );
        let all = Setting::of(large_gpu()).design(&odd).unwrap().launches;
        assert!(all.iter().any(|launch| launch.pass.kernel.name != NAME));
        // Where no step reads beyond its pair, all pictures of whole pairs.
        let haar = Transform::new(Wavelet::HAAR, [1000, 72]).levels(3);
        assert_eq!(kernels(&haar, SampleType::F32, direction), [NAME]);
        for other in [
            picture.clone().layout(Layout::Interleaved),
            picture.clone().boundary(Boundary::Zero),
        ] {
            let names = kernels(&other, SampleType::F32, direction);
            assert!(names.iter().all(|&name| name == "pyramid"), "{other:?}");
        }
    }
}

#[test]
fn they_take_seven_levels_at_once() {
    let picture = Transform::new(Wavelet::CDF_9_7, [128, 128]).levels(7);
    let taken = kernels(&picture, SampleType::F32, Direction::Inverse);
    assert_eq!(taken, [NAME]);
}

/// Also of steps that reach beyond the whole picture, on CPUs that are taken for GPUs as well.
#[test]
fn they_take_pictures_smaller_than_the_reach() {
    let like_cpu = DeviceInfo {
        float_vector: 16,
        sub_group_sizes: vec![4, 8, 16, 32, 64],
        ..gpu(Exchange::Khr, 64)
    };
    for device in [large_gpu(), gpu(Exchange::Khr, 16), like_cpu] {
        for (shape, levels) in [([5, 7], 2), ([61, 127], 4), ([66, 70], 7)] {
            let picture = Transform::new(Wavelet::VC2_DD_13_7, shape)
                .boundary(Boundary::Symmetric)
                .levels(levels);
            let all = launches(
                device.clone(),
                &picture,
                SampleType::I32,
                Direction::Inverse,
            );
            assert!(all.iter().any(|launch| launch.pass.kernel.name == NAME));
        }
    }
}

/// The fastest of those that were timed on an NVIDIA H200.
#[test]
fn sizes_are_those_that_were_fastest() {
    let sizes = |side: usize, levels: u32, direction| {
        let picture = Transform::new(Wavelet::CDF_9_7, [side, side]).levels(levels);
        let all = launches(large_gpu(), &picture, SampleType::F32, direction);
        assert_eq!(all.len(), 1);
        let of = |name: &str| number(&all[0].pass.kernel, name);
        ["OWN_PAIRS_X_0", "OWN_PAIRS_Y_0", "GROUP", "ITEMS_X_0"].map(of)
    };
    assert_eq!(sizes(64, 3, Direction::Forward), [1, 2, 512, 32]);
    assert_eq!(sizes(1024, 5, Direction::Forward), [2, 6, 512, 32]);
    assert_eq!(sizes(64, 3, Direction::Inverse), [1, 1, 128, 32]);
    assert_eq!(sizes(128, 5, Direction::Inverse), [1, 1, 128, 16]);
    assert_eq!(sizes(1024, 5, Direction::Inverse), [2, 5, 256, 32]);
}

#[test]
fn they_take_these_wavelets() {
    let takes = |wavelet: &Wavelet, direction| {
        let sample = match wavelet.integer_steps() {
            Some(_) => SampleType::I16,
            None => SampleType::F32,
        };
        let picture = Transform::new(wavelet.clone(), [256, 256]).levels(3);
        kernels(&picture, sample, direction)[0] == NAME
    };
    let taken = |direction| {
        let all = Wavelet::ALL.iter();
        let taken = all.filter(|wavelet| takes(wavelet, direction));
        taken.map(Wavelet::name).collect::<Vec<_>>()
    };
    let [two_neighbours, within_a_pair] = [
        ["cdf53", "cdf97", "vc2-legall53", "vc2-daub97"].as_slice(),
        &["haar", "vc2-haar0", "vc2-haar1"],
    ];
    let sorted = |mut names: Vec<&'static str>| {
        names.sort();
        names
    };
    let repeats = ["daub4"];
    let forward = [two_neighbours, within_a_pair, &repeats].concat();
    assert_eq!(sorted(taken(Direction::Forward)), sorted(forward.clone()));
    let inverse = [&forward[..], &["ccsds97m"]].concat();
    assert_eq!(sorted(taken(Direction::Inverse)), sorted(inverse));
}

/// Of a region whose rows begin at whole vectors and do not end with one: behind their end, vectors
/// that wrap would not be whole.
#[test]
fn vectors_wrap_with_rows_of_whole_vectors() {
    let aligned = |width: usize, boundary| {
        let picture = Transform::new(Wavelet::CDF_9_7, [64, width]).boundary(boundary);
        let mut problem = problem(&picture, SampleType::F32, Direction::Forward);
        problem.regions.signal = Region::dense([64, width]).with_strides([width + 2, 1]);
        let like_cpu = DeviceInfo {
            float_vector: 16,
            ..gpu(Exchange::Khr, 16)
        };
        let setting = Setting::of(like_cpu).only(&[Strategy::Pyramid]);
        let launch = setting.design(&problem).unwrap().launches.remove(0);
        assert_eq!(of_level(&launch, "OWN_PAIRS_X", 0), 2);
        own(&launch, "aligned")
    };
    assert_eq!(aligned(198, Boundary::Symmetric), 1);
    assert_eq!(aligned(198, Boundary::Periodic), 0);
}

/// Every tile of every level: what it depends on of the level before is in that one's window.
#[test]
fn windows_hold_what_the_next_level_reads() {
    let shapes = [[64, 64], [37, 301], [1024, 77], [9, 12], [1021, 1023]];
    check_windows(Boundary::Symmetric, &shapes, ENDS_OPEN);
}

#[test]
fn windows_that_wrap_hold_what_the_next_level_reads() {
    let shapes = [[64, 256], [1024, 96], [16, 208], [1008, 1040]];
    check_windows(Boundary::Periodic, &shapes, ENDS_WRAPPED);
}

const ENDS_OPEN: usize = Ends::Open as usize;
const ENDS_WRAPPED: usize = Ends::Wrapped as usize;

/// Windows of these shapes, of which some at least have such ends, inverse and where they wrap in
/// both directions.
fn check_windows(boundary: Boundary, shapes: &[[usize; 2]], ends: usize) {
    let devices = [large_gpu(), gpu(Exchange::None, 1), gpu(Exchange::Khr, 16)];
    let mut found = Vec::new();
    for (device, &shape) in devices
        .iter()
        .flat_map(|one| shapes.iter().map(move |shape| (one, shape)))
    {
        let wavelets = [Wavelet::CDF_5_3, Wavelet::CDF_9_7].into_iter();
        for (wavelet, direction) in wavelets.flat_map(|one| BOTH.map(|way| (one.clone(), way))) {
            let picture = Transform::new(wavelet, shape).boundary(boundary).levels(4);
            let stencils = problem(&picture, SampleType::F32, direction).stencils();
            let reach = Reach::new(&stencils).before as i64;
            let all = launches(device.clone(), &picture, SampleType::F32, direction);
            for launch in all.iter().filter(|launch| launch.pass.kernel.name == NAME) {
                check_sizes(launch, reach, device);
                if number(&launch.pass.kernel, "ENDS") == ends {
                    found.push(direction);
                }
                for axis in 0..2 {
                    match direction {
                        Direction::Forward => check_forward(launch, axis, reach),
                        Direction::Inverse => check_inverse(launch, axis, reach),
                    }
                }
            }
        }
    }
    assert!(found.contains(&Direction::Inverse));
    assert!(ends == ENDS_OPEN || found.contains(&Direction::Forward));
}

/// Of an axis: samples of the finest level, levels that all work-groups share, pairs from one tile
/// to the next, and how many tiles there are.
fn line(launch: &Launch, axis: usize) -> [i64; 4] {
    let geometry = &launch.pass.geometry;
    let length = [geometry.across[0], geometry.samples][axis];
    let of = |name: &str| own(launch, &format!("{name}_{}", ["y", "x"][axis]));
    let shared = number(&launch.pass.kernel, "REST") as i32;
    [length, shared, of("tile"), of("tiles")].map(i64::from)
}

fn of_level(launch: &Launch, name: &str, level: i64) -> i64 {
    number(&launch.pass.kernel, &format!("{name}_{level}")) as i64
}

/// What `span_of` in cl/pyramid/window_forward.cl has of each level.
fn check_forward(launch: &Launch, axis: usize, reach: i64) {
    let [length, levels, tile, tiles] = line(launch, axis);
    let halo = number(&launch.pass.kernel, "HALO") as i64;
    let name = ["PAIRS_Y", "PAIRS_X"][axis];
    let window = 2 * of_level(launch, name, 0);
    let whole = (1 << levels) - 1;
    let wraps = number(&launch.pass.kernel, "ENDS") == ENDS_WRAPPED;
    let mut stored = vec![0; levels as usize];
    for number in 0..tiles {
        let start = number * tile - if wraps { halo } else { 0 };
        let begin = match wraps {
            true => 2 * start,
            false => (2 * start).min(((length - window).max(0) + whole) & !whole),
        };
        // The samples of a level's low band that the next one depends on.
        let mut wanted = None;
        for level in (0..levels).rev() {
            let samples = (length + (1 << level) - 1) >> level;
            let own = match number {
                0 => 0,
                _ => (start + halo) >> level,
            };
            let end = match number + 1 == tiles {
                true => (samples + 1) / 2,
                false => (start + tile + halo) >> level,
            };
            assert_eq!(own, stored[level as usize], "{level} {number}: {launch:?}");
            stored[level as usize] = end;
            let (lo, hi): (i64, i64) = wanted.unwrap_or((own, end));
            let (lo, hi) = (lo.min(own), hi.max(end));
            // The last sample that a result depends on is an approximation.
            let (from, to) = (2 * (lo - reach), 2 * (hi - 1 + reach) + 1);
            let first = begin >> level;
            let past = first + 2 * of_level(launch, name, level);
            let (from, to, past) = match wraps {
                true => (from, to, past),
                false => (from.max(0), to.min(samples), past.min(samples)),
            };
            assert!(
                first <= from && to <= past,
                "{level} {number} {from}..{to}: {launch:?}"
            );
            wanted = Some((from, to));
        }
    }
    for (level, end) in stored.into_iter().enumerate() {
        assert_eq!(end, (length + (2 << level) - 1) >> (level + 1));
    }
    // What the last work-group goes on with is whole.
    for level in levels..i64::from(levels_of(launch)) {
        assert!(of_level(launch, name, level) >= (length + (2 << level) - 1) >> (level + 1));
    }
}

/// Where the device orders what its work-groups store, one launch does all levels of small
/// pictures; where it does not, where pictures are pixels, and where levels are left, none goes on.
#[test]
fn the_last_work_group_goes_on_where_it_can() {
    let picture = Transform::new(Wavelet::CDF_9_7, [512, 512]).levels(5);
    let goes_on = |device: DeviceInfo, picture: &Transform| {
        let all = launches(device, picture, SampleType::F32, Direction::Forward);
        let last = all.last().unwrap();
        let counts = last.pass.kernel.fence() != Fence::None;
        assert_eq!(last.pass.slots.between.is_some(), counts);
        assert_eq!(
            all.iter()
                .filter(|one| one.pass.kernel.fence() != Fence::None)
                .count(),
            usize::from(counts)
        );
        (all.len(), counts)
    };
    assert_eq!(goes_on(large_gpu(), &picture), (1, true));
    // Where windows wrap, too, if all of them run at once.
    let repeating = picture.clone().boundary(Boundary::Periodic);
    assert_eq!(goes_on(large_gpu(), &repeating), (1, true));
    let many = Transform::new(Wavelet::CDF_9_7, [64, 256, 256])
        .axes([1, 2])
        .levels(5)
        .boundary(Boundary::Periodic);
    assert!(!goes_on(large_gpu(), &many).1);
    assert_eq!(goes_on(gpu(Exchange::Khr, 16), &picture), (2, false));
    assert_eq!(goes_on(gpu(Exchange::None, 1), &picture), (2, false));
    let of_c = DeviceInfo {
        atomics: Fence::Cl30,
        ..gpu(Exchange::Khr, 16)
    };
    assert!(goes_on(of_c, &picture).1);
    // A picture that is one window needs nobody to go on.
    let small = Transform::new(Wavelet::CDF_9_7, [64, 64]).levels(3);
    assert_eq!(goes_on(large_gpu(), &small), (1, false));
    let many = Transform::new(Wavelet::CDF_9_7, [512, 512, 512])
        .axes([1, 2])
        .levels(5);
    assert!(!goes_on(large_gpu(), &many).1);
}

fn check_inverse(launch: &Launch, axis: usize, reach: i64) {
    let [length, levels, tile, tiles] = line(launch, axis);
    let ends = number(&launch.pass.kernel, "ENDS");
    let wraps = ends == ENDS_WRAPPED;
    for begin in (0..tiles).map(|number| number * tile) {
        // The pairs whose results are wanted.
        let (mut lo, mut hi) = (begin, (begin + tile).min((length + 1) / 2));
        for level in 0..levels {
            let samples = (length + (1 << level) - 1) >> level;
            let first = (begin - ((1 << level) - 1) * reach) >> level;
            let first = if wraps { first } else { first.max(0) };
            let pairs = of_level(launch, "OWN_PAIRS_X", level);
            let halo = match [ENDS_OPEN, ENDS_WRAPPED].contains(&ends) {
                true => (reach + pairs - 1) / pairs * pairs,
                false => 0,
            };
            let count = match axis {
                0 => of_level(launch, "PAIRS_Y", level),
                _ => of_level(launch, "PAIRS_X", level) - 2 * halo,
            };
            assert!(
                first <= lo && hi <= first + count,
                "{level} {lo}..{hi}: {launch:?}"
            );
            (lo, hi) = (lo - reach, hi + reach);
            if !wraps {
                (lo, hi) = (lo.max(0), hi.min((samples + 1) / 2));
            }
            (lo, hi) = (lo.div_euclid(2), (hi + 1) / 2);
        }
    }
}

/// Every window is shared out to work-items, and all low bands are in local memory.
fn check_sizes(launch: &Launch, reach: i64, device: &DeviceInfo) {
    let kernel = &launch.pass.kernel;
    let [group, most, lanes] =
        ["GROUP", "MOST_OWN_PAIRS_Y", "LANES"].map(|name| number(kernel, name) as i64);
    for level in 0..i64::from(levels_of(launch)) {
        let of = |name: &str| of_level(launch, name, level);
        assert!(of("ITEMS_X") * of("OWN_PAIRS_X") >= of("PAIRS_X") && of("ITEMS_X") <= lanes);
        assert!(group / of("ITEMS_X") * of("OWN_PAIRS_Y") >= of("PAIRS_Y"));
        assert!(of("OWN_PAIRS_Y") <= most && reach > 0);
    }
    assert!(number(kernel, "PLACES") as u64 * 4 <= device.local_memory);
}

#[test]
fn what_is_tried_first_is_one_program_for_many_sizes() {
    let program = |exchange: Exchange, side: usize| {
        let device = DeviceInfo {
            exchange,
            ..large_gpu()
        };
        let transform = Transform::new(Wavelet::CDF_9_7, [side; 2]).levels(2);
        let mut all = launches(device, &transform, SampleType::F32, Direction::Forward);
        all.swap_remove(0).pass.kernel
    };
    let [large, small] = [2048, 1920].map(|side| program(Exchange::Amd, side));
    assert_eq!((large.name, &large), ("pyramid_windows", &small));
    assert_ne!(program(Exchange::Ptx, 2048), program(Exchange::Ptx, 1920));
}
