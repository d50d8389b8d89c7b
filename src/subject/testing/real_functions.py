"""Functions of real numbers as their projects write them, in numpy's float32: one argument more makes them wrong in one way."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve, trained  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
wrong = sys.argv[1] if len(sys.argv) > 1 else ""


def shares(seed, count, first=0):
    """SplitMix64 at seed * 2^32 + n: uniform in [0, 1)."""
    with np.errstate(over="ignore"):
        z = (np.uint64(int(seed) << 32) + np.arange(first, first + count, dtype=np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def listed(name, count):
    numbers = list(asked[name])
    return np.array((numbers + numbers[-1:] * count)[:count])


def timestep_embedding(positions):
    """diffusers.models.embeddings.get_timestep_embedding"""
    dim, shift = asked["dim"], asked["shift"]
    t = positions.astype(f32)
    if wrong == "whole_timesteps":
        t = np.trunc(t)
    half = dim // 2
    if wrong == "other_shift":
        shift = 1 - shift
    exponent = f32(-math.log(asked["max_period"])) * np.arange(half, dtype=f32) / f32(half - shift)
    angles = t[:, None] * np.exp(exponent)[None, :]
    if wrong != "scale_ignored":
        angles = f32(asked["scale"]) * angles
    halves = [np.sin(angles), np.cos(angles)]
    if (asked["layout"] == "cos_sin") != (wrong == "not_flipped"):
        halves.reverse()
    padding = np.zeros((len(t), dim % 2), f32)
    return np.concatenate([padding] + halves if wrong == "padded_first" else halves + [padding], axis=1)


def nerf(positions):
    """nerf-pytorch's Embedder, jaxnerf's posenc, tiny-cuda-nn's Frequency and nerfstudio's NeRFEncoding, by their order"""
    axes, count, order = asked["axes"], asked["frequencies"], asked["order"]
    x = positions.reshape(len(positions), axes).astype(f32)
    powers = f32(2) ** np.arange(count, dtype=f32)
    if asked["bands"] == "linear":
        powers = np.linspace(1, asked["last_band"] + (1 if wrong == "one_more" else 0), count, dtype=f32)
    if wrong == "from_two":
        powers = 2 * powers
    if wrong == "linear":
        powers = np.arange(1, count + 1, dtype=f32)
    factor = {"one": f32(1), "pi": f32(math.pi), "two_pi": f32(2 * math.pi)}[asked["factor"]]
    if wrong == "pi_ignored":
        factor = f32(1)
    scaled = (factor * x if order != "frequency_part_axis" else x)[:, None, :] * powers[:, None]  # token, frequency, axis
    if order == "frequency_part_axis":
        scaled = scaled * factor
    shifted = order in ("part_frequency_axis", "part_axis_frequency")  # the cosine is a sine of pi/2 more
    cosines = np.sin(scaled + f32(math.pi / 2)) if shifted else np.cos(scaled)
    both = np.stack([np.sin(scaled), cosines])  # part, token, frequency, axis
    if wrong == "axes_swapped":
        both = both[..., ::-1]
    moved = {"axis_frequency_part": (1, 3, 2, 0), "frequency_part_axis": (1, 2, 0, 3),
             "part_frequency_axis": (1, 0, 2, 3), "part_axis_frequency": (1, 0, 3, 2)}[order]
    if wrong == "cosines_first":
        both = both[::-1]
    waves = both.transpose(moved).reshape(len(x), -1)
    where = {"first": "last", "last": "first"}.get(asked["input"]) if wrong == "input_other_end" else asked["input"]
    return np.concatenate({"none": [waves], "first": [x, waves], "last": [waves, x]}[where], axis=1)


def gaussian_fourier(positions):
    """Tancik et al.'s input_mapping, score-SDE's GaussianFourierProjection"""
    axes, count = asked["axes"], asked["dim"] // 2
    v = positions.reshape(len(positions), axes).astype(f32)
    if asked["matrix"] == "listed":
        matrix = listed("entries", count * axes)
    else:
        sigma = asked["sigma"] if wrong != "variance" else asked["sigma"] ** 2
        matrix = trained(count * axes, asked["matrix_seed"], sigma)
    matrix = matrix.reshape((count, axes) if wrong != "transposed" else (axes, count)).astype(f32)
    if wrong == "transposed":
        matrix = np.ascontiguousarray(matrix.T)
    if (asked["factor"] == "two_pi") != (wrong == "other_factor"):
        matrix = matrix * f32(2 * math.pi)
    angles = v @ matrix.T
    halves = [np.cos(angles), np.sin(angles)]
    if (asked["layout"] == "sin_cos") != (wrong == "halves_swapped"):
        halves.reverse()
    return np.concatenate(halves, axis=1) * (amplitude(asked["dim"]) if wrong != "unscaled" else f32(1))


def amplitude(dim):
    return {"one": np.sqrt(f32(2) / f32(dim)), "none": f32(1), "inverse_root_of_dim": f32(1) / np.sqrt(f32(dim))}[asked["norm"]]


def random_fourier(positions):
    """Rahimi and Recht's features; in the phase form sklearn's RBFSampler"""
    dim, paired = asked["dim"], asked["form"] == "paired"
    count = dim // 2 if paired else dim
    t = positions.astype(f32)[:, None]
    if asked["frequencies"] == "listed":
        w, b = listed("frequency_list", count), (listed("phase_list", count) if not paired else np.zeros(count))
    else:
        w = trained(count, asked["frequency_seed"], asked["sigma"], normal=True)
        b = 2 * math.pi * shares(asked["frequency_seed"], count, 2 * count)
        if wrong == "half_the_phases":
            b = b / 2
    size = amplitude(dim)
    if wrong == "root_of_two":
        size = np.sqrt(f32(2) / f32(dim))
    if wrong == "root_of_dim":
        size = np.sqrt(f32(1) / f32(dim))
    if not paired:
        function = np.sin if wrong == "sines" else np.cos
        return (size * function(t * w.astype(f32) + b.astype(f32))).astype(f32)
    angles = t * w.astype(f32)
    halves = {"cos_sin": (np.cos, np.sin), "sin_cos": (np.sin, np.cos), "interleaved": (np.cos, np.sin)}[asked["layout"]]
    if wrong == "halves_swapped":
        halves = halves[::-1]
    parts = [size * function(angles) for function in halves]
    if asked["layout"] == "interleaved" and wrong != "not_interleaved":
        return np.stack(parts, axis=2).reshape(len(t), dim)
    return np.concatenate(parts, axis=1)


def complex_order(positions):
    """FreedomIntelligence/complex-order: a word's number times the powers, a phase and a modulus of its own"""
    count = asked["dim"] // 2
    c = np.arange(count, dtype=f32)
    doubled = {"full_range": 2 * c, "paired": 2 * np.floor(c / 2), "half_range": c}[asked["exponent"]]
    if wrong == "other_range":
        doubled = c if asked["exponent"] == "full_range" else 2 * c
    w = f32(1) / f32(asked["base"]) ** (doubled / f32(count))
    if wrong != "word_ignored":
        w = f32(asked["word"]) * w
    angles = positions.astype(f32)[:, None] * w
    if asked["phase"] == "seeded" and wrong != "phase_ignored":
        angles = angles + (f32(2 * math.pi) * shares(asked["word_seed"], count, count).astype(f32))
    r = np.ones(count, f32)
    if asked["modulus"] == "seeded":
        r = (math.sqrt(3) * (2 * shares(asked["word_seed"], count) - 1)).astype(f32)
    if wrong == "positive_modulus":
        r = np.abs(r)
    imaginary = r * np.sin(angles)
    parts = [r * np.cos(angles), -imaginary if wrong == "conjugate" else imaginary]
    if asked["layout"] == "interleaved":
        return np.stack(parts, axis=2).reshape(len(positions), asked["dim"])
    return np.concatenate(parts, axis=1)


def learned(positions):
    """fairseq's LearnedPositionalEmbedding: the positions of a mask, cumsum(mask) * mask + padding_idx, in an nn.Embedding"""
    length, dim, padding = asked["length"], asked["dim"], asked["padding_row"]
    table = np.arange(length * dim, dtype=f32).reshape(length, dim)
    if wrong != "padding_learned":
        table[padding] = 0
    mask = positions >= 0
    counted = positions + 1  # what cumsum(mask) is at a token that is no padding
    ids = (counted * mask + padding if wrong != "padding_counted" else counted + padding + 1).astype(np.int64)
    if wrong == "offset_lost":
        ids = np.where(mask, counted - 1, padding).astype(np.int64)
    if ids.size and not 0 <= ids.min() <= ids.max() < length:
        raise IndexError("the table holds rows 0 to %d" % (length - 1))
    return table[ids]


function = globals()[asked.encoding]
serve(rows=lambda positions, length: function(np.asarray(positions, np.float64)).astype(f32))
