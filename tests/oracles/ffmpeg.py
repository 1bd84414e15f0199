"""The seven VC-2 filters by FFmpeg: its decoder must restore the pictures from the coefficients of `vc2.py`.

Source: FFmpeg as imageio-ffmpeg 0.8.1 packs it. The conformance software's encoder writes a lossless stream with the
coefficients of its own `dwt`, which is what `vc2.py` records; FFmpeg decodes it. So a decoder in use inverts every
band of every level to the picture, sample by sample. Nothing is written.
Rerun:  pip install -r requirements.txt && python ffmpeg.py

Sizes that are no multiples of 2^levels are extended by the encoder, as VC-2 demands, and cut by the decoder. Left out
is what FFmpeg decodes wrongly: rows of four samples and less with vc2-dd137, odd widths of 8 bits with vc2-haar0, and
more than 8 bits with vc2-daub97 (its last column loses the sign).
"""

import io
import subprocess
import tempfile
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from vc2_conformance.bitstream import Stream, autofill_and_serialise_stream
from vc2_conformance.codec_features import CodecFeatures
from vc2_conformance.encoder.sequence import make_sequence
from vc2_conformance.pseudocode.video_parameters import set_source_defaults
from vc2_data_tables import (
    BaseVideoFormats,
    ColorDifferenceSamplingFormats,
    Levels,
    PictureCodingModes,
    Profiles,
)

import lifting
from cases import Inputs
from vc2 import FILTERS, transform

# Bits per sample; all others have 10.
BITS = {"vc2-daub97": 8}
# (height, width, levels)
PICTURES = [(64, 96, 3), (128, 80, 4), (50, 38, 1), (37, 53, 2), (63, 65, 3)]


def stream(planes, bits, filter, levels):
    """A lossless stream of one picture of three planes of unsigned samples."""
    height, width = planes[0].shape
    video = set_source_defaults(BaseVideoFormats.custom_format)
    video["frame_width"] = video["clean_width"] = width
    video["frame_height"] = video["clean_height"] = height
    video["color_diff_format_index"] = ColorDifferenceSamplingFormats.color_4_4_4
    video["luma_offset"], video["luma_excursion"] = [(0, 255), (64, 876)][bits > 8]
    video["color_diff_offset"], video["color_diff_excursion"] = [(128, 255), (512, 896)][bits > 8]
    unweighted = {level: {"HL": 0, "LH": 0, "HH": 0} for level in range(1, levels + 1)}
    features = CodecFeatures(
        name="lossless",
        level=Levels.unconstrained,
        profile=Profiles.high_quality,
        picture_coding_mode=PictureCodingModes.pictures_are_frames,
        video_parameters=video,
        wavelet_index=filter,
        wavelet_index_ho=filter,
        dwt_depth=levels,
        dwt_depth_ho=0,
        slices_x=1,
        slices_y=1,
        fragment_slice_count=0,
        lossless=True,
        picture_bytes=None,
        quantization_matrix={0: {"LL": 0}, **unweighted},
    )
    picture = {name: plane.tolist() for name, plane in zip(("Y", "C1", "C2"), planes)}
    file = io.BytesIO()
    autofill_and_serialise_stream(file, Stream(sequences=[make_sequence(features, [picture | {"pic_num": 0}])]))
    return file.getvalue()


def decode(data, bits, shape):
    pixels, kind = [("yuv444p", np.uint8), ("yuv444p10le", "<u2")][bits > 8]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.drc"
        path.write_bytes(data)
        words = ["-v", "error", "-f", "dirac", "-i", path, "-f", "rawvideo", "-pix_fmt", pixels, "-"]
        run = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *words], check=True, capture_output=True)
    return np.frombuffer(run.stdout, kind).reshape((3, *shape))


def main():
    inputs = Inputs(6)
    for wavelet, filter in FILTERS.items():
        bits = BITS.get(wavelet, 10)
        half = 1 << (bits - 1)
        for height, width, levels in PICTURES:
            planes = [inputs.ints((height, width), half).clip(-half, half - 1) + half for _ in range(3)]
            decoded = decode(stream(planes, bits, filter, levels), bits, (height, width))
            assert (decoded == planes).all(), (wavelet, height, width, levels)
            if height % (1 << levels) == width % (1 << levels) == 0:
                x = planes[0] - half
                y = lifting.forward(wavelet, "clamp", "i32", levels, [0, 1], x)
                assert (y == transform(x, wavelet, levels, False)).all()
    print(f"FFmpeg restores {len(FILTERS) * len(PICTURES)} pictures of three planes from their coefficients")


if __name__ == "__main__":
    main()
