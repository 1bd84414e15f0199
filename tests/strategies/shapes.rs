//! What is not a picture of one sample a pixel: colours, volumes, short lines.

use super::*;

/// Lines that go on beyond no border, of lengths about those from which on they have anything
/// between their ends, and so long that they are cut.
mod ends_apart {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet) {
        let lines = |shape: [usize; 2], axis| {
            let transform = Transform::new(wavelet.clone(), shape).axes([axis]);
            transform.levels(3)
        };
        let lengths = [2, 7, 28, 31, 64, 65, 259];
        let rows = lengths.map(|samples| lines([3, samples], 1));
        let rows = everywhere([&rows[..], &[lines([2, 4099], 1)]].concat());
        let columns = lengths.map(|samples| lines([samples, 9], 0));
        let columns = everywhere([&columns[..], &[lines([1031, 19], 0)]].concat());
        for device in devices() {
            for strategy in [Strategy::RegisterRows, Strategy::RegisterColumns] {
                check_all::<T>(&device, strategy, &columns);
            }
            check_all::<T>(&device, Strategy::RegisterRows, &rows);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(exchange::beside())
    }
    #[test]
    fn doubles_that_repeat() {
        check::<f64>(Wavelet::CDF_5_3)
    }
    /// Two steps in a row change the details.
    #[test]
    fn floats_of_lopsided_steps() {
        let steps = [
            RealStep::new(Channel::Detail, 0, &[-0.5, -0.5, 0.25]),
            RealStep::new(Channel::Detail, 1, &[0.125, -0.25]),
            RealStep::new(Channel::Approximation, 0, &[0.25, 0.25]),
            RealStep::new(Channel::Approximation, -2, &[0.125, 0.25]),
        ];
        check::<f32>(Wavelet::real("lopsided", &steps, Scale::NONE).unwrap())
    }
    #[test]
    fn shorts_by_pairs() {
        check::<i16>(Wavelet::VC2_HAAR_1)
    }
    #[test]
    fn integers_with_a_pre_shift() {
        let steps = [
            IntegerStep::subtract(Channel::Detail, -1, &[3, 1, 2], 4, 3),
            IntegerStep::add(Channel::Approximation, 0, &[1, 2], 2, 2),
        ];
        check::<i32>(Wavelet::integer("lopsided", &steps, 1).unwrap())
    }
}
/// Lines so short and so many that kernels know their length.
mod many_short_lines {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet, lengths: [usize; 2]) {
        let lines = |length| {
            let shapes = [[length, 4099], [length, 4100]];
            let columns = |shape| Transform::new(wavelet.clone(), shape).axes([0]);
            shapes.map(|shape| columns(shape).levels(2))
        };
        let columns = everywhere(lengths.map(lines).concat());
        let rows = |length| Transform::new(wavelet.clone(), [4099, length]).axes([1]);
        let rows = everywhere(lengths.map(|length| rows(length).levels(3)).into());
        for device in devices() {
            check_all::<T>(&device, Strategy::RegisterColumns, &columns);
            check_all::<T>(&device, Strategy::RegisterLines, &columns);
            check_all::<T>(&device, Strategy::RegisterRows, &rows);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7, [3, 8])
    }
    #[test]
    fn shorts() {
        check::<i16>(Wavelet::VC2_DD_13_7, [2, 7])
    }
    #[test]
    fn rounded() {
        check::<Rounded>(Wavelet::CDF_9_7, [5, 6])
    }
}

