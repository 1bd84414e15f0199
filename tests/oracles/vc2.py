"""The seven VC-2 filters on integers, by the standard's own pseudocode.

Source: SMPTE ST 2042-1:2017 as BBC's vc2_conformance 1.0.1 and vc2_data_tables
1.0.0 have it: filters from clause 15.4.4, `dwt` the exact inverse of `idwt`
(15.4.1), which is what the standard itself defines.
Rerun:  pip install vc2_conformance==1.0.1 vc2_data_tables==1.0.0 numpy && python vc2.py

One correction. The table of the Fidelity filter has -10 as its second tap in
the odd step: -2, -10, -25, 81, 81, -25, 10, -2. Every other row of the table is
symmetric and sums to a power of two; with +10 this one is (128), as printed it
is not (108). The Schroedinger encoder and FFmpeg have the symmetric row, and so have we (`ffmpeg.py`).

A transform of one axis is VC-2's horizontal-only transform; for another axis
than the last the picture is transposed. Sizes are multiples of 2^levels.
"""

import copy

import numpy as np
from vc2_conformance.pseudocode.picture_decoding import idwt
from vc2_conformance.pseudocode.picture_encoding import dwt
from vc2_data_tables import LIFTING_FILTERS, WaveletFilters

from cases import Inputs, axes_of, case, per_picture, write

fidelity_odd = LIFTING_FILTERS[WaveletFilters.fidelity].stages[0].taps
assert fidelity_odd == [-2, -10, -25, 81, 81, -25, 10, -2]
fidelity_odd[1] = 10

FILTERS = {
    "vc2-dd97": WaveletFilters.deslauriers_dubuc_9_7,
    "vc2-legall53": WaveletFilters.le_gall_5_3,
    "vc2-dd137": WaveletFilters.deslauriers_dubuc_13_7,
    "vc2-haar0": WaveletFilters.haar_no_shift,
    "vc2-haar1": WaveletFilters.haar_with_shift,
    "vc2-fidelity": WaveletFilters.fidelity,
    "vc2-daub97": WaveletFilters.daubechies_9_7,
}


def transform(picture, wavelet, levels, horizontal_only):
    """`dwt` of one picture, its sub-bands put into the Mallat layout."""
    state = {
        "wavelet_index": FILTERS[wavelet],
        "wavelet_index_ho": FILTERS[wavelet],
        "dwt_depth": 0 if horizontal_only else levels,
        "dwt_depth_ho": levels if horizontal_only else 0,
    }
    data = dwt(state, picture.tolist())
    assert idwt(state, copy.deepcopy(data)) == picture.tolist()
    y = np.array(data[0]["L" if horizontal_only else "LL"])
    for level in range(1, levels + 1):
        bands = {name: np.array(band) for name, band in data[level].items()}
        if horizontal_only:
            y = np.block([[y, bands["H"]]])
        else:
            y = np.block([[y, bands["HL"]], [bands["LH"], bands["HH"]]])
    return y


# (sample, size of the inputs, shape, levels, axes)
#   small: video-like;  large: as large as 32-bit sums (or 16-bit samples) allow.
SHAPES = [
    ("i32", "small", (2,), 1, None),
    ("i32", "small", (4,), 2, None),
    ("i32", "small", (6,), 1, None),
    ("i32", "small", (8,), 1, None),
    ("i32", "small", (32,), 5, None),
    ("i32", "small", (2, 2), 1, None),
    ("i32", "small", (4, 6), 1, None),
    ("i32", "small", (8, 12), 2, None),
    ("i32", "small", (34, 10), 1, None),
    ("i32", "small", (24, 40), 3, None),
    ("i32", "small", (32, 32), 5, None),
    ("i32", "small", (1, 16), 3, (1,)),
    ("i32", "small", (12, 3), 2, (0,)),
    ("i32", "small", (2, 8, 4), 2, (1, 2)),
    ("i32", "large", (24,), 3, None),
    ("i32", "large", (16, 12), 2, None),
    ("i16", "small", (16,), 4, None),
    ("i16", "small", (8, 24), 3, None),
    ("i16", "large", (20,), 1, None),
    ("i16", "large", (10, 12), 1, None),
]
# Largest inputs: 32-bit sums bound those of wide taps, headroom the others.
LARGE_I32 = {
    "vc2-dd97": 1 << 23,
    "vc2-legall53": 1 << 25,
    "vc2-dd137": 1 << 23,
    "vc2-haar0": 1 << 27,
    "vc2-haar1": 1 << 25,
    "vc2-fidelity": 1 << 20,
    "vc2-daub97": 1 << 13,
}


def limit(sample, size, wavelet):
    if size == "small":
        return 255 if sample == "i32" else 127
    return LARGE_I32[wavelet] if sample == "i32" else 2047


def main():
    inputs, cases = Inputs(3), []
    for wavelet in FILTERS:
        source = "SMPTE ST 2042-1 (vc2_conformance 1.0.1)"
        for sample, size, shape, levels, axes in SHAPES:
            axes = axes_of(shape, axes)
            x = inputs.ints(shape, limit(sample, size, wavelet))
            y = per_picture(x, axes, transform, wavelet, levels, len(axes) == 1)
            cases.append(case(source, wavelet, "clamp", sample, levels, axes, x, y))
    write("vc2.jsonl", cases)


if __name__ == "__main__":
    main()
