//! Writing the measured rows as a table or to a file.

use crate::common::cli;
use crate::common::replace::write_temporary;
use crate::common::table::{Align, Table};
use crate::common::timing::{Times, median};
use crate::session::{Outcome, Row};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use wavelift::Cost;

/// The first columns of both kinds of table.
const PROBLEM: [(&str, Align); 6] = [
    ("device", Align::Left),
    ("wavelet", Align::Left),
    ("sample", Align::Left),
    ("direction", Align::Left),
    ("levels", Align::Right),
    ("shape", Align::Left),
];

fn problem_cells(row: &Row) -> Vec<String> {
    let (platform, device) = row.device.info().index;
    vec![
        format!("{platform}:{device}"),
        row.problem.transform.wavelet().to_string(),
        row.problem.sample.to_string(),
        row.problem.direction.name().to_owned(),
        row.problem.transform.level_count().to_string(),
        row.problem.shape(),
    ]
}

pub fn table(rows: &[Row]) -> Table {
    let outcome = [
        ("strategy", Align::Left),
        ("median us", Align::Right),
        ("min us", Align::Right),
        ("copy us", Align::Right),
        ("of copy", Align::Right),
        ("moved GB/s", Align::Right),
        ("Gop/s", Align::Right),
        ("wall us", Align::Right),
        ("note", Align::Left),
    ];
    let mut table = Table::new(PROBLEM.into_iter().chain(outcome));
    for row in rows {
        let mut cells = problem_cells(row);
        cells.extend(outcome_cells(row));
        table.row(cells);
    }
    table
}

/// The meaning of the columns of a comparison.
const LEGEND: &str = "\
us: median device time; *: the choice of auto; -: not supported. of copy: the copy's median over it.
GB/s: 10^9 bytes per second, each sample counted as read once and written once, whatever the levels and passes.";

/// A table of strategies side by side, in which each row stands for `columns`
/// rows of the plain table.
pub fn comparison(rows: &[Row], columns: usize) -> String {
    let titles = rows[..columns.min(rows.len())].iter().flat_map(|row| {
        let name = &row.strategy;
        [format!("{name} us "), "of copy".into(), "GB/s".into()]
    });
    let problem = PROBLEM.map(|(name, align)| (name.to_owned(), align));
    let titles = titles.map(|title| (title, Align::Right));
    let mut table = Table::new(problem.into_iter().chain(titles));
    let mut failures = String::new();
    for side_by_side in rows.chunks(columns) {
        let mut cells = problem_cells(&side_by_side[0]);
        for row in side_by_side {
            cells.extend(compared_cells(row));
            if let Outcome::Failed(why) = &row.outcome {
                let name = row.problem.name();
                failures += &format!("\nfailed: {name} {}: {why}", row.strategy);
            }
        }
        table.row(cells);
    }
    format!("{LEGEND}\n{table}{failures}")
}

/// The cells of one strategy in a comparison: time, share of the copy's rate, bytes per second.
fn compared_cells(row: &Row) -> [String; 3] {
    let (strategy, times) = match &row.outcome {
        Outcome::Measured {
            strategy, times, ..
        } => (strategy, times),
        Outcome::Refused(_) => return ["- ", "-", "-"].map(String::from),
        Outcome::Failed(_) => return ["FAILED ", "", ""].map(String::from),
    };
    let mark = if row.auto.as_ref() == Some(strategy) {
        '*'
    } else {
        ' '
    };
    let share = times.of_copy().map(|share| format!("{share:.3}"));
    let rate = bytes_per_second(row, times).map(billions);
    [
        format!("{}{mark}", microseconds(median(&times.device))),
        share.unwrap_or_default(),
        rate.unwrap_or_default(),
    ]
}

/// Bytes per second, each sample counted as read once and written once.
fn bytes_per_second(row: &Row, times: &Times) -> Option<f64> {
    let bytes = 2 * row.problem.transform.len() * row.problem.sample.size();
    per_second(bytes as u64, times)
}

/// How much of a count is done in a second; none where the clock is too coarse.
fn per_second(count: u64, times: &Times) -> Option<f64> {
    match median(&times.device) {
        0 => None,
        time => Some(count as f64 * 1e9 / time as f64),
    }
}

/// Bytes that all passes read and write.
fn moved(cost: &Cost) -> u64 {
    cost.bytes_read + cost.bytes_written
}

fn billions(count: f64) -> String {
    format!("{:.1}", count / 1e9)
}

fn microseconds(time: u64) -> String {
    format!("{:.1}", time as f64 / 1e3)
}

/// The cells of strategy, times and note.
fn outcome_cells(row: &Row) -> Vec<String> {
    let asked = &row.strategy;
    let (strategy, cost, times) = match &row.outcome {
        Outcome::Measured {
            strategy,
            cost,
            times,
        } => (strategy.clone(), cost, times),
        Outcome::Refused(why) | Outcome::Failed(why) => {
            let mut cells = vec![String::new(); 9];
            cells[0] = asked.clone();
            cells[8] = why.clone();
            return cells;
        }
    };
    let strategy = match *asked == strategy {
        true => strategy,
        false => format!("{strategy} ({asked})"),
    };
    let share = times.of_copy().map(|share| format!("{share:.3}"));
    let rates = [moved(cost), cost.operations].map(|count| per_second(count, times).map(billions));
    let [moved, operations] = rates.map(Option::unwrap_or_default);
    vec![
        strategy,
        microseconds(median(&times.device)),
        microseconds(times.least()),
        microseconds(median(&times.copy)),
        share.unwrap_or_default(),
        moved,
        operations,
        microseconds(median(&times.wall)),
    ]
}

/// Writes the measured rows to a file, as a JSON list with one object per line.
pub fn write_json(path: &Path, rows: &[Row]) -> cli::Result<()> {
    let objects = rows.iter().filter_map(object);
    let lines: Vec<String> = objects.map(|object| object.to_string()).collect();
    let list = lines.join(",\n");
    write_temporary(path, |file| Ok(writeln!(file, "[\n{list}\n]")?))?.rename()
}

fn object(row: &Row) -> Option<Value> {
    let Outcome::Measured {
        strategy,
        cost,
        times,
    } = &row.outcome
    else {
        return None;
    };
    let transform = &row.problem.transform;
    Some(json!({
        "platform": row.device.info().platform,
        "device": row.device.info().name,
        "strategy": strategy,
        "layout": transform.coefficient_layout().name(),
        "boundary": transform.boundary_rule().name(),
        "wavelet": transform.wavelet().name(),
        "sample": row.problem.sample.name(),
        "direction": row.problem.direction.name(),
        "levels": transform.level_count(),
        "shape": transform.shape(),
        "axes": transform.chosen_axes(),
        "runs": times.device.len(),
        "median_ns": median(&times.device),
        "min_ns": times.least(),
        "copy_median_ns": median(&times.copy),
        "of_copy": times.of_copy(),
        "bytes_per_second": bytes_per_second(row, times),
        "moved_bytes": moved(cost),
        "moved_bytes_per_second": per_second(moved(cost), times),
        "operations": cost.operations,
        "operations_per_second": per_second(cost.operations, times),
        "launches": cost.launches,
        "wall_median_ns": median(&times.wall),
    }))
}
