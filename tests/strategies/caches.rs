//! Strategies of CPUs beyond one tile, strip or cache.

use super::*;

/// Wider and higher than one work-item takes.
#[test]
fn several_strips_and_bands_of_vectors() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Cpu);
        for strategy in [Strategy::SingleLoop, Strategy::Vectors] {
            let picture = |wavelet| Transform::new(wavelet, [300, 8601]).levels(2);
            check_all::<f32>(&device, strategy, &[picture(Wavelet::CDF_9_7)]);
            check_all::<i16>(&device, strategy, &[picture(Wavelet::CDF_5_3)]);
        }
    }
}

/// Lines that are lifted in the caches level by level: more and fewer than a vector has elements,
/// of all lengths that go there, beside others in volumes, and with results past the caches.
mod rows_in_the_caches {
    use super::*;

    fn check_rows<T: RandomSample>(wavelet: Wavelet) {
        let rows = |shape: &[usize], axes: &[usize], levels| {
            let transform = Transform::new(wavelet.clone(), shape);
            transform.axes(axes.to_vec()).levels(levels)
        };
        let mut transforms = everywhere(vec![
            rows(&[100, 5], &[1], 2),
            rows(&[37, 61], &[1], 3),
            rows(&[16, 64], &[1], 1),
            rows(&[16, 128], &[1], 64),
            rows(&[17, 255], &[1], 4),
            rows(&[33, 256], &[1], 5),
            // So far, where their borders follow the rule at every step, and in 16 bits.
            rows(&[16, 128], &[1], 1),
            rows(&[17, 511], &[1], 4),
            rows(&[33, 512], &[1], 5),
            rows(&[20, 1001], &[1], 3),
            rows(&[5, 21, 70], &[0, 2], 3),
            // Lines with few neighbours.
            rows(&[17, 50, 3], &[1], 2),
            rows(&[12, 9, 8], &[1, 2], 2),
            // As many as a vector has elements, and some more.
            rows(&[3, 70, 16], &[1], 2),
            rows(&[3, 70, 19], &[1], 2),
        ]);
        // So long ones go there where coefficients stay in place.
        transforms.push(rows(&[65, 1501], &[1], 3).layout(Layout::Interleaved));
        for device in devices() {
            let device = device.with_kind(DeviceKind::Cpu);
            if !computes("rows in the caches", &device, T::TYPE) {
                continue;
            }
            let (name, sample) = (&device.info().name, T::TYPE);
            for sizes in ["VECTOR=8", "VECTOR=16 CACHED=1"] {
                let line = format!("{name} | vectors | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for (seed, transform) in transforms.iter().enumerate() {
                    check::<T>(&engine, Strategy::Vectors, transform, seed as u64);
                }
            }
        }
    }

