//! The examples, run as a user runs them.

use npyz::{AutoSerialize, Deserialize, WriterBuilder};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

// `cargo test` runs no unit tests of programs; those of these files run here.
#[path = "../examples/tune/line.rs"]
mod line;
#[allow(dead_code, reason = "the program uses all of it")]
#[path = "../examples/tune/search.rs"]
mod search;

/// An example, which cargo builds next to the tests.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = profile.join("examples").join(file);
    assert!(
        path.is_file(),
        "{} is missing: a plain `cargo test` builds it, as does `cargo build --examples`",
        path.display()
    );
    let mut command = Command::new(path);
    command.env_remove("RUST_LOG");
    command
}

trait Without {
    fn without_opencl(&mut self) -> &mut Self;
}

impl Without for Command {
    /// The loader finds no platform.
    fn without_opencl(&mut self) -> &mut Self {
        self.env_remove("OPENCL_DYLIB_PATH")
            .env("OCL_ICD_VENDORS", "/nonexistent")
    }
}

/// What a run that must succeed printed.
fn stdout(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a run that must fail complained of, in one line.
fn complaint(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(2), "{command:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{command:?}: {stderr}");
    stderr
}

mod devices {
    use super::*;

    #[test]
    fn the_table_marks_what_would_be_picked() {
        let table = stdout(&mut example("devices"));
        let marked = table.lines().filter(|line| line.starts_with('*')).count();
        assert_eq!(marked, 1, "{table}");
        assert!(table.contains("platform") && table.contains("picked for"));
    }

    #[test]
    fn without_a_match_the_table_is_still_shown() {
        let mut command = example("devices");
        command.args(["--device", "no-such-vendor"]);
        let output = command.output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(
            table.contains("platform") && !table.contains("\n*"),
            "{table}"
        );
        assert!(complaint(&mut command).contains("no-such-vendor"));
    }

    #[test]
    fn without_opencl_it_says_what_to_install() {
        assert!(complaint(example("devices").without_opencl()).contains("pocl"));
    }
}

mod decompose {
    use super::*;

    const BUNDLED: [(&str, (u32, u32)); 2] = [
        ("astronaut", (512, 512)),
        ("hubble_deep_field", (1000, 872)),
    ];

    /// The ratios in decibels that were printed.
    fn ratios(report: &str) -> Vec<f64> {
        let after = report.split("PSNR").skip(1);
        let words = after.map(|rest| rest.split_whitespace().next().unwrap());
        words.map(|word| word.parse().unwrap()).collect()
    }

    fn check(command: &mut Command, out: &Path) -> Vec<f64> {
        let report = stdout(command.arg("--out").arg(out));
        for (name, size) in BUNDLED {
            for what in ["mosaic", "5-percent", "1-percent"] {
                let path = out.join(format!("{name}-{what}.png"));
                assert_eq!(image::image_dimensions(path).unwrap(), size);
            }
            let mosaic = image::open(out.join(format!("{name}-mosaic.png"))).unwrap();
            let corner = mosaic.to_luma8();
            let corner = corner
                .enumerate_pixels()
                .filter(|(x, y, _)| 2 * x > size.0 && 2 * y > size.1);
            let corner: Vec<f64> = corner.map(|(_, _, value)| value[0].into()).collect();
            let mean = corner.iter().sum::<f64>() / corner.len() as f64;
            assert!(
                (mean - 128.0).abs() < 4.0,
                "HH of {name} is not about mid-grey: {mean}"
            );
        }
        for word in ["device", "strategy", "upload", "transform", "download"] {
            assert!(report.contains(word), "{report}");
        }
        assert_eq!(report.matches("lossless").count(), 2, "{report}");
        let ratios = ratios(&report);
        assert_eq!(ratios.len(), 4, "{report}");
        for pair in ratios.chunks(2) {
            assert!(
                pair[0] > 30.0 && pair[1] > 24.0 && pair[0] > pair[1],
                "{report}"
            );
        }
        ratios
    }

    #[test]
    fn the_reference_shows_the_same_as_a_device() {
        let folder = TempDir::new().unwrap();
        let path = |name| folder.path().join(name);
        let device = check(&mut example("decompose"), &path("device"));
        let mut command = example("decompose");
        let reference = check(command.without_opencl(), &path("reference"));
        for (a, b) in device.iter().zip(&reference) {
            assert!((a - b).abs() < 0.05, "{device:?} {reference:?}");
        }
    }

