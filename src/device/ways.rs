//! The ways in which the work-items of a device may exchange values, and which of them the user
//! asks for; how its work-groups may see what others have stored.

use super::{DeviceInfo, Exchange, Fence};
use crate::error::{Error, Result};

/// The environment variable that chooses a way.
pub(crate) const VARIABLE: &str = "WAVELIFT_EXCHANGE";

/// A kind of exchange, among sub-groups of so many work-items.
pub(crate) type Way = (Exchange, usize);

/// Without exchange.
pub(super) const NO_WAY: Way = (Exchange::None, 1);

/// The sizes of sub-groups that are tried, the best first. On Intel's graphics processors kernels
/// of 16 have twice the registers of kernels of 32.
const SIZES: [usize; 4] = [16, 32, 8, 64];

/// The ways that a device lists, the best first. It is the probe that says which of them are true.
pub(super) fn ways_of(info: &DeviceInfo) -> Vec<Way> {
    // PoCL lists extensions whose functions it lacks, and takes up to seconds to say so.
    let standard = info.platform != "Portable Computing Language";
    let ways = [
        (Exchange::Ptx, info.platform == "NVIDIA CUDA"),
        (
            Exchange::Khr,
            standard && info.has_extension("cl_khr_subgroup_shuffle_relative"),
        ),
        (
            Exchange::Intel,
            standard && info.has_extension("cl_intel_subgroups"),
        ),
        (
            Exchange::Amd,
            info.platform == "AMD Accelerated Parallel Processing",
        ),
    ];
    let ways = ways.into_iter().filter(|(_, offered)| *offered);
    let ways = ways.flat_map(|(way, _)| sizes(way, info).into_iter().map(move |size| (way, size)));
    ways.chain([NO_WAY]).collect()
}

fn sizes(way: Exchange, info: &DeviceInfo) -> Vec<usize> {
    let offered =
        |size: &usize| info.sub_group_sizes.is_empty() || info.sub_group_sizes.contains(size);
    match way {
        Exchange::None => vec![1],
        Exchange::Ptx | Exchange::Amd => vec![32],
        Exchange::Khr | Exchange::Intel => SIZES.into_iter().filter(offered).collect(),
    }
}

/// Of the atomic capabilities of OpenCL 3.0: the order of fences, and the scope of all work-groups.
const ACQUIRE_AND_RELEASE: u64 = 1 << 1;
const SCOPE_OF_DEVICE: u64 = 1 << 5;

/// The fence that a device lists, by its version (`OpenCL 3.0 ...`) and, from 3.0 on, its
/// atomic capabilities: what 2.0 asked of all devices, 3.0 does not. It is a probe that
/// says whether it is true.
pub(super) fn atomics_of(version: &str, capabilities: u64) -> Fence {
    let needed = ACQUIRE_AND_RELEASE | SCOPE_OF_DEVICE;
    match version.strip_prefix("OpenCL ").unwrap_or_default() {
        version if version.starts_with("2.") => Fence::Cl20,
        version if version.starts_with("3.") && capabilities & needed == needed => Fence::Cl30,
        _ => Fence::None,
    }
}

/// Those of a device's ways that the user asks for, by words like `khr`, `khr:32` or `none`.
///
/// # Errors
/// [`Error::Unknown`] for other words; [`Error::Unsupported`] if there is none.
pub(crate) fn asked_for(words: &str, ways: &[Way], info: &DeviceInfo) -> Result<Vec<Way>> {
    let (name, size) = match words.split_once(':') {
        None => (words, None),
        Some((name, size)) => match size.parse::<usize>() {
            Ok(size) => (name, Some(size)),
            Err(_) => {
                return Err(Error::Unknown {
                    what: VARIABLE,
                    expected: "a kind of exchange, and the size of a sub-group: `khr:16`"
                        .to_owned(),
                    got: words.to_owned(),
                });
            }
        },
    };
    let exchange: Exchange = name.parse()?;
    let is_asked_for = |way: &&Way| way.0 == exchange && size.is_none_or(|size| way.1 == size);
    let asked: Vec<Way> = ways.iter().filter(is_asked_for).copied().collect();
    if asked.is_empty() {
        return Err(Error::Unsupported {
            what: format!("exchange by {words}, which {VARIABLE} asks for,"),
            why: format!("{info} offers {}", listed(ways)),
        });
    }
    Ok(asked)
}

