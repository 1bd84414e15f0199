//! The types of this crate and those of others, each crate behind a feature of its name; and how
//! PyWavelets names what is here.

// A page of the documentation, and no code.
#[cfg(any(doc, doctest))]
pub mod coming_from_pywavelets;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "image")]
pub mod picture;
#[cfg(feature = "serde")]
mod serde;
