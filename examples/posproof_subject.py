"""Puts a Python function to the test of posproof: one file, to copy beside your own. Needs Python 3.8 and numpy.

    from posproof_subject import serve

    def my_rope(x, positions, role):     # x [batch, heads, n, dim], positions [batch, n], role "query" or "key"
        ...
        return rotated                    # the shape of x

    serve(rotate=my_rope)

and then, in a shell:

    ./run posproof gate rope --dim 128 --base 500000 "cmd:python3 my_subject.py"

The functions, each a keyword of serve(), and what they are given and give:

    rows(positions[n], length)         -> [n, dim]              codes of these positions, in a sequence of that length
    rotate(x, positions, role)         -> the shape of x
    rotate_both(q, k, positions)       -> (q, k), rotated       instead of rotate, for code that takes both in one call
    bias(queries[nq], keys[nk])        -> [heads, nq, nk]       given the positions of queries and keys
    logits(q, k, queries, keys)        -> [heads, nq, nk]       q [nq, dim], k [nk, dim], and their positions
    attend(q, k, v, mask)              -> [nq, value_dim]       mask [nq, nk], True where a query sees a key
    weights(q, k, mask)                -> [(heads,) nq, nk]     instead of attend: after the softmax, which leaves a constant
                                                                for each query open; they are judged by their sums over v

A function that takes no `length` or no `role` is given none. All but rotations are asked for one row, not for a batch: their answer
may have a batch of 1 before its other axes, as [1, heads, nq, nk], and none of 2. It is an array, or a list of arrays of one shape and
format, or of lists; numbers of Python in lists have no format, and are rounded once to `dtype`. PyTorch modules are served as they are: serve_module(). Other
code takes positions and arrays in other ways; serve() splits each call of posproof into calls that the function takes:

    takes_positions="each"       one position a token, [batch, n]: nothing is split
                    "shared"     one row of positions for the batch, [n]
                    "ascending"  such a row, in which every position is larger than the one before
                    "offset"     a number, the first of n positions that follow each other: rotate(x, offset),
                                 rows(n, offset)
                    "sequence"   no positions, but whole sequences from 0 on: rotate(x), rows(n), bias(nq, nk) or bias(n),
                                 also [heads, 1, nk] where all queries have the same row (nq is at most nk; fewer queries than
                                 keys are the first ones of the sequence, or the last, whichever the function's own squares say),
                                 logits(q, k) of as many queries as keys; of a window or a grid in rows and columns all its
                                 tokens, row by row (of each frame), behind a class token apart; `--grid [24,20]` says
                                 its extents
                    "mask"       no positions, but whole sequences behind padding, and a mask [batch, n], 0 for padding and 1 for
                                 tokens: rotate(x, mask), rows(mask) -> [batch, n, dim], bias(mask) -> [batch, heads, n, n],
                                 [batch, heads, 1, n] or [batch * heads, 1, n]. Positions count tokens, from 0 on; what
                                 padding gets is not judged, unless the encoding has a `padding_row`
    axes="bnhd"                  the axes of x: batch, heads, n, dim, in any order, dim last; "bnd" (one head), "nhd"
                                 (tokens of all sequences in one row), "n(hd)" (heads side by side in one axis)
    heads=(32, 8)                of rotate_both: how many heads q and k have; where each head has frequencies of its own
                                 (mixed_rope with shared=false) both have as many as are declared
    prefix=5, suffix=1           of rotate: so many tokens of x stand before, and behind, those that have positions (a class token,
                                 registers) and must come back as they were
    vjp="autograd"               the backward pass is asked, too: through PyTorch's autograd, or a function vjp(x, positions,
                                 g), which gives the gradient with respect to x where g is that with respect to
                                 rotate(x, positions)

posproof prints which questions that leaves out: a function that takes whole sequences is never given a position twice.

`dtype` is the format of the answers and, unless `takes` is another, of x, q, k, v: "f64", "f32", "f16", "bf16" or a torch.dtype; with the latter the
functions are given torch tensors. numpy has no bfloat16: with "bf16" they are given float32 arrays that hold bfloat16
values, and may return such, or bit patterns as uint16. Arrays are never converted: an answer in another dtype is an error.

Arrays come as code meets them: most as they are, some with heads and tokens in each other's place in memory (as after
`x.view(batch, n, heads, dim).transpose(1, 2)`), some as the middle of a wider array (as after `qkv[..., dim:2 * dim]`). The
last axis is always contiguous. What a function is given it leaves as it was: changing it is an error, unless it returns just
that memory, or `in_place=True` says that it is meant. What a function has given stays as it is when it is called again, as
rotated queries do when keys are rotated: answers that share memory are an error.

trained(shape, seed, std) is what posproof has in the place of trained numbers (`table_seed`, `mlp_seed`, `std`): fill the tables and
layers of your code with it. `posproof explain NAME` says which shapes follow each other, and which seed is that of the next.

Importing this file moves standard input and output out of the way: print() goes to standard error from then on.
What the bytes mean stands in src/subject/protocol.md.
"""

import difflib
import inspect
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
_DTYPES = {name: np.dtype(code) for name, code in _STORED.items()}
_NAMES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "f64": "F64", "f32": "F32",
          "f16": "F16", "bf16": "BF16"}
_TORCH = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_CONTENTS = ("x", "q", "k", "v")
_PLACES = ("positions", "queries", "keys")
_POSITIONS = ("each", "shared", "ascending", "offset", "sequence", "mask")
_FEW_PARTS = 64  # of a call, in the order of its tokens
_WINDOWS = {"rows_and_columns": ("height", "width"), "time_rows_and_columns": ("frames", "height", "width")}
_LAST_OF_A_SEQUENCE = {"rows": 2047, "rotate": 2047, "bias": 511, "logits": 511}


def _last_of_a_sequence(kind):
    """Of buckets that go on for longer the first position of the last one, for squares of up to 1,024 queries."""
    usual = _LAST_OF_A_SEQUENCE.get(kind, 2047)
    return max(usual, min(1023, int(hello().get("max_distance", 0)))) if kind == "bias" else usual


_wire_in = os.fdopen(os.dup(0), "rb", 1 << 16)  # as much as a pipe holds
_wire_out = os.fdopen(os.dup(1), "wb")
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.dup2(2, 1)
os.close(_nothing)
_asked = None
_renews = False
_REPLACED = 75  # exit status of a child that is to be replaced
_STAYS = hasattr(os, "sched_setaffinity")


# Arrays of one long call are as large again in the next: from the memory of one that glibc gave back it learns to keep such
# memory, which the system would have to clear each time. This one is not touched, and takes none.
np.empty(1 << 24, np.uint8)


class Asked(dict):
    """What posproof takes this subject for: `asked.encoding`, the id, its parameters as `asked["dim"]`, and `asked.kinds`, the
    functions that it can be asked as, its own first."""

    encoding, kinds = "", []


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
        _asked.encoding, _asked.kinds = words["encoding"], words.get("kinds", "rotate").split()
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
          version="", domain=None, ends=False, conventions="", decline=IndexError, takes=None, positions=None,
          in_place=False, takes_positions="each", axes=None, rotate_both=None, heads=None, vjp=None, weights=None, prefix=0,
          suffix=0):
    """Answers posproof until it has no more questions.

    precision    what the answers may be judged by: "bf16/f32" is bf16 with angles in f32, "bf16+table=f32" a rotation
                 that is computed in f32 and rounded once. Usually the dtype says it.
    takes        format of x, q, k, v where it is not that of the answers: "bf16" with dtype="f32"
    domain       (first, last) position; `ends=True`: every position outside is declined. Of whole sequences (0, 2047), and
                 (0, 511) for a bias and for logits, of buckets up to their max_distance (at most 1023), unless said otherwise:
                 memory grows with the last one
    conventions  free words for the report: "half-split, positions from 1"
    decline      exception, or several, that mean no rather than a fault, an index past a table's end unless
                 said otherwise: (IndexError, ValueError); () for none. An IndexError about axes, shapes or types, as
                 "too many indices", and numpy's AxisError are faults in any case
    positions    the dtypes in which positions are taken: "int64", or several of "int64", "int32", "float64", "float32";
                 calls change between them, where they hold the positions exactly. Of an encoding whose positions are
                 real numbers (nerf, timestep_embedding) they are floats unless "int64" or "int32" is given, which says
                 that whole ones alone are taken, as indices of a table are; so does takes_positions="offset", "sequence", "mask"
    in_place     the functions may overwrite what they are given; one that returns just that may, in any case, and one that
                 returns None has
    takes_positions, axes, rotate_both, heads, vjp, weights, prefix, suffix: see the head of this file
    """
    hello()
    given = {"rows": rows, "rotate": rotate or rotate_both, "bias": bias, "logits": logits, "attend": attend or weights}
    decline = decline if isinstance(decline, tuple) else (decline,)
    functions = {kind: function for kind, function in given.items() if function is not None}
    how = _How(functions, dtype, takes, takes_positions, axes, heads, in_place, both=rotate is None, vjp=vjp, beside=(prefix, suffix))
    for one, other, names in ((rotate, rotate_both, "rotate and rotate_both"), (attend, weights, "attend and weights")):
        if one is not None and other is not None:
            raise ValueError("%s are both given; allowed: one of them" % names)
    how.weights = weights is not None
    if how.taken != how.stored:
        precision = "%s+input=%s" % (precision or how.stored.lower(), how.taken.lower())
    whole = how.takes_positions in ("sequence", "mask")
    if domain is None and (whole or how.takes_positions == "offset" and _length_of() is not None):
        grid = hello().get("grid", [])
        begin = -1 if hello().get("class_token", "none") != "none" else min(0, _padding() or 0)
        if "bias" in functions and "height" in hello() and hello().get("axes") in _WINDOWS:
            domain, ends = (begin, max(_window()) - 1), True
        elif not grid:
            domain = (begin, min(_last_of_a_sequence(kind) for kind in functions))
        elif hello().get("coordinates") == "whole" or hello().get("normalize") == "none":
            domain = (0, int(max(grid)) - 1)  # the encoding has no grid; posproof ends each axis at its extent

    words = {"answer": "hello", "id": "0", "protocol": _PROTOCOL, "kinds": " ".join(functions), "dtype": how.stored,
             "name": name or os.path.splitext(os.path.basename(sys.argv[0]))[0], "version": str(version),
             "conventions": conventions}
    if precision is not None:
        words["precision"] = precision
    if positions is not None:
        words["positions"] = positions if isinstance(positions, str) else " ".join(positions)
    if domain is not None:
        words["domain"] = "%d %d%s" % (domain[0], domain[1], " ends" if ends else "")
    if how.takes_positions != "each":
        words["takes_positions"] = how.takes_positions
    if how.heads is not None:
        words["heads"] = "%d %d" % tuple(how.heads)
    if how.vjp is not None:
        words["backward"] = "yes"
    if _renews:
        words["renews"] = "yes"
    if _STAYS:
        words["processor"] = "yes"
    _write(words)

    anywhere, how.calls_twice = None, not in_place
    while True:
        words, tensors = _read()
        _run_on(anywhere)
        if words is None:
            return
        if words["call"] == "renew":
            os._exit(_REPLACED)
        answer = {"answer": "result", "id": words["id"]}
        result = None
        try:
            result = _ASK[words["call"]](_Call(words, tensors, how), functions[words["call"]])
        except _NoSuchPosition as no:
            answer.update(answer="declined", reason=str(no))
        except _Otherwise as other:
            answer.update(answer="error", text=str(other))
            if isinstance(other, _Changed):
                answer["changed"] = "yes"
        except Exception as error:
            if str(error).startswith(_NO_INDICES) and tensors.get("positions", np.zeros(0)).dtype == np.float64:
                answer.update(answer="error", text='%s: positions are real numbers here; serve(positions="int64") says that '
                              'whole ones alone are taken' % str(error).splitlines()[0])
            elif isinstance(error, decline) and not _is_a_slip(error):
                answer.update(answer="declined", reason=str(error) or type(error).__name__)
            else:
                answer.update(answer="error", text="".join(traceback.format_exc(limit=-3))[-1500:].strip())
        anywhere = _run_on({int(words["processor"])} if "processor" in words else None)
        _write(answer, result, how.stored)


def _run_on(processors):
    """Lets this thread run on these processors, or does nothing without any; where it could run before, if it could be done.
    It waits where posproof waits for the answer, and is woken there without another processor; it computes anywhere."""
    if processors is None:
        return None
    try:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, processors)
        return before
    except OSError:
        return None


# ---- PyTorch modules as they are

