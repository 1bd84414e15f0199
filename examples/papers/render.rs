//! The report as Markdown: of one device, or of several side by side.

use super::figures::{Figure, Report, Section, Table};
use std::fmt::Write;

/// The report of one device, with every figure's share of what the device can do.
pub fn one(report: &Report) -> String {
    let mut text = format!("# The papers, on {}\n\n", report.device);
    let _ = writeln!(
        text,
        "{}{}\n",
        provenance(report),
        busy(report).unwrap_or_default()
    );
    text += "Times are medians of device time. *of copy*: bytes that all passes move, by the cost model, per second, over what a \
             copy of the same array moves; above 1 where a cache has what the model counts as memory. *of arithmetic*: operations \
             per second over what the device does at most of the kind named above. Transfers to and from the host, which another \
             link or the host itself limits, have no such share, nor have ratios and counts, which are no times. *ratio*: to the \
             first number of the same work, or of all where there is one method, which is what compares where hardware differs.\n";
    for section in &report.sections {
        text += &head(section);
        for conclusion in &section.conclusions {
            let _ = writeln!(text, "- {conclusion}");
        }
        for note in &section.notes {
            let _ = writeln!(text, "- Not measured, or to be known: {}", one_line(note));
        }
        for (number, table) in section.tables.iter().enumerate() {
            if table.figures.is_empty() {
                continue;
            }
            let is_drawn = table.figures.iter().any(|figure| figure.value.is_some());
            let plots = section
                .plots
                .iter()
                .filter(|plot| is_drawn && plot.table == number);
            for plot in plots {
                let _ = write!(text, "\n![{}]({}.svg)\n", table.title, plot.name);
            }
            text += &own_table(table);
        }
    }
    text
}

/// One table per table of the papers, the devices as columns.
pub fn merged(reports: &[Report], together: (&str, &[String])) -> String {
    let mut text = "# The papers, on several devices\n\n".to_owned();
    for report in reports {
        let _ = writeln!(
            text,
            "- {}{}",
            provenance(report),
            busy(report).unwrap_or_default()
        );
    }
    let mut titles: Vec<&str> = Vec::new();
    for section in reports.iter().flat_map(|report| &report.sections) {
        if !titles.contains(&section.title.as_str()) {
            titles.push(&section.title);
        }
    }
    for title in titles {
        let of = |report: &'_ Report| {
            report
                .sections
                .iter()
                .position(|section| section.title == title)
        };
        let found: Vec<(&Report, &Section)> = reports
            .iter()
            .filter_map(|report| Some((report, &report.sections[of(report)?])))
            .collect();
        text += &head(found[0].1);
        for (report, section) in &found {
            for conclusion in &section.conclusions {
                let _ = writeln!(text, "- {}: {conclusion}", report.device);
            }
            for note in &section.notes {
                let _ = writeln!(
                    text,
                    "- {}: not measured, or to be known: {}",
                    report.device,
                    one_line(note)
                );
            }
        }
        if together.0 == title {
            together.1.iter().for_each(|sentence| {
                let _ = writeln!(text, "- {sentence}");
            });
        }
        text += &tables_of(&found);
    }
    text
}

