//! The program `transform` on files that are larger than memory.

use super::*;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use wavelift::{Region, Transform, reference};

/// Milliseconds that a program takes, and the most memory that it has had, in MiB.
fn run(command: &mut Command) -> (u128, u64) {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{command:?}: {ended}");
            return (start.elapsed().as_millis(), most >> 10);
        }
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(kibibytes.unwrap_or(0));
        sleep(Duration::from_millis(20));
    }
}

/// The bytes that are left on the disk of a folder.
fn free_bytes(folder: &Path) -> u64 {
    let found = Command::new("df").arg("-Pk").arg(folder).output().unwrap();
    let text = String::from_utf8(found.stdout).unwrap();
    let cell = text.lines().nth(1).unwrap().split_whitespace().nth(3);
    cell.unwrap().parse::<u64>().unwrap() << 10
}

/// Pieces of a file that is larger than memory.
const PIECE: usize = 1 << 20;

/// Makes a file of random samples.
fn write_random<T: RandomSample>(path: &Path, len: usize) {
    let mut file = fs::File::create(path).unwrap();
    // A hundred pieces in turns: drawing all would take longer than all else.
    let pieces: Vec<Vec<T>> = (0..100.min(len.div_ceil(PIECE)))
        .map(|seed| random_samples(PIECE, seed as u64))
        .collect();
    for number in 0..len.div_ceil(PIECE) {
        let samples = &pieces[number % pieces.len()][..PIECE.min(len - number * PIECE)];
        file.write_all(bytemuck::cast_slice(samples)).unwrap();
    }
}

/// The largest difference between two files, over the largest value of the first.
fn difference<T: RandomSample>(paths: [&Path; 2], len: usize) -> f64 {
    let mut files = paths.map(|path| fs::File::open(path).unwrap());
    let [mut one, mut other] = [0, 1].map(|_| vec![T::POISON; PIECE]);
    let (mut most, mut largest) = (0.0, f64::MIN_POSITIVE);
    for at in (0..len).step_by(PIECE) {
        let count = PIECE.min(len - at);
        for (file, samples) in files.iter_mut().zip([&mut one, &mut other]) {
            file.read_exact(bytemuck::cast_slice_mut(&mut samples[..count]))
                .unwrap();
        }
        for (one, other) in one[..count].iter().zip(&other) {
            let apart = (one.to_f64() - other.to_f64()).abs();
            if !apart.is_finite() {
                return f64::INFINITY;
            }
            most = f64::max(most, apart);
            largest = f64::max(largest, one.to_f64().abs());
        }
    }
    most / largest
}

/// Where the rows of a part of a picture start, each of which is in one piece.
fn rows_of(part: &Region) -> impl Iterator<Item = usize> {
    (0..part.shape()[0]).map(|row| part.offset() + row * part.strides()[0])
}

/// The samples of a part of a picture in a file.
fn part_of<T: RandomSample>(path: &Path, part: &Region) -> Vec<T> {
    let mut file = fs::File::open(path).unwrap();
    let mut samples = vec![T::POISON; part.len()];
    for (first, row) in rows_of(part).zip(samples.chunks_mut(part.shape()[1])) {
        let byte = (first * size_of::<T>()) as u64;
        file.seek(SeekFrom::Start(byte)).unwrap();
        file.read_exact(bytemuck::cast_slice_mut(row)).unwrap();
    }
    samples
}

