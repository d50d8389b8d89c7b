#include "diagnosis/row_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/call.h"
#include "diagnosis/measured_words.h"

namespace posproof {

// As the columns of the declared rows that they are.
std::optional<Deviation> deviation_of_columns(const Table& truth, const Entries& values,
                                              const Entries& declared, const Entries& allowed) {
  const auto columns = measured_columns(values, declared, allowed);
  if (!columns) return std::nullopt;
  Deviation out{column_deviations(*columns, "column", "entry", truth.dim), truth};
  if (out.sentences.empty()) return std::nullopt;
  as<Table>(out.corrected).rows = [own = truth.rows, columns = *columns](const Positions& positions,
                                                                         Position of_length) {
    const Tensor from = own(positions, of_length);
    Tensor to(from.shape);
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c)
        to.at(r, c) = columns[c].factor == 0 ? 0 : columns[c].factor * from.at(r, columns[c].of);
    return to;
  };
  return out;
}

namespace {

// Rows of answers, what was declared there, and how far rounding may put them from it.
struct Seen {
  Entries values, declared, allowed;
};

Seen seen(const Table& truth, const Precision& precision, const std::vector<Answered>& answered) {
  constexpr std::size_t many = 200;  // rows
  Seen out;
  for (const Answered& one : answered) {
    const Tensor ought = answer(truth, one.call);
    if (one.answer.shape != ought.shape) continue;
    const Tensor error = bound(truth, one.call, ought, precision).error;
    for (std::size_t r = 0; r < ought.rows() && out.values.size() < many; ++r) {
      out.values.emplace_back(one.answer.row(r).begin(), one.answer.row(r).end());
      out.declared.emplace_back(ought.row(r).begin(), ought.row(r).end());
      out.allowed.emplace_back(error.row(r).begin(), error.row(r).end());
    }
  }
  return out;
}

bool all_alike(const std::vector<double>& row, double error) {
  return std::ranges::all_of(row, [&](double x) { return std::abs(x - row.front()) <= error; });
}

// The row that all answers are.
std::optional<std::vector<double>> one_row(const Seen& all, double unit) {
  const std::vector<double>& first = all.values.front();
  for (const auto& row : all.values)
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!(std::abs(row[c] - first[c]) <= 2 * unit * std::abs(first[c]))) return std::nullopt;
  return first;
}

// The row by which all answers are more than what was declared, from the one that is allowed least.
std::optional<std::vector<double>> added_row(const Seen& all, double unit) {
  const auto least = std::ranges::min_element(
      all.allowed, {}, [](const std::vector<double>& row) { return *std::ranges::max_element(row); });
  const auto sharpest = static_cast<std::size_t>(least - all.allowed.begin());
  std::vector<double> out;
  bool differs = false;
  for (std::size_t c = 0; c < all.values[sharpest].size(); ++c) {
    out.push_back(all.values[sharpest][c] - all.declared[sharpest][c]);
    differs = differs || std::abs(out[c]) > 8 * all.allowed[sharpest][c];
  }
  for (std::size_t r = 0; r < all.values.size() && differs; ++r)
    for (std::size_t c = 0; c < out.size(); ++c) {
      const double rounding = 2 * unit * (std::abs(all.values[r][c]) + std::abs(out[c]));
      const double error = all.allowed[r][c] + all.allowed[sharpest][c] + rounding;
      if (!(std::abs(all.values[r][c] - all.declared[r][c] - out[c]) <= error)) return std::nullopt;
    }
  return differs ? std::optional(out) : std::nullopt;
}

enum class Row { alone, added };

Encoding with_row(const Table& truth, const std::vector<double>& row, Row how) {
  return answered_by(truth, [truth, row, how](const Call& call) {
    Tensor out = answer(truth, call);
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < row.size(); ++c)
        out.at(r, c) = (how == Row::alone ? 0 : out.at(r, c)) + row[c];
    return out;
  });
}

constexpr std::size_t several = 3;  // rows, of which one could stand for all

