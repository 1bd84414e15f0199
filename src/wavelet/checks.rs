//! What steps of a wavelet must be like: as many, as long, and of such a reach as kernels
//! and plans can be made for.

use super::{MAX_REACH, MAX_STEPS, MAX_TAPS, Stencil};
use crate::error::{Error, Result};

pub(super) fn stencils<S>(steps: &[S], stencil: impl Fn(&S) -> Stencil) -> Vec<Stencil> {
    steps.iter().map(stencil).collect()
}

pub(super) fn check_stencils(name: &str, stencils: &[Stencil]) -> Result<()> {
    if stencils.is_empty() {
        return Err(refused(name, "it has no steps".to_owned()));
    }
    if stencils.len() > MAX_STEPS {
        let steps = stencils.len();
        return Err(refused(
            name,
            format!("it has {steps} steps, but at most {MAX_STEPS} are allowed"),
        ));
    }
    if let Some(stencil) = stencils.iter().find(|s| !(1..=MAX_TAPS).contains(&s.count)) {
        return Err(refused(
            name,
            format!(
                "a step has {} taps, but 1 to {MAX_TAPS} are allowed",
                stencil.count
            ),
        ));
    }
    let reach = |toward: fn(Stencil) -> i64| -> i64 {
        stencils.iter().map(|&stencil| toward(stencil).max(0)).sum()
    };
    let before = reach(|stencil| -i64::from(stencil.first));
    let after = reach(|stencil| i64::from(stencil.first) + stencil.count as i64 - 1);
    if before.max(after) > MAX_REACH as i64 {
        return Err(refused(
            name,
            format!(
                "its steps reach {before} pairs back and {after} ahead, but at most {MAX_REACH} are allowed"
            ),
        ));
    }
    Ok(())
}

pub(super) fn refused(name: &str, why: String) -> Error {
    Error::Wavelet {
        name: name.to_owned(),
        why,
    }
}
