#include "report/identified.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace posproof::report::identified_test {
namespace {

using Json = nlohmann::json;

Candidate candidate(const std::string& encoding, const std::string& words) {
  return {encoding, Case::parse(words)};
}

Identified of(const std::string& encoding, const std::string& words) {
  Table of_nine_rows{.dim = 8, .positions = Domain(0, 8)};
  of_nine_rows.positions.ends = true;
  Identified found{
      .subject = {
          .name = "", .description = "[9, 8] in F32", .encoding = of_nine_rows, .precision = all_f32}};
  found.subject.live = false;
  found.hold.push_back({candidate(encoding, words), 0.25, false});
  found.compared = 9, found.tried = 3;
  return found;
}

TEST(IdentifiedWords, name_the_convention_first_and_the_gate_last) {
  Identified found = of("sinusoidal", "dim=8 offset=2");
  found.seeming = "seems to work in `f32`";
  EXPECT_EQ(identified(found, "table:x.npy", {}),
            "IDENTIFIED  sinusoidal --dim 8 --offset 2 of table:x.npy\n"
            "  [9, 8] in F32\n"
            "  9 positions are within rounding in f32, at most 25 % of what it allows\n"
            "  seems to work in `f32`\n"
            "  gate it: posproof gate sinusoidal --dim 8 --offset 2 'table:x.npy'\n");
  found.subject.live = true;
  EXPECT_NE(identified(found, "x", {}).find("  9 answers are within"), std::string::npos);
  found.subject.live = false;  // a file of frequencies alone has no positions of its own
  found.subject.encoding = Table{.dim = 8};
  EXPECT_NE(identified(found, "x", {}).find("  9 answers are within"), std::string::npos);
}

TEST(IdentifiedWords, say_what_the_subject_cannot_tell) {
  Identified found = of("rope", "dim=128");
  found.not_told = {{"exponent", {"rotary_dim", "dim"}, "rotary_dim=4"},
                    {"layout", {"half_split", "interleaved"}, ""}};
  found.or_else = {candidate("sinusoidal", "dim=128 layout=cos_sin")};
  found.less_simple = 2;
  const std::string told =
      "  this subject cannot tell:\n"
      "    exponent: rotary_dim, dim (`rotary_dim=4` tells them apart)\n"
      "    layout: half_split, interleaved\n"
      "  every answer agrees with these, too:\n"
      "    sinusoidal --dim 128 --layout cos_sin\n"
      "    2 more, with longer parameters\n";
  EXPECT_NE(identified(found, "x", {}).find(told), std::string::npos) << identified(found, "x", {});
  found.less_simple = 1;
  EXPECT_NE(identified(found, "x", {}).find("    1 more, with longer parameters\n"), std::string::npos);
  found.not_told = {};
  EXPECT_EQ(identified(found, "x", {}).find("cannot tell"), std::string::npos);
  EXPECT_NE(identified(found, "x", {}).find("  every answer agrees with these, too:\n    sinusoidal"),
            std::string::npos);
}

TEST(IdentifiedWords, say_in_which_digits_the_file_was_read) {
  Identified found = of("sinusoidal", "dim=8");
  found.read_as = "table:x.npy@bf16", found.stored_in = "f32";
  EXPECT_EQ(
      identified(found, "table:x.npy", {}),
      "IDENTIFIED  sinusoidal --dim 8 of table:x.npy\n"
      "  [9, 8] in F32\n"
      "  read as 'table:x.npy@bf16': all numbers of the file are numbers of bf16; taken for f32 no convention holds\n"
      "  9 positions are within rounding in f32, at most 25 % of what it allows\n"
      "  gate it: posproof gate sinusoidal --dim 8 'table:x.npy@bf16'\n");
  const Json read = Json::parse(identified_json(found, "table:x.npy"));
  EXPECT_EQ(read["read_as"], "table:x.npy@bf16");
  EXPECT_EQ(read["identified"]["gate"], "posproof gate sinusoidal --dim 8 'table:x.npy@bf16'");
  EXPECT_FALSE(Json::parse(identified_json(of("sinusoidal", "dim=8"), "table:x.npy")).contains("read_as"));
}

TEST(IdentifiedWords, say_that_not_all_was_tried) {
  Identified found = of("sinusoidal", "dim=8 offset=2");
  found.interrupted = "interrupted by SIGTERM";
  EXPECT_TRUE(identified(found, "x", {})
                  .starts_with("IDENTIFIED  sinusoidal --dim 8 --offset 2 of x\n"
                               "  interrupted by SIGTERM: not all conventions were tried\n"));
  EXPECT_EQ(Json::parse(identified_json(found, "x"))["interrupted"], "interrupted by SIGTERM");
  found.hold.clear();
  EXPECT_TRUE(identified(found, "x", {})
                  .starts_with("NOT IDENTIFIED  x: none of 3 conventions holds\n"
                               "  interrupted by SIGTERM: not all conventions were tried\n"));
  found.interrupted = "";
  EXPECT_FALSE(Json::parse(identified_json(found, "x")).contains("interrupted"));
}

TEST(IdentifiedWords, say_where_a_causal_mask_hides_what_was_not_compared) {
  const std::string hidden =
      "  keys after the query, which its causal mask hides, were compared with nothing\n";
  for (const bool trained : {true, false}) {
    Identified causal = of("t5_bias", "heads=3 direction=unidirectional"), open = of("t5_bias", "heads=3");
    causal.hold.front().trained = open.hold.front().trained = trained;
    EXPECT_NE(identified(causal, "table:x.npy", {}).find(hidden), std::string::npos);
    EXPECT_EQ(identified(open, "table:x.npy", {}).find(hidden), std::string::npos);
    EXPECT_EQ(Json::parse(identified_json(causal, "x"))["identified"]["not_compared"],
              Json({"keys after the query, which its causal mask hides"}));
    EXPECT_EQ(Json::parse(identified_json(open, "x"))["identified"]["not_compared"], Json::array());
  }
}

TEST(IdentifiedWords, of_trained_numbers_no_gate_is_offered) {
  Identified found = of("t5_bias", "heads=3");
  found.hold.front().trained = true;
  EXPECT_EQ(
      identified(found, "table:x.npy", {}),
      "IDENTIFIED  t5_bias --heads 3 of table:x.npy\n"
      "  [9, 8] in F32\n"
      "  every entry depends on its bucket alone; the numbers in the buckets are trained ones and were compared "
      "with none\n");
  const Json json = Json::parse(identified_json(found, "table:x.npy"));
  EXPECT_EQ(json["identified"]["trained_numbers"], true);
  EXPECT_FALSE(json["identified"].contains("gate"));
  found = of("relative_table", "heads=3 height=3 width=3");
  found.hold.front().trained = true;
  EXPECT_EQ(
      identified(found, "table:x.npy", {}),
      "IDENTIFIED  relative_table --heads 3 --height 3 --width 3 of table:x.npy\n"
      "  [9, 8] in F32\n"
      "  every entry depends on its offset alone; the numbers, trained ones perhaps, were compared with none\n");
}

Identified not_identified() {
  Identified found = of("rope", "dim=8");
  found.hold.clear();
  Place place;
  place.axes = {{Axis::token, 2}, {Axis::channel, 5}};
  place.position = {7};
  place.expected = 0.5, place.got = 0.75, place.off = {0.25, 0.001, 2};
  found.nearest = NearestConvention{candidate("rope", "dim=8"),
                                    1,
                                    40,
                                    place,
                                    "f32/bf16",
                                    {{Explanation::Kind::measured, "pair 3 does not rotate", "", ""},
                                     {Explanation::Kind::convention, "--base 500000", "the base", ""},
                                     {Explanation::Kind::defect, "rope/x", "wrong", "a#1"}}};
  return found;
}

TEST(IdentifiedWords, where_none_holds_name_the_nearest_and_the_difference) {
  EXPECT_EQ(identified(not_identified(), "table:x.npy", {}),
            "NOT IDENTIFIED  table:x.npy: none of 3 conventions holds\n"
            "  [9, 8] in F32\n"
            "  nearest: rope --dim 8: 1 of 40 answers is beyond what rounding in f32 allows\n"
            "    token 2 (position 7), channel 5: expected 0.5, got 0.75, off by 0.25\n"
            "    measured: pair 3 does not rotate\n"
            "    every case agrees with `--base 500000` instead (the base)\n"
            "    behaves exactly like defect rope/x (a#1)\n"
            "    would hold as `@f32/bf16`\n"
            "  gate it: posproof gate rope --dim 8 'table:x.npy'\n");
  Identified several = not_identified();
  several.nearest->wrong = 2;
  EXPECT_NE(identified(several, "table:x.npy", {})
                .find("\n  nearest: rope --dim 8: 2 of 40 answers are beyond what rounding in f32 allows\n"),
            std::string::npos);
  several.nearest->precision = "";
  several.nearest->first.reset();
  several.nearest->explanations = {{Explanation::Kind::place, "wrong in head 1 of 2 alone", "", ""}};
  EXPECT_TRUE(identified(several, "table:x.npy", {})
                  .ends_with("allows\n    located: wrong in head 1 of 2 alone\n"
                             "  gate it: posproof gate rope --dim 8 'table:x.npy'\n"));
  const Json said = Json::parse(identified_json(several, "table:x.npy"));
  EXPECT_FALSE(said["nearest"].contains("would_hold_as"));
  EXPECT_FALSE(said["nearest"].contains("first"));
  EXPECT_EQ(said["nearest"]["explanations"], Json({"located: wrong in head 1 of 2 alone"}));
  Identified none = not_identified();
  none.nearest.reset();
  EXPECT_EQ(
      identified(none, "table:x.npy", {}),
      "NOT IDENTIFIED  table:x.npy: none of 3 conventions holds\n  [9, 8] in F32\n  no convention is near\n");
  none.tried = 1;
  EXPECT_TRUE(identified(none, "x", {}).starts_with("NOT IDENTIFIED  x: none of 1 convention holds\n"));
  none.tried = 0;
  EXPECT_TRUE(
      identified(none, "x", {})
          .starts_with("NOT IDENTIFIED  x: no convention has answers like these, so none was compared\n"));
}

TEST(IdentifiedWords, say_in_what_a_program_was_contained) {
  Identified found = of("rope", "dim=128");
  EXPECT_FALSE(Json::parse(identified_json(found, "x")).contains("contained"));
  EXPECT_EQ(identified(found, "x", {}).find("contained"), std::string::npos);
  found.subject.containment = {{"no network"}, {"reading files"}};
  found.subject.description = "";
  EXPECT_EQ(identified(found, "x", {})
                .find("IDENTIFIED  rope --dim 128 of x\n  contained: no network\n"
                      "  not contained: reading files\n  9 positions are"),
            0u)
      << identified(found, "x", {});
  const Json json = Json::parse(identified_json(found, "x"));
  EXPECT_EQ(json["contained"], Json({"no network"}));
  EXPECT_EQ(json["not_contained"], Json({"reading files"}));
  EXPECT_EQ(json["identified"]["trained_numbers"], false);
}

TEST(IdentifiedWords, as_json_are_the_same_values) {
  Identified found = of("sinusoidal", "dim=8 offset=2");
  found.not_told = {{"divisor", {"half", "half_minus_one"}, "dim=6"}};
  found.or_else = {candidate("rope", "dim=8")};
  found.less_simple = 4;
  const Json json = Json::parse(identified_json(found, "table:x.npy"));
  EXPECT_EQ(json["subject"], "table:x.npy");
  EXPECT_NE(identified_json(found, "table:\u00fc.npy").find("table:\u00fc.npy"), std::string::npos);
  EXPECT_EQ(json["description"], "[9, 8] in F32");
  EXPECT_EQ(json["identified"]["encoding"], "sinusoidal");
  EXPECT_EQ(json["identified"]["parameters"]["offset"], 2);
  EXPECT_EQ(json["identified"]["parameters"]["layout"], "interleaved") << "all of them";
  EXPECT_EQ(json["identified"]["share_of_bound"], 0.25);
  EXPECT_EQ(json["identified"]["gate"], "posproof gate sinusoidal --dim 8 --offset 2 'table:x.npy'");
  EXPECT_EQ(json["precision"], "f32");
  EXPECT_EQ(json["compared"], 9);
  EXPECT_EQ(json["tried"], 3);
  EXPECT_EQ(json["not_told_apart"][0],
            (Json{{"parameter", "divisor"}, {"values", {"half", "half_minus_one"}}, {"apart", "dim=6"}}));
  EXPECT_EQ(json["or_else"][0]["encoding"], "rope");
  EXPECT_EQ(json["less_simple"], 4);
  EXPECT_FALSE(json.contains("nearest"));
  const Json near = Json::parse(identified_json(not_identified(), "table:x.npy"));
  EXPECT_TRUE(near["identified"].is_null());
  EXPECT_EQ(near["nearest"]["encoding"], "rope");
  EXPECT_EQ(near["nearest"]["wrong"], 1);
  EXPECT_EQ(near["nearest"]["of"], 40);
  EXPECT_EQ(near["nearest"]["first"], "token 2 (position 7), channel 5: expected 0.5, got 0.75, off by 0.25");
  EXPECT_EQ(near["nearest"]["explanations"][0], "measured: pair 3 does not rotate");
  EXPECT_EQ(near["nearest"]["would_hold_as"], "f32/bf16");
  EXPECT_EQ(near["nearest"]["gate"], "posproof gate rope --dim 8 'table:x.npy'");
}

}  // namespace
}  // namespace posproof::report::identified_test
