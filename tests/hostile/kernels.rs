//! Kernels that cannot do what the probe could.

use crate::check;
use crate::common::ran;
use crate::lies::{LARGER, MISSING, NONE, Way, lying, truthful, way_of};
use wavelift::{Engine, Error, Exchange, Strategy, Transform, Wavelet};

fn picture(wavelet: Wavelet) -> Transform {
    Transform::new(wavelet, [131, 1029])
}

/// What holds for the probe need not hold for a kernel: one that does not build, or has other
/// sub-groups, takes the next way; other kernels do not.
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

/// The same of volumes, whose kernels alone have this macro.
#[test]
fn a_kernel_of_volumes_takes_the_next_way() {
    let what = "kernels of volumes that cannot exchange";
    for device in truthful(what) {
        let volume = Transform::new(Wavelet::CDF_5_3, [6, 7, 300]);
        let by = Strategy::StreamedVolumes;
        let lie = format!("#ifdef OWN_ROWS\n{MISSING}\n#endif\n");
        let ways = [(Exchange::Khr, 16), NONE];
        let engine = Engine::new(&lying(&device, &ways, &lie)).unwrap();
        let taken = check::<f32>(&engine, Some(by), &volume);
        let portable = Engine::new(&lying(&device, &[NONE], "")).unwrap();
        let plan = portable.plan_with::<f32>(&volume, by).unwrap();
        assert_eq!(taken, format!("{plan:?}"));
        ran(what, &device);
    }
}

/// A device that lies to one kernel alone: of the two that a plan of `streamed` has,
/// the other keeps its way.
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
        // By the next way, and where that is none, as two launches of the
        // kernel that still exchanges.
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

/// The arithmetic of AMD's way, of which there is no hardware here: on wavefronts of 32, of which a
/// sub-group is all, and of 64, of which it is half.
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

/// The probe can be right and a kernel wrong: on a way that never ran on hardware,
/// each kernel is tried first.
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
