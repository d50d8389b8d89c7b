// What a name stands for: everything that the program prints has an answer.
#include "report/named.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/properties.h"
#include "core/verdict.h"
#include "report/glossary.h"
#include "report/printed_words.h"
#include "run/claims.h"

namespace posproof::report::named_test {
namespace {

// What each of them is, in the order found: `word parameter`.
std::string kinds_of(std::string_view name) {
  std::string out;
  for (const auto& one : nlohmann::json::parse(json(everything_called(name))))
    out += (out.empty() ? "" : " ") + one["what"].get<std::string>();
  return out;
}

TEST(Named, everything_that_is_printed_is_called_something) {
  std::vector<std::string> printed = {"agrees_with_its_oracle",
                                      "answers_like_a_new_object",
                                      "@bf16",
                                      "bf16/f32",
                                      "f32+input=bf16",
                                      "f32+iterated",
                                      "vacuous",
                                      "flaky",
                                      "alike",
                                      "observed",
                                      "skipped",
                                      "again",
                                      "off by",
                                      "does not matter",
                                      "holds?",
                                      "fails?",
                                      "fails",
                                      "STALE",
                                      "BROKEN",
                                      "contained",
                                      "declined",
                                      "ulp",
                                      "residual",
                                      "witness",
                                      "follows from",
                                      "table",
                                      "rotary",
                                      "bias",
                                      "contextual",
                                      "attention",
                                      "score",
                                      "i",
                                      "j",
                                      "t",
                                      "q",
                                      "k",
                                      "x",
                                      "half_split",
                                      "--layout",
                                      "layout=half_split",
                                      "ladder"};
  for (const Verdict& one : {Verdict{Holds{}}, Verdict{Refuted{}}, Verdict{Undecided{}}, Verdict{Errored{}},
                             Verdict{NotApplicable{}}})
    printed.emplace_back(name(one));
  using enum ClaimStatus;
  for (const ClaimStatus one : {as_claimed, broken, stale, not_checked}) printed.emplace_back(name(one));
  for (const int code : {0, 1, 2, 3, 4, 77, 129, 130, 143}) {
    printed.push_back(std::to_string(code));
    printed.push_back(fmt::format("exit {}", code));
  }
  for (const auto& [id, property] : catalogue::properties()) printed.emplace_back(id);
  for (const auto& [id, experiment] : catalogue::experiments()) printed.emplace_back(id);
  for (const auto& [family, all] : catalogue::defects())
    for (const Defect& defect : all->defects) printed.push_back(fmt::format("{}/{}", family, defect.name));
  for (const auto& [id, spec] : catalogue::encodings()) {
    printed.emplace_back(id);
    for (const Parameter& parameter : spec->parameters) printed.emplace_back(parameter.name);
    for (const Declared& declared : spec->facts) printed.emplace_back(declared.fact->name);
  }
  for (const std::string& name : printed)
    EXPECT_FALSE(everything_called(name).empty())
        << "`posproof explain " << name << "` has no answer: add it to src/report/printed_words.cpp";
}

TEST(Named, a_name_may_stand_for_several_things_of_several_kinds) {
  EXPECT_EQ(kinds_of("rope"), "encoding");
  EXPECT_EQ(kinds_of("score/depends_on_offset"), "property");
  EXPECT_EQ(kinds_of("agrees_with_its_oracle"), "property");
  EXPECT_EQ(kinds_of(catalogue::experiments().front().id), "experiment");
  EXPECT_EQ(kinds_of("alibi/slopes_from_zero"), "defect");
  EXPECT_EQ(kinds_of("odd"), "parameter");
  EXPECT_EQ(kinds_of("layout").substr(0, 25), "word parameter parameter ");
  EXPECT_EQ(kinds_of("half_split").substr(0, 9), "parameter");
  EXPECT_EQ(kinds_of("table").substr(0, 25), "word parameter parameter ");
  EXPECT_EQ(kinds_of("bf16+table=f32"), "word");
  EXPECT_EQ(kinds_of("nothing of that name"), "");
  EXPECT_EQ(kinds_of(""), "");
  EXPECT_EQ(kinds_of("--"), "");
}

TEST(Named, capitals_dashes_and_underscores_make_no_difference) {
  EXPECT_TRUE(same_name("As_Claimed", "as claimed"));
  EXPECT_TRUE(same_name("--call-time", "call_time"));
  EXPECT_FALSE(same_name("holds", "holds?"));
  EXPECT_FALSE(same_name("stale", "stal"));
  for (const std::string name : {"ROPE", "Negative-Example", "NOT CHECKED", "Score/Depends-On-Offset",
                                 "ALiBi-is-Kerple-of-power-1", "What-is-symmetric", "RoPE/angles-in-bf16"})
    EXPECT_EQ(everything_called(name).size(), 1u) << name;
}

TEST(Named, is_explained_in_text_and_in_json_alike) {
  const auto flaky = everything_called("flaky");
  ASSERT_EQ(flaky.size(), 1u);
  const auto word = nlohmann::json::parse(json(flaky))[0];
  EXPECT_EQ(explain(flaky[0]),
            fmt::format("flaky, repeats\n  {}\n  used in: gate, check\n", word["text"].get<std::string>()));
  EXPECT_EQ(word["names"], (std::vector<std::string>{"flaky", "repeats"}));
  EXPECT_EQ(word["used_in"], "gate, check");

  const auto max_bias = everything_called("--max_bias");
  ASSERT_EQ(max_bias.size(), 1u);
  EXPECT_EQ(
      explain(max_bias[0]),
      "parameter --max_bias of alibi\n  minus log2 of the smallest slope, before a division by the root of head_dim (finite numbers above 0; standard 8; "
      "searched: 8 4)\n");
  const auto parameter = nlohmann::json::parse(json(max_bias))[0];
  EXPECT_EQ(parameter["encodings"], (std::vector<std::string>{"alibi"}));
  EXPECT_EQ(parameter["name"], "max_bias");
  EXPECT_EQ(parameter["standard"], 8);

  EXPECT_EQ(
      explain(everything_called("bf16+table=f32").at(0)),
      "bf16+table=f32\n  A precision: bf16 over f32, cosine and sine in f32. Unit roundoffs: angles 5.96046e-08, "
      "cosines and sines (of a bias: slopes) 5.96046e-08, products 5.96046e-08, result 0.00390625, contents "
      "0.00390625.\n  used in: @PRECISION behind a subject\n");

  EXPECT_EQ(explain(everything_called("@bf16+table=f32").at(0)),
            explain(everything_called("bf16+table=f32").at(0)));

  const auto fact = everything_called("ends at its last row");
  ASSERT_EQ(fact.size(), 1u);
  EXPECT_EQ(explain(fact[0]).find("ends at its last row\n  A fact that encodings declare: "), 0u)
      << explain(fact[0]);
}

TEST(Named, all_names_have_an_answer) {
  for (const std::string& name : all_names()) EXPECT_FALSE(everything_called(name).empty()) << name;
}

TEST(Named, all_names_stand_once) {
  auto sorted = all_names();
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_GT(sorted.size(), 150u);
}

TEST(PrintedWords, are_sentences_and_stand_once) {
  std::vector<std::string_view> names;
  for (const Term& term : glossary()) names.insert(names.end(), term.names.begin(), term.names.end());
  for (const Term& term : printed_words()) {
    names.insert(names.end(), term.names.begin(), term.names.end());
    EXPECT_EQ(term.definition.back(), '.') << term.names[0];
    EXPECT_FALSE(term.used_in.empty()) << term.names[0];
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end())
      << *std::adjacent_find(names.begin(), names.end()) << " stands twice";
}

}  // namespace
}  // namespace posproof::report::named_test
