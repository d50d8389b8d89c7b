#include "subject/cache_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "subject/array_header.h"
#include "subject/dtype.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::cache_file_test {
namespace {

using testing::thrown;
using testing::Written;

// Width 5: the pairs (0, 2) and (1, 3), and a channel that is left alone.
Rotary half_split() {
  return {.dim = 5, .heads = 2, .pairs = {{0, 2, 1.0, 0}, {1, 3, 0.5, 1}}};
}

Expected rotating(Rotary declared = half_split()) {
  return {.encoding = "rope", .parameters = Case::parse("dim=5"), .declared = {std::move(declared)}};
}

// Two runs at once do not write the same file.
std::filesystem::path of_this_process(std::string_view name) {
  return std::filesystem::path(::testing::TempDir()) / fmt::format("posproof_{}_{}", ::getpid(), name);
}

std::string path(const Written& file) {
  return file.subject().substr(6);
}

// Row t has the cosines t + 1 and t + 2 and the sines 10 (t + 1) and 10 (t + 2), which no circle has, so that
// every number is seen.
Tensor cosines() {
  return Tensor({3, 2}, {1, 2, 2, 3, 3, 4});
}
Tensor sines() {
  return Tensor({3, 2}, {10, 20, 20, 30, 30, 40});
}

// A token of two heads at position 2.
Tensor rotated(const Subject& subject) {
  const std::vector<Position> at = {2};
  const Tensor x({1, 2, 1, 5}, {1, 0, 0, 1, 7, 2, 1, 1, 0, 8});
  return as<Rotary>(subject.encoding).rotate(x, at, Role::query);
}

// (a, b) becomes (a c - b s, a s + b c) with c, s = 3, 30 in the first pair and 4, 40 in the second.
const std::vector<double> by_row_2 = {3, -40, 30, 4, 7, 6 - 30, 4, 60 + 3, 40, 8};

TEST(CacheFile, two_files_with_a_column_for_each_pair_turn_every_head) {
  const Written cos("cos.npy", cosines(), true), sin("sin.npy", sines(), true);
  const std::string words = "table:" + path(cos) + "," + path(sin);
  const Subject subject = open(words, rotating());
  EXPECT_EQ(subject.name, words);
  EXPECT_EQ(subject.description, "cosines and sines, each [3, 2] in F32");
  EXPECT_EQ(subject.precision.word(), "f32");
  EXPECT_FALSE(subject.live);
  EXPECT_EQ(rotated(subject), Tensor({1, 2, 1, 5}, by_row_2));
  EXPECT_EQ(open(words + "@bf16", rotating()).precision.word(), "f64/f32+table=bf16+work=f64+input=bf16");
  // What is said of it in full is what it is.
  for (const std::string said : {"bf16+table=f16", "bf16+work=f64"})
    EXPECT_EQ(open(words + "@" + said, rotating()).precision.word(), Precision::parse(said).word()) << said;
}

TEST(CacheFile, a_column_for_each_channel_is_that_of_its_place) {
  const Tensor twice({1, 3, 1, 4}, {1, 2, 1, 2, 2, 3, 2, 3, 3, 4, 5, 6});
  Tensor tenfold = twice;
  for (double& value : tenfold.data) value *= 10;
  const Written cos("cos.npy", twice, false), sin("sin.npy", tenfold, false);
  const Subject subject = open("table:" + path(cos) + "," + path(sin), rotating());
  EXPECT_EQ(subject.precision.word(), "f64");
  // In the last row the second channels have their own: 5, 50 and 6, 60.
  EXPECT_EQ(rotated(subject), Tensor({1, 2, 1, 5}, {3, -40, 50, 6, 7, 6 - 30, 4, 100 + 5, 60, 8}));
}

// Of p-RoPE most code has columns for the pairs that stay as they are, too: cosines of 1 and sines of 0, and
// what stands there is seen.
TEST(CacheFile, pairs_that_stay_as_they_are_may_have_columns) {
  const auto kept = [](const char* layout) {
    const bool neighbours = std::string(layout) == "interleaved";
    Expected out = rotating({.dim = 4, .heads = 2, .pairs = {{0, neighbours ? 1u : 2u, 1.0, 0}}});
    out.parameters = Case::parse("dim=4 rotary_dim=0 kept_pairs=1");
    out.parameters.set("layout", std::string(layout));
    return out;
  };
  const auto rotated = [](const Subject& subject) {
    const std::vector<Position> at = {1};
    return as<Rotary>(subject.encoding)
        .rotate(Tensor({1, 2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), at, Role::query);
  };
  const Tensor half_split({1, 2, 1, 4}, {3 - 3 * 30, 2, 30 + 9, 4, 15 - 7 * 30, 6, 5 * 30 + 21, 8}),
      interleaved({1, 2, 1, 4}, {3 - 2 * 30, 30 + 6, 3, 4, 15 - 6 * 30, 5 * 30 + 18, 7, 8});
  const Written cos("cos.npy", Tensor({2, 2}, {2, 1, 3, 1}), true),
      sin("sin.npy", Tensor({2, 2}, {20, 0, 30, 0}), true),
      twice("twice.npy", Tensor({2, 4}, {2, 1, 2, 1, 3, 1, 3, 1}), true),
      tenfold("tenfold.npy", Tensor({2, 4}, {20, 0, 20, 0, 30, 0, 30, 0}), true),
      both("both.npy", Tensor({2, 4}, {2, 1, 20, 0, 3, 1, 30, 0}), true),
      alone("alone.npy", Tensor({2, 4}, {2, 0, 20, 0, 3, 0, 30, 0}), true),
      wrong("wrong.npy", Tensor({2, 2}, {20, 0, 30, 0.5}), true);
  for (const std::string& words :
       {"table:" + path(cos) + "," + path(sin), "table:" + path(twice) + "," + path(tenfold),
        "table:" + path(both), "table:" + path(alone)})
    EXPECT_EQ(rotated(open(words, kept("half_split"))), half_split) << words;
  EXPECT_EQ(rotated(open("table:" + path(cos) + "," + path(sin), kept("interleaved"))), interleaved);
  EXPECT_NE(rotated(open("table:" + path(cos) + "," + path(wrong), kept("half_split"))), half_split);
}

// Rows where both channels of every pair have the same cosine and the same sine are given once.
TEST(CacheFile, is_read_as_it_rotates_1_0_and_0_1) {
  const Tensor twice({3, 4}, {1, 2, 1, 2, 2, 3, 2, 3, 3, 4, 5, 4});
  Tensor tenfold = twice;
  for (double& value : tenfold.data) value *= 10;
  for (const bool singly : {true, false}) {
    const Written cos("cos.npy", twice, singly), sin("sin.npy", tenfold, singly);
    const StoredRotations stored = *open("table:" + path(cos) + "," + path(sin), rotating()).stored_rotations;
    const auto numbers = [&](const std::vector<std::byte>& bytes) {
      std::vector<double> out(bytes.size() / posproof::bytes(stored.format));
      unpack(stored.format, bytes.data(), out);
      return out;
    };
    StoredRotations::Rows rows;
    ASSERT_TRUE(stored.read(0, 2, rows));
    EXPECT_TRUE(rows.alike);
    EXPECT_EQ(numbers(rows.of_first), (std::vector<double>{1, 2, 10, 20, 0, 2, 3, 20, 30, 0}));
    ASSERT_TRUE(stored.read(1, 2, rows));  // in the last row a second channel has its own
    EXPECT_FALSE(rows.alike);
    EXPECT_EQ(numbers(rows.of_first), (std::vector<double>{2, 3, 20, 30, 0, 3, 4, 50, 40, 0}));
    EXPECT_EQ(numbers(rows.of_second), (std::vector<double>{2, 3, 20, 30, 0, 5, 4, 30, 40, 0}));
  }
}

// Where the table is as wide as the head, the columns of channels that do not rotate are 0 by right.
TEST(CacheFile, what_stands_in_the_columns_of_no_pair_is_seen) {
  Tensor wide({3, 5}, {1, 2, 10, 20, 0, 2, 3, 20, 30, 0, 3, 4, 30, 40, 0});
  EXPECT_EQ(rotated(open(Written("both.npy", wide, true).subject(), rotating())),
            Tensor({1, 2, 1, 5}, by_row_2));
  Tensor expected({1, 2, 1, 5}, by_row_2);
  wide.at(2, 4) = 7;
  for (std::size_t head = 0; head < 2; ++head) expected.row(head)[4] += 7;
  const Written file("both.npy", wide, true);
  const Subject subject = open(file.subject(), rotating());
  EXPECT_EQ(rotated(subject), expected);
  // What is compared without a rotation has no such number: only a rotation adds it.
  StoredRotations::Rows stored;
  EXPECT_TRUE(subject.stored_rotations->read(0, 2, stored));
  EXPECT_FALSE(subject.stored_rotations->read(0, 3, stored));
}

TEST(CacheFile, one_file_has_the_cosine_in_the_first_channel_and_the_sine_in_the_second) {
  const Tensor both({3, 4}, {1, 2, 10, 20, 2, 3, 20, 30, 3, 4, 30, 40});
  const Written file("both.npy", both, true);
  EXPECT_EQ(rotated(open(file.subject(), rotating())), Tensor({1, 2, 1, 5}, by_row_2));
  Rotary neighbours = half_split();
  neighbours.pairs = {{0, 1, 1.0, 0}, {2, 3, 0.5, 1}};
  const Tensor interleaved({3, 4}, {1, 10, 2, 20, 2, 20, 3, 30, 3, 30, 4, 40});
  const Written other("both.npy", interleaved, true);
  EXPECT_EQ(rotated(open(other.subject(), rotating(neighbours))).row(1)[0], 2 * 3 - 1 * 30);
}

// The cosines of all channels, then the sines of all.
TEST(CacheFile, one_file_twice_as_wide_has_a_cosine_and_a_sine_for_each_channel) {
  const Tensor both({3, 8}, {1, 2, 1, 2, 10, 20, 10, 20, 2, 3, 2, 3, 20, 30, 20, 30,  //
                             3, 4, 5, 6, 30, 40, 50, 60});
  const Written file("both.npy", both, true);
  EXPECT_EQ(rotated(open(file.subject(), rotating())),
            Tensor({1, 2, 1, 5}, {3, -40, 50, 6, 7, 6 - 30, 4, 100 + 5, 60, 8}));
}

// Where half of the channels rotate, such rows are as wide as those with a column for every channel.
TEST(CacheFile, one_file_as_wide_as_the_head_has_both_where_half_of_the_channels_rotate) {
  const std::vector<Position> at = {1};
  const Tensor x({1, 1, 1, 4}, {1, 2, 3, 4}), turned({1, 1, 1, 4}, {3 - 2 * 30, 30 + 2 * 3, 3, 4});
  Tensor halves({2, 4}, {1, 1, 0, 0, 3, 3, 30, 30}), each({2, 4}, {1, 0, 0, 0, 3, 30, 0, 0});
  const auto rotated = [&](const Tensor& numbers, std::size_t pair) {
    const Rotary half{.dim = 4, .heads = 1, .pairs = {{pair, pair + 1, 1.0, 0}}};
    return as<Rotary>(open(Written("both.npy", numbers, true).subject(), rotating(half)).encoding)
        .rotate(x, at, Role::query);
  };
  EXPECT_EQ(rotated(halves, 0), turned);
  EXPECT_EQ(rotated(each, 0), turned);
  const Tensor last({1, 1, 1, 4}, {1, 2, 3 * 3 - 4 * 30, 3 * 30 + 4 * 3});
  EXPECT_EQ(rotated(halves, 2), last);
  EXPECT_EQ(rotated(Tensor({2, 4}, {0, 0, 1, 0, 0, 0, 3, 30}), 2), last);
  each.at(1, 3) = 7;  // is seen where a column for every channel has it
  EXPECT_EQ(rotated(each, 0).data[3], 4 + 7);
}

// cosine + i sine of each pair, wherever its channels are.
TEST(CacheFile, one_file_may_have_both_along_an_axis_of_two) {
  const Tensor last({3, 2, 2}, {1, 10, 2, 20, 2, 20, 3, 30, 3, 30, 4, 40}),
      middle({1, 3, 2, 2}, {1, 2, 10, 20, 2, 3, 20, 30, 3, 4, 30, 40}),
      first({2, 3, 1, 4},
            {1, 2, 1, 2, 2, 3, 2, 3, 3, 4, 3, 4, 10, 20, 10, 20, 20, 30, 20, 30, 30, 40, 30, 40});
  const Written stacked("stacked.npy", first, true);
  EXPECT_EQ(rotated(open("table:" + path(stacked), rotating())), Tensor({1, 2, 1, 5}, by_row_2));
  // Of two pairs two axes have two elements: which one is meant is said by indices.
  const Written tokens("tokens.npy", last, true), between("between.npy", middle, true);
  EXPECT_EQ(thrown<SubjectError>(path(tokens), [&] { open("table:" + path(tokens), rotating()); }),
            ": [3, 2, 2] is not [n, columns], the rows of a cache");
  for (const std::string& words : {path(tokens) + "[..., 0],[..., 1]", path(between) + "[:, :, 0],[:, :, 1]",
                                   path(stacked) + "[0, ..., :2]," + path(stacked) + "[1, ..., 2:]"}) {
    const Subject subject = open("table:" + words, rotating());
    EXPECT_EQ(rotated(subject), Tensor({1, 2, 1, 5}, by_row_2)) << words;
    EXPECT_EQ(subject.name, "table:" + words);
  }
}

TEST(CacheFile, an_axis_of_two_is_that_of_cosines_and_sines_where_it_is_the_only_one) {
  const auto axis = [](const Shape& shape, std::size_t axes = 1) { return stacked_axis(shape, axes); };
  EXPECT_EQ(axis({512, 32, 2}), 2u);
  EXPECT_EQ(axis({512, 2, 32}), 1u);
  EXPECT_EQ(axis({2, 512, 32}), 0u);
  EXPECT_EQ(axis({1, 512, 1, 32, 2}), 4u);
  for (const Shape& none : {Shape{512, 32}, Shape{512, 2}, Shape{512, 32, 3}, Shape{2, 2, 32},
                            Shape{512, 2, 2}, Shape{8, 512, 32, 2}, Shape{}})
    EXPECT_EQ(axis(none), std::nullopt) << text(none);
  EXPECT_EQ(axis({7, 5, 16, 2}, 2), 3u);
  EXPECT_EQ(axis({35, 16, 2}, 2), 2u);
  EXPECT_EQ(axis({2, 5, 16, 2}, 2), 3u);  // a grid of two rows
  EXPECT_EQ(axis({2, 5, 16}, 2), std::nullopt);
  EXPECT_EQ(axis({7, 2, 16}, 2), std::nullopt);
}

TEST(CacheFile, two_files_are_told_apart_at_a_comma_outside_of_brackets) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(cache_paths("x.npy"), (Paths{"x.npy"}));
  EXPECT_EQ(cache_paths("x.npy[:, 1]"), (Paths{"x.npy[:, 1]"}));
  EXPECT_EQ(cache_paths("c.npy,s.npy"), (Paths{"c.npy", "s.npy"}));
  EXPECT_EQ(cache_paths("x.npy[:, 0],x.npy[:, 1]"), (Paths{"x.npy[:, 0]", "x.npy[:, 1]"}));
  EXPECT_EQ(cache_paths("x.npy[:, 0],[:, 1]"), (Paths{"x.npy[:, 0]", "x.npy[:, 1]"}));
  EXPECT_EQ(cache_paths("x.npy,[:, 1]"), (Paths{"x.npy", "x.npy[:, 1]"}));
  EXPECT_EQ(cache_paths("m.safetensors:cos[0, :],sin"),
            (Paths{"m.safetensors:cos[0, :]", "m.safetensors:sin"}));
  EXPECT_EQ(cache_paths("m.safetensors:c[0, :],m.safetensors:s[0, :]"),
            (Paths{"m.safetensors:c[0, :]", "m.safetensors:s[0, :]"}));
  EXPECT_EQ(cache_paths("odd],name.npy,s.npy"), (Paths{"odd],name.npy", "s.npy"}));
  EXPECT_EQ(cache_paths("c.npy,odd].npy"), (Paths{"c.npy", "odd].npy"}));
  EXPECT_EQ(cache_paths("m.safetensors:c[0],s.npy[0]"), (Paths{"m.safetensors:c[0]", "s.npy[0]"}));
  EXPECT_EQ(cache_paths("m.safetensors:c[0],s[0]"), (Paths{"m.safetensors:c[0]", "m.safetensors:s[0]"}));
}

TEST(CacheFile, one_file_of_complex_numbers_has_one_for_each_pair) {
  const std::string path = of_this_process("complex.npy").string();
  const auto written = [&](const Tensor& numbers, const std::string& shape = "") {
    std::string header =
        fmt::format("{{'descr': '<c16', 'fortran_order': False, 'shape': ({}), }}",
                    shape.empty() ? fmt::format("{}, {}", numbers.rows(), numbers.width() / 2) : shape);
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::ofstream(path, std::ios::binary)
        << std::string("\x93NUMPY\1\0", 8) << static_cast<char>(header.size()) << '\0' << header
        << std::string(reinterpret_cast<const char*>(numbers.data.data()), 8 * numbers.data.size());
    return "table:" + path;
  };
  const Tensor numbers({3, 4}, {1, 10, 2, 20, 2, 20, 3, 30, 3, 30, 4, 40});
  EXPECT_EQ(rotated(open(written(numbers), rotating())), Tensor({1, 2, 1, 5}, by_row_2));
  Rotary neighbours = half_split();
  neighbours.pairs = {{0, 1, 1.0, 0}, {2, 3, 0.5, 1}};
  EXPECT_EQ(rotated(open(written(numbers), rotating(neighbours))).row(1)[0], 2 * 3 - 1 * 30);

  // As wide as the head, and not as it lies: what is compared without a rotation is the same.
  Rotary all = half_split();
  all.dim = 4;
  const Subject subject = open(written(numbers), rotating(all));
  StoredRotations::Rows row;
  ASSERT_TRUE(subject.stored_rotations->read(2, 1, row));
  std::vector<double> of_first(4);
  unpack(Format::f64, row.of_first.data(), of_first);
  EXPECT_EQ(of_first, (std::vector<double>{3, 4, 30, 40}));
  EXPECT_EQ(thrown<std::invalid_argument>("table:" + path,
                                          [&] {
                                            open(written(Tensor({2, 6})), rotating());
                                          }),
            ": its rows have 3 complex numbers; a cache of them is one file, of `rope` with dim=5 of 2 in a "
            "row");
  // Nor is one number the frequencies of two pairs.
  EXPECT_NE(thrown<std::invalid_argument>("table:" + path,
                                          [&] {
                                            open(written(Tensor({1, 2}), "1,"), rotating());
                                          })
                .find("its rows have 1 complex numbers"),
            std::string::npos);
  // An axis of two is no axis of cosines and sines where both are one number.
  EXPECT_EQ(thrown<std::exception>("table:" + path,
                                   [&] {
                                     open(written(Tensor({6, 4}), "2, 3, 2"), rotating());
                                   }),
            ": [2, 3, 2] is not [n, columns], the rows of a cache");
  std::filesystem::remove(path);
}

// The last four of six channels, of which a file has columns alone.
TEST(CacheFile, a_column_for_each_channel_that_rotates_is_counted_from_the_first_of_these) {
  const Rotary last{.dim = 6, .heads = 1, .pairs = {{2, 4, 1.0, 0}, {3, 5, 0.5, 1}}};
  const std::vector<Position> at = {1};
  const Tensor x({1, 1, 1, 6}, {7, 8, 1, 1, 0, 0}), numbers({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Written first("first.npy", numbers, true);
  Tensor other = numbers;
  for (double& value : other.data) value *= 10;
  const Written second("second.npy", other, true);
  const auto rotated = [&](const std::string& words) {
    return as<Rotary>(open(words, rotating(last)).encoding).rotate(x, at, Role::query);
  };
  EXPECT_EQ(rotated("table:" + path(first)), Tensor({1, 1, 1, 6}, {7, 8, 5, 6, 7, 8}));
  EXPECT_EQ(rotated("table:" + path(first) + "," + path(second)), Tensor({1, 1, 1, 6}, {7, 8, 5, 6, 70, 80}));
}

TEST(CacheFile, both_tensors_may_lie_in_one_safetensors_file) {
  const std::string file = of_this_process("rope_cache.safetensors").string();
  std::string header = R"({"cos":{"dtype":"F64","shape":[3,2],"data_offsets":[0,48]},)"
                       R"("sin":{"dtype":"F64","shape":[3,2],"data_offsets":[48,96]}})";
  while (header.size() % 8 != 0) header += ' ';
  std::string bytes(1, static_cast<char>(header.size()));
  bytes.resize(8);
  bytes += header;
  for (const Tensor& tensor : {cosines(), sines()})
    bytes.append(reinterpret_cast<const char*>(tensor.data.data()), 48);
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(rotated(open("table:" + file + ":cos,sin", rotating())), Tensor({1, 2, 1, 5}, by_row_2));
  EXPECT_EQ(rotated(open("table:" + file + ":cos," + file + ":sin", rotating())),
            Tensor({1, 2, 1, 5}, by_row_2));
  std::filesystem::remove(file);
}

// What `posproof oracle --part cos --positions 7:9` writes, and the same of the sines from there or
// elsewhere.
TEST(CacheFile, begins_where_both_of_its_files_say) {
  const auto written = [&](const std::string& name, const Tensor& values, const std::string& positions) {
    const std::string header =
        safetensors_header("cos", Format::f64, {3, 2}, {{"positions", positions}, {"posproof", "1.0"}});
    std::ofstream(of_this_process(name), std::ios::binary)
        << header << std::string(reinterpret_cast<const char*>(values.data.data()), 48);
    return of_this_process(name).string();
  };
  const std::string cos = written("begins_cos.safetensors", cosines(), "7:9");
  const auto subject = [&](const std::string& positions) {
    return "table:" + cos + "," + written("begins_sin.safetensors", sines(), positions);
  };
  const Subject opened = open(subject("7:9"), rotating());
  EXPECT_EQ(positions_of(opened.encoding).lo, 7);
  EXPECT_EQ(positions_of(opened.encoding).hi, 9);
  Tensor x({1, 2, 1, 5});
  EXPECT_NO_THROW(as<Rotary>(opened.encoding).rotate(x, std::vector<Position>{9}, Role::key));
  EXPECT_THROW(as<Rotary>(opened.encoding).rotate(x, std::vector<Position>{6}, Role::key), Refusal);
  EXPECT_EQ(
      thrown<SubjectError>(cos, [&] { open(subject("8:10"), rotating()); }),
      fmt::format(" begins at position 7, {} at 8: the cosines and the sines of one cache are of the same "
                  "positions",
                  of_this_process("begins_sin.safetensors").string()));
  for (const char* name : {"begins_cos.safetensors", "begins_sin.safetensors"})
    std::filesystem::remove(of_this_process(name));
}

TEST(CacheFile, ends_where_its_rows_end) {
  Rotary from_2 = half_split();
  from_2.positions = {2, 100, {3, 50}};
  const Written cos("cos.npy", cosines(), true), sin("sin.npy", sines(), true);
  const Subject subject = open("table:" + path(cos) + "," + path(sin), rotating(from_2));
  const auto& rotary = as<Rotary>(subject.encoding);
  EXPECT_EQ(rotary.positions.hi, 4);
  EXPECT_TRUE(rotary.positions.ends);
  EXPECT_EQ(rotary.positions.hard, (std::vector<Position>{3}));
  const auto at = [&](Position t) {
    return thrown<Refusal>("table:" + path(cos), [&] {
      rotary.rotate(Tensor({1, 2, 1, 5}), std::vector<Position>{t}, Role::key);
    });
  };
  EXPECT_EQ(at(5), " ends at position 4; 5 was asked for");
  EXPECT_EQ(at(1), " begins at position 2; 1 was asked for");
  EXPECT_THROW(rotary.rotate(Tensor({1, 1, 1, 5}), std::vector<Position>{2}, Role::key),
               std::invalid_argument);
}

TEST(CacheFile, says_what_does_not_fit) {
  const Written cos("cos.npy", cosines(), true), sin("sin.npy", sines(), true),
      fine("fine.npy", sines(), false), wide("wide.npy", Tensor({3, 3}), true),
      matrix("matrix.npy", Tensor({2, 2, 2}), true), none("none.npy", Tensor({0, 2}), true);
  const auto said = [&]<class E>(const E*, const Written& first, const std::string& second) {
    const std::string words = "table:" + path(first) + second;
    return thrown<E>("table:" + path(first), [&] { open(words, rotating()); });
  };
  const SubjectError* subject = nullptr;
  const std::invalid_argument* argument = nullptr;
  EXPECT_EQ(said(subject, cos, "," + path(fine)),
            " holds [3, 2] in f32, " + path(fine) +
                " holds [3, 2] in f64: the cosines and the sines of one cache are alike");
  const Written longer("longer.npy", Tensor({4, 2}), true);
  EXPECT_EQ(said(subject, cos, "," + path(longer)),
            " holds [3, 2] in f32, " + path(longer) +
                " holds [4, 2] in f32: the cosines and the sines of one cache are alike");
  EXPECT_EQ(
      said(argument, wide, "," + path(wide)),
      ": its rows are 3 wide, the cosines of `rope` with dim=5 are 2, a column for each pair, or 4, one for "
      "each channel that rotates");
  EXPECT_EQ(
      said(argument, cos, ""),
      ": its rows are 2 wide, cosines and sines in one of `rope` with dim=5 are 4, or 8 with a cosine and a "
      "sine for each channel that rotates; two files are table:COS,SIN");
  EXPECT_EQ(said(subject, matrix, "," + path(matrix)),
            ": [2, 2, 2] is not [n, columns], the rows of a cache");
  EXPECT_EQ(said(subject, none, "," + path(none)), ": [0, 2] holds no row");
}

// Two rows of two tokens, two heads each, (1, 0) in both pairs of the first and twice that of the second
// head: the cosines and sines of each token's own position, times the head's number.
TEST(CacheFile, every_token_of_every_row_and_head_is_turned_by_its_own_position) {
  const Written cos("cos.npy", cosines(), true), sin("sin.npy", sines(), true);
  const Subject subject = open("table:" + path(cos) + "," + path(sin), rotating());
  const std::vector<Position> at = {2, 0, 1, 2};
  Tensor x({2, 2, 2, 5}), expected({2, 2, 2, 5});
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t head = 0; head < 2; ++head)
      for (std::size_t token = 0; token < 2; ++token) {
        const auto t = static_cast<double>(at[2 * row + token]), size = static_cast<double>(head + 1);
        const std::size_t r = (2 * row + head) * 2 + token;
        x.at(r, 0) = x.at(r, 1) = size;
        x.at(r, 4) = expected.at(r, 4) = 7;
        expected.at(r, 0) = size * (t + 1), expected.at(r, 2) = size * 10 * (t + 1);
        expected.at(r, 1) = size * (t + 2), expected.at(r, 3) = size * 10 * (t + 2);
      }
  EXPECT_EQ(as<Rotary>(subject.encoding).rotate(x, at, Role::query), expected);
}

TEST(CacheFile, what_is_rotated_has_four_axes_the_heads_the_width_and_a_position_for_each_token) {
  const Written cos("cos.npy", cosines(), true), sin("sin.npy", sines(), true);
  const auto rotary = as<Rotary>(open("table:" + path(cos) + "," + path(sin), rotating()).encoding);
  for (const auto& [shape, positions] : std::vector<std::pair<Shape, std::size_t>>{
           {{2, 1, 5}, 1}, {{1, 1, 1, 5}, 1}, {{1, 2, 1, 4}, 1}, {{1, 2, 1, 5}, 2}, {{2, 2, 2, 5}, 2}})
    EXPECT_THROW(rotary.rotate(Tensor(shape), std::vector<Position>(positions), Role::query),
                 std::invalid_argument)
        << text(shape) << " at " << positions;
  EXPECT_NO_THROW(rotary.rotate(Tensor({2, 2, 2, 5}), std::vector<Position>(4), Role::query));
}

// The same pairs, of which the second is the first of the other axis.
Rotary on_a_grid() {
  Rotary out = half_split();
  out.positions.axes = 2;
  out.positions.hard = {1, 100};
  out.pairs[1] = {1, 3, 0.5, 0};
  out.pairs[1].axis = 1;
  return out;
}

Subject opened_on_a_grid(const Tensor& cosines, const Tensor& sines, const std::string& parameters) {
  const Written cos("cos.npy", cosines, true), sin("sin.npy", sines, true);
  Expected expected = rotating(on_a_grid());
  expected.parameters = Case::parse(parameters);
  return open("table:" + path(cos) + "," + path(sin), expected);
}

Tensor rotated_at(const Subject& subject, const std::vector<Position>& place) {
  const Tensor x({1, 2, 1, 5}, {1, 0, 0, 1, 7, 2, 1, 1, 0, 8});
  return as<Rotary>(subject.encoding).rotate(x, {place, 2}, Role::query);
}

// Of places in rows: row 2 is place (1, 0) of 2 x 2 and place (0, 2) of 1 x 4.
TEST(CacheFile, of_a_rotation_on_a_grid_has_a_row_for_each_place) {
  const auto shaped = [](const Tensor& of, const Shape& shape) {
    Tensor out(shape);
    std::ranges::copy(of.data, out.data.begin());
    return out;
  };
  for (const auto& [shape, grid, place, text] :
       std::vector<std::tuple<Shape, std::string, std::vector<Position>, std::string>>{
           {{4, 2}, "grid=[2,2]", {1, 0}, "[4, 2] in F32, a grid of 2 x 2"},
           {{1, 4, 2}, "grid=[1,4]", {0, 2}, "[4, 2] in F32, a grid of 1 x 4"},
           {{2, 2, 2}, "grid=[16,16]", {1, 0}, "[4, 2] in F32, a grid of 2 x 2"}}) {
    const Subject subject = opened_on_a_grid(shaped(cosines(), shape), shaped(sines(), shape), grid);
    EXPECT_EQ(subject.description, "cosines and sines, each " + text);
    EXPECT_EQ(rotated_at(subject, place), Tensor({1, 2, 1, 5}, by_row_2)) << grid;
    EXPECT_FALSE(subject.stored_rotations.has_value());
    const Domain& domain = positions_of(subject.encoding);
    EXPECT_EQ(domain.axes, 2u);
    EXPECT_TRUE(domain.ends);
    EXPECT_EQ(domain.hard, (std::vector<Position>{1}));
    EXPECT_THROW(rotated_at(subject, {2, 0}), Refusal);
    EXPECT_THROW(rotated_at(subject, {0, -1}), Refusal);
  }
}

TEST(CacheFile, of_a_rotation_on_a_grid_is_refused_where_that_is_not_known) {
  const auto refused = [](const Shape& shape, const std::string& parameters) {
    return thrown<std::invalid_argument>("table:", [&] {
      opened_on_a_grid(Tensor(shape, std::vector<double>(count(shape), 1)), Tensor(shape), parameters);
    });
  };
  EXPECT_NE(
      refused({3, 2}, "grid=[2,2]").find("it holds 3 rows, the grid of `rope` with grid=[2,2] has 4 places"),
      std::string::npos);
  // Cosines of 0 are no class token's.
  EXPECT_NE(
      thrown<std::invalid_argument>("table:",
                                    [&] {
                                      opened_on_a_grid(Tensor({5, 2}), Tensor({5, 2}), "grid=[2,2]");
                                    })
          .find("it holds 5 rows, a grid of 2 x 2 has 4: neither before it nor behind it stand rows of class "
                "tokens, which rotate nothing"),
      std::string::npos);
  // Nor is one of 1/2 in the second channel of a pair.
  Tensor still({5, 4}, std::vector<double>(20, 1));
  EXPECT_NO_THROW(opened_on_a_grid(still, Tensor({5, 4}), "grid=[2,2]"));
  still.at(0, 3) = still.at(4, 3) = 0.5;
  EXPECT_THROW(opened_on_a_grid(still, Tensor({5, 4}), "grid=[2,2]"), std::invalid_argument);
  EXPECT_NE(refused({4, 2}, "dim=5").find("has none: `grid` is to say"), std::string::npos);
  Rotary by_head = on_a_grid();
  by_head.rotate = [](Tensor x, const Positions&, Role) {
    x.at(1, 4) += 1;  // in the second head
    return x;
  };
  EXPECT_EQ(
      thrown<std::invalid_argument>("table:x", [&] { open("table:x", rotating(by_head)); }),
      ": a cache is one for all heads, those of `rope` with dim=5 are rotated each by angles of its own; "
      "allowed: cmd:'PROGRAM ARGS'");
}

}  // namespace
}  // namespace posproof::cache_file_test
