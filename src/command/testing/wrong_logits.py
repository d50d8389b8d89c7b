"""Logits of rope (half-split, f64, one head) whose keys are not rotated."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import numpy as np
from posproof_subject import serve


def rotated(x, positions):
    w = 10000.0 ** (-np.arange(0, x.shape[1], 2) / x.shape[1])
    angles, half = positions[:, None] * w, x.shape[1] // 2
    first, second = x[:, :half], x[:, half:]
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                           second * np.cos(angles) + first * np.sin(angles)], axis=1)


serve(logits=lambda q, k, queries, keys: (rotated(q, queries) @ k.T / np.sqrt(q.shape[1]))[None], dtype="f64")
