#pragma once

#include <limits>

#include "core/property.h"
#include "gate/gate.h"
#include "gate/history.h"

// What a gate may find, by hand: every kind of verdict, and everything that may be there or not.
namespace posproof::testing {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline const Property norm_stays{.statement = "The norm stays.",
                                 .formula = "|x| = 1",
                                 .source = "a paper, eq. 1",
                                 .checks = {},
                                 .must_reject = {}};

inline GateResult nothing_found() {
  GateResult out;
  out.encoding = "sinusoidal";
  out.parameters =
      Case::parse("dim=4 base=10000 layout=interleaved divisor=half offset=2 odd=refuse amplitude=1");
  out.subject.name = "cmd:./x --fast";
  out.subject.description = "x 1.0";
  out.subject.encoding = Table{.dim = 4};
  out.subject.precision = Precision::parse("bf16/f32");
  return out;
}

inline void asked(GateResult& gated, const std::string& id, Verdict verdict) {
  gated.results.push_back({.id = id, .property = &norm_stays, .verdict = std::move(verdict)});
}

// Two of 400 entries are not correctly rounded; all are within the bound.
inline Accuracy found_in_all_entries() {
  Accuracy out;
  out.format = Format::f32;
  out.first = 0;
  out.last = 99;
  out.columns = 4;
  out.of_angles = true;
  out.rows = 100;
  out.entries = 400;
  out.wrong = 2;
  out.ulp = 3.5;
  out.ulp_at = {7, 2};
  out.largest = 0.25;
  out.largest_at = Entry{98, 3};
  out.worst = {0.25, 0.5, 2};
  out.worst_at = Case::parse("rows=1 t=98 n=100");
  return out;
}

// Of the second of three answers.
inline Place wrong_entry() {
  return {.answer = 1,
          .answers = 3,
          .axes = {{Axis::token, 0}, {Axis::channel, 3}},
          .position = {7},
          .pair = Place::OfPair{1, true},
          .expected = 1,
          .got = 0.25,
          .off = {0.75, 0.125, infinite}};
}

// Each verdict once, refuted ones in every form, and all that a gate says beside them.
inline GateResult everything_found() {
  GateResult out = nothing_found();
  out.subject.containment = {{"no network", "no devices"}, {"reading files"}};
  asked(out, "a/holds",
        Holds{.cases = 300, .vacuous = 20, .worst = {1, 8, 16}, .worst_at = Case::parse("t=5")});
  asked(out, "b/refuted",
        Refuted{.counterexample = Case::parse("t=3 q=[0.25,0]"),
                .residual = {0.5, 0.125, infinite},
                .found_after = 12,
                .shrinks = 34,
                .repeats = true,
                .irrelevant = {"q", "k"}});
  asked(out, "c/raises",
        Refuted{.counterexample = Case::parse("t=4"),
                .residual = {nan, 0, 0},
                .found_after = 1,
                .shrinks = 0,
                .repeats = false,
                .irrelevant = {},
                .instead = "rows(positions [1]): error: no <row>",
                .failure = "no <row>"});
  asked(out, "d/raises", Refuted{Case::parse("t=9"), {nan, 0, 0}, 2, 0, true, {}, "the same", "no <row>"});
  out.results.back().same_as = "c/raises";
  asked(out, "e/history", Refuted{Case::parse("t=6"), {nan, 0.5, 1}, 3, 1});
  out.results.back().needs_history = true;
  asked(
      out, "f/undecided",
      Undecided{
          "stopped by `--time` (1 s)", {.cases = 7, .vacuous = 2, .worst = {0, 0, 0}, .worst_at = {}}, true});
  asked(out, "g/errored", Errored{"no answer within 20 s", Case::parse("t=8")});
  asked(out, "h/errored", Errored{"it broke down", {}});
  asked(out, "i/none", NotApplicable{"no bias"});
  asked(out, "j/follows", Refuted{Case::parse("t=7"), {2, 1, 4}, 5, 6});
  std::get<Refuted>(out.results.back().verdict).place = wrong_entry();
  out.results.back().follows_from = "b/refuted";
  out.observed = Observations{{.calls = 27, .differ = 0, .largest = 0, .first = {}},
                              {.calls = 18, .differ = 3, .largest = 0.5, .first = Case::parse("t=1")}};
  out.seeming = {
      .answers = 40, .word = "bf16/f32", .share = 0.5, .declared_share = 0.25, .tighter_by_far = false};
  out.accuracy = found_in_all_entries();
  out.not_checked = {"positions 5 to 9", "and others"};
  out.alike = {"exponent: `rotary_dim` and `dim`", "another"};
  out.skipped = {"call/x: a file answers no calls", "call/y: none"};
  out.explanations = {{Explanation::Kind::convention, "--layout sin_cos", "where sines stand", ""},
                      {Explanation::Kind::measured, "positions are one ahead", "", ""},
                      {Explanation::Kind::defect, "rope/angles_in_bf16", "angles are rounded", "candle#3520"},
                      {Explanation::Kind::place, "wrong in head 1 of 2 alone", "", ""}};
  return out;
}

}  // namespace posproof::testing
