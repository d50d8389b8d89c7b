// Single calls of a sequence, drawn for an encoding.
#include <gtest/gtest.h>

#include <string>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/draw.h"
#include "gate/history_calls.h"
#include "run/catalogued.h"

namespace posproof::drawn_call_test {
namespace {

// An operator that is causal is asked with no other mask.
TEST(DrawnCall, of_a_causal_operator_has_a_causal_mask) {
  const auto is_drawn = [](const std::string& family, const std::string& words, const std::string& mask) {
    const EncodingSpec& spec = encoding_named(family);
    const Encoding all = attention::in_every_kind(spec.make(with(spec, Case::parse(words)))).back();
    const auto& own = as<Attention>(all);
    Case drawn = Case::parse("n=3 mask=" + mask);
    for (const char* name : {"q", "k", "v"})
      drawn.set(name, std::vector<double>(name[0] == 'v' ? own.value_dim : own.dim, 0.5));
    Replay draw(drawn);
    try {
      const Call call = histories::drawn_call({all, positions_of(all)}, draw, "");
      EXPECT_EQ(call.mask.at(0, 2), mask == "causal" ? 0 : 1);
      return true;
    } catch (const NoAnswer&) {
      return false;
    }
  };
  EXPECT_TRUE(is_drawn("none", "dim=4", "none"));
  EXPECT_TRUE(is_drawn("none", "dim=4", "causal"));
  EXPECT_TRUE(is_drawn("forgetting_transformer", "dim=4", "causal"));
  EXPECT_FALSE(is_drawn("forgetting_transformer", "dim=4", "none"));
}

// Tokens that are mixed up differ.
TEST(DrawnCall, has_one_vector_that_is_moved_on_and_halved_from_token_to_token) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding rope = spec.make(with(spec, Case::parse("dim=4")));
  Replay draw(Case::parse("n=5 step=1 t=0 batch=1 role=query x=[1,2,4,8]"));
  const Tensor x = histories::drawn_call({rope, positions_of(rope)}, draw, "").contents.front();
  EXPECT_EQ(
      x, Tensor({1, 1, 5, 4}, {1, 2, 4, 8, 1, 2, 4, 0.5, 1, 2, 0.25, 0.5, 1, 0.125, 0.25, 0.5, 1, 2, 4, 8}));
}

// Three tokens two apart take five positions; of four they stand side by side.
TEST(DrawnCall, is_cut_to_what_the_domain_has) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding rope = spec.make(with(spec, Case::parse("dim=4")));
  const auto step = [&](Position last, std::int64_t n) {
    const histories::Callee of{rope, Domain(0, last)};
    return histories::case_of(of, {{.t = 0, .n = n, .step = 2}}, 0).integer("step");
  };
  EXPECT_EQ(step(4, 3), 2);
  EXPECT_EQ(step(3, 3), 1);
}

}  // namespace
}  // namespace posproof::drawn_call_test
