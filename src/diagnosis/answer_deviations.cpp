#include "diagnosis/answer_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/call.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/few_digits.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

using OfRow = Function<void(std::span<double>)>;
using OfEntry = double (*)(double);

double mean(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x;
  return sum / static_cast<double>(row.size());
}

double square(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x * x;
  return sum;
}

enum class Zeros { become_nan, stay };

void divide(std::span<double> row, double by, Zeros zeros) {
  if (by == 0 && zeros == Zeros::stay) return;
  for (double& x : row) x /= by;
}

void subtract_mean(std::span<double> row) {
  const double of = mean(row);
  for (double& x : row) x -= of;
}

Encoding with_rows(const Encoding& declared, const OfRow& change) {
  return answered_by(declared, [declared, change](const Call& call) {
    Tensor out = answer(declared, call);
    for (std::size_t r = 0; r < out.rows(); ++r) change(out.row(r));
    return out;
  });
}

Encoding with_entries(const Encoding& declared, OfEntry change) {
  return with_rows(declared, [change](std::span<double> row) {
    for (double& x : row) x = change(x);
  });
}

struct RowForm {
  std::string words;
  OfRow change;
};

// With what stands beside a norm or under a root where it is so large that it shows.
void add_normalised(const std::string& row, double epsilon, Zeros zeros, std::vector<RowForm>& to) {
  const std::string with = epsilon == 0 ? "" : fmt::format(", with an epsilon of {}", epsilon);
  const auto add = [&](std::string_view words, OfRow change) {
    to.push_back({fmt::format("{} {}{}", row, words, with), std::move(change)});
  };
  const auto root_mean_square = [=](std::span<const double> x) {
    return std::sqrt(square(x) / static_cast<double>(x.size()) + epsilon);
  };
  add("is divided by its norm",
      [=](std::span<double> x) { divide(x, std::sqrt(square(x)) + epsilon, zeros); });
  add("is divided by its root mean square",
      [=](std::span<double> x) { divide(x, root_mean_square(x), zeros); });
  add("has mean 0 and variance 1, as behind a layer norm", [=](std::span<double> x) {
    subtract_mean(x);
    divide(x, root_mean_square(x), zeros);
  });
}

void softmax(std::span<double> row) {
  double sum = 0;
  for (double& x : row) sum += x = std::exp(x);
  divide(row, sum, Zeros::become_nan);
}

std::vector<RowForm> row_forms(const std::string& row) {
  std::vector<RowForm> out = {{fmt::format("the mean of {} is subtracted from it", row), &subtract_mean}};
  out.push_back({fmt::format("a softmax is taken of {}", row), &softmax});
  for (const Zeros zeros : {Zeros::become_nan, Zeros::stay}) add_normalised(row, 0, zeros, out);
  for (const double epsilon : {1e-12, 1e-8, 1e-6, 1e-5}) add_normalised(row, epsilon, Zeros::become_nan, out);
  return out;
}

struct EntryForm {
  const char* words;
  OfEntry change;
};

constexpr EntryForm of_tables[] = {
    {"every entry x is (x + 1)/2", [](double x) { return (x + 1) / 2; }},
    {"every entry x is 1 - x", [](double x) { return 1 - x; }},
    {"entries have no sign", [](double x) { return std::abs(x); }},
    {"entries below 0 are 0", [](double x) { return std::max(x, 0.0); }},
    {"entries are rounded to whole numbers", [](double x) { return std::nearbyint(x); }},
    {"tanh stands before every entry", [](double x) { return std::tanh(x); }},
    {"every entry x is e^x", [](double x) { return std::exp(x); }},
};

constexpr EntryForm of_biases[] = {
    {"every entry b is e^b", [](double x) { return std::exp(x); }},
    {"every entry b is 1 - b", [](double x) { return 1 - x; }},
    {"tanh stands before every entry", [](double x) { return std::tanh(x); }},
};

// Whole multiples of a part of 1: what an entry of 1/2 may lose.
struct EntrySteps {
  EntryForm form;
  double unit;
};

constexpr EntrySteps entry_steps[] = {
    {{"entries are in 8 bits: whole multiples of 1/127",
      [](double x) { return std::nearbyint(127 * x) / 127; }},
     1.0 / 127},
    {{"entries are in 8 bits: whole multiples of 1/128",
      [](double x) { return std::nearbyint(128 * x) / 128; }},
     1.0 / 128},
};

