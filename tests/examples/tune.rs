//! The example `tune`.

use super::*;

const PICTURE: &str = "--size 64 --samples i16 --wavelets cdf53 --directions forward";

fn tune(options: &str, sizes: &str) -> Command {
    let mut command = example("tune");
    command.args(options.split_whitespace());
    command
        .args(["--sizes", sizes])
        .env_remove("WAVELIFT_TUNING");
    command
}

/// What a state file holds.
fn trials(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

fn write(path: &Path, trials: &[Value]) {
    let lines = trials.iter().map(|trial| format!("{trial}\n"));
    fs::write(path, lines.collect::<String>()).unwrap();
}

#[test]
fn each_size_is_tried_and_the_rest_is_comment_or_tuning() {
    for (strategy, sizes, more) in [
        ("streamed", "PAIRS=4,8 FILLING=1", ""),
        (
            "single_loop",
            "VECTOR=8,16 STRIP=64",
            "--pixels u8 --level-shift 128",
        ),
    ] {
        let options = format!("{PICTURE} --strategies {strategy} {more}");
        let report = stdout(&mut tune(&options, sizes));
        let tried = |word: &str| report.lines().any(|line| line.contains(word));
        assert!(tried("(defaults)"), "{report}");
        for name in sizes
            .split_whitespace()
            .map(|word| word.split_once('=').unwrap().0)
        {
            assert!(tried(&format!("{name}=")), "{report}");
        }
        let after = report.lines().skip_while(|line| !line.starts_with('#'));
        let lines: String = after.map(|line| format!("{line}\n")).collect();
        assert!(
            lines.contains(&format!("# {strategy} i16 cdf53 forward: ")),
            "{report}"
        );
        for device in wavelift::Device::all().unwrap() {
            let engine = wavelift::Engine::new(&device).unwrap();
            engine.with_tuning(&lines).unwrap();
        }
    }
}

#[test]
fn a_rerun_measures_only_what_is_missing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("state.jsonl");
    let options = format!("{PICTURE} --strategies single_loop");
    let run = || stdout(tune(&options, "STRIP=64,128").arg("--state").arg(&path));
    run();
    let first = trials(&path);
    assert!(first.len() >= 3, "{first:?}");

    // As if one variant were the best: what is in the file is believed.
    let mut state = Vec::new();
    for (sizes, time) in [("", 20_000), ("STRIP=64", 10_000), ("STRIP=128", 21_000)] {
        for again in [false, true] {
            let mut trial = first[0].clone();
            trial["variant"]["sizes"] = sizes.into();
            trial["variant"]["again"] = again.into();
            trial["median_ns"] = time.into();
            trial["copy_median_ns"] = 50_000.into();
            state.push(trial);
        }
    }
    write(&path, &state);
    let report = run();
    assert_eq!(trials(&path), state);
    let tuned: Vec<&str> = report.lines().filter(|line| line.contains(" | ")).collect();
    let [line] = tuned.as_slice() else {
        panic!("{report}")
    };
    assert!(line.ends_with("| single_loop | i16 | STRIP=64 wavelet=cdf53 direction=forward"));
    assert!(
        report.contains("5.000 of copy, the defaults 2.500"),
        "{report}"
    );

    // The line is one that programs take.
    let tuning = folder.path().join("tuning.txt");
    fs::write(&tuning, &report[report.find('#').unwrap()..]).unwrap();
    let options = "--sizes 64 --wavelets cdf53 --samples i16 --levels 1 --strategies single_loop";
    let mut command = example("benchmark");
    command.args(options.split_whitespace());
    stdout(command.env("WAVELIFT_TUNING", &tuning));

    // What is missing is measured, and only that; half a line is missing too.
    write(&path, &state[..4]);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str(&state[4].to_string()[..40]);
    fs::write(&path, text).unwrap();
    run();
    let now = trials(&path);
    assert_eq!((now.len(), &now[..4]), (5, &state[..4]));
    assert_eq!(now[4]["variant"], state[4]["variant"]);
}

#[test]
fn a_wrong_result_never_becomes_a_line() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("state.jsonl");
    let options = format!("{PICTURE} --strategies single_loop");
    let mut command = tune(&options, "STRIP=64");
    command.arg("--state").arg(&path);
    stdout(&mut command);
    let mut state = trials(&path);
    state.truncate(2);
    let variant = state[1]["variant"].clone();
    state[1] = serde_json::json!({"variant": variant, "failed": "WRONG: error 1"});
    write(&path, &state);
    let report = command.output().unwrap().stdout;
    let report = String::from_utf8(report).unwrap();
    assert!(
        report.contains("WRONG") && report.contains("the defaults stand"),
        "{report}"
    );
    assert!(complaint(&mut command).contains("1 of 2 variants failed"));
}

#[test]
fn wrong_requests_are_errors() {
    for (options, sizes, word) in [
        ("--size 0", "STRIP=64", "--size"),
        ("--size 8 --runs 19", "STRIP=64", "20"),
        (
            "--size 8 --levels 65 --strategies single_loop",
            "STRIP=64",
            "64",
        ),
        ("--size 8 --strategies stepwise", "STRIP=64", "single_loop"),
        (
            "--size 8 --strategies single_loop",
            "PAIRS=4",
            "VECTOR, STRIP",
        ),
        ("--size 8 --strategies single_loop", "STRIP", "NAME=SIZE"),
        (
            "--size 8 --strategies single_loop --pixels u16",
            "STRIP=64",
            "u16 pixels as i16",
        ),
        (
            "--size 8 --device no-such-vendor",
            "STRIP=64",
            "no-such-vendor",
        ),
        (
            "--size 1000000000 --strategies single_loop",
            "STRIP=64",
            "memory",
        ),
    ] {
        let line = complaint(&mut tune(options, sizes));
        assert!(line.contains(word), "{options} {sizes}: {line}");
    }
    let line = complaint(tune("--size 8", "STRIP=64").without_opencl());
    assert!(line.contains("no OpenCL runtime"), "{line}");
}

#[test]
fn files_of_another_kind_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("precious.txt");
    for text in ["precious", "precious\n", "{\"a\": 1}\n"] {
        fs::write(&path, text).unwrap();
        let options = format!("{PICTURE} --strategies single_loop");
        let line = complaint(tune(&options, "STRIP=64").arg("--state").arg(&path));
        assert!(line.contains("precious.txt"), "{line}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let missing = folder.path().join("missing").join("state.jsonl");
    let options = format!("{PICTURE} --strategies single_loop");
    assert!(
        complaint(tune(&options, "STRIP=64").arg("--state").arg(&missing)).contains("state.jsonl")
    );
}
