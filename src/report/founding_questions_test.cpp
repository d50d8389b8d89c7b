#include "report/founding_questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "report/file.h"
#include "test_paths.h"

namespace posproof::report::founding_questions_test {
namespace {

using namespace founding;

const std::vector<File> pages = {
    {"clock.md",
     "# The clock\n\nIt has 12 hands. It goes.\n\n## The hands\n\nEach is 3.5 long.\n\n"
     "| width | length |\n| ----: | -----: |\n| 8 | 2.25 |\n"},
    {"encoding_by_property.md",
     "# Matrix\n\n## Agreement with the reference\n\n| property | `rope` |\n| --- | --- |\n| `agrees_with_its_oracle` | "
     "holds 7 % |\n\n## `table/`\n\n| property | `rope` |\n| --- | --- |\n| `is_flat` | fails 2 |\n"}};

Claim row() {
  return {.id = "A1",
          .says = "A claim.",
          .answer = Answer::is_true,
          .why = "Because `2 + 2`.",
          .evidence = {Cell{"clock", "The hands", {"8"}, "length"}}};
}

std::vector<std::string> faults(std::vector<Claim> claims, MayWait wait = MayWait::no) {
  const std::vector<Source> one = {{'A', "A text", claims}};
  return founding_faults(one, pages, wait);
}

std::vector<std::string> faults_of(Evidence evidence, MayWait wait = MayWait::no) {
  Claim claim = row();
  claim.evidence = {std::move(evidence)};
  return faults({claim}, wait);
}

using Lines = std::vector<std::string>;

TEST(FoundingQuestions, quote_each_kind_of_evidence) {
  Claim claim = row(), question = row(), trained = row();
  claim.evidence.push_back(Said{"clock", "", "hands"});
  claim.evidence.push_back(OfProperty{"table/is_flat", "rope"});
  claim.evidence.push_back(OfProperty{"agrees_with_its_oracle", "rope"});
  claim.on_paper = "false.";
  question.id = "A2", question.says = "Why?", question.answer = Answer::answered;
  question.evidence = {Said{"clock", "The hands", "Each"}, Cell{"clock", "The hands", {"8"}, "width"},
                       NoPageYet{"more?"}};
  trained.id = "A3", trained.says = "Is it learned?", trained.answer = Answer::needs_training,
  trained.evidence = {};
  const std::vector<Claim> all = {claim, question, trained};
  const std::vector<Source> one = {{'A', "A text", all}};
  EXPECT_EQ(founding_page(one, pages, MayWait::yes).path, "founding_questions.md");
  const std::string page = founding_page(one, pages, MayWait::yes).bytes;
  EXPECT_TRUE(page.starts_with(
      "# The founding questions\n\nThe 3 claims and questions that this project began with, each with its answer: 1 true, 0 "
      "false, 0 true under a condition, 1 answered, 0 a definition, 1 needs training.\n\n"))
      << page;
  EXPECT_NE(
      page.find(
          "1 verdicts that had been derived on paper are corrected by a measurement and give both. 1 wait for a page"),
      std::string::npos)
      << page;
  EXPECT_NE(
      page.find(
          "\n\nWhat is quoted of a property and an encoding is the entry of the matrix: `holds 14 %` says"),
      std::string::npos)
      << page;
  EXPECT_TRUE(page.ends_with(
      "([Matrix: How to read the tables](encoding_by_property.md#how-to-read-the-tables)).\n\n## A: A text\n\n"
      "- <a id=\"A1\"></a>**A1.** A claim. **Verdict: true.** Because `2 + 2`. *On paper it was: false.* Shown by: width 8, length: "
      "**2.25** ([The clock: The hands](clock.md#the-hands)); “It has 12 hands.” ([The clock](clock.md)); "
      "[`table/is_flat`](../properties/table/is_flat.cpp) of `rope`: **fails 2** ([Matrix: "
      "`table/`](encoding_by_property.md#table)); `agrees_with_its_oracle` of `rope`: **holds 7 %** ([Matrix: Agreement with the "
      "reference](encoding_by_property.md#agreement-with-the-reference))\n"
      "- <a id=\"A2\"></a>**A2.** Why? **Verdict: answered.** Because `2 + 2`. Shown by: “Each is 3.5 long.”; width 8, width: **8** ([The clock: The "
      "hands](clock.md#the-hands)); no page yet: more?\n"
      "- <a id=\"A3\"></a>**A3.** Is it learned? **Verdict: needs training.** Because `2 + 2`.\n"
      "\n---\n\nThis page is written by `posproof report`.\n"))
      << page;
  EXPECT_EQ(
      founding_map(one, pages),
      "- [A2](founding_questions.md#A2) Why? [The clock: The hands](clock.md#the-hands); no page yet: more?\n"
      "- [A3](founding_questions.md#A3) Is it learned? needs training\n");
}

TEST(FoundingQuestions, refuse_what_is_not_in_the_pages) {
  EXPECT_EQ(faults_of(Cell{"clock", "The hands", {"8"}, "length"}), Lines{});
  EXPECT_EQ(faults_of(Said{"watch", "", "hands"}), Lines{"A1: there is no page `watch`"});
  EXPECT_EQ(faults_of(Said{"clock", "The feet", "hands"}),
            Lines{"A1: no section `The feet`; there are: `` / `The hands`"});
  EXPECT_EQ(faults_of(Said{"clock", "The hands", "feet"}),
            Lines{"A1: no sentence with `feet`; there are: Each is 3.5 long."});
  EXPECT_EQ(faults_of(Cell{"clock", "The hands", {"9"}, "length"}),
            Lines{"A1: no cell `length` at `9`; there are: width, length"});
  EXPECT_EQ(faults_of(OfProperty{"table/is_flat", "alibi"}),
            Lines{"A1: no cell ``alibi`` at ``is_flat``; there are: property, `rope`"});
}

TEST(FoundingQuestions, refuse_rows_without_evidence_and_numbers_typed_by_hand) {
  EXPECT_EQ(faults_of(Said{"clock", "", "has 12"}),
            Lines{"A1: the words `has 12` of a sentence have a digit, or are none"});
  EXPECT_EQ(faults_of(Said{"clock", "", ""}),
            Lines{"A1: the words `` of a sentence have a digit, or are none"});
  Claim claim = row();
  claim.evidence = {};
  EXPECT_EQ(faults({claim}), Lines{"A1: no evidence"});
  claim.answer = Answer::needs_training;
  EXPECT_EQ(faults({claim}), Lines{});
  claim.why = "Off by 3.";
  EXPECT_EQ(faults({claim}), Lines{"A1: a number that was typed, in `Off by 3.`"});
  claim.why = "Even.", claim.on_paper = "`3` and 4";
  EXPECT_EQ(faults({claim}), Lines{"A1: a number that was typed, in ``3` and 4`"});
  claim.on_paper = "As [they](https://example.org/id9) say.";
  EXPECT_EQ(faults({claim}), Lines{});
  claim.on_paper = "As [they](https://example.org/id9) say, 4.";
  EXPECT_EQ(faults({claim}),
            Lines{"A1: a number that was typed, in `As [they](https://example.org/id9) say, 4.`"});
  claim.on_paper = "", claim.why = "";
  EXPECT_EQ(faults({claim}), Lines{"A1: a row says what is claimed and why the answer is as it is"});
}

TEST(FoundingQuestions, may_wait_for_a_page_only_as_long_as_they_may) {
  EXPECT_EQ(faults_of(NoPageYet{"what?"}, MayWait::yes), Lines{});
  EXPECT_EQ(faults_of(NoPageYet{"what?"}, MayWait::no), Lines{"A1: no page yet"});
  EXPECT_EQ(may_wait, MayWait::no);
}

TEST(FoundingQuestions, speak_of_waiting_and_of_the_matrix_only_where_a_row_does) {
  const std::vector<Claim> all = {row()};
  const std::vector<Source> one = {{'A', "A text", all}};
  const std::string page = founding_page(one, pages, MayWait::no).bytes;
  EXPECT_NE(page.find("corrected by a measurement and give both.\n\n## A"), std::string::npos) << page;
}

TEST(FoundingQuestions, are_numbered_without_a_gap_and_few_need_training) {
  Claim third = row();
  third.id = "A3";
  EXPECT_EQ(faults({row(), third}), Lines{"A3: the row after its predecessor is A2"});
  std::vector<Claim> trained;
  const std::vector<std::string> ids = {"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11"};
  for (const std::string& id : ids) {
    trained.push_back(row());
    trained.back().id = id, trained.back().answer = Answer::needs_training;
  }
  EXPECT_EQ(faults(trained), Lines{"11 rows need training; at most 10 may"});
  trained.pop_back();
  EXPECT_EQ(faults(trained), Lines{});
}

TEST(FoundingQuestions, a_page_with_faults_is_not_written) {
  Claim claim = row();
  claim.evidence = {};
  const std::vector<Claim> all = {claim};
  const std::vector<Source> one = {{'A', "A text", all}};
  try {
    founding_page(one, pages, MayWait::yes);
    FAIL() << "no error";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "founding_questions.md:\n  A1: no evidence");
  }
}

// 28 + 19 + 21 + 22 + 22 of the five documents.
TEST(FoundingQuestions, are_one_hundred_and_twelve) {
  std::vector<std::size_t> sizes;
  for (const Source& source : sources()) sizes.push_back(source.claims.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{28, 19, 21, 22, 22}));
}

// True, false, under a condition, answered, a definition, needs training: a word that is another one is no
// fault of the page.
TEST(FoundingQuestions, have_these_answers) {
  Lines found;
  for (const Source& source : sources()) {
    found.emplace_back();
    for (const Claim& claim : source.claims) found.back() += "tfcadn"[static_cast<std::size_t>(claim.answer)];
  }
  EXPECT_EQ(found, (Lines{"ccaffaccncccccncctcccctftttf", "dctttccttctcctctcct", "cdfcncatftacccncctfca",
                          "cttctdtctctccttccnaadc", "acfacftcccaccdtfdaaact"}));
}

TEST(FoundingQuestions, quote_what_stands_in_the_pages) {
  std::vector<File> checked_in;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(POSPROOF_SOURCE) / "reports"))
    if (entry.path().extension() == ".md")
      checked_in.push_back({entry.path().filename().string(), file_bytes(entry.path()).value()});
  EXPECT_EQ(founding_faults(sources(), checked_in, MayWait::no), Lines{});
}

}  // namespace
}  // namespace posproof::report::founding_questions_test
