"""A learned table, here filled with row * dim + channel so that every entry tells where it came from.

    ./run posproof gate learned --length 512 "cmd:python3 examples/numpy_learned.py"
    ./run posproof gate learned --length 512 "cmd:python3 examples/numpy_learned.py --wrong clamps"    # exit 1
"""

import argparse

import numpy as np

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("--wrong", choices=["clamps", "wraps", "off_by_one"])

if __name__ == "__main__":
    flags, asked = flags.parse_args(), hello()
    length, dim = asked["length"], asked["dim"]
    table = np.arange(length * dim, dtype=np.float32).reshape(length, dim)

    def rows(positions, total):
        index = positions + asked.get("offset", 0)
        if flags.wrong == "clamps":
            index = np.clip(index, 0, length - 1)
        if flags.wrong == "wraps":
            index = index % length
        if flags.wrong == "off_by_one":
            index = index + 1
        if index.size and not 0 <= index.min() <= index.max() < length:  # numpy would count -1 from the end
            raise IndexError("the table holds rows 0 to %d" % (length - 1))
        return table[index]

    serve(rows=rows, decline=IndexError)
