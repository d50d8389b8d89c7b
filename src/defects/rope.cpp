#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/formats.h"

namespace posproof {
namespace {

using Positions = std::vector<Position>;

Rotary right(const Parameters& parameters) {
  return std::get<Rotary>(encodings::rope.make(parameters));
}

std::size_t turning(const Rotary& rotary) {
  return 2 * rotary.pairs.size();
}

// The turn that the parameters ask for, at other positions.
Encoding at_positions(const Parameters& parameters,
                      std::function<Positions(const Tensor& x, std::span<const Position>)> other) {
  Rotary rotary = right(parameters);
  rotary.turn = [turn = rotary.turn, other](const Tensor& x, std::span<const Position> positions, Role role) {
    return turn(x, other(x, positions), role);
  };
  return rotary;
}

// Its own turn of one token's channels x at t: `out` comes as a copy of x.
using Token = std::function<void(std::span<const double> x, std::span<double> out, Position t)>;

Encoding token_by_token(const Parameters& parameters, Token token) {
  Rotary rotary = right(parameters);
  rotary.turn = [token, pairs = rotary.pairs, amplitude = rotary.amplitude](
                    const Tensor& x, std::span<const Position> positions, Role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor out = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      token(x.row(r), out.row(r), positions[r / (heads * n) * n + r % n]);
      for (const Pair& pair : pairs)
        for (const std::size_t c : {pair.first, pair.second}) out.at(r, c) *= amplitude;
    }
    return out;
  };
  return rotary;
}

// The parameters' pairs, with its own cosine and sine.
struct Angle {
  double cosine, sine;
};

Angle exact(long double angle) {
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

Encoding with_angles(const Parameters& parameters, Angle (*angle)(Position t, double frequency)) {
  return token_by_token(parameters, [pairs = right(parameters).pairs, angle](auto x, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = angle(t, pair.frequency);
      out[pair.first] = x[pair.first] * c - x[pair.second] * s;
      out[pair.second] = x[pair.first] * s + x[pair.second] * c;
    }
  });
}

// The parameters' turn, with other pairs or frequencies under them.
Encoding with_pairs(const Parameters& parameters, const std::function<void(Pair&)>& change) {
  std::vector<Pair> pairs = right(parameters).pairs;
  for (Pair& pair : pairs) change(pair);
  return token_by_token(parameters, [pairs](auto x, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = exact(static_cast<long double>(t) * pair.frequency);
      out[pair.first] = x[pair.first] * c - x[pair.second] * s;
      out[pair.second] = x[pair.first] * s + x[pair.second] * c;
    }
  });
}

// A table of one angle for each channel, as modules store it: out = x cos(angle) + rotated x sin(angle). The
// partner of a channel is taken with a minus where it is the second of its pair.
Encoding with_channel_angles(const Parameters& parameters,
                             const std::function<double(const Rotary&, std::size_t channel)>& frequency,
                             const std::function<std::size_t(const Rotary&, std::size_t channel)>& partner,
                             std::size_t channels) {
  const Rotary rotary = right(parameters);
  struct Channel {
    double frequency;
    std::size_t partner;
    double sign;
  };
  std::vector<Channel> table;
  for (std::size_t c = 0; c < channels; ++c) {
    const std::size_t other = partner(rotary, c);
    const bool split = parameters.word("layout") == "half_split";
    const bool first = split ? c < channels / 2 : c % 2 == 0;
    table.push_back({frequency(rotary, c), other, first ? -1.0 : 1.0});
  }
  Rotary made = std::get<Rotary>(token_by_token(parameters, [table](auto x, auto out, Position t) {
    for (std::size_t c = 0; c < table.size(); ++c) {
      const auto [cosine, sine] = exact(static_cast<long double>(t) * table[c].frequency);
      out[c] = x[c] * cosine + table[c].sign * x[table[c].partner] * sine;
    }
  }));
  // What is declared of a pair says how far rounding may put its channels: each now turns at a speed of its
  // own, and the faster of the two errs most.
  for (Pair& pair : made.pairs) {
    pair.frequency = std::max(table[pair.first].frequency, table[pair.second].frequency);
    pair.index = made.pairs.size() - 1;
  }
  return made;
}