std::optional<Deviation> by_added_row(const Table& truth, const Precision& precision, const Seen& all) {
  if (all.values.size() < several || truth.dim == 0) return std::nullopt;
  const double unit = precision.result, error = 16 * unit;
  const auto row = added_row(all, unit);
  if (!row) return std::nullopt;
  const double by = row->front();
  return Deviation{{all_alike(*row, error * (1 + std::abs(by)))
                        ? fmt::format("every entry is {} {}", number(std::abs(by), error),
                                      by > 0 ? "too large" : "too small")
                        : "a row is added to every row, the same at all positions"},
                   with_row(truth, *row, Row::added)};
}

double norm_of(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x * x;
  return std::sqrt(sum);
}

bool is_within(const std::vector<double>& row, const std::vector<double>& other, double by,
               const std::vector<double>& allowed, double error) {
  for (std::size_t c = 0; c < row.size(); ++c)
    if (!(std::abs(row[c] - by * other[c]) <= allowed[c] + error * std::abs(row[c]))) return false;
  return true;
}

// The largest norm of a row, where longer ones are scaled down to it, as an embedding's `max_norm` does.
std::optional<double> largest_norm(const Seen& all, double unit) {
  const double error = 16 * unit;
  std::optional<double> most;
  std::size_t scaled = 0;
  for (std::size_t r = 0; r < all.values.size(); ++r) {
    if (is_within(all.values[r], all.declared[r], 1, all.allowed[r], 0)) continue;
    const double is = norm_of(all.values[r]), ought = norm_of(all.declared[r]);
    if (!most) most = is;
    if (!(std::abs(is - *most) <= error * *most) || !(ought > is)) return std::nullopt;
    if (!is_within(all.values[r], all.declared[r], is / ought, all.allowed[r], error)) return std::nullopt;
    ++scaled;
  }
  if (scaled < several || !(*most > 0)) return std::nullopt;
  for (const auto& row : all.values)
    if (norm_of(row) > *most * (1 + error)) return std::nullopt;
  return most;
}

std::optional<Deviation> by_largest_norm(const Table& truth, const Precision& precision, const Seen& all) {
  const auto most = largest_norm(all, precision.result);
  if (!most) return std::nullopt;
  return Deviation{
      {fmt::format("rows of a norm above {0} are scaled down to {0}, as by an embedding's max_norm",
                   number(*most, 16 * precision.result))},
      answered_by(truth, [truth, most = *most](const Call& call) {
        Tensor out = answer(truth, call);
        for (std::size_t r = 0; r < out.rows(); ++r) {
          const double norm = norm_of(out.row(r));
          for (double& x : out.row(r)) x *= norm > most ? most / norm : 1;
        }
        return out;
      })};
}

}  // namespace

std::optional<Deviation> same_row_deviation(const Table& truth, const Precision& precision,
                                            const std::vector<Answered>& answered) {
  const Seen all = seen(truth, precision, answered);
  if (all.values.size() < several || truth.dim == 0) return std::nullopt;
  const auto row = one_row(all, precision.result);
  if (!row) return std::nullopt;
  const double error = 16 * precision.result, first = row->front();
  return Deviation{{all_alike(*row, error * std::abs(first))
                        ? fmt::format("every entry is {}, whatever the position", number(first, error))
                        : "every row is the same, whatever the position"},
                   with_row(truth, *row, Row::alone)};
}

std::vector<Deviation> row_deviations(const Table& truth, const Precision& precision,
                                      const std::vector<Answered>& answered) {
  const Seen all = seen(truth, precision, answered);
  std::vector<Deviation> out;
  if (auto one = deviation_of_columns(truth, all.values, all.declared, all.allowed))
    out.push_back(std::move(*one));
  if (auto one = by_added_row(truth, precision, all)) out.push_back(std::move(*one));
  if (auto one = by_largest_norm(truth, precision, all)) out.push_back(std::move(*one));
  return out;
}

}  // namespace posproof
