//! Barina, Zemcik 2015: Vectorization and Parallelization of 2-D Wavelet Lifting.

use super::super::conclude;
use super::super::figures::{PlotKind, Section, Table};
use super::super::session::{Session, Timed, many_random_samples, unless_refused};
use super::{publish, square};
use std::thread::available_parallelism;
use wavelift::{Cost, Direction, Layout, Result, Strategy, Study, Transform, Variant, Wavelet};

const CPU: &str = "Intel Core2 Quad Q9000";
const NANOSECONDS: f64 = 1e9;
const OURS: &str = "single_loop";

/// Of many pixels, as the paper's 58 million, beyond every cache; fewer where it must be quick.
fn side(session: &Session) -> usize {
    session.cases(1024, 4096)
}

/// A section of variants, or why this device has none of them.
fn section(session: &Session, title: &str, intro: &str) -> (Section, bool) {
    let mut section = Section::new(title, intro);
    let runs = session.is_cpu();
    if !runs {
        section.note(
            "this device is no CPU: these loops are for one core or a few, and are not run on it",
        );
    }
    (section, runs)
}

fn time(
    session: &Session,
    section: &mut Section,
    variant: Variant,
    side: usize,
    threads: usize,
) -> Result<Option<Timed>> {
    session
        .bar
        .set_message(format!("{variant:?} {}", square(side)));
    let timed = || {
        let samples = many_random_samples::<f32>(side * side);
        let mut study = Study::new(&session.engine, variant, [side, side], threads, &samples)?;
        session.time_runs::<f32>(side * side, least_cost(side), || study.enqueue())
    };
    unless_refused(section, &format!("{variant:?}"), timed())
}

/// What any way to compute it costs: every sample is read once, lifted along both axes and stored.
fn least_cost(side: usize) -> Cost {
    let pixels = (side * side) as u64;
    let mut cost = Cost::default();
    cost.bytes_read = 4 * pixels;
    cost.bytes_written = 4 * pixels;
    // Per pair and axis 12 operations, and scaling that is merged into one factor for most.
    cost.operations = 12 * pixels + pixels / 2;
    cost
}

/// Adds the variants of a list to a table of nanoseconds per pixel, by one thread.
fn measure(
    session: &Session,
    section: &mut Section,
    table: &mut Table,
    side: usize,
    variants: &[(&str, Variant, Option<f64>)],
) -> Result<()> {
    let (work, pixels) = (square(side), (side * side) as f64);
    for &(name, variant, published) in variants {
        let timed = time(session, section, variant, side, 1)?;
        let figure = timed.map(|timed| timed.figure(&work, name, pixels, NANOSECONDS / pixels));
        publish(&mut table.figures, figure, &work, name, published);
    }
    Ok(())
}

/// The library's own loop, by as many threads as the device has.
fn ours(session: &Session, section: &mut Section, table: &mut Table, side: usize) -> Result<()> {
    let (work, pixels) = (square(side), (side * side) as f64);
    let transform = Transform::new(Wavelet::CDF_9_7, [side, side]).layout(Layout::Interleaved);
    let timed = session.time::<f32>(
        section,
        &transform,
        Direction::Forward,
        Some(Strategy::SingleLoop),
    )?;
    let name = format!("{OURS}, all threads");
    table
        .figures
        .extend(timed.map(|timed| timed.figure(&work, &name, pixels, NANOSECONDS / pixels)));
    Ok(())
}

