// That the options of a gate reach the subject and the search.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "core/formats.h"
#include "gate/testing/gated.h"
#include "run/agreement.h"

namespace posproof::gate_options_test {
namespace {

using namespace gated;
using std::chrono::milliseconds;

TEST(GateOptions, progress_counts_the_properties) {
  GateOptions options{.budget = {.cases = 2}, .filter = "rotary/"};
  std::vector<std::size_t> numbers;
  std::size_t all = 0;
  options.progress = [&](std::string_view, std::size_t number, std::size_t of) {
    numbers.push_back(number);
    all = of;
  };
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=6"));
  gate(
      "rope", rope, parameters,
      [&](const Expected& one) {
        return Subject{"made", "", rope.make(one.parameters), all_f64};
      },
      options);
  ASSERT_GE(all, 2u);
  ASSERT_EQ(numbers.size(), all);
  for (std::size_t n = 0; n < all; ++n) EXPECT_EQ(numbers[n], n + 1);
}

TEST(GateOptions, reach_the_subject_and_the_search) {
  GateOptions options{.budget = {.cases = 5}, .filter = "rotary/is_linear", .call_time = milliseconds(1234)};
  options.sandbox = true;
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=6"));
  std::vector<Expected> expected;
  std::vector<std::string> steps;
  options.progress = [&](std::string_view id, std::size_t number, std::size_t of) {
    steps.push_back(std::string(id) + " " + std::to_string(number) + "/" + std::to_string(of));
  };
  const auto opening = [&](const Expected& one) {
    expected.push_back(one);
    return Subject{"made", "", rope.make(one.parameters), all_f64};
  };
  const GateResult found = gate("rope", rope, parameters, opening, options);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected[0].encoding, "rope");
  EXPECT_EQ(expected[0].parameters, parameters);
  EXPECT_EQ(expected[0].call_time, milliseconds(1234));
  EXPECT_TRUE(expected[0].sandbox);
  ASSERT_EQ(expected[0].declared.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Rotary>(expected[0].declared[0]));
  EXPECT_EQ(verdict<Holds>(found, "rotary/is_linear").cases, 5u);
  EXPECT_EQ(steps, Texts{"rotary/is_linear 1/1"});
  EXPECT_EQ(found.encoding, "rope");
  EXPECT_EQ(found.parameters, parameters);
}

TEST(GateOptions, bits_are_observed_where_time_is_left) {
  const auto observed = [](milliseconds total) {
    return Gated{"alibi", "heads=2"}
        .with_options({.budget = {.cases = 1}, .filter = "", .total = total})
        .observed;
  };
  EXPECT_FALSE(observed(milliseconds(0)));
  const auto found = observed(milliseconds(120000));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->repeated.calls, 25u);  // of 28, three of which are empty
}

// The distance stands for the query's position: the search shrinks to where that makes little difference, and
// what allows so much does not allow the rest.
TEST(GateOptions, a_precision_that_explains_the_few_answers_of_a_search_is_asked_for_others) {
  const Gated wrong{
      "fire", "heads=4 threshold=64",
      [](const Encoding& right, const Call& call) {
        Tensor out = answer(right, call);
        const std::size_t nq = call.positions.whole.size(), nk = call.keys.whole.size();
        for (std::size_t i = 0; i < nq; ++i)
          for (std::size_t j = 0; j < nk; ++j) {
            Call alone = call;
            alone.positions.whole = {std::max<Position>(call.positions.whole[i] - call.keys.whole[j], 0)};
            alone.keys.whole = {0};
            const Tensor one = answer(right, alone);
            for (std::size_t h = 0; h < 4; ++h) out.at(h * nq + i, j) = one.data[h];
          }
        for (double& entry : out.data) entry = static_cast<float>(entry);
        return out;
      },
      [](Subject& subject) { subject.precision = all_f32; }};
  const GateResult found = wrong.with_options({.filter = std::string(agreement_id)});
  ASSERT_TRUE(found.refuted());
  EXPECT_EQ(found.seeming.word, "") << found.seeming.share;
  EXPECT_GT(found.seeming.answers, 0u);
}

