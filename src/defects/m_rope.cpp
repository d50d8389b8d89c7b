#include "catalogue/defects/m_rope.h"

#include <memory>

#include "catalogue/encodings/m_rope.h"
#include "catalogue/properties/call/is_stateless.h"
#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "defects/grids.h"

namespace posproof::defects_m_rope {
namespace {

using namespace operators;

Encoding right(const Parameters& p) {
  return encodings::m_rope.make(p);
}

// What is wrong with three ids cannot be wrong with two.
void of_three_ids(const Parameters& p) {
  refuse_unless(p.word("ids") == "thw", "said of positions with a time");
}

// Whether some pair rotates by that id, and not all do.
bool has_axis(const Parameters& p, std::size_t axis) {
  const Rotary rotary = as<Rotary>(right(p));
  return std::ranges::any_of(rotary.pairs, [axis](const Pair& pair) { return pair.axis == axis; });
}

Encoding assignment_swapped(const Parameters& p) {
  refuse_unless(p.word("assignment") != "alternating", "said of contiguous and of interleaved sections");
  Parameters other = p;
  other.set("assignment", std::string(p.word("assignment") == "contiguous" ? "interleaved" : "contiguous"));
  const Encoding swapped = right(other);
  const auto axes = [](const Encoding& one) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (const Pair& pair : as<Rotary>(one).pairs) out.emplace_back(pair.first, pair.axis);
    return out;
  };
  refuse_unless(axes(swapped) != axes(right(p)), "both give each pair the same id");
  return swapped;
}

// The seconds between two frames as a whole number: 0, so that all frames stand at the first.
Encoding frames_at_one_time(const Parameters& p) {
  of_three_ids(p);
  refuse_unless(has_axis(p, 0), "the same where no pair rotates by t");
  return at_each_place(right(p), [](std::span<Position> place) {
    if (!equal_numbers(place)) place[0] = 0;
  });
}

Encoding ids_missing(const Parameters& p) {
  of_three_ids(p);
  return asked_for(right(p), [](Call& call) {
    const std::size_t n = tokens_of_a_row(call);
    for (std::size_t k = 0; k < call.positions.whole.size(); ++k)
      call.positions.whole[k] = static_cast<Position>(k / 3 % n);
  });
}

// An image takes fewer numbers than it has tokens; without what was kept of that, a step is as far as there
// were tokens.
Encoding delta_lost(const Parameters& p) {
  return asked_for(right(p), [tokens = std::make_shared<Position>(0)](Call& call) {
    const auto n = static_cast<Position>(tokens_of_a_row(call));
    if (n == 1 && *tokens > 0) std::ranges::fill(call.positions.whole, (*tokens)++);
    if (n > 1) *tokens = n;
  });
}

// The ids of all tokens stand in three planes; a batch row reads the second one where its own tokens end.
Encoding stride_of_the_chunk(const Parameters& p) {
  of_three_ids(p);
  refuse_unless(has_axis(p, 1) || has_axis(p, 2), "the same where every pair rotates by t");
  return asked_for(right(p), [](Call& call) {
    const std::size_t n = tokens_of_a_row(call), all = call.positions.size();
    const std::vector<Position> given = call.positions.whole;
    const auto in_planes = [&](std::size_t index) { return given[index % all * 3 + index / all]; };
    for (std::size_t token = 0; token < all; ++token)
      for (std::size_t axis = 0; axis < 3; ++axis)
        call.positions.whole[3 * token + axis] = in_planes(std::min(token + axis * n, 3 * all - 1));
  });
}

Encoding tokens_counted_three_times(const Parameters& p) {
  of_three_ids(p);
  return raising(right(p), "IndexError", "out of bounds: tokens are counted from ids [3, n] as 3 n",
                 [](const Call& call) { return call.positions.size() > 0; });
}

using namespace properties;

}  // namespace

const DefectFamily entry{{
    {.name = "assignment_swapped",
     .wrong = "interleaved sections are read as contiguous, or the reverse; text is not affected",
     .sources = "alibaba/MNN#4133, mlx-vlm#576, mlx-node/mlx-node#80, vllm-project/vllm-omni#1784",
     .recorded = {"mrope-contiguous-vs-interleaved"},
     .make = &assignment_swapped,
     .setting = "dim=8 sections=[2,1,1]"},
    {.name = "frames_at_one_time",
     .wrong =
         "the time between frames is truncated to a whole number before it is scaled: t = 0 in every frame",
     .sources = "transformers#48669, transformers#45400, huggingface/lerobot#3648",
     .recorded = {"mrope-temporal-truncation"},
     .make = &frames_at_one_time,
     .setting = "dim=6 sections=[1,1,1]"},
    {.name = "ids_missing",
     .wrong = "without image ids, image tokens are counted as text: t = h = w = 0, 1, 2, ..",
     .sources = "Liger-Kernel#276",
     .recorded = {"mrope-position-ids-none-falls-back"},
     .make = &ids_missing,
     .setting = "dim=6 sections=[1,1,1]"},
    {.name = "delta_lost",
     .wrong =
         "after a prompt with an image, the next token is at the number of tokens, not after the largest id",
     .sources = "mlx-vlm#1619, mlx-vlm#1621, EricLBuehler/mistral.rs#2083, nobodywho-ooo/nobodywho#688",
     .recorded = {"mrope-delta-lost"},
     .make = &delta_lost,
     .setting = "dim=6 sections=[1,1,1]",
     .refuted_by = &call::is_stateless},
    {.name = "stride_of_the_chunk",
     .wrong =
         "ids are stored as planes of all tokens, and a part of the batch reads them with its own stride: planes mix",
     .sources = "ikawrakow/ik_llama.cpp#1907",
     .recorded = {"mrope-chunk-stride"},
     .make = &stride_of_the_chunk,
     .setting = "dim=6 sections=[1,1,1]",
     .refuted_by = &call::treats_batch_rows_independently},
    {.name = "tokens_counted_three_times",
     .wrong =
         "the number of tokens is taken from the flattened ids [3, n]: 3 n tokens are rotated, past the end",
     .sources = "sgl-project/sgl-kernel-xpu#202",
     .recorded = {"mrope-token-count-times-three"},
     .make = &tokens_counted_three_times,
     .setting = "dim=6 sections=[1,1,1]"},
}};

}  // namespace posproof::defects_m_rope
