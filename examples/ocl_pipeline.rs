//! A program of the crate `ocl` that denoises on the device: forward, a kernel of its own that sets
//! small coefficients to zero, inverse; no sample leaves the device in between.
//!
//! `cargo run --features ocl-interop --example ocl_pipeline`

use ocl::{Buffer, ProQue};
use wavelift::{DeviceArray, Engine, Event, Transform, Wavelet};

const SOURCE: &str = "kernel void threshold(global float *x, const float least) {
    const size_t i = get_global_id(0);
    const bool is_detail = i % 512 >= 32 || i / 512 >= 32; // of four levels
    if (is_detail && fabs(x[i]) < least) x[i] = 0;
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let transform = Transform::new(Wavelet::CDF_9_7, [512, 512]).levels(4);
    let len = transform.len();
    let pro_que = ProQue::builder().src(SOURCE).dims(len).build()?;
    let clean = |i: usize| ((i / 512) as f32 / 40.0).sin() * ((i % 512) as f32 / 60.0).cos();
    let mut state = 1u32;
    let noisy: Vec<f32> = (0..len)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            clean(i) + (state >> 8) as f32 / (1 << 24) as f32 * 0.4 - 0.2
        })
        .collect();
    let picture = Buffer::builder()
        .queue(pro_que.queue().clone())
        .len(len)
        .copy_host_slice(&noisy)
        .build()?;
    let coefficients: Buffer<f32> = pro_que.create_buffer()?;
    let kernel = pro_que
        .kernel_builder("threshold")
        .arg(&coefficients)
        .arg(0.5f32)
        .build()?;

    let engine = Engine::from_ocl(pro_que.queue())?;
    let plan = engine.plan::<f32>(&transform)?;
    // SAFETY: both are written before they are read, and used in the order of the events.
    let (mut x, mut y) = unsafe {
        (
            DeviceArray::from_ocl(&engine, &picture)?,
            DeviceArray::from_ocl(&engine, &coefficients)?,
        )
    };
    let forward = plan.enqueue_forward(&x, &mut y)?.event().to_ocl()?;
    let mut done = ocl::Event::empty();
    // SAFETY: the kernel has an argument for each parameter, and a work-item for each coefficient.
    unsafe { kernel.cmd().ewait(&forward).enew(&mut done).enq()? };
    plan.enqueue_inverse_after(&y, &mut x, &[Event::from_ocl(&done)?])?
        .wait()?;

    let mut denoised = vec![0.0; len];
    picture.read(&mut denoised).enq()?;
    let error = |samples: &[f32]| {
        let squares = samples
            .iter()
            .enumerate()
            .map(|(i, sample)| (sample - clean(i)).powi(2));
        (squares.sum::<f32>() / len as f32).sqrt()
    };
    println!(
        "noise before {:.4}, after {:.4}",
        error(&noisy),
        error(&denoised)
    );
    assert!(error(&denoised) < error(&noisy) / 3.0);
    Ok(())
}
