//! Writes every program that the tests of the strategies build to `target/kernels`, for devices of
//! every kind, where `make kernels` compiles them: hardware that is not at hand is not needed for
//! that. Makes no OpenCL call.

mod common;

use common::{awkward, coarse, everywhere};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use wavelift::{
    Boundary, DeviceInfo, DeviceKind, Error, Exchange, Fence, Layout, PixelType, SampleType,
    Strategy, Transform, Wavelet, kernel_sources, kernel_sources_in_place,
    kernel_sources_of_pixels, probe_sources,
};

const SAMPLES: [SampleType; 4] = [
    SampleType::I16,
    SampleType::I32,
    SampleType::F32,
    SampleType::F64,
];

/// Those that differ from floats in how they are loaded and stored alone, which one wavelet shows.
const ROUNDED: [SampleType; 2] = [SampleType::F16, SampleType::Rounded];

/// The types of samples with which a wavelet is written.
fn samples_of(wavelet: &Wavelet) -> impl Iterator<Item = SampleType> {
    let rounded = ROUNDED.iter().filter(|_| *wavelet == Wavelet::CDF_9_7);
    let all = SAMPLES.iter().chain(rounded).copied();
    all.filter(|sample| sample.is_served_by(wavelet))
}

/// The strategies whose work-items exchange values in sub-groups.
const EXCHANGING: [Strategy; 6] = [
    Strategy::Pyramid,
    Strategy::Streamed,
    Strategy::StreamedColours,
    Strategy::StreamedVolumes,
    Strategy::RegisterBlock,
    Strategy::RegisterRows,
];

/// The strategies that take pixels where the planner seldom asks them to, and a shape for each.
const PIXELS_BY: [(&[usize], Strategy); 13] = [
    (&[9, 12], Strategy::WholeBoxes),
    (&[256, 256], Strategy::Pyramid),
    (&[256, 256], Strategy::RegisterBlock),
    (&[64, 64, 3], Strategy::StreamedColours),
    (&[64, 64, 3], Strategy::ColourLoop),
    (&[64, 64, 9], Strategy::RegisterPlanes),
    (&[64, 64, 64], Strategy::StreamedVolumes),
    (&[64, 64, 67], Strategy::StreamedVolumes),
    (&[5000], Strategy::RegisterRows),
    (&[20, 1000, 5], Strategy::RegisterLines),
    (&[64, 64, 5], Strategy::RegisterColumns),
    (&[200, 300], Strategy::Vectors),
    (&[64, 20, 3], Strategy::Vectors),
];

/// What programs of a strategy with pixels count as.
fn of_pixels(strategy: Strategy) -> String {
    format!("{strategy} of pixels")
}

/// A device, and how much is written for it.
struct Target {
    device: DeviceInfo,
    /// All transforms that the tests of the strategies make; else a few.
    is_thorough: bool,
}

