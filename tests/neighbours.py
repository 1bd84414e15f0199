"""PyOpenCL allocates, wavelift transforms, PyOpenCL reads: `scripts/pyopencl` runs this on every device that PyOpenCL finds.

PyOpenCL brings an OpenCL loader of its own, and wavelift opens the system's: handles of one are the other's.
"""

import gc
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

sys.path.insert(0, str(Path(__file__).parent.parent / "examples" / "shared_library"))
from wavelift import Wavelift  # noqa: E402

HAAR = 2**-0.5
SHAPE = 32, 64
SIZE = 4 * 32 * 64


def haar(x):
    """One level of the orthonormal Haar transform along both axes, in Mallat's layout."""
    for axis in 0, 1:
        even, odd = np.take(x, range(0, x.shape[axis], 2), axis), np.take(x, range(1, x.shape[axis], 2), axis)
        x = np.concatenate([(even + odd) * HAAR, (odd - even) * HAAR], axis)
    return x


def like(a, b):
    return np.allclose(np.abs(a), np.abs(b), rtol=1e-5, atol=1e-4)


def references(obj):
    info = {cl.Context: cl.context_info, cl.CommandQueue: cl.command_queue_info, cl.Buffer: cl.mem_info}[type(obj)]
    return obj.get_info(info.REFERENCE_COUNT)


def refused(call, message):
    try:
        call()
    except RuntimeError as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"not refused: {message}")


def check(library, context, properties):
    """The same three times: what drivers keep of a queue's last command, they keep once."""
    queue = cl.CommandQueue(context, properties=properties)
    flags = cl.mem_flags
    x = cl.Buffer(context, flags.READ_WRITE, SIZE)
    y = cl.Buffer(context, flags.READ_WRITE, 2 * SIZE)
    counts = []
    for _ in range(3):
        check_once(library, queue, x, y)
        queue.finish()
        gc.collect()
        counts.append([references(obj) for obj in (context, queue, x, y)])
    assert counts[1] == counts[2], f"references are left: {counts}"


def check_once(library, queue, x, y):
    context, shape, flags = queue.context, SHAPE, cl.mem_flags
    picture = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    cl.enqueue_copy(queue, x, picture)
    lift = Wavelift(library, queue)
    plan = lift.plan("haar", shape, 1)
    gate = cl.UserEvent(context)
    end = plan.forward(x, (y, SIZE), [gate])
    assert end.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    got = np.empty_like(picture)
    cl.enqueue_copy(queue, got, y, src_offset=SIZE, wait_for=[end])
    assert like(got, haar(picture)), "forward"

    # Over NumPy's memory, which is aligned to 16 bytes alone.
    back = np.zeros_like(picture)
    over = cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=back)
    end = plan.inverse((y, SIZE), over)
    end.wait()
    mapped, event = cl.enqueue_map_buffer(queue, over, cl.map_flags.READ, 0, shape, np.float32)
    assert np.allclose(mapped, picture, atol=1e-5), "inverse"
    mapped.base.release(queue)

    refused(lambda: lift.plan("haar", (0, 4), 1), "axes of 1 to")
    refused(lambda: lift.plan("no such", shape, 1), "no such")
    refused(lambda: plan.forward(x, x), "the input and the output overlap")
    refused(lambda: plan.forward((x, 4), y), "the buffer: expected 2048 samples")
    image = cl.image_from_array(context, np.zeros((8, 8, 4), np.float32), 4)
    refused(lambda: plan.forward(image, y), "expected a buffer, got a memory object of type 0x10f1")
    other = cl.Buffer(cl.Context(context.devices), flags.READ_WRITE, SIZE)
    refused(lambda: plan.forward(other, y), "one of another context")

    for _ in range(2):
        plan.drop()
    refused(lambda: plan.forward(x, y), "the plan is closed")
    for _ in range(2):
        lift.close()
    refused(lambda: lift.plan("haar", shape, 1), "the engine is closed")


def main(library):
    found = 0
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            context = cl.Context([device])
            order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
            for properties in 0, order:
                check(library, context, properties)
            print(f"ran: PyOpenCL {cl.VERSION_TEXT}, {platform.version}, {device.name}")
            found += 1
    assert found, "PyOpenCL finds no device"


main(*sys.argv[1:])
