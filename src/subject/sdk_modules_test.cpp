// What serve_module() of the Python SDK makes of a function or a tensor that is written in a line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "subject/testing/subjects.h"

namespace posproof::sdk_modules_test {
namespace {

using testing::thrown;

std::string served(const std::string& module, const std::string& options = "") {
  return testing::python(
      "src/subject/testing/one_line.py",
      fmt::format("'import torch; from posproof_subject import serve_module; serve_module({}{})'", module,
                  options));
}

Expected asked(std::string encoding, std::string_view parameters, Encoding declared) {
  return {.encoding = std::move(encoding),
          .parameters = Case::parse(parameters),
          .declared = {std::move(declared)}};
}

#define NEEDS_TORCH \
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch"

// Entry (head, i, j) is 100 h + 10 i + j.
TEST(SdkModules, a_table_of_a_bias_has_rows_of_queries_and_columns_of_keys) {
  NEEDS_TORCH;
  const std::string table =
      "100.0 * torch.arange(2)[:, None, None] + 10 * torch.arange(8)[:, None] + torch.arange(8)";
  const Subject subject = open(served(table), asked("alibi", "heads=2", Bias{.heads = 2}));
  const std::vector<Position> queries = {1, 6}, keys = {0, 3};
  EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys),
            Tensor({2, 2, 2}, {10, 13, 60, 63, 110, 113, 160, 163}));
}

TEST(SdkModules, a_table_of_a_bias_may_have_one_row_for_all_queries) {
  NEEDS_TORCH;
  const Subject subject =
      open(served("torch.arange(16.0).view(1, 2, 1, 8)"), asked("alibi", "heads=2", Bias{.heads = 2}));
  const std::vector<Position> queries = {1, 6}, keys = {0, 3};
  EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys), Tensor({2, 2, 2}, {0, 3, 0, 3, 8, 11, 8, 11}));
}

// Entry [i, j, head].
TEST(SdkModules, a_bias_may_have_its_heads_last) {
  NEEDS_TORCH;
  const std::string of_lengths =
      "lambda query_length, key_length: 10.0 * torch.arange(query_length)[:, None, None] + "
      "torch.arange(key_length)[:, None] + 100 * torch.arange(2)";
  const Subject subject = open(served(of_lengths), asked("alibi", "heads=2", Bias{.heads = 2}));
  const std::vector<Position> queries = {1, 6}, keys = {0, 3};
  EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys),
            Tensor({2, 2, 2}, {10, 13, 60, 63, 110, 113, 160, 163}));
}

TEST(SdkModules, the_end_of_a_table_of_3000_positions_is_found) {
  NEEDS_TORCH;
  const Subject subject = open(
      served("lambda x, position_ids, table=torch.arange(3000.0): x + table[position_ids][:, None, :, None]"),
      asked("rope", "dim=4 heads=1", Rotary{.dim = 4}));
  EXPECT_EQ(as<Rotary>(subject.encoding).positions.hi, 2999);
}

// The row of each place of a video is the place.
TEST(SdkModules, a_table_is_asked_for_by_its_frames_rows_and_columns) {
  NEEDS_TORCH;
  const std::string places =
      "lambda f, h, w: torch.stack(torch.meshgrid(torch.arange(f), torch.arange(h), torch.arange(w), "
      "indexing=\"ij\"), -1).float()";
  Table declared{.dim = 3};
  declared.positions.axes = 3;
  const Subject subject = open(served(places), asked("sincos_2d", "dim=3 grid=[2,3,4]", declared));
  const std::vector<Position> at = {1, 2, 3, 0, 1, 0};
  EXPECT_EQ(as<Table>(subject.encoding).rows({at, 3}, 24), Tensor({2, 3}, {1, 2, 3, 0, 1, 0}));
}

TEST(SdkModules, a_parameter_that_nobody_knows_is_named) {
  NEEDS_TORCH;
  const std::string words = served("lambda x, position_ids, mystery: x");
  EXPECT_NE(thrown(words, [&] { open(words, asked("rope", "dim=4 heads=1", Rotary{.dim = 4})); })
                .find("its parameter `mystery` is unknown"),
            std::string::npos);
}

// Of the four channels of a head two rotate: at angle 0, by cosine 1, and every one comes back.
TEST(SdkModules, channels_behind_those_that_rotate_come_back) {
  NEEDS_TORCH;
  const std::string angles =
      "lambda x, position_ids: (lambda a: (a.cos(), a.sin()))"
      "(position_ids[..., None].float() * torch.ones(2))";
  const Subject subject =
      open(served(angles), asked("rope", "dim=4 rotary_dim=2 heads=1 layout=half_split", Rotary{.dim = 4}));
  const std::vector<Position> at = {0};
  const Tensor x({1, 1, 1, 4}, {1, 2, 3, 4});
  EXPECT_EQ(as<Rotary>(subject.encoding).rotate(x, at, Role::query), x);
}

