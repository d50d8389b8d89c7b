// What every flag of `posproof accuracy` does.
#include "command/testing/flags.h"
#include "command/testing/threads.h"

namespace posproof::testing::flags_of_accuracy_test {

using Json = nlohmann::json;

std::vector<FlagRow> rows(const std::string& folder) {
  const std::string right = " table:" + folder + "/x.npy", wrong = " table:" + folder + "/y.npy",
                    accuracy = "accuracy sinusoidal --dim 8", of_ours = accuracy + " --positions 5:20",
                    spec = folder + "/accuracy.json", out = folder + "/accuracy.txt";
  report::replace_file(spec, R"({"dim": 8, "offset": 1})");
  const std::string config = config_of_8(folder);
  return {
      {"accuracy", "SUBJECT", accuracy + " --json", accuracy + wrong + " --json",
       [=](const Ran& ours, const Ran& fails) {
         EXPECT_EQ(ours.code, 0);
         EXPECT_EQ(parsed(ours)["subject"], "sinusoidal");
         EXPECT_EQ(parsed(ours)["last"], 4095);
         EXPECT_EQ(fails.code, 1);
         EXPECT_EQ(" " + parsed(fails)["subject"].get<std::string>(), wrong);
         EXPECT_EQ(parsed(fails)["within_bound"], false);
         EXPECT_EQ(parsed(fails)["last"], 99);
       }},
      {"accuracy", "--positions", of_ours + " --json", accuracy + right + " --positions 90:110 --json",
       [](const Ran& within, const Ran& beyond) {
         EXPECT_EQ(within.code, 0);
         EXPECT_EQ(parsed(within)["first"], 5);
         EXPECT_EQ(parsed(within)["last"], 20);
         EXPECT_EQ(parsed(within)["entries"], 16 * 8);
         EXPECT_EQ(beyond.code, 3);
         EXPECT_EQ(parsed(beyond)["rows"], 10);
         EXPECT_EQ(parsed(beyond)["stopped"],
                   "positions 90 to 110 were asked for: those beyond 90 to 99 were not compared");
       }},
      {"accuracy", "-o,--output", accuracy + wrong, accuracy + wrong + " -o " + out,
       [=](const Ran& shown, const Ran& wrote) {
         EXPECT_EQ(shown.code, 1);
         EXPECT_EQ(wrote.code, 1);
         EXPECT_EQ(report::file_bytes(out), shown.said);
         const std::size_t begin = shown.said.find("  800 entries"), end = shown.said.find("  against ");
         EXPECT_EQ(wrote.said, out + "\n" + shown.said.substr(begin, end - begin));
         EXPECT_EQ(posproof(accuracy + wrong + " --output " + out + "2").code, 1);
         EXPECT_EQ(report::file_bytes(out + "2"), shown.said);
       }},
      {"accuracy", "--json", of_ours, of_ours + " --json",
       [](const Ran& text, const Ran& json) {
         const Json found = parsed(json);
         EXPECT_EQ(lines(text.said)[0], "accuracy sinusoidal --dim 8 of sinusoidal");
         EXPECT_EQ(found["encoding"], "sinusoidal");
         EXPECT_EQ(found["not_correctly_rounded"], 0);
         EXPECT_TRUE(
             says(text, fmt::format("\n  {} entries in {}, positions {} to {}: all of them are the exact ",
                                    found["entries"].get<int>(), found["format"].get<std::string>(),
                                    found["first"].get<int>(), found["last"].get<int>())));
         EXPECT_TRUE(says(text, "\n  HOLDS  every entry is within ")) << found["within_bound"];
         EXPECT_EQ(found["within_bound"], true);
         EXPECT_EQ(found["curve"].front()["first"], 5);
         EXPECT_EQ(found["curve"].back()["last"], 20);
         EXPECT_EQ(text.code + json.code, 0);
       }},
      {"accuracy", "--threads", of_ours + " --json --threads 1", of_ours + " --json --threads 5",
       [=](const Ran& one, const Ran& five) {
         EXPECT_EQ(one.said, five.said);
         const std::string many = "accuracy sinusoidal --dim 64 --positions 0:100000000 --threads ";
         EXPECT_EQ(threads_of(many + "1", 1), 1);
         EXPECT_EQ(threads_of(many + "5", 5), 5);
       }},
      {"accuracy", "--call-time", of_ours + " --call-time 0.2 " + test_subject("late=1"),
       of_ours + " --call-time 5 " + test_subject("late=0.001"),
       [](const Ran& late, const Ran& early) {
         EXPECT_TRUE(late.code == 3 || late.code == 4) << "4: it was late to say hello";
         EXPECT_TRUE(says(late, "no answer within 600 ms")) << "three times that for the first";
         EXPECT_EQ(early.code, 0);
       }},
      {"accuracy", "--sandbox", of_ours + " --json --sandbox " + test_subject(),
       of_ours + " --json " + test_subject(),
       [](const Ran& inside, const Ran& outside) {
         EXPECT_EQ(outside.code, 0);
         EXPECT_FALSE(parsed(outside).contains("contained"));
         expect_contained(inside);
       }},
      {"accuracy", "--spec", "accuracy sinusoidal --spec " + spec + wrong,
       "accuracy sinusoidal --offset 1 --dim 8" + wrong,
       [](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code, 0);
         EXPECT_EQ(file.said, flags.said);
       }},
      {"accuracy", "--config", "accuracy sinusoidal --config " + config + right,
       "accuracy sinusoidal --dim 8" + right,
       [=](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code + flags.code, 0);
         const std::string understood = "posproof: " + config + ": dim 8: dim=8\nposproof: " + config +
                                        ": model distilbert: layout=interleaved\n";
         EXPECT_EQ(file.said, understood + flags.said);
         const Ran json = posproof("accuracy sinusoidal --json --config " + config + right);
         EXPECT_TRUE(says(json, "\n  \"config\": [\"" + config + ": dim 8: dim=8\",")) << json.said;
       }},
  };
}

TEST(FlagsOfAccuracy, do_what_they_say) {
  const Tables tables;
  run_rows(rows(tables.folder()));
}

}  // namespace posproof::testing::flags_of_accuracy_test
