"""Subjects written with examples/posproof_subject.py, for its test: what the argument says."""

import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import numpy as np
from posproof_subject import bf16, hello, serve

what, dtype = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "f32"


def twice(x, positions, role):
    return x + x if role == "query" else x


def optional_role(x, positions, role="neither"):
    return twice(x, positions, role)


def printing(x, positions, role):
    print("rotating", x.shape)
    os.write(1, b"straight to descriptor 1\n")
    os.system("echo and from a child")
    return x


def failing(x, positions, role):
    raise KeyError("inv_freq")


def declining(x, positions, role):
    raise IndexError("position %d is past the end" % positions.max())


def declining_silently(x, positions, role):
    raise IndexError


def too_many_indices(x, positions, role):
    return x[0, 0, 0, 0, 0]


def no_such_axis(x, positions, role):
    return np.sum(x, axis=4)


def no_such_extent(x, positions, role):
    return x.reshape(x.shape[4])


def past_the_end(x, positions, role):
    return np.zeros(3)[positions]


def type_of_positions(positions):
    raise TypeError(str(positions.dtype))


def transposed(x, positions, role):
    return np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2)  # the right values, not contiguous


def to_double(x, positions, role):
    return x.astype(np.float64)


def big_endian(x, positions, role):
    return (2 * x).astype(x.dtype.newbyteorder(">"))


def ids(positions, length):
    return (np.outer(positions, np.ones(hello()["dim"])) + length).astype(np.float32)


def sums(queries, keys):
    return (queries[:, None] + 100 * keys[None, :])[None].astype(np.float32)


def dots(q, k, queries, keys):
    return (q @ k.T + queries[:, None] - keys[None, :])[None].astype(np.float32)


def first_seen(q, k, v, mask):
    return v[np.argmax(mask, axis=1)]


def seen_as_flags(q, k, v, mask):
    if mask.dtype != bool:
        raise TypeError("a mask of " + str(mask.dtype))
    return first_seen(q, k, v, mask)


def type_of_x(x, positions, role):
    raise TypeError(type(x).__name__ + " " + str(x.dtype))


def layout(x, positions, role):  # 1: not contiguous; 2: the middle of something wider; and the dtype of the positions
    apart = 2 * (x.base is not None and x.strides[-2] == 3 * x.shape[-1] * x.itemsize)
    return np.full_like(x, (not x.flags["C_CONTIGUOUS"]) + apart + 4 * "int64 int32 float32".split().index(str(positions.dtype)))


def in_place(x, positions, role):
    x *= 2
    return x


kept_answers = {}


def overwriting(x, positions, role):  # one answer for each shape
    answer = kept_answers.setdefault(x.shape, np.empty_like(x))
    answer[...] = 2 * x
    return answer


def changing(x, positions, role):
    x *= 2
    return x.copy()


def changing_positions(x, positions, role):
    positions += 1
    return x.copy()


def beyond(x, positions, role):  # writes past the end of a row
    if x.base is not None and x.base.shape[-1] > x.shape[-1]:
        x.base[..., -1] = 0
    return x


def beside(x, positions, role):  # 0 where nothing stands beside them; else NaN or 1, and 2 where positions have no -1
    wide, of_positions = [a.base is not None and a.base.shape[-1] > a.shape[-1] for a in (x, positions)]
    there = np.asarray(x.base[..., 0] if wide else 0, np.float32)
    return np.full_like(x, np.isnan(there).all() + 2 * (of_positions and not (positions.base[..., 0] == -1).all()) + 4 * wide)


def by_heads(q, k, positions):  # four query heads and two key heads, each with its number added
    if (q.shape[1], k.shape[1]) != (4, 2):
        raise ValueError("%d and %d heads" % (q.shape[1], k.shape[1]))
    return [x + np.arange(x.shape[1], dtype=x.dtype)[:, None, None] for x in (q, k)]


def without_batches(x, positions):  # [heads, n, dim]
    return x + positions[..., None].astype(x.dtype)


def dying(x, positions, role):
    os.kill(os.getpid(), 11)


def killed(x, positions, role):
    os.kill(os.getpid(), 9)


def leaving(x, positions, role):
    os._exit(3)


