//! As much of OpenGL as the tests need: a context of GLX that is current on
//! this thread, and buffers.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

const ARRAY_BUFFER: u32 = 0x8892;
const DYNAMIC_COPY: u32 = 0x88EA;

#[link(name = "X11")]
unsafe extern "C" {
    fn XOpenDisplay(name: *const u8) -> *mut c_void;
    fn XDefaultScreen(display: *mut c_void) -> c_int;
}

#[link(name = "GL")]
unsafe extern "C" {
    fn glXChooseFBConfig(
        display: *mut c_void,
        screen: c_int,
        attributes: *const c_int,
        count: *mut c_int,
    ) -> *mut *mut c_void;
    fn glXCreateNewContext(
        display: *mut c_void,
        config: *mut c_void,
        kind: c_int,
        shared: *mut c_void,
        direct: c_int,
    ) -> *mut c_void;
    fn glXCreatePbuffer(
        display: *mut c_void,
        config: *mut c_void,
        attributes: *const c_int,
    ) -> usize;
    fn glXMakeContextCurrent(
        display: *mut c_void,
        draw: usize,
        read: usize,
        context: *mut c_void,
    ) -> c_int;
    fn glGenBuffers(count: c_int, buffers: *mut u32);
    fn glBindBuffer(target: u32, buffer: u32);
    fn glBufferData(target: u32, size: isize, data: *const c_void, usage: u32);
    fn glGetBufferSubData(target: u32, offset: isize, size: isize, data: *mut c_void);
    fn glFinish();
}

/// Makes an OpenGL context that is current on this thread until the process ends.
pub fn open() {
    // GLX_DRAWABLE_TYPE: GLX_PBUFFER_BIT; GLX_RENDER_TYPE: GLX_RGBA_BIT.
    // GLX_PBUFFER_WIDTH and _HEIGHT.
    let (wanted, size) = ([0x8010, 4, 0x8011, 1, 0], [0x8041, 1, 0x8040, 1, 0]);
    // SAFETY: the lists end with zeros, handles come from the calls before, and null, which
    // is checked, is no handle.
    unsafe {
        let display = XOpenDisplay(null_mut());
        assert!(!display.is_null(), "no X server: xvfb-run starts one");
        let mut count = 0;
        let screen = XDefaultScreen(display);
        let configs = glXChooseFBConfig(display, screen, wanted.as_ptr(), &raw mut count);
        assert!(count > 0, "the X server has no OpenGL");
        let rgba = 0x8014;
        let context = glXCreateNewContext(display, *configs, rgba, null_mut(), 1);
        let drawable = glXCreatePbuffer(display, *configs, size.as_ptr());
        assert!(!context.is_null());
        assert!(glXMakeContextCurrent(display, drawable, drawable, context) != 0);
    }
}

/// A new buffer with these samples.
pub fn buffer(samples: &[i32]) -> u32 {
    let mut buffer = 0;
    // SAFETY: a context is current, and `samples` has as many bytes as said.
    unsafe {
        glGenBuffers(1, &raw mut buffer);
        glBindBuffer(ARRAY_BUFFER, buffer);
        let bytes = size_of_val(samples) as isize;
        glBufferData(ARRAY_BUFFER, bytes, samples.as_ptr().cast(), DYNAMIC_COPY);
        glFinish();
    }
    buffer
}

/// What a buffer of so many samples holds.
pub fn read(buffer: u32, len: usize) -> Vec<i32> {
    let mut samples = vec![0; len];
    // SAFETY: a context is current, and there is place for as many bytes as said.
    unsafe {
        glBindBuffer(ARRAY_BUFFER, buffer);
        let bytes = size_of_val(&samples[..]) as isize;
        glGetBufferSubData(ARRAY_BUFFER, 0, bytes, samples.as_mut_ptr().cast());
    }
    samples
}
