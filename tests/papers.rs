//! The variants of the papers' methods, which no plan uses, are right; and the
//! report on the papers is whole.

#[path = "../examples/papers/main.rs"]
#[allow(dead_code, reason = "the program uses all of it")]
mod report;

use report::common::check::{RandomSample, expected, random_samples, relative_error};
use report::figures::{Report, Section, Table};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use wavelift::{
    Boundary, Device, DeviceInfo, Direction, Engine, Exchange, Filter, Filtering, Layout, Study,
    Transform, Variant, Wavelet, paper_sources,
};

fn devices() -> Vec<Device> {
    let devices = Device::all().expect("the tests need an OpenCL device, PoCL for example");
    assert!(!devices.is_empty(), "there is no OpenCL device");
    devices
}

/// Every vectorisation and size of core, in either order, with either border; and rows
/// and columns by themselves.
fn variants() -> Vec<Variant> {
    let vertical = [[2, 2], [4, 4], [8, 2], [2, 8]].map(|core| Variant::core(false, core));
    let diagonal = [[2, 2], [6, 2], [2, 6]].map(|core| Variant::core(true, core));
    let mut all: Vec<Variant> = [false, true].map(Variant::naive).to_vec();
    for core in vertical.into_iter().chain(diagonal) {
        for (by_columns, symmetric) in [(false, false), (false, true), (true, true)] {
            all.push(Variant {
                by_columns,
                symmetric,
                ..core
            });
        }
    }
    all
}

/// What a variant should give: the reference, for zeros that of a picture with
/// so many zeros around it.
fn of_reference(samples: &[f32], [height, width]: [usize; 2], symmetric: bool) -> Vec<f64> {
    let frame = if symmetric { 0 } else { 16 };
    let (tall, wide) = (height + 2 * frame, width + 2 * frame);
    let mut framed = vec![0.0; tall * wide];
    for (y, row) in samples.chunks(width).enumerate() {
        let start = (y + frame) * wide + frame;
        framed[start..start + width].copy_from_slice(row);
    }
    let transform = Transform::new(Wavelet::CDF_9_7, [tall, wide])
        .layout(Layout::Interleaved)
        .boundary(Boundary::Symmetric);
    let all = expected(&transform, Direction::Forward, &framed).unwrap();
    let rows = all.chunks(wide).skip(frame).take(height);
    rows.flat_map(|row| row[frame..frame + width].to_vec())
        .collect()
}

#[test]
fn variants_agree_with_the_reference() {
    for device in &devices() {
        let engine = Engine::new(device).unwrap();
        for shape in [[32, 32], [45, 71], [64, 130]] {
            let samples = random_samples::<f32>(shape[0] * shape[1], 7);
            let wanted = [false, true].map(|symmetric| of_reference(&samples, shape, symmetric));
            for variant in variants() {
                for threads in [1, 3] {
                    let mut study = Study::new(&engine, variant, shape, threads, &samples).unwrap();
                    study.enqueue().unwrap().wait().unwrap();
                    let got = study.result().unwrap();
                    let wanted = &wanted[usize::from(variant.symmetric)];
                    let error = relative_error(&got, wanted);
                    assert!(
                        error < f32::BOUND,
                        "{variant:?} {shape:?} {threads}: {error}"
                    );
                }
            }
        }
    }
}

fn filters_agree<T: RandomSample>(engine: &Engine, wavelet: &Wavelet, filters: &[Filter]) {
    for size in [64, 66, 98] {
        let samples = random_samples::<T>(size * size, 3);
        for &filter in filters {
            let axis = usize::from(filter == Filter::Rows);
            let transform = Transform::new(wavelet.clone(), [size, size]).axes([axis]);
            let wanted = expected(&transform, Direction::Forward, &samples).unwrap();
            let mut filtering = Filtering::new(engine, wavelet, size, filter, &samples).unwrap();
            filtering.enqueue().unwrap().wait().unwrap();
            let error = relative_error(&filtering.result().unwrap(), &wanted);
            assert!(error <= T::BOUND, "{wavelet} {filter:?} {size}: {error}");
        }
    }
}

#[test]
fn filters_agree_with_the_reference() {
    use Filter::{Columns, Lookahead, Offset, Rows};
    for device in &devices() {
        let engine = Engine::new(device).unwrap();
        filters_agree::<i16>(&engine, &Wavelet::CDF_5_3, &[Rows, Columns, Offset]);
        filters_agree::<f32>(&engine, &Wavelet::DAUB_4, &[Rows, Columns, Offset]);
        let all = [Rows, Columns, Offset, Lookahead];
        filters_agree::<f32>(&engine, &Wavelet::CDF_9_7, &all);
    }
}

fn papers(out: &Path, merge: Vec<PathBuf>) {
    let arguments = report::Arguments {
        quick: true,
        once: true,
        only: Vec::new(),
        out: out.to_owned(),
        device: None,
        merge,
    };
    report::papers(arguments).unwrap();
}

