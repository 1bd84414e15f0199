//! The example `decompose`.

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
