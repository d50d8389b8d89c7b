"""Softmax attention as a whole, in f64, with RoPE inside (half-split): what `attend` is for.

    ./run posproof gate rope --layout half_split "cmd:python3 examples/numpy_attention.py"
    ./run posproof gate rope --layout half_split "cmd:python3 examples/numpy_attention.py --wrong values_are_rotated"    # exit 1
"""

import argparse

import numpy as np

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("--wrong", choices=["mask_after_softmax", "keys_are_not_rotated", "values_are_rotated"])


def rope(x, base):
    half = x.shape[1] // 2
    angles = np.outer(np.arange(len(x)), base ** (-np.arange(half) / half))
    first, second = x[:, :half], x[:, half:]
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                           second * np.cos(angles) + first * np.sin(angles)], axis=1)


if __name__ == "__main__":
    flags, asked = flags.parse_args(), hello()
    base = float(asked.get("base", 10000))

    def attend(q, k, v, mask):
        q, k = rope(q, base), k if flags.wrong == "keys_are_not_rotated" else rope(k, base)
        v = rope(v, base) if flags.wrong == "values_are_rotated" else v
        logits = q @ k.T / np.sqrt(q.shape[1])
        if flags.wrong != "mask_after_softmax":
            logits = np.where(mask, logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return (weights * mask) @ v

    serve(attend=attend, dtype="f64", conventions="half-split")
