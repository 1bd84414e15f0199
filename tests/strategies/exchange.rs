//! Work-items that exchange values in sub-groups, in every way that a device found has.

use super::*;

/// Whether a device can exchange in this way among sub-groups of `lanes`.
fn can_exchange(own: &DeviceInfo, way: Exchange, lanes: usize) -> bool {
    match way {
        // Only these two let a kernel ask for the size of its sub-groups.
        Exchange::Khr => own.exchange == Exchange::Khr,
        Exchange::Intel => [Exchange::Khr, Exchange::Intel].contains(&own.exchange),
        _ => (own.exchange, own.lanes) == (way, lanes),
    }
}

/// The devices found that can exchange in this way among sub-groups of `lanes`, set to do so.
fn exchanging(what: &str, way: Exchange, lanes: usize) -> Vec<Device> {
    let need = match way {
        Exchange::Ptx => way.to_string(),
        _ => format!("{way}-{lanes}"),
    };
    let mut found = devices();
    found.retain(|device| can_run(what, device, &need, |own| can_exchange(own, way, lanes)));
    // SAFETY: `can_exchange` knows of the device that it can.
    let set = |device: Device| unsafe { device.with_exchange(way, lanes) }.unwrap();
    found.into_iter().map(set).collect()
}

/// Every sample type and way beside the picture, reaches of 1 and 2 pairs to both sides, either
/// axis first, samples that move one by one and by vectors, by as few kernels as that takes: among
/// 64, Intel's compiler needs 145 s for these.
fn exchange(way: Exchange, lanes: usize) {
    let what = format!("exchange by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let odd = |wavelet| Transform::new(wavelet, [131, 1029]).levels(2);
        let even = |wavelet| {
            Transform::new(wavelet, [2, 96, 1024])
                .axes([1, 2])
                .levels(2)
        };
        let interleaved = even(Wavelet::CDF_9_7).layout(Layout::Interleaved);
        let strategy = Strategy::Streamed;
        check_all::<f32>(&device, strategy, &[odd(Wavelet::CDF_9_7), interleaved]);
        // Rows beyond the border mirror what is mirrored itself.
        let low = [2, 3, 4, 5, 6].map(|height| Transform::new(Wavelet::CDF_9_7, [height, 1029]));
        check_all::<f32>(&device, strategy, &low);
        check_all::<f64>(&device, strategy, &[even(Wavelet::CDF_5_3)]);
        // The last work-item of a row has one approximation and no detail.
        let hardly = Transform::new(Wavelet::VC2_DD_13_7, [131, 1025]);
        check_all::<i16>(&device, strategy, &[odd(Wavelet::VC2_DD_13_7), hardly]);
        check_all::<i32>(&device, strategy, &[even(Wavelet::VC2_DD_9_7)]);
        let periodic =
            |width| Transform::new(Wavelet::DAUB_4, [34, width]).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic(1024), periodic(1026)]);
        // Pictures whose rows a sub-group holds exactly.
        let whole = |wavelet| Transform::new(wavelet, [3, 34, 8 * lanes]).axes([1, 2]);
        check_all::<f32>(&device, strategy, &[whole(Wavelet::CDF_9_7)]);
        check_all::<i16>(&device, strategy, &[whole(Wavelet::VC2_DD_13_7)]);
        let zero = |width| Transform::new(Wavelet::CDF_5_3, [35, width]).boundary(Boundary::Zero);
        check_all::<i32>(&device, strategy, &[zero(1024), zero(1029)]);
        ran(&what, &device);
    }
}

/// The same for blocks: every sample type, aligned rows and others, pictures that go on in each way
/// and those whose border is set anew at every step.
fn exchange_in_blocks(way: Exchange, lanes: usize) {
    let what = format!("exchange in blocks by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::RegisterBlock;
        let odd = |wavelet| Transform::new(wavelet, [131, 1029]);
        let even = |wavelet| Transform::new(wavelet, [96, 1024]).levels(2);
        let batch = |wavelet| Transform::new(wavelet, [2, 67, 258]).axes([1, 2]).levels(2);
        let zero = |transform: Transform| transform.boundary(Boundary::Zero);
        let interleaved = even(Wavelet::CDF_9_7).layout(Layout::Interleaved);
        check_all::<f32>(&device, strategy, &[odd(Wavelet::CDF_9_7), interleaved]);
        check_all::<f64>(&device, strategy, &[batch(Wavelet::CDF_5_3)]);
        let clamped = [odd(Wavelet::VC2_DD_13_7), even(Wavelet::VC2_DD_13_7)];
        check_all::<i16>(&device, strategy, &clamped);
        check_all::<i32>(&device, strategy, &[zero(batch(Wavelet::VC2_DD_9_7))]);
        let periodic = even(Wavelet::DAUB_4).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic, zero(odd(Wavelet::DAUB_4))]);
        ran(&what, &device);
    }
}

