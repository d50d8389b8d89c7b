// What is said of a backward pass that is wrong where the forward pass is right.
#include "gate/backward_cause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "gate/backward.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::backward_cause_test {
namespace {

using Sentences = std::vector<std::string>;
using Backward = Function<Tensor(const Rotary& forward, const Rotary& back, const Call& call)>;

Sentences said_of(const std::string& id, const std::string& setting, const Backward& backward) {
  const EncodingSpec& spec = encoding_named(id);
  const Parameters parameters = with(spec, Case::parse(setting));
  const Encoding truth = spec.oracle(parameters);
  const Rotary forward = spec.make<Rotary>(parameters), back = transposed(forward);
  const Subject subject{.name = "made",
                        .description = "",
                        .encoding = forward,
                        .precision = all_f32,
                        .backward = answered_by(forward, [=](const Call& call) {
                          Tensor out = backward(forward, back, call);
                          for (double& x : out.data) x = static_cast<float>(x);
                          return out;
                        })};
  const Verdict verdict = search(*trial(backward_agreement(truth), *subject.backward, all_f32),
                                 {.id = "backward_cause_test", .budget = {.cases = 300, .shrinks = 0}});
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return {std::string(name(verdict))};
  Sentences out;
  for (const Explanation& one : backward_causes(spec, id, parameters, subject, refuted->counterexample, 1,
                                                BudgetClock::time_point::max()))
    if (one.kind != Explanation::Kind::place) out.push_back(one.what);
  return out;
}

Tensor as_it_is(const Rotary& rotary, const Call& call) {
  return answer(rotary, call);
}

const std::string forward_again = "the gradient is rotated forward, as the forward pass rotates, not back";

TEST(BackwardCause, is_none_where_the_gradient_is_rotated_back) {
  for (const std::string setting : {"dim=8", "dim=8 layout=interleaved", "dim=8 scaling=yarn factor=4"})
    EXPECT_EQ(
        said_of("rope", setting,
                [](const Rotary&, const Rotary& back, const Call& call) { return as_it_is(back, call); }),
        Sentences{"holds"})
        << setting;
}

TEST(BackwardCause, is_a_gradient_that_is_rotated_forward) {
  const Backward wrong = [](const Rotary& forward, const Rotary&, const Call& call) {
    return as_it_is(forward, call);
  };
  for (const std::string setting : {"dim=8", "dim=8 layout=interleaved", "dim=8 rotary_dim=4",
                                    "dim=8 direction=backward", "dim=8 scaling=yarn factor=4"})
    EXPECT_EQ(said_of("rope", setting, wrong), Sentences{forward_again}) << setting;
  EXPECT_EQ(said_of("axial_rope", "dim=16", wrong), Sentences{forward_again});
}

TEST(BackwardCause, says_whose_gradient_is_rotated_forward) {
  for (const auto& [role, words] : {std::pair{Role::key, "keys: "}, {Role::query, "queries: "}})
    EXPECT_EQ(said_of("rope", "dim=8",
                      [role = role](const Rotary& forward, const Rotary& back, const Call& call) {
                        return as_it_is(call.role == role ? forward : back, call);
                      }),
              Sentences{words + forward_again});
}

// What else is known of calls, and what is measured of a rotation.
TEST(BackwardCause, is_what_is_known_of_a_subject) {
  EXPECT_EQ(said_of("rope", "dim=8",
                    [](const Rotary&, const Rotary&, const Call& call) { return call.contents.front(); }),
            Sentences{"in the backward pass: tokens stay as they are, as at position 0"});
  const EncodingSpec& spec = encoding_named("rope");
  const Rotary other = transposed(spec.make<Rotary>(with(spec, Case::parse("dim=8 base=500"))));
  EXPECT_EQ(
      said_of("rope", "dim=8",
              [other](const Rotary&, const Rotary&, const Call& call) { return as_it_is(other, call); }),
      Sentences{"in the backward pass: frequencies are base^(-2i/8) with base 500, not 10000"});
  EXPECT_EQ(said_of("axial_rope", "dim=16",
                    [](const Rotary&, const Rotary& back, const Call& call) {
                      Call other = call;
                      for (std::size_t n = 0; n < other.positions.whole.size(); n += 2)
                        std::swap(other.positions.whole[n], other.positions.whole[n + 1]);
                      return as_it_is(back, other);
                    }),
            Sentences{"in the backward pass: row and column are exchanged"});
}

// Of every second pair alone it is rotated forward: that is not what is said.
TEST(BackwardCause, is_not_said_of_what_it_does_not_explain) {
  const Sentences said =
      said_of("rope", "dim=8", [](const Rotary& forward, const Rotary& back, const Call& call) {
        Tensor out = as_it_is(back, call);
        const Tensor again = as_it_is(forward, call);
        for (std::size_t r = 0; r < out.rows(); ++r)
          for (const std::size_t c : {0, 4}) out.at(r, c) = again.at(r, c);
        return out;
      });
  EXPECT_EQ(std::ranges::find(said, forward_again), said.end());
}

}  // namespace
}  // namespace posproof::backward_cause_test
