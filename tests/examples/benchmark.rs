//! The example `benchmark`.

use super::*;

fn benchmark(options: &str) -> Command {
    let mut command = example("benchmark");
    command.args(options.split_whitespace());
    command
}

#[test]
fn rows_hold_what_was_measured() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.json");
    let mut command = benchmark(
        "--sizes 64,33x17 --wavelets cdf53,cdf97 --samples i16,f32 --levels 1,2 \
         --strategies auto,stepwise --json",
    );
    let table = stdout(command.arg(&path));
    let rows: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let rows = rows.as_array().unwrap();
    // Three of the four pairs of wavelet and sample exist.
    let per_device = 3 * 2 * 2 * 2 * 2;
    let devices = wavelift::Device::all().unwrap().len();
    assert_eq!(rows.len(), per_device * devices, "{table}");
    // A line for each device, the heading, the rows, a note.
    let lines = devices + 1 + rows.len() + 1;
    assert_eq!(table.lines().count(), lines, "{table}");
    rows.iter().for_each(check);
}

fn check(row: &Value) {
    for key in [
        "platform",
        "device",
        "strategy",
        "wavelet",
        "sample",
        "direction",
    ] {
        assert!(row[key].is_string(), "{row}");
    }
    let number = |key: &str| row[key].as_u64().expect(key);
    let [runs, median, copy] = ["runs", "median_ns", "copy_median_ns"].map(number);
    assert!(runs >= 20 && [1, 2].contains(&number("levels")), "{row}");
    let shapes = [[64, 64], [17, 33]].map(|shape| Value::from(shape.to_vec()));
    assert!(shapes.contains(&row["shape"]), "{row}");
    assert!(
        number("min_ns") <= median && number("wall_median_ns") > 0,
        "{row}"
    );
    // Every sample is read and written at least once, and lifted.
    let samples: u64 = if row["shape"][0] == 64 {
        64 * 64
    } else {
        17 * 33
    };
    let size = if row["sample"] == "i16" { 2 } else { 4 };
    assert!(number("moved_bytes") >= 2 * samples * size, "{row}");
    assert!(
        number("operations") > samples && number("launches") > 0,
        "{row}"
    );
    let seconds = median as f64 / 1e9;
    for (rate, count) in [
        ("moved_bytes_per_second", "moved_bytes"),
        ("operations_per_second", "operations"),
    ] {
        let done = row[rate].as_f64().unwrap() * seconds;
        assert!((done - number(count) as f64).abs() < 0.5, "{row}");
    }
    let share = copy as f64 / median as f64;
    assert!(
        (row["of_copy"].as_f64().unwrap() - share).abs() < 1e-9,
        "{row}"
    );
}

#[test]
fn plans_in_place_have_the_interleaved_layout_alone() {
    let table = stdout(&mut benchmark(
        "--sizes 32 --wavelets cdf53 --samples i16 --levels 1 --directions forward \
         --layouts mallat,interleaved --strategies in_place",
    ));
    let devices = wavelift::Device::all().unwrap().len();
    assert_eq!(
        table.matches("[32, 32] interleaved").count(),
        devices,
        "{table}"
    );
    assert_eq!(
        table.matches("Mallat layout moves").count(),
        devices,
        "{table}"
    );
}

#[test]
fn a_comparison_shows_all_strategies_side_by_side() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.json");
    let mut command = benchmark(
        "--sizes 64 --wavelets cdf53 --samples i16 --levels 1 --directions forward --compare --json",
    );
    let report = stdout(command.arg(&path));
    let mut lines = report.lines().skip_while(|line| !line.contains("wavelet"));
    let heading = lines.next().unwrap();
    for &strategy in wavelift::Strategy::ALL {
        assert!(heading.contains(&format!("{strategy} us")), "{report}");
    }
    let devices = wavelift::Device::all().unwrap().len();
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), devices, "{report}");
    for row in rows {
        assert_eq!(row.matches('*').count(), 1, "{report}");
    }
    let rows: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for row in rows.as_array().unwrap() {
        let seconds = row["median_ns"].as_f64().unwrap() / 1e9;
        let bytes = row["bytes_per_second"].as_f64().unwrap() * seconds;
        assert!((bytes - (2 * 64 * 64 * 2) as f64).abs() < 0.5, "{row}");
    }
}

#[test]
fn a_comparison_is_of_the_named_strategies() {
    let report = stdout(&mut benchmark(
        "--sizes 64 --wavelets haar --samples f32 --levels 1 --batch 2 --compare \
         --strategies stepwise,auto",
    ));
    assert!(
        report.contains("stepwise us") && report.contains("auto us"),
        "{report}"
    );
    assert!(!report.contains("separable"), "{report}");
}

#[test]
fn what_a_wavelet_has_no_steps_for_is_left_out_with_a_note() {
    let table = stdout(&mut benchmark(
        "--sizes 16 --wavelets cdf97,vc2-haar1 --samples i32,f64 --levels 1 --batch 3",
    ));
    assert!(table.contains("cdf97 has no steps for i32"), "{table}");
    assert!(table.contains("vc2-haar1 has no steps for f64"), "{table}");
    assert!(table.contains("[3, 16, 16]"), "{table}");
}

