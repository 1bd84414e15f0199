//! A wavelet is data: its lifting steps, and the conventions of the standard it comes from.
//!
//! The even samples of a signal form the approximation channel s and the odd samples the detail
//! channel d; d\[n\] lies between s\[n\] and s\[n+1\]. A step adds to each sample of one channel a
//! function of its neighbours in the other channel. The inverse subtracts the same values in
//! reverse order, so every list of steps is an invertible transform. The reference on the CPU and
//! every kernel, forward and inverse, are specialised from the one table in [`Wavelet::ALL`].

mod boundary;
mod channel;
mod checks;
mod pixel;
mod rounded;
mod sample;
mod scale;
mod steps;
mod table;

pub use boundary::Boundary;
pub use channel::{Channel, Direction};
pub(crate) use pixel::Pixels;
pub use pixel::{Element, Pixel, PixelType};
pub use rounded::Rounded;
pub use sample::{Sample, SampleType};
pub use scale::Scale;
pub use steps::{IntegerStep, RealStep, Stencil};

use crate::error::{Error, Result};
use checks::{check_stencils, refused, stencils};
use std::fmt;
use std::str::FromStr;
use steps::Steps;

/// The largest number of taps that one lifting step may have.
pub const MAX_TAPS: usize = 8;
/// The largest reach of a wavelet to either side, in pairs of samples. The reach before a pair is
/// the sum over all steps of how many pairs before the changed one each of them reads; the reach
/// behind it is the same sum of pairs behind.
pub const MAX_REACH: usize = 32;
/// The largest number of lifting steps that a wavelet may have for real samples, and as many for
/// integers. Designing a plan takes time by the square of their number.
pub const MAX_STEPS: usize = 1024;

const MAX_NAME: usize = 24;

/// The order of the axes within a forward level. Integer results depend on it. The inverse takes
/// the axes in the opposite order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AxisOrder {
    /// The last axis (x, along rows) comes first, as in VC-2 and CCSDS 122.
    InnermostFirst,
    /// The first axis comes first and the last axis (x, along rows) last, as in JPEG 2000.
    OutermostFirst,
}

/// A wavelet: lifting steps for real samples, for integer samples or for both, with the boundary
/// rule and the axis order of its standard.
///
/// A clone is cheap: it shares the steps. Two wavelets are equal if everything about them is, the
/// name included; real taps and scale factors are compared bit for bit.
///
/// ```
/// use wavelift::{Boundary, Channel, IntegerStep, Wavelet};
///
/// // One of the library's own, by constant or by name, and with another boundary rule.
/// assert_eq!("cdf53".parse(), Ok(Wavelet::CDF_5_3));
/// let periodic = Wavelet::CDF_5_3.with_boundary(Boundary::Periodic);
/// assert_ne!(periodic, Wavelet::CDF_5_3);
///
/// // One of your own: details are differences, then approximations are means, rounded down.
/// let steps = [
///     IntegerStep::subtract(Channel::Detail, 0, &[1], 0, 0),
///     IntegerStep::add(Channel::Approximation, 0, &[1], 0, 1),
/// ];
/// let means = Wavelet::integer("means", &steps, 0)?;
/// assert!(means.real_steps().is_none());
/// # Ok::<(), wavelift::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Wavelet {
    name: [u8; MAX_NAME],
    real: Option<Steps<RealStep>>,
    scale: Scale,
    integer: Option<Steps<IntegerStep>>,
    pre_shift: u32,
    boundary: Boundary,
    axis_order: AxisOrder,
}

impl Wavelet {
    /// Makes a wavelet of your own for real samples (`f32`, `f64`, `half::f16`, [`Rounded`]). Its
    /// forward transform runs `steps` in order and then scales both channels by `scale`.
    ///
    /// The wavelet has the boundary rule [`Boundary::Symmetric`] and the axis order
    /// [`AxisOrder::OutermostFirst`]; [`with_boundary`](Self::with_boundary) and
    /// [`with_axis_order`](Self::with_axis_order) change them, and
    /// [`with_integer_steps`](Self::with_integer_steps) adds steps for integers.
    ///
    /// ```
    /// use wavelift::{Channel, RealStep, Scale, Wavelet};
    /// let linear = Wavelet::real(
    ///     "linear",
    ///     &[RealStep::new(Channel::Detail, 0, &[-0.5, -0.5])],
    ///     Scale::NONE,
    /// )?;
    /// assert_eq!(linear.name(), "linear");
    /// # Ok::<(), wavelift::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Wavelet`] for a name that is empty, longer than 24 bytes or not made of
    /// lower-case letters, digits, `-` and `_`; for no steps or more than [`MAX_STEPS`]; for a
    /// step with no taps or more than [`MAX_TAPS`]; for a tap that is not finite as `f32`; for a
    /// scale factor that is not a normal number as `f32`, or whose inverse is not, and for the
    /// same of what two of them, or one twice, multiply to, as they do along two axes; and for a
    /// reach over [`MAX_REACH`] pairs.
    pub fn real(name: &str, steps: &[RealStep], scale: Scale) -> Result<Self> {
        let mut wavelet = Self::unfinished(name)?;
        let refuse = |why: String| Err(refused(name, why));
        check_stencils(name, &stencils(steps, RealStep::stencil))?;
        for (k, step) in steps.iter().enumerate() {
            if let Some(tap) = step.taps().iter().find(|tap| !(**tap as f32).is_finite()) {
                return refuse(format!("tap {tap} of step {k} is not finite as f32"));
            }
        }
        let Scale {
            approximation,
            detail,
        } = scale;
        // Along one axis, and along two.
        let products = [
            approximation * approximation,
            approximation * detail,
            detail * detail,
        ];
        for factor in [approximation, detail].into_iter().chain(products) {
            if !(factor as f32).is_normal() || !((1.0 / factor) as f32).is_normal() {
                return refuse(format!(
                    "scale {factor} (of one axis or of two) or its inverse is not a normal number as f32"
                ));
            }
        }
        wavelet.real = Some(Steps::Shared(steps.into()));
        wavelet.scale = scale;
        Ok(wavelet)
    }

