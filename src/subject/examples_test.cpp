// The examples are what they say, and with --wrong they are not: a few values each, by their formulas.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "subject/library.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::examples_test {
namespace {

using testing::expected;
using testing::python;

std::string example(const std::string& script, const std::string& wrong) {
  return python("examples/" + script, wrong.empty() ? "" : "--wrong " + wrong);
}

Subject asked(const std::string& words, const std::string& encoding, const std::string& parameters,
              Encoding declared) {
  Expected what = expected(std::move(declared), parameters);
  what.encoding = encoding;
  return open(words, what);
}

double farthest(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape, b.shape);
  double most = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) most = std::max(most, std::abs(a.data[i] - b.data[i]));
  return most;
}

TEST(Examples, torch_rope) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch";
  // A position that bf16 cannot hold, and a single token of two pairs, (1, 0) each, and frequencies 1 and
  // 500000^(-1/2).
  const Tensor x({1, 1, 1, 4}, {1, 1, 0, 0});
  const std::vector<Position> at = {1001};
  const double slow = 1001 / std::sqrt(500000.0);
  const Tensor right({1, 1, 1, 4}, {std::cos(1001.0), std::cos(slow), std::sin(1001.0), std::sin(slow)});
  for (const std::string wrong : {"", "bf16_angles", "pairing", "base_ignored", "decode_restarts"}) {
    const Subject subject =
        asked(example("torch_rope.py", wrong), "rope", "dim=4 base=500000", Rotary{.dim = 4});
    const Tensor y = as<Rotary>(subject.encoding).rotate(x, at, Role::query);
    if (wrong.empty())
      EXPECT_LT(farthest(y, right), 1001 * 0x1p-22);
    else
      EXPECT_GT(farthest(y, right), 0.01) << wrong;
  }
}

