//! Lists the files of cl/, so that the library has each kernel compiled in without naming it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=cl");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("cl");
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in files {
        let name = file.strip_prefix(&folder).unwrap();
        let name = name.to_str().unwrap().replace('\\', "/");
        list += &format!("({name:?}, include_str!({file:?})),\n");
    }
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::write(out.join("cl_files.rs"), list + "]\n")
}

/// All `.cl` files in a folder and those in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "cl") {
            files.push(path);
        }
    }
    Ok(())
}
