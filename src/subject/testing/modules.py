"""Small modules that are called as those of well-known projects are, each attached as it would be there: for
src/gate/modules_test.cpp. The argument names one; `wrong_` before it, its twin with one mistake.

The code here is written from the documentation of what the projects' signatures are; nothing in it is theirs.
"""

import functools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

import torch
from torch import nn

from posproof_subject import hello, serve, serve_module

wrong = False  # is set by attach()


def ladder(width, base):
    return float(base) ** (-torch.arange(0, width, 2).float() / width)


def angles(positions, width, base):
    return positions[..., None].float() * ladder(width, base)


def halves_turned(x):
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def pairs_turned(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)


# ---- rotary, in parts

class LlamaLike(nn.Module):
    """transformers: forward(x, position_ids) gives cosines and sines of the dtype of x."""

    def __init__(self, dim, max_position_embeddings=2048, base=10000, device=None):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base), persistent=False)

    @torch.no_grad()
    def forward(self, x, position_ids):
        if wrong:  # the rows of the batch have the positions of the first
            position_ids = position_ids[:1]
        angle = position_ids[:, :, None].float() * self.inv_freq.float()
        angle = torch.cat((angle, angle), -1)
        return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


class ConfiguredLike(LlamaLike):
    """transformers since 4.45: constructed from a configuration alone."""

    def __init__(self, config, device=None):
        super().__init__(config.head_dim, config.max_position_embeddings, config.rope_theta * (2 if wrong else 1))


def apply_rotary_pos_emb(q, k, cos, sin, position_ids=None, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + halves_turned(q) * sin, k * cos + halves_turned(k) * sin


class CachedLike(nn.Module):
    """transformers before 4.36, GPT-NeoX and Qwen 1 among them: forward(x, seq_len) gives a cache, which position_ids index."""

    def __init__(self, dim, max_position_embeddings=2048, base=10000, device=None):
        super().__init__()
        self.dim, self.base, self.max_seq_len_cached = dim, base, 0
        self.grow(max_position_embeddings)

    def grow(self, seq_len):
        angle = angles(torch.arange(seq_len), self.dim, self.base)
        angle, self.max_seq_len_cached = torch.cat((angle, angle), -1), seq_len
        self.register_buffer("cos_cached", angle.cos(), persistent=False)
        self.register_buffer("sin_cached", angle.sin(), persistent=False)

    def forward(self, x, seq_len=None):
        if seq_len > self.max_seq_len_cached and not wrong:
            self.grow(seq_len)
        return self.cos_cached[:seq_len].to(x.dtype), self.sin_cached[:seq_len].to(x.dtype)


def apply_by_ids(q, k, cos, sin, position_ids):
    if wrong:
        position_ids = position_ids.clamp(max=len(cos) - 1)
    return apply_rotary_pos_emb(q, k, cos[position_ids], sin[position_ids])


class MegatronLike(nn.Module):
    """Megatron-LM: forward(max_seq_len, offset) gives angles [n, 1, 1, dim], x is [n, batch, heads, dim]."""

    def __init__(self, kv_channels, rotary_percent, rotary_base=10000):
        super().__init__()
        self.width, self.base = int(kv_channels * rotary_percent), rotary_base

    @functools.lru_cache(maxsize=32)
    def forward(self, max_seq_len, offset=0):
        angle = angles(torch.arange(max_seq_len) + (0 if wrong and max_seq_len == 1 else offset), self.width, self.base)
        return torch.cat((angle, angle), -1)[:, None, None, :]


def apply_megatron(t, freqs):
    return t * freqs.cos().to(t.dtype) + halves_turned(t) * freqs.sin().to(t.dtype)


def precompute_freqs_cis(dim, end, theta=10000.0):
    """Llama of Meta: complex numbers of a table, which is cut at start_pos."""
    angle = angles(torch.arange(end), dim, theta)
    return torch.polar(torch.ones_like(angle), angle)


def apply_complex(xq, xk, freqs_cis):
    def turned(x):
        unit = freqs_cis if x.shape[1] == len(freqs_cis) else None
        whole = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * unit[None, :, None]
        if wrong:
            whole = whole.conj().resolve_conj()
        return torch.view_as_real(whole).flatten(3).type_as(x)
    return turned(xq), turned(xk)


class AnglesLike(nn.Module):
    """rotary-embedding-torch: forward(t) gives the angles of positions t, each twice, side by side."""

    def __init__(self, dim, theta=10000):
        super().__init__()
        self.freqs = nn.Parameter(ladder(dim, theta), requires_grad=False)

    def forward(self, t):
        return (t[..., None].type(self.freqs.dtype) * self.freqs).repeat_interleave(2, -1)

    def rotate_queries_or_keys(self, t, seq_dim=-2, offset=0):
        angle = self.forward(torch.arange(t.shape[seq_dim]) + (0 if wrong else offset))
        return t * angle.cos() + pairs_turned(t) * angle.sin()


class AnglesOnly(nn.Module):
    """x-transformers: forward(t) alone, half-split."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base))

    def forward(self, t):
        angle = t[:, None].float() * self.inv_freq * (1 + wrong * 2e-4)
        return torch.cat((angle, angle), -1)


class AnglesAndScale(AnglesOnly):
    """x-transformers and local-attention: the angles, and xPos's scale, which is 1 without it."""

    def forward(self, t):
        return super().forward(t), torch.ones(1)


def apply_scaled(q, k, freqs, scale=1):
    return [(x * freqs.cos() + halves_turned(x) * freqs.sin()) * by for x, by in ((q, scale), (k, scale.pow(-1)))]


def apply_flash(x, cos, sin, interleaved=False):
    """FlashAttention: x [batch, n, heads, dim], cosines and sines [n, dim / 2]."""
    cos, sin = cos[:, None], sin[:, None]
    if interleaved:
        cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)
        return x * cos + pairs_turned(x) * sin
    cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
    return x * cos + halves_turned(x) * sin * (-1 if wrong else 1)


