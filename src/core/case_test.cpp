#include "core/case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "testing/generators.h"
#include "testing/holds_for.h"

namespace posproof::case_test {

using namespace posproof::testing;

TEST(Case, reads_back_what_it_writes) {
  const Case c = Case::parse("dim=8 layout=half_split i=127 q=[0.25,0*7] x=-0 y=1e-300");
  EXPECT_EQ(c.text(), "dim=8 layout=half_split i=127 q=[0.25,0*7] x=-0 y=1e-300");
  EXPECT_EQ(Case::parse(c.text()), c);
  EXPECT_EQ(std::get<std::vector<double>>(*c.find("q")).size(), 8u);
}

TEST(Case, every_case_reads_back_to_the_same_bits_in_the_same_order) {
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  };
  EXPECT_TRUE(holds_for([&] {
    const Case written = *any_case();
    const Case read = Case::parse(written.text());
    RC_ASSERT(read.text() == written.text());
    RC_ASSERT(read.fields().size() == written.fields().size());
    for (std::size_t f = 0; f < read.fields().size(); ++f) {
      const Value &there = read.fields()[f].value, &here = written.fields()[f].value;
      RC_ASSERT(read.fields()[f].name == written.fields()[f].name);
      RC_ASSERT(there.index() == here.index());
      if (const auto* real = std::get_if<double>(&here)) RC_ASSERT(same(std::get<double>(there), *real));
      if (const auto* list = std::get_if<std::vector<double>>(&here))
        RC_ASSERT(std::ranges::equal(std::get<std::vector<double>>(there), *list, same));
    }
  }));
}

TEST(Case, a_field_that_is_set_again_keeps_its_place) {
  EXPECT_TRUE(holds_for([] {
    const Case before = *any_case();
    RC_PRE(!before.empty());
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, before.fields().size());
    const Value value = *any_value();
    Case after = before;
    after.set(before.fields()[at].name, value);
    RC_ASSERT(after.fields().size() == before.fields().size());
    for (std::size_t f = 0; f < after.fields().size(); ++f) {
      RC_ASSERT(after.fields()[f].name == before.fields()[f].name);
      RC_ASSERT(text(after.fields()[f].value) == text(f == at ? value : before.fields()[f].value));
    }
  }));
}

// A run is written once from four numbers on, and only of those that have the same bits: 0 is not -0.
TEST(Case, folds_runs_of_four_equal_numbers) {
  const auto written = [](std::vector<double> list) {
    Case one;
    one.set("q", std::move(list));
    return one.text();
  };
  EXPECT_EQ(written({1, 1, 1}), "q=[1,1,1]");
  EXPECT_EQ(written({1, 1, 1, 1}), "q=[1*4]");
  EXPECT_EQ(written({2, 1, 1, 1, 1, 1, 2}), "q=[2,1*5,2]");
  EXPECT_EQ(written({0, 0, -0.0, -0.0}), "q=[0,0,-0,-0]");
  EXPECT_EQ(written({-0.0, -0.0, -0.0, -0.0}), "q=[-0*4]");
}

TEST(Case, names_the_word_it_does_not_understand) {
  try {
    Case::parse("i=3 j=3three");
    FAIL() << "a word that is no number was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "case `i=3 j=3three`: `3three` is neither a number, a list like [0.25,0] nor a word");
  }
}

// 2^53: a whole number past it may have been another one in the text.
TEST(Case, has_whole_numbers_as_far_as_a_double_tells_them_apart) {
  const auto said = [](const std::string& words) {
    try {
      return std::to_string(Case::parse(words).integer("i"));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(said("i=9007199254740992"), "9007199254740992");
  EXPECT_EQ(said("i=-9007199254740992"), "-9007199254740992");
  EXPECT_EQ(said("i=9007199254740994"), "`i=9007199254740994`: a whole number was asked for");
  EXPECT_EQ(said("i=-9007199254740994"), "`i=-9007199254740994`: a whole number was asked for");
  EXPECT_EQ(said("i=1e+300"), "`i=1e+300`: a whole number was asked for");
  EXPECT_EQ(said("i=0.5"), "`i=0.5`: a whole number was asked for");
}

TEST(Case, has_paths_as_shells_have_them) {
  for (const std::string word : {"/tmp/a.npy", "./a.npy", "../a-b/c_d.npz:x", "a/b", "_a"})
    EXPECT_EQ(std::get<std::string>(*Case::parse("file=" + word).find("file")), word);
}

TEST(Case, names_what_is_no_field_of_its_own) {
  const auto refused = [](const std::string& words) -> std::string {
    try {
      Case::parse(words);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("i=3 j"), "case `i=3 j`: `j` is not name=value");
  EXPECT_EQ(refused("i=3 =1"), "case `i=3 =1`: `` is not a name");
  EXPECT_EQ(refused("i=3 j=4 i=3"), "case `i=3 j=4 i=3`: `i` is given twice");
  EXPECT_EQ(refused("q=[0,x*3]"), "case `q=[0,x*3]`: `x` is not a number");
}

TEST(Case, takes_no_more_memory_than_is_allowed) {
  const auto refused = [](const std::string& words) {
    try {
      Case::parse(words);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("it was parsed");
  };
  EXPECT_EQ(refused("q=[0*4194304]"), "it was parsed");
  EXPECT_EQ(refused("q=[0*4194303] k=[1]"), "it was parsed");
  const std::string why = ": its lists hold too many numbers; allowed: at most 4194304";
  for (const std::string& words : std::vector<std::string>{
           "q=[0*4194305]", "q=[0*4194304,1]", "q=[0*4194303] k=[1*2]", "q=[1*9007199254740992]",
           "q=[0*4000000] k=[0*4000000] v=[0*4000000] w=[0*4000000]"})
    EXPECT_EQ(refused(words), "case `" + words + "`" + why);
  std::string names;
  for (int n = 0; n < 1024; ++n) names += fmt::format("n{}=1 ", n);
  EXPECT_EQ(refused(names), "it was parsed");
  const std::string whole = "q=" + std::string(397, 'x') + ",";  // 400 bytes
  EXPECT_TRUE(refused(whole).starts_with("case `" + whole + "`: ")) << refused(whole);
  EXPECT_TRUE(refused(whole + ",").starts_with("case `" + whole + "...`: ")) << refused(whole + ",");
  const std::string more = refused(names + "n=1");
  EXPECT_EQ(more, "case `" + names.substr(0, 400) + "...`: it has too many names; allowed: at most 1024");
}

}  // namespace posproof::case_test