std::size_t right_partner(const Rotary& rotary, std::size_t c) {
  for (const Pair& pair : rotary.pairs) {
    if (pair.first == c) return pair.second;
    if (pair.second == c) return pair.first;
  }
  return c;
}

double right_frequency(const Rotary& rotary, std::size_t c) {
  for (const Pair& pair : rotary.pairs)
    if (pair.first == c || pair.second == c) return pair.frequency;
  return 0;
}

void refuse_unless(bool differs, const char* why) {
  if (!differs) throw Refusal(why);
}

// ---- angles

Encoding positions_in_bf16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    return exact(static_cast<long double>(to_bf16(static_cast<double>(t))) * w);
  });
}

Encoding angles_in_bf16(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(to_bf16(to_bf16(static_cast<double>(t)) * to_fp32(w))); });
}

Encoding frequencies_in_bf16(const Parameters& p) {
  refuse_unless(right(p).pairs.size() > 1, "the first frequency is 1, which bf16 holds: `dim` above 2");
  return with_pairs(p, [](Pair& pair) { pair.frequency = to_bf16(pair.frequency); });
}

Encoding angle_products_in_bf16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) { return exact(to_bf16(static_cast<double>(t) * w)); });
}

Encoding angles_all_in_bf16(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(to_bf16(to_bf16(static_cast<double>(t)) * to_bf16(w))); });
}

Encoding angle_products_in_fp16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const double angle = to_fp16(static_cast<double>(t) * w);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return std::isfinite(angle) ? exact(angle) : Angle{nan, nan};
  });
}

Encoding positions_in_fp16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const double at = to_fp16(static_cast<double>(t));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return std::isfinite(at) ? exact(static_cast<long double>(at) * w) : Angle{nan, nan};
  });
}

Encoding frequencies_in_fp16(const Parameters& p) {
  refuse_unless(right(p).pairs.size() > 1, "the first frequency is 1, which fp16 holds: `dim` above 2");
  return with_pairs(p, [](Pair& pair) { pair.frequency = to_fp16(pair.frequency); });
}

// 10 bits after the first: what a matrix product in tf32 makes of its factors.
double to_tf32(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

Encoding angles_in_tf32(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    return exact(static_cast<long double>(to_tf32(static_cast<double>(t))) * to_tf32(w));
  });
}

Encoding frequencies_in_fp32(const Parameters& p) {
  refuse_unless(right(p).pairs.size() > 1, "the first frequency is 1, which fp32 holds: `dim` above 2");
  return with_pairs(p, [](Pair& pair) { pair.frequency = to_fp32(pair.frequency); });
}

Encoding cos_sin_in_bf16(const Parameters& p) {
  return with_angles(p, [](Position t, double w) {
    const auto [c, s] = exact(static_cast<long double>(t) * w);
    return Angle{to_bf16(c), to_bf16(s)};
  });
}

Encoding fast_trig(const Parameters& p) {
  return with_angles(
      p, [](Position t, double w) { return exact(static_cast<long double>(t) * w * (1 + 1e-7L)); });
}

Encoding frequencies_never_initialised(const Parameters& p) {
  return with_pairs(p, [](Pair& pair) { pair.frequency = 0; });
}

Encoding base_ignored(const Parameters& p) {
  refuse_unless(p.real("base") != 10000 && right(p).pairs.size() > 1,
                "the same where `base=10000` or one pair turns");
  Parameters other = p;
  other.set("base", 10000.0);
  return encodings::rope.make(other);
}

Encoding exponent_off_by_one(const Parameters& p) {
  const double over = p.word("exponent") == "dim" ? p.real("dim") : static_cast<double>(turning(right(p)));
  const double factor = std::pow(p.real("base"), 2 / over);
  return with_pairs(p, [factor](Pair& pair) { pair.frequency *= factor; });
}

// w_i = base^(-x(i)), from the number of the pair and how many there are.
Encoding with_exponents(const Parameters& p, double (*exponent)(double i, double pairs)) {
  const auto pairs = static_cast<double>(right(p).pairs.size());
  refuse_unless(pairs > 1, "one pair has no ladder");
  return with_pairs(p, [=, base = p.real("base")](Pair& pair) {
    pair.frequency = static_cast<double>(
        std::pow(static_cast<long double>(base), -exponent(static_cast<double>(pair.index), pairs)));
  });
}

