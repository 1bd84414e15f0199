//! The example `transform`.

use super::*;

fn write_npy<T: AutoSerialize + Copy>(path: &Path, shape: &[u64], samples: &[T]) {
    let file = fs::File::create(path).unwrap();
    let options = npyz::WriteOptions::new().default_dtype().shape(shape);
    let mut writer = options.writer(file).begin_nd().unwrap();
    writer.extend(samples.iter().copied()).unwrap();
    writer.finish().unwrap();
}

fn read_npy<T: Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let bytes = fs::read(path).unwrap();
    let file = npyz::NpyFile::new(&bytes[..]).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

/// A file with this header and these bytes, whether they make sense or not.
fn raw_npy(path: &Path, header: &str, data: &[u8]) {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    fs::write(path, file).unwrap();
}

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({shape}), }}")
}

fn transform(direction: &str, input: &Path, output: &Path, options: &[&str]) -> Command {
    let mut command = example("transform");
    command.arg(direction).arg(input).arg(output).args(options);
    command
}

/// Runs a transform that must succeed; gives the line of JSON.
fn report(direction: &str, input: &Path, output: &Path, options: &[&str]) -> Value {
    let line = stdout(&mut transform(direction, input, output, options));
    assert_eq!(line.lines().count(), 1, "{line}");
    serde_json::from_str(&line).unwrap()
}

/// Samples that all four types hold.
fn samples(len: usize) -> impl Iterator<Item = i16> {
    (0..len).map(|i| ((i * 7919) % 509) as i16 - 254)
}

/// There and back, on a device and on the reference.
fn round_trips<T>(sample: &str, bound: f64)
where
    T: AutoSerialize + Deserialize + Copy + From<i16> + Into<f64>,
{
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(format!("{name}.npy"));
    let [input, device, reference, back] = ["in", "device", "reference", "back"].map(path);
    let close = |a: &Path, b: &Path| {
        let ((shape, a), (other, b)) = (read_npy::<T>(a), read_npy::<T>(b));
        assert_eq!(shape, other);
        let far = |(&a, &b): (&T, &T)| (a.into() - b.into()).abs();
        let error = a.iter().zip(&b).map(far).fold(0.0, f64::max);
        assert!(error <= bound, "{sample} {shape:?}: {error}");
    };
    for shape in [&[200][..], &[37, 50], &[3, 20, 31], &[2, 3, 13, 8]] {
        let len = shape.iter().product::<u64>() as usize;
        let samples: Vec<T> = samples(len).map(T::from).collect();
        write_npy(&input, shape, &samples);
        let options = ["--wavelet", "cdf53", "--levels", "3"];
        let on_device = report("forward", &input, &device, &options);
        assert_eq!(on_device["sample"], sample);
        assert_eq!(on_device["axes"].as_array().unwrap().len(), shape.len());
        let on_reference = [&options[..], &["--strategy", "reference"]].concat();
        report("forward", &input, &reference, &on_reference);
        close(&device, &reference);
        report("inverse", &device, &back, &options);
        close(&back, &input);
    }
}

#[test]
fn arrays_of_i16_come_back() {
    round_trips::<i16>("i16", 0.0);
}

#[test]
fn arrays_of_i32_come_back() {
    round_trips::<i32>("i32", 0.0);
}

#[test]
fn arrays_of_f32_come_back() {
    round_trips::<f32>("f32", 1e-3);
}

#[test]
fn arrays_of_f64_come_back() {
    round_trips::<f64>("f64", 1e-11);
}