fn head(section: &Section) -> String {
    format!("\n## {}\n\n{}\n\n", section.title, section.intro)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn provenance(report: &Report) -> String {
    let [reals, integers] = report.operations_per_second.map(|rate| rate / 1e9);
    format!(
        "{}, {} compute units, {}; {}, commit {}{}. Multiply-adds of `f32` {reals:.0} Gop/s, shifts and additions of 32-bit \
         integers {integers:.0} Gop/s.",
        report.device,
        report.compute_units,
        report.driver,
        report.date,
        report.commit,
        if report.quick { ", quick" } else { "" },
    )
}

/// What spoils times, of several threads above all.
fn busy(report: &Report) -> Option<String> {
    let load = report
        .host_load
        .filter(|load| report.kind == "cpu" && *load > 1.5 * report.compute_units as f64)?;
    let units = report.compute_units;
    Some(format!(
        " Other programs were running: a load of {load:.0} for {units} processors. What needs all of them, as threads do, then \
         cannot show what it gains, and single figures are off; only large ratios mean something."
    ))
}

fn own_table(table: &Table) -> String {
    let mut text = format!("\n{}, {}:\n\n| work | method |", table.title, table.unit);
    let mut rule = "\n|---|---|".to_owned();
    let hardware = hardware(table);
    for name in hardware {
        let _ = write!(text, " {name} | ratio |");
        rule += "---:|---:|";
    }
    text += " here | ratio | of copy | of arithmetic |";
    text += &format!("{rule}---:|---:|---:|---:|\n");
    for figure in &table.figures {
        let _ = write!(text, "| {} | {} |", figure.work, figure.method);
        for i in 0..hardware.len() {
            text += &with_ratio(table, figure, |figure| figure.published.get(i).copied());
        }
        text += &with_ratio(table, figure, |figure| figure.value);
        let shares =
            [figure.of_copy, figure.of_arithmetic].map(|share| share.map_or(String::new(), of_one));
        let _ = writeln!(text, " {} | {} |", shares[0], shares[1]);
    }
    text
}

/// A number, and its ratio to the first of the same work.
fn with_ratio(table: &Table, figure: &Figure, number: impl Fn(&Figure) -> Option<f64>) -> String {
    let Some(value) = number(figure) else {
        return " | |".to_owned();
    };
    let base = table.base(&figure.work, number);
    let ratio = base.map_or(String::new(), |base| of_one(value / base));
    format!(" {} | {ratio} |", digits(value))
}

/// What a table's published numbers were measured on, if it has any.
fn hardware(table: &Table) -> &[String] {
    let mut figures = table.figures.iter();
    match figures.any(|figure| !figure.published.is_empty()) {
        true => &table.hardware,
        false => &[],
    }
}

/// A part or a multiple: two digits behind the point, or two that say something.
fn of_one(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 0.1 => format!("{ratio:.2}"),
        ratio if ratio >= 0.01 => format!("{ratio:.3}"),
        _ => format!("{ratio:.4}"),
    }
}

/// Three digits or more.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// The tables of one section on all devices that have it.
fn tables_of(found: &[(&Report, &Section)]) -> String {
    let mut text = String::new();
    let mut titles: Vec<&str> = Vec::new();
    for table in found.iter().flat_map(|(_, section)| &section.tables) {
        if !titles.contains(&table.title.as_str()) {
            titles.push(&table.title);
        }
    }
    for title in titles {
        let of =
            |section: &'_ Section| section.tables.iter().position(|table| table.title == title);
        let tables: Vec<(&Report, &Table)> = found
            .iter()
            .filter_map(|(report, section)| Some((*report, &section.tables[of(section)?])))
            .collect();
        let first = tables[0].1;
        // Of the device that has most: a quick report may have none.
        let sources = tables.iter().map(|(_, table)| *table);
        let source = sources
            .max_by_key(|table| hardware(table).len())
            .unwrap_or(first);
        let hardware = hardware(source);
        let devices = tables.iter().map(|(report, _)| report.device.as_str());
        let columns = hardware.iter().map(String::as_str).chain(devices);
        let columns: Vec<String> = columns.map(|name| format!("{name} | ratio |")).collect();
        let _ = write!(
            text,
            "\n{title}, {}:\n\n| work | method | {}\n|---|---|{}\n",
            first.unit,
            columns.join(" "),
            "---:|".repeat(2 * columns.len())
        );
        let mut rows: Vec<(&str, &str)> = Vec::new();
        for figure in tables.iter().flat_map(|(_, table)| &table.figures) {
            if !rows.contains(&(&figure.work, &figure.method)) {
                rows.push((&figure.work, &figure.method));
            }
        }
        for (work, method) in rows {
            let _ = write!(text, "| {work} | {method} |");
            let published = |table: &&Table| {
                let figure = table.figure(work, method);
                figure.is_some_and(|figure| !figure.published.is_empty())
            };
            let published = tables.iter().map(|(_, table)| *table).find(published);
            for i in 0..hardware.len() {
                text += &cell(published, work, method, |figure| {
                    figure.published.get(i).copied()
                });
            }
            for (_, table) in &tables {
                text += &cell(Some(table), work, method, |figure| figure.value);
            }
            text += "\n";
        }
    }
    text
}

fn cell(
    table: Option<&Table>,
    work: &str,
    method: &str,
    number: impl Fn(&Figure) -> Option<f64>,
) -> String {
    let figure = table.and_then(|table| Some((table, table.figure(work, method)?)));
    figure.map_or(" | |".to_owned(), |(table, figure)| {
        with_ratio(table, figure, number)
    })
}