    #[test]
    fn without_opencl_it_says_so() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("dot.png");
        image::GrayImage::new(1, 1).save(&path).unwrap();
        let mut command = example("decompose");
        command
            .without_opencl()
            .arg(&path)
            .arg("--out")
            .arg(folder.path());
        let report = stdout(&mut command);
        assert!(report.contains("no OpenCL runtime") && report.contains("strategy reference"));
    }

    #[test]
    fn pictures_of_any_size_and_kind_are_taken() {
        let folder = TempDir::new().unwrap();
        for (width, height) in [(1, 1), (1, 7), (3, 2), (65, 33)] {
            let path = folder.path().join(format!("{width}x{height}.png"));
            let pixel = |x, y| image::Luma([(x * 7919 + y * 104729) as u16]);
            image::ImageBuffer::from_fn(width, height, pixel)
                .save(&path)
                .unwrap();
            stdout(
                example("decompose")
                    .arg(&path)
                    .arg("--out")
                    .arg(folder.path()),
            );
            let mosaic = folder.path().join(format!("{width}x{height}-mosaic.png"));
            assert_eq!(image::image_dimensions(mosaic).unwrap(), (width, height));
        }
    }

    #[test]
    fn what_is_no_picture_is_an_error() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("text.png");
        fs::write(&path, "no picture").unwrap();
        let mut command = example("decompose");
        command.arg(&path).arg("--out").arg(folder.path());
        assert!(complaint(&mut command).contains("text.png"));
        let mut command = example("decompose");
        command
            .args(["--device", "no-such-vendor", "--out"])
            .arg(folder.path());
        assert!(complaint(&mut command).contains("no-such-vendor"));
    }
}

mod transform {
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
        let grey16 =
            image::ImageBuffer::from_fn(10, 10, |x, y| image::Luma([value(x, y, 0) as u16]));
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
            ("'|u1'", "8,", 8, "--sample"),
            ("'<i8'", "1,", 8, "--sample"),
            ("'<f2'", "4,", 8, "<f2"),
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
}

mod benchmark {
    use super::*;

    fn benchmark(options: &str) -> Command {
        let mut command = example("benchmark");
        command.args(options.split_whitespace());
        command
    }

