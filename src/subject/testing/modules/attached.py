"""What the modules beside this have in common: how they are attached by name, and ladders."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "examples"))

import torch

wrong = sys.argv[1].startswith("wrong_")  # whether the twin with one mistake is asked for
by_name = {}


def attached(attach):
    """Attaches a module as whoever has it would, in three lines at most."""
    by_name[attach.__name__] = attach
    return attach


def ladder(width, base):
    return float(base) ** (-torch.arange(0, width, 2).float() / width)


def angles(positions, width, base):
    return positions[..., None].float() * ladder(width, base)


def halves_turned(x):
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def pairs_turned(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
