// What the options of the Python SDK's serve() say of a subject, and what its functions are asked because of
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "subject/testing/subjects.h"

namespace posproof::sdk_options_test {
namespace {

using testing::expected;
using testing::thrown;

std::string one_line(const std::string& program) {
  return testing::python("src/subject/testing/one_line.py", fmt::format("'{}'", program));
}

Domain domain(const std::string& program, Encoding declared, std::string_view parameters) {
  return positions_of(open(one_line(program), expected(std::move(declared), parameters)).encoding);
}

// A format of x of its own is said beside the precision, which stays what it was said to be.
TEST(SdkOptions, a_format_of_contents_is_added_to_the_precision) {
  const auto word = [](const std::string& options) {
    const std::string program = fmt::format("serve(rotate=lambda x, at: x, dtype=\"f32\"{})", options);
    return open(one_line(program), expected(Rotary{.dim = 2}, "dim=2")).precision.word();
  };
  EXPECT_EQ(word(", takes=\"bf16\""), "f32+input=bf16");
  EXPECT_EQ(word(", takes=\"bf16\", precision=\"f32/f64\""), "f32/f64+input=bf16");
  EXPECT_EQ(word(", precision=\"f32/f64\""), "f32/f64");
}

// A call whose frequencies depend on its length is as long as its last position, from 0 on.
TEST(SdkOptions, an_offset_ends_where_a_call_is_as_long_as_its_last_position) {
  const std::string program = "serve(rotate=lambda x, first: x, takes_positions=\"offset\")";
  const std::string words = "dim=2 scaling=dynamic_ntk length_of=batch length=";
  EXPECT_EQ(domain(program, Rotary{.dim = 2}, words + "0").hi, 2047);
  EXPECT_GT(domain(program, Rotary{.dim = 2}, words + "4096").hi, 2047);
}

// Whole sequences of a window or a grid: the longest axis ends it, and posproof ends the others.
TEST(SdkOptions, whole_sequences_of_a_grid_end_with_its_longest_axis) {
  Bias window{.heads = 1};
  window.positions.axes = 2;
  const Domain of_window =
      domain("serve(bias=lambda nq, nk: np.zeros((1, nq, nk), np.float32), takes_positions=\"sequence\")",
             window, "heads=1 axes=rows_and_columns height=2 width=3");
  EXPECT_EQ(of_window.hi, 2);
  EXPECT_TRUE(of_window.ends);
  Table grid{.dim = 2};
  grid.positions.axes = 2;
  const std::string rows = "serve(rows=lambda n: np.zeros((n, 2), np.float32), takes_positions=\"sequence\")";
  EXPECT_EQ(domain(rows, grid, "dim=2 grid=[4,3] coordinates=whole").hi, 3);
  EXPECT_EQ(domain(rows, grid, "dim=2 grid=[4,3] normalize=none").hi, 3);
}

// What it was given is changed, and what comes back lies elsewhere: in a block of 64 MiB, which the system
// maps above all small ones.
TEST(SdkOptions, memory_behind_what_was_given_is_no_answer_in_place) {
  const std::string words = one_line(
      "big = np.zeros(1 << 24, np.float32); "
      "serve(rotate=lambda x, at: (np.multiply(x, 2, out=x), big[:x.size].reshape(x.shape))[1])");
  const Subject subject = open(words, expected(Rotary{.dim = 2}, "dim=2"));
  const std::vector<Position> at = {3};
  EXPECT_NE(thrown(words,
                   [&] {
                     as<Rotary>(subject.encoding).rotate(Tensor({1, 1, 1, 2}, {1, 2}), at, Role::query);
                   })
                .find("changed `x`"),
            std::string::npos);
}

TEST(SdkOptions, a_list_may_hold_numbers_of_python_beside_those_of_numpy) {
  const Subject numbers =
      open(one_line("serve(rows=lambda at: [[0.5, np.float32(2)]])"), expected(Table{.dim = 2}, "dim=2"));
  EXPECT_EQ(testing::rows(numbers, {7}), Tensor({1, 2}, {0.5, 2}));
}

}  // namespace
}  // namespace posproof::sdk_options_test
