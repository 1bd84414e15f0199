"""cdf53 on integers and cdf97 on floats, by the procedures of JPEG 2000.

Source: ITU-T T.800 | ISO/IEC 15444-1, Annex F.4, the forward transform, written
out procedure by procedure under the standard's own names. Signals are extended
by the periodic symmetric extension first, then filtered; all coordinates are the
image's, with its origin at (0, 0). One more case is the worked example of
Annex J.10, whose samples and coefficients the standard prints.
Rerun:  pip install numpy && python jpeg2000.py
"""

import numpy as np

from cases import Inputs, axes_of, case, per_picture, write

ALPHA = -1.586134342059924
BETA = -0.052980118572961
GAMMA = 0.882911075530934
DELTA = 0.443506852043971
K = 1.230174104914001


def FDWT(a, levels, filtd):
    """F.4.1: the low-pass sub-band of a level is the input of the next.

    Returns the sub-bands in the Mallat layout: HL top right, LH bottom left.
    """
    y = np.array(a)
    v1, u1 = y.shape
    for _ in range(levels):
        LL, HL, LH, HH = SD_2D(y[:v1, :u1], 0, u1, 0, v1, filtd)
        y[:v1, :u1] = np.block([[LL, HL], [LH, HH]])
        u1, v1 = (u1 + 1) // 2, (v1 + 1) // 2
    return y


def SD_2D(a, u0, u1, v0, v1, filtd):
    """F.4.2, the 2D_SD procedure: columns first, then rows."""
    a = VER_SD(a, u0, u1, v0, v1, filtd)
    a = HOR_SD(a, u0, u1, v0, v1, filtd)
    return DEINTERLEAVE_2D(a)


def VER_SD(a, u0, u1, v0, v1, filtd):
    """F.4.3: each column."""
    return np.column_stack([SD_1D(a[:, u - u0], v0, v1, filtd) for u in range(u0, u1)])


def HOR_SD(a, u0, u1, v0, v1, filtd):
    """F.4.4: each row."""
    return np.vstack([SD_1D(a[v - v0, :], u0, u1, filtd) for v in range(v0, v1)])


def DEINTERLEAVE_2D(a):
    """F.4.5, for an origin at even places."""
    return a[0::2, 0::2], a[0::2, 1::2], a[1::2, 0::2], a[1::2, 1::2]


def SD_1D(x, i0, i1, filtd):
    """F.4.6: a signal of length one passes, as its place is even."""
    if i0 == i1 - 1:
        return x
    return np.array(filtd(EXTD_1D(x, i0, i1, filtd), i0, i1))


def EXTD_1D(x, i0, i1, filtd):
    """F.4.7: extend by i_left and i_right samples, at least."""
    i_left = EXTENSION[filtd][0][i0 % 2]
    i_right = EXTENSION[filtd][1][i1 % 2]
    return {i: x[PSE_O(i, i0, i1) - i0].item() for i in range(i0 - i_left, i1 + i_right)}


def PSE_O(i, i0, i1):
    """The periodic symmetric extension of F.3.7, which F.4.7 shares."""
    period = 2 * (i1 - i0 - 1)
    return i0 + min((i - i0) % period, period - (i - i0) % period)


def FILTD_53R(X, i0, i1):
    """F.4.8.1: the reversible 5-3 filter."""
    Y = {}
    for i in range(i0 - 1, i1 + 1):
        if i % 2 == 1:
            Y[i] = X[i] - (X[i - 1] + X[i + 1]) // 2
    for i in range(i0, i1):
        if i % 2 == 0:
            Y[i] = X[i] + (Y[i - 1] + Y[i + 1] + 2) // 4
    return [Y[i] for i in range(i0, i1)]


def FILTD_97I(X, i0, i1):
    """F.4.8.2: the irreversible 9-7 filter, its six steps."""
    Y = {}
    for i in range(i0 - 3, i1 + 3):
        if i % 2 == 1:
            Y[i] = X[i] + ALPHA * (X[i - 1] + X[i + 1])
    for i in range(i0 - 2, i1 + 2):
        if i % 2 == 0:
            Y[i] = X[i] + BETA * (Y[i - 1] + Y[i + 1])
    for i in range(i0 - 1, i1 + 1):
        if i % 2 == 1:
            Y[i] = Y[i] + GAMMA * (Y[i - 1] + Y[i + 1])
    for i in range(i0, i1):
        if i % 2 == 0:
            Y[i] = Y[i] + DELTA * (Y[i - 1] + Y[i + 1])
    for i in range(i0, i1):
        Y[i] = Y[i] * K if i % 2 == 1 else Y[i] * (1 / K)
    return [Y[i] for i in range(i0, i1)]


# i_left by the parity of i0, i_right by the parity of i1: the tables of F.4.7.
EXTENSION = {FILTD_53R: ((2, 1), (1, 2)), FILTD_97I: ((4, 3), (3, 4))}

FILTERS = {"cdf53": FILTD_53R, "cdf97": FILTD_97I}


# (shape, levels, axes). A line is an image of one row; the axes that are not
# transformed count components.
SHAPES = [
    ((1,), 1, None),
    ((2,), 1, None),
    ((3,), 2, None),
    ((4,), 1, None),
    ((5,), 1, None),
    ((9,), 3, None),
    ((16,), 4, None),
    ((37,), 5, None),
    ((1, 10), 2, None),
    ((13, 1), 3, None),
    ((2, 3), 1, None),
    ((3, 2), 5, None),
    ((5, 7), 1, None),
    ((5, 7), 3, None),
    ((17, 13), 2, None),
    ((40, 24), 3, None),
    ((3, 6, 11), 2, (1, 2)),
    ((4, 15), 2, (1,)),
]
# (wavelet, sample, largest input, shapes)
BATCHES = [
    ("cdf53", "i32", 255, SHAPES + [((33, 31), 5, None)]),
    ("cdf53", "i32", 1 << 27, [((33,), 5, None), ((12, 15), 2, None)]),
    ("cdf53", "i16", 500, SHAPES),
    ("cdf53", "i16", 7500, [((21,), 1, None), ((8, 9), 1, None)]),
    ("cdf97", "f64", None, SHAPES + [((29, 23), 5, None)]),
]


def worked_example():
    """Annex J.10: a 1 by 9 image, level-shifted by 128, one level of 5-3."""
    x = np.array([101, 103, 104, 105, 96, 97, 96, 102, 109]).reshape(9, 1) - 128
    y = np.array([-26, -22, -30, -32, -19, 1, 5, 1, 0]).reshape(9, 1)
    assert (FDWT(x, 1, FILTD_53R) == y).all()
    return case("ITU-T T.800 J.10", "cdf53", "symmetric", "i32", 1, [0, 1], x, y)


def main():
    inputs, cases = Inputs(2), [worked_example()]
    for wavelet, sample, limit, shapes in BATCHES:
        for shape, levels, axes in shapes:
            axes = axes_of(shape, axes)
            x = inputs.floats(shape) if sample == "f64" else inputs.ints(shape, limit)
            y = per_picture(x, axes, FDWT, levels, FILTERS[wavelet])
            cases.append(case("ITU-T T.800 F.4", wavelet, "symmetric", sample, levels, axes, x, y))
    write("jpeg2000.jsonl", cases)


if __name__ == "__main__":
    main()
