// What the statements about biases allow is all of it needed, and no more than that: for each term of each
// bound entries that are off by almost what is allowed are refuted once the term is left out, and entries
// that are off by a little more are refuted no longer once the term is 16 times as large.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../rotary/computed.h"
#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_exact_buckets.h"
#include "catalogue/properties/bias/has_geometric_slopes.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "core/function.h"
#include "entries.h"
#include "search/testing/largest_share.h"
#include "search/trial.h"

namespace posproof::bias_bounds_test {
namespace {

using namespace biases;
using rotations::rounded;
using namespace properties::bias;
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

struct BiasInPrecision {
  std::string_view name;
  Precision precision;
  std::vector<double> slopes = {0.5};
  // In double the units of the entries themselves are a few hundredths of a bound; in bf16 the entry as it
  // is, of which the bound is a share, differs by as much from the right one.
  double margin = 0.01;
};

constexpr Precision in_f16{unit_f32, unit_f16};
Precision with_table_in_bf16() {
  Precision p = in_bf16;
  p.declared_table = unit_bf16;
  return p;
}
const BiasInPrecision f64{.name = "f64", .precision = all_f64, .margin = 0.1};
const BiasInPrecision f32{"f32", all_f32};
const BiasInPrecision rounded_once{"bf16 over f32", in_bf16};
const BiasInPrecision coarse_table{
    .name = "slopes kept in bf16", .precision = with_table_in_bf16(), .margin = 0.05};
const BiasInPrecision iterated{
    "an iterated ladder", {unit_f32, unit_f32, Precision::Angles::iterated}, {0.5, 0.25}};
const BiasInPrecision rounded_ratio{"powers of a rounded ratio", all_f32, {0.7, 0.7 * 0.7}};
const BiasInPrecision small_slope{"a slope of 2^-24 in f16", in_f16, {0x1p-24}};
const BiasInPrecision a_table{"a table in f32", all_f32, {}};
const BiasInPrecision a_table_in_f16{"a table in f16", in_f16, {}};

// One answer, [heads, queries, keys], whose entries are off by that share of what is allowed.
using Answer = Tensor (*)(const BiasInPrecision& setting, double share, std::span<const Position> queries,
                          std::span<const Position> keys);

double slope_of(const BiasInPrecision& setting, std::size_t head) {
  return setting.slopes.empty() ? 0 : setting.slopes[head];
}

// Of a table 1, and in f16 so little that underflow is most of what is allowed.
double right_entry(const BiasInPrecision& setting, std::size_t head, Position i, Position j) {
  if (setting.slopes.empty()) return setting.precision == in_f16 ? 0x1p-20 : 1;
  return -setting.slopes[head] * static_cast<double>(std::abs(i - j));
}

// b(i, j) - b(i, k) too small and b(i+t, j+t) - b(i+t, k+t) too large, by what each of the four may be off.
Tensor moved_apart(const BiasInPrecision& setting, double share, std::span<const Position> queries,
                   std::span<const Position> keys) {
  Tensor out({1, 2, 4});
  const std::vector<double> signs = {-1, 1, 0, 0, 0, 0, 1, -1};
  for (std::size_t at = 0; at < 8; ++at) {
    const double b = right_entry(setting, 0, queries[at / 4], keys[at % 4]);
    out.data[at] = b + signs[at] * share * bias_rounding(setting.precision, b, slope_of(setting, 0));
  }
  return out;
}

// The far key is as much larger as is allowed where a step is due.
Tensor too_large_at_the_far_key(const BiasInPrecision& setting, double share,
                                std::span<const Position> queries, std::span<const Position> keys) {
  const Precision& p = setting.precision;
  const double m = setting.slopes[0], near = right_entry(setting, 0, queries[0], keys[0]),
               far = right_entry(setting, 0, queries[0], keys[1]), due = near - far;
  const Bias declared{.heads = 1, .slopes = setting.slopes};
  const double allowed =
      bias_rounding(p, near, m) + bias_rounding(p, far, m) + bias_error(p, due, declared, 0);
  return Tensor({1, 1, 2}, {near, near - due + share * allowed});
}

// BiasInPrecision that are equal, but the first too large by that share of what two readings may differ by.
Tensor first_too_large(const BiasInPrecision& setting, double share, std::span<const Position> queries,
                       std::span<const Position> keys) {
  Tensor out({1, 1, keys.size()});
  for (std::size_t k = 0; k < keys.size(); ++k) out.data[k] = right_entry(setting, 0, queries[0], keys[k]);
  out.data[0] += share * 2 * bias_rounding(setting.precision, out.data[0], 0);
  return out;
}

// Every entry off by so many of what is allowed, in each head.
Tensor slopes_off(const BiasInPrecision& setting, const std::vector<double>& shares,
                  std::span<const Position> queries, std::span<const Position> keys) {
  const Bias declared{.heads = setting.slopes.size(), .slopes = setting.slopes};
  Tensor out({declared.heads, 1, 2});
  for (std::size_t h = 0; h < declared.heads; ++h) {
    const double b = right_entry(setting, h, queries[0], keys[1]);
    const double ours = 3 * unit_f64 * std::abs(b);
    out.data[2 * h + 1] = b - shares[h] * (bias_error(setting.precision, b, declared, h) + ours);
  }
  return out;
}
Tensor first_slope_too_large(const BiasInPrecision& setting, double share, std::span<const Position> queries,
                             std::span<const Position> keys) {
  return slopes_off(setting, {share}, queries, keys);
}
Tensor second_slope_too_large(const BiasInPrecision& setting, double share, std::span<const Position> queries,
                              std::span<const Position> keys) {
  return slopes_off(setting, {0, share}, queries, keys);
}

struct Proof {
  std::string_view name;
  const Property& property;
  Answer answer;
  const BiasInPrecision& setting;
  std::string_view words;
  std::vector<Term> terms;
  std::optional<Buckets> buckets = {};
};

std::vector<Proof> proofs() {
  const std::string_view four = "i=9 j=2 k=10 t=3", far = "far=8388608 near=8388607 side=past i=8388608",
                         far_in_bf16 = "far=256 near=255 side=past i=256",
                         near = "far=2 near=1 side=past i=2", eight = "n=8 side=past i=10",
                         buckets = "n=200 t=3 side=past i=300", two = "near=3 t=4 side=past i=20",
                         last = "far=16777216 near=16777215 side=past i=16777216";
  const Buckets declared{32, 128, true};
  return {
      {"depends on offset", depends_on_offset, &moved_apart, f32, four, {product}},
      {"depends on offset", depends_on_offset, &moved_apart, rounded_once, four, {result}},
      {"depends on offset", depends_on_offset, &moved_apart, small_slope, four, {underflow}},
      {"depends on offset", depends_on_offset, &moved_apart, a_table, four, {operation}},
      {"depends on offset", depends_on_offset, &moved_apart, a_table_in_f16, four, {underflow}},
      {"falls", falls_with_distance, &too_large_at_the_far_key, f32, far, {product}},
      {"falls", falls_with_distance, &too_large_at_the_far_key, rounded_once, far_in_bf16, {result}},
      {"falls", falls_with_distance, &too_large_at_the_far_key, small_slope, near, {underflow}},
      {"buckets", has_exact_buckets, &first_too_large, a_table, buckets, {operation}, declared},
      {"buckets", has_exact_buckets, &first_too_large, a_table_in_f16, buckets, {underflow}, declared},
      {"slopes", has_geometric_slopes, &first_slope_too_large, f32, eight, {power, exponent, product}},
      {"slopes", has_geometric_slopes, &first_slope_too_large, f64, eight, {ours}},
      {"slopes", has_geometric_slopes, &first_slope_too_large, rounded_once, eight, {result}},
      {"slopes", has_geometric_slopes, &first_slope_too_large, coarse_table, eight, {table}},
      {"slopes", has_geometric_slopes, &first_slope_too_large, small_slope, eight, {underflow}},
      {"slopes", has_geometric_slopes, &second_slope_too_large, iterated, eight, {ladder_step}},
      {"slopes", has_geometric_slopes, &second_slope_too_large, rounded_ratio, eight, {ladder_step}},
      {"monotone", has_monotone_buckets, &first_too_large, a_table, two, {operation}},
      {"monotone", has_monotone_buckets, &first_too_large, a_table_in_f16, two, {underflow}},
      {"saturates", saturates, &first_too_large, a_table, last, {operation}},
      {"saturates", saturates, &first_too_large, a_table_in_f16, last, {underflow}},
  };
}

Residual replayed(const Proof& proof, double share) {
  const BiasInPrecision& setting = proof.setting;
  Bias bias{.heads = std::max<std::size_t>(1, setting.slopes.size()),
            .positions = {0, Position{1} << 24},
            .slopes = setting.slopes,
            .buckets = proof.buckets};
  bias.bias = [&](std::span<const Position> queries, std::span<const Position> keys) {
    Tensor out;
    unscaled([&] { return (out = proof.answer(setting, share, queries, keys)).data.front(); });
    return out;
  };
  Replay draw(Case::parse(proof.words));
  return (*trial(proof.property, bias, setting.precision))(draw);
}

TEST(BoundsOfBiases, are_the_sums_of_their_terms_and_no_larger) {
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

// Biases as they are computed in those formats. No check may ask for a position outside the domain.

void need_inside(const Domain& positions, Position t) {
  if (t < positions.lo || t > positions.hi)
    throw std::logic_error(fmt::format("{} is outside the domain", t));
}

// The slope is kept in the table's format, and its product with the distance and the answer are rounded. Some
// programs leave out what all keys of a query have in common: `of_key`.
Bias ladder_in(const Precision& p, const Domain& positions, std::size_t heads, bool of_key = false) {
  std::vector<double> slopes;
  for (std::size_t h = 1; h <= heads; ++h)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads)));
  Bias bias = bias_of(heads, [=](std::size_t h, Position i, Position j) {
    need_inside(positions, i), need_inside(positions, j);
    const double slope = rounded(p.table(), rounded(p.angle, slopes[h]));
    const auto factor = static_cast<double>(of_key ? j : -std::abs(i - j));
    return rounded(p.result, rounded(p.work(), slope * rounded(p.work(), factor)));
  });
  bias.positions = positions, bias.slopes = std::move(slopes), bias.causal = of_key;
  return bias;
}
Bias ladder_of_8(const Precision& p, const Domain& positions) {
  return ladder_in(p, positions, 8);
}
Bias ladder_of_6(const Precision& p, const Domain& positions) {
  return ladder_in(p, positions, 6);
}
Bias of_key(const Precision& p, const Domain& positions) {
  return ladder_in(p, positions, 6, true);
}

