#include "catalogue/identities/interleaved_rope_is_half_split_permuted.h"
#include "catalogue/encodings/rope.h"
#include "identities/sides.h"

namespace posproof::identities_interleaved_rope_is_half_split_permuted {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left,
               {"dim", "heads", "base", "rotary_dim", "rotary_part", "exponent", "kept_pairs", "direction"},
               "layout=half_split");
}

// Where the left one has the channel that the right one has at c: as their pairs are declared, or, in no
// pair of either, where it is.
std::vector<std::size_t> permutation(const Sides& sides) {
  const auto& left = as<Rotary>(sides.left);
  const auto& right = as<Rotary>(sides.right);
  std::vector<std::size_t> order(left.dim);
  // Pairs that are kept still leave the channels of the others in another order.
  const std::vector<std::size_t> from = channels_in_no_pair(left), to = channels_in_no_pair(right);
  for (std::size_t n = 0; n < from.size(); ++n) order[to[n]] = from[n];
  for (std::size_t n = 0; n < left.pairs.size(); ++n) {
    order[right.pairs[n].first] = left.pairs[n].first;
    order[right.pairs[n].second] = left.pairs[n].second;
  }
  return order;
}

Residual check(const Sides& sides, Draw& draw) {
  const std::vector<std::size_t> order = permutation(sides);
  std::vector<std::size_t> back(order.size());
  for (std::size_t c = 0; c < order.size(); ++c) back[order[c]] = c;
  const Call call = draw_call(sides.left, positions_of(sides.subject), draw);
  Call permuted = call;
  permuted.contents[0] = columns_in_order(call.contents[0], order);
  Side here = right_side(sides, permuted);
  here = {columns_in_order(here.value, back), columns_in_order(here.error, back)};
  return compared(sides, call, left_side(sides, call), here);
}

}  // namespace

const Identity entry{
    .statement =
        "Interleaved RoPE is half-split RoPE after one permutation of the channels of queries and keys.",
    .formula =
        "pi(2i) = i, pi(2i + 1) = i + r/2 on the r channels of rotary_dim: R_interleaved(t) x = pi^-1 R_half_split(t) pi x",
    .source = "Su et al. 2021, RoFormer, equation 34; Black et al. 2022, GPT-NeoX-20B",
    .left = &encodings::rope,
    .right = &encodings::rope,
    .where = {{{"layout", {"interleaved"}}, {"output_layout", {"as_taken"}}, {"scaling", {"none"}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=4 layout=interleaved",
                     &last_entry_off}},
};

}  // namespace posproof::identities_interleaved_rope_is_half_split_permuted