/// Rounded to eleven bits by each pass; what memory holds as integers is written as integers.
#[test]
fn arrays_of_sixteen_bits_for_reals_come_back() {
    let folder = TempDir::new().unwrap();
    let [input, middle, back] = ["in.npy", "middle.npy", "back.npy"].map(|n| folder.path().join(n));
    let halves: Vec<half::f16> = samples(37 * 50)
        .map(|v| half::f16::from_f32(v.into()))
        .collect();
    write_npy(&input, &[37, 50], &halves);
    let options = ["--wavelet", "cdf97", "--levels", "3"];
    let far = |restored: Vec<f64>| {
        let far = halves
            .iter()
            .zip(restored)
            .map(|(a, b)| (a.to_f64() - b).abs());
        far.fold(0.0, f64::max)
    };
    let line = report("forward", &input, &middle, &options);
    assert_eq!(line["sample"], "f16");
    report("inverse", &middle, &back, &options);
    let restored = read_npy::<half::f16>(&back).1;
    let most = halves.iter().map(|v| v.to_f64().abs()).fold(0.0, f64::max);
    assert!(far(restored.iter().map(|v| v.to_f64()).collect()) <= most / 100.0);

    let options = ["--wavelet", "cdf97", "--levels", "3", "--sample", "rounded"];
    let line = report("forward", &input, &middle, &options);
    assert_eq!(line["sample"], "rounded");
    report("inverse", &middle, &back, &options);
    let restored = read_npy::<i16>(&back).1;
    assert!(far(restored.into_iter().map(f64::from).collect()) <= 4.0);
}

#[test]
fn options_reach_the_transform() {
    let folder = TempDir::new().unwrap();
    let [input, output] = ["in.npy", "out.npy"].map(|name| folder.path().join(name));
    let samples: Vec<i32> = samples(3 * 17 * 19).map(i32::from).collect();
    write_npy(&input, &[3, 17, 19], &samples);
    let transform = wavelift::Transform::new(wavelift::Wavelet::VC2_DD_13_7, [3, 17, 19])
        .axes([2, 1])
        .levels(2)
        .boundary(wavelift::Boundary::Zero)
        .layout(wavelift::Layout::Interleaved);
    let expected = wavelift::reference::forward(&transform, &samples).unwrap();
    for strategy in ["auto", "reference", "separable", "stepwise"] {
        let line = "--wavelet vc2-dd137 --levels 2 --axes 2,1 --boundary zero \
                    --layout interleaved --strategy";
        let mut options: Vec<&str> = line.split_whitespace().collect();
        options.push(strategy);
        let report = report("forward", &input, &output, &options);
        assert_eq!(read_npy::<i32>(&output).1, expected, "{strategy}");
        if strategy != "auto" {
            assert_eq!(report["strategy"], strategy);
        }
        assert_eq!(report["device"].is_null(), strategy == "reference");
        for key in ["build_ns", "upload_ns", "transform_ns", "download_ns"] {
            assert!(report[key].is_u64(), "{report}");
        }
    }
}

#[test]
fn the_reference_needs_no_opencl() {
    let folder = TempDir::new().unwrap();
    let [input, output] = ["in.npy", "out.npy"].map(|name| folder.path().join(name));
    write_npy(&input, &[4], &[1i16, 2, 3, 9]);
    let options = ["--strategy", "reference", "--wavelet", "cdf53"];
    let mut command = transform("forward", &input, &output, &options);
    stdout(command.without_opencl());
}

#[test]
fn samples_are_converted_by_rounding_and_saturating() {
    let folder = TempDir::new().unwrap();
    let [input, output] = ["in.npy", "out.npy"].map(|name| folder.path().join(name));
    let convert = |sample: &str| {
        let line = format!("--strategy reference --wavelet cdf53 --levels 0 --sample {sample}");
        let options: Vec<&str> = line.split_whitespace().collect();
        report("forward", &input, &output, &options);
    };
    write_npy(
        &input,
        &[8],
        &[0.5, 1.5, -0.5, 2.4, -2.6, 1e300, -1e300, f64::INFINITY],
    );
    convert("i16");
    let ends = [i16::MAX, i16::MIN, i16::MAX];
    assert_eq!(
        read_npy::<i16>(&output).1,
        [&[0, 2, 0, 2, -3][..], &ends].concat()
    );
    convert("i32");
    let ends = [i32::MAX, i32::MIN, i32::MAX];
    assert_eq!(
        read_npy::<i32>(&output).1,
        [&[0, 2, 0, 2, -3][..], &ends].concat()
    );
    convert("f32");
    let ends = [f32::MAX, f32::MIN, f32::INFINITY];
    assert_eq!(
        read_npy::<f32>(&output).1,
        [&[0.5, 1.5, -0.5, 2.4, -2.6][..], &ends].concat()
    );

    write_npy(&input, &[3], &[0u8, 200, 255]);
    convert("i16");
    assert_eq!(read_npy::<i16>(&output).1, [0, 200, 255]);
    write_npy(&input, &[3], &[i64::MIN, -5, i64::MAX]);
    convert("i32");
    assert_eq!(read_npy::<i32>(&output).1, [i32::MIN, -5, i32::MAX]);
}

