#include "entries.h"

#include "catalogue/properties/bias/is_zero_at_offset_zero.h"

namespace posproof {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision, Draw& draw) {
  const Position i = draw.position("i", bias.positions);
  const Entries b = entries(bias, {i}, {i});
  // A slope times a distance of 0 is 0 in every format.
  return difference(b.data, std::vector<double>(b.heads, 0.0), 0);
}

Encoding from_one() {
  return bias_of(
      1, [](std::size_t, Position i, Position j) { return -0x1p-40 * static_cast<double>(i - j + 1); });
}

}  // namespace

const Property properties::bias::is_zero_at_offset_zero{
    .statement = "A token's bias on itself is 0.",
    .formula = "b(i, i) = 0",
    .source = "Press et al. 2022, ALiBi, section 3: the penalty is m times the distance",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject = {{"a slope of 2^-40 that counts distances from 1", &from_one}},
};

}  // namespace posproof
