//! Devices that do not do what they say, and devices that have little of everything: both get plans that are right.

mod common;

use common::{RandomSample, can_run, devices, expected, ran, random_samples, relative_error, run};
use std::process::Command;
use std::time::Instant;
use wavelift::{
    Boundary, Device, DeviceArray, DeviceInfo, DeviceKind, Direction, Engine, Error, Exchange,
    Layout, SampleType, Strategy, Transform, Wavelet, kernel_sources,
};

/// A kind of exchange, among so many work-items.
type Way = (Exchange, usize);
const NONE: Way = (Exchange::None, 1);

fn check<T: RandomSample>(engine: &Engine, by: Option<Strategy>, transform: &Transform) -> String {
    let plan = match by {
        Some(strategy) => engine.plan_with::<T>(transform, strategy),
        None => engine.plan::<T>(transform),
    };
    let plan = plan.unwrap_or_else(|error| panic!("{by:?} {transform:?}: {error}"));
    let samples = random_samples::<T>(transform.len(), 7);
    for direction in [Direction::Forward, Direction::Inverse] {
        let got = run(engine, &plan, direction, &samples);
        let expected = expected(transform, direction, &samples).unwrap();
        let error = relative_error(&got, &expected);
        assert!(error <= T::BOUND, "{direction:?}: {error}, {plan:?}");
    }
    format!("{plan:?}")
}

/// What an engine on a device says of its exchange.
fn way_of(device: &Device) -> Way {
    let start = Instant::now();
    let engine = Engine::new(device).unwrap();
    println!("{engine:?}, opened in {:.1?}", start.elapsed());
    let info = engine.device().info();
    let way = match info.exchange {
        Exchange::None => "none".to_owned(),
        exchange => format!("{exchange} among {}, proven in ", info.lanes),
    };
    let text = format!("{engine:?}");
    assert!(text.contains(&format!("exchange {way}")), "{text}");
    (info.exchange, info.lanes)
}

fn lying(device: &Device, ways: &[Way], lie: &str) -> Device {
    // SAFETY: the lies of these tests are about what work-items get from each other and how many there are in a sub-group; the
    // engine finds out before any kernel relies on it.
    unsafe { device.with_lie(ways, lie) }.with_kind(DeviceKind::Gpu)
}

/// Devices that exchange by both standard ways, among as many as a kernel asks for.
fn truthful(what: &str) -> Vec<Device> {
    let mut found = devices();
    found.retain(|device| {
        can_run(what, device, "khr-16", |info| {
            info.exchange == Exchange::Khr
        })
    });
    found
}

#[test]
fn what_a_device_offers_it_proves() {
    for device in devices() {
        let info = device.info();
        assert_eq!(way_of(&device), (info.exchange, info.lanes), "{device}");
    }
}

const SWAPPED: &str = "
    #pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
    int to_left(int v, uint n) { return sub_group_shuffle_up(v, n); }
    int to_right(int v, uint n) { return sub_group_shuffle_down(v, n); }
    #define sub_group_shuffle_up to_right
    #define sub_group_shuffle_down to_left
";
const LARGER: &str = "
    #define intel_reqd_sub_group_size(n) intel_reqd_sub_group_size(2 * n)
";
const MISPLACED: &str = "
    #define get_sub_group_local_id() (get_local_id(0) % 8)
";
const MISSING: &str = "
    #define sub_group_shuffle_down no_such_function
";
const ONE_NAN: &str = "
    int quieted(int v) { return isnan(as_float(v)) ? 0x7FC00000 : v; }
    #define sub_group_shuffle_up(v, n) quieted(intel_sub_group_shuffle_up(v, v, n))
";

/// Ways that are wrong, or do not build, are left for the next one, and refused where there is no other.
#[test]
fn lies_are_found_out() {
    let (khr, intel) = ((Exchange::Khr, 16), (Exchange::Intel, 16));
    let what = "devices that lie";
    for device in truthful(what) {
        for (lie, next) in [
            (SWAPPED, intel),
            (LARGER, NONE),
            (MISPLACED, NONE),
            (MISSING, intel),
            (ONE_NAN, intel),
        ] {
            assert_eq!(
                way_of(&lying(&device, &[khr, intel, NONE], lie)),
                next,
                "{lie}"
            );
            let refused = Engine::new(&lying(&device, &[khr], lie));
            let text = refused.unwrap_err().to_string();
            assert!(text.contains("exchange by khr among 16 on"), "{text}");
        }
        ran(what, &device);
    }
}

