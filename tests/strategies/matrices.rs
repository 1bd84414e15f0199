//! Every strategy with every wavelet, sample type, boundary rule and layout.

use super::*;

/// The whole matrix for one wavelet.
fn matrix(by: impl Into<By>, wavelet: Wavelet) {
    matrix_on(&devices(), by, wavelet);
}

/// The same on all devices as if they were of this kind, which decides what the planner prefers.
fn matrix_as_on(kind: DeviceKind, by: impl Into<By>, wavelet: Wavelet) {
    let devices = devices();
    let devices: Vec<_> = devices
        .iter()
        .map(|device| device.with_kind(kind))
        .collect();
    matrix_on(&devices, by, wavelet);
}

fn matrix_on(devices: &[Device], by: impl Into<By>, wavelet: Wavelet) {
    let (by, transforms) = (by.into(), everywhere(awkward(wavelet)));
    for device in devices {
        check_samples(device, by, &transforms);
    }
}

/// What a strategy refuses, as the planner composes it on devices of the kind on which
/// it prefers that strategy.
fn composed(preferred: Strategy, kind: DeviceKind, wavelet: Wavelet) {
    let mut transforms = everywhere(awkward(wavelet));
    transforms.retain(|transform| is_refused(preferred, kind, transform, SampleType::F32));
    for device in devices() {
        check_samples(&device.with_kind(kind), By::Auto, &transforms);
    }
}

/// One test per strategy and wavelet, so that a test runner can spread them over processes.
macro_rules! matrices {
    ($($name:ident: $wavelet:ident;)*) => {
        mod stepwise {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::Stepwise, Wavelet::$wavelet) })*
        }
        mod streamed {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::Streamed, Wavelet::$wavelet) })*
        }
        mod register_block {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::RegisterBlock, Wavelet::$wavelet) })*
        }
        mod register_rows {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::RegisterRows, Wavelet::$wavelet) })*
        }
        mod register_columns {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::RegisterColumns, Wavelet::$wavelet) })*
        }
        mod pyramid {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::Pyramid, Wavelet::$wavelet) })*
        }
        mod single_loop {
            use super::*;
            $(#[test] fn $name() { matrix(Strategy::SingleLoop, Wavelet::$wavelet) })*
        }
        mod separable {
            use super::*;
            $(#[test] fn $name() { matrix_as_on(DeviceKind::Gpu, Strategy::SEPARABLE, Wavelet::$wavelet) })*
        }
        mod vectors {
            use super::*;
            $(#[test] fn $name() { matrix_as_on(DeviceKind::Cpu, Strategy::Vectors, Wavelet::$wavelet) })*
        }
        mod composed_as_on_gpus {
            use super::*;
            $(#[test] fn $name() { composed(Strategy::Streamed, DeviceKind::Gpu, Wavelet::$wavelet) })*
        }
        mod composed_as_on_cpus {
            use super::*;
            $(#[test] fn $name() { composed(Strategy::SingleLoop, DeviceKind::Cpu, Wavelet::$wavelet) })*
        }
        #[test]
        fn every_wavelet_is_tested() {
            let tested = [$(Wavelet::$wavelet),*];
            assert!(Wavelet::ALL.iter().all(|wavelet| tested.contains(wavelet)));
        }
    };
}

common::for_every_wavelet!(matrices);

/// Every pass of `separable` but the default ones, each beside the default one for the other axes:
/// as the matrices, but with each type of samples once, and the wavelets that differ most. Programs
/// take long to build, and steps are what all kernels share.
macro_rules! passes {
    ($($name:ident: $pass:expr;)*) => {
        mod passes {
            use super::*;
            $(mod $name {
                use super::*;
                #[test] fn floats() { pass_on::<f32>($pass, Wavelet::CDF_9_7) }
                #[test] fn halves() { pass_on::<f16>($pass, Wavelet::CDF_9_7) }
                #[test] fn doubles_to_one_side() { pass_on::<f64>($pass, Wavelet::DAUB_4) }
                #[test] fn shorts() { pass_on::<i16>($pass, Wavelet::CDF_5_3) }
                #[test] fn shorts_with_a_pre_shift() { pass_on::<i16>($pass, Wavelet::VC2_DD_13_7) }
                #[test] fn integers_of_a_long_reach() { pass_on::<i32>($pass, Wavelet::VC2_FIDELITY) }
            })*
            #[test]
            fn every_pass_is_tested() {
                let tested: Vec<Strategy> = vec![Strategy::SEPARABLE, $(Strategy::from($pass)),*];
                assert!(Strategy::each_pass().all(|one| tested.contains(&one)));
            }
        }
    };
}

/// Samples of 16 bits that compute in reals: every strategy, and the wavelets that differ most. All
/// share their steps with floats, so one wavelet sees how a kernel loads and stores.
macro_rules! rounded_when_stored {
    ($($name:ident: $kind:ident $by:expr;)*) => {
        mod rounded_when_stored {
            use super::*;
            $(mod $name {
                use super::*;
                fn check<T: RandomSample>(wavelet: Wavelet) {
                    let transforms = everywhere(awkward(wavelet));
                    for device in devices() {
                        check_all::<T>(&device.with_kind(DeviceKind::$kind), $by, &transforms);
                    }
                }
                #[test] fn halves() { check::<f16>(Wavelet::CDF_9_7) }
                #[test] fn rounded() { check::<Rounded>(Wavelet::CDF_9_7) }
            })*
        }
    };
}

rounded_when_stored! {
    stepwise: Gpu Strategy::Stepwise;
    streamed: Gpu Strategy::Streamed;
    register_block: Gpu Strategy::RegisterBlock;
    register_rows: Gpu Strategy::RegisterRows;
    register_columns: Gpu Strategy::RegisterColumns;
    pyramid: Gpu Strategy::Pyramid;
    separable: Gpu Strategy::SEPARABLE;
    single_loop: Cpu Strategy::SingleLoop;
    vectors: Cpu Strategy::Vectors;
}

passes! {
    one_pair_in_rows: RowPass::OnePair;
    exchanged_in_rows: RowPass::Exchanged;
    convolution_in_rows: RowPass::Convolution;
    exchanged_in_columns: ColumnPass::Exchanged;
    convolution_in_columns: ColumnPass::Convolution;
    transposed_columns: ColumnPass::Transposed;
}

fn pass_on<T: RandomSample>(pass: impl Into<Strategy>, wavelet: Wavelet) {
    let strategy: Strategy = pass.into();
    let mut transforms = everywhere(awkward(wavelet));
    if cannot_round(strategy, T::TYPE) {
        // They are refused: a few show it.
        transforms.truncate(8);
    }
    for device in devices() {
        check_all::<T>(&device.with_kind(DeviceKind::Gpu), strategy, &transforms);
    }
}