/// Devices for each way of exchange, and for whatever else makes a difference to programs.
fn targets() -> Vec<Target> {
    use DeviceKind::{Cpu, Gpu};
    use Exchange::{Amd, Intel, Khr, None, Ptx};
    let exchanging = [
        (Gpu, Ptx, 32, true),
        (Gpu, Khr, 8, false),
        (Gpu, Khr, 16, false),
        (Gpu, Khr, 32, false),
        (Gpu, Khr, 64, false),
        (Cpu, Khr, 16, false),
        (Gpu, Intel, 8, false),
        (Gpu, Intel, 16, false),
        (Gpu, Intel, 32, false),
        (Gpu, Intel, 64, false),
        (Cpu, Intel, 16, false),
        (Gpu, Amd, 32, false),
    ];
    let exchanging = exchanging.map(|(kind, exchange, lanes, is_thorough)| {
        let mut device = DeviceInfo::imaginary();
        (device.kind, device.exchange, device.lanes) = (kind, exchange, lanes);
        if exchange == Amd {
            device.max_work_group = 256;
        }
        device.atomics = match (exchange, lanes) {
            (Amd, _) => Fence::Cl20,
            (Intel, 16) => Fence::Cl30,
            _ => Fence::None,
        };
        Target {
            device,
            is_thorough,
        }
    });
    // Vectors of 8 and of 16 samples, by the compiler's own builtins and without them.
    let in_vectors = [
        (8, "Portable Computing Language", true),
        (16, "Portable Computing Language", false),
        (8, "Imaginary Platform", false),
        (16, "Imaginary Platform", false),
    ];
    let in_vectors = in_vectors.map(|(float_vector, platform, is_thorough)| {
        let mut device = DeviceInfo::imaginary();
        (device.kind, device.float_vector, device.platform) = (Cpu, float_vector, platform.into());
        Target {
            device,
            is_thorough,
        }
    });
    let of_groups = [(1024, true), (64, false), (1, false)];
    let of_groups = of_groups.map(|(max_work_group, is_thorough)| {
        let mut device = DeviceInfo::imaginary();
        (device.exchange, device.max_work_group) = (None, max_work_group);
        Target {
            device,
            is_thorough,
        }
    });
    exchanging
        .into_iter()
        .chain(in_vectors)
        .chain(of_groups)
        .collect()
}

/// Transforms of the last two of so many axes.
fn pictures(wavelet: Wavelet, shapes: &[&[usize]], levels: u32) -> Vec<Transform> {
    let transforms = shapes.iter().map(|&shape| {
        let axes = [shape.len() - 2, shape.len() - 1];
        Transform::new(wavelet.clone(), shape)
            .axes(axes)
            .levels(levels)
    });
    transforms.collect()
}

/// Rows that go by vectors and rows that do not, borders inside the streams and apart, two levels
/// at once, a tail, levels with which the last work-group goes on, axes beside those of a picture,
/// rows alone (whole ones, short ones, and a long one), and colours innermost.
fn a_few(wavelet: Wavelet) -> Vec<Transform> {
    let unaligned = Transform::new(wavelet.clone(), [131, 1029]);
    let aligned = Transform::new(wavelet.clone(), [2, 96, 1024]).axes([1, 2]);
    let rows = Transform::new(wavelet.clone(), [5, 1024]).axes([1]);
    let short_rows = Transform::new(wavelet.clone(), [50, 300]).axes([1]);
    let of_a_few = Transform::new(wavelet.clone(), [4099, 7]).axes([1]);
    let long_lines = Transform::new(wavelet.clone(), [1030, 1030]).axes([0]);
    let colours = |shape: [usize; 3]| Transform::new(wavelet.clone(), shape).axes([0, 1]);
    vec![
        colours([96, 128, 3]).levels(2),
        colours([37, 61, 2]).boundary(Boundary::Symmetric),
        colours([40, 64, 4]).boundary(Boundary::Periodic),
        unaligned.clone().boundary(Boundary::Symmetric),
        unaligned.clone().boundary(Boundary::Zero),
        unaligned.boundary(Boundary::Periodic),
        aligned.clone().boundary(Boundary::Symmetric),
        aligned.boundary(Boundary::Periodic),
        Transform::new(wavelet.clone(), [8192, 8192]).levels(2),
        Transform::new(wavelet.clone(), [64, 64]).levels(3),
        Transform::new(wavelet.clone(), [256, 256]).levels(5),
        Transform::new(wavelet.clone(), [3, 45, 50, 70]),
        Transform::new(wavelet.clone(), [20, 30, 64]).levels(2),
        rows.clone().levels(5),
        rows.layout(Layout::Interleaved),
        short_rows.levels(3),
        of_a_few.levels(3).boundary(Boundary::Periodic),
        Transform::new(wavelet.clone(), [60, 4100])
            .axes([0])
            .levels(2),
        long_lines.levels(2),
        Transform::new(wavelet.clone(), [50, 96])
            .axes([1])
            .levels(5),
        Transform::new(wavelet.clone(), [9000]).levels(3),
        Transform::new(wavelet, [99]).boundary(Boundary::Zero),
    ]
}

