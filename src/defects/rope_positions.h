#pragma once
// Tokens rotated at the position of another: for all calls alike, by the number of tokens, or by what was
// called before.
#include <algorithm>
#include <map>
#include <memory>

#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "core/defect.h"
#include "defects/operators.h"
#include "defects/rope_made.h"

namespace posproof::wrong_ropes {

inline Encoding positions_ignored(const Parameters& p) {
  return operators::positions_ignored(right(p));
}
inline Encoding positions_doubled(const Parameters& p) {
  return operators::positions_doubled(right(p));
}
inline Encoding one_position_ahead(const Parameters& p) {
  return operators::positions_ahead(right(p), 1);
}
template <Position most>
inline Encoding clamped_at(const Parameters& p) {
  return operators::positions_clamped(right(p), most);
}
template <Position length>
inline Encoding wrapped_at(const Parameters& p) {
  return operators::positions_wrapped(right(p), length);
}
inline Encoding decode_restarts_at_zero(const Parameters& p) {
  return operators::decode_restarts_at_zero(right(p));
}
inline Encoding single_token_at_zero(const Parameters& p) {
  return operators::single_token_at(right(p), [](Position) { return Position{0}; });
}
inline Encoding single_token_at_the_window(const Parameters& p) {
  return operators::single_token_at(right(p), [](Position t) { return std::min<Position>(t, 4096); });
}
inline Encoding prompt_counted_twice(const Parameters& p) {
  return operators::prompt_counted_twice(right(p));
}
inline Encoding resumed_one_behind(const Parameters& p) {
  return operators::resumed_one_behind(right(p));
}
inline Encoding chunks_restart_at_zero(const Parameters& p) {
  return operators::chunks_restart_at_zero(right(p));
}

inline Encoding positions_clamped(const Parameters& p) {
  return operators::asked_for(right(p), [](Call& call) {
    const auto last = static_cast<Position>(operators::tokens_of_a_row(call)) - 1;
    for (Position& t : call.positions.whole) t = std::min(t, last);
  });
}

// ---- rows of the batch, queries and keys

inline Encoding positions_of_row_0(const Parameters& p) {
  return operators::asked_for(right(p), [](Call& call) {
    const std::size_t n = operators::tokens_of_a_row(call);
    for (std::size_t token = n; token < call.positions.whole.size(); ++token)
      call.positions.whole[token] = call.positions.whole[token % n];
  });
}

inline Encoding later_rows_overwritten(const Parameters& p) {
  return operators::asked_for(right(p), [](Call& call) {
    const std::size_t n = operators::tokens_of_a_row(call);
    for (std::size_t token = n; token < call.positions.whole.size(); ++token)
      call.positions.whole[token] = call.positions.whole[n - 1];
  });
}

// Two tokens of a pack of 16 in each other's place, where a call fills packs.
inline Encoding packs_shuffled(const Parameters& p) {
  return operators::asked_for(right(p), [](Call& call) {
    auto& t = call.positions.whole;
    if (operators::tokens_of_a_row(call) % 16 == 0)
      for (std::size_t token = 0; token + 1 < t.size(); token += 16) std::swap(t[token], t[token + 1]);
  });
}

inline Encoding queries_from_zero(const Parameters& p) {
  return operators::where(right(p), operators::positions_ignored(right(p)),
                          [](const Call& call) { return call.role == Role::query; });
}

// ---- what is kept from one call to the next

inline Encoding cache_ignores_offset(const Parameters& p) {
  using Positions = std::map<std::size_t, std::vector<Position>>;
  return operators::asked_for(right(p), [kept = std::make_shared<Positions>()](Call& call) {
    auto& t = call.positions.whole;
    t = kept->try_emplace(t.size(), t).first->second;
  });
}

inline Encoding cache_filled_from_an_offset(const Parameters& p) {
  return operators::asked_for(right(p), [kept = std::make_shared<std::vector<Position>>()](Call& call) {
    auto& t = call.positions.whole;
    if (kept->empty())
      kept->assign(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(operators::tokens_of_a_row(call)));
    else
      for (Position& one : t)
        if (one >= 0 && one < static_cast<Position>(kept->size()))
          one = (*kept)[static_cast<std::size_t>(one)];
  });
}

inline const std::vector<Defect> positions = {
    {.name = "positions_of_row_0",
     .wrong = "every row of the batch is rotated at the positions of the first",
     .sources = "unsloth#3795, transformers#22161, transformers#43082",
     .recorded = {"rope-left-pad-shared-positions"},
     .make = &positions_of_row_0,
     .setting = "dim=2",
     .refuted_by = &properties::call::treats_batch_rows_independently},
    {.name = "packs_of_16_shuffled",
     .wrong =
         "where the number of tokens is a multiple of 16, the first two of each 16 have exchanged positions",
     .sources = "kin of llama.cpp#19296",
     .make = &packs_shuffled,
     .setting = "dim=2"},
    {.name = "positions_ignored",
     .wrong = "tokens are rotated at 0 .. n-1, whatever positions were given",
     .sources = "Megatron-LM#453, torchtitan#2559, nanoVLM#204, Megatron-LM#4977",
     .recorded = {"rope-packing-position-ids-ignored", "cp-local-length-table"},
     .make = &positions_ignored,
     .setting = "dim=2",
     .refuted_by = &properties::call::takes_positions_in_any_order},
    {.name = "positions_clamped",
     .wrong = "tokens are rotated at min(t, n-1)",
     .sources = "foundation-model-stack@dd6fdf7",
     .recorded = {"rope-positions-clamped"},
     .make = &positions_clamped,
     .setting = "dim=2",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "positions_doubled",
     .wrong = "tokens are rotated at 2t, or rotated twice",
     .sources = "mlx-lm#1545, mlxcel#1324",
     .recorded = {"internlm3-default-scale-two"},
     .make = &positions_doubled,
     .setting = "dim=2"},
    {.name = "one_position_ahead",
     .wrong = "tokens are rotated at t + 1",
     .sources = "sglang#25015, efficient-transformers#1250",
     .recorded = {"rope-speculative-position-plus-one"},
     .make = &one_position_ahead,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::is_identity_at_zero},
    {.name = "decode_restarts_at_zero",
     .wrong = "after the first call a single token is rotated at 0",
     .sources = "mlx-vlm#1983, executorch#2010",
     .recorded = {"rope-decode-position-zero"},
     .make = &decode_restarts_at_zero,
     .setting = "dim=2",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "single_token_at_zero",
     .wrong = "a call with one token is rotated at 0, whatever its position",
     .sources = "mlx-vlm#1983, executorch#2010, equinox#799",
     .recorded = {"rope-decode-position-zero"},
     .make = &single_token_at_zero,
     .setting = "dim=2"},
    {.name = "clamped_at_2047",
     .wrong = "positions past 2047 are rotated as 2047",
     .sources = "kin of foundation-model-stack@dd6fdf7",
     .make = &clamped_at<2047>,
     .setting = "dim=2"},
    {.name = "clamped_at_4095",
     .wrong = "positions past 4095 are rotated as 4095",
     .sources = "kin of foundation-model-stack@dd6fdf7",
     .make = &clamped_at<4095>,
     .setting = "dim=2"},
    {.name = "clamped_at_8191",
     .wrong = "positions past 8191 are rotated as 8191",
     .sources = "kin of foundation-model-stack@dd6fdf7",
     .make = &clamped_at<8191>,
     .setting = "dim=2"},
    {.name = "wraps_at_65536",
     .wrong = "positions are stored in 16 bits: 65536 is rotated as 0",
     .sources = "kin of vllm#44286",
     .make = &wrapped_at<65536>,
     .setting = "dim=2"},
    {.name = "cache_ignores_offset",
     .wrong = "the table is cached by its length: the first call's positions serve every later one",
     .sources = "rotary-embedding-torch#11",
     .recorded = {"rope-cache-key-omits-offset"},
     .make = &cache_ignores_offset,
     .setting = "dim=2",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "later_rows_overwritten",
     .wrong =
         "later rows of the batch get the first row's last position: an assignment without the row's index",
     .sources = "kin of ChatGLM-6B#833",
     .make = &later_rows_overwritten,
     .setting = "dim=2",
     .refuted_by = &properties::call::treats_batch_rows_independently},
    {.name = "queries_from_zero",
     .wrong = "queries are rotated at 0 .. n-1, whatever their positions; keys at their own",
     .sources = "rotary-embedding-torch@3b02ce2, rotary-embedding-torch@19fac4c, x-transformers#38",
     .recorded = {"rope-cached-query-offset"},
     .make = &queries_from_zero,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::role_does_not_matter},
    {.name = "single_token_at_the_window",
     .wrong = "a call with one token is rotated at min(t, 4096): the number of keys that a window keeps",
     .sources = "VeloxQuant-MLX#389, foundation-model-stack@810d5fa",
     .recorded = {"rope-evicted-cache-length-as-position"},
     .make = &single_token_at_the_window,
     .setting = "dim=2",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "prompt_counted_twice",
     .wrong = "after a call of n tokens a single token is rotated at t + n",
     .sources = "tiny-llm#46",
     .recorded = {"rope-offset-counts-prompt-twice"},
     .make = &prompt_counted_twice,
     .setting = "dim=2",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "resumed_one_behind",
     .wrong =
         "a call that starts past position 0 is rotated at t - 1: the cached prefix is counted one too short",
     .sources = "vllm-mlx#311",
     .recorded = {"rope-prefix-cache-off-by-one"},
     .make = &resumed_one_behind,
     .setting = "dim=2"},
    {.name = "chunks_restart_at_zero",
     .wrong = "a call of several tokens that starts past position 0 is rotated at 0 .. n-1",
     .sources = "executorch#2010",
     .recorded = {"rope-chunked-prefill-positions"},
     .make = &chunks_restart_at_zero,
     .setting = "dim=2",
     .refuted_by = &properties::call::agrees_in_chunks},
    {.name = "cache_filled_from_an_offset",
     .wrong = "the table of the first call's positions is cached as if they were 0 .. n-1",
     .sources = "rotary-embedding-torch@e2224b5",
     .recorded = {"rope-cache-filled-from-offset-call"},
     .make = &cache_filled_from_an_offset,
     .setting = "dim=2"},
};

}  // namespace posproof::wrong_ropes
