#include "core/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/generators.h"
#include "testing/holds_for.h"

namespace posproof::verdict_test {

using namespace posproof::testing;

TEST(Holds, merges_as_if_all_cases_were_added_one_by_one) {
  EXPECT_TRUE(holds_for([] {
    const auto all = *rc::gen::container<std::vector<Residual>>(
        rc::gen::suchThat(any_residual(), [](const Residual& r) { return r.holds(); }));
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, all.size() + 1);
    Holds whole, first, second;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Case at;
      at.set("i", static_cast<double>(i));
      whole.add(all[i], at);
      (i < cut ? first : second).add(all[i], at);
    }
    first.add(second);
    double largest = 0;
    std::size_t vacuous = 0;
    for (const Residual& r : all) {
      vacuous += r.vacuous();
      if (!r.vacuous()) largest = std::max(largest, r.error_over_bound());
    }
    RC_ASSERT(first.cases == all.size() && whole.cases == all.size());
    RC_ASSERT(first.vacuous == vacuous && whole.vacuous == vacuous);
    RC_ASSERT(first.worst.error_over_bound() == largest);
    RC_ASSERT(first.learned() == whole.learned());
    RC_ASSERT(first.worst_at == whole.worst_at);
    RC_ASSERT(first.worst.error_over_bound() == whole.worst.error_over_bound());
  }));
}

}  // namespace posproof::verdict_test