/// Those of them that are rows alone.
fn rows(wavelet: Wavelet) -> Vec<Transform> {
    let mut rows = a_few(wavelet);
    rows.retain(|transform| transform.chosen_axes().len() == 1);
    rows
}

/// Volumes that go by vectors, in either layout, with rows that are closed, and volumes that do not.
fn volumes(wavelet: Wavelet) -> Vec<Transform> {
    let aligned = Transform::new(wavelet.clone(), [20, 30, 64]);
    vec![
        aligned.clone().levels(2),
        aligned.clone().layout(Layout::Interleaved),
        aligned.boundary(Boundary::Periodic),
        Transform::new(wavelet.clone(), [20, 30, 512]).boundary(Boundary::Periodic),
        Transform::new(wavelet, [3, 45, 50, 70]).axes([1, 2, 3]),
    ]
}

/// Boxes of one to three axes, side by side and one after the other, that go on in each way.
fn boxes(wavelet: Wavelet) -> Vec<Transform> {
    let of = |shape: &[usize], axes: &[usize]| {
        let transform = Transform::new(wavelet.clone(), shape);
        transform.axes(axes.to_vec()).levels(3)
    };
    let all = [
        of(&[67, 8, 8], &[1, 2]),
        of(&[5, 7, 33], &[0, 1]),
        of(&[2, 18, 30], &[1, 2]),
        of(&[9, 6, 5, 4], &[1, 2, 3]),
        of(&[3, 4, 5, 40], &[0, 1, 2]),
        of(&[3, 301, 7], &[2]),
        of(&[3, 5, 77], &[1]),
    ];
    everywhere(all.to_vec())
}

/// What the tests of the strategies transform.
fn all(wavelet: Wavelet) -> Vec<Transform> {
    let mut all = everywhere(awkward(wavelet.clone()));
    all.extend(coarse(wavelet.clone()));
    let shapes: [&[usize]; 9] = [
        &[131, 1029],
        &[131, 1025],
        &[131, 257],
        &[34, 1024],
        &[34, 1026],
        &[2, 96, 1024],
        &[1080, 1920],
        &[300, 8601],
        &[4096, 4100],
    ];
    all.extend(everywhere(pictures(wavelet.clone(), &shapes, 2)));
    all.extend(a_few(wavelet));
    all
}

/// Sizes that the tests of the strategies set: which, of what, for which shapes and levels.
const TUNED: [(Strategy, &str, &[&[usize]], u32); 14] = {
    use Strategy::{RegisterBlock, SingleLoop, Streamed, Vectors};
    const UNALIGNED: &[&[usize]] = &[&[34, 450], &[34, 1023]];
    const MEETING: &[&[usize]] = &[&[5, 90], &[130, 90], &[131, 104]];
    const TWO: &[&[usize]] = &[&[29, 560], &[203, 560], &[2, 150, 576]];
    const TILES: &[&[usize]] = &[&[300, 64], &[300, 1029]];
    [
        (Vectors, "CACHED=1 VECTOR=8", UNALIGNED, 1),
        (Vectors, "CACHED=1 VECTOR=16", UNALIGNED, 1),
        (SingleLoop, "CACHED=1 VECTOR=8 STRIP=32", UNALIGNED, 1),
        (SingleLoop, "CACHED=1 VECTOR=8 STRIP=4096", UNALIGNED, 1),
        (SingleLoop, "CACHED=1 VECTOR=16 STRIP=16", UNALIGNED, 1),
        (SingleLoop, "CACHED=1 VECTOR=16 STRIP=4096", UNALIGNED, 1),
        (Streamed, "FILLING=1 PREFETCHED=1", MEETING, 1),
        (Streamed, "FILLING=1 PREFETCHED=4 PAIRS=8", MEETING, 1),
        (Streamed, "TWO_FILLING=1", TWO, 3),
        (Streamed, "TWO_FILLING=3 TWO_PREFETCHED=3", TWO, 3),
        (Strategy::SEPARABLE, "ROWS_X=4 ROWS_Y=2", TILES, 1),
        (RegisterBlock, "BLOCK_ROWS=8", MEETING, 1),
        (RegisterBlock, "BLOCK_ROWS=13", MEETING, 1),
        (RegisterBlock, "BLOCK_ROWS=28", MEETING, 1),
    ]
};

