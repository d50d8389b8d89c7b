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

}  // namespace
}  // namespace posproof::drawn_call_test