/// Every number is there, and is one.
fn check_section(section: &Section, text: &str) {
    let title = &section.title;
    assert!(text.contains(&format!("\n## {title}\n")), "{title}");
    let figures: Vec<_> = section
        .tables
        .iter()
        .flat_map(|table| &table.figures)
        .collect();
    // What a device cannot run is said.
    assert!(!figures.is_empty() || !section.notes.is_empty(), "{title}");
    let measured = figures.iter().filter(|figure| figure.value.is_some());
    assert!(figures.is_empty() || measured.count() > 1, "{title}");
    for figure in figures {
        let own = [figure.value, figure.of_copy, figure.of_arithmetic];
        let numbers: Vec<f64> = own
            .into_iter()
            .flatten()
            .chain(figure.published.clone())
            .collect();
        let are_numbers = numbers
            .iter()
            .all(|number| number.is_finite() && *number > 0.0);
        let (work, method) = (&figure.work, &figure.method);
        assert!(
            are_numbers && figure.x >= 0.0,
            "{title}: {work}, {method}: {numbers:?}"
        );
        let row = format!("| {work} | {method} |");
        assert!(text.contains(&row), "{title}: {row}");
        if let Some(value) = figure.value {
            let number = report::render::digits(value);
            let lines = text.lines().filter(|line| line.starts_with(&row));
            assert!(
                lines
                    .clone()
                    .any(|line| line.contains(&format!(" {number} |"))),
                "{row} {number}"
            );
        }
    }
    for table in &section.tables {
        check_shares(table);
    }
    for conclusion in &section.conclusions {
        assert!(
            text.contains(conclusion) && !conclusion.contains("NaN"),
            "{conclusion}"
        );
    }
}

/// Beside every time, but those with transfers, stands the share of what the device can do; numbers
/// were published for all of a table's hardware or for none.
fn check_shares(table: &Table) {
    let is_time = ["ps", "ns", "us", "ms"]
        .iter()
        .any(|unit| table.unit.starts_with(unit));
    for figure in &table.figures {
        let (work, method, title) = (&figure.work, &figure.method, &table.title);
        let moves = ["upload", "download", "with transfers"].contains(&method.as_str());
        let has_share = figure.of_copy.is_some() || figure.of_arithmetic.is_some();
        let should = is_time && !moves && figure.value.is_some();
        assert_eq!(has_share, should, "{title}: {work}, {method}");
        let published = figure.published.len();
        assert!(
            published == 0 || published == table.hardware.len(),
            "{title}: {work}, {method}"
        );
    }
}

#[test]
fn the_quick_report_is_whole() {
    let folder = TempDir::new().unwrap();
    let out = folder.path();
    papers(out, Vec::new());
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let (results, text) = (read("results.json"), read("report.md"));
    let made: Report = serde_json::from_str(&results).unwrap();
    assert!(made.quick && made.date.starts_with("20") && !made.driver.is_empty());
    assert!(made.operations_per_second.iter().all(|rate| *rate > 1e6));
    assert_eq!(made.sections.len(), report::sections::ALL.len());
    let mut drawings = 0;
    for section in &made.sections {
        check_section(section, &text);
        for plot in &section.plots {
            let file = format!("{}.svg", plot.name);
            let drawing = read(&file);
            let xml = roxmltree::Document::parse(&drawing).unwrap();
            assert_eq!(xml.root_element().tag_name().name(), "svg", "{file}");
            assert!(text.contains(&format!("]({file})")), "{file}");
            let lines = xml
                .descendants()
                .filter(|node| node.has_tag_name("polyline") || node.has_tag_name("rect"));
            assert!(lines.count() > 1, "{file}");
            drawings += 1;
        }
    }
    assert!(drawings > 10, "{drawings} drawings");

    // Of one result alone, its report is written again.
    papers(&out.join("again"), vec![out.join("results.json")]);
    assert_eq!(read("again/results.json"), results);
    assert_eq!(read("again/report.md"), text);

    // Another device with the same figures stands beside the first.
    let other = Report {
        device: "Other GPU".to_owned(),
        kind: "gpu".to_owned(),
        ..made
    };
    fs::write(
        out.join("other.json"),
        serde_json::to_string(&other).unwrap(),
    )
    .unwrap();
    papers(out, vec![out.join("results.json"), out.join("other.json")]);
    let merged = read("merged.md");
    let heading = format!(
        "| {} | ratio | Other GPU | ratio |",
        serde_json::from_str::<Report>(&results).unwrap().device
    );
    assert!(merged.contains(&heading), "{merged}");
    for section in &other.sections {
        assert!(merged.contains(&format!("\n## {}\n", section.title)));
    }
}

#[test]
fn dates_are_those_of_the_calendar() {
    let days = [0, 11_016, 11_017, 20_512, 20_819];
    let dates = days.map(report::made::civil);
    assert_eq!(
        dates,
        [
            (1970, 1, 1),
            (2000, 2, 29),
            (2000, 3, 1),
            (2026, 2, 28),
            (2027, 1, 1)
        ]
    );
}

/// `make kernels` compiles them with those that tests/kernels.rs writes.
#[test]
fn every_program_is_written_for_the_compilers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("kernels");
    fs::create_dir_all(&folder).unwrap();
    for (exchange, lanes, way) in [
        (Exchange::None, 1, "none"),
        (Exchange::Ptx, 32, "ptx32"),
        (Exchange::Khr, 16, "khr16"),
    ] {
        let mut device = DeviceInfo::imaginary();
        (device.exchange, device.lanes) = (exchange, lanes);
        let programs = paper_sources(&device, &variants()).unwrap();
        for (number, (name, source)) in programs.iter().enumerate() {
            fs::write(
                folder.join(format!("{way}-papers-{number}-{name}.cl")),
                source,
            )
            .unwrap();
        }
    }
}
