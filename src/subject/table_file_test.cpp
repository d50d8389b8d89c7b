#include "subject/table_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "subject/cache_file.h"
#include "subject/testing/table_files.h"

namespace posproof::table_file_test {
namespace {

using testing::bytes;
using testing::dictionary;
using testing::eight;
using testing::expected;
using testing::npy;
using testing::rows;
using testing::thrown;

class TableFile : public testing::ArrayFiles {};

std::string safetensors(const std::string& header, const std::string& values) {
  const std::uint64_t size = header.size();
  return bytes(std::vector<std::uint64_t>{size}) + header + values;
}

TEST_F(TableFile, npy_is_read_in_every_dtype_version_and_order) {
  const std::vector<float> floats(eight.begin(), eight.end());
  const std::vector<double> rotated = {0, 10, 1, 11, 2, 12, 3, 13};
  const std::vector<std::uint16_t> halves = {0, 0x3c00, 0x4000, 0x4200, 0x4900, 0x4980, 0x4a00, 0x4a80};
  const std::vector<std::string> files = {
      npy(dictionary("<f8", "(2, 4)"), bytes(eight)),
      npy(dictionary("<f4", "(2, 4)"), bytes(floats), 2),
      npy(dictionary("<f2", "(2, 4)"), bytes(halves), 3),
      npy(dictionary("<f8", "(2, 4)", "True"), bytes(rotated)),
      npy(R"({"shape":(2,4),"descr":"<f8","fortran_order":False})", bytes(eight)),
  };
  const std::vector<std::string> precisions = {"f64", "f32", "f16/f32", "f64", "f64"};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Subject subject = open("table:" + file("x.npy", files[i]), expected(Table{.dim = 4}));
    EXPECT_EQ(rows(subject, {1, 0, 1}), Tensor({3, 4}, {10, 11, 12, 13, 0, 1, 2, 3, 10, 11, 12, 13})) << i;
    EXPECT_EQ(subject.precision.word(), precisions[i]);
    EXPECT_FALSE(subject.live);
  }
}

TEST_F(TableFile, rows_outside_are_refused) {
  Table from_two{.dim = 4, .positions = {2, 1000, {2, 3, 512}}};
  const std::string path = file("x.npy", npy(dictionary("<f8", "(2, 4)"), bytes(eight)));
  const Subject subject = open("table:" + path + "@bf16", expected(from_two));
  const Domain& domain = as<Table>(subject.encoding).positions;
  EXPECT_EQ(domain.lo, 2);
  EXPECT_EQ(domain.hi, 3);
  EXPECT_TRUE(domain.ends);
  EXPECT_EQ(domain.hard, (std::vector<Position>{2, 3}));
  EXPECT_EQ(subject.precision, Precision::parse("bf16"));
  EXPECT_EQ(rows(subject, {3}), Tensor({1, 4}, {10, 11, 12, 13}));
  EXPECT_EQ(thrown<Refusal>("table:" + path, [&] { rows(subject, {4}); }),
            " ends at position 3; 4 was asked for");
  EXPECT_EQ(thrown<Refusal>("table:" + path, [&] { rows(subject, {1}); }),
            " begins at position 2; 1 was asked for");
}

// As many rows as there are positions, some of which are negative; fewer are those from 0 on.
TEST_F(TableFile, begins_at_the_first_position_where_it_has_a_row_for_each) {
  const std::string path = file("x.npy", npy(dictionary("<f8", "(2, 4)"), bytes(eight)));
  const auto first = [&](const Domain& declared) {
    return positions_of(open("table:" + path, expected(Table{.dim = 4, .positions = declared})).encoding).lo;
  };
  EXPECT_EQ(first({-1, 0}), -1);
  EXPECT_EQ(first({-1, 1}), 0);
  Domain ends(-1, 1);
  ends.ends = true;
  EXPECT_EQ(first(ends), -1);
}

TEST_F(TableFile, the_rows_of_a_table_are_stored_as_they_lie_in_the_file) {
  const std::vector<std::uint16_t> halves = {0, 0x3c00, 0x4000, 0x4200, 0x4900, 0x4980, 0x4a00, 0x4a80};
  const std::string path = file("x.npy", npy(dictionary("<f2", "(2, 4)"), bytes(halves)));
  std::optional<Stored> stored =
      open("table:" + path, expected(Table{.dim = 4, .positions = {2, 2}})).stored;  // and the file goes on
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->format, Format::f16);
  EXPECT_EQ(stored->rows, 2);
  EXPECT_EQ(stored->dim, 4);
  EXPECT_EQ(stored->first, 2);
  std::vector<std::byte> read(16);
  stored->read(0, read);
  EXPECT_EQ(std::memcmp(read.data(), halves.data(), 16), 0);

