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
    half = x.shape[-1] // 2
    return (x[..., :half], x[..., half:]) if asked["layout"] == "half_split" else (x[..., 0::2], x[..., 1::2])


def joined(a, b):
    if asked["layout"] == "half_split" or asked.get("output_layout") == "half_split":
        return np.concatenate([a, b], -1)
    return np.stack([a, b], -1).reshape(a.shape[:-1] + (2 * a.shape[-1],))


def rotated(x, angles, size=f32(1)):
    a, b = halves(x)
    cos, sin = np.cos(angles) * size, np.sin(angles) * size
    return joined(a * cos - b * sin, a * sin + b * cos).astype(f32)


def lengths(positions):
    """Of the call, or of each of its rows: [1 or batch, 1, 1, 1]."""
    if wrong == "tokens_counted":
        return np.full((1, 1, 1, 1), positions.shape[1])
    by_row = (asked["length_of"] == "row") != (wrong == "other_rows")
    rows = positions.reshape(len(positions) if by_row else 1, -1)
    return rows.max(axis=1, initial=-1)[:, None, None, None] + (0 if wrong == "last_position" else 1)


def dynamic_ntk(x, positions, role):
    factor, trained = asked["factor"], asked["original_length"]
    length = np.maximum(asked["length"] or lengths(positions), trained)
    grown = factor * length / trained - (factor - (0 if wrong == "one_forgotten" else 1))
    base = np.asarray(asked["base"] * grown ** (dim / (dim - (0 if wrong == "plain_power" else 2))), f32)
    return rotated(x, positions.astype(f32)[:, None, :, None] * (f32(1) / base ** (indices / f32(dim))))


def longrope(x, positions, role):
    length = asked["length"] or lengths(positions)
    short = length <= asked["original_length"] if wrong != "below" else length < asked["original_length"]
    factors = [np.array(one + one[-1:] * (dim // 2 - len(one)), f32) for one in (asked["short_factors"], asked["factors"])]
    inverse = f32(1) / (np.where(short, *factors) * f32(asked["base"]) ** (indices / f32(dim)))
    return rotated(x, positions.astype(f32)[:, None, :, None] * inverse,
                   f32(np.sqrt(1 + np.log(asked["factor"]) / np.log(asked["original_length"]))))


def plain(x, positions, role):
    return rotated(x, positions.astype(f32)[:, None, :, None] * (f32(1) / f32(asked["base"]) ** (indices / f32(dim))))


def xpos(x, positions, role):
    gamma, width = asked["gamma"], asked["rotary_dim"] or dim
    kept, x, indices = x[..., width:], x[..., :width], np.arange(0, width, 2, dtype=f32)
    over = dim if wrong == "zeta_over_the_head" else width
    zeta = (indices + f32(gamma * over)) / f32((1 + gamma) * over)
    if wrong == "zeta_over_half":
        zeta = (indices / 2 + f32(gamma * over)) / f32((1 + gamma) * over)
    t = positions.astype(f32)[:, None, :, None]
    centre = asked["centre"] + (-1 if wrong == "centre_one_off" else 0)
    if asked["centre_at"] != "position":  # (n + 1) // 2 is -(-n // 2)
        up = asked["centre_at"] == "half_of_call_rounded_up"
        by_row = (asked["length_of"] == "row") != (wrong == "other_rows")
        longest = positions.max(axis=-1 if by_row else None, keepdims=True)
        centre = (longest + (2 if up != (wrong == "rounded_otherwise") else 1)) // 2
        if wrong == "half_of_the_last":
            centre = positions.max() / 2
        centre = np.reshape(centre, (-1, 1, 1, 1)) if np.ndim(centre) else centre
    power = (t - np.asarray(centre, f32)) / f32(asked["scale_base"])
    size = zeta ** power
    if role == "key" and wrong != "keys_as_queries":
        size = f32(1) / size
    if wrong == "kept_scaled":
        kept = (kept * size[..., :1]).astype(f32)
    return np.concatenate([rotated(x, t * (f32(1) / f32(asked["base"]) ** (indices / f32(width))), size), kept], -1)


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


by_kind = {"dynamic_ntk": dynamic_ntk, "longrope": longrope}.get(asked.get("scaling"), plain)
if asked.encoding == "xpos" and wrong == "offset":
    serve(rotate=lambda x, first, role: xpos(x, first + np.arange(x.shape[2])[None], role), takes_positions=wrong)
elif asked.encoding == "xpos" and wrong == "sequence":
    serve(rotate=lambda x, role: xpos(x, np.arange(x.shape[2])[None], role), takes_positions=wrong, domain=(0, 1023))
elif asked.encoding == "xpos":
    serve(rotate=xpos)
elif asked.encoding == "attention_temperature":
    serve(rotate=temperature)
elif wrong in ("shared", "ascending"):
    serve(rotate=lambda x, positions: by_kind(x, positions[None], ""), takes_positions=wrong)
elif wrong == "offset":
    serve(rotate=lambda x, first: by_kind(x, first + np.arange(x.shape[2])[None], ""), takes_positions=wrong)
elif wrong == "sequence":
    serve(rotate=lambda x: by_kind(x, np.arange(x.shape[2])[None], ""), takes_positions=wrong)
elif wrong == "one_row":  # the tokens of all sequences behind each other
    serve(rotate=lambda x, positions: by_kind(x.transpose(1, 0, 2)[None], positions[None], "")[0].transpose(1, 0, 2), axes="nhd")
else:
    serve(rotate=by_kind)
