#pragma once
// Channels with the wrong partner, frequency or place.
#include "defects/rope_made.h"

namespace posproof::wrong_ropes {

inline Encoding pairing_swapped(const Parameters& p) {
  Rotary rotary = right(p);
  refuse_unless(rotary.pairs.size() > 1, "the layouts are the same where one pair rotates");
  Parameters other = p;
  other.set("layout", p.word("layout") == "half_split" ? "interleaved" : "half_split");
  rotary.rotate = right(other).rotate;  // declared is what was meant
  return rotary;
}

inline Encoding table_layout_against_rotate_layout(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(rotary.pairs.size() > 1, "the layouts are the same where one pair rotates");
  const bool split = p.word("layout") == "half_split";
  return with_channel_angles(
      p,
      [split](const Rotary& r, std::size_t c) {
        return r.pairs[split ? c / 2 : c % r.pairs.size()].frequency;
      },
      &right_partner, rotating(rotary));
}

inline Encoding rotate_layout_against_table_layout(const Parameters& p) {
  Parameters other = p;
  other.set("layout", p.word("layout") == "half_split" ? "interleaved" : "half_split");
  return table_layout_against_rotate_layout(other);
}

inline Encoding halves_swapped(const Parameters& p) {
  const Rotary rotary = right(p);
  return token_by_token(p, [pairs = rotary.pairs](auto x, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = exact(static_cast<long double>(t) * pair.frequency);
      out[pair.second] = x[pair.first] * c - x[pair.second] * s;
      out[pair.first] = x[pair.first] * s + x[pair.second] * c;
    }
  });
}

inline Encoding exponent_over_head_dim(const Parameters& p) {
  const Rotary rotary = right(p);
  const bool one = rotary.pairs.size() == 1 && p.word("layout") == "interleaved";
  refuse_unless(rotating(rotary) < rotary.dim && p.word("exponent") == "rotary_dim" && !one,
                "the same where all channels rotate, or the exponent is over `dim` by right");
  Parameters whole = p;
  whole.set("rotary_dim", 0.0);
  whole.set("dim", static_cast<double>(rotary.dim / 2 * 2));
  const std::vector<Pair> pairs = right(whole).pairs;
  return with_pairs(p, [pairs](Pair& pair) { pair = pairs[pair.index]; });
}

inline Encoding table_padded_over_full_head(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(rotating(rotary) < rotary.dim && rotary.dim % 2 == 0 && p.word("layout") == "half_split",
                "the same where all channels rotate, or the pairs are neighbours");
  return with_channel_angles(
      p, &right_frequency, [](const Rotary& r, std::size_t c) { return (c + r.dim / 2) % r.dim; },
      rotary.dim);
}

inline Encoding partial_factor_ignored(const Parameters& p) {
  Rotary rotary = right(p);
  refuse_unless(rotating(rotary) < rotary.dim && rotary.dim % 2 == 0, "the same where all channels rotate");
  Parameters whole = p;
  whole.set("rotary_dim", 0.0);
  rotary.rotate = right(whole).rotate;
  return rotary;
}

inline Encoding warp_shuffle_limit(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(rotating(rotary) > 32 && p.word("layout") == "half_split", "the same up to 32 channels");
  return with_channel_angles(
      p, &right_frequency, [](const Rotary& r, std::size_t c) { return right_partner(r, c) % 32; },
      rotating(rotary));
}

inline Encoding inplace_aliasing(const Parameters& p) {
  return token_by_token(p, [pairs = right(p).pairs](auto, auto out, Position t) {
    for (const Pair& pair : pairs) {
      const auto [c, s] = exact(static_cast<long double>(t) * pair.frequency);
      out[pair.first] = out[pair.first] * c - out[pair.second] * s;
      out[pair.second] = out[pair.first] * s + out[pair.second] * c;
    }
  });
}

}  // namespace posproof::wrong_ropes
