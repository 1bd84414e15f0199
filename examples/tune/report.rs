//! Reporting all variants as a table, and the sizes worth keeping as lines of a tuning file.

use crate::common::table::{Align, Table};
use crate::line::{device_column, line};
use crate::state::Trial;
use crate::tuner::{Finding, Outcome, Row};
use wavelift::DeviceInfo;

/// A table of all variants, the best first within each search.
pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        ("strategy", Align::Left),
        ("sample", Align::Left),
        ("wavelet", Align::Left),
        ("direction", Align::Left),
        ("sizes", Align::Left),
        ("median us", Align::Right),
        ("copy us", Align::Right),
        ("of copy", Align::Right),
        ("note", Align::Left),
    ]);
    for of_one_search in rows.chunk_by(|a, b| a.names == b.names) {
        let mut best_first: Vec<&Row> = of_one_search.iter().collect();
        best_first.sort_by(|a, b| b.trial.of_copy().total_cmp(&a.trial.of_copy()));
        best_first.iter().for_each(|row| table.row(cells(row)));
    }
    table
}

fn cells(row: &Row) -> Vec<String> {
    let mut cells = row.names.to_vec();
    cells.push(match row.sizes.are_defaults() {
        true => "(defaults)".to_owned(),
        false => row.sizes.to_string(),
    });
    cells.extend(match &row.trial {
        Trial::Measured { time, copy } => {
            let microseconds = |time: u64| format!("{:.1}", time as f64 / 1e3);
            let share = format!("{:.3}", row.trial.of_copy());
            let note = if row.again { "again" } else { "" };
            [
                microseconds(*time),
                microseconds(*copy),
                share,
                note.to_owned(),
            ]
        }
        Trial::Refused(why) | Trial::Failed(why) => {
            let [a, b, c] = Default::default();
            [a, b, c, why.replace('\n', " ")]
        }
    });
    cells
}

/// The ratio to the defaults' score that other sizes must exceed, when measured
/// again, to be worth a line.
const NOISE: f64 = 1.03;

/// Lines for a tuning file, each after a comment with its score and that of the defaults.
pub fn lines(info: &DeviceInfo, findings: &[Finding]) -> String {
    let device = device_column(&info.name, info.kind.name());
    let lines = findings.iter().map(|finding| conclusion(device, finding));
    lines.collect::<Vec<_>>().join("\n")
}

fn conclusion(device: &str, Finding { names, outcome }: &Finding) -> String {
    let name = names.join(" ");
    match outcome {
        Outcome::LeftOut(why) => format!("# {name}: left out: {}", why.replace('\n', " ")),
        Outcome::Searched { defaults, best } => match best {
            None => format!("# {name}: the defaults stand, {defaults:.3} of copy"),
            Some((sizes, [before, after])) if *after > NOISE * before => {
                let line = line(device, names, sizes);
                format!("# {name}: {after:.3} of copy, the defaults {before:.3}\n{line}")
            }
            Some((sizes, [before, after])) => format!(
                "# {name}: the defaults stand, {before:.3} of copy; {sizes} {after:.3} when measured again"
            ),
        },
    }
}
