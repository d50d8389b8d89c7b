"""A layer of attention of 4 heads with ALiBi, in numpy's float32; `steeper` makes its slopes 2 % larger."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
heads = 4
hello()
slopes = 2.0 ** (-8 / heads * np.arange(1, heads + 1))
slopes = (slopes * (1.02 if sys.argv[1:] == ["steeper"] else 1)).astype(f32)


def attend(q, k, v, mask):
    width = q.shape[1] // heads
    if width * heads != q.shape[1] or v.shape[1] % heads:
        raise ValueError("widths of %d heads" % heads)
    distance = (np.arange(len(q))[:, None] - np.arange(len(k))[None, :]).astype(f32)
    out = np.zeros((len(q), v.shape[1]), f32)
    for head in range(heads):
        own, of_values = slice(head * width, (head + 1) * width), v.shape[1] // heads
        logits = q[:, own] @ k[:, own].T / f32(np.sqrt(width)) - slopes[head] * distance
        logits = np.where(mask, logits, f32(-np.inf))
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        out[:, head * of_values:(head + 1) * of_values] = weights @ v[:, head * of_values:(head + 1) * of_values]
    return out


serve(attend=attend)
