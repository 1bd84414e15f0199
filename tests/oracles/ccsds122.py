"""ccsds97m, the integer 9/7 of CCSDS 122.0, from its own equations.

Source: CCSDS 122.0-B-2 (Image Data Compression), section 3.3.2: the forward
integer transform of a line of 2N samples, with separate equations for the
coefficients next to either end; rows first, then columns. They are written here
as two independent public implementations of the standard have them
(xbarin02/ccsds and Skooogi/ccsds-122.0-B-2; both give the numbers of this file),
in exact fractions where those shift.
Rerun:  pip install numpy && python ccsds122.py
"""

from fractions import Fraction
from math import floor

import numpy as np

from cases import Inputs, axes_of, case, mallat, write

HALF = Fraction(1, 2)


def line(x):
    """2N samples in; N low-pass C and N high-pass D out. N is at least 3."""
    N = len(x) // 2
    assert len(x) == 2 * N and N >= 3
    D, C = [0] * N, [0] * N
    nine, one = Fraction(9, 16), Fraction(1, 16)

    D[0] = x[1] - floor(nine * (x[0] + x[2]) - one * (x[2] + x[4]) + HALF)
    for j in range(1, N - 2):
        D[j] = x[2 * j + 1] - floor(nine * (x[2 * j] + x[2 * j + 2]) - one * (x[2 * j - 2] + x[2 * j + 4]) + HALF)
    D[N - 2] = x[2 * N - 3] - floor(nine * (x[2 * N - 4] + x[2 * N - 2]) - one * (x[2 * N - 6] + x[2 * N - 2]) + HALF)
    D[N - 1] = x[2 * N - 1] - floor(Fraction(9, 8) * x[2 * N - 2] - Fraction(1, 8) * x[2 * N - 4] + HALF)

    C[0] = x[0] - floor(-Fraction(D[0], 2) + HALF)
    for j in range(1, N):
        C[j] = x[2 * j] - floor(-Fraction(D[j - 1] + D[j], 4) + HALF)
    return C, D


def split(x, axis):
    moved = np.moveaxis(x, axis, -1)
    halves = np.array([line([int(v) for v in row]) for row in moved.reshape(-1, moved.shape[-1])])
    low, high = halves[:, 0], halves[:, 1]
    shape = moved.shape[:-1] + (-1,)
    return [np.moveaxis(half.reshape(shape), -1, axis) for half in (low, high)]


# (largest input, shape, levels, axes): even lengths of 6 and more at every level.
# The standard itself has three levels and sizes that are multiples of 8.
SHAPES = [
    (255, (6,), 1, None),
    (255, (8,), 1, None),
    (255, (10,), 1, None),
    (255, (34,), 1, None),
    (255, (96,), 5, None),
    (255, (6, 6), 1, None),
    (255, (14, 10), 1, None),
    (255, (24, 24), 3, None),
    (65535, (24, 40), 3, None),
    (1023, (12, 32), 2, None),
    (255, (3, 18), 1, (1,)),
    (255, (12, 5), 2, (0,)),
    (255, (2, 12, 16), 2, (1, 2)),
    (1 << 24, (48,), 4, None),
    (1 << 24, (24, 16), 2, None),
]


def main():
    inputs, cases = Inputs(4), []
    for limit, shape, levels, axes in SHAPES:
        axes = axes_of(shape, axes)
        x = inputs.ints(shape, limit)
        y = mallat(x, axes[::-1], levels, split)  # rows (the last axis) first
        cases.append(case("CCSDS 122.0-B-2 3.3.2", "ccsds97m", "symmetric", "i32", levels, axes, x, y))
    write("ccsds122.jsonl", cases)


if __name__ == "__main__":
    main()
