"""Puts a Python function to the test of posproof: one file, to copy beside your own. Needs Python 3.8 and numpy.

    from posproof_subject import serve

    def my_rope(x, positions, role):     # x [batch, heads, n, dim], positions [batch, n], role "query" or "key"
        ...
        return rotated                    # the shape of x

    serve(rotate=my_rope)

and then, in a shell:   posproof gate rope --dim 128 "cmd:python3 my_subject.py"

The functions, each a keyword of serve(), and what they are given and give:

    rows(positions[n], length)         -> [n, dim]              codes of these positions, in a sequence of that length
    rotate(x, positions, role)           -> the shape of x
    bias(queries[nq], keys[nk])        -> [heads, nq, nk]       given the positions of queries and keys
    logits(q, k, queries, keys)        -> [heads, nq, nk]       q [nq, dim], k [nk, dim], and their positions
    attend(q, k, v, mask)              -> [nq, value_dim]       mask [nq, nk], True where a query sees a key

`dtype` is the format of the answers and, unless `takes` is another, of x, q, k, v: "f64", "f32", "f16", "bf16" or a torch.dtype; with the latter the
functions are given torch tensors. numpy has no bfloat16: with "bf16" they are given float32 arrays that hold bfloat16
values, and may return such, or bit patterns as uint16. Answers are never converted: one in another dtype is an error.

Arrays come as code meets them: most as they are, some with heads and tokens in each other's place in memory (as after
`x.view(batch, n, heads, dim).transpose(1, 2)`), some as the middle of a wider array (as after `qkv[..., dim:2 * dim]`). The
last axis is always contiguous. What a function is given it leaves as it was: changing it is an error, unless it returns just
that memory, or `in_place=True` says that it is meant.

Importing this file moves standard input and output out of the way: print() goes to standard error from then on.
What the bytes mean stands in src/subject/protocol.md.
"""

import json
import os
import signal
import struct
import sys
import traceback

import numpy as np

_PROTOCOL = "1"
_LONGEST_HEADER = 1 << 20
_LARGEST_FRAME = 1 << 32
_STORED = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "U8": "|u1", "BOOL": "|b1"}
_NAMES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "f64": "F64", "f32": "F32",
          "f16": "F16", "bf16": "BF16"}
_TORCH = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_ARGUMENTS = {"rows": ("positions",), "rotate": ("x", "positions"), "bias": ("queries", "keys"),
              "logits": ("q", "k", "queries", "keys"), "attend": ("q", "k", "v", "mask")}

_wire_in = os.fdopen(os.dup(0), "rb")
_wire_out = os.fdopen(os.dup(1), "wb")
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.dup2(2, 1)
os.close(_nothing)
_asked = None
_renews = False
_REPLACED = 75  # exit status of a child that is to be replaced


class Asked(dict):
    """What posproof takes this subject for: `asked.encoding`, the id, and its parameters as `asked["dim"]`."""

    encoding = ""


def hello():
    """Waits for posproof and says what it expects, so that a subject can be built from it; serve() then answers.

    Where that can be done (a process of one thread that can fork) this process stays behind, with everything imported,
    and starts one of its own for each new object that posproof wants. What was built before this call, or before serve()
    where hello() is not called, is as it was then in each of them.
    """
    global _asked
    if _asked is None:
        words, _ = (None, None) if _wire_in.isatty() else _read()
        if words is None:
            sys.exit("this program answers posproof: see posproof_subject.py")
        _asked = Asked((name, _value(text)) for name, text in (w.split("=", 1) for w in words["parameters"].split()))
        _asked.encoding = words["encoding"]
        _fork_for_each_object()
    return _asked


def _fork_for_each_object():
    """Returns in a child, and in another one whenever the one before ends in order to be replaced."""
    global _renews
    try:
        _renews = hasattr(os, "fork") and len(os.listdir("/proc/self/task")) == 1  # a fork takes one thread with it
    except OSError:
        _renews = False
    while _renews:
        child = os.fork()
        if child == 0:
            return
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL) if os.WTERMSIG(status) != signal.SIGKILL else None
            os.kill(os.getpid(), os.WTERMSIG(status))
        if os.WEXITSTATUS(status) != _REPLACED:
            os._exit(os.WEXITSTATUS(status))