  const std::string bias = file("y.npy", npy(dictionary("<f8", "(2, 2, 2)"), bytes(eight)));
  EXPECT_FALSE(open("table:" + bias, expected(Bias{.heads = 2}, "heads=2")).stored);
}

TEST_F(TableFile, that_is_cut_short_after_it_was_opened_is_an_error) {
  const std::string path =
      file("x.npy", npy(dictionary("<f8", "(2, 4)") + std::string(7, ' '), bytes(eight)));  // from byte 80 on
  const Subject subject = open("table:" + path, expected(Table{.dim = 4}));
  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(thrown("table:" + path, [&] { rows(subject, {1}); }),
            ": was cut short while it was read: it had 144 bytes and has 100");
}

// As they are added to a batch.
TEST_F(TableFile, rows_may_have_axes_of_one_element) {
  const std::vector<double> values = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  for (const char* shape : {"(3, 4)", "(1, 3, 4)", "(3, 1, 4)", "(1, 3, 1, 4)"}) {
    const Subject subject = open("table:" + file("x.npy", npy(dictionary("<f8", shape), bytes(values))),
                                 expected(Table{.dim = 4}));
    EXPECT_EQ(subject.description, "[3, 4] in F64") << shape;
    EXPECT_EQ(rows(subject, {2, 0}), Tensor({2, 4}, {20, 21, 22, 23, 0, 1, 2, 3})) << shape;
  }
  EXPECT_EQ(said("y.npy", npy(dictionary("<f8", "(3, 2, 2)"), bytes(values))),
            ": implements bias; `learned` can be asked as rows");
  const std::string complex = "table:" + file("z.npy", npy(dictionary("<c16", "(3, 2)"), bytes(values)));
  EXPECT_EQ(thrown<std::invalid_argument>(complex, [&] { open(complex, expected(Table{.dim = 4})); }),
            ": holds complex numbers, as caches of rotary encodings do; `learned` is no such encoding");
}

TEST_F(TableFile, rows_may_have_their_channels_first) {
  const std::vector<double> values = {0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23};
  for (const char* shape : {"(4, 3)", "(1, 4, 3)"}) {
    const Subject subject = open("table:" + file("x.npy", npy(dictionary("<f8", shape), bytes(values))),
                                 expected(Table{.dim = 4}));
    EXPECT_EQ(subject.description.substr(subject.description.find("4")), "4, 3], channels first, in F64");
    EXPECT_EQ(rows(subject, {2, 0}), Tensor({2, 4}, {20, 21, 22, 23, 0, 1, 2, 3})) << shape;
    EXPECT_EQ(as<Table>(subject.encoding).positions.hi, 2);
    ASSERT_TRUE(subject.stored);
    EXPECT_EQ(subject.stored->rows, 3);
    std::vector<double> second(4);
    subject.stored->read(4 * sizeof(double), std::as_writable_bytes(std::span(second)));
    EXPECT_EQ(second, (std::vector<double>{10, 11, 12, 13}));
  }
}