// What the head of an example says: `cc ...`. The file that it makes is gone with this.
class Compiled {
 public:
  Compiled(const std::string& compiler, const std::string& source) {
    const std::string words =
        fmt::format("{} '{}/examples/{}' -o {} -lm 2>/dev/null", compiler, testing::source, source, path_);
    there_ = std::system(words.c_str()) == 0;
  }
  ~Compiled() { std::filesystem::remove(path_); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  bool there() const { return there_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = fmt::format("{}posproof_example_{}", ::testing::TempDir(), ::getpid());
  bool there_ = false;
};

// Two heads of two tokens, at 7 and at 3: in each row one channel is 1.
void expect_rope(const std::string& words, bool right) {
  const std::vector<Position> at = {7, 3};
  const double base = 500000;
  Tensor x({1, 2, 2, 4}), y({1, 2, 2, 4});
  for (std::size_t row = 0; row < 4; ++row) {
    x.at(row, row) = 1;
    const std::size_t pair = row % 2;
    const double angle = static_cast<double>(at[row % 2]) * std::pow(base, -0.5 * static_cast<double>(pair));
    y.at(row, pair) = row < 2 ? std::cos(angle) : -std::sin(angle);
    y.at(row, pair + 2) = row < 2 ? std::sin(angle) : std::cos(angle);
  }
  const Subject subject =
      asked(words, "rope", "dim=4 heads=2 base=500000 layout=half_split rotary_dim=0 scaling=none",
            Rotary{.dim = 4, .heads = 2});
  const Tensor found = as<Rotary>(subject.encoding).rotate(x, at, Role::query);
  // In f32 an angle is within 7 and two units, and an entry within that and three more.
  if (right)
    EXPECT_LT(farthest(found, y), 7 * 3 * 0x1p-24 + 3 * 0x1p-24) << words;
  else
    EXPECT_GT(farthest(found, y), 0.001) << words;
}

TEST(Examples, c_rope) {
  const Compiled library("cc -O2 -shared -fPIC", "c_rope.c");
  if (!library.there()) GTEST_SKIP() << "there is no C compiler with the name cc";
  for (const std::string wrong : {"", " --wrong reads_int64", " --wrong base_ignored"})
    expect_rope(python("examples/c_rope.py", library.path() + wrong), wrong.empty());
}

TEST(Examples, c_library) {
  serve_libraries_with(POSPROOF_BINARY);
  for (const std::string wrong : {"", " -DWRONG"}) {
    const Compiled library(
        fmt::format("cc -std=c99 -O2 -shared -fPIC -I '{}/src/subject'{}", testing::source, wrong),
        "c_library.c");
    if (!library.there()) GTEST_SKIP() << "there is no C compiler with the name cc";
    expect_rope("lib:" + library.path(), wrong.empty());
  }
}

TEST(Examples, cpp_rope) {
  const Compiled program("c++ -O1 -std=c++17", "cpp_rope.cpp");
  if (!program.there()) GTEST_SKIP() << "there is no C++ compiler with the name c++, or no nlohmann/json.hpp";
  for (const std::string wrong : {"", " --wrong sine_of_first_half"})
    expect_rope("cmd:" + program.path() + wrong, wrong.empty());
}

TEST(Examples, onnx_rope) {
  if (std::system("node -e \"require('onnxruntime-node')\" >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no node that finds onnxruntime-node (npm install onnxruntime-node, NODE_PATH)";
  for (const std::string wrong : {"", " --wrong layout", " --wrong offset_form"})
    expect_rope(fmt::format("cmd:node '{}/examples/onnx_rope.js'{}", testing::source, wrong), wrong.empty());
}

TEST(Examples, ggml_rope) {
  const char* folder = std::getenv("POSPROOF_GGML");
  if (folder == nullptr) GTEST_SKIP() << "POSPROOF_GGML names no folder with ggml's shared libraries";
  for (const std::string wrong : {"", " --wrong mode"})
    expect_rope(python("examples/ggml_rope.py", fmt::format("'{}'{}", folder, wrong)), wrong.empty());
}

TEST(Examples, numpy_alibi) {
  // Six heads: the slopes of four, then the first and third of eight.
  const std::vector<double> slopes = {0x1p-2, 0x1p-4, 0x1p-6, 0x1p-8, 0x1p-1, 0x1p-3};
  const std::vector<Position> queries = {5}, keys = {2, 5, 7};
  Tensor right({6, 1, 3});
  for (std::size_t h = 0; h < 6; ++h) right.at(h, 0) = -3 * slopes[h];
  for (const std::string wrong : {"", "geometric", "from_zero", "scaled_in_place"}) {
    const Subject subject = asked(example("numpy_alibi.py", wrong), "alibi", "heads=6", Bias{.heads = 6});
    const auto& bias = as<Bias>(subject.encoding).bias;
    bias(queries, keys);
    EXPECT_EQ(farthest(bias(queries, keys), right) == 0, wrong.empty()) << wrong;
  }
}

TEST(Examples, numpy_t5) {
  // Where the buckets begin: Raffel et al. 2019, 32 buckets to distance 128.
  const std::vector<Position> query = {1000};
  std::vector<Position> keys;
  std::vector<double> right;
  for (const auto& [relative, bucket] : std::vector<std::pair<Position, double>>{
           {0, 0},    {-1, 1},   {1, 17},     {-7, 7},   {-8, 8},   {-11, 8},  {-12, 9},
           {-15, 9},  {-16, 10}, {-23, 11},   {-32, 12}, {-46, 13}, {-63, 13}, {-64, 14},
           {-90, 14}, {-91, 15}, {-1000, 15}, {8, 24},   {90, 30},  {91, 31},  {5000, 31}}) {
    keys.push_back(1000 + relative);
    right.push_back(bucket);
  }
  for (const std::string wrong : {"", "no_cap", "sign", "log2"}) {
    const Subject subject =
        asked(example("numpy_t5.py", wrong), "t5_bias",
              "heads=2 buckets=32 max_distance=128 direction=bidirectional", Bias{.heads = 2});
    try {
      const Tensor bias = as<Bias>(subject.encoding).bias(query, keys);
      const std::vector<double> first(bias.data.begin(), bias.data.begin() + std::ssize(keys));
      EXPECT_EQ(first == right, wrong.empty()) << wrong;
      EXPECT_EQ(bias.data.back(), bias.data[keys.size() - 1] + 32);
    } catch (const Refusal&) {  // a bucket past the table's end
      EXPECT_FALSE(wrong.empty());
    }
  }
}

TEST(Examples, numpy_learned) {
  const std::vector<Position> end = {511}, past = {512};
  for (const std::string wrong : {"", "clamps", "wraps", "off_by_one"}) {
    const Subject subject =
        asked(example("numpy_learned.py", wrong), "learned", "dim=2 length=512 offset=0", Table{.dim = 2});
    const auto& rows = as<Table>(subject.encoding).rows;
    const auto answers = [&](const std::vector<Position>& positions, const Tensor& row) {
      try {
        return rows(positions, 600) == row;
      } catch (const Refusal&) {
        return false;
      }
    };
    EXPECT_EQ(answers(end, Tensor({1, 2}, {1022, 1023})), wrong != "off_by_one") << wrong;
    EXPECT_EQ(answers(past, Tensor({1, 2}, {1022, 1023})), wrong == "clamps") << wrong;
    EXPECT_EQ(answers(past, Tensor({1, 2}, {0, 1})), wrong == "wraps") << wrong;
  }
}

TEST(Examples, numpy_attention) {
  // Two tokens of one pair: the second sees both, rotated by one radian against each other.
  const Tensor q({2, 2}, {1, 0, 1, 0}), v({2, 2}, {1, 0, 0, 1}), causal({2, 2}, {1, 0, 1, 1});
  const double same = std::exp(1 / std::sqrt(2.0)), apart = std::exp(std::cos(1.0) / std::sqrt(2.0));
  const Tensor right({2, 2}, {1, 0, apart / (same + apart), same / (same + apart)});
  for (const std::string wrong : {"", "mask_after_softmax", "keys_are_not_rotated", "values_are_rotated"}) {
    const Subject subject = asked(example("numpy_attention.py", wrong), "rope", "dim=2 base=10000",
                                  Attention{.dim = 2, .value_dim = 2});
    const Tensor y = as<Attention>(subject.encoding).attend(q, q, v, causal);
    if (wrong.empty())
      EXPECT_LT(farthest(y, right), 0x1p-48);
    else
      EXPECT_GT(farthest(y, right), 0.01) << wrong;
  }
}

TEST(Examples, numpy_index) {
  const auto code = [](const std::string& encoding, const std::string& parameters, std::size_t dim,
                       Position t) {
    const Subject subject = asked(example("numpy_index.py", ""), encoding, parameters, Table{.dim = dim});
    const std::vector<Position> at = {t};
    return as<Table>(subject.encoding).rows(at, 5).data;
  };
  using List = std::vector<double>;
  EXPECT_EQ(code("raw_index", "dim=2 offset=1", 2, 6), (List{7, 7}));
  EXPECT_EQ(code("normalized_index", "dim=1 range=zero_one", 1, 3), List{0.75});
  EXPECT_EQ(code("normalized_index", "dim=1 range=centred", 1, 3), List{0.5});
  EXPECT_EQ(code("normalized_index", "dim=1 range=shifted", 1, 3), List{4.0 / 5});
  EXPECT_EQ(code("binary", "dim=4 order=lsb_first values=bits", 4, 6), (List{0, 1, 1, 0}));
  EXPECT_EQ(code("binary", "dim=4 order=msb_first values=signs", 4, 1), (List{-1, -1, -1, 1}));
  EXPECT_EQ(code("one_hot", "dim=3", 3, 2), (List{0, 0, 1}));
  EXPECT_THROW(code("one_hot", "dim=3", 3, 3), Refusal);
  EXPECT_THROW(code("binary", "dim=4 order=lsb_first values=bits", 4, 16), Refusal);
}

TEST(Examples, numpy_sinusoidal) {
  const std::string path =
      ::testing::TempDir() + "posproof_sinusoidal_" + std::to_string(::getpid()) + ".npy";
  const std::vector<Position> at = {3001};
  const Tensor right({1, 4}, {std::sin(3001.0), std::cos(3001.0), std::sin(30.01), std::cos(30.01)});
  for (const std::string wrong : {"", "exponent_doubled", "half_angles", "one_based", "swapped"}) {
    const std::string writes = python("examples/numpy_sinusoidal.py", path + " --dim 4") +
                               (wrong.empty() ? "" : " --wrong " + wrong);
    ASSERT_EQ(std::system(writes.substr(4).c_str()), 0);
    const Subject subject = asked("table:" + path, "sinusoidal", "dim=4", Table{.dim = 4});
    EXPECT_EQ(subject.precision, all_f32);
    const Tensor row = as<Table>(subject.encoding).rows(at, 4096);
    if (wrong.empty())
      EXPECT_LT(farthest(row, right), 0x1p-24);
    else
      EXPECT_GT(farthest(row, right), 0.01) << wrong;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace posproof::examples_test
