//! What another program has: its own context, queues, buffers and events, by the C functions.

use std::ffi::c_void;
use std::ptr::null_mut;
use wavelift::{Device, Engine};

pub const OUT_OF_ORDER: u64 = 1;
pub const PROFILING: u64 = 2;

/// A handle that is released in the end, and whose references can be counted.
#[derive(Debug)]
pub struct Owned {
    pub raw: *mut c_void,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Context,
    Queue,
    Buffer,
    Event,
    SubDevice,
}

// SAFETY: OpenCL's objects may be used by any thread.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Owned {
    pub fn of_memory(raw: *mut c_void) -> Self {
        let kind = Kind::Buffer;
        Owned { raw, kind }
    }

    /// How many references there are.
    pub fn references(&self) -> u32 {
        let count = match self.kind {
            Kind::Context => {
                cl3::context::get_context_info(self.raw, cl3::context::CL_CONTEXT_REFERENCE_COUNT)
            }
            Kind::Queue => cl3::command_queue::get_command_queue_info(
                self.raw,
                cl3::command_queue::CL_QUEUE_REFERENCE_COUNT,
            ),
            Kind::Buffer => {
                cl3::memory::get_mem_object_info(self.raw, cl3::memory::CL_MEM_REFERENCE_COUNT)
            }
            Kind::Event => {
                cl3::event::get_event_info(self.raw, cl3::event::CL_EVENT_REFERENCE_COUNT)
            }
            Kind::SubDevice => {
                cl3::device::get_device_info(self.raw, cl3::device::CL_DEVICE_REFERENCE_COUNT)
            }
        };
        count.unwrap().into()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: this is the reference that came with the object.
        unsafe {
            match self.kind {
                Kind::Context => cl3::context::release_context(self.raw),
                Kind::Queue => cl3::command_queue::release_command_queue(self.raw),
                Kind::Buffer => cl3::memory::release_mem_object(self.raw),
                Kind::Event => cl3::event::release_event(self.raw),
                Kind::SubDevice => cl3::device::release_device(self.raw),
            }
            .unwrap();
        }
    }
}

/// Another program on a device.
pub struct Program {
    // Released in this order.
    pub queue: Owned,
    pub context: Owned,
    pub device: *mut c_void,
}

impl Program {
    pub fn on(device: &Device, properties: u64) -> Self {
        // A device's handle is lent by an engine on it.
        let device = Engine::new(device).unwrap().raw_device();
        Program::of(&[device], properties)
    }

    /// One whose context has several devices, of which the last has the queue.
    pub fn of(devices: &[*mut c_void], properties: u64) -> Self {
        let context = cl3::context::create_context(devices, std::ptr::null(), None, null_mut());
        let context = Owned {
            raw: context.unwrap(),
            kind: Kind::Context,
        };
        let device = *devices.last().unwrap();
        Program {
            queue: queue(&context, device, properties),
            context,
            device,
        }
    }

    pub fn another_queue(&self, properties: u64) -> Owned {
        queue(&self.context, self.device, properties)
    }

    pub fn engine(&self) -> Engine {
        self.engine_on(&self.queue)
    }

    pub fn engine_on(&self, queue: &Owned) -> Engine {
        // SAFETY: all three are valid.
        unsafe { Engine::from_raw(self.context.raw, self.device, queue.raw) }.unwrap()
    }

    pub fn buffer(&self, bytes: usize, flags: u64) -> Owned {
        // SAFETY: no memory of the host is passed.
        unsafe { self.buffer_over(bytes, flags, null_mut()) }
    }

    /// # Safety
    /// `host` is what the flags make of it.
    pub unsafe fn buffer_over(&self, bytes: usize, flags: u64, host: *mut c_void) -> Owned {
        // SAFETY: as promised.
        let raw = unsafe { cl3::memory::create_buffer(self.context.raw, flags, bytes, host) };
        Owned {
            raw: raw.unwrap(),
            kind: Kind::Buffer,
        }
    }

    pub fn user_event(&self) -> Owned {
        Owned {
            raw: cl3::event::create_user_event(self.context.raw).unwrap(),
            kind: Kind::Event,
        }
    }

    /// Reads a whole buffer by the caller's own means, and waits.
    pub fn read<T: wavelift::Sample>(&self, buffer: &Owned, len: usize) -> Vec<T> {
        let mut samples = vec![T::zeroed(); len];
        let bytes = len * size_of::<T>();
        let to = samples.as_mut_ptr().cast();
        // SAFETY: the slice has so many bytes, and the call waits.
        let event = unsafe {
            let (queue, none) = (self.queue.raw, std::ptr::null());
            cl3::command_queue::enqueue_read_buffer(queue, buffer.raw, 1, 0, bytes, to, 0, none)
        };
        // SAFETY: the reference came with the event.
        unsafe { cl3::event::release_event(event.unwrap()) }.unwrap();
        samples
    }

    pub fn finish(&self) {
        cl3::command_queue::finish(self.queue.raw).unwrap();
    }
}

fn queue(context: &Owned, device: *mut c_void, properties: u64) -> Owned {
    // SAFETY: the device is the context's.
    let raw = unsafe { cl3::command_queue::create_command_queue(context.raw, device, properties) };
    Owned {
        raw: raw.unwrap(),
        kind: Kind::Queue,
    }
}

pub fn sub_buffer(parent: &Owned, origin: usize, size: usize, flags: u64) -> Owned {
    let region = [origin, size];
    // SAFETY: the region is two sizes.
    let raw = unsafe {
        let region = region.as_ptr().cast();
        cl3::memory::create_sub_buffer(
            parent.raw,
            flags,
            cl3::memory::CL_BUFFER_CREATE_TYPE_REGION,
            region,
        )
    };
    Owned {
        raw: raw.unwrap(),
        kind: Kind::Buffer,
    }
}

/// Two devices that are one compute unit of this one each, where it can be divided.
pub fn sub_devices(device: &Device) -> Option<[Owned; 2]> {
    let device = Engine::new(device).unwrap().raw_device();
    let equally = [cl3::device::CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    let parts = cl3::device::create_sub_devices(device, &equally).ok()?;
    let mut parts: Vec<Owned> = parts
        .into_iter()
        .map(|raw| Owned {
            raw,
            kind: Kind::SubDevice,
        })
        .collect();
    let second = (parts.len() > 1).then(|| parts.swap_remove(1))?;
    Some([parts.swap_remove(0), second])
}

pub fn set(event: &Owned, status: i32) {
    cl3::event::set_user_event_status(event.raw, status).unwrap();
}
