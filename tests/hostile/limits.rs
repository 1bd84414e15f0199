//! Devices that have little of everything.

use crate::check;
use crate::common::{RandomSample, devices};
use crate::lies::NONE;
use wavelift::{
    Boundary, Device, DeviceArray, DeviceInfo, DeviceKind, Engine, Error, Exchange, Layout,
    SampleType, Strategy, Transform, Wavelet, kernel_sources,
};

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