    #[test]
    fn rows_hold_what_was_measured() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("rows.json");
        let mut command = benchmark(
            "--sizes 64,33x17 --wavelets cdf53,cdf97 --samples i16,f32 --levels 1,2 \
             --strategies auto,stepwise --json",
        );
        let table = stdout(command.arg(&path));
        let rows: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let rows = rows.as_array().unwrap();
        // Three of the four pairs of wavelet and sample exist.
        let per_device = 3 * 2 * 2 * 2 * 2;
        let devices = wavelift::Device::all().unwrap().len();
        assert_eq!(rows.len(), per_device * devices, "{table}");
        // A line for each device, the heading, the rows, a note.
        let lines = devices + 1 + rows.len() + 1;
        assert_eq!(table.lines().count(), lines, "{table}");
        rows.iter().for_each(check);
    }

    fn check(row: &Value) {
        for key in [
            "platform",
            "device",
            "strategy",
            "wavelet",
            "sample",
            "direction",
        ] {
            assert!(row[key].is_string(), "{row}");
        }
        let number = |key: &str| row[key].as_u64().expect(key);
        let [runs, median, copy] = ["runs", "median_ns", "copy_median_ns"].map(number);
        assert!(runs >= 20 && [1, 2].contains(&number("levels")), "{row}");
        let shapes = [[64, 64], [17, 33]].map(|shape| Value::from(shape.to_vec()));
        assert!(shapes.contains(&row["shape"]), "{row}");
        assert!(
            number("min_ns") <= median && number("wall_median_ns") > 0,
            "{row}"
        );
        let share = copy as f64 / median as f64;
        assert!(
            (row["of_copy"].as_f64().unwrap() - share).abs() < 1e-9,
            "{row}"
        );
    }

    #[test]
    fn a_comparison_shows_all_strategies_side_by_side() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("rows.json");
        let mut command = benchmark(
            "--sizes 64 --wavelets cdf53 --samples i16 --levels 1 --directions forward --compare --json",
        );
        let report = stdout(command.arg(&path));
        let mut lines = report.lines().skip_while(|line| !line.contains("wavelet"));
        let heading = lines.next().unwrap();
        for strategy in wavelift::Strategy::ALL {
            assert!(heading.contains(&format!("{strategy} us")), "{report}");
        }
        let devices = wavelift::Device::all().unwrap().len();
        let rows: Vec<&str> = lines.collect();
        assert_eq!(rows.len(), devices, "{report}");
        for row in rows {
            assert_eq!(row.matches('*').count(), 1, "{report}");
        }
        let rows: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for row in rows.as_array().unwrap() {
            let seconds = row["median_ns"].as_f64().unwrap() / 1e9;
            let bytes = row["bytes_per_second"].as_f64().unwrap() * seconds;
            assert!((bytes - (2 * 64 * 64 * 2) as f64).abs() < 0.5, "{row}");
        }
    }

    #[test]
    fn a_comparison_is_of_the_named_strategies() {
        let report = stdout(&mut benchmark(
            "--sizes 64 --wavelets haar --samples f32 --levels 1 --batch 2 --compare \
             --strategies stepwise,auto",
        ));
        assert!(
            report.contains("stepwise us") && report.contains("auto us"),
            "{report}"
        );
        assert!(!report.contains("separable"), "{report}");
    }

    #[test]
    fn what_a_wavelet_has_no_steps_for_is_left_out_with_a_note() {
        let table = stdout(&mut benchmark(
            "--sizes 16 --wavelets cdf97,vc2-haar1 --samples i32,f64 --levels 1 --batch 3",
        ));
        assert!(table.contains("cdf97 has no steps for i32"), "{table}");
        assert!(table.contains("vc2-haar1 has no steps for f64"), "{table}");
        assert!(table.contains("[3, 16, 16]"), "{table}");
    }

    #[test]
    fn wrong_requests_are_errors() {
        for (options, word) in [
            ("--sizes 0", "--sizes"),
            ("--sizes 4096x", "--sizes"),
            ("--sizes 1000000000", "memory"),
            ("--sizes 8 --runs 19", "20"),
            ("--sizes 8 --levels 65", "64"),
            ("--sizes 8 --wavelets cdf98", "cdf97"),
            ("--sizes 8 --strategies reference", "auto"),
            ("--sizes 8 --device no-such-vendor", "no-such-vendor"),
            ("--sizes 8 --batch 0", "--batch"),
        ] {
            let line = complaint(&mut benchmark(options));
            assert!(line.contains(word), "{options}: {line}");
        }
        let line = complaint(benchmark("--sizes 8").without_opencl());
        assert!(line.contains("no OpenCL runtime"), "{line}");
    }
}

mod tune {
    use super::*;

    const PICTURE: &str = "--size 64 --samples i16 --wavelets cdf53 --directions forward";

    fn tune(options: &str, sizes: &str) -> Command {
        let mut command = example("tune");
        command.args(options.split_whitespace());
        command
            .args(["--sizes", sizes])
            .env_remove("WAVELIFT_TUNING");
        command
    }

    /// What a state file holds.
    fn trials(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    }

    fn write(path: &Path, trials: &[Value]) {
        let lines = trials.iter().map(|trial| format!("{trial}\n"));
        fs::write(path, lines.collect::<String>()).unwrap();
    }

    #[test]
    fn each_size_is_tried_and_the_rest_is_comment_or_tuning() {
        for (strategy, sizes) in [
            ("streamed", "PAIRS=2,8 AHEAD=1"),
            ("single_loop", "VECTOR=8,16 BAND=8"),
        ] {
            let options = format!("{PICTURE} --strategies {strategy}");
            let report = stdout(&mut tune(&options, sizes));
            let tried = |word: &str| report.lines().any(|line| line.contains(word));
            assert!(tried("(defaults)"), "{report}");
            for name in sizes
                .split_whitespace()
                .map(|word| word.split_once('=').unwrap().0)
            {
                assert!(tried(&format!("{name}=")), "{report}");
            }
            let after = report.lines().skip_while(|line| !line.starts_with('#'));
            let lines: String = after.map(|line| format!("{line}\n")).collect();
            assert!(
                lines.contains(&format!("# {strategy} i16 cdf53 forward: ")),
                "{report}"
            );
            for device in wavelift::Device::all().unwrap() {
                let engine = wavelift::Engine::new(&device).unwrap();
                engine.with_tuning(&lines).unwrap();
            }
        }
    }

    #[test]
    fn a_rerun_measures_only_what_is_missing() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("state.jsonl");
        let options = format!("{PICTURE} --strategies single_loop");
        let run = || stdout(tune(&options, "BAND=8,16").arg("--state").arg(&path));
        run();
        let first = trials(&path);
        assert!(first.len() >= 3, "{first:?}");

