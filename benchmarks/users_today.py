"""What users run today, timed in the same run as posproof_benchmarks: sinusoidal tables and rotary caches of 131072 x 128
by numpy and PyTorch, one thread each, a property of RoPE in Hypothesis, and what posproof's own commands take as processes.
Prints JSON in the form of
Google Benchmark's; the tables stay behind as NAME.COLUMNS.f32 (row-major), for posproof_benchmarks to verify.

    python3 benchmarks/users_today.py FOLDER [--posproof build/release/posproof] [--repetitions 5] > today.json
"""

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import argparse
import json
import math
import pathlib
import platform
import resource
import subprocess
import sys
import time

import numpy as np

try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None
try:
    import hypothesis
    import hypothesis.extra.numpy
    from hypothesis import strategies
except ImportError:
    hypothesis = None

ROWS, DIM, BASE = 131072, 128, 10000.0

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("folder", type=pathlib.Path)
flags.add_argument("--posproof", default="build/release/posproof")
flags.add_argument("--repetitions", type=int, default=5)
flags = flags.parse_args()
#-- -- tables -- --

def numpy_tutorial():
    """Everything in f32, as tutorials have it."""
    table = np.zeros((ROWS, DIM), dtype=np.float32)
    position = np.arange(ROWS, dtype=np.float32)[:, None]
    w = np.exp(np.arange(0, DIM, 2, dtype=np.float32) * np.float32(-math.log(BASE) / DIM))
    table[:, 0::2] = np.sin(position * w)
    table[:, 1::2] = np.cos(position * w)
    return table


