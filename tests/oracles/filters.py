"""Published analysis filters: what a coefficient weighs, far from borders.

A line of filters.jsonl says that, of an input x,

    low[n]  = sum over k of low.taps[k]  * x[2n     + low.first  + k]
    high[n] = sum over k of high.taps[k] * x[2n + 1 + high.first + k]

The taps are typed from the tables named in `source`, or taken from PyWavelets'
filter banks, and scaled: cdf97 and cdf53 to a low-pass gain of 1 at DC and a
high-pass gain of 2 at Nyquist, haar and daub4 orthonormal. PyWavelets' banks
are convolutions, so they are reversed here. Tables do not say at which sample a
filter starts: `first` is our convention.
Rerun:  pip install pywavelets==1.9.0 numpy && python filters.py
"""

import json
from importlib.metadata import version
from math import sqrt

import numpy as np
import pywt

import lifting
from cases import DATA

R2 = sqrt(2)
VERSION = version("pywavelets")  # pywt.__version__ still says 1.8.0 in 1.9.0


def mirrored(half):
    """A symmetric filter from its centre tap outwards."""
    return half[:0:-1] + half


def entry(source, wavelet, low, high):
    def filter(first, taps):
        return {"first": first, "taps": [float(t) for t in taps]}

    return {"source": source, "wavelet": wavelet, "sample": "f64", "low": filter(*low), "high": filter(*high)}


def bank(wavelet, name, first_low, first_high, scale_low, scale_high):
    """A PyWavelets filter bank without the zeros it is padded with."""
    source = f"PyWavelets {VERSION} {name}"
    low, high = [np.trim_zeros(np.array(taps[::-1])) for taps in pywt.Wavelet(name).filter_bank[:2]]
    return entry(source, wavelet, (first_low, low * scale_low), (first_high, high * scale_high))


def table():
    """Typed from print."""
    # The 9/7 of Antonini et al. 1992 with the digits of CCSDS 122.0-B-2 table 3-1,
    # as a public implementation of that standard (xbarin02/ccsds) carries them.
    low97 = [0.852698679009, 0.377402855613, -0.110624404418, -0.023849465020, 0.037828455507]
    high97 = [-0.788485616406, 0.418092273222, 0.040689417609, -0.064538882629]
    # Daubechies 1992, table 6.1, N = 2; and its high-pass by alternating flip.
    db2 = [0.4829629131445341, 0.8365163037378079, 0.2241438680420134, -0.1294095225512604]
    flip = [-db2[3], db2[2], -db2[1], db2[0]]
    return [
        entry(
            "CCSDS 122.0-B-2 table 3-1, low / sqrt 2, high * -sqrt 2",
            "cdf97",
            (-4, [t / R2 for t in mirrored(low97)]),
            (-3, [t * -R2 for t in mirrored(high97)]),
        ),
        entry(
            "Le Gall and Tabatabai 1988",
            "cdf53",
            (-2, [-1 / 8, 2 / 8, 6 / 8, 2 / 8, -1 / 8]),
            (-1, [-1 / 2, 1, -1 / 2]),
        ),
        entry("Haar 1910", "haar", (0, [1 / R2, 1 / R2]), (-1, [-1 / R2, 1 / R2])),
        entry("Daubechies 1992 table 6.1", "daub4", (0, db2), (-3, flip)),
    ]


def banks():
    return [
        bank("cdf97", "bior4.4", -4, -3, 1 / R2, -R2),
        bank("cdf53", "bior2.2", -2, -1, 1 / R2, -R2),
        bank("haar", "haar", 0, -1, 1, -1),
        bank("daub4", "db2", 0, -3, 1, -1),
    ]


def check(e):
    """Every output against lifting of impulses in a long line."""
    n, middle = 64, 16
    rows = {"low": {}, "high": {}}
    for place in range(n):
        y = lifting.line(e["wavelet"], "symmetric", "f64", [float(i == place) for i in range(n)])
        for band, at, even in (("low", middle, 2 * middle), ("high", n // 2 + middle, 2 * middle + 1)):
            rows[band][place - even] = y[at]
    worst = 0.0
    for band, found in rows.items():
        taps = dict(enumerate(e[band]["taps"], e[band]["first"]))
        worst = max([worst] + [abs(taps.get(offset, 0.0) - value) for offset, value in found.items()])
    assert worst < 2e-12, (e["source"], e["wavelet"], worst)
    return worst


def main():
    entries = table() + banks()
    worst = max(check(e) for e in entries)
    path = DATA / "filters.jsonl"
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.writelines(json.dumps(e, separators=(",", ":")) + "\n" for e in entries)
    print(f"filters.jsonl: {len(entries)} lines, {path.stat().st_size} bytes, worst error {worst:.1e}")


if __name__ == "__main__":
    main()
