//! The types of this crate and those of others, each other crate behind a feature of its name.

#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "image")]
pub mod picture;
#[cfg(feature = "serde")]
mod serde;
