//! Samples in files, larger than the memory of any machine: read and written at
//! positions, never mapped.
//!
//! A file that shrinks while it is mapped ends the program, and a full disk does,
//! too; here both are errors.

use crate::error::{Error, Result};
use crate::transform::zeroed;
use crate::wavelet::Sample;
use bytemuck::{cast_slice, cast_slice_mut};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf, is_separator};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// Samples that stand in an open file from some byte on, in the machine's byte order.
pub(super) struct Samples<T> {
    file: File,
    /// As the caller named it, for errors.
    path: PathBuf,
    first: u64,
    len: usize,
    /// Held alone where samples that stand apart are written, because those between are
    /// read and written again; together by all that write samples one after the other,
    /// which may be those between.
    between: RwLock<()>,
    sample: PhantomData<T>,
}

impl<T: Sample> Samples<T> {
    fn new(file: File, path: PathBuf, first: u64, len: usize) -> Self {
        Samples {
            file,
            path,
            first,
            len,
            between: RwLock::default(),
            sample: PhantomData,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The byte at which a sample stands; the last one's end was checked.
    fn byte(&self, at: usize) -> u64 {
        self.first + at as u64 * size_of::<T>() as u64
    }

    fn about(&self, at: usize, samples: usize) -> impl Fn(io::Error) -> Error {
        let (bytes, byte) = (samples * size_of::<T>(), self.byte(at));
        move |error| {
            let why = format!("{error}, of {bytes} bytes from byte {byte} on");
            Error::file(&self.path, io::Error::new(error.kind(), why))
        }
    }

    /// Reads samples that stand `apart`.
    pub fn read(&self, (at, apart): (usize, usize), samples: &mut [T]) -> Result<()> {
        if apart == 1 {
            return self.get(at, samples);
        }
        let span = self.span(at, apart, samples.len())?;
        let found = span.iter().step_by(apart);
        samples
            .iter_mut()
            .zip(found)
            .for_each(|(to, from)| *to = *from);
        Ok(())
    }

    /// Writes samples that stand `apart`; what stands between stays as it
    /// is, or as others write it.
    pub fn write(&self, (at, apart): (usize, usize), samples: &[T]) -> Result<()> {
        if apart == 1 {
            let _between = self.between.read().unwrap_or_else(PoisonError::into_inner);
            return self.put(at, samples);
        }
        let _alone = self.between.write().unwrap_or_else(PoisonError::into_inner);
        let mut span = self.span(at, apart, samples.len())?;
        let places = span.iter_mut().step_by(apart);
        places.zip(samples).for_each(|(to, from)| *to = *from);
        self.put(at, &span)
    }

    fn get(&self, at: usize, samples: &mut [T]) -> Result<()> {
        let about = self.about(at, samples.len());
        read_at(&self.file, cast_slice_mut(samples), self.byte(at)).map_err(about)
    }

    fn put(&self, at: usize, samples: &[T]) -> Result<()> {
        let about = self.about(at, samples.len());
        write_at(&self.file, cast_slice(samples), self.byte(at)).map_err(about)
    }

    /// All samples from the first to the last of so many.
    fn span(&self, at: usize, apart: usize, count: usize) -> Result<Vec<T>> {
        let mut span = zeroed("samples of a file", count.saturating_sub(1) * apart + 1)?;
        self.get(at, &mut span)?;
        Ok(span)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(done) => (bytes, at) = (&mut bytes[done..], at + done as u64),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(done) => (bytes, at) = (&bytes[done..], at + done as u64),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The bytes of a file with so many samples behind so many other bytes.
fn bytes_of<T>(path: &Path, first: u64, len: usize) -> Result<u64> {
    let samples = (len as u64).checked_mul(size_of::<T>() as u64);
    let all = samples.and_then(|samples| samples.checked_add(first));
    all.filter(|&all| i64::try_from(all).is_ok())
        .ok_or_else(|| {
            let why = format!("{len} samples behind {first} bytes are larger than any file");
            Error::file(path, io::Error::new(ErrorKind::InvalidData, why))
        })
}

/// Samples in an existing file, to be read by a [`TiledPlan`](super::TiledPlan): as they are in
/// memory, in row-major order, behind a header of any length, or behind other samples.
///
/// The file is read at positions as it is needed and is never in memory as a whole.
pub struct SourceFile<T: Sample>(pub(super) Samples<T>);

impl<T: Sample> SourceFile<T> {
    /// Opens a file that has `len` samples from the byte `first` on, and nothing behind them.
    ///
    /// # Errors
    /// [`Error::File`] for a file that cannot be opened, that is no regular one, or
    /// that is of another length.
    pub fn open(path: impl AsRef<Path>, first: u64, len: usize) -> Result<Self> {
        Self::opened(path.as_ref(), first, len, true)
    }

    /// Opens a file that has `len` samples from the byte `first` on, whatever follows them: a frame
    /// of a raw video, or a plane of a volume.
    ///
    /// # Errors
    /// [`Error::File`] for a file that cannot be opened, that is no regular one, or that is
    /// shorter.
    pub fn open_part(path: impl AsRef<Path>, first: u64, len: usize) -> Result<Self> {
        Self::opened(path.as_ref(), first, len, false)
    }

    fn opened(path: &Path, first: u64, len: usize, to_its_end: bool) -> Result<Self> {
        let about = |error| Error::file(path, error);
        let wanted = bytes_of::<T>(path, first, len)?;
        // Before it is opened: a pipe would wait for a writer.
        let metadata = std::fs::metadata(path).map_err(about)?;
        let refuse = |why: String| Err(about(io::Error::new(ErrorKind::InvalidData, why)));
        if !metadata.is_file() {
            return refuse("is not a regular file".to_owned());
        }
        let found = metadata.len();
        if found < wanted || to_its_end && found > wanted {
            return refuse(format!(
                "has {found} bytes, but {len} samples behind {first} bytes take {wanted}"
            ));
        }
        let file = File::open(path).map_err(about)?;
        Ok(SourceFile(Samples::new(file, path.to_owned(), first, len)))
    }
}

/// Samples in a new file, to be written by a [`TiledPlan`](super::TiledPlan).
///
/// They are written to a file of another name in the same folder, for which all of the space is
/// reserved at once where the system can. [`finish`](Self::finish) gives it its name, in place of a
/// file that has this name already, which may be the one that the samples were read from; a link of
/// this name is replaced itself, not what it leads to. Dropping a `SinkFile` removes the file, and
/// leaves the other one as it was. A program that is killed leaves the unfinished file, whose name
/// begins with `.wavelift-`, and nothing removes it.
pub struct SinkFile<T: Sample> {
    pub(super) samples: Samples<T>,
    /// What the file is to be named, and what it is named until then, whatever the
    /// working directory becomes.
    target: PathBuf,
    temporary: PathBuf,
    /// Whether a transform has begun to write it and has not succeeded.
    pub(super) is_torn: bool,
    is_finished: bool,
}

impl<T: Sample> SinkFile<T> {
    /// Makes a file that is to be named `target`, with a header and `len` samples, all zero.
    ///
    /// # Errors
    /// [`Error::File`], also where the disk does not have the space, and where something that is no
    /// regular file has this name.
    pub fn create(target: impl AsRef<Path>, header: &[u8], len: usize) -> Result<Self> {
        let named = target.as_ref();
        let about = |error| Error::file(named, error);
        let first = header.len() as u64;
        let bytes = bytes_of::<T>(named, first, len)?;
        let target = std::path::absolute(named).map_err(about)?;
        // Else these would be found out at the very end: that the target is no regular file, and that
        // the system takes no such name.
        let last = named.as_os_str().as_encoded_bytes().last();
        let is_folder = last.is_some_and(|&last| is_separator(last.into()));
        let is_other = match std::fs::metadata(&target) {
            Ok(found) => !found.is_file(),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(about(error)),
        };
        if is_folder || is_other {
            let why = "is not a regular file";
            return Err(about(io::Error::new(ErrorKind::InvalidData, why)));
        }
        let (file, temporary) = create_beside(&target).map_err(about)?;
        // From now on it is removed where anything fails.
        let sink = SinkFile {
            samples: Samples::new(file, named.to_owned(), first, len),
            target,
            temporary,
            is_torn: false,
            is_finished: false,
        };
        let mut file = &sink.samples.file;
        let written = file.write_all(header).and_then(|()| reserve(file, bytes));
        written.map_err(about)?;
        Ok(sink)
    }

    /// A file in the same folder for what is needed until this one is complete.
    pub(super) fn another(&self, len: usize) -> Result<Self> {
        SinkFile::create(&self.target, &[], len)
    }

    /// Waits until all that was written is on the disk, gives the file its name, and on Unix waits
    /// until that is on the disk as well, or logs a warning where the system cannot. Some disks say
    /// only now that they are full or that they failed, and the file in whose place this one comes
    /// may be the only copy of the samples.
    ///
    /// # Errors
    /// [`Error::File`], also where the last transform into it failed or was cancelled; the file is
    /// removed then, and the other one stays as it was.
    pub fn finish(mut self) -> Result<()> {
        if self.is_torn {
            let why = "has part of its samples: the transform into it failed or was cancelled";
            let error = io::Error::new(ErrorKind::InvalidData, why);
            return Err(Error::file(&self.samples.path, error));
        }
        let written = self.samples.file.sync_data();
        let renamed = written.and_then(|()| std::fs::rename(&self.temporary, &self.target));
        renamed.map_err(|error| Error::file(&self.samples.path, error))?;
        self.is_finished = true;
        if let Err(error) = sync_folder_of(&self.target) {
            let path = self.target.display();
            log::warn!("{path} may lose its name where the machine stops: {error}");
        }
        Ok(())
    }
}

impl<T: Sample> Drop for SinkFile<T> {
    fn drop(&mut self) {
        if !self.is_finished
            && let Err(error) = std::fs::remove_file(&self.temporary)
        {
            log::warn!("{} is left: {error}", self.temporary.display());
        }
    }
}

impl<T: Sample> fmt::Debug for SourceFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, len) = (self.0.path.display(), self.0.len);
        write!(f, "SourceFile<{}>({path}, {len})", T::TYPE)
    }
}

impl<T: Sample> fmt::Debug for SinkFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, len) = (self.samples.path.display(), self.samples.len);
        write!(f, "SinkFile<{}>({path}, {len})", T::TYPE)
    }
}

/// Creates a file in the folder of another one, under a name that no file has, with the
/// permissions of any new file.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    loop {
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = target.with_file_name(format!(".wavelift-{process}-{number}"));
        match options.open(&path) {
            Ok(file) => return Ok((file, path)),
            // Of a process of the same number that was ended.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Has the names of files in the folder of one written to the disk. Elsewhere than on
/// Unix folders are not opened.
fn sync_folder_of(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Has the system set so many bytes aside, where it can, so that no write finds the disk full.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    {
        use std::ffi::c_int;
        use std::os::fd::AsRawFd;
        const ENOSPC: c_int = 28;
        const EFBIG: c_int = 27;
        const EDQUOT: c_int = 122;
        unsafe extern "C" {
            fn posix_fallocate(file: c_int, first: i64, bytes: i64) -> c_int;
        }
        // SAFETY: the file is open, and none of the memory is touched.
        let error = unsafe { posix_fallocate(file.as_raw_fd(), 0, bytes.max(1) as i64) };
        if [ENOSPC, EFBIG, EDQUOT].contains(&error) {
            return Err(io::Error::from_raw_os_error(error));
        }
    }
    file.set_len(bytes)
}
