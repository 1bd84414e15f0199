//! The examples, run as a user runs them.

use npyz::{AutoSerialize, Deserialize, WriterBuilder};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

// `cargo test` runs no unit tests of programs; those of these files run here.
#[path = "../../examples/tune/line.rs"]
mod line;
#[allow(dead_code, reason = "the program uses all of it")]
#[path = "../../examples/tune/search.rs"]
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

mod benchmark;
mod decompose;
mod denoise;
mod devices;
mod transform;
mod tune;
