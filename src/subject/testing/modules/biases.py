"""Modules that give biases."""

import math

import torch
from torch import nn

from attached import attached, wrong
from posproof_subject import hello, serve_module


class WindowLike(nn.Module):
    """timm: a bias of all tokens of a window, row by row."""

    def __init__(self, window, heads):
        super().__init__()
        at = torch.stack(torch.meshgrid(*map(torch.arange, window), indexing="ij"), -1).reshape(-1, 2)
        offsets = at[:, None] - at[None] + torch.tensor(window) - 1
        self.index = offsets[..., 0] * (2 * window[0 if wrong else 1] - 1) + offsets[..., 1]
        rows = (2 * window[0] - 1) * (2 * window[1] - 1)
        self.table = torch.arange(heads * rows).reshape(heads, rows).float()

    def get_bias(self):
        return self.table[:, self.index][None]

    def forward(self, attn, shared_rel_pos=None):
        return attn + self.get_bias()


@attached
def window():
    serve_module(WindowLike((3, 4), 2), method="get_bias")


@attached
def window_added():
    serve_module(WindowLike((3, 4), 2))


@attached
def window_table():
    serve_module(WindowLike((3, 4), 2).get_bias())


def slopes(heads):
    return torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)])


def build_alibi_tensor(attention_mask, num_heads, dtype):
    """BLOOM: [batch * heads, 1, n], the slope times the key's number."""
    numbers = (attention_mask.cumsum(-1) - 1) * attention_mask * (2 if wrong else 1)
    return (slopes(num_heads)[:, None] * numbers[:, None]).reshape(-1, 1, attention_mask.shape[1]).to(dtype)


@attached
def bloom():
    serve_module(build_alibi_tensor)


@attached
def bloom_behind_padding():
    """Its twin counts padding, too: right where a mask hides nothing."""
    def build(attention_mask, num_heads, dtype):
        numbers = attention_mask.cumsum(-1) - 1
        if wrong:
            numbers = torch.arange(attention_mask.shape[1]).expand(numbers.shape)
        return (slopes(num_heads)[:, None] * numbers[:, None]).reshape(-1, 1, attention_mask.shape[1]).to(dtype)
    serve_module(build)


class LengthLike(nn.Module):
    """Biases by a length alone, [1, heads, n, n], with the size of a batch that they do not depend on."""

    def __init__(self, num_heads, max_seq_len=2048):
        super().__init__()
        self.register_buffer("slopes", slopes(num_heads).view(1, -1, 1, 1))

    def forward(self, batch_size, seq_len, **further):
        number = torch.arange(seq_len)
        return -(number[None, :] - number[:, None]).abs()[None, None] * self.slopes


@attached
def alibi_of_length():
    serve_module(LengthLike)


class AlibiLike(nn.Module):
    """x-transformers: forward(i, j) gives [heads, i, j]."""

    def __init__(self, heads, total_heads):
        super().__init__()
        self.register_buffer("slopes", slopes(heads)[:, None, None], persistent=False)

    def forward(self, i, j):
        distance = torch.arange(j)[None] - torch.arange(j - i, j)[:, None]
        return (distance if wrong else -distance.abs()) * self.slopes


@attached
def alibi():
    serve_module(AlibiLike)


class T5Like(nn.Module):
    """transformers: compute_bias(query_length, key_length) gives [1, heads, query_length, key_length]."""

    def __init__(self, config, has_relative_attention_bias=False):
        super().__init__()
        self.buckets, self.furthest = config.relative_attention_num_buckets, config.relative_attention_max_distance
        if has_relative_attention_bias:
            self.relative_attention_bias = nn.Embedding(self.buckets, config.num_heads)

    def forward(self, hidden_states, mask=None):
        raise NotImplementedError

    def compute_bias(self, query_length, key_length, device=None):
        relative = torch.arange(key_length)[None] - torch.arange(query_length)[:, None]
        half = self.buckets // 2
        near = half // 2
        far = relative.abs()
        beyond = near + (torch.log(far.clamp(min=1).float() / near) / math.log(self.furthest / near) * (half - near)).long()
        bucket = torch.where(far < near, far, beyond.clamp(max=half - (2 if wrong else 1))) + half * (relative > 0)
        return self.relative_attention_bias(bucket).permute(2, 0, 1)[None]


@attached
def t5():
    serve_module(T5Like)


class MpnetLike(T5Like):
    """MPNet: compute_position_bias(x), x [batch, n, channels], whose size alone matters."""

    compute_bias = None

    def compute_position_bias(self, x, position_ids=None, num_buckets=32):
        return T5Like.compute_bias(self, x.size(1), x.size(1)).expand(x.size(0), -1, -1, -1).contiguous()


@attached
def mpnet():
    serve_module(MpnetLike)


class DecoderLike(T5Like):
    """A decoder of transformers, which learns from its configuration that it is one."""

    def __init__(self, config, has_relative_attention_bias=False):
        super().__init__(config, has_relative_attention_bias)
        self.is_decoder = config.is_decoder

    def compute_bias(self, query_length, key_length, device=None, cache_position=None):
        relative = torch.arange(key_length)[None] - torch.arange(query_length)[:, None]
        far, near = (-relative).clamp(min=0) if self.is_decoder else relative.abs(), self.buckets // 2
        beyond = near + (torch.log(far.clamp(min=1).float() / near) / math.log(self.furthest / near) * near).long()
        bucket = torch.where(far < near, far, beyond.clamp(max=self.buckets - (2 if wrong else 1)))
        return self.relative_attention_bias(bucket).permute(2, 0, 1)[None]


@attached
def t5_decoder():
    serve_module(DecoderLike)


class ResiduesLike(nn.Module):
    """OpenFold, ESMFold: of residues' numbers [n] or [batch, n] a bias [.., n, n, heads]."""

    def __init__(self, bins, heads):
        super().__init__()
        self.bins, self.table = bins, torch.arange(heads)[None] * (2 * bins + 1.0) + torch.arange(2 * bins + 1.0)[:, None]

    def forward(self, residue_index, mask=None):
        offset = residue_index[..., :, None] - residue_index[..., None, :]
        return self.table[offset.clamp(-self.bins, self.bins - (1 if wrong else 0)) + self.bins]


@attached
def residues():
    serve_module(ResiduesLike(4, hello()["heads"]))


class AskedDirectionLike(DecoderLike):
    """torchtext: compute_bias() is told in the call whether it is of both directions, which it is unless told otherwise."""

    def compute_bias(self, query_length, key_length, bidirectional=True, device=None):
        if bidirectional:
            return T5Like.compute_bias(self, query_length, key_length)
        return super().compute_bias(query_length, key_length)


@attached
def t5_told():
    serve_module(AskedDirectionLike)