/// `khr among 16, none`.
pub(crate) fn listed(ways: &[Way]) -> String {
    let words: Vec<String> = ways.iter().map(|&way| described(way)).collect();
    words.join(", ")
}

/// `khr among 16`, or `none`.
pub(crate) fn described((exchange, lanes): Way) -> String {
    match exchange {
        Exchange::None => exchange.to_string(),
        _ => format!("{exchange} among {lanes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(platform: &str, extensions: &str, sizes: &[usize]) -> DeviceInfo {
        DeviceInfo {
            platform: platform.into(),
            extensions: extensions.into(),
            sub_group_sizes: sizes.to_vec(),
            ..DeviceInfo::imaginary()
        }
    }

    #[test]
    fn ways_come_the_best_first_and_end_with_none() {
        let khr = "cl_khr_subgroups cl_khr_subgroup_shuffle_relative";
        let both = "cl_khr_subgroup_shuffle_relative cl_intel_subgroups";
        for (platform, extensions, sizes, expected) in [
            ("NVIDIA CUDA", "", &[][..], "ptx among 32, none"),
            (
                "AMD Accelerated Parallel Processing",
                "cl_khr_subgroups",
                &[],
                "amd among 32, none",
            ),
            ("Portable Computing Language", both, &[], "none"),
            (
                "Intel(R) OpenCL Graphics",
                both,
                &[8, 16],
                "khr among 16, khr among 8, intel among 16, intel among 8, none",
            ),
            // Where a size cannot be asked for, any may be it.
            (
                "ARM Platform",
                khr,
                &[],
                "khr among 16, khr among 32, khr among 8, khr among 64, none",
            ),
            ("Oclgrind", "cl_khr_fp64", &[], "none"),
        ] {
            assert_eq!(
                listed(&ways_of(&device(platform, extensions, sizes))),
                expected
            );
        }
    }

    #[test]
    fn fences_are_those_of_the_version() {
        for (version, capabilities, expected) in [
            ("OpenCL 1.2 (Oclgrind 21.10)", 0, Fence::None),
            ("OpenCL 2.0 AMD-APP (3305.0)", 0, Fence::Cl20),
            ("OpenCL 2.1 ", 0, Fence::Cl20),
            ("OpenCL 3.0 PoCL HSTR", 0x37, Fence::Cl30),
            // What OpenCL 3.0 asks of all devices.
            ("OpenCL 3.0 NEO", 0x11, Fence::None),
            ("OpenCL 3.0", 0x20, Fence::None),
            ("3.0", 0x37, Fence::None),
        ] {
            assert_eq!(atomics_of(version, capabilities), expected, "{version}");
        }
    }

    #[test]
    fn the_user_chooses_among_what_there_is() {
        let info = device("Intel", "cl_khr_subgroup_shuffle_relative", &[8, 16]);
        let ways = ways_of(&info);
        let asked = |words| asked_for(words, &ways, &info).map(|ways| listed(&ways));
        assert_eq!(asked("khr").unwrap(), "khr among 16, khr among 8");
        assert_eq!(asked("khr:8").unwrap(), "khr among 8");
        assert_eq!(asked("none").unwrap(), "none");
        for words in ["ptx", "khr:32", "amd"] {
            let error = asked(words).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("khr among 16, khr among 8, none"));
        }
        for words in ["khr:", "khr:x", "shuffle", ""] {
            assert!(
                matches!(asked(words), Err(Error::Unknown { .. })),
                "{words}"
            );
        }
    }
}
