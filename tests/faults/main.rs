//! What OpenCL does badly, by the layer of tests/layer: calls that fail, lost devices, commands
//! that fail, programs that do not build. Errors are clear, no release panics, nothing waits for
//! ever, and every object is given back.

#[path = "../common/mod.rs"]
mod common;
mod counts;
mod failures;
#[allow(dead_code, reason = "other tests use the rest of this")]
#[path = "../interop/foreign.rs"]
mod foreign;
mod group;
#[path = "../layer/mod.rs"]
mod layer;
mod paths;
mod pinned;
mod threads;

use layer::Case;
use wavelift::{Engine, Error, Plan, Region};

impl Case {
    /// All kinds of calls of the library, the results of which are right where there is no error.
    fn work(&self, engine: &Engine, plan: &mut Option<Plan<i32>>) -> Result<(), Error> {
        let plan = match plan {
            Some(plan) => plan,
            None => plan.insert(self.plan(engine)?),
        };
        let len = self.transform.len();
        let x = engine.upload(&self.samples)?;
        let (mut y, mut z) = (engine.zeros(len)?, engine.zeros(len)?);
        let run = plan.enqueue_forward(&x, &mut y)?;
        run.wait()?;
        match run.device_time() {
            Err(Error::Unsupported { .. }) => {} // An engine that records no times.
            time => drop(time?),
        }
        assert!(run.is_done()?);
        assert_eq!(y.download()?, self.expected);
        // Nobody asks how this run ended.
        plan.enqueue_inverse(&y, &mut z)?;
        assert_eq!(z.download()?, self.samples);
        let column = Region::dense([5, 6]).part(&[0..5, 2..3])?;
        let rows = self.samples.chunks(6).map(|row| row[2]);
        assert_eq!(z.view(&column)?.download()?, rows.collect::<Vec<_>>());
        assert_eq!(plan.forward(&self.samples)?.as_slice(), self.expected);
        // Through another queue, which waits for this one.
        let run = engine.another()?.enqueue_copy(&y, &mut z)?;
        assert_eq!(z.download()?, self.expected);
        run.wait()?;
        engine.finish()
    }
}

/// Whether an error names the OpenCL call that failed, or says that there is no device.
fn is_clear(error: &Error) -> bool {
    match error {
        Error::OpenCl { call, name, .. } => !call.is_empty() && name.starts_with("CL_"),
        Error::NoRuntime { .. } | Error::NoDevice { .. } => true,
        _ => false,
    }
}
