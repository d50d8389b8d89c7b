"""RoPE's relatives as released code has them, in numpy's float32: one argument more makes them wrong in one way."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
wrong = sys.argv[1] if len(sys.argv) > 1 else ""
dim = asked["dim"]
indices = np.arange(0, dim, 2, dtype=f32)


def halves(x):
    return (x[..., :dim // 2], x[..., dim // 2:]) if asked["layout"] == "half_split" else (x[..., 0::2], x[..., 1::2])


def joined(a, b):
    if asked["layout"] == "half_split" or asked.get("output_layout") == "half_split":
        return np.concatenate([a, b], -1)
    return np.stack([a, b], -1).reshape(a.shape[:-1] + (dim,))


def rotated(x, angles, size=f32(1)):
    a, b = halves(x)
    cos, sin = np.cos(angles) * size, np.sin(angles) * size
    return joined(a * cos - b * sin, a * sin + b * cos).astype(f32)


def dynamic_ntk(x, positions, role):
    factor, trained = asked["factor"], asked["original_length"]
    last = positions.shape[1] - 1 if wrong == "tokens_counted" else positions.max() if positions.size else 0
    length = max(asked["length"] or int(last) + (0 if wrong == "last_position" else 1), trained)
    grown = factor * length / trained - (factor - (0 if wrong == "one_forgotten" else 1))
    base = asked["base"] * grown ** (dim / (dim - (0 if wrong == "plain_power" else 2)))
    return rotated(x, positions.astype(f32)[:, None, :, None] * (f32(1) / f32(base) ** (indices / f32(dim))))


def longrope(x, positions, role):
    last = int(positions.max()) if positions.size else 0
    short = last + 1 <= asked["original_length"] if wrong != "below" else last + 1 < asked["original_length"]
    factors = asked["short_factors"] if short else asked["factors"]
    factors = np.array(factors + factors[-1:] * (dim // 2 - len(factors)), f32)
    angles = positions.astype(f32)[:, None, :, None] * (f32(1) / (factors * f32(asked["base"]) ** (indices / f32(dim))))
    return rotated(x, angles, f32(np.sqrt(1 + np.log(asked["factor"]) / np.log(asked["original_length"]))))


def plain(x, positions, role):
    return rotated(x, positions.astype(f32)[:, None, :, None] * (f32(1) / f32(asked["base"]) ** (indices / f32(dim))))


def xpos(x, positions, role):
    gamma = asked["gamma"]
    zeta = (indices + f32(gamma * dim)) / f32((1 + gamma) * dim)
    if wrong == "zeta_over_half":
        zeta = (indices / 2 + f32(gamma * dim)) / f32((1 + gamma) * dim)
    t = positions.astype(f32)[:, None, :, None]
    power = (t - f32(asked["centre"])) / f32(asked["scale_base"])
    if wrong == "centre_one_off":
        power = (t + 1 - f32(asked["centre"])) / f32(asked["scale_base"])
    size = zeta ** power
    if role == "key" and wrong != "keys_as_queries":
        size = f32(1) / size
    return rotated(x, t * (f32(1) / f32(asked["base"]) ** (indices / f32(dim))), size)


def temperature(x, positions, role):
    if role == "key" and wrong != "keys_too":
        return x
    t = positions.astype(f32)[:, None, :, None] + f32(asked["offset"] if wrong != "offset_forgotten" else 0)
    length = f32(asked["original_length"])
    if asked["form"] == "steps":
        whole = np.floor(t / length) if wrong != "without_floor" else t / length
        size = np.log(whole + f32(1)) * f32(asked["scale"]) + f32(1)
    else:
        size = np.maximum(f32(1), np.log(np.maximum(t, f32(1))) / np.log(length))
    return (x * size).astype(f32)


if asked.encoding == "xpos":
    serve(rotate=xpos)
elif asked.encoding == "attention_temperature":
    serve(rotate=temperature)
else:
    serve(rotate={"dynamic_ntk": dynamic_ntk, "longrope": longrope}.get(asked["scaling"], plain))