// The number of the bucket, and a tenth for each head, which no format holds.
Bias buckets_in(const Precision& p, const Domain& positions, bool causal) {
  const std::vector<Position> starts = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  Bias bias = bias_of(3, [=](std::size_t h, Position i, Position j) {
    need_inside(positions, i), need_inside(positions, j);
    const Position distance = causal ? std::max<Position>(i - j, 0) : std::abs(i - j);
    const auto bucket = std::upper_bound(starts.begin(), starts.end(), distance) - starts.begin();
    return rounded(p.result, static_cast<double>(bucket + (!causal && j > i ? 16 : 0)) +
                                 0.1 * static_cast<double>(h + 1));
  });
  bias.positions = positions, bias.causal = causal;
  bias.buckets = causal ? Buckets{16, 128, false} : Buckets{32, 128, true};
  return bias;
}
Bias of_encoder(const Precision& p, const Domain& positions) {
  return buckets_in(p, positions, false);
}
Bias of_decoder(const Precision& p, const Domain& positions) {
  return buckets_in(p, positions, true);
}

TEST(BiasesInAnyFormat, hold_in_every_case_and_use_much_of_what_is_allowed) {
  struct Statement {
    std::string_view id;
    const Property& property;
    std::vector<Bias (*)(const Precision&, const Domain&)> of;
    double share;  // of the bound, used at least by one of them
  };
  const std::vector<Statement> statements = {
      {"bias/depends_on_offset", depends_on_offset, {&ladder_of_8, &of_key, &of_encoder, &of_decoder}, 0.3},
      {"bias/falls_with_distance", falls_with_distance, {&ladder_of_8, &ladder_of_6}, 0.6},
      {"bias/has_geometric_slopes", has_geometric_slopes, {&ladder_of_8, &ladder_of_6}, 0.95},
      {"bias/is_zero_at_offset_zero", is_zero_at_offset_zero, {&ladder_of_8, &ladder_of_6}, 0},
      {"bias/has_exact_buckets", has_exact_buckets, {&of_encoder, &of_decoder}, 0},
      {"bias/has_monotone_buckets", has_monotone_buckets, {&of_encoder, &of_decoder}, 0},
      {"bias/saturates", saturates, {&of_encoder, &of_decoder}, 0}};
  for (const auto& [id, property, of, share] : statements) {
    double largest = 0;
    for (const char* word : {"f64", "f32", "bf16", "bf16+table=bf16", "bf16/bf16", "f16"})
      for (const Domain& positions : {Domain(0, 60000), Domain(-4096, 1024)})
        for (const auto make : of) {
          SCOPED_TRACE(fmt::format("{}, {}, from {}", id, word, positions.lo));
          const Precision p = Precision::parse(word);
          largest = std::max(largest, testing::largest_share(property, id, make(p, positions), p));
        }
    EXPECT_GE(largest, share) << id;
  }
}

}  // namespace
}  // namespace posproof::bias_bounds_test
