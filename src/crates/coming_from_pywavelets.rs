//! Coming from [PyWavelets](https://pywavelets.readthedocs.io): what its wavelets, modes and
//! arrays are here, exactly.
//!
//! # Wavelets, signs and scales
//!
//! Coefficients here are those of PyWavelets times a factor for each level and axis, one for
//! approximations and one for details. That of CDF 9/7 and 5/3 gives approximations a gain of 1, as
//! in JPEG 2000, where PyWavelets has √2. In double precision five levels of CDF 9/7 on samples
//! around 1 differ by up to 3e-11 from those of `bior4.4` (PyWavelets 1.8), the others by 1e-14.
//!
//! | here | PyWavelets | approximations | details |
//! |---|---|---|---|
//! | [`Wavelet::CDF_9_7`] | `bior4.4` | 1 / √2 | -√2 |
//! | [`Wavelet::CDF_5_3`], real samples | `bior2.2` | 1 / √2 | -√2 |
//! | [`Wavelet::HAAR`] | `haar`, `db1` | 1 | -1 |
//! | [`Wavelet::DAUB_4`] | `db2` | 1 | -1 |
//!
//! Its other wavelets are not in the table here. One whose filters are factored into lifting steps
//! can be made by [`Wavelet::real`]; the library does not factor filters.
//! `swt`, wavelet packets and modes other than those below have no counterpart.
//!
//! With a and d these factors, a band of level l of a transform of n axes that is high-pass along h
//! of them is theirs times a^(n (l - 1)) a^(n - h) d^h. Of one level of a picture by `bior4.4` that
//! is 1/2 for `LL`, -1 for `HL` and `LH`, and 2 for `HH`.
//!
//! # Bands
//!
//! A [`Band`] is named x (the innermost axis) first; PyWavelets' keys name the outermost axis
//! first, `a` for L and `d` for H, and its `cH` is horizontal in what it shows, not in where it is
//! high-pass. Both number levels from the finest, which is 1, and list bands from the coarsest, as
//! [`Transform::bands`] does.
//!
//! | here | `dwt2`, `wavedec2` | `dwtn`, `wavedecn` |
//! |---|---|---|
//! | [`Band::L`], [`Band::H`] | `cA`, `cD` of `dwt` | `a`, `d` |
//! | [`Band::LL`] | `cA` | `aa` |
//! | [`Band::LH`] | `cH` | `da` |
//! | [`Band::HL`] | `cV` | `ad` |
//! | [`Band::HH`] | `cD` | `dd` |
//! | `HLL` | | `aad` |
//!
//! PyWavelets returns an array per band; here one array holds all, and
//! [`Coefficients::band`] is a view of it.
//!
//! # Levels
//!
//! A transform has one level unless [`Transform::levels`] asks for others; `wavedec` and the
//! like take as many as `dwt_max_level` returns. That depends on the filter: of n samples and
//! f coefficients in the filter it is the integer part of log2(n / (f - 1)), or 0 where this
//! is negative. [`Transform::max_levels`] is where the axes end, whatever the wavelet:
//! log2(n), rounded up, beyond which nothing more happens, without a warning. For 512 samples
//! it is 9, and `dwt_max_level` is 5 for `bior4.4` (f = 10), 6 for `bior2.2` (6), 7 for `db2`
//! (4) and 9 for `haar` (2). With several axes `dwtn_max_level` is that of the shortest,
//! `max_levels` that of the longest.
//!
//! # Boundaries and offsets
//!
//! Here a transform of n samples has n coefficients. Only PyWavelets' `periodization` is like that.
//!
//! - [`Boundary::Periodic`] is `periodization`, where a length halves evenly at every level. At odd
//!   lengths `periodization` repeats the last sample, and the results differ.
//! - The phase of `db2` is another. For s levels, give PyWavelets the signal rolled back by
//!   2^s - 1 samples along each axis (`np.roll(x, 1 - 2**s, axis)`), and roll its bands of
//!   level l forward along each axis: by 2^(s - l) if they are high-pass along it, by one
//!   less if they are low-pass.
//! - [`Boundary::Symmetric`] is for `bior4.4` and `bior2.2` the mode `reflect`, a level of `dwt` at
//!   a time: of n samples the approximations are `cA[k : k + (n + 1) // 2]` and the details `cD[k :
//!   k + n // 2]`, with k = 2 for `bior4.4` and 1 for `bior2.2`. A further level takes these
//!   approximations, not all of `cA`, so that `wavedec` in this mode is another transform. `haar`
//!   is the same at even lengths, where nothing is mirrored; at odd ones its last approximation
//!   differs. `db2`, whose filters have no symmetry, has no counterpart.
//! - [`Boundary::Clamp`] gives CDF 9/7 and 5/3 the same as [`Boundary::Symmetric`].
//!   [`Boundary::Zero`] counts neighbours as zero at every lifting step, and is not `zero`, which
//!   puts zeros around the signal. PyWavelets' `symmetric`, which repeats the outermost sample,
//!   has no counterpart here.
//!
//! A transform has the rule of its wavelet's standard unless it is given another, so `bior4.4` in
//! mode `periodization` is CDF 9/7 with `.boundary(Boundary::Periodic)`.
//!
//! # An example
//!
//! ```python
//! >>> x = [[4, 1, 0, 2], [3, 5, 9, 6], [8, 7, 2, 1], [0, 3, 5, 4]]
//! >>> cA, (cH, cV, cD) = pywt.dwt2(x, "bior4.4", "periodization")
//! ```
//!
//! ```
//! use wavelift::{Band, Boundary, Coefficients, Transform, Wavelet, reference};
//!
//! let x: [f64; 16] = [4.0, 1.0, 0.0, 2.0, 3.0, 5.0, 9.0, 6.0, 8.0, 7.0, 2.0, 1.0, 0.0, 3.0, 5.0, 4.0];
//! let transform = Transform::new(Wavelet::CDF_9_7, [4, 4]).boundary(Boundary::Periodic);
//! let coefficients = Coefficients::from_parts(&transform, reference::forward(&transform, &x)?)?;
//!
//! // What PyWavelets prints, to six digits, and the factor.
//! let bands = [
//!     (Band::LL, [4.400526, 6.128562, 10.193028, 9.277884], 0.5), // cA
//!     (Band::LH, [1.576199, -7.459178, 4.459178, -3.576199], -1.0), // cH
//!     (Band::HL, [1.335461, -1.241908, -1.758092, 2.664539], -1.0), // cV
//!     (Band::HH, [-1.037718, 1.115087, -0.115087, 2.037718], 2.0), // cD
//! ];
//! for (band, theirs, factor) in bands {
//!     for (ours, theirs) in coefficients.band(1, band)?.iter().zip(theirs) {
//!         assert!((ours - factor * theirs).abs() < 2e-6);
//!     }
//! }
//! # Ok::<(), wavelift::Error>(())
//! ```
//!
//! The tests of the library compare all of this, but for the numbers of levels, with what
//! PyWavelets 1.9.0 returns.

#[allow(unused_imports, reason = "for links")]
use crate::transform::{Band, Coefficients, Transform};
#[allow(unused_imports, reason = "for links")]
use crate::wavelet::{Boundary, Wavelet};
