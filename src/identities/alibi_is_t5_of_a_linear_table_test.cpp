#include "catalogue/identities/alibi_is_t5_of_a_linear_table.h"

#include <gtest/gtest.h>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/t5_bias.h"
#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::alibi_is_t5_of_a_linear_table_test {
namespace {

// The bias of 17 positions is -17/256 where there is one head: the left side's own bound, the rounding of the
// exact answer to double, and on the right side a rounded slope and its product.
TEST(AlibiIsT5OfALinearTable, allows_what_both_sides_lose) {
  const Identity& identity = identities::alibi_is_t5_of_a_linear_table;
  const Parameters words = with(encodings::alibi, Case::parse("heads=1"));
  const Arguments parameters(encodings::alibi.parameters, words);
  const Encoding left = encodings::alibi.oracle(words),
                 right = encodings::t5_bias.oracle(identity.right_of(parameters).value());
  const Call call{.positions = {.whole = {20}}, .keys = {.whole = {3}}};
  const Tensor bias({1, 1, 1}, {-17.0 / 256});
  Replay draw(Case::parse("nq=1 nk=1 i=20 j=3"));
  const Residual found = identity.check({left, left, right, parameters, all_f64}, draw);
  EXPECT_EQ(found.error, 0);
  EXPECT_DOUBLE_EQ(found.bound,
                   bound(left, call, bias, all_f64).error.data[0] + (1 + 2) * unit_f64 * 17 / 256);
}

}  // namespace
}  // namespace posproof::alibi_is_t5_of_a_linear_table_test
