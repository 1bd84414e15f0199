//! Lines of a tuning file.

/// The text that names a device in a line: the longest part of the device's name without `|`,
/// which separates columns, and `#`, which begins a comment. If nothing is left of the name,
/// it is the device's kind.
pub fn device_column<'a>(name: &'a str, kind: &'a str) -> &'a str {
    let parts = name.split(['|', '#', '\n', '\r']).map(str::trim);
    match parts.max_by_key(|part| part.len()) {
        Some(part) if !part.is_empty() => part,
        _ => kind,
    }
}

/// A line with the sizes for one device, strategy, sample type, wavelet and direction.
pub fn line(
    device: &str,
    [strategy, sample, wavelet, direction]: &[String; 4],
    sizes: &impl std::fmt::Display,
) -> String {
    let line = format!("{device} | {strategy} | {sample} | {sizes}");
    format!("{line} wavelet={wavelet} direction={direction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_separators_are_cut_to_what_still_matches() {
        for (name, column) in [
            ("NVIDIA H200", "NVIDIA H200"),
            ("A | Long Name | B", "Long Name"),
            ("#1 chip", "1 chip"),
            ("", "gpu"),
            (" | # ", "gpu"),
        ] {
            assert_eq!(device_column(name, "gpu"), column);
            assert!(name.contains(column) || column == "gpu");
        }
    }

    #[test]
    fn the_library_reads_the_lines() {
        let problem = ["streamed", "f32", "cdf97", "inverse"].map(String::from);
        let text = line("NVIDIA H200", &problem, &"FILLING=1 PAIRS=8");
        let expected =
            "NVIDIA H200 | streamed | f32 | FILLING=1 PAIRS=8 wavelet=cdf97 direction=inverse";
        assert_eq!(text, expected);
        // A line without sizes is valid and changes nothing.
        for text in [text, line("gpu", &problem, &"")] {
            for device in wavelift::Device::all().unwrap() {
                let engine = wavelift::Engine::new(&device).unwrap();
                engine.with_tuning(&text).unwrap();
            }
        }
    }
}
