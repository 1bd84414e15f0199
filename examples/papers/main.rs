//! Runs every comparison of the five papers that a device can run, and sets their
//! published numbers beside it.
//!
//! `cargo run --release --features papers --example papers -- --quick`, or `make papers`.

#[path = "../common/mod.rs"]
pub mod common;

mod conclude;
pub mod figures;
pub mod made;
mod plot;
pub mod render;
pub mod sections;
mod session;

use clap::Parser;
use common::cli::{self, about};
use common::replace::write_temporary;
use figures::Report;
use indicatif::{ProgressBar, ProgressStyle};
use session::Session;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wavelift::DeviceSelector;

/// Runs every comparison of the five papers that this library builds on, as far as the device
/// can, and writes a report with the published numbers beside: report.md, results.json and a
/// drawing for each figure.
#[derive(Parser)]
#[command(name = "papers", version)]
pub struct Arguments {
    /// Fewer and smaller cases: some minutes on two cores
    #[arg(long)]
    pub quick: bool,
    /// Every measurement once, after one run to warm up: to see that all of them work
    #[arg(long)]
    pub once: bool,
    /// Only the sections whose names begin like this: `kucis`, `laan-volumes`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// The folder that the report is written to
    #[arg(long, default_value = "target/papers")]
    pub out: PathBuf,
    /// The OpenCL device, in words like `nvidia` or `pocl:cpu`, or by platform and device like
    /// `0:1` [default: WAVELIFT_DEVICE, or else the best]
    #[arg(long, value_name = "SPEC")]
    pub device: Option<DeviceSelector>,
    /// Measures nothing, but merges results that were written before, of several devices, into one
    /// report; of one file alone, writes its report again
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub merge: Vec<PathBuf>,
}

#[allow(dead_code, reason = "the test of the report calls `papers` itself")]
fn main() -> ExitCode {
    env_logger::init();
    cli::run(papers)
}

pub fn papers(arguments: Arguments) -> cli::Result<()> {
    let out = &arguments.out;
    fs::create_dir_all(out).map_err(about(out))?;
    if !arguments.merge.is_empty() {
        return merge(&arguments.merge, out);
    }
    write_report(&measure(&arguments)?, out)
}

/// The results, the drawings and the text of one device.
fn write_report(report: &Report, out: &Path) -> cli::Result<()> {
    let results = by_lines(&serde_json::to_string(report)?) + "\n";
    write(&out.join("results.json"), &results)?;
    for section in &report.sections {
        for plot in &section.plots {
            if let Some(svg) = plot::svg(plot, &section.tables[plot.table])? {
                write(&out.join(format!("{}.svg", plot.name)), &svg)?;
            }
        }
    }
    write(&out.join("report.md"), &render::one(report))?;
    cli::print(out.join("report.md").display())
}

/// JSON with a line for each figure, so that two results can be compared.
fn by_lines(json: &str) -> String {
    json.replace("{\"work\"", "\n{\"work\"")
}

fn measure(arguments: &Arguments) -> cli::Result<Report> {
    let device = cli::selector(arguments.device.clone())?.pick()?;
    let is_wanted = |name: &str| {
        let mut only = arguments.only.iter();
        arguments.only.is_empty() || only.any(|start| name.starts_with(start))
    };
    let wanted = sections::ALL.iter().filter(|(name, _)| is_wanted(name));
    let wanted: Vec<_> = wanted.collect();
    if wanted.is_empty() {
        let names: Vec<&str> = sections::ALL.iter().map(|(name, _)| *name).collect();
        return Err(format!("no section has such a name; there are {}", names.join(", ")).into());
    }
    let bar = ProgressBar::new(wanted.len() as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} {elapsed} {msg}",
    )?);
    let session = Session::new(&device, arguments.quick, arguments.once, bar)?;
    let mut measured = Vec::new();
    for (_, measure) in wanted {
        measured.push(measure(&session)?);
        session.bar.inc(1);
    }
    session.bar.finish_and_clear();
    let info = device.info();
    Ok(Report {
        device: info.name.clone(),
        driver: format!("{}, {}", info.platform, info.version),
        kind: info.kind.to_string(),
        compute_units: info.compute_units,
        date: made::date(),
        commit: made::commit(),
        quick: arguments.quick,
        host_load: made::host_load(),
        operations_per_second: session.rates,
        sections: measured,
    })
}

fn merge(files: &[PathBuf], out: &Path) -> cli::Result<()> {
    let read = |path: &PathBuf| -> cli::Result<Report> {
        let text = fs::read_to_string(path).map_err(about(path))?;
        serde_json::from_str(&text).map_err(about(path))
    };
    let reports = files.iter().map(read).collect::<cli::Result<Vec<_>>>()?;
    if let [report] = &reports[..] {
        return write_report(report, out);
    }
    let (title, sentences) = sections::conclude_together(&reports);
    let path = out.join("merged.md");
    write(&path, &render::merged(&reports, (title, &sentences)))?;
    cli::print(path.display())
}

fn write(path: &Path, text: &str) -> cli::Result<()> {
    write_temporary(path, |file| Ok(file.write_all(text.as_bytes())?))?.rename()
}
