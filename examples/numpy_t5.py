"""The bucketed relative bias of T5, written as in Hugging Face's models; entry of bucket b and head h is b + buckets h.

    ./run posproof gate t5_bias "cmd:python3 examples/numpy_t5.py"
    ./run posproof gate t5_bias "cmd:python3 examples/numpy_t5.py --wrong no_cap"    # exit 1
"""

import argparse

import numpy as np

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("--wrong", choices=["no_cap", "sign", "log2"])


def relative_position_bucket(relative, bidirectional, buckets, max_distance, wrong):
    bucket = np.zeros_like(relative)
    if bidirectional:
        buckets //= 2
        bucket += (relative > 0) * buckets
        relative = np.abs(relative)
    else:
        relative = np.maximum(-relative, 0)
    exact = buckets // 2
    ratio = np.log(np.maximum(relative, 1) / exact) / np.log(2 if wrong == "log2" else max_distance / exact)
    far = exact + (ratio * (buckets - exact)).astype(np.int64)
    if wrong != "no_cap":
        far = np.minimum(far, buckets - 1)
    return bucket + np.where(relative < exact, relative, far)


if __name__ == "__main__":
    flags, asked = flags.parse_args(), hello()
    buckets, heads = asked["buckets"], asked["heads"]
    table = (np.arange(buckets)[:, None] + buckets * np.arange(heads)).astype(np.float32)

    def bias(queries, keys):
        relative = keys[None, :] - queries[:, None]
        if flags.wrong == "sign":
            relative = -relative
        bucket = relative_position_bucket(relative, asked["direction"] == "bidirectional", buckets,
                                          asked["max_distance"], flags.wrong)
        return np.ascontiguousarray(table[bucket].transpose(2, 0, 1))

    serve(bias=bias, decline=IndexError)