/// Many lines side by side, each in the registers of a work-item through all levels.
mod many_lines_side_by_side {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet, rules: &[Boundary], lengths: &[usize]) {
        let columns = |length| Transform::new(wavelet.clone(), [length, 4099]).axes([0]);
        let mut transforms = Vec::new();
        for (&rule, &length) in rules
            .iter()
            .flat_map(|rule| lengths.iter().map(move |n| (rule, n)))
        {
            transforms.push(columns(length).levels(7).boundary(rule));
        }
        let volume = |axes: &[usize]| Transform::new(wavelet.clone(), [21, 9, 600]).axes(axes);
        let interleaved = columns(lengths[0]).layout(Layout::Interleaved);
        transforms.extend([interleaved.levels(3), volume(&[0])]);
        // Of several axes, some planes of neighbours are low-pass, and some neighbours: one axis of
        // these is of rows.
        transforms.push(volume(&[0, 1]).levels(2));
        let with_rows = [volume(&[0, 2]).levels(2)];
        for device in devices() {
            check_all::<T>(&device, Strategy::RegisterLines, &transforms);
            check_all::<T>(&device, Strategy::Vectors, &transforms);
            check_all::<T>(&device, Strategy::Vectors, &with_rows);
            check_all::<T>(&device, Strategy::RegisterRows, &with_rows);
            let as_gpu = device.with_kind(DeviceKind::Gpu);
            check_all::<T>(&as_gpu, By::Auto, &with_rows);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7, Boundary::ALL, &[17, 64])
    }
    #[test]
    fn doubles_to_one_side() {
        check::<f64>(Wavelet::DAUB_4, Boundary::ALL, &[33])
    }
    #[test]
    fn halves() {
        check::<f16>(Wavelet::CDF_9_7, &[Boundary::Symmetric], &[16, 127])
    }
    #[test]
    fn integers_of_a_long_reach() {
        check::<i32>(
            Wavelet::VC2_FIDELITY,
            &[Boundary::Clamp, Boundary::Periodic],
            &[9, 31],
        )
    }
    #[test]
    fn shorts_with_a_pre_shift() {
        check::<i16>(Wavelet::VC2_DD_13_7, &[Boundary::Clamp], &[24, 128])
    }
}

/// Long lines side by side, in tiles of which each is in the registers of a work-item: just longer
/// than a tile, of one tile besides the ends and of many, by few and many neighbours.
mod long_lines_side_by_side {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet, rules: &[Boundary], levels: u32) {
        let of = |shape: &[usize], axis: usize| {
            let lines = Transform::new(wavelet.clone(), shape).axes([axis]);
            lines.levels(levels)
        };
        let lines = [
            of(&[129, 520], 0),
            of(&[131, 500], 0),
            of(&[25_001, 3], 0),
            of(&[3, 200, 131], 1),
            of(&[1027, 67], 0),
        ];
        // A CPU has shorter tiles, so that these are one besides the ends there.
        let little = [35, 67].map(|samples| {
            let samples_in_all = 1usize << (14 + levels);
            of(&[samples, samples_in_all.div_ceil(samples)], 0)
        });
        let lines = lines.into_iter().chain(little);
        let mut transforms = Vec::new();
        for lines in lines {
            for &rule in rules {
                transforms.push(lines.clone().boundary(rule));
            }
        }
        transforms.push(of(&[300, 230], 0).layout(Layout::Interleaved));
        transforms.push(Transform::new(wavelet, [150, 130, 7]).axes([0, 1]));
        for device in devices() {
            check_all::<T>(&device, Strategy::RegisterLines, &transforms);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7, Boundary::ALL, 3)
    }
    #[test]
    fn doubles_to_one_side() {
        check::<f64>(Wavelet::DAUB_4, Boundary::ALL, 2)
    }
    #[test]
    fn rounded() {
        check::<Rounded>(Wavelet::CDF_9_7, &[Boundary::Symmetric], 2)
    }
    #[test]
    fn integers_of_a_long_reach() {
        check::<i32>(Wavelet::VC2_FIDELITY, Boundary::ALL, 1)
    }
    #[test]
    fn shorts_by_pairs() {
        check::<i16>(Wavelet::VC2_HAAR_1, Boundary::ALL, 3)
    }
    #[test]
    fn shorts_with_a_pre_shift() {
        check::<i16>(
            Wavelet::VC2_DD_13_7,
            &[Boundary::Clamp, Boundary::Periodic],
            2,
        )
    }
}

