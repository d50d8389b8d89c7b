"""Right implementations, each called in another way, for src/subject/ways_test.cpp: what the argument says. A second
argument makes one wrong in a way that only calls of that kind show.

    ways.py WAY [WRONG]
"""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import numpy as np

from posproof_subject import bf16, hello, serve

way, wrong = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
asked = hello()
dim, f32 = asked.get("dim", 4), np.float32


def cosines(positions):
    """Cosines and sines [..., dim] of positions [...], half-split."""
    angles = np.asarray(positions)[..., None].astype(f32) * (f32(1) / f32(10000) ** (np.arange(0, dim, 2) / dim).astype(f32))
    return np.cos(np.concatenate([angles, angles], -1)), np.sin(np.concatenate([angles, angles], -1))


def turned(x, cos, sin):
    other = np.concatenate([-x[..., dim // 2:], x[..., :dim // 2]], -1)
    return (x * cos + other * sin).astype(f32)


def need(condition):
    if not condition:
        raise AssertionError("called otherwise")


def each(x, positions, base=10000.0):  # which is not the role
    need(base == 10000.0 and positions.shape == (x.shape[0], x.shape[2]))
    cos, sin = cosines(positions)
    return turned(x, cos[:, None], sin[:, None])


def each_of_batch_row_0(x, positions):
    cos, sin = cosines(positions[0])
    return turned(x, cos, sin)


def shared(x, positions):
    need(positions.shape == (x.shape[2],))
    return turned(x, *cosines(positions))


def ascending(x, positions):
    need(positions.ndim == 1 and positions.size > 0 and (np.diff(positions) > 0).all())
    return turned(x, *cosines(positions + (wrong == "spread" and len(positions) > 1 and positions[1] > positions[0] + 1)))


def offset(x, first):
    need(type(first) is int and x.shape[2] > 0)
    return turned(x, *cosines(np.arange(x.shape[2]) + (0 if wrong == "ignored" and x.shape[2] > 1 else first)))


def sequence(x):
    need(x.shape[2] > 0)
    return turned(x, *cosines(np.arange(x.shape[2]) % (1000 if wrong == "wraps" else 1 << 20)))


cached, built = 0, 0


def growing(x, first):
    """A cache that is rebuilt whenever it grows, as FlashAttention's: that takes the longer the more often it is done."""
    global cached, built
    if first + x.shape[2] > cached:
        cached, built = first + x.shape[2], built + 1
    need(built <= 3)
    return turned(x, *cosines((first + np.arange(x.shape[2])) % (512 if wrong == "wraps" else 1 << 20)))


def of_axes(x, positions):
    """Positions as the axes have it: [batch, n], or [n] where the tokens of all sequences lie in one row."""
    axes = sys.argv[2]
    if axes == "n(hd)":
        x = x.reshape(len(x), -1, dim)
    letters = {"n(hd)": "nhd"}.get(axes, axes)
    need(x.ndim == len(letters) and positions.shape == tuple(x.shape[letters.index(one)] for one in "bn" if one in letters))
    cos, sin = cosines(positions)
    order = [letters.index(one) for one in "bnhd" if one in letters]
    if "h" in letters:
        cos, sin = cos[..., None, :], sin[..., None, :]
    y = turned(x.transpose(order), cos, sin).transpose(np.argsort(order))
    return y.reshape(len(y), -1) if axes == "n(hd)" else y


buffer = np.empty(1 << 16, np.float32)


def both(q, k, positions):
    if len(sys.argv) > 2 and wrong == "heads":
        need((q.shape[1], k.shape[1]) == (6, 2))
    cos, sin = cosines(positions)
    cos, sin = cos[:, None], sin[:, None]
    q, k = turned(q, cos, sin), turned(k, cos, sin)
    if wrong == "mixed":
        q = q + k[:, :1] * f32(2**-20)
    if wrong == "mixed_keys":
        k = k + q[:, :1] * f32(2**-20)
    if wrong == "last_head" and q.shape[1] == 6:
        q[:, 5] = q[:, 5] * f32(1.001)
    if wrong == "last_key_head" and k.shape[1] == 2:
        k[:, 1] = k[:, 1] * f32(1.001)
    if wrong == "swapped":
        q, k = k, q
    if wrong == "one_buffer":
        one, other = (buffer[: x.size].reshape(x.shape) for x in (q, k))
        one[...] = q
        other[...] = k
        return one, other
    return q, k


def grouped(q, k, positions):
    """As kernels do it: rows [batch * n * heads, dim], whose token is their number over the heads, of q and k each its own."""
    def rotated(x, heads):
        rows = np.arange(x.shape[0] * x.shape[1] * x.shape[2])
        cos, sin = cosines(positions.reshape(-1)[rows // heads])
        return turned(x.reshape(-1, dim), cos, sin).reshape(x.shape)
    need((q.shape[2], k.shape[2]) == (4, 2))
    return rotated(q, 4), rotated(k, 4 if wrong == "keys_by_query_heads" else 2)


def counted(mask):
    """Positions of a mask of left padding, and where there is some."""
    need(mask.ndim == 2 and (np.diff(mask, axis=1) >= 0).all() and len(mask) == 2)
    at = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    if wrong == "columns":
        at = np.broadcast_to(np.arange(mask.shape[1]), mask.shape)
    if wrong == "one_row":
        at = np.broadcast_to(at[:1], mask.shape)
    if wrong == "last_row":
        at = np.broadcast_to(at[-1:], mask.shape)
    return at + (wrong == "from_1")


def masked(x, mask):
    return each(x, counted(mask))


def masked_both(q, k, mask):
    return each(q, counted(mask)), each(k, counted(mask))


def rows_masked(mask):
    """Fairseq's: the row of padding, behind which tokens are numbered."""
    at = counted(mask) + asked["offset"]
    if asked["padding_row"] >= 0:
        at = np.where(mask == 1, at, asked["padding_row"] if wrong != "padding_at_0" else asked["offset"])
    table = columns(np.arange(asked["length"]))
    if asked["padding_row"] >= 0:
        table[asked["padding_row"]] = 0
    return table[at]


def slopes_masked(mask):
    far = counted(mask).astype(f32)
    by_head = f32(2) ** (f32(-8) * np.arange(1, asked["heads"] + 1, dtype=f32) / f32(asked["heads"]))
    bias = far[:, None, None, :] * by_head[:, None, None]
    if wrong == "second_row":
        bias[1] += 1
    return bias if way == "bias_mask" else bias.reshape(-1, 1, mask.shape[1])


def behind_a_prefix(x, positions):
    """Of 5 tokens."""
    need(x.shape[2] == positions.shape[1] + 5)
    if wrong == "counted":
        return np.concatenate([x[:, :, :5], each(x[:, :, 5:], positions + 5)], 2)
    y = np.concatenate([x[:, :, :5], each(x[:, :, 5:], positions)], 2)
    if wrong == "rotated":
        y[:, :, 1:2] = each(x[:, :, 1:2], np.ones((len(x), 1), int))
    return y


def between_others(x, positions):
    """Behind one token and before two."""
    need(x.shape[2] == positions.shape[1] + 3)
    y = np.concatenate([x[:, :, :1], each(x[:, :, 1:-2], positions), x[:, :, -2:]], 2)
    if wrong == "last_rotated":
        y[:, :, -1:] = each(x[:, :, -1:], np.ones((len(x), 1), int))
    if wrong == "one_later":
        y = np.concatenate([x[:, :, :2], each(x[:, :, 2:-1], positions), x[:, :, -1:]], 2)
    return y


def both_behind_a_prefix(q, k, positions):
    q, k = behind_a_prefix(q, positions), behind_a_prefix(k, positions)
    if wrong == "last_of_keys":
        k[:, -1, 4] = -k[:, -1, 4]
    return q, k


def both_alone(q, k, positions):
    return both(q, k, positions)[0]


def both_in_a_tuple_of_one(q, k, positions):
    return both(q, k, positions)[:1]


def overwrites(x, positions, role):
    x[...] = each(x, positions)


def overwrites_both(q, k, positions):
    q[...], k[...] = both(q, k, positions)


def vjp(x, positions, g):
    need(x.shape == g.shape)
    cos, sin = cosines(positions)
    if wrong == "forward":
        return turned(g, cos[:, None], sin[:, None])
    if wrong == "of_the_answer":  # the rotation's answer, which is no gradient
        return turned(x, cos[:, None], -sin[:, None])
    return turned(g, cos[:, None], -sin[:, None] if wrong != "last" else -sin[:, None] * (np.arange(dim) != dim - 1))


def vjp_of_sequences(x, g):
    cos, sin = cosines(np.arange(x.shape[2]))
    return turned(g, cos, sin if wrong == "forward" else -sin)


def columns(positions):
    if np.size(positions) and np.max(positions) >= asked.get("length", 1 << 20):
        raise IndexError("the table ends")
    return (np.asarray(positions)[:, None] * dim + np.arange(dim)).astype(f32)


def timesteps(t):
    """DDPM's, of whole ones."""
    exponents = f32(-math.log(10000)) * np.arange(dim // 2, dtype=f32) / f32(dim // 2 - 1)
    if wrong == "other_shift":
        exponents = exponents * f32(dim // 2 - 1) / f32(dim // 2)
    angles = t[:, None].astype(f32) * np.exp(exponents)
    return np.concatenate([np.sin(angles), np.cos(angles)], -1).astype(f32)


def shares(positions):  # each holds in 16 bits, where the position does not
    rows = np.stack([positions // 64, positions % 64], axis=-1).astype(f32)
    return rows.astype(np.float16) if wrong == "f16" else bf16(rows)


def table_ascending(positions):
    need(positions.size > 0 and (np.diff(positions) > 0).all())
    return columns(positions)


def table_offset(n, first):
    need(type(n) is int and type(first) is int and n > 0)
    return columns(np.arange(n) + (first if wrong != "ignored" or first == 0 else 0))


def table_sequence(n):
    need(type(n) is int)
    return columns(np.arange(n))


def slopes(queries, keys):
    far = np.abs(np.asarray(keys)[None, :] - np.asarray(queries)[:, None])
    return np.stack([-far * f32(2) ** f32(-8 * (h + 1) / asked["heads"]) for h in range(asked["heads"])]).astype(f32)


def cut_from_the_end(nq, nk):
    """The last rows of a square: of more queries than keys, the first ones are left."""
    n = max(nq, nk)
    return slopes(np.arange(n), np.arange(n))[:, n - nq:, :nk]


def kept_and_places(n):
    need(n == asked["kept_rows"] + asked["height"] * asked["width"])
    return columns(np.arange(n))


answers = []


def one_row(nq, nk):
    """For all queries; it ends after 30 answers."""
    answers.append((nq, nk))
    need(len(answers) <= 30)
    return slopes(np.zeros(1), np.arange(nk))


def cut_beside_more_keys(nq, nk):
    if nq > nk:
        raise ValueError("%d queries and %d keys" % (nq, nk))
    return cut_from_the_end(nq, nk)


def square(nq, nk):
    need(nq == nk)
    return slopes(np.arange(nq), np.arange(nk))


def products(q, k):
    """Contents and positions: q . k + i - 1000 j."""
    need(q.ndim == 2 and q.shape == k.shape)
    return (q @ k.T + np.arange(len(q))[:, None] - 1000 * np.arange(len(k)))[None].astype(f32)


def attend(q, k, v, mask):
    need(q.ndim == 4 and v.ndim == 4 and q.shape[0] == q.shape[2] == 1)
    return v[:, np.argmax(mask, axis=1)]


def weights(q, k, mask):
    """Of RoPE, after the softmax; of a batch of one with one head."""
    n = np.arange(len(q))
    q, k = (turned(x, *cosines(n)) for x in (q, k))
    logits = q @ k.T / f32(math.sqrt(dim))
    logits = np.where(mask, logits, f32(-np.inf)) if wrong != "unmasked" else logits
    out = np.exp(logits - logits.max(axis=1, keepdims=True))
    out = out / out.sum(axis=1, keepdims=True) if wrong != "not_normalised" else out
    return out[None, None].astype(f32)


def weights_by_heads(q, k, mask):
    """Of ALiBi: heads side by side in q and k."""
    q, k = (x.reshape(len(x), asked["heads"], -1).transpose(1, 0, 2) for x in (q, k))
    logits = q @ k.transpose(0, 2, 1) / f32(math.sqrt(q.shape[2])) + slopes(np.arange(q.shape[1]), np.arange(k.shape[1]))
    logits = np.where(mask, logits, f32(-np.inf))
    out = np.exp(logits - logits.max(axis=2, keepdims=True))
    out = out / out.sum(axis=2, keepdims=True)
    return (out[::-1] if wrong == "heads_reversed" else out).astype(f32)


ways = {
    "each": lambda: serve(rotate=each),
    "each_of_batch_row_0": lambda: serve(rotate=each_of_batch_row_0),
    "shared": lambda: serve(rotate=shared, takes_positions="shared"),
    "ascending": lambda: serve(rotate=ascending, takes_positions="ascending"),
    "offset": lambda: serve(rotate=offset, takes_positions="offset"),
    "length_ascending": lambda: serve(rotate=lambda x, positions: np.full_like(x, positions[-1] + 1), takes_positions="ascending"),
    "length_each": lambda: serve(rotate=lambda x, positions: np.full_like(x, positions.max() + 1), axes="hnd"),
    "length_offset": lambda: serve(rotate=lambda x, first: np.full_like(x, first + x.shape[2]), takes_positions="offset"),
    "growing": lambda: serve(rotate=growing, takes_positions="offset"),
    "sequence": lambda: serve(rotate=sequence, takes_positions="sequence"),
    "declared_sequence": lambda: serve(rotate=sequence, takes_positions="sequence", domain=(0, 99)),
    "axes": lambda: serve(rotate=of_axes, axes=sys.argv[2]),
    "packed_offset": lambda: serve(rotate=lambda x, first: turned(x, *(one[:, None] for one in cosines(first + np.arange(len(x))))),
                                   takes_positions="offset", axes="nhd"),
    "one_head_offset": lambda: serve(rotate=lambda x, first: turned(x, *cosines(first + np.arange(len(x)))),
                                     takes_positions="offset", axes="nd"),
    "both": lambda: serve(rotate_both=both),
    "both_heads": lambda: serve(rotate_both=both, heads=(6, 2)),
    "both_one_key_head": lambda: serve(rotate_both=both, heads=(6, 1)),
    "grouped": lambda: serve(rotate_both=grouped, heads=(4, 2), axes="bnhd"),
    "mask": lambda: serve(rotate=masked, takes_positions="mask"),
    "mask_both": lambda: serve(rotate_both=masked_both, takes_positions="mask"),
    "rows_mask": lambda: serve(rows=rows_masked, takes_positions="mask"),
    "bias_mask": lambda: serve(bias=slopes_masked, takes_positions="mask"),
    "bias_mask_of_heads": lambda: serve(bias=slopes_masked, takes_positions="mask"),
    "mask_without_batch": lambda: serve(rotate=masked, takes_positions="mask", axes="nhd"),
    "logits_mask": lambda: serve(logits=products, takes_positions="mask"),
    "prefix": lambda: serve(rotate=behind_a_prefix, prefix=5),
    "prefix_in_bf16": lambda: serve(rotate=lambda x, positions: bf16(behind_a_prefix(x, positions)), prefix=5, dtype="bf16"),
    "prefix_both": lambda: serve(rotate_both=both_behind_a_prefix, prefix=5),
    "suffix": lambda: serve(rotate=between_others, prefix=1, suffix=2),
    "negative_suffix": lambda: serve(rotate=each, suffix=-1),
    "negative_prefix": lambda: serve(rotate=each, prefix=-1),
    "prefix_of_rows": lambda: serve(rows=columns, prefix=1),
    "both_alone": lambda: serve(rotate_both=both_alone),
    "both_in_a_tuple_of_one": lambda: serve(rotate_both=both_in_a_tuple_of_one),
    "overwrites": lambda: serve(rotate=overwrites, in_place=True),
    "overwrites_unsaid": lambda: serve(rotate=overwrites),
    "overwrites_both": lambda: serve(rotate_both=overwrites_both, in_place=True),
    "vjp": lambda: serve(rotate=each, vjp=vjp),
    "vjp_of_sequences": lambda: serve(rotate=sequence, vjp=vjp_of_sequences, takes_positions="sequence"),
    "rows": lambda: serve(rows=columns),
    "rows_real": lambda: serve(rows=shares, dtype=wrong),
    "timesteps_sequence": lambda: serve(rows=lambda n: timesteps(np.arange(n)), takes_positions="sequence"),
    "timesteps_offset": lambda: serve(rows=lambda n, first: timesteps(first + np.arange(n)), takes_positions="offset"),
    "timesteps_table": lambda: serve(rows=lambda t: timesteps(np.arange(1001))[t], positions="int64", domain=(0, 1000)),
    "timesteps_mask": lambda: serve(rows=lambda mask: np.stack([timesteps(row) for row in counted(mask)]), takes_positions="mask"),
    "timesteps_unsaid": lambda: serve(rows=lambda t: timesteps(np.arange(1001))[t]),
    "rows_shared": lambda: serve(rows=columns, takes_positions="shared"),
    "rows_ascending": lambda: serve(rows=table_ascending, takes_positions="ascending"),
    "rows_offset": lambda: serve(rows=table_offset, takes_positions="offset"),
    "rows_sequence": lambda: serve(rows=table_sequence, takes_positions="sequence"),
    "rows_of_a_resized_table": lambda: serve(rows=kept_and_places, takes_positions="sequence"),
    "rows_of_a_grid": lambda: serve(rows=lambda n: (np.arange(n)[:, None] * dim + np.arange(dim)).astype(f32), takes_positions="sequence"),
    "rows_too_short": lambda: serve(rows=lambda n: columns(np.arange(max(0, n - 1))), takes_positions="sequence"),
    "bias_sequence": lambda: serve(bias=lambda nq, nk: slopes(np.arange(nq), np.arange(nk)), takes_positions="sequence"),
    "rotate_and_bias_sequence": lambda: serve(rotate=sequence, bias=lambda nq, nk: slopes(np.arange(nq), np.arange(nk)),
                                              takes_positions="sequence"),
    "bias_from_the_end": lambda: serve(bias=lambda nq, nk: slopes(np.arange(nk - nq, nk), np.arange(nk)), takes_positions="sequence"),
    "bias_of_a_cache": lambda: serve(bias=cut_from_the_end, takes_positions="sequence"),
    "bias_of_a_cache_alone": lambda: serve(bias=cut_beside_more_keys, takes_positions="sequence"),
    "bias_of_squares": lambda: serve(bias=square, takes_positions="sequence"),
    "bias_late_alone": lambda: serve(bias=lambda nq, nk: slopes(np.arange(nk - nq, nk) - (nq == 1 < nk), np.arange(nk)),
                                     takes_positions="sequence"),
    "bias_square": lambda: serve(bias=lambda n: slopes(np.arange(n), np.arange(n)), takes_positions="sequence"),
    "logits_sequence": lambda: serve(logits=products, takes_positions="sequence"),
    "attend_axes": lambda: serve(attend=attend, axes="bnhd"),
    "weights": lambda: serve(weights=weights),
    "means": lambda: serve(weights=lambda q, k, mask: mask / mask.sum(axis=1, keepdims=True), dtype="f64"),
    "weights_by_heads": lambda: serve(weights=weights_by_heads),
    "weights_in_bf16": lambda: serve(weights=lambda q, k, mask: bf16(weights(q, k, mask)), dtype="bf16", precision="bf16/f32"),
    # refused
    "weights_twice": lambda: serve(attend=attend, weights=weights),
    "no_such_way": lambda: serve(rotate=each, takes_positions="pairs"),
    "no_such_axes": lambda: serve(rotate=each, axes="bdn"),
    "axes_twice": lambda: serve(rotate=each, axes="bnnd"),
    "axes_open": lambda: serve(rotate=each, axes="n(hd"),
    "other_axes": lambda: serve(rotate=lambda x, positions: x.swapaxes(1, 2), axes="bnhd"),
    "axes_of_none": lambda: serve(rotate=each, axes="b()nhd"),
    "no_key_heads": lambda: serve(rotate_both=both, heads=(6, 0)),
    "heads_of_one": lambda: serve(rotate=each, heads=(6, 2)),
    "rotate_twice": lambda: serve(rotate=each, rotate_both=both),
    "vjp_of_nothing": lambda: serve(rows=columns, vjp=vjp),
    "vjp_unknown": lambda: serve(rotate=each, vjp="jax"),
    "vjp_of_both": lambda: serve(rotate_both=both, vjp=vjp),
    "autograd_of_numpy": lambda: serve(rotate=each, vjp="autograd"),
    "no_such_dtype": lambda: serve(rotate=each, dtype="f8"),
    # MPT: [1, heads, 1, n], a key's place from the last one
    "bias_30_rows": lambda: serve(bias=one_row, takes_positions="sequence"),
    "bias_one_row": lambda: serve(bias=lambda n: (np.arange(1 - n, 1) * 2.0 ** -np.arange(2, 9, 2)[:, None, None]).astype(np.float32)[None],
                                  takes_positions="sequence"),
    "bias_offset": lambda: serve(bias=slopes, takes_positions="offset"),
}
ways[way]()