def serve(rows=None, rotate=None, bias=None, logits=None, attend=None, dtype="f32", precision=None, name=None,
          version="", domain=None, ends=False, conventions="", decline=IndexError, takes=None, positions="int64",
          in_place=False):
    """Answers posproof until it has no more questions.

    precision    what the answers may be judged by: "bf16/f32" is bf16 with angles in f32, "bf16+table=f32" a rotation
                 that is computed in f32 and rounded once. Usually the dtype says it.
    takes        format of x, q, k, v where it is not that of the answers: "bf16" with dtype="f32"
    domain       (first, last) position; `ends=True`: every position outside is declined
    conventions  free words for the report: "half-split, positions from 1"
    decline      exception, or several, that mean no rather than a fault, an index past a table's end unless
                 said otherwise: (IndexError, ValueError); () for none
    positions    the dtypes in which positions are taken: "int64", or several of "int64", "int32", "float64", "float32";
                 calls change between them, where they hold the positions exactly
    in_place     the functions may overwrite what they are given; one that returns just that may, in any case
    """
    hello()
    given = {"rows": rows, "rotate": rotate, "bias": bias, "logits": logits, "attend": attend}
    decline = decline if isinstance(decline, tuple) else (decline,)
    functions = {kind: function for kind, function in given.items() if function is not None}
    torch = sys.modules.get("torch") if str(dtype).startswith("torch.") else None
    stored = _NAMES[str(dtype).replace("torch.", "")]
    taken = stored if takes is None else _NAMES[str(takes).replace("torch.", "")]
    if taken != stored:
        precision = "%s+input=%s" % (precision or stored.lower(), taken.lower())
    given_as = getattr(torch, _TORCH[taken]) if torch else None

    words = {"answer": "hello", "id": "0", "protocol": _PROTOCOL, "kinds": " ".join(functions), "dtype": stored,
             "name": name or os.path.splitext(os.path.basename(sys.argv[0]))[0], "version": str(version),
             "conventions": conventions}
    if precision is not None:
        words["precision"] = precision
    if positions != "int64":
        words["positions"] = positions if isinstance(positions, str) else " ".join(positions)
    if domain is not None:
        words["domain"] = "%d %d%s" % (domain[0], domain[1], " ends" if ends else "")
    if _renews:
        words["renews"] = "yes"
    _write(words)

    while True:
        words, tensors = _read()
        if words is None:
            return
        if words["call"] == "renew":
            os._exit(_REPLACED)
        answer = {"answer": "result", "id": words["id"]}
        result = None
        try:
            call = words["call"]
            given = [_Given(one, _argument(tensors[one], one, taken, words.get("positions")), words.get("arrays"),
                            given_as, torch) for one in _ARGUMENTS[call]]
            arguments = [one.array for one in given]
            if call == "rows":
                arguments.append(int(words["length"]))
            if call == "rotate":
                arguments.append(words["role"])
            returned = functions[call](*arguments)
            result = _bits(returned, call, stored)
            changed = [] if in_place else [one.name for one in given if one.is_changed(returned)]
            if changed:
                result = None
                answer.update(answer="error", changed="yes", text="%s() changed `%s`, which it was given and others may read; "
                              "serve(in_place=True) says that this is meant" % (call, changed[0]))
        except decline as no:
            answer.update(answer="declined", reason=str(no) or type(no).__name__)
        except _Otherwise as other:
            answer.update(answer="error", text=str(other))
        except Exception:
            answer.update(answer="error", text="".join(traceback.format_exc(limit=-3))[-1500:].strip())
        _write(answer, result, stored)


def bf16(x):
    """float32 values rounded to bfloat16, ties to even: as bit patterns, uint16."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


class _Otherwise(Exception):
    """The function's answer has another format than was declared: no traceback explains that."""


def _short(dtype):
    return _NAMES.get(str(dtype), str(dtype)).lower()


def _value(text):
    if text.startswith("["):
        return [float(one) for one in text[1:-1].split(",") if one]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _argument(array, name, taken, positions):
    """As the functions get it: content in the format that they take, which holds it exactly, or rounds what was answered."""
    if name == "mask":
        return array != 0
    if array.dtype == np.float64 and taken != "F64":
        array = array.astype(np.float16 if taken == "F16" else np.float32)
        return (bf16(array).astype(np.uint32) << 16).view(np.float32) if taken == "BF16" else array
    if array.dtype == np.int64 and positions:
        return array.astype(positions)
    return array.copy()  # the frame's own bytes cannot be written to