// As a lookup in a table of [entries, heads] leaves them.
TEST_F(TableFile, a_bias_may_have_its_heads_last) {
  const std::vector<double> values = {0, 100, 200, 1, 101, 201, 10, 110, 210, 11, 111, 211};
  for (const char* shape : {"(2, 2, 3)", "(1, 2, 2, 3)"}) {
    const Subject subject = open("table:" + file("x.npy", npy(dictionary("<f8", shape), bytes(values))),
                                 expected(Bias{.heads = 3}, "heads=3"));
    const std::vector<Position> one = {1}, both = {1, 0};
    EXPECT_EQ(as<Bias>(subject.encoding).bias(one, both), Tensor({3, 1, 2}, {11, 10, 111, 110, 211, 210}))
        << shape;
    EXPECT_TRUE(subject.description.ends_with("2, 2, 3], heads last, in F64")) << subject.description;
  }
  // One row for all queries.
  const std::vector<double> row = {0, 100, 200, 1, 101, 201};
  const Subject of_one_row = open("table:" + file("x.npy", npy(dictionary("<f8", "(1, 2, 3)"), bytes(row))),
                                  expected(Bias{.heads = 3}, "heads=3"));
  const std::vector<Position> first = {0}, keys = {1, 0};
  EXPECT_EQ(as<Bias>(of_one_row.encoding).bias(first, keys), Tensor({3, 1, 2}, {1, 0, 101, 100, 201, 200}));
  // Of two heads where three were declared: no queries and keys are taken for them.
  const std::string path = file("x.npy", npy(dictionary("<f8", "(2, 1, 3)"), bytes(std::vector<double>(6))));
  EXPECT_EQ(thrown<std::invalid_argument>(
                "table:" + path, [&] { open("table:" + path, expected(Bias{.heads = 3}, "heads=3")); }),
            ": has 2 heads, `learned` with heads=3 has 3");
}

TEST_F(TableFile, three_axes_are_a_bias) {
  const std::string path = file("x.npy", npy(dictionary("<f8", "(2, 2, 2)"), bytes(eight)));
  const Subject subject = open("table:" + path, expected(Bias{.heads = 2}, "heads=2"));
  const auto& bias = as<Bias>(subject.encoding);
  const std::vector<Position> one = {1}, both = {1, 0}, two = {2};
  EXPECT_EQ(bias.bias(one, both), Tensor({2, 1, 2}, {3, 2, 13, 12}));
  EXPECT_EQ(bias.bias(both, one), Tensor({2, 2, 1}, {3, 1, 13, 11}));  // nothing is read past the last row
  EXPECT_EQ(bias.bias(both, std::vector<Position>{}), Tensor({2, 2, 0}));
  EXPECT_EQ(bias.positions.hi, 1);
  EXPECT_THROW(bias.bias(one, two), Refusal);
  EXPECT_EQ(thrown<std::invalid_argument>(
                "table:" + path, [&] { open("table:" + path, expected(Bias{.heads = 8}, "heads=8")); }),
            ": has 2 heads, `learned` with heads=8 has 8");
  EXPECT_EQ(said("x.npy", npy(dictionary("<f8", "(2, 2, 2)"), bytes(eight))),
            ": implements bias; `learned` can be asked as rows");
}

// As they are added to the logits of a batch, and where all queries have the same row.
TEST_F(TableFile, a_bias_may_be_that_of_a_batch_and_have_one_row) {
  const std::vector<Position> one = {1}, both = {1, 0};
  for (const std::string shape : {"(1, 2, 2, 2)", "(1, 1, 2, 2, 2)"}) {
    const std::string path = file("x.npy", npy(dictionary("<f8", shape), bytes(eight)));
    const Subject subject = open("table:" + path, expected(Bias{.heads = 2}, "heads=2"));
    EXPECT_EQ(as<Bias>(subject.encoding).bias(one, both), Tensor({2, 1, 2}, {3, 2, 13, 12})) << shape;
  }
  for (const std::string shape : {"(4, 1, 2)", "(1, 4, 1, 2)"}) {
    const std::string path = file("x.npy", npy(dictionary("<f8", shape), bytes(eight)));
    const Subject subject = open("table:" + path, expected(Bias{.heads = 4}, "heads=4"));
    const auto& bias = as<Bias>(subject.encoding);
    EXPECT_EQ(bias.bias(both, one), Tensor({4, 2, 1}, {eight[1], eight[1], eight[3], eight[3], eight[5],
                                                       eight[5], eight[7], eight[7]}))
        << shape;
    EXPECT_EQ(bias.positions.hi, 1) << shape;
    EXPECT_THROW(bias.bias(std::vector<Position>{2}, one), Refusal);
  }
}

