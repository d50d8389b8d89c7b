// Of tables that are off by nine tenths of what they may be, or by three times that, in directions drawn at
// random (testing/terms.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "search/generate.h"
#include "testing/terms.h"

namespace posproof::terms_test {

using namespace checks_of_tables;

namespace {

// Where the entries of a row are off.
enum class Off {
  anywhere,   // each by what it may be by itself
  apart,      // the angle by its own rounding, or each entry by what is beside it
  frequency,  // that, and the frequency by what a power of the base may be
  stored,     // each by what storing it may put it off, at the right angle
};

const std::vector<Term> of_angle = {Term::angle_product, Term::position, Term::scaled_frequency,
                                    Term::ladder_step};
bool is_of_angle(Term term) {
  return std::ranges::count(of_angle, term) != 0;
}

// The same rows, of which nothing is declared.
Table undeclared(const ProvedTerm& setting) {
  Table table = declared(setting);
  table.pairs.clear();
  if (setting.term == Term::own) table.error = [](double, const Precision& p) { return 3 * p.result; };
  return table;
}

// -1 or 1, in each call, row and column another.
class Signs {
 public:
  double operator()(std::size_t row, std::size_t column) const {
    return mixed(call_ * 4096 + row * 4 + column) % 2 == 0 ? 1 : -1;
  }
  void next_call() { ++call_; }

 private:
  std::uint64_t call_ = 0;
};

// A table in that precision whose rows are off by that much of what they may be.
class OffBy {
 public:
  OffBy(double by, ProvedTerm setting, Off off, Precision p, const Table& right)
      : by_(by), setting_(std::move(setting)), off_(off), precision_(p), right_(right) {}

  Tensor operator()(std::span<const Position> positions, Position) const {
    const ScaledTerm as_allowed(setting_.term, 1);  // whatever the check is run with
    const RowErrors errors(right_, precision_, RowErrors::Against::itself);
    Tensor rows({positions.size(), 2});
    signs_->next_call();
    for (std::size_t r = 0; r < positions.size(); ++r) put(rows.row(r), r, positions[r], errors);
    return rows;
  }

 private:
  void put(std::span<double> row, std::size_t r, Position t, const RowErrors& errors) const {
    const auto exact = negative_examples::right(angle(r, t, errors));
    for (const std::size_t c : {0u, 1u}) row[c] = right_.amplitude * exact.at(c);
    const std::vector<double> error = of_entries(row, t, errors);
    for (const std::size_t c : {0u, 1u}) row[c] += (*signs_)(r, c) * by_ * error.at(c);
  }

  double angle(std::size_t r, Position t, const RowErrors& errors) const {
    double angle = setting_.frequency * static_cast<double>(t);
    if (off_ != Off::apart && off_ != Off::frequency) return angle;
    const FrequencyError& own = setting_.frequency_error;
    if (off_ == Off::frequency)
      angle *= 1 + by_ * (own.condition * power_error(precision_, setting_.frequency, setting_.index) +
                          own.roundings * precision_.angle);
    if (!is_of_angle(setting_.term)) return angle;
    std::array<double, 1> error{};
    errors.angles_at(t, error);
    return angle + (*signs_)(r, 2) * by_ * error[0];
  }

  std::vector<double> of_entries(std::span<const double> row, Position t, const RowErrors& errors) const {
    std::vector<double> error(2);
    if (off_ == Off::anywhere) {
      errors.at(t, row, error);
    } else if (off_ == Off::stored) {
      error.assign(2, entry_error(right_, precision_));
    } else if (!is_of_angle(setting_.term)) {
      // What the check allows is looked up 16 units further on than what was answered.
      for (const std::size_t c : {0u, 1u})
        error.at(c) = errors.beside_angle(row[c] / (1 + 16 * precision_.result));
    }
    return error;
  }