# What a parameter of a call is, by its name, as PyTorch code has them.
_MEANS = {
    "x": "x t tensor hidden_states input inputs src qk x_in value value_states embeddings token_embeddings",
    "qkv": "qkv mixed_qkv qkv_states",
    "q": "q query xq query_states query_layer queries",
    "k": "k key xk key_states key_layer keys",
    "positions": "position_ids positions token_positions pos input_pos pos_ids position timesteps steps residue_index ri",
    "length": "seq_len max_seq_len seqlen length seq_length sequence_length n num_positions max_len",
    "offset": "offset start_pos seqlen_offset past_key_values_length past_length past_len start past_kv_len start_idx start_index",
    "cos": "cos cos_cached cosine",
    "sin": "sin sin_cached sine",
    "freqs": "freqs freqs_cis freq_cis rotary_pos_emb rotary_emb rope rope_cache emb",
    "scale": "scale",
    "nq": "query_length q_len qlen nq i query_len q_length query_seq_length",
    "nk": "key_length k_len klen nk j key_len k_length key_seq_length",
    "mask": "attention_mask mask",
    "ids": "input_ids ids tokens token_ids",
    "shape": "input_ids_shape input_shape",
    "batch": "batch_size bsz",
    "grid": "grid_size feat_shape spatial_shape size shape hw",
    "grid_rows": "h height grid_h patches_h",
    "grid_columns": "w width grid_w patches_w",
    "grid_frames": "f frames grid_f grid_t",
}
_MEANING = {name: what for what, names in _MEANS.items() for name in names.split()}

# What a parameter of a constructor is, by its name: a key of what posproof asks, or a rule of _setting().
_SETTINGS = {name: what for what, names in {
    "dim": "d d_k d_model dim_model head_dim head_size embed_dim embedding_dim num_hiddens hidden_size hidden_dim dim_head features "
           "kv_channels n_embd",
    "width": "dim rotary_dim rotary_ndims rotary_embedding_dims",
    "base": "base theta rope_theta rotary_base rotary_emb_base",
    "heads": "heads num_heads n_heads nhead n_head num_attention_heads total_num_heads total_heads",
    "length": "max_position_embeddings max_position max_seq_len max_len max_seq_length seq_len num_positions num_embeddings "
              "max_positions block_size maxlen end init_size seq_length length",
    "buckets": "num_buckets relative_attention_num_buckets buckets",
    "max_distance": "max_distance relative_attention_max_distance",
    "neox": "is_neox_style is_neox neox_style",
    "interleaved": "interleaved rotary_interleaved",
    "bidirectional": "bidirectional",
    "causal": "is_decoder causal",
    "none": "dropout p drop dropout_p dropout_rate",
    "yes": "has_relative_attention_bias compute_relative_attention_bias use_cpu_initialization",
    "share": "rotary_percent rotary_pct partial_rotary_factor",
    "config": "config cfg args",
}.items() for name in names.split()}

_LENGTH = 2048  # of tables that a constructor makes
_OF_REAL_POSITIONS = ("timestep_embedding", "nerf", "gaussian_fourier", "random_fourier")
_METHODS = {"rotate": ("rotate_queries_or_keys",), "bias": ("compute_bias", "_compute_bias", "compute_position_bias"), "rows": ()}

_KNOWN_SHAPES = """known are
  rotary   forward(x, position_ids) or (positions), (x, seq_len=), (x), (max_seq_len, offset=), that gives cos and sin, angles or
           complex numbers; with apply=f(q, k, cos, sin), f(x, cos, sin), f(q, k, freqs_cis), f(t, freqs), or without it
           forward(x, position_ids=), (x, offset=), (x, seq_len=), (x), (q, k), (q, k, positions), (positions, query, key),
           (qkv), (qkv, seqlen_offset=) of [batch, n, 3, heads, dim] or with its 3 elsewhere, that gives what it rotated
  table    forward(x) that adds it or answers by the length of x, (x, offset=), either with the rows beside x, (x) of a row of
           positions or a column of them, (positions), (seq_len), (input_ids, past_key_values_length=), (input_ids_shape,
           past_key_values_length=), nn.Embedding, a tensor [n, dim], [1, n, dim] or [n, 1, dim]; of a grid forward(x) of
           [batch, rows, columns, channels] or [batch, channels, rows, columns], (h, w), (size), a tensor [channels, rows, columns]
  bias     compute_bias(query_length, key_length), compute_position_bias(x), forward(i, j), (seq_len), (residue_index),
           (attention_mask, num_heads, dtype), (logits) that adds it, a tensor [heads, n, n] or [1, heads, 1, n]
other code is served by a function of your own: serve(rotate=, rows=, bias=)"""


def serve_module(module, apply=None, dtype=None, method=None, buffers=False, **options):
    """Serves a PyTorch module as it is; says on standard error, and in the report, how it took it.

    module   a module, its class, a function of one parameter, what posproof asks (hello()), that makes one, a function of PyTorch
             code that works like a forward(), or a tensor that is a table. A class is constructed by the names of its parameters (dim,
             base, theta, max_position_embeddings, config, ..), from what posproof asks; its tables get 2048 entries. The
             module is moved to the dtype as a checkpoint that is loaded in it is: buffers that are not persistent, as inv_freq
             is, stay as they are, where it answers in the dtype so. eval() is called. Of `learned` and `t5_bias` its table
             gets the entries that posproof expects.
    apply    of a rotary module that gives cosines and sines, or angles: the function that rotates by them. Without one they
             are applied here, by rotate_half or its interleaved form, as the layout says.
    dtype    a torch.dtype, float32 unless said otherwise
    method   name of the method to call, where it is not forward()
    buffers  True moves every buffer to the dtype, as module.to(dtype) does: in 16 bits that rounds frequencies
    options  those of serve(): takes_positions, axes, domain, name, vjp, ..; what is not given is found by a small call. A module
             that takes one axis for another looks like one of another layout: axes= says which one is meant. Where a table ends
             early (of at most 4096 positions) is found by a few calls, and said
    """
    import torch
    asked = hello()
    dtype = dtype or torch.float32
    kind = next((one for one in asked.kinds if one in _METHODS), None)
    if kind is None:
        sys.exit("serve_module() serves rotations, tables and biases; `%s` can be asked as %s: serve(%s=) takes a function" % (
            asked.encoding, ", ".join(asked.kinds), asked.kinds[0]))
    tried, axes = [], options.get("axes")
    for casts in (True,) if buffers or dtype == torch.float32 else (False, True):
        make = lambda: _Module(module, apply, method, asked, dtype, torch, kind, casts)  # anew: a trial may leave something behind
        served = make()
        number = _first_that_works(make, options, dtype, tried)
        if number is not None:
            break
    if number is None:
        sys.exit("serve_module(%s): not recognised\nit is %s\n%s\n%s" % (
            served.name, served.text(), "\n".join("tried  " + one for one in [served.why_not_made] * bool(served.why_not_made) +
                                                  _nearest(tried)) or "nothing fits its parameters",
            _KNOWN_SHAPES))
    way = list(served.ways(axes))[number]
    options = dict(way.options, **options)
    words = way.words
    if "domain" not in options and served.length is not None:
        whole = options["takes_positions"] == "sequence"
        past = None if whole else _why_not(make(), number, axes, options, dtype, served.length)
        options.update({"domain": (0, served.length - 1)} if whole or past else {})
        words += ", which ends at position %d (%s)" % (served.length - 1, past) if past else ""
    elif "domain" not in options and served.grid() is None and asked.encoding != "learned":
        last = _last_answered(make, number, axes, options, dtype)
        if last is not None:
            options["domain"] = (0, last)
            words += ", which ends at position %d" % last
    if served.kept:
        words += ", buffers as they are: %s (buffers=True moves them to %s)" % (", ".join(served.kept), _format(dtype, "dtype").lower())
    print("posproof_subject: %s taken as: %s" % (served.name, words), file=sys.stderr)
    options["conventions"] = "; ".join(one for one in (options.get("conventions"), "taken as " + words) if one)
    options.setdefault("name", served.name)
    serve(dtype=dtype, **dict({"rotate_both" if way.both else kind: way.function}, **options))


class _Way:
    """A way to call a module: in words, the options of serve() that go with it, and the function to serve. Of ways that are
    `alike` one alone may fit, or one alone in which its width is its own, where `widens` says whether it is that of x; `check`
    raises where the small call was answered, but the way is another one."""

    def __init__(self, words, function, takes_positions="each", axes=None, both=False, alike=False, check=lambda: None,
                 widens=lambda: False, heads=3, **options):
        self.words, self.function, self.both, self.alike, self.check, self.heads = words, function, both, alike, check, heads
        self.widens = widens
        self.options = dict(options, takes_positions=takes_positions)
        if axes is not None:
            self.options["axes"] = axes

    def of_whole_positions(self):
        """The same for code that takes no position between whole numbers, where no other way fits."""
        return _Way(self.words + ", whole ones", self.function, positions="int64", check=self.check)


def _first_that_works(make, options, dtype, tried):
    """Of the ways to call it the number of the first whose answer varies with the position alone, or else that answers."""
    answered, first = None, None
    for number in range(len(list(make().ways(options.get("axes"))))):
        module = make()
        way = list(module.ways(options.get("axes")))[number]
        if options.get("takes_positions", way.options["takes_positions"]) != way.options["takes_positions"]:
            continue
        if first is not None and not way.alike:
            continue
        try:
            answer = _tried(module, way, options, dtype)
            way.check()
        except Exception as error:
            what = (str(error).strip() or type(error).__name__).splitlines()[0][:160]
            tried.append((isinstance(error, _Otherwise) and not isinstance(error, _NoSuchCall), "%s: %s" % (way.words, what)))
            continue
        if _varies_by_token(answer) if module.kind == "rotate" else len({row.tobytes() for row in answer}) > 1:
            if not way.alike:
                return number
            if first is not None and first[2].tobytes() != answer.tobytes():
                widen = [one.widens() for one in (first[1], way)]
                if widen[0] != widen[1]:
                    first = first if widen[1] else (number, way, answer)
                    continue
                sys.exit("serve_module(%s): two ways to call it fit, and their answers differ\n%s\n%s\ntakes_positions=`%s` or "
                         "axes= says which one is meant" % (module.name, first[1].words, way.words,
                                                            first[1].options["takes_positions"]))
            first = first or (number, way, answer)
            continue
        tried.append((True, "%s: its answer does not vary with the token alone" % way.words))
        answered = number if answered is None else answered
    return answered if first is None else first[0]


def _nearest(tried, most=16):
    """What came of so many ways: first of those that were answered, each with whether it was, then of the last ones."""
    numbers = [n for n, one in enumerate(tried) if one[0]][:most]
    others = [n for n, one in enumerate(tried) if not one[0]]
    return [tried[n][1] for n in sorted(numbers + others[max(0, len(others) - most + len(numbers)):])]


def _varies_by_token(y):
    """Of tokens with the same content, [batch, heads, n, dim]."""
    first = np.broadcast_to(y[:1, :1], y.shape)
    return np.ascontiguousarray(first).tobytes() == y.tobytes() and not (y == y[:, :, :1]).all()


def _tried(module, way, options, dtype, first=0):
    """A small call, all of whose extents differ."""
    options = dict(way.options, **options)
    asked = module.asked
    n = 7 if asked.get("dim" if module.kind == "rows" else "heads") == 5 and module.kind != "rotate" else 5
    row = _places(first + np.arange(n), module)
    if asked.encoding in _OF_REAL_POSITIONS and "positions" not in options and options["takes_positions"] in ("each", "shared"):
        row = row.astype(np.float64)
    how = _How({module.kind: way.function}, dtype, options.get("takes"), options["takes_positions"], options.get("axes"),
               options.get("heads"), options.get("in_place", False), way.both, None,
               (options.get("prefix", 0), options.get("suffix", 0)))
    words = {"call": module.kind, "length": str(first + n), "role": "query"}
    if module.kind == "rotate":
        x = np.broadcast_to((np.arange(asked["dim"]) % 7 - 3) / 4, (2, way.heads, 5, asked["dim"]))
        return _rotate(_Call(words, {"x": x, "positions": np.stack([row, row])}, how), way.function)
    if module.kind == "rows":
        return _of_shape(_rows(_Call(words, {"positions": row}, how), way.function), (n, asked.get("dim")))
    queries = _Call(words, {"queries": row[:3], "keys": row}, how)
    return _of_shape(_bias(queries, way.function), (asked["heads"], 3, n))


def _places(numbers, module):
    """The positions of these tokens: of a grid, row by row, as places in it."""
    grid, axes = module.grid(), module.asked.get("axes", 1)
    if grid is not None:
        return np.stack(np.unravel_index(numbers % int(np.prod(grid)), grid), -1)
    axes = len(module.asked["ids"]) if module.asked.encoding == "m_rope" else axes if isinstance(axes, int) else 1
    return numbers if axes == 1 else np.stack([numbers + axis for axis in range(axes)], -1)


def _why_not(module, number, axes, options, dtype, first):
    """What a small call from that position on raises; None where it is answered."""
    try:
        _tried(module, list(module.ways(axes))[number], options, dtype, first)
        return None
    except Exception as error:
        return "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:80])


def _answers(*call):
    return _why_not(*call) is None


def _last_answered(make, number, axes, options, dtype):
    """Of a table that a module was made with, where it ends early: the last position for which a small call is answered, where
    one of those of the usual lengths is not. None where all of them are."""
    few, kind = 5, make().kind
    lengths = [n for n in (64, 512, 2048, 4096) if options["takes_positions"] == "each" or n - 1 <= _LAST_OF_A_SEQUENCE[kind]]
    answered = few
    for length in lengths:
        if _answers(make(), number, axes, options, dtype, length - few):
            answered = length
            continue
        while length - answered > 1:
            middle = (length + answered) // 2
            if _answers(make(), number, axes, options, dtype, middle - few):
                answered = middle
            else:
                length = middle
        return answered - 1
    return None