/// Steps of two neighbours on the same side.
pub(super) fn beside() -> Wavelet {
    let steps = [
        RealStep::new(Channel::Detail, 1, &[0.5, -0.25]),
        RealStep::new(Channel::Approximation, -2, &[0.25, 0.125]),
    ];
    Wavelet::real("beside", &steps, Scale::NONE).unwrap()
}

/// The same for rows, where sub-groups wait for their own work-items alone: several rows in a
/// sub-group, a row in each, rows for several sub-groups, tiles; aligned and not, with levels left
/// for one pair of each work-item.
fn exchange_in_rows(way: Exchange, lanes: usize) {
    let what = format!("exchange in rows by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::RegisterRows;
        let rows = |wavelet, samples: usize, levels| {
            Transform::new(wavelet, [37, samples])
                .axes([1])
                .levels(levels)
        };
        let zero = |transform: Transform| transform.boundary(Boundary::Zero);
        let cdf97 = |samples, levels| rows(Wavelet::CDF_9_7, samples, levels);
        let interleaved = cdf97(1024, 3).layout(Layout::Interleaved);
        let batch = Transform::new(Wavelet::CDF_9_7, [3, 130, 5, 1]).axes([1]);
        let long = Transform::new(Wavelet::CDF_9_7, [3, 20_003])
            .axes([1])
            .levels(7);
        check_all::<f32>(
            &device,
            strategy,
            &[cdf97(1024, 5), cdf97(1001, 5), interleaved],
        );
        check_all::<f32>(&device, strategy, &[cdf97(2048, 9), cdf97(63, 2), long]);
        check_all::<f32>(&device, Strategy::RegisterColumns, &[batch]);
        // Rows whose first levels stay in registers: of one run, of some, of those of a sub-group.
        let short = [cdf97(8, 9), cdf97(72, 2), cdf97(8 * lanes - 24, 9)];
        check_all::<f32>(&device, strategy, &short);
        // Steps of two neighbours that are not one on each side, of which
        // the ends are lifted apart.
        check_all::<f32>(&device, strategy, &[rows(beside(), 128, 1)]);
        check_all::<f64>(&device, strategy, &[cdf97(4 * lanes, 9), cdf97(6, 1)]);
        let shorts = [
            rows(Wavelet::CDF_5_3, 40, 5),
            rows(Wavelet::VC2_LEGALL_5_3, 64, 3),
        ];
        check_all::<i16>(&device, strategy, &shorts);
        check_all::<Rounded>(&device, strategy, &[cdf97(80, 7)]);
        let periodic = Transform::new(Wavelet::DAUB_4, [5, 4096])
            .axes([1])
            .levels(2);
        check_all::<f64>(&device, strategy, &[periodic]);
        let clamped = [
            rows(Wavelet::VC2_DD_13_7, 500, 3),
            rows(Wavelet::VC2_DD_13_7, 3000, 3),
        ];
        check_all::<i16>(&device, strategy, &clamped);
        check_all::<i32>(
            &device,
            strategy,
            &[zero(rows(Wavelet::VC2_FIDELITY, 77, 3))],
        );
        // Side by side they exchange nothing: once for each driver is enough.
        if way == Exchange::Ptx || (way, lanes) == (Exchange::Khr, 16) {
            rows_side_by_side(&device);
        }
        ran(&what, &device);
    }
}

/// That rows of this transform stay in registers.
fn stays<T: RandomSample>(engine: &Engine, transform: &Transform) {
    let plan = engine.plan_with::<T>(transform, Strategy::RegisterRows);
    let plan = format!("{plan:?}");
    assert!(plan.contains("rows_in_registers"), "{plan}");
}

