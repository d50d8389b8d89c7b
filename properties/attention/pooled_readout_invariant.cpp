#include <cmath>

#include "../bias/entries.h"
#include "attention/reference_attention.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "core/term.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_pooled_readout_invariant {
namespace {

std::vector<double> mean(const Tensor& rows) {
  std::vector<double> out(rows.width(), 0.0);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (std::size_t c = 0; c < rows.width(); ++c) out[c] += rows.at(r, c);
  for (double& value : out) value /= static_cast<double>(rows.rows());
  return out;
}

double largest(const Tensor& x) {
  double most = 0;
  for (const double value : x.data) most = std::max(most, std::abs(value));
  return most;
}

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto n = static_cast<std::size_t>(draw.integer("n", 2, 6));
  const auto order = draw.permutation("permutation", n);
  const Tensor x = draw.content("x", {n, attention.dim});

  const Mask mask = tokens::allowed(attention, mask::none(n));
  const Tensor moved = attention::reordered(x, order);
  const Tensor there = tokens::attend(attention, moved, mask), here = tokens::attend(attention, x, mask);
  // A mean is no further off than its worst row. Our own two means, of n terms in double, add n roundings
  // each.
  const double ours = term(Term::ours, static_cast<double>(n) * unit_f64 * (largest(there) + largest(here)));
  const double bound = tokens::error_of_both(attention, x, mask, moved, mask, p) + ours;
  return difference(mean(there), mean(here), bound, attention::is_identity(order) ? 0 : no_ceiling);
}

Encoding key_after_preferred(double by) {
  return biases::bias_of(1,
                         [by](std::size_t, Position i, Position j) -> double { return j == i + 1 ? by : 0; });
}

Encoding prefers_the_key_after() {
  return key_after_preferred(1e-6);
}
// It moves the mean by up to 64 units of f32, where each of two may be off by 12 and a few.
Encoding hardly_prefers_the_key_after() {
  return key_after_preferred(0x1p-16);
}

const std::vector<tokens::Wrong> wrong = {{&tokens::still_table, -15, 1},
                                          {&tokens::still_rotary, -16, -1},
                                          {&tokens::still_bias, -17, -2},
                                          {&tokens::still_contextual, -17, -2},
                                          {&tokens::still_attention, -18, -3}};

}  // namespace

const Property entry{
    .statement = "The mean of the answers of self-attention does not depend on the order of the tokens.",
    .formula = "mean_i f(P X)_i = mean_i f(X)_i",
    .source =
        "Zaheer et al. 2017, Deep Sets, section 2: an equivariant map followed by a symmetric sum is "
        "invariant",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"a bias of 1e-6 on the key after", &prefers_the_key_after},
         {"a bias of 2^-16 on the key after, in f32", &hardly_prefers_the_key_after, all_f32}},
        tokens::wrong_by(wrong, tokens::the_last), tokens::wrong_by(wrong, tokens::the_first, -1)),
};

}  // namespace posproof::properties_attention_pooled_readout_invariant