/// The same of PTX, which cannot be lied about from outside: work-items are not where they say.
#[test]
fn lies_about_warps_are_found_out() {
    let (ptx, what) = ((Exchange::Ptx, 32), "NVIDIA devices that lie");
    let reversed = "#define get_local_id(axis) (get_local_id(axis) ^ 1)\n";
    let missing = "#define get_local_id no_such_function\n";
    for device in devices() {
        if !can_run(what, &device, "ptx", |info| info.exchange == Exchange::Ptx) {
            continue;
        }
        for lie in [reversed, missing] {
            assert_eq!(way_of(&lying(&device, &[ptx, NONE], lie)), NONE, "{lie}");
            let refused = Engine::new(&lying(&device, &[ptx], lie));
            println!("{}", refused.unwrap_err());
        }
        ran(what, &device);
    }
}

/// Among sub-groups of any size, also where it is not the one that compilers take by themselves.
#[test]
fn sizes_of_sub_groups_are_proven_each() {
    let what = "proofs of sizes";
    for device in truthful(what) {
        for lanes in [8, 16, 32, 64] {
            for way in [Exchange::Khr, Exchange::Intel] {
                let device = lying(&device, &[(way, lanes), NONE], "");
                assert_eq!(way_of(&device), (way, lanes));
            }
        }
        // Not asked for, sub-groups have the size that the compiler likes.
        let unasked = "#undef cl_intel_required_subgroup_size\n";
        let ways = [8, 64, 32, 16, 4].map(|lanes| (Exchange::Khr, lanes));
        let (exchange, lanes) = way_of(&lying(&device, &ways, unasked));
        println!("{device} takes sub-groups of {lanes} by itself");
        assert_eq!(exchange, Exchange::Khr);
        ran(what, &device);
    }
}

fn picture(wavelet: Wavelet) -> Transform {
    Transform::new(wavelet, [131, 1029])
}

/// A device whose exchange is wrong has the plans of one that has none, by every strategy.
#[test]
fn without_a_proof_plans_are_portable() {
    for device in devices() {
        let device = device.with_kind(DeviceKind::Gpu);
        let ways = [(Exchange::Amd, 32), NONE];
        let engine = Engine::new(&lying(&device, &ways, "")).unwrap();
        let portable = Engine::new(&device.without_exchange()).unwrap();
        assert_eq!(engine.device().info().exchange, Exchange::None);
        let transform = Transform::new(Wavelet::CDF_5_3, [67, 90]).levels(2);
        for &strategy in Strategy::ALL {
            let plans = [&engine, &portable].map(|engine| {
                let plan = engine.plan_with::<i32>(&transform, strategy);
                format!("{plan:?}")
            });
            assert_eq!(plans[0], plans[1]);
        }
        check::<i32>(&engine, None, &transform);
    }
}

/// What holds for the probe need not hold for a kernel: one that does not build, or has other sub-groups, takes the next way;
/// other kernels do not.
#[test]
fn a_kernel_that_cannot_exchange_takes_the_next_way() {
    // A macro that only kernels of `streamed` have.
    let streamed = |lie: &str| format!("#ifdef STRIP\n{lie}\n#endif\n");
    let what = "kernels that cannot exchange";
    let (khr, intel) = ((Exchange::Khr, 16), (Exchange::Intel, 16));
    for device in truthful(what) {
        let transform = picture(Wavelet::CDF_5_3);
        let (one, other) = (Strategy::Streamed, Strategy::RegisterBlock);
        let portable = Engine::new(&lying(&device, &[NONE], "")).unwrap();
        let portable = [one, other].map(|strategy| {
            let plan = portable.plan_with::<i32>(&transform, strategy);
            format!("{:?}", plan.unwrap())
        });
        for lie in [MISSING, LARGER] {
            let device = lying(&device, &[khr, NONE], &streamed(lie));
            assert_eq!(way_of(&device), khr);
            let engine = Engine::new(&device).unwrap();
            assert_eq!(check::<i32>(&engine, Some(one), &transform), portable[0]);
            let plan = engine.plan_with::<i32>(&transform, other).unwrap();
            assert_ne!(format!("{plan:?}"), portable[1]);
        }
        let engine = Engine::new(&lying(&device, &[khr, intel], &streamed(MISSING))).unwrap();
        assert_ne!(check::<i32>(&engine, Some(one), &transform), portable[0]);
        let engine = Engine::new(&lying(&device, &[khr], &streamed(MISSING))).unwrap();
        let plan = engine.plan_with::<i32>(&transform, one);
        assert!(matches!(plan, Err(Error::Build { .. })), "no way is left");
        ran(what, &device);
    }
}

