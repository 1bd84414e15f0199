//! Kucis, Barina, Kula, Zemcik 2014: 2-D Discrete Wavelet Transform Using GPU.

use super::super::conclude;
use super::super::figures::{Figure, PlotKind, Report, Section, Table};
use super::super::session::{Session, Timed, random_array};
use super::{publish, square};
use std::time::Instant;
use wavelift::{ColumnPass, Direction, Layout, Result, RowPass, Strategy, Transform, Wavelet};

const CARD: &[&str] = &["GeForce GTX 580", "NVS 4200M"];
const PICOSECONDS: f64 = 1e12;

/// Picoseconds per pixel at 1 and at 10 million pixels, on each card.
type Published = [[f64; 2]; 2];

/// As Tables I and II have them; named by our names.
const ROWS: [(RowPass, Published); 4] = [
    (RowPass::Convolution, [[87.1, 1173.8], [81.9, 1020.2]]),
    (RowPass::Exchanged, [[103.0, 1389.9], [80.6, 1142.2]]),
    (RowPass::OnePair, [[95.4, 1212.2], [89.3, 1108.4]]),
    (RowPass::FourPairs, [[56.0, 700.7], [56.7, 800.8]]),
];
/// Tables III and IV.
const COLUMNS: [(ColumnPass, Published); 3] = [
    (ColumnPass::Exchanged, [[119.3, 965.3], [79.6, 930.2]]),
    (ColumnPass::Transposed, [[167.0, 2139.0], [186.5, 2231.7]]),
    (ColumnPass::FourPairs, [[69.6, 739.4], [63.5, 737.9]]),
];

/// Sides of pictures: the paper's 1 and 10 million pixels, and others for the plots.
fn sides(session: &Session) -> &'static [usize] {
    session.cases(&[256, 1024], &[256, 512, 1024, 2048, 3200, 6400])
}

/// What was published for a side.
fn at(side: usize, [mega, ten]: Published) -> Option<[f64; 2]> {
    match side {
        1024 => Some(mega),
        3200 => Some(ten),
        _ => None,
    }
}

fn picture(side: usize, axes: &[usize]) -> Transform {
    let transform = Transform::new(Wavelet::CDF_9_7, [side, side]);
    transform.axes(axes.to_vec()).layout(Layout::Interleaved)
}

fn pass(
    session: &Session,
    section: &mut Section,
    side: usize,
    axis: usize,
    strategy: Strategy,
) -> Result<Option<Timed>> {
    let transform = picture(side, &[axis]);
    session.time::<f32>(section, &transform, Direction::Forward, Some(strategy))
}

/// A table of picoseconds per pixel for passes along one axis.
fn passes(
    session: &Session,
    section: &mut Section,
    axis: usize,
    title: &str,
    methods: &[(Strategy, &str, Published)],
) -> Result<Table> {
    let mut table = Table::new(title, "ps per pixel", CARD);
    for &side in sides(session) {
        let pixels = (side * side) as f64;
        for &(strategy, method, published) in methods {
            let timed = pass(session, section, side, axis, strategy)?;
            let work = square(side);
            let figure =
                timed.map(|timed| timed.figure(&work, method, pixels, PICOSECONDS / pixels));
            publish(
                &mut table.figures,
                figure,
                &work,
                method,
                at(side, published).into_iter().flatten(),
            );
        }
    }
    Ok(table)
}

pub fn rows(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Row passes (Kucis et al., Fig. 3 and 4, Tables I and II)",
        "One level of CDF 9/7 in `f32` along rows alone, sub-bands interleaved, by each of the paper's methods. Ratios are to \
         the first method.",
    );
    let methods = ROWS.map(|(rows, published)| (Strategy::from(rows), rows.name(), published));
    let table = passes(session, &mut section, 1, "Rows", &methods)?;
    let names = ROWS.map(|(rows, ..)| rows.name());
    section.conclusions.push(conclude::is_fastest(
        &table,
        &names,
        RowPass::FourPairs.name(),
        "four pairs per work-item without exchange (Blazewicz) are the fastest row pass",
    ));
    section.plotted(table, "kucis-rows", "pixels", PlotKind::Lines);
    Ok(section)
}

pub fn columns(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Column passes (Kucis et al., Fig. 5 and 6, Tables III and IV)",
        "The same along columns. Ratios are to the first method.",
    );
    let methods =
        COLUMNS.map(|(columns, published)| (Strategy::from(columns), columns.name(), published));
    let table = passes(session, &mut section, 0, "Columns", &methods)?;
    let names = COLUMNS.map(|(columns, ..)| columns.name());
    let [exchanged, _, four] = names;
    section.conclusions.extend([
        conclude::is_fastest(
            &table,
            &names,
            four,
            "the proposed window of four pairs per work-item is the fastest column pass",
        ),
        conclude::takes_longer(
            &table,
            [exchanged, four],
            1.3,
            "the window with exchange at every step takes at least 1.3 times as long",
        ),
    ]);
    section.plotted(table, "kucis-columns", "pixels", PlotKind::Lines);
    Ok(section)
}

