// What is measured of wrong tables, biases and logits, in sentences.
#include "diagnosis/testing/wrong_encodings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "attention/reference_attention.h"
#include "core/formats.h"
#include "core/function.h"
#include "encodings/seeded.h"

namespace posproof::deviations_of_biases_test {
namespace {

using namespace testing;

TEST(Deviations, of_tables) {
  const std::string dim = "dim=16";
  const auto permuted = [](Function<std::size_t(std::size_t)> from) {
    return spoiled("sinusoidal", [from](const Call&, Tensor& out) {
      const Tensor before = out;
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) = before.at(r, from(c));
    });
  };
  const auto entries = [](Function<double(std::size_t, double)> other) {
    return spoiled("sinusoidal", [other](const Call&, Tensor& out) {
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c) out.at(r, c) = other(c, out.at(r, c));
    });
  };
  const auto of_other = [](const std::string& changed) {
    return [changed](const Parameters& parameters) {
      Parameters others = parameters;
      const Case words = Case::parse(changed);
      for (const auto& [name, value] : words.fields()) others.set(name, value);
      const Encoding right = encoding_named("sinusoidal").make(parameters),
                     made = encoding_named("sinusoidal").make(others);
      return answered_by(right, [made](const Call& call) { return answer(made, call); });
    };
  };
  expect_said(
      "sinusoidal",
      {{dim, of_other("base=21.3"), {"frequencies are base^(-2i/16) with base 21.3, not 10000"}},
       {dim, of_other("offset=3"), {"positions are 3 ahead"}},
       {dim, of_other("amplitude=0.75"), {"every entry is multiplied by 0.75, not by 1"}},
       {dim,
        of_other("divisor=half_minus_one"),
        {"frequencies are base^(-2i/16) with base 37276, not 10000: 2i is divided by 14, not by 16"}},
       {dim,
        of_other("layout=sin_cos"),
        {"sines stand in the first half and cosines in the second, not interleaved"}},
       {dim, permuted([](std::size_t c) { return c ^ 1; }), {"cosine and sine are swapped"}},
       {dim,
        permuted([](std::size_t c) { return 15 - c; }),
        {"the frequencies stand in reverse order: pair i has that of pair 7 - i",
         "cosine and sine are swapped"}},
       {dim, permuted([](std::size_t c) { return c == 3 ? 5 : c; }), {"column 3 holds column 5"}},
       {dim, entries([](std::size_t c, double x) { return c == 5 ? 0 : x; }), {"column 5 is 0"}},
       {dim,
        entries([](std::size_t c, double x) { return c == 2 || c == 5 ? -x : x; }),
        {"columns 2 and 5 have the wrong sign"}},
       {dim,
        entries([](std::size_t, double x) { return x / 4; }),
        {"every entry is multiplied by 1/sqrt(16), not by 1"}},
       {dim, asked_for("sinusoidal", at([](Position t) { return 2 * t; })), {"positions are doubled"}},
       {dim,
        asked_for("sinusoidal", at([](Position t) { return std::min<Position>(t, 999); })),
        {"positions past 999 count as 999"}}});
  expect_said("normalized_index", {{"",
                                    asked_for("normalized_index",
                                              [](Call& call) {
                                                if (!call.positions.whole.empty()) call.length += 1;
                                              }),
                                    {"the length of the sequence counts as one more"}}});
}

// The entry of a bias, from itself, its head, and the positions of its query and key.
Make entries(const std::string& family,
             Function<double(double, std::size_t head, Position i, Position j)> other) {
  return spoiled(family, [other](const Call& call, Tensor& out) {
    const auto &i = call.positions.whole, &j = call.keys.whole;
    for (std::size_t e = 0; e < out.data.size(); ++e)
      out.data[e] =
          other(out.data[e], e / (i.size() * j.size()), i[e / j.size() % i.size()], j[e % j.size()]);
  });
}

