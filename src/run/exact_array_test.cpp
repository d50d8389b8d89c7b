#include "run/exact_array.h"

#include <gtest/gtest.h>

#include <array>

#include "run/catalogued.h"
#include "subject/dtype.h"

namespace posproof::exact_array_test {
namespace {

Encoding truth_of(std::string_view id, std::string_view parameters) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.oracle(with(spec, Case::parse(parameters)));
}

// All values of the array, put together from its pieces.
std::vector<double> values_of(const ExactArray& array) {
  std::vector<std::byte> all(count(array.shape) * bytes(array.format));
  array.give(
      [&](std::size_t at, std::span<const std::byte> piece) {
        ASSERT_LE(at + piece.size(), all.size());
        std::copy(piece.begin(), piece.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
      },
      1);
  std::vector<double> out(count(array.shape));
  unpack(array.format, all.data(), out);
  return out;
}

std::string refused(const Encoding& encoding, Position first, Position last) {
  try {
    exact_array(encoding, Format::f32, first, last);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ExactArray, of_rows_is_the_tables_in_a_sequence_up_to_its_last_position) {
  const Encoding truth = truth_of("normalized_index", "dim=2");
  const ExactArray array = exact_array(truth, Format::f64, 1, 4);
  EXPECT_EQ(array.shape, (Shape{4, 2}));
  EXPECT_EQ(array.rounding, "correctly rounded, ties to even");
  EXPECT_EQ(values_of(array), (std::vector<double>{.25, .25, .5, .5, .75, .75, 1, 1}));
  EXPECT_EQ(exact_array(truth, Format::bf16, 1, 4).rounding,
            "correctly rounded to f64, and that to bf16, ties to even");
}

// With its exact entries and without, of two heads, each position against each.
TEST(ExactArray, of_a_bias_has_every_head_query_and_key) {
  for (const std::string_view words : {"heads=3", "heads=2 form=symmetric", "heads=2 rows=key_index"}) {
    const auto bias = as<Bias>(truth_of("alibi", words));
    std::vector<Position> at = {5, 6, 7, 8, 9};
    const Tensor right = bias.bias(at, at);
    Bias plain = bias;
    plain.exact.reset();
    for (const Encoding& one : {Encoding(bias), Encoding(plain)}) {
      const ExactArray array = exact_array(one, Format::f64, 5, 9);
      EXPECT_EQ(array.shape, right.shape) << words;
      EXPECT_EQ(values_of(array), right.data) << words;
    }
  }
}

TEST(ExactArray, is_refused_where_there_is_none) {
  const Encoding learned = truth_of("learned", "dim=1 length=10 offset=2"),
                 rows = truth_of("sinusoidal", "dim=2");
  EXPECT_EQ(refused(learned, 0, 7), "not refused");
  EXPECT_EQ(refused(learned, 0, 8), "positions 0:8: the encoding is defined for 0 to 7");
  EXPECT_EQ(refused(learned, -1, 7), "positions -1:7: the encoding is defined for 0 to 7");
  EXPECT_EQ(refused(rows, 5, 4), "positions `5:4`; allowed: FIRST:LAST, the first not past the last");
  EXPECT_EQ(refused(rows, -5, 1 << 21), "not refused") << "it says nothing of an end";
  EXPECT_EQ(
      refused(truth_of("none", ""), 0, 4),
      "the answers of this kind, contextual, depend on more than the position; a table, a rotary encoding or a "
      "bias can be written");
  for (const std::string grid : {"sincos_2d", "axial_rope"})
    EXPECT_EQ(refused(truth_of(grid, ""), 0, 4),
              "a position has 2 numbers; only encodings of one number are written for a range of positions");
}

}  // namespace
}  // namespace posproof::exact_array_test