#[test]
fn both_byte_orders_are_read() {
    let folder = TempDir::new().unwrap();
    let [input, output] = ["in.npy", "out.npy"].map(|name| folder.path().join(name));
    raw_npy(
        &input,
        &header("'>i4'", "2,"),
        &[0, 0, 1, 2, 255, 255, 255, 254],
    );
    let options = [
        "--strategy",
        "reference",
        "--wavelet",
        "cdf53",
        "--levels",
        "0",
    ];
    report("forward", &input, &output, &options);
    assert_eq!(read_npy::<i32>(&output), (vec![2], vec![258, -2]));
}

#[test]
fn values_beyond_a_range_are_counted() {
    let folder = TempDir::new().unwrap();
    let [input, output] = ["in.npy", "out.npy"].map(|name| folder.path().join(name));
    write_npy(
        &input,
        &[6],
        &[-40000.0, 1e9f32, 32767.4, 5.0, -0.5, 70000.0],
    );
    let count = |options: &[&str]| {
        let options = [&["--strategy", "reference", "--levels", "0"], options].concat();
        report("forward", &input, &output, &options)["saturated"].clone()
    };
    assert_eq!(count(&["--wavelet", "cdf53", "--sample", "i16"]), 3);
    assert_eq!(count(&["--sample", "f16"]), 2);
    assert_eq!(count(&["--sample", "f64"]), 0);
    assert_eq!(count(&["--sample", "f32", "--pixels", "u16"]), 3);
}

/// A picture goes into coefficients and comes back as it was.
fn picture_comes_back(picture: &image::DynamicImage, options: &[&str], sample: &str) {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [input, array, output] = ["in.png", "array.npy", "out.png"].map(path);
    picture.save(&input).unwrap();
    let forward = report("forward", &input, &array, options);
    assert_eq!(forward["sample"], sample);
    let inverse = report("inverse", &array, &output, options);
    assert_eq!(inverse["clipped"], 0);
    assert_eq!(&image::open(output).unwrap(), picture);
}

#[test]
fn pictures_come_back() {
    let value = |x: u32, y: u32, colour: u32| (x * 7919 + y * 104729 + colour * 31) >> 3;
    let rgb8 = image::RgbImage::from_fn(33, 20, |x, y| {
        image::Rgb([0, 1, 2].map(|colour| value(x, y, colour) as u8))
    });
    let grey8 = image::GrayImage::from_fn(9, 40, |x, y| image::Luma([value(x, y, 0) as u8]));
    let rgb16 = image::ImageBuffer::from_fn(21, 22, |x, y| {
        image::Rgb([0, 1, 2].map(|colour| value(x, y, colour) as u16))
    });
    let grey16 = image::ImageBuffer::from_fn(10, 10, |x, y| image::Luma([value(x, y, 0) as u16]));
    for (picture, integer) in [
        (rgb8.into(), "i16"),
        (grey8.into(), "i16"),
        (image::DynamicImage::ImageRgb16(rgb16), "i32"),
        (image::DynamicImage::ImageLuma16(grey16), "i32"),
    ] {
        picture_comes_back(
            &picture,
            &["--wavelet", "vc2-dd97", "--levels", "2"],
            integer,
        );
        picture_comes_back(&picture, &["--wavelet", "haar"], "f32");
    }
}