Encoding exponent_one_ahead(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return (i + 1) / pairs; });
}

Encoding exponent_halved(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return i / (2 * pairs); });
}

Encoding exponent_doubled(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return 2 * i / pairs; });
}

Encoding exponent_over_pairs_minus_one(const Parameters& p) {
  return with_exponents(p, [](double i, double pairs) { return i / (pairs - 1); });
}

// ---- scaling

bool scaled(const Parameters& p, const char* kind) {
  return p.word("scaling") == kind && p.real("factor") > 1;
}

// The turn of other parameters, under the name of these.
Encoding turning_as(const Parameters& p, const Parameters& other) {
  Rotary rotary = right(p);
  rotary.turn = right(other).turn;
  return rotary;
}

Encoding scaling_ignored(const Parameters& p) {
  Parameters other = p;
  other.set("scaling", "none");
  const Rotary scaled_one = right(p), plain = right(other);
  bool differs = scaled_one.amplitude != 1;
  for (const Pair& pair : plain.pairs)
    differs = differs || pair.frequency != scaled_one.pairs[pair.index].frequency;
  refuse_unless(differs, "there is no scaling, or it leaves every pair as it is");
  return turning_as(p, other);
}

Encoding linear_scale_in_exponent(const Parameters& p) {
  refuse_unless(scaled(p, "linear"), "the same unless `scaling=linear`");
  Parameters other = p;
  other.set("scaling", "none");
  const std::vector<Pair> pairs = right(other).pairs;
  return with_pairs(p, [pairs, factor = p.real("factor")](Pair& pair) {
    const double w = std::abs(pairs[pair.index].frequency);
    pair.frequency = std::copysign(std::pow(w, 1 / factor), pair.frequency);
  });
}

// At the short end, where a pair ought to keep its speed, it is divided by the factor.
Encoding llama3_smoothing_in_wavelength(const Parameters& p) {
  refuse_unless(scaled(p, "llama3"), "the same unless `scaling=llama3`");
  Parameters other = p;
  other.set("scaling", "none");
  const std::vector<Pair> pairs = right(other).pairs;
  const double length = p.real("original_length"), factor = p.real("factor");
  const double longest = length / p.real("low"), shortest = length / p.real("high");
  bool differs = false;
  Encoding out = with_pairs(p, [&](Pair& pair) {
    const double w = pairs[pair.index].frequency, wavelength = 2 * std::numbers::pi / std::abs(w);
    if (wavelength <= shortest || wavelength >= longest) return;
    differs = true;
    const double smooth = (wavelength - shortest) / (longest - shortest);
    pair.frequency = w / ((1 - smooth) * factor + smooth);
  });
  refuse_unless(differs, "the same where no wavelength is between original_length / high and / low");
  return out;
}

Encoding yarn_attention_factor_ignored(const Parameters& p) {
  refuse_unless(right(p).amplitude != 1, "the attention factor is 1 by right");
  Parameters other = p;
  other.set("attention_factor", 1.0);
  return turning_as(p, other);
}

