#pragma once
// What wrong rotations are made of beside the operators on calls: angles, pairs or channels of their own.
#include <algorithm>
#include <cmath>

#include "catalogue/encodings/rope.h"
#include "core/call.h"
#include "core/function.h"
#include "core/spec.h"
#include "defects/operators.h"

namespace posproof::wrong_ropes {

using operators::refuse_unless;

inline Rotary right(const Parameters& parameters) {
  return encodings::rope.make<Rotary>(parameters);
}

inline std::size_t rotating(const Rotary& rotary) {
  return 2 * rotary.pairs.size();
}

// Most wrong ladders and layouts speak of the pairs of the first channels, every one of which rotates.
inline void refuse_some_pairs(const Parameters& p) {
  refuse_unless(p.real("kept_pairs") == 0 && p.word("rotary_part") == "first",
                "said of the first channels, where all of their pairs rotate");
}

struct Angle {
  double cosine, sine;
};

inline Angle exact(long double angle) {
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

// The call's content, each pair of each token (counted over all batch rows) rotated by an angle of its own.
inline Tensor rotated(const Rotary& rotary, const Call& call,
                      const Function<Angle(std::size_t token, const Pair&)>& angle) {
  const Tensor& x = call.contents.front();
  Tensor out = x;
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (const Pair& pair : rotary.pairs) {
      const std::size_t heads = x.shape[1], n = x.shape[2];
      const auto [c, s] = angle(r / (heads * n) * n + r % n, pair);
      out.at(r, pair.first) = rotary.amplitude * (x.at(r, pair.first) * c - x.at(r, pair.second) * s);
      out.at(r, pair.second) = rotary.amplitude * (x.at(r, pair.first) * s + x.at(r, pair.second) * c);
    }
  return out;
}

// Its own rotation of one token's channels x at t: `out` comes as a copy of x.
using Token = Function<void(std::span<const double> x, std::span<double> out, Position t)>;

inline Encoding token_by_token(const Parameters& parameters, Token token) {
  Rotary rotary = right(parameters);
  refuse_unless(!rotary.in_call, "said of frequencies that are the same in every call");
  rotary.rotate = [token, pairs = rotary.pairs, amplitude = rotary.amplitude](
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
inline Encoding with_angles(const Parameters& parameters, Angle (*angle)(Position t, double frequency)) {
  return token_by_token(parameters, [pairs = right(parameters).pairs, angle](auto x, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = angle(t, pair.frequency);
      out[pair.first] = x[pair.first] * c - x[pair.second] * s;
      out[pair.second] = x[pair.first] * s + x[pair.second] * c;
    }
  });
}

// The parameters' rotate, with other pairs or frequencies under them.
inline Encoding with_pairs(const Parameters& parameters, const Function<void(Pair&)>& change) {
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
inline Encoding with_channel_angles(const Parameters& parameters,
                                    const Function<double(const Rotary&, std::size_t channel)>& frequency,
                                    const Function<std::size_t(const Rotary&, std::size_t channel)>& partner,
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
  Rotary made = as<Rotary>(token_by_token(parameters, [table](auto x, auto out, Position t) {
    for (std::size_t c = 0; c < table.size(); ++c) {
      const auto [cosine, sine] = exact(static_cast<long double>(t) * table[c].frequency);
      out[c] = x[c] * cosine + table[c].sign * x[table[c].partner] * sine;
    }
  }));
  // What is declared of a pair says how far rounding may put its channels: each now rotates at a speed of its
  // own, and the faster of the two errs most.
  for (Pair& pair : made.pairs) {
    pair.frequency = std::max(table[pair.first].frequency, table[pair.second].frequency);
    pair.index = made.pairs.size() - 1;
  }
  return made;
}

inline std::size_t right_partner(const Rotary& rotary, std::size_t c) {
  for (const Pair& pair : rotary.pairs) {
    if (pair.first == c) return pair.second;
    if (pair.second == c) return pair.first;
  }
  return c;
}

inline double right_frequency(const Rotary& rotary, std::size_t c) {
  for (const Pair& pair : rotary.pairs)
    if (pair.first == c || pair.second == c) return pair.frequency;
  return 0;
}

}  // namespace posproof::wrong_ropes
