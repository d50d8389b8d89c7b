#include "run/agreement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attention/reference_attention.h"
#include "core/error.h"
#include "core/formats.h"
#include "core/spoiled.h"
#include "core/term.h"
#include "core/testing/axial.h"
#include "run/catalogued.h"
#include "run/sharpness.h"
#include "search/case_result.h"
#include "search/search.h"
#include "search/trial.h"

namespace posproof::agreement_test {
namespace {

using Row = std::span<const double>;

using testing_encodings::axial;

Verdict asked(const Encoding& subject, Precision precision) {
  return search(*trial(agreement(axial()), subject, precision), {.id = "test"});
}

TEST(Agreement, of_positions_on_a_grid_holds_for_the_same_rotation) {
  const Verdict verdict = asked(axial(), all_f64);
  ASSERT_TRUE(std::holds_alternative<Holds>(verdict));
  EXPECT_GT(std::get<Holds>(verdict).cases - std::get<Holds>(verdict).vacuous, 100u);
}

TEST(Agreement, of_positions_on_a_grid_refutes_axes_in_each_others_place) {
  const Verdict verdict = asked(axial(true), all_f64);
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict));
  const Case& at = std::get<Refuted>(verdict).counterexample;
  EXPECT_TRUE((at.integer("t") == 1 && at.integer("t_1") == 0) ||
              (at.integer("t") == 0 && at.integer("t_1") == 1))
      << at.text();
}

TEST(Agreement, of_positions_on_a_grid_sees_a_second_axis_that_is_off_by_little) {
  Rotary slow = as<Rotary>(axial());
  slow.rotate = [exact = slow.rotate](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = exact(x, positions, role);
    for (std::size_t r = 0; r < y.rows(); ++r) y.at(r, 3) *= 1 + 0x1p-18;
    return y;
  };
  EXPECT_TRUE(std::holds_alternative<Refuted>(asked(slow, all_f32)));
}

// A whole operator that takes a mask which hides a token from its own query for none at all.
TEST(Agreement, of_whole_operators_refutes_a_padding_mask_that_is_ignored) {
  for (const std::string id : {"rope", "none", "shaw_values"}) {
    const EncodingSpec& spec = encoding_named(id);
    const Parameters parameters = with(spec, Case::parse("dim=4"));
    const Attention right = attention::reference_attention(spec.make(parameters));
    Attention wrong = right;
    wrong.attend = [right](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
      const std::size_t last = mask.rows() - 1;
      Mask seen = mask;
      if (mask.at(last, last) == 0) std::ranges::fill(seen.data, 1);
      return right.attend(q, k, v, seen);
    };
    const Property agrees = agreement(spec.oracle(parameters));
    const Verdict of_right = search(*trial(agrees, right, all_f64), {.id = "test", .budget = {.cases = 60}}),
                  of_wrong = search(*trial(agrees, wrong, all_f64), {.id = "test", .budget = {.cases = 60}});
    EXPECT_TRUE(std::holds_alternative<Holds>(of_right)) << id;
    ASSERT_TRUE(std::holds_alternative<Refuted>(of_wrong)) << id;
    const Case& at = std::get<Refuted>(of_wrong).counterexample;
    EXPECT_EQ(at.text().find("tokens=2 mask=padding kept=1"), 0u) << at.text();
  }
}

constexpr Precision bf16{unit_f32, unit_bf16};

// The exact encoding in every kind in which it is compared, with what is added to a corner of every answer:
// so many units of the entry itself.
struct Corner {
  std::string_view id, parameters, kind;
  double in_f32, in_bf16;
};
const std::vector<Corner> corners = {
    {"sinusoidal", "dim=4", "table", 12, 3},      {"sinusoidal", "dim=4", "contextual", 48, 16},
    {"sinusoidal", "dim=4", "attention", 48, 16}, {"rope", "dim=4", "rotary", 24, 3},
    {"rope", "dim=4", "contextual", 48, 16},      {"rope", "dim=4", "attention", 12, 8},
    {"alibi", "heads=2", "bias", 64, 4},          {"alibi", "heads=2", "contextual", 64, 16},
    {"alibi", "heads=2", "attention", 48, 16},    {"none", "dim=4", "contextual", 24, 8},
    {"none", "dim=4", "attention", 12, 8},
};

Encoding truth_of(const Corner& corner) {
  const EncodingSpec& spec = encoding_named(corner.id);
  return spec.make(with(spec, Case::parse(corner.parameters)));  // as exact as matters here, and fast
}

// Long calls of logits take long: fewer cases have some, too.
const Plan plan{.id = std::string(agreement_id), .budget = {.cases = 64}};

