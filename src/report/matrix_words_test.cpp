// What a terminal shows of a matrix, and of everything that can be explained, word for word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/identities/llama3_is_by_parts.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "report/named.h"
#include "report/testing/found.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof::report::matrix_words_test {
namespace {

using namespace posproof::testing;

const Fact fact{.name = "turns", .claims = {}};

Claim claim(bool holds, const Fact* follows_from = nullptr) {
  return {.property = &norm_stays, .holds = holds, .follows_from = follows_from};
}

const Holds held{.cases = 3, .vacuous = 0, .worst = {0, 1, 2}, .worst_at = {}};
const Refuted refuted{Case::parse("t=1"), {1, 0, 1}, 1, 0};

TEST(ReportMatrix, has_a_row_a_property_a_column_an_encoding_and_a_line_for_what_is_not_as_claimed) {
  const Claim holds = claim(true, &fact), fails = claim(false), other = claim(false, &fact);
  const std::vector<Cell> cells = {
      {"alibi", "score/a_long_name", {{&holds, ClaimStatus::as_claimed, held, ""}}},
      {"alibi",
       "b",
       {{&holds, ClaimStatus::broken, refuted, "off by 1"}, {&fails, ClaimStatus::as_claimed, refuted, ""}}},
      {"rope", "score/a_long_name", {{&fails, ClaimStatus::stale, held, "no longer fails"}}},
      {"rope", "b", {{nullptr, ClaimStatus::as_claimed, refuted, ""}}},
      {"rope", "c", {{&other, ClaimStatus::not_checked, Undecided{"late"}, "late"}}},
      {"rope", "d", {}}};
  const std::string table =
      "                   alibi             rope            \n"
      "score/a_long_name  holds             STALE\n"
      "b                  BROKEN / fails    fails?\n"
      "c                                    not checked\n"
      "d\n"
      "\n"
      "  holds        claimed to hold, and no case was found in which it does not\n"
      "  fails        claimed to fail, and the recorded witness does\n"
      "  fails?       nothing is claimed; a case was found in which it fails\n"
      "  BROKEN       it does not hold, or fails otherwise than recorded\n"
      "  STALE        the recorded witness no longer fails\n"
      "  not checked  nothing was learned: undecided, or an error\n"
      "  a / b        several claims, each of some parameters\n"
      "  (blank)      it cannot be asked of that encoding, or no case says anything\n"
      "follows from `turns` (alibi, rope): holds score/a_long_name, holds b, fails c\n"
      "6 cells: 1 as claimed, 1 broken, 1 stale, 1 not checked, 1 unclaimed, 1 blank\n";
  EXPECT_EQ(matrix(cells, {}),
            "BROKEN       alibi.b: off by 1\n"
            "STALE        rope.score/a_long_name: no longer fails\n"
            "NOT CHECKED  rope.c: late\n" +
                table);
  EXPECT_EQ(matrix(cells, {.colour = true}),
            "\x1b[31mBROKEN     \x1b[0m  alibi.b: off by 1\n"
            "\x1b[31mSTALE      \x1b[0m  rope.score/a_long_name: no longer fails\n"
            "\x1b[33mNOT CHECKED\x1b[0m  rope.c: late\n" +
                table);
}

// Names shorter than eight letters are given eight.
TEST(ReportMatrix, is_eight_letters_wide_at_least) {
  EXPECT_EQ(matrix({{"rope", "b", {{nullptr, ClaimStatus::as_claimed, held, ""}}}}, {}),
            "          rope            \n"
            "b         holds?\n"
            "\n"
            "  holds?       nothing is claimed; no case was found in which it fails\n"
            "1 cells: 0 as claimed, 0 broken, 0 stale, 0 not checked, 1 unclaimed, 0 blank\n");
  EXPECT_EQ(matrix({}, {}),
            "        \n\n"
            "0 cells: 0 as claimed, 0 broken, 0 stale, 0 not checked, 0 unclaimed, 0 blank\n");
}

// Two encodings take 8 + 2 * 18 letters.
TEST(ReportMatrix, is_cut_into_blocks_that_are_no_wider_than_the_terminal) {
  const Claim holds = claim(true);
  std::vector<Cell> cells;
  for (const std::string encoding : {"a", "b", "c"})
    cells.push_back({encoding, "p", {{&holds, ClaimStatus::as_claimed, held, ""}}});
  const auto table = [&](std::size_t width) {
    const std::string all = matrix(cells, {}, width);
    return all.substr(0, all.find("\n\n  holds"));
  };
  const std::string pad(15, ' '), name(8, ' ');
  const auto block = [&](const std::vector<std::string>& encodings) {
    std::string head = name, row = "p       ";
    for (const std::string& one : encodings) {
      head += "  " + one + pad;
      row += "  holds           ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    return head + "\n" + row;
  };
  const std::string one_block = block({"a", "b", "c"}), two = block({"a", "b"}) + "\n\n" + block({"c"}),
                    three = block({"a"}) + "\n\n" + block({"b"}) + "\n\n" + block({"c"});
  EXPECT_EQ(table(0), one_block);
  EXPECT_EQ(table(8 + 3 * 18), one_block);
  EXPECT_EQ(table(8 + 3 * 18 - 1), two);
  EXPECT_EQ(table(8 + 2 * 18), two);
  EXPECT_EQ(table(8 + 2 * 18 - 1), three);
  EXPECT_EQ(table(1), three) << "no terminal is too narrow for one encoding";
}

// A cell of several answers is the worst of them; agreement is a claim that nobody writes.
TEST(ReportMatrix, counts_each_cell_once) {
  const Claim holds = claim(true), fails = claim(false);
  using enum ClaimStatus;
  const auto last = [](const std::vector<Cell>& cells) {
    const std::string all = matrix(cells, {});
    return all.substr(all.rfind('\n', all.size() - 2) + 1);
  };
  EXPECT_EQ(last({{"a", "p", {{&holds, not_checked, Undecided{"late"}, ""}, {&fails, stale, held, ""}}},
                  {"b", "p", {{&holds, stale, held, ""}, {&fails, broken, refuted, ""}}},
                  {"c", "p", {{&holds, as_claimed, held, ""}, {&fails, not_checked, Undecided{"late"}, ""}}},
                  {"d", "p", {{&holds, as_claimed, held, ""}, {&fails, as_claimed, refuted, ""}}},
                  {"d", std::string(agreement_id), {{nullptr, as_claimed, held, ""}}},
                  {"e", "p", {{nullptr, as_claimed, held, ""}}},
                  {"f", "p", {{nullptr, as_claimed, Undecided{"no case"}, ""}}},
                  {"g", "p", {}}}),
            "8 cells: 2 as claimed, 1 broken, 1 stale, 1 not checked, 1 unclaimed, 2 blank\n");
}

TEST(ReportExplain, a_property_has_its_statement_its_source_and_what_it_refutes) {
  Property property = norm_stays;
  EXPECT_EQ(explain("a/b", property),
            "property a/b\n  The norm stays.\n  |x| = 1\n  source: a paper, eq. 1\n");
  property.needs = Needs::live_subject;
  property.checks = {CheckOf<Bias>([](const Bias& bias, Precision p, Draw& draw) {
    const double off = bias.slopes.front() * static_cast<double>(draw.integer("n", 1, 2));
    return Residual{off, p.result, 1};
  })};
  property.must_reject = {
      {"one that is long", [] { return Bias{.heads = 1, .slopes = {0.5}}; }, all_f32},
      {"one that is short", [] { return Bias{.heads = 1, .slopes = {0x1p-23}}; }, all_f32}};
  const std::string first =
      "property a/b\n  The norm stays.\n  |x| = 1\n  source: a paper, eq. 1\n"
      "  asked of live implementations only\n"
      "  refutes: one that is long\n";
  // What is wrong by too much to say how little is seen has no number.
  EXPECT_EQ(explain("a/b", property), first + "  refutes: one that is short (4 bounds)\n");
  property.not_in_16_bits = "it is below their rounding";
  EXPECT_EQ(explain("a/b", property), first +
                                          "  refutes: one that is short (4 bounds)\n"
                                          "  not asked in 16 bits: it is below their rounding\n");
  property.not_in_16_bits = {};
  property.never_fails_of = {"rotary", "bias"};
  EXPECT_EQ(explain("a/b", property), first +
                                          "  refutes: one that is short (4 bounds)\n"
                                          "  no wrong number makes it fail for: rotary, bias\n");
  property.never_fails_of = {};
  property.yes_or_no = true;
  EXPECT_EQ(explain("a/b", property), first +
                                          "  refutes: one that is short\n"
                                          "  nothing is wrong by little: it is so or it is not\n");
}

TEST(ReportExplain, an_encoding_has_its_parameters_and_its_claims) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    std::string expected = fmt::format("encoding {}\n  {}\n  {}\n  source: {}\n", id, spec->summary,
                                       spec->formula, spec->source);
    for (const Parameter& one : spec->parameters.all) {
      std::string name(one.name);
      name.resize(std::max<std::size_t>(name.size(), 14), ' ');
      expected += "  --" + name + " " + help(one) + "\n";
    }
    for (const Claim& one : claims_of(*spec)) {
      expected += one.holds ? "  holds " : "  fails ";
      expected += id_of(*one.property);
      if (!one.when.all.empty()) expected += " where " + one.when.text();
      if (one.follows_from != nullptr) expected += fmt::format(", follows from: {}", one.follows_from->name);
      expected += "\n";
      if (!one.holds)
        expected +=
            fmt::format("        by {:.3g}, because {}\n        at {}\n", one.by, one.because, one.witness);
    }
    EXPECT_EQ(explain(id, *spec), expected);
  }
}

