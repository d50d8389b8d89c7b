"""Biases on the logit as released code forms them, in numpy's float32: one argument more makes them wrong in one way."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
wrong = sys.argv[1] if len(sys.argv) > 1 else ""
heads = asked["heads"]


def of_heads(name):
    """A list of numbers, the last of which is for all heads after it."""
    given = asked[name] if isinstance(asked[name], list) else [asked[name]]
    return np.array((given + given[-1:] * heads)[:heads], f32)[:, None, None]


def distances(queries, keys):
    past = queries[:, None] - keys[None, :]
    return np.maximum(past, 0) if asked["form"] == "causal" else np.abs(past)


def kerple(queries, keys):
    d = distances(queries, keys).astype(f32)[None]
    r1, r2, exponent = of_heads("r1"), of_heads("r2"), of_heads("exponent")
    if wrong == "first_parameters":  # of all heads those of the first
        r1, r2, exponent = r1[:1].repeat(heads, 0), r2[:1].repeat(heads, 0), exponent[:1].repeat(heads, 0)
    if wrong == "nothing":  # a is a constant 0: NeMo before PR 6666
        return np.zeros((heads, *d.shape[1:]), f32)
    if wrong == "bf16_distance":
        d = (d.view(np.uint32) + 0x7FFF + ((d.view(np.uint32) >> 16) & 1) & 0xFFFF0000).view(f32)
    if asked["kernel"] == "power":
        return -r1 * np.power(d, r2)
    inside = r2 * (d if asked["kernel"] == "log" or wrong == "no_exponent" else np.power(d, exponent))
    if wrong == "binary_logarithm":
        return -r1 * np.log2(1 + inside)
    return -r1 * np.log(1 + inside) if wrong != "without_1" else -r1 * np.log(np.maximum(inside, f32(1e-6)))


def sandwich(queries, keys):
    d = distances(queries, keys).astype(f32)
    dim = asked["dim"]
    first = asked["first_n"] if wrong != "other_first" else 1 - asked["first_n"]
    frequencies = 1 / f32(asked["base"]) ** (2 * np.arange(first, first + dim // 2, dtype=f32) / f32(dim))
    angles = d[:, :, None] * frequencies
    kernel = (angles if wrong == "no_cosine" else np.cos(angles)).sum(-1, dtype=f32)  # no_cosine: a copy of NeMo's
    if asked["centre"] == "zero":
        kernel = kernel - f32(dim / 2)
    ratio = np.arange(1, heads + 1, dtype=f32) * f32(8) / f32(heads)
    return kernel[None] / (ratio[::-1] if wrong == "ratios_reversed" else ratio)[:, None, None]


def seeded(count):
    """The suite's numbers of a seed: uniform, of mean 0 and standard deviation 1."""
    seed = asked["mlp_seed"] if asked.encoding in ("dynamic_position_bias", "fire", "log_cpb") else asked["table_seed"]
    z = (np.uint64(seed) << np.uint64(32)) + np.arange(count, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = (z ^ (z >> np.uint64(31))) >> np.uint64(11)
    return (3 ** 0.5 * (z.astype(np.float64) * 2.0 ** -52 - 1)).astype(f32)


def fire(queries, keys):
    width = asked["width"]
    numbers = seeded((2 + heads) * width + heads)
    weights, biases = numbers[:width], numbers[width:2 * width]
    out = numbers[2 * width:(2 + heads) * width].reshape(heads, width)
    threshold = f32(asked["threshold"])

    def psi(x):
        return np.log(np.abs(f32(asked["c"]) * x) + f32(1))

    scale = np.minimum if wrong == "clamped_from_above" else np.maximum  # a copy's clamp_max
    scaled_by = scale(queries.astype(f32), threshold) if wrong != "no_threshold" else np.maximum(queries.astype(f32), 1)
    x = psi(np.maximum(queries[:, None] - keys[None, :], 0).astype(f32)) / (
        psi(scaled_by) + f32(asked["epsilon"] if wrong != "epsilon" else 1e-3))[:, None]
    hidden = np.maximum(x[..., None] * weights + biases, 0)
    return np.moveaxis(hidden @ out.T + numbers[(2 + heads) * width:], -1, 0)


def of_distances(queries, keys):
    """As in LeViT's code: rows of the table are numbered as pairs of distances appear among the points of the window."""
    window = (asked["height"], asked["width"])
    points = list(np.ndindex(window))
    rows, index = {}, np.zeros(window + window, np.int64)
    for a in points:
        for b in points:
            apart = (abs(a[0] - b[0]), a[1] - b[1] if wrong == "signed_columns" else abs(a[1] - b[1]))
            if wrong == "one_number":
                apart = sum(apart)
            index[a + b] = min(rows.setdefault(apart, len(rows)), len(points) - 1)
    i, j = queries.reshape(-1, 1, 2), keys.reshape(1, -1, 2)
    table = seeded(len(points) * heads).reshape(len(points), heads)
    return f32(asked["scale"]) * np.moveaxis(table[index[i[..., 0], i[..., 1], j[..., 0], j[..., 1]]], -1, 0)


def relative_table(queries, keys):
    if asked["relative"] == "distance":
        return of_distances(queries, keys)
    axes = {"line": 1, "rows_and_columns": 2, "time_rows_and_columns": 3}[asked["axes"]]
    extents = np.array([asked["frames"], asked["height"], asked["width"]][-axes:])
    # As in the Swin Transformer: of positions [n, axes] the offset, moved on to start from 0, and its index.
    offset = queries.reshape(len(queries), -1)[:, None] - keys.reshape(len(keys), -1)[None]
    if (asked["relative"] == "key_minus_query") != (wrong == "other_sign"):
        offset = -offset
    offset = np.clip(offset, 1 - extents, extents - 1) + extents - 1
    if axes == 1:
        index = offset[..., 0]
    elif axes == 3:  # as in Video Swin
        rows = 2 * extents[1] - 1 if wrong != "own_frames" else 2 * extents[0] - 1
        columns = 2 * extents[2] - 1 if wrong != "own_rows" else 2 * extents[1] - 1
        index = offset[..., 0] * rows * columns + offset[..., 1] * columns + offset[..., 2]
    elif asked["fastest"] == "columns":
        index = offset[..., 0] * (2 * extents[0 if wrong == "square" else 1] - 1) + offset[..., 1]
    else:
        index = offset[..., 1] * (2 * extents[0] - 1) + offset[..., 0]
    if wrong == "axes_exchanged":
        index = offset[..., 1] * (2 * extents[1] - 1) + offset[..., 0]
    rows = np.prod(2 * extents - 1)
    if asked["table"] == "seeded":
        table = seeded(rows * heads).reshape(rows, heads)
    else:
        table = np.arange(rows * heads, dtype=f32).reshape(heads, rows).T
    return f32(asked["scale"] if wrong != "unscaled" else 1) * np.moveaxis(table[np.clip(index, 0, rows - 1)], -1, 0)


def log_cpb(queries, keys):
    hidden = asked["hidden"]
    biased = asked["last_biases"] == "trained"
    numbers = seeded((3 + heads) * hidden + (heads if biased else 0))
    weights, biases = numbers[:2 * hidden].reshape(hidden, 2), numbers[2 * hidden:3 * hidden]
    out = (numbers[3 * hidden:(3 + heads) * hidden] * f32(asked["std"])).reshape(heads, hidden)
    last = numbers[(3 + heads) * hidden:] * f32(asked["std"]) if biased and wrong != "no_last_biases" else f32(0)
    # As in Swin V2, of the offsets of a call in place of those of the whole window.
    t = (queries[:, None] - keys[None]).astype(f32)
    window = np.array([asked["height"], asked["width"]], f32)
    below = np.array(asked["pretrained"] or window, f32) if wrong != "own_window" else window
    if wrong == "axes_exchanged":
        t = t[..., ::-1]
    if asked["coordinates"] == "edge_at_1":
        below = window
    if asked["coordinates"] != "raw":
        divisor = below - f32(1) if wrong != "over_extent" else below
        t = t / divisor if wrong != "no_parentheses" else t / below - f32(1)  # ports to JAX
        t = t * f32(8) if wrong != "no_8" else t
        log = {"natural": np.log, "natural_above": np.log}.get(wrong, np.log2)
        t_log = log(np.abs(t) + f32(1)) / (np.log(f32(8)) if wrong == "natural" else np.log2(f32(8)))
        if asked["coordinates"] == "edge_at_1" and wrong != "base_8":
            t_log = t_log * f32(3) / np.log2(f32(9))
    else:
        t_log = np.log(np.abs(t) + f32(1)) if wrong != "binary" else np.log2(np.abs(t) + f32(1))
    x = np.sign(t) * t_log if wrong != "no_sign" else t_log
    unit = x @ weights.T + biases
    z = (np.maximum(unit, 0) if wrong != "no_relu" else unit) @ out.T + last
    if asked["limit"] == "sigmoid" and wrong == "tanh":  # as XLA forms it
        z = f32(16) * (f32(0.5) + f32(0.5) * np.tanh(f32(0.5) * z))
    elif asked["limit"] == "sigmoid" and wrong != "no_sigmoid":
        z = f32(16 if wrong != "no_16" else 1) / (f32(1) + np.exp(-z))
    if asked["limit"] == "tanh" and wrong != "no_tanh":
        z = f32(4 if wrong != "no_4" else 1) * np.tanh(z)
    if asked["class_token"] == "zero" and wrong != "class_offsets":
        z[queries.min(axis=1) < 0] = 0
        z[:, keys.min(axis=1) < 0] = 0
    return np.moveaxis(z, -1, 0)


def dynamic_position_bias(queries, keys):
    width, depth = asked["width"], asked["depth"]
    numbers = iter(np.split(seeded(2 * width + (depth - 1) * width * (width + 1) + heads * (width + 1))
                            * f32(asked["std"]), np.cumsum(
                                [width, width] + [width * width, width] * (depth - 1) + [heads * width])))
    t = (queries[:, None] - keys[None]).astype(f32)
    if asked["offset"] == "distance" or wrong == "no_sign":
        t = np.abs(t)
    if wrong == "other_sign":
        t = -t
    if asked["scale"] == "log":
        t = np.sign(t) * (np.log(np.abs(t) + f32(1)) if wrong != "binary" else np.log2(np.abs(t) + f32(1)))
    if wrong == "clipped":
        t = np.clip(t, -f32(1 << 15), f32(1 << 15))
    x = t[..., None]
    for layer in range(depth):
        weights, biases = next(numbers).reshape(width, x.shape[-1]), next(numbers)
        x = x @ weights.T + (biases if wrong != "no_biases" else f32(0))
        if wrong == "one_layer_is_linear" and layer == depth - 1:
            continue
        if (asked["activation"] == "silu") != (wrong == "other_function"):
            with np.errstate(over="ignore"):
                x = x / (f32(1) + np.exp(-x)) if wrong != "product" else x * (f32(1) / (f32(1) + np.exp(-x)))
        else:
            x = np.maximum(x, f32(0))
    weights, biases = next(numbers).reshape(heads, width), next(numbers)
    return np.moveaxis(x @ weights.T + (biases if wrong != "no_last_biases" else f32(0)), -1, 0)


def alibi_slopes(count):
    if asked["rule"] == "log_linear" and wrong != "geometric":  # IBM's foundation-model-stack
        return f32(2) ** np.linspace(-1, -asked["max_bias"], count, dtype=f32)

    def powers(n):
        start = 2.0 ** (-asked["max_bias"] / n)
        return [start * start ** k for k in range(n)]

    below = 1 << (count.bit_length() - 1)
    if asked["rule"] == "geometric" or below == count:
        return np.array(powers(count), f32)
    return np.array(powers(below) + powers(2 * below)[0::2][:count - below], f32)


def of_places(apart, queries, keys):
    """Distances on a grid, of offsets [nq, nk, axes]: the root of squares as in CROMA, or a sum as in data2vec 2.0."""
    if wrong == "by_number":  # of the tokens, row by row
        numbers = [np.ravel_multi_index(one.T, [int(extent) for extent in asked["grid"]]) for one in (queries, keys)]
        return np.abs(numbers[0][:, None] - numbers[1][None]).astype(f32)
    if wrong == "rows_alone":
        return np.abs(apart[..., 0])
    if (asked["metric"] == "manhattan") != (wrong == "other_metric"):
        distance = np.abs(apart).sum(-1, dtype=f32)
    elif wrong == "largest":
        distance = np.abs(apart).max(-1)
    else:
        distance = (apart * apart).sum(-1, dtype=f32)
        distance = np.sqrt(distance) if wrong != "squared" else distance
    if asked["class_token"] == "zero" and wrong != "class_at_a_place":
        distance[queries.min(axis=1) < 0] = 0
        distance[:, keys.min(axis=1) < 0] = 0
    return distance


def alibi(queries, keys):
    biased = asked["biased_heads"] or heads
    m = np.zeros(heads, f32)
    m[:biased] = alibi_slopes(biased if wrong != "slopes_of_all" else heads)[:biased]
    past = (queries[:, None] - keys[None, :]).astype(f32)
    distance = np.abs(past) if asked["axes"] == "line" else of_places(past, queries, keys)
    if asked["form"] == "asymmetric" and wrong != "symmetric":
        offset = asked["future_offset"] if wrong != "no_offset" else 0
        distance = np.where(past < 0, f32(asked["future_factor"]) * (distance + f32(offset)), past)
    bias = -m[:, None, None] * distance
    if asked["head_dim"] and wrong != "added_after":  # Falcon: (scores + bias) / sqrt(head_dim)
        bias = bias * f32(1 / asked["head_dim"] ** 0.5)
    return bias


ENCODINGS = {"alibi": alibi, "dynamic_position_bias": dynamic_position_bias, "fire": fire, "kerple": kerple,
             "log_cpb": log_cpb, "relative_table": relative_table, "sandwich": sandwich}
bias = ENCODINGS[asked.encoding]
serve(bias=lambda queries, keys: bias(queries, keys).astype(f32))