def cosines_and_sines(asked):
    angle = angles(torch.arange(2048), asked["dim"], asked["base"])
    return angle.cos(), angle.sin()


# ---- rotary, whole

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


class GlmLike(nn.Module):
    """ChatGLM2: forward(max_seq_len, offset=0), which ignores the offset."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base))

    def forward(self, max_seq_len, offset=0):
        return torch.arange(max_seq_len)[:, None].float() * self.inv_freq * (2 if wrong else 1)


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


# ---- tables

class TutorialLike(nn.Module):
    """The PyTorch tutorial: forward(x) adds a table to x [n, batch, dim], and drops some of it in training."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        angle = angles(torch.arange(max_len), d_model, 100000 if wrong else 10000)
        self.register_buffer("pe", torch.stack((angle.sin(), angle.cos()), -1).flatten(1)[:, None, :d_model])

    def forward(self, x):
        return self.dropout(x + self.pe[:x.size(0)])


class BatchFirstLike(TutorialLike):
    """The same, x [batch, n, dim]."""

    def forward(self, x):
        y = x + self.pe[:x.size(1), 0]
        if wrong:
            y[1:] = x[1:]
        return self.dropout(y)


class DropoutRateLike(TutorialLike):
    """ESPnet and WeNet: x [batch, n, dim], and a dropout of another name."""

    def __init__(self, d_model, dropout_rate):
        super().__init__(d_model, dropout_rate)

    def forward(self, x):
        return self.dropout(x + self.pe[:x.size(1), 0])


class ScaledLike(TutorialLike):
    """WeNet: forward(x, offset) of x [batch, n, dim] gives sqrt(dim) x + pe, and pe beside it."""

    def forward(self, x, offset=0):
        rows = self.pe[offset:offset + x.size(1), 0]
        return self.dropout(x * math.sqrt(rows.size(1)) + rows), self.dropout(rows)


class SumLike(ScaledLike):
    """The same without pe beside it: of five channels it takes five ids for x."""

    def forward(self, x, offset=0):
        return super().forward(x, offset + (1 if wrong else 0))[0]


class RelativeLike(TutorialLike):
    """Conformers: forward(x) gives x as it was, scaled, and the rows for the attention."""

    def forward(self, x):
        return self.dropout(x * math.sqrt(x.size(2))), self.dropout(self.pe[None, :x.size(1), 0])


class LengthOfXLike(TutorialLike):
    """Performer and many others: forward(x) looks at the length of x alone."""

    def forward(self, x):
        return self.pe[None, :x.shape[1], 0]


class NoiseLike(nn.Module):
    """EDM: forward(x) of a row of noise levels, cosines then sines."""

    def __init__(self, channels):
        super().__init__()
        self.half = channels // 2

    def forward(self, x):
        frequencies = (1 / 10000) ** (torch.arange(self.half) / (self.half - (0 if wrong else 1)))
        angle = x.ger(frequencies.to(x.dtype))
        return torch.cat((angle.cos(), angle.sin()), 1)


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


class RotatesV(PackedLike):
    def forward(self, qkv, seqlen_offset=0):
        y = super().forward(qkv, seqlen_offset=seqlen_offset)
        return torch.cat((y[:, :, :2], super().forward(y.flip(2), seqlen_offset=seqlen_offset)[:, :, :1]), 2)


class TimesLike(TutorialLike):
    """Adds x times the row of its token, which zeros do not show."""

    def forward(self, x):
        return x * self.pe[:x.size(1), 0] + self.pe[:x.size(1), 0]


