#include "report/glossary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <variant>

#include "catalogue/encodings.h"
#include "core/parameter.h"
#include "core/spec.h"
#include "report/file.h"
#include "test_paths.h"

namespace posproof::report::glossary_test {
namespace {

TEST(Glossary, has_at_most_twenty_terms_in_order_each_a_sentence_or_two) {
  EXPECT_LE(glossary().size(), 20u);
  EXPECT_TRUE(std::is_sorted(glossary().begin(), glossary().end(),
                             [](const Term& a, const Term& b) { return a.names[0] < b.names[0]; }));
  for (const Term& term : glossary()) {
    const auto sentences = std::count(term.definition.begin(), term.definition.end(), '.');
    EXPECT_GE(sentences, 1) << term.names[0];
    EXPECT_LE(sentences, 2) << term.names[0];
    EXPECT_EQ(term.definition.back(), '.') << term.names[0];
    EXPECT_NE(glossary_page().find(term.definition), std::string::npos) << term.names[0];
  }
}

TEST(Glossary, says_what_each_word_of_a_layout_is) {
  const std::string_view definition = term_named("layout")->definition;
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& parameter : spec->parameters) {
      if (parameter.name != "layout") continue;
      for (const std::string_view word : std::get<type::Word>(parameter.type).words)
        EXPECT_NE(definition.find(word), std::string_view::npos) << id << " " << word;
    }
}

TEST(Glossary, is_a_page_with_a_line_a_term) {
  std::string expected;
  for (const Term& term : glossary()) {
    std::string names;
    for (const std::string_view name : term.names) names += (names.empty() ? "" : ", ") + std::string(name);
    expected += "\n**" + names + "**: " + std::string(term.definition) +
                " *Used in: " + std::string(term.used_in) + ".*\n";
  }
  const std::string page = glossary_page();
  EXPECT_EQ(page.find("# Glossary\n\nThe terms that posproof defines itself, "), 0u);
  EXPECT_TRUE(page.ends_with(" prints one of them.\n" + expected +
                             "\n---\n\nThis page is written by `posproof report`.\n"))
      << page;
}

TEST(Glossary, is_checked_in_as_it_is) {
  EXPECT_EQ(file_bytes(std::filesystem::path(POSPROOF_SOURCE) / "reports" / "glossary.md"), glossary_page())
      << "if this is right: posproof report";
}

TEST(Glossary, finds_a_term_by_any_of_its_names_in_any_case) {
  ASSERT_NE(term_named("Negative Example"), nullptr);
  EXPECT_EQ(term_named("Negative Example")->names[0], "negative example");
  EXPECT_EQ(term_named("BOUND"), term_named("error"));
  EXPECT_NE(term_named("BOUND"), nullptr);
  EXPECT_EQ(term_named("negative"), nullptr);
}

}  // namespace
}  // namespace posproof::report::glossary_test
