//! The table and the file that the rows end up in.

use crate::common::cli;
use crate::common::replace::beside;
use crate::common::table::{Align, Table};
use crate::timing::median;
use crate::{Outcome, Row};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        ("device", Align::Left),
        ("wavelet", Align::Left),
        ("sample", Align::Left),
        ("direction", Align::Left),
        ("levels", Align::Right),
        ("shape", Align::Left),
        ("strategy", Align::Left),
        ("median us", Align::Right),
        ("min us", Align::Right),
        ("copy us", Align::Right),
        ("of copy", Align::Right),
        ("wall us", Align::Right),
        ("note", Align::Left),
    ]);
    for row in rows {
        let (platform, device) = row.device.info().index;
        let mut cells = vec![
            format!("{platform}:{device}"),
            row.problem.transform.wavelet.to_string(),
            row.problem.sample.to_string(),
            row.problem.direction.name().to_owned(),
            row.problem.transform.levels.to_string(),
            row.problem.shape(),
        ];
        cells.extend(outcome_cells(row));
        table.row(cells);
    }
    table
}

/// Strategy, times and note.
fn outcome_cells(row: &Row) -> Vec<String> {
    let asked = row.strategy;
    let (strategy, times) = match &row.outcome {
        Outcome::Measured { strategy, times } => (*strategy, times),
        Outcome::Refused(why) | Outcome::Failed(why) => {
            let mut cells = vec![String::new(); 7];
            cells[0] = asked.to_owned();
            cells[6] = why.clone();
            return cells;
        }
    };
    let strategy = match asked == strategy {
        true => strategy.to_owned(),
        false => format!("{strategy} ({asked})"),
    };
    let microseconds = |time: u64| format!("{:.1}", time as f64 / 1e3);
    let share = times.of_copy().map(|share| format!("{share:.3}"));
    vec![
        strategy,
        microseconds(median(&times.device)),
        microseconds(times.least()),
        microseconds(median(&times.copy)),
        share.unwrap_or_default(),
        microseconds(median(&times.wall)),
    ]
}

/// The measured rows as a list, one object a line.
pub fn write_json(path: &Path, rows: &[Row]) -> cli::Result<()> {
    let objects = rows.iter().filter_map(object);
    let lines: Vec<String> = objects.map(|object| object.to_string()).collect();
    let list = lines.join(",\n");
    beside(path, |file| Ok(writeln!(file, "[\n{list}\n]")?))?.rename()
}

fn object(row: &Row) -> Option<Value> {
    let Outcome::Measured { strategy, times } = &row.outcome else {
        return None;
    };
    let transform = &row.problem.transform;
    Some(json!({
        "platform": row.device.info().platform,
        "device": row.device.info().name,
        "strategy": strategy,
        "wavelet": transform.wavelet.name(),
        "sample": row.problem.sample.name(),
        "direction": row.problem.direction.name(),
        "levels": transform.levels,
        "shape": transform.shape,
        "runs": times.device.len(),
        "median_ns": median(&times.device),
        "min_ns": times.least(),
        "copy_median_ns": median(&times.copy),
        "of_copy": times.of_copy(),
        "wall_median_ns": median(&times.wall),
    }))
}
