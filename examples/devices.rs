//! Lists the existing OpenCL devices, and says which of them would be picked.
//!
//! `cargo run --example devices -- --device nvidia`

mod common;

use clap::Parser;
use common::cli::{self, Result};
use common::table::{Align, Table};
use std::process::ExitCode;
use wavelift::{Device, DeviceInfo, DeviceSelector, Engine, Exchange};

/// Lists the existing OpenCL devices. `*` marks the one that would be picked.
#[derive(Parser)]
#[command(name = "devices", version)]
struct Arguments {
    /// The device to pick, in words like `nvidia` or `pocl:cpu`, or by platform and device like
    /// `0:1` [default: the one that WAVELIFT_DEVICE names, or else the best]
    #[arg(long, value_name = "SPEC")]
    device: Option<DeviceSelector>,
}

fn main() -> ExitCode {
    env_logger::init();
    cli::run(list)
}

fn list(arguments: Arguments) -> Result<()> {
    let devices = Device::all()?;
    let selector = cli::selector(arguments.device)?;
    let picked = selector.pick();
    let index = picked.as_ref().ok().map(|device| device.info().index);
    cli::print(table(&devices, index))?;
    // That nothing matches is an error, reported after the list, which helps then.
    cli::print(format!("\npicked for {selector}: {}", picked?))
}

fn table(devices: &[Device], picked: Option<(usize, usize)>) -> Table {
    let mut table = Table::new([
        (" ", Align::Left),
        ("index", Align::Left),
        ("kind", Align::Left),
        ("device", Align::Left),
        ("platform", Align::Left),
        ("units", Align::Right),
        ("work-group", Align::Right),
        ("memory", Align::Right),
        ("largest array", Align::Right),
        ("local", Align::Right),
        ("f64", Align::Left),
        ("sub-groups", Align::Left),
        ("exchange", Align::Left),
        ("version", Align::Left),
    ]);
    for device in devices {
        let info = device.info();
        table.row(row(info, picked == Some(info.index), exchange(device)));
    }
    table
}

/// How the work-items of a device exchange values, and among how many, as it has just proved.
fn exchange(device: &Device) -> String {
    match Engine::new(device).map(|engine| engine.device().info().clone()) {
        Ok(info) if info.exchange == Exchange::None => "none".to_owned(),
        Ok(info) => format!("{} among {}", info.exchange, info.lanes),
        Err(error) => {
            log::warn!("{device}: {error}");
            "refused".to_owned()
        }
    }
}

fn row(info: &DeviceInfo, picked: bool, exchange: String) -> Vec<String> {
    let (platform, device) = info.index;
    let yes = |has| if has { "yes" } else { "no" };
    vec![
        if picked { "*" } else { "" }.to_owned(),
        format!("{platform}:{device}"),
        info.kind.to_string(),
        info.name.clone(),
        info.platform.clone(),
        info.compute_units.to_string(),
        info.max_work_group.to_string(),
        bytes(info.global_memory),
        bytes(info.max_allocation),
        bytes(info.local_memory),
        yes(info.fp64).to_owned(),
        yes(info.sub_groups).to_owned(),
        exchange,
        info.version.clone(),
    ]
}

/// A number of bytes in the largest unit in which it is at least 1.
fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = usize::from(value < 10.0 && value.fract() != 0.0);
    format!("{value:.decimals$} {}", units[unit])
}
