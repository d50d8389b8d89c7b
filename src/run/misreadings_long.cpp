// Every misreading of a formula is refuted at its setting, and named in these words alone; what lies between
// it and the right formula is not.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/call.h"
#include "run/testing/misread.h"

namespace posproof {
namespace {

TEST(Misread, each_is_named) {
  for (const auto& [id, family] : catalogue::misreadings())
    for (const Misreading& one : family->misreadings) testing::expect_named(std::string(id), one);
}

// Seven eighths of a misread answer and one of the right one.
TEST(Misread, near_each_is_another) {
  for (const auto& [id, family] : catalogue::misreadings())
    for (const Misreading& one : family->misreadings) {
      const Parameters parameters = testing::parameters_of(std::string(id), one.setting);
      const Encoding misread = one.make(parameters), right = encoding_named(id).make(parameters);
      const Encoding near = answered_by(misread, [misread, right](const Call& call) {
        Tensor out = answer(misread, call);
        const Tensor other = answer(right, call);
        for (std::size_t n = 0; n < out.data.size(); ++n)
          if (out.data[n] != other.data[n]) out.data[n] = (7 * out.data[n] + other.data[n]) / 8;
        return out;
      });
      const testing::Sentences said = testing::said_of(std::string(id), parameters, near);
      EXPECT_EQ(std::ranges::count(said, one.what), 0) << id << ": " << parameters.text();
    }
}

}  // namespace
}  // namespace posproof
