//! The house has floors: a module uses only what stands below it (CONTRIBUTING.md draws them).

use std::fs;
use std::path::{Path, PathBuf};

/// The top modules, highest first.
const FLOORS: [&str; 10] = [
    "crates",
    "group",
    "runtime",
    "strategy",
    "lifting",
    "transform",
    "wavelet",
    "device",
    "names",
    "error",
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The file without its unit tests, which may look up: they check a floor against the reference.
fn without_tests(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let end = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    text[..end].to_owned()
}

/// The top modules that a text names after `crate::`.
fn used(text: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let names = text.split("crate::").skip(1);
    names
        .map(|rest| rest.split(|c| !is_name(c)).next().unwrap_or_default())
        .collect()
}

#[test]
fn a_module_uses_only_what_stands_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = 0;
    for path in rust_files(&source) {
        let inside = path.strip_prefix(&source).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let floor = first.trim_end_matches(".rs");
        let Some(height) = FLOORS.iter().position(|name| *name == floor) else {
            assert_eq!(floor, "lib", "{} stands on no floor", inside.display());
            continue;
        };
        for name in used(&without_tests(&path)) {
            let below = FLOORS.iter().position(|floor| *floor == name);
            let below = below.unwrap_or_else(|| panic!("{}: crate::{name}", inside.display()));
            assert!(
                below >= height,
                "{} uses {name}, which stands above it",
                inside.display()
            );
            found += 1;
        }
    }
    assert!(found > 30, "only {found} uses were found");
}

#[test]
fn every_strategy_is_described() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR"));
    let described = fs::read_to_string(pages.join("docs/strategies.md")).unwrap();
    for strategy in wavelift::Strategy::ALL {
        let row = format!("| `{}` |", strategy.name());
        assert!(
            described.contains(&row),
            "docs/strategies.md has no row {row}"
        );
    }
}

/// A device of 32 bits has another `size_t` and other pointers than the host: what a kernel takes
/// by value is of `int`s and `long`s.
#[test]
fn arguments_are_the_same_for_32_and_64_bits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cl");
    let mut folders = vec![root];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for line in fs::read_to_string(&path).unwrap().lines() {
                text += line.split("//").next().unwrap_or_default();
                text += "\n";
            }
        }
    }
    // By value: a type of a fixed size, or a struct of such.
    let mut types: Vec<String> = Vec::new();
    for kernel in text.split("\nkernel ").skip(1) {
        let (_, rest) = kernel.split_once("void ").unwrap();
        let (name, rest) = rest.split_once('(').unwrap();
        let (parameters, _) = rest.split_once(')').unwrap();
        for parameter in parameters.split(',') {
            let words: Vec<&str> = parameter.split_whitespace().collect();
            match words[..] {
                ["global", ..] => {}
                ["const", of, _] => types.push(of.to_owned()),
                _ => panic!("{name}: `{parameter}`"),
            }
        }
    }
    assert!(types.len() > 30, "only {} arguments", types.len());
    let mut next = 0;
    while let Some(of) = types.get(next).cloned() {
        next += 1;
        if ["int", "long", "ulong"].contains(&&*of) || types[..next - 1].contains(&of) {
            continue;
        }
        let (before, _) = text
            .split_once(&format!("}} {of};"))
            .unwrap_or_else(|| panic!("`{of}` is no struct, and of no fixed size"));
        let (_, body) = before.rsplit_once("typedef struct {").unwrap();
        let fields = body.split(';').map(str::trim).filter(|one| !one.is_empty());
        for field in fields {
            assert!(!field.contains('*'), "`{field}` of {of}");
            types.push(field.split_whitespace().next().unwrap().to_owned());
        }
    }
}