#[test]
fn pictures_are_clamped_and_say_so() {
    let folder = TempDir::new().unwrap();
    let [input, output] = ["in.npy", "out.png"].map(|name| folder.path().join(name));
    let write = |samples: [f32; 4]| write_npy(&input, &[2, 2], &samples);
    let options = ["--strategy", "reference", "--levels", "0"];
    write([-3.0, 0.4, 254.6, 300.0]);
    let clamped = report("inverse", &input, &output, &options);
    assert_eq!(
        (&clamped["clipped"], &clamped["bits"]),
        (&2.into(), &8.into())
    );
    assert_eq!(
        image::open(&output).unwrap().to_luma8().into_raw(),
        [0, 0, 255, 255]
    );
    write([0.0, 1.0, 2.0, 1000.0]);
    assert_eq!(report("inverse", &input, &output, &options)["bits"], 16);
    let eight = [&options[..], &["--bits", "8"]].concat();
    assert_eq!(report("inverse", &input, &output, &eight)["clipped"], 1);
}

/// A folder with an output that must stay as it is.
struct Untouched {
    folder: TempDir,
    output: PathBuf,
}

impl Untouched {
    fn new(output: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let output = folder.path().join(output);
        fs::write(&output, "precious").unwrap();
        Untouched { folder, output }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The complaint about a transform that fails and leaves nothing behind.
    fn complaint(&self, direction: &str, input: &Path, options: &str) -> String {
        let files = || fs::read_dir(self.folder.path()).unwrap().count();
        let before = files();
        let options: Vec<&str> = options.split_whitespace().collect();
        let mut command = transform(direction, input, &self.output, &options);
        let line = complaint(&mut command);
        assert_eq!(fs::read(&self.output).unwrap(), b"precious", "{line}");
        assert_eq!(files(), before, "{line}");
        line
    }
}

#[test]
fn wrong_requests_leave_the_output_alone() {
    let place = Untouched::new("out.npy");
    let [ints, floats] = ["ints.npy", "floats.npy"].map(|name| place.path(name));
    write_npy(&ints, &[4, 6], &[7i16; 24]);
    write_npy(&floats, &[4, 6], &[f32::NAN; 24]);
    for (input, options, word) in [
        (&floats, "--axes 0,0", "axes"),
        (&floats, "--axes 2", "axes"),
        (&floats, "--axes x", "--axes"),
        (&floats, "--levels 65", "64"),
        (&floats, "--levels -1", "-1"),
        (&floats, "--wavelet cdf98", "cdf97"),
        (&floats, "--wavelet ccsds97m", "integer"),
        (&ints, "--wavelet cdf97", "f32"),
        (&floats, "--boundary mirror", "symmetric"),
        (&floats, "--layout woven", "interleaved"),
        (&floats, "--sample u8", "i16"),
        (&floats, "--strategy fastest", "separable"),
        (
            &floats,
            "--strategy reference --wavelet cdf53 --sample i16",
            "NaN",
        ),
        (&floats, "--device no-such-vendor", "no-such-vendor"),
        (&floats, "--device :", "device"),
        (&floats, "--frobnicate", "frobnicate"),
        (&place.path("missing.npy"), "", "missing.npy"),
        (&place.path("file.txt"), "", ".npy"),
    ] {
        let line = place.complaint("forward", input, options);
        assert!(line.contains(word), "{options}: {line}");
    }
    let line = place.complaint("sideways", &ints, "");
    assert!(line.contains("forward"), "{line}");
    let line = complaint(&mut example("transform"));
    assert!(line.contains("<IN>"), "{line}");
}

#[test]
fn auto_needs_opencl() {
    let place = Untouched::new("out.npy");
    let input = place.path("in.npy");
    write_npy(&input, &[4], &[7f32; 4]);
    for strategy in ["auto", "separable"] {
        let options = ["--strategy", strategy];
        let mut command = transform("forward", &input, &place.output, &options);
        let line = complaint(command.without_opencl());
        assert!(line.contains("no OpenCL runtime"), "{line}");
        assert_eq!(fs::read(&place.output).unwrap(), b"precious");
    }
}

#[test]
fn broken_arrays_leave_the_output_alone() {
    let place = Untouched::new("out.npy");
    let input = place.path("in.npy");
    let fails = |word: &str| {
        let line = place.complaint("forward", &input, "--strategy reference");
        assert!(line.contains(word) && line.contains("in.npy"), "{line}");
    };
    for (descr, shape, bytes, word) in [
        ("'<f4'", "2, 3", 23, "24"),
        ("'<f4'", "2, 3", 25, "24"),
        ("'<f4'", "3,", 0, "12"),
        ("'<f4'", "1099511627776, 1099511627776", 8, "larger"),
        ("'<f4'", "4294967296, 4294967296, 0", 8, "larger"),
        ("'<f4'", "1000000000000,", 8, "4000000000000"),
        ("'<f4'", "99999999999999999999999,", 8, "axis"),
        ("'<f4'", "-1,", 8, "axis"),
        ("'<f4'", "2, x", 8, "axis"),
        ("'|i1'", "8,", 8, "--sample"),
        ("'<i8'", "1,", 8, "--sample"),
        ("'<c8'", "1,", 8, "<c8"),
        ("'f4'", "2,", 8, "f4"),
        ("'é4'", "2,", 8, "4"),
        ("''", "2,", 8, "dtype"),
        ("[('x', '<f4'), ('y', '<f4')]", "1,", 8, "structured"),
        ("7", "1,", 8, "descr"),
    ] {
        raw_npy(&input, &header(descr, shape), &vec![1; bytes]);
        fails(word);
    }
    for (shape, bytes) in [("", 4), ("0,", 0), ("1, 1, 1, 1, 1", 4)] {
        raw_npy(&input, &header("'<f4'", shape), &vec![1; bytes]);
        let line = place.complaint("forward", &input, "--strategy reference");
        assert!(line.contains("shape"), "{line}");
    }
    for (text, word) in [
        (
            "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }",
            "Fortran",
        ),
        (
            "{'descr': '<f4', 'fortran_order': 7, 'shape': (1,), }",
            "fortran_order",
        ),
        ("{'descr': '<f4', 'fortran_order': False, }", "shape"),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': 1 }",
            "shape",
        ),
        ("((((((((((", "descr"),
    ] {
        raw_npy(&input, text, &[0; 4]);
        fails(word);
    }
    for (file, word) in [
        (&b""[..], "magic"),
        (b"PK\x03\x04 an archive", "magic"),
        (b"\x93NUMPY\x01", "header"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "header"),
        (b"\x93NUMPY\x09\x00\x01\x00{", "version"),
        (b"\x93NUMPY\x01\x00\x01\x00\xff", "text"),
    ] {
        fs::write(&input, file).unwrap();
        fails(word);
    }
    fs::remove_file(&input).unwrap();
    fs::create_dir(&input).unwrap();
    fails("file");
}

