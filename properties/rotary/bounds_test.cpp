// What the statements about rotations allow is all of it needed, and no more than that: for each term of each
// bound an answer that is off by almost what is allowed is refuted once the term is left out, and one that is
// off by a little more than that is refuted no longer once the term is 16 times as large.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/inverts_at_the_opposite_position.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/is_linear.h"
#include "catalogue/properties/rotary/layouts_agree_after_one_permutation.h"
#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "computed.h"
#include "core/error.h"
#include "core/function.h"
#include "core/term.h"
#include "search/testing/largest_share.h"
#include "search/trial.h"
#include "tokens.h"

namespace posproof::rotary_bounds_test {
namespace {

using namespace rotations;
using namespace properties::rotary;
using enum Term;

// One pair, which is back where it was every 1024 positions: at such a position (1, 0) stays (1, 0), and all
// of an error is in the first channel.
struct RotatedPair {
  std::string_view name;
  Precision precision;
  Pair pair = {0, 1, 2 * std::numbers::pi / 1024, 20};
  double amplitude = 1;
  std::string_view content = "[1,0]";
  double margin = 0.01;  // in double the units of the answers themselves are a few hundredths of a bound
};

constexpr Precision in_f16{unit_f32, unit_f16};
Precision with_table_in_bf16() {
  Precision p = in_bf16;
  p.declared_table = unit_bf16;
  return p;
}
const RotatedPair f64{.name = "f64", .precision = all_f64, .margin = 0.07};
const RotatedPair f64_and_12_units{.name = "f64", .precision = all_f64, .margin = 0.1};
const RotatedPair f32{"f32", all_f32};
const RotatedPair rounded_once{"bf16 over f32", in_bf16};
const RotatedPair coarse_table{"a table in bf16", with_table_in_bf16()};
const RotatedPair coarse_angles{"angles in bf16", {unit_bf16, unit_bf16}};
const RotatedPair iterated{"an iterated ladder", {unit_f32, unit_f32, Precision::Angles::iterated}};
const RotatedPair scaled{"a divided frequency", all_f32, {0, 1, 2 * std::numbers::pi / 1024, 0, divided()}};
const RotatedPair tiny{
    "tiny contents in f16", in_f16, {0, 1, 2 * std::numbers::pi / 1024}, 1, "[0.0000152587890625,0]"};
const RotatedPair stretched{"an amplitude", all_f32, {0, 1, 2 * std::numbers::pi / 1024}, 1.25};

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

// How far the answer of one call may be off, of the norm of the pair that is rotated: by its rounding, and by
// underflow.
struct Allowed {
  const RotatedPair& of;
  double t;
  double norm;  // of what is rotated
  Role role;

