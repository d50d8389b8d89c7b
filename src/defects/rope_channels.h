#pragma once
// Channels with the wrong partner, frequency or place.
#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "core/defect.h"
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
  refuse_some_pairs(p);
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
  refuse_some_pairs(p);
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
  refuse_some_pairs(p);
  const Rotary rotary = right(p);
  refuse_unless(rotating(rotary) < rotary.dim && rotary.dim % 2 == 0 && p.word("layout") == "half_split",
                "the same where all channels rotate, or the pairs are neighbours");
  return with_channel_angles(
      p, &right_frequency, [](const Rotary& r, std::size_t c) { return (c + r.dim / 2) % r.dim; },
      rotary.dim);
}

inline Encoding partial_factor_ignored(const Parameters& p) {
  refuse_some_pairs(p);
  Rotary rotary = right(p);
  refuse_unless(rotating(rotary) < rotary.dim && rotary.dim % 2 == 0, "the same where all channels rotate");
  Parameters whole = p;
  whole.set("rotary_dim", 0.0);
  rotary.rotate = right(whole).rotate;
  return rotary;
}

inline Encoding warp_shuffle_limit(const Parameters& p) {
  refuse_some_pairs(p);
  const Rotary rotary = right(p);
  refuse_unless(rotating(rotary) > 32 && p.word("layout") == "half_split", "the same up to 32 channels");
  return with_channel_angles(
      p, &right_frequency, [](const Rotary& r, std::size_t c) { return right_partner(r, c) % 32; },
      rotating(rotary));
}

// A table of `dim` columns against a slice of `rotary_dim` channels: shapes that do not broadcast.
inline Encoding table_wider_than_the_slice(const Parameters& p) {
  refuse_some_pairs(p);
  const Rotary rotary = right(p);
  refuse_unless(rotating(rotary) < rotary.dim, "the same where all channels rotate");
  return operators::raising(rotary, "raises a RuntimeError",
                            "the size of x must match the size of the table at dimension 3",
                            [](const Call&) { return true; });
}

// Of p-RoPE, whose pairs span the whole head: the first channels alone, as where a part of the head rotates.
inline Encoding proportional_part_first(const Parameters& p) {
  const Rotary rotary = right(p);
  refuse_unless(
      p.integer("kept_pairs") > 0 && rotating(rotary) < rotary.dim && p.word("layout") == "half_split",
      "the same unless some pairs of half-split channels are kept and others not: `kept_pairs`");
  Parameters other = p;
  other.set("kept_pairs", 0.0);
  other.set("rotary_dim", static_cast<double>(rotating(rotary)));
  const std::vector<Pair> pairs = right(other).pairs;
  return with_pairs(p, [pairs](Pair& pair) {
    pair.first = pairs[pair.index].first;
    pair.second = pairs[pair.index].second;
  });
}

