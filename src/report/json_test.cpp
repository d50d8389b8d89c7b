// What a machine reads, parsed back and compared field by field with the values in memory.
#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/testing/found.h"

namespace posproof::report::json_test {
namespace {

using namespace posproof::testing;
using Json = nlohmann::json;

TEST(ReportJson, has_everything_that_a_gate_found) {
  const Json said = Json::parse(json(everything_found()));
  const Json expected = Json::parse(R"json({
    "verdict": "refuted", "cause": "`--layout sin_cos`",
    "encoding": "sinusoidal",
    "parameters": {"dim": 4.0, "base": 10000.0, "layout": "interleaved", "divisor": "half", "offset": 2.0,
                   "odd": "refuse", "amplitude": 1.0},
    "subject": "cmd:./x --fast", "description": "x 1.0", "kind": "table", "precision": "bf16/f32",
    "refuted": true, "undecided": true,
    "contained": ["no network", "no devices"], "not_contained": ["reading files"],
    "asked": [
      {"property": "a/holds", "verdict": "holds", "cases": 300, "vacuous": 20,
       "worst": {"error": 1.0, "bound": 8.0, "ceiling": 16.0}, "worst_at": "t=5"},
      {"property": "b/refuted", "verdict": "refuted", "case": "t=3 q=[0.25,0]",
       "residual": {"error": 0.5, "bound": 0.125, "ceiling": null}, "found_after": 12, "shrinks": 34,
       "repeats": true, "irrelevant": ["q", "k"]},
      {"property": "c/raises", "verdict": "refuted", "case": "t=4",
       "residual": {"error": null, "bound": 0.0, "ceiling": 0.0}, "found_after": 1, "shrinks": 0,
       "repeats": false, "irrelevant": [], "instead": "rows(positions [1]): error: no <row>"},
      {"property": "d/raises", "verdict": "refuted", "case": "t=9",
       "residual": {"error": null, "bound": 0.0, "ceiling": 0.0}, "found_after": 2, "shrinks": 0,
       "repeats": true, "irrelevant": [], "instead": "the same", "same_as": "c/raises"},
      {"property": "e/history", "verdict": "refuted", "case": "t=6",
       "residual": {"error": null, "bound": 0.5, "ceiling": 1.0}, "found_after": 3, "shrinks": 1,
       "repeats": true, "irrelevant": [], "needs_history": true},
      {"property": "f/undecided", "verdict": "undecided", "why": "stopped by `--time` (1 s)", "cases": 7,
       "vacuous": 2
},
      {"property": "g/errored", "verdict": "errored", "why": "no answer within 20 s", "case": "t=8"},
      {"property": "h/errored", "verdict": "errored", "why": "it broke down", "case": ""},
      {"property": "i/none", "verdict": "not applicable", "why": "no bias"},
      {"property": "j/follows", "verdict": "refuted", "case": "t=7",
       "residual": {"error": 2.0, "bound": 1.0, "ceiling": 4.0}, "found_after": 5, "shrinks": 6,
       "repeats": true, "irrelevant": [], "follows_from": "b/refuted",
       "place": {"answer": 1, "answers": 3, "token": 0, "channel": 3, "position": 7.0, "pair": 1,
                 "second_of_pair": true, "expected": 1.0, "got": 0.25, "error": 0.75, "bound": 0.125}}],
    "observed": {"repeated": {"calls": 27, "differ": 0, "largest": 0.0, "first": ""},
                 "alone": {"calls": 18, "differ": 3, "largest": 0.5, "first": "t=1"}},
    "seeming_precision": {"answers": 40, "precision": "bf16/f32", "share": 0.5, "declared_share": 0.25,
                          "tighter_by_far": false},
    "accuracy": {"format": "f32", "first": 0, "last": 99, "rows": 100, "declined": 0, "entries": 400,
                 "not_correctly_rounded": 2, "stopped": "",
                 "largest_ulp": {"ulp": 3.5, "at": {"position": 7, "column": 2}},
                 "largest_error": {"error": 0.25, "bound_only": false, "at": {"position": 98, "column": 3}},
                 "within_bound": true,
                 "worst": {"case": "rows=1 t=98 n=100",
                           "residual": {"error": 0.25, "bound": 0.5, "bound_only": false}},
                 "against_rounded_frequencies": [], "curve": []},
    "not_checked": ["positions 5 to 9", "and others"],
    "alike": ["exponent: `rotary_dim` and `dim`", "another"],
    "skipped": ["call/x: a file answers no calls", "call/y: none"],
    "explanations": [
      {"kind": "convention", "what": "--layout sin_cos", "meaning": "where sines stand", "sources": ""},
      {"kind": "measured", "what": "positions are one ahead", "meaning": "", "sources": ""},
      {"kind": "defect", "what": "rope/angles_in_bf16", "meaning": "angles are rounded",
       "sources": "candle#3520"},
      {"kind": "place", "what": "wrong in head 1 of 2 alone", "meaning": "", "sources": ""}]
})json");
  EXPECT_EQ(said, expected) << Json::diff(said, expected).dump(1);
}

TEST(ReportJson, has_nothing_that_a_gate_did_not_find) {
  const Json said = Json::parse(json(nothing_found()));
  for (const char* absent : {"contained", "not_contained", "observed", "seeming_precision", "would_hold_as",
                             "accuracy", "interrupted"})
    EXPECT_FALSE(said.contains(absent)) << absent;
  for (const char* empty : {"asked", "skipped", "not_checked", "alike", "explanations"})
    EXPECT_EQ(said[empty], Json::array()) << empty;
  EXPECT_EQ(said["verdict"], "not decided");
  EXPECT_EQ(said["cause"], nullptr);
}

TEST(ReportJson, says_by_what_it_was_interrupted_and_where_a_bias_or_a_grid_is_wrong) {
  GateResult gated = nothing_found();
  gated.interrupted = "interrupted by SIGINT";
  gated.holds_as = "f32+iterated";
  EXPECT_EQ(Json::parse(json(gated))["would_hold_as"], "f32+iterated");
  asked(gated, "x", Refuted{Case::parse("i=1"), {nan, 0, 0}, 1, 0});
  std::get<Refuted>(gated.results.back().verdict).place = {
      .axes = {{Axis::head, 2}, {Axis::query, 0}, {Axis::key, 1}},
      .position = {3, 0.5},
      .key_position = {4},
      .expected = -1,
      .got = nan,
      .relative_to_key = 0,
      .off = {nan, 0.5, 1}};
  const Json said = Json::parse(json(gated));
  EXPECT_EQ(said["interrupted"], "interrupted by SIGINT");
  EXPECT_EQ(
      said["asked"][0]["place"],
      Json::parse(R"json({"answer": 0, "answers": 1, "head": 2, "query": 0, "key": 1, "position": [3.0, 0.5],
                            "key_position": 4.0, "relative_to_key": 0, "expected": -1.0, "got": null,
                            "error": null, "bound": 0.5})json"));
}

TEST(ReportJson, says_which_of_a_pair_is_wrong) {
  GateResult gated = nothing_found();
  asked(gated, "x", Refuted{Case::parse("t=1"), {1, 0, 2}, 1, 0});
  for (const bool second : {false, true}) {
    std::get<Refuted>(gated.results.back().verdict).place = {.pair = {{.index = 3, .second = second}}};
    const Json place = Json::parse(json(gated))["asked"][0]["place"];
    EXPECT_EQ(place["pair"], 3);
    EXPECT_EQ(place["second_of_pair"], second);
  }
}

// The two flags are those of the result, whatever else was found.
TEST(ReportJson, says_whether_anything_was_refuted_or_undecided) {
  const Holds held{.cases = 3, .vacuous = 0, .worst = {0, 1, 2}, .worst_at = {}};
  const Refuted refuted{Case::parse("t=1"), {1, 0, 1}, 1, 0};
  const auto flags = [](const std::vector<Verdict>& verdicts, bool not_all = false) {
    GateResult gated = nothing_found();
    for (const Verdict& one : verdicts) asked(gated, "x", one);
    if (not_all) gated.not_checked = {"positions 5 to 9"};
    const Json said = Json::parse(json(gated));
    EXPECT_EQ(said["refuted"].get<bool>(), gated.refuted());
    EXPECT_EQ(said["undecided"].get<bool>(), gated.undecided());
    return std::pair{said["refuted"].get<bool>(), said["undecided"].get<bool>()};
  };
  EXPECT_EQ(flags({held}), (std::pair{false, false}));
  EXPECT_EQ(flags({held, refuted}), (std::pair{true, false}));
  EXPECT_EQ(flags({held}, true), (std::pair{false, true}));
  EXPECT_EQ(flags({refuted, Undecided{"?"}}), (std::pair{true, true}));
  EXPECT_EQ(flags({Errored{"?", {}}, held}), (std::pair{false, true}));
}

TEST(ReportJson, of_a_check_has_the_verdict_and_the_claim) {
  const Refuted refuted{Case::parse("t=1"), {1, 0.5, 2}, 1, 0};
  EXPECT_EQ(Json::parse(json("score/x", refuted)),
            Json::parse(R"json({"property": "score/x", "verdict": "refuted", "case": "t=1",
                            "residual": {"error": 1.0, "bound": 0.5, "ceiling": 2.0}, "found_after": 1,
                            "shrinks": 0, "repeats": true, "irrelevant": []})json"));
  EXPECT_EQ(Json::parse(json("score/x", NotApplicable{"no bias"}, {{"a"}, {"b", "c"}})),
            Json::parse(R"json({"property": "score/x", "verdict": "not applicable", "why": "no bias",
                            "contained": ["a"], "not_contained": ["b", "c"]})json"));
  Claim claim{.property = &norm_stays, .holds = false};
  claim.witness = "dim=2 t=1";
  claim.by = 1.5;
  claim.because = "it turns";
  const ClaimResult stale{ClaimStatus::stale, refuted, "no longer"};
  EXPECT_EQ(Json::parse(json("score/x", NotApplicable{"no bias"}, {}, Replayed{claim, stale})),
            Json::parse(R"json({"property": "score/x", "verdict": "not applicable", "why": "no bias",
                            "claimed_to_fail": {"standing": "stale", "why": "no longer", "witness": "dim=2 t=1",
                                                "by": 1.5, "because": "it turns"}})json"));
}

TEST(ReportJson, of_a_matrix_has_every_answer_of_every_cell) {
  const Fact fact{"acts on the logits alone", {}};
  Claim holds{.property = &norm_stays, .holds = true};
  holds.when = {{{"odd", {Value(std::string("refuse"))}}}};
  holds.follows_from = &fact;
  const Claim fails{.property = &norm_stays, .holds = false};
  const std::vector<Cell> cells = {
      {"rope",
       "score/x",
       {{&holds, ClaimStatus::as_claimed, Holds{3, 1, {0, 1, 2}, {}}, ""},
        {&fails, ClaimStatus::stale, Holds{1, 0, {0, 1, 2}, {}}, "the recorded witness no longer fails"}}},
      {"rope", "score/y", {{nullptr, ClaimStatus::not_checked, Undecided{"late"}, "late"}}},
      {"alibi", "score/x", {}}};
  const Json said = Json::parse(json(cells));
  EXPECT_EQ(said, Json::parse(R"json([
    {"encoding": "rope", "property": "score/x", "answers": [
      {"claim": "holds", "standing": "as claimed", "why": "", "when": "odd is refuse",
       "follows_from": "acts on the logits alone", "verdict": "holds", "cases": 3, "vacuous": 1,
       "worst": {"error": 0.0, "bound": 1.0, "ceiling": 2.0}, "worst_at": ""},
      {"claim": "fails", "standing": "stale", "why": "the recorded witness no longer fails", "when": "",
       "verdict": "holds", "cases": 1, "vacuous": 0,
       "worst": {"error": 0.0, "bound": 1.0, "ceiling": 2.0}, "worst_at": ""}]},
    {"encoding": "rope", "property": "score/y", "answers": [
      {"claim": "none", "standing": "not checked", "why": "late", "verdict": "undecided", "cases": 0,
       "vacuous": 0}]},
    {"encoding": "alibi", "property": "score/x", "answers": []}])json"))
      << said.dump(1);
}

TEST(ReportJson, is_two_spaces_deep_ends_its_last_line_and_holds_any_bytes) {
  const std::string said = json("a\xff", NotApplicable{"\xe2\x82"});
  EXPECT_EQ(
      said,
      "{\n  \"property\": \"a\ufffd\",\n  \"verdict\": \"not applicable\",\n  \"why\": \"\ufffd\"\n}\n");
}

TEST(ReportJson, of_parameters_has_numbers_words_and_lists) {
  GateResult gated = nothing_found();
  gated.parameters = Case::parse("dim=8 layout=half_split table=[1,0.5]");
  gated.parameters.set("odd", infinite);
  EXPECT_EQ(Json::parse(json(gated))["parameters"],
            Json::parse(R"json({"dim": 8.0, "layout": "half_split", "table": "[1,0.5]", "odd": null})json"));
}

TEST(ReportJson, of_a_written_array_is_what_stands_in_the_file) {
  const Parameters parameters = Case::parse("dim=8");
  const ExactArray array{.name = "cos_cache",
                         .shape = {5, 4},
                         .format = Format::bf16,
                         .rounding = "correctly rounded",
                         .give = {}};
  EXPECT_EQ(Json::parse(json({"x.npy", "rope", parameters, -2, 2, array, 168})),
            Json::parse(
                R"json({"file": "x.npy", "encoding": "rope", "parameters": {"dim": 8.0}, "positions": [-2, 2],
                            "array": "cos_cache", "shape": [5, 4], "format": "bf16",
                            "rounding": "correctly rounded", "bytes": 168})json"));
  ExactArray grid = array;
  grid.grid = {5, 1};
  EXPECT_EQ(Json::parse(json({"x.npy", "rope", parameters, 0, 0, grid, 168}))["positions"],
            Json::parse(R"json({"grid": [5, 1]})json"));
}

Json of(const Accuracy& found) {
  GateResult gated = nothing_found();
  gated.accuracy = found;
  return Json::parse(json(gated))["accuracy"];
}

TEST(ReportJson, of_accuracy_has_what_failed_and_where) {
  Accuracy found = found_in_all_entries();
  found.declined = 3;
  found.stopped = "out of time";
  found.beyond = Accuracy::Beyond{{9, 1}, Case::parse("t=9"), {0.5, 0.25, 1}};
  found.failed = Refuted{Case::parse("t=4"), {0, 0, 0}, 1, 0, true, {}, "it raised", "x"};
  found.errored = Errored{"late", Case::parse("t=5")};
  found.against = {{Format::f32, 20}, {Format::f16, 30}};
  found.profile = {{1, 2, 0.5, nan, infinite}, {3, 4, 0.25, 1, 0}};
  found.of_angles = true;
  found.rounding = 0.25;
  const Json said = of(found);
  EXPECT_EQ(said["declined"], 3);
  EXPECT_EQ(said["stopped"], "out of time");
  EXPECT_EQ(said["within_bound"], false);
  EXPECT_FALSE(said.contains("worst"));
  EXPECT_EQ(said["first_beyond"], Json::parse(R"json({"at": {"position": 9, "column": 1}, "case": "t=9",
                                                  "residual": {"error": 0.5, "bound": 0.25}})json"));
  EXPECT_EQ(said["failed"], Json::parse(R"json({"instead": "it raised", "case": "t=4"})json"));
  EXPECT_EQ(said["errored"], Json::parse(R"json({"why": "late", "case": "t=5"})json"));
  EXPECT_EQ(said["against_rounded_frequencies"],
            Json::parse(R"json([{"frequencies": "f32", "not_correctly_rounded": 20},
                            {"frequencies": "f16", "not_correctly_rounded": 30}])json"));
  EXPECT_EQ(
      said["curve"],
      Json::parse(
          R"json([{"first": 1, "last": 2, "error": 0.5, "bound_only": false, "bound": null, "ulp": null},
                            {"first": 3, "last": 4, "error": 0.25, "bound_only": true, "bound": 1.0, "ulp": 0.0}])json"));
  // What is no sine or cosine was measured, however small.
  found.of_angles = false;
  EXPECT_EQ(of(found)["curve"][1]["bound_only"], false);
}

TEST(ReportJson, of_accuracy_says_no_place_where_there_is_none) {
  Accuracy right = found_in_all_entries();
  right.wrong = 0;
  right.ulp = 0;
  right.largest_at = {};
  right.of_angles = true;
  const Json said = of(right);
  EXPECT_EQ(said["largest_ulp"], Json::parse(R"json({"ulp": 0.0})json"));
  EXPECT_EQ(said["largest_error"], Json::parse(R"json({"error": 0.25, "bound_only": true})json"));
  right.of_angles = false;
  EXPECT_EQ(of(right)["largest_error"]["bound_only"], false);
  EXPECT_FALSE(of(right)["largest_error"].contains("from"));
  right.format = Format::f64;
  EXPECT_EQ(of(right)["largest_error"]["from"], "the exact value rounded to f64");
  right.of_angles = true;
  EXPECT_FALSE(of(right)["largest_error"].contains("from"));
  Accuracy none;
  none.stopped = "no position in common";
  EXPECT_EQ(of(none), Json::parse(R"json({"format": "f64", "first": 0, "last": -1, "rows": 0, "declined": 0,
                                      "entries": 0, "not_correctly_rounded": 0,
                                      "stopped": "no position in common"})json"));
}

// The residual of the whole comparison stands twice: under accuracy and as that of agreement.
TEST(ReportJson, says_where_the_worst_residual_is_a_bound) {
  GateResult gated = nothing_found();
  Accuracy right = found_in_all_entries();
  right.of_angles = true;
  right.rounding = 0x1p-24;
  right.worst = {0x1p-24, 0x1p-21, 2};
  const Holds held{.cases = 100, .vacuous = 0, .worst = right.worst, .worst_at = right.worst_at};
  asked(gated, "agrees_with_its_oracle", held);
  asked(gated, "table/x", held);
  const auto said = [&] { return Json::parse(json(gated)); };
  EXPECT_FALSE(said()["asked"][0]["worst"].contains("bound_only")) << "drawn cases are measured";
  gated.accuracy = right;
  EXPECT_EQ(said()["accuracy"]["worst"]["residual"]["bound_only"], true);
  EXPECT_EQ(said()["asked"][0]["worst"]["bound_only"], true);
  EXPECT_FALSE(said()["asked"][1]["worst"].contains("bound_only")) << "another property";
  gated.accuracy->rounding = 0x1p-25;
  EXPECT_EQ(said()["accuracy"]["worst"]["residual"]["bound_only"], false);
  EXPECT_EQ(said()["asked"][0]["worst"]["bound_only"], false);
  gated.accuracy->worst.error = 0x1p-25;
  EXPECT_FALSE(said()["asked"][0]["worst"].contains("bound_only")) << "another size";
  gated.accuracy->worst.error = held.worst.error;
  gated.accuracy->worst_at = Case::parse("rows=1 t=5 n=100");
  EXPECT_FALSE(said()["asked"][0]["worst"].contains("bound_only")) << "another case";
}

// The column of a bias is its head and its key.
TEST(ReportJson, of_accuracy_names_the_pair_and_the_head_of_a_bias) {
  Accuracy bias = found_in_all_entries();
  bias.keys = 5;
  bias.first = 10;
  bias.ulp_at = {12, 13};
  EXPECT_EQ(of(bias)["largest_ulp"]["at"], Json::parse(R"json({"query": 12, "key": 13, "head": 2})json"));
}

// On a grid a position is the numbers of its place, and the column of a rotation that of its head.
TEST(ReportJson, of_accuracy_names_the_place_and_the_head_on_a_grid) {
  Accuracy grid = found_in_all_entries();
  grid.places = Places{{0, 0}, {2, 3}};
  grid.first = 0;
  grid.last = 11;
  grid.ulp_at = {7, 2};
  grid.largest_at = posproof::Entry{9, 13};
  EXPECT_EQ(of(grid)["first"], Json::parse("[0, 0]"));
  EXPECT_EQ(of(grid)["last"], Json::parse("[2, 3]"));
  EXPECT_EQ(of(grid)["largest_ulp"]["at"], Json::parse(R"json({"position": [1, 3], "column": 2})json"));
  grid.channels = 5;
  EXPECT_EQ(of(grid)["largest_ulp"]["at"],
            Json::parse(R"json({"position": [1, 3], "head": 0, "column": 2})json"));
  EXPECT_EQ(of(grid)["largest_error"]["at"],
            Json::parse(R"json({"position": [2, 1], "head": 2, "column": 3})json"));
  grid.channels = 0;
  grid.keys = 4;
  grid.first = 5;
  EXPECT_EQ(of(grid)["largest_ulp"]["at"],
            Json::parse(R"json({"query": [1, 3], "key": [1, 3], "head": 0})json"));
  EXPECT_EQ(of(grid)["largest_error"]["at"],
            Json::parse(R"json({"query": [2, 1], "key": [1, 2], "head": 3})json"));
}

TEST(ReportJson, says_what_precision_the_answers_seem_to_have) {
  GateResult gated = nothing_found();
  gated.seeming = {
      .answers = 3, .word = "f32", .share = 0.5, .declared_share = 0.125, .tighter_by_far = true};
  EXPECT_EQ(Json::parse(json(gated))["seeming_precision"],
            Json::parse(R"json({"answers": 3, "precision": "f32", "share": 0.5, "declared_share": 0.125,
                            "tighter_by_far": true})json"));
}

TEST(ReportJson, of_a_comparison_says_of_whom) {
  GateResult gated = nothing_found();
  gated.subject.containment = {{"a"}, {"b"}};
  const Accuracy found = found_in_all_entries();
  const Json said = Json::parse(json(AccuracyReport{"rope", gated.parameters, gated.subject, found}));
  EXPECT_EQ(said["encoding"], "rope");
  EXPECT_EQ(said["parameters"]["offset"], 2);
  EXPECT_EQ(said["subject"], "cmd:./x --fast");
  EXPECT_EQ(said["description"], "x 1.0");
  EXPECT_EQ(said["kind"], "table");
  EXPECT_EQ(said["precision"], "bf16/f32");
  EXPECT_EQ(said["contained"], Json({"a"}));
  EXPECT_EQ(said["not_contained"], Json({"b"}));
  EXPECT_EQ(said["entries"], 400);
}

}  // namespace
}  // namespace posproof::report::json_test
