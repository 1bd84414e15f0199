//! Devices that are chosen by what they say of themselves or by a variable, and
//! those that are not there.

use super::common::devices;
use super::says;
use std::process::Command;
use wavelift::{Device, DeviceKind, DeviceSelector, Error};

#[test]
fn a_device_that_is_not_there_is_answered_with_those_that_are() {
    let seen = devices();
    for selector in [
        DeviceSelector::best().name("no such device"),
        DeviceSelector::best().vendor("no such vendor"),
        DeviceSelector::best().index(99, 0),
        DeviceSelector::best().index(usize::MAX, usize::MAX),
        "cpu:no such word".parse().unwrap(),
        DeviceSelector::best()
            .kind(DeviceKind::Gpu)
            .kind(DeviceKind::Cpu),
    ] {
        let error = says(selector.pick(), &[&selector.to_string()]);
        let Error::NoDevice { seen: listed, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(listed.len(), seen.len());
        for device in &seen {
            says::<Device>(
                Err(error.clone()),
                &[&device.to_string(), &device.info().name],
            );
        }
    }
}

#[test]
fn devices_that_are_there_are_found_by_what_they_say_of_themselves() {
    for device in devices() {
        let info = device.info();
        let (platform, number) = info.index;
        for selector in [
            format!("{platform}:{number}").parse().unwrap(),
            DeviceSelector::best()
                .index(platform, number)
                .kind(info.kind),
            DeviceSelector::best()
                .index(platform, number)
                .name(&info.name.to_uppercase()),
            DeviceSelector::best()
                .index(platform, number)
                .vendor(&info.vendor.to_lowercase()),
        ] {
            assert_eq!(selector.pick().unwrap().info(), info, "{selector}");
        }
    }
}

/// What a process of its own, with these variables, finds in `the_environment`.
fn in_environment(variables: &[(&str, &std::ffi::OsStr)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "choosing::the_environment",
            "--ignored",
            "--nocapture",
        ])
        .env_remove("WAVELIFT_DEVICE")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1 passed"), "{text}");
    text
}

#[test]
#[ignore = "the other tests run it in processes of their own"]
fn the_environment() {
    println!(
        "all: {:?}",
        Device::all().map_err(|error| error.to_string())
    );
    let picked = DeviceSelector::from_env().and_then(|selector| selector.pick());
    match picked {
        Ok(device) => println!("picked: {device}"),
        Err(error) => {
            let variant = match error {
                Error::NoRuntime { .. } => "NoRuntime",
                Error::NoDevice { .. } => "NoDevice",
                Error::Unknown { .. } => "Unknown",
                _ => "another",
            };
            // What `main` prints when it returns the error.
            println!("{variant}: {error:?}");
        }
    }
}

#[track_caller]
fn with_variable(value: &str, words: &[&str]) {
    let text = in_environment(&[("WAVELIFT_DEVICE", value.as_ref())]);
    for word in words {
        assert!(text.contains(word), "`{word}` is not in\n{text}");
    }
}

#[test]
fn the_variable_picks_a_device() {
    let best = DeviceSelector::best().pick().unwrap();
    let unset = in_environment(&[]);
    assert!(unset.contains(&format!("picked: {best}")), "{unset}");
    with_variable("", &[&format!("picked: {best}")]);
    with_variable("  ", &[&format!("picked: {best}")]);
    for device in devices() {
        let (platform, number) = device.info().index;
        let picked = format!("picked: {device}");
        with_variable(&format!("{platform}:{number}"), &[&picked]);
    }
    let kind = best.info().kind.name().to_uppercase();
    with_variable(&kind, &[&format!("picked: {best}")]);
}

#[test]
fn a_variable_that_picks_no_device_is_an_error() {
    let listed: Vec<String> = devices().iter().map(Device::to_string).collect();
    let mut words = vec!["NoDevice: ", "matches `no-such-device`"];
    words.extend(listed.iter().map(String::as_str));
    with_variable("no-such-device", &words);
    with_variable("99:0", &["NoDevice: ", "99:0"]);
    with_variable("7", &["Unknown: ", "`7`", "`0:1`"]);
    with_variable(":", &["Unknown: ", "`:`"]);
}

#[test]
#[cfg(unix)]
fn a_variable_that_is_no_text_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let text = in_environment(&[("WAVELIFT_DEVICE", std::ffi::OsStr::from_bytes(b"\xFF"))]);
    assert!(
        text.contains("Unknown: ") && text.contains("WAVELIFT_DEVICE"),
        "{text}"
    );
}

/// The loaders of Linux look for drivers where this variable says.
#[test]
#[cfg(target_os = "linux")]
fn without_a_driver_the_error_says_what_to_install() {
    let text = in_environment(&[("OCL_ICD_VENDORS", "/nonexistent".as_ref())]);
    let hint = "apt-get install pocl-opencl-icd ocl-icd-libopencl1";
    assert!(text.contains("NoRuntime: "), "{text}");
    assert!(
        text.contains("all: Err(\"no OpenCL runtime was found"),
        "{text}"
    );
    assert!(text.matches(hint).count() == 2, "{text}");
}