class NumpyBest:
    """The same arithmetic, as fast as it goes: blocks that stay in the caches, nothing allocated, sines and cosines each
    side by side."""

    block = 256

    def __init__(self):
        self.table = np.zeros((ROWS, DIM), dtype=np.float32)
        self.position = np.arange(ROWS, dtype=np.float32)[:, None]
        self.w = np.exp(np.arange(0, DIM, 2, dtype=np.float32) * np.float32(-math.log(BASE) / DIM))
        self.angles = np.empty((self.block, DIM // 2), dtype=np.float32)

    def __call__(self):
        for first in range(0, ROWS, self.block):
            rows = slice(first, first + self.block)
            np.multiply(self.position[rows], self.w, out=self.angles)
            np.sin(self.angles, out=self.table[rows, : DIM // 2])
            np.cos(self.angles, out=self.table[rows, DIM // 2 :])
        return self.table


def numpy_f64():
    """Angles and sines in f64, stored in f32."""
    table = np.empty((ROWS, DIM), dtype=np.float32)
    angles = np.arange(ROWS)[:, None] * BASE ** (-np.arange(0, DIM, 2) / DIM)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


def torch_tutorial():
    table = torch.zeros(ROWS, DIM)
    position = torch.arange(ROWS, dtype=torch.float)[:, None]
    w = torch.exp(torch.arange(0, DIM, 2).float() * (-math.log(BASE) / DIM))
    table[:, 0::2] = torch.sin(position * w)
    table[:, 1::2] = torch.cos(position * w)
    return table


def llama_caches():
    """Cosines and sines as Llama-style models cache them, each frequency twice."""
    w = 1.0 / BASE ** (torch.arange(0, DIM, 2).float() / DIM)
    angles = torch.outer(torch.arange(ROWS).float(), w)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


class TorchRotation:
    """x cos + rotate_half(x) sin on (1, 32, 4096, 128)."""

    def __init__(self):
        w = 1.0 / BASE ** (torch.arange(0, DIM, 2).float() / DIM)
        angles = torch.outer(torch.arange(4096).float(), w)
        angles = torch.cat((angles, angles), dim=-1)
        self.cos, self.sin = angles.cos(), angles.sin()
        self.x = torch.randn(1, 32, 4096, DIM)

    def __call__(self):
        first, second = self.x.chunk(2, dim=-1)
        return self.x * self.cos + torch.cat((-second, first), dim=-1) * self.sin


class OffsetAlone:
    """The logits of RoPE depend on the offset alone, at d = 64 in f64: s(q, k; i + t, j + t) = s(q, k; i, j). Each channel is
    drawn, or numpy draws them from a seed that is. The bound is no derived one: what is timed is that all cases run."""

    def __init__(self, seeded, cases):
        self.cases, self.run = cases, 0
        w = BASE ** (-np.arange(0, 64, 2) / 64)

        def rotated(x, t):
            cos, sin = np.cos(t * w), np.sin(t * w)
            return np.concatenate([x[:32] * cos - x[32:] * sin, x[:32] * sin + x[32:] * cos])

        channels = hypothesis.extra.numpy.arrays(np.float64, 64, elements=strategies.floats(-1, 1))
        if seeded:
            channels = strategies.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).uniform(-1, 1, 64))
        positions = strategies.integers(0, 2**19)

        @hypothesis.settings(max_examples=cases, deadline=None, database=None, derandomize=True,
                             phases=[hypothesis.Phase.generate], suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(channels, channels, positions, positions, positions)
        def check(q, k, i, j, t):
            self.run += 1
            assert abs(rotated(q, i + t) @ rotated(k, j + t) - rotated(q, i) @ rotated(k, j)) < 1e-6

        self.check = check

    def __call__(self):
        self.check()


# ---- timing ----

measured = []


def record(name, seconds, items=None):
    one = {"name": name, "run_type": "iteration", "real_time": seconds * 1e9, "cpu_time": seconds * 1e9,
           "time_unit": "ns"}
    if items is not None:
        one["items_per_second"] = items / seconds
    measured.append(one)


def timed(name, make, items):
    """Processor time, as Google Benchmark counts it; the first call warms up. Gives what was made."""
    made = make()
    for _ in range(flags.repetitions):
        begin = time.process_time()
        made = make()
        record(name, time.process_time() - begin, items)
    return made


def keep(name, table):
    np.ascontiguousarray(table, dtype="<f4").tofile(flags.folder / f"{name}.f32")


def process(name, words):
    """User and system time of a process that must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
        return
    record(name, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


flags.folder.mkdir(parents=True, exist_ok=True)
context = {"python": platform.python_version(), "numpy": np.__version__,
           "torch": torch.__version__ if torch else "not installed",
           "hypothesis": hypothesis.__version__ if hypothesis else "not installed"}
values = ROWS * DIM

keep("numpy_tutorial.interleaved", timed("today/numpy_tutorial", numpy_tutorial, values))
keep("numpy_best.sin_cos", timed("today/numpy_best", NumpyBest(), values))
keep("numpy_f64.interleaved", timed("today/numpy_f64", numpy_f64, values))
if torch:
    keep("torch_tutorial.interleaved", timed("today/torch_tutorial", torch_tutorial, values).numpy())
    cos, sin = timed("today/llama_caches", llama_caches, 2 * values)
    keep("llama_cosines.cos_cos", cos.numpy())
    keep("llama_sines.sin_sin", sin.numpy())
    timed("today/torch_rotate", TorchRotation(), 32 * 4096 * DIM)

if hypothesis:
    for name, seeded, cases in (("hypothesis/drawn", False, 100), ("hypothesis/seeded", True, 400)):
        offset_alone = OffsetAlone(seeded, cases)
        timed(name, offset_alone, cases)
        if offset_alone.run != cases * (flags.repetitions + 1):
            sys.exit(f"{name}: {offset_alone.run} cases were run")

encoding = ["sinusoidal", "--dim", "128", "--base", "500000", "--layout", "sin_cos"]
file = flags.folder / "exact.npy"
for _ in range(flags.repetitions):
    process("process/oracle", [flags.posproof, "oracle", *encoding, "--dtype", "f32", "--positions", f"0:{ROWS - 1}",
                               "-o", file])
    process("process/gate", [flags.posproof, "gate", *encoding, f"table:{file}"])
    process("process/start", [flags.posproof, "--version"])

json.dump({"context": context, "benchmarks": measured}, sys.stdout, indent=1)
