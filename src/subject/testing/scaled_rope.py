"""RoPE's frequencies as released models form them, in numpy's float32: one argument more makes them wrong in one way."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
wrong = sys.argv[1] if len(sys.argv) > 1 else ""
dim = asked["dim"]
width = asked["rotary_dim"] or dim
scaling, factor, length = asked["scaling"], asked["factor"], asked["original_length"]

powers = f32(asked["base"]) ** (np.arange(0, width, 2, dtype=f32) / f32(width))
attention_factor = 1.0
if scaling == "longrope":
    lengthened = asked["factors"] + asked["factors"][-1:] * (width // 2 - len(asked["factors"]))
    if wrong == "one_factor":
        lengthened = [lengthened[0]] * len(lengthened)
    frequencies = f32(1) / (np.array(lengthened, f32) * powers)
    attention_factor = math.sqrt(1 + math.log(factor) / math.log(length)) if wrong != "factor_ignored" else 1.0
elif scaling == "llama3":
    plain = f32(1) / powers
    wavelengths = f32(2 * math.pi) / plain
    low, high = length / asked["low_freq_factor"], length / asked["high_freq_factor"]
    frequencies = np.where(wavelengths > (low if wrong != "low_doubled" else 2 * low), plain / f32(factor), plain)
    if low > high:
        smooth = (f32(length) / wavelengths - f32(asked["low_freq_factor"])) / f32(
            asked["high_freq_factor"] - asked["low_freq_factor"])
        blended = (1 - smooth) * frequencies / f32(factor) + smooth * frequencies
        frequencies = np.where((wavelengths >= high) & (wavelengths <= low), blended, frequencies)
elif scaling == "yarn":
    def index(rotations):
        return width * math.log(length / (rotations * 2 * math.pi)) / (2 * math.log(asked["base"]))

    def mscale(scale):
        return 0.1 * scale * math.log(factor) + 1

    first, last = max(math.floor(index(asked["beta_fast"])), 0), min(math.ceil(index(asked["beta_slow"])), width - 1)
    ramp = np.clip((np.arange(width // 2, dtype=f32) - f32(first)) / f32(max(last - first, 0.001)), 0, 1)
    frequencies = f32(1) / (f32(factor) * powers) * ramp + f32(1) / powers * (1 - ramp)
    attention_factor = mscale(asked["mscale"]) / mscale(asked["mscale_all_dim"] if wrong != "all_dim_ignored" else 0)
else:
    frequencies = f32(1) / powers
kept = asked["kept_pairs"] or width // 2
frequencies[kept + (1 if wrong == "one_more_kept" else 0):] = 0


def rotate(x, positions, role):
    angles = positions.astype(f32)[:, None, :, None] * frequencies
    cos, sin = np.cos(angles) * f32(attention_factor), np.sin(angles) * f32(attention_factor)
    begin = dim - width if (asked["rotary_part"] == "last") != (wrong == "other_part") else 0
    out = x.copy()
    part = x[..., begin:begin + width]
    half = kept if wrong == "halves_of_the_kept" else width // 2
    a, b = part[..., :width // 2], part[..., half:half + width // 2]
    still = np.arange(width // 2) >= kept + (wrong == "one_more_kept")
    out[..., begin:begin + width // 2] = np.where(still, a, a * cos - b * sin)
    out[..., begin + half:begin + half + width // 2] = np.where(still, b, a * sin + b * cos)
    return out.astype(f32)


serve(rotate=rotate)
