"""ALiBi with slopes for any number of heads, as a causal bias: minus slope times distance, 0 above the diagonal.

    ./run posproof gate alibi --heads 12 "cmd:python3 examples/numpy_alibi.py"
    ./run posproof gate alibi --heads 12 "cmd:python3 examples/numpy_alibi.py --wrong geometric"    # exit 1
"""

import argparse

import numpy as np

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("--wrong", choices=["geometric", "from_zero", "scaled_in_place"])


def powers(heads, first=1):
    return 2.0 ** (-8.0 * np.arange(first, heads + first) / heads)


def slopes(heads, wrong):
    if wrong == "from_zero":  # the exponent counts from 0, so that the first slope is 1
        return powers(heads, first=0)
    below = 2 ** int(np.log2(heads))
    if wrong == "geometric" or below == heads:
        return powers(heads)
    return np.concatenate([powers(below), powers(2 * below)[::2][: heads - below]])


if __name__ == "__main__":
    flags, asked = flags.parse_args(), hello()
    m = slopes(asked["heads"], flags.wrong).astype(np.float32)

    def bias(queries, keys):
        if flags.wrong == "scaled_in_place":  # of every call: the second is not the first
            m[:] = m / 2
        distance = np.maximum(queries[:, None] - keys[None, :], 0).astype(np.float32)
        return -m[:, None, None] * distance

    serve(bias=bias, conventions="causal, zero above the diagonal")
