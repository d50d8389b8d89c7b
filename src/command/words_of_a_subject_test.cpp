// Whatever bytes a subject writes, and is called by: text, JSON and JUnit stay what they are, and the verdict
// the same.
#include <gtest/gtest.h>
#include <utf8.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "command/testing/ran.h"
#include "report/file.h"
#include "subject/testing/subjects.h"

namespace posproof::words_of_a_subject_test {
namespace {

using testing::posproof;

// A control character other than a line end and a tab, of Latin-1 as well, or bytes that are no characters.
bool commands_a_terminal(const std::string& text) {
  if (!utf8::is_valid(text.begin(), text.end())) return true;
  for (auto at = text.begin(); at != text.end();) {
    const char32_t c = utf8::next(at, text.end());
    if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0)) return true;
  }
  return false;
}

// As a shell reads it. The last word is one that the program ignores.
std::string subject(const std::string& mode) {
  std::string quoted = "'";
  for (const char c : testing::bad(mode) + " \xff\033[31m\u009b2J\xe2\x82") {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

constexpr std::string_view all = "\\x1b\\x1c", hidden = "\\xff\\x1b[31m\\xc2\\x9b2J\\xe2\\x82";

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(WordsOfASubject, break_no_check) {
  for (const std::string mode : {"all_bytes", "error_of_all_characters", "declines_with_all_characters"}) {
    const std::string check = "check table/is_prefix_stable learned --dim 4 " + subject(mode + " 0");
    const auto text = posproof(check + " --case n=20"), json = posproof(check + " --case n=20 --json");
    EXPECT_FALSE(commands_a_terminal(text.said)) << text.said;
    EXPECT_TRUE(holds(text.said, all)) << text.said;
    const bool declines = mode == "declines_with_all_characters";
    EXPECT_NO_THROW(EXPECT_TRUE(holds(nlohmann::json::parse(json.out)[declines ? "why" : "instead"], all)))
        << json.said;
    EXPECT_EQ(text.code, declines ? 3 : 1);
    EXPECT_EQ(json.code, text.code);
  }
}

// Its values are wrong, whatever it writes later.
TEST(WordsOfASubject, break_no_output_of_the_gate_and_no_verdict) {
  const std::string junit = ::testing::TempDir() + "posproof_words_" + std::to_string(::getpid()) + ".xml";
  for (const std::string mode : {"all_bytes", "error_of_all_characters"}) {
    const std::string gate = "gate learned --dim 4 --junit '" + junit + "' " + subject(mode + " 1500");
    const auto text = posproof(gate), json = posproof(gate + " --json");
    EXPECT_EQ(text.code, 1);
    EXPECT_EQ(json.code, 1);
    EXPECT_FALSE(commands_a_terminal(text.said)) << text.said;
    EXPECT_TRUE(holds(text.said, all) && holds(text.said, hidden)) << text.said;
    EXPECT_NO_THROW(EXPECT_TRUE(holds(nlohmann::json::parse(json.out)["subject"], hidden))) << json.said;

    const std::string xml = report::file_bytes(junit).value_or("\xff");
    pugi::xml_document document;
    EXPECT_TRUE(document.load_buffer(xml.data(), xml.size(), pugi::parse_full)) << xml;
    EXPECT_GE(document.child("testsuite").attribute("failures").as_int(), 1);
    EXPECT_FALSE(commands_a_terminal(xml)) << xml;
    EXPECT_TRUE(holds(xml, all)) << xml;
  }
  std::filesystem::remove(junit);
}

TEST(WordsOfASubjectThatDoesNotStart, are_printable) {
  const auto ran = posproof("gate learned --dim 4 " + subject("all_bytes_first"));
  EXPECT_EQ(ran.code, 4);
  EXPECT_FALSE(commands_a_terminal(ran.said)) << ran.said;
  EXPECT_TRUE(holds(ran.said, all)) << ran.said;
  EXPECT_FALSE(commands_a_terminal(posproof("gate learned 'nothing:\033[31m\xff'").said));
}

}  // namespace
}  // namespace posproof::words_of_a_subject_test
