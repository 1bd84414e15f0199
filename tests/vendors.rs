//! Writes what plans of a few transforms build on hardware of other vendors to
//! `target/vendors/programs`, where `make vendors` compiles it by the vendors' compilers: the
//! hardware is not needed for that. Makes no OpenCL call.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use wavelift::{
    Boundary, DeviceInfo, Error, Exchange, Layout, SampleType, Strategy, Transform, Wavelet,
    kernel_sources, kernel_sources_in_place,
};

/// A device as its driver reports it, and where its programs go.
struct Target {
    /// The processor by its compiler's name, as scripts/vendors has it.
    name: &'static str,
    device: &'static str,
    compute_units: usize,
    max_work_group: usize,
    /// In KiB.
    local_memory: u64,
    fp64: bool,
    maker: &'static Maker,
}

/// What the devices of a vendor have in common.
struct Maker {
    platform: &'static str,
    vendor: &'static str,
    /// How sub-groups may exchange values, the best way first, and among how many.
    exchange: &'static [(Exchange, usize)],
    /// How large kernels may ask them to be.
    sub_groups: &'static [usize],
    /// Work-items of a wavefront, where a driver tells it.
    wavefront: usize,
}

const AMD: &Maker = &Maker {
    platform: "AMD Accelerated Parallel Processing",
    vendor: "Advanced Micro Devices, Inc.",
    exchange: &[(Exchange::Amd, 32), (Exchange::None, 1)],
    sub_groups: &[],
    wavefront: 32,
};
const AMD_WIDE: &Maker = &Maker {
    wavefront: 64,
    ..*AMD
};
const NVIDIA: &Maker = &Maker {
    platform: "NVIDIA CUDA",
    vendor: "NVIDIA Corporation",
    exchange: &[(Exchange::Ptx, 32)],
    sub_groups: &[],
    wavefront: 0,
};
const INTEL: &Maker = &Maker {
    platform: "Intel(R) OpenCL HD Graphics",
    vendor: "Intel(R) Corporation",
    exchange: &[(Exchange::Khr, 16)],
    sub_groups: &[8, 16, 32],
    wavefront: 0,
};
const INTEL_WIDE: &Maker = &Maker {
    sub_groups: &[16, 32],
    ..*INTEL
};
const ANY: &Maker = &Maker {
    platform: "Imaginary Platform",
    vendor: "Nobody",
    exchange: &[(Exchange::None, 1)],
    sub_groups: &[],
    wavefront: 0,
};

/// A line for each processor: its name, a device that has it, compute units, the largest
/// work-group, KiB of local memory, whether it has doubles.
#[rustfmt::skip]
const TARGETS: &[Target] = &[
    target("gfx906", "Radeon Instinct MI50", 60, 256, 64, true, AMD_WIDE),
    target("gfx90a", "AMD Instinct MI250X", 104, 256, 64, true, AMD_WIDE),
    target("gfx942", "AMD Instinct MI300X", 304, 256, 64, true, AMD_WIDE),
    target("gfx1030", "AMD Radeon RX 6800 XT", 36, 256, 64, true, AMD),
    target("gfx1030-64", "AMD Radeon RX 6800 XT", 36, 256, 64, true, AMD_WIDE),
    target("gfx1100", "AMD Radeon RX 7900 XTX", 48, 256, 64, true, AMD),
    target("sm_75", "Tesla T4", 40, 1024, 48, true, NVIDIA),
    target("sm_80", "NVIDIA A100-SXM4-80GB", 108, 1024, 48, true, NVIDIA),
    target("sm_90", "NVIDIA H200", 132, 1024, 48, true, NVIDIA),
    target("skl", "Intel(R) HD Graphics 530", 24, 256, 64, true, INTEL),
    target("tgllp", "Intel(R) Iris(R) Xe Graphics", 96, 512, 64, false, INTEL),
    target("dg2", "Intel(R) Arc(TM) A770 Graphics", 512, 1024, 64, false, INTEL),
    target("pvc", "Intel(R) Data Center GPU Max 1550", 512, 1024, 128, true, INTEL_WIDE),
    target("spirv", "Imaginary 9000", 32, 1024, 48, true, ANY),
];