// Cosines and sines are in bf16, which the first answers show and all that the search shrinks; tokens at the
// last position of all stand still.
TEST(GateOptions, a_precision_that_explains_the_first_answers_does_not_explain_those_far_away) {
  const auto word = [](Position far) {
    Gated wrong{"rope", "dim=8"};
    wrong.change = [far](Subject& subject) {
      auto& rope = as<Rotary>(subject.encoding);
      rope.rotate = [far, pairs = rope.pairs](const Tensor& x, const Positions& positions, Role) {
        Tensor y = x;
        const std::size_t n = x.shape[2];
        for (std::size_t r = 0; r < x.rows(); ++r)
          for (const Pair& pair : pairs) {
            const double t = positions.at(r / n * n + r % n),
                         angle = (t < static_cast<double>(far) ? t : 0) * pair.frequency;
            const double c = to_bf16(std::cos(angle)), s = to_bf16(std::sin(angle));
            const double a = x.at(r, pair.first), b = x.at(r, pair.second);
            y.at(r, pair.first) = to_f32(to_f32(a * c) - to_f32(b * s));
            y.at(r, pair.second) = to_f32(to_f32(a * s) + to_f32(b * c));
          }
        return y;
      };
      subject.precision = all_f32;
    };
    const GateResult found = wrong.with_options({.filter = std::string(agreement_id)});
    EXPECT_TRUE(found.refuted());
    EXPECT_EQ(found.seeming.share > 0, !found.seeming.word.empty());
    return found.seeming.word;
  };
  EXPECT_EQ(word(Position{1} << 40), "f32+table=bf16");
  EXPECT_EQ(word(Position{1} << 20), "");
}

// Every other position is rotated by too much, which the first calls show; then each takes a millisecond.
TEST(GateOptions, shrinking_ends_with_the_time_of_the_run) {
  const auto shrinks = [](milliseconds total) -> std::uint64_t {
    using Clock = std::chrono::steady_clock;
    int calls = 0;
    const Gated wrong{"rope", "dim=8", [&calls](const Encoding& right, const Call& call) {
                        const auto until = Clock::now() + milliseconds(++calls > 12 && calls < 120 ? 1 : 0);
                        while (Clock::now() < until) continue;
                        Call other = call;
                        for (Position& t : other.positions.whole) t += t % 2;
                        return answer(right, other);
                      }};
    const std::string id = "score/depends_on_offset";
    const GateResult found = wrong.with_options({.budget = {.shrinks = 60}, .filter = id, .total = total});
    const auto* refuted = std::get_if<Refuted>(&asking(found, id)->verdict);
    return refuted == nullptr ? 0 : refuted->shrinks;  // where the machine is busy it is not found in time
  };
  EXPECT_GT(shrinks(milliseconds(600000)), 50u);
  EXPECT_LE(shrinks(milliseconds(30)), 40u);
}

TEST(GateOptions, a_seed_draws_its_own_cases_and_the_same_again) {
  const auto asked = [](std::uint64_t seed) {
    std::vector<Position> seen;
    Gated listening{"rope", "dim=4", [&](const Encoding& right, const Call& call) {
                      seen.insert(seen.end(), call.positions.whole.begin(), call.positions.whole.end());
                      return answer(right, call);
                    }};
    GateOptions options{.seed = seed, .budget = {.cases = 10}, .filter = "rotary/is_linear"};
    listening.with_options(options);
    return seen;
  };
  EXPECT_EQ(asked(1), asked(1));
  EXPECT_NE(asked(1), asked(2));
}