/// Rows of any length that follow one another in memory, which end within a run, at its end and
/// behind its first sample; a sub-group full of them, and not; by one level, some, and all that
/// there are; under each rule, in both layouts.
fn exchange_in_registers(way: Exchange, lanes: usize) {
    let what = format!("exchange in rows of registers by {way} among {lanes}");
    let strategy = Strategy::RegisterRows;
    for device in exchanging(&what, way, lanes) {
        let engine = Engine::new(&device).unwrap();
        let of = |wavelet, samples: usize, levels| {
            let rows = Transform::new(wavelet, [37, samples]);
            rows.axes([1]).levels(levels)
        };
        let rows = |samples, levels| of(Wavelet::CDF_9_7, samples, levels);
        let (symmetric, full) = (Boundary::Symmetric, 8 * lanes);
        for (samples, levels, boundary, layout) in [
            (8, 3, symmetric, Layout::Mallat),
            (9, 64, symmetric, Layout::Mallat),
            (24, 2, Boundary::Zero, Layout::Interleaved),
            (33, 3, Boundary::Periodic, Layout::Mallat),
            (42, 64, Boundary::Periodic, Layout::Interleaved),
            (full - 1, 1, Boundary::Periodic, Layout::Mallat),
            (full, 64, symmetric, Layout::Interleaved),
            (full + 1, 5, Boundary::Clamp, Layout::Mallat),
            (2 * full - 7, 64, Boundary::Zero, Layout::Mallat),
            (2 * full, 1, symmetric, Layout::Mallat),
        ] {
            let transform = rows(samples, levels).boundary(boundary).layout(layout);
            // In longer sub-groups of CPUs and Intel's GPUs work-items have
            // registers for short runs alone.
            if lanes <= 16 || way == Exchange::Ptx {
                stays::<f32>(&engine, &transform);
            }
            check_all::<f32>(&device, strategy, &[transform]);
        }
        // Of these the last pair of a level has no detail, whose place would be behind all rows.
        let last = match lanes {
            64 => 72,
            _ => 10 * lanes,
        };
        let last = rows(last, 64).layout(Layout::Interleaved);
        check_all::<f32>(&device, strategy, &[last]);
        let shorts = |samples| of(Wavelet::CDF_5_3, samples, 4);
        stays::<i16>(&engine, &shorts(31));
        check_all::<i16>(&device, strategy, &[shorts(31), shorts(32), shorts(58)]);
        check_all::<i32>(&device, strategy, &[of(Wavelet::VC2_LEGALL_5_3, 49, 3)]);
        check_all::<f64>(&device, strategy, &[rows(4 * lanes + 1, 3)]);
        check_all::<Rounded>(&device, strategy, &[rows(65, 4)]);
        check_all::<f16>(
            &device,
            strategy,
            &[rows(26, 2).boundary(Boundary::Periodic)],
        );
        ran(&what, &device);
    }
}

/// Rows as columns are: whole ones and tiles, by few and many neighbours, with levels left for
/// one pair of each work-item.
fn rows_side_by_side(device: &Device) {
    let strategy = Strategy::RegisterRows;
    let columns = |wavelet, samples: usize, lines: usize, levels| {
        let transform = Transform::new(wavelet, [samples, lines]).axes([0]);
        transform.levels(levels)
    };
    let cdf97 = |samples, lines, levels| columns(Wavelet::CDF_9_7, samples, lines, levels);
    let interleaved = |transform: Transform| transform.layout(Layout::Interleaved);
    let behind = Transform::new(Wavelet::CDF_9_7, [3, 66, 41])
        .axes([1])
        .levels(7);
    let floats = [
        cdf97(512, 40, 9),
        cdf97(16, 300, 3),
        cdf97(1500, 7, 5),
        interleaved(cdf97(600, 37, 3)),
        behind,
    ];
    check_all::<f32>(device, strategy, &floats);
    check_all::<f64>(device, strategy, &[cdf97(333, 21, 4)]);
    check_all::<Rounded>(device, strategy, &[cdf97(80, 50, 3)]);
    let periodic = columns(Wavelet::DAUB_4, 1536, 9, 3).boundary(Boundary::Periodic);
    check_all::<f32>(device, strategy, &[periodic]);
    let clamped = columns(Wavelet::VC2_DD_13_7, 700, 35, 3);
    check_all::<i16>(device, strategy, &[clamped.clone(), interleaved(clamped)]);
    let zero = columns(Wavelet::VC2_FIDELITY, 900, 18, 2).boundary(Boundary::Zero);
    check_all::<i32>(device, strategy, &[zero]);
}