/// A device that lies to one kernel alone: of the two that a plan of `streamed` has, the other keeps its way.
#[test]
fn the_next_way_is_taken_by_one_kernel_alone() {
    // A macro that only the kernel of two levels has.
    let lie = format!("#ifdef COARSE_VECTOR\n{MISSING}\n#endif\n");
    let what = "one kernel that cannot exchange";
    // Of sub-groups so small that a work-item has the registers for two levels.
    let (khr, intel) = ((Exchange::Khr, 8), (Exchange::Intel, 8));
    for device in truthful(what) {
        let transform = Transform::new(Wavelet::CDF_5_3, [256, 256]).levels(3);
        let plan = |ways: &[Way], lie: &str| {
            let engine = Engine::new(&lying(&device, ways, lie)).unwrap();
            let engine = engine.with_tuning("gpu | streamed | i32 | TWO_FILLING=1\n");
            check::<i32>(&engine.unwrap(), Some(Strategy::Streamed), &transform)
        };
        let (honest, portable) = (plan(&[khr, NONE], ""), plan(&[NONE], ""));
        assert!(honest.contains("streamed_two_levels"), "{honest}");
        assert!(!portable.contains("streamed_two_levels"), "{portable}");
        // By the next way, and where that is none, as two launches of the kernel that still exchanges.
        assert_eq!(plan(&[khr, intel], &lie), honest);
        let alone = plan(&[khr, NONE], &lie);
        assert!(!alone.contains("streamed_two_levels"), "{alone}");
        let last = |plan: &str| plan.lines().nth(3).unwrap().to_owned();
        assert!(last(&alone).contains("streamed_one_level"), "{alone}");
        assert_ne!(last(&alone), last(&portable));
        ran(what, &device);
    }
}

/// AMD's way with sub-groups in the place of wavefronts of so many lanes.
fn as_on_amd(wavefront: usize) -> String {
    format!(
        "
        #pragma OPENCL EXTENSION cl_intel_subgroups : enable
        #define reqd_work_group_size(x, y, z) reqd_work_group_size(x, y, z), intel_reqd_sub_group_size({wavefront})
        #define __builtin_amdgcn_mbcnt_lo(mask, more) (min((int)get_sub_group_local_id(), 32) + (more))
        #define __builtin_amdgcn_mbcnt_hi(mask, more) (max((int)get_sub_group_local_id() - 32, 0) + (more))
        #define __builtin_amdgcn_ds_bpermute(at, v) intel_sub_group_shuffle(v, (uint)((at) >> 2) % {wavefront})
        #define __builtin_amdgcn_wave_barrier()
        #define mem_fence(flags) sub_group_barrier(flags)
        "
    )
}

/// The arithmetic of AMD's way, of which there is no hardware here: on wavefronts of 32, of which a sub-group is all, and of
/// 64, of which it is half.
#[test]
fn amds_way_is_right_on_wavefronts_of_32_and_64() {
    let what = "AMD's way on another device";
    let amd = (Exchange::Amd, 32);
    for device in truthful(what) {
        for wavefront in [32, 64] {
            let device = lying(&device, &[amd, NONE], &as_on_amd(wavefront));
            assert_eq!(way_of(&device), amd, "{wavefront}");
            let engine = Engine::new(&device).unwrap();
            let transform = picture(Wavelet::CDF_5_3);
            check::<i32>(&engine, Some(Strategy::RegisterBlock), &transform);
        }
        // As a sub-group of 32 would read if its half of the wavefront were the lower one always.
        let lower = "\n#undef __builtin_amdgcn_mbcnt_hi\n#define __builtin_amdgcn_mbcnt_hi(mask, more) ((more) & 31)\n";
        let lower = as_on_amd(64) + lower;
        assert_eq!(way_of(&lying(&device, &[amd, NONE], &lower)), NONE);
        ran(what, &device);
    }
}