/// Seconds to write an array to the device and to read it, the least of some.
fn transfers(session: &Session, samples: usize) -> Result<[f64; 2]> {
    let mut host = vec![0.5f32; samples];
    let mut array = random_array::<f32>(&session.engine, samples)?;
    let mut least = [f64::INFINITY; 2];
    for _ in 0..4 {
        let start = Instant::now();
        array.write(&host)?;
        session.engine.finish()?;
        least[0] = least[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        array.download_into(&mut host)?;
        least[1] = least[1].min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

pub fn entire(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        "Entire transform with its transfers (Kucis et al., Fig. 7)",
        "One level of CDF 9/7 in `f32`: to the device, rows by four pairs, columns by the method that the bar is named after, \
         back to the host. `auto` is what the planner chooses, both axes at once. The paper draws this without numbers.",
    );
    let side = session.cases(1024, 3200);
    let pixels = (side * side) as f64;
    let scale = PICOSECONDS / pixels;
    let [upload, download] = transfers(session, side * side)?;
    let mut table = Table::new(&square(side), "ps per pixel", CARD);
    let plain = |work: &str, method: &str, seconds: f64| Figure {
        work: work.to_owned(),
        method: method.to_owned(),
        value: Some(seconds * scale),
        ..Figure::default()
    };
    let rows = pass(session, &mut section, side, 1, Strategy::SEPARABLE)?;
    let (mut moving, mut computing) = (Vec::new(), Vec::new());
    for (columns, ..) in COLUMNS {
        let timed = pass(session, &mut section, side, 0, columns.into())?;
        let (Some(rows), Some(timed)) = (&rows, timed) else {
            continue;
        };
        let work = columns.name();
        moving.push((upload + download) / (rows.seconds + timed.seconds));
        computing.push(rows.seconds + timed.seconds);
        table.figures.extend([
            plain(work, "upload", upload),
            rows.figure(work, "rows", 0.0, scale),
            timed.figure(work, "columns", 0.0, scale),
            plain(work, "download", download),
        ]);
    }
    let whole = picture(side, &[0, 1]);
    if let Some(timed) = session.time::<f32>(&mut section, &whole, Direction::Forward, None)? {
        let of_auto = computing
            .iter()
            .map(|seconds| seconds / timed.seconds)
            .collect();
        table.figures.extend([
            plain("auto", "upload", upload),
            timed.figure("auto", "both axes", 0.0, scale),
            plain("auto", "download", download),
        ]);
        section.conclusions.push(conclude::at_least(
            of_auto,
            1.0,
            "one pass for both axes, the paper's further work, is faster than a row and a column pass",
            "Two passes over one",
        ));
    }
    section.conclusions.push(conclude::at_least(
        moving,
        1.0,
        "the transfers take longer than the transform",
        "Transfers over passes",
    ));
    section.plotted(table, "kucis-entire", "", PlotKind::Stacked);
    Ok(section)
}

pub const GPU_AGAINST_CPU: &str = "GPU device against CPU device (Kucis et al., Fig. 9)";
const ALONE: &str = "transform";
const WITH_TRANSFERS: &str = "with transfers";

pub fn gpu_against_cpu(session: &Session) -> Result<Section> {
    let mut section = Section::new(
        GPU_AGAINST_CPU,
        "One level of CDF 9/7 in `f32` as the planner composes it, on arrays on the device and with both transfers. Whether a \
         GPU is faster than a CPU is said where the results of both are merged: `make papers MERGE=\"a.json b.json\"`.",
    );
    let mut table = Table::new("Entire transform", "ps per pixel", CARD);
    for &side in sides(session) {
        let (pixels, work) = ((side * side) as f64, square(side));
        let scale = PICOSECONDS / pixels;
        let timed = session.time::<f32>(
            &mut section,
            &picture(side, &[0, 1]),
            Direction::Forward,
            None,
        )?;
        let Some(timed) = timed else { continue };
        let moved: f64 = transfers(session, side * side)?.iter().sum();
        table
            .figures
            .push(timed.figure(&work, ALONE, pixels, scale));
        table.figures.push(Figure {
            work,
            method: WITH_TRANSFERS.to_owned(),
            x: pixels,
            value: Some((timed.seconds + moved) * scale),
            ..Figure::default()
        });
    }
    section.plotted(table, "kucis-devices", "pixels", PlotKind::Lines);
    Ok(section)
}

/// For each pair of a GPU and a CPU whether the GPU is faster.
pub fn gpus_over_cpus(reports: &[Report]) -> Vec<String> {
    let of_kind = |kind: &str| -> Vec<(&str, &Table)> {
        let reports = reports.iter().filter(|report| report.kind == kind);
        let table = |report: &Report| -> Option<usize> {
            report
                .sections
                .iter()
                .position(|section| section.title == GPU_AGAINST_CPU)
        };
        reports
            .filter_map(|report| {
                Some((
                    report.device.as_str(),
                    report.sections[table(report)?].tables.first()?,
                ))
            })
            .collect()
    };
    let mut sentences = Vec::new();
    for (gpu, on_gpu) in of_kind("gpu") {
        for (cpu, on_cpu) in of_kind("cpu") {
            for method in [ALONE, WITH_TRANSFERS] {
                let ratio =
                    |work: &&str| Some(on_cpu.value(work, ALONE)? / on_gpu.value(work, method)?);
                let ratios = on_gpu.works().iter().filter_map(ratio).collect();
                let claim =
                    format!("{gpu} ({method}) is faster than {cpu}, which needs no transfer");
                sentences.push(conclude::at_least(ratios, 1.0, &claim, "CPU over GPU"));
            }
        }
    }
    sentences
}
