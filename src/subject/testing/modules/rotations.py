"""Rotary modules that rotate what they are given."""

import torch
from torch import nn

from attached import attached, wrong, ladder, angles, halves_turned, pairs_turned
from posproof_subject import hello, serve_module


class TorchtuneLike(nn.Module):
    """torchtune: forward(x, *, input_pos), x [batch, n, heads, dim]."""

    def __init__(self, dim, max_seq_len=4096, base=10000):
        super().__init__()
        angle = angles(torch.arange(max_seq_len), dim, base)
        self.register_buffer("cache", torch.stack((angle.cos(), angle.sin()), -1), persistent=False)

    def forward(self, x, *, input_pos=None):
        cache = self.cache[:x.shape[1]] if input_pos is None or wrong else self.cache[input_pos]
        cos, sin = cache.reshape(-1, x.shape[1], 1, x.shape[3] // 2, 2).repeat_interleave(2, -2).unbind(-1)
        return x * cos + pairs_turned(x) * sin


@attached
def torchtune():
    serve_module(TorchtuneLike)


@attached
def torchtune_bf16():
    serve_module(TorchtuneLike, dtype=torch.bfloat16)


class EsmLike(nn.Module):
    """ESM-2: forward(q, k) of whole sequences, cosines kept as long as the length stays."""

    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, 10000))
        self.kept = None

    def forward(self, q, k):
        if self.kept is None or not wrong and self.kept[0].shape[0] != q.shape[-2]:
            angle = torch.arange(q.shape[-2])[:, None].float() * self.inv_freq
            angle = torch.cat((angle, angle), -1)
            self.kept = angle.cos(), angle.sin()
        cos, sin = self.kept
        return q * cos + halves_turned(q) * sin, k * cos + halves_turned(k) * sin


@attached
def esm():
    serve_module(EsmLike)


class NanoGptLike(nn.Module):
    """modded-nanogpt: forward(x_BTHD), named after its axes."""

    def __init__(self, dim, max_seq_len=4096, base=10000):
        super().__init__()
        angle = angles(torch.arange(max_seq_len), dim, base)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, x_BTHD):
        n = x_BTHD.shape[1]
        cos, sin = self.cos[None, :n, None], self.sin[None, :n, None]
        a, b = x_BTHD.chunk(2, -1)
        a = a * (0.999 if wrong else 1)
        return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


@attached
def nanogpt():
    serve_module(NanoGptLike)


class QwenVlLike(nn.Module):
    """Qwen2-VL, with the three ids of a token side by side: forward(x, position_ids [batch, n, 3])."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base), persistent=False)

    def forward(self, x, position_ids):
        angle = position_ids.movedim(-1, 0)[..., None].float() * self.inv_freq
        angle = torch.cat((angle, angle), -1)
        return angle.cos(), angle.sin()


def apply_multimodal_rotary_pos_emb(q, k, cos, sin):
    sections = [1, 1, 2] * 2 if wrong else [1, 2, 1] * 2
    cos, sin = (torch.cat([part[n % 3] for n, part in enumerate(one.split(sections, -1))], -1)[:, None] for one in (cos, sin))
    return q * cos + halves_turned(q) * sin, k * cos + halves_turned(k) * sin


@attached
def qwen_vl():
    serve_module(QwenVlLike, apply=apply_multimodal_rotary_pos_emb)


class GlmLike(nn.Module):
    """ChatGLM2: forward(max_seq_len, offset=0), which ignores the offset."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base))

    def forward(self, max_seq_len, offset=0):
        return torch.arange(max_seq_len)[:, None].float() * self.inv_freq * (2 if wrong else 1)


@attached
def glm():
    serve_module(GlmLike, takes_positions="sequence")