/// The same for pixels of several samples: aligned rows and others,
/// pictures that go on in each way.
fn exchange_in_colours(way: Exchange, lanes: usize) {
    let what = format!("exchange in colours by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::StreamedColours;
        let picture = |wavelet, shape: [usize; 3]| Transform::new(wavelet, shape).axes([0, 1]);
        let cdf97 = |shape| picture(Wavelet::CDF_9_7, shape);
        let interleaved = |transform: Transform| transform.layout(Layout::Interleaved);
        let zero = cdf97([34, 300, 3]).boundary(Boundary::Zero);
        let wide = cdf97([67, 1024, 3]).levels(2);
        check_all::<f32>(&device, strategy, &[wide.clone(), interleaved(wide), zero]);
        let repeated = cdf97([34, 1024, 4]).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[interleaved(repeated.levels(2))]);
        let in_words = picture(Wavelet::CDF_5_3, [35, 1024, 4]).levels(2);
        check_all::<i16>(&device, strategy, &[interleaved(in_words)]);
        let periodic = picture(Wavelet::DAUB_4, [34, 1026, 2]).boundary(Boundary::Periodic);
        check_all::<f32>(&device, strategy, &[periodic, cdf97([35, 1029, 2])]);
        // The last work-item of a row has one, all, two or three of its pixels.
        let clamped = [1029, 1024, 1030, 1031, 3, 2]
            .map(|width| picture(Wavelet::VC2_DD_13_7, [35, width, 4]));
        check_all::<i16>(&device, strategy, &clamped);
        check_all::<i32>(
            &device,
            strategy,
            &[picture(Wavelet::CDF_5_3, [35, 1024, 3])],
        );
        ran(&what, &device);
    }
}

/// The same for volumes: several rows in a sub-group, and rows with seams between sub-groups, of
/// which lengths are whole and not; tiles; integers along x first and last.
fn exchange_in_volumes(way: Exchange, lanes: usize) {
    let what = format!("exchange in volumes by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let strategy = Strategy::StreamedVolumes;
        let cdf97 = |shape: [usize; 3]| Transform::new(Wavelet::CDF_9_7, shape);
        let cdf53 = |shape: [usize; 3]| Transform::new(Wavelet::CDF_5_3, shape);
        let whole = [cdf97([6, 10, 512]), cdf97([5, 12, 64])];
        check_all::<f32>(&device, strategy, &whole);
        // Rows that are closed, of many sub-groups and of one, rows that go by vectors in tiles that
        // overlap, and others.
        let periodic = |transform: Transform| transform.boundary(Boundary::Periodic);
        let rows = [512, 256, 4 * lanes, 508, 510].map(|width| periodic(cdf97([6, 8, width])));
        check_all::<f32>(&device, strategy, &rows);
        let two_levels = cdf97([4, 6, 1031]).levels(2);
        let tiles = [cdf97([9, 7, 384]), two_levels, cdf97([9, 4, 1040])];
        check_all::<f32>(&device, strategy, &tiles);
        // The last samples of a row behind the seam of a sub-group, which inverse transforms by four
        // steps depend on.
        let behind = [1, 2].map(|more| cdf97([3, 5, 4 * lanes + more]));
        check_all::<f32>(&device, strategy, &behind);
        let behind = Transform::new(Wavelet::VC2_DAUB_9_7, [3, 4, 8 * lanes + 1]);
        check_all::<i16>(&device, strategy, &[behind]);
        let interleaved = |transform: Transform| transform.layout(Layout::Interleaved).levels(2);
        let in_turn = [[9, 12, 64], [6, 7, 512], [5, 7, 67]].map(|shape| interleaved(cdf97(shape)));
        check_all::<f32>(&device, strategy, &in_turn);
        check_all::<i16>(&device, strategy, &[interleaved(cdf53([7, 9, 1024]))]);
        let closed = periodic(cdf53([8, 6, 256]));
        let doubles = [cdf53([7, 6, 256]), cdf53([7, 6, 259]), closed];
        check_all::<f64>(&device, strategy, &doubles);
        check_all::<Rounded>(
            &device,
            strategy,
            &[200, 201].map(|width| cdf97([5, 9, width])),
        );
        let shorts = [cdf53([7, 9, 1024]), periodic(cdf53([6, 8, 1024]))];
        check_all::<i16>(&device, strategy, &shorts);
        let x_first = |width| Transform::new(Wavelet::VC2_LEGALL_5_3, [6, 7, width]);
        check_all::<i32>(&device, strategy, &[512, 513].map(x_first));
        let long = Transform::new(Wavelet::VC2_DAUB_9_7, [6, 5, 320]);
        check_all::<i32>(&device, strategy, &[long]);
        ran(&what, &device);
    }
}

