// `posproof explain` as a user meets it.
#include <gtest/gtest.h>

#include "command/testing/ran.h"

namespace posproof::explain_test {
namespace {

using testing::posproof;

TEST(ExplainCommand, says_what_a_term_means) {
  const auto witness = posproof("explain Witness");
  EXPECT_EQ(witness.code, 0);
  EXPECT_EQ(witness.said.rfind("witness\n  The recorded case in which a claimed failure fails.", 0), 0u)
      << witness.said;
  EXPECT_EQ(posproof("explain negative example").said, posproof("explain 'negative example'").said);
  EXPECT_EQ(posproof("explain ceiling").said.rfind("error, bound, ceiling\n", 0), 0u);
  EXPECT_EQ(posproof("explain 'error, bound, ceiling'").said, posproof("explain ceiling").said);
}

TEST(ExplainCommand, takes_ids_and_names_what_is_near_another_word) {
  EXPECT_EQ(posproof("explain rope").said.rfind("encoding rope\n", 0), 0u);
  EXPECT_EQ(posproof("explain agrees_with_its_oracle").said.rfind("property agrees_with_its_oracle\n", 0),
            0u);
  EXPECT_EQ(
      posproof("explain answers_like_a_new_object").said.rfind("property answers_like_a_new_object\n", 0),
      0u);
  EXPECT_EQ(posproof("explain score/depends_on_offset").said.rfind("property score/", 0), 0u);
  const auto unknown = posproof("explain witnes");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.said.rfind("posproof: nothing is called `witnes`; near it: witness, ", 0), 0u)
      << unknown.said;
}

TEST(ExplainCommand, names_every_command_that_has_an_option) {
  const auto seed = posproof("explain seed");
  EXPECT_EQ(seed.code, 0);
  EXPECT_NE(seed.said.find("\n  used in: posproof matrix, check, gate\n"), std::string::npos) << seed.said;
}

}  // namespace
}  // namespace posproof::explain_test
