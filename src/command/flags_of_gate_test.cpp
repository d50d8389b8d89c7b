// What every flag of `posproof gate` does.
#include <set>

#include <pugixml.hpp>
#include "command/testing/flags.h"
#include "report/words.h"

namespace posproof::testing::flags_of_gate_test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> asked(const Json& gated) {
  std::vector<std::string> out;
  for (const Json& one : gated["asked"]) out.push_back(one["property"]);
  return out;
}

// Of these, in their order, those that contain the part.
std::vector<std::string> containing(std::vector<std::string> all, const std::string& part) {
  std::erase_if(all, [&](const std::string& one) { return one.find(part) == std::string::npos; });
  return all;
}

std::vector<std::string> skipped(const Json& gated) {
  std::vector<std::string> out;
  for (const std::string one : gated["skipped"]) out.push_back(one.substr(0, one.find(": ")));
  return out;
}

// From there to the next line that does not belong to it.
std::string block(const std::string& text, std::size_t begin) {
  std::size_t end = text.find('\n', begin);
  while (end != std::string::npos && end + 1 < text.size() && text[end + 1] == ' ')
    end = text.find('\n', end + 1);
  return text.substr(begin, end - begin + 1);
}

// Verdict by verdict, each in full, refuted ones first and else in the same order, and what is counted.
void expect_same_verdicts(const Json& gated, const std::string& text) {
  std::map<std::string, std::size_t> at = {{"refuted", 0}, {"holds", text.rfind("\nREFUTED")}};
  std::map<std::string, int> counts;
  for (const Json& one : gated["asked"]) {
    const std::string id = one["property"], verdict = one["verdict"];
    const std::string word = verdict == "holds" ? "\nHOLDS      " : "\nREFUTED    ";
    const std::size_t begin = text.find(word + id, at[verdict]);
    ASSERT_NE(begin, std::string::npos) << id;
    at[verdict] = begin + 1;
    const std::string own = block(text, begin + 1);
    expect_same_verdict(one, id, own);
    EXPECT_EQ(own.find("\n  follows from ") != std::string::npos, one.contains("follows_from")) << own;
    ++counts[verdict];
  }
  std::string tallied;
  for (const auto& [word, n] : counts)
    tallied += fmt::format("{}{} {}", tallied.empty() ? "" : ", ", n, word);
  EXPECT_TRUE(text.ends_with(fmt::format("\n{} properties asked: {}\n", gated["asked"].size(), tallied)));
  EXPECT_EQ(gated["refuted"].get<bool>(), counts.contains("refuted"));
  EXPECT_EQ(gated["undecided"].get<bool>(), false);
}

void expect_same_in_junit(const Json& gated, const std::string& file) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(file.c_str())) << file;
  const pugi::xml_node suite = document.child("testsuite");
  std::vector<std::string> said, expected;
  for (const pugi::xml_node& one : suite.children("testcase"))
    said.push_back(fmt::format("{} {}", one.attribute("name").value(), one.first_child().name()));
  for (const Json& one : gated["asked"])
    expected.push_back(
        fmt::format("{} {}", one["property"].get<std::string>(), one["verdict"] == "holds" ? "" : "failure"));
  EXPECT_EQ(said, expected);
}

std::set<Position> logged(const std::string& file) {
  std::set<Position> out;
  for (const std::string& line : lines(report::file_bytes(file).value())) out.insert(std::stoll(line));
  return out;
}

}  // namespace

