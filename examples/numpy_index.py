"""The codes that count: the raw index, the index over the length, binary digits, one-hot. posproof says which it wants.

    ./run posproof gate binary --dim 16 "cmd:python3 examples/numpy_index.py"
    ./run posproof gate normalized_index --range zero_one "cmd:python3 examples/numpy_index.py"    # exit 3: 0/0
"""

import numpy as np

from posproof_subject import hello, serve

asked = hello()
dim = asked["dim"]


def spread(column):
    return np.repeat(column[:, None], dim, axis=1)


def raw_index(t, length):
    return spread(t + asked.get("offset", 0))


def normalized_index(t, length):
    if length == 1 and asked["range"] in ("zero_one", "centred"):
        raise ValueError("the only token of a sequence is neither its first nor its last: 0/0")
    zero_one = t / max(length - 1, 1)
    return spread({"zero_one": zero_one, "centred": 2 * zero_one - 1, "per_length": t / length,
                   "shifted": (t + 1) / length}[asked["range"]])


def binary(t, length):
    if t.size and t.max() >= 2.0 ** dim:
        raise ValueError("%d does not fit into %d digits" % (t.max(), dim))
    digits = np.array([[(int(one) >> place) & 1 for place in range(dim)] for one in t]).reshape(len(t), dim)
    digits = digits if asked["order"] == "lsb_first" else digits[:, ::-1]
    return digits if asked["values"] == "bits" else 2 * digits - 1


def one_hot(t, length):
    if t.size and t.max() >= dim:
        raise ValueError("%d does not fit into %d channels" % (t.max(), dim))
    return np.arange(dim) == t[:, None]


code = {"raw_index": raw_index, "normalized_index": normalized_index, "binary": binary, "one_hot": one_hot}
serve(rows=lambda t, length: code[asked.encoding](t, length).astype(np.float64), dtype="f64", decline=ValueError)
