"""cdf53 on integers and cdf97 on floats, by OpenJPEG: whole pictures, every band of every level, odd and even sizes.

Source: OpenJPEG 2.5.0 of Debian 12. `openjpeg.c` encodes a picture by the codec's public functions and prints the
coefficients that its encoder computes on the way. Then the distribution's `opj_decompress -r` decodes the file to the
low band of every level, which must be the low corner of those coefficients, and without -r to the picture itself.
Rerun:  apt-get install gcc libopenjp2-7-dev libopenjp2-tools && pip install numpy && python openjpeg.py

Besides the cases that are written, all sizes of 2 x 2 to 17 x 17 are compared with `lifting.py`, at every number of
levels that the encoder takes: 2^levels may not be more than the shorter side. Samples are within 2000 of 0, so low
bands are within the 16 bits to which the decoder clips.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import lifting
from cases import Inputs, case, write

SAMPLE = {"cdf53": "i32", "cdf97": "f32"}
LIMIT = 2000

# (shape, levels)
PICTURES = {
    "cdf53": [((2, 2), 1), ((2, 3), 1), ((5, 4), 2), ((16, 16), 4), ((9, 31), 3), ((32, 24), 4), ((61, 47), 5)],
    "cdf97": [((2, 2), 1), ((3, 2), 1), ((7, 9), 2), ((16, 12), 3), ((33, 21), 4)],
}


class OpenJpeg:
    def __init__(self, folder):
        self.program, self.file, self.decoded = folder / "openjpeg", folder / "picture.j2k", folder / "picture.rawl"
        source = Path(__file__).with_suffix(".c")
        include = next(Path("/usr/include").glob("openjpeg-2.5"))
        wrapped = [f"-Wl,--wrap=opj_dwt_encode{suffix}" for suffix in ("", "_real")]
        libraries = ["-l:libopenjp2.a", "-lm", "-lpthread"]
        compiler = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-o", self.program]
        subprocess.run([*compiler, source, *wrapped, *libraries], check=True)

    def coefficients(self, x, wavelet, levels):
        height, width = x.shape
        words = [str(word) for word in (width, height, levels, wavelet[3:], self.file)]
        run = subprocess.run([self.program, *words], input=x.astype("<i4").tobytes(), capture_output=True)
        assert run.returncode == 0, run.stderr
        kind = "<i4" if wavelet == "cdf53" else "<f4"
        return np.frombuffer(run.stdout, kind).reshape(x.shape)

    def low_band(self, shape, level):
        """What the last file is decoded to without its finest levels."""
        words = ["opj_decompress", "-quiet", "-i", self.file, "-o", self.decoded, "-r", str(level)]
        subprocess.run(words, check=True, capture_output=True)
        return np.fromfile(self.decoded, "<i2").reshape([(n + (1 << level) - 1) >> level for n in shape])

    def transform(self, x, wavelet, levels):
        """The coefficients, in the Mallat layout, after the decoder has agreed with them."""
        y = self.coefficients(x, wavelet, levels)
        if wavelet == "cdf53":
            assert (self.low_band(x.shape, 0) == x).all()
            low_bands = [self.low_band(x.shape, level) for level in range(1, levels + 1)]
            for level, low in enumerate(low_bands, 1):
                # With fewer levels the same band is in the corner.
                corner = self.coefficients(x, wavelet, level)[: low.shape[0], : low.shape[1]]
                assert (low == corner).all(), (x.shape, levels, level)
        return y


def compare_sizes(codec, inputs):
    compared = 0
    for height in range(2, 18):
        for width in range(2, 18):
            for levels in range(1, min(height, width).bit_length()):
                x = inputs.ints((height, width), LIMIT)
                y = codec.coefficients(x, "cdf53", levels)
                assert (y == lifting.forward("cdf53", "symmetric", "i32", levels, [0, 1], x)).all()
                compared += 1
    print(f"{compared} pictures of 2 x 2 to 17 x 17 are equal")


def main():
    inputs, cases = Inputs(5), []
    with tempfile.TemporaryDirectory() as folder:
        codec = OpenJpeg(Path(folder))
        for wavelet, pictures in PICTURES.items():
            for shape, levels in pictures:
                x = inputs.ints(shape, LIMIT)
                y = codec.transform(x, wavelet, levels)
                if wavelet == "cdf97":
                    # The shortest digits that are this float, not those of the double that it becomes.
                    x, y = x.astype(float), np.array([float(str(v)) for v in y.flat]).reshape(shape)
                cases.append(case("OpenJPEG 2.5.0", wavelet, "symmetric", SAMPLE[wavelet], levels, [0, 1], x, y))
        write("openjpeg.jsonl", cases)
        if "--quick" not in sys.argv:
            compare_sizes(codec, inputs)


if __name__ == "__main__":
    main()
