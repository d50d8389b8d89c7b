"""A function in C, through ctypes: what is written for a C kernel, or for one in C++ or Rust with a C interface.

    cc -O2 -shared -fPIC examples/c_rope.c -o c_rope.so -lm
    ./run posproof gate rope --heads 4 "cmd:python3 examples/c_rope.py ./c_rope.so"
    ./run posproof gate rope --heads 4 "cmd:python3 examples/c_rope.py ./c_rope.so --wrong reads_int64"    # exit 1
"""

import argparse
import ctypes

import numpy as np

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("library")
flags.add_argument("--wrong", choices=["reads_int64", "base_ignored"])
flags = flags.parse_args()

asked = hello()
dim, base = int(asked["dim"]), 10000 if flags.wrong == "base_ignored" else asked["base"]
kernel = ctypes.CDLL(flags.library).rope_half_split
kernel.restype = None
kernel.argtypes = [np.ctypeslib.ndpointer(np.float32, flags="C"), np.ctypeslib.ndpointer(np.int32, flags="C"),
                   ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_float]


def rotate(x, positions):  # [n, heads, dim] and [n], of all sequences
    y, positions = np.array(x, order="C"), np.ascontiguousarray(positions)
    if flags.wrong == "reads_int64":
        positions = positions.astype(np.int64).view(np.int32)  # every other number is the upper half of one
    kernel(y, positions, y.shape[0], y.shape[1], dim, base)
    return y


serve(rotate=rotate, axes="nhd", positions="int32", precision="f32+iterated", conventions="half-split, angles iterated")
