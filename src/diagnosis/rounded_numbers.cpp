#include "diagnosis/rounded_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/call.h"
#include "core/formats.h"
#include "exact/numbers.h"

namespace posproof {
namespace {

using Rounding = double (*)(double);

// Whole numbers of a list count something, and stay.
std::vector<double> rounded_list(std::vector<double> list, Rounding format) {
  for (double& one : list)
    if (one != std::floor(one)) one = format(one);
  return list;
}

// The lists that other numbers stand in then.
std::vector<std::string> lists_of(const Schema& schema, const Parameters& all, Rounding format) {
  std::vector<std::string> out;
  for (const Parameter& parameter : schema)
    if (const auto* list = std::get_if<std::vector<double>>(all.find(parameter.name));
        list != nullptr && parameter.matters_where.met(all) && rounded_list(*list, format) != *list)
      out.emplace_back(parameter.name);
  return out;
}

// Those that are drawn while it answers, too.
Encoding drawn_in(Rounding format, const Encoding& made) {
  return answered_by(made, [made, format](const Call& call) {
    const exact::SeededNumbersIn kept(format);
    return answer(made, call);
  });
}

// Rows that are kept, as of a class token, are no part of the grid that a checkpoint is resized from.
std::optional<Encoding> behind_kept_rows(const Encoding& rounded, const Encoding& right, double kept) {
  const auto *grid = std::get_if<Table>(&rounded), *before = std::get_if<Table>(&right);
  if (grid == nullptr || before == nullptr) return std::nullopt;
  Table out = *grid;
  out.rows = [of_grid = grid->rows, of_kept = before->rows, kept](const Positions& positions,
                                                                  Position length) {
    Tensor rows = of_grid(positions, length);
    const Tensor first = of_kept(positions, length);
    for (std::size_t r = 0; r < rows.rows(); ++r)
      if (positions.at(r) < kept) std::ranges::copy(first.row(r), rows.row(r).begin());
    return rows;
  };
  return out;
}

}  // namespace

std::vector<RoundedNumbers> rounded_numbers(const EncodingSpec& spec, const Parameters& parameters,
                                            const Precision& precision) {
  const struct {
    const char* name;
    Rounding to;
    double unit;
  } formats[] = {{"f32", &to_f32, unit_f32}, {"f16", &to_f16, unit_f16}, {"bf16", &to_bf16, unit_bf16}};
  const Parameters all = Arguments(spec.parameters, parameters).parameters();
  std::vector<RoundedNumbers> out;
  const Encoding right = spec.oracle(all);
  for (const auto& format : formats) {
    if (format.unit <= precision.table()) continue;
    const auto add = [&](const std::string& which, const std::vector<std::string>& lists) {
      Parameters other = all;
      for (const std::string& name : lists)
        other.set(name, rounded_list(std::get<std::vector<double>>(*all.find(name)), format.to));
      out.push_back({fmt::format("{} rounded to {}", which, format.name), spec.oracle(other)});
    };
    const std::vector<std::string> lists = lists_of(spec.parameters, all, format.to);
    if (lists.size() > 1) add(fmt::format("{} are", fmt::join(lists, " and ")), lists);
    for (const std::string& one : lists) add(one + " is", {one});
    const exact::SeededNumbersIn kept(format.to);
    const bool drawn = all.find("matrix_seed") != nullptr || all.find("frequency_seed") != nullptr;
    add(drawn ? "random numbers are" : "trained numbers are", {});
    out.back().encoding = drawn_in(format.to, out.back().encoding);
    if (all.find("kept_rows") != nullptr && all.real("kept_rows") > 0)
      if (auto one = behind_kept_rows(out.back().encoding, right, all.real("kept_rows")))
        out.push_back({fmt::format("trained numbers, but those of kept rows, are rounded to {}", format.name),
                       std::move(*one)});
  }
  return out;
}

}  // namespace posproof