  const Precision& p() const { return of.precision; }
  double rounding() const { return rotation_rounding(p(), t, of.pair) + amplitude(); }
  double at_zero() const { return rotation_rounding(p(), 0, of.pair) + amplitude(); }
  double error() const { return rotation_error(p(), t, of.pair) + amplitude(); }
  double amplitude() const { return amplitude_error({.amplitude = of.amplitude}, p()); }
  double underflow() const { return rotation_underflow(p()) / norm; }
};
using Off = double (*)(const Allowed& allowed, std::size_t call);

Encoding off_by(double share, const RotatedPair& setting, Off off) {
  Rotary rotary{.dim = 2, .pairs = {setting.pair}, .amplitude = setting.amplitude};
  rotary.rotate = [=, calls = std::make_shared<std::size_t>(0)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor y = x;
    const auto t = static_cast<double>(positions[0]);
    const Allowed allowed{setting, t, std::hypot(x.at(0, 0), x.at(0, 1)), role};
    const double by = unscaled([&] { return off(allowed, *calls); });
    ++*calls;
    for (double& value : y.data) value *= setting.amplitude * (1 + share * by);
    return y;
  };
  return rotary;
}

double twice_rounded(const Allowed& a, double rounding) {
  return (1 + rounding) * (1 + a.p().input()) - 1;
}

double in_three_rotations(const Allowed& a, std::size_t call) {
  const double own = a.rounding();
  return (call == 0 ? own : call == 1 ? twice_rounded(a, own) : -own) + (call == 2 ? -1 : 1) * a.underflow();
}
double there_and_back(const Allowed& a, std::size_t call) {
  return (call == 0 ? a.rounding() : twice_rounded(a, a.rounding())) + 1.5 * a.underflow();
}
// Of products of two rotated tokens against that of one: and ours, twice the number of channels and one more.
double in_products(const Allowed& a, std::size_t call) {
  const double own = a.rounding() + a.underflow();
  return call == 0 ? own + 6 * unit_f64 : call == 1 ? own : -own;
}
double at_zero(const Allowed& a, std::size_t) {
  return a.at_zero() + 3 * a.underflow();
}
// f = 1, and both terms are equal: the sum is twice as large.
double in_a_sum(const Allowed& a, std::size_t call) {
  const double of_sum = a.p().input() + 3 * unit_f64;
  return call == 0 ? a.at_zero() + a.underflow() + (1 + a.at_zero()) * of_sum : -a.at_zero() - a.underflow();
}
double declared(const Allowed& a, std::size_t) {
  return a.error() + 3 * a.underflow() + 2 * unit_f64 * (std::abs(a.t * a.of.pair.frequency) + 1);
}
double of_the_norm(const Allowed& a, std::size_t) {
  return a.at_zero() + a.underflow() + 5 * unit_f64;
}
double of_a_pair(const Allowed& a, std::size_t) {
  return a.at_zero() + a.underflow() + 4 * unit_f64;
}
double by_role(const Allowed& a, std::size_t) {
  return (a.role == Role::query ? 1 : -1) * (a.error() + 1.5 * a.underflow());
}

struct Proof {
  std::string_view name;
  const Property& property;
  Off off;
  const RotatedPair& setting;
  std::string_view drawn;  // beside x (and y), batch and n
  std::vector<Term> terms;
  Domain positions = {0, 16384};
};

const Domain either_sign{-16384, 16384};

std::vector<Proof> proofs() {
  const std::string_view three = "i1=1024 t1=2048 role=key", two = "i1=1024 role=key",
                         products = "i1=1024 s1=2048 role=query", one = "role=query",
                         sum = "i1=1024 f=1 role=key", first = "pairs=neighbours i1=1024 role=key",
                         either = "i1=1024";
  const std::vector<Term> rotation = {library, product, Term::sum};
  std::vector<Proof> all;
  const auto add = [&](std::string_view name, const Property& property, Off off, std::string_view drawn,
                       const RotatedPair& setting, std::vector<Term> terms, Domain positions = {0, 16384}) {
    all.push_back({name, property, off, setting, drawn, std::move(terms), positions});
  };
  const auto against_itself = [&](std::string_view name, const Property& property, Off off,
                                  std::string_view drawn, Domain positions) {
    add(name, property, off, drawn, f32, {library, product, Term::sum, angle_product}, positions);
    add(name, property, off, drawn, rounded_once, {result}, positions);
    add(name, property, off, drawn, coarse_table, {table}, positions);
    add(name, property, off, drawn, coarse_angles, {position, angle_product}, positions);
    add(name, property, off, drawn, iterated, {ladder_step}, positions);
    add(name, property, off, drawn, scaled, {scaled_frequency}, positions);
    add(name, property, off, drawn, tiny, {underflow}, positions);
  };
  const auto where_the_angle_does_not_matter = [&](std::string_view name, const Property& property, Off off,
                                                   std::string_view drawn) {
    add(name, property, off, drawn, f32, rotation);
    add(name, property, off, drawn, rounded_once, {result});
    add(name, property, off, drawn, coarse_table, {table});
    add(name, property, off, drawn, tiny, {underflow});
  };
  const auto against_the_declared = [&](std::string_view name, const Property& property, Off off,
                                        std::string_view drawn) {
    add(name, property, off, drawn, f32, {power, exponent, angle_product, position, library});
    add(name, property, off, drawn, rounded_once, {result});
    add(name, property, off, drawn, coarse_table, {table});
    add(name, property, off, drawn, iterated, {ladder_step});
    add(name, property, off, drawn, scaled, {scaled_frequency});
    add(name, property, off, drawn, tiny, {underflow});
  };
  against_itself("composes", composes, &in_three_rotations, three, {0, 16384});
  against_itself("inverts, directly", inverts_at_the_opposite_position, &there_and_back, two, either_sign);
  against_itself("inverts, transposed", inverts_at_the_opposite_position, &in_products, products, {0, 16384});
  add("inverts, transposed", inverts_at_the_opposite_position, &in_products, products, f64, {ours});
  where_the_angle_does_not_matter("is identity at zero", is_identity_at_zero, &at_zero, one);
  where_the_angle_does_not_matter("is linear", is_linear, &in_a_sum, sum);
  add("is linear", is_linear, &in_a_sum, sum, f64, {ours});
  add("is linear", is_linear, &in_a_sum, sum, stretched, {amplitude});
  where_the_angle_does_not_matter("preserves norm", preserves_norm, &of_the_norm, two);
  add("preserves norm", preserves_norm, &of_the_norm, two, f64, {ours});
  where_the_angle_does_not_matter("preserves pair norms", preserves_pair_norms, &of_a_pair, two);
  add("preserves pair norms", preserves_pair_norms, &of_a_pair, two, f64_and_12_units, {ours});
  against_the_declared("layouts agree", layouts_agree_after_one_permutation, &declared, first);
  add("layouts agree", layouts_agree_after_one_permutation, &declared, first, f64, {ours});
  against_the_declared("role does not matter", role_does_not_matter, &by_role, either);
  add("role does not matter", role_does_not_matter, &by_role, either, stretched, {amplitude});
  return all;
}

Residual replayed(const Proof& proof, double share) {
  Rotary rotary = as<Rotary>(off_by(share, proof.setting, proof.off));
  rotary.positions = proof.positions;
  Case words = Case::parse(fmt::format("batch=1 n=1 {}", proof.drawn));
  const Value x = *Case::parse(fmt::format("x={}", proof.setting.content)).find("x");
  words.set("x", x);
  if (&proof.property == &is_linear || proof.off == &in_products) words.set("y", x);
  Replay draw(words);
  return (*trial(proof.property, rotary, proof.setting.precision))(draw);
}

TEST(BoundsOfRotations, are_the_sums_of_their_terms_and_no_larger) {
  for (const Proof& proof : proofs()) {
    SCOPED_TRACE(fmt::format("{}, {}", proof.name, proof.setting.name));
    const double below = 1 - proof.setting.margin, above = 1 + proof.setting.margin;
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

// What is zero stays zero: nothing underflows there.
TEST(BoundsOfRotations, allow_nothing_to_a_norm_of_zero) {
  constexpr double tiny_one = 1e-150;  // whose square is a number
  Rotary rotary{.dim = 4};
  rotary.pairs = {{0, 1, 1.0, 0}, {2, 3, 0.5, 1}};
  rotary.rotate = [](const Tensor& x, const Positions&, Role) {
    Tensor y = x;
    y.data[0] += tiny_one;
    return y;
  };
  const auto holds = [&](const Property& property, std::string_view x) {
    Replay draw(Case::parse(fmt::format("batch=1 n=1 i1=0 role=query x={}", x)));
    return (*trial(property, rotary, in_f16))(draw).holds();
  };
  EXPECT_FALSE(holds(preserves_norm, "[0,0,0,0]"));
  EXPECT_TRUE(holds(preserves_norm, "[0,0,1,0]"));
  EXPECT_FALSE(holds(preserves_pair_norms, "[0,0,1,0]"));
  EXPECT_TRUE(holds(preserves_pair_norms, "[0,1,1,0]"));
}

// Of right encodings as they are computed in those formats, in all 300 cases.
TEST(RotationsInAnyFormat, hold_in_every_case_and_use_much_of_what_is_allowed) {
  struct Statement {
    std::string_view id;
    const Property& property;
    double share;  // of the bound, used at least by one of them
  };
  const std::vector<Statement> statements = {
      {"rotary/composes", composes, 0.8},
      {"rotary/inverts_at_the_opposite_position", inverts_at_the_opposite_position, 0.8},
      {"rotary/is_identity_at_zero", is_identity_at_zero, 0},
      {"rotary/is_linear", is_linear, 0.4},
      {"rotary/layouts_agree_after_one_permutation", layouts_agree_after_one_permutation, 0.9},
      {"rotary/leaves_the_tail_untouched", leaves_the_tail_untouched, 0},
      {"rotary/preserves_norm", preserves_norm, 0.7},
      {"rotary/preserves_pair_norms", preserves_pair_norms, 0.9},
      {"rotary/role_does_not_matter", role_does_not_matter, 0}};
  const std::vector<Pair> pairs = {{0, 3, 0.7, 0}, {1, 2, 0.003, 1}};
  for (const auto& [id, property, share] : statements) {
    double largest = 0;
    for (const char* word : {"f64", "f32", "bf16", "bf16+table=bf16", "bf16/bf16", "f16", "f16/f16"})
      for (const Domain& positions : {Domain(0, 60000), Domain(-4096, 1024)}) {
        SCOPED_TRACE(fmt::format("{}, {}, from {}", id, word, positions.lo));
        const Precision p = Precision::parse(word);
        largest =
            std::max(largest, testing::largest_share(property, id, computed_in(p, positions, 5, pairs), p));
      }
    EXPECT_GE(largest, share) << id;
  }
}

}  // namespace
}  // namespace posproof::rotary_bounds_test