class _Given:
    """An array as a function is given it, and the memory that it lies in."""

    def __init__(self, name, array, how, torch_dtype, torch):
        self.name, width = name, array.shape[-1]
        memory, view = array, lambda whole: whole
        if how == "slice" and array.dtype != np.bool_:  # what stands beside it is no content and no position
            memory = np.full(array.shape[:-1] + (3 * width,), np.nan if array.dtype.kind == "f" else -1, array.dtype)
            memory[..., width:2 * width] = array
            view = lambda whole: whole[..., width:2 * width]
        elif how == "transposed" and array.ndim == 4:
            memory = np.ascontiguousarray(array.swapaxes(1, 2))
            view = lambda whole: whole.swapaxes(1, 2)
        self._memory = memory
        if torch is not None:
            memory = shared = torch.from_numpy(memory)
            memory = memory.to(torch_dtype) if name in ("x", "q", "k", "v") else memory
            if memory is not shared:  # in another format: looked at as integers of 2, 4 or 8 bytes
                integers = {2: torch.int16, 4: torch.int32, 8: torch.int64}[memory.element_size()]
                self._memory = memory.view(integers).numpy()
        self.array, self._view, self._before = view(memory), view, self._memory.copy()

    def is_changed(self, returned):
        """A function that returns what it was given works in place, as kernels do: then only what stands beside it counts."""
        after = self._memory
        if self._holds(returned):
            after = after.copy()
            self._view(after)[...] = self._view(self._before)
        return after.tobytes() != self._before.tobytes()

    def _holds(self, returned):
        if hasattr(returned, "data_ptr"):
            at = returned.data_ptr()
        else:
            at = getattr(returned, "__array_interface__", {"data": (0,)})["data"][0]
        return 0 <= at - self._memory.__array_interface__["data"][0] < self._memory.nbytes


def _bits(result, call, stored):
    """An answer as the bytes of the promised format, or an error that says what it is instead."""
    if hasattr(result, "detach"):
        result = result.detach().cpu().contiguous()
        if str(result.dtype) == "torch.bfloat16":
            result = result.view(sys.modules["torch"].int16).numpy().view(np.uint16)
        else:
            result = result.numpy()
    result = np.asarray(result)
    if stored == "BF16" and result.dtype == np.float32:
        bits = np.ascontiguousarray(result).view(np.uint32)
        if not (bits & 0xFFFF).any():
            result = (bits >> 16).astype(np.uint16)
    if stored == "BF16" and str(result.dtype) == "bfloat16":
        result = result.view(np.uint16)
    if result.dtype != np.dtype(_STORED[stored]):
        raise _Otherwise("answers %s; declared %s" % (_short(result.dtype), stored.lower()))
    return np.ascontiguousarray(result).reshape(result.shape)


def _write(words, result=None, stored=None):
    header = {"__metadata__": words}
    data = b""
    if result is not None:
        data = result.tobytes()
        header["result"] = {"dtype": stored, "shape": result.shape, "data_offsets": [0, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    _wire_out.write(b"".join((struct.pack("<Q", len(text)), text, data)))
    _wire_out.flush()


def _read():
    """One frame: its words, and its tensors by name; None, None at the end."""
    first = _wire_in.read(8)
    if not first:
        return None, None
    size = struct.unpack("<Q", first)[0] if len(first) == 8 else _LONGEST_HEADER + 1
    if size > _LONGEST_HEADER:
        sys.exit("standard input does not speak posproof's protocol: run this program as cmd:... of posproof")
    header = json.loads(_exactly(size), object_pairs_hook=_no_duplicates)
    words = header.pop("__metadata__")
    tensors, end = {}, 0
    for name, part in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        dtype = np.dtype(_STORED[part["dtype"]])
        count = 1
        for extent in part["shape"]:
            count *= extent
        begin, stop = part["data_offsets"]
        if begin != end or stop - begin != count * dtype.itemsize or stop > _LARGEST_FRAME:
            sys.exit("tensor `%s` of a frame does not fit its bytes" % name)
        tensors[name], end = (dtype, begin, count, part["shape"]), stop
    data = _exactly(end)
    return words, {name: np.frombuffer(data, dtype, count, begin).reshape(shape)
                   for name, (dtype, begin, count, shape) in tensors.items()}


def _no_duplicates(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        sys.exit("a frame's header has a key twice")
    return found


def _exactly(size):
    data = _wire_in.read(size)
    if len(data) != size:
        sys.exit("standard input ended in the middle of a frame")
    return data
