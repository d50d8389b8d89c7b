"""Runs scripts that `--reproduce` wrote, each three times: as it is, with a right implementation in place of `subject`,
and with a wrong one. A line for each script: its number of lines, and how each run ended.

    reproduced.py SCRIPT=NAME ...
"""

import sys

import numpy as np


def rope(layout, dim=8, base=10000.0):
    w = base ** (-np.arange(0, dim, 2) / dim)
    first = np.arange(dim // 2) if layout == "half_split" else np.arange(0, dim, 2)
    second = first + (dim // 2 if layout == "half_split" else 1)

    def rotate(x, positions, role):
        x, angles = np.asarray(x), np.asarray(positions)[:, None, :, None] * w
        y = x.astype(np.float64)
        a, b = y[..., first].copy(), y[..., second].copy()
        y[..., first], y[..., second] = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)
        return y.astype(x.dtype)

    return rotate


def rope_in_bf16():
    import torch

    inner = rope("half_split", 16)
    return lambda x, positions, role: torch.as_tensor(inner(x.double().numpy(), positions.numpy(), role)).to(torch.bfloat16)


def sinusoidal(positions, length, first=0):
    angles = (np.asarray(positions)[:, None] + first) * 10000.0 ** (-np.arange(0, 8, 2) / 8)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), 8).astype(np.float32)


def alibi(queries, keys, causal=True):
    slopes = 2.0 ** (-8.0 * np.arange(1, 5) / 4)
    distance = np.asarray(queries)[:, None] - np.asarray(keys)[None]
    return -slopes[:, None, None] * (np.maximum(distance, 0) if causal else np.abs(distance))


def shifted_alibi(queries, keys):
    return 2.0 ** (-8.0 * np.arange(1, 5) / 4)[:, None, None] * (np.asarray(keys)[None, None] + 0.0 * queries[None, :, None])


def rope_logits(q, k, queries, keys, rotated_keys=True):
    rotate = rope("half_split")
    q = rotate(q[None, None], queries[None], "query")[0, 0]
    k = rotate(k[None, None], keys[None], "key")[0, 0] if rotated_keys else k
    return (q @ k.T / np.sqrt(q.shape[1]))[None]


def rope_attention(q, k, v, mask, rotated_keys=True):
    logits = rope_logits(q, k, np.arange(len(q)), np.arange(len(k)), rotated_keys)[0]
    weights = np.exp(np.where(mask, logits, -np.inf))
    return weights / weights.sum(axis=1, keepdims=True) @ v


class KeyedByShape:
    """Positions are looked at once for each shape of x."""

    def __init__(self):
        self.shape = None

    def __call__(self, x, positions, role):
        if self.shape != x.shape:
            self.shape, self.positions = x.shape, positions
        return rope("half_split")(x, self.positions, role)


def off_at(right, position):
    return lambda x, positions, role: right(x, positions, role) + 0.25 * (positions == position)[:, None, :, None]


def raising(x, positions, role):
    if positions.max(initial=0) >= 3:
        raise AssertionError("as an implementation may: position 3 is too far")
    return rope("interleaved")(x, positions, role)


def overwriting(x, positions, role):
    y = rope("half_split")(x, positions, role)
    x *= 2
    return y


def off_in_bf16(x, positions, role):
    return rope_in_bf16()(x, positions, role) * 1.125


half = rope("half_split")
IMPLEMENTATIONS = {  # of each, a right one and a wrong one
    "rotary": (half, off_at(half, 7)),
    "raises": (rope("interleaved"), raising),
    "table": (sinusoidal, lambda positions, length: sinusoidal(positions, length, 1)),
    "bias": (alibi, lambda queries, keys: alibi(queries, keys) + 0.25 * (keys[None] - queries[:, None] == -2)),
    "shifted": (shifted_alibi, lambda queries, keys: shifted_alibi(queries, keys) + 0.25 * (keys - queries[:, None] == -2)),
    "logits": (rope_logits, lambda *given: rope_logits(*given, rotated_keys=False)),
    "attention": (rope_attention, lambda *given: rope_attention(*given, rotated_keys=False)),
    "remembers": (half, KeyedByShape()),
    "wide": (half, lambda *given: half(*given).astype(np.float64)),
    "narrow": (half, lambda *given: half(*given)[..., :-2]),
    "overwrites": (half, overwriting),
    "bf16": (rope_in_bf16, off_in_bf16),
}


def outcome(code):
    try:
        exec(compile(code, "script", "exec"), {"__name__": "__main__", "under_test": under_test})
        return "passes"
    except Exception as error:
        return type(error).__name__


for word in sys.argv[1:]:
    file, name = word.split("=")
    with open(file) as script:
        code = script.read()
    to_fill = '    raise NotImplementedError("call the code under test here")\n'
    arguments = code[code.index("def subject(") + 12 : code.index("):\n", code.index("def subject("))]
    filled = code.replace(to_fill, "    return under_test(%s)\n" % arguments)
    assert filled != code and "posproof" not in filled.replace("posproof:", ""), "it needs nothing of ours"
    right, wrong = IMPLEMENTATIONS[name]
    if name == "bf16":
        right = right()
    ended = []
    for under_test, text in ((None, code), (right, filled), (wrong, filled)):
        ended.append(outcome(text))
    print(name, code.count("\n"), *ended)
