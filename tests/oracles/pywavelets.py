"""cdf97, cdf53, haar and daub4 on floats, computed by PyWavelets.

Source: PyWavelets 1.9.0, filter banks bior4.4, bior2.2, haar and db2.
Rerun:  pip install pywavelets==1.9.0 numpy && python pywavelets.py

One level along one axis is one call of `pywt.dwt`; what remains to do here is
to choose the samples that a non-expansive transform keeps, and the scale.

- `reflect` is whole-sample symmetric extension, for any length. Its output is
  longer than ours: bior4.4 starts two coefficients early, bior2.2 one.
- `periodization` is non-expansive, for even lengths. The phase of db2 differs
  from ours: its input is rolled before and its high band after.
- haar needs no neighbour for even lengths, so every boundary rule agrees. For
  odd lengths the last sample stands alone: our `zero` is then `symmetric`
  there, which repeats that sample.
"""

from importlib.metadata import version
from math import sqrt

import numpy as np
import pywt

from cases import Inputs, axes_of, case, mallat, write

R2 = sqrt(2)
VERSION = version("pywavelets")  # pywt.__version__ still says 1.8.0 in 1.9.0
# Our low and high coefficients, as multiples of PyWavelets'.
SCALE = {"cdf97": (1 / R2, -R2), "cdf53": (1 / R2, -R2), "haar": (1.0, -1.0), "daub4": (1.0, -1.0)}
BANK = {"cdf97": "bior4.4", "cdf53": "bior2.2", "haar": "haar", "daub4": "db2"}
# Where the reflect outputs start; how far to roll the input, then the high band.
START = {"cdf97": 2, "cdf53": 1}
ROLL = {"daub4": (-1, 1)}


def split(wavelet, boundary):
    def one(x, axis):
        n = x.shape[axis]
        roll = ROLL.get(wavelet, (0, 0))
        mode = {"symmetric": "reflect", "periodic": "periodization", "zero": "symmetric"}[boundary]
        assert boundary != "periodic" or n % 2 == 0
        low, high = pywt.dwt(np.roll(x, roll[0], axis), BANK[wavelet], mode, axis)
        if boundary == "symmetric":
            start = START.get(wavelet, 0)
            low = np.take(low, range(start, start + (n + 1) // 2), axis)
            high = np.take(high, range(start, start + n // 2), axis)
        high = np.take(np.roll(high, roll[1], axis), range(n // 2), axis)
        return SCALE[wavelet][0] * low, SCALE[wavelet][1] * high

    return one


# (shape, levels, axes): any size.
ANY = [
    ((1,), 2, None),
    ((2,), 1, None),
    ((3,), 1, None),
    ((4,), 2, None),
    ((5,), 3, None),
    ((7,), 1, None),
    ((8,), 1, None),
    ((17,), 2, None),
    ((33,), 5, None),
    ((40,), 4, None),
    ((1, 13), 3, None),
    ((11, 1), 2, None),
    ((2, 3), 2, None),
    ((5, 7), 2, None),
    ((17, 13), 3, None),
    ((40, 24), 4, None),
    ((6, 7, 9), 2, None),
    ((2, 3, 4, 5), 1, None),
    ((3, 16, 10), 2, (1, 2)),
    ((9, 3, 5), 2, (0,)),
]
# Sizes that halve evenly at every level.
EVEN = [
    ((2,), 1, None),
    ((4,), 1, None),
    ((8,), 3, None),
    ((32,), 5, None),
    ((36,), 2, None),
    ((1, 8), 2, None),
    ((6, 1), 1, None),
    ((2, 4), 2, None),
    ((16, 24), 3, None),
    ((4, 6, 8), 1, None),
    ((3, 8, 12), 2, (1, 2)),
    ((8, 3, 4), 2, (0, 2)),
]
ODD_BIG = [((33, 31), 5, None)]
BATCHES = [
    ("cdf97", "symmetric", ANY + ODD_BIG),
    ("cdf97", "periodic", EVEN),
    ("cdf53", "symmetric", ANY),
    ("cdf53", "periodic", EVEN),
    ("haar", "zero", ANY),
    ("haar", "symmetric", EVEN),
    ("daub4", "periodic", EVEN + [((40, 24), 3, None)]),
]


def main():
    inputs, cases = Inputs(1), []
    for wavelet, boundary, shapes in BATCHES:
        source = f"PyWavelets {VERSION} {BANK[wavelet]}"
        for shape, levels, axes in shapes:
            axes = axes_of(shape, axes)
            x = inputs.floats(shape)
            y = mallat(x, axes, levels, split(wavelet, boundary))
            cases.append(case(source, wavelet, boundary, "f64", levels, axes, x, y))
    write("pywavelets.jsonl", cases)


if __name__ == "__main__":
    main()
