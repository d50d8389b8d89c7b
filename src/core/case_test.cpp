#include "core/case.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace posproof;

TEST(Case, reads_back_what_it_writes) {
  const Case c = Case::parse("dim=8 layout=half_split i=127 q=[0.25,0*7] x=-0 y=1e-300");
  EXPECT_EQ(c.text(), "dim=8 layout=half_split i=127 q=[0.25,0*7] x=-0 y=1e-300");
  EXPECT_EQ(Case::parse(c.text()), c);
  EXPECT_EQ(std::get<std::vector<double>>(*c.find("q")).size(), 8u);
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