pub fn single_loop(session: &Session) -> Result<Section> {
    let (mut section, runs) = section(
        session,
        "Naive against single loop, and orders (Barina and Zemcik, Tables 1 and 3)",
        "One level of CDF 9/7 in `f32`, interleaved, one thread, out of place: row by row and then column by column, or both in one \
         loop of cores of 2 x 2, with vertical and with diagonal vectorisation; along rows first or down columns first. The paper's \
         58 million pixels are in place; its original single loop, with prologue and epilogue, is not here. `single_loop` is the \
         library's own, by all threads. Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let [vertical, diagonal] = [false, true].map(|diagonal| Variant::core(diagonal, [2, 2]));
    let down = |variant| Variant {
        by_columns: true,
        ..variant
    };
    let variants = [
        ("naive vertical", Variant::naive(false), Some(21.9)),
        ("naive diagonal", Variant::naive(true), Some(19.8)),
        ("core vertical", vertical, Some(8.5)),
        ("core diagonal", diagonal, Some(7.1)),
        ("core vertical, columns first", down(vertical), Some(16.2)),
        ("core diagonal, columns first", down(diagonal), Some(18.3)),
    ];
    let mut table = Table::new("One thread", "ns per pixel", CPU);
    let side = side(session);
    measure(session, &mut section, &mut table, side, &variants)?;
    ours(session, &mut section, &mut table, side)?;
    section.conclusions.extend([
        conclude::takes_longer(&table, ["naive vertical", "core vertical"], 2.0, "one loop is at least twice as fast as rows and then columns"),
        conclude::takes_longer(&table, ["core vertical", "core diagonal"], 1.0, "in cores of 2 x 2 the diagonal vectorisation is faster (so on the paper's Intel CPU, not on its AMD CPU)"),
        conclude::takes_longer(&table, ["core vertical, columns first", "core vertical"], 1.2, "going along rows first is clearly faster than down columns (vertical)"),
        conclude::takes_longer(&table, ["core diagonal, columns first", "core diagonal"], 1.2, "going along rows first is clearly faster than down columns (diagonal)"),
    ]);
    section.tables.push(table);
    Ok(section)
}

pub fn cores(session: &Session) -> Result<Section> {
    let (mut section, runs) = section(
        session,
        "Sizes of cores (Barina and Zemcik, Table 5)",
        "The same in one loop along rows, by cores of several columns x rows. In caches they differ by their instructions; beyond \
         them, memory can hide that. Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let variants = [
        ("vertical 2 x 2", Variant::core(false, [2, 2]), Some(8.3)),
        ("vertical 4 x 4", Variant::core(false, [4, 4]), Some(4.4)),
        ("vertical 8 x 2", Variant::core(false, [8, 2]), Some(4.7)),
        ("vertical 2 x 8", Variant::core(false, [2, 8]), Some(4.5)),
        ("diagonal 2 x 2", Variant::core(true, [2, 2]), Some(7.2)),
        ("diagonal 6 x 2", Variant::core(true, [6, 2]), Some(6.6)),
        ("diagonal 2 x 6", Variant::core(true, [2, 6]), Some(6.6)),
    ];
    let mut table = Table::new("One thread", "ns per pixel", CPU);
    let largest = side(session);
    let sides: &[usize] = session.cases(&[1024], &[1024, 4096]);
    for &side in sides {
        let published = |(name, variant, number): (&'static str, Variant, Option<f64>)| {
            (name, variant, number.filter(|_| side == largest))
        };
        let variants = variants.map(published);
        measure(session, &mut section, &mut table, side, &variants)?;
    }
    let names = variants.map(|(name, ..)| name);
    section.conclusions.extend([
        conclude::is_fastest(
            &table,
            &names,
            "vertical 4 x 4",
            "the core of 4 x 4 with vertical vectorisation is the fastest",
        ),
        conclude::takes_longer(
            &table,
            ["vertical 2 x 2", "vertical 4 x 4"],
            1.5,
            "4 x 4 is at least 1.5 times as fast as 2 x 2 (vertical)",
        ),
        conclude::takes_longer(
            &table,
            ["diagonal 2 x 2", "diagonal 6 x 2"],
            1.0,
            "6 x 2 is faster than 2 x 2 (diagonal)",
        ),
    ]);
    section.tables.push(table);
    Ok(section)
}

pub fn borders(session: &Session) -> Result<Section> {
    let (mut section, runs) = section(
        session,
        "Zeros against mirrored borders (Barina and Zemcik, Fig. 18 and Table 7)",
        "The core of 4 x 4 with a frame of zeros around the picture, and with borders that are mirrored where they are loaded. \
         Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let zeros = Variant::core(false, [4, 4]);
    let mirrored = Variant {
        symmetric: true,
        ..zeros
    };
    let sides: &[usize] = session.cases(&[256, 1024], &[128, 256, 512, 1024, 2048, 4096]);
    let mut table = Table::new("One thread", "ns per pixel", CPU);
    for &side in sides {
        let large = side == sides[sides.len() - 1];
        let published = |number| large.then_some(number);
        let variants = [
            ("zeros", zeros, published(4.4)),
            ("mirrored", mirrored, published(4.3)),
            ("naive", Variant::naive(false), published(21.9)),
        ];
        measure(session, &mut section, &mut table, side, &variants)?;
    }
    section.conclusions.push(conclude::take_the_same(
        &table,
        ["mirrored", "zeros"],
        1.15,
        "mirrored borders cost nothing to speak of, within 1.15",
    ));
    section.plotted(table, "barina-borders", "pixels", PlotKind::Lines);
    Ok(section)
}

pub fn threads(session: &Session) -> Result<Section> {
    let (mut section, runs) = section(
        session,
        "Threads (Barina and Zemcik, Table 9)",
        "Bands of rows (of the naive columns: of columns), one work-item for each, so that the runtime gives each a thread; where it \
         has fewer, they share. `POCL_MAX_PTHREAD_COUNT` limits PoCL's. Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let variants = [
        ("naive vertical", Variant::naive(false), [21.5, 15.8, 9.8]),
        ("naive diagonal", Variant::naive(true), [19.7, 14.4, 8.9]),
        (
            "core vertical 4 x 4",
            Variant::core(false, [4, 4]),
            [4.3, 2.3, 1.5],
        ),
        (
            "core diagonal 6 x 2",
            Variant::core(true, [6, 2]),
            [5.9, 3.1, 2.0],
        ),
    ];
    let side = side(session);
    let (work, pixels) = (square(side), (side * side) as f64);
    let most = available_parallelism()
        .map_or(1, usize::from)
        .min(session.engine.device().info().compute_units);
    let counts = [1, 2, 4]
        .into_iter()
        .filter(|count| *count <= most)
        .chain((most > 4).then_some(most));
    let mut table = Table::new(&format!("Threads, {work}"), "ns per pixel", CPU);
    let mut scaling = Vec::new();
    let counts: Vec<usize> = counts.collect();
    for (name, variant, published) in variants {
        let mut alone = None;
        for &count in &counts {
            let timed = time(session, &mut section, variant, side, count)?;
            if let (Some(timed), true) = (&timed, variant.core.is_some()) {
                let alone = *alone.get_or_insert(timed.seconds);
                scaling.extend(
                    (count == most && most > 1).then_some(alone / timed.seconds / most as f64),
                );
            }
            let published = [1, 2, 4]
                .iter()
                .position(|one| *one == count)
                .map(|place| published[place]);
            let work = format!("{count} thread{}", if count == 1 { "" } else { "s" });
            let figure =
                timed.map(|timed| timed.figure(&work, name, count as f64, NANOSECONDS / pixels));
            publish(&mut table.figures, figure, &work, name, published);
        }
    }
    table
        .figures
        .sort_by(|one, other| one.x.total_cmp(&other.x));
    section.conclusions.extend([
        conclude::at_least(
            scaling,
            0.8,
            &format!("one loop scales nearly linearly, to {most} threads"),
            "Speed over that of one thread, per thread",
        ),
        conclude::takes_longer(
            &table,
            ["naive vertical", "core vertical 4 x 4"],
            3.0,
            "with as many threads one loop is at least 3 times as fast as rows and then columns",
        ),
    ]);
    section.plotted(table, "barina-threads", "threads", PlotKind::Lines);
    Ok(section)
}
