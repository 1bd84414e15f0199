//! The OpenCL layer of tests/layer: built, put under a test, and told what is to fail.

use crate::common::{can_run, random_samples};
use std::ffi::{CStr, c_char};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::thread::sleep;
use std::time::{Duration, Instant};
use wavelift::{Device, Engine, Error, Plan, Strategy, Transform, Wavelet, reference};

/// The `struct layer` of tests/layer/layer.h, which explains the fields.
#[repr(C)]
pub struct Layer {
    pub call: AtomicI64,
    pub lost: AtomicI64,
    pub command: AtomicI64,
    pub device: AtomicUsize,
    pub spoil: AtomicI64,
    pub sharing: AtomicI64,
    pub cut: AtomicI64,
    pub calls: AtomicI64,
    pub commands: AtomicI64,
    created: [AtomicI64; 7],
    retained: [AtomicI64; 7],
    released: [AtomicI64; 7],
    broken: AtomicUsize,
    failed: AtomicPtr<c_char>,
    recorded: AtomicI64,
    record: [AtomicU8; 256],
}

#[allow(dead_code, reason = "each test file uses its own part of this")]
impl Layer {
    /// The layer under this process.
    fn here() -> Option<&'static Layer> {
        const LAYER_STATE: u32 = 0x57A7E;
        let platforms = cl3::platform::get_platform_ids().ok()?;
        let address = cl3::platform::get_platform_data(*platforms.first()?, LAYER_STATE).ok()?;
        let address = usize::from_ne_bytes(address.try_into().ok()?);
        // SAFETY: it is the address of such a struct, all of whose fields are atomic, in a
        // library that is never unloaded.
        unsafe { (address as *const Layer).as_ref() }
    }

    /// Lets nothing fail from now on, and counts calls and commands from zero.
    pub fn reset(&self) {
        let counters = [
            &self.call,
            &self.lost,
            &self.command,
            &self.spoil,
            &self.cut,
        ];
        for counter in counters
            .into_iter()
            .chain([&self.calls, &self.commands, &self.recorded])
        {
            counter.store(0, SeqCst);
        }
        self.device.store(0, SeqCst);
        self.broken.store(0, SeqCst);
        self.failed.store(null_mut(), SeqCst);
    }

    /// How often objects were created and retained, all kinds together.
    pub fn references(&self) -> i64 {
        let all = self.created.iter().chain(&self.retained);
        all.map(|count| count.load(SeqCst)).sum()
    }

    /// Checks that every object was given back as often as it was created and retained.
    #[track_caller]
    pub fn check_balance(&self, what: &str) {
        let kinds = [
            "devices", "contexts", "queues", "buffers", "programs", "kernels", "events",
        ];
        for (i, kind) in kinds.into_iter().enumerate() {
            let [created, retained, released] =
                [&self.created, &self.retained, &self.released].map(|all| all[i].load(SeqCst));
            assert_eq!(created + retained, released, "{what}: {kind}");
        }
    }

    /// The function whose call failed.
    pub fn failed(&self) -> Option<&'static str> {
        let name = NonNull::new(self.failed.load(SeqCst))?;
        // SAFETY: the layer's names are constants.
        unsafe { CStr::from_ptr(name.as_ptr()) }.to_str().ok()
    }

    /// What was enqueued, in this order, as letters.
    pub fn record(&self) -> String {
        let letters = self.record.iter().take(self.recorded.load(SeqCst) as usize);
        letters.map(|letter| letter.load(SeqCst) as char).collect()
    }
}

/// Builds the layer in a folder, where there are a compiler and OpenCL's headers.
fn build(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("layer.so");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layer");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o"])
        .arg(&library)
        .args(["layer.c", "sharing.c"].map(|file| sources.join(file)))
        .output();
    match output {
        Ok(output) if output.status.success() => Some(library),
        Ok(output) => {
            println!("{}", String::from_utf8_lossy(&output.stderr));
            None
        }
        Err(error) => {
            println!("cc: {error}");
            None
        }
    }
}

/// Runs `body`, the whole of the test of this name, in a process of its own with the layer under
/// it, which is killed where it takes longer than a time limit.
pub fn with_layer(
    test: &str,
    limit: Duration,
    variables: &[(&str, &str)],
    body: impl FnOnce(&'static Layer),
) {
    if std::env::var_os("OPENCL_LAYERS").is_some() {
        match Layer::here() {
            Some(layer) => body(layer),
            None => println!("this OpenCL loader has no layers"),
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let passed = build(folder.path()).map(|library| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture"]);
        command
            .current_dir(&folder)
            .env("OPENCL_LAYERS", library)
            .envs(variables.iter().copied());
        run(command, &folder.path().join("output"), limit)
    });
    let device = &Device::all().unwrap()[0];
    let has_layers = passed
        .as_ref()
        .is_some_and(|text| !text.contains("has no layers"));
    can_run(test, device, "layers", |_| has_layers);
}

/// Runs a test, which must pass in time, and returns what it prints.
fn run(mut command: Command, output: &Path, limit: Duration) -> String {
    let file = File::create(output).unwrap();
    command.stdout(file.try_clone().unwrap()).stderr(file);
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait().unwrap() {
            None if Instant::now() < end => sleep(Duration::from_millis(20)),
            status => break status,
        }
    };
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let text = String::from_utf8_lossy(&fs::read(output).unwrap()).into_owned();
    let passed = status.is_some_and(|status| status.success()) && text.contains("1 passed");
    assert!(passed, "{status:?} within {limit:?}:\n{text}");
    println!("{text}");
    text
}

/// A small transform by the programs that compile soonest, and what it gives.
pub struct Case {
    pub transform: Transform,
    pub samples: Vec<i32>,
    pub expected: Vec<i32>,
}

impl Case {
    pub fn new() -> Self {
        let transform = Transform::new(Wavelet::CDF_5_3, [5, 6]);
        let samples = random_samples(transform.len(), 1);
        let expected = reference::forward(&transform, &samples).unwrap();
        Case {
            transform,
            samples,
            expected,
        }
    }

    /// A plan that has the driver copy slices of the host. CPU devices use them where they stand
    /// otherwise, and a program ends whose device is lost while it may use borrowed memory.
    pub fn plan(&self, engine: &Engine) -> Result<Plan<i32>, Error> {
        let engine = engine.with_copy_threads(1);
        engine.plan_with(&self.transform, Strategy::Stepwise)
    }
}
