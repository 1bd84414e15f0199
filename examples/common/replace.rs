//! Writing a file so that a failure leaves what was there before.

use super::cli::{Result, about};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A file that is written, but does not have its name yet. Dropping it removes it.
pub struct Written<'a> {
    path: &'a Path,
    beside: NamedTempFile<File>,
}

/// Writes to a new file beside `path`.
pub fn beside(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<()>,
) -> Result<Written<'_>> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Opened here, so that it gets the permissions of any other new file.
    let beside = tempfile::Builder::new()
        .prefix(".wavelift-")
        .make_in(folder, |name| File::create_new(name))
        .map_err(about(path))?;
    let mut file = BufWriter::new(beside.as_file());
    write(&mut file).map_err(about(path))?;
    file.flush().map_err(about(path))?;
    drop(file);
    Ok(Written { path, beside })
}

impl Written<'_> {
    /// Gives it its name, in place of what had it before.
    pub fn rename(self) -> Result<()> {
        let renamed = self.beside.persist(self.path);
        renamed.map_err(|failed| about(self.path)(failed.error))?;
        Ok(())
    }
}
