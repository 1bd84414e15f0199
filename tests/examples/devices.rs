//! The example `devices`.

use super::*;

#[test]
fn the_table_marks_what_would_be_picked() {
    let table = stdout(&mut example("devices"));
    let marked = table.lines().filter(|line| line.starts_with('*')).count();
    assert_eq!(marked, 1, "{table}");
    assert!(table.contains("platform") && table.contains("picked for"));
}

#[test]
fn without_a_match_the_table_is_still_shown() {
    let mut command = example("devices");
    command.args(["--device", "no-such-vendor"]);
    let output = command.output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("platform") && !table.contains("\n*"),
        "{table}"
    );
    assert!(complaint(&mut command).contains("no-such-vendor"));
}

#[test]
fn without_opencl_it_says_what_to_install() {
    assert!(complaint(example("devices").without_opencl()).contains("pocl"));
}
