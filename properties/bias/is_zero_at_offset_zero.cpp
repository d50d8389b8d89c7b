#include "entries.h"

#include "catalogue/properties/bias/is_zero_at_offset_zero.h"

namespace posproof::properties_bias_is_zero_at_offset_zero {
namespace {

using namespace biases;

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const Position i = draw.position("i", bias.positions);
  const Entries b = entries(bias, {i}, {i});
  // A slope times a distance of 0 is 0 in every format; what is summed up may round on the way to 0, within
  // the bound that such a bias brings.
  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h)
    worst = worse(worst, difference(b.data[h], 0.0,
                                    bias.error ? bias_error(p, 0, bias, h, i, i) : units_apart(p.result, 1)));
  return worst;
}

Encoding from_one() {
  return bias_of(
      1, [](std::size_t, Position i, Position j) { return -0x1p-40 * static_cast<double>(i - j + 1); });
}

template <int power>
Encoding last_head() {
  return spoiled(sloped(), [](const AnswerEntry& at, double exact) {
    return at.in_last_head() ? exact + std::exp2(power) : exact;
  });
}

Encoding first_head() {
  return spoiled(sloped(),
                 [](const AnswerEntry& at, double exact) { return at.head == 0 ? exact - 0x1p-22 : exact; });
}

Encoding far() {
  return spoiled(
      sloped(), [](const AnswerEntry& at, double exact) { return past_65536(at) ? exact + 0x1p-22 : exact; });
}

// Sums of 16 products that have to cancel: in the last head they are off by twice what that may leave.
Encoding sums() {
  Bias bias = bias_of(2, [](std::size_t h, Position, Position) { return h == 1 ? 0x1p-19 : 0x1p-21; });
  bias.error = [](std::size_t, std::span<const double>, std::span<const double>, double, const Precision& p) {
    return 16 * p.work();
  };
  return bias;
}

}  // namespace

const Property entry{
    .statement = "A token's bias on itself is 0.",
    .formula = "b(i, i) = 0",
    .source = "Press et al. 2022, ALiBi, section 3: the penalty is m times the distance",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject = {{"a slope of 2^-40 that counts distances from 1", &from_one},
                    {"a bias of the last head of 2^-22, in f32", &last_head<-22>, all_f32},
                    {"a bias of the first head of -2^-22, in f32", &first_head, all_f32},
                    {"a bias past position 65536 of 2^-22, in f32", &far, all_f32},
                    {"sums that are off by 2^-19, in f32, of a bound of 2^-20", &sums, all_f32},
                    {"a bias of the last head of 2^-6, in bf16", &last_head<-6>, in_bf16}},
};

}  // namespace posproof::properties_bias_is_zero_at_offset_zero
