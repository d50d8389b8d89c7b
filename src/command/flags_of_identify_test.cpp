// What every flag of `posproof identify` does.
#include "command/testing/flags.h"
#include "core/bounds.h"

namespace posproof::testing::flags_of_identify_test {

using Json = nlohmann::json;

std::vector<FlagRow> rows(const std::string& folder) {
  const std::string right = " table:" + folder + "/x.npy", other = " table:" + folder + "/y.npy";
  return {
      {"identify", "SUBJECT", "identify" + right, "identify" + other,
       [=](const Ran& one, const Ran& two) {
         EXPECT_EQ(one.code + two.code, 0);
         EXPECT_EQ(lines(one.said)[0], "IDENTIFIED  sinusoidal --dim 8 of" + right);
         EXPECT_EQ(lines(two.said)[0], "IDENTIFIED  sinusoidal --dim 8 --offset 1 of" + other);
         EXPECT_EQ(lines(two.said).back(),
                   "  gate it: posproof gate sinusoidal --dim 8 --offset 1 '" + other.substr(1) + "'");
       }},
      {"identify", "--dim", "identify " + test_subject(), "identify --dim 6 " + test_subject(),
       [](const Ran& standard, const Ran& six) {
         EXPECT_EQ(lines(standard.said)[0].rfind("IDENTIFIED  rope of cmd:", 0), 0u);
         EXPECT_EQ(lines(six.said)[0].rfind("IDENTIFIED  rope --dim 6 of cmd:", 0), 0u);
       }},
      {"identify", "--heads", "identify --dim 6 " + test_subject(),
       "identify --dim 6 --heads 3 " + test_subject(),
       [](const Ran& one, const Ran& three) {
         EXPECT_EQ(one.code + three.code, 0);
         EXPECT_TRUE(says(three, " --heads 3 of cmd:")) << three.said;
       }},
      {"identify", "--json", "identify" + right, "identify --json" + right,
       [=](const Ran& text, const Ran& json) {
         const Json found = parsed(json);
         EXPECT_EQ(found["subject"], right.substr(1));
         EXPECT_EQ(found["identified"]["encoding"], "sinusoidal");
         EXPECT_EQ(found["identified"]["parameters"]["dim"], 8);
         EXPECT_EQ(found["identified"]["trained_numbers"], false);
         EXPECT_EQ(found["compared"], 100);
         EXPECT_TRUE(says(text, "gate it: " + found["identified"]["gate"].get<std::string>() + "\n"));
         EXPECT_TRUE(
             says(text, fmt::format("  {} positions are within rounding in {}, at most {} of what it",
                                    found["compared"].get<int>(), found["precision"].get<std::string>(),
                                    percent_at_most(found["identified"]["share_of_bound"].get<double>()))));
       }},
      {"identify", "--call-time", "identify --call-time 0.1 " + test_subject("late=1"),
       "identify --dim 6 --call-time 5 " + test_subject("late=0.001"),
       [](const Ran& late, const Ran& early) {
         EXPECT_EQ(late.code, 4);
         EXPECT_TRUE(says(late, "no answer within 300 ms")) << "three times that for the first";
         EXPECT_EQ(early.code, 0);
       }},
      {"identify", "--sandbox", "identify --dim 6 --json --sandbox " + test_subject(),
       "identify --dim 6 --json " + test_subject(),
       [](const Ran& inside, const Ran& outside) {
         EXPECT_EQ(outside.code, 0);
         EXPECT_FALSE(parsed(outside).contains("contained"));
         expect_contained(inside);
       }},
  };
}

TEST(FlagsOfIdentify, do_what_they_say) {
  const Tables tables;
  run_rows(rows(tables.folder()));
}

}  // namespace posproof::testing::flags_of_identify_test