/// With which wavelets.
const TUNED_WAVELETS: [Wavelet; 5] = [
    Wavelet::CDF_5_3,
    Wavelet::CDF_9_7,
    Wavelet::VC2_DD_13_7,
    Wavelet::VC2_FIDELITY,
    Wavelet::VC2_DAUB_9_7,
];

/// What counts the programs of plans in place, beside those of strategies.
const IN_PLACE: &str = "in place";

/// Where the files go: beside the folder that cargo gives to tests.
fn folder() -> PathBuf {
    let tests = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tests.parent().unwrap().join("kernels")
}

/// How a device exchanges, and among how many: `khr16`. The compilers' options follow from this.
fn way(device: &DeviceInfo) -> String {
    match device.exchange {
        Exchange::None => "none".to_owned(),
        exchange => format!("{exchange}{}", device.lanes),
    }
}

/// The version of OpenCL C that a program needs, in front of the name of its
/// file, where it is not 1.2.
fn language(source: &str) -> String {
    let of_c = [Fence::Cl20, Fence::Cl30];
    let number = |fence: &Fence| Fence::ALL.iter().position(|one| one == fence).unwrap();
    let has = |fence: &Fence| source.contains(&format!("#define FENCE {}\n", number(fence)));
    let needed = of_c.into_iter().find(has);
    needed.map_or(String::new(), |fence| format!("{fence}-"))
}

/// The file that a line like `#line 1 "border.cl"` names.
fn named_part(line: &str) -> Option<&str> {
    let (_, name) = line.strip_prefix("#line ")?.split_once(" \"")?;
    name.strip_suffix('"')
}

/// The files in a folder and in those inside, by their paths from `root`.
fn files(root: &Path, folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(root, &path));
        } else {
            let inside = path.strip_prefix(root).unwrap();
            all.push(inside.to_str().unwrap().replace('\\', "/"));
        }
    }
    all.sort();
    all
}

fn kernel_files() -> Vec<String> {
    let cl = Path::new(env!("CARGO_MANIFEST_DIR")).join("cl");
    files(&cl, &cl)
}

/// `separable` with each of its passes that are not its default ones.
fn other_passes() -> impl Iterator<Item = Strategy> {
    Strategy::each_pass().skip(1)
}

/// Writes programs, each once, and counts them.
#[derive(Default)]
struct Dump {
    written: HashSet<u64>,
    /// Hashes of the programs of a strategy that exchanges in some way: what two
    /// strategies share counts for both.
    programs: BTreeMap<(String, String), HashSet<u64>>,
    /// The files of `cl/` that they are made of.
    parts: HashSet<String>,
}