class EitherLike(TutorialLike):
    """One and the same x is a row of positions, or what the row of a token, counted from 1, is added to."""

    def forward(self, x):
        return self.pe[x.long(), 0] if x.dim() == 1 else x + self.pe[1:x.size(1) + 1, 0]


class UnlikeLike(TutorialLike):
    """What it adds to x, and the rows that it gives beside it, differ."""

    def forward(self, x):
        return x + self.pe[1:x.size(1) + 1, 0], self.pe[:x.size(1), 0]


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


def get_1d_sincos_pos_embed(embed_dim, pos):
    """MAE and DiT: positions in, sines then cosines."""
    angle = angles(pos, embed_dim, 10000)
    return torch.cat((angle.cos(), angle.sin()) if wrong else (angle.sin(), angle.cos()), -1)


class OptLike(nn.Embedding):
    """OPT: an nn.Embedding with two rows before the first, asked by a mask and what the cache holds."""

    def forward(self, attention_mask, past_key_values_length=0):
        counted = attention_mask.long()
        positions = (torch.cumsum(counted, 1) * counted - 1)[:, 0 if wrong else past_key_values_length:]
        return super().forward(positions[:, :attention_mask.shape[1] - past_key_values_length] + 2)


class BartLike(nn.Embedding):
    """BART: the same asked by token ids."""

    def forward(self, input_ids, past_key_values_length=0):
        first = 0 if wrong else past_key_values_length
        return super().forward(torch.arange(first, first + input_ids.shape[1]) + 2)


class MarianLike(nn.Embedding):
    """Marian and Pegasus: sinusoids in an nn.Embedding, asked by the shape of the token ids."""

    def __init__(self, num_positions, embedding_dim, padding_idx=None):
        super().__init__(num_positions, embedding_dim)
        angle = angles(torch.arange(num_positions), embedding_dim, 10000)
        self.weight = nn.Parameter(torch.cat((angle.sin(), angle.cos()), -1), requires_grad=False)

    def forward(self, input_ids_shape, past_key_values_length=0):
        first = 0 if wrong else past_key_values_length
        return super().forward(torch.arange(first, first + input_ids_shape[:2][1]))


# ---- biases

def slopes(heads):
    return torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)])


def build_alibi_tensor(attention_mask, num_heads, dtype):
    """BLOOM: [batch * heads, 1, n], the slope times the key's number."""
    numbers = (attention_mask.cumsum(-1) - 1) * attention_mask * (2 if wrong else 1)
    return (slopes(num_heads)[:, None] * numbers[:, None]).reshape(-1, 1, attention_mask.shape[1]).to(dtype)


class LengthLike(nn.Module):
    """Biases by a length alone, [1, heads, n, n], with the size of a batch that they do not depend on."""

    def __init__(self, num_heads, max_seq_len=2048):
        super().__init__()
        self.register_buffer("slopes", slopes(num_heads).view(1, -1, 1, 1))

    def forward(self, batch_size, seq_len, **further):
        number = torch.arange(seq_len)
        return -(number[None, :] - number[:, None]).abs()[None, None] * self.slopes


class AlibiLike(nn.Module):
    """x-transformers: forward(i, j) gives [heads, i, j]."""

    def __init__(self, heads, total_heads):
        super().__init__()
        self.register_buffer("slopes", slopes(heads)[:, None, None], persistent=False)

    def forward(self, i, j):
        distance = torch.arange(j)[None] - torch.arange(j - i, j)[:, None]
        return (distance if wrong else -distance.abs()) * self.slopes


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


class MpnetLike(T5Like):
    """MPNet: compute_position_bias(x), x [batch, n, channels], whose size alone matters."""

    compute_bias = None

    def compute_position_bias(self, x, position_ids=None, num_buckets=32):
        return T5Like.compute_bias(self, x.size(1), x.size(1)).expand(x.size(0), -1, -1, -1).contiguous()