TEST(ReportExplain, an_identity_has_its_two_sides_and_what_it_refutes) {
  const Identity& one = identities::llama3_is_by_parts;
  const std::string said = explain("llama3_is_by_parts", one);
  EXPECT_TRUE(
      said.starts_with(fmt::format("identity llama3_is_by_parts\n  {}\n  {}\n  source: {}\n  said of: rope",
                                   one.statement, one.formula, one.source)))
      << said;
  EXPECT_NE(
      said.find("\n  compared with: rope\n  refutes: the last channel of the last token is 2^-19 larger"),
      std::string::npos)
      << said;
}

TEST(ReportExplain, a_defect_has_where_it_was_seen_and_what_refutes_it) {
  Defect defect{.name = "x",
                .wrong = "cosine for sine",
                .sources = "a#1, b#2",
                .make = nullptr,
                .setting = "dim=8",
                .refuted_by = &properties::score::depends_on_offset};
  EXPECT_EQ(explain("rope/x", defect),
            "defect rope/x\n  cosine for sine\n  seen in: a#1, b#2\n  shows at: dim=8\n"
            "  refuted by: score/depends_on_offset\n");
  defect.setting = "";
  defect.refuted_by = nullptr;
  EXPECT_EQ(explain("rope/x", defect),
            "defect rope/x\n  cosine for sine\n  seen in: a#1, b#2\n  shows at: the standard parameters\n"
            "  refuted by: agrees_with_its_oracle\n");
}

TEST(ReportExplain, an_experiment_has_its_question_and_its_report) {
  EXPECT_EQ(explain("halves", Experiment{.question = "How much?",
                                         .method = "By halves.",
                                         .run = nullptr,
                                         .asked_by = Asker::choosing}),
            "experiment halves\n  How much?\n  By halves.\n  report: reports/halves.md\n");
  EXPECT_EQ(explain(Meaning{{"error", "bound"}, "How far.", "verdicts"}),
            "error, bound\n  How far.\n  used in: verdicts\n");
}

}  // namespace
}  // namespace posproof::report::matrix_words_test
