//! Devices that lie about their exchange, which the probe finds out.

use crate::check;
use crate::common::{can_run, devices, ran};
use std::process::Command;
use std::time::Instant;
use wavelift::{Device, DeviceKind, Engine, Exchange, Strategy, Transform, Wavelet};

/// A kind of exchange, among so many work-items.
pub type Way = (Exchange, usize);
pub const NONE: Way = (Exchange::None, 1);

/// What an engine on a device says of its exchange.
pub fn way_of(device: &Device) -> Way {
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

pub fn lying(device: &Device, ways: &[Way], lie: &str) -> Device {
    // SAFETY: the lies of these tests are about what work-items get from each other and how many
    // there are in a sub-group; the engine finds out before any kernel relies on it.
    unsafe { device.with_lie(ways, lie) }.with_kind(DeviceKind::Gpu)
}

/// Devices that exchange by both standard ways, among as many as a kernel asks for.
pub fn truthful(what: &str) -> Vec<Device> {
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
pub const LARGER: &str = "
    #define intel_reqd_sub_group_size(n) intel_reqd_sub_group_size(2 * n)
";
const MISPLACED: &str = "
    #define get_sub_group_local_id() (get_local_id(0) % 8)
";
pub const MISSING: &str = "
    #define sub_group_shuffle_down no_such_function
";
const ONE_NAN: &str = "
    int quieted(int v) { return isnan(as_float(v)) ? 0x7FC00000 : v; }
    #define sub_group_shuffle_up(v, n) quieted(intel_sub_group_shuffle_up(v, v, n))
";

/// Ways that are wrong, or do not build, are left for the next one, and refused
/// where there is no other.
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
                "lies::the_environment_is_obeyed",
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
