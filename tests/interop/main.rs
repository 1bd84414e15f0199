//! Another program's OpenCL objects and ours: its context, queue, buffers and events taken in,
//! regions of arrays, and the order of work. On every device found.

#[path = "../common/mod.rs"]
mod common;
mod events;
mod foreign;
mod raw;
mod views;
