"""Modules that give a table or add it."""

import functools
import math

import torch
from torch import nn

from attached import attached, wrong, angles
from posproof_subject import hello, serve_module


class TutorialLike(nn.Module):
    """The PyTorch tutorial: forward(x) adds a table to x [n, batch, dim], and drops some of it in training."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        angle = angles(torch.arange(max_len), d_model, 100000 if wrong else 10000)
        self.register_buffer("pe", torch.stack((angle.sin(), angle.cos()), -1).flatten(1)[:, None, :d_model])

    def forward(self, x):
        return self.dropout(x + self.pe[:x.size(0)])


@attached
def tutorial():
    serve_module(TutorialLike)


class BatchFirstLike(TutorialLike):
    """The same, x [batch, n, dim]."""

    def forward(self, x):
        y = x + self.pe[:x.size(1), 0]
        if wrong:
            y[1:] = x[1:]
        return self.dropout(y)


@attached
def batch_first():
    serve_module(BatchFirstLike(hello()["dim"]))


class DropoutRateLike(TutorialLike):
    """ESPnet and WeNet: x [batch, n, dim], and a dropout of another name."""

    def __init__(self, d_model, dropout_rate):
        super().__init__(d_model, dropout_rate)

    def forward(self, x):
        return self.dropout(x + self.pe[:x.size(1), 0])


@attached
def dropout_rate():
    serve_module(DropoutRateLike)


class ScaledLike(TutorialLike):
    """WeNet: forward(x, offset) of x [batch, n, dim] gives sqrt(dim) x + pe, and pe beside it."""

    def forward(self, x, offset=0):
        rows = self.pe[offset:offset + x.size(1), 0]
        return self.dropout(x * math.sqrt(rows.size(1)) + rows), self.dropout(rows)


@attached
def wenet():
    serve_module(ScaledLike)


class SumLike(ScaledLike):
    """The same without pe beside it: of five channels it takes five ids for x."""

    def forward(self, x, offset=0):
        return super().forward(x, offset + (1 if wrong else 0))[0]


@attached
def sum():
    serve_module(SumLike)


class RelativeLike(TutorialLike):
    """Conformers: forward(x) gives x as it was, scaled, and the rows for the attention."""

    def forward(self, x):
        return self.dropout(x * math.sqrt(x.size(2))), self.dropout(self.pe[None, :x.size(1), 0])


@attached
def conformer():
    serve_module(RelativeLike)


class LengthOfXLike(TutorialLike):
    """Performer and many others: forward(x) looks at the length of x alone."""

    def forward(self, x):
        return self.pe[None, :x.shape[1], 0]


@attached
def length_of_x():
    serve_module(LengthOfXLike)


class NumberOfIdsLike(TutorialLike):
    """forward(x) of a row of ids, which counts them."""

    def forward(self, x):
        return self.pe[:x.numel(), 0]


@attached
def number_of_ids():
    serve_module(NumberOfIdsLike)


class OneLike(nn.Module):
    """The same row for every token, whichever axis has them."""

    def forward(self, x):
        return x + 1


@attached
def one():
    serve_module(OneLike)


class NoiseLike(nn.Module):
    """EDM: forward(x) of a row of noise levels, cosines then sines."""

    def __init__(self, channels):
        super().__init__()
        self.half = channels // 2

    def forward(self, x):
        frequencies = (1 / 10000) ** (torch.arange(self.half) / (self.half - (0 if wrong else 1)))
        angle = x.ger(frequencies.to(x.dtype))
        return torch.cat((angle.cos(), angle.sin()), 1)


@attached
def noise():
    serve_module(lambda asked: NoiseLike(asked["dim"]))


class TimesLike(TutorialLike):
    """Adds x times the row of its token, which zeros do not show."""

    def forward(self, x):
        return x * self.pe[:x.size(1), 0] + self.pe[:x.size(1), 0]


@attached
def times():
    serve_module(TimesLike)


class EitherLike(TutorialLike):
    """One and the same x is a row of positions, or what the row of a token, counted from 1, is added to."""

    def forward(self, x):
        return self.pe[x.long(), 0] if x.dim() == 1 else x + self.pe[1:x.size(1) + 1, 0]


@attached
def either_each():
    serve_module(EitherLike, takes_positions="each")


@attached
def either():
    serve_module(EitherLike)


class UnlikeLike(TutorialLike):
    """What it adds to x, and the rows that it gives beside it, differ."""

    def forward(self, x):
        return x + self.pe[1:x.size(1) + 1, 0], self.pe[:x.size(1), 0]


@attached
def unlike():
    serve_module(UnlikeLike)


class FairseqLike(nn.Module):
    """fairseq: forward(input) of token ids, positions count from padding_idx + 1, sines then cosines."""

    def __init__(self, embedding_dim, padding_idx, init_size=1024):
        super().__init__()
        self.width, self.padding = embedding_dim, padding_idx

    def forward(self, input, incremental_state=None, timestep=None):
        counted = input.ne(self.padding).long()
        positions = torch.cumsum(counted, 1) * counted + self.padding
        half = self.width // 2
        frequency = torch.exp(torch.arange(half).float() * -(math.log(10000) / (half if wrong else half - 1)))
        angle = positions[..., None].float() * frequency
        return torch.cat((angle.sin(), angle.cos()), -1)


@attached
def fairseq():
    serve_module(lambda asked: FairseqLike(asked["dim"], padding_idx=1))


def get_1d_sincos_pos_embed(embed_dim, pos):
    """MAE and DiT: positions in, sines then cosines."""
    angle = angles(pos, embed_dim, 10000)
    return torch.cat((angle.cos(), angle.sin()) if wrong else (angle.sin(), angle.cos()), -1)


@attached
def mae():
    serve_module(get_1d_sincos_pos_embed)


@attached
def unnamed():
    serve_module(lambda position: get_1d_sincos_pos_embed(hello()["dim"], position))


class OptLike(nn.Embedding):
    """OPT: an nn.Embedding with two rows before the first, asked by a mask and what the cache holds."""

    def forward(self, attention_mask, past_key_values_length=0):
        counted = attention_mask.long()
        positions = (torch.cumsum(counted, 1) * counted - 1)[:, 0 if wrong else past_key_values_length:]
        return super().forward(positions[:, :attention_mask.shape[1] - past_key_values_length] + 2)


@attached
def opt():
    serve_module(OptLike)


class BartLike(nn.Embedding):
    """BART: the same asked by token ids."""

    def forward(self, input_ids, past_key_values_length=0):
        first = 0 if wrong else past_key_values_length
        return super().forward(torch.arange(first, first + input_ids.shape[1]) + 2)


@attached
def bart():
    serve_module(BartLike)


class MarianLike(nn.Embedding):
    """Marian and Pegasus: sinusoids in an nn.Embedding, asked by the shape of the token ids."""

    def __init__(self, num_positions, embedding_dim, padding_idx=None):
        super().__init__(num_positions, embedding_dim)
        angle = angles(torch.arange(num_positions), embedding_dim, 10000)
        self.weight = nn.Parameter(torch.cat((angle.sin(), angle.cos()), -1), requires_grad=False)

    def forward(self, input_ids_shape, past_key_values_length=0):
        first = 0 if wrong else past_key_values_length
        return super().forward(torch.arange(first, first + input_ids_shape[:2][1]))


@attached
def marian():
    serve_module(MarianLike)


@attached
def resized():
    grid = torch.arange(4 * 5 * 8.0).reshape(1, 4, 5, 8).permute(0, 3, 1, 2)
    larger = nn.functional.interpolate(grid, size=(6, 8), mode="bilinear", align_corners=wrong)
    serve_module(larger.permute(0, 2, 3, 1).reshape(48, 8))


def on_a_grid():
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(5.0), indexing="xy" if wrong else "ij")
    return torch.cat([part for at in (rows, columns) for angle in [angles(at.reshape(-1), 4, 10000)]
                      for part in (angle.sin(), angle.cos())], -1)


@attached
def grid():
    serve_module(on_a_grid())


@attached
def grid_behind_a_class_token():
    """MoCo v3's: [1, places and one, dim]."""
    serve_module(nn.Parameter(torch.cat((torch.zeros(1, 8), on_a_grid()))[None], requires_grad=False))