Encoding in_kind(const Encoding& truth, std::string_view wanted) {
  for (const Encoding& same : attention::in_every_kind(truth))
    if (kind(same) == wanted) return same;
  throw std::logic_error("no such kind");
}

NegativeExample wrong(const Corner& corner, bool last, Precision p) {
  const double units = p == bf16 ? corner.in_bf16 : corner.in_f32, by = (last ? 1 : -1) * units * p.result;
  return {fmt::format("{} as {}, the {} entry off by {} units, in {}", corner.id, corner.kind,
                      last ? "last" : "first", units, p.text()),
          [=] {
            return spoiled(in_kind(truth_of(corner), corner.kind), [=](const AnswerEntry& at, double exact) {
              return (last ? at.is_last() : at.is_first()) ? exact + by * exact : exact;
            });
          },
          p};
}

TEST(Agreement, refutes_what_is_wrong_by_little_in_a_corner_of_every_kind) {
  for (const Corner& corner : corners)
    for (const bool last : {true, false})
      for (const Precision& p : {all_f32, bf16}) {
        const NegativeExample example = wrong(corner, last, p);
        const Sharpness found = sharpness(agreement(truth_of(corner)), example, plan);
        EXPECT_TRUE(found.is_sharp()) << example.wrong << ": " << found.text();
      }
}

// Off by nearly all that it may be in every entry, by turns above and below.
TEST(Agreement, holds_for_what_is_as_wrong_as_allowed_in_every_kind) {
  for (const Corner& corner : corners)
    for (const Precision& p : {all_f32, bf16}) {
      const Encoding exact = in_kind(truth_of(corner), corner.kind);
      const Encoding edge = answered_by(exact, [exact, p](const Call& call) {
        Tensor out = answer(exact, call);
        const Bound allowed = bound(exact, call, out, p);
        for (std::size_t n = 0; n < out.data.size(); ++n)
          out.data[n] += (n % 2 == 0 ? 0.98 : -0.98) * allowed.error.data[n];
        return out;
      });
      const Verdict verdict = search(*trial(agreement(truth_of(corner)), edge, p), plan);
      EXPECT_TRUE(std::holds_alternative<Holds>(verdict))
          << corner.id << " as " << corner.kind << ", " << p.text() << ": " << name(verdict);
    }
}

// Entries from a table, 2 units and the truth's own rounding to double: no more and no less.
TEST(Agreement, allows_the_bound_of_an_entry_and_the_rounding_of_the_truth) {
  Table table{.dim = 2};
  table.rows = [](const Positions& positions, Position) { return Tensor({positions.size(), 2}, {3, -5}); };
  const Call call = sequence(table, {0});
  const Tensor here({1, 2}, {3, -5});
  const auto off = [&](double first, double second) {
    return agreement_of(table, call, Tensor({1, 2}, {3 + first, -5 + second}), here, all_f32);
  };
  EXPECT_EQ(off(0.5, 0).error, 0.5);
  EXPECT_EQ(off(0.5, 0).bound, 2 * unit_f32 * 3 + unit_f64 * 3);
  EXPECT_EQ(off(0, 0.5).bound, 2 * unit_f32 * 5 + unit_f64 * 5);
  EXPECT_EQ(off(0.5, 0).ceiling, no_ceiling);
  const ScaledTerm none(Term::ours, 0);
  EXPECT_EQ(off(0.5, 0).bound, 2 * unit_f32 * 3);
}

// A bound that an encoding brings itself counts what the truth is rounded by.
TEST(Agreement, allows_logits_what_the_encoding_says) {
  Contextual logits{.dim = 1};
  logits.logits = [](const Tensor&, const Tensor&, const Positions&, const Positions&) {
    return Tensor({1, 1, 1}, {3});
  };
  logits.error = [](Row, Row, Row, Row, const Precision&) { return 0.125; };
  const Call call = sequence(logits, {0});
  EXPECT_EQ(agreement_of(logits, call, Tensor({1, 1, 1}, {3.5}), Tensor({1, 1, 1}, {3}), all_f32).bound,
            0.125);
}