impl Dump {
    fn write_wavelet(&mut self, wavelet: &Wavelet, target: &Target) {
        // The programs of strategies that do not exchange are the same as without.
        let exchanges = target.device.exchange != Exchange::None;
        let is_wanted = |strategy| !exchanges || EXCHANGING.contains(&strategy);
        let each = Strategy::ALL.iter().copied().filter(|&way| is_wanted(way));
        let passes = other_passes().filter(|_| !exchanges);
        for strategy in each.chain(passes).map(Some).chain([None]) {
            // What these do differs little: on a CPU in a single macro, but for volumes, of which
            // it loads more ahead, and from shape to shape not at all.
            let is_pass = strategy.is_some_and(|one| !Strategy::ALL.contains(&one));
            let exchanging = strategy
                .is_some_and(|one| EXCHANGING.contains(&one) && one != Strategy::StreamedVolumes);
            let same = is_pass || exchanging && target.device.kind != DeviceKind::Gpu;
            let transforms = match strategy {
                // Their programs know their boxes, and are otherwise the same.
                Some(Strategy::WholeBoxes) => boxes(wavelet.clone()),
                // Side by side they exchange nothing: the programs of one way are enough.
                Some(Strategy::RegisterRows) if !target.is_thorough && exchanges => {
                    rows(wavelet.clone())
                }
                Some(Strategy::StreamedVolumes) if !target.is_thorough && exchanges => {
                    volumes(wavelet.clone())
                }
                _ if !target.is_thorough || same => a_few(wavelet.clone()),
                Some(_) => all(wavelet.clone()),
                // As the tests of what the strategies refuse.
                None => everywhere(awkward(wavelet.clone())),
            };
            for transform in transforms {
                self.write_transform(&transform, strategy, &target.device, "");
            }
        }
        if *wavelet == Wavelet::CDF_9_7 {
            self.write_of_pixels(&target.device);
        }
        // In place nothing is exchanged.
        if !exchanges {
            let transforms = match target.is_thorough {
                true => all(wavelet.clone()),
                false => a_few(wavelet.clone()),
            };
            for transform in transforms {
                self.write_in_place(&transform.layout(Layout::Interleaved), &target.device);
            }
        }
        for (strategy, sizes, shapes, levels) in TUNED {
            if target.is_thorough && is_wanted(strategy) && TUNED_WAVELETS.contains(wavelet) {
                for transform in pictures(wavelet.clone(), shapes, levels) {
                    self.write_transform(&transform, Some(strategy), &target.device, sizes);
                }
            }
        }
    }

    fn write_transform(
        &mut self,
        transform: &Transform,
        strategy: Option<Strategy>,
        device: &DeviceInfo,
        sizes: &str,
    ) {
        for sample in samples_of(transform.wavelet()) {
            let tuning = match (strategy, sizes) {
                (Some(strategy), sizes) if !sizes.is_empty() => {
                    format!("{} | {strategy} | {sample} | {sizes}", device.name)
                }
                _ => String::new(),
            };
            match kernel_sources(transform, sample, strategy, device, &tuning) {
                Ok(programs) => {
                    let strategy =
                        strategy.map_or("composed".to_owned(), |strategy| strategy.to_string());
                    for (name, source) in programs {
                        self.write(&strategy, &way(device), &name, &source);
                    }
                }
                Err(Error::Unsupported { .. }) => {}
                Err(error) => panic!("{strategy:?} on {device:?}: {transform:?}: {error}"),
            }
        }
    }

    fn write_in_place(&mut self, transform: &Transform, device: &DeviceInfo) {
        for sample in samples_of(transform.wavelet()) {
            let programs = kernel_sources_in_place(transform, sample, device);
            for (name, source) in programs.unwrap() {
                self.write(IN_PLACE, &way(device), &name, &source);
            }
        }
    }

    /// Those with pixels on the signal side: as the planner composes them, and by each
    /// strategy that takes them.
    fn write_of_pixels(&mut self, device: &DeviceInfo) {
        let pictures = [[4096, 4096], [4095, 4097], [1, 4000], [300, 200]].map(Vec::from);
        let others = [vec![512, 512, 3], vec![333, 255, 4], vec![256, 256, 256]];
        let composed = pictures
            .into_iter()
            .chain(others)
            .map(|shape| (shape, None));
        let by = PIXELS_BY.map(|(shape, strategy)| (shape.to_vec(), Some(strategy)));
        for (shape, strategy) in composed.chain(by) {
            let axes = match shape[..] {
                [_, _, 3 | 4 | 9] => vec![0, 1],
                [_, _, 5] => vec![0],
                _ => (0..shape.len()).collect(),
            };
            for (wavelet, pixel, sample) in [
                (Wavelet::CDF_5_3, PixelType::U8, SampleType::I16),
                (Wavelet::CDF_9_7, PixelType::U8, SampleType::F32),
                (Wavelet::CDF_9_7, PixelType::U16, SampleType::F32),
            ] {
                let transform = Transform::new(wavelet, shape.as_slice())
                    .axes(axes.as_slice())
                    .levels(2);
                let made = strategy.map_or("composed".to_owned(), of_pixels);
                match kernel_sources_of_pixels(&transform, pixel, sample, strategy, device) {
                    Ok(programs) => {
                        for (name, source) in programs {
                            self.write(&made, &way(device), &name, &source);
                        }
                    }
                    // Volumes are of reals, and work-groups of one have no blocks.
                    Err(Error::Unsupported { .. }) if strategy.is_some() => {}
                    Err(error) => panic!("{strategy:?} on {device:?}: {transform:?}: {error}"),
                }
            }
        }
    }

