"""wavelift from Python: the C interface of main.rs by ctypes, on contexts, queues, buffers and events of PyOpenCL."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p

import pyopencl as cl


def alive(handle, what):
    """A handle that was not given back."""
    if handle is None:
        raise RuntimeError(f"{what} is closed")
    return handle


class Wavelift:
    """Transforms of f32 buffers on a queue of PyOpenCL's."""

    def __init__(self, library, queue):
        self.library = ctypes.CDLL(library)
        self.library.wavelift_error.restype = c_char_p
        self.library.wavelift_close.argtypes = [c_void_p]
        self.library.wavelift_drop_plan.argtypes = [c_void_p]
        self.engine = c_void_p()
        handles = queue.context.int_ptr, queue.device.int_ptr, queue.int_ptr
        self._call("open", *map(c_void_p, handles), byref(self.engine))

    def _call(self, name, *arguments):
        if getattr(self.library, "wavelift_" + name)(*arguments):
            raise RuntimeError(self.library.wavelift_error().decode())

    def close(self):
        """Closes the engine, once. Its plans stay, but transform nothing any more."""
        engine, self.engine = self.engine, None
        if engine is not None:
            self.library.wavelift_close(engine)

    def plan(self, wavelet, shape, levels):
        return Plan(self, wavelet, shape, levels)


class Plan:
    """A transform of arrays of a shape, along all axes."""

    def __init__(self, wavelift, wavelet, shape, levels):
        self.wavelift = wavelift
        self.plan = c_void_p()
        lengths = (c_size_t * len(shape))(*shape)
        wavelift._call(
            "plan",
            alive(wavelift.engine, "the engine"),
            wavelet.encode(),
            lengths,
            c_size_t(len(shape)),
            c_uint(levels),
            byref(self.plan),
        )

    def forward(self, samples, coefficients, after=()):
        return self._enqueue(0, samples, coefficients, after)

    def inverse(self, coefficients, samples, after=()):
        return self._enqueue(1, coefficients, samples, after)

    def _enqueue(self, inverse, source, target, after):
        """Buffers, or pairs of a buffer and a byte offset. Returns the event of the end."""
        (source, at), (target, to) = (x if isinstance(x, tuple) else (x, 0) for x in (source, target))
        events = (c_void_p * len(after))(*(event.int_ptr for event in after))
        end = c_void_p()
        self.wavelift._call(
            "enqueue",
            alive(self.wavelift.engine, "the engine"),
            alive(self.plan, "the plan"),
            c_int(inverse),
            c_void_p(source.int_ptr),
            c_size_t(at),
            c_void_p(target.int_ptr),
            c_size_t(to),
            events,
            c_size_t(len(after)),
            byref(end),
        )
        return cl.Event.from_int_ptr(end.value, retain=False)

    def drop(self):
        """Drops the plan, once. Its runs still end as they should."""
        plan, self.plan = self.plan, None
        if plan is not None:
            self.wavelift.library.wavelift_drop_plan(plan)
