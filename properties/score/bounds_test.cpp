// What the statements about logits allow is all of it needed, and no more than that: for each term of each
// bound, and for each kind of encoding, an answer that is off by almost what is allowed is refuted once the
// term is left out, and one that is off by a little more is refuted no longer once it is 16 times as large.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../rotary/computed.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "core/function.h"
#include "logits.h"
#include "search/testing/largest_share.h"
#include "search/trial.h"

namespace posproof::score_bounds_test {
namespace {

using namespace logits;
using namespace properties::score;
using enum Term;

// What is allowed in production, whatever is scaled now.
double unscaled(const Function<double()>& value) {
  const auto scales = terms::scales.of;
  terms::scales.of = terms::Scales{}.of;
  ++terms::scales.changes;
  const double out = value();
  terms::scales.of = scales;
  ++terms::scales.changes;
  return out;
}

constexpr Precision in_f16{unit_f32, unit_f16};
Precision with_table_in_bf16() {
  Precision p = in_bf16;
  p.declared_table = unit_bf16;
  return p;
}
const Precision table_in_bf16 = with_table_in_bf16();
constexpr Precision iterated{unit_f32, unit_f32, Precision::Angles::iterated};

// Which of two logits is too large and which too small: by the position of the token, where the offset is
// the same; by the call, where it is the same query and another key, the far one first.
using Sign = Function<int(Position t, std::size_t call)>;
int up_further_on(Position t, std::size_t) {
  return t >= 16384 ? 1 : -1;
}
int up_in_the_first_of_two(Position, std::size_t call) {
  return call % 2 == 0 ? 1 : -1;
}
int up_in_two_of_four(Position, std::size_t call) {
  return call % 4 < 2 ? 1 : -1;
}

std::shared_ptr<std::size_t> no_calls() {
  return std::make_shared<std::size_t>(0);
}

// A table of that one entry.
Encoding off_table(double share, const Precision& p, double entry, const Sign& sign) {
  Table table{.dim = 1};
  table.rows = [=, calls = no_calls()](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const double off = unscaled([&] { return row_error(Table{.dim = 1}, p, 0, std::vector{entry})[0]; });
      rows.data[r] = entry + sign(positions[r], *calls) * share * off;
    }
    ++*calls;
    return rows;
  };
  return table;
}
// A bias of that one entry, or of that slope.
Encoding off_bias(double share, const Precision& p, double entry, double slope, const Sign& sign,
                  bool declared) {
  Bias bias{.heads = 1, .slopes = slope == 0 ? std::vector<double>{} : std::vector{slope}};
  bias.bias = [=, calls = no_calls()](std::span<const Position> queries, std::span<const Position> keys) {
    const double b = slope == 0 ? entry : -slope * static_cast<double>(std::abs(queries[0] - keys[0]));
    const Bias of{.heads = 1, .slopes = slope == 0 ? std::vector<double>{} : std::vector{slope}};
    const double off =
        unscaled([&] { return declared ? bias_error(p, b, of, 0) : bias_rounding(p, b, slope); });
    return Tensor({1, 1, 1}, {b + sign(keys[0], (*calls)++) * share * off});
  };
  return bias;
}
Encoding off_contextual(double share, const Precision& p, const Sign& sign) {
  const Contextual right = penalised_products();
  Contextual contextual = right;
  contextual.logits = [=, calls = no_calls()](const Tensor& q, const Tensor& k, const Positions& queries,
                                              const Positions& keys) {
    Tensor out = right.logits(q, k, queries, keys);
    const double off =
        unscaled([&] { return logit_error(right, q.row(0), k.row(0), queries[0], keys[0], p); });
    for (double& value : out.data) value += sign(keys[0], *calls) * share * off;
    ++*calls;
    return out;
  };
  return contextual;
}

// One pair, which is back where it was every 1024 positions.
constexpr double turn = 2 * std::numbers::pi / 1024;

// Longer and shorter: by the rounding of a rotation, as `rounding` gives it for a pair of norm 1.
Encoding longer(double share, const Precision& p, const Pair& pair, double amplitude, const Sign& sign,
                double (*rounding)(const Precision& p, double t, const Pair& pair)) {
  Rotary rotary{.dim = 2, .positions = {0, 1 << 20}, .pairs = {pair}, .amplitude = amplitude};
  rotary.rotate = [=, calls = no_calls()](const Tensor& x, std::span<const Position> positions, Role) {
    Tensor y = x;
    const Rotary stretched{.amplitude = amplitude};
    const double size = std::hypot(x.data[0], x.data[1]) * amplitude;
    const double off = unscaled([&] {
      return rounding(p, static_cast<double>(positions[0]), pair) + amplitude_error(stretched, p) +
             rotation_underflow(p) / size;
    });
    for (double& value : y.data) value *= amplitude * (1 + sign(positions[0], *calls) * share * off);
    ++*calls;
    return y;
  };
  return rotary;
}
double of_declared(const Precision& p, double t, const Pair& pair) {
  return rotation_error(p, t, pair);
}
// For a pair whose first channel is 1.5 times a power of 2 and whose second is 0: the products, and half the
// distance of neighbours for the sum and the result.
double of_own(const Precision& p, double, const Pair&) {
  const double library_unit = std::min(p.angle, p.table()), table_unit = p.table() > p.angle ? p.table() : 0;
  return std::numbers::sqrt2 * (2 * library_unit + p.work()) + table_unit +
         (p.work() + (p.result > p.work() ? p.result : 0)) / 1.5;
}

// Query and key at right angles, rotated towards each other further on: a logit is as far off as its angles.
Encoding turned(double share, const Precision& p, const Pair& pair, const Sign& sign) {
  Rotary rotary{.dim = 2, .positions = {0, 1 << 20}, .pairs = {pair}};
  rotary.rotate = [=](const Tensor& x, std::span<const Position> positions, Role role) {
    const double off = unscaled([&] { return angle_rounding(p, static_cast<double>(positions[0]), pair); });
    const double a = (role == Role::query ? 1 : -1) * sign(positions[0], 0) * share * off;
    Tensor y = x;
    y.data = {std::cos(a) * x.data[0] - std::sin(a) * x.data[1],
              std::sin(a) * x.data[0] + std::cos(a) * x.data[1]};
    return y;
  };
  return rotary;
}

struct Proof {
  std::string_view name;
  const Property& property;
  Function<Encoding(double share, const Precision& p)> off;
  Precision precision;
  std::string_view words;
  std::vector<Term> terms;
  double margin = 0.02;
};

std::vector<Proof> proofs() {
  const Pair one{0, 1, turn, 20}, scaled{0, 1, turn, 0, divided()}, first{0, 1, turn, 0};
  const Sign later = &up_further_on, far_row = &up_in_the_first_of_two, far_tokens = &up_in_two_of_four;
  const auto table = [](double entry, const Sign& sign) {
    return [=](double share, const Precision& p) { return off_table(share, p, entry, sign); };
  };
  const auto bias = [](double entry, double slope, const Sign& sign, bool declared) {
    return [=](double share, const Precision& p) { return off_bias(share, p, entry, slope, sign, declared); };
  };
  const auto contextual = [](const Sign& sign) {
    return [=](double share, const Precision& p) { return off_contextual(share, p, sign); };
  };
  const auto rotary = [](const Pair& pair, double amplitude, const Sign& sign, auto rounding) {
    return
        [=](double share, const Precision& p) { return longer(share, p, pair, amplitude, sign, rounding); };
  };
  const auto angle = [](const Pair& pair, const Sign& sign) {
    return [=](double share, const Precision& p) { return turned(share, p, pair, sign); };
  };
  const std::string_view no_content = "q=[0,0,0,0] k=[0,0,0,0] i=1024 j=0 t=65536",
                         no_row = "q=[0] k=[0] i=1024 j=0 t=65536",
                         content = "q=[0.75,0] k=[0.75,0] i=1024 j=0 t=65536",
                         tiny = "q=[0.00002288818359375,0] k=[0.00002288818359375,0] i=1024 j=0 t=65536",
                         across = "q=[0.75,0] k=[0,0.75] i=1024 j=0 t=131072",
                         decay_of_nothing = "q=[0,0,0,0] i=65536 far=65536 near=1024",
                         decay_of_no_row = "q=[0] i=65536 far=65536 near=1024",
                         decay = "q=[0.75,0] i=65536 far=64512 near=1024",
                         decay_of_tiny = "q=[0.00002288818359375,0] i=65536 far=64512 near=1024";
  std::vector<Proof> all;
  const auto add = [&](std::string_view name, const Property& property, auto off, Precision precision,
                       std::string_view words, std::vector<Term> terms, double margin = 0.02) {
    all.push_back({name, property, off, precision, words, std::move(terms), margin});
  };
  add("offset, table", depends_on_offset, table(1, later), all_f32, no_row, {operation});
  add("offset, table", depends_on_offset, table(0x1p-20, later), in_f16, no_row, {underflow});
  add("offset, bias", depends_on_offset, bias(1, 0, later, false), all_f32, no_content, {operation});
  add("offset, bias", depends_on_offset, bias(0x1p-20, 0, later, false), in_f16, no_content, {underflow});
  add("offset, bias", depends_on_offset, bias(0, 0.5, later, false), all_f32, no_content, {product});
  add("offset, bias", depends_on_offset, bias(0, 0.5, later, false), in_bf16, no_content, {result});
  add("offset, contextual", depends_on_offset, contextual(later), all_f32, content, {own});
  const auto own_rounding = rotary(first, 1, later, &of_own);
  add("offset, rotary", depends_on_offset, own_rounding, all_f32, content, {library, product, Term::sum});
  add("offset, rotary", depends_on_offset, own_rounding, in_bf16, content, {result});
  add("offset, rotary", depends_on_offset, own_rounding, table_in_bf16, content, {Term::table}, 0.05);
  add("offset, rotary", depends_on_offset, own_rounding, in_f16, tiny, {underflow});
  add("offset, rotary", depends_on_offset, rotary(first, 2, later, &of_own), all_f32, content, {amplitude});
  add("offset, angle", depends_on_offset, angle(first, later), all_f32, across, {angle_product}, 0.05);
  add("offset, angle", depends_on_offset, angle(one, later), iterated, across, {ladder_step}, 0.05);
  add("offset, angle", depends_on_offset, angle(scaled, later), all_f32, across, {scaled_frequency}, 0.05);
  add("decay, table", decays_with_distance, table(1, far_row), all_f32, decay_of_no_row, {operation});
  add("decay, table", decays_with_distance, table(0x1p-20, far_row), in_f16, decay_of_no_row, {underflow});
  add("decay, bias", decays_with_distance, bias(1, 0, far_row, true), all_f32, decay_of_nothing, {operation});
  add("decay, bias", decays_with_distance, bias(0x1p-20, 0, far_row, true), in_f16, decay_of_nothing,
      {underflow});
  add("decay, contextual", decays_with_distance, contextual(far_row), all_f32, decay, {own});
  const auto declared = rotary(first, 1, far_tokens, &of_declared);
  add("decay, rotary", decays_with_distance, declared, all_f32, decay,
      {power, exponent, angle_product, position});
  add("decay, rotary", decays_with_distance, declared, in_bf16, decay, {result}, 0.05);
  add("decay, rotary", decays_with_distance, declared, table_in_bf16, decay, {Term::table}, 0.05);
  add("decay, rotary", decays_with_distance, declared, in_f16, decay_of_tiny, {underflow});
  add("decay, rotary", decays_with_distance, rotary(one, 1, far_tokens, &of_declared), iterated, decay,
      {ladder_step});
  add("decay, rotary", decays_with_distance, rotary(scaled, 1, far_tokens, &of_declared), all_f32, decay,
      {scaled_frequency});
  add("decay, rotary", decays_with_distance, rotary({0, 1, 0x1p-60, 0}, 2, far_tokens, &of_declared), all_f32,
      decay, {library, product, Term::sum, amplitude});
  return all;
}

Residual replayed(const Proof& proof, double share) {
  Replay draw(Case::parse(proof.words));
  return (*trial(proof.property, proof.off(share, proof.precision), proof.precision))(draw);
}

TEST(BoundsOfLogits, are_the_sums_of_their_terms_and_no_larger) {
  for (const Proof& proof : proofs()) {
    SCOPED_TRACE(fmt::format("{}, {}", proof.name, proof.precision.word()));
    const double below = 1 - proof.margin, above = 1 + proof.margin;
    EXPECT_TRUE(replayed(proof, below).holds());
    EXPECT_FALSE(replayed(proof, above).holds());
    for (const Term term : proof.terms) {
      const std::string_view name = term_names[static_cast<std::size_t>(term)];
      const ScaledTerm dropped(term, 0);
      EXPECT_FALSE(replayed(proof, below).holds()) << "without the term `" << name << "`";
      const ScaledTerm scaled_up(term, 16);
      EXPECT_TRUE(replayed(proof, above).holds()) << "with 16 times the term `" << name << "`";
    }
  }
}

// Of right encodings as they are computed in those formats, in all 300 cases.
// 1/3 and 1/7 in that format, at every position.
Table third_and_seventh(const Precision& p) {
  Table table{.dim = 2};
  table.rows = [p](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = rotations::rounded(p.result, 1.0 / 3),
                 rows.at(r, 1) = rotations::rounded(p.result, 1.0 / 7);
    return rows;
  };
  return table;
}
Bias falling_by_a_third(const Precision& p) {
  Bias bias = biases::bias_of(2, [p](std::size_t, Position i, Position j) {
    const double product = rotations::rounded(p.table(), 1.0 / 3) * static_cast<double>(std::abs(i - j));
    return -rotations::rounded(p.result, rotations::rounded(p.work(), product));
  });
  bias.slopes = {1.0 / 3, 1.0 / 3}, bias.positions = {0, 100000};
  return bias;
}

TEST(LogitsInAnyFormat, hold_in_every_case_and_use_much_of_what_is_allowed) {
  const std::vector<Pair> pairs = {{0, 3, 0.7, 0}, {1, 2, 0.003, 1}};
  double of_rotations = 0;
  for (const char* word : {"f64", "f32", "bf16", "bf16+table=bf16", "bf16/bf16", "f16"}) {
    SCOPED_TRACE(word);
    const Precision p = Precision::parse(word);
    for (const Domain& positions : {Domain(0, 60000), Domain(-4096, 1024)}) {
      const Rotary rotary = rotations::computed_in(p, positions, 5, pairs);
      of_rotations = std::max(
          of_rotations, testing::largest_share(depends_on_offset, "score/depends_on_offset", rotary, p));
      testing::largest_share(depends_on_order, "score/depends_on_order", rotary, p);
    }
    testing::largest_share(decays_with_distance, "score/decays_with_distance",
                           rotations::computed_in(p, {0, 60000}, 4, {{0, 1, 0.0, 0}, {2, 3, 0.0, 1}}), p);
    for (const Encoding& other : {Encoding(third_and_seventh(p)), Encoding(falling_by_a_third(p))}) {
      testing::largest_share(depends_on_offset, "score/depends_on_offset", other, p);
      testing::largest_share(decays_with_distance, "score/decays_with_distance", other, p);
    }
    testing::largest_share(depends_on_order, "score/depends_on_order", falling_by_a_third(p), p);
  }
  EXPECT_GE(of_rotations, 0.5);
}

}  // namespace
}  // namespace posproof::score_bounds_test