def _parameters(call):
    schema = getattr(call, "schema", None)  # of what TorchScript compiled, which has no signature
    if hasattr(schema, "arguments"):
        return [inspect.Parameter(one.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=one.default_value if
                                  one.has_default_value() else inspect.Parameter.empty) for one in schema.arguments if one.name != "self"]
    return [one for one in inspect.signature(call).parameters.values() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


class _Module:
    """A module that was made from what posproof asks, and the ways to call it."""

    def __init__(self, module, apply, method, asked, dtype, torch, kind, casts):
        self.asked, self.torch, self.kind, self.apply, self.length, self.dtype = asked, torch, kind, apply, None, dtype
        self.kept, self.why_not_made = [], None  # buffers that are not moved to the dtype
        self.name = getattr(module, "__name__", type(module).__name__)
        if not isinstance(module, (torch.nn.Module, torch.Tensor)) and callable(module):
            module = self._made(module)
        elif isinstance(module, torch.nn.Module):
            import copy
            module = copy.deepcopy(module)  # what a trial leaves behind in one is not served
        if isinstance(module, torch.nn.Module):
            self.name = type(module).__name__ if self.name == "<lambda>" else self.name
            self._fill(module)
            kept = [] if casts else list(self._not_persistent(module))
            module = module.to(dtype).eval()
            for owner, name, buffer in kept:
                owner._buffers[name] = buffer
                self.kept.append("%s in %s" % (name, _format(buffer.dtype, "buffer").lower()))
        self.module, self.calls = module, "forward" if isinstance(module, torch.nn.Module) else self.name
        if isinstance(module, (torch.Tensor, tuple, list)):
            self.call, self.parameters = None, []
            self.length = self._tensors()[0].shape[self._axis_of_tokens()] if kind == "rotate" else None
            return
        if method is None and isinstance(module, torch.nn.Module):
            method = next((one for one in _METHODS[kind] if callable(getattr(module, one, None))), None)
        if method is not None:
            self.calls, self.call = method, getattr(module, method)
        else:
            self.call = module
        self.parameters = _parameters(module.forward if self.call is module and hasattr(module, "forward") else self.call)

    def _not_persistent(self, module):
        """The module that holds it, its name and itself, of each buffer of another dtype that no checkpoint has."""
        for owner in module.modules():
            for name in sorted(owner._non_persistent_buffers_set):
                buffer = owner._buffers.get(name)
                if buffer is not None and buffer.is_floating_point() and buffer.dtype != self.dtype:
                    yield owner, name, buffer

    def grid(self):
        """The extents of the grid or window whose places are its positions; its table or bias is of all tokens, row by row."""
        asked = self.asked
        of_a_window = self.kind == "bias" and "height" in asked and asked.get("axes", "rows_and_columns") in _WINDOWS
        grid = _window() if of_a_window else asked.get("grid")
        return [int(extent) for extent in grid] if grid else None

    def text(self):
        if self.call is None:
            return "a tensor of shape %s" % [list(one.shape) for one in self._tensors()]
        return "%s(%s)" % (self.calls, ", ".join(one.name for one in self.parameters))

    def _axis_of_tokens(self):
        """Of tables of a rotation: extents of 1 may stand before it."""
        return next((axis for axis, extent in enumerate(self._tensors()[0].shape) if extent > 1), 0)

    def _tensors(self):
        return list(self.module) if isinstance(self.module, (tuple, list)) else [self.module]

    # -- construction

    def _made(self, make):
        """By the names of its parameters; a function that is no constructor is what is called."""
        parameters = _parameters(make)
        required = [one for one in parameters if one.default is one.empty]
        if not inspect.isclass(make):
            alone = required[0].name if len(required) == 1 else None
            of_a_call = (self._meaning(alone) or "grid")[:4] != "grid"  # an extent of a grid is seldom all that a call is given
            if alone == "asked" or alone is not None and getattr(make, "__name__", "") == "<lambda>" and not of_a_call:
                return make(self.asked)
            if alone is not None and not of_a_call and alone not in _SETTINGS:
                try:  # a parameter of any other name may be what posproof asks, too
                    made = make(self.asked)
                except Exception as error:
                    self.why_not_made = "%s(asked): %s" % (self.name, (str(error) or type(error).__name__).splitlines()[0][:160])
                    return make
                return made if isinstance(made, (self.torch.nn.Module, self.torch.Tensor, tuple, list)) else make
            if required and any(one.name not in _SETTINGS for one in required) or not any(
                    _SETTINGS.get(one.name) == "length" for one in required):
                return make
            if any(self._meaning(one.name) == "length" for one in required):
                return make
        given = {}
        for one in parameters:
            if one.name in _SETTINGS and (one.default is one.empty or _SETTINGS[one.name] not in ("none", "config")):
                value = self._setting(_SETTINGS[one.name])
                if value is not None:
                    given[one.name] = value
            elif one.name in _SETTINGS and _SETTINGS[one.name] == "none":
                given[one.name] = 0.0
            if one in required and one.name not in given:
                known = {"dtype": self.dtype, "device": "cpu"}.get(one.name)
                if one.name not in ("dtype", "device"):
                    nearest = difflib.get_close_matches(one.name, sorted(_SETTINGS), 3, 0)
                    sys.exit("serve_module(%s): its parameter `%s` is unknown; the nearest known are %s. serve_module(lambda asked: "
                             "%s(...)) constructs it as you say" % (self.name, one.name, ", ".join(nearest), self.name))
                given[one.name] = known
        return make(**given)

    def _setting(self, what):
        asked = self.asked
        if what == "length":
            self.length = int(asked["length"] if asked.encoding == "learned" else _LENGTH)
            return self.length
        if what == "config":
            return self._config()
        interleaved = asked.get("layout") == "interleaved"
        width = asked.get("rotary_dim") or asked.get("dim")
        found = {"width": width, "share": width and width / asked["dim"], "neox": not interleaved, "interleaved": interleaved,
                 "bidirectional": asked.get("direction") == "bidirectional", "causal": asked.get("direction") == "unidirectional",
                 "none": 0.0, "yes": True}
        return found[what] if what in found else asked.get(what)

    def _config(self):
        """What configurations of Hugging Face's transformers are called in."""
        import types
        asked, heads = self.asked, int(self.asked.get("heads", 1))
        dim = asked.get("dim", 64)
        width = asked.get("rotary_dim") or dim
        return types.SimpleNamespace(
            head_dim=dim, hidden_size=dim * heads, d_model=dim * heads, d_kv=dim, num_attention_heads=heads,
            num_heads=heads, num_key_value_heads=heads, rope_theta=asked.get("base", 10000), rope_scaling=None,
            rotary_dim=width, rotary_pct=width / dim, partial_rotary_factor=width / dim,
            max_position_embeddings=self._setting("length"), attention_dropout=0.0, dropout_rate=0.0,
            rope_parameters={"rope_type": "default", "rope_theta": asked.get("base", 10000)},
            relative_attention_num_buckets=asked.get("buckets"), relative_attention_max_distance=asked.get("max_distance"),
            is_decoder=asked.get("direction") == "unidirectional")

    def _fill(self, module):
        """Tables that are learned get the entries that posproof expects of them."""
        asked, torch = self.asked, self.torch
        if asked.encoding not in ("learned", "t5_bias"):
            return
        for parameter in module.parameters():
            entries = self._entries(tuple(parameter.shape))
            if entries is not None:
                with torch.no_grad():
                    parameter.copy_(torch.from_numpy(entries))

    def _entries(self, shape):
        """Those that posproof expects of a table of this shape; None where it is no table of the encoding."""
        asked = self.asked
        if asked.encoding == "learned" and shape[-1] == asked["dim"] and np.prod(shape) > asked["dim"]:
            entries = np.arange(np.prod(shape)).reshape(shape)
        elif asked.encoding == "t5_bias" and shape == (asked["buckets"], asked["heads"]):
            entries = np.arange(asked["buckets"])[:, None] + asked["buckets"] * np.arange(asked["heads"])
        else:
            return None
        seeded = asked.get("table") == "seeded"
        return trained(shape, asked["table_seed"], float(asked.get("std", 1))) if seeded else entries

    def _of_places(self, table):
        """Of a table of a grid, in words and rows, those of its places: rows of zeros, before or behind them, are class tokens'."""
        words, more = "a table of %d rows, those of the grid" % len(table), len(table) - int(np.prod(self.grid()))
        if more > 0 and not table[:more].any():
            return "%s behind %d of zeros" % (words, more), table[more:]
        if more > 0 and not table[-more:].any():
            return "%s before %d of zeros" % (words, more), table[:-more]
        return words, table

    # -- calls

    def _meaning(self, name):
        """Of a rotation `tokens` are what is rotated, not their ids: of patches of an image, say."""
        return "x" if name == "tokens" and self.kind == "rotate" else _MEANING.get(name)

    def _has(self, what):
        return any(self._meaning(one.name) == what for one in self.parameters)

    def _call(self, call, parameters, values, first=None):
        """Calls it with those of the values that it has parameters for; `first` is for the first one, whatever its name."""
        positional, named = [], {}
        for at, one in enumerate(parameters):
            meaning = self._meaning(one.name)
            if first is not None and at == 0:
                value = first
            elif meaning in values:
                value = values[meaning]
            elif one.default is not one.empty:
                value = None
            elif one.name in _SETTINGS:
                value = self._setting(_SETTINGS[one.name])
            elif one.name in ("dtype", "device"):
                value = {"dtype": self.dtype, "device": "cpu"}[one.name]
            else:
                raise _NoSuchCall("its parameter `%s` is unknown" % one.name)
            if _SETTINGS.get(one.name) == "interleaved" or \
                    _SETTINGS.get(one.name) in ("bidirectional", "causal") and "direction" in self.asked:
                value = self._setting(_SETTINGS[one.name])
            if value is None:
                continue
            if one.kind == one.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[one.name] = value
        with self.torch.set_grad_enabled(self.torch.is_grad_enabled()):
            return call(*positional, **named)

    def ways(self, axes):
        return {"rotate": self._rotations, "rows": self._tables, "bias": self._biases}[self.kind](axes)

    # -- rotations

    def _rotations(self, axes):
        applied = _parameters(self.apply) if self.apply else []
        names = [self._meaning(one.name) for one in applied or self.parameters]
        both = "q" in names and "k" in names
        through = any(self._meaning(one.name) == "positions" and one.default is one.empty for one in applied)
        for takes in self._takes(through):
            if self._has("qkv") and self.apply is None and self.call is not None:
                for form in ("bn3hd", "bnh3d", "b3hnd", "3bhnd", "3bnhd", "n3hd"):
                    if axes in (None, form.replace("3", "")):
                        yield self._packed(takes, form)
                continue
            direct = self.apply is None and self.call is not None and (both or self._has("x") or takes == "sequence")
            flat = ["n(hd)", "nhd"] if both and takes == "each" else []
            if direct:
                for one in [axes] if axes else ["bhnd", "bnhd", "nbhd"] + flat:
                    yield self._direct(takes, one, both)
            if self.apply is not None:
                for one in [axes] if axes else ["bhnd", "bnhd", "nbhd"]:
                    yield self._applied(takes, one, both, applied, through)
            elif not both:
                yield self._applied(takes, axes or "bhnd", False, [], False)

    def _takes(self, through):
        if self.call is None:
            return ["each"] if through else ["offset"]
        if through:
            return ["each"]
        if self._has("positions"):
            return ["each", "shared"]
        required = [one for one in self.parameters if one.default is one.empty]
        if self._has("offset"):
            unused = [one for one in self.parameters if self._meaning(one.name) == "offset" and one.default is not one.empty]
            return ["offset"] + ["sequence"] * len(unused) + ["shared"] * (self.apply is not None and len(required) == 1)
        return ["sequence"] + (["shared"] if len(required) == 1 else [])

    def _words(self, takes, axes):
        """As `forward(x, position_ids)`: the parameters that are given."""
        known = ("x", "qkv", "q", "k", "positions", "length", "offset", "nq", "nk", "mask", "ids", "shape") + tuple(self._extents())
        names = [one.name for one in self.parameters if one.default is one.empty or self._meaning(one.name) in known]
        form = {"each": "a position for each token", "shared": "one row of positions", "offset": "an offset",
                "sequence": "whole sequences", "mask": "sequences behind padding"}[takes]
        called = "a table" if self.call is None else "%s(%s)" % (self.calls, ", ".join(names))
        return "%s, %s%s" % (called, form, "" if axes is None else ", x as %s" % axes)

    def _direct(self, takes, axes, both):
        def rotate(q, *more):
            k, more = (more[0], more[1:]) if both else (None, more)
            values = {"x": q, "q": q, "k": k, "length": self._tokens(q, axes)}
            values.update({} if takes == "sequence" else {"offset" if takes == "offset" else "positions": more[0]})
            unnamed = not (both or self._has("x")) and self.parameters and self.parameters[0].name not in _MEANING
            return self._call(self.call, self.parameters, values, q if unnamed else None)
        function = (lambda q, k, *at: rotate(q, k, *at)) if both else (lambda x, *at: rotate(x, *at))
        return _Way(self._words(takes, axes), _without_role(function, takes, both), takes, axes, both)

    def _packed(self, takes, form):
        """A module that rotates q and k in one array with v, which must come back as it was; the array may be overwritten."""
        axes, at = form.replace("3", ""), form.index("3")

        def rotate(q, k, *more):
            ones = self.torch.ones_like(q)
            qkv = self.torch.stack((q, k, ones), at)
            values = {"qkv": qkv, "length": self._tokens(q, axes)}
            values.update({} if takes == "sequence" else {"offset" if takes == "offset" else "positions": more[0]})
            y = self._call(self.call, self.parameters, values)
            y = qkv if y is None else y
            if not hasattr(y, "unbind") or y.dim() != len(form) or y.shape[:at + 1] != q.shape[:at] + (3,):
                raise _Otherwise("gives %s for qkv of shape %s" % (
                    "shape %s" % list(y.shape) if hasattr(y, "shape") else "a %s" % type(y).__name__, list(q.shape[:at] + (3,) + q.shape[at:])))
            q, k, v = y.unbind(at)
            if not self.torch.equal(v, ones):
                raise _Otherwise("v did not come back as it was")
            return q, k
        words = "%s, qkv as %s" % (self._words(takes, None), form)
        return _Way(words, _without_role(rotate, takes, True), takes, axes, True, alike=True, heads=4)

    def _tokens(self, x, axes):
        return x.shape[[axis[0] for axis in _axes(axes)].index("n")]

    def _applied(self, takes, axes, both, applied, through):
        """What the module gives, cosines and sines, angles or complex numbers, applied by a function or here."""
        def rotate(q, *more):
            k, more = (more[0], more[1:]) if both else (None, more)
            at = more[0] if more else None
            n = self._tokens(q, axes)
            parts = self._parts(q, takes, n, at, through)
            a_number = len(parts) == 2 and getattr(parts[1], "numel", lambda: 1)() == 1  # that of xPos, or an amplitude
            taken = a_number and any(self._meaning(one.name) == "scale" for one in applied)
            scale = {"scale": parts.pop()} if taken or a_number and parts[1] == 1 else {}
            if self.apply is None:
                return self._by_rotating_halves(q, parts)
            values = dict(scale, x=q, q=q, k=k, positions=at, freqs=parts[0])
            if len(parts) > 1:
                values.update(cos=parts[0], sin=parts[1], freqs=tuple(parts))
            return self._call(self.apply, applied, values)
        function = (lambda q, k, *at: rotate(q, k, *at)) if both else (lambda x, *at: rotate(x, *at))
        by = "%s(%s)" % (getattr(self.apply, "__name__", type(self.apply).__name__), ", ".join(one.name for one in applied if one.default is one.empty)) \
            if self.apply is not None else "rotate_half, in posproof_subject.py" if self.asked.get("layout") != "interleaved" \
            else "the interleaved rotate_half, in posproof_subject.py"
        words = "%s, applied by %s" % (self._words(takes, axes), by)
        return _Way(words, _without_role(function, takes, both), takes, axes, both)

    def _parts(self, x, takes, n, at, through):
        if self.call is None:
            tensors = self._tensors()
            axis = self._axis_of_tokens()
            return tensors if through else [one[(slice(None),) * axis + (slice(at, at + n),)] for one in tensors]
        length = int(at.max()) + 1 if through and at.numel() else n
        values = dict(self._extents() if takes == "sequence" else {}, x=x, q=x, length=length)
        if not through:
            values.update({} if takes == "sequence" else {"offset" if takes == "offset" else "positions": at})
        first = at if takes == "shared" and not self._has("positions") else None
        parts = self._call(self.call, self.parameters, values, first)
        parts = list(parts) if isinstance(parts, (tuple, list)) else [parts]
        if parts[0].is_complex() and self.apply is None:
            parts = [parts[0].real, parts[0].imag]
        return parts

    def _by_rotating_halves(self, x, parts):
        """x [batch, heads, n, dim]; the parts are of [n] or [batch, n] tokens, of each channel or of each pair."""
        batch, _, n, dim = x.shape
        cos, sin = (parts[0].cos(), parts[0].sin()) if len(parts) == 1 else parts[:2]
        rotating, interleaved = self.asked.get("rotary_dim") or dim, self.asked.get("layout") == "interleaved"
        width = cos.shape[-1]
        if cos.shape != sin.shape or width not in (rotating, rotating // 2) or cos.numel() // width not in (n, batch * n):
            raise _Otherwise("it gives shapes %s, which are no cosines and sines, or angles, of %d tokens and %d channels" % (
                [list(one.shape) for one in parts], n, rotating))
        cos, sin = (one.reshape(-1, 1, n, width) for one in (cos, sin))
        if width != rotating:
            cos, sin = ((one.repeat_interleave(2, -1) if interleaved else self.torch.cat((one, one), -1)) for one in (cos, sin))
        head, tail = x[..., :rotating], x[..., rotating:]
        if interleaved:
            other = self.torch.stack((-head[..., 1::2], head[..., ::2]), -1).flatten(-2)
        else:
            other = self.torch.cat((-head[..., rotating // 2:], head[..., :rotating // 2]), -1)
        return self.torch.cat((head * cos + other * sin, tail), -1).to(x.dtype)

    # -- tables and biases

    def _tables(self, axes):
        torch, dim = self.torch, self.asked.get("dim")

        def ask(values, first=None):
            y = self._call(self.call, self.parameters, values, first)
            return y.reshape(-1, dim or y.shape[-1])

        if self.call is None:
            table = self._rows_of_table(self.module.detach().to(self.dtype), dim)
            if table is None:
                return []
            entries = self._entries(tuple(table.shape)) if self.asked.encoding == "learned" else None
            table = table if entries is None else torch.from_numpy(entries).to(self.dtype)
            if self.grid() is not None:
                words, places = self._of_places(table)
                return [_Way(words, lambda n: places, "sequence")]
            self.length = len(table)
            return [_Way("a table of %d rows" % len(table), lambda positions: table[positions], positions="int64")]
        ways = self._by_extents(dim) if self.grid() is not None and dim else []
        whole = {"positions": "int64"} if isinstance(self.module, torch.nn.Embedding) else {}
        add = lambda what, takes, function: ways.append(
            _Way("%s, %s" % (self._words(takes, None), what), function, takes, **whole))
        ids = lambda n: torch.full((1, n), 7)
        if self._has("offset") and self._has("mask"):
            add("a mask", "offset", lambda n, at: ask({"mask": torch.ones_like(ids(at + n)), "offset": at}))
        if self._has("shape"):
            of = lambda n, *at: ask(dict({"offset": at[0]} if at else {}, shape=torch.Size((1, n))))
            takes = "offset" if self._has("offset") else "sequence"
            add("the shape of a row of ids", takes, (lambda n, at: of(n, at)) if takes == "offset" else (lambda n: of(n)))
        if self._has("offset"):
            add("a row of ids", "offset", lambda n, at: ask({"ids": ids(n), "offset": at}, ids(n)))
        if self._has("positions") or not any(map(self._has, ("x", "ids", "length", "shape"))) or isinstance(
                self.module, torch.nn.Embedding):
            first = lambda positions: None if self._has("positions") else positions
            add("a row of them", "each", lambda positions: ask({"positions": positions}, first(positions)))
            add("a batch of one row", "each", lambda positions: ask({"positions": positions[None]}, first(positions[None])))
        if self._has("length") and dim:
            zeros = lambda n: torch.zeros(1, n, dim, dtype=self.dtype)
            add("a number of tokens", "sequence", lambda n: ask({"length": n, "batch": 1, "x": zeros(n)}))
        forms = [] if not dim else [axes] if axes in ("bnd", "nbd") else ["bnd", "nbd"]
        for takes in ["offset"] * self._has("offset") + ["sequence"]:
            ways += [way for one in forms for way in self._by_x(takes, one, dim)]
        at_x = [self._at_x(column) for column in (False, True) if self._has("x") and not self._has("positions")]
        ways += at_x[:1]
        add("a row of ids", "sequence", lambda n: ask({"ids": ids(n)}, ids(n)))
        ways += at_x[1:]
        if self.asked.encoding in _OF_REAL_POSITIONS:
            ways += [one.of_whole_positions() for one in ways if one.options["takes_positions"] == "each" and not whole]
        return ways

    def _rows_of_table(self, table, dim):
        """[n, dim] of a tensor with extents of 1 before them, of a grid also row by row, or with its channels first; else None."""
        shape, grid = tuple(table.shape), tuple(self.grid() or ())
        while len(shape) > 2 and shape[0] == 1 and shape != grid + (dim,):
            shape = shape[1:]
        if grid and shape == (dim,) + grid and shape != grid + (dim,):
            return table.reshape(dim, -1).t().contiguous()
        if shape[-1:] == (dim,):
            return table.reshape(-1, dim)
        return table.reshape(shape).t().contiguous() if len(shape) == 2 and shape[0] == dim else None

    def _extents(self):
        """What a call is given where it asks for the extents of the grid."""
        grid = self.grid()
        return {} if grid is None else {"grid": tuple(grid), "grid_rows": grid[-2], "grid_columns": grid[-1], "grid_frames": grid[0]}

    def _by_extents(self, dim):
        """The ways of a table of a grid: asked by its extents, or by way of an image or a video."""
        ways, grid, named = [], self.grid(), self._extents()
        if any(map(self._has, named)):
            square = [dict(named, grid=grid[0])] if self._has("grid") and len(set(grid)) == 1 else []
            for values in [named] + square:
                def rows(n, values=values):
                    return self._rows_in(self._call(self.call, self.parameters, values), (), dim)
                ways.append(_Way("%s, the extents of the grid" % self._words("sequence", None), rows, "sequence"))
        return ways + [way for one in ("b..d", "bd..") for way in self._by_x("sequence", one, dim)]

    def _rows_in(self, y, given, dim):
        """[n, dim] of what is said of all places of a grid: of any batch of equal rows, its channels where x has them if they may
        be first and last."""
        grid = tuple(self.grid())
        n = int(np.prod(grid))
        shape = tuple(getattr(y, "shape", ()))
        forms = [grid + (dim,), (dim,) + grid, (n, dim)]
        for batch in ((), (1,), (2,)):
            for form in sorted(forms, key=lambda one: one != given[1:]):
                if shape == batch + form:
                    y = y.reshape(batch + (dim, n)).transpose(-1, -2) if form == (dim,) + grid and form != grid + (dim,) else y
                    y = y.reshape(-1, n, dim)
                    if not self.torch.equal(y[0], y[-1]):
                        raise _Otherwise("adds other rows to the second sequence than to the first")
                    return y[0].contiguous()
        raise _Otherwise("answers %s for a grid of %s" % (
            "shape %s" % list(shape) if hasattr(y, "shape") else "a %s" % type(y).__name__, list(grid)))

    def _by_x(self, takes, axes, dim):
        """The ways of a module whose rows come by way of x [batch, n, dim], or of an image or a video with its channels last
        (`b..d`) or before its rows (`bd..`): it adds them to x, or looks at the length of x; it gives them alone, or the first of
        two that it gives holds them, or the second."""
        grid = tuple(self.grid() or ())
        torch, image, given = self.torch, ".." in axes, {
            "bnd": lambda n: (2, n, dim), "nbd": lambda n: (n, 2, dim), "b..d": lambda n: (2,) + grid + (dim,),
            "bd..": lambda n: (2, dim) + grid}[axes]
        few = int(np.prod(grid)) if image else 5

        def answer(x, n, at):
            return self._call(self.call, self.parameters, {"x": x, "offset": at[0]} if at else {"x": x}, x)

        def rows_in(y, n):
            if image:
                return self._rows_in(y, given(n), dim)
            if not hasattr(y, "reshape") or y.shape not in (given(n), (1, n, dim), (n, 1, dim), (n, dim)):
                raise _Otherwise("answers %s to x of shape %s" % (
                    "shape %s" % list(y.shape) if hasattr(y, "shape") else "a %s" % type(y).__name__, list(given(n))))
            if y.shape != given(n):
                return y.reshape(n, dim)
            first, second = (y[0], y[1]) if axes == "bnd" else (y[:, 0], y[:, 1])
            if not torch.equal(first, second):
                raise _Otherwise("adds other rows to the second sequence than to the first")
            return first.contiguous()

        def rows_of(which):
            def rows(n, *at):
                y = answer(torch.zeros(given(n), dtype=self.dtype), n, at)
                if isinstance(y, (tuple, list)) != (which is not None):
                    raise _Otherwise("answers a %s" % type(y).__name__)
                if which is None:
                    return rows_in(y, n)
                both = [rows_in(one, n) for one in y]
                if len(both) != 2 or not torch.equal(both[0], both[1]) and (which == 0 or both[0].any()):
                    raise _Otherwise("gives %d arrays, which are not x with its rows, or x, and its rows" % len(both))
                return both[which]
            return rows

        def check(which, adds):
            def differs():
                at, answers = (0,) if takes == "offset" else (), []
                for value in (0, 1024):
                    y = answer(torch.full(given(few), value, dtype=self.dtype), few, at)
                    answers.append(rows_in(y if which is None else y[which], few).double())
                of_x, unit = answers[1] - answers[0], torch.finfo(self.dtype).eps / 2
                if bool(of_x.any()) != adds:
                    raise _Otherwise("what it answers %s with x" % ("does not change" if adds else "changes"))
                # s x + p rounds the product and the sum, unit |s x| + unit |s x + p| <= unit (2 |y| + |p|), and p unit |p|: two
                # tokens, and twice that for what is of the second order.
                if (of_x.amax(0) - of_x.amin(0)).max() > 8 * unit * (answers[1].abs() + answers[0].abs()).max():
                    raise _Otherwise("what x adds to the answer changes with the token")
            return differs

        def widens():
            """Whether it gives as many channels as x has, whatever their number: of an axis that is none of channels it does."""
            for more in (4, 12):
                shape = [extent + more * (axis == (len(grid) + 1 if axes == "b..d" else 1)) for axis, extent in enumerate(given(few))]
                try:
                    y = self._call(self.call, self.parameters, {}, torch.zeros(shape, dtype=self.dtype))
                    if tuple(y.shape) != tuple(shape):
                        return False
                except Exception:
                    return False
            return True

        for which in (None, 0, 1):
            for adds in (True, False):
                if which != 1 or not adds:
                    how = "added to x as %s" % axes if adds else "by the %s of x as %s" % ("extents" if image else "length", axes)
                    part = {None: "", 0: ", the first of two", 1: ", the second of two"}[which]
                    function = rows_of(which)
                    function = (lambda n, at, f=function: f(n, at)) if takes == "offset" else (lambda n, f=function: f(n))
                    yield _Way("%s, %s%s" % (self._words(takes, None), how, part), function, takes, alike=True,
                               check=check(which, adds), widens=widens if image else lambda: False)

    def _at_x(self, column):
        """The way of a module whose x is a row of positions, or a column of them (of several axes they have one for each in any
        case), which tells it from one that looks at the length of x."""
        seen = []

        def rows(positions):
            at = positions[..., 0] if positions.dim() == 2 and positions.shape[-1] == 1 else positions
            if column and at.dim() == 1:
                at = at[:, None]
            seen[:] = [positions]
            y = self._call(self.call, self.parameters, {"x": at}, at)
            if column and y.dim() == 3 and y.shape[1] == 1:  # of one feature
                y = y[:, 0]
            return _of_shape(y, (len(positions), None))

        def check():
            here = seen[0]
            changed = rows(here + 1) - rows(here)
            if not changed.any():
                raise _Otherwise("what it answers does not change with x")
            if column and (changed == changed[:1]).all():
                raise _Otherwise("it adds something to x, or to a multiple of it")
        return _Way("%s, x as a %s of positions" % (self._words("each", None), "column" if column else "row"), rows,
                    alike=not column, check=check)

    def _biases(self, axes):
        torch, heads = self.torch, self.asked["heads"]
        if self.call is None:
            whole = self._square(self.module.detach().to(self.dtype), None)
            if self.grid() is not None:
                return [_Way("a table of %d keys, those of the window" % whole.shape[-1], lambda n: whole, "sequence")]
            self.length = whole.shape[-1]
            return [_Way("a table of %d keys" % self.length, lambda queries, keys: whole[:, queries][:, :, keys])]
        ways = []
        ask = lambda n, values, first=None: self._call(self.call, self.parameters, values, first)

        def add(what, function):
            for last in (False, True):
                words = "%s, %s%s" % (self._words("sequence", None), what, ", heads last" if last else "")
                ways.append(_Way(words, lambda n, last=last: self._square(function(n), n, last), "sequence"))

        if self._has("nq") or self._has("length"):
            add("numbers of tokens", lambda n: ask(n, {"nq": n, "nk": n, "length": n, "batch": 1}))
        if self._has("mask"):
            ways.append(_Way(self._words("mask", None), lambda mask: ask(mask.shape[1], {"mask": mask}), "mask"))
            add("a mask of ones", lambda n: ask(n, {"mask": torch.ones(1, n)}))
        if self._has("positions"):
            add("a row of positions", lambda n: ask(n, {"positions": torch.arange(n)}))
            add("a batch of one row of positions", lambda n: ask(n, {"positions": torch.arange(n)[None]}))
        if self._has("x"):
            add("zeros in the place of logits", lambda n: ask(n, {"x": torch.zeros(1, heads, n, n, dtype=self.dtype)}))
            add("zeros in the place of tokens", lambda n: ask(n, {"x": torch.zeros(1, n, 8, dtype=self.dtype)}))
        if not any(one.default is one.empty for one in self.parameters):
            add("as it is", lambda n: ask(n, {}))
        if not self._has("x"):  # before a number, which is added to a bias as logits are
            add("zeros in the place of logits", lambda n: ask(n, {}, torch.zeros(1, heads, n, n, dtype=self.dtype)))
        add("a number of tokens", lambda n: ask(n, {}, n))
        return ways

    def _square(self, bias, n, last=False):
        """[heads, n, n] of a bias whose batch has one entry, and whose queries may all have the same row; or whose heads are last."""
        heads = self.asked["heads"]
        while bias.dim() > 3 and bias.shape[0] == 1:
            bias = bias[0]
        bias = bias.permute(2, 0, 1) if last and bias.dim() == 3 else bias
        n = bias.shape[-1] if n is None else n
        if bias.dim() != 3 or bias.shape[0] != heads or bias.shape[1] not in (1, n) or bias.shape[2] != n:
            raise _Otherwise("answers shape %s; [%d, %d, %d] was asked for" % (list(bias.shape), heads, n, n))
        return bias.expand(heads, n, n)


def _without_role(function, takes, both):
    """The same with as many parameters as it is given, so that it is given no role."""
    if both:
        return (lambda q, k: function(q, k)) if takes == "sequence" else (lambda q, k, at: function(q, k, at))
    return (lambda x: function(x)) if takes == "sequence" else (lambda x, at: function(x, at))


def bf16(x):
    """float32 values rounded to bfloat16, ties to even: as bit patterns, uint16."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


# How the texts of an IndexError begin that says no position is past an end: numpy's and PyTorch's, of axes, shapes and types.
_NO_INDICES = ("only integers, slices", "arrays used as indices must be", "tensors used as indices must be")
_SLIPS = _NO_INDICES + (
    "too many indices for", "shape mismatch: indexing", "boolean index did not match", "The shape of the mask",
    "an index can only have a single", "Dimension out of range", "Dimension specified as", "invalid index of a 0-dim",
    "invalid index to scalar", "slice() cannot be applied to a 0-dim", "pop from")


def _is_a_slip(error):
    """Whether an exception of a kind that declines is an error of the program whatever the positions are."""
    if type(error).__name__ == "AxisError":  # numpy's is an IndexError and a ValueError
        return True
    if not isinstance(error, IndexError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1].line or ""
    of_a_shape = str(error) == "tuple index out of range" and any(word in last for word in (".shape[", ".size()[", ".strides["))
    return of_a_shape or str(error).startswith(_SLIPS)


class _Otherwise(Exception):
    """The function's answer has another format than was declared: no traceback explains that."""


class _NoSuchCall(_Otherwise):
    """The function has a parameter for which there is no value."""


class _Changed(_Otherwise):
    """The function changed what it was given."""


class _NoSuchPosition(Exception):
    """The function cannot be asked for this position in the way in which it takes positions."""


def trained(shape, seed, std=1.0, first=0, normal=None):
    """What stands for trained numbers, float64: those from number `first` of this seed on, row by row, as src/subject/protocol.md
    says. Uniform with mean 0 and that standard deviation, or normal: as the matrix of the encoding that hello() named is, unless
    `normal` says otherwise (`gaussian_fourier` and `random_fourier` have normal ones)."""
    if normal is None:
        normal = _asked is not None and _asked.encoding in ("gaussian_fourier", "random_fourier")
    count = int(np.prod(shape))
    share = _shares(int(seed), 2 * first if normal else first, 2 * count if normal else count)
    if normal:  # Box, Muller 1958
        above_0, turns = share[0::2] + 2.0 ** -53, share[1::2].astype(np.longdouble)
        numbers = std * np.sqrt(-2 * np.log(above_0.astype(np.longdouble))) * np.cos(8 * np.arctan(np.longdouble(1)) * turns)
    else:
        numbers = std * np.sqrt(np.longdouble(3)) * (2 * share - 1).astype(np.longdouble)
    return numbers.astype(np.float64).reshape(shape)


def _shares(seed, first, count):
    """Uniform in [0, 1): the finisher of SplitMix64, of seed * 2^32 + n, of which the upper 53 bits are taken."""
    with np.errstate(over="ignore"):
        z = np.uint64((seed << 32) % 2 ** 64) + np.arange(first, first + count, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0 ** -53


def _short(dtype):
    return _NAMES.get(str(dtype), str(dtype)).lower()


def _value(text):
    if text.startswith("["):
        runs = [one.partition("*") for one in text[1:-1].split(",") if one]  # `0*7`: seven zeros
        return [float(one) for one, _, times in runs for _ in range(int(times or 1))]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return _Flag(text) if text in ("true", "false") else text


class _Flag(str):
    """The word `true` or `false`, which Python takes for what it says: `if asked["shared"]:`."""

    def __bool__(self):
        return self == "true"


def _content(name, array, taken):
    """As the functions get it: in the format that they take, which holds it exactly, or rounds what was answered. Positions that
    are no whole numbers are of 4 bytes at least: in f16 there is no 2049."""
    if array.dtype != np.float64:
        return array.copy()  # the frame's own bytes cannot be written to
    if taken == "F64":
        return array.copy()
    if name in _PLACES:
        return array.astype(np.float32)
    array = array.astype(np.float16 if taken == "F16" else np.float32)
    return _as_floats(bf16(array)) if taken == "BF16" else array


class _How:
    """How the functions are asked: their formats, the positions and the axes that they take."""

    def __init__(self, functions, dtype, takes, takes_positions, axes, heads, in_place, both, vjp, beside):
        self.torch = sys.modules.get("torch") if str(dtype).startswith("torch.") else None
        self.stored = _format(dtype, "dtype")
        self.taken = self.stored if takes is None else _format(takes, "takes")
        self.given_as = getattr(self.torch, _TORCH[self.taken]) if self.torch else None
        self.takes_positions, self.in_place, self.both, self.heads, self.vjp = takes_positions, in_place, both, heads, vjp
        self.queries_at_the_end = None  # of a bias of fewer queries than keys: not known yet
        self.one_row = False  # whether its last answer was one row for all queries
        self.calls_twice = False  # the next call, to see whether what it gave first stays what it is
        self.overwrites = False  # it does not
        self.prefix, self.suffix = beside  # tokens without a position, before the others and behind them
        self.axes = None if axes is None else _axes(axes)
        # Of a rotation: what posproof asks is what the function is given.
        self.plain = takes_positions == "each" and self.axes in (None, _axes("bhnd")) and not both and beside == (0, 0)
        if takes_positions not in _POSITIONS:
            raise ValueError("takes_positions=`%s`; allowed: %s" % (takes_positions, ", ".join(_POSITIONS)))
        for kind in ("bias", "logits"):
            allowed = ("each", "sequence") + (("mask",) if kind == "bias" else ())
            if kind in functions and takes_positions not in allowed:
                raise ValueError("takes_positions=`%s` with %s=; allowed: %s" % (takes_positions, kind, ", ".join(allowed)))
        if takes_positions == "mask" and axes is not None and not any("b" in axis for axis in self.axes):
            raise ValueError("axes=`%s` with takes_positions=`mask`; allowed: those with b: a row of the mask is one of them" % axes)
        for name, count in zip(("prefix", "suffix"), beside):
            if not isinstance(count, int) or count < 0 or count > 0 and "rotate" not in functions:
                raise ValueError("%s=`%s`; allowed: whole numbers from 0 on, with rotate= or rotate_both=" % (name, count))
        if heads is not None and not (both and len(heads) == 2 and all(isinstance(one, int) and one > 0 for one in heads)):
            raise ValueError("heads=`%s`; allowed: two whole numbers, of q and of k, with rotate_both=" % (heads,))
        if "rotate" in functions and hello().get("shared") == "false":
            self._need_own_heads(hello()["heads"])
        if vjp is not None and "rotate" not in functions:
            raise ValueError("vjp= is given without rotate=, whose gradient it is")
        if vjp == "autograd" and self.torch is None:
            raise ValueError('vjp="autograd" takes a dtype of PyTorch: serve(dtype=torch.float32)')
        if vjp is not None and vjp != "autograd" and not callable(vjp):
            raise ValueError('vjp=`%s`; allowed: "autograd" and a function' % (vjp,))
        if callable(vjp) and both:
            raise ValueError('vjp= is a function of one x; with rotate_both=, allowed: vjp="autograd"')

    def _need_own_heads(self, heads):
        """Where each head has frequencies of its own (mixed_rope), no head of the function stands for another one."""
        why = "%%s; with shared=false each of the %d heads has frequencies of its own, so allowed are %%s" % heads
        if self.heads is not None and tuple(self.heads) != (heads, heads):
            raise ValueError(why % ("heads=`%s`" % (self.heads,), (heads, heads)))
        if self.axes is not None and heads > 1 and not any("h" in axis for axis in self.axes):
            text = "".join(letter for axis in self.axes for letter in axis)
            raise ValueError(why % ("axes=`%s`" % text, "those with h"))


def _format(dtype, option):
    known = _NAMES.get(str(dtype).replace("torch.", ""))
    if known is None:
        raise ValueError("%s=`%s`; allowed: f64, f32, f16, bf16 and the torch.dtypes of these" % (option, dtype))
    return known


def _axes(text):
    """Of "n(hd)" [["n"], ["h", "d"]]: for each axis of an array what runs along it."""
    axes, group = [], None
    for letter in text:
        if letter == "(" and group is None:
            group = []
        elif letter == ")" and group:
            axes, group = axes + [group], None
        elif letter in "bhnd" and group is not None:
            group.append(letter)
        elif letter in "bhnd":
            axes.append([letter])
        else:
            axes = []
            break
    letters = [letter for axis in axes for letter in axis]
    if group is not None or len(set(letters)) != len(letters) or "n" not in letters or letters[-1:] != ["d"]:
        raise ValueError("axes=`%s`; allowed: n and d, b and h as far as there are such axes, each once, d last, and "
                         "parentheses around those that share an axis: bhnd, bnhd, nbhd, bnd, nhd, n(hd)" % text)
    return axes


def _laid_out(x, axes):
    """[batch, heads, n, dim] with its axes as the function has them; an axis that it lacks has one entry."""
    letters = [letter for axis in axes for letter in axis]
    order = ["bhnd".index(letter) for letter in "bhnd" if letter not in letters] + ["bhnd".index(one) for one in letters]
    shape = [int(np.prod([x.shape["bhnd".index(letter)] for letter in axis])) for axis in axes]
    return np.ascontiguousarray(x.transpose(order).reshape(shape))


def _as_asked(y, axes, shape):
    """The way back."""
    letters = [letter for axis in axes for letter in axis]
    order = ["bhnd".index(letter) for letter in "bhnd" if letter not in letters] + ["bhnd".index(one) for one in letters]
    expected = tuple(int(np.prod([shape["bhnd".index(letter)] for letter in axis])) for axis in axes)
    if y.shape != expected:
        raise _Otherwise("answers shape %s to x of shape %s" % (list(y.shape), list(expected)))
    return y.reshape([shape[axis] for axis in order]).transpose(np.argsort(order))


_wanted = {}  # by the id of the function: each is kept, so that its number stays its own


def _wants(function, name, before):
    """Whether a function takes one more argument behind so many: one that has this name, or has no default. That is looked up
    once: it would be a third of the time of a call."""
    asked = id(function), name, before
    if asked not in _wanted:
        _wanted[asked] = function, _looked_up(function, name, before)
    return _wanted[asked][1]


def _looked_up(function, name, before):
    compiled = hasattr(getattr(function, "schema", None), "arguments")
    own = function if compiled else getattr(function, "forward", function)  # of a module of PyTorch, called through others
    try:
        parameters = _parameters(own) if hasattr(getattr(own, "schema", None), "arguments") else \
            list(inspect.signature(own).parameters.values())
    except (TypeError, ValueError):  # a function that was compiled does not say
        return True
    if any(one.kind == one.VAR_POSITIONAL for one in parameters):
        return True
    further = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)][before:]
    return bool(further) and (further[0].name == name or further[0].default is further[0].empty)


class _Call:
    """One question of posproof; it may take several calls of the function that answers."""

    width = None  # of the last rows that came as lists

    def __init__(self, words, tensors, how):
        self.words, self.how = words, how
        self.tensors = {name: array != 0 if name == "mask" else _content(name, array, how.taken) for name, array in tensors.items()}

    def __getitem__(self, name):
        return self.tensors[name]

    def ask(self, function, given, more=(), answers=1, pick=lambda answer: answer):
        """What the function answers to arrays, each with its name, and to what else it takes: so many arrays, or what `pick`
        leaves of them."""
        how = self.how
        shown = [_Given(name, self._as_taken(name, array), self.words.get("arrays"), how.given_as, how.torch)
                 for name, array in given]
        names = [name for name, _ in given]
        if "keys" in names and np.array_equal(*(given[names.index(name)][1] for name in ("queries", "keys"))):
            shown[names.index("keys")] = shown[names.index("queries")]  # one array, as self-attention hands it in
        returned = function(*([one.array for one in shown] + list(more)))
        if returned is None and how.in_place:
            returned = [one.array for one in shown if one.name in _CONTENTS]
            returned = returned if answers > 1 else returned[0]
        returned = returned if answers > 1 else (returned,)
        if not isinstance(returned, (tuple, list)) or len(returned) < answers:
            raise _Otherwise("returns %s; rotate_both() returns q and k" % type(returned).__name__)
        arrays = [self._with_all_axes(one, _as_array(one, how.stored)) for one in returned[:answers]]
        results = [_bits(pick(one) if hasattr(one, "shape") else one, how.stored) for one in arrays]
        changed = [] if how.in_place else [one.name for one in shown if one.is_changed(returned)]
        if changed:
            raise _Changed("%s() changed `%s`, which it was given and others may read; serve(in_place=True) says that this "
                           "is meant" % (self.words["call"], changed[0]))
        other = self._other(given) if how.calls_twice and self.words.get("backward") != "yes" else None
        if other is not None and any(one.size for one in results):
            how.calls_twice = False
            results = [np.array(one) for one in results]
            how.overwrites = not self._stays(function, other, more, returned[:answers], results, pick)
        if how.overwrites:
            raise _Otherwise("what %s() gave is overwritten when it is called again: its answers share memory; where only what "
                             "serves it here does so, return a copy" % self.words["call"])
        return results

    def _other(self, given):
        """The same with other contents or, without contents, with positions that are one smaller where they are above 0; None where
        all of that is the same."""
        contents = any(name in _CONTENTS for name, _ in given)
        other = [(name, self._as_taken(name, -array if name in _CONTENTS else array if contents else
                                       np.where(array > 0, array - 1, array).astype(array.dtype))) for name, array in given]
        return None if all(np.array_equal(one, array) for (_, one), (_, array) in zip(other, given)) else other

    def _stays(self, function, other, more, returned, results, pick):
        """Whether answers are what they were, once the function is called with these arrays."""
        try:
            function(*([_Given(name, array, None, self.how.given_as, self.how.torch).array for name, array in other] + list(more)))
            now = [self._with_all_axes(one, _as_array(one, self.how.stored)) for one in returned]
            now = [_bits(pick(one) if hasattr(one, "shape") else one, self.how.stored) for one in now]
        except Exception:  # what it says to another call is the answer to that
            return True
        return all(one.tobytes() == then.tobytes() for one, then in zip(now, results))

    def _with_all_axes(self, answer, array):
        """Lists that hold nothing do not say which axes would follow: to no positions, [] is an answer of [0, dim]."""
        call = self.words["call"]
        if not isinstance(answer, (list, tuple)) or not isinstance(array, np.ndarray) or call == "rotate":
            return array
        if call == "rows" and array.size:
            _Call.width = array.shape[-1]
        heads, nq, nk = int(hello().get("heads", 1)), *(len(self.tensors.get(name, ())) for name in ("queries", "keys"))
        shape = ((len(self["positions"]), _Call.width or int(hello().get("dim", 1))) if call == "rows" else
                 (len(self["q"]), self["v"].shape[1]) if call == "attend" else (heads, nq, nk))
        return array if array.size or 0 not in shape else np.zeros(shape, array.dtype)

    def _as_taken(self, name, array):
        into = self.words.get("positions")
        # A copy: the tokens are taken again where the function overwrites them.
        return array.astype(into if into and name not in _CONTENTS and name != "mask" else array.dtype)


def _runs(row, step):
    """The columns of a row of positions in maximal runs: of neighbours (step 1), or of ascending ones (step None)."""
    if len(row) == 0:
        return []
    apart = np.diff(row)
    ends = np.flatnonzero(apart <= 0 if step is None else apart != step) + 1
    return np.split(np.arange(len(row)), ends)


def _once_each(row):
    """Columns in groups, in none of which a position stands twice."""
    seen, groups = {}, []
    for column, position in enumerate(row.tolist()):
        group = seen[position] = seen.get(position, -1) + 1
        if group == len(groups):
            groups.append([])
        groups[group].append(column)
    return [np.array(group) for group in groups]


def _last_of(row):
    if row.size and row.min() < 0:
        raise _NoSuchPosition("position %d: sequences begin at 0" % row.min())
    return int(row.max(initial=-1)) + 1


def _window():
    """The extents of a bias' window, in the order of a position's numbers; 0 where the encoding has none."""
    return [hello().get(name, 0) for name in _WINDOWS.get(hello().get("axes"), _WINDOWS["rows_and_columns"])]


def _in_a_sequence(positions, axes, keys=False):
    """Which tokens of a whole sequence stand at these positions, and how many it has: up to the last of them, or all tokens of a
    grid, row by row, behind a class token apart from it. Keys may have a grid of their own: places are those of the finer one."""
    asked = hello()
    if axes == 1:
        places = asked["height"] * asked["width"] + asked["kept_rows"] if asked.encoding == "resized_table" else 0
        return positions, max(_last_of(positions), places)  # of a table that is resized to a grid all rows
    grid = asked.get("grid") or _window()
    queries, own = np.array(grid, np.int64), np.array(keys and asked.get("key_grid") or grid, np.int64)
    finest = np.maximum(queries, np.array(asked.get("key_grid") or grid, np.int64))
    if len(own) != axes or not own.all():
        raise _Otherwise("takes whole sequences, and the encoding says no grid whose tokens they are")
    before = int(asked.get("class_token", "none") != "none")
    first = np.any(positions < 0, axis=-1) & bool(before)
    places = np.where(first[..., None], 0, positions)
    if np.any((places < 0) | (places >= finest)):
        raise _NoSuchPosition("the grid has the extents %s" % finest.tolist())
    numbers = np.ravel_multi_index(tuple(np.moveaxis(places * own // finest, -1, 0)), own)
    return np.where(first, 0, numbers + before), int(np.prod(own)) + before


def _padding():
    """The position of padding, of an encoding that has one before its first."""
    asked = hello()
    position = asked["padding_row"] - asked.get("offset", 0) if asked.get("padding_row", -1) >= 0 else 0
    return position if position < 0 else None


class _Padded:
    """Whole sequences, of which these positions are some, as two rows of a batch: the second behind more padding, and so
    without its last tokens. Of every other call the function sees them exchanged: neither row of a batch is by rule the one
    with the most padding."""

    def __init__(self, row):
        self._row, self._padding = row, _padding()
        self.size = _last_of(row[row != self._padding])
        first = self.size % 4 if self.size else 1
        self.starts = (first, first + (min(self.size - 1, 1 + self.size % 2) if self.size else 0))
        self.exchanged = bool(int(np.sum(row, dtype=np.int64)) % 2)
        self._order = slice(None, None, -1 if self.exchanged else 1)
        self.at = np.arange(self.size + first) - np.array(self.starts)[self._order, None]  # below 0 in padding
        self.mask = (self.at >= 0).astype(np.int64)

    def in_order(self, answers):
        """Of answers to the two rows, as the function sees them: that to the first, and that to the second."""
        return answers[self._order]

    def reached(self, positions):
        """Whether these stand in the second row, too; padding always does, in its first column."""
        return (positions == self._padding) | (positions < self.size + self.starts[0] - self.starts[1])

    def column_of_the_second(self, positions):
        return np.where(self.reached(positions) & (positions != self._padding), positions + self.starts[1], 0)

    def pick(self, first, second, axis):
        """What stands at the positions, given the two rows: of two that differ that of the one which the function sees second."""
        padding, column = self._row == self._padding, self.column_of_the_second(self._row)
        alike = tuple(-1 if one == axis else 1 for one in range(first.ndim))
        a = np.take(first, np.where(padding, column, self._row + self.starts[0]), axis)
        b = np.take(second, column, axis)
        second = padding.reshape(alike) if self.exchanged else (a != b) | padding.reshape(alike)
        return np.where(self.reached(self._row).reshape(alike) & second, b, a)


def _parts_of(row, takes_positions):
    """Of a row of positions: columns that can be asked at once, the arguments that say their positions, and, of whole
    sequences, where in them these columns stand."""
    if takes_positions == "shared":
        return [(np.arange(len(row)), row, None)]
    if takes_positions == "sequence":
        return [(columns, None, row[columns]) for columns in _once_each(row)]
    if takes_positions == "offset":
        parts = [(columns, int(row[columns[0]]), None) for columns in _runs(row, 1)]
        # Of many the last first: a cache that is rebuilt whenever it grows is built once.
        return parts if len(parts) <= _FEW_PARTS else sorted(parts, key=lambda part: -int(row[part[0][-1]]))
    return [(columns, row[columns], None) for columns in _runs(row, None)]


def _length_of():
    """Of what is made for the length of each call: whether that is the batch's or each row's; else None."""
    asked = hello()
    if asked.get("centre_at", "position") != "position":  # of xPos
        return asked["length_of"]
    scaled = asked.get("scaling") == "dynamic_ntk" or asked.get("scaling") == "longrope" and bool(asked.get("short_factors"))
    return asked["length_of"] if scaled and asked.get("length") == 0 else None


def _up_to(last, columns, at):
    """Columns of a row and how their positions are given, with further ones up to that position: a call as long as posproof's."""
    if isinstance(at, int):
        return np.resize(columns, max(len(columns), last + 1 - at)), at
    return (columns, at) if at.max() >= last else (np.append(columns, columns[-1]), np.append(at, last))


def _calls_with_a_position_each(ids, positions, letters):
    """Where each token is given its own position: of an axis that the function lacks, tokens stand in another one."""
    batch, heads, n = ids.shape
    if "h" not in letters:
        positions = np.repeat(positions, heads, axis=0)
        ids = ids.reshape(batch * heads, 1, n)
    if "b" not in letters:
        ids = ids.transpose(1, 0, 2).reshape(1, ids.shape[1], -1)
        positions = positions.reshape((-1,) + positions.shape[2:])
    yield ids, positions, None


def _calls(positions, heads, how):
    """The calls that a rotation is asked by: indices [batch, heads, n] of the tokens of each, the positions as the function
    takes them, and which tokens of the answer were asked for, None where all were."""
    batch, n = positions.shape[:2]
    letters = [letter for axis in how.axes or _axes("bhnd") for letter in axis]
    ids = np.arange(batch * heads * n).reshape(batch, heads, n)
    length_of = _length_of()
    if how.takes_positions == "each":
        for rows in np.split(np.arange(batch), batch) if length_of == "row" and "b" not in letters else [np.arange(batch)]:
            yield from _calls_with_a_position_each(ids[rows], positions[rows], letters)
        return
    size = None
    if how.takes_positions == "sequence" and positions.ndim == 3:
        positions, size = _in_a_sequence(positions, positions.shape[2])
    alike = {}  # rows of the batch that have the same positions are asked in one call
    for row in range(batch):
        alike.setdefault(positions[row].tobytes(), []).append(row)
    for rows in alike.values():
        block = ids[rows] if "h" in letters else ids[rows].reshape(-1, 1, n)
        for one in [block] if "b" in letters else np.split(block, len(block)):
            row = positions[rows[0]]
            longest = positions if length_of == "batch" else row
            for columns, at, picked in _parts_of(row, how.takes_positions):
                if picked is not None:  # the other tokens of the sequence are some of these
                    whole = np.resize(columns, size or _last_of(longest))
                    whole[picked] = columns
                    yield one[:, :, whole], None, picked
                elif length_of is None or len(columns) == 0:
                    yield one[:, :, columns], at, None
                else:
                    further, at = _up_to(int(longest.max()), columns, at)
                    yield one[:, :, further], at, np.arange(len(columns))


def _rotate(call, function):
    how, x, positions, role = call.how, call["x"], call["positions"], call.words["role"]
    backward = call.words.get("backward") == "yes"
    if how.plain and not backward:
        more = [role] if _wants(function, "role", 2) else []
        return call.ask(function, [("x", x), ("positions", positions)], more)[0]
    tokens = x.reshape(-1, x.shape[-1])
    out = np.zeros(tokens.shape, _STORED[how.stored])
    if how.takes_positions == "mask":
        for row, ids in zip(positions, np.arange(len(tokens)).reshape(x.shape[:3])):
            for columns in _once_each(row):
                out[ids[:, columns]] = _rotated_behind_padding(call, function, tokens, ids[:, columns], row[columns], backward)
        return out.reshape(x.shape)
    for ids, at, picked in _calls(positions, x.shape[1], how):
        answer = _rotated(call, function, tokens, ids, at, backward)
        if picked is not None:
            ids, answer = ids[:, :, picked], answer[:, :, picked]
        out[ids] = answer
    return out.reshape(x.shape)


def _rotated_behind_padding(call, function, tokens, ids, row, backward):
    """Tokens [heads, n] of one batch row."""
    padded = _Padded(row)
    whole = np.resize(np.arange(len(row)), max(1, len(padded.at[0])))
    real = row >= 0
    whole[row[real]] = np.flatnonzero(real)
    y = _rotated(call, function, tokens, ids[:, whole[padded.at]].swapaxes(0, 1), padded.mask, backward)
    return padded.pick(*padded.in_order(y), 1)


def _rotated(call, function, tokens, ids, at, backward):
    """Tokens [batch, heads, n] of a call, with as many heads as the function takes: further ones are these again."""
    how, key = call.how, call.words["role"] == "key"
    heads = ids.shape[1]
    own = how.heads[key] if how.heads else heads
    answer = np.zeros(ids.shape + tokens.shape[-1:], _STORED[how.stored])
    for first in range(0, heads, own):
        which = (first + np.arange(own)) % heads
        many = _rotated_both(call, function, tokens, ids, which, at, backward) if how.both else \
            _answered(call, function, [tokens[ids[:, which]]], at, 0, backward)
        for head in range(first, min(heads, first + own)):  # of answers to the same head that differ, not the first
            same = [many[:, at] for at in np.flatnonzero(which == head)]
            answer[:, head] = next((one for one in same if one.tobytes() != same[0].tobytes()), same[0])
    return answer


def _rotated_both(call, function, tokens, ids, which, at, backward):
    """The answer for q, or for k, which must not depend on what the other one holds."""
    how, key = call.how, call.words["role"] == "key"
    asked = tokens[ids[:, which]]
    beside = ids[:, np.arange(how.heads[not key]) % ids.shape[1]] if how.heads else ids[:, which]
    other = -tokens[beside][..., ::-1]
    # Copied: what the next call writes over the first answer would make the two alike.
    answers = [np.array(_answered(call, function, [one, asked] if key else [asked, one], at, int(key), backward))
               for one in (other, np.ones_like(other))]
    if answers[0].tobytes() != answers[1].tobytes():
        raise _Otherwise("the answer for %s changed with what %s holds" % (("k", "q") if key else ("q", "k")))
    return answers[0]


def _answered(call, function, operands, at, which, backward):
    """One call: [batch, heads, n, dim] in the axes of the function, with positions as it takes them, and back again."""
    how, axes = call.how, call.how.axes or _axes("bhnd")
    operands = [_beside_others(x, how.prefix, how.suffix) for x in operands]
    more, given = [], [(name, _laid_out(x, axes)) for name, x in zip("qk" if how.both else "x", operands)]
    if isinstance(at, np.ndarray):
        given.append(("positions", at))
    elif at is not None:
        more.append(at)
    if _wants(function, "role", len(given) + len(more)):
        more.append(call.words["role"])
    answers = 1
    if backward:
        function = (_through_autograd(function, which, how) if how.vjp == "autograd" else
                    _of_the_gradient(how.vjp, at is not None))
    elif how.both:
        answers = 2
    results = call.ask(function, given, more, answers)
    y = _as_asked(results[which if answers == 2 else 0], axes, operands[which].shape)
    end = y.shape[2] - how.suffix
    for name, part in (("prefix", slice(0, how.prefix)), ("suffix", slice(end, None))):
        kept = y[:, :, part]
        kept = _as_floats(kept)
        rotated = np.argwhere(np.any(kept != operands[which][:, :, part], axis=(0, 1, 3)))
        if rotated.size:
            raise _Otherwise("token %d of the %s did not come back as it was" % (rotated[0, 0], name))
    return y[:, :, how.prefix:end]


def _beside_others(x, prefix, suffix):
    """[batch, heads, n, dim] between so many tokens without a position: some of these, in which no channel is where it was."""
    if prefix == suffix == 0:
        return x
    some = np.roll(x, 1, axis=-1)[:, :, np.resize(np.arange(x.shape[2]), prefix + suffix)] if x.shape[2] else \
        np.ones(x.shape[:2] + (prefix + suffix, x.shape[3]), x.dtype)
    some = np.where(some == 0, x.dtype.type(1), some)
    return np.concatenate([some[:, :, :prefix], x, some[:, :, prefix:]], axis=2)


def _of_the_gradient(vjp, positions):
    """vjp(x, positions, g): what was rotated is another array of the same shape, since the gradient does not depend on it."""
    def backward(g, *more):
        x = -g.flip(-1) if hasattr(g, "flip") else np.ascontiguousarray(-g[..., ::-1])
        first = more[:1] if positions else ()
        wants = _wants(vjp, "role", 2 + len(first))
        return vjp(*((x,) + first + (g,) + (more[len(first):] if wants else ())))
    return backward


def _through_autograd(function, which, how):
    """The gradient with respect to q, or k, of a function that PyTorch differentiates. Between a forward pass and its
    backward one stands another forward pass of the same shape, at the same positions in reverse order."""
    def other(arguments):
        again = [one.detach().clone() if hasattr(one, "detach") else one for one in arguments]
        at = 2 if how.both else 1
        if len(again) > at and hasattr(again[at], "flip"):
            again[at] = again[at].flip(tuple(range(again[at].dim())))
            function(*again)

    def backward(*arguments):
        arguments, g = list(arguments), arguments[which]
        leaf = (-g.flip(-1)).requires_grad_()
        arguments[which] = leaf.clone()  # which a function may overwrite
        y = function(*arguments)
        y = arguments[which] if y is None and how.in_place else y[which] if how.both else y
        other(arguments)
        found = how.torch.autograd.grad(y, leaf, g, allow_unused=True)[0] if y.requires_grad else None
        if found is None:
            raise _Otherwise("no gradient comes back to x")
        return found
    return backward


def _rows(call, function):
    how, positions = call.how, call["positions"]
    length = lambda before: [int(call.words["length"])] if _wants(function, "length", before) else []
    if how.takes_positions in ("each", "shared"):
        return call.ask(function, [("positions", positions)], length(1), pick=_of_one(2))[0]
    if how.takes_positions == "sequence":
        numbers, size = _in_a_sequence(positions, _axes_of(positions))
        return call.ask(function, [], [size], pick=lambda all_rows: _of_shape(_of_one(2)(all_rows), (size, None))[numbers])[0]
    if how.takes_positions == "mask":
        padded = _Padded(positions)
        two = call.ask(function, [("mask", padded.mask)], pick=lambda answer: _of_shape(answer, padded.mask.shape + (None,)))[0]
        return padded.pick(*padded.in_order(two), 0)
    out = None
    for columns, at, _ in _parts_of(positions, how.takes_positions):
        given, more = ([], [len(columns), at]) if how.takes_positions == "offset" else ([("positions", at)], length(1))
        answer = _of_shape(call.ask(function, given, more, pick=_of_one(2))[0], (len(columns), None))
        out = np.zeros((len(positions), answer.shape[1]), answer.dtype) if out is None else out
        out[columns] = _of_shape(answer, (len(columns), out.shape[1]))
    return np.zeros((0, int(hello().get("dim", 1))), _STORED[how.stored]) if out is None else out


def _axes_of(positions):
    """How many numbers the position of a token has, of one row of tokens."""
    return 1 if positions.ndim == 1 else positions.shape[1]


def _of_shape(answer, shape):
    """The answer, where its extents are these; None is any."""
    if len(answer.shape) != len(shape) or any(b is not None and a != b for a, b in zip(answer.shape, shape)):
        asked = hello()
        grid = ", of a grid of %s: --grid" % [int(extent) for extent in asked["grid"]] if "grid" in asked else ""
        raise _Otherwise("answers shape %s; %s was asked for%s" % (
            list(answer.shape), ["any" if one is None else one for one in shape], grid))
    return answer


def _bias(call, function):
    queries, keys = call["queries"], call["keys"]
    if call.how.takes_positions == "each":
        return call.ask(function, [("queries", queries), ("keys", keys)], pick=_of_one(3))[0]
    if call.how.takes_positions == "mask":
        return _bias_behind_padding(call, function, queries, keys)
    axes, numbers = _axes_of(queries), 2 if _wants(function, "keys", 1) else 1
    (queries, nq), (keys, nk) = _in_a_sequence(queries, axes), _in_a_sequence(keys, axes, keys=True)
    sizes, most = [nq, nk] if numbers == 2 else [max(nq, nk)] * 2, max(nq, nk)
    if numbers == 2 and axes == 1:
        first = int(queries.min()) if queries.size else 0
        fewer = [most - first, most] if first else sizes  # no more queries than are asked for, as beside a cache of keys
        if fewer[0] < fewer[1] and _counts_queries_from_the_end(call, function, fewer):
            sizes, queries = [most - first, most], queries - first
        elif nq > nk:  # which self-attention never has: a square holds their answers
            sizes = [most] * 2
    return _whole_bias(call, function, sizes, numbers, queries, keys)


def _whole_bias(call, function, sizes, numbers, queries, keys):
    def asked_for(whole):
        whole = _of_one(3)(whole)
        alike = len(whole.shape) == 3 and whole.shape[1] == 1  # one row for all queries
        call.how.one_row = alike
        return _of_shape(whole, [None, 1 if alike else sizes[0], sizes[1]])[:, queries * (0 if alike else 1)][:, :, keys]

    return call.ask(function, [], sizes[:numbers], pick=asked_for)[0]


def _counts_queries_from_the_end(call, function, sizes):
    """Whether fewer queries than keys are the last ones of the sequence, as code with a cache of keys has it, and not the first:
    by what a square of as many answers. Found out once, by the first sizes that tell."""
    if call.how.queries_at_the_end is None:
        every = [np.arange(size) for size in sizes]
        try:
            most = max(sizes)
            first, last = (_whole_bias(call, function, [most] * 2, 2, *(one + from_the_end * (most - len(one)) for one in every))
                           for from_the_end in (0, 1))
            one_row = call.how.one_row  # of a square: fewer queries may be one
            answered = _whole_bias(call, function, sizes, 2, *every)
        except Exception:  # what it says to the sizes themselves is its answer
            return False
        if not np.array_equal(first, last):
            call.how.queries_at_the_end = _is_nearer(answered, last, first, sizes)
        elif one_row:
            call.how.queries_at_the_end = False
    return bool(call.how.queries_at_the_end)


def _is_nearer(answered, last, first, sizes):
    """Whether rows are the last ones of a square, and not the first. They are one of both, but for rounding, which is another
    in calls of other sizes, and for a constant that a row may have."""
    apart = []
    for rows in (last, first):
        rows, own = (_relative(one) if hello().get("rows") in ("any", "key_index") else _as_floats(one).astype(np.float64)
                     for one in (rows, answered))
        with np.errstate(invalid="ignore"):  # later keys may be minus infinity
            off = np.where((own == rows) | np.isnan(own) & np.isnan(rows), 0, np.abs(own - rows))
        size = np.abs(rows[np.isfinite(rows)]).max(initial=0)
        apart.append(np.nan_to_num(off, nan=np.inf).max(initial=0) / max(1e-30, size))
    if not min(apart) <= 2.0 ** -5:
        raise _Otherwise("of %d queries and %d keys it gives rows that are neither the first nor the last ones of its own square of "
                         "%d" % (sizes[0], sizes[1], max(sizes)))
    return apart[0] < apart[1]


def _as_floats(stored):
    """Bit patterns of bfloat16 as numbers; other arrays as they are."""
    return (stored.astype(np.uint32) << 16).view(np.float32) if stored.dtype == np.uint16 else stored


def _relative(stored):
    rows = _as_floats(stored).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return rows - rows[..., :1]


def _bias_behind_padding(call, function, queries, keys):
    """Of a batch of two rows, which may stand in one axis with the heads; all queries may have the same row."""
    padded, heads = _Padded(np.concatenate([queries, keys])), int(hello().get("heads", 1))
    n = padded.mask.shape[1]
    whole = call.ask(function, [("mask", padded.mask)])[0]
    if whole.ndim == 3 and len(whole) == 2 * heads:
        whole = whole.reshape((2, heads) + whole.shape[1:])
    whole = np.broadcast_to(_of_shape(whole, (2, heads, 1 if whole.ndim == 4 and whole.shape[2] == 1 else n, n)), (2, heads, n, n))
    first, second = padded.in_order(whole)
    first = first[:, queries + padded.starts[0]][:, :, keys + padded.starts[0]]
    second = second[:, padded.column_of_the_second(queries)][:, :, padded.column_of_the_second(keys)]
    reached = padded.reached(queries)[:, None] & padded.reached(keys)
    return first if padded.exchanged else np.where(reached & (first != second), second, first)


def _logits(call, function):
    how, contents, positions = call.how, [call["q"], call["k"]], [call["queries"], call["keys"]]
    laid_out = (lambda x: x) if how.axes is None else lambda x: _laid_out(x[None, None], how.axes)
    if how.takes_positions == "each":
        return call.ask(function, [(name, laid_out(x)) for name, x in zip("qk", contents)] +
                        list(zip(("queries", "keys"), positions)), pick=_of_one(3))[0]
    axes, out = _axes_of(positions[0]), None
    rows, sizes = zip(*(_in_a_sequence(row, axes, keys) for row, keys in zip(positions, (False, True))))
    if axes == 1:  # a logit is of two tokens, so that others may stand behind them: code for self-attention has one length
        sizes = [max(sizes)] * 2
    for queries in _once_each(rows[0]):
        for keys in _once_each(rows[1]):
            given = [(name, laid_out(_placed(x[columns], row[columns], size))) for name, x, row, columns, size in
                     zip("qk", contents, rows, (queries, keys), sizes)]
            whole = _of_shape(call.ask(function, given, pick=_of_one(3))[0], [None] + list(sizes))
            if out is None:
                out = np.zeros((len(whole),) + tuple(len(row) for row in rows), whole.dtype)
            out[:, queries[:, None], keys] = whole[:, rows[0][queries]][:, :, rows[1][keys]]
    heads = int(hello().get("heads", 1))
    return np.zeros((heads,) + tuple(len(row) for row in positions), _STORED[how.stored]) if out is None else out


def _placed(x, row, size):
    """A whole sequence of that many tokens, in which these stand at these places; the others are some of them."""
    whole = np.resize(np.arange(len(row)), size)
    whole[row] = np.arange(len(row))
    return x[whole]


def _attend(call, function):
    how = call.how
    laid_out = (lambda x: x) if how.axes is None else lambda x: _laid_out(x[None, None], how.axes)
    given = [(name, laid_out(call[name])) for name in ("qk" if how.weights else "qkv")] + [("mask", call["mask"])]
    y = call.ask(function, given)[0]
    if how.weights:
        return _summed(y, call["v"], how.stored)
    return _of_one(2)(y) if how.axes is None else _as_asked(y, how.axes, (1, 1, len(call["q"]), call["v"].shape[1]))[0, 0]


def _summed(weights, v, stored):
    """The sums of v by weights [nq, nk], or [heads, nq, nk] with v's channels shared out: exact but for one rounding. That the
    weights are stored in this format is one of the roundings that the operator is allowed."""
    while weights.ndim > 3 and weights.shape[0] == 1:
        weights = weights[0]
    weights = _of_shape(weights[None] if weights.ndim == 2 else weights, (None, None, len(v)))
    exact = _as_floats(weights)
    values = v.astype(np.float64).reshape(len(v), len(weights), -1).transpose(1, 0, 2)
    y = (exact.astype(np.float64) @ values).transpose(1, 0, 2).reshape(weights.shape[1], -1)
    return bf16(y.astype(np.float32)) if stored == "BF16" else y.astype(_STORED[stored])


_ASK = {"rows": _rows, "rotate": _rotate, "bias": _bias, "logits": _logits, "attend": _attend}


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
            memory = memory.to(torch_dtype) if name in _CONTENTS else memory
            if memory is not shared:  # in another format: looked at as integers of 2, 4 or 8 bytes
                integers = {2: torch.int16, 4: torch.int32, 8: torch.int64}[memory.element_size()]
                self._memory = memory.view(integers).numpy()
        self.array, self._view, self._before = view(memory), view, self._memory.tobytes()

    def is_changed(self, returned):
        """A function that returns what it was given works in place, as kernels do: then only what stands beside it counts."""
        after = self._memory
        if any(self._holds(one) for one in returned):
            before = np.frombuffer(self._before, after.dtype).reshape(after.shape)
            after = after.copy()
            self._view(after)[...] = self._view(before)
        return after.tobytes() != self._before

    def _holds(self, returned):
        if type(returned) is np.ndarray and returned.flags.owndata:  # the usual answer, told without a look at addresses
            return returned is self._memory
        if hasattr(returned, "data_ptr"):
            at = returned.data_ptr()
        else:
            at = getattr(returned, "__array_interface__", {"data": (0,)})["data"][0]
        return 0 <= at - self._memory.__array_interface__["data"][0] < self._memory.nbytes


def _as_array(answer, stored):
    """Of a list of arrays what stacks them; Python's numbers, which have no format, are rounded once to the promised one."""
    if type(answer) in (int, float):
        return _as_array([answer], stored)[0]
    if not isinstance(answer, (list, tuple)):
        return answer
    if all(type(one) in (int, float) for one in answer):
        exact = np.array(answer, np.float64)
        with np.errstate(over="ignore"):  # said below
            rounded = exact.astype(np.float32 if stored == "BF16" else _STORED[stored])
        beyond = exact[np.isinf(rounded) & np.isfinite(exact)]
        if beyond.size:
            raise _Otherwise("answers %r, which %s does not hold" % (beyond[0], stored.lower()))
        return rounded
    parts = [_as_array(one, stored) for one in answer]
    other = next((one for one in parts if not hasattr(one, "shape") or not hasattr(one, "dtype")), parts)
    if other is not parts:
        raise _Otherwise("returns a %s that holds a %s; one array is asked for" % (type(answer).__name__, type(other).__name__))
    shapes, dtypes = {str(list(one.shape)): 0 for one in parts}, {_short(one.dtype): 0 for one in parts}
    for what, found in (("shapes", shapes), ("formats", dtypes)):
        if len(found) > 1:
            raise _Otherwise("returns a list of arrays of the %s %s; those of one array are alike" % (what, ", ".join(found)))
    if all(hasattr(one, "detach") for one in parts):
        return sys.modules["torch"].stack(tuple(parts))
    return np.stack([np.asarray(one) for one in parts])


def _of_one(axes):
    """Picks an answer to a call that has no batch: with so many axes, or with a batch of one row before them."""
    def pick(answer):
        while len(answer.shape) > axes and answer.shape[0] == 1:
            answer = answer[0]
        if len(answer.shape) > axes:
            raise _Otherwise("answers shape %s, which has a batch of %d rows; one was asked for, so that the answer has no batch or "
                             "one of 1" % (list(answer.shape), answer.shape[0]))
        return answer
    return pick


def _bits(result, stored):
    """An answer as the bytes of the promised format, or an error that says what it is instead."""
    if result is None:
        raise _Otherwise("returns nothing; serve(in_place=True) says that it overwrites what it is given")
    if hasattr(result, "detach"):
        result = result.detach().cpu().contiguous()
        if str(result.dtype) == "torch.bfloat16":
            result = result.view(sys.modules["torch"].int16).numpy().view(np.uint16)
        else:
            result = result.numpy()
    result = np.asarray(result)
    if not result.dtype.isnative:  # the same numbers, whichever of their bytes comes first
        result = result.astype(result.dtype.newbyteorder("="))
    if stored == "BF16" and result.dtype == np.float32:
        bits = np.ascontiguousarray(result).view(np.uint32)
        if not (bits & 0xFFFF).any():
            result = (bits >> 16).astype(np.uint16)
    if stored == "BF16" and str(result.dtype) == "bfloat16":
        result = result.view(np.uint16)
    if result.dtype != _DTYPES[stored]:
        raise _Otherwise("answers %s; declared %s" % (_short(result.dtype), stored.lower()))
    return np.ascontiguousarray(result).reshape(result.shape)


def _write(words, result=None, stored=None):
    if result is None:
        text, data = _ENCODER.encode({"__metadata__": words}), b""
    else:  # written by hand, as the encoder would: it takes ten times as long
        data = result.tobytes()
        text = '{"__metadata__":{%s},"result":{"dtype":"%s","shape":[%s],"data_offsets":[0,%d]}}' % (
            ",".join(["%s:%s" % (_quoted(name), _quoted(word)) for name, word in words.items()]), stored,
            ",".join(map(str, result.shape)), len(data))
    text = text.encode()
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
    words, tensors, end = _parsed(_exactly(size))
    data = _exactly(end)
    return words, {name: np.frombuffer(data, dtype, count, begin).reshape(shape)
                   for name, (dtype, begin, count, shape) in tensors.items()}


_parsed_before = {}


def _parsed(text):
    """Of a header its words, its tensors by name as (dtype, first byte, values, shape), and how many bytes they have. Most
    headers were there before but for the id, whose quotes cannot stand within a JSON string."""
    before, _, behind = text.partition(b'"id":"')
    number, _, behind = behind.partition(b'"')
    if not number.isdigit():
        return _parsed_anew(text)
    if (before, behind) not in _parsed_before:
        if len(_parsed_before) == 1 << 12:
            _parsed_before.clear()
        _parsed_before[before, behind] = _parsed_anew(text)
    words, tensors, end = _parsed_before[before, behind]
    return {**words, "id": number.decode()}, tensors, end


def _parsed_anew(text):
    header = _DECODER.decode(text.decode())
    words = header.pop("__metadata__")
    tensors, end = {}, 0
    for name, part in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        dtype = _DTYPES[part["dtype"]]
        count = 1
        for extent in part["shape"]:
            count *= extent
        begin, stop = part["data_offsets"]
        if begin != end or stop - begin != count * dtype.itemsize or stop > _LARGEST_FRAME:
            sys.exit("tensor `%s` of a frame does not fit its bytes" % name)
        tensors[name], end = (dtype, begin, count, part["shape"]), stop
    return words, tensors, end


def _no_duplicates(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        sys.exit("a frame's header has a key twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates)  # made once: that takes longer than to read a small frame
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_quoted = json.encoder.encode_basestring_ascii


def _exactly(size):
    data = _wire_in.read(size)
    if len(data) != size:
        sys.exit("standard input ended in the middle of a frame")
    return data
