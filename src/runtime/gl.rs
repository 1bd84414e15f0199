//! Engines on the context of OpenGL, and arrays that are its buffers: feature `ocl-interop`.

use super::acquire::GlBuffer;
use super::array::DeviceArray;
use super::context::{Shared, opencl};
use super::engine::Engine;
use super::handle::Handle;
use super::queue::{Queue, Uses};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::wavelet::Element;
use cl3::context::CL_CONTEXT_PLATFORM;
use cl3::gl::create_from_gl_buffer;
use opencl3::context::Context;
use opencl3::error_codes::ClError;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};

fn check_sharing(device: &Device) -> Result<()> {
    // Some drivers end the process in calls for OpenGL, wherefore nothing but this tells.
    if device.info().has_extension("cl_khr_gl_sharing") {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: "sharing buffers with OpenGL".to_owned(),
        why: format!("{device} has no `cl_khr_gl_sharing`"),
    })
}

impl Engine {
    /// Opens an engine on `device` as [`Engine::new`] does, in an OpenCL context that shares
    /// buffers with the OpenGL context that is current on this thread, for
    /// [`DeviceArray::from_gl`]. Needs the feature `ocl-interop`, with which a program does not
    /// start without libOpenCL and libGL; on Linux, OpenGL's context must be one of GLX. So far
    /// this was tested on a device that a test plays, and on no hardware.
    ///
    /// ```no_run
    /// use wavelift::{DeviceArray, DeviceSelector, Engine, Transform, Wavelet};
    /// # fn finish_opengl() {}
    /// # fn denoise(vertices: u32, coefficients: u32) -> Result<(), wavelift::Error> {
    ///
    /// let device = DeviceSelector::from_env()?.pick()?;
    /// let transform = Transform::new(Wavelet::CDF_9_7, [512, 512]).levels(3);
    /// // SAFETY: OpenGL's context outlives the engine and its arrays.
    /// let engine = unsafe { Engine::with_gl(&device)? };
    /// let plan = engine.plan::<f32>(&transform)?;
    /// // SAFETY: the two are different buffers, full of samples, which OpenGL leaves alone until the run is done.
    /// let (x, mut y) = unsafe {
    ///     let x = DeviceArray::from_gl(&engine, vertices, 0, transform.len())?;
    ///     (x, DeviceArray::from_gl(&engine, coefficients, 0, transform.len())?)
    /// };
    /// finish_opengl(); // glFinish
    /// plan.enqueue_forward(&x, &mut y)?.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The OpenGL context exists as long as the engine, its plans and its arrays do.
    ///
    /// # Errors
    /// [`Error::Handle`] where no OpenGL context is current on this thread, before any OpenCL call;
    /// [`Error::Unsupported`] if the device does not share with OpenGL; [`Error::OpenCl`] if it
    /// cannot share with this context (as the device of another GPU), or cannot be opened;
    /// [`Error::Tuning`] as [`Engine::new`].
    pub unsafe fn with_gl(device: &Device) -> Result<Engine> {
        // Pairs of a name and a value, and a zero.
        let mut properties = ocl_interop::get_properties_list().to_raw();
        if properties.chunks_exact(2).any(|property| property[1] == 0) {
            return Err(Error::Handle {
                what: "the OpenGL context",
                expected: "one that is current on this thread".to_owned(),
                got: "none".to_owned(),
            });
        }
        check_sharing(device)?;
        let platform = device
            .handle
            .platform()
            .map_err(opencl("clGetDeviceInfo"))?;
        properties.splice(0..0, [CL_CONTEXT_PLATFORM, platform as isize]);
        let devices = [device.handle.id()];
        let context = Context::from_devices(&devices, &properties, None, std::ptr::null_mut());
        let context: Handle<_> = context.map_err(opencl("clCreateContext"))?.into();
        let queue = Queue::own(&context, device, 0)?;
        Engine::on(Shared::new(context, device)?, queue)
    }
}

impl<T: Element> DeviceArray<T> {
    /// Makes an array of `len` samples of an OpenGL buffer, from byte `offset` of it on, on an
    /// engine that shares with OpenGL: by [`Engine::with_gl`], or by [`Engine::from_raw`] on such a
    /// context. Needs the feature `ocl-interop`.
    ///
    /// Each run acquires the buffer before its first pass and releases it behind its last one, also
    /// where it fails, and so does each copy to and from the host. OpenGL may use the buffer again
    /// when the run is done ([`Run::wait`](super::Run::wait)).
    ///
    /// # Safety
    /// - `buffer` is the name of a buffer of the OpenGL context that the engine shares with, which
    ///   keeps its size as long as the array exists. No other array is made of it.
    /// - What the buffer holds of the samples has been written before they are read.
    /// - When a run or copy is enqueued that uses the array, OpenGL has finished all work on the
    ///   buffer (`glFinish`), and it starts no other until that is done.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the engine's device does not share with OpenGL; [`Error::Handle`]
    /// if the buffer is too small; [`Error::Misaligned`] for an offset where samples of this type
    /// cannot be; [`Error::Memory`] for samples past the addresses that the device has;
    /// [`Error::OpenCl`] for what is no buffer.
    pub unsafe fn from_gl(engine: &Engine, buffer: u32, offset: usize, len: usize) -> Result<Self> {
        check_sharing(engine.device())?;
        let context = engine.site.shared.context.get();
        // SAFETY: the context is alive, and the device has the extension.
        let made = unsafe { create_from_gl_buffer(context, CL_MEM_READ_WRITE, buffer) };
        let made = made.map_err(|code| opencl("clCreateFromGLBuffer")(ClError(code)))?;
        let made: Handle<_> = Buffer::<T>::new(made).into();
        let uses = Uses::none(&engine.site.queue).on_gl(GlBuffer(made.get() as usize));
        DeviceArray::of_buffer(engine, made, offset, len, uses)
    }
}