std::vector<FlagRow> rows(const std::string& folder) {
  const std::string right = " table:" + folder + "/x.npy", wrong = " table:" + folder + "/y.npy",
                    gate = "gate sinusoidal --dim 8 --cases 5", of_table = gate + right,
                    live = "gate rope --dim 4 --filter agrees_with --cases 3 ", xml = folder + "/gate.xml",
                    spec = folder + "/gate.json", log = folder + "/gate.log";
  report::replace_file(spec, R"({"dim": 8, "offset": 1})");
  const std::string config = config_of_8(folder);
  return {
      {"gate", "SUBJECT", of_table, gate + wrong,
       [=](const Ran& holds, const Ran& fails) {
         EXPECT_EQ(holds.code, 0);
         EXPECT_EQ(fails.code, 1);
         EXPECT_EQ(lines(holds.said)[0], "HOLDS  sinusoidal --dim 8 of" + right + ": 25 of 25 properties");
         EXPECT_EQ(lines(fails.said)[0].find("REFUTED  sinusoidal --dim 8 of" + wrong + ": "), 0u);
         EXPECT_TRUE(lines(fails.said)[0].ends_with(" of 25 properties; cause: `--offset 1`"));
         EXPECT_TRUE(says(fails, "\nevery case agrees with `--offset 1` instead (integer added to the "));
       }},
      {"gate", "--json", gate + " --amplitude 0.5" + right + " --in-full",
       gate + " --amplitude 0.5 --json" + right,
       [](const Ran& text, const Ran& json) {
         EXPECT_EQ(text.code, 1);
         EXPECT_EQ(json.code, 1);
         expect_same_verdicts(parsed(json), text.said);
         EXPECT_EQ(parsed(json)["cause"], "`--amplitude 1`");
       }},
      {"gate", "--json", gate + wrong + " --in-full", gate + wrong + " --json",
       [](const Ran& text, const Ran& json) {
         expect_same_verdicts(parsed(json), text.said);
         EXPECT_EQ(parsed(json)["explanations"][0]["what"], "--offset 1");
         EXPECT_EQ(parsed(json)["cause"], "`--offset 1`");
       }},
      {"gate", "--junit", gate + wrong + " --json --junit " + xml, gate + wrong + " --json",
       [=](const Ran& with, const Ran& without) {
         EXPECT_EQ(with.said, without.said);
         expect_same_in_junit(parsed(with), xml);
       }},
      {"gate", "--in-full", gate + " --amplitude 0.5" + right + " --in-full",
       gate + " --amplitude 0.5" + right,
       [](const Ran& full, const Ran& short_one) {
         EXPECT_EQ(full.code, 1);
         EXPECT_EQ(short_one.code, 1);
         EXPECT_TRUE(says(full, "\n  follows from agrees_with_its_oracle\n"));
         EXPECT_FALSE(says(short_one, "\n  follows from "));
         EXPECT_TRUE(says(short_one, " from agrees_with_its_oracle (--in-full prints each)\n"));
         EXPECT_FALSE(says(full, "--in-full"));
       }},
      {"gate", "--reproduce", gate + wrong + " --reproduce " + folder + "/gate.py", gate + wrong,
       [=](const Ran& with, const Ran& without) {
         EXPECT_EQ(with.code, 1);
         EXPECT_TRUE(says(with, "\nreproduce  " + folder + "/gate.py: a script for an issue; "));
         EXPECT_TRUE(says(without, "\nreproduce  --reproduce FILE.py writes a script for an issue"));
         EXPECT_TRUE(report::file_bytes(folder + "/gate.py")
                         .value()
                         .starts_with("# A counterexample by posproof: sinusoidal --dim 8 in f32, "
                                      "agrees_with_its_oracle is refuted.\n"));
       }},
      {"gate", "--seed", of_table + " --json --seed 1", of_table + " --json --seed 2",
       [=](const Ran& one, const Ran& other) {
         const auto worst = [](const Ran& ran) {
           const Json said = parsed(ran);
           for (const Json& asked : said["asked"])
             if (asked["property"] == "table/translates_by_a_rotation") return asked["worst_at"];
           return Json();
         };
         EXPECT_TRUE(worst(one).is_string());
         EXPECT_NE(worst(one), worst(other));
         EXPECT_EQ(posproof(of_table + " --json --seed 2").said, other.said) << "the same seed, other cases";
         EXPECT_EQ(posproof(of_table + " --json").said, one.said) << "the standard seed is 1";
       }},
      {"gate", "--cases", "gate sinusoidal --dim 8 --json --cases 5" + right,
       "gate sinusoidal --dim 8 --json --cases 7" + right,
       [](const Ran& five, const Ran& seven) {
         EXPECT_GT(asked(parsed(five)).size(), 10u);
         for (const auto& [said, cases] : {std::pair{parsed(five), 5}, {parsed(seven), 7}})
           for (const Json& one : said["asked"])
             EXPECT_EQ(one["cases"], one["property"] == "agrees_with_its_oracle" ? 100 : cases) << one;
       }},
      {"gate", "--time",
       "gate sinusoidal --dim 8 --filter unit_circle --cases 1000000000 --time 0.05" + right,
       "gate sinusoidal --dim 8 --filter unit_circle --cases 5 --time 30" + right,
       [](const Ran& cut, const Ran& done) {
         EXPECT_EQ(cut.code, 3);
         EXPECT_TRUE(says(cut, "UNDECIDED  table/keeps_pairs_on_the_unit_circle\n"));
         EXPECT_TRUE(says(cut, "\n  stopped by `--time` (0.05 s) after "));
         EXPECT_TRUE(says(cut, "\n1 properties asked: 1 undecided\n"));
         EXPECT_EQ(done.code, 0);
       }},
      {"gate", "--budget",
       "gate sinusoidal --dim 8 --filter pairs --cases 1000000000 --budget 0.05 --json" + right,
       "gate sinusoidal --dim 8 --filter pairs --cases 5 --json" + right,
       [](const Ran& cut, const Ran& done) {
         EXPECT_EQ(cut.code, 3);
         const std::string why = parsed(cut)["asked"][0]["why"];
         EXPECT_TRUE(why.starts_with("stopped by `--budget` (0.0") ||
                     why.ends_with(" had its time (`--budget`, 0.05 s)"))
             << why;
         EXPECT_EQ(parsed(cut)["undecided"], true);
         EXPECT_EQ(done.code, 0);
       }},
      {"gate", "--filter", of_table + " --json", of_table + " --json --filter translat",
       [](const Ran& all, const Ran& some) {
         EXPECT_EQ(asked(parsed(some)), containing(asked(parsed(all)), "translat"));
         EXPECT_GT(asked(parsed(some)).size(), 2u);
         EXPECT_EQ(skipped(parsed(some)), containing(skipped(parsed(all)), "translat"));
       }},
      {"gate", "--positions", of_table + " --json --positions 10:19", of_table + " --json --positions -5:19",
       [=](const Ran& within, const Ran& beyond) {
         EXPECT_EQ(within.code, 0);
         EXPECT_EQ(parsed(within)["accuracy"]["first"], 10);
         EXPECT_EQ(parsed(within)["accuracy"]["last"], 19);
         EXPECT_EQ(parsed(within)["accuracy"]["rows"], 10);
         EXPECT_EQ(parsed(within)["not_checked"], Json::array());
         EXPECT_EQ(beyond.code, 3);
         EXPECT_EQ(parsed(beyond)["accuracy"]["rows"], 20);
         EXPECT_EQ(parsed(beyond)["not_checked"],
                   Json({"positions -5 to 19 were asked for: those beyond 0 to 19 were not compared"}));
         // A live subject that says nothing of its end has all of them.
         const Ran far = posproof("gate rope --dim 8 --filter agrees_with --json --positions=-9:2000000 " +
                                  test_subject());
         EXPECT_EQ(far.code, 0) << far.said;
         EXPECT_EQ(parsed(far)["not_checked"], Json::array());
         // And a file of ours those of which it says that it is.
         for (const auto& [from, to] : {std::pair{-4, 9}, {3000000, 3000009}}) {
           const std::string file = folder + "/from.safetensors";
           posproof(fmt::format("oracle rope --dim 8 --positions={}:{} -o {}", from, to, file));
           const Ran of_file = posproof("gate rope --dim 8 --filter agrees_with --json table:" + file);
           EXPECT_EQ(of_file.code, 0) << of_file.said;
           EXPECT_EQ(parsed(of_file)["accuracy"]["first"], from);
           EXPECT_EQ(parsed(of_file)["accuracy"]["last"], to);
         }
       }},
      {"gate", "--exhaustive",
       live + "--json --positions 0:9999 " + test_subject("wrong=9001") + " --exhaustive",
       live + "--json --positions 0:9999 " + test_subject("log=" + log),
       [=](const Ran& all, const Ran& some) {
         EXPECT_EQ(all.code, 1);
         EXPECT_EQ(parsed(all)["accuracy"]["rows"], 10000);
         EXPECT_EQ(parsed(all)["accuracy"]["first_beyond"]["at"]["position"], 9001);
         EXPECT_EQ(some.code, 0);
         EXPECT_FALSE(parsed(some).contains("accuracy"));
         EXPECT_LT(logged(log).size(), 9000u);
       }},
      {"gate", "--exhaustive",
       "gate alibi --heads 2 --filter agrees_with --json --positions 0:29 " +
           test_subject("log=" + log + "1") + " --exhaustive",
       "gate alibi --heads 2 --filter agrees_with --json --positions 0:29 --cases 1 " +
           test_subject("log=" + log + "2"),
       [=](const Ran& all, const Ran& some) {
         EXPECT_EQ(all.code, 0);
         EXPECT_EQ(some.code, 0);
         std::set<Position> every;
         for (Position offset = -29; offset <= 29; ++offset) every.insert(offset);
         EXPECT_EQ(logged(log + "1"), every);
         EXPECT_LT(logged(log + "2").size(), every.size());
         EXPECT_EQ(parsed(all)["accuracy"]["entries"], 2 * 30 * 31 / 2) << "causal";
       }},
      {"gate", "--call-time", live + "--positions 0:9 --call-time 0.2 " + test_subject("late=1"),
       live + "--positions 0:9 --call-time 5 " + test_subject("late=0.001"),
       [](const Ran& late, const Ran& early) {
         EXPECT_TRUE(late.code == 3 || late.code == 4) << "4: it was late to say hello";
         EXPECT_TRUE(says(late, "no answer within 600 ms")) << "three times that for the first";
         EXPECT_EQ(early.code, 0);
       }},
      {"gate", "--sandbox", live + "--positions 0:9 --json --sandbox " + test_subject(),
       live + "--positions 0:9 --json " + test_subject(),
       [](const Ran& inside, const Ran& outside) {
         EXPECT_EQ(outside.code, 0);
         EXPECT_FALSE(parsed(outside).contains("contained"));
         expect_contained(inside);
       }},
      {"gate", "--spec", "gate sinusoidal --cases 5 --spec " + spec + wrong,
       "gate sinusoidal --cases 5 --dim 8 --offset 1" + wrong,
       [=](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code, 0);
         EXPECT_EQ(file.said, flags.said);
         const Ran both = posproof("gate sinusoidal --cases 5 --offset 0 --spec " + spec + right);
         EXPECT_EQ(both.code, 0) << "an option beside the file comes first: " << both.said;
         EXPECT_EQ(lines(both.said)[0], "HOLDS  sinusoidal --dim 8 of" + right + ": 25 of 25 properties");
       }},
      {"gate", "--config", "gate sinusoidal --cases 5 --config " + config + right,
       "gate sinusoidal --cases 5 --dim 8" + right,
       [=](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code + flags.code, 0);
         const std::string understood = "posproof: " + config + ": dim 8: dim=8\nposproof: " + config +
                                        ": model distilbert: layout=interleaved\n";
         EXPECT_EQ(file.said, understood + flags.said);
         const Ran json = posproof("gate sinusoidal --cases 5 --json --config " + config + right);
         EXPECT_TRUE(says(json, "\n  \"config\": [\"" + config + ": dim 8: dim=8\",")) << json.said;
       }},
  };
}

TEST(FlagsOfGate, do_what_they_say) {
  const Tables tables;
  run_rows(rows(tables.folder()));
}

// A rotation is asked with two heads where nobody says how many there are.
TEST(FlagsOfGate, heads_that_are_given_are_those_that_are_asked_for) {
  const std::string words = " --dim 2 --filter agrees_with --cases 5 " + test_subject(),
                    of_two = "heads from 2 on: heads 0 and 1 are asked for";
  EXPECT_TRUE(says(posproof("gate rope" + words), of_two));
  EXPECT_FALSE(says(posproof("gate rope --heads 1" + words), of_two));
}

}  // namespace posproof::testing::flags_of_gate_test
