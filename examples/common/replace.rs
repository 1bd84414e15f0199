//! Writing a file so that a failure leaves an existing file unchanged.

use super::cli::{Result, about};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A complete file under a temporary name. Dropping it removes it.
pub struct TemporaryFile<'a> {
    path: &'a Path,
    file: NamedTempFile<File>,
}

/// Writes to a new temporary file in the folder of `path`.
pub fn write_temporary(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<()>,
) -> Result<TemporaryFile<'_>> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Opened by `File` and not by `tempfile`, so that it gets the
    // permissions of any other new file.
    let temporary = tempfile::Builder::new()
        .prefix(".wavelift-")
        .make_in(folder, |name| File::create_new(name))
        .map_err(about(path))?;
    let mut file = BufWriter::new(temporary.as_file());
    write(&mut file).map_err(about(path))?;
    file.flush().map_err(about(path))?;
    drop(file);
    Ok(TemporaryFile {
        path,
        file: temporary,
    })
}

impl TemporaryFile<'_> {
    /// Renames the file to its final name, replacing an existing file.
    pub fn rename(self) -> Result<()> {
        let renamed = self.file.persist(self.path);
        renamed.map_err(|failed| about(self.path)(failed.error))?;
        Ok(())
    }
}