def attach(name):
    """Each as whoever has it would: three lines at most."""
    if name == "llama":
        serve_module(LlamaLike, apply=apply_rotary_pos_emb)
    if name == "llama_bf16":
        serve_module(LlamaLike, apply=apply_rotary_pos_emb, dtype=torch.bfloat16)
    if name == "llama_moved_to_bf16":
        serve_module(LlamaLike, apply=apply_rotary_pos_emb, dtype=torch.bfloat16, buffers=True)
    if name == "torchtune_bf16":
        serve_module(TorchtuneLike, dtype=torch.bfloat16)
    if name == "llama_alone":
        serve_module(LlamaLike, vjp="autograd")
    if name == "llama_grouped":
        serve_module(LlamaLike, apply=apply_rotary_pos_emb, heads=(8, 2), vjp="autograd")
    if name == "configured":
        serve_module(ConfiguredLike)
    if name == "cached":
        serve_module(CachedLike, apply=apply_by_ids)
    if name == "megatron":
        serve_module(MegatronLike, apply=apply_megatron)
    if name == "meta":
        serve_module(precompute_freqs_cis, apply=apply_complex)
    if name == "rotary_embedding_torch":
        serve_module(AnglesLike)
    if name == "x_transformers":
        serve_module(AnglesOnly)
    if name == "x_transformers_scale":
        serve_module(AnglesAndScale)
    if name == "local_attention":
        serve_module(AnglesAndScale, apply=apply_scaled)
    if name == "flash":
        serve_module(cosines_and_sines(hello()), apply=apply_flash)
    if name == "torchtune":
        serve_module(TorchtuneLike)
    if name == "esm":
        serve_module(EsmLike)
    if name == "vllm":
        serve_module(VllmLike)
    if name == "offset":
        serve_module(OffsetLike)
    if name == "scratch":
        serve_module(ScratchLike)
    if name == "tutorial":
        serve_module(TutorialLike)
    if name == "batch_first":
        serve_module(BatchFirstLike(hello()["dim"]))
    if name == "fairseq":
        serve_module(lambda asked: FairseqLike(asked["dim"], padding_idx=1))
    if name == "mae":
        serve_module(get_1d_sincos_pos_embed)
    if name == "unnamed":
        serve_module(lambda position: get_1d_sincos_pos_embed(hello()["dim"], position))
    if name == "resized":
        grid = torch.arange(4 * 5 * 8.0).reshape(1, 4, 5, 8).permute(0, 3, 1, 2)
        larger = nn.functional.interpolate(grid, size=(6, 8), mode="bilinear", align_corners=wrong)
        serve_module(larger.permute(0, 2, 3, 1).reshape(48, 8))
    if name == "grid":
        rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(5.0), indexing="xy" if wrong else "ij")
        serve_module(torch.cat([part for at in (rows, columns) for angle in [angles(at.reshape(-1), 4, 10000)]
                                for part in (angle.sin(), angle.cos())], -1))
    if name == "window":
        serve_module(WindowLike((3, 4), 2), method="get_bias")
    if name == "window_table":
        serve_module(WindowLike((3, 4), 2).get_bias())
    if name == "timesteps":
        angle = torch.arange(1000)[:, None] * torch.exp(-math.log(10000) * torch.arange(4) / (4 if wrong else 3))
        serve_module(torch.cat((angle.sin(), angle.cos()), -1))
    if name == "dropout_rate":
        serve_module(DropoutRateLike)
    if name == "wenet":
        serve_module(ScaledLike)
    if name == "sum":
        serve_module(SumLike)
    if name == "conformer":
        serve_module(RelativeLike)
    if name == "length_of_x":
        serve_module(LengthOfXLike)
    if name == "noise":
        serve_module(lambda asked: NoiseLike(asked["dim"]))
    if name == "packed":
        serve_module(PackedLike, domain=(0, 4095))
    if name == "either_each":
        serve_module(EitherLike, takes_positions="each")
    if name == "qwen_vl":
        serve_module(QwenVlLike, apply=apply_multimodal_rotary_pos_emb)
    if name == "glm":
        serve_module(GlmLike, takes_positions="sequence")
    if name == "nanogpt":
        serve_module(NanoGptLike)
    if name == "embedding":
        serve_module(nn.Embedding)
    if name == "opt":
        serve_module(OptLike)
    if name == "bart":
        serve_module(BartLike)
    if name == "marian":
        serve_module(MarianLike)
    if name == "vit":
        serve_module(nn.Parameter(torch.empty(1, 197, hello()["dim"])))
    if name == "bloom":
        serve_module(build_alibi_tensor)
    if name == "alibi":
        serve_module(AlibiLike)
    if name == "alibi_of_length":
        serve_module(LengthLike)
    if name == "t5":
        serve_module(T5Like)
    if name == "mpnet":
        serve_module(MpnetLike)
    # refused
    if name == "unknown_parameter":
        serve_module(type("Odd", (nn.Module,), {"__init__": lambda self, spin: None}))
    if name == "rotates_v":
        serve_module(RotatesV)
    if name in ("times", "either", "unlike"):
        serve_module({"times": TimesLike, "either": EitherLike, "unlike": UnlikeLike}[name])
    if name == "unknown_shape":
        serve_module(nn.Linear(hello()["dim"], 3))
    # what no forward has: the backward pass of a function of one's own
    if name == "no_gradient":
        serve(rotate=lambda x, positions: LlamaRotated()(x.detach(), positions), dtype=torch.float32, vjp="autograd")


class LlamaRotated(nn.Module):
    def forward(self, x, positions):
        cos, sin = LlamaLike(x.shape[-1])(x, positions)
        return apply_rotary_pos_emb(x, x, cos, sin)[0]


if __name__ == "__main__":
    name = sys.argv[1]
    wrong = name.startswith("wrong_")
    attach(name[len("wrong_"):] if wrong else name)
