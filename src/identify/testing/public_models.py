"""Tables, caches and biases as public models and libraries make them, in numpy, in the dtype that they use: one file or two
for each name, written to the folder that is given. Formulas are those of the projects' own code, not of this one."""
import json
import math
import os
import sys

import numpy as np

f32 = np.float32
folder = sys.argv[1]


def bf16(x):
    bits = np.asarray(x, f32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def save(name, x, dtype="f32"):
    if dtype == "bf16":
        data = bf16(x).tobytes()
        header = json.dumps({"x": {"dtype": "BF16", "shape": list(x.shape), "data_offsets": [0, len(data)]}}).encode()
        with open(f"{folder}/{name}.safetensors", "wb") as out:
            out.write(len(header).to_bytes(8, "little") + header + data)
        return
    np.save(f"{folder}/{name}.npy", x.astype({"f32": f32, "f64": np.float64, "f16": np.float16}[dtype]))


# ---- rotary embeddings


def inv_freq(base, dim):
    return f32(1) / f32(base) ** (np.arange(0, dim, 2, dtype=f32) / f32(dim))


def cache(name, w, n=1024, shape="pairs", dtype="f32", factor=1.0):
    """cos.npy and sin.npy as a model keeps them; `joined` is one array, cosines first, as vLLM has it."""
    angles = np.arange(n, dtype=f32)[:, None] * w.astype(f32)[None, :]
    cos, sin = np.cos(angles) * f32(factor), np.sin(angles) * f32(factor)
    if shape == "joined":
        return save(name, np.concatenate([cos, sin], axis=1), dtype)
    for what, x in ("cos", cos), ("sin", sin):
        x = {"pairs": x, "halves": np.concatenate([x, x], axis=1), "repeated": np.repeat(x, 2, axis=1)}[shape]
        save(f"{name}_{what}", x, dtype)


# The buffer of a checkpoint; the last of these is what a cast of the whole model leaves of it.
save("llama_3_inv_freq", inv_freq(5e5, 128))
save("near_inv_freq", inv_freq(5e5, 128) * np.where(np.arange(64) == 40, f32(1 + 2e-6), f32(1)))
save("bf16_inv_freq", inv_freq(5e5, 128), "bf16")


def llama3(base, dim, factor, low, high, length):
    out = []
    for freq in inv_freq(base, dim).astype(np.float64):  # as Meta's own loop
        wavelength = 2 * math.pi / freq
        if wavelength < length / high:
            out.append(freq)
        elif wavelength > length / low:
            out.append(freq / factor)
        else:
            smooth = (length / wavelength - low) / (high - low)
            out.append((1 - smooth) * freq / factor + smooth * freq)
    return np.array(out, f32)


def yarn(base, dim, factor, length, fast=32, slow=1, truncate=True):
    def correction(rotations):
        return dim * math.log(length / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low, high = correction(fast), correction(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    ramp = np.clip((np.arange(dim // 2, dtype=f32) - low) / (high - low), 0, 1)
    extrapolated = inv_freq(base, dim)
    return (extrapolated / f32(factor)) * ramp + extrapolated * (1 - ramp)


def mscale(factor, m=1.0):
    return 0.1 * m * math.log(factor) + 1


proportional = inv_freq(1e4, 64)
proportional[8:] = 0  # transformers' "proportional": the other pairs have the frequency 0
cache("p_rope", proportional, shape="halves")
cache("p_rope_pairs", proportional)
# Wan's buffer of three axes, each a ladder of its own, at the same position: no rope's.
cache("wan", np.concatenate([inv_freq(1e4, 44), inv_freq(1e4, 42), inv_freq(1e4, 42)]))
cache("llama_2", inv_freq(1e4, 128), shape="halves")
cache("llama_3", inv_freq(5e5, 128), shape="halves")
cache("llama_3_1", llama3(5e5, 128, 8, 1, 4, 8192), shape="halves")
cache("llama_3_2_1b", llama3(5e5, 64, 32, 1, 4, 8192), shape="halves")
cache("llama_3_1_bf16", llama3(5e5, 128, 8, 1, 4, 8192), shape="halves", dtype="bf16", n=4096)
cache("llama_4_scout", llama3(5e5, 128, 16, 1, 1 + 1e-12, 8192), shape="pairs")
cache("mixtral", inv_freq(1e6, 128), shape="halves", dtype="bf16", n=4096)
cache("qwen_2_0_5b", inv_freq(1e6, 64), shape="halves")
cache("qwen_2_5_yarn", yarn(1e6, 128, 4, 32768), shape="halves", factor=mscale(4))
cache("yi", inv_freq(5e6, 128), shape="halves")
cache("gemma_2", inv_freq(1e4, 256), shape="halves")
cache("gemma_3_global", inv_freq(1e6, 256) / f32(8), shape="halves")
cache("longchat", inv_freq(1e4, 128) / f32(8), shape="halves")
cache("vicuna_16k_f16", inv_freq(1e4, 128) / f32(4), shape="halves", dtype="f16")
cache("code_llama_ntk", inv_freq(1e4 * 8 ** (128 / 126), 128), shape="halves")
cache("ntk_of_64_channels", inv_freq(1e4 * 8 ** (64 / 62), 64), shape="halves")
cache("gpt_j", inv_freq(1e4, 64), shape="repeated")
cache("pythia", inv_freq(1e4, 16), shape="halves")
cache("phi_2", inv_freq(1e4, 32), shape="halves")
cache("chatglm", inv_freq(1e4, 64), shape="repeated", dtype="bf16", n=2048)
cache("command_r", inv_freq(8e6, 128), shape="repeated")
cache("vllm_llama_2", inv_freq(1e4, 128), shape="joined")
cache("vllm_smollm_3", inv_freq(5e6, 128), shape="joined", dtype="bf16", n=4096)
cache("onnx_llama", inv_freq(1e4, 64), shape="pairs")
cache("deepseek_v2", yarn(1e4, 64, 40, 4096), shape="halves", factor=mscale(40, 0.707) / mscale(40, 0.707))
cache("gpt_oss", yarn(150000, 64, 32, 4096, truncate=False), shape="pairs", factor=mscale(32))
cache("yarn_llama_2_64k", yarn(1e4, 128, 16, 4096), shape="halves", factor=mscale(16))
phi_3 = [1.05, 1.05, 1.05, 1.1, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.5, 2.0, 2.0, 2.0, 2.0, 2.0] + [2.0] * 12 + [
    2.05, 2.05, 2.05, 2.05, 2.05, 2.05, 2.1, 2.1, 2.15, 2.2, 2.25, 2.3, 2.35, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3.0]
cache("phi_3_short", f32(1) / (np.array(phi_3, f32) * f32(1e4) ** (np.arange(0, 96, 2, dtype=f32) / f32(96))),
      shape="halves", factor=math.sqrt(1 + math.log(32) / math.log(4096)))


# ---- tables


def interleaved(n, dim, base=10000.0):  # The Annotated Transformer
    t = np.arange(n, dtype=f32)[:, None]
    div = np.exp(np.arange(0, dim, 2, dtype=f32) * f32(-(math.log(base) / dim)))
    out = np.zeros((n, dim), f32)
    out[:, 0::2] = np.sin(t * div)
    out[:, 1::2] = np.cos(t * div)[:, : dim // 2]
    return out


def tensor2tensor(n, dim, start=0, base=1.0e4):
    half = dim // 2
    inv = np.exp(np.arange(half, dtype=f32) * f32(-math.log(base) / max(half - 1, 1)))
    scaled = (np.arange(n, dtype=f32) + f32(start))[:, None] * inv[None, :]
    return np.pad(np.concatenate([np.sin(scaled), np.cos(scaled)], axis=1), [[0, 0], [0, dim % 2]])


def halves(n, dim, cosine_first=False, base=10000.0, times=1):  # Transformer-XL; with the cosines first, diffusers and ggml
    inv = np.exp(f32(-math.log(base)) * np.arange(dim // 2, dtype=f32) / f32(dim // 2))
    a = np.arange(n, dtype=f32)[:, None] * f32(times) * inv
    return np.concatenate([np.cos(a), np.sin(a)] if cosine_first else [np.sin(a), np.cos(a)], axis=1)


def numpy_rows(n, dim):  # DistilBERT, Marian: in double, row by row
    return np.array([[t / np.power(10000, 2 * (j // 2) / dim) for j in range(dim)] for t in range(n)])


save("annotated_transformer", interleaved(1024, 512))
save("pytorch_tutorial_bf16", interleaved(1024, 256), "bf16")
save("d2l", interleaved(1000, 32))
save("wav2vec2_conformer", interleaved(512, 1024))
save("other_base", interleaved(512, 128, base=500.0))
save("timeseries_odd_cut", interleaved(512, 7))
save("tensor2tensor", tensor2tensor(512, 512))
save("tensor2tensor_odd", tensor2tensor(512, 7))
save("fairseq_from_2", tensor2tensor(512, 256, start=2))
padded = tensor2tensor(514, 64)
padded[1] = 0
save("fairseq_with_its_padding_row", padded)
save("timescale_from_2", np.concatenate([
    f(np.arange(512)[:, None] * 2 * np.exp(-np.arange(32) * math.log(10000.0) / 31)) for f in (np.sin, np.cos)], axis=1))
save("transformer_xl_backward", halves(511, 64)[::-1] * 1)
save("whisper_tiny", tensor2tensor(1500, 384))
save("ddpm_timestep", tensor2tensor(1000, 128))
save("transformer_xl", halves(512, 410))
save("glide_timestep_1000", halves(512, 64, cosine_first=True, times=1000))
save("diffusers_timestep", halves(1000, 320, cosine_first=True))
save("ggml_timestep_f16", halves(1000, 256, cosine_first=True), "f16")
raw = numpy_rows(512, 64)
save("distilbert", np.where(np.arange(64) % 2 == 0, np.sin(raw), np.cos(raw)))
save("marian", np.concatenate([np.sin(raw[:, 0::2]), np.cos(raw[:, 1::2])], axis=1))
save("x_transformers_scaled", halves(512, 256) * f32(256 ** -0.5))
save("times_sqrt_dim", interleaved(512, 64) * f32(8))
raw = np.array([[t / np.power(10000, 2 * (j // 2) / 8) for j in range(8)] for t in range(512)])
save("tatp22_odd", np.where(np.arange(8) % 2 == 0, np.sin(raw), np.cos(raw))[:, :7])
save("index", np.repeat(np.arange(300, dtype=np.float64)[:, None], 4, axis=1), "f64")
save("index_from_1", np.repeat(1 + np.arange(300, dtype=np.float64)[:, None], 4, axis=1), "f64")
save("share_of_the_length", np.repeat((np.arange(100) / 99)[:, None], 3, axis=1), "f64")
save("coordconv_centred", np.repeat((2 * np.arange(100) / 99 - 1)[:, None], 2, axis=1), "f64")
save("bits", (np.arange(256)[:, None] >> np.arange(8)) & 1, "f64")
save("bits_high_first_signs", 2 * ((np.arange(256)[:, None] >> np.arange(8)[::-1]) & 1) - 1, "f64")
save("one_hot", np.eye(48))


# ---- biases


def press_slopes(n):  # Press et al., attention_with_linear_biases
    def power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start ** i for i in range(n)]

    if math.log2(n).is_integer():
        return power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return power_of_2(closest) + press_slopes(2 * closest)[0::2][: n - closest]


def distances(n):
    return np.arange(n)[:, None] - np.arange(n)[None, :]


def per_head(slopes, values):
    return (np.array(slopes, f32)[:, None, None] * values[None].astype(f32)).astype(f32)


save("neox_alibi_8", -per_head(press_slopes(8), np.maximum(distances(64), 0)))
save("neox_alibi_12", -per_head(press_slopes(12), np.maximum(distances(64), 0)))
save("mpt_alibi_32", -per_head(press_slopes(32), np.maximum(distances(48), 0)))
save("mpt_max_bias_16", -per_head([2 ** (-16 * h / 8) for h in range(1, 9)], np.maximum(distances(64), 0)))
save("bloom_16", per_head(press_slopes(16), np.repeat(np.arange(64)[None], 64, axis=0)))
save("bloom_14_bf16", per_head(press_slopes(14), np.repeat(np.arange(64)[None], 64, axis=0)), "bf16")
save("bloom_16_as_added", per_head(press_slopes(16), np.arange(64)[None]))
save("mpt_16_as_added", per_head(press_slopes(16), np.arange(1 - 200, 1)[None])[None])
save("jina_symmetric_12", -per_head(press_slopes(12), np.abs(distances(64))))
save("mlx_geometric_12", -per_head([2 ** (-8 * h / 12) for h in range(1, 13)], np.maximum(distances(64), 0)))


def t5_bucket(relative, bidirectional, buckets=32, max_distance=128):
    out = 0
    n = -relative
    if bidirectional:
        buckets //= 2
        out = (n < 0).astype(np.int64) * buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    exact = buckets // 2
    large = exact + (np.log(np.maximum(n, 1).astype(f32) / exact) / math.log(max_distance / exact) * (buckets - exact)
                     ).astype(np.int64)
    return out + np.where(n < exact, n, np.minimum(large, buckets - 1))


def t5(name, heads, bidirectional, n=192, dtype="f32", batch=False, **rule):
    trained = np.random.default_rng(1).normal(size=(rule.get("buckets", 32), heads))
    bias = trained[t5_bucket(-distances(n), bidirectional, **rule)].transpose(2, 0, 1)
    save(name, bias[None] if batch else bias, dtype)


t5("t5_small_encoder", 8, True)
t5("t5_decoder_bf16", 8, False, dtype="bf16")
t5("t5_of_a_batch", 8, True, batch=True)  # as compute_bias returns it
t5("mt5_6_heads", 6, True)
t5("t5_64_buckets_256", 4, True, n=320, buckets=64, max_distance=256)


def detr_sine(name, rows, columns, feats, temperature=10000, normalize=True, first=1.0, shape=None, centre=0.0, channels_first=False):
    """PositionEmbeddingSine of an image without padding: a cumulative sum, so that numbers begin at 1."""
    y, x = (np.cumsum(np.ones((rows, columns), f32), axis) - f32(1 - first) for axis in (0, 1))
    if normalize:
        y = (y - f32(centre)) / (y[-1:] + f32(1e-6)) * f32(2 * math.pi)
        x = (x - f32(centre)) / (x[:, -1:] + f32(1e-6)) * f32(2 * math.pi)
    temperatures = temperature if isinstance(temperature, tuple) else (temperature, temperature)
    parts = [at[..., None] / f32(t) ** (2 * (np.arange(feats) // 2).astype(f32) / f32(feats)) for at, t in zip((y, x), temperatures)]
    parts = [np.stack([np.sin(p[..., 0::2]), np.cos(p[..., 1::2])], -1).reshape(rows, columns, -1) for p in parts]
    out = np.concatenate(parts, -1)
    save(name, out.transpose(2, 0, 1)[None] if channels_first else out.reshape(shape or (rows * columns, 2 * feats)))


detr_sine("detr", 6, 9, 32)
detr_sine("detr_of_a_grid", 5, 8, 32, shape=(5, 8, 64))
detr_sine("dab_detr", 6, 9, 32, temperature=20)
detr_sine("detr_not_normalized", 6, 9, 32, normalize=False)
detr_sine("detr_of_a_batch", 6, 9, 32, shape=(54, 1, 64))  # flatten(2).permute(2, 0, 1)
detr_sine("detr_as_added", 5, 8, 32, channels_first=True)
detr_sine("detr_of_19", 6, 9, 32, temperature=19)
detr_sine("dino_detr", 6, 9, 32, temperature=(20, 40), centre=0.5)
detr_sine("near_detr_first", 6, 9, 32, first=1.01)


def mae(name, rows, columns, dim, class_token, divisors=(1, 1)):
    """get_2d_sincos_pos_embed: columns first, each half all sines, then all cosines; zeros for the class token."""
    omega = 1 / 10000 ** (np.arange(dim // 4, dtype=np.float64) / (dim / 4))
    w, h = np.meshgrid(np.arange(columns, dtype=f32) / f32(divisors[1]), np.arange(rows, dtype=f32) / f32(divisors[0]))
    parts = [function(at.reshape(-1)[:, None] * omega) for at in (w, h) for function in (np.sin, np.cos)]
    save(name, np.concatenate([np.zeros((class_token, dim)), np.concatenate(parts, 1)]))


mae("mae", 7, 9, 48, 1)
mae("mae_without_class_token", 4, 7, 48, 0)
mae("diffusers_longer_side", 6, 12, 48, 0, (1, 2))


def grid_cache(name, angles, class_token=None, form="repeated"):
    """[rows, columns, pairs] as cosines and sines of every channel, or as complex numbers; the class token rotates nothing."""
    angles = angles.reshape(-1, angles.shape[-1]).astype(f32)
    if class_token is not None:
        none = np.zeros((1, angles.shape[-1]), f32)
        angles = np.concatenate([none, angles] if class_token == "first" else [angles, none])
    if form == "complex":
        return np.save(f"{folder}/{name}.npy", (np.cos(angles) + 1j * np.sin(angles)).astype(np.complex64)[:, None])
    wide = {"repeated": np.repeat(angles, 2, -1), "tiled": np.concatenate([angles, angles], -1)}[form]
    save(name + "_cos", np.cos(wide))
    save(name + "_sin", np.sin(wide))


def columns_first(rows, columns, dim, first, first_row=None):
    w = inv_freq(10000, dim // 2)
    y = (np.arange(rows, dtype=f32) + f32(first if first_row is None else first_row))[:, None, None] * w
    x = (np.arange(columns, dtype=f32) + f32(first))[None, :, None] * w
    return np.concatenate(np.broadcast_arrays(x, y), -1)


def flux(name, rows, columns, text, parts):
    """EmbedND: ids of text are 0, those of a picture (0, row, column); every angle stands twice, in f64."""
    ids = np.zeros((text + rows * columns, 3))
    ids[text:, 1], ids[text:, 2] = np.divmod(np.arange(rows * columns), columns)
    grid_cache(name, np.concatenate([ids[:, [i]] / 10000 ** (np.arange(0, d, 2) / d) for i, d in enumerate(parts)], -1))


flux("flux", 6, 9, 0, (4, 14, 14))
flux("flux_behind_text", 6, 9, 20, (4, 14, 14))
grid_cache("llama_4_vision", columns_first(12, 12, 24, 1), "last", "complex")
grid_cache("perception_encoder", columns_first(8, 10, 24, 1), "first")
grid_cache("vit_from_0", columns_first(8, 10, 24, 0))
grid_cache("rows_from_0", columns_first(8, 10, 24, 1, 0), "first")
grid_cache("near_perception_encoder", columns_first(8, 10, 24, 1, 0.5), "first")  # rows from a half


def dinov3(name, rows, columns, dim):
    periods = f32(100) ** (np.arange(dim // 4, dtype=f32) * f32(2) / f32(dim // 2))
    y, x = ((np.arange(n, dtype=f32) + f32(0.5)) / f32(n) * f32(2) - f32(1) for n in (rows, columns))
    angles = [f32(2 * math.pi) * at / periods for at in (y[:, None, None], x[None, :, None])]
    grid_cache(name, np.concatenate(np.broadcast_arrays(*angles), -1), form="tiled")


dinov3("dinov3", 7, 5, 16)