// A class is constructed from what is asked: at position 3 each channel is multiplied by 3 and the width of 3
// heads of 8 channels, by 100 where it is causal, by 1000 times the share of the channels that rotate, and by
// what is dropped: nothing.
TEST(SdkModules, a_class_has_the_width_the_direction_and_the_share_that_are_asked_for) {
  NEEDS_TORCH;
  const std::string words = testing::python(
      "src/subject/testing/one_line.py",
      "'import torch; from posproof_subject import serve_module\n"
      "class Scaled(torch.nn.Module):\n"
      "    def __init__(self, config, rotary_pct, dropout=0.1):\n"
      "        super().__init__()\n"
      "        self.times = config.hidden_size + 100 * config.is_decoder + 1000 * rotary_pct + 1e4 * dropout\n"
      "    def forward(self, x, position_ids):\n"
      "        return x * (self.times + position_ids[:, None, :, None])\n"
      "serve_module(Scaled)'");
  const auto answered = [&](const std::string& direction) {
    const Subject subject = open(words, asked("rope", "dim=8 rotary_dim=2 heads=3 direction=" + direction,
                                              Rotary{.dim = 8, .heads = 3}));
    const std::vector<Position> at = {3};
    return as<Rotary>(subject.encoding)
        .rotate(Tensor({1, 3, 1, 8}, std::vector<double>(24, 1)), at, Role::query)
        .data.front();
  };
  EXPECT_EQ(answered("unidirectional"), 3 + 24 + 100 + 250);
  EXPECT_EQ(answered("bidirectional"), 3 + 24 + 250);
}

// As courses name them: a key's width and the positions of tokens.
TEST(SdkModules, a_class_may_be_of_a_width_of_keys_and_its_call_of_positions_of_tokens) {
  NEEDS_TORCH;
  const std::string words =
      testing::python("src/subject/testing/one_line.py",
                      "'import torch; from posproof_subject import serve_module\n"
                      "class Keyed(torch.nn.Module):\n"
                      "    def __init__(self, theta, d_k, max_seq_len):\n"
                      "        super().__init__()\n"
                      "        self.width, self.base = d_k, theta\n"
                      "    def forward(self, x, token_positions):\n"
                      "        return x * (self.width + self.base + token_positions[:, None, :, None])\n"
                      "serve_module(Keyed)'");
  const Subject subject = open(words, asked("rope", "dim=8 heads=1 base=1000", Rotary{.dim = 8, .heads = 1}));
  const std::vector<Position> at = {3};
  EXPECT_EQ(as<Rotary>(subject.encoding)
                .rotate(Tensor({1, 1, 1, 8}, std::vector<double>(8, 1)), at, Role::query)
                .data.front(),
            8 + 1000 + 3);
}

// Of a rotation they are no ids.
TEST(SdkModules, what_is_rotated_may_be_called_tokens) {
  NEEDS_TORCH;
  const Subject subject = open(served("lambda tokens, positions: tokens * (1 + positions[:, None, :, None])"),
                               asked("rope", "dim=4 heads=1", Rotary{.dim = 4}));
  const std::vector<Position> at = {6};
  EXPECT_EQ(as<Rotary>(subject.encoding).rotate(Tensor({1, 1, 1, 4}, {1, 2, 3, 4}), at, Role::query),
            Tensor({1, 1, 1, 4}, {7, 14, 21, 28}));
}

// It answers a position for each token, too, but without looking at them.
TEST(SdkModules, a_way_whose_answer_is_the_same_for_all_tokens_is_not_taken) {
  NEEDS_TORCH;
  const Subject subject =
      open(served("lambda x, positions: x + (positions.float()[:, None] if positions.dim() == 1 else 1)"),
           asked("rope", "dim=4 heads=1", Rotary{.dim = 4}));
  EXPECT_NE(subject.description.find("(x, positions), one row of positions, x as "), std::string::npos)
      << subject.description;
}

// It multiplies each token by another number: what it adds is no row of a table.
TEST(SdkModules, what_scales_each_token_otherwise_adds_no_table) {
  NEEDS_TORCH;
  const std::string words =
      served("lambda x: x * (1 + torch.arange(x.shape[1]))[:, None] + torch.arange(x.shape[1])[:, None]");
  EXPECT_NE(thrown(words, [&] { open(words, asked("sinusoidal", "dim=4", Table{.dim = 4})); })
                .find("what x adds to the answer changes with the token"),
            std::string::npos);
}

}  // namespace
}  // namespace posproof::sdk_modules_test