/// Pictures whose pixels have several samples, small ones first, and what goes by lines as it has
/// too many. All boundary rules and layouts for three colours, as all wavelets compose them; for
/// others those of the wavelet.
fn coloured(wavelet: Wavelet) -> Vec<Transform> {
    let picture = |shape: &[usize], levels| {
        let axes = [shape.len() - 3, shape.len() - 2];
        let transform = Transform::new(wavelet.clone(), shape).axes(axes);
        transform.levels(levels)
    };
    let three = [
        picture(&[2, 3, 3], 1),
        picture(&[9, 2, 3], 1),
        picture(&[37, 53, 3], 2),
        picture(&[64, 256, 3], 1),
        picture(&[1, 5, 3], 1),
    ];
    let others = [
        picture(&[2, 2, 2], 1),
        picture(&[31, 130, 2], 2),
        picture(&[41, 67, 4], 3),
        picture(&[2, 18, 72, 4], 1),
        picture(&[31, 67, 5], 2),
        picture(&[20, 72, 8], 1),
        picture(&[9, 20, 9], 2),
        picture(&[8, 33, 16], 1),
        picture(&[9, 8, 17], 1),
        picture(&[9, 8, 7, 2], 1),
    ];
    let mut all = everywhere(three.to_vec());
    all.extend(others);
    all
}

/// Volumes in one tile and in several, with rows that go by vectors and that do
/// not, thin ones and batches.
fn volumes(wavelet: Wavelet) -> Vec<Transform> {
    let volume = |shape: &[usize], levels| {
        let first = shape.len() - 3;
        let axes: Vec<usize> = (first..shape.len()).collect();
        let transform = Transform::new(wavelet.clone(), shape).axes(axes);
        transform.levels(levels)
    };
    let all = [
        volume(&[2, 2, 2], 1),
        volume(&[3, 2, 5], 1),
        volume(&[5, 6, 7], 2),
        volume(&[33, 18, 35], 3),
        volume(&[34, 20, 64], 2),
        volume(&[2, 12, 10, 72], 1),
    ];
    let mut all = everywhere(all.to_vec());
    // Rows of several tiles, and axes that are not transformed between and before.
    all.extend([volume(&[4, 6, 1031], 1), volume(&[9, 4, 1040], 1)]);
    all.push(Transform::new(wavelet.clone(), [6, 2, 5, 40]).axes([0, 2, 3]));
    all.push(Transform::new(wavelet, [7, 3, 5, 40]).axes([0, 1, 2, 3]));
    all
}