    fn write(&mut self, strategy: &str, way: &str, name: &str, source: &str) {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        let hash = hasher.finish();
        let key = (strategy.to_owned(), way.to_owned());
        self.programs.entry(key).or_default().insert(hash);
        if self.written.insert(hash) {
            let parts = source.lines().filter_map(named_part);
            self.parts.extend(parts.map(str::to_owned));
            let file = format!("{}{way}-{name}-{hash:016x}.cl", language(source));
            fs::write(folder().join(file), source).unwrap();
        }
    }
}

#[test]
fn every_program_is_written_for_the_compilers() {
    match fs::remove_dir_all(folder()) {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
        _ => fs::create_dir_all(folder()).unwrap(),
    }
    let copy = include_str!("../cl/copy.cl");
    fs::write(folder().join("none-copy.cl"), copy).unwrap();

    let targets = targets();
    let wavelets = Mutex::new(Wavelet::ALL.iter());
    let next = || wavelets.lock().unwrap().next();
    let mut probes = Dump::default();
    for target in &targets {
        for (name, source) in probe_sources(&target.device) {
            probes.write("probe", &way(&target.device), &name, &source);
        }
    }
    let dumps = Mutex::new(vec![probes]);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(wavelet) = next() {
                    let mut dump = Dump::default();
                    for target in &targets {
                        dump.write_wavelet(wavelet, target);
                    }
                    dumps.lock().unwrap().push(dump);
                }
            });
        }
    });
    let dumps = dumps.into_inner().unwrap();

    // There and back with every wavelet, for each type of samples that it serves.
    let serves = |sample: SampleType| {
        let wavelets = Wavelet::ALL.iter();
        wavelets
            .filter(|wavelet| sample.is_served_by(wavelet))
            .count()
    };
    let least_of =
        |samples: &[SampleType]| 2 * samples.iter().map(|&one| serves(one)).sum::<usize>();
    let count = |strategy: &str, way: &str| {
        let key = (strategy.to_owned(), way.to_owned());
        let programs = dumps.iter().filter_map(|dump| dump.programs.get(&key));
        let count = programs.map(HashSet::len).sum::<usize>();
        println!("{strategy}, exchange {way}: {count} programs");
        // Convolution is for reals alone.
        let least = least_of(if strategy.contains("convolution") {
            &SAMPLES[2..]
        } else {
            &SAMPLES
        });
        assert!(count >= least, "{count} programs, not {least} and more");
    };
    for strategy in Strategy::ALL.iter().copied().chain(other_passes()) {
        count(&strategy.to_string(), "none");
    }
    count(IN_PLACE, "none");
    for strategy in PIXELS_BY.map(|(_, strategy)| of_pixels(strategy)) {
        let is_made = |dump: &Dump| dump.programs.keys().any(|(made, _)| *made == strategy);
        assert!(dumps.iter().any(is_made), "no programs: {strategy}");
    }
    let ways: BTreeSet<_> = targets.iter().map(|target| way(&target.device)).collect();
    for &exchange in Exchange::ALL {
        assert!(ways.iter().any(|way| way.starts_with(exchange.name())));
    }
    for (way, strategy) in ways
        .iter()
        .flat_map(|way| EXCHANGING.map(|strategy| (way, strategy)))
    {
        count(strategy.name(), way);
    }
    for file in kernel_files() {
        let is_part = dumps.iter().any(|dump| dump.parts.contains(&file));
        // Those are in no plan; tests/papers.rs writes them.
        let is_none = file == "copy.cl" || file.starts_with("papers/");
        assert!(is_part || is_none, "{file} is in no program");
    }
}

