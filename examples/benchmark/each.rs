//! A table with a row for every problem and device.

use crate::common::cli::{self, Result};
use crate::common::table::{Align, Table};
use crate::problem::Problem;
use wavelift::{Engine, Error};

/// Prints the devices, and a table of what `cells` says of each problem on each of them, under
/// `columns` after those that name both. What a device or the library does not support is said in
/// the row; any other error ends the table.
pub fn print_each<const N: usize>(
    columns: [impl Into<String>; N],
    problems: &[Problem],
    engines: &[Engine],
    cells: impl Fn(&Engine, &Problem) -> Result<Vec<String>>,
) -> Result<()> {
    let names = ["device", "problem"].map(|name| (name.to_owned(), Align::Left));
    let columns = columns.map(|name| (name.into(), Align::Right));
    let mut table = Table::new(names.into_iter().chain(columns));
    for problem in problems {
        for engine in engines {
            let (platform, device) = engine.device().info().index;
            let mut row = vec![format!("{platform}:{device}"), problem.name()];
            match cells(engine, problem) {
                Ok(cells) => row.extend(cells),
                Err(error) => match error.downcast_ref() {
                    Some(Error::Unsupported { .. } | Error::Memory { .. }) => {
                        row.push(error.to_string());
                    }
                    _ => return Err(error),
                },
            }
            table.row(row);
        }
    }
    for engine in engines {
        cli::print(engine.device())?;
    }
    cli::print(table)
}
