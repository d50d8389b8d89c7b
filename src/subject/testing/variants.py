"""Implementations that are right, each in its own way, and wrong by little, for src/gate/gate_test.cpp.

    variants.py NAME
"""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import numpy as np

from posproof_subject import hello, serve

f32 = np.float32
variant, asked = sys.argv[1], hello()
dim, base, heads = asked.get("dim", 8), asked.get("base", 10000), asked.get("heads", 1)


def frequencies():
    return (f32(1) / f32(base) ** (np.arange(0, dim, 2).astype(f32) / f32(dim))).astype(f32)


def rounded(x, bits):
    """x with so many bits after the first, as 11 in f16 (but for its range) or tf32."""
    fraction, exponent = np.frexp(np.asarray(x, np.float64))
    return np.ldexp(np.round(np.ldexp(fraction, bits)), exponent - bits).astype(f32)


def rotated(x, angles, keep=f32):
    """Half-split; angles [batch, n, dim / 2]."""
    angles = angles[:, None]
    cos, sin = np.cos(angles).astype(keep), np.sin(angles).astype(keep)
    first, second = x[..., : dim // 2], x[..., dim // 2 : dim]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin, x[..., dim:]], axis=-1)


def product(positions):
    return positions[..., None].astype(f32) * frequencies()


# ---- RoPE that is right

def half_split():
    serve(rotate=lambda x, positions, role: rotated(x, product(positions)))


def complex_numbers():
    def rotate(x, positions, role):
        unit = np.exp(1j * positions[:, None, :, None] * base ** (-np.arange(0, dim, 2) / dim)).astype(np.complex64)
        return (x.view(np.complex64) * unit).view(f32)

    serve(rotate=rotate)


def iterated():
    def rotate(x, positions, role):
        ratio, angle, angles = f32(base) ** f32(-2 / dim), positions.astype(f32), []
        for _ in range(dim // 2):
            angles.append(angle)
            angle = angle * ratio
        return rotated(x, np.stack(angles, axis=-1))

    serve(rotate=rotate, precision="f32+iterated")


def power_of_the_ratio():
    ladder = (f32(base) ** f32(-2 / dim)) ** np.arange(dim // 2).astype(f32)
    serve(rotate=lambda x, positions, role: rotated(x, positions[..., None].astype(f32) * ladder), precision="f32+iterated")


def exponential():
    ladder = np.exp(np.arange(0, dim, 2).astype(f32) * f32(-math.log(base) / dim))
    serve(rotate=lambda x, positions, role: rotated(x, positions[..., None].astype(f32) * ladder))


def timescale():
    scale = f32(base) ** (np.arange(0, dim, 2).astype(f32) / f32(dim))
    serve(rotate=lambda x, positions, role: rotated(x, positions[..., None].astype(f32) / scale))


def cached():
    table = np.outer(np.arange(2048).astype(f32), frequencies())
    serve(rotate=lambda x, positions, role: rotated(x, table[positions]), domain=(0, 2047), ends=True, decline=IndexError)


def fp16_over_fp32():
    serve(rotate=lambda x, positions, role: rotated(x.astype(f32), product(positions)).astype(np.float16), dtype="f16")


# ---- RoPE that is wrong

def bf16_angles():
    serve(rotate=lambda x, positions, role: rotated(x, rounded(product(positions), 8)))


def bf16_frequencies():
    serve(rotate=lambda x, positions, role: rotated(x, positions[..., None].astype(f32) * rounded(frequencies(), 8)))


def tf32_angles():
    serve(rotate=lambda x, positions, role: rotated(
        x, rounded(positions, 11)[..., None] * rounded(frequencies(), 11)))


def fp16_positions():  # past 65504 they are infinite, and the answer is no number
    serve(rotate=lambda x, positions, role: rotated(
        x, positions.astype(np.float16)[..., None].astype(f32) * frequencies()))


def one_frequency():
    ladder = frequencies()
    ladder[-1] *= f32(1 + 1e-4)
    serve(rotate=lambda x, positions, role: rotated(x, positions[..., None].astype(f32) * ladder))


def one_position():
    serve(rotate=lambda x, positions, role: rotated(x, product(positions + (positions == 2731))), domain=(0, 4095))


def last_head():  # one head of several, at one position
    def rotate(x, positions, role):
        out = rotated(x, product(positions))
        if x.shape[1] > 1:
            out[:, -1] = np.where((positions == 700)[..., None], x[:, -1], out[:, -1])
        return out

    serve(rotate=rotate)


def first_head_only():
    def rotate(x, positions, role):
        return np.concatenate([rotated(x[:, :1], product(positions)), x[:, 1:]], axis=1)

    serve(rotate=rotate)


def rest_of_a_tile():  # tokens past the last whole tile of 16
    def rotate(x, positions, role):
        whole = x.shape[2] // 16 * 16 if x.shape[2] > 16 else x.shape[2]
        return np.concatenate([rotated(x, product(positions))[:, :, :whole], x[:, :, whole:]], axis=2)

    serve(rotate=rotate)


def empty_call_of_another_shape():
    serve(rotate=lambda x, positions, role: rotated(x, product(positions)) if positions.size else x[:1, :1])


def no_empty_calls():  # nothing has no maximum
    serve(rotate=lambda x, positions, role: rotated(x, product(np.minimum(positions, positions.max()))))


def one_of_many_positions():
    serve(rotate=lambda x, positions, role: rotated(x, product(positions + (positions == 12347))))


def does_not_end():
    serve(rotate=lambda x, positions, role: rotated(x, product(np.minimum(positions, 4095))), domain=(0, 4095), ends=True)


def keys_are_not_rotated():
    serve(rotate=lambda x, positions, role: x if role == "key" else rotated(x, product(positions)))


def positions_of_row_0():
    serve(rotate=lambda x, positions, role: rotated(x, product(np.broadcast_to(positions[:1], positions.shape))))


def stale_cache():
    tables = {}
    serve(rotate=lambda x, positions, role: rotated(x, tables.setdefault(positions.size, product(positions))))


def clamped():
    serve(rotate=lambda x, positions, role: rotated(x, product(np.minimum(positions, 2047))))


def swapped():
    def rotate(x, positions, role):
        return np.roll(rotated(x, product(positions)), dim // 2, axis=-1)

    serve(rotate=rotate)


def not_a_number():
    def rotate(x, positions, role):
        return np.where((positions == 1)[:, None, :, None], f32(np.nan), rotated(x, product(positions)))

    serve(rotate=rotate)


# ---- attention, biases

def attention(scale, slope=0, across=True):
    def attend(q, k, v, mask):
        if not across and len(q) != len(k):
            raise ValueError("queries and keys are of one sequence")
        offset = np.arange(len(k)) - np.arange(len(q))[:, None]
        logits = np.where(mask, q @ k.T * f32(scale) + f32(slope) * offset.astype(f32), f32(-np.inf))
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True) @ v

    serve(attend=attend)


def softmax_of_fp32():
    attention(dim**-0.5)


def self_attention_alone():
    attention(dim**-0.5, across=False)


def softmax_with_alibi():  # of one head of four channels; keys after the query would be favoured, but none is seen
    attention(4**-0.5, slope=2**-8)


def divided_by_the_width():
    attention(1 / dim)


def slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * (h + 1) / n) for h in range(n)]
    below = 1 << (n.bit_length() - 1)
    return slopes(below) + slopes(2 * below)[0::2][: n - below]


def alibi(distance, m):
    m = np.array(m, f32)[:, None, None]
    serve(bias=lambda queries, keys: m * distance(keys[None, None] - queries[None, :, None]))


def slopes_by_recursion():
    alibi(lambda offset: offset.astype(f32), slopes(heads))


def distance_in_bf16():
    alibi(lambda offset: rounded(offset, 8), slopes(heads))


def one_set_of_slopes():
    alibi(lambda offset: offset.astype(f32), [2 ** (-8 * (h + 1) / heads) for h in range(heads)])


def buckets(edge):
    rows = (np.arange(32)[:, None] + 32 * np.arange(heads)).astype(f32)

    def bias(queries, keys):
        relative = keys[None, :] - queries[:, None]
        far = np.abs(relative)
        logarithmic = 8 + (np.log(np.maximum(far, 1).astype(f32) / f32(8)) / f32(math.log(16)) * f32(8)).astype(int)
        bucket = np.where(far < 8, far, np.minimum(logarithmic, 15)) - (far == edge)
        return rows[np.where(relative > 0, 16, 0) + bucket].transpose(2, 0, 1)

    serve(bias=bias)


def logarithms_in_f32():
    buckets(edge=-1)


def edge_off_by_one():
    buckets(edge=64)


globals()[variant]()
