#include "core/precision.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace posproof::precision_test {

namespace {

std::string refusal(const char* words) {
  try {
    Precision::parse(words);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Precision, reads_back_what_it_writes) {
  for (const std::string result : {"f64", "f32", "bf16", "f16"})
    for (const std::string angle : {"", "/f64", "/f32", "/bf16", "/f16"})
      for (const std::string how : {"", "+iterated"}) {
        const Precision p = Precision::parse(result + angle + how);
        EXPECT_EQ(Precision::parse(p.word()), p) << result << angle << how;
        EXPECT_EQ(p.how == Precision::Angles::iterated, !how.empty());
      }
}

TEST(Precision, has_two_units) {
  EXPECT_EQ(Precision::parse("f64"), all_f64);
  EXPECT_EQ(Precision::parse("f32"), all_f32);
  // Angles in 16 bits are never assumed: they are the best-known defect, and must be declared.
  EXPECT_EQ(Precision::parse("bf16"), (Precision{unit_f32, unit_bf16}));
  EXPECT_EQ(Precision::parse("f16"), (Precision{unit_f32, unit_f16}));
  EXPECT_EQ(Precision::parse("bf16/bf16"), (Precision{unit_bf16, unit_bf16}));
  EXPECT_EQ(Precision::parse("f32/f64"), (Precision{unit_f64, unit_f32}));
}

TEST(Precision, of_a_table_and_of_products_is_the_usual_one_unless_declared) {
  struct Usual {
    const char* words;
    double table, work, input;
  };
  for (const Usual& usual : {Usual{"f64", unit_f64, unit_f64, unit_f64},
                             {"f32", unit_f32, unit_f32, unit_f32},
                             {"f32/f64", unit_f32, unit_f32, unit_f32},
                             {"f64/f32", unit_f64, unit_f64, unit_f64},
                             {"f32/bf16", unit_f32, unit_f32, unit_f32},
                             {"bf16", unit_f32, unit_f32, unit_bf16},
                             {"bf16/f64", unit_f32, unit_f32, unit_bf16},
                             {"bf16/bf16", unit_bf16, unit_bf16, unit_bf16},
                             {"bf16+table=bf16", unit_bf16, unit_bf16, unit_bf16},
                             {"bf16+table=bf16+work=f32", unit_bf16, unit_f32, unit_bf16},
                             {"f32+table=bf16", unit_bf16, unit_f32, unit_f32},
                             {"bf16+work=bf16", unit_f32, unit_bf16, unit_bf16},
                             {"bf16+work=f32", unit_f32, unit_f32, unit_bf16},
                             {"f32+input=bf16", unit_f32, unit_f32, unit_bf16}}) {
    const Precision p = Precision::parse(usual.words);
    EXPECT_EQ(p.table(), usual.table) << usual.words;
    EXPECT_EQ(p.work(), usual.work) << usual.words;
    EXPECT_EQ(p.input(), usual.input) << usual.words;
    EXPECT_EQ(Precision::parse(p.word()), p) << usual.words;
  }
  EXPECT_EQ(Precision::parse("bf16+work=f32+table=f32+input=bf16"), Precision::parse("bf16+table=f32"));
  EXPECT_EQ(Precision::parse("bf16+table=f32").word(), "bf16/f32+table=f32");
  EXPECT_EQ(Precision::parse("bf16+work=f32").word(), "bf16/f32+work=f32");
  EXPECT_EQ(Precision::parse("bf16+table=bf16+work=bf16").word(), "bf16/f32+table=bf16");
  EXPECT_EQ(Precision::parse("f32+work=f32").word(), "f32");
  EXPECT_EQ(Precision::parse("bf16+iterated+work=bf16").word(), "bf16/f32+work=bf16+iterated");
}

TEST(Precision, is_written_for_people_and_for_the_command_line) {
  EXPECT_EQ(Precision::parse("bf16").text(), "bf16 over f32");
  EXPECT_EQ(Precision::parse("bf16").word(), "bf16/f32");
  EXPECT_EQ(Precision::parse("bf16/bf16").text(), "bf16 over bf16");
  EXPECT_EQ(Precision::parse("bf16/bf16").word(), "bf16/bf16");
  EXPECT_EQ(Precision::parse("f32+iterated").text(), "f32, frequencies iterated");
  EXPECT_EQ(Precision::parse("f32+iterated").word(), "f32+iterated");
  EXPECT_EQ(Precision::parse("bf16+table=bf16+work=f32").text(),
            "bf16 over f32, cosine and sine in bf16, products in f32");
  EXPECT_EQ(Precision::parse("f32+input=bf16").text(), "f32, contents in bf16");
}

TEST(Precision, names_what_it_does_not_know) {
  EXPECT_EQ(refusal("float"),
            "precision `float`: `float` is none of f64, f32, bf16, f16 "
            "(RESULT[/ANGLE][+table=FORMAT][+work=FORMAT][+input=FORMAT][+iterated], as in `bf16/f32`)");
  EXPECT_EQ(
      refusal("f32+tables=bf16"),
      "precision `f32+tables=bf16`: `+tables=bf16` is none of +table=, +work=, +input=, +iterated, each "
      "once (RESULT[/ANGLE][+table=FORMAT][+work=FORMAT][+input=FORMAT][+iterated], as in `bf16/f32`)");
  for (const char* words : {"", "f32/", "/f32", "f32+", "f32+iterate", "f32/fp8", "FP32", "f32 ",
                            "f32/f32/f32", "f32+table=", "f32+table=fp8", "f32+table", "f32++iterated",
                            "f32+iterated+iterated", "f32+work=f32+work=f32", "f32+iterated/f32"})
    EXPECT_NE(refusal(words), "") << words;
}

}  // namespace posproof::precision_test