// -m (i - j) may be answered as m (j + 1), whose roundings are those of an entry as large as that; no entry
// counts for more than its slope times all positions, however large it is.
TEST(Agreement, allows_shifted_rows_the_roundings_of_what_they_hold) {
  Bias bias{.heads = 2, .slopes = {0.5, 0.25}, .modulo_rows = true};
  const Call call = sequence(bias, {6, 7});
  const Tensor here({2, 2, 2}, {0, 0.5, -0.5, 0, 0, 0.25, -0.25, 0});
  const auto allowed = [&](double shift) {
    Tensor there = here;
    for (std::size_t e = 6; e < 8; ++e) there.data[e] += shift;  // of the second head's second query
    there.data[6] += 0.125;
    return agreement_of(bias, call, there, here, all_f32);
  };
  const auto expected = [&](double first, double second) {
    const auto of = [&](double exact, double answered) {
      return bias_error(all_f32, exact, bias, 1) + unit_f64 * std::abs(exact) +
             bias_rounding(all_f32, answered, 0.25);
    };
    return of(-0.25, first) + of(0, second) + unit_f64 * (0.125 + 0.25);
  };
  EXPECT_EQ(allowed(2).error, 0.125);
  EXPECT_DOUBLE_EQ(allowed(2).bound, expected(1.875, 2));
  EXPECT_DOUBLE_EQ(allowed(-2).bound, expected(2.125, 2));
  EXPECT_DOUBLE_EQ(allowed(1000).bound, expected(0.25 * (7 + 6 + 1), 0.25 * (7 + 7 + 1)));
  EXPECT_FALSE(allowed(no_ceiling).holds());
}

// MPT counts from the last token of the call: the row of a query before it holds larger numbers than the
// query's own positions.
TEST(Agreement, allows_shifted_rows_to_count_from_the_last_token_of_the_call) {
  Bias bias{.heads = 1, .slopes = {0.25}, .modulo_rows = true};
  Call call = sequence(bias, {1});
  call.keys.whole = {0, 1, 14};
  const Tensor here({1, 1, 3}, {-0.25, 0, -3.25}), there({1, 1, 3}, {-3.5, -3.25, 0});
  const double exact = bias_error(all_f32, -0.25, bias, 0) + bias_error(all_f32, 0, bias, 0);
  const Agreement found = agreement_in_full(bias, call, there, here, all_f32);
  EXPECT_DOUBLE_EQ(found.allowed.error.data[0],
                   bias_error(all_f32, -0.25, bias, 0) + unit_f64 * 0.25 + bias_rounding(all_f32, 3.5, 0.25));
  EXPECT_GT(found.compared.worst.bound, exact);
  const Tensor far({1, 1, 3}, {-1000, -1000, -1000});
  EXPECT_DOUBLE_EQ(agreement_in_full(bias, call, far, here, all_f32).allowed.error.data[1],
                   bias_error(all_f32, 0, bias, 0) + bias_rounding(all_f32, 0.25 * (14 + 1 + 1), 0.25));
  // The farthest may be a query.
  call.positions.whole = {-20};
  EXPECT_DOUBLE_EQ(agreement_in_full(bias, call, far, here, all_f32).allowed.error.data[1],
                   bias_error(all_f32, 0, bias, 0) + bias_rounding(all_f32, 0.25 * (20 + 1 + 1), 0.25));
}

