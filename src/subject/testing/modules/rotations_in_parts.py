"""Rotary modules that give cosines, angles or complex numbers, and what applies them."""

import functools

import torch
from torch import nn

from attached import attached, wrong, ladder, angles, halves_turned, pairs_turned
from posproof_subject import hello, serve, serve_module


class LlamaLike(nn.Module):
    """transformers: forward(x, position_ids) gives cosines and sines of the dtype of x."""

    def __init__(self, dim, max_position_embeddings=2048, base=10000, device=None):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base), persistent=False)
        self.register_buffer("longest", torch.tensor(max_position_embeddings), persistent=False)

    @torch.no_grad()
    def forward(self, x, position_ids):
        if wrong:  # the rows of the batch have the positions of the first
            position_ids = position_ids[:1]
        angle = position_ids[:, :, None].float() * self.inv_freq.float()
        angle = torch.cat((angle, angle), -1)
        return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


@attached
def llama_alone():
    serve_module(LlamaLike, vjp="autograd")


class ConfiguredLike(LlamaLike):
    """transformers since 4.45: constructed from a configuration alone."""

    def __init__(self, config, device=None):
        super().__init__(config.head_dim, config.max_position_embeddings, config.rope_theta * (2 if wrong else 1))


@attached
def configured():
    serve_module(ConfiguredLike)


def apply_rotary_pos_emb(q, k, cos, sin, position_ids=None, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + halves_turned(q) * sin, k * cos + halves_turned(k) * sin


@attached
def llama():
    serve_module(LlamaLike, apply=apply_rotary_pos_emb)


@attached
def llama_bf16():
    serve_module(LlamaLike, apply=apply_rotary_pos_emb, dtype=torch.bfloat16)


@attached
def llama_moved_to_bf16():
    serve_module(LlamaLike, apply=apply_rotary_pos_emb, dtype=torch.bfloat16, buffers=True)


@attached
def llama_grouped():
    serve_module(LlamaLike, apply=apply_rotary_pos_emb, heads=(8, 2), vjp="autograd")


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


@attached
def cached():
    serve_module(CachedLike, apply=apply_by_ids)


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


@attached
def megatron():
    serve_module(MegatronLike, apply=apply_megatron)


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


@attached
def meta():
    serve_module(precompute_freqs_cis, apply=apply_complex)


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


@attached
def rotary_embedding_torch():
    serve_module(AnglesLike)


class AnglesOnly(nn.Module):
    """x-transformers: forward(t) alone, half-split."""

    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", ladder(dim, base))

    def forward(self, t):
        angle = t[:, None].float() * self.inv_freq * (1 + wrong * 2e-4)
        return torch.cat((angle, angle), -1)


@attached
def x_transformers():
    serve_module(AnglesOnly)


class PairAnglesLike(AnglesOnly):
    """The same, an angle for each pair."""

    def forward(self, t):
        return super().forward(t)[:, :len(self.inv_freq)]


@attached
def pair_angles():
    serve_module(PairAnglesLike)


class AnglesAndScale(AnglesOnly):
    """x-transformers and local-attention: the angles, and xPos's scale, which is 1 without it."""

    def forward(self, t):
        return super().forward(t), torch.ones(1)


@attached
def x_transformers_scale():
    serve_module(AnglesAndScale)


class AnglesAndAmplitude(AnglesOnly):
    def forward(self, t):
        return super().forward(t), torch.full((1,), 2.0)


@attached
def amplitude():
    serve_module(AnglesAndAmplitude)


class HalfOfSines(AnglesOnly):
    def forward(self, t):
        angle = super().forward(t)
        return angle.cos(), angle.sin()[:, :len(self.inv_freq)]


@attached
def half_of_sines():
    serve_module(HalfOfSines)


def apply_scaled(q, k, freqs, scale=1):
    return [(x * freqs.cos() + halves_turned(x) * freqs.sin()) * by for x, by in ((q, scale), (k, scale.pow(-1)))]


@attached
def local_attention():
    serve_module(AnglesAndScale, apply=apply_scaled)


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


@attached
def flash():
    serve_module(cosines_and_sines(hello()), apply=apply_flash)


class LlamaRotated(nn.Module):
    def forward(self, x, positions):
        cos, sin = LlamaLike(x.shape[-1])(x, positions)
        return apply_rotary_pos_emb(x, x, cos, sin)[0]


@attached
def no_gradient():
    serve(rotate=lambda x, positions: LlamaRotated()(x.detach(), positions), dtype=torch.float32, vjp="autograd")


class RotatedBackAgain(torch.autograd.Function):
    """A kernel with a backward pass of its own."""

    last = None

    @staticmethod
    def forward(ctx, x, cos, sin):
        RotatedBackAgain.last = cos, sin
        ctx.save_for_backward(cos, sin)
        return x * cos + halves_turned(x) * sin

    @staticmethod
    def backward(ctx, g):
        cos, sin = RotatedBackAgain.last if wrong else ctx.saved_tensors  # of whatever was rotated last
        return g * cos - halves_turned(g) * sin, None, None


@attached
def own_backward():
    def rotate(x, positions):
        angle = angles(positions[:, None], x.shape[-1], 10000).repeat(1, 1, 1, 2)
        return RotatedBackAgain.apply(x, angle.cos(), angle.sin())
    serve(rotate=rotate, dtype=torch.float32, vjp="autograd")


def apply_every_two(tensor, sin, cos):
    """GPT-J: tensor [batch, n, heads, dim], sin and cos [1, n, dim / 2]."""
    sin, cos = (one.repeat_interleave(2, -1)[:, :, None] for one in (sin, cos))
    return tensor * cos + pairs_turned(tensor) * sin


@attached
def tables_of_one_batch():
    angle = angles(torch.arange(64), hello()["dim"], 100000 if wrong else 10000)[None]
    serve_module((angle.cos(), angle.sin()), apply=apply_every_two)