#[test]
fn pictures_that_would_lose_something_are_refused() {
    let place = Untouched::new("out.png");
    let [picture, array] = ["in.png", "in.npy"].map(|name| place.path(name));
    let fails = |direction: &str, input: &Path, word: &str| {
        let line = place.complaint(direction, input, "--strategy reference");
        assert!(line.contains(word), "{line}");
    };
    image::GrayImage::new(4, 4).save(&picture).unwrap();
    fails("forward", &picture, "coefficients");
    write_npy(&array, &[2, 4, 4], &[1f32; 32]);
    fails("inverse", &array, "shape");
    write_npy(&array, &[4, 4], &[f32::NAN; 16]);
    fails("inverse", &array, "NaN");
    fs::write(&picture, "no picture").unwrap();
    fails("inverse", &picture, "in.png");

    let place = Untouched::new("out.npy");
    image::RgbaImage::new(4, 4).save(&picture).unwrap();
    let line = place.complaint("forward", &picture, "--strategy reference");
    assert!(line.contains("alpha"), "{line}");
    image::ImageBuffer::<image::Luma<u16>, Vec<u16>>::new(4, 4)
        .save(&picture)
        .unwrap();
    let options = "--strategy reference --wavelet cdf53 --pixels u16 --sample i16";
    let line = place.complaint("forward", &picture, options);
    assert!(line.contains("u16 pixels"), "{line}");
    let place = Untouched::new("out.jpg");
    let line = place.complaint("inverse", &array, "--strategy reference");
    assert!(line.contains("JPEG"), "{line}");
}

