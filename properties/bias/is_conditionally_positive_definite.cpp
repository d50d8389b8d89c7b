#include "entries.h"

#include <fmt/format.h>

#include <cmath>

#include "catalogue/properties/bias/is_conditionally_positive_definite.h"

namespace posproof::properties_bias_is_conditionally_positive_definite {
namespace {

using namespace biases;

// Positions in equal steps, and whole numbers of sum 0 for them. Where their first moment is 0, too, as that
// of second differences, a parabola gives just 0, and what falls faster gives less.
struct Points {
  std::vector<Position> at;
  std::vector<double> weights;
};

Points drawn_points(const Domain& domain, Draw& draw) {
  const Position n = draw.integer("n", 3, 5);
  const Position step = draw.position("step", domain, 1, (domain.hi - domain.lo) / (n - 1));
  const Position first = draw.position("i", domain, domain.lo, domain.hi - step * (n - 1));
  const bool balanced =
      std::get<std::string>(draw.one_of(
          "weights", {Value(std::string("balanced")), Value(std::string("of_sum_0"))})) == "balanced";
  Points points;
  for (Position k = 0; k < n; ++k) points.at.push_back(first + k * step);
  double sum = 0, moment = 0;
  const Position drawn = n - (balanced ? 2 : 1);
  for (Position k = 0; k < drawn; ++k) {
    const auto c = static_cast<double>(draw.integer(fmt::format("c{}", k), -3, 3));
    points.weights.push_back(c);
    sum += c, moment += static_cast<double>(k) * c;
  }
  if (balanced) {
    const double last = static_cast<double>(drawn) * sum - moment;
    points.weights.push_back(-sum - last);
    sum = -last;
  }
  points.weights.push_back(-sum);
  return points;
}

Residual check(const Bias& bias, Precision p, Draw& draw) {
  const Domain& domain = bias.positions;
  if (domain.hi - domain.lo < 4) throw Inapplicable{"it has fewer than five positions"};
  const Points points = drawn_points(domain, draw);
  const std::vector<Position>& at = points.at;
  const std::vector<double>& c = points.weights;
  if (std::ranges::all_of(c, [](double weight) { return weight == 0; })) throw Discard{};
  const std::size_t n = at.size();
  const Entries b = entries(bias, at, at);

  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < b.heads; ++h) {
    // Of a causal bias only the keys up to the query mean anything: an entry counts for both orders, and
    // relative to the query's own, since what a row has in common does not matter. Else such constants
    // cancel, as the weights of the keys sum to 0.
    double form = 0, bound = 0, size = 0;
    const auto add = [&](double weight, std::size_t i, std::size_t j) {
      const double entry = b.at(h, i, j);
      form += weight * entry;
      size += std::abs(weight * entry);
      bound += std::abs(weight) * bias_rounding(p, entry, bias, h, at[i], at[j]);
    };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (!bias.causal) add(c[i] * c[j], i, j);
        if (bias.causal && j < i) add(2 * c[i] * c[j], i, j), add(-2 * c[i] * c[j], i, i);
      }
    if (!std::isfinite(form)) return holds_if(false);
    // Ours: two products and a sum for each of up to 2 n^2 terms.
    bound += term(Term::ours, 4 * static_cast<double>(n * n) * unit_f64 * size);
    worst = worse(worst, excess(-form, 0, bound));
  }
  return worst;
}

// -D^r, conditionally positive definite up to r = 2, where equal steps with the weights 1, -2, 1 give just 0.
Bias power(double exponent) {
  return bias_of(2, [exponent](std::size_t h, Position i, Position j) {
    return -std::pow(static_cast<double>(std::abs(i - j)), exponent) / static_cast<double>(h + 1);
  });
}
Encoding squared() {
  return power(2);
}
Encoding more_than_squared() {
  return power(2 + 0x1p-18);
}
Encoding cubed() {
  return power(3);
}
// The same, of which only the keys up to the query mean anything.
Encoding squared_and_causal() {
  Bias bias = power(2);
  bias.causal = true;
  return bias;
}

// Rows of the key's index, which the softmax takes for distances; in the last head it favours the far.
Encoding far_keys_favoured() {
  Bias bias = bias_of(2, [](std::size_t h, Position, Position j) {
    return (h == 0 ? 0.5 : -0x1p-10) * static_cast<double>(j);
  });
  bias.causal = true;
  return bias;
}

bool is_of_first_query_and_last_key(const AnswerEntry& at) {
  return at.token == 0 && at.of_last_key();
}
bool is_of_last_query_and_first_key(const AnswerEntry& at) {
  return at.of_last_token() && at.key == 0;
}
bool is_there_past_65536(const AnswerEntry& at) {
  return is_of_last_query_and_first_key(at) && past_65536(at);
}
bool is_there_in_last_head(const AnswerEntry& at) {
  return is_of_last_query_and_first_key(at) && at.in_last_head();
}

}  // namespace

const Property entry{
    .statement =
        "As a kernel of two positions, the bias is conditionally positive definite: summed over all pairs of "
        "positions with weights that add up to 0, it is not negative. Of a causal bias the entry of an earlier key, "
        "less the query's own, counts for both orders.",
    .formula = "sum_i c_i = 0  =>  sum_ij c_i c_j b(i, j) >= 0",
    .source = "Chi et al. 2022, KERPLE, section 3; Schoenberg 1938",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject = {{"a bias of -D^(2 + 2^-18), in f32", &more_than_squared, all_f32},
                    {"a bias of -D^3", &cubed},
                    {"a last head that rises by 2^-10 with every position of distance", &far_keys_favoured},
                    off("entries of the first query and the last key", &squared, 0x1p-19,
                        &is_of_first_query_and_last_key),
                    off("entries of the last query and the first key", &squared, 0x1p-19,
                        &is_of_last_query_and_first_key),
                    off("such entries past position 65536", &squared, 0x1p-19, &is_there_past_65536),
                    off("such entries of the last head", &squared, 0x1p-19, &is_there_in_last_head),
                    off("such entries of a causal bias", &squared_and_causal, 0x1p-19,
                        &is_of_last_query_and_first_key),
                    off("entries of the first query and the last key", &squared, 0x1p-3,
                        &is_of_first_query_and_last_key, in_bf16),
                    off("such entries of a causal bias", &squared_and_causal, 0x1p-3,
                        &is_of_last_query_and_first_key, in_bf16)},
};

}  // namespace posproof::properties_bias_is_conditionally_positive_definite
