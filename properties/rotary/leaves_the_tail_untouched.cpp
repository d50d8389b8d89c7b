#include "tokens.h"

#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"

namespace posproof::properties_rotary_leaves_the_tail_untouched {
namespace {

using namespace rotations;

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const std::vector<std::size_t> tail = channels_in_no_pair(rotary);
  if (tail.empty()) throw Inapplicable{"every channel rotates"};

  const Tokens token = drawn_tokens(rotary, draw);
  const Tensor y = rotated(rotary, token.x, token.positions, drawn_role(draw));
  // Every format holds the contents exactly, and nothing is computed: the values are the same, not close.
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < y.rows(); ++r)
    for (const std::size_t c : tail)
      worst = worse(worst, difference(y.at(r, c), token.x.at(r, c), units_apart(p.result, token.x.at(r, c))));
  return worst;
}

// Four channels of which the first two rotate; `tail` is what channels 2 and 3 are multiplied with.
Encoding tail_times(const Factor& tail) {
  Rotary rotary = multiplied_by(4, 2, neighbours(), [tail](const Pair& pair, const Rotated& token) {
    return pair.index == 0 ? rotation(pair, token.t) : tail(pair, token);
  });
  rotary.pairs.pop_back();
  return rotary;
}

// Three channels in no pair: the last ones, or the first.
Encoding of_three() {
  return exact({}, {{0, 1, 1.0, 0}}, 5);
}
Encoding first_in_no_pair() {
  return exact({}, {{3, 4, 1.0, 0}}, 5);
}
bool is_first_of_tail(const AnswerEntry& at) {
  return at.channel == 2;
}

Encoding padded_table() {
  return tail_times([](const Pair&, const Rotated& token) { return rotation({2, 3, 1e-9}, token.t); });
}

Encoding scaled_tail() {
  return tail_times([](const Pair&, const Rotated&) { return std::complex<long double>(1 + 0x1p-52L); });
}

}  // namespace

const Property entry{
    .statement = "Channels that do not rotate pass through bit for bit.",
    .formula = "(R_t x)_c = x_c for every channel c in no pair",
    .source =
        "Black et al. 2022, GPT-NeoX-20B, section 2.1: rotary embeddings on the first 25 % of the channels",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject = {{"a tail that rotates by 1e-9 radians a position", &padded_table},
                    {"a tail that is multiplied by 1 + 2^-52", &scaled_tail},
                    off("the first channels of the tail", &of_three, -0x1p-23, &is_first_of_tail),
                    off("rotated keys", &with_tail, 0x1p-23, &of_key),
                    off("rotated queries", &with_tail, -0x1p-23, &of_query),
                    off("tokens past position 65536", &of_three, 0x1p-23, &past_65536),
                    off("the last entries of all answers", &of_three, 0x1p-23, &is_last),
                    off("the last entries of all answers", &of_three, -0x1p-7, &is_last, in_bf16),
                    off("the first entries of all tails", &first_in_no_pair, 0x1p-23, &is_first),
                    off("the first entries of all tails", &first_in_no_pair, -0x1p-7, &is_first, in_bf16)},
};

}  // namespace posproof::properties_rotary_leaves_the_tail_untouched
