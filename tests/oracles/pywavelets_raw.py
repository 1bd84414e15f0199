"""What PyWavelets itself returns, for the page "Coming from PyWavelets" of the documentation.

Source: PyWavelets 1.9.0.
Rerun:  pip install pywavelets==1.9.0 numpy && python pywavelets_raw.py

Nothing is converted: a line holds an input, the arguments of the call, and the arrays that it returns by the names
that PyWavelets gives them. What they are here is the work of tests/pywavelets.rs.
"""

import json

import numpy as np
import pywt

from cases import DATA, Inputs

WAVELETS = ["bior4.4", "bior2.2", "haar", "db2"]
# (shape, levels): lengths halve evenly at every level.
PERIODIC = [((8,), 1), ((16,), 2), ((32,), 3), ((4, 8), 1), ((16, 8), 2), ((24, 16), 3), ((4, 6, 8), 1), ((8, 4, 12), 2)]
# Lengths of one level of lines, even and odd.
REFLECTED = [6, 7, 8, 13]


def periodic(inputs, wavelet, shape, levels):
    x = inputs.floats(shape)
    kind = {1: "wavedec", 2: "wavedec2", 3: "wavedecn"}[len(shape)]
    result = getattr(pywt, kind)(x, wavelet, "periodization", level=levels)
    bands = [{"level": levels, "name": "a" * len(shape), "values": result[0]}]
    for level, details in zip(range(levels, 0, -1), result[1:]):
        named = {
            "wavedec": lambda: {"d": details},
            "wavedec2": lambda: dict(zip(["cH", "cV", "cD"], details)),
            "wavedecn": lambda: details,
        }[kind]()
        bands += [{"level": level, "name": name, "values": values} for name, values in named.items()]
    return kind, "periodization", x, bands


def reflected(inputs, wavelet, n):
    x = inputs.floats((n,))
    low, high = pywt.dwt(x, wavelet, "reflect")
    bands = [{"level": 1, "name": name, "values": values} for name, values in [("a", low), ("d", high)]]
    return "dwt", "reflect", x, bands


def main():
    inputs = Inputs(2)
    cases = [(w, levels, periodic(inputs, w, shape, levels)) for w in WAVELETS for shape, levels in PERIODIC]
    cases += [(w, 1, reflected(inputs, w, n)) for w in ["bior4.4", "bior2.2"] for n in REFLECTED]
    with open(DATA / "pywavelets_raw.jsonl", "w", encoding="ascii", newline="\n") as file:
        for wavelet, levels, (call, mode, x, bands) in cases:
            for band in bands:
                band["values"] = np.asarray(band["values"]).flatten().tolist()
            line = {
                "call": call,
                "wavelet": wavelet,
                "mode": mode,
                "levels": levels,
                "shape": list(x.shape),
                "input": x.flatten().tolist(),
                "bands": bands,
            }
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