TEST(GateOptions, two_heads_are_those_of_a_rotation_alone) {
  GateOptions options{.budget = {.cases = 5}, .filter = std::string(agreement_id)};
  std::size_t opened = 0;
  std::optional<std::array<std::size_t, 2>> own_heads;
  const auto heads = [&](bool two, std::string encoding, std::string parameters, bool live = true) {
    options.two_heads = two;
    opened = 0;
    Gated one{std::move(encoding), std::move(parameters)};
    const EncodingSpec& spec = one.spec();
    const GateResult found = gate(
        one.encoding, spec, one.all(),
        [&](const Expected& expected) {
          ++opened;
          return Subject{.name = "made",
                         .description = "",
                         .encoding = spec.make(expected.parameters),
                         .precision = all_f64,
                         .live = live,
                         .own_heads = own_heads};
        },
        options);
    EXPECT_FALSE(found.refuted() || found.undecided()) << not_holding(found);
    const bool said =
        std::ranges::count(found.skipped,
                           "heads from 2 on: heads 0 and 1 are asked for; `--heads` says how many") == 1;
    EXPECT_EQ(said, two && live && one.encoding == "rope" && !own_heads);
    return found.parameters.integer("heads");
  };
  EXPECT_EQ(heads(true, "rope", "dim=4"), 2);
  EXPECT_EQ(heads(false, "rope", "dim=4"), 1);
  EXPECT_EQ(heads(true, "rope", "dim=4", false), 1);
  EXPECT_EQ(opened, 2u) << "with two heads, and with its own";
  EXPECT_EQ(heads(true, "alibi", "heads=3"), 3);
  EXPECT_EQ(opened, 1u);
  own_heads = {2, 8};  // all that it has
  EXPECT_EQ(heads(true, "rope", "dim=4"), 8);
  EXPECT_EQ(heads(false, "rope", "dim=4 heads=3"), 3);
  own_heads = {2, 65};
  EXPECT_EQ(heads(true, "rope", "dim=4"), 65);
  own_heads = {1025, 8};  // of 4 channels each: more than there is room for
  EXPECT_EQ(heads(true, "rope", "dim=4"), 2);
  own_heads = {1, 1};
  EXPECT_EQ(heads(true, "rope", "dim=4"), 2);
}

TEST(GateOptions, exhaustive_adds_every_position_to_what_was_searched) {
  GateOptions options{.budget = {.cases = 7}, .filter = std::string(agreement_id)};
  options.positions = std::pair{Position{0}, Position{9999}};
  const Gated right{"rope", "dim=4"};
  const GateResult sample = right.with_options(options);
  EXPECT_FALSE(sample.accuracy.has_value());
  options.exhaustive = true;
  const GateResult all = right.with_options(options);
  ASSERT_TRUE(all.accuracy.has_value());
  EXPECT_EQ(all.accuracy->rows, 10000u);
  EXPECT_EQ(verdict<Holds>(all, agreement_id).cases, verdict<Holds>(sample, agreement_id).cases + 10000);
}

// The errors of all positions are shown beside the counterexample of a sample.
TEST(GateOptions, exhaustive_measures_what_a_search_refutes) {
  GateOptions options{.budget = {.cases = 3, .shrinks = 5}, .filter = std::string(agreement_id)};
  options.positions = std::pair{Position{0}, Position{99}};
  const Gated wrong{"rope", "dim=4",
                    [](const Encoding& right, const Call& call) { return all_zero(answer(right, call)); }};
  EXPECT_FALSE(wrong.with_options(options).accuracy.has_value());
  options.exhaustive = true;
  const GateResult found = wrong.with_options(options);
  ASSERT_TRUE(found.accuracy.has_value());
  EXPECT_EQ(found.accuracy->rows, 100u);
  EXPECT_TRUE(found.refuted());
}

// What only the walk over all positions sees, and what the search saw before.
TEST(GateOptions, exhaustive_refutes_what_a_sample_misses) {
  GateOptions options{.budget = {.cases = 3}, .filter = std::string(agreement_id)};
  options.positions = std::pair{Position{0}, Position{19999}};
  const Gated wrong{"rope", "dim=4", [](const Encoding& right, const Call& call) {
                      Tensor out = answer(right, call);
                      const std::vector<Position>& at = call.positions.whole;
                      for (std::size_t r = 0; r < out.rows(); ++r)
                        if (at[r % at.size()] == 12347) std::ranges::fill(out.row(r), 0.0);
                      return out;
                    }};
  EXPECT_FALSE(wrong.with_options(options).refuted());
  options.exhaustive = true;
  const GateResult found = wrong.with_options(options);
  EXPECT_EQ(verdict<Refuted>(found, agreement_id).counterexample.integer("t"), 12347);
  ASSERT_EQ(found.explanations.size(), 1u);
  EXPECT_EQ(found.explanations.front().what, "at position 12347 alone: the answer is 0");
}

}  // namespace
}  // namespace posproof::gate_options_test
