//! Cases that not every device can run: which ones did, which did not, and which had to.

use super::devices;
use wavelift::{Device, DeviceInfo};

/// What cases need and not every device has.
const NEEDS: [&str; 20] = [
    "fp64",
    "ptx",
    "fence",
    "khr-8",
    "khr-16",
    "khr-32",
    "khr-64",
    "intel-8",
    "intel-16",
    "intel-32",
    "intel-64",
    "two-levels",
    "local-memory",
    "small-sub-groups",
    "work-groups-of-256",
    "little-memory",
    "failed-events",
    "past-32-bits",
    "layers",
    "opengl",
];

/// Whether a device has what a case needs, which `need` names. Where it does not, the case is not
/// run there, and a line says so.
///
/// The environment variable `WAVELIFT_REQUIRE` lists needs, separated by commas, whose cases must
/// run: they fail where no device has what they need.
pub fn can_run(what: &str, device: &Device, need: &str, has: impl Fn(&DeviceInfo) -> bool) -> bool {
    assert!(NEEDS.contains(&need), "`{need}` is missing in NEEDS");
    let is_required = required().iter().any(|required| required == need);
    if has(device.info()) {
        return true;
    }
    println!("not run: {what} on {device}: this needs {need}");
    assert!(
        !is_required || devices().iter().any(|device| has(device.info())),
        "WAVELIFT_REQUIRE lists {need}, which no device has: {what} was not run"
    );
    false
}

/// Says that a case, which not every device can run, ran on this one.
pub fn ran(what: &str, device: &Device) {
    println!("ran: {what} on {device}");
}

/// A word that no case knows would require nothing, in silence.
fn required() -> Vec<String> {
    let list = std::env::var("WAVELIFT_REQUIRE").unwrap_or_default();
    let words = list
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    for word in &words {
        let is_known = NEEDS.contains(&word.as_str());
        assert!(is_known, "WAVELIFT_REQUIRE: `{word}` is none of {NEEDS:?}");
    }
    words
}