/// What a file defines: macros, functions and types, each with its texts,
/// without comments and spaces.
fn definitions(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let first_name = |text: &str| text.split(|c| !is_name(c)).next().unwrap().to_owned();
    let code: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap().trim_end())
        .collect();
    let mut all = BTreeMap::<String, BTreeSet<String>>::new();
    let mut start = 0;
    while start < code.len() {
        let line = code[start];
        let is_last = |line: &str| {
            if code[start].starts_with('#') {
                !line.ends_with('\\')
            } else {
                line.ends_with(';') && !line.starts_with(' ')
                    || line.starts_with('}')
                    || line.ends_with('}') && !line.starts_with(' ')
            }
        };
        if line.is_empty() {
            start += 1;
            continue;
        }
        let count = code[start..].iter().position(|line| is_last(line));
        let end = start + count.unwrap_or(code.len() - 1 - start);
        let whole = code[start..=end].join("\n");
        start = end + 1;
        let name = if let Some(rest) = whole.strip_prefix("#define ") {
            first_name(rest)
        } else if whole.starts_with('#') {
            continue;
        } else if whole.starts_with("typedef") {
            let words = whole.trim_end_matches(';').rsplit(|c| !is_name(c));
            words
                .into_iter()
                .find(|word| !word.is_empty())
                .unwrap()
                .to_owned()
        } else if let Some((head, _)) = whole.split_once('{') {
            // The name stands before the first parenthesis that is no attribute's.
            let calls = head.match_indices('(').map(|(at, _)| {
                let word = head[..at].rsplit(|c| !is_name(c)).next().unwrap();
                word.to_owned()
            });
            let attributes = [
                "__attribute__",
                "reqd_work_group_size",
                "intel_reqd_sub_group_size",
                "",
            ];
            let mut names = calls.filter(|word| !attributes.contains(&word.as_str()));
            // Else a table: `constant int name[] = {`.
            let table = || head.split(['[', '=']).next().unwrap().trim_end();
            let last_word = |text: &str| text.rsplit(|c| !is_name(c)).next().unwrap().to_owned();
            names.next().unwrap_or_else(|| last_word(table()))
        } else {
            continue;
        };
        let packed = whole
            .replace('\\', "")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        all.entry(name).or_default().insert(packed);
    }
    all
}

#[test]
fn definitions_are_found() {
    let text = "constant int table[] = {1, 2};\n#define TWO(a) \\\n  (a) // twice\n#define ONE 1\ntypedef struct {\n  int x;\n} Place;\n\
        INLINE int one(void) { return 1; }\nkernel __attribute__((reqd_work_group_size(1, 1, 1)))\n\
        void all(global int *to) {\n  if (to) {\n    to[0] = one();\n  }\n}\n";
    let names: Vec<_> = definitions(text).into_keys().collect();
    assert_eq!(names, ["ONE", "Place", "TWO", "all", "one", "table"]);
}

/// The names without which a file refuses to be compiled.
fn set_by_host(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let refused = lines
        .windows(2)
        .filter(|pair| pair[1].starts_with("#error"));
    let names = refused.flat_map(|pair| match pair[0].strip_prefix("#ifndef ") {
        Some(name) => vec![name.to_owned()],
        None => {
            let parts = pair[0].split("!defined(").skip(1);
            let named = parts.filter_map(|part| part.split(')').next());
            named.map(str::to_owned).collect()
        }
    });
    names.collect()
}

fn kernel_file(name: &str) -> String {
    let cl = Path::new(env!("CARGO_MANIFEST_DIR")).join("cl");
    fs::read_to_string(cl.join(name)).unwrap()
}