// The ramp falls where it ought to rise: fast pairs are slowed and slow ones kept.
Encoding yarn_betas_swapped(const Parameters& p) {
  refuse_unless(scaled(p, "yarn"), "the same unless `scaling=yarn`");
  Parameters other = p;
  other.set("scaling", "none");
  const std::vector<Pair> pairs = right(other).pairs;
  const double base = p.real("base"), length = p.real("original_length"), factor = p.real("factor");
  const auto turning_width = static_cast<double>(turning(right(p)));
  const double d = p.word("exponent") == "dim" ? p.real("dim") : turning_width;
  const auto index_of = [&](double rotations) {
    return d * std::log(length / (rotations * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  const double first = std::max(0.0, std::floor(index_of(p.real("beta_slow"))));
  double last = std::min(d - 1, std::ceil(index_of(p.real("beta_fast"))));
  if (first == last) last += 0.001;
  bool differs = false;
  Encoding out = with_pairs(p, [&](Pair& pair) {
    const double w = pairs[pair.index].frequency, right_one = pair.frequency;
    const double ramp = std::clamp((static_cast<double>(pair.index) - first) / (last - first), 0.0, 1.0);
    pair.frequency = w / factor * ramp + w * (1 - ramp);
    differs = differs || std::abs(pair.frequency / right_one - 1) > 1e-3;
  });
  refuse_unless(differs, "every pair is past both ramps");
  return out;
}

// ---- channels

Encoding pairing_swapped(const Parameters& p) {
  Rotary rotary = right(p);
  refuse_unless(rotary.pairs.size() > 1, "the layouts are the same where one pair turns");
  Parameters other = p;
  other.set("layout", p.word("layout") == "half_split" ? "interleaved" : "half_split");
  rotary.turn = right(other).turn;  // declared is what was meant
  return rotary;
}

Encoding table_layout_against_rotate_layout(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(rotary.pairs.size() > 1, "the layouts are the same where one pair turns");
  const bool split = p.word("layout") == "half_split";
  return with_channel_angles(
      p,
      [split](const Rotary& r, std::size_t c) {
        return r.pairs[split ? c / 2 : c % r.pairs.size()].frequency;
      },
      &right_partner, turning(rotary));
}

Encoding rotate_layout_against_table_layout(const Parameters& p) {
  Parameters other = p;
  other.set("layout", p.word("layout") == "half_split" ? "interleaved" : "half_split");
  return table_layout_against_rotate_layout(other);
}

Encoding halves_swapped(const Parameters& p) {
  const Rotary rotary = right(p);
  return token_by_token(p, [pairs = rotary.pairs](auto x, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = exact(static_cast<long double>(t) * pair.frequency);
      out[pair.second] = x[pair.first] * c - x[pair.second] * s;
      out[pair.first] = x[pair.first] * s + x[pair.second] * c;
    }
  });
}

Encoding exponent_over_head_dim(const Parameters& p) {
  const Rotary rotary = right(p);
  const bool one = rotary.pairs.size() == 1 && p.word("layout") == "interleaved";
  refuse_unless(turning(rotary) < rotary.dim && p.word("exponent") == "rotary_width" && !one,
                "the same where all channels turn, or the exponent is over `dim` by right");
  Parameters whole = p;
  whole.set("rotary_width", 0.0);
  whole.set("dim", static_cast<double>(rotary.dim / 2 * 2));
  const std::vector<Pair> pairs = right(whole).pairs;
  return with_pairs(p, [pairs](Pair& pair) { pair = pairs[pair.index]; });
}

Encoding table_padded_over_full_head(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(turning(rotary) < rotary.dim && rotary.dim % 2 == 0 && p.word("layout") == "half_split",
                "the same where all channels turn, or the pairs are neighbours");
  return with_channel_angles(
      p, &right_frequency, [](const Rotary& r, std::size_t c) { return (c + r.dim / 2) % r.dim; },
      rotary.dim);
}

Encoding partial_factor_ignored(const Parameters& p) {
  Rotary rotary = right(p);
  refuse_unless(turning(rotary) < rotary.dim && rotary.dim % 2 == 0, "the same where all channels turn");
  Parameters whole = p;
  whole.set("rotary_width", 0.0);
  rotary.turn = right(whole).turn;
  return rotary;
}

Encoding warp_shuffle_limit(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(turning(rotary) > 32 && p.word("layout") == "half_split", "the same up to 32 channels");
  return with_channel_angles(
      p, &right_frequency, [](const Rotary& r, std::size_t c) { return right_partner(r, c) % 32; },
      turning(rotary));
}

Encoding inplace_aliasing(const Parameters& p) {
  return token_by_token(p, [pairs = right(p).pairs](auto, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = exact(static_cast<long double>(t) * pair.frequency);
      out[pair.first] = out[pair.first] * c - out[pair.second] * s;
      out[pair.second] = out[pair.first] * s + out[pair.second] * c;
    }
  });
}

// ---- rows, heads and roles

Encoding only_batch_row_0(const Parameters& p) {
  Rotary rotary = right(p);
  rotary.turn = [turn = rotary.turn](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor out = turn(x, positions, role);
    if (x.shape[2] == 1)
      for (std::size_t r = x.shape[1]; r < x.rows(); ++r)
        std::fill(out.row(r).begin(), out.row(r).end(), 0.0);
    return out;
  };
  return rotary;
}

Encoding positions_of_row_0(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    for (std::size_t token = 0; token < out.size(); ++token) out[token] = out[token % x.shape[2]];
    return out;
  });
}

