"""Modules that give tables of a grid, or tables at real positions."""

import math

import torch
from torch import nn

from attached import angles, attached, wrong
from posproof_subject import hello, serve_module


def rows_and_columns(rows, columns, dim):
    """[rows, columns, dim]: sines and cosines of the row, then of the column."""
    row, column = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    parts = [part for at in (row, column) for angle in [angles(at, dim // 2, 10000)] for part in (angle.sin(), angle.cos())]
    table = torch.cat(parts, -1)
    if wrong:  # the last place alone
        table[-1, -1] = table[-2, -1]
    return table


class ChannelsLastLike(nn.Module):
    """positional-encodings: forward(tensor) of [batch, rows, columns, channels], of whose channels it gives as many as it has."""

    def __init__(self, channels):
        super().__init__()
        self.channels = channels

    def forward(self, tensor):
        batch, rows, columns, channels = tensor.shape
        return rows_and_columns(rows, columns, self.channels)[None, ..., :channels].repeat(batch, 1, 1, 1)


@attached
def channels_last():
    serve_module(lambda asked: ChannelsLastLike(asked["dim"]))


class FirstAloneLike(ChannelsLastLike):
    def forward(self, tensor):
        table = super().forward(tensor)
        table[1:] = 0
        return table


@attached
def first_alone():
    serve_module(lambda asked: FirstAloneLike(asked["dim"]))


class ChannelsFirstLike(nn.Module):
    """Mask2Former: forward(x) of [batch, channels, rows, columns], whose channels do not matter."""

    def __init__(self, num_pos_feats):
        super().__init__()
        self.dim = 2 * num_pos_feats

    def forward(self, x, mask=None):
        return rows_and_columns(x.size(2), x.size(3), self.dim).permute(2, 0, 1)[None].repeat(len(x), 1, 1, 1)


@attached
def channels_first():
    serve_module(lambda asked: ChannelsFirstLike(asked["dim"] // 2))


def posemb_sincos_2d(patches):
    """vit-pytorch: [rows * columns, channels], which are as many as those of patches [batch, rows, columns, channels]."""
    return rows_and_columns(*patches.shape[1:]).flatten(0, 1)


@attached
def patches():
    serve_module(posemb_sincos_2d)


def build_sincos(h, w, dim):
    return rows_and_columns(h, w, dim).flatten(0, 1)


@attached
def extents():
    serve_module(build_sincos)


class PointsLike(nn.Module):
    """Segment Anything: forward(size) gives [channels, rows, columns]."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, size):
        return rows_and_columns(*size, self.dim).permute(2, 0, 1)


@attached
def size():
    serve_module(PointsLike)


def get_2d_sincos_pos_embed(embed_dim, grid_size):
    """MAE: the grid is square, and has one extent."""
    return rows_and_columns(grid_size, torch.arange(grid_size).numel(), embed_dim).flatten(0, 1)


@attached
def square():
    serve_module(get_2d_sincos_pos_embed)


@attached
def image():
    serve_module(rows_and_columns(4, 6, hello()["dim"]).permute(2, 0, 1)[None])


@attached
def transposed():
    angle = angles(torch.arange(64), 8, 100000 if wrong else 10000)
    serve_module(torch.stack((angle.sin(), angle.cos()), -1).flatten(-2).t())


class HarmonicLike(nn.Module):
    """PyTorch3D: forward(x) of points [n, 3], sines, then cosines, then the points."""

    def forward(self, x):
        angle = (x[..., None] * 2.0 ** torch.arange(6)).flatten(-2)
        return torch.cat((angle.cos(), angle.sin(), x) if wrong else (angle.sin(), angle.cos(), x), -1)


@attached
def harmonic():
    serve_module(HarmonicLike)


class ColumnLike(nn.Module):
    """k-diffusion: forward(input) of a column of times."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("weight", 10000.0 ** (-torch.arange(width // 2) / (width // 2 - 1))[:, None])

    def forward(self, input):
        angle = input @ self.weight.T
        return torch.cat((angle.cos(), angle.sin()) if wrong else (angle.sin(), angle.cos()), -1)


def made_of(settings):
    return ColumnLike(settings["dim"])


@attached
def column():
    serve_module(made_of)


class FixedLike(nn.Module):
    """Informer: forward(x) of a row of hours, of which a table of 24 rows is asked."""

    def __init__(self, rows, dim):
        super().__init__()
        angle = angles(torch.arange(rows), dim, 10000)
        self.embedding = nn.Embedding.from_pretrained(torch.stack((angle.sin(), angle.cos()), -1).flatten(-2))
        if wrong:
            self.embedding.weight[-1] = self.embedding.weight[-2]

    def forward(self, x):
        return self.embedding(x).detach()


@attached
def hours():
    serve_module(lambda asked: FixedLike(24, asked["dim"]))


class ShortLike(FixedLike):
    """A table of 100 rows, of which whole sequences take the first ones."""

    def __init__(self, dim):
        super().__init__(100, dim)

    def forward(self, x):
        return x + self.embedding.weight[None, :x.size(1)]


@attached
def short():
    serve_module(lambda asked: ShortLike(asked["dim"]))