TEST(Deviations, of_biases) {
  using At = Position;
  const std::string id = "alibi", heads = "heads=12", both = "heads=4 form=symmetric";
  const auto slope = [](double h) { return std::exp2(-8 * (h + 1) / 4); };
  expect_said(
      id, {{heads,
            entries(id, [](double b, std::size_t, At, At) { return -b; }),
            {"the bias has the wrong sign: distant keys are favoured"}},
           {heads,
            entries(id, [](double b, std::size_t, At, At) { return 2 * b; }),
            {"every slope is twice the declared one"}},
           {heads,
            entries(id, [](double b, std::size_t, At, At) { return b * 1.01; }),
            {"every slope is 1.01 times the declared one"}},
           {heads,
            entries(id, [](double b, std::size_t head, At, At) { return head == 11 ? 0 : b; }),
            {"head 11 of 12: the answer is 0"}},
           {heads,
            entries(id, [](double b, std::size_t head, At, At) { return head == 3 ? -b : b; }),
            {"head 3 has the wrong sign"}},
           {"heads=4",
            entries(id, [=](double, std::size_t head, At i,
                            At j) { return -slope(3 - double(head)) * double(std::max<At>(0, i - j)); }),
            {"heads have the declared slopes in reverse order"}},
           {"heads=4",
            entries(id, [](double b, std::size_t head, At, At) { return head == 1 ? 3 * b : b; }),
            {"head 1 is 3 times the declared one"}},
           {"heads=4",
            entries(id, [](double, std::size_t head, At i,
                           At j) { return -double(head + 1) / 4 * double(std::max<At>(0, i - j)); }),
            {"slopes are h/4, h = 1 .. 4"}},
           {"heads=4",
            entries(id, [](double, std::size_t head, At i,
                           At j) { return -double(head * head + 1) / 8 * double(std::max<At>(0, i - j)); }),
            {"slopes are 0.125, 0.25, 0.625, 1.25, not 0.25, 0.0625, 0.015625, 0.00390625"}},
           {"heads=4",
            entries(id, [](double b, std::size_t, At i,
                           At j) { return i - j <= 1000 ? b : b * 1000 / double(i - j); }),
            {"distances past 1000 count as 1000"}},
           {both,
            entries(id, [=](double b, std::size_t, At i, At j) { return j > i ? 0 : b; }),
            {"later keys have no bias"}},
           {both,
            entries(id, [=](double b, std::size_t, At i,
                            At j) { return j > i ? -std::numeric_limits<double>::infinity() : b; }),
            {"later keys are masked: their bias is minus infinity"}},
           {"heads=4",
            asked_for(id, at([](Position t) { return t + 1; })),
            {"of queries: positions are one ahead"}},
           {"heads=4",
            asked_for(id,
                      [](Call& call) {
                        if (call.positions.whole.size() == 1) call.positions.whole[0] = 0;
                      }),
            {"in calls of one query: the answer is 0"}}});
  // One head is off by twice what rounding allows, to either side. What is guessed and answers like the
  // declared encoding does not explain that, whatever the positions that it leads to are allowed.
  const auto ragged = entries(id, [](double b, std::size_t head, At, At j) {
    return head == 8 ? b * (1 + (j % 2 == 0 ? 8e-7 : -8e-7)) : b;
  });
  expect_said(id,
              {{"heads=12 rows=key_index", ragged, {}, all_f32}, {"heads=12 rows=any", ragged, {}, all_f32}});
  const std::string t5 = "t5_bias";
  // The rows of a table of 32 buckets, whose numbers go on by 32 from head to head.
  const auto of_16_buckets = [](double more) {
    return [more](const Parameters& p) {
      Parameters other = p;
      other.set("buckets", 16.0);
      const Encoding right = encoding_named("t5_bias").make(p), made = encoding_named("t5_bias").make(other);
      return answered_by(right, [made, more](const Call& call) {
        Tensor out = answer(made, call);
        for (std::size_t r = 0; r < out.rows(); ++r)
          for (double& entry : out.row(r)) entry += more * static_cast<double>(r / call.positions.size());
        return out;
      });
    };
  };
  const Sentences fewer = {"there are 16 buckets, not 32"};
  expect_said(t5, {{"heads=3", of_16_buckets(16), fewer},
                   {"heads=3 scale=0.5", of_16_buckets(8), fewer},
                   {"heads=3 table=seeded", of_16_buckets(0), fewer},
                   {"heads=2 table=seeded",
                    [](const Parameters& p) {
                      Parameters other = p;
                      other.set("max_distance", 96.0);
                      const Encoding right = encoding_named("t5_bias").make(p),
                                     made = encoding_named("t5_bias").make(other);
                      return answered_by(right, [made](const Call& call) { return answer(made, call); });
                    },
                    {"buckets reach to distance 96, not to 128"}},
                   {"heads=2 table=seeded",
                    [](const Parameters& p) {
                      Bias right = as<Bias>(encoding_named("t5_bias").make(p));
                      right.bias = [own = right.bias](const Positions& i, const Positions& j) {
                        const std::vector<Position> a(i.begin(), i.end()), b(j.begin(), j.end());
                        Tensor out({2, a.size(), b.size()});
                        for (std::size_t r = 0; r < out.rows(); ++r)
                          for (std::size_t c = 0; c < b.size(); ++c) {
                            const Position query[] = {b[c]}, key[] = {a[r % a.size()]};
                            out.at(r, c) = own(query, key).data[r / a.size()];
                          }
                        return out;
                      };
                      return Encoding(right);
                    },
                    {"the two directions are swapped: query and key are exchanged"}}});
}

