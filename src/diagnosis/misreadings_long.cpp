// Every misreading of a formula is refuted at its setting, and named in these words alone; what lies between
// it and the right formula is not.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/call.h"
#include "diagnosis/testing/misread.h"

namespace posproof {
namespace {

class EachMisread : public ::testing::TestWithParam<catalogue::Entry<MisreadingFamily>> {};
INSTANTIATE_TEST_SUITE_P(all, EachMisread, ::testing::ValuesIn(catalogue::misreadings()),
                         [](const auto& of) { return std::string(of.param.id); });

TEST_P(EachMisread, is_named) {
  const auto& [id, family] = GetParam();
  for (const Misreading& one : family->misreadings) testing::expect_named(std::string(id), one);
}

// Seven eighths of a misread answer and one of the right one.
TEST_P(EachMisread, is_another_than_what_is_near) {
  const std::string id(GetParam().id);
  for (const Misreading& one : GetParam().value->misreadings) {
    const Parameters parameters = testing::parameters_of(id, one.setting);
    const Encoding misread = one.make(parameters), right = encoding_named(id).make(parameters);
    const Encoding near = answered_by(misread, [misread, right](const Call& call) {
      Tensor out = answer(misread, call);
      const Tensor other = answer(right, call);
      for (std::size_t n = 0; n < out.data.size(); ++n)
        if (out.data[n] != other.data[n]) out.data[n] = (7 * out.data[n] + other.data[n]) / 8;
      return out;
    });
    const testing::Sentences said = testing::said_of(id, parameters, near);
    EXPECT_EQ(std::ranges::count(said, one.what), 0) << id << ": " << parameters.text();
  }
}

}  // namespace
}  // namespace posproof