/// Across the files of `cl/`; in one file, the branches of an `#if` can define a
/// name each in its own way.
#[test]
fn no_name_has_two_meanings() {
    let mut meanings = BTreeMap::<String, Vec<(String, BTreeSet<String>)>>::new();
    for file in kernel_files() {
        for (name, texts) in definitions(&kernel_file(&file)) {
            meanings
                .entry(name)
                .or_default()
                .push((file.clone(), texts));
        }
    }
    assert!(
        meanings.len() > 100,
        "only {} names were found",
        meanings.len()
    );
    let mut wrong = Vec::new();
    for file in kernel_files() {
        for name in set_by_host(&kernel_file(&file)) {
            let defines = |(_, texts): &&(String, BTreeSet<String>)| {
                texts.iter().any(|text| text.starts_with("#define"))
            };
            let others = meanings.get(&name).into_iter().flatten();
            for (other, _) in others.filter(defines) {
                wrong.push(format!("{name}: {file}, where the host sets it, {other}"));
            }
        }
    }
    for (name, files) in meanings {
        if files.iter().any(|(_, texts)| *texts != files[0].1) {
            let files: Vec<_> = files.into_iter().map(|(file, _)| file).collect();
            wrong.push(format!("{name}: {}", files.join(", ")));
        }
    }
    assert!(
        wrong.is_empty(),
        "names with two meanings:\n{}",
        wrong.join("\n")
    );
}

/// Whether a file says what a macro that Rust sets is for: in a comment, or in an `#error` where it
/// is missing. `LAG_k` stands for `LAG_0`, `LAG_1` and so on.
fn explains(text: &str, name: &str) -> bool {
    let of_steps = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let of_steps = format!("{of_steps}k");
    let names = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| {
            word == name || (word == of_steps && name.ends_with(|c: char| c.is_ascii_digit()))
        })
    };
    let lines: Vec<&str> = text.lines().collect();
    let is_named = |(i, line): (usize, &&str)| {
        let next = lines.get(i + 1).unwrap_or(&"");
        let has_error = line.starts_with("#error") || next.trim_start().starts_with("#error");
        let comment = line.split_once("//").map_or("", |(_, comment)| comment);
        names(comment) || (has_error && names(line))
    };
    lines.iter().enumerate().any(is_named)
}

#[test]
fn every_size_is_explained_where_it_is_used() {
    let mut sizes = BTreeMap::<(String, String), Vec<String>>::new();
    for target in targets() {
        for transform in a_few(Wavelet::CDF_9_7) {
            let strategies = Strategy::ALL.iter().copied().chain(other_passes());
            let each = strategies.map(|strategy| {
                let strategy = Some(strategy);
                kernel_sources(&transform, SampleType::F32, strategy, &target.device, "")
            });
            let interleaved = transform.clone().layout(Layout::Interleaved);
            let in_place = kernel_sources_in_place(&interleaved, SampleType::F32, &target.device);
            for (kernel, source) in each.chain([in_place]).flatten().flatten() {
                let parts: Vec<_> = source
                    .lines()
                    .filter_map(named_part)
                    .map(str::to_owned)
                    .collect();
                let (_, after) = source.split_once("#line 1 \"sizes\"\n").unwrap();
                let defines = after
                    .lines()
                    .map_while(|line| line.strip_prefix("#define "));
                for define in defines {
                    let name = define.split(' ').next().unwrap().to_owned();
                    sizes.insert((kernel.clone(), name), parts.clone());
                }
            }
        }
    }
    assert!(sizes.len() > 30, "only {} sizes were found", sizes.len());
    let own = |part: &&String| !["prelude", "sizes"].contains(&part.as_str());
    let mut wrong = Vec::new();
    for ((kernel, name), parts) in sizes {
        let mut files = parts.iter().filter(own).map(|file| kernel_file(file));
        if !files.any(|text| explains(&text, &name)) {
            wrong.push(format!("{kernel}: {name}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "sizes that no comment explains:\n{}",
        wrong.join("\n")
    );
}