// What a function makes of each row of a head's declared logits.
using OfRow = Function<void(std::span<double> row, const Call& call, std::size_t query)>;

Make rows_of_logits(const std::string& family, const OfRow& other) {
  return [=](const Parameters& p) {
    for (const Encoding& kind : attention::in_every_kind(encoding_named(family).make(p)))
      if (signature(kind).has(Axis::key) && signature(kind).positions)
        return answered_by(kind, [kind, other](const Call& call) {
          Tensor out = answer(kind, call);
          for (std::size_t r = 0; r < out.rows(); ++r)
            other(std::span(out.data).subspan(r * out.width(), out.width()), call, r % call.positions.size());
          return out;
        });
    throw std::logic_error("no logits");
  };
}

OfRow times(double factor) {
  return [factor](std::span<double> row, const Call&, std::size_t) {
    for (double& logit : row) logit *= factor;
  };
}

OfRow softmax(bool causal) {
  return [causal](std::span<double> row, const Call& call, std::size_t query) {
    double sum = 0, most = -std::numeric_limits<double>::infinity();
    const auto sees = [&](std::size_t j) {
      return !causal || call.keys.whole[j] <= call.positions.whole[query];
    };
    for (std::size_t j = 0; j < row.size(); ++j)
      if (sees(j)) most = std::max(most, row[j]);
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] = sees(j) ? std::exp(row[j] - most) : 0;
    for (double& weight : row) weight /= sum;
  };
}

TEST(Deviations, of_logits) {
  const auto constant = [](std::span<double> row, const Call& call, std::size_t i) {
    for (double& logit : row) logit += 0.25 * static_cast<double>(call.positions.whole[i] % 7);
  };
  const auto nearly = [&](std::span<double> row, const Call& call, std::size_t i) {
    constant(row, call, i);
    if (row.size() > 4) row[4] *= 1 + 0x1p-21;  // 8 units of f32
  };
  const Sentences shifted = {"each query's logits have a constant more or less: equal after a softmax"},
                  weights = {"the answers are attention weights, a softmax of the declared logits"};
  const std::string dim = "dim=8";
  expect_said("rope",
              {{dim, rows_of_logits("rope", constant), shifted},
               {dim, rows_of_logits("rope", softmax(false)), weights},
               {dim,
                rows_of_logits("rope", times(std::sqrt(8.0))),
                {"every logit is sqrt(8) times the declared one: not divided by sqrt(8)"}},
               {dim,
                rows_of_logits("rope", times(1 / std::sqrt(8.0))),
                {"every logit is the declared one divided by sqrt(8) again"}},
               {dim,
                rows_of_logits("rope", times(std::numbers::log2e)),
                {"every logit is log2(e) times the declared one, as a softmax of powers of 2 takes it"}},
               {dim, rows_of_logits("rope", times(1.01)), {"every logit is 1.01 times the declared one"}}});
  expect_said("alibi", {{"heads=4", rows_of_logits("alibi", constant), shifted},
                        {"heads=4", rows_of_logits("alibi", nearly), {}},
                        {"heads=4", rows_of_logits("alibi", softmax(true)), weights}});
  expect_said("t5_bias", {{"heads=2 table=seeded", rows_of_logits("t5_bias", constant), shifted},
                          {"heads=2 table=seeded", rows_of_logits("t5_bias", softmax(false)), weights}});
}

// The bounds of a network in bf16 are as wide as its answers are large: almost anything lies within them.
TEST(Deviations, of_random_numbers_are_none) {
  const auto random = [](std::uint64_t seed, double size) {
    return spoiled("dynamic_position_bias", [=](const Call& call, Tensor& out) {
      const std::size_t queries = call.positions.whole.size(), keys = call.keys.whole.size();
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < keys; ++c) {
          const Position offset = call.keys.whole[c] - call.positions.whole[r % queries];
          out.at(r, c) =
              to_bf16(seeded(seed, static_cast<std::uint64_t>(4 * (offset + 100000)) + r / queries, size));
        }
    });
  };
  const std::string network = "heads=1 width=16 depth=2 scale=log";
  const Precision in_bf16{unit_bf16, unit_bf16};
  for (const double size : {1.0, 0.3})
    EXPECT_EQ(said("dynamic_position_bias", network, random(1, size), in_bf16), Sentences{}) << size;
}

}  // namespace
}  // namespace posproof::deviations_of_biases_test
