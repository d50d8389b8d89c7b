"""Encodings of tokens on a grid as projects write them, in numpy's float32: grids.py PROJECT [WRONG], where WRONG makes it
wrong in one way."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples"))
from posproof_subject import hello, serve  # noqa: E402

import numpy as np  # noqa: E402

f32 = np.float32
asked = hello()
project = sys.argv[1]
wrong = sys.argv[2] if len(sys.argv) > 2 else ""
dim, base = asked["dim"], asked.get("base", 10000)


def of(positions, axis):
    """One number of each token, [batch, 1, n, 1]."""
    axes = positions.shape[-1]
    axis = (axes - 1 - axis) if wrong == "swapped" else axis
    return positions[:, None, :, axis, None].astype(f32)


def powers(width, over=None):
    return f32(1) / f32(base) ** (np.arange(0, width, 2, dtype=f32) / f32(over or width))


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], -1)


def by_halves(x, angles):
    angles = np.concatenate([angles, angles], -1)
    return x * np.cos(angles) + rotate_half(x) * np.sin(angles)


def by_neighbours(x, angles):
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


# ---- axial RoPE

def qwen2_vl_vit(x, positions):
    inv_freq = powers(dim // 2, dim if wrong == "over_dim" else None)
    angles = np.concatenate([of(positions, 0) * inv_freq, of(positions, 1) * inv_freq], -1)
    return by_neighbours(x, angles) if wrong == "neighbours" else by_halves(x, angles)


def pixtral(x, positions):
    freqs = powers(dim)
    odd = freqs[::2] if wrong == "even_twice" else freqs[1::2]
    return by_neighbours(x, np.concatenate([of(positions, 0) * freqs[::2], of(positions, 1) * odd], -1))


def rope_vit(x, positions):
    freqs = f32(1) / f32(base) ** (np.arange(0, dim, 4, dtype=f32)[:dim // 4] / f32(dim))
    across, down = of(positions, 1) * freqs, of(positions, 0) * freqs
    return by_neighbours(x, np.concatenate([down, across] if wrong == "down_first" else [across, down], -1))


def moonvit(x, positions):
    freqs = powers(dim // 2)
    angles = np.stack([of(positions, 1) * freqs, of(positions, 0) * freqs], -1)
    return by_neighbours(x, np.concatenate([angles[..., 0], angles[..., 1]], -1) if wrong == "in_blocks"
                         else angles.reshape(angles.shape[:3] + (-1,)))


def dust3r(x, positions):
    angles = [of(positions, axis) * powers(dim // 2) for axis in (0, 1)]
    if wrong == "halves_of_all":
        return by_halves(x, np.concatenate(angles, -1))
    return np.concatenate([by_halves(x[..., :dim // 2], angles[0]), by_halves(x[..., dim // 2:], angles[1])], -1)


def flux(x, positions):
    parts = [int(part) for part in asked["parts"]]
    if wrong == "parts_reversed":
        parts = parts[::-1]
    angles = np.concatenate([of(positions, axis) * powers(part) for axis, part in enumerate(parts)], -1)
    return by_neighbours(x, angles)


def vjepa2(x, positions):
    width = 2 * (dim // 3 // 2)
    angles = [of(positions, axis) * powers(width) for axis in range(3)]
    parts = [by_neighbours(x[..., axis * width:(axis + 1) * width], angles[axis]) for axis in range(3)]
    rest = x[..., 3 * width:]
    return np.concatenate(parts + [rest * f32(1 + 2 ** -20) if wrong == "rest_scaled" else rest], -1)


def eva02(x, positions):
    factor = f32(asked["factor"])
    scaled = [of(positions, axis) * factor if wrong == "multiplied" else of(positions, axis) / factor for axis in (0, 1)]
    return by_neighbours(x, np.concatenate([one * powers(dim // 2) for one in scaled], -1))


def eva02_resized(x, positions):
    """timm's ref_feat_shape: coordinates of the grid that was trained on."""
    old, new = asked["trained_grid"], asked["grid"]
    if wrong == "one_shape":
        old = old[:1] * 2
    scaled = [of(positions, axis) / f32(new[axis]) * f32(old[axis]) for axis in (0, 1)]
    return by_neighbours(x, np.concatenate([one * powers(dim // 2) for one in scaled], -1))


def llama4_vision(x, positions):
    """Rows and columns that are counted from 1, columns first."""
    ahead = [f32(wrong not in ("from_0", "columns_alone")), f32(wrong != "from_0")]
    angles = [(of(positions, axis) + ahead[axis]) * powers(dim // 2) for axis in (1, 0)]
    return by_neighbours(x, np.concatenate(angles, -1))


def perception_resized(x, positions):
    """timm's grid_offset, added before coordinates are those of the trained grid."""
    old, new = asked["trained_grid"], asked["grid"]
    before, behind = f32(wrong != "offset_behind"), f32(wrong == "offset_behind")
    scaled = [(of(positions, axis) + before) / f32(new[axis]) * f32(old[axis]) + behind for axis in (1, 0)]
    return by_neighbours(x, np.concatenate([one * powers(dim // 2) for one in scaled], -1))


def dinov3(x, positions):
    """Coordinates of cells from -1 to 1, of periods in turns."""
    grid = asked["grid"]
    extents = {"separate": grid, "largest": [max(grid)] * 2, "smallest": [min(grid)] * 2}[asked["extent"]]
    if wrong == "one_extent":
        extents = grid[:1] * 2
    periods = f32(base) ** (f32(2) * np.arange(dim // 4, dtype=f32) / f32(dim // 2))
    if asked["frequencies"] == "periods":
        least, most = f32(asked["min_period"]), f32(asked["max_period"])
        shares = np.linspace(0, 1, dim // 4 + (wrong == "end_left_out"), dtype=f32)[:dim // 4]
        periods = (most / least) ** shares / (most / least) * most
    half = f32(0 if wrong == "from_the_edge" else 0.5)
    coordinates = [(of(positions, axis) + half) / f32(extents[axis]) for axis in (0, 1)]
    if wrong != "from_0":
        coordinates = [f32(2) * one - f32(1) for one in coordinates]
    turn = f32(np.pi if wrong == "half_a_turn" else 2 * np.pi)
    return by_halves(x, np.concatenate([turn * one / periods for one in coordinates], -1))


def dinov3_sequence(x):
    """Of all tokens of the grid, row by row, behind a class token and four registers."""
    rows, columns = (int(extent) for extent in asked["grid"])
    need = (len(x), 5 + rows * columns)
    if (x.shape[0], x.shape[2]) != need:
        raise AssertionError("called otherwise")
    grid = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), -1).reshape(1, -1, 2)
    return np.concatenate([x[:, :, :5], dinov3(x[:, :, 5:], np.broadcast_to(grid, (len(x),) + grid.shape[1:]))], 2)


def pixels(x, positions):
    """timm's pixel frequencies between the corners."""
    most, bands = asked["max_resolution"], dim // 4
    if asked["frequencies"] == "linear_bands":
        frequencies = np.linspace(1, most / (1 if wrong == "not_halved" else 2), bands, dtype=f32)
    else:
        frequencies = f32(2) ** np.linspace(0, np.log2(most) - (0 if wrong == "not_halved" else 1), bands, dtype=f32)
    frequencies = frequencies * f32(2 * np.pi if wrong == "turns" else np.pi)
    places = [np.linspace(-1, 1, int(extent), dtype=f32)[positions[..., axis].astype(int)][:, None, :, None]
              for axis, extent in enumerate(asked["grid"])]
    return by_neighbours(x, np.concatenate([one * frequencies for one in places], -1))


def corners(x, positions):
    """numpy.linspace(-1, 1, extent) for each axis."""
    extents = [int(extent) for extent in asked["grid"]]
    ends = [extent + (wrong == "open") for extent in extents]
    places = [np.linspace(-1, 1, end, dtype=f32)[positions[..., axis].astype(int)][:, None, :, None]
              for axis, end in enumerate(ends)]
    return by_neighbours(x, np.concatenate([one * powers(dim // 2) for one in places], -1))


def rope_mixed(x, positions):
    """Frequencies that were trained on both axes."""
    down, across = np.array(asked["frequencies"], f32).reshape(2, dim // 2)
    if wrong == "one_sign":
        across = abs(across)
    return by_neighbours(x, of(positions, 1) * across + of(positions, 0) * down)


def rope_mixed_by_head(q, k, positions):
    """Each head with frequencies of its own, of q and of k."""
    heads = asked["heads"]
    down, across = np.array(asked["frequencies"], f32).reshape(2, heads, 1, dim // 2)
    rows, columns = of(positions, 0), of(positions, 1)
    if wrong == "first_head":
        down, across = down[:1], across[:1]
    return tuple(by_neighbours(x, columns * across[:x.shape[1]] + rows * down[:x.shape[1]]) for x in (q, k))


# ---- M-RoPE

def m_rope_angles(positions):
    return [of(positions, axis) * powers(dim) for axis in range(3)]


def qwen2_vl(x, positions):
    ends = np.cumsum([int(section) for section in asked["sections"]])[:2]
    angles = [np.split(one, ends, -1)[axis] for axis, one in enumerate(m_rope_angles(positions))]
    if wrong == "restarted":
        angles = [of(positions, axis) * powers(dim)[:one.shape[-1]] for axis, one in enumerate(angles)]
    return by_halves(x, np.concatenate(angles, -1))


def qwen3_vl(x, positions):
    every = m_rope_angles(positions)
    angles = every[0].copy()
    for axis, offset in ((1, 1), (2, 2)):
        length = int(asked["sections"][axis]) * 3 + (3 if wrong == "one_more" else 0)
        angles[..., offset:length:3] = every[axis][..., offset:length:3]
    return by_halves(x, angles)


def ggml_imrope(x, positions):
    sections = [int(section) for section in asked["sections"]]
    angles = np.zeros(x.shape[:1] + (1, x.shape[2], dim // 2), f32)
    every = m_rope_angles(positions)
    for sector in range(dim // 2):
        axis = sector % 3
        if sector < 3 * sections[axis]:
            angles[..., sector] = every[axis][..., sector]
        elif wrong == "leftover_by_t":
            angles[..., sector] = every[0][..., sector]
    return by_halves(x, angles)


def ernie(x, positions):
    t, h, w = (int(section) for section in asked["sections"])
    every = m_rope_angles(positions)
    angles = every[0].copy()
    first, second = (2, 1) if wrong == "w_first" else (1, 2)
    angles[..., 0:h + w:2], angles[..., 1:h + w:2] = every[first][..., 0:h + w:2], every[second][..., 1:h + w:2]
    return by_neighbours(x, angles)


def ggml_vision(x, positions):
    """theta begins anew in each section, over half the head."""
    parts = [int(section) for section in asked["sections"]]
    scale = f32(base) ** (np.arange(dim // 2, dtype=f32) * f32(-2) / f32(dim if wrong == "over_dim" else dim // 2))
    return by_halves(x, np.concatenate([of(positions, axis) * scale[:part] for axis, part in enumerate(parts)], -1))


# ---- tables of sines and cosines

def at(positions, axis):
    axes = positions.shape[-1]
    return positions[:, (axes - 1 - axis) if wrong == "swapped" else axis, None].astype(f32)


def mae(positions):
    """get_2d_sincos_pos_embed_from_grid: grid[0] is the column."""
    omega = np.arange(dim // 4, dtype=f32) / f32(dim / 4 - (1 if wrong == "minus_one" else 0))
    omega = f32(1) / f32(base) ** omega
    out = [at(positions, axis) * omega for axis in (1, 0)]
    return np.concatenate([np.concatenate([np.sin(one), np.cos(one)], -1) for one in out], -1)


def sd3(positions):
    """PatchEmbed of diffusers: a grid of 192, cropped from the place that is asked for."""
    size, base_size = f32(96 * asked["factor"]), f32(96)
    scale = f32(1) if wrong == "unscaled" else size / base_size
    offset = f32(asked["offset"])
    def scaled(axis):
        number = at(positions, axis)
        return number / scale + offset if wrong == "offset_unscaled" else (number + offset) / scale
    omega = f32(1) / f32(base) ** (np.arange(dim // 4, dtype=f32) / f32(dim / 4))
    out = [scaled(axis) * omega for axis in (1, 0)]
    return np.concatenate([np.concatenate([np.sin(one), np.cos(one)], -1) for one in out], -1)


def big_vision(positions):
    omega = np.arange(dim // 4, dtype=f32) / f32(dim // 4 if wrong == "half" else dim // 4 - 1)
    omega = f32(1) / f32(base) ** omega
    x, y = at(positions, 1) * omega, at(positions, 0) * omega
    return np.concatenate([np.sin(x), np.cos(x), np.sin(y), np.cos(y)], -1)


def detr(positions):
    """Positions are counted from 1, by a cumulative sum."""
    y, x = at(positions, 0) + f32(1), at(positions, 1) + f32(1)
    if wrong == "from_0":
        y, x = y - f32(1), x - f32(1)
    if asked["normalize"] != "none":
        rows, columns = (f32(extent) for extent in asked["grid"])
        if wrong == "one_extent":
            columns = rows
        if asked["normalize"] == "centred" and wrong != "not_centred":
            y, x = y - f32(0.5), x - f32(0.5)
        y, x = y / (rows + f32(1e-6)) * f32(2 * np.pi), x / (columns + f32(1e-6)) * f32(2 * np.pi)
    features = dim // 2
    i = np.arange(features, dtype=f32)
    temperature = f32(base) ** (f32(2) * np.floor(i / f32(2)) / f32(features))
    return np.concatenate([np.stack([np.sin(one[:, 0::2]), np.cos(one[:, 1::2])], -1).reshape(len(one), -1)
                           for one in (y / temperature, x / temperature)], -1)


def detr_sequence(n):
    """Of all tokens of the grid, row by row."""
    rows, columns = (int(extent) for extent in asked["grid"])
    if n != rows * columns:
        raise AssertionError("called otherwise")
    return detr(np.stack(np.unravel_index(np.arange(n), (rows, columns)), -1))


def loftr(positions):
    """PositionEncodingSine: places are counted from 1, and columns of the image come first; divided: before its fix, where the
    logarithm of the base was divided by the width, then by 2 and rounded down."""
    width = dim // 2
    log = f32(np.floor(-np.log(f32(base)) / f32(dim) / f32(2)) if wrong == "divided" else -np.log(f32(base)) / f32(width))
    w = np.exp(np.arange(0, width, 2, dtype=f32) * log)
    x, y = at(positions, 1) + f32(1), at(positions, 0) + f32(1)
    if wrong == "rows_first":
        x, y = y, x
    out = np.empty((len(positions), dim), f32)
    out[:, 0::4], out[:, 1::4], out[:, 2::4], out[:, 3::4] = np.sin(x * w), np.cos(x * w), np.sin(y * w), np.cos(y * w)
    if wrong == "sines_of_both":
        out[:, 1::4], out[:, 2::4] = np.sin(y * w), np.cos(x * w)
    return out


def tatp22(positions):
    axes = positions.shape[-1]
    channels = 2 * (-(-dim // (2 * axes)) if wrong != "rounded_down" else dim // (2 * axes))
    out = np.zeros((len(positions), max(axes * channels, dim)), f32)
    for axis in range(axes):
        angles = at(positions, axis) * powers(channels)
        out[:, axis * channels:(axis + 1) * channels] = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(
            len(positions), -1)
    return out[:, :dim]


def simple_vit_3d(positions):
    fourier = dim // 6
    omega = f32(1) / f32(base) ** (np.arange(fourier, dtype=f32) / f32(fourier - 1))
    parts = [function(at(positions, axis) * omega) for axis in (2, 1, 0) for function in (np.sin, np.cos)]
    out = np.concatenate(parts, -1)
    return np.concatenate([out, np.full((len(out), dim - 6 * fourier), 2 ** -20 if wrong == "padded" else 0, f32)], -1)


def vjepa_3d(positions):
    """get_3d_sincos_pos_embed without uniform_power: half of the width for the time."""
    widths = [dim // 2, dim // 4, dim // 4] if wrong != "uniform" else [dim // 4, dim // 4, dim // 2]
    parts = []
    for axis, width in enumerate(widths):
        angles = at(positions, axis) * powers(width)
        parts += [np.sin(angles), np.cos(angles)]
    return np.concatenate(parts, -1)


def vjepa_3d_uniform(positions):
    """get_3d_sincos_pos_embed with uniform_power: an even share for each axis, rounded up, of which the last columns are cut."""
    width = -(-dim // 6) * 2 if wrong != "rounded_down" else dim // 6 * 2
    parts = []
    for axis in range(3):
        angles = at(positions, axis) * powers(width)
        parts += [np.sin(angles), np.cos(angles)]
    out = np.concatenate(parts + [np.zeros((len(positions), 6), f32)], -1)[:, :dim]
    if wrong == "last_sine":
        out[:, -1] *= f32(1 - 2 ** -16)
    return out


function = globals()[project]
if project == "detr_sequence":
    serve(rows=lambda n: detr_sequence(n).astype(f32), takes_positions="sequence")
elif asked.encoding == "sincos_2d":
    serve(rows=lambda positions: function(positions).astype(f32))
elif project == "rope_mixed_by_head" and wrong == "one_at_a_time":
    serve(rotate=lambda x, positions: x, axes="bnd")
elif project == "rope_mixed_by_head":
    serve(rotate_both=function, heads=(asked["heads"], 1 if wrong == "one_key_head" else asked["heads"]))
elif project == "dinov3_sequence":
    serve(rotate=lambda x: function(x).astype(f32), takes_positions="sequence", prefix=5)
else:
    serve(rotate=lambda x, positions: function(x, positions).astype(f32))