if what == "all":
    serve(rows=ids, rotate=twice, bias=sums, logits=dots, attend=first_seen, version=3, conventions="many",
          domain=(0, 99), precision="f32/f32")
elif what == "shapes":  # of one row of what posproof asks, as code gives it; the last word says in which form
    form = {"batch_of_one": lambda a: a[None], "two_batches_of_one": lambda a: a[None, None], "batch_of_two": lambda a: np.stack([a, a]),
            "arrays": list, "numbers": lambda a: a.tolist(), "list_of_batches": lambda a: [a],
            "thirds": lambda a: (a.astype(np.float64) / 3).tolist(), "too_large": lambda a: (a + 1e39).tolist(),
            "two_formats": lambda a: [a[0], a[0].astype(np.float64)], "two_shapes": lambda a: [a[0], a[0][:1]],
            "pair": lambda a: (a, None), "wide_arrays": lambda a: list(a.astype(np.float64)), "ragged": lambda a: [[1.0], [1.0, 2.0]],
            "flags": lambda a: (a > 0).tolist()}[sys.argv[3]]
    serve(rows=lambda *at: form(ids(*at)), bias=lambda *at: form(sums(*at)), logits=lambda *at: form(dots(*at)),
          attend=lambda *at: form(first_seen(*at)), dtype=dtype)
elif what == "rounded":  # thirds, in bfloat16 made from float32
    serve(rotate=lambda x, positions, role: bf16(x / np.float32(3)), dtype="bf16")
elif what == "ties":  # the middle between two neighbours
    serve(rotate=lambda x, positions, role: bf16(x + np.float32(2 ** -8)), dtype="bf16")
elif what == "unrounded":
    serve(rotate=lambda x, positions, role: x + np.float32(2 ** -8), dtype="bf16")
elif what == "rounded_nan":
    serve(rotate=lambda x, positions, role: bf16(np.full(x.shape, 0x7FFFFFFF, np.uint32).view(np.float32)), dtype="bf16")
elif what == "layout":
    serve(rotate=layout, positions=["int64", "int32", "float32"])
elif what == "overwriting_as_meant":
    serve(rotate=overwriting, in_place=True)
elif what == "overwriting":
    serve(rotate=overwriting)
elif what == "overwriting_rows":
    answer_for_all = np.empty((2, 2), np.float32)

    def into_it(positions):
        answer_for_all[:len(positions)] = positions[:, None]
        return answer_for_all[:len(positions)]

    serve(rows=into_it)
elif what == "one_array":
    serve(bias=lambda queries, keys: np.full((1, len(queries), len(keys)), queries is keys, np.float32))
elif what == "rows_of_a_square":  # the last ones of a square, that many too early
    early = int(sys.argv[2])
    hidden = len(sys.argv) > 3  # later keys are minus infinity

    def of_a_square(nq, nk):
        queries, keys = (np.arange(nq) + nk - nq - (early if nq < nk else 0))[:, None], np.arange(nk)
        return np.where((keys > queries) if hidden else False, -np.inf, queries * 8 + keys)[None].astype(np.float32)

    serve(bias=of_a_square, takes_positions="sequence")
elif what == "changing_as_meant":
    serve(rotate=changing, in_place=True)
elif what == "torch_in_place":
    import torch
    serve(rotate=lambda x, positions, role: x.mul_(2), dtype=getattr(torch, dtype))
elif what == "torch_module":  # in argv[3]'s form; its call passes on whatever comes
    import torch

    class Doubled(torch.nn.Module):
        def forward(self, x, positions):
            return x + x

    class DoubledQueries(torch.nn.Module):
        def forward(self, x, positions, role: str):
            return x + x if role == "query" else x

    forms = {"module": Doubled, "scripted": lambda: torch.jit.script(Doubled()), "with_role": DoubledQueries,
             "with_role_scripted": lambda: torch.jit.script(DoubledQueries()),
             "traced": lambda: torch.jit.trace(lambda x, positions: x + x, (torch.ones(1, 1, 1, 2), torch.zeros(1, 1, dtype=torch.int64)))}
    serve(rotate=forms[sys.argv[3]](), dtype=torch.float32)
elif what == "torch_changing":
    import torch
    serve(rotate=lambda x, positions, role: x.mul_(2).clone(), dtype=getattr(torch, dtype))