// The rows of the keys' weights are put in the order of half-split pairs in blocks of half a head: the number
// of heads is the queries', of which there are twice as many.
inline Encoding converted_with_query_heads(const Parameters& p) {
  refuse_some_pairs(p);
  const Rotary rotary = right(p);
  refuse_unless(rotating(rotary) % 4 == 0 && rotating(rotary) > 4 && p.word("layout") == "interleaved",
                "nothing is converted unless `layout=interleaved`, or no two blocks of two pairs are");
  const std::size_t half = rotary.pairs.size();
  return operators::where(rotary,
                          with_pairs(p,
                                     [half](Pair& pair) {
                                       const std::size_t i = pair.index, q = half / 2;
                                       pair.first = i < q ? 2 * i : 2 * (i - q) + 1;
                                       pair.second = half + pair.first;
                                     }),
                          [](const Call& call) { return call.role == Role::key; });
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

inline const std::vector<Defect> channels = {
    {.name = "pairing_swapped",
     .wrong = "half-split pairs (i, i + d/2) where neighbours (2i, 2i+1) were meant, or the reverse",
     .sources = "vllm-ascend#12765, TransformerLens#365, mlx-lm#512",
     .recorded = {"rope-pairing-mismatch"},
     .make = &pairing_swapped,
     .setting = "dim=4",
     .refuted_by = &properties::rotary::preserves_pair_norms},
    {.name = "table_layout_against_rotate_layout",
     .wrong = "a table [w0,w0,w1,w1] under half-split pairs, or [w0,w1,w0,w1] under neighbours",
     .sources = "how-to-train-your-gpt#7, ark-nlp#47",
     .recorded = {"rope-table-layout-vs-rotate-layout"},
     .make = &table_layout_against_rotate_layout,
     .setting = "dim=4",
     .refuted_by = &properties::rotary::preserves_norm},
    {.name = "rotate_layout_against_table_layout",
     .wrong =
         "neighbours rotate under a table [w0,w1,w0,w1], where halves were meant, or halves under [w0,w0,w1,w1]",
     .sources = "how-to-train-your-gpt#7, ark-nlp#47",
     .recorded = {"rope-table-layout-vs-rotate-layout"},
     .make = &rotate_layout_against_table_layout,
     .setting = "dim=4"},
    {.name = "halves_swapped",
     .wrong = "the two components of each rotated pair are exchanged",
     .sources = "kin of ark-nlp#47",
     .make = &halves_swapped,
     .setting = "dim=2"},
    {.name = "exponent_over_head_dim",
     .wrong = "w_i = base^(-2i/dim) and pairs (i, i + dim/2) where rotary_dim channels rotate",
     .sources = "pie#602",
     .recorded = {"rope-partial-exponent-over-head-dim"},
     .make = &exponent_over_head_dim,
     .setting = "dim=4 rotary_dim=2",
     .refuted_by = &properties::rotary::leaves_the_tail_untouched},
    {.name = "table_padded_over_full_head",
     .wrong = "the tables of rotary_dim channels are padded to the head and used with pairs (i, i + dim/2)",
     .sources = "kin of cascadia#69",
     .make = &table_padded_over_full_head,
     .setting = "dim=4 rotary_dim=2",
     .refuted_by = &properties::rotary::preserves_norm},
    {.name = "partial_factor_ignored",
     .wrong = "all channels rotate, with w_i = base^(-2i/dim): the tail as well",
     .sources = "maxtext#4616, vllm#43770, llama.cpp#4889",
     .recorded = {"rope-partial-factor-ignored", "kshift-wrong-rotary-width"},
     .make = &partial_factor_ignored,
     .setting = "dim=4 rotary_dim=2",
     .refuted_by = &properties::rotary::leaves_the_tail_untouched},
    {.name = "warp_shuffle_limit",
     .wrong = "the partner of a channel is taken modulo 32, the width of a warp",
     .sources = "DeepSpeed#2448",
     .recorded = {"rope-half-split-warp-shuffle-limit"},
     .make = &warp_shuffle_limit,
     .setting = "dim=34",
     .refuted_by = &properties::rotary::preserves_norm},
    {.name = "inplace_aliasing",
     .wrong = "x_b' = x_a' s + x_b c: the first of a pair is overwritten before the second is made",
     .sources = "llama.cpp#20274",
     .recorded = {"rope-inplace-aliasing"},
     .make = &inplace_aliasing,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::preserves_norm},
    {.name = "table_wider_than_the_slice",
     .wrong = "a table of dim columns for the rotary_dim channels that rotate: shapes that do not broadcast",
     .sources = "transformers#48652, onnxruntime-genai#244",
     .recorded = {"rope-partial-table-full-width"},
     .make = &table_wider_than_the_slice,
     .setting = "dim=4 rotary_dim=2"},
    {.name = "proportional_part_first",
     .wrong =
         "the pairs (i, i + k) of the first 2k channels, where the first k pairs (i, i + dim/2) of the head rotate",
     .sources = "apple/coreai-models#66, NVIDIA-NeMo/Megatron-Bridge#4195",
     .recorded = {"rope-partial-proportional-mispaired"},
     .make = &proportional_part_first,
     .setting = "dim=8 kept_pairs=2",
     .refuted_by = &properties::rotary::leaves_the_tail_untouched},
    {.name = "converted_with_query_heads",
     .wrong =
         "the key weights are permuted to half-split order in blocks of dim/2: with half as many key heads, the number of query heads was used",
     .sources = "transformers#31788",
     .recorded = {"rope-gqa-permute-with-query-heads"},
     .make = &converted_with_query_heads,
     .setting = "dim=8 layout=interleaved",
     .refuted_by = &properties::rotary::role_does_not_matter},
};

}  // namespace posproof::wrong_ropes
