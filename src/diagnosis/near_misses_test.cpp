// What is near to a defect or to a convention, and is neither, has no name.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/testing/diagnosed.h"

namespace posproof::near_misses_test {
namespace {

using testing::asked_for;
using testing::at;
using testing::Diagnosed;
using testing::Names;
using testing::names_something;
using testing::of_other;
using testing::Spoil;
using testing::spoiled;

struct Near {
  std::string what;
  testing::Make make;
};

void expect_no_name(const std::string& family, const std::string& words, const std::vector<Near>& all) {
  for (const Near& one : all) EXPECT_EQ((Diagnosed{family, words, one.make}.names()), Names{}) << one.what;
}

// Rows of x as a call of a rotary has them: [batch, heads, n].
struct Row {
  std::size_t batch, head, token;
};
Spoil left_alone(Function<bool(const Call&, Row, std::size_t tokens)> is_left) {
  return [=](const Call& call, Tensor& out) {
    const Tensor& x = call.contents.front();
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (is_left(call, {r / n / heads, r / n % heads, r % n}, n))
        std::ranges::copy(x.row(r), out.row(r).begin());
  };
}

TEST(DiagnosisOfNearMisses, of_rope_is_none) {
  const std::string id = "rope";
  expect_no_name(
      id, "dim=8 heads=3",
      {{"another base", of_other(id, "base=10100")},
       {"a base of 1000", of_other(id, "base=1000")},
       {"two conventions at once", of_other(id, "layout=interleaved direction=backward")},
       {"two positions ahead", asked_for(id, at([](Position t) { return t + 2; }))},
       {"one position behind", asked_for(id, at([](Position t) { return t - 1; }))},
       {"three times the position", asked_for(id, at([](Position t) { return 3 * t; }))},
       {"clamped at 3000", asked_for(id, at([](Position t) { return std::min<Position>(t, 3000); }))},
       {"wrapped at 32768", asked_for(id, at([](Position t) { return t % 32768; }))},
       {"queries in bf16", asked_for(id,
                                     [](Call& call) {
                                       if (call.role != Role::query) return;
                                       for (Position& t : call.positions.whole)
                                         t = static_cast<Position>(to_bf16(static_cast<double>(t)));
                                     })},
       {"keys one position ahead", asked_for(id,
                                             [](Call& call) {
                                               for (Position& t : call.positions.whole)
                                                 t += call.role == Role::key ? 1 : 0;
                                             })},
       {"one position ahead in calls of one row", asked_for(id,
                                                            [](Call& call) {
                                                              for (Position& t : call.positions.whole)
                                                                t += call.batch == 1 ? 1 : 0;
                                                            })},
       {"the middle head left alone",
        spoiled(id, left_alone([](const Call&, Row row, std::size_t) { return row.head == 1; }))},
       {"odd tokens left alone",
        spoiled(id, left_alone([](const Call&, Row row, std::size_t) { return row.token % 2 == 1; }))},
       {"what is left of 32 tokens left alone",
        spoiled(id, left_alone([](const Call&, Row row, std::size_t n) {
                  return n > 32 && row.token >= n / 32 * 32;
                }))},
       {"a thousandth too long", spoiled(id,
                                         [](const Call&, Tensor& out) {
                                           for (double& value : out.data) value *= 1.001;
                                         })},
       {"one position ahead and one channel off",
        asked_for(id, at([](Position t) { return t + 1; }), [](const Call&, Tensor& out) {
          for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, 7) += 1e-3;
        })}});
}

TEST(DiagnosisOfNearMisses, of_sinusoidal_is_none) {
  const std::string id = "sinusoidal";
  expect_no_name(id, "dim=6",
                 {{"offset 3", of_other(id, "offset=3")},
                  {"a base of 1000", of_other(id, "base=1000")},
                  {"three quarters of the amplitude", of_other(id, "amplitude=0.75")},
                  {"two conventions at once", of_other(id, "layout=sin_cos divisor=half_minus_one")},
                  {"twice the position", asked_for(id, at([](Position t) { return 2 * t; }))},
                  {"a single token at 1", asked_for(id,
                                                    [](Call& call) {
                                                      if (call.positions.whole.size() == 1)
                                                        call.positions.whole = {1};
                                                    })},
                  {"the last column is 0", spoiled(id,
                                                   [](const Call&, Tensor& out) {
                                                     for (std::size_t r = 0; r < out.rows(); ++r)
                                                       out.at(r, 5) = 0;
                                                   })},
                  {"zeros past position 1000", spoiled(id, [](const Call& call, Tensor& out) {
                     for (std::size_t r = 0; r < out.rows(); ++r)
                       if (call.positions.whole[r] > 1000) std::ranges::fill(out.row(r), 0.0);
                   })}});
}

// The entry of a bias, from itself, its head, and the positions of its query and key.
Spoil entries(Function<double(double entry, std::size_t head, Position i, Position j)> other) {
  return [=](const Call& call, Tensor& out) {
    const auto &i = call.positions.whole, &j = call.keys.whole;
    for (std::size_t e = 0; e < out.data.size(); ++e)
      out.data[e] =
          other(out.data[e], e / (i.size() * j.size()), i[e / j.size() % i.size()], j[e % j.size()]);
  };
}

TEST(DiagnosisOfNearMisses, of_alibi_is_none) {
  const std::string id = "alibi";
  using At = Position;
  EXPECT_EQ((Diagnosed{id, "heads=12", of_other(id, "max_bias=7")}.names()), Names{"--max_bias 7"});
  expect_no_name(
      id, "heads=12",
      {{"slopes of a maximum of 7.3", of_other(id, "max_bias=7.3")},
       {"slopes a hundredth too large",
        spoiled(id, entries([](double b, std::size_t, At, At) { return b * 1.01; }))},
       {"distant keys favoured by the first head",
        spoiled(id, entries([](double b, std::size_t head, At, At) { return head == 0 ? -b : b; }))},
       {"the last head without a bias",
        spoiled(id, entries([](double b, std::size_t head, At, At) { return head == 11 ? 0 : b; }))},
       {"entries in bf16", spoiled(id, entries([](double b, std::size_t, At, At) { return to_bf16(b); }))},
       {"distances up to 1000", spoiled(id, entries([](double b, std::size_t, At i, At j) {
                                          return i - j <= 1000 ? b : b * 1000 / static_cast<double>(i - j);
                                        }))}});
}

TEST(DiagnosisOfNearMisses, of_t5_bias_is_none) {
  const std::string id = "t5_bias";
  expect_no_name(
      id, "heads=2 table=seeded",
      {{"a cap at 96", of_other(id, "max_distance=96")},
       {"one bucket more on a side", of_other(id, "buckets=34")},
       {"another seed", of_other(id, "table_seed=3")},
       {"queries one position ahead", asked_for(id, at([](Position t) { return t + 1; }))},
       {"the heads change places", spoiled(id,
                                           [](const Call&, Tensor& out) {
                                             const auto half =
                                                 static_cast<std::ptrdiff_t>(out.data.size() / 2);
                                             std::rotate(out.data.begin(), out.data.begin() + half,
                                                         out.data.end());
                                           })},
       {"the last bucket is 0", spoiled(id, entries([](double b, std::size_t, Position i, Position j) {
                                          return i - j > 128 ? 0 : b;
                                        }))}});
}

TEST(DiagnosisOfNearMisses, of_learned_is_none) {
  const std::string id = "learned";
  const auto clamped = [](Position t) { return std::clamp<Position>(t, 0, 509); };
  expect_no_name(id, "dim=2 length=512 offset=2",
                 {{"one row ahead", asked_for(id, at([=](Position t) { return clamped(t + 1); }))},
                  {"three rows behind", asked_for(id, at([=](Position t) { return clamped(t - 3); }))},
                  {"half the position", asked_for(id, at([](Position t) { return t / 2; }))},
                  {"a single token at 1", asked_for(id,
                                                    [](Call& call) {
                                                      if (call.positions.whole.size() == 1)
                                                        call.positions.whole = {1};
                                                    })},
                  {"columns change places", spoiled(id, [](const Call&, Tensor& out) {
                     for (std::size_t r = 0; r < out.rows(); ++r) std::swap(out.at(r, 0), out.at(r, 1));
                   })}});
}

// One frequency has the columns of the coordinate and of the first frequency, which are right, and no others.
TEST(DiagnosisOfNearMisses, of_fewer_columns_is_none) {
  const Diagnosed wrong{"nerf", "frequencies=3 factor=one input=first", [](const Parameters& p) {
                          Table table = as<Table>(encoding_named("nerf").make(p));
                          table.rows = [own = table.rows](const Positions& positions, Position length) {
                            Tensor rows = own(positions, length);
                            for (std::size_t r = 0; r < rows.rows(); ++r)
                              for (std::size_t c = 3; c < rows.width(); ++c) rows.at(r, c) *= 1 + 0x1p-10;
                            return rows;
                          };
                          return Encoding(table);
                        }};
  EXPECT_EQ(wrong.names(), Names{});
}

// What answers nothing is explained by nothing.
TEST(DiagnosisOfNearMisses, of_what_declines_or_raises_is_none) {
  const auto raising = [](const Parameters& parameters) {
    return answered_by(encoding_named("rope").oracle(parameters),
                       [](const Call&) -> Tensor { throw std::runtime_error("no"); });
  };
  EXPECT_EQ((Diagnosed{"rope", "dim=4", raising}.names()), Names{});
  const auto declining = [](const Parameters& parameters) {
    return answered_by(encoding_named("rope").oracle(parameters),
                       [](const Call&) -> Tensor { throw Refusal("no"); });
  };
  EXPECT_EQ((Diagnosed{"rope", "dim=4", declining}.names()), Names{});
}

// Right but for the case that refuted it: no candidate stands that does not explain that one.
TEST(DiagnosisOfNearMisses, does_not_stand_where_the_counterexample_is_not_explained) {
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=4"));
  const Encoding right = rope.oracle(parameters);
  const Subject subject{"made", "",
                        answered_by(right,
                                    [right](Call call) {
                                      const bool refuting =
                                          call.positions.whole == std::vector<Position>{777777};
                                      for (Position& t : call.positions.whole) t += refuting ? 5 : 1;
                                      return answer(right, call);
                                    }),
                        all_f32};
  const auto names = [&](std::string_view counterexample) {
    Names out;
    for (const Explanation& one : diagnose(rope, "rope", parameters, subject, Case::parse(counterexample), 1))
      if (names_something(one)) out.push_back(one.what);
    return out;
  };
  EXPECT_EQ(names("batch=1 tokens=1 t=777777 role=query x=[1,0,0,0]"), Names{});
  EXPECT_EQ(names("batch=1 tokens=1 t=777778 role=query x=[1,0,0,0]"), Names{"rope/one_position_ahead"});
}

}  // namespace
}  // namespace posproof::near_misses_test