    /// Makes a wavelet of your own for integer samples (`i16`, `i32`), whose forward
    /// transform runs `steps` in order.
    ///
    /// Before each forward level all samples are shifted left by `pre_shift` bits (0 for none);
    /// after each inverse level they are shifted back and rounded. With a pre-shift, round trips
    /// are exact only within the headroom that `Transform::headroom` states. Boundary rule and axis
    /// order are those of [`Wavelet::real`].
    ///
    /// # Errors
    /// [`Error::Wavelet`] for a name, a number of steps or taps, or a reach that [`Wavelet::real`]
    /// refuses; for a step that shifts by more than 31 bits; and for a `pre_shift` over 8.
    pub fn integer(name: &str, steps: &[IntegerStep], pre_shift: u32) -> Result<Self> {
        Self::unfinished(name)?.with_integer_steps(steps, pre_shift)
    }

    /// Returns this wavelet with `steps`, in forward order, as its steps for integer samples,
    /// and with `pre_shift` as its pre-shift (see [`Wavelet::integer`]). Its steps for real
    /// samples stay as they are.
    ///
    /// # Errors
    /// [`Error::Wavelet`] for steps or a pre-shift that [`Wavelet::integer`] refuses.
    pub fn with_integer_steps(mut self, steps: &[IntegerStep], pre_shift: u32) -> Result<Self> {
        check_stencils(self.name(), &stencils(steps, IntegerStep::stencil))?;
        if let Some(step) = steps.iter().find(|step| step.shift() > 31) {
            return Err(refused(
                self.name(),
                format!(
                    "a step shifts by {} bits, but at most 31 are allowed",
                    step.shift()
                ),
            ));
        }
        if pre_shift > 8 {
            return Err(refused(
                self.name(),
                format!("pre-shift {pre_shift} is over 8 bits"),
            ));
        }
        self.integer = Some(Steps::Shared(steps.into()));
        self.pre_shift = pre_shift;
        Ok(self)
    }

    /// Returns this wavelet with another boundary rule, which transforms use
    /// unless they are given one.
    pub const fn with_boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// Returns this wavelet with another order of the axes within a level.
    pub const fn with_axis_order(mut self, axis_order: AxisOrder) -> Self {
        self.axis_order = axis_order;
        self
    }

    /// A wavelet without steps, for the constructors to complete.
    fn unfinished(name: &str) -> Result<Self> {
        let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_';
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(plain) {
            return Err(refused(
                name,
                format!("a name is 1 to {MAX_NAME} lower-case letters, digits, `-` and `_`"),
            ));
        }
        Ok(Wavelet {
            name: stored(name),
            real: None,
            scale: Scale::NONE,
            integer: None,
            pre_shift: 0,
            boundary: Boundary::Symmetric,
            axis_order: AxisOrder::OutermostFirst,
        })
    }

    /// Returns the name of the wavelet. For wavelets of [`Wavelet::ALL`], [`FromStr`] reads it.
    pub fn name(&self) -> &str {
        let end = self.name.iter().position(|&b| b == 0).unwrap_or(MAX_NAME);
        std::str::from_utf8(&self.name[..end]).expect("names are checked to be ASCII")
    }

    /// Returns the steps for real samples, in forward order, or `None` if the
    /// wavelet is for integers only.
    pub fn real_steps(&self) -> Option<&[RealStep]> {
        self.real.as_deref()
    }

    /// Returns the steps for integer samples, in forward order, or `None` if the wavelet
    /// is for real samples only.
    pub fn integer_steps(&self) -> Option<&[IntegerStep]> {
        self.integer.as_deref()
    }

    /// Returns the factors that scale real samples after the forward steps.
    /// Integers are never scaled.
    pub const fn scale(&self) -> Scale {
        self.scale
    }

    /// Returns by how many bits integer samples are shifted left before each forward level.
    ///
    /// The bits that the shift pushes out are lost, so that round trips are exact only for samples
    /// that leave some headroom in their type. `Transform::headroom` says how much.
    pub const fn pre_shift(&self) -> u32 {
        self.pre_shift
    }

    /// Returns the boundary rule of the wavelet's standard, which transforms use
    /// unless they are given one.
    pub const fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Returns the order of the axes within a forward level.
    pub const fn axis_order(&self) -> AxisOrder {
        self.axis_order
    }
}

/// A name as wavelets store it.
const fn stored(name: &str) -> [u8; MAX_NAME] {
    let mut bytes = [0; MAX_NAME];
    let mut i = 0;
    while i < name.len() {
        bytes[i] = name.as_bytes()[i];
        i += 1;
    }
    bytes
}

impl fmt::Display for Wavelet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Wavelet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wavelet({self})")
    }
}

impl FromStr for Wavelet {
    type Err = Error;

    /// Finds a wavelet of [`Wavelet::ALL`] by its name.
    fn from_str(word: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|wavelet| wavelet.name() == word);
        found.cloned().ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(Wavelet::name).collect();
            Error::unknown("wavelet", &known, word)
        })
    }
}

#[cfg(test)]
mod tests;
