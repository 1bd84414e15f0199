"""A tiny lifting transform: the check on the oracles, never their source.

Slow, scalar, Python numbers of any size. For integers it asserts what the
library needs to agree with a standard: every sum fits 32 bits and every stored
value fits the sample.
"""

from math import sqrt

import numpy as np

# One step: target channel, offset of the first tap, taps, bias, shift.
# Each adds `sum >> shift` (or the plain sum, where shift is None) to its target.
# Where a standard subtracts, `sign` is -1: -(t >> k) is not (-t) >> k.


def step(target, sign, first, taps, bias=0, shift=None):
    return (target, sign, first, taps, bias, shift)


HALF = [1, 1]
DD4 = [-1, 9, 9, -1]
R3 = sqrt(3)

STEPS = {
    ("cdf53", "int"): [step("d", -1, 0, HALF, 0, 1), step("s", 1, -1, HALF, 2, 2)],
    ("cdf53", "float"): [step("d", -1, 0, [0.5, 0.5]), step("s", 1, -1, [0.25, 0.25])],
    ("cdf97", "float"): [
        step("d", 1, 0, [-1.586134342059924] * 2),
        step("s", 1, -1, [-0.052980118572961] * 2),
        step("d", 1, 0, [0.882911075530934] * 2),
        step("s", 1, -1, [0.443506852043971] * 2),
    ],
    ("haar", "float"): [step("d", -1, 0, [1.0]), step("s", 1, 0, [0.5])],
    ("daub4", "float"): [
        step("s", 1, 0, [R3]),
        step("d", 1, -1, [-(R3 - 2) / 4, -R3 / 4]),
        step("s", -1, 1, [1.0]),
    ],
    ("ccsds97m", "int"): [step("d", -1, -1, DD4, 8, 4), step("s", -1, -1, [-1, -1], 2, 2)],
    ("vc2-dd97", "int"): [step("d", -1, -1, DD4, 8, 4), step("s", 1, -1, HALF, 2, 2)],
    ("vc2-legall53", "int"): [step("d", -1, 0, HALF, 1, 1), step("s", 1, -1, HALF, 2, 2)],
    ("vc2-dd137", "int"): [step("d", -1, -1, DD4, 8, 4), step("s", 1, -2, DD4, 16, 5)],
    ("vc2-haar0", "int"): [step("d", -1, 0, [1], 0, 0), step("s", 1, 0, [1], 1, 1)],
    ("vc2-haar1", "int"): [step("d", -1, 0, [1], 0, 0), step("s", 1, 0, [1], 1, 1)],
    ("vc2-fidelity", "int"): [
        step("s", 1, -4, [-8, 21, -46, 161, 161, -46, 21, -8], 128, 8),
        step("d", -1, -3, [-2, 10, -25, 81, 81, -25, 10, -2], 128, 8),
    ],
    ("vc2-daub97", "int"): [
        step("d", -1, 0, [6497] * 2, 2048, 12),
        step("s", -1, -1, [217] * 2, 2048, 12),
        step("d", 1, 0, [3616] * 2, 2048, 12),
        step("s", 1, -1, [1817] * 2, 2048, 12),
    ],
}
SCALES = {
    "cdf97": (1 / 1.230174104914001, 1.230174104914001),
    "haar": (sqrt(2), 1 / sqrt(2)),
    "daub4": ((R3 - 1) / sqrt(2), (R3 + 1) / sqrt(2)),
}
PRE_SHIFT = {"vc2-dd97": 1, "vc2-legall53": 1, "vc2-dd137": 1, "vc2-haar1": 1, "vc2-daub97": 1}
LIMIT = {"i16": 1 << 15, "i32": 1 << 31}


def x_first(wavelet):
    """VC-2 and CCSDS 122 transform rows before columns, JPEG 2000 after."""
    return wavelet.startswith(("vc2", "ccsds"))


def neighbour(boundary, channel, other, i, n):
    """The sample of channel `other` that stands for index `i`, n samples in all."""
    last = len(channel) - 1
    if 0 <= i <= last:
        return channel[i]
    if boundary == "zero":
        return 0
    if boundary == "clamp":
        return channel[min(max(i, 0), last)]
    if boundary == "periodic":
        return channel[i % len(channel)]
    odd = 1 if other == "d" else 0
    place = (2 * i + odd) % (2 * (n - 1))
    return channel[min(place, 2 * (n - 1) - place) // 2]


def line(wavelet, boundary, sample, x):
    """One level of one line: low samples, then high samples."""
    n = len(x)
    channels = {"s": list(x[0::2]), "d": list(x[1::2])}
    kind = "int" if sample in LIMIT else "float"
    for target, sign, first, taps, bias, shift in STEPS[wavelet, kind]:
        other = "d" if target == "s" else "s"
        source, updated = channels[other], []
        for k, value in enumerate(channels[target]):
            total = bias + sum(tap * neighbour(boundary, source, other, k + first + j, n) for j, tap in enumerate(taps))
            if shift is not None:
                assert -(1 << 31) <= total < 1 << 31, "a sum does not fit 32 bits"
                total >>= shift
            updated.append(value + sign * total)
        channels[target] = updated
        if kind == "int":
            assert all(-LIMIT[sample] <= v < LIMIT[sample] for v in updated), "a sample does not fit"
    low, high = SCALES.get(wavelet, (1, 1))
    return [low * v for v in channels["s"]] + [high * v for v in channels["d"]]


def forward(wavelet, boundary, sample, levels, axes, x):
    y = np.array(x, dtype=object)
    corner = list(y.shape)
    for _ in range(levels):
        active = [axis for axis in sorted(axes) if corner[axis] > 1]
        if not active:
            break
        place = tuple(slice(0, n) for n in corner)
        part = y[place] * (1 << PRE_SHIFT.get(wavelet, 0))
        for axis in reversed(active) if x_first(wavelet) else active:
            part = np.apply_along_axis(lambda v: np.array(line(wavelet, boundary, sample, v), dtype=object), axis, part)
        y[place] = part
        for axis in axes:
            corner[axis] = (corner[axis] + 1) // 2
    return y
