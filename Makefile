# make demo    decomposes pictures on the best OpenCL device and reconstructs them: target/demo/
# make test    all tests, on every OpenCL device found, PoCL's optimiser off
# make papers  the comparisons of the papers on the best device: target/papers/report.md. PAPERS=--quick takes some minutes;
#              MERGE="a.json b.json" sets the results of several devices side by side
# make large   files larger than memory, there and back: 45 GB of disk. LARGE=16384x16384 for smaller ones (3.7 GB)
# make ci      what a change must pass: all of the targets below, and the tests
#
# On Debian and Ubuntu, `demo` and `test` install what is missing: a linker, and PoCL where there is no
# OpenCL device.

CHECKS = format clippy docs package oldest-rust kernels test optimised intel agree vendors pyopencl ocl oclgrind no-runtime
.PHONY: demo papers large ci $(CHECKS)

demo:
	scripts/setup --release
	cargo run --release --example decompose

papers:
	scripts/setup --release
	cargo run --release --features papers --example papers -- $(if $(MERGE),--merge $(MERGE),$(PAPERS))

# On PoCL, under a limit of 1 GiB; WAVELIFT_DEVICE names another device.
large:
	scripts/setup --release
	cargo build --release --example transform
	WAVELIFT_DEVICE=$${WAVELIFT_DEVICE:-pocl} \
	cargo test --release --test large -- --ignored --nocapture files_larger_than_memory

# Nearly all of the time is PoCL's compiler's: scripts/quick-pocl says how it takes less.
#
# No kernel depends on a feature of the crate, so that with them only their own tests run. `ocl-interop` needs libraries:
# `make ocl` tests it. Writing every program for the compilers is the work of `make kernels`.
FEATURES = ndarray,image,serde,rayon,papers
WRITTEN = every_program_is_written_for_the_compilers
test:
	scripts/setup
	cargo test --no-run && cargo test --no-run --features $(FEATURES) --test crates --test papers
	scripts/quick-pocl scripts/spread '$(WRITTEN)$(ONCE)' '--features $(FEATURES) --test crates --test papers' ''
	cargo test --doc --features $(FEATURES)

# The kernels of plans as PoCL's optimiser makes them, in work-groups of their own sizes, by the wavelets that differ most: the
# others differ from them in their steps alone. `make test` has the rest: groups of 64, lopsided steps in matrices, plans composed
# of kernels that are tested here by themselves, colours in rounded samples. And a picture that is large for the memory that it is
# given.
#
# CI has ninety minutes for everything. There each of these tests runs once, with the optimiser or, where others are much like it,
# without: in f64 as in f32, in f16 as in rounded samples, in i32 as in i16, by 13/7 and lopsided steps as by 5/3. And so do kernels
# that CPUs have by name alone, but for windows, levels and boxes, which need larger work-groups than `make test` has.
STEPS = daub4|haar|ccsds97m|vc2_(dd97|legall53|haar0|haar1|fidelity|daub97)
REST = work_groups_of_64|composed_as_on_[cg]pus::[a-z0-9_]*|in_a_loop::rounded
ALIKE = vc2_dd137|(?<!windows::)(?<!levels::)(?<!boxes::)((doubles|halves|integers)(_[a-z_]*)?|[a-z_]*_(along_x_first|with_a_pre_shift|lopsided_steps))
ON_GPUS = (shapes::(in_volumes|planes|colours::in_sub_groups)|matrices::(rounded_when_stored::)?(register_[a-z]+|streamed|pyramid))::.*
LEFT = (.*::)?($(STEPS)|$(REST)$(if $(CI_CHECKS),|$(ALIKE)|$(ON_GPUS)))$$
ONCE = $(if $(CI_CHECKS),|^(strategies|in_place)::(?!$(LEFT)))
optimised:
	scripts/setup
	WAVELIFT_REQUIRE=$(WAVELIFT_REQUIRE),work-groups-of-256,fence \
	scripts/quick-pocl --optimised scripts/spread '::$(LEFT)' '--test strategies --test in_place'
	cargo test --test large -- --ignored large_pictures_under_64_mib

ci:
	@for check in $(CHECKS); do \
	  echo "==== $$check"; \
	  start=$$(date +%s); \
	  $(MAKE) --no-print-directory CI_CHECKS=yes $$check || exit 1; \
	  echo "==== $$check: ok, $$(($$(date +%s) - start)) s"; \
	done

format:
	cargo fmt --check

# Features may not depend on each other but where Cargo.toml says so.
clippy:
	cargo clippy --all-targets --all-features -- --deny warnings
	cargo clippy --test oclgrind --test vendors --all-features -- --deny warnings
	for feature in '' ndarray image serde; do \
	  cargo clippy --features "$$feature" -- --deny warnings || exit 1; \
	done

docs:
	RUSTDOCFLAGS='--deny warnings' cargo doc --no-deps --all-features

# What would be published is small, and builds by itself with all features.
package:
	scripts/package

# The oldest Rust that Cargo.toml declares.
oldest-rust:
	scripts/oldest-rust

# Every program that the tests build, compiled by clang with warnings as errors, for every kind of device; it needs none. In CI a
# sixth of them.
kernels:
	scripts/kernels $(if $(CI_CHECKS),short)

# Exchange among 8, 16, 32 and 64, and the other strategies, on Intel's runtime for CPUs; in CI what fits into some time.
intel:
	scripts/intel $(if $(CI_CHECKS),short)

# One program on PoCL, Intel's runtime, rusticl and an NVIDIA GPU: integers equal bit for bit, floats within their bound.
agree:
	scripts/agree

# Kernels by the compilers of AMD, NVIDIA and Intel, and to SPIR-V; in CI a part of them. Alone it writes docs/VENDORS.md.
vendors:
	scripts/vendors $(if $(CI_CHECKS),short)

# The C interface of examples/shared_library, called from PyOpenCL.
pyopencl:
	scripts/pyopencl

# The feature `ocl-interop`: objects of the crate `ocl`, and buffers of OpenGL.
ocl:
	scripts/ocl

# Every kernel in a simulator that sees races, reads of what was never written, and accesses out of bounds.
oclgrind:
	scripts/oclgrind

# A build, and programs run, where no OpenCL library is visible.
no-runtime:
	scripts/no-runtime
