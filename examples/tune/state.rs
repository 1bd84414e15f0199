//! Measurements, kept in a file of JSON lines so that a rerun does not repeat them.

use crate::common::cli::{Result, about};
use crate::common::timing::{Times, median};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The outcome of trying a variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Trial {
    /// The medians of the transform's and the copy's times, in nanoseconds.
    Measured { time: u64, copy: u64 },
    /// The strategy or the device does not support the sizes.
    Refused(String),
    /// The result was wrong, or an error occurred.
    Failed(String),
}

impl Trial {
    pub fn of(times: &Times) -> Self {
        Trial::Measured {
            time: median(&times.device),
            copy: median(&times.copy),
        }
    }

    /// The score: the copy's time over the transform's, so that 1 is as fast as copying, and 0
    /// if nothing was measured.
    pub fn of_copy(&self) -> f64 {
        match self {
            Trial::Measured { time, copy } if *time > 0 => *copy as f64 / *time as f64,
            _ => 0.0,
        }
    }

    fn to_json(&self, variant: &Value) -> Value {
        match self {
            Trial::Measured { time, copy } => {
                json!({"variant": variant, "median_ns": time, "copy_median_ns": copy})
            }
            Trial::Refused(why) => json!({"variant": variant, "refused": why}),
            Trial::Failed(why) => json!({"variant": variant, "failed": why}),
        }
    }

    fn from_json(line: &Value) -> Option<Self> {
        let text = |key: &str| line[key].as_str().map(str::to_owned);
        let number = |key: &str| line[key].as_u64();
        let time = number("median_ns").zip(number("copy_median_ns"));
        time.map(|(time, copy)| Trial::Measured { time, copy })
            .or_else(|| text("refused").map(Trial::Refused))
            .or_else(|| text("failed").map(Trial::Failed))
    }
}

/// The outcomes of all trials so far, by variant.
#[derive(Default)]
pub struct State {
    known: HashMap<String, Trial>,
    file: Option<(PathBuf, File)>,
}

impl State {
    /// Opens an existing file to continue it, or creates one. A last line without a line end comes
    /// from a run that was stopped while it wrote, and is removed.
    pub fn open(path: &Path) -> Result<Self> {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(about(path))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(about(path))?;
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        let (lines, rest) = text.split_at(complete);
        let known = read(lines).map_err(about(path))?;
        // A file of another kind must not be truncated.
        if !rest.is_empty() && !rest.starts_with('{') {
            return Err(about(path)("its last line is not one that `tune` writes"));
        }
        let end = complete as u64;
        file.set_len(end).map_err(about(path))?;
        file.seek(std::io::SeekFrom::Start(end))
            .map_err(about(path))?;
        let file = Some((path.to_owned(), file));
        Ok(State { known, file })
    }

    pub fn get(&self, variant: &Value) -> Option<&Trial> {
        self.known.get(&variant.to_string())
    }

    pub fn add(&mut self, variant: &Value, trial: Trial) -> Result<()> {
        if let Some((path, file)) = &mut self.file {
            let line = format!("{}\n", trial.to_json(variant));
            file.write_all(line.as_bytes()).map_err(about(path))?;
        }
        self.known.insert(variant.to_string(), trial);
        Ok(())
    }
}

fn read(lines: &str) -> std::result::Result<HashMap<String, Trial>, String> {
    let mut known = HashMap::new();
    for (i, line) in lines.lines().enumerate() {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let trial = Trial::from_json(&value).filter(|_| value["variant"].is_object());
        let trial = trial.ok_or_else(|| format!("line {} is not one that `tune` writes", i + 1))?;
        known.insert(value["variant"].to_string(), trial);
    }
    Ok(known)
}