// Keys without a query of their own position would be compared by none.
TEST_F(TableFile, a_bias_that_is_not_square_is_refused) {
  for (const auto& [shape, said] :
       {std::pair{"(1, 4, 2)", "[1, 4, 2] holds biases of 4 queries and 2 keys"},
        std::pair{"(1, 2, 4)", "[1, 2, 4] holds biases of 2 queries and 4 keys"}}) {
    const std::string path = file("x.npy", npy(dictionary("<f8", shape), bytes(eight)));
    EXPECT_EQ(
        thrown<std::invalid_argument>("table:" + path,
                                      [&] { open("table:" + path, expected(Bias{.heads = 1})); }),
        fmt::format(
            ": {}; allowed: as many queries as keys, both from the first position on, or one row for all queries",
            said));
  }
}

TEST_F(TableFile, another_width_is_the_callers_error) {
  const std::string path = file("x.npy", npy(dictionary("<f8", "(4, 2)"), bytes(eight)));
  EXPECT_EQ(thrown<std::invalid_argument>("table:" + path,
                                          [&] { open("table:" + path, expected(Table{.dim = 3}, "dim=3")); }),
            ": its rows are 2 wide, those of `learned` with dim=3 are 3");
}

TEST_F(TableFile, codes_over_the_length_are_those_of_one_length) {
  Table index{.dim = 1};
  index.rows = [](std::span<const Position> positions, Position length) {
    Tensor out({positions.size(), 1});
    for (std::size_t i = 0; i < positions.size(); ++i) out.data[i] = double(positions[i]) / double(length);
    return out;
  };
  const std::string path =
      file("x.npy", npy(dictionary("<f8", "(4, 1)"), bytes(std::vector<double>{0, .25, .5, .75})));
  const Subject subject = open("table:" + path, expected(index));
  EXPECT_EQ(rows(subject, {3}, 4), Tensor({1, 1}, {0.75}));
  EXPECT_EQ(thrown<Refusal>("table:" + path, [&] { rows(subject, {3}, 5); }),
            " holds a sequence of 4 tokens; one of 5 was asked for");
}

TEST_F(TableFile, an_npy_file_that_lies_is_refused) {
  const std::string header = dictionary("<f4", "(2, 4)");
  EXPECT_EQ(said("x.npy", npy(header, std::string(28, '\0'))),
            ": the header promises 2 x 4 float32 (32 bytes), the file holds 28");
  EXPECT_EQ(said("x.npy", npy(header, std::string(33, '\0'))),
            ": the header promises 2 x 4 float32 (32 bytes), the file holds 33");
  EXPECT_EQ(said("x.npy", npy(dictionary("<f4", "(4294967296, 4294967296)"), "")),
            ": the header promises 4294967296 x 4294967296 float32; allowed: at most 268435456 values");
  EXPECT_EQ(said("x.npy", npy(dictionary("<f4", "(1000000, 1000000)"), "")),
            ": the header promises 1000000 x 1000000 float32; allowed: at most 268435456 values");
  for (const std::string dtype : {"|f4", "=f4", "f4", ">i4", "<V2", "<", ""})
    EXPECT_EQ(said("x.npy", npy(dictionary(dtype, "(2, 4)"), std::string(32, '\0'))),
              ": has dtype `" + dtype + "`; f8, f4, f2, c16 and c8 are read, behind `<` or `>`");
  EXPECT_EQ(said("x.npy", npy(header, "", 4)), ": is of .npy version 4.0; 1.0, 2.0 and 3.0 are read");
  EXPECT_EQ(said("x.npy", "PK\3\4........"), ": does not begin as a .npy file does");
  EXPECT_EQ(said("x.npy", "\x93NUM"), ": ends within the magic string: 4 of 8 bytes are there");
  EXPECT_EQ(said("x.npy", npy(header, "").substr(0, 30)),
            ": ends within the header: 20 of 63 bytes are there");
  EXPECT_EQ(said("x.npy", std::string("\x93NUMPY\2\0\0\0\x20\0", 12)),
            ": the header is 2097152 bytes long; allowed: at most 1048576");
  EXPECT_EQ(said("x.npy", npy(dictionary("<f4", "(8,)"), std::string(32, '\0'))),
            ": [8] is neither [n, dim], the rows of a table, nor [heads, nq, nk], a bias");
  EXPECT_EQ(said("x.npy", npy(dictionary("<f4", "(0, 4)"), "")), ": [0, 4] holds no value");
}