        // As if one variant were the best: what is in the file is believed.
        let mut state = Vec::new();
        for (sizes, time) in [("", 20_000), ("BAND=8", 10_000), ("BAND=16", 21_000)] {
            for again in [false, true] {
                let mut trial = first[0].clone();
                trial["variant"]["sizes"] = sizes.into();
                trial["variant"]["again"] = again.into();
                trial["median_ns"] = time.into();
                trial["copy_median_ns"] = 50_000.into();
                state.push(trial);
            }
        }
        write(&path, &state);
        let report = run();
        assert_eq!(trials(&path), state);
        let tuned: Vec<&str> = report.lines().filter(|line| line.contains(" | ")).collect();
        let [line] = tuned.as_slice() else {
            panic!("{report}")
        };
        assert!(line.ends_with("| single_loop | i16 | BAND=8 wavelet=cdf53 direction=forward"));
        assert!(
            report.contains("5.000 of copy, the defaults 2.500"),
            "{report}"
        );

        // The line is one that programs take.
        let tuning = folder.path().join("tuning.txt");
        fs::write(&tuning, &report[report.find('#').unwrap()..]).unwrap();
        let options =
            "--sizes 64 --wavelets cdf53 --samples i16 --levels 1 --strategies single_loop";
        let mut command = example("benchmark");
        command.args(options.split_whitespace());
        stdout(command.env("WAVELIFT_TUNING", &tuning));

        // What is missing is measured, and only that; half a line is missing too.
        write(&path, &state[..4]);
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str(&state[4].to_string()[..40]);
        fs::write(&path, text).unwrap();
        run();
        let now = trials(&path);
        assert_eq!((now.len(), &now[..4]), (5, &state[..4]));
        assert_eq!(now[4]["variant"], state[4]["variant"]);
    }

    #[test]
    fn a_wrong_result_never_becomes_a_line() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("state.jsonl");
        let options = format!("{PICTURE} --strategies single_loop");
        let mut command = tune(&options, "BAND=8");
        command.arg("--state").arg(&path);
        stdout(&mut command);
        let mut state = trials(&path);
        state.truncate(2);
        let variant = state[1]["variant"].clone();
        state[1] = serde_json::json!({"variant": variant, "failed": "WRONG: error 1"});
        write(&path, &state);
        let report = command.output().unwrap().stdout;
        let report = String::from_utf8(report).unwrap();
        assert!(
            report.contains("WRONG") && report.contains("the defaults stand"),
            "{report}"
        );
        assert!(complaint(&mut command).contains("1 of 2 variants failed"));
    }

    #[test]
    fn wrong_requests_are_errors() {
        for (options, sizes, word) in [
            ("--size 0", "BAND=8", "--size"),
            ("--size 8 --runs 19", "BAND=8", "20"),
            (
                "--size 8 --levels 65 --strategies single_loop",
                "BAND=8",
                "64",
            ),
            ("--size 8 --strategies stepwise", "BAND=8", "single_loop"),
            (
                "--size 8 --strategies single_loop",
                "PAIRS=4",
                "VECTOR, STRIP, BAND",
            ),
            ("--size 8 --strategies single_loop", "BAND", "NAME=SIZE"),
            (
                "--size 8 --device no-such-vendor",
                "BAND=8",
                "no-such-vendor",
            ),
            (
                "--size 1000000000 --strategies single_loop",
                "BAND=8",
                "memory",
            ),
        ] {
            let line = complaint(&mut tune(options, sizes));
            assert!(line.contains(word), "{options} {sizes}: {line}");
        }
        let line = complaint(tune("--size 8", "BAND=8").without_opencl());
        assert!(line.contains("no OpenCL runtime"), "{line}");
    }

    #[test]
    fn files_of_another_kind_are_left_alone() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("precious.txt");
        for text in ["precious", "precious\n", "{\"a\": 1}\n"] {
            fs::write(&path, text).unwrap();
            let options = format!("{PICTURE} --strategies single_loop");
            let line = complaint(tune(&options, "BAND=8").arg("--state").arg(&path));
            assert!(line.contains("precious.txt"), "{line}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let missing = folder.path().join("missing").join("state.jsonl");
        let options = format!("{PICTURE} --strategies single_loop");
        assert!(
            complaint(tune(&options, "BAND=8").arg("--state").arg(&missing))
                .contains("state.jsonl")
        );
    }
}
