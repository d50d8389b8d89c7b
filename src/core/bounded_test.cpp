#include "core/bounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "test_paths.h"

namespace posproof::core_bounded_test {
namespace {

using sentence::asked;
using sentence::fits;

constexpr int none = sentence::no_side, down = sentence::side_of<AtLeast>, up = sentence::side_of<AtMost>,
              exact = sentence::side_of<std::size_t>;

TEST(Bounded, a_number_of_no_side_or_of_the_other_does_not_fit) {
  for (const std::string_view text :
       {"off by at most {} at all", "rows differ by up to {}", "up to a factor of {}", "to within {} degrees",
        "(below {})", "no more than {}", "by {} at most", "it does not exceed {}", "less than {:.3g}",
        "first: no entry is off by more than {} % of it", "never more than {}"}) {
    EXPECT_FALSE((fits<1>(text, {none}))) << text;
    EXPECT_FALSE((fits<1>(text, {down}))) << text;
    EXPECT_TRUE((fits<1>(text, {up}))) << text;
    EXPECT_TRUE((fits<1>(text, {exact}))) << text;
  }
  for (const std::string_view text :
       {"it is at least {} nats", "more than {}", "{} or more", "no less than {}", "no value is below {}"}) {
    EXPECT_FALSE((fits<1>(text, {none}))) << text;
    EXPECT_FALSE((fits<1>(text, {up}))) << text;
    EXPECT_TRUE((fits<1>(text, {down}))) << text;
  }
  EXPECT_TRUE((fits<2>("between {} and {}", {down, up})));
  EXPECT_TRUE((fits<2>("between {} % and {} %", {down, up})));
  for (const auto& [first, last] :
       {std::pair{none, none}, {up, down}, {down, none}, {none, up}, {down, down}})
    EXPECT_FALSE((fits<2>("lies between {} and {} of it", {first, last}))) << first << ' ' << last;
  EXPECT_FALSE((fits<3>("{} draws: up to {}, which is {}", {exact, none, none})));
}

TEST(Bounded, other_numbers_may_be_rounded_to_the_nearest) {
  for (const std::string_view text : {"off by {}", "at most 3 times, which is {}", "below 5 % at scale {}",
                                      "below 2^20 is {}", "within rounding in {} of it", "at most: {}"})
    EXPECT_TRUE((fits<1>(text, {none}))) << text;
  EXPECT_TRUE((fits<2>("differs between {}, {}", {none, none})));
}

TEST(Bounded, is_the_sentence_with_its_numbers) {
  EXPECT_EQ(bounded("{} of {}: at most {}, at least {}", 3, "four", fixed_up(0.251, 2), fixed_down(0.259, 2)),
            "3 of four: at most 0.26, at least 0.25");
}

// A literal as the compiler joins it, and what stands around it.
struct Literal {
  std::string before, text;
  bool is_continued;  // by `+`
};

std::vector<Literal> literals(const std::string& source) {
  std::vector<Literal> out;
  std::string code, text;  // without comments
  bool open = false;       // the last thing seen was a literal
  const auto end = [&](char next) {
    if (open) out.push_back({code, text, next == '+'});
    open = false;
    text.clear();
  };
  const auto past = [&](std::string_view what, std::size_t from) {
    return std::min(source.find(what, from), source.size() - 1);
  };
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    if (c == '/' && source.substr(at, 2) == "//") {
      at = past("\n", at);
    } else if (c == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(source[at - 1])) == 0) {
      at = past("'", at + (source[at + 1] == '\\' ? 3 : 1));
    } else if (c == '"' && code.ends_with('R')) {
      const std::size_t start = past("(", at);
      at = past(")" + source.substr(at + 1, start - at - 1) + "\"", start) + start - at;
    } else if (c == '"') {
      for (++at; at < source.size() && source[at] != '"'; ++at) {
        if (source[at] == '\\') ++at;
        text += source[at];
      }
      open = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      end(c);
      code += c;
    }
    if (code.size() > 100) code.erase(0, 50);
  }
  return out;
}

// A word of a bound, with a number in its place or with one that is joined on.
bool has_a_bound(const Literal& literal) {
  std::string_view text = literal.text;
  for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view behind = text.substr(close + 1);
    if (asked(text.substr(0, open), behind.substr(0, behind.find('{'))) != sentence::Asked::anything)
      return true;
    text = behind;
  }
  return literal.is_continued && asked(text, "") != sentence::Asked::anything;
}

TEST(Bounded, pages_and_results_say_no_bounds_without_it) {
  const auto unchecked = [](const std::string& source) {
    std::vector<std::string> out;
    for (const Literal& literal : literals(source))
      if (!literal.before.ends_with("bounded(") && has_a_bound(literal)) out.push_back(literal.text);
    return out;
  };
  // The test sees what it is there for.
  EXPECT_EQ(
      unchecked("f(fmt::format(\n  \"is {} and \"  // at most\n  \"up to {}\", a, b), '\"', \"at most {}\")"),
      (std::vector<std::string>{"is {} and up to {}", "at most {}"}));
  EXPECT_EQ(unchecked("return \"off by at most \" + fixed(x, 2);"),
            (std::vector<std::string>{"off by at most "}));
  EXPECT_TRUE(unchecked("bounded(\"at most {}\", a) + fmt::format(\"below 5 % at {}\", b)").empty());

  std::size_t files = 0;
  for (const char* folder : {"experiments", "src/report", "src/run", "src/gate", "src/identify", "benchmarks"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(POSPROOF_SOURCE) / folder)) {
      const std::string name = entry.path().filename().string();
      if ((!name.ends_with(".cpp") && !name.ends_with(".h")) || name.ends_with("_test.cpp")) continue;
      std::ifstream in(entry.path());
      const std::string source{std::istreambuf_iterator<char>(in), {}};
      for (const std::string& text : unchecked(source))
        ADD_FAILURE() << entry.path().string() << ": print this with bounded() of core/bounded.h:\n  "
                      << text;
      ++files;
    }
  EXPECT_GT(files, 150u);
}

}  // namespace
}  // namespace posproof::core_bounded_test