// What a row of the answer is called; nothing where its entries belong to several keys.
std::string row_of(const Encoding& declared) {
  const Signature& of = signature(declared);
  if (of.gives.axes.back() != Axis::channel) return "";
  return of.takes.empty() ? "each row" : of.role ? "each rotated token" : "each answer";
}

}  // namespace

std::optional<Deviation> multiplied_answers(const Encoding& declared, const Precision& precision,
                                            const std::vector<Answered>& answered) {
  double largest = 0, factor = 1;
  for (const Answered& one : answered) {
    const Tensor expected = answer(declared, one.call);
    if (expected.shape != one.answer.shape) return std::nullopt;
    for (std::size_t n = 0; n < expected.data.size(); ++n)
      if (const double size = std::abs(expected.data[n]); size > largest && std::isfinite(size))
        largest = size, factor = one.answer.data[n] / expected.data[n];
  }
  const double known = std::min(1e-3, 8 * precision.result);  // the first of a factor in 16 bits
  if (!std::isfinite(factor) || std::abs(factor - 1) < known) return std::nullopt;
  return Deviation{{fmt::format("every entry is multiplied by {}, not by 1",
                                number(factor, std::min(1e-5, precision.result / 2)))},
                   with_rows(declared, [factor](std::span<double> row) {
                     for (double& x : row) x *= factor;
                   })};
}

std::optional<Deviation> flushed_answers(const Encoding& declared, const Precision& precision,
                                         const std::vector<Answered>& answered) {
  const Model right = model_of(declared, precision);
  double most_lost = 0, least_kept = std::numeric_limits<double>::infinity();
  std::size_t lost = 0;
  for (const Answered& one : answered) {
    const Tensor expected = answer(declared, one.call);
    if (expected.shape != one.answer.shape) return std::nullopt;
    const Tensor error = right.error(one.call, expected, farthest(one.call));
    for (std::size_t n = 0; n < expected.data.size(); ++n) {
      const double is = one.answer.data[n], ought = expected.data[n];
      if (is != 0) least_kept = std::min(least_kept, std::abs(is));
      if (std::abs(is - ought) <= error.data[n]) continue;
      if (is != 0) return std::nullopt;
      most_lost = std::max(most_lost, std::abs(ought));
      ++lost;
    }
  }
  constexpr std::size_t several = 16;
  // What is lost just above a limit, and kept just below it, was rounded.
  const double above = std::min(most_lost * (1 - 4 * precision.result), least_kept);
  if (lost < several || !(most_lost <= least_kept * (1 + 64 * (precision.result + precision.table()))) ||
      !std::isfinite(least_kept))
    return std::nullopt;
  // The number that is meant: a power of 10 or of 2 that lies between them.
  std::optional<std::pair<std::string, double>> limit;
  for (int power = -1; power >= -300 && !limit; --power)
    if (const double one = std::pow(10.0, power); above <= one && one <= least_kept)
      limit = {fmt::format("1e{}", power), one};
  for (int power = -1; power >= -1022 && !limit; --power)
    if (const double one = std::ldexp(1, power); above <= one && one <= least_kept)
      limit = {fmt::format("2^{}", power), one};
  if (!limit)
    limit = {fmt::format("some number from {} to {}", number(most_lost, 1e-3), number(least_kept, 1e-3)),
             least_kept};
  return Deviation{{fmt::format("entries whose absolute value is below {} are 0", limit->first)},
                   with_rows(declared,
                             [least = limit->second](std::span<double> row) {
                               for (double& x : row)
                                 if (std::abs(x) < least) x = 0;
                             }),
                   true};
}

std::vector<Deviation> rounded_answers(const Encoding& declared, const Precision& precision) {
  std::vector<Deviation> out;
  for (const FewDigits& one : few_digits)
    if (one.unit > precision.result)
      out.push_back({{fmt::format("answers are {}", one.words)}, with_entries(declared, one.of), true});
  for (const auto& [form, unit] : entry_steps)
    if (unit > precision.result) out.push_back({{form.words}, with_entries(declared, form.change), true});
  return out;
}

std::vector<Deviation> answer_deviations(const Encoding& declared) {
  std::vector<Deviation> out;
  if (const std::string row = row_of(declared); !row.empty())
    for (const RowForm& form : row_forms(row))
      out.push_back({{form.words}, with_rows(declared, form.change), true});
  const auto add = [&](std::span<const EntryForm> forms) {
    for (const EntryForm& form : forms)
      out.push_back({{form.words}, with_entries(declared, form.change), true});
  };
  const Signature& known = signature(declared);
  if (known.takes.empty()) known.has(Axis::key) ? add(of_biases) : add(of_tables);
  return out;
}

}  // namespace posproof