const fn target(
    name: &'static str,
    device: &'static str,
    compute_units: usize,
    max_work_group: usize,
    local_memory: u64,
    fp64: bool,
    maker: &'static Maker,
) -> Target {
    Target {
        name,
        device,
        compute_units,
        max_work_group,
        local_memory,
        fp64,
        maker,
    }
}

impl Target {
    fn infos(&self) -> impl Iterator<Item = DeviceInfo> {
        self.maker.exchange.iter().map(|&(exchange, lanes)| {
            let mut info = DeviceInfo::imaginary();
            info.platform = self.maker.platform.into();
            info.vendor = self.maker.vendor.into();
            info.name = self.device.into();
            info.compute_units = self.compute_units;
            info.max_work_group = self.max_work_group;
            info.local_memory = self.local_memory << 10;
            info.fp64 = self.fp64;
            info.sub_group_sizes = self.maker.sub_groups.to_vec();
            info.wavefront = self.maker.wavefront;
            (info.exchange, info.lanes) = (exchange, lanes);
            info
        })
    }
}

/// Short and long steps, one, two and four of them, in all types of samples.
fn representatives() -> Vec<(Wavelet, SampleType)> {
    use SampleType::{F32, F64, I16, I32};
    vec![
        (Wavelet::CDF_5_3, I16),
        (Wavelet::CDF_5_3, I32),
        (Wavelet::CDF_9_7, F32),
        (Wavelet::CDF_9_7, F64),
        (Wavelet::DAUB_4, F32),
        (Wavelet::VC2_DD_13_7, I16),
        (Wavelet::VC2_FIDELITY, I32),
    ]
}

/// Those with which every strategy is written, whether or not plans choose it by themselves.
const CHOSEN: [(Wavelet, SampleType); 2] = [
    (Wavelet::CDF_5_3, SampleType::I16),
    (Wavelet::CDF_9_7, SampleType::F32),
];

/// Transforms in which every kernel does its work: large and small pictures, rows that go by
/// vectors and rows that do not, borders inside and apart, whole rows, short ones and tiles of long
/// ones, a volume, colours, and planes side by side.
fn transforms(wavelet: &Wavelet) -> Vec<Transform> {
    let of = |shape: &[usize]| Transform::new(wavelet.clone(), shape);
    vec![
        of(&[8192, 8192]).levels(2).boundary(Boundary::Symmetric),
        of(&[1080, 1921]).boundary(Boundary::Zero),
        of(&[256, 256]).levels(5).boundary(Boundary::Symmetric),
        of(&[2048, 2048]).levels(2).boundary(Boundary::Symmetric),
        of(&[4096, 1024]).axes([1]).levels(5),
        of(&[4096, 256]).axes([1]).levels(5),
        of(&[1 << 20, 7]).axes([1]).levels(3),
        of(&[4096, 1001])
            .axes([1])
            .levels(5)
            .boundary(Boundary::Periodic),
        of(&[1 << 22]).levels(3),
        of(&[256, 256, 256]),
        of(&[1024, 1024, 3]).axes([0, 1]),
        of(&[1024, 1024, 32]).axes([0, 1]),
        of(&[1024, 1024]).axes([0]).levels(3),
        of(&[2048, 1024]).axes([0]).levels(3),
        of(&[32, 1 << 16]).axes([0]).levels(5),
        of(&[64, 1 << 16]).axes([0]).levels(5),
        of(&[4096, 8, 8]).axes([1, 2]).levels(3),
        of(&[16, 16, 16]).levels(3),
    ]
}

/// Writes programs to a folder, each once, by names that scripts/vendors takes apart:
/// `KERNEL.WAVELET.SAMPLE.EXCHANGE.USE.NUMBER.cl`.
struct Folder {
    path: PathBuf,
    written: HashSet<String>,
}

