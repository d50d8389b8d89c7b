#include "diagnosis/logit_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/function.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

// A query's row of one head: what was answered, what is declared, how far rounding may put the answer from
// it.
struct Row {
  std::vector<double> given, declared, error;  // of the keys that the query sees
};

// The declared logits are asked once: exact ones of whole sequences take long.
std::vector<Row> rows_of(const Encoding& declared, const Precision& precision,
                         const std::vector<Answered>& answered) {
  const Model right = model_of(declared, precision);
  std::vector<Row> out;
  for (const auto& [asked, call, given, near] : answered) {
    const Tensor expected = answer(declared, call);
    if (given.shape != expected.shape) return {};
    const Tensor error = right.error(call, expected, farthest(call));
    for (std::size_t r = 0; r < given.rows(); ++r) {
      Row& row = out.emplace_back();
      const Position query = call.positions.whole[r % call.positions.size()];
      for (std::size_t j = 0; j < given.width(); ++j) {
        if (is_causal(declared) && call.keys.whole[j] > query) continue;
        row.given.push_back(given.at(r, j));
        row.declared.push_back(expected.at(r, j));
        row.error.push_back(error.at(r, j));
      }
    }
  }
  return out;
}

// What is expected of a row in place of the declared, and how far rounding may put an answer from it.
struct Expected {
  std::vector<double> values, error;
};
using Rule = Function<Expected(const Row&)>;

bool is_within(const Expected& expected, const Row& row) {
  for (std::size_t j = 0; j < row.given.size(); ++j)
    if (!(std::abs(row.given[j] - expected.values[j]) <= expected.error[j])) return false;
  return true;
}

bool explains_all(const Rule& rule, const std::vector<Row>& rows) {
  return std::ranges::all_of(rows, [&](const Row& row) { return is_within(rule(row), row); });
}

Expected as_declared(const Row& row) {
  return {row.declared, row.error};
}

// Where three keys or more are seen: what a row of one key says is true of any number.
bool is_telling(const Row& row) {
  return row.given.size() >= 3 && !is_within(as_declared(row), row);
}

// ---- rules

// Both the first logit and the other are rounded, at the size of the answers.
Expected with_a_constant(const Row& row, const Precision& precision) {
  Expected out;
  if (row.given.empty()) return out;
  const double constant = row.given.front() - row.declared.front();
  for (std::size_t j = 0; j < row.given.size(); ++j) {
    out.values.push_back(row.declared[j] + constant);
    out.error.push_back(row.error[j] + row.error.front() +
                        precision.result * (std::abs(row.given[j]) + std::abs(row.given.front())));
  }
  return out;
}

// Rounding alone puts the logits of a row off on both sides, or some of them more than others.
bool are_off_by_one_constant(const Row& row) {
  const double constant = row.given.front() - row.declared.front();
  for (std::size_t j = 0; j < row.given.size(); ++j)
    if (!(std::abs(row.given[j] - row.declared[j] - constant) <= std::abs(constant))) return false;
  return true;
}

// Each logit off by at most e: a weight is off by a factor of at most exp(2 e). Its exponential, the sum of n
// of them and the quotient add 4 + n roundings; what is below the smallest number of f16 may be 0.
Expected weights(const Row& row, const Precision& precision) {
  Expected out;
  if (row.given.empty()) return out;
  const double most = std::ranges::max(row.declared), error = std::ranges::max(row.error);
  double sum = 0;
  for (const double logit : row.declared) sum += std::exp(logit - most);
  const double units = precision.work() * (4 + static_cast<double>(row.given.size())) + precision.result;
  const double relative = std::expm1(2 * error) + units;  // may be infinite: then any weight is allowed
  for (const double logit : row.declared) {
    const double weight = std::exp(logit - most) / sum;
    out.values.push_back(weight);
    out.error.push_back(relative < 1 ? weight * relative + 0x1p-24 : 1);
  }
  return out;
}

struct Factor {
  double value;
  double error;  // relative
};

// Of the logit that rounding may change least.
std::optional<Factor> factor_of(const std::vector<Row>& rows) {
  std::optional<Factor> out;
  double least = 1;
  for (const Row& row : rows)
    for (std::size_t j = 0; j < row.given.size(); ++j) {
      const double relative = row.error[j] / std::abs(row.declared[j]);
      if (!(relative < least)) continue;
      least = relative;
      out = {row.given[j] / row.declared[j], relative};
    }
  return out && out->value != 0 && std::isfinite(out->value) ? out : std::nullopt;
}

Expected multiplied(const Row& row, const Factor& factor) {
  Expected out;
  for (std::size_t j = 0; j < row.given.size(); ++j) {
    out.values.push_back(factor.value * row.declared[j]);
    out.error.push_back(std::abs(factor.value) * (row.error[j] + std::abs(row.declared[j]) * factor.error));
  }
  return out;
}

// ---- limits

