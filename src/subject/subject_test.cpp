// What a program is taken for once it is open: its format, and where it is defined.
#include "subject/subject.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/catalogued.h"
#include "subject/testing/subjects.h"

namespace posproof::subject_test {
namespace {

// The program of the tests as that encoding, with these words behind it.
Subject opened(const std::string& encoding, const std::string& parameters, const std::string& words) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters all = with(spec, Case::parse(parameters));
  return open(std::string("cmd:") + POSPROOF_TEST_SUBJECT + words,
              {.encoding = encoding, .parameters = all, .declared = {spec.oracle(all)}});
}

// Of 16 bits a rotation has cosines in its own format, unless it says what they are in.
TEST(Subject, has_cosines_in_16_bits_where_it_says_nothing_of_them) {
  const auto precision = [](const std::string& encoding, const std::string& words) {
    return opened(encoding, "", "@" + words).precision;
  };
  for (const std::string words : {"f64", "f32", "bf16+table=f32", "bf16+work=f32", "f32+table=bf16"})
    EXPECT_EQ(precision("rope", words), Precision::parse(words)) << words;
  EXPECT_EQ(precision("rope", "bf16"), Precision::parse("bf16+table=bf16"));
  EXPECT_EQ(precision("rope", "f16"), Precision::parse("f16+table=f16"));
  EXPECT_EQ(precision("rope", "bf16/bf16"), Precision::parse("bf16/bf16+table=bf16"));
  for (const std::string encoding : {"sinusoidal", "alibi"})
    EXPECT_EQ(precision(encoding, "bf16"), Precision::parse("bf16")) << encoding;
}

// Which numbers it takes is the encoding's affair, how far they go its own.
TEST(Subject, is_defined_where_it_says_on_the_axes_of_the_encoding) {
  const Domain real = positions_of(opened("timestep_embedding", "dim=4", " domain=2:9").encoding),
               whole = positions_of(opened("sinusoidal", "dim=4", " domain=2:9").encoding),
               grid = positions_of(opened("axial_rope", "dim=8", " domain=0:9").encoding);
  EXPECT_TRUE(real.real);
  EXPECT_FALSE(whole.real);
  for (const Domain& one : {real, whole}) {
    EXPECT_EQ(one.lo, 2);
    EXPECT_EQ(one.hi, 9);
    EXPECT_EQ(one.axes, 1u);
    EXPECT_TRUE(one.last_on_axis.empty());
  }
  EXPECT_EQ(grid.axes, 2u);
  EXPECT_EQ(grid.last_on_axis, (std::vector<Position>{9, 9}));
}

}  // namespace
}  // namespace posproof::subject_test
