"""A trained grid resized as PyTorch's interpolate does it, in numpy's float32: one argument more makes it wrong in one way."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
wrong = sys.argv[1] if len(sys.argv) > 1 else ""
dim, kept, method = asked["dim"], asked["kept_rows"], asked["method"]
before, after = (asked["from_height"], asked["from_width"]), (asked["height"], asked["width"])
is_set = {name: str(asked[name]).lower() == "true" for name in ("align_corners", "antialias")}


def trained(count):
    if asked["table"] == "index":
        return np.arange(count, dtype=np.float64)
    if asked["table"] == "constant":
        return np.arange(count) % dim + 1.0
    with np.errstate(over="ignore"):
        z = np.uint64(int(asked["table_seed"]) << 32) + np.arange(count, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return asked["std"] * math.sqrt(3) * ((z >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1)


def kernel(x):
    """Of the distance: a triangle, or the cubic of this coefficient."""
    x, a = np.abs(x), f32(asked["coefficient"] if wrong != "other_coefficient" else -1.25 - asked["coefficient"])
    if method == "linear":
        return np.maximum(f32(1) - x, f32(0))
    near, far = ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, f32(0))).astype(f32)


def weights(old, new):
    """[new, old]: how much of each old entry is in each new one."""
    if method in ("first", "centre"):
        skipped = (old - new) // 2 if (method == "centre") != (wrong == "other_end") else 0
        return np.eye(new, old, skipped, dtype=f32)
    at = np.arange(new, dtype=f32)
    step = f32(old) / f32(new + (asked["more"] if wrong != "more_ignored" else 0))
    corners = is_set["align_corners"] != (wrong == "other_corners")
    if corners:
        step = f32(old - 1) / f32(new - 1) if new > 1 else f32(0)
    at = step * at if corners and not is_set["antialias"] else step * (at + f32(0.5)) - f32(0.5)
    if is_set["antialias"] and wrong != "not_averaged":
        wide = max(step, f32(1))
        all_weights = kernel((np.arange(old, dtype=f32)[None, :] - at[:, None]) * (f32(1) / wide))
        return all_weights / all_weights.sum(axis=1, keepdims=True)
    if method == "linear":
        at = np.maximum(at, f32(0))
    first = np.floor(at)
    out = np.zeros((new, old), f32)
    for k in range(-1, 3):
        index = first.astype(int) + k
        if wrong != "zeros_outside":
            index = np.clip(index, 0, old - 1)
        inside = (index >= 0) & (index < old)
        np.add.at(out, (np.arange(new)[inside], index[inside]), kernel(at - (first + k))[inside])
    return out


table = trained((kept + before[0] * before[1]) * dim).astype(f32).reshape(-1, dim)
grid = table[kept:].reshape(*before, dim)
if wrong == "axes_swapped":
    grid = table[kept:].reshape(before[1], before[0], dim).transpose(1, 0, 2)
down, across = weights(before[0], after[0]), weights(before[1], after[1])
resized = np.einsum("yi,ijc->yjc", down, grid)
resized = np.einsum("xj,yjc->yxc", across, resized).reshape(-1, dim)
all_rows = np.concatenate([table[:kept], resized] if wrong != "kept_last" else [resized, table[:kept]])


def rows(positions, length):
    if positions.size and not 0 <= positions.min() <= positions.max() < len(all_rows):
        raise IndexError("the table holds rows 0 to %d" % (len(all_rows) - 1))
    return all_rows[positions].astype(f32)


if wrong in ("whole", "whole_reversed"):  # all rows of the grid, whatever number of them is asked for
    serve(rows=lambda n: all_rows[::-1 if wrong == "whole_reversed" else 1].astype(f32), takes_positions="sequence",
          domain=(0, len(all_rows) - 1), ends=True)
else:
    serve(rows=rows, decline=IndexError)
