"""RoPE as most PyTorch models write it: half-split, f32, cosines and sines in a cache. Flags make it wrong in ways that
were shipped.

    ./run posproof gate rope --dim 128 "cmd:python3 examples/torch_rope.py"
    ./run posproof gate rope --dim 128 "cmd:python3 examples/torch_rope.py --wrong bf16_angles"    # exit 1
"""

import argparse

import torch
from torch.nn.functional import embedding

from posproof_subject import hello, serve

flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
flags.add_argument("--dim", type=int)
flags.add_argument("--base", type=float)
flags.add_argument("--length", type=int, default=131072)
flags.add_argument("--wrong", choices=["bf16_angles", "pairing", "base_ignored", "decode_restarts"])


class Rope:
    def __init__(self, dim, base, length, wrong=None):
        self.wrong = wrong
        if wrong == "base_ignored":
            base = 10000
        inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
        angles = torch.outer(torch.arange(length, dtype=torch.float32), inv_freq)
        if wrong == "bf16_angles":
            angles = angles.bfloat16().float()
        angles = torch.cat((angles, angles), dim=-1)
        self.cos, self.sin = angles.cos(), angles.sin()

    def rotate(self, x, positions, role):
        if self.wrong == "decode_restarts" and positions.shape[1] == 1:
            positions = torch.zeros_like(positions)  # a single token is taken for the first one
        cos, sin = embedding(positions, self.cos)[:, None], embedding(positions, self.sin)[:, None]
        return x * cos + self.rotate_half(x) * sin

    def rotate_half(self, x):
        if self.wrong == "pairing":  # rotates neighbours, by angles that are laid out for halves
            return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
        first, second = x.chunk(2, dim=-1)
        return torch.cat((-second, first), dim=-1)


if __name__ == "__main__":
    flags, asked = flags.parse_args(), hello()
    torch.set_num_threads(1)
    rope = Rope(flags.dim or asked.get("dim", 64), flags.base or asked.get("base", 10000), flags.length, flags.wrong)
    serve(rotate=rope.rotate, dtype=torch.float32, version=torch.__version__, conventions="half-split, cached",
          domain=(0, flags.length - 1), ends=True, decline=IndexError)
