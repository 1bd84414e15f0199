//! What `WAVELIFT_REQUIRE` lists must run: a test fails where no device can.

mod common;

use common::{can_run, devices};
use std::process::Command;

#[test]
#[ignore = "the other test runs it in processes of its own"]
fn what_no_device_can_run() {
    for device in devices() {
        assert!(can_run("this", &device, "fp64", |_| true));
        assert!(!can_run("that", &device, "khr-8", |_| false));
    }
}

/// Whether the test above passes, and what it prints.
fn passes(required: Option<&str>) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "what_no_device_can_run", "--ignored"]);
    command.arg("--show-output").env_remove("WAVELIFT_REQUIRE");
    let output = command.envs(required.map(|words| ("WAVELIFT_REQUIRE", words)));
    let output = output.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("running 1 test"), "{text}");
    (output.status.success(), text)
}

#[test]
fn what_is_required_and_not_run_fails() {
    for required in [None, Some(""), Some("fp64"), Some("two-levels, fp64")] {
        let (passed, text) = passes(required);
        assert!(passed, "{required:?}: {text}");
        assert!(text.contains("not run: that on "), "{text}");
        assert!(!text.contains("not run: this"), "{text}");
    }
    for required in ["khr-8", "fp64, khr-8"] {
        let (passed, text) = passes(Some(required));
        assert!(!passed && text.contains("lists khr-8"), "{text}");
    }
    let (passed, text) = passes(Some("khr-9"));
    assert!(!passed && text.contains("`khr-9` is none of"), "{text}");
}
