#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "../negative_examples.h"
#include "checks_of_tables.h"
#include "core/term.h"

// For tests of the terms of bounds. Every term is needed, and is no larger than it has to be: a right table
// that is off by nine tenths of what it may be holds in all cases, and is refuted without the term that it
// uses most; one that is off by three times what it may be is refuted, and is so no longer with that term 16
// times as large.
namespace posproof::checks_of_tables {

inline std::string_view name(Term term) {
  return term_names.at(static_cast<std::size_t>(term));
}

// The largest error over bound of the usual number of cases. `Case` is RandomDraw (search/generate.h), which
// no header of this folder may see.
template <class Case>
double share(std::string_view property, const Table& table, const Precision& p) {
  const auto& check = check_of(named(property));
  double largest = 0;
  for (std::uint64_t n = 0; n < 300; ++n) try {
      Case draw(1, property, n);
      largest = std::max(largest, check(table, p, draw).error_over_bound());
    } catch (const Discard&) {
    }
  return largest;
}

// One pair, and in what it is formed.
struct ProvedTerm {
  Term term;  // most of the bound
  Precision precision;
  double frequency = 0.25;
  Domain positions = {0, 7};
  double amplitude = 1;
  std::size_t index = 1;
  FrequencyError frequency_error = {};
};

template <class Case>
void expect_term_proved(std::string_view property, const ProvedTerm& setting, const Table& right,
                        const Table& wrong) {
  SCOPED_TRACE(fmt::format("{} {} {}", property, name(setting.term), setting.precision.text()));
  EXPECT_LE(share<Case>(property, right, setting.precision), 1);
  EXPECT_GT(share<Case>(property, wrong, setting.precision), 1);
  {
    const ScaledTerm none(setting.term, 0);
    EXPECT_GT(share<Case>(property, right, setting.precision), 1) << "holds without the term";
  }
  const ScaledTerm much(setting.term, 16);
  EXPECT_LE(share<Case>(property, wrong, setting.precision), 1) << "is refuted with 16 times the term";
}

inline Table declared(const ProvedTerm& setting) {
  Table table =
      negative_examples::of_pairs({setting.frequency}, setting.positions, &negative_examples::right_pair);
  table.amplitude = setting.amplitude;
  table.pairs.front().index = setting.index;
  table.pairs.front().frequency_error = setting.frequency_error;
  return table;
}

constexpr Precision all_bf16{unit_bf16, unit_bf16}, all_f16{unit_f16, unit_f16};
constexpr Precision f32_of_f64{unit_f64, unit_f32};

}  // namespace posproof::checks_of_tables
