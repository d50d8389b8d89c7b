"""Writes the sinusoidal table of Vaswani et al. 2017 to a file, rows 0 to 4095, in f32. Flags make it wrong in ways that
were shipped.

    python3 examples/numpy_sinusoidal.py x.npy
    ./run posproof gate sinusoidal --dim 64 table:x.npy
    python3 examples/numpy_sinusoidal.py x.npy --wrong exponent_doubled
    ./run posproof gate sinusoidal --dim 64 table:x.npy    # exit 1
"""

import argparse

import numpy as np

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("file")
flags.add_argument("--dim", type=int, default=64)
flags.add_argument("--rows", type=int, default=4096)
flags.add_argument("--dtype", choices=["f2", "f4", "f8"], default="f4")
flags.add_argument("--wrong", choices=["exponent_doubled", "half_angles", "one_based", "swapped"])
flags = flags.parse_args()

channels = np.arange(0, flags.dim, 2)
if flags.wrong == "exponent_doubled":  # the step of 2 is there already
    channels = 2 * channels
t = np.arange(flags.rows, dtype=np.float64)
if flags.wrong == "one_based":
    t = t + 1
angles = np.outer(t, 10000.0 ** (-channels / flags.dim))
if flags.wrong == "half_angles":  # angles in f16
    angles = angles.astype(np.float16).astype(np.float64)

table = np.empty((flags.rows, flags.dim), flags.dtype)
table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
if flags.wrong == "swapped":
    table[:, 0::2], table[:, 1::2] = np.cos(angles), np.sin(angles)
np.save(flags.file, table)
