"""What the oracle scripts share: inputs, the Mallat layout, and the file format.

A case is one JSON object on a line: `input` and `output` are flat, row-major,
and `output` is the forward transform in the Mallat layout. Before a case is
written, `lifting.forward` must reproduce it: a mapping between somebody's
conventions and ours that is wrong stops here.
"""

import json
import random
from pathlib import Path

import numpy as np

import lifting

DATA = Path(__file__).resolve().parent.parent / "data"


class Inputs:
    """Reproducible inputs. `random.Random.random` is stable across versions."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def ints(self, shape, limit):
        """Integers in -limit..=limit, the extremes among them."""
        flat = [int(self.rng.random() * (2 * limit + 1)) - limit for _ in range(int(np.prod(shape)))]
        for value in (limit, -limit):
            flat[int(self.rng.random() * len(flat))] = value
        return np.array(flat, dtype=np.int64).reshape(shape)

    def floats(self, shape, limit=100.0):
        """Floats with two decimals, which keeps the files short."""
        flat = [round((2 * self.rng.random() - 1) * limit, 2) for _ in range(int(np.prod(shape)))]
        return np.array(flat).reshape(shape)


def axes_of(shape, axes=None):
    return list(range(len(shape))) if axes is None else list(axes)


def mallat(x, axes, levels, split):
    """Multi-level transform, one level and one axis at a time.

    `split(x, axis)` returns the low and the high half along `axis`. An axis of
    length 1 is left alone; the next level works on the low corner.
    """
    y = np.array(x)
    corner = list(y.shape)
    for _ in range(levels):
        place = tuple(slice(0, n) for n in corner)
        part = y[place]
        for axis in axes:
            if corner[axis] > 1:
                part = np.concatenate(split(part, axis), axis=axis)
        y[place] = part
        for axis in axes:
            corner[axis] = (corner[axis] + 1) // 2
    return y


def per_picture(x, axes, transform, *args):
    """Apply `transform(picture, *args)` to each 1-D line or 2-D picture that `axes` select.

    The other axes are a batch. `transform` takes and returns a 2-D array; a
    line along the last axis is a picture of height 1.
    """
    batch = [axis for axis in range(x.ndim) if axis not in axes]
    moved = np.transpose(x, batch + axes)
    pictures = moved.reshape((-1,) + ((1,) if len(axes) == 1 else ()) + moved.shape[len(batch) :])
    result = np.stack([transform(picture, *args) for picture in pictures]).reshape(moved.shape)
    return np.transpose(result, np.argsort(batch + axes))


def case(source, wavelet, boundary, sample, levels, axes, x, y):
    return {
        "source": source,
        "wavelet": wavelet,
        "boundary": boundary,
        "sample": sample,
        "levels": levels,
        "shape": list(x.shape),
        "axes": list(axes),
        "input": x.flatten().tolist(),
        "output": y.flatten().tolist(),
    }


# How far floats may be from `lifting.forward`, relative to the largest coefficient.
ALLOWED = {"f64": 1e-11, "f32": 1e-6}


def check(c):
    """Compare a case with the tiny lifting implementation; return the error."""
    x = np.array(c["input"], dtype=object).reshape(c["shape"])
    want = lifting.forward(c["wavelet"], c["boundary"], c["sample"], c["levels"], c["axes"], x)
    want, got = want.flatten().tolist(), c["output"]
    assert len(got) == len(want) == int(np.prod(c["shape"]))
    if c["sample"] in ALLOWED:
        scale = max(abs(v) for v in want)
        error = max(abs(a - b) for a, b in zip(got, want)) / scale
        assert error < ALLOWED[c["sample"]], (c["source"], c["wavelet"], c["shape"], error)
        return error
    assert all(type(v) is int for v in got)
    assert got == want, (c["source"], c["wavelet"], c["sample"], c["shape"], c["levels"])
    return 0.0


def write(name, cases):
    worst = max(check(c) for c in cases)
    path = DATA / name
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.writelines(json.dumps(c, separators=(",", ":")) + "\n" for c in cases)
    print(f"{name}: {len(cases)} cases, {path.stat().st_size} bytes, worst relative error {worst:.1e}")