/// The same for one level and two by windows: of one and of several tiles, whole lines and such with a
/// halo, of odd and even lengths, closed ones, and such as wrap.
fn exchange_in_windows(way: Exchange, lanes: usize) {
    let what = format!("exchange in windows by {way} among {lanes}");
    for device in exchanging(&what, way, lanes) {
        let device = device.with_kind(DeviceKind::Gpu);
        let picture = |wavelet, shape: [usize; 2]| Transform::new(wavelet, shape).levels(2);
        let mut cdf97 = [[24, 29], [70, 131], [37, 300]]
            .map(|shape| picture(Wavelet::CDF_9_7, shape))
            .to_vec();
        cdf97.extend(
            [[27, 4 * lanes - 1], [40, 203]].map(|shape| Transform::new(Wavelet::CDF_9_7, shape)),
        );
        let repeating = |wavelet, shape| picture(wavelet, shape).boundary(Boundary::Periodic);
        cdf97.extend([[24, 32], [12, 4]].map(|shape| repeating(Wavelet::CDF_9_7, shape)));
        cdf97.extend([[16, 8], [20, 264]].map(|shape| repeating(Wavelet::DAUB_4, shape)));
        let engine = Engine::new(&device).unwrap();
        for transform in &cdf97 {
            let plan = engine.plan_with::<f32>(transform, Strategy::Pyramid);
            let kernels = format!("{:?}", plan.unwrap());
            assert!(kernels.contains("pyramid_windows"), "{kernels}");
        }
        check_all::<f32>(&device, Strategy::Pyramid, &cdf97);
        let shorts = [[9, 14], [40, 201]].map(|shape| picture(Wavelet::CDF_5_3, shape));
        let wrapped = repeating(Wavelet::CDF_5_3, [12, 300]);
        check_all::<i16>(
            &device,
            Strategy::Pyramid,
            &[&shorts[..], &[wrapped]].concat(),
        );
        let x_first = picture(Wavelet::VC2_LEGALL_5_3, [33, 150]);
        let closed = repeating(Wavelet::VC2_DD_13_7, [32, 16]);
        check_all::<i32>(&device, Strategy::Pyramid, &[x_first, closed]);
        ran(&what, &device);
    }
}

macro_rules! exchanges {
    ($($name:ident: $way:ident $lanes:literal;)*) => {
        mod in_pictures {
            use super::*;
            $(#[test] fn $name() { exchange(Exchange::$way, $lanes) })*
        }
        mod in_blocks {
            use super::*;
            $(#[test] fn $name() { exchange_in_blocks(Exchange::$way, $lanes) })*
        }
        mod in_colours {
            use super::*;
            $(#[test] fn $name() { exchange_in_colours(Exchange::$way, $lanes) })*
        }
        mod in_windows {
            use super::*;
            $(#[test] fn $name() { exchange_in_windows(Exchange::$way, $lanes) })*
        }
        mod in_volumes {
            use super::*;
            $(#[test] fn $name() { exchange_in_volumes(Exchange::$way, $lanes) })*
        }
        mod in_rows {
            use super::*;
            $(#[test] fn $name() { exchange_in_rows(Exchange::$way, $lanes) })*
        }
        mod in_registers {
            use super::*;
            $(#[test] fn $name() { exchange_in_registers(Exchange::$way, $lanes) })*
        }
    };
}

exchanges! {
    ptx_among_32: Ptx 32;
    khr_among_8: Khr 8;
    khr_among_16: Khr 16;
    khr_among_32: Khr 32;
    khr_among_64: Khr 64;
    intel_among_8: Intel 8;
    intel_among_16: Intel 16;
    intel_among_32: Intel 32;
    intel_among_64: Intel 64;
}

#[test]
fn no_exchange() {
    for device in devices() {
        let device = device.without_exchange();
        let transform = Transform::new(Wavelet::VC2_FIDELITY, [131, 1029]).levels(2);
        check_all::<i32>(&device, Strategy::Streamed, &[transform]);
    }
}