elif what == "declining_either":
    def out_of_reach(x, positions, role):
        raise KeyError("it ends") if x.shape[2] == 1 else ValueError("it ends")

    serve(rotate=out_of_reach, decline=(KeyError, ValueError))
elif what == "ends":
    serve(rows=ids, domain=(0, 9), ends=True, name="a table")
elif what == "kinds":  # whether it can be asked as rows and as an operator, in this order
    serve(rows=lambda positions: np.full((len(positions), 1), hello().kinds == ["rows", "attend"], np.float32))
elif what == "flags_of_a_mask":
    serve(attend=seen_as_flags, positions=["int64", "int32"])
elif what in ("imported", "imported_beside_a_thread"):  # by which process, and which one answers
    imported = os.getpid()
    if what == "imported_beside_a_thread":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    serve(rows=lambda positions: np.array([[imported, os.getpid()]] * len(positions), np.float32))
elif what == "bad_positions":
    serve(rotate=twice, positions="int8")
elif what == "processors":  # on how many it may run while it computes, and which process it is
    serve(rows=lambda positions: np.array([[len(os.sched_getaffinity(0)), os.getpid()]] * len(positions), np.float32))
elif what == "index":  # and a rotation that is nearly one, and always wrong
    def nearly(x, positions, role):
        half = x.shape[-1] // 2
        angles = positions[:, None, :, None] * 10000.0 ** (-np.arange(half) / half)
        a, b, c, s = x[..., :half], x[..., half:], np.cos(angles), np.sin(angles)
        return np.concatenate([a * c - b * s, a * s + b * c + 1e-3 * np.cos(37 * a)], -1).astype(np.float32)

    serve(rotate=nearly,
          rows=lambda positions: np.repeat(positions[:, None], hello()["dim"], axis=1).astype(np.float32))
elif what == "flags":  # as Python takes them, and as words
    flags = [bool(hello()["on"]), bool(hello()["off"]), hello()["off"] == "false"]
    serve(rows=lambda positions: np.array([flags] * len(positions), np.float32))
elif what == "twice":
    serve(rotate=twice, dtype=dtype)
elif what == "type_of_positions":
    serve(rows=type_of_positions)
elif what == "trained":
    from posproof_subject import trained
    table = np.concatenate([trained((40, 3), -7, 0.02), trained((20, 3), 2 ** 40, first=10), trained((40, 3), 5, 0.5, 2, True)])
    serve(rows=lambda positions: table[positions], dtype="f64")
elif what == "trained_as_asked":
    from posproof_subject import trained
    hello()
    table = trained((40, 3), 5, 0.5)
    serve(rows=lambda positions: table[positions], dtype="f64")
elif what == "runs":  # of equal numbers in a list
    serve(rows=lambda positions: np.array([hello()["runs"]] * len(positions), np.float32))
elif what == "type_of_integers":
    serve(rows=type_of_positions, positions=["int64", "int32"])
elif what == "whole_sequences":
    serve(logits=lambda q, k: (q @ k.T)[None], takes_positions="sequence")
elif what == "by_heads":
    serve(rotate_both=by_heads, heads=(4, 2))
elif what == "without_batches":
    serve(rotate=without_batches, axes="hnd")
elif what == "class_token":
    serve(bias=lambda nq, nk: np.zeros((1, nq, nk), np.float32), takes_positions="sequence")
elif what == "module":
    import torch
    from posproof_subject import serve_module
    serve_module(lambda asked: torch.nn.Embedding(asked["length"], asked["dim"]))
elif what == "takes":  # answers in f32 to contents in bfloat16
    serve(rotate=lambda x, positions, role: x / np.float32(3), dtype="f32", takes=dtype)
elif what == "torch_takes":
    import torch
    serve(rotate=type_of_x, dtype=torch.float32, takes=getattr(torch, dtype))
elif what == "torch":
    import torch
    serve(rotate=twice, dtype=getattr(torch, dtype))
elif what == "torch_type":
    import torch
    serve(rotate=type_of_x, dtype=getattr(torch, dtype))
else:
    serve(rotate=globals()[what], dtype=dtype, decline=IndexError)
