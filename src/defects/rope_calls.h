#pragma once
// What a call has and a formula has not: rows of the batch, heads, queries and keys, many values.
#include <algorithm>

#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/defect.h"
#include "defects/operators.h"
#include "defects/rope_made.h"

namespace posproof::wrong_ropes {

// Where a row of the content x stands: [batch, heads, n].
struct Place {
  std::size_t batch, heads, head, tokens, token;
};

inline Place place(const Tensor& x, std::size_t row) {
  const std::size_t heads = x.shape[1], n = x.shape[2];
  return {row / n / heads, heads, row / n % heads, n, row % n};
}

// ---- rows of the answer that are not rotated

// Heads that are left as they are, or tokens.
inline Encoding left_alone(const Parameters& p, bool (*is_left)(const Place&)) {
  return operators::answering(right(p), [is_left](const Call& call, Tensor& out) {
    const Tensor& x = call.contents.front();
    for (std::size_t r = 0; r < x.rows(); ++r)
      if (is_left(place(x, r))) std::ranges::copy(x.row(r), out.row(r).begin());
  });
}

inline Encoding only_batch_row_0(const Parameters& p) {
  return operators::answering(right(p), [](const Call& call, Tensor& out) {
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (operators::is_one_token(call) && place(out, r).batch > 0) std::ranges::fill(out.row(r), 0.0);
  });
}

// A launch with one block for the whole batch.
inline Encoding first_batch_row_only(const Parameters& p) {
  return left_alone(p, [](const Place& at) { return at.batch > 0; });
}

inline Encoding first_head_only(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return left_alone(p, [](const Place& at) { return at.head > 0; });
}

inline Encoding last_head_left_alone(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "it would be the only head");
  return left_alone(p, [](const Place& at) { return at.head + 1 == at.heads; });
}

// Blocks of so many tokens, and no block for what is left over.
template <std::size_t block>
inline Encoding rest_of_a_block_left_alone(const Parameters& p) {
  return left_alone(
      p, [](const Place& at) { return at.tokens > block && at.token >= at.tokens / block * block; });
}

// The index of a value is kept in 16 bits, where kernels have 32: what is past the last is never written.
inline Encoding index_in_16_bits(const Parameters& p) {
  constexpr std::size_t values = 1 << 15, longest = 128;
  const Rotary rotary = right(p);
  refuse_unless(rotary.heads * rotary.dim * longest >= values,
                "the same in calls of 128 tokens with 32768 values or less: `heads` times `dim` from 256");
  return operators::answering(rotary, [](const Call& call, Tensor& out) {
    const auto& x = call.contents.front().data;
    for (std::size_t n = values; n < x.size(); ++n) out.data[n] = x[n];
  });
}

// ---- positions of heads: the rotation of each at its own

inline Encoding by_head(const Parameters& p,
                        Position (*position)(std::span<const Position> row, const Place& at)) {
  const Rotary rotary = right(p);
  return answered_by(rotary, [rotary, position](const Call& call) {
    const Tensor& x = call.contents.front();
    Tensor out = x;
    for (std::size_t head = 0; head < x.shape[1]; ++head) {
      Call own = call;
      for (std::size_t token = 0; token < own.positions.whole.size(); ++token) {
        const std::size_t n = x.shape[2];
        own.positions.whole[token] = position(
            std::span(call.positions.whole).subspan(token / n * n, n),
            {.batch = token / n, .heads = x.shape[1], .head = head, .tokens = n, .token = token % n});
      }
      const Tensor rotated = answer(rotary, own);
      for (std::size_t r = 0; r < x.rows(); ++r)
        if (place(x, r).head == head) std::ranges::copy(rotated.row(r), out.row(r).begin());
    }
    return out;
  });
}

inline Encoding position_plus_head(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return by_head(p, [](std::span<const Position> row, const Place& at) {
    return row[at.token] + (at.tokens == 1 ? static_cast<Position>(at.head) : 0);
  });
}

inline Encoding position_is_the_head(const Parameters& p) {
  return by_head(p,
                 [](std::span<const Position>, const Place& at) { return static_cast<Position>(at.head); });
}

inline Encoding row_of_the_untransposed_layout(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return by_head(p, [](std::span<const Position> row, const Place& at) {
    return row[(at.head * at.tokens + at.token) / at.heads % at.tokens];
  });
}

// ---- queries and keys

inline bool are_keys(const Call& call) {
  return call.role == Role::key;
}

