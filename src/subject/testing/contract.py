"""Rotations (half-split, base 10000) that keep to the contract of an implementation, or break it as the argument says."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import numpy as np
from posproof_subject import bf16, hello, serve

what = sys.argv[1]


def rounded(x):
    return (bf16(x).astype(np.uint32) << 16).view(np.float32)


class Rope:
    def __init__(self, dim):
        self.frequencies = 1.0 / (10000.0 ** (np.arange(0, dim, 2) / dim))
        self.size, self.builds, self.kept, self.shape, self.calls, self.last = 0, 0, None, None, 0, 0

    def angles(self, x, positions):
        """Of the tokens [batch, n, dim / 2], by way of what the object remembers."""
        if what in ("grows_once", "never_grows"):  # the cache of the second size, or of the first, is the last one
            if self.builds < (2 if what == "grows_once" else 1):
                self.size, self.builds = max(self.size, positions.max(initial=0) + 1), self.builds + 1
            positions = np.minimum(positions, self.size - 1)
        if what == "keyed_by_shape":  # computed once for each shape of x
            if self.shape != x.shape:
                self.shape, self.kept = x.shape, positions
            positions = self.kept
        if what == "first_batch" and x.shape[0] > 1:  # the rows of the first batched call
            self.kept = positions if self.kept is None else self.kept
            if self.kept.shape == positions.shape:
                positions = self.kept
        if what == "restarts_behind_a_prefill" and positions.shape[1] == 1 and self.last > 1:
            positions = positions - positions + self.last  # the length of the prefill, not the token's position
        if positions.shape[1] > 1:
            self.last = positions.shape[1]
        return positions[..., None] * self.frequencies

    def __call__(self, x, positions, role):
        self.calls += 1
        far = positions.max(initial=0)
        if what == "slow":
            time.sleep(0.3)
        if what == "hangs" and far >= 1000:
            time.sleep(1000)
        if what in ("declines", "declares") and far >= 100:
            raise IndexError("index %d is out of bounds" % far)
        if what == "raises" and far >= 100:
            raise ValueError("position %d is too far" % far)
        if what == "dies" and far >= 1000:
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "dies_once" and not os.path.exists(sys.argv[2]):
            open(sys.argv[2], "w").close()
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "contiguous_only" and not x.flags["C_CONTIGUOUS"]:
            raise RuntimeError("x is not contiguous")
        if what == "takes_memory_for_contiguous":  # as a kernel does that is given a pointer and a shape
            x = np.lib.stride_tricks.as_strided(x, x.shape, np.empty(x.shape, x.dtype).strides)
        if what == "narrow":
            return x[..., :-2]
        angle = self.angles(x, positions)
        angle = np.concatenate([angle, angle], -1)[:, None]
        half = x.shape[-1] // 2
        other = np.concatenate([-x[..., half:], x[..., :half]], -1)
        if what == "bf16_products":
            return rounded(rounded(x * rounded(np.cos(angle))) + rounded(other * rounded(np.sin(angle))))
        y = x * np.cos(angle) + other * np.sin(angle)
        if what == "bf16_once":
            return rounded(y)
        return y if what == "wide" else y.astype(np.float32)


rope = Rope(int(hello()["dim"]))
declared = {"domain": (0, 99), "ends": True} if what == "declares" else {}
if what.startswith("bf16"):
    declared["dtype"] = "bf16"
serve(rotate=rope, name="contract", **declared)