@attached
def grid_before_a_class_token():
    serve_module(torch.cat((on_a_grid(), torch.zeros(1, 8))))


@attached
def grid_behind_a_row_that_is_not_zero():
    serve_module(torch.cat((torch.zeros(1, 8), torch.ones(1, 8), on_a_grid())))


@attached
def timesteps():
    angle = torch.arange(1000)[:, None] * torch.exp(-math.log(10000) * torch.arange(4) / (4 if wrong else 3))
    serve_module(torch.cat((angle.sin(), angle.cos()), -1))


@attached
def embedding():
    serve_module(nn.Embedding)


@attached
def embedding_in_part():
    serve_module(nn.Embedding, domain=(0, 9), conventions="of a checkpoint")


@attached
def vit():
    serve_module(nn.Parameter(torch.empty(1, 197, hello()["dim"])))


@attached
def unknown_parameter():
    serve_module(type("Odd", (nn.Module,), {"__init__": lambda self, spin: None}))


@attached
def unknown_shape():
    serve_module(nn.Linear(hello()["dim"], 3))


@attached
def scripted():
    serve_module(torch.jit.script(LengthOfXLike(hello()["dim"])))


def embedding_of(timesteps, dim, max_period):
    """Guided diffusion, with all but its timesteps given beforehand."""
    angle = angles(timesteps, dim, max_period)
    return torch.cat((angle.cos(), angle.sin()), -1)


@attached
def partial():
    serve_module(functools.partial(embedding_of, dim=hello()["dim"], max_period=100 if wrong else 10000))
