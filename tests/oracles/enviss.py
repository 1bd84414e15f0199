"""ccsds97m on whole pictures, by the code of a CCSDS 122 encoder made for a space mission.

Source: the encoder of EnVisS, a camera of ESA's Comet Interceptor, as https://github.com/Skooogi/ccsds-122.0-B-2
publishes it (Aalto University, Huld): core/src/discrete_wavelet_transform.c of commit 1608401. It is compiled as it
stands; its output is in the Mallat layout, before the weights that the standard gives to sub-bands.
Rerun:  pip install numpy && python enviss.py CHECKOUT

Besides the cases that are written, pictures of other sizes are compared with `lifting.py`. Sides are even at every
level and at least six samples long, which is what the standard's equations are for.
"""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import lifting
from cases import Inputs, case, write

# (largest input, shape, levels)
PICTURES = [(255, (24, 40), 3), (65535, (48, 24), 3), (4095, (12, 20), 2)]
OTHERS = [(255, (128, 128), 3), (65535, (64, 96), 3), (255, (6, 6), 1), (4095, (30, 22), 1), (65535, (48, 56), 3)]


def encoder(checkout, folder):
    source = Path(checkout) / "core/src/discrete_wavelet_transform.c"
    library = Path(folder) / "transform.so"
    subprocess.run(["gcc", "-O1", "-fwrapv", "-shared", "-fPIC", "-o", library, source], check=True)
    function = ctypes.CDLL(str(library)).discrete_wavelet_transform_2D
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint8]

    def transform(x, levels):
        y = np.ascontiguousarray(x, dtype=np.int32)
        function(y.ctypes.data, x.shape[1], x.shape[0], levels)
        return y

    return transform


def main():
    inputs, cases = Inputs(7), []
    with tempfile.TemporaryDirectory() as folder:
        transform = encoder(sys.argv[1], folder)
        for limit, shape, levels in PICTURES:
            x = inputs.ints(shape, limit)
            y = transform(x, levels)
            cases.append(case("EnVisS encoder", "ccsds97m", "symmetric", "i32", levels, [0, 1], x, y))
        write("enviss.jsonl", cases)
        for limit, shape, levels in OTHERS:
            x = inputs.ints(shape, limit)
            want = lifting.forward("ccsds97m", "symmetric", "i32", levels, [0, 1], x)
            assert (transform(x, levels) == want).all(), shape
    print(f"{len(OTHERS)} other pictures are equal")


if __name__ == "__main__":
    main()