TEST_F(TableFile, an_npy_header_that_is_no_such_dictionary_is_refused) {
  const std::string message =
      ": the header is not a dictionary of exactly `descr` (one simple dtype), `fortran_order` and `shape`";
  for (const std::string header :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'shape': (2, 4)}",
        "{'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 99999999999999999999)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)} x",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), 'more': 'x'}"})
    EXPECT_EQ(said("x.npy", npy(header, std::string(32, '\0'))), message) << header;
}

const std::string two_tensors =
    R"({"wpe":{"dtype":"BF16","shape":[1,4],"data_offsets":[4,12]},"ids":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})";

TEST_F(TableFile, safetensors_are_read_by_name) {
  const std::string values = bytes(std::vector<std::uint16_t>{9, 9, 0x3f80, 0x4000, 0x4040, 0xc080});
  const std::string path = file("x.safetensors", safetensors(two_tensors, values));
  const Subject subject = open("table:" + path + ":wpe", expected(Table{.dim = 4}));
  EXPECT_EQ(rows(subject, {0}), Tensor({1, 4}, {1, 2, 3, -4}));
  EXPECT_EQ(subject.precision.word(), "bf16/f32");
  EXPECT_EQ(subject.description, "[1, 4] in BF16");

  const std::string alone =
      R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F64","shape":[2,4],"data_offsets":[0,64]}})";
  const Subject single = open("table:" + file("y.safetensors", safetensors(alone, bytes(eight))) + "@f32",
                              expected(Table{.dim = 4}));
  EXPECT_EQ(rows(single, {1}), Tensor({1, 4}, {10, 11, 12, 13}));
  EXPECT_EQ(single.precision, all_f32);
}

std::string of_posproof(std::string_view positions, std::string_view by = R"("posproof":"1.0",)") {
  return fmt::format(R"({{"__metadata__":{{{}"positions":"{}"}},"x":{{"dtype":"F64","shape":[2,4],)"
                     R"("data_offsets":[0,64]}}}})",
                     by, positions);
}

TEST_F(TableFile, safetensors_of_posproof_begin_where_their_metadata_say) {
  const auto first = [&](const std::string& header) {
    const Subject subject =
        open("table:" + file("x.safetensors", safetensors(header, bytes(eight))), expected(Table{.dim = 4}));
    const Domain& has = positions_of(subject.encoding);
    EXPECT_EQ(has.hi, has.lo + 1);
    EXPECT_TRUE(has.ends);
    EXPECT_EQ(subject.stored->first, has.lo);
    EXPECT_EQ(rows(subject, {has.lo + 1}), Tensor({1, 4}, {10, 11, 12, 13}));
    return has.lo;
  };
  EXPECT_EQ(first(of_posproof("-4:-3")), -4);
  EXPECT_EQ(first(of_posproof("5000000:5000001")), 5000000);
  EXPECT_EQ(first(of_posproof("0:1")), 0);
  // Whoever else writes that word means something else.
  EXPECT_EQ(first(of_posproof("absolute", "")), 0);
  EXPECT_EQ(first(of_posproof("7:8", "")), 0);
}

TEST_F(TableFile, safetensors_of_posproof_with_other_positions_are_refused) {
  const auto no = [&](std::string_view positions) {
    return said("x.safetensors", safetensors(of_posproof(positions), bytes(eight)));
  };
  EXPECT_EQ(no("0:2"), ": it holds 2 rows, and its `__metadata__` says positions 0:2");
  EXPECT_EQ(no("-4:-4"), ": it holds 2 rows, and its `__metadata__` says positions -4:-4");
  for (const std::string_view wrong :
       {"", "0", "0:", ":1", "0-1", "0:1:2", "0:1 ", "1:0", "x:1", "0;1", "0:99999999999999999999"})
    EXPECT_EQ(no(wrong),
              fmt::format(": `positions` of its `__metadata__` is `{}`; FIRST:LAST is read", wrong));
}

