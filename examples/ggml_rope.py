"""ggml's rotation, ggml_rope_ext, through ctypes: the kernel that llama.cpp runs, from its shared libraries.

    cmake -B build -DBUILD_SHARED_LIBS=ON && cmake --build build    # in llama.cpp; or from a package that brings them:
    npm pack @node-llama-cpp/linux-x64 && tar xzf node-llama-cpp-*.tgz
    ./run posproof gate rope --base 1e6 "cmd:python3 examples/ggml_rope.py package/bins/linux-x64"
    ./run posproof gate rope --base 1e6 "cmd:python3 examples/ggml_rope.py package/bins/linux-x64 --wrong mode"    # exit 1

--wrong mode: GGML_ROPE_TYPE_NORMAL where pairs are half-split, and NEOX where they are neighbours; scale: freq_scale is the
factor, not its inverse.
"""

import argparse
import ctypes
import glob
import os
from ctypes import c_bool, c_float, c_int, c_int64, c_size_t, c_void_p

import numpy as np

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("folder", help="of libggml-base.so and libggml-cpu.so, or libggml-cpu-x64.so")
flags.add_argument("--wrong", choices=["mode", "scale"])
flags = flags.parse_args()

F32, I32 = 0, 26  # of ggml_type


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", c_size_t), ("mem_buffer", c_void_p), ("no_alloc", c_bool)]


def library(*names):
    for name in names:
        for path in sorted(glob.glob(os.path.join(flags.folder, name))):
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    raise SystemExit("%s: has none of %s" % (flags.folder, ", ".join(names)))


def function(library, name, result, *arguments):
    found = getattr(library, name)
    found.restype, found.argtypes = result, list(arguments)
    return found


base = library("libggml-base.so")
cpu = library("libggml-cpu.so", "libggml-cpu-x64.so")
init = function(base, "ggml_init", c_void_p, InitParams)
free = function(base, "ggml_free", None, c_void_p)
new_tensor = function(base, "ggml_new_tensor_4d", c_void_p, c_void_p, c_int, *[c_int64] * 4)
data = function(base, "ggml_get_data", c_void_p, c_void_p)
new_graph = function(base, "ggml_new_graph", c_void_p, c_void_p)
expand = function(base, "ggml_build_forward_expand", None, c_void_p, c_void_p)
compute = function(cpu, "ggml_graph_compute_with_ctx", c_int, c_void_p, c_void_p, c_int)
rope_ext = function(base, "ggml_rope_ext", c_void_p, *[c_void_p] * 4, *[c_int] * 3, *[c_float] * 6)
function(cpu, "ggml_cpu_init", None)()

asked = hello()
dim = int(asked["dim"])
width = int(asked["rotary_dim"]) or dim
half_split = (asked["layout"] == "half_split") != (flags.wrong == "mode")
yarn = asked["scaling"] == "yarn"
if asked["scaling"] not in ("none", "linear", "yarn"):
    raise SystemExit("scaling=%s; allowed: none, linear, yarn" % asked["scaling"])
scale = 1 if asked["scaling"] == "none" else asked["factor"] if flags.wrong == "scale" else 1 / asked["factor"]


def tensor(context, array, kind, extents):  # ggml's first axis is the last of an array
    made = new_tensor(context, kind, *extents)
    ctypes.memmove(data(made), array.ctypes.data, array.nbytes)
    return made


def rotate(x, positions):  # [n, heads, dim] and [n], of all sequences
    x, positions = np.ascontiguousarray(x), np.ascontiguousarray(positions)
    n, heads, _ = x.shape
    context = init(InitParams(4 * x.nbytes + (1 << 22), None, False))
    y = rope_ext(context, tensor(context, x, F32, (dim, heads, n, 1)), tensor(context, positions, I32, (n, 1, 1, 1)), None,
                 width, 2 if half_split else 0, int(asked["original_length"]) if yarn else 0, asked["base"], scale,
                 1 if yarn else 0, 1, asked["beta_fast"] if yarn else 32, asked["beta_slow"] if yarn else 1)
    graph = new_graph(context)
    expand(graph, y)
    if compute(context, graph, 1) != 0:
        raise RuntimeError("ggml_graph_compute_with_ctx failed")
    out = np.empty_like(x)
    ctypes.memmove(out.ctypes.data, data(y), out.nbytes)
    free(context)
    return out


# Each angle is the one before times a ratio.
serve(rotate=rotate, axes="nhd", positions="int32", precision="f32+iterated", conventions="ggml_rope_ext, angles iterated")