/// The probe can be right and a kernel wrong: on a way that never ran on hardware, each kernel is tried first.
#[test]
fn kernels_of_an_untried_way_are_tried() {
    let what = "kernels on trial";
    let amd = (Exchange::Amd, 32);
    for device in truthful(what) {
        let wrong = "\n#if defined(STRIP)\n#undef __builtin_amdgcn_ds_bpermute\n#define __builtin_amdgcn_ds_bpermute(at, v) (v)\n#endif\n";
        let device = lying(&device, &[amd, NONE], &(as_on_amd(32) + wrong));
        assert_eq!(way_of(&device), amd);
        let engine = Engine::new(&device).unwrap();
        let portable = Engine::new(&device.without_exchange()).unwrap();
        let transform = picture(Wavelet::CDF_9_7);
        let plan = check::<f32>(&engine, Some(Strategy::Streamed), &transform);
        let other = portable.plan_with::<f32>(&transform, Strategy::Streamed);
        assert_eq!(plan, format!("{:?}", other.unwrap()));
        ran(what, &device);
    }
}

/// Run by the next test alone, in an environment that chooses.
#[test]
#[ignore = "run by the test below"]
fn the_environment_is_obeyed() {
    for device in devices() {
        match Engine::new(&device) {
            Ok(engine) => println!("{engine:?}"),
            Err(error) => println!("refused: {error}"),
        }
    }
}

#[test]
fn the_environment_chooses() {
    let in_environment = |words: &str| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "the_environment_is_obeyed",
                "--ignored",
                "--nocapture",
            ])
            .env("WAVELIFT_EXCHANGE", words)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let count = devices().len();
    let said = |words: &str, what: &str| {
        let text = in_environment(words);
        assert_eq!(text.matches(what).count(), count, "{words}: {text}");
    };
    said("none", "exchange none)");
    said("shuffle", "refused: unknown exchange `shuffle`");
    said(
        "amd",
        "refused: exchange by amd, which WAVELIFT_EXCHANGE asks for",
    );
    for device in truthful("a way that the environment chooses") {
        for (words, what) in [("khr:32", "khr among 32"), ("intel", "intel among 16")] {
            let text = in_environment(words);
            assert!(
                text.contains(&format!("exchange {what}, proven in")),
                "{device}: {text}"
            );
        }
    }
}

fn limited(device: &Device, limit: impl Fn(&mut DeviceInfo)) -> Device {
    let mut limits = device.info().clone();
    limit(&mut limits);
    device.with_limits(&limits)
}

type Limit = fn(&mut DeviceInfo);

/// Each alone, by its name.
const LIMITS: [(&str, Limit); 7] = [
    ("work-groups of 32", |info| info.max_work_group = 32),
    ("local memory of 16 KiB", |info| {
        info.local_memory = 16 << 10
    }),
    ("no doubles", |info| info.fp64 = false),
    ("no sub-groups", |info| {
        (info.sub_groups, info.exchange) = (false, Exchange::None);
    }),
    ("arrays of 64 MiB", |info| info.max_allocation = 64 << 20),
    ("one compute unit", |info| info.compute_units = 1),
    ("addresses of 32 bits", |info| info.address_bits = 32),
];

#[test]
fn limits_only_go_down() {
    for device in devices() {
        let info = device.info();
        let same = limited(&device, |limits| {
            limits.compute_units += 1;
            limits.max_work_group += 1;
            limits.local_memory += 1;
            limits.global_memory += 1;
            limits.max_allocation += 1;
            limits.address_bits = 128;
            (limits.fp64, limits.sub_groups) = (true, true);
            limits.float_vector += 1;
            (limits.exchange, limits.lanes) = (Exchange::Ptx, 1000);
        });
        assert_eq!(same.info(), info);
        let least = limited(&device, |limits| {
            for (_, limit) in LIMITS {
                limit(limits);
            }
            limits.max_work_items = [0; 3];
        });
        let least = least.info();
        assert_eq!((least.max_work_group, least.max_work_items), (32, [1; 3]));
        assert_eq!(
            (least.local_memory, least.max_allocation),
            (16 << 10, 64 << 20)
        );
        assert_eq!(
            (least.fp64, least.sub_groups, least.compute_units),
            (false, false, 1)
        );
        assert_eq!(
            (least.exchange, least.lanes, least.address_bits),
            (NONE.0, 1, 32)
        );
    }
}

/// The planner's choice on a device with limits, as if it were of either kind.
fn check_limited<T: RandomSample>(device: &Device, transform: &Transform) {
    for kind in [DeviceKind::Gpu, DeviceKind::Cpu] {
        let engine = Engine::new(&device.with_kind(kind)).unwrap();
        let plan = engine.plan::<T>(transform);
        if T::TYPE == SampleType::F64 && !device.info().fp64 {
            assert!(
                matches!(plan, Err(Error::Unsupported { .. })),
                "{transform:?}"
            );
        } else {
            drop(plan);
            check::<T>(&engine, None, transform);
        }
    }
}

