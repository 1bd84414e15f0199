//! The crate's error type. Every error says what was wanted and what was found.

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong. Every variant names what was wanted and what was found.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This machine has no OpenCL: the loader library is missing, or it finds no driver.
    #[error(
        "no OpenCL runtime was found ({found}); install a driver for your device, or for any CPU \
         PoCL: `apt-get install pocl-opencl-icd ocl-icd-libopencl1`"
    )]
    #[non_exhaustive]
    NoRuntime {
        /// How the search for a runtime ended.
        found: String,
    },

    /// OpenCL is available, but no device matches the request.
    #[error("no OpenCL device matches {wanted}; seen: {}", listed(.seen))]
    #[non_exhaustive]
    NoDevice {
        /// The request, in words.
        wanted: String,
        /// The existing devices, one line each.
        seen: Vec<String>,
    },

    /// A request whose shape does not fit. It is one of these:
    ///
    /// - a shape, a list of axes or a number of levels that no transform can have;
    /// - a region, strides or a part of a view that no array can have, that goes past the end of
    ///   the array or view at hand, or that the plan was not made for;
    /// - a sub-band that the coefficients do not have, or coefficients of another
    ///   transform than the plan's;
    /// - engines that cannot form a group, or shares that do not suit the engines of one.
    #[error("{what}: expected {expected}, got {got}")]
    #[non_exhaustive]
    Shape {
        /// The refused part of the request.
        what: &'static str,
        /// The values that would be accepted.
        expected: String,
        /// The value that was given.
        got: String,
    },

    /// A slice or an array of the wrong length.
    #[error("{what} has {}, expected {expected}", samples(*.got))]
    #[non_exhaustive]
    Length {
        /// The argument that has the wrong length.
        what: &'static str,
        /// How many samples it should have.
        expected: usize,
        /// How many samples it has.
        got: usize,
    },

    /// A sample outside the range in which a transform restores all samples, where its
    /// wavelet has a pre-shift.
    #[error("sample {value} at {place:?} is not within {least}..={most}, the samples that {what}")]
    #[non_exhaustive]
    Range {
        /// Which wavelet restores the samples of the range, in words.
        what: String,
        /// The sample.
        value: i64,
        /// Its place along each axis.
        place: Vec<usize>,
        /// The smallest sample of the range.
        least: i64,
        /// The largest sample of the range.
        most: i64,
    },

    /// A wavelet that its constructor refused.
    #[error("wavelet `{name}`: {why}")]
    #[non_exhaustive]
    Wavelet {
        /// The name of the refused wavelet.
        name: String,
        /// The rule that it breaks.
        why: String,
    },

    /// A name or text that cannot be read as what it should name.
    #[error("unknown {what} `{got}`, expected {expected}")]
    #[non_exhaustive]
    Unknown {
        /// The kind of thing that the text should name.
        what: &'static str,
        /// The names or forms that are understood.
        expected: String,
        /// The text that was given.
        got: String,
    },

    /// A well-formed request that this wavelet, sample type, strategy or device cannot carry out.
    #[error("{what} is not supported: {why}")]
    #[non_exhaustive]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Why it is not supported.
        why: String,
    },

    /// A tuning file, or a line of tuning, that cannot be read.
    #[error("tuning `{line}`: {why}")]
    #[non_exhaustive]
    Tuning {
        /// The line, or the name of the file.
        line: String,
        /// What is wrong with the line or the file.
        why: String,
    },

    /// A request for more memory than the device has left for the engine, or for a
    /// larger array than it allows.
    #[error("{what} needs {} on {device}, which allows {}", bytes(*.needed), allowed(*.limit, *.used))]
    #[non_exhaustive]
    Memory {
        /// What needs the memory.
        what: String,
        /// The device.
        device: String,
        /// How many bytes are needed.
        needed: u64,
        /// How many bytes the device has in all, or allows an array.
        limit: u64,
        /// How many bytes of the limit the engine's arrays take already, where the limit is for all
        /// of them together; `None` where the limit is for each array.
        used: Option<u64>,
    },

    /// A request for more memory than the host has left.
    #[error("the host has too little memory for {what}, which needs {}", bytes(*.needed))]
    #[non_exhaustive]
    HostMemory {
        /// What needs the memory.
        what: &'static str,
        /// How many bytes are needed.
        needed: u64,
    },

    /// A kernel that the device's compiler rejected. If the environment variable `WAVELIFT_DUMP`
    /// names a folder, the program is written to a file there.
    #[error("kernels do not build on {device}:\n{log}")]
    #[non_exhaustive]
    Build {
        /// The device.
        device: String,
        /// The compiler's log.
        log: String,
        /// The OpenCL C program, which `Display` leaves out.
        program: String,
    },

    /// An array that belongs to an engine of another OpenCL context than
    /// the one that should use it.
    #[error("{what} belongs to another engine, of another OpenCL context")]
    #[non_exhaustive]
    ForeignArray {
        /// The argument that belongs there.
        what: &'static str,
    },

    /// An OpenCL handle of the caller's that cannot be used for this: null, of another
    /// kind, or of another context.
    #[error("{what}: expected {expected}, got {got}")]
    #[non_exhaustive]
    Handle {
        /// The handle's part.
        what: &'static str,
        /// What would be accepted.
        expected: String,
        /// What it is.
        got: String,
    },

    /// An array or a view whose first sample is not at a multiple of as many bytes as its samples
    /// need, or the vectors that the plan's kernels load.
    #[error(
        "{what} starts at a multiple of {found} bytes only, but must start at a multiple of {needed}"
    )]
    #[non_exhaustive]
    Misaligned {
        /// The argument that starts there.
        what: &'static str,
        /// The bytes of which its start must be a multiple.
        needed: usize,
        /// The largest power of two of which its start is a multiple.
        found: usize,
    },

    /// Two arrays or views of which one is written and which share memory, or for which this
    /// is too hard to rule out.
    #[error("{one} and {other} overlap")]
    #[non_exhaustive]
    Overlap {
        /// One of the two.
        one: &'static str,
        /// The other one.
        other: &'static str,
    },

    /// A file that cannot be opened, read, written or renamed, or that is not
    /// as long as it should be.
    #[error("{path}: {why}")]
    #[non_exhaustive]
    File {
        /// The file.
        path: String,
        /// What kind of error the system reported;
        /// [`std::io::ErrorKind::InvalidData`] for a wrong length.
        kind: std::io::ErrorKind,
        /// What went wrong, in words.
        why: String,
    },

    /// Work that the caller's own callback stopped.
    #[error("{what} was cancelled")]
    #[non_exhaustive]
    Cancelled {
        /// What was stopped.
        what: &'static str,
    },

    /// A request for which there is no place left until an earlier one is done with.
    #[error("{what} is busy: {most} at a time")]
    #[non_exhaustive]
    Busy {
        /// What has no place left.
        what: &'static str,
        /// How many places there are.
        most: usize,
    },

    /// A thread of the host's that work needs and that is not to be had, or that panicked in it.
    #[error("{what} failed on the host: {why}")]
    #[non_exhaustive]
    Thread {
        /// What needs the thread.
        what: &'static str,
        /// What became of it.
        why: String,
    },

    /// An OpenCL call that failed.
    #[error("{call} failed: {name} ({code})")]
    #[non_exhaustive]
    OpenCl {
        /// The name of the OpenCL function.
        call: &'static str,
        /// The name of the error code, such as `CL_OUT_OF_RESOURCES`.
        name: String,
        /// The numeric error code.
        code: i32,
    },
}