// The turn of each head at its own position.
Encoding by_head(const Parameters& p, Position (*position)(std::span<const Position> row, std::size_t heads,
                                                           std::size_t head, std::size_t token)) {
  Rotary rotary = right(p);
  rotary.turn = [turn = rotary.turn, position](const Tensor& x, std::span<const Position> positions,
                                               Role role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor out = x;
    for (std::size_t head = 0; head < heads; ++head) {
      Positions own;
      for (std::size_t token = 0; token < positions.size(); ++token)
        own.push_back(position(positions.subspan(token / n * n, n), heads, head, token % n));
      const Tensor turned = turn(x, own, role);
      for (std::size_t r = 0; r < x.rows(); ++r)
        if (r / n % heads == head) std::ranges::copy(turned.row(r), out.row(r).begin());
    }
    return out;
  };
  return rotary;
}

Encoding position_plus_head(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return by_head(p, [](std::span<const Position> row, std::size_t, std::size_t head, std::size_t token) {
    return row[token] + (row.size() == 1 ? static_cast<Position>(head) : 0);
  });
}

Encoding position_is_the_head(const Parameters& p) {
  return by_head(p, [](std::span<const Position>, std::size_t, std::size_t head, std::size_t) {
    return static_cast<Position>(head);
  });
}

Encoding row_of_the_untransposed_layout(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return by_head(p, [](std::span<const Position> row, std::size_t heads, std::size_t head,
                       std::size_t token) { return row[(head * row.size() + token) / heads % row.size()]; });
}

Encoding keys_left_alone(const Parameters& p) {
  Rotary rotary = right(p);
  rotary.turn = [turn = rotary.turn](const Tensor& x, std::span<const Position> positions, Role role) {
    return role == Role::key ? x : turn(x, positions, role);
  };
  return rotary;
}

Encoding keys_turn_backwards(const Parameters& p) {
  Parameters back = p;
  back.set("direction", p.word("direction") == "forward" ? "backward" : "forward");
  Rotary rotary = right(p);
  rotary.turn = [turn = rotary.turn, other = right(back).turn](
                    const Tensor& x, std::span<const Position> positions, Role role) {
    return role == Role::key ? other(x, positions, role) : turn(x, positions, role);
  };
  return rotary;
}

// ---- positions

Encoding single_token_at_zero(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    if (x.shape[2] == 1) std::ranges::fill(out, 0);
    return out;
  });
}

template <Position most>
Encoding clamped_at(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    for (Position& t : out) t = std::min(t, most);
    return out;
  });
}

template <Position length>
Encoding wrapped_at(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    for (Position& t : out) t = (t % length + length) % length;
    return out;
  });
}

Encoding positions_ignored(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    Positions out;
    for (std::size_t token = 0; token < positions.size(); ++token)
      out.push_back(static_cast<Position>(token % x.shape[2]));
    return out;
  });
}

Encoding positions_clamped(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    for (Position& t : out) t = std::min(t, static_cast<Position>(x.shape[2]) - 1);
    return out;
  });
}

Encoding positions_doubled(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    for (Position& t : out) t *= 2;
    return out;
  });
}

Encoding one_position_ahead(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    Positions out(positions.begin(), positions.end());
    for (Position& t : out) ++t;
    return out;
  });
}

Encoding decode_restarts_at_zero(const Parameters& p) {
  return at_positions(
      p, [called = std::make_shared<bool>(false)](const Tensor& x, std::span<const Position> positions) {
        Positions out(positions.begin(), positions.end());
        if (*called && x.shape[2] == 1) std::ranges::fill(out, 0);
        *called = true;
        return out;
      });
}