/// Compares coefficients in a file, at the first corner of a picture, in its middle and at its last
/// corner, with the reference of only the samples there: they are the same but for those at the
/// border of what is cut out, which the wavelets of these tests reach 4 of at most.
fn error_of_parts<T: RandomSample>([samples, coefficients]: [&Path; 2], whole: &Transform) -> f64 {
    const SIDE: usize = 1024;
    const BORDER: usize = 8;
    let (all, levels) = (Region::dense(whole.shape()), whole.level_count());
    let error_at = |corner: usize| {
        // All levels start at such places.
        let start = |n: usize| (n.saturating_sub(SIDE) * corner / 2) >> levels << levels;
        let cut = |&n: &usize| start(n)..n.min(start(n) + SIDE);
        let cuts: Vec<Range<usize>> = whole.shape().iter().map(cut).collect();
        let shape: Vec<usize> = cuts.iter().map(Range::len).collect();
        let part = Transform::new(whole.wavelet().clone(), shape).levels(levels);
        let cut_out = part_of::<T>(samples, &all.part(&cuts).unwrap());
        let expected = reference::forward(&part, &cut_out).unwrap();
        let (mut wanted, mut got): (Vec<T>, Vec<T>) = Default::default();
        for (level, band) in part.bands() {
            let small = Region::dense(part.shape()).band(&part, level, band);
            let large = all.band(whole, level, band).unwrap();
            let inner = |first: [usize; 2], small: &Region| -> Vec<Range<usize>> {
                let axes = first.iter().zip(small.shape());
                axes.map(|(at, n)| at + BORDER..at + n - BORDER).collect()
            };
            let small = small.unwrap();
            let first = [0, 1].map(|axis| cuts[axis].start >> level);
            let region = small.part(&inner([0, 0], &small)).unwrap();
            let width = region.shape()[1];
            wanted.extend(rows_of(&region).flat_map(|at| &expected[at..at + width]));
            let region = large.part(&inner(first, &small)).unwrap();
            got.extend(part_of::<T>(coefficients, &region));
        }
        assert!(!got.is_empty());
        relative_error(&got, &to_f64(&wanted))
    };
    (0..3).map(error_at).fold(0.0, f64::max)
}

/// From file to file and back by the program `transform` under a limit of 1 GiB,
/// beside `cp` of the same file.
fn files_by_the_program<T: RandomSample>(shape: &str, wavelet: &str, len: usize) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| folder.path().join(name);
    let [input, middle, back] = ["samples.raw", "middle.raw", "back.raw"].map(path);
    write_random::<T>(&input, len);
    let (copied, _) = run(Command::new("cp").arg(&input).arg(path("copy")));
    fs::remove_file(path("copy")).unwrap();
    let programs = std::env::current_exe().unwrap();
    let program = programs
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples/transform");
    for (direction, from, to) in [("forward", &input, &middle), ("inverse", &middle, &back)] {
        let mut command = Command::new(&program);
        command.arg(direction).args([from, to]);
        command.args(["--memory", "1024", "--levels", "5", "--wavelet", wavelet]);
        command.args(["--shape", shape, "--sample", T::TYPE.name()]);
        let (took, memory) = run(&mut command);
        let ratio = took as f64 / copied as f64;
        println!(
            "{shape} {} {wavelet} {direction}: {took} ms, {ratio:.2} times cp, {memory} MiB",
            T::TYPE
        );
        // The ratio is not held to anything: `cp` is done before the disk has the file,
        // which the program waits for.
        assert!(memory <= 2048, "{memory} MiB");
        assert!(memory > 0 || !cfg!(target_os = "linux"));
    }
    let axes = shape.split('x').map(|n| n.parse::<usize>().unwrap());
    let transform = Transform::new(wavelet.parse().unwrap(), axes.collect::<Vec<_>>()).levels(5);
    let error = error_of_parts::<T>([&input, &middle], &transform);
    println!(
        "{shape} {} {wavelet}: forward to within {error:.1e}",
        T::TYPE
    );
    assert!(error <= 2.0 * T::BOUND, "{error}");
    let error = difference::<T>([&input, &back], len);
    println!("{shape} {} {wavelet}: back to within {error:.1e}", T::TYPE);
    // Both ways err.
    assert!(error <= 2.0 * T::BOUND, "{error}");
}

/// Files that are larger than memory, of the shape `LARGE` (65536x49152): `make large`.
#[test]
#[ignore = "takes 45 GB of disk"]
fn files_larger_than_memory() {
    let shape = std::env::var("LARGE").unwrap_or_else(|_| "65536x49152".to_owned());
    let axes = shape.split('x').map(|n| n.parse::<usize>().unwrap());
    let len: usize = axes.product();
    // Three files of samples, and some more.
    let needed = 7 * (len * size_of::<f32>()) as u64 / 2;
    let free = free_bytes(Path::new(env!("CARGO_TARGET_TMPDIR")));
    assert!(
        free >= needed,
        "{needed} bytes of disk are needed, {free} are left"
    );
    files_by_the_program::<i16>(&shape, "cdf53", len);
    files_by_the_program::<f32>(&shape, "cdf97", len);
}