impl std::fmt::Debug for Error {
    /// As `Display`, so that `unwrap` and a `main` that returns the error say what was wanted
    /// and what was found, too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    pub(crate) fn file(path: &std::path::Path, error: std::io::Error) -> Self {
        Error::File {
            path: path.display().to_string(),
            kind: error.kind(),
            why: error.to_string(),
        }
    }

    /// Whether another device might do what one has failed at: its own memory or
    /// driver may be the reason.
    pub(crate) fn is_of_device(&self) -> bool {
        !matches!(
            self,
            Error::File { .. }
                | Error::HostMemory { .. }
                | Error::Thread { .. }
                | Error::Cancelled { .. }
        )
    }

    pub(crate) fn unknown(what: &'static str, known: &[&str], got: &str) -> Self {
        Error::Unknown {
            what,
            expected: format!("one of {}", known.join(", ")),
            got: got.to_owned(),
        }
    }
}

/// Checks the length of a slice or an array, which `what` names.
pub(crate) fn check_length(what: &'static str, got: usize, expected: usize) -> Result<()> {
    match got == expected {
        true => Ok(()),
        false => Err(Error::Length {
            what,
            expected,
            got,
        }),
    }
}

fn samples(count: usize) -> String {
    match count {
        1 => "1 sample".to_owned(),
        count => format!("{count} samples"),
    }
}

/// So many bytes; where they were too many to count, that.
fn bytes(count: u64) -> String {
    match count {
        u64::MAX => "more bytes than can be addressed".to_owned(),
        count => format!("{count} bytes"),
    }
}

fn allowed(limit: u64, used: Option<u64>) -> String {
    match used {
        None => format!("{limit} per array"),
        Some(0) => format!("{limit} in all"),
        Some(used) => format!("{limit} in all, of which {used} are in use"),
    }
}

fn listed(seen: &[String]) -> String {
    if seen.is_empty() {
        "none".to_owned()
    } else {
        seen.join("; ")
    }
}