Encoding cache_ignores_offset(const Parameters& p) {
  return at_positions(p, [tables = std::make_shared<std::map<std::size_t, Positions>>()](
                             const Tensor&, std::span<const Position> positions) {
    return tables->try_emplace(positions.size(), positions.begin(), positions.end()).first->second;
  });
}

constexpr Precision bf16_over_fp32{unit_fp32, unit_bf16};
constexpr Precision fp32_over_fp64{unit_fp64, unit_fp32};

using namespace properties;

}  // namespace

const DefectFamily defects::rope{{
    {"positions_in_bf16", "cos(bf16(t) w_i): above 256 neighbouring positions are one",
     "candle#3520, keras-hub#1494", &positions_in_bf16, "dim=2", &rotary::composes, bf16_over_fp32},
    {"angles_in_bf16", "cos(bf16(bf16(t) w_i)): position and product in bf16", "candle#3520, keras-hub#1497",
     &angles_in_bf16, "dim=2", &score::depends_on_offset, bf16_over_fp32},
    {"frequencies_in_bf16", "cos(t bf16(w_i)): each pair turns exactly, at a speed that is off by up to 2^-9",
     "sglang-jax#1472, transformers#29496, TransformerEngine#875", &frequencies_in_bf16, "dim=4", nullptr},
    {"angle_products_in_bf16", "cos(bf16(t w_i)): the product, made in fp32, is kept in bf16",
     "transformers#29285, TransformerEngine#2240, candle#3520", &angle_products_in_bf16, "dim=2", nullptr,
     bf16_over_fp32},
    {"angles_all_in_bf16", "cos(bf16(bf16(t) bf16(w_i))): position, frequency and product in bf16",
     "transformers#29496, transformers#29285", &angles_all_in_bf16, "dim=2", nullptr, bf16_over_fp32},
    {"angle_products_in_fp16", "cos(fp16(t w_i)): the product is kept in fp16, and overflows past 65504",
     "kin of flashinfer#585, transformers#29285", &angle_products_in_fp16, "dim=2", nullptr},
    {"positions_in_fp16", "cos(fp16(t) w_i): above 2048 neighbouring positions are one",
     "kin of keras-hub#1494", &positions_in_fp16, "dim=2", nullptr},
    {"frequencies_in_fp16",
     "cos(t fp16(w_i)): each pair turns exactly, at a speed that is off by up to 2^-11",
     "kin of TransformerEngine#875", &frequencies_in_fp16, "dim=4", nullptr},
    {"angles_in_tf32", "cos(tf32(t) tf32(w_i)): the outer product of positions and frequencies runs in tf32",
     "kin of TransformerEngine#2240", &angles_in_tf32, "dim=2", nullptr},
    {"frequencies_in_fp32", "cos(t fp32(w_i)) in a subject that says fp64", "xformers@51aa071",
     &frequencies_in_fp32, "dim=4", nullptr, fp64},
    {"cos_sin_in_bf16", "bf16(cos(t w_i)), bf16(sin(t w_i)): c^2 + s^2 is not 1",
     "modded-nanogpt#39, transformers#29285, flashinfer#585", &cos_sin_in_bf16, "dim=2",
     &rotary::preserves_norm},
    // An angle that is a product in fp32 may be off by more than this; only one that is known better shows
    // it.
    {"fast_trig", "sin((1 + 1e-7) t w_i): a sine that is good near 0 only, its argument reduced in fp32",
     "imp#1316, imp#1304, mlxcel#1055", &fast_trig, "dim=2", nullptr, fp32_over_fp64},
    {"frequencies_never_initialised",
     "w_i = 0: a buffer that is allocated and never filled, no channel turns",
     "transformers#45902, SkyRL#1709, torchtune#612", &frequencies_never_initialised, "dim=2",
     &score::sees_order},
    {"base_ignored", "w_i = 10000^(-2i/d), whatever the base",
     "airllm#369, SpecForge#265, vllm#9503, TensorRT-LLM#785", &base_ignored, "dim=4 base=500000", nullptr},
    {"exponent_off_by_one", "w_i = base^(-2(i-1)/d) with i from 0: the first frequency is above 1",
     "llama-from-scratch#8, assignment1-basics#22", &exponent_off_by_one, "dim=2", nullptr},
    {"exponent_one_ahead", "w_i = base^(-2(i+1)/d) with i from 0: the first frequency is below 1",
     "kin of llama-from-scratch#8", &exponent_one_ahead, "dim=4", nullptr},
    {"exponent_halved", "w_i = base^(-i/d): the slowest pair turns too fast", "kin of llama-from-scratch#8",
     &exponent_halved, "dim=4", nullptr},
    {"exponent_doubled", "w_i = base^(-4i/d): the 2 of the exponent is taken twice",
     "kin of llama-from-scratch#8", &exponent_doubled, "dim=4", nullptr},
    {"exponent_over_pairs_minus_one", "w_i = base^(-i/(d/2 - 1)), as some sinusoidal tables have it",
     "kin of llama-from-scratch#8", &exponent_over_pairs_minus_one, "dim=4", nullptr},
    {"scaling_ignored", "w_i = base^(-2i/d), whatever `scaling` says",
     "mlxcel#1355, unsloth#6197, llama.cpp#8676, mlx-vlm#1709", &scaling_ignored, "dim=2 scaling=linear",
     nullptr},
    {"linear_scale_in_exponent", "w_i = base^(-2i/(d factor)): the first pair is not scaled at all",
     "keras-hub#1605", &linear_scale_in_exponent, "dim=4 scaling=linear", nullptr},
    {"llama3_smoothing_in_wavelength",
     "the blend of llama3 is linear in the wavelength and the other way round: it jumps at both ends",
     "mlx-examples#907, mlx-swift-examples#152", &llama3_smoothing_in_wavelength, "dim=64 scaling=llama3",
     nullptr},
    {"yarn_attention_factor_ignored", "cosine and sine are not multiplied by the attention factor",
     "vllm#46280, vllm#48351, mlx-lm#1507", &yarn_attention_factor_ignored, "dim=2 scaling=yarn", nullptr},
    {"yarn_betas_swapped", "beta_fast and beta_slow in each other's place: the ramp is reversed",
     "torchtitan#3787", &yarn_betas_swapped, "dim=64 scaling=yarn", nullptr},
    {"pairing_swapped",
     "half-split pairs (i, i + d/2) where neighbours (2i, 2i+1) were meant, or the reverse",
     "TinyLlama#24, vllm-ascend#12765, TransformerLens#365, mlx-lm#512", &pairing_swapped, "dim=4",
     &rotary::preserves_pair_norms},
    {"table_layout_against_rotate_layout",
     "a table [w0,w0,w1,w1] under half-split pairs, or [w0,w1,w0,w1] under neighbours",
     "how-to-train-your-gpt#7, bert4torch#1, ark-nlp#47", &table_layout_against_rotate_layout, "dim=4",
     &rotary::preserves_norm},
    {"rotate_layout_against_table_layout",
     "neighbours turn under a table [w0,w1,w0,w1], where halves were meant, or halves under [w0,w0,w1,w1]",
     "how-to-train-your-gpt#7, bert4torch#1, ark-nlp#47", &rotate_layout_against_table_layout, "dim=4",
     nullptr},
    {"halves_swapped", "the two components of each turned pair stand in each other's place",
     "kin of ark-nlp#47", &halves_swapped, "dim=2", nullptr},
    {"exponent_over_head_dim",
     "w_i = base^(-2i/dim) and pairs (i, i + dim/2) where rotary_width channels turn", "pie#602",
     &exponent_over_head_dim, "dim=4 rotary_width=2", &rotary::leaves_the_tail_untouched},
    {"table_padded_over_full_head",
     "the tables of rotary_width channels, filled up and used with pairs (i, i + dim/2)", "cascadia#69",
     &table_padded_over_full_head, "dim=4 rotary_width=2", &rotary::preserves_norm},
    {"partial_factor_ignored", "all channels turn, with w_i = base^(-2i/dim): the tail as well",
     "maxtext#4616, vllm#43770", &partial_factor_ignored, "dim=4 rotary_width=2",
     &rotary::leaves_the_tail_untouched},
    {"warp_shuffle_limit", "the partner of a channel is taken modulo 32, the width of a warp",
     "DeepSpeed#2448", &warp_shuffle_limit, "dim=34", &rotary::preserves_norm},
    {"inplace_aliasing",
     "x_b' = x_a' s + x_b c: the first of a pair is overwritten before the second is made", "llama.cpp#20274",
     &inplace_aliasing, "dim=2", &rotary::preserves_norm},
    {"only_batch_row_0", "with one token a row, rows of the batch after the first stay zero",
     "mlx#3494, mlx#3795, mlx-rs#359, mlx-swift#441", &only_batch_row_0, "dim=2",
     &call::treats_batch_rows_independently},
    {"positions_of_row_0", "every row of the batch is turned at the positions of the first",
     "unsloth#3795, transformers#22161, alpaca-lora#315", &positions_of_row_0, "dim=2",
     &call::treats_batch_rows_independently},
    {"position_plus_head", "with one token a row, head h is turned at t + h", "emlx#121, mlx#1340",
     &position_plus_head, "dim=2 heads=2", &call::treats_heads_alike},
    {"position_is_the_head", "head h is turned at h, wherever the token stands: the axes are mixed up",
     "xformers#841, open_lm#4, smolGPT#22, LLMs-from-scratch#411", &position_is_the_head, "dim=2",
     &score::sees_order},
    {"row_of_the_untransposed_layout", "the token's row is taken as (head n + token) / heads mod n",
     "DeepSpeed#2782", &row_of_the_untransposed_layout, "dim=2 heads=2", &call::treats_heads_alike},
    {"keys_left_alone", "queries turn and keys do not", "mesh-transformer-jax@d8c73fd", &keys_left_alone,
     "dim=2", &rotary::role_does_not_matter},
    {"keys_turn_backwards", "keys turn by -t w_i: the logit depends on the sum of the positions",
     "kin of mesh-transformer-jax@d8c73fd", &keys_turn_backwards, "dim=2", nullptr},
    {"positions_ignored", "tokens are turned at 0 .. n-1, whatever positions were given",
     "Megatron-LM#453, torchtitan#2559, nanoVLM#204", &positions_ignored, "dim=2",
     &call::takes_positions_in_any_order},
    {"positions_clamped", "tokens are turned at min(t, n-1)", "foundation-model-stack@dd6fdf7",
     &positions_clamped, "dim=2", &call::agrees_in_chunks},
    {"positions_doubled", "tokens are turned at 2t, or turned twice", "mlx-lm#1545, mlxcel#1324",
     &positions_doubled, "dim=2", nullptr},
    {"one_position_ahead", "tokens are turned at t + 1",
     "sglang#25015, vllm#54498, efficient-transformers#1250", &one_position_ahead, "dim=2",
     &rotary::is_identity_at_zero},
    {"decode_restarts_at_zero", "after the first call a single token is turned at 0",
     "mlx-vlm#1983, executorch#2010, equinox#704", &decode_restarts_at_zero, "dim=2",
     &call::agrees_in_chunks},
    {"single_token_at_zero", "a call with one token is turned at 0, whatever its position",
     "mlx-vlm#1983, executorch#2010, equinox#799", &single_token_at_zero, "dim=2", nullptr},
    {"clamped_at_2047", "positions past 2047 are turned as 2047", "kin of foundation-model-stack@dd6fdf7",
     &clamped_at<2047>, "dim=2", nullptr},
    {"clamped_at_4095", "positions past 4095 are turned as 4095", "kin of foundation-model-stack@dd6fdf7",
     &clamped_at<4095>, "dim=2", nullptr},
    {"clamped_at_8191", "positions past 8191 are turned as 8191", "kin of foundation-model-stack@dd6fdf7",
     &clamped_at<8191>, "dim=2", nullptr},
    {"wraps_at_65536", "positions are kept in 16 bits: 65536 is turned as 0", "kin of vllm#44286",
     &wrapped_at<65536>, "dim=2", nullptr},
    {"cache_ignores_offset",
     "the table is kept by its length: the first call's positions serve every later one",
     "rotary-embedding-torch#11", &cache_ignores_offset, "dim=2", &call::agrees_in_chunks},
}};

}  // namespace posproof