TEST_F(TableFile, safetensors_that_lie_are_refused) {
  EXPECT_EQ(said("x.safetensors", safetensors(two_tensors, std::string(12, '\0'))),
            ": holds more than one tensor; say which: FILE.safetensors:NAME with NAME one of ids, wpe");
  EXPECT_EQ(said("x.safetensors", safetensors(two_tensors, std::string(12, '\0')), ":wte"),
            ": holds no `wte`: FILE.safetensors:NAME with NAME one of ids, wpe");
  const std::string cache =
      R"({"rope.cos":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"rope.sin":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
  EXPECT_EQ(
      said("x.safetensors", safetensors(cache, std::string(8, '\0'))),
      ": holds more than one tensor; say which: FILE.safetensors:NAME with NAME one of rope.cos, rope.sin; both "
      "together: FILE.safetensors:rope.cos,rope.sin");
  EXPECT_EQ(said("x.safetensors", safetensors(two_tensors, std::string(12, '\0')), ":ids"),
            ": `ids` has dtype I32; F64, F32, BF16 and F16 are read");
  EXPECT_EQ(said("x.safetensors", safetensors(two_tensors, std::string(11, '\0'))),
            ": the header promises 12 bytes of values, the file holds 11");
  EXPECT_EQ(said("x.safetensors", safetensors(two_tensors, std::string(13, '\0'))),
            ": the header promises 12 bytes of values, the file holds 13");
  EXPECT_EQ(said("x.safetensors", safetensors("{\"x\":1}", "")),
            ": tensor `x` has not exactly dtype, shape and data_offsets");
  EXPECT_EQ(said("x.safetensors", std::string(8, '\x7f')),
            ": the header is 9187201950435737471 bytes long; allowed: at most 1048576");
}

TEST_F(TableFile, the_highest_byte_may_stand_first) {
  std::string turned = bytes(eight);
  for (std::size_t n = 0; n < turned.size(); n += 8) std::reverse(turned.begin() + n, turned.begin() + n + 8);
  for (const bool columns : {false, true}) {
    const std::string path = file(
        "x.npy", npy(dictionary(">f8", columns ? "(4, 2)" : "(2, 4)", columns ? "True" : "False"), turned));
    const Subject subject = open("table:" + path, expected(Table{.dim = columns ? 2u : 4u}));
    EXPECT_EQ(testing::rows(subject, {1}, 2),
              columns ? Tensor({1, 2}, {1, 11}) : Tensor({1, 4}, {10, 11, 12, 13}));
  }
}

TEST_F(TableFile, what_is_no_table_is_refused_by_name) {
  EXPECT_EQ(
      said("x.csv", "1,2"),
      ": a table is FILE.npy, FILE.safetensors or FILE.npz, :NAME behind the latter two, indices as numpy has "
      "them ([:, 32:]) and @PRECISION may follow");
  EXPECT_EQ(thrown("table:/no/x.npy", [] { open("table:/no/x.npy", expected(Table{.dim = 4})); }),
            ": there is no such file");
  std::ofstream(folder_ / "file") << "no folder";
  const std::string below = "table:" + (folder_ / "file" / "x.npy").string();
  EXPECT_EQ(thrown(below, [&] { open(below, expected(Table{.dim = 4})); }), ": there is no such file");
  std::filesystem::create_directories(folder_ / "y.npy");
  const std::string folder = (folder_ / "y.npy").string();
  EXPECT_EQ(thrown("table:" + folder, [&] { open("table:" + folder, expected(Table{.dim = 4})); }),
            ": is no regular file");
  const std::string listening = (folder_ / "z.npy").string();
  sockaddr_un address{AF_UNIX, {}};
  ASSERT_LT(listening.size(), sizeof address.sun_path);
  std::ranges::copy(listening, address.sun_path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(thrown("table:" + listening, [&] { open("table:" + listening, expected(Table{.dim = 4})); }),
            ": is no regular file");
  ::close(socket);
}

}  // namespace
}  // namespace posproof::table_file_test