#[test]
fn arrays_of_any_shape_are_measured_along_any_axes() {
    let table = stdout(&mut benchmark(
        "--shape 9x16:1 --shape 8x6x3:0+1 --shape 50 --sizes 12x10 --wavelets haar --samples f32 --levels 2 \
         --directions forward",
    ));
    for shape in [
        "[9, 16] along [1]",
        "[8, 6, 3] along [0, 1]",
        "[50]",
        "[10, 12]",
    ] {
        assert!(table.contains(shape), "{table}");
    }
    assert!(!table.contains("4096"), "{table}");
}

#[test]
fn wrong_requests_are_errors() {
    for (options, word) in [
        ("--shape 8x", "65536x1024:1"),
        ("--shape 8x8:1,0", "65536x1024:1"),
        ("--shape 8x8:2", "axes"),
        ("--shape 8x0", "[8, 0]"),
        ("--sizes 0", "--sizes"),
        ("--sizes 4096x", "--sizes"),
        ("--sizes 1000000000", "memory"),
        ("--sizes 8 --runs 19", "20"),
        ("--sizes 8 --levels 65", "64"),
        ("--sizes 8 --wavelets cdf98", "cdf97"),
        ("--sizes 8 --strategies reference", "auto"),
        ("--sizes 8 --device no-such-vendor", "no-such-vendor"),
        ("--sizes 8 --batch 0", "--batch"),
    ] {
        let line = complaint(&mut benchmark(options));
        assert!(line.contains(word), "{options}: {line}");
    }
    let line = complaint(benchmark("--sizes 8").without_opencl());
    assert!(line.contains("no OpenCL runtime"), "{line}");
}

#[test]
fn pixels_are_measured_beside_samples() {
    let table = stdout(&mut benchmark(
        "--pixels u8 --level-shift 128 --sizes 33x17 --wavelets cdf53 --samples i16 --levels 1",
    ));
    let devices = wavelift::Device::all().unwrap().len();
    // A line for each device, the heading, the rows.
    assert_eq!(table.lines().count(), devices + 1 + 2 * devices, "{table}");
    assert!(table.contains("u8 us"), "{table}");
    let none = "--pixels u16 --sizes 8 --wavelets cdf53 --samples i16 --levels 1";
    let table = stdout(&mut benchmark(none));
    assert!(table.contains("u16 pixels as i16"), "{table}");
}

#[test]
fn host_slices_are_measured_beside_the_bus() {
    let table = stdout(&mut benchmark(
        "--host --sizes 33x17 --wavelets cdf53 --samples i16 --levels 1",
    ));
    let devices = wavelift::Device::all().unwrap().len();
    // A line for each device, the heading, the rows.
    assert_eq!(table.lines().count(), devices + 1 + 2 * devices, "{table}");
    for row in table.lines().skip(devices + 1) {
        let numbers = row.rsplit("  ").filter(|cell| !cell.is_empty()).take(11);
        let numbers: Vec<f64> = numbers.map(|cell| cell.trim().parse().unwrap()).collect();
        assert!(
            numbers.len() == 11 && numbers.iter().all(|&time| time >= 0.0),
            "{row}"
        );
    }
}

#[test]
fn tiles_are_measured_beside_the_bus() {
    let table = stdout(&mut benchmark(
        "--tiles 1 --sizes 600 --wavelets cdf53 --samples i16 --levels 1 --directions inverse",
    ));
    let devices = wavelift::Device::all().unwrap().len();
    // For each device its name, the heading, and a row without a limit and one with it.
    assert_eq!(table.lines().count(), 4 * devices, "{table}");
    let of_limit = |row: &&str| row.split_whitespace().nth_back(3) == Some("1");
    assert_eq!(table.lines().filter(of_limit).count(), devices, "{table}");
}

#[test]
fn a_map_has_shapes_downwards_and_all_else_across() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("map.svg");
    let mut command = benchmark(
        "--shape 48x40 --shape 64x30:0 --wavelets cdf53 --samples i16 --levels 1 --directions forward \
         --boundaries symmetric,zero --map",
    );
    let report = stdout(command.arg(&path));
    let devices = wavelift::Device::all().unwrap().len();
    // A line for each device, the heading, and all cells, as they are fewer than ten.
    let lines = devices + 1 + (4 * devices).min(10);
    assert_eq!(report.lines().count(), lines, "{report}");
    assert!(report.contains("zero mallat forward"), "{report}");
    let map = fs::read_to_string(&path).unwrap();
    for shape in ["48x40:0+1", "64x30:0"] {
        assert_eq!(map.matches(&format!("{shape}\n")).count(), 1, "{map}");
    }
    // The background, and a rectangle for each cell, of which one is the best.
    assert_eq!(map.matches("<rect").count(), 1 + 4 * devices, "{map}");
    assert!(map.contains("\n1.0\n"), "{map}");
}