inline Encoding keys_left_alone(const Parameters& p) {
  return operators::answering(right(p), [](const Call& call, Tensor& out) {
    if (are_keys(call)) out = call.contents.front();
  });
}

inline Encoding keys_rotate_backwards(const Parameters& p) {
  Parameters back = p;
  back.set("direction", p.word("direction") == "forward" ? "backward" : "forward");
  return operators::where(right(p), right(back), &are_keys);
}

inline const std::vector<Defect> calls = {
    {.name = "only_batch_row_0",
     .wrong = "with one token a row, rows of the batch after the first stay zero",
     .sources = "mlx#3494, mlx#3795, mlx-rs#359, mlx-swift#441",
     .recorded = {"rope-batch-only-row-0"},
     .make = &only_batch_row_0,
     .setting = "dim=2",
     .refuted_by = &properties::call::treats_batch_rows_independently},
    {.name = "first_batch_row_only",
     .wrong = "rows of the batch after the first are not rotated",
     .sources = "kin of mlx#3494",
     .make = &first_batch_row_only,
     .setting = "dim=2"},
    {.name = "first_head_only",
     .wrong = "heads after the first are not rotated",
     .sources = "kin of emlx#121, mlx#1340",
     .make = &first_head_only,
     .setting = "dim=2 heads=3"},
    {.name = "last_head_left_alone",
     .wrong = "the last head is not rotated: heads are shared out among devices, rounded down",
     .sources = "kin of Megatron-DeepSpeed#227",
     .make = &last_head_left_alone,
     .setting = "dim=2 heads=3"},
    {.name = "rest_of_16_tokens_left_alone",
     .wrong = "of more than 16 tokens those past the last multiple of 16 are not rotated",
     .sources = "kin of hw-native-sys/pypto-lib#910",
     .make = &rest_of_a_block_left_alone<16>,
     .setting = "dim=2"},
    {.name = "rest_of_64_tokens_left_alone",
     .wrong = "of more than 64 tokens those past the last multiple of 64 are not rotated",
     .sources = "kin of hw-native-sys/pypto-lib#910",
     .make = &rest_of_a_block_left_alone<64>,
     .setting = "dim=2"},
    {.name = "position_plus_head",
     .wrong = "with one token a row, head h is rotated at t + h",
     .sources = "emlx#121",
     .recorded = {"rope-angle-position-plus-head"},
     .make = &position_plus_head,
     .setting = "dim=2 heads=2",
     .refuted_by = &properties::call::treats_heads_alike},
    {.name = "position_is_the_head",
     .wrong = "head h is rotated at h, wherever the token stands: the axes are mixed up",
     .sources = "open_lm#4, smolGPT#22",
     .recorded = {"rope-angle-over-head-axis"},
     .make = &position_is_the_head,
     .setting = "dim=2 heads=2",
     .refuted_by = &properties::score::depends_on_order},
    {.name = "row_of_the_untransposed_layout",
     .wrong = "the token's row is computed as (head n + token) / heads mod n",
     .sources = "DeepSpeed#2782",
     .recorded = {"rope-seqid-from-untransposed-layout"},
     .make = &row_of_the_untransposed_layout,
     .setting = "dim=2 heads=2",
     .refuted_by = &properties::call::treats_heads_alike},
    {.name = "keys_left_alone",
     .wrong = "queries rotate and keys do not (in mesh-transformer-jax values did, in their place)",
     .sources = "mesh-transformer-jax@d8c73fd, kvcache-ai/sglang#66",
     .recorded = {"rope-applied-to-v-instead-of-k", "rope-rotated-k-only-in-cache"},
     .make = &keys_left_alone,
     .setting = "dim=2",
     .refuted_by = &properties::rotary::role_does_not_matter},
    {.name = "keys_rotate_backwards",
     .wrong = "keys rotate by -t w_i: the logit depends on the sum of the positions",
     .sources = "kin of mesh-transformer-jax@d8c73fd",
     .make = &keys_rotate_backwards,
     .setting = "dim=2"},
    {.name = "index_in_16_bits",
     .wrong =
         "values after the 32,768th of a call are left as they are: a 16-bit index, standing for a kernel's 32-bit one",
     .sources = "kin of Liger-Kernel#1335, vllm#52416, tinygrad#3961",
     .make = &index_in_16_bits,
     .setting = "dim=2 heads=1024"},
};

}  // namespace posproof::wrong_ropes
