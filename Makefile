# make demo    decomposes pictures on the best OpenCL device and reconstructs them: target/demo/
# make test    all tests, on every OpenCL device found
# make ci      what a change must pass: all of the targets below, and the tests
#
# On Debian and Ubuntu, `demo` and `test` install what is missing: a linker, and PoCL where there is no
# OpenCL device.

CHECKS = format clippy docs kernels test intel pyopencl ocl oclgrind no-runtime
.PHONY: demo ci $(CHECKS)

demo:
	scripts/setup --release
	cargo run --release --example decompose

# In processes of their own where cargo-nextest is installed: in each, PoCL builds one kernel at a time.
test:
	scripts/setup
	if cargo nextest --version >/dev/null 2>&1; \
	then cargo nextest run --no-fail-fast && cargo test --doc; \
	else cargo test --no-fail-fast; fi

ci:
	@for check in $(CHECKS); do \
	  echo "==== $$check"; \
	  start=$$(date +%s); \
	  $(MAKE) --no-print-directory $$check || exit 1; \
	  echo "==== $$check: ok, $$(($$(date +%s) - start)) s"; \
	done

format:
	cargo fmt --check

clippy:
	cargo clippy --all-targets -- --deny warnings

docs:
	RUSTDOCFLAGS='--deny warnings' cargo doc --no-deps

# Every program that the tests build, compiled by clang with warnings as errors, for every kind of device; it needs none.
kernels:
	scripts/kernels

# Exchange among 8, 16, 32 and 64, and the other strategies, on Intel's runtime for CPUs.
intel:
	scripts/intel

# The C interface of examples/shared_library, called from PyOpenCL.
pyopencl:
	scripts/pyopencl

# The feature `ocl-interop`: objects of the crate `ocl`.
ocl:
	scripts/ocl

# Every kernel in a simulator that sees races, reads of what was never written, and accesses out of bounds.
oclgrind:
	scripts/oclgrind

# A build, and programs run, where no OpenCL library is visible.
no-runtime:
	scripts/no-runtime
