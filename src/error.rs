//! Everything that can go wrong, said with what was wanted and what was found.

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong. Every variant names what was wanted and what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no OpenCL on this machine: no loader library, or a loader without a driver.
    #[error(
        "no OpenCL runtime was found ({found}); install a driver for your device, or for any CPU \
         PoCL: `apt-get install pocl-opencl-icd ocl-icd-libopencl1`"
    )]
    NoRuntime {
        /// What the search ended with.
        found: String,
    },

    /// There is OpenCL, but no device that matches the request.
    #[error("no OpenCL device matches {wanted}; seen: {}", listed(.seen))]
    NoDevice {
        /// The request, in words.
        wanted: String,
        /// The devices that are there, one line each.
        seen: Vec<String>,
    },

    /// A shape, an axis list or a level count that no transform can have.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// Which part of the request.
        what: &'static str,
        /// What would be accepted.
        expected: String,
        /// What was given.
        got: String,
    },

    /// A slice or an array that does not hold as many samples as the transform needs.
    #[error("{what} has {got} samples, expected {expected}")]
    Length {
        /// Which argument.
        what: &'static str,
        /// Samples that the transform needs.
        expected: usize,
        /// Samples that it has.
        got: usize,
    },

    /// A wavelet that was refused by its constructor.
    #[error("wavelet `{name}`: {why}")]
    Wavelet {
        /// The name of the refused wavelet.
        name: String,
        /// The rule that it breaks.
        why: String,
    },

    /// A word that is not in the list it was looked up in.
    #[error("unknown {what} `{got}`, expected {expected}")]
    Unknown {
        /// What was looked up.
        what: &'static str,
        /// The known words.
        expected: String,
        /// The word given.
        got: String,
    },

    /// A well-formed request that this wavelet, sample type, strategy or device can not carry out.
    #[error("{what} is not supported: {why}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Why it can not be had.
        why: String,
    },

    /// A line of a tuning file, or the file, that can not be read.
    #[error("tuning `{line}`: {why}")]
    Tuning {
        /// The line, or the file's name.
        line: String,
        /// What is wrong with it.
        why: String,
    },

    /// More device memory than there is, or one array larger than the device allows.
    #[error("{what} needs {needed} bytes on {device}, which allows {limit}")]
    Memory {
        /// What the memory is for.
        what: String,
        /// The device.
        device: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes that the device has or allows.
        limit: u64,
    },

    /// A kernel that the device's compiler refused.
    #[error("kernels do not build on {device}:\n{log}")]
    Build {
        /// The device.
        device: String,
        /// The compiler's own log.
        log: String,
    },

    /// An array or a plan of one engine handed to another.
    #[error("{what} belongs to another engine")]
    ForeignArray {
        /// Which argument.
        what: &'static str,
    },

    /// An OpenCL call that failed.
    #[error("{call} failed: {name} ({code})")]
    OpenCl {
        /// The call.
        call: &'static str,
        /// The name of the error code.
        name: String,
        /// The error code.
        code: i32,
    },
}

impl Error {
    pub(crate) fn unknown(what: &'static str, known: &[&str], got: &str) -> Self {
        Error::Unknown {
            what,
            expected: format!("one of {}", known.join(", ")),
            got: got.to_owned(),
        }
    }
}

fn listed(seen: &[String]) -> String {
    if seen.is_empty() {
        "none".to_owned()
    } else {
        seen.join("; ")
    }
}