/// Limits that change none of the programs are not run again.
#[test]
fn each_limit_alone() {
    let picture = Transform::new(Wavelet::CDF_5_3, [67, 90]).levels(2);
    for device in devices() {
        let mut seen = Vec::new();
        for (name, limit) in LIMITS {
            for kind in [DeviceKind::Gpu, DeviceKind::Cpu] {
                let device = limited(&device, limit).with_kind(kind);
                let programs = kernel_sources(&picture, SampleType::I16, None, device.info(), "");
                let programs = programs.unwrap();
                if !seen.contains(&programs) {
                    println!("{name} on {device}");
                    seen.push(programs);
                    check::<i16>(&Engine::new(&device).unwrap(), None, &picture);
                }
            }
        }
    }
}

#[test]
fn all_limits_at_once() {
    for device in devices() {
        let device = limited(&device, |limits| {
            for (_, limit) in LIMITS {
                limit(limits);
            }
        });
        let picture = Transform::new(Wavelet::CDF_9_7, [131, 257]).levels(3);
        check_limited::<f32>(&device, &picture);
        check_limited::<f64>(&device, &picture);
        let volume = Transform::new(Wavelet::VC2_FIDELITY, [9, 40, 50]).levels(2);
        check_limited::<i16>(&device, &volume.boundary(Boundary::Zero));
        let rows = Transform::new(Wavelet::CDF_5_3, [3, 5000])
            .axes([1])
            .levels(5);
        check_limited::<i32>(&device, &rows.layout(Layout::Interleaved));
    }
}

#[test]
fn arrays_past_a_limit_are_refused() {
    for device in devices() {
        let arrays = limited(&device, |limits| limits.max_allocation = 64 << 20);
        let engine = Engine::new(&arrays).unwrap();
        engine.zeros::<i16>(32 << 20).unwrap();
        let refused = engine.zeros::<i16>((32 << 20) + 1).map(drop);
        assert!(matches!(
            refused,
            Err(Error::Memory {
                limit: 0x400_0000,
                ..
            })
        ));
        let large = Transform::new(Wavelet::CDF_5_3, [8192, 4097]);
        let refused = engine.plan_with::<i16>(&large, Strategy::SEPARABLE);
        let refused = refused.map(drop);
        assert!(matches!(
            refused,
            Err(Error::Memory {
                limit: 0x400_0000,
                ..
            })
        ));

        let narrow = limited(&device, |limits| limits.address_bits = 32);
        let engine = Engine::new(&narrow).unwrap();
        let least = narrow.info().max_allocation.min((1 << 32) - 1);
        let refused = engine.zeros::<i16>(1 << 31).map(drop);
        assert!(matches!(refused, Err(Error::Memory { limit, .. }) if limit == least));
    }
}

/// Buffers of the caller's may be larger than a device has addresses.
#[test]
fn buffers_past_the_last_address_are_refused() {
    for device in devices() {
        // As addresses of 32 bits, with less memory.
        let engine = Engine::new(&limited(&device, |limits| limits.address_bits = 12)).unwrap();
        engine.zeros::<i16>(2047).unwrap();
        assert!(engine.zeros::<i16>(2048).is_err());
        // SAFETY: the context is the engine's; there is no host memory.
        let buffer = unsafe {
            let (context, flags) = (engine.raw_context(), cl3::memory::CL_MEM_READ_WRITE);
            cl3::memory::create_buffer(context, flags, 1 << 13, std::ptr::null_mut()).unwrap()
        };
        // SAFETY: a buffer of 8 KiB, of which nothing is read.
        let array = |offset, len| unsafe {
            DeviceArray::<i16>::from_raw(&engine, buffer, offset, len).map(drop)
        };
        array(0, 2047).unwrap();
        for (offset, len) in [(0, 2048), (4094, 1), (4096, 10)] {
            let refused = array(offset, len);
            assert!(matches!(refused, Err(Error::Memory { limit: 4095, .. })));
        }
        // SAFETY: the reference is the test's own.
        unsafe { cl3::memory::release_mem_object(buffer) }.unwrap();
    }
}

#[test]
fn big_endian_devices_are_refused() {
    for device in devices() {
        let refused = Engine::new(&limited(&device, |limits| limits.little_endian = false));
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
    }
}
