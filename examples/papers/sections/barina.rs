//! Barina, Zemcik 2015: Vectorization and Parallelization of 2-D Wavelet Lifting.

use super::super::conclude;
use super::super::figures::{PlotKind, Section, Table};
use super::super::session::{Session, Timed, many_random_samples, unless_refused};
use super::{publish, square};
use std::thread::available_parallelism;
use wavelift::{Cost, Direction, Layout, Result, Strategy, Study, Transform, Variant, Wavelet};

/// Reference platforms, by which most tables are.
const CPUS: &[&str] = &["Intel Core2 Quad Q9000", "AMD Opteron 2380"];
/// With the alternative platforms.
const ALL_CPUS: &[&str] = &[
    "Intel Core2 Quad Q9000",
    "AMD Opteron 2380",
    "Intel Core2 Duo E7600",
    "AMD Athlon 64 X2 4000+",
];
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
    variants: &[(&str, Variant, &[f64])],
) -> Result<()> {
    let (work, pixels) = (square(side), (side * side) as f64);
    for &(name, variant, published) in variants {
        let timed = time(session, section, variant, side, 1)?;
        let figure = timed.map(|timed| timed.figure(&work, name, pixels, NANOSECONDS / pixels));
        let published = published.iter().copied();
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
        "Naive against single loop, and orders (Barina and Zemcik, Tables 1 to 4)",
        "One level of CDF 9/7 in `f32`, interleaved, one thread, out of place: row by row and then column by column, or both in one \
         loop of cores of 2 x 2, with vertical and with diagonal vectorisation; then along rows first or down columns first. The \
         paper's 58 million pixels are in place; its original single loop, with prologue and epilogue, and its strips and blocks \
         are not here. `single_loop` is the library's own, by all threads. Shares are of what any of them must move and compute: \
         the naive ones move it twice. Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let [vertical, diagonal] = [false, true].map(|diagonal| Variant::core(diagonal, [2, 2]));
    let variants: [(&str, Variant, &[f64]); 4] = [
        (
            "naive vertical",
            Variant::naive(false),
            &[21.9, 47.1, 19.4, 154.0],
        ),
        (
            "naive diagonal",
            Variant::naive(true),
            &[19.8, 46.9, 17.7, 152.3],
        ),
        ("core vertical", vertical, &[8.5, 8.4, 6.3, 12.4]),
        ("core diagonal", diagonal, &[7.1, 9.6, 5.2, 15.7]),
    ];
    let original = [
        ("single-loop vertical", [8.4, 15.3, 6.2, 20.4]),
        ("single-loop diagonal", [7.7, 11.7, 5.7, 17.0]),
    ];
    let mut table = Table::new("One thread", "ns per pixel", ALL_CPUS);
    let side = side(session);
    measure(session, &mut section, &mut table, side, &variants)?;
    for (name, published) in original {
        publish(&mut table.figures, None, &square(side), name, published);
    }
    ours(session, &mut section, &mut table, side)?;
    let orders = orders(session, &mut section, side)?;
    section.conclusions.extend([
        conclude::takes_longer(&table, ["naive vertical", "core vertical"], 2.0, "one loop is at least twice as fast as rows and then columns"),
        conclude::takes_longer(&table, ["core vertical", "core diagonal"], 1.0, "in cores of 2 x 2 the diagonal vectorisation is faster (so on the paper's Intel CPUs, not on its AMD CPUs)"),
        conclude::takes_longer(&orders, [DOWN, ALONG], 1.2, "going along rows first is clearly faster than down columns"),
    ]);
    section.tables.extend([table, orders]);
    Ok(section)
}

const ALONG: &str = "full horizontal";
const DOWN: &str = "full vertical";

/// Tables 3 and 4.
fn orders(session: &Session, section: &mut Section, side: usize) -> Result<Table> {
    let pixels = (side * side) as f64;
    let published: [(&str, [[f64; 2]; 2]); 6] = [
        (ALONG, [[8.3, 8.9], [7.1, 9.1]]),
        ("horizontal strips of 128", [[9.2, 10.2], [8.1, 10.4]]),
        ("horizontal blocks of 128", [[8.4, 9.3], [7.2, 10.0]]),
        (DOWN, [[16.2, 32.6], [18.3, 35.4]]),
        ("vertical strips of 128", [[11.5, 14.2], [10.1, 15.2]]),
        ("vertical blocks of 128", [[12.0, 14.5], [10.7, 15.7]]),
    ];
    let mut table = Table::new(&format!("Orders, {}", square(side)), "ns per pixel", CPUS);
    for (diagonal, core) in ["core vertical", "core diagonal"].into_iter().enumerate() {
        for (order, published) in published {
            let variant = Variant {
                by_columns: order == DOWN,
                ..Variant::core(diagonal == 1, [2, 2])
            };
            let timed = match order {
                ALONG | DOWN => time(session, section, variant, side, 1)?,
                _ => None,
            };
            let figure = timed.map(|timed| timed.figure(core, order, pixels, NANOSECONDS / pixels));
            publish(&mut table.figures, figure, core, order, published[diagonal]);
        }
    }
    Ok(table)
}

pub fn cores(session: &Session) -> Result<Section> {
    let (mut section, runs) = section(
        session,
        "Sizes of cores (Barina and Zemcik, Tables 5 and 6)",
        "The same in one loop along rows, by cores of several columns x rows. In caches they differ by their instructions; beyond \
         them, memory can hide that. Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let variants: [(&str, Variant, &[f64]); 7] = [
        ("vertical 2 x 2", Variant::core(false, [2, 2]), &[8.3, 8.8]),
        ("vertical 4 x 4", Variant::core(false, [4, 4]), &[4.4, 4.6]),
        ("vertical 8 x 2", Variant::core(false, [8, 2]), &[4.7, 5.1]),
        ("vertical 2 x 8", Variant::core(false, [2, 8]), &[4.5, 5.1]),
        ("diagonal 2 x 2", Variant::core(true, [2, 2]), &[7.2, 8.9]),
        ("diagonal 6 x 2", Variant::core(true, [6, 2]), &[6.6, 6.7]),
        ("diagonal 2 x 6", Variant::core(true, [2, 6]), &[6.6, 6.4]),
    ];
    let mut table = Table::new("One thread", "ns per pixel", CPUS);
    let largest = side(session);
    let sides: &[usize] = session.cases(&[1024], &[1024, 4096]);
    for &side in sides {
        let variants = variants.map(|(name, variant, published)| match side == largest {
            true => (name, variant, published),
            false => (name, variant, &[][..]),
        });
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
        "Zeros against mirrored borders (Barina and Zemcik, Fig. 18 and 19, Tables 7 and 8)",
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
    let mut table = Table::new("One thread", "ns per pixel", CPUS);
    for &side in sides {
        let published = |numbers: &'static [f64]| match side == sides[sides.len() - 1] {
            true => numbers,
            false => &[],
        };
        let variants = [
            ("zeros", zeros, published(&[4.4, 4.5])),
            ("mirrored", mirrored, published(&[4.3, 4.7])),
            ("naive", Variant::naive(false), published(&[21.9, 47.1])),
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

/// Tables 9 and 10: by 1, 2 and 4 threads.
const THREADS: [(&str, Variant, [[f64; 2]; 3]); 4] = [
    (
        "naive vertical",
        Variant::naive(false),
        [[21.5, 46.9], [15.8, 24.0], [9.8, 12.1]],
    ),
    (
        "naive diagonal",
        Variant::naive(true),
        [[19.7, 46.6], [14.4, 23.6], [8.9, 11.8]],
    ),
    (
        "core vertical 4 x 4",
        Variant::core(false, [4, 4]),
        [[4.3, 4.3], [2.3, 2.3], [1.5, 1.2]],
    ),
    (
        "core diagonal 6 x 2",
        Variant::core(true, [6, 2]),
        [[5.9, 7.1], [3.1, 3.7], [2.0, 1.9]],
    ),
];

pub fn threads(session: &Session) -> Result<Section> {
    let (mut section, runs) = section(
        session,
        "Threads (Barina and Zemcik, Fig. 20 and 21, Tables 9 and 10)",
        "Bands of rows (of the naive columns: of columns), one work-item for each, so that the runtime gives each a thread; where it \
         has fewer, they share. `POCL_MAX_PTHREAD_COUNT` limits PoCL's. Ratios are to the first method.",
    );
    if !runs {
        return Ok(section);
    }
    let side = side(session);
    let (work, pixels) = (square(side), (side * side) as f64);
    let most = available_parallelism()
        .map_or(1, usize::from)
        .min(session.engine.device().info().compute_units);
    let mut counts = vec![1, 2, 4, most];
    counts.sort_unstable();
    counts.dedup();
    let mut table = Table::new(&format!("Threads, {work}"), "ns per pixel", CPUS);
    let threads = |count: usize| format!("{count} thread{}", if count == 1 { "" } else { "s" });
    for &count in &counts {
        for (name, variant, published) in THREADS {
            let timed = match count <= most {
                true => time(session, &mut section, variant, side, count)?,
                false => None,
            };
            let place = [1, 2, 4].iter().position(|one| *one == count);
            let published = place.map(|place| published[place]).into_iter().flatten();
            let work = threads(count);
            let figure =
                timed.map(|timed| timed.figure(&work, name, count as f64, NANOSECONDS / pixels));
            publish(&mut table.figures, figure, &work, name, published);
        }
    }
    let scaling = THREADS
        .iter()
        .filter(|(_, variant, _)| most > 1 && variant.core.is_some());
    let scaling = scaling.filter_map(|(name, ..)| {
        let [alone, all] = [1, most].map(|count| table.value(&threads(count), name));
        Some(alone? / all? / most as f64)
    });
    let scaling = scaling.collect();
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