#[test]
fn an_output_that_can_not_be_written_is_an_error() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.npy");
    write_npy(&input, &[4], &[1f32; 4]);
    let missing = folder.path().join("missing").join("out.npy");
    let taken = folder.path().join("folder.npy");
    fs::create_dir(&taken).unwrap();
    for output in [&missing, &taken] {
        let options = ["--strategy", "reference"];
        let line = complaint(&mut transform("forward", &input, output, &options));
        assert!(line.contains(output.to_str().unwrap()), "{line}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
#[cfg(target_os = "linux")]
fn a_report_that_nobody_gets_is_an_error() {
    let place = Untouched::new("out.npy");
    let input = place.path("in.npy");
    write_npy(&input, &[4], &[1f32; 4]);
    let options = ["--strategy", "reference"];
    let mut command = transform("forward", &input, &place.output, &options);
    let full = fs::File::create("/dev/full").unwrap();
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&place.output).unwrap(), b"precious");
}

#[test]
fn a_file_may_become_its_own_transform() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file.npy");
    write_npy(&file, &[5], &[1i32, 2, 3, 4, 9]);
    let options = [
        "--strategy",
        "reference",
        "--wavelet",
        "cdf53",
        "--levels",
        "1",
    ];
    report("forward", &file, &file, &options);
    assert_eq!(read_npy::<i32>(&file).1, [1, 3, 8, 0, -2]);
}

/// From file to file in tiles, as arrays in memory go.
#[test]
fn tiles_from_file_to_file() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [input, whole, tiles] = ["in.npy", "whole.npy", "tiles.npy"].map(path);
    let samples: Vec<i16> = samples(900 * 701).collect();
    write_npy(&input, &[900, 701], &samples);
    let options = ["--wavelet", "cdf53", "--levels", "3"];
    let in_tiles = [&options[..], &["--memory", "1"]].concat();
    report("forward", &input, &whole, &options);
    let line = report("forward", &input, &tiles, &in_tiles);
    assert_eq!(line["strategy"], "tiles");
    assert_eq!(read_npy::<i16>(&tiles), read_npy::<i16>(&whole));
    report("inverse", &tiles, &tiles, &in_tiles);
    assert_eq!(read_npy::<i16>(&tiles), read_npy::<i16>(&input));

    // The same without headers.
    let raw = path("samples.raw");
    let bytes: Vec<u8> = samples.iter().flat_map(|v| v.to_ne_bytes()).collect();
    fs::write(&raw, &bytes).unwrap();
    let of_raw = ["--shape", "900x701", "--sample", "i16"];
    let of_raw = [&options[..], &of_raw].concat();
    report("forward", &raw, &tiles, &of_raw);
    assert_eq!(read_npy::<i16>(&tiles), read_npy::<i16>(&whole));
    report("inverse", &tiles, &raw, &options);
    assert_eq!(fs::read(&raw).unwrap(), bytes);

    let refused = |input: &Path, options: &[&str], why: &str| {
        let line = complaint(&mut transform("forward", input, &tiles, options));
        assert!(line.contains(why), "{line}");
    };
    refused(&raw, &options, "--shape");
    refused(&raw, &["--shape", "900x700", "--sample", "i16"], "bytes");
    let more = "4294967296x4294967296x4";
    refused(&raw, &["--shape", more, "--sample", "i16"], "axes");
    refused(&input, &["--memory", "1", "--sample", "f32"], "conversion");
    refused(&input, &["--shape", "900x701"], "--shape");
    let other = path("other.npy");
    let fortran = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 2), }";
    for (text, why) in [
        (fortran, "Fortran"),
        (&header("'>i2'", "2, 2"), "conversion"),
    ] {
        raw_npy(&other, text, &[0; 8]);
        refused(&other, &in_tiles, why);
    }
    fs::remove_file(&other).unwrap();
    refused(
        &input,
        &["--memory", "1", "--strategy", "reference"],
        "planner",
    );
    refused(&input, &["--memory", "1", "--pixels", "u8"], "pixels");
    refused(&input, &["--memory", "1", "--level-shift", "1"], "pixels");
    refused(&input, &["--bits", "8"], "picture");
    fs::write(&input, &fs::read(&input).unwrap()[..1000]).unwrap();
    refused(&input, &in_tiles, "bytes");
    assert_eq!(folder.path().read_dir().unwrap().count(), 4);
}
