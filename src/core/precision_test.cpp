#include "core/precision.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

using namespace posproof;

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
  for (const std::string result : {"fp64", "fp32", "bf16", "fp16"})
    for (const std::string angle : {"", "/fp64", "/fp32", "/bf16", "/fp16"})
      for (const std::string how : {"", "+iterated"}) {
        const Precision p = Precision::parse(result + angle + how);
        EXPECT_EQ(Precision::parse(p.word()), p) << result << angle << how;
        EXPECT_EQ(p.how == Precision::Angles::iterated, !how.empty());
      }
}

TEST(Precision, has_two_units) {
  EXPECT_EQ(Precision::parse("fp64"), fp64);
  EXPECT_EQ(Precision::parse("fp32"), fp32);
  // Angles in 16 bits are never assumed: they are the best-known defect, and must be declared.
  EXPECT_EQ(Precision::parse("bf16"), (Precision{unit_fp32, unit_bf16}));
  EXPECT_EQ(Precision::parse("fp16"), (Precision{unit_fp32, unit_fp16}));
  EXPECT_EQ(Precision::parse("bf16/bf16"), (Precision{unit_bf16, unit_bf16}));
  EXPECT_EQ(Precision::parse("fp32/fp64"), (Precision{unit_fp64, unit_fp32}));
}

TEST(Precision, is_written_for_people_and_for_the_command_line) {
  EXPECT_EQ(Precision::parse("bf16").text(), "bf16 over fp32");
  EXPECT_EQ(Precision::parse("bf16").word(), "bf16/fp32");
  EXPECT_EQ(Precision::parse("bf16/bf16").text(), "bf16 over bf16");
  EXPECT_EQ(Precision::parse("bf16/bf16").word(), "bf16/bf16");
  EXPECT_EQ(Precision::parse("fp32+iterated").text(), "fp32, frequencies iterated");
  EXPECT_EQ(Precision::parse("fp32+iterated").word(), "fp32+iterated");
}

TEST(Precision, names_what_it_does_not_know) {
  EXPECT_EQ(refusal("float"),
            "precision `float`: `float` is none of fp64, fp32, bf16, fp16 (RESULT[/ANGLE][+iterated], as in "
            "`bf16/fp32`)");
  for (const char* words :
       {"", "fp32/", "/fp32", "fp32+", "fp32+iterate", "fp32/fp8", "FP32", "fp32 ", "fp32/fp32/fp32"})
    EXPECT_NE(refusal(words), "") << words;
}