impl Folder {
    fn write(&mut self, programs: Vec<(String, String)>, of: &str) {
        for (kernel, source) in programs {
            if self.written.insert(source.clone()) {
                let name = format!("{kernel}.{of}.{}.cl", self.written.len());
                fs::write(self.path.join(name), source).unwrap();
            }
        }
    }

    /// What plans of a transform build by themselves (`default`), in place, and with each strategy
    /// that is asked for (`chosen`).
    fn write_plans(&mut self, transform: &Transform, sample: SampleType, device: &DeviceInfo) {
        let (wavelet, exchange) = (transform.wavelet().name(), device.exchange);
        let of = |usage: &str| format!("{wavelet}.{sample}.{exchange}.{usage}");
        let interleaved = transform.clone().layout(Layout::Interleaved);
        let in_place = kernel_sources_in_place(&interleaved, sample, device).unwrap();
        let by = |strategy: Option<Strategy>| match kernel_sources(
            transform, sample, strategy, device, "",
        ) {
            Err(Error::Unsupported { .. }) if strategy.is_some() => Vec::new(),
            programs => programs.unwrap(),
        };
        self.write(by(None), &of("default"));
        self.write(in_place, &of("default"));
        if CHOSEN.contains(&(transform.wavelet().clone(), sample)) {
            let passes = Strategy::each_pass().skip(1);
            for strategy in Strategy::ALL.iter().copied().chain(passes) {
                self.write(by(Some(strategy)), &of("chosen"));
            }
        }
    }
}

#[test]
fn programs_are_written_for_every_target() {
    let tests = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let programs = tests.parent().unwrap().join("vendors/programs");
    let _ = fs::remove_dir_all(&programs);
    for target in TARGETS {
        let mut folder = Folder {
            path: programs.join(target.name),
            written: HashSet::new(),
        };
        fs::create_dir_all(&folder.path).unwrap();
        for device in target.infos() {
            for (wavelet, sample) in representatives() {
                if sample == SampleType::F64 && !device.fp64 {
                    continue;
                }
                for transform in transforms(&wavelet) {
                    folder.write_plans(&transform, sample, &device);
                }
            }
        }
        println!("{}: {} programs", target.name, folder.written.len());
    }
}

/// What the compiler of the first NVIDIA device says of the programs of a folder, by files beside
/// them that scripts/vendors reads. Run by hand, with WAVELIFT_PROGRAMS naming such a folder as
/// target/vendors/programs/sm_90: `cargo test --test vendors -- --ignored`.
#[test]
#[ignore = "needs an NVIDIA device, and files of programs"]
fn nvidia_says_what_programs_need() {
    use opencl3::{context::Context, device::Device as ClDevice, program::Program};
    let folder = std::env::var_os("WAVELIFT_PROGRAMS").expect("WAVELIFT_PROGRAMS is a folder");
    let platforms = opencl3::platform::get_platforms().unwrap();
    let is_nvidia = |name: String| name.contains("NVIDIA");
    let mut nvidia = platforms
        .iter()
        .filter(|one| one.name().is_ok_and(is_nvidia));
    let platform = nvidia.next().expect("there is no NVIDIA platform");
    let id = platform
        .get_devices(opencl3::device::CL_DEVICE_TYPE_GPU)
        .unwrap()[0];
    let device = ClDevice::new(id);
    println!(
        "{}, driver {}",
        device.name().unwrap(),
        device.driver_version().unwrap()
    );
    let context = Context::from_device(&device).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cl") {
            let source = fs::read_to_string(&path).unwrap();
            let mut program = Program::create_from_source(&context, &source).unwrap();
            program
                .build(&[id], "-cl-std=CL1.2 -cl-nv-verbose")
                .unwrap();
            fs::write(
                path.with_extension("log"),
                program.get_build_log(id).unwrap(),
            )
            .unwrap();
        }
    }
}