class VllmLike(nn.Module):
    """vLLM: forward(positions, query, key) of packed tokens, heads side by side."""

    def __init__(self, head_size, rotary_dim, max_position_embeddings, base, is_neox_style, dtype):
        super().__init__()
        angle = angles(torch.arange(max_position_embeddings), rotary_dim, base)
        self.size, self.width, self.neox = head_size, rotary_dim, is_neox_style
        self.register_buffer("cos", angle.cos().to(dtype), persistent=False)
        self.register_buffer("sin", angle.sin().to(dtype), persistent=False)

    def forward(self, positions, query, key):
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        if self.neox:
            cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
        else:
            cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)
        turned = halves_turned if self.neox else pairs_turned

        def rotated(x):
            whole = x.reshape(len(x), -1, self.size)
            head, tail = whole[..., :self.width], whole[..., self.width:]
            head = head * cos + turned(head) * sin
            if wrong:
                head = torch.cat((head[:, :1], whole[:, 1:, :self.width]), 1)
            return torch.cat((head, tail), -1).flatten(1)
        return rotated(query), rotated(key)


@attached
def vllm():
    serve_module(VllmLike)


class ScratchLike(nn.Module):
    """As in many courses: forward(x) of a whole sequence, x [batch, n, heads, dim], as long as its first call or shorter."""

    def __init__(self, head_dim):
        super().__init__()
        self.width, self.kept = head_dim, None

    def forward(self, x):
        if self.kept is None:
            angle = angles(torch.arange(x.shape[1]), self.width, 10000)
            angle = torch.cat((angle, angle), -1)[:, None]
            self.kept = angle.cos(), angle.sin()
        cos, sin = (one[:x.shape[1]] for one in self.kept)
        return x * cos + halves_turned(x) * sin


@attached
def scratch():
    serve_module(ScratchLike)


@attached
def scratch_as_it_is():
    serve_module(ScratchLike(hello()["dim"]))


class OffsetLike(nn.Module):
    """forward(x, offset): what a key-value cache holds already."""

    def __init__(self, dim_model, max_len=5000):
        super().__init__()
        angle = angles(torch.arange(max_len), dim_model, 10000)
        angle = torch.cat((angle, angle), -1)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, x, offset=0):
        n = x.shape[2]
        if wrong and n == 1:
            offset = 0
        return x * self.cos[offset:offset + n] + halves_turned(x) * self.sin[offset:offset + n]


@attached
def offset():
    serve_module(OffsetLike)


class PackedLike(nn.Module):
    """FlashAttention: forward(qkv, seqlen_offset) of qkv [batch, n, 3, heads, dim], of which q and k are rotated in place."""

    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base), persistent=False)

    def forward(self, qkv, kv=None, seqlen_offset=0, max_seqlen=None):
        angle = (torch.arange(qkv.shape[1]) + seqlen_offset)[:, None].float() * self.inv_freq
        angle = torch.cat((angle, angle), -1)[:, None, None]
        k = angle * (0 if wrong and qkv.shape[1] == 1 else 1)
        for part, at in ((qkv[:, :, 0:1], angle), (qkv[:, :, 1:2], k)):
            part.copy_(part * at.cos() + halves_turned(part) * at.sin())
        return qkv


@attached
def packed():
    serve_module(PackedLike, domain=(0, 4095))


class PackedInPlace(PackedLike):
    """The same, which returns nothing."""

    def forward(self, qkv, seqlen_offset=0):
        super().forward(qkv, seqlen_offset=seqlen_offset)


@attached
def packed_in_place():
    serve_module(PackedInPlace)


class PackedByHeads(PackedLike):
    """The same of qkv [batch, 3, heads, n, dim]."""

    def forward(self, qkv, seqlen_offset=0):
        super().forward(qkv.permute(0, 3, 1, 2, 4), seqlen_offset=seqlen_offset)
        return qkv


@attached
def packed_by_heads():
    serve_module(PackedByHeads)


class RotatesSecondV(PackedLike):
    def forward(self, qkv, seqlen_offset=0):
        y = super().forward(qkv, seqlen_offset=seqlen_offset)
        y[1:, :, 2] = y[1:, :, 1]
        return y


@attached
def rotates_second_v():
    serve_module(RotatesSecondV)


@attached
def packed_elsewhere():
    serve_module(PackedLike, axes="bhnd")


class RotatesV(PackedLike):
    def forward(self, qkv, seqlen_offset=0):
        y = super().forward(qkv, seqlen_offset=seqlen_offset)
        return torch.cat((y[:, :, :2], super().forward(y.flip(2), seqlen_offset=seqlen_offset)[:, :, :1]), 2)


@attached
def rotates_v():
    serve_module(RotatesV)
