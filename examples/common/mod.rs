//! Code that several examples share.
#![allow(dead_code, reason = "each example uses only a part of this")]

pub mod case;
pub mod check;
pub mod cli;
pub mod picture;
pub mod pixels;
pub mod replace;
pub mod rounding;
pub mod runnable;
pub mod runner;
pub mod table;
pub mod timing;

/// Reorders samples from one pixel after the other (RGBRGB) to one colour after the other (RRGGBB),
/// which makes the colours a batch.
pub fn planes_of_pixels<T: Copy>(pixels: &[T], colours: usize) -> Vec<T> {
    let plane = |colour| pixels.iter().skip(colour).step_by(colours).copied();
    (0..colours).flat_map(plane).collect()
}

/// Reorders samples from one colour after the other (RRGGBB) to one pixel after the other (RGBRGB).
pub fn pixels_of_planes<T: Copy>(planes: &[T], colours: usize) -> Vec<T> {
    planes_of_pixels(planes, planes.len() / colours.max(1))
}
