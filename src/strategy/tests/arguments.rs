//! A launch hands its own arguments over as so many `int`s: their names and their order are those
//! of the struct that the kernel takes last.

use super::cases::{BOTH, Setting, cpu, large_gpu, problem, settings, wavelets};
use crate::strategy::{Pass, Problem, Strategy};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Direction, PixelType, Pixels, SampleType, Wavelet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file and all that it includes, without comments.
fn with_includes(name: &str) -> String {
    let mut names = vec![name.to_owned()];
    let mut text = String::new();
    let mut read = 0;
    while let Some(name) = names.get(read).cloned() {
        read += 1;
        for line in file(&name).lines() {
            let inner = line
                .strip_prefix("#include \"")
                .and_then(|rest| rest.strip_suffix('"'));
            if let Some(inner) = inner
                && !names.iter().any(|known| known == inner)
            {
                names.push(inner.to_owned());
            }
            let code = line.split("//").next().unwrap_or_default();
            text += &format!("{code}\n");
        }
    }
    text
}

/// The type of the last parameter of a kernel, which is always named `own`.
fn last_parameter(text: &str, kernel: &str) -> String {
    let (_, rest) = text
        .split_once(&format!("void {kernel}("))
        .unwrap_or_else(|| panic!("no kernel {kernel}"));
    let (parameters, _) = rest.split_once(')').unwrap();
    let last = parameters.rsplit(',').next().unwrap();
    let words: Vec<&str> = last.split_whitespace().collect();
    let ["const", name, "own"] = words[..] else {
        panic!("the last parameter of {kernel} is `{last}`");
    };
    name.to_owned()
}

/// The fields of a struct, which are all of type `int`.
fn fields(text: &str, name: &str) -> Vec<String> {
    let (before, _) = text
        .split_once(&format!("}} {name};"))
        .unwrap_or_else(|| panic!("no struct {name}"));
    let (_, body) = before.rsplit_once("typedef struct {").unwrap();
    let declarations = body.split(';').map(str::trim).filter(|one| !one.is_empty());
    let names = declarations.flat_map(|declaration| {
        let names = declaration.strip_prefix("int ");
        let names = names.unwrap_or_else(|| panic!("`{declaration}` of {name} is no int"));
        names.split(',').map(|name| name.trim().to_owned())
    });
    names.collect()
}

/// The names of all kernels in cl/, but for the copy, the probe, and those for the report on the
/// papers, which are no part of a design.
fn kernels() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("cl")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with("papers")).then_some(path));
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for definition in text.split("\nkernel ").skip(1) {
                let (_, rest) = definition.split_once("void ").unwrap();
                found.insert(rest.split('(').next().unwrap().to_owned());
            }
        }
    }
    assert!(
        ["copy", "probe", "probe_arrivals", "ready"].map(|other| found.remove(other)) == [true; 4]
    );
    found
}

/// The passes of many designs, one for each kernel and list of arguments.
fn passes() -> Vec<Pass> {
    let shapes = [
        vec![300],
        vec![9],
        vec![64, 128],
        vec![61, 75],
        vec![3, 96, 64],
        vec![48, 80, 3],
    ];
    let mut found = BTreeMap::new();
    let mut add = |setting: &Setting, transform: &Transform, sample| {
        for direction in BOTH {
            let problem = problem(transform, sample, direction);
            let design = setting.design(&problem).map(|design| design.launches);
            let in_place = setting
                .design_in_place(&problem)
                .map(|design| design.passes);
            let launches = design.into_iter().flatten().map(|launch| launch.pass);
            for pass in launches.chain(in_place.into_iter().flatten()) {
                let names: Vec<&str> = pass.own.iter().map(|(name, _)| *name).collect();
                found.insert((pass.kernel.name, names), pass);
            }
        }
    };
    for setting in settings() {
        for wavelet in wavelets() {
            for (i, shape) in shapes.iter().enumerate() {
                let transform = Transform::new(wavelet.clone(), shape.clone())
                    .levels(3)
                    .boundary(Boundary::ALL[i % Boundary::ALL.len()])
                    .layout(Layout::ALL[i / Boundary::ALL.len() % Layout::ALL.len()]);
                let mut samples = SampleType::ALL.iter().cloned();
                let sample = samples
                    .find(|sample| sample.is_served_by(&wavelet))
                    .unwrap();
                add(&setting, &transform, sample);
            }
        }
    }
    for samples_of_a_pixel in [3, 9] {
        let shape = [48, 80, samples_of_a_pixel];
        let pixels = Transform::new(Wavelet::CDF_9_7, shape).axes([0, 1]);
        for device in [large_gpu(), cpu()] {
            add(&Setting::of(device), &pixels, SampleType::F32);
        }
    }
    let volume = Transform::new(Wavelet::CDF_9_7, [8, 8, 8]);
    add(
        &Setting::of(large_gpu()).only(&[Strategy::StreamedVolumes]),
        &volume,
        SampleType::F32,
    );
    for shape in [[9, 64], [4096, 3]] {
        let rows = Transform::new(Wavelet::CDF_9_7, shape).axes([1]);
        add(&Setting::of(large_gpu()), &rows, SampleType::F32);
    }
    let columns = Transform::new(Wavelet::CDF_9_7, [9, 4096]).axes([0]);
    add(&Setting::of(cpu()), &columns, SampleType::F32);
    // Launches of two levels are for larger pictures.
    let large = Transform::new(Wavelet::CDF_9_7, [8192, 8192]).levels(2);
    add(&Setting::of(large_gpu()), &large, SampleType::F32);
    let mut passes: Vec<Pass> = found.into_values().collect();
    let of_pixels = Problem {
        pixels: Some(Pixels {
            pixel: PixelType::U8,
            level_shift: 0,
        }),
        ..problem(&volume, SampleType::F32, Direction::Forward)
    };
    let setting = Setting::of(cpu()).only(&[Strategy::SEPARABLE]);
    let launches = setting.design(&of_pixels).unwrap().launches;
    passes.extend(launches.into_iter().map(|launch| launch.pass).take(1));
    passes
}

#[test]
fn own_arguments_are_the_fields_of_the_kernels_struct() {
    let mut seen = BTreeSet::new();
    for pass in passes() {
        let kernel = &pass.kernel;
        let text = with_includes(kernel.file);
        let names: Vec<&str> = pass.own.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            names,
            fields(&text, &last_parameter(&text, kernel.name)),
            "{}",
            kernel.name
        );
        seen.insert(kernel.name.to_owned());
    }
    assert_eq!(seen, kernels());
}
