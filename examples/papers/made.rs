//! When a report was made, and of what.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Today, as `2026-11-30` (UTC).
pub fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = seconds.map_or(0, |time| time.as_secs() / 86400) as i64;
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Days since 1970 as a date, by Hinnant's algorithm: years begin in March, so that the leap day
/// is the last of its year.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The commit: that of the build where one was named (scripts/bundle does), else that of the
/// working tree, if git knows.
pub fn commit() -> String {
    if let Some(commit) = option_env!("WAVELIFT_COMMIT") {
        return commit.to_owned();
    }
    let git = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=10"])
        .output();
    let text = git.ok().filter(|output| output.status.success());
    let text = text.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.filter(|text| !text.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The mean load of the last five minutes, where the system is one that says so in a file.
pub fn host_load() -> Option<f64> {
    let loads = std::fs::read_to_string("/proc/loadavg").ok()?;
    loads.split_whitespace().nth(1)?.parse().ok()
}