  double by_;
  ProvedTerm setting_;
  Off off_;
  Precision precision_;
  Table right_;
  std::shared_ptr<Signs> signs_ = std::make_shared<Signs>();
};

Table off_by(double by, const ProvedTerm& setting, Off off, const Precision& p, const Table& right) {
  Table table = right;
  table.rows = OffBy(by, setting, off, p, right);
  return table;
}

void expect_term_proved(std::string_view property, const ProvedTerm& setting, Off off, const Table& right) {
  expect_term_proved<RandomDraw>(property, setting, off_by(0.9, setting, off, setting.precision, right),
                                 off_by(3, setting, off, setting.precision, right));
}

constexpr Precision iterated{unit_f32, unit_f32, Precision::Angles::iterated};

// Each with a bound that is mostly the term.
const std::vector<ProvedTerm> settings = {
    {Term::library, all_f32},
    {Term::angle_product, all_f32, 1, {64, 95}},
    {Term::position, all_f16, 1.0 / 256, {4096, 4159}},
    {Term::scaled_frequency, all_f32, 1, {64, 95}, 1, 1, divided()},
    {Term::ladder_step, iterated, 0.5, {128, 191}, 1, 7},
    {Term::table, f32_of_f64},
    {Term::result, negative_examples::in_f16},
    {Term::amplitude, f32_of_f64, 0.25, {0, 7}, 0.5},
    {Term::underflow, negative_examples::in_f16, 0.25, {0, 7}, 0x1p-18},
};

struct Using {
  std::string_view property;
  Off off;
  std::vector<Term> but = {};  // terms that its bound has not
};
const std::vector<Using> on_a_ladder = {
    {"does_not_depend_on_length", Off::anywhere},
    {"is_prefix_stable", Off::anywhere},
    {"composes_translations", Off::anywhere},
    {"inverts_translation_by_transposing", Off::anywhere},
    {"has_translations_of_determinant_one", Off::anywhere},
    {"shifts_base_by_a_rotation", Off::anywhere},
    {"translates_by_a_rotation", Off::anywhere},
    {"distance_depends_on_offset", Off::apart},
    {"dot_product_depends_on_offset", Off::apart},
    // Positions that are rounded are off by more than a step.
    {"has_a_step_that_does_not_depend_on_length", Off::apart, {Term::position}},
    {"keeps_similarity_across_lengths", Off::apart},
    {"has_one_shift_for_all_lengths", Off::apart},
    {"has_constant_norm", Off::apart, of_angle},
    {"has_geometric_wavelengths", Off::frequency},
    {"keeps_pairs_on_the_unit_circle", Off::stored, of_angle},
    {"has_bounded_entries", Off::stored, of_angle},
};

const std::vector<std::string_view> without_a_ladder = {"does_not_depend_on_length",
                                                        "is_prefix_stable",
                                                        "shifts_base_by_a_rotation",
                                                        "translates_by_a_rotation",
                                                        "distance_depends_on_offset",
                                                        "dot_product_depends_on_offset",
                                                        "has_a_step_that_does_not_depend_on_length",
                                                        "keeps_similarity_across_lengths",
                                                        "has_one_shift_for_all_lengths",
                                                        "has_constant_norm"};

// What checks compute in double themselves, on rows of a format that is finer: right ones are exact, wrong
// ones off by units of double. Of equal rows in two lengths a check computes the same number twice.
constexpr Precision finest{0x1p-80, 0x1p-80}, units{0x1p-52, 0x1p-52};
const std::vector<Using> computes = {
    {"composes_translations", Off::anywhere},
    {"inverts_translation_by_transposing", Off::anywhere},
    {"has_translations_of_determinant_one", Off::anywhere},
    {"shifts_base_by_a_rotation", Off::anywhere},
    {"translates_by_a_rotation", Off::anywhere},
    {"distance_depends_on_offset", Off::apart},
    {"dot_product_depends_on_offset", Off::apart},
    {"has_constant_norm", Off::apart},
    {"has_geometric_wavelengths", Off::frequency},
    {"keeps_pairs_on_the_unit_circle", Off::stored},
};

}  // namespace

TEST(TermsOfTables, on_a_ladder_are_needed_and_no_larger) {
  for (const Using& of : on_a_ladder)
    for (const ProvedTerm& setting : settings)
      if (std::ranges::count(of.but, setting.term) == 0)
        expect_term_proved(of.property, setting, of.off, declared(setting));
}

TEST(TermsOfTables, without_a_ladder_are_needed_and_no_larger) {
  for (const std::string_view property : without_a_ladder)
    for (const ProvedTerm& setting :
         {ProvedTerm{Term::operation, all_f32}, ProvedTerm{Term::own, all_f32},
          ProvedTerm{Term::underflow, negative_examples::in_f16, 0.25, {0, 7}, 0x1p-18}})
      expect_term_proved(property, setting, Off::anywhere, undeclared(setting));
}

TEST(TermsOfTables, of_the_own_arithmetic_are_needed_and_no_larger) {
  const ProvedTerm setting{Term::ours, finest};
  for (const Using& of : computes)
    expect_term_proved<RandomDraw>(of.property, setting,
                                   off_by(0, setting, of.off, finest, declared(setting)),
                                   off_by(1, setting, of.off, units, declared(setting)));
}

}  // namespace posproof::terms_test
