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
  for (const auto& [asked, call, given] : answered) {
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
  if (explains_all([&](const Row& row) { return with_a_constant(row, precision); }, rows))
    return "each query's logits have a constant more or less: equal after a softmax";
  if (explains_all([&](const Row& row) { return weights(row, precision); }, rows))
    return "the answers are attention weights, a softmax of the declared logits";
  if (known.takes.empty()) return std::nullopt;  // what biases are multiplied by is measured head by head
  const auto factor = factor_of(rows);
  if (factor && explains_all([&](const Row& row) { return multiplied(row, *factor); }, rows))
    return "every logit is " + named(*factor, width_of_content(declared, 0));
  return std::nullopt;
}

}  // namespace posproof