// Where c tanh(x/c) is y: c grows with it.
double cap_of(double x, double y) {
  double low = std::abs(y), high = std::abs(y) * 1e6;
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (middle * std::tanh(std::abs(x) / middle) < std::abs(y) ? low : high) = middle;
  }
  return high;
}

// Of the logit that says most about it; a number that is written with few digits is meant.
std::optional<Factor> cap(const std::vector<Row>& rows) {
  std::optional<Factor> out;
  double best = 1e-2;
  for (const Row& row : rows)
    for (std::size_t j = 0; j < row.given.size(); ++j) {
      const double x = std::abs(row.declared[j]), y = row.given[j] * (row.declared[j] < 0 ? -1 : 1);
      if (!std::isfinite(x) || !(y > 0) || !(y < x)) continue;
      const double c = cap_of(x, y), share = x / c, cosh = std::cosh(share),
                   slope = std::tanh(share) - share / (cosh * cosh);
      const double relative = row.error[j] / (slope * c);
      if (!(relative < best)) continue;
      best = relative;
      out = {c, relative};
    }
  if (out) {
    const double simple = std::stod(fmt::format("{:.3g}", out->value));
    if (std::abs(simple / out->value - 1) <= 4 * out->error + 1e-12) *out = {simple, 0};
  }
  return out;
}

// The tangent's hyperbola has no slope above 1; it is rounded, and so is its argument.
Expected capped(const Row& row, const Factor& at, const Precision& precision) {
  Expected out;
  for (std::size_t j = 0; j < row.given.size(); ++j) {
    out.values.push_back(at.value * std::tanh(row.declared[j] / at.value));
    out.error.push_back(row.error[j] + (4 * precision.work() + 4 * at.error) * std::abs(row.declared[j]));
  }
  return out;
}

std::optional<double> largest_of(const std::vector<Row>& rows) {
  double most = 0;
  std::size_t count = 0;
  for (const Row& row : rows)
    for (const double logit : row.given) {
      if (!(std::abs(logit) <= most)) most = std::abs(logit), count = 0;
      count += std::abs(logit) == most ? 1 : 0;
    }
  constexpr std::size_t several = 3;
  return count >= several && std::isfinite(most) && most > 0 ? std::optional(most) : std::nullopt;
}

Expected clipped(const Row& row, double most) {
  Expected out{row.declared, row.error};
  for (double& logit : out.values) logit = std::clamp(logit, -most, most);
  return out;
}

// `sqrt(64)`, where that is what the factor is as far as it is known.
std::string named(const Factor& factor, std::size_t dim) {
  const auto is = [&](double x) { return std::abs(factor.value / x - 1) <= 2 * factor.error; };
  const auto d = static_cast<double>(dim);
  if (is(-1)) return "the declared one with the other sign";
  if (is(std::numbers::log2e)) return "log2(e) times the declared one, as a softmax of powers of 2 takes it";
  if (is(std::sqrt(d))) return fmt::format("sqrt({0}) times the declared one: not divided by sqrt({0})", dim);
  if (is(1 / std::sqrt(d))) return fmt::format("the declared one divided by sqrt({}) again", dim);
  if (is(1 / d)) return fmt::format("the declared one divided by {}", dim);
  return fmt::format("{} the declared one", times(factor.value, factor.error));
}

}  // namespace

std::optional<std::string> logit_deviation(const Encoding& declared, const Precision& precision,
                                           const std::vector<Answered>& answered) {
  const Signature& known = signature(declared);
  if (!known.has(Axis::key) || is_modulo_rows(declared)) return std::nullopt;
  const std::vector<Row> rows = rows_of(declared, precision, answered);
  constexpr std::ptrdiff_t several = 3;
  if (std::ranges::count_if(rows, is_telling) < several) return std::nullopt;
  if (explains_all([&](const Row& row) { return with_a_constant(row, precision); }, rows) &&
      std::ranges::all_of(rows,
                          [](const Row& row) { return !is_telling(row) || are_off_by_one_constant(row); }))
    return "each query's logits have a constant more or less: equal after a softmax";
  if (explains_all([&](const Row& row) { return weights(row, precision); }, rows))
    return "the answers are attention weights, a softmax of the declared logits";
  if (known.takes.empty()) return std::nullopt;  // what biases are multiplied by is measured head by head
  const auto factor = factor_of(rows);
  if (factor && explains_all([&](const Row& row) { return multiplied(row, *factor); }, rows))
    return "every logit is " + named(*factor, width_of_content(declared, 0));
  if (const auto at = cap(rows);
      at && explains_all([&](const Row& row) { return capped(row, *at, precision); }, rows)) {
    const std::string c = number(at->value, at->error);
    return fmt::format("logits are capped: {0} tanh(x/{0})", c);
  }
  if (const auto most = largest_of(rows);
      most && explains_all([&](const Row& row) { return clipped(row, *most); }, rows))
    return fmt::format("logits past {0} and -{0} count as these", number(*most, 1e-6));
  return std::nullopt;
}

}  // namespace posproof