// MPT makes its rows once, for the longest sequence, and keeps them: with positions that end at 1023 they
// count from there. Where nothing says that they end, as large an entry swallows what it is off by.
TEST(Agreement, allows_shifted_rows_to_count_from_where_the_positions_end) {
  const double slope = std::sqrt(0.5);
  Bias bias{.heads = 1, .slopes = {slope}, .causal = true, .modulo_rows = true};
  const auto rows_from = [&](Position last, bool ends) {
    Bias out = bias;
    out.positions = Domain(0, last);
    out.positions.ends = ends;
    out.bias = [slope, last](const Positions& queries, const Positions& keys) {
      Tensor rows({1, queries.size(), keys.size()});
      for (std::size_t r = 0; r < queries.size(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c)
          rows.at(r, c) = to_f32(to_f32(slope) * static_cast<double>(keys[c] - last));
      return rows;
    };
    return out;
  };
  const auto found = [&](const Bias& kept) {
    const Call call = sequence(bias, {0, 1});
    const Positions at = call.positions;
    return agreement_of(bias, call, kept.bias(at, at), Tensor({1, 2, 2}, {0, -slope, -slope, 0}), all_f32,
                        kept.positions);
  };
  EXPECT_TRUE(found(rows_from(1023, true)).holds());
  EXPECT_FALSE(found(rows_from(1023, false)).holds());
  // Or from where they begin, 1023 before 0.
  Bias first = rows_from(-1023, true);
  first.positions = Domain(-1023, 1);
  first.positions.ends = true;
  EXPECT_TRUE(found(first).holds());
  // No entry counts for more than the slope times all positions.
  Bias other = rows_from(1023, true);
  other.positions.hi = 10;
  EXPECT_FALSE(found(other).holds());
}

// Of entries without a slope, what is answered, however large.
TEST(Agreement, allows_shifted_rows_from_a_table_what_they_hold) {
  Bias bias{.heads = 1, .modulo_rows = true};
  const Call call = sequence(bias, {0, 1});
  const Tensor here({1, 2, 2}, {0, 0, 0, 0}), there({1, 2, 2}, {0, 0, 100.5, 100});
  const double of_both = bias_rounding(all_f32, 100.5, 0) + bias_rounding(all_f32, 100, 0);
  EXPECT_DOUBLE_EQ(agreement_of(bias, call, there, here, all_f32).bound, of_both + unit_f64 * 0.5);
}

// Whoever listens hears of every entry; each token is allowed the error of the farthest.
TEST(Agreement, tells_whoever_listens_every_entry_at_the_farthest_position) {
  std::vector<Residual> heard;
  const Encoding sines = truth_of({"sinusoidal", "dim=2", "table", 0, 0});
  const Property listening = agreement(sines, [&heard](const Residual& one) { heard.push_back(one); });
  Replay draw(Case::parse("rows=3 t=0 t1=1000 t2=5 n=2000"));
  (*trial(listening, sines, all_f32))(draw);
  ASSERT_EQ(heard.size(), 6u);
  const Table& table = as<Table>(sines);
  for (std::size_t n = 0; n < 6; ++n) {
    const double own = std::abs(table.rows(std::vector<Position>{0, 1000, 5}, 2000).data[n]);
    EXPECT_DOUBLE_EQ(heard[n].bound, sine_error(all_f32, 1000, table.pairs[0]) + unit_f64 * own) << n;
  }
  heard.clear();
  Replay alone(Case::parse("rows=3 t=0 t1=1000 t2=5 n=2000"));
  EXPECT_LT((*trial(agreement(sines), sines, all_f32))(alone).bound,
            sine_error(all_f32, 1000, table.pairs[0]));
}

TEST(Agreement, takes_a_position_before_0_for_as_far_as_it_is) {
  std::vector<Residual> heard;
  const Encoding sines =
      with_positions(truth_of({"sinusoidal", "dim=2", "table", 0, 0}), Domain(-2000, 2000));
  const Property listening = agreement(sines, [&heard](const Residual& one) { heard.push_back(one); });
  Replay draw(Case::parse("rows=2 t=-1000 t1=5 n=2000"));
  (*trial(listening, sines, all_f32))(draw);
  ASSERT_EQ(heard.size(), 4u);
  for (const Residual& one : heard)
    EXPECT_GE(one.bound, sine_error(all_f32, 1000, as<Table>(sines).pairs[0]));
}

// What xPos gives is smaller farther away, and so is what it may be off by.
TEST(Agreement, allows_no_token_less_than_its_own_error) {
  const EncodingSpec& spec = encoding_named("xpos");
  const Domain domain(0, 20000);
  const Encoding truth = with_positions(spec.oracle(with(spec, Case::parse("dim=4"))), domain);
  std::vector<double> heard;
  Call asked;
  const Encoding subject = answered_by(truth, [&](const Call& call) {
    asked = call;
    return answer(truth, call);
  });
  for (const Role role : {Role::query, Role::key}) {
    heard.clear();
    Case two = case_of(truth, domain, 0, std::vector<double>(width_of_content(truth, 0), 1.0), role);
    two.set("tokens", 2.0);
    two.set("t1", 20000.0);
    const Property listening = agreement(truth, [&](const Residual& one) { heard.push_back(one.bound); });
    run_repaired(*trial(listening, subject, all_f32), two);
    const Tensor exact = answer(truth, asked);
    const Bound own = agreement_in_full(truth, asked, exact, exact, all_f32, domain).allowed;
    ASSERT_EQ(heard.size(), own.error.data.size());
    for (std::size_t n = 0; n < heard.size(); ++n) EXPECT_GE(heard[n], own.error.data[n]) << n;
  }
}

// A subject of another kind is compared as a whole operator.
TEST(Agreement, of_another_kind_is_that_of_the_whole_operators) {
  Table zeros{.dim = 4};
  zeros.rows = [](const Positions& positions, Position) { return Tensor({positions.size(), 4}); };
  const auto rotated = [](double by) {
    return Rotary{.dim = 4, .rotate = [by](const Tensor& x, const Positions&, Role) {
                    Tensor y = x;
                    y.data.back() *= 1 + by;
                    return y;
                  }};
  };
  const auto held = [&](const Encoding& subject) {
    return std::holds_alternative<Holds>(search(*trial(agreement(zeros), subject, all_f32), {.id = "kinds"}));
  };
  EXPECT_TRUE(held(rotated(0)));
  EXPECT_FALSE(held(rotated(0x1p-10)));
  EXPECT_TRUE(held(*attention::to_logits(zeros)));
}

}  // namespace
}  // namespace posproof::agreement_test
