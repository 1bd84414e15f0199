//! Lines of a tuning file: how they are read, and which problems and devices they are for.

use super::*;
use crate::transform::Transform;
use crate::wavelet::Wavelet;

fn size(tuning: &Tuning, name: &str, sample: SampleType, wavelet: Wavelet) -> Option<usize> {
    let problem = Problem::new(&Transform::new(wavelet, [8, 8]), sample, Direction::Forward);
    tuning.size(Strategy::Streamed, &problem, &DeviceInfo::imaginary(), name)
}

#[test]
fn the_closest_line_wins() {
    let tuning: Tuning = "
        # a comment
        gpu              | streamed | f32 | PAIRS=2 FILLING=1
        Nobody           | streamed | f32 | PAIRS=3
        Imaginary 9000   | streamed | i16 | PAIRS=8
        Nobody           | streamed | f32 | PAIRS=4 wavelet=cdf97
        Nobody           | streamed | f32 | PAIRS=5 wavelet=cdf97 direction=inverse
    "
    .parse()
    .unwrap();
    let size = |name, sample, wavelet| size(&tuning, name, sample, wavelet);
    assert_eq!(size("PAIRS", SampleType::F32, Wavelet::CDF_9_7), Some(4));
    assert_eq!(size("PAIRS", SampleType::F32, Wavelet::CDF_5_3), Some(3));
    assert_eq!(size("FILLING", SampleType::F32, Wavelet::CDF_9_7), Some(1));
    assert_eq!(size("PAIRS", SampleType::I16, Wavelet::CDF_5_3), Some(8));
    assert_eq!(size("FILLING", SampleType::I16, Wavelet::CDF_5_3), None);
    assert_eq!(size("PAIRS", SampleType::F64, Wavelet::CDF_9_7), None);
}

#[test]
fn lines_that_come_later_win() {
    let size = |tuning: &Tuning, name| size(tuning, name, SampleType::F32, Wavelet::HAAR);
    let first: Tuning = "gpu | streamed | f32 | PAIRS=2 FILLING=1".parse().unwrap();
    let both = first.with("gpu | streamed | f32 | PAIRS=8").unwrap();
    assert_eq!(
        [size(&first, "PAIRS"), size(&first, "FILLING")],
        [Some(2), Some(1)]
    );
    assert_eq!(
        [size(&both, "PAIRS"), size(&both, "FILLING")],
        [Some(8), Some(1)]
    );
    assert!(first.with("gpu").is_err());
}

#[test]
fn sizes_of_a_row_pass_hold_with_every_column_pass() {
    let tuning: Tuning = "
        gpu | separable | f32 | ROWS_X=64
        gpu | separable:one_pair+exchanged | f32 | ROWS_X=128
    "
    .parse()
    .unwrap();
    let problem = Problem::new(
        &Transform::new(Wavelet::CDF_9_7, [8, 8]),
        SampleType::F32,
        Direction::Forward,
    );
    let size = |strategy: &str| {
        let strategy = strategy.parse().unwrap();
        tuning.size(strategy, &problem, &DeviceInfo::imaginary(), "ROWS_X")
    };
    assert_eq!(size("separable"), Some(64));
    assert_eq!(size("separable:four_pairs+transposed"), Some(64));
    assert_eq!(size("separable:one_pair+four_pairs"), Some(128));
    assert_eq!(size("separable:exchanged+four_pairs"), None);
    assert_eq!(size("streamed"), None);
}

#[test]
fn bad_lines_are_refused_and_named() {
    for bad in [
        "x",
        "a|streamed|f32",
        "a|fast|f32|PAIRS=1",
        "a|streamed|u8|PAIRS=1",
        "a|streamed|f32|PAIRS=0",
        "a|streamed|f32|PREFETCHED=100000",
        "a|streamed|f32|direction=there",
        "a|streamed|f32|PAIRS",
        "a|streamed|f32|ROWS_X=1",
        "a|stepwise|f32|PAIRS=1",
        "|streamed|f32|PAIRS=1",
    ] {
        let refused = bad.parse::<Tuning>().unwrap_err().to_string();
        assert!(refused.contains(bad), "{refused}");
    }
}

#[test]
fn a_size_that_is_too_large_is_refused_with_its_range() {
    let line = |size: usize| format!("gpu | streamed | f32 | PREFETCHED={size}");
    line(64).parse::<Tuning>().unwrap();
    let refused = line(65).parse::<Tuning>().unwrap_err().to_string();
    assert!(
        refused.contains("PREFETCHED is 1 to 64, not `65`"),
        "{refused}"
    );
}

#[test]
fn devices_are_named_in_small_letters_or_capitals() {
    for name in ["imaginary 9000", "NOBODY", "GPU"] {
        let line = format!("{name} | streamed | f32 | PAIRS=8");
        let size = size(
            &line.parse().unwrap(),
            "PAIRS",
            SampleType::F32,
            Wavelet::HAAR,
        );
        assert_eq!(size, Some(8), "{line}");
    }
}

#[test]
fn wavelets_that_the_library_lacks_are_found() {
    let tuning: Tuning = "
        gpu | streamed | f32 | PAIRS=8 wavelet=cdf98
        gpu | streamed | f32 | PAIRS=8 wavelet=cdf97
        gpu | streamed | i16 | PAIRS=8 wavelet=cdf98
        gpu | streamed | i16 | PAIRS=8
    "
    .parse()
    .unwrap();
    assert_eq!(tuning.foreign_wavelets(), ["cdf98"]);
}

#[test]
fn what_comes_with_the_library_can_be_read() {
    let tuning = include_str!("../tuned.txt").parse::<Tuning>().unwrap();
    assert!(tuning.foreign_wavelets().is_empty());
}

#[test]
fn defaults_are_among_what_is_worth_trying() {
    for strategy in Strategy::ALL {
        for tunable in strategy.tunables() {
            let tried = tunable.candidates;
            assert!(
                tried.is_empty() || tried.contains(&tunable.default),
                "{tunable:?}"
            );
        }
    }
}
