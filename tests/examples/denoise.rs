//! The example `denoise`.

use super::*;

fn denoise(out: &Path, words: &[&str]) -> Command {
    let mut command = example("denoise");
    command.arg("--out").arg(out).args(words);
    command
}

/// The number after each `PSNR`, or after another word.
fn numbers_after(word: &str, report: &str) -> Vec<f64> {
    let after = report.split(word).skip(1);
    let words = after.map(|rest| rest.split_whitespace().next().unwrap());
    words.map(|word| word.parse().unwrap()).collect()
}

/// The ratios of the noisy picture and of both results, in decibels, from a run that adds noise.
fn ratios(command: &mut Command) -> Vec<f64> {
    let report = stdout(command);
    let ratios = numbers_after("PSNR", &report);
    let [noisy, soft, hard] = ratios[..] else {
        panic!("{report}")
    };
    assert!(soft > noisy + 4.0 && hard > noisy + 4.0, "{report}");
    let [estimated] = numbers_after("deviation", &report)[..] else {
        panic!("{report}")
    };
    // What is left of the noise where the picture's range clips it.
    let left = 255.0 / 10f64.powf(noisy / 20.0);
    assert!((estimated / left - 1.0).abs() < 0.05, "{left} {report}");
    ratios
}

#[test]
fn noise_that_was_added_is_estimated_and_mostly_removed() {
    let folder = TempDir::new().unwrap();
    let device = ratios(&mut denoise(folder.path(), &["--sigma", "20"]));
    let path = |what: &str| folder.path().join(format!("astronaut-{what}.png"));
    for what in ["noisy", "soft", "hard"] {
        assert_eq!(image::image_dimensions(path(what)).unwrap(), (512, 512));
    }

    let other = TempDir::new().unwrap();
    let mut command = denoise(other.path(), &["--sigma", "20"]);
    let reference = ratios(command.without_opencl());
    for (a, b) in device.iter().zip(&reference) {
        assert!((a - b).abs() < 0.05, "{device:?} {reference:?}");
    }

    // The noisy picture from a file, beside the clean one and alone.
    let noisy = path("noisy");
    let noisy = noisy.to_str().unwrap();
    let clean = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/astronaut.png");
    let compared = ratios(&mut denoise(other.path(), &[noisy, "--clean", clean]));
    assert_eq!(compared, device);
    let report = stdout(&mut denoise(other.path(), &[noisy]));
    assert!(!report.contains("PSNR"), "{report}");
}

#[test]
fn a_picture_without_noise_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("flat.png");
    image::GrayImage::from_pixel(33, 20, image::Luma([77]))
        .save(&path)
        .unwrap();
    stdout(&mut denoise(folder.path(), &[path.to_str().unwrap()]));
    let soft = image::open(folder.path().join("flat-soft.png")).unwrap();
    assert!(soft.to_luma8().pixels().all(|pixel| pixel[0] == 77));
}

#[test]
fn wrong_requests_are_errors() {
    let folder = TempDir::new().unwrap();
    let line = folder.path().join("line.png");
    image::GrayImage::new(9, 1).save(&line).unwrap();
    let line = line.to_str().unwrap();
    for (words, what) in [
        (&["--sigma=-1"][..], "--sigma"),
        (&["--sigma", "NaN"], "--sigma"),
        (&["--levels", "0"], "--levels"),
        (&[line], "diagonal"),
        (&["--clean", line], "size"),
        (&["missing.png"], "missing.png"),
        (&["--sigma", "5", "--clean", line], "--clean"),
        (&["--device", "no-such-vendor"], "no-such-vendor"),
    ] {
        let complaint = complaint(&mut denoise(folder.path(), words));
        assert!(complaint.contains(what), "{words:?}: {complaint}");
    }
}