    #[test]
    fn floats() {
        check_rows::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn doubles_to_one_side() {
        check_rows::<f64>(Wavelet::DAUB_4);
    }

    #[test]
    fn shorts_with_a_pre_shift() {
        check_rows::<i16>(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn integers_of_a_long_reach() {
        check_rows::<i32>(Wavelet::VC2_FIDELITY);
    }
}

/// Rows that are too few for the caches, of any number of whole vectors and with any rest; long ones
/// in segments, of which the last may be one pair; and many for a work-item.
mod rows_in_vectors {
    use super::*;

    fn check_rows<T: RandomSample>(wavelet: Wavelet) {
        let short = (2..36).chain([63, 64, 65, 95, 96, 97, 128, 131]);
        let shapes = short.map(|samples| [5, samples]);
        let long = [[1, 4095], [1, 4096], [2, 6145], [3, 20_000], [1, 20_001]];
        let shapes: Vec<_> = shapes.chain(long).collect();
        let in_many_segments = [[1, 139_392], [1, 139_393]];
        let together = [[40, 131], [19, 142]];
        for device in devices() {
            let device = device.with_kind(DeviceKind::Cpu);
            if !computes("rows in vectors", &device, T::TYPE) {
                continue;
            }
            let (name, sample) = (&device.info().name, T::TYPE);
            for sizes in ["VECTOR=8", "VECTOR=16 CACHED=1"] {
                let line = format!("{name} | vectors | {sample} | {sizes} wavelet={wavelet}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for &boundary in Boundary::ALL {
                    let rows = |shape: [usize; 2]| {
                        let rows = Transform::new(wavelet.clone(), shape).axes([1]);
                        rows.boundary(boundary)
                    };
                    for &shape in &shapes {
                        check::<T>(&engine, Strategy::Vectors, &rows(shape), shape[1] as u64);
                    }
                    let interleaved = rows([3, 20_000]).layout(Layout::Interleaved);
                    check::<T>(&engine, Strategy::Vectors, &interleaved, 7);
                    for (units, shapes) in [(1000, in_many_segments), (1, together)] {
                        let device = device.with_compute_units(units);
                        let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                        for shape in shapes {
                            check::<T>(&engine, Strategy::Vectors, &rows(shape), 3);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn floats() {
        check_rows::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn doubles_to_one_side() {
        check_rows::<f64>(Wavelet::DAUB_4);
    }

    #[test]
    fn shorts_with_a_pre_shift() {
        check_rows::<i16>(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn integers_of_a_long_reach() {
        check_rows::<i32>(Wavelet::VC2_FIDELITY);
    }

    #[test]
    fn halves() {
        check_rows::<f16>(Wavelet::CDF_5_3);
    }
}

/// As large arrays are, of which results go past the caches: from rows that start anywhere, in
/// strips of any width, some all overlap.
mod past_the_caches {
    use super::*;

    fn check_in_vectors<T: RandomSample>(wavelet: Wavelet) {
        for device in devices() {
            if computes("f64 past the caches", &device, T::TYPE) {
                check_on::<T>(&device.with_kind(DeviceKind::Cpu), wavelet.clone());
            }
        }
    }

    fn check_on<T: RandomSample>(device: &Device, wavelet: Wavelet) {
        for (strategy, sizes) in [
            (Strategy::Vectors, "VECTOR=8"),
            (Strategy::Vectors, "VECTOR=16"),
            (Strategy::SingleLoop, "VECTOR=8 STRIP=32"),
            (Strategy::SingleLoop, "VECTOR=8 STRIP=4096"),
            (Strategy::SingleLoop, "VECTOR=16 STRIP=16"),
            (Strategy::SingleLoop, "VECTOR=16 STRIP=4096"),
        ] {
            // Rows of 4096 samples are for the caches of CPUs: a GPU's local memory is too small.
            let what = format!("{strategy} of {} past the caches, {sizes}", T::TYPE);
            let has_memory = |info: &DeviceInfo| info.local_memory >= 64 << 10;
            if strategy == Strategy::SingleLoop
                && !can_run(&what, device, "local-memory", has_memory)
            {
                continue;
            }
            // As close to the device as what comes with the library.
            let (name, sample) = (&device.info().name, T::TYPE);
            let line =
                format!("{name} | {strategy} | {sample} | CACHED=1 {sizes} wavelet={wavelet}");
            let engine = Engine::new(device).unwrap().with_tuning(&line).unwrap();
            // Nothing below a KiB stays in the caches; of 140 rows there are several blocks.
            let pictures = [
                64, 65, 97, 450, 481, 488, 490, 495, 496, 1011, 1023, 1025, 1088, 1207, 2003,
            ]
            .map(|width| [34, width]);
            for shape in pictures.into_iter().chain([[140, 495]]) {
                let transform =
                    Transform::new(wavelet.clone(), shape).boundary(Boundary::Symmetric);
                for &layout in Layout::ALL {
                    check::<T>(&engine, strategy, &transform.clone().layout(layout), 7);
                }
            }
            // Periodic rows end in a strip that is not narrow.
            if strategy == Strategy::SingleLoop && !sizes.ends_with("STRIP=16") {
                for shape in [
                    [4, 505],
                    [34, 506],
                    [34, 512],
                    [35, 511],
                    [140, 511],
                    [141, 512],
                ] {
                    let transform = Transform::new(wavelet.clone(), shape);
                    check::<T>(
                        &engine,
                        strategy,
                        &transform.boundary(Boundary::Periodic),
                        7,
                    );
                }
            }
        }
    }

    #[test]
    fn floats() {
        check_in_vectors::<f32>(Wavelet::CDF_9_7);
    }

    #[test]
    fn doubles() {
        check_in_vectors::<f64>(Wavelet::CDF_9_7);
    }

    #[test]
    fn integers_of_a_long_reach() {
        check_in_vectors::<i32>(Wavelet::VC2_FIDELITY);
    }

    #[test]
    fn shorts_along_y_first() {
        check_in_vectors::<i16>(Wavelet::CDF_5_3);
    }

    #[test]
    fn shorts_along_x_first() {
        check_in_vectors::<i16>(Wavelet::VC2_DD_13_7);
    }

    #[test]
    fn halves() {
        check_in_vectors::<f16>(Wavelet::CDF_9_7);
    }

    /// The devices that have local memory for rows as CPUs have them, as CPUs.
    fn as_cpus(what: &str) -> Vec<Device> {
        let has_memory = |info: &DeviceInfo| info.local_memory >= 64 << 10;
        let can_run = |device: &Device| can_run(what, device, "local-memory", has_memory);
        let devices = devices().into_iter().filter(can_run);
        devices
            .map(|device| device.with_kind(DeviceKind::Cpu))
            .collect()
    }

    /// Stores of two vectors at once start at a border, and at strips of any number of vectors.
    fn check_pairs_of_vectors<T: RandomSample>(wavelet: Wavelet) {
        for device in as_cpus("two vectors at once") {
            for sizes in [
                "VECTOR=8 STRIP=4096",
                "VECTOR=8 STRIP=40",
                "VECTOR=16 STRIP=80",
            ] {
                let line = format!("cpu | single_loop | {} | CACHED=1 {sizes}", T::TYPE);
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for boundary in [Boundary::Symmetric, Boundary::Zero, Boundary::Periodic] {
                    let picture = Transform::new(wavelet.clone(), [34, 1024]).boundary(boundary);
                    check::<T>(&engine, Strategy::SingleLoop, &picture, 7);
                }
            }
        }
    }

    #[test]
    fn two_vectors_of_halves() {
        check_pairs_of_vectors::<f16>(Wavelet::CDF_9_7);
    }

    #[test]
    fn two_vectors_of_shorts() {
        check_pairs_of_vectors::<i16>(Wavelet::CDF_5_3);
    }

    /// A vector of three colours has more places than pixels fill: beyond them it must
    /// not overwrite the border.
    #[test]
    fn borders_apart_beside_vectors_that_pixels_do_not_fill() {
        for device in as_cpus("borders apart") {
            for vector in [8, 16] {
                let line = format!("cpu | colour_loop | i32 | VECTOR={vector}");
                let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
                for boundary in [Boundary::Zero, Boundary::Clamp] {
                    for wavelet in [Wavelet::VC2_DD_9_7, Wavelet::VC2_DD_13_7] {
                        for order in [[0, 1], [1, 0]] {
                            let picture =
                                Transform::new(wavelet.clone(), [120, 120, 3]).axes(order);
                            let picture = picture.boundary(boundary);
                            check::<i32>(&engine, Strategy::ColourLoop, &picture, 7);
                        }
                    }
                }
            }
        }
    }

    const TWO_PIXELS: &str = "VECTOR=8 STRIP=10";

    /// Strips of 10 pairs and of 20 end within a vector of memory.
    fn check_pixels<T: RandomSample>(wavelet: Wavelet, colours: usize, sizes: &str) {
        let is_cpu = |device: &Device| device.info().kind == DeviceKind::Cpu;
        for device in devices().into_iter().filter(is_cpu) {
            let (name, sample) = (&device.info().name, T::TYPE);
            let line = format!("{name} | colour_loop | {sample} | CACHED=1 {sizes}");
            let engine = Engine::new(&device).unwrap().with_tuning(&line).unwrap();
            let pictures = [[34, 161], [35, 164], [34, 167], [140, 172]].map(|[height, width]| {
                Transform::new(wavelet.clone(), [height, width, colours]).axes([0, 1])
            });
            let interleaved = pictures.clone().map(|one| one.layout(Layout::Interleaved));
            // Whose borders are lifted apart, and which go on with the other end.
            let zero = pictures[3].clone().boundary(Boundary::Zero);
            let periodic = [140, 141].map(|height| {
                let picture = Transform::new(wavelet.clone(), [height, 172, colours]);
                picture.axes([0, 1]).boundary(Boundary::Periodic)
            });
            let others = [zero].into_iter().chain(periodic);
            for transform in pictures.into_iter().chain(interleaved).chain(others) {
                check::<T>(&engine, Strategy::ColourLoop, &transform, 7);
            }
        }
    }

    #[test]
    fn three_floats_in_a_pixel() {
        check_pixels::<f32>(Wavelet::CDF_9_7, 3, TWO_PIXELS);
    }

    #[test]
    fn four_floats_in_a_pixel() {
        check_pixels::<f32>(Wavelet::CDF_9_7, 4, "VECTOR=16 STRIP=20");
    }

    #[test]
    fn floats_of_which_a_pixel_leaves_some_of_a_vector() {
        check_pixels::<f32>(Wavelet::CDF_9_7, 11, "VECTOR=16 STRIP=20");
    }

    /// A border is more than the strip that is at it.
    #[test]
    fn integers_of_a_long_reach_in_narrow_strips() {
        for device in as_cpus("narrow strips") {
            let line = "cpu | colour_loop | i32 | VECTOR=8 STRIP=14";
            let engine = Engine::new(&device).unwrap().with_tuning(line).unwrap();
            for shape in [[37, 53, 3], [34, 161, 3], [140, 172, 3]] {
                let picture = Transform::new(Wavelet::VC2_FIDELITY, shape).axes([0, 1]);
                check::<i32>(&engine, Strategy::ColourLoop, &picture, 7);
            }
        }
    }

    #[test]
    fn shorts_of_which_two_pixels_leave_some_of_a_vector() {
        check_pixels::<i16>(Wavelet::CDF_5_3, 7, "VECTOR=16 STRIP=20");
    }

    #[test]
    fn three_shorts_in_a_pixel_along_x_first() {
        check_pixels::<i16>(Wavelet::VC2_DD_13_7, 3, "VECTOR=16 STRIP=20");
    }

    #[test]
    fn three_shorts_in_a_pixel_along_y_first() {
        check_pixels::<i16>(Wavelet::CDF_5_3, 3, TWO_PIXELS);
    }
}

/// A work-group of a CPU, which wants few, goes on for several tiles or windows.
#[test]
fn passes_of_several_tiles_and_windows() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Cpu);
        for strategy in Strategy::each_pass() {
            for &layout in Layout::ALL {
                let picture = Transform::new(Wavelet::CDF_9_7, [301, 1030]).layout(layout);
                check_all::<f32>(&device, strategy, &[picture]);
            }
        }
    }
}