/// Boxes that a work-group has whole: some, one, the last ones of a batch; in
/// one piece and side by side.
mod whole_boxes {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet) {
        let of = |shape: &[usize], axes: &[usize], levels| {
            let transform = Transform::new(wavelet.clone(), shape);
            transform.axes(axes.to_vec()).levels(levels)
        };
        let all = [
            of(&[67, 8, 8], &[1, 2], 3),
            of(&[2, 3, 5, 7], &[2, 3], 1),
            of(&[11, 10], &[0, 1], 2),
            of(&[2, 2], &[0, 1], 1),
            of(&[6, 3, 18, 2], &[0, 2], 1),
            of(&[5, 7, 33], &[0, 1], 2),
            of(&[4, 4, 3, 35], &[0, 1], 2),
            of(&[6, 5, 4], &[0, 1, 2], 2),
            of(&[19, 4, 4, 6], &[1, 2, 3], 2),
            of(&[3, 4, 5, 40], &[0, 1, 2], 1),
            of(&[16, 14, 18], &[0, 1, 2], 3),
            of(&[3, 301, 7], &[2], 3),
            of(&[3, 5, 2, 77], &[1], 2),
        ];
        let mut all = everywhere(all.to_vec());
        all.retain(|one| one.coefficient_layout() == Layout::Mallat);
        for device in devices() {
            check_all::<T>(&device, Strategy::WholeBoxes, &all);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn rounded() {
        check::<Rounded>(Wavelet::CDF_9_7)
    }
    #[test]
    fn doubles_to_one_side() {
        check::<f64>(Wavelet::DAUB_4)
    }
    #[test]
    fn shorts() {
        check::<i16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn shorts_with_a_pre_shift() {
        check::<i16>(Wavelet::VC2_DD_13_7)
    }
    #[test]
    fn integers_of_a_long_reach() {
        check::<i32>(Wavelet::VC2_FIDELITY)
    }
}

mod in_volumes {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet) {
        for device in devices() {
            check_all::<T>(
                &device,
                Strategy::StreamedVolumes,
                &volumes(wavelet.clone()),
            );
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn floats_of_short_reach() {
        check::<f32>(Wavelet::CDF_5_3)
    }
    #[test]
    fn halves() {
        check::<f16>(Wavelet::CDF_9_7)
    }
    #[test]
    fn halves_of_short_reach() {
        check::<f16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn rounded() {
        check::<Rounded>(Wavelet::CDF_9_7)
    }
    #[test]
    fn doubles() {
        check::<f64>(Wavelet::CDF_5_3)
    }
    #[test]
    fn shorts() {
        check::<i16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn integers_with_a_pre_shift() {
        check::<i32>(Wavelet::VC2_DAUB_9_7)
    }
}

/// What stands in small boxes, as many as a vector has elements and more: short rows, narrow
/// pictures, few columns, and what is so high that it is cut.
mod boxes {
    use super::*;
    fn boxes(wavelet: Wavelet) -> Vec<Transform> {
        let of = |shape: &[usize], axes: &[usize], levels| {
            let transform = Transform::new(wavelet.clone(), shape);
            transform.axes(axes.to_vec()).levels(levels)
        };
        let all = [
            of(&[67, 8, 8], &[1, 2], 3),
            of(&[70, 5, 7], &[1, 2], 1),
            of(&[33, 2, 3], &[1, 2], 2),
            of(&[70, 2, 40], &[1, 2], 1),
            of(&[300, 7], &[1], 1),
            of(&[1031, 16], &[1], 2),
            of(&[40, 37, 3], &[1], 2),
            of(&[9, 6, 7, 20], &[0, 3], 2),
            of(&[5, 9, 8, 6], &[1, 2, 3], 2),
            // Side by side.
            of(&[7, 5, 6, 32], &[0, 2], 2),
            of(&[3, 9, 8, 16], &[1, 2], 1),
            of(&[6, 7, 5, 48], &[0, 1], 3),
        ];
        let mut all = everywhere(all.to_vec());
        for &boundary in Boundary::ALL {
            let high = [
                of(&[9001, 7], &[0, 1], 2),
                of(&[3, 2800, 9], &[1, 2], 1),
                of(&[17_002, 3], &[0], 2),
                of(&[40_005, 7], &[0], 3),
                of(&[20_483, 5], &[0], 9),
            ];
            all.extend(high.map(|transform| transform.boundary(boundary)));
        }
        all.push(of(&[9002, 5], &[0, 1], 1).layout(Layout::Interleaved));
        all.push(of(&[20_011, 2], &[0], 3).layout(Layout::Interleaved));
        all
    }
    /// Of more compute units each would want a vector of boxes.
    fn of_one_unit() -> impl Iterator<Item = Device> {
        let devices = devices().into_iter();
        devices.map(|device| device.with_kind(DeviceKind::Cpu).with_compute_units(1))
    }
    fn check<T: RandomSample>(wavelet: Wavelet) {
        for device in of_one_unit() {
            check_all::<T>(&device, Strategy::Vectors, &boxes(wavelet.clone()));
        }
    }
    /// The plans that the other tests run have boxes, and the ends of periodic columns that are
    /// cut a launch of their own.
    #[test]
    fn are_what_these_shapes_go_by() {
        for engine in of_one_unit().map(|device| Engine::new(&device).unwrap()) {
            for transform in boxes(Wavelet::CDF_5_3) {
                let plan = engine.plan_with::<i32>(&transform, Strategy::Vectors);
                let plan = format!("{:?}", plan.unwrap());
                assert!(plan.contains("boxes_in_cache"), "{plan}");
                let is_cut = transform.shape() == [17_002, 3]
                    && transform.boundary_rule() == Boundary::Periodic;
                assert!(!is_cut || plan.contains("line_ends"), "{plan}");
            }
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn halves() {
        check::<f16>(Wavelet::CDF_9_7)
    }
    #[test]
    fn rounded() {
        check::<Rounded>(Wavelet::CDF_9_7)
    }
    #[test]
    fn doubles_to_one_side() {
        check::<f64>(Wavelet::DAUB_4)
    }
    #[test]
    fn shorts_with_a_pre_shift() {
        check::<i16>(Wavelet::VC2_DD_13_7)
    }
    #[test]
    fn integers_of_a_long_reach() {
        check::<i32>(Wavelet::VC2_FIDELITY)
    }
    #[test]
    fn integers_of_columns_first() {
        check::<i32>(Wavelet::CDF_5_3)
    }
}

/// Steps whose bias makes something of zeros.
fn biased() -> Wavelet {
    use wavelift::{AxisOrder, Channel, IntegerStep};
    let steps = [
        IntegerStep::add(Channel::Detail, 0, &[-1, -1], 7, 1),
        IntegerStep::add(Channel::Approximation, -1, &[1, 1], 2, 2),
    ];
    let wavelet = Wavelet::integer("biased", &steps, 0).unwrap();
    wavelet.with_axis_order(AxisOrder::InnermostFirst)
}

#[test]
fn zeros_beyond_the_border_stay_zeros_whatever_a_bias_makes_of_them() {
    let transform = |shape: &[usize]| Transform::new(biased(), shape).boundary(Boundary::Zero);
    let coloured = [transform(&[40, 40, 3]).axes([0, 1])];
    let plain = [transform(&[40, 40]).levels(2), transform(&[9, 75])];
    for device in devices() {
        let by = [
            Strategy::StreamedColours,
            Strategy::ColourLoop,
            Strategy::RegisterPlanes,
        ];
        for strategy in by {
            check_all::<i32>(&device, strategy, &coloured);
        }
        for strategy in [
            Strategy::Pyramid,
            Strategy::RegisterBlock,
            Strategy::Streamed,
            Strategy::SingleLoop,
            Strategy::Vectors,
            Strategy::SEPARABLE,
        ] {
            check_all::<i32>(&device, strategy, &plain);
        }
    }
}

/// More levels of rows than those in which work-items have runs, and eight beside them: steps of a
/// long reach leave a work-item few pairs.
#[test]
fn many_levels_of_rows_by_long_steps() {
    use wavelift::{Channel, RealStep, Scale};
    let taps = [0.02, -0.03, 0.05, 0.2, 0.2, 0.05, -0.03, 0.02];
    let step = |k: usize| match k % 2 {
        0 => RealStep::new(Channel::Detail, -3, &taps),
        _ => RealStep::new(Channel::Approximation, -4, &taps),
    };
    let steps: Vec<RealStep> = (0..4).map(step).collect();
    let wavelet = Wavelet::real("steps-of-eight-taps", &steps, Scale::NONE).unwrap();
    let rows = Transform::new(wavelet, [8, 1000]).axes([1]);
    let rows = rows.levels(10).boundary(Boundary::Zero);
    for device in devices() {
        check_all::<f64>(&device, Strategy::RegisterRows, std::slice::from_ref(&rows));
    }
}

/// Two axes of planes that stand side by side: less than a run and more, few planes and blocks of
/// them that are not full, with other axes between and before.
mod planes {
    use super::*;
    fn check<T: RandomSample>(wavelet: Wavelet) {
        let of = |shape: &[usize], axes: [usize; 2], levels| {
            let transform = Transform::new(wavelet.clone(), shape);
            transform.axes(axes).levels(levels)
        };
        let planes = [
            of(&[2, 2, 3], [0, 1], 1),
            of(&[3, 7, 37], [0, 1], 2),
            of(&[37, 26, 9], [0, 1], 2),
            of(&[3, 24, 33, 17], [1, 2], 3),
            of(&[12, 3, 19, 5], [0, 2], 2),
            of(&[18, 9, 3, 4], [0, 1], 1),
            // As many columns as a run has with its halo, by 9/7 16, and one more or less.
            of(&[5, 15, 3], [0, 1], 1),
            of(&[5, 16, 3], [0, 1], 1),
            of(&[6, 17, 3], [0, 1], 1),
        ];
        for device in devices() {
            let planes = everywhere(planes.to_vec());
            check_all::<T>(&device, Strategy::RegisterPlanes, &planes);
        }
    }
    #[test]
    fn floats() {
        check::<f32>(Wavelet::CDF_9_7)
    }
    #[test]
    fn halves() {
        check::<f16>(Wavelet::CDF_9_7)
    }
    #[test]
    fn rounded() {
        check::<Rounded>(Wavelet::CDF_9_7)
    }
    #[test]
    fn doubles_to_one_side() {
        check::<f64>(Wavelet::DAUB_4)
    }
    #[test]
    fn pairs_by_themselves() {
        check::<f32>(Wavelet::HAAR)
    }
    #[test]
    fn shorts_of_columns_first() {
        check::<i16>(Wavelet::CDF_5_3)
    }
    #[test]
    fn integers_of_rows_first() {
        check::<i32>(Wavelet::VC2_DAUB_9_7)
    }
    #[test]
    fn shorts_with_a_pre_shift() {
        check::<i16>(Wavelet::VC2_DD_9_7)
    }
    /// Several levels in windows, of which a work-group has those of one plane.
    #[test]
    fn in_windows() {
        let of = |shape: &[usize], axes: [usize; 2], levels| {
            let transform = Transform::new(Wavelet::CDF_9_7, shape);
            transform.axes(axes).levels(levels)
        };
        let planes = [
            of(&[40, 26, 9], [0, 1], 2),
            of(&[3, 24, 33, 17], [1, 2], 3),
            of(&[66, 70, 130], [0, 1], 3),
        ];
        for device in devices() {
            let device = device.with_kind(DeviceKind::Gpu);
            let engine = Engine::new(&device).unwrap();
            // With the optimiser PoCL has them; they fit no smaller work-groups.
            let has_room = device.info().max_work_group >= 256;
            for transform in planes.iter().filter(|_| has_room) {
                let plan = engine.plan_with::<f32>(transform, Strategy::Pyramid);
                assert!(format!("{plan:?}").contains("pyramid_windows"), "{plan:?}");
            }
            check_all::<f32>(&device, Strategy::Pyramid, &planes);
            let periodic = Transform::new(Wavelet::CDF_5_3, [40, 24, 12]).axes([0, 1]);
            let periodic = periodic.levels(2).boundary(Boundary::Periodic);
            check_all::<i16>(&device, Strategy::Pyramid, &[periodic]);
        }
    }
    /// Where a border is set anew, more rows wait than fit the registers in one direction,
    /// and the plan is refused.
    #[test]
    fn shorts_of_a_long_reach() {
        check::<i16>(Wavelet::VC2_DD_13_7)
    }
    #[test]
    fn of_few_work_items() {
        let planes = Transform::new(Wavelet::CDF_5_3, [12, 19, 5]).axes([0, 1]);
        for device in devices() {
            for limit in [1, 7, 50] {
                let device = device.with_max_work_group(limit);
                check_all::<i32>(
                    &device,
                    Strategy::RegisterPlanes,
                    std::slice::from_ref(&planes),
                );
            }
        }
    }
}

/// The wavelets that differ most; `composed_as_on_cpus` has the others.
macro_rules! colours {
    ($($name:ident: $strategy:ident;)*) => {
        mod colours {
            use super::*;
            $(mod $name {
                use super::*;
                fn check<T: RandomSample>(wavelet: Wavelet) {
                    for device in devices() {
                        check_all::<T>(&device, Strategy::$strategy, &coloured(wavelet.clone()));
                    }
                }
                #[test] fn floats() { check::<f32>(Wavelet::CDF_9_7) }
                #[test] fn halves() { check::<f16>(Wavelet::CDF_9_7) }
                #[test] fn rounded() { check::<Rounded>(Wavelet::CDF_9_7) }
                #[test] fn shorts_with_a_pre_shift() { check::<i16>(Wavelet::VC2_DD_13_7) }
                #[test] fn integers_of_a_long_reach() { check::<i32>(Wavelet::VC2_FIDELITY) }
                #[test] fn integers_of_no_reach() { check::<i32>(Wavelet::VC2_HAAR_0) }
            })*
        }
    };
}

colours! {
    in_sub_groups: StreamedColours;
    in_a_loop: ColourLoop;
}
