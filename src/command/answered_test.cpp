#include "command/answered.h"

#include <gtest/gtest.h>

namespace posproof::command::command_answered_test {
namespace {

TEST(AsAnswered, is_said_of_files_alone) {
  const Parameters interleaved = Case::parse("dim=8 layout=interleaved output_layout=half_split"),
                   half_split = Case::parse("dim=8 layout=half_split output_layout=as_taken"),
                   as_taken = Case::parse("dim=8 layout=interleaved output_layout=as_taken"),
                   of_neither = Case::parse("dim=8");
  EXPECT_EQ(as_answered(interleaved), half_split);
  EXPECT_EQ(as_answered_by("table:cos.npy,sin.npy", interleaved), half_split);
  for (const std::string_view program : {"cmd:./table:x", "lib:x.so", ""})
    EXPECT_EQ(as_answered_by(program, interleaved), interleaved) << program;
  for (const Parameters& other : {half_split, as_taken, of_neither}) EXPECT_EQ(as_answered(other), other);
}

}  // namespace
}  // namespace posproof::command::command_answered_test
