"""Encodings inside attention as models write them, in numpy's float32: one argument more makes them wrong in one way."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve, trained as numbers  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
wrong = sys.argv[1] if len(sys.argv) > 1 else ""
dim = asked["dim"]
seed = asked.get("table_seed", 1)


def trained(shape, of_seed, std=1.0):
    return numbers(shape, of_seed, std).astype(f32)


def scaled(x, n):
    return x / f32(math.sqrt(n))


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def sigmoid(x):
    return f32(1) / (f32(1) + np.exp(-x))


def softmax(logits, mask):
    logits = np.where(mask, logits, f32(-np.inf))
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def offsets(queries, keys):
    """key - query"""
    return keys[None, :] - queries[:, None]


def one_head(function):
    return lambda q, k, queries, keys: function(q, k, queries, keys)[None].astype(f32)


def window():
    """The smallest and the largest offset."""
    left, right = asked["clip"], asked["clip_right"]
    if right < 0:
        right = left
    return (-left, right) if (asked["relative"] == "query_minus_key") == (wrong == "sides_swapped") else (-right, left)


def table_of_window(of_seed):
    first, last = window()
    return trained((last - first + 1, dim), of_seed)


def of_window(table, relative):
    """Rows of the offsets. Where nothing is repeated, those beyond the window are zeros."""
    first, last = window()
    rows = table[np.clip(relative, first, last - (wrong == "right_less")) - first]
    if asked["beyond"] == "zero":
        more = {"window_less": -1, "window_more": 1}.get(wrong, 0)
        rows[(relative < first - more) | (relative > last + more)] = 0
    return rows


def shaw():
    clip = asked["clip"]
    table = table_of_window(seed)

    def logits(q, k, queries, keys):
        relative = offsets(queries, keys)
        if (asked["relative"] == "query_minus_key") != (wrong == "mirrored"):
            relative = -relative
        if wrong == "one_less":
            relative = np.clip(relative, 1 - clip, clip - 1)
        return scaled(q @ k.T + np.einsum("id,ijd->ij", q, of_window(table, relative)), dim)
    return {"logits": one_head(logits)}


def decomposed_relative():
    """As in Segment Anything: a table of 2 g - 1 rows for each axis, and the query, as it is, times the gathered rows."""
    q_grid = np.array(asked["grid"], np.int64)
    k_grid = np.array(asked["key_grid"] or asked["grid"], np.int64)
    finer = np.maximum(q_grid, k_grid)
    rows = 2 * finer - 1 if asked["table"] == "fitting" else np.array(asked["table_rows"], np.int64)
    tables = np.split(trained((rows.sum(), dim), seed), np.cumsum(rows)[:-1])

    def resized(table, length):
        """F.interpolate(mode="linear") of torch."""
        if asked["table"] != "linear" or len(table) == length:
            return table
        at = np.maximum((np.arange(length, dtype=f32) + f32(0.5)) * f32(len(table) / length) - f32(0.5), f32(0))
        if wrong == "corners":
            at = np.arange(length, dtype=f32) * f32((len(table) - 1) / (length - 1))
        below = at.astype(np.int64)
        above, share = np.minimum(below + 1, len(table) - 1), (at - below)[:, None]
        return table[below] * (f32(1) - share) + table[above] * share

    def coordinates(i, j, axis):
        """get_rel_pos of that axis, in double: in float32 some fall short of a whole number."""
        g, h, f = q_grid[axis], k_grid[axis], finer[axis]
        i, j = i * g // f, j * h // f
        if asked["relative"] == "key_minus_query":
            return 2 * (f - 1) - (i[:, None] * f * h + (h - 1 - j) * f * g) // (g * h)
        if wrong == "unscaled":
            return i[:, None] - j + h - 1
        if wrong == "from_the_middle":
            return (i[:, None] * f * h - j * f * g) // (g * h) + f - 1
        if wrong == "in_f32":
            of_query, of_key = max(h / g, 1.0), max(g / h, 1.0)
            at = (i[:, None].astype(f32) * f32(of_query) - j.astype(f32) * f32(of_key)) + f32((h - 1) * of_key)
            return at.astype(np.int64)
        at = (i[:, None] * f * h + (h - 1 - j) * f * g) / (g * h)
        return np.round(at).astype(np.int64) if wrong == "nearest" else np.floor(at + 1e-9).astype(np.int64)

    def logits(q, k, queries, keys):
        met = np.zeros((len(q), len(k)), f32)
        for axis, table in enumerate(tables[:1] if wrong == "one_axis" else tables):
            other = len(tables) - 1 - axis if wrong == "swapped" else axis
            row = coordinates(queries[:, other], keys[:, other], axis)
            if wrong == "mirrored":
                row = 2 * (finer[axis] - 1) - row
            if wrong == "square":  # every axis is as long as the first
                row = row + finer[0] - finer[axis]
            if wrong == "last_rows":
                row = row + len(table) - (2 * finer[axis] - 1)
            table = resized(table, 2 * finer[axis] - 1)
            row = np.clip(row - (wrong == "one_less"), 0, len(table) - 1)
            met = met + np.einsum("id,ijd->ij", q, table[row])
        if asked["class_token"] == "apart" and wrong != "class_meets":
            met[queries.min(axis=1) < 0] = 0
            met[:, keys.min(axis=1) < 0] = 0
        if (asked["query"] == "scaled") != (wrong == "other_scale"):
            return scaled(q @ k.T + met, dim)
        return scaled(q, dim) @ k.T + met
    return {"logits": one_head(logits)}


def music_transformer():
    length = asked["length"]
    table = trained((length, dim), seed)

    def logits(q, k, queries, keys):
        row = length - 1 + np.minimum(offsets(queries, keys), 0) - (wrong == "shifted")
        met = (q @ table.T)[np.arange(len(queries))[:, None], row % length if wrong == "wraps" else np.maximum(row, 0)]
        if asked["beyond"] == "zero" and wrong != "wraps":
            met = np.where(row < 0, f32(0), met)
        return scaled(q @ k.T, dim) + met if wrong == "met_unscaled" else scaled(q @ k.T + met, dim)
    return {"logits": one_head(logits)}


def transformer_xl():
    projection, (u, v) = trained((dim, dim), seed), trained((2, dim), seed + 1)
    frequencies = f32(1) / f32(asked["base"]) ** (np.arange(0, dim, 2, dtype=f32) / f32(dim))

    def logits(q, k, queries, keys):
        n = -offsets(queries, keys)
        if asked["clamp_len"] and wrong != "no_clamp":
            n = np.clip(n, -asked["clamp_len"], asked["clamp_len"])
        angles = n.astype(f32)[:, :, None] * frequencies
        r = np.concatenate([np.sin(angles), np.cos(angles)], axis=2)
        if (asked["layout"] == "interleaved") != (wrong == "other_layout"):
            r = np.stack([np.sin(angles), np.cos(angles)], axis=3).reshape(r.shape)
        r = r @ projection.T
        ac = (q + u) @ k.T
        bd = np.einsum("id,ijd->ij", q + (u if wrong == "one_vector" else v), r)
        return scaled(ac + bd, dim)
    return {"logits": one_head(logits)}


def deberta():
    span = asked["span"]
    of_keys, of_queries = trained((2 * span, dim), seed), trained((2 * span, dim), seed + 1)

    def bucket(relative):
        middle, distance = span // 2, np.abs(relative)
        share = np.log(np.maximum(distance, 1) / middle) / np.log((asked["max_position"] - 1) / middle) * (middle - 1)
        far = (np.floor(share) if wrong == "floor" else np.ceil(share)).astype(np.int64) + middle
        return np.where(distance <= middle, relative, np.sign(relative) * far)

    def logits(q, k, queries, keys):
        relative = -offsets(queries, keys)
        if asked["offsets"] == "log_buckets":
            relative = bucket(relative)
        row = np.clip(relative + span, 0, 2 * span - 1)
        out, terms = q @ k.T, 1
        if asked["terms"] != "p2c":
            out, terms = out + np.take_along_axis(q @ of_keys.T, row, axis=1), terms + 1
        if asked["terms"] != "c2p":
            if (asked["p2c"] == "paper") != (wrong == "other_direction"):
                row = np.clip(span - relative, 0, 2 * span - 1)
            out, terms = out + np.take_along_axis(k @ of_queries.T, row.T, axis=1).T, terms + 1
        return scaled(out, dim * (terms - 1 if wrong == "scale_of_one_less" else terms))
    return {"logits": one_head(logits)}


def pope():
    step = 2 if wrong == "exponents_of_pairs" else 1
    frequencies = f32(1) / f32(asked["base"]) ** (step * np.arange(dim, dtype=f32) / f32(dim))
    phases = trained((dim,), seed) - f32(2) if asked["phase"] == "trained" else np.zeros(dim, f32)

    def polar(x, positions, phase):
        magnitude = np.maximum(x, 0) if wrong == "relu" else softplus(x)
        angles = positions.astype(f32)[:, None] * frequencies + phase
        return np.concatenate([magnitude * np.cos(angles), magnitude * np.sin(angles)], axis=1)

    def logits(q, k, queries, keys):
        of_query = -phases if wrong == "phase_doubled" else f32(0)
        out = polar(q, queries, of_query) @ polar(k, keys, phases).T
        return scaled(out, dim) if asked["scale"] == "rsqrt" else out
    return {"logits": one_head(logits)}


def tupe():
    length, untied = asked["length"], asked["cls"] == "untied"
    correlation = scaled(trained((length, dim), seed) @ trained((length, dim), seed + 1).T, 2 * dim)
    biases = trained((33,), seed + 2)
    theta = correlation[0, 0], correlation[1, 1]
    if untied:
        correlation = correlation[1:, 1:].copy()
        correlation[:, 0] = theta[0 if wrong == "one_theta" else 1]
        if wrong != "row_tied":
            correlation[0, :] = theta[0]

    def bucket(relative):
        distance = np.abs(relative)
        far = 8 + (np.log(np.maximum(distance, 1) / 8) / math.log(16) * 8).astype(np.int64)
        return 16 * (relative > 0) + np.where(distance < 8, distance, np.minimum(far, 15))

    def logits(q, k, queries, keys):
        # numpy counts negative indices from the end.
        if len(queries) * len(keys) and min(queries.min(), keys.min()) < 0:
            raise IndexError("a position before the first")
        out = scaled(q, 2 * dim) @ k.T + correlation[queries[:, None], keys[None, :]]
        if asked["relative"] == "t5":
            rows = bucket(offsets(queries, keys))
            if untied and wrong != "cls_has_offsets":
                rows[:, keys == 0] = 32
                rows[queries == 0, :] = 16
            out = out + biases[rows]
        return out
    return {"logits": one_head(logits)}


def dape():
    heads, hidden = asked["heads"], asked["hidden"]
    first, second = trained((hidden, 2 * heads + 1), seed), trained((heads, hidden + 1), seed + 1)
    slopes = np.array([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)], f32)

    def logits(q, k, queries, keys):
        q, k = q.reshape(len(q), heads, dim), k.reshape(len(k), heads, dim)
        a = scaled(np.einsum("ihd,jhd->hij", q, k), dim)
        b = -slopes[:, None, None] * np.abs(offsets(queries, keys)).astype(f32)
        x = np.concatenate([a, 0 * b if wrong == "biases_unseen" else b]).transpose(1, 2, 0)
        x = x @ first[:, :-1].T + first[:, -1]
        x = np.where(x > 0, x, x * f32(0 if wrong == "relu" else 0.01))
        f = (x @ second[:, :-1].T + second[:, -1]).transpose(2, 0, 1)
        return (a + b + f if asked["residual"] == "both" else a + f).astype(f32)
    return {"logits": logits}


def shaw_values():
    of_keys, of_values = table_of_window(seed), table_of_window(seed + 1)

    def attend(q, k, v, mask):
        relative = offsets(np.arange(len(q)), np.arange(len(k)))
        if asked["relative"] == "query_minus_key":
            relative = -relative
        met = np.einsum("id,ijd->ij", q, of_window(of_keys, relative))
        weights = softmax(scaled(q @ k.T + met, dim), mask)
        if wrong == "values_mirrored":
            relative = -relative
        if wrong == "values_clipped":
            relative = np.clip(relative, *window())
        added = of_window(of_keys if wrong == "one_table" else of_values, relative)
        return weights @ v + np.einsum("ij,ijd->id", weights, added)
    return {"attend": attend}


def forgetting(each, scale):
    """The logits less the difference of two cumulative sums."""
    def attend(q, k, v, mask):
        sums = np.cumsum(each(k), dtype=f32)
        if len(q) > len(k):
            sums = np.concatenate([sums, np.repeat(sums[-1:], len(q) - len(k))])
        behind = sums[:len(k)] - (each(k) if wrong == "own_gate_too" else 0)
        logits = scaled(q @ k.T, scale) + sums[:len(q), None] - behind[None, :]
        return softmax(logits.astype(f32), mask) @ v
    return {"attend": attend}


def forgetting_transformer():
    gate, bias = trained((dim,), seed, asked["gate_std"]), f32(asked["gate_bias"])
    if wrong == "gates_not_logarithms":
        return forgetting(lambda k: sigmoid(k @ gate + bias), dim)
    return forgetting(lambda k: -softplus(-(k @ gate + bias)), dim)


def cable():
    gate, bias = trained((dim,), seed, asked["gate_std"]), f32(asked["gate_bias"])
    scale = dim if (asked["scale"] == "rsqrt") != (wrong == "other_scale") else 1
    if wrong == "relu":
        return forgetting(lambda k: -np.maximum(k @ gate + bias, 0), scale)
    return forgetting(lambda k: -softplus(k @ gate + bias), scale)


def cope():
    rows = asked["length"]
    table = trained((rows, dim), seed)

    def attend(q, k, v, mask):
        plain = np.where(mask, q @ k.T, f32(-np.inf))
        logits = scaled(plain, dim)
        gates = sigmoid(plain if (asked["gate"] == "plain") != (wrong == "other_gate") else logits)
        positions = np.cumsum(gates, axis=1) if wrong == "not_flipped" else np.cumsum(gates[:, ::-1], axis=1)[:, ::-1]
        if (asked["counting"] == "exclusive") != (wrong == "other_counting"):
            positions = positions - gates
        positions = np.minimum(positions, f32(rows - 1))
        floor, ceil = np.floor(positions), np.ceil(positions)
        met = q @ table.T
        low, high = (np.take_along_axis(met, rows.astype(np.int64), axis=1) for rows in (floor, ceil))
        share = np.round(positions - floor) if wrong == "nearest" else positions - floor
        return softmax(logits + high * share + low * (1 - share), mask) @ v
    return {"attend": attend}


def selective_rope():
    half = dim // 2
    projection, gate = trained((half, dim), seed, asked["increment_std"]), trained((dim,), seed + 1)
    temperatures = f32(1) / f32(asked["base"]) ** (np.arange(0, dim, 2, dtype=f32) / f32(dim))
    if wrong == "one_temperature":
        temperatures = np.ones(half, f32)

    def rotated(x, angles):
        pairs = (x[:, :half], x[:, half:]) if asked["layout"] == "half_split" else (x[:, 0::2], x[:, 1::2])
        cos, sin = np.cos(angles), np.sin(angles)
        return np.concatenate([pairs[0] * cos - pairs[1] * sin, pairs[0] * sin + pairs[1] * cos], axis=1)

    def attend(q, k, v, mask):
        increments = k @ projection.T + f32(asked["step"])
        if (asked["gate"] == "sigmoid") != (wrong == "other_gate"):
            increments = increments * sigmoid(k @ gate)[:, None]
        sums = np.cumsum(increments, axis=0, dtype=f32)
        if wrong == "own_increment_later":
            sums = sums - increments
        angles = sums * temperatures
        of_queries = np.concatenate([angles, np.repeat(angles[-1:], max(0, len(q) - len(k)), axis=0)])[:len(q)]
        return softmax(scaled(rotated(q, of_queries) @ rotated(k, angles).T, dim), mask) @ v
    return {"attend": attend}


def of_whole_sequences(logits):
    """The same of all tokens: as many queries as keys, or those of a grid, row by row, behind a class token."""
    def of_all(q, k):
        if "grid" not in asked:
            assert len(q) == len(k)
            return logits(q, k, np.arange(len(q)), np.arange(len(k)))
        grids = [np.array(asked[name] or asked["grid"], np.int64) for name in ("grid", "key_grid")]
        if wrong == "columns_first":
            grids[0] = grids[0][::-1]
        places = []
        for grid in grids:
            tokens = np.stack(np.unravel_index(np.arange(grid.prod()), grid), -1)
            places.append(-(-tokens * np.maximum(*grids) // grid))
            if asked["class_token"] == "apart":
                places[-1] = np.concatenate([[[-1, -1]], places[-1]])
        assert (len(q), len(k)) == tuple(map(len, places))
        return logits(q, k, *places)
    return of_all


functions = globals()[asked.encoding]()
if sys.argv[2:] == ["whole"]:
    serve(logits=of_whole_sequences(functions["logits"]), takes_positions="sequence")
else:
    serve(**functions)
