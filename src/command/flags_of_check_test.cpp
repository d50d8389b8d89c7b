// What every flag of `posproof check` does.
#include "catalogue/encodings.h"
#include "command/testing/flags.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof::testing::flags_of_check_test {

using Json = nlohmann::json;

std::vector<FlagRow> rows(const std::string& folder) {
  const std::string right = " table:" + folder + "/x.npy", wrong = " table:" + folder + "/y.npy",
                    agrees = "check agrees_with_its_oracle sinusoidal --dim 8 --cases 5",
                    norm = "check rotary/preserves_norm rope --dim 4 --json ",
                    pairs = "check table/keeps_pairs_on_the_unit_circle sinusoidal --dim 8",
                    spec = folder + "/check.json";
  report::replace_file(spec, R"({"offset": 1, "dim": 8})");
  const std::string config = config_of_8(folder);
  return {
      {"check", "PROPERTY", norm + "--cases 5", "check rotary/composes rope --dim 4 --json --cases 5",
       [](const Ran& norms, const Ran& composes) {
         EXPECT_EQ(parsed(norms)["property"], "rotary/preserves_norm");
         EXPECT_EQ(parsed(composes)["property"], "rotary/composes");
         EXPECT_EQ(norms.code + composes.code, 0);
         EXPECT_FALSE(parsed(composes)["worst_at"] == parsed(norms)["worst_at"]);
       }},
      {"check", "SUBJECT", agrees + right, agrees + wrong,
       [=](const Ran& holds, const Ran& fails) {
         EXPECT_EQ(holds.code, 0);
         EXPECT_EQ(fails.code, 1);
         EXPECT_EQ(lines(fails.said)[0], "REFUTED   " + wrong + "  agrees_with_its_oracle");
       }},
      {"check", "--seed", norm + "--cases 5 --seed 1", norm + "--cases 5 --seed 2",
       [=](const Ran& one, const Ran& other) {
         EXPECT_TRUE(parsed(one)["worst_at"].is_string());
         EXPECT_NE(parsed(one)["worst_at"], parsed(other)["worst_at"]);
         EXPECT_EQ(posproof(norm + "--cases 5 --seed 2").said, other.said) << "the same seed, other cases";
         EXPECT_EQ(posproof(norm + "--cases 5").said, one.said) << "the standard seed is 1";
       }},
      {"check", "--cases", norm + "--cases 5", norm + "--cases 7",
       [=](const Ran& five, const Ran& seven) {
         EXPECT_EQ(parsed(five)["cases"], 5);
         EXPECT_EQ(parsed(seven)["cases"], 7);
       }},
      {"check", "--time", pairs + " --cases 1000000000 --time 0.05", pairs + " --cases 5 --time 30",
       [](const Ran& cut, const Ran& done) {
         EXPECT_EQ(cut.code, 3);
         EXPECT_TRUE(says(cut, "UNDECIDED  sinusoidal  table/keeps_pairs_on_the_unit_circle\n"));
         EXPECT_TRUE(says(cut, "\n  stopped by `--time` (0.05 s) after "));
         EXPECT_EQ(done.code, 0);
       }},
      {"check", "--json", agrees + wrong, agrees + wrong + " --json",
       [](const Ran& text, const Ran& json) {
         EXPECT_EQ(text.code, 1);
         EXPECT_EQ(json.code, 1);
         EXPECT_EQ(parsed(json)["property"], "agrees_with_its_oracle");
         expect_same_verdict(parsed(json), "agrees_with_its_oracle", text.said);
       }},
      {"check", "--json", norm + "--cases 5", "check rotary/preserves_norm rope --dim 4 --cases 5",
       [](const Ran& json, const Ran& text) {
         expect_same_verdict(parsed(json), "rotary/preserves_norm", text.said);
         EXPECT_EQ(lines(text.said).size(), 1u);
       }},
      {"check", "--json", "check score/decays_with_distance rope --dim 4 --cases 5",
       "check score/decays_with_distance rope --dim 4 --cases 5 --json",
       [](const Ran& text, const Ran& json) {
         EXPECT_EQ(text.code, 0) << "it fails as claimed";
         EXPECT_EQ(json.code, 0);
         expect_same_verdict(parsed(json), "score/decays_with_distance", text.said);
         const Json claimed = parsed(json)["claimed_to_fail"];
         EXPECT_EQ(claimed["standing"], "as claimed");
         EXPECT_TRUE(text.said.ends_with(
             fmt::format("\n  fails as claimed\n  witness  {}  off by {:.3g}\n  because  {}\n",
                         claimed["witness"].get<std::string>(), claimed["by"].get<double>(),
                         claimed["because"].get<std::string>())))
             << claimed;
       }},
      {"check", "--case", agrees + right + " --case 'rows=1 t=3 n=4' --json",
       agrees + wrong + " --case 'rows=2 t=99 t1=5 n=100' --json",
       [](const Ran& one, const Ran& other) {
         EXPECT_EQ(one.code, 0);
         EXPECT_EQ(parsed(one)["cases"], 1);
         EXPECT_EQ(parsed(one)["worst_at"], "rows=1 t=3 n=4");
         EXPECT_EQ(other.code, 1);
         EXPECT_EQ(parsed(other)["case"], "rows=2 t=99 t1=5 n=100");
         EXPECT_EQ(parsed(other)["shrinks"], 0);
       }},
      {"check", "--positions", agrees + right + " --case 'rows=1 t=9 n=10' --positions 0:8",
       agrees + right + " --case 'rows=1 t=9 n=10' --positions 0:9",
       [](const Ran& beyond, const Ran& within) {
         EXPECT_EQ(beyond.code, 2);
         EXPECT_TRUE(says(beyond, "`t=9`, a position from 0 to 8 was asked for"));
         EXPECT_EQ(within.code, 0);
       }},
      {"check", "--reproduce", agrees + wrong + " --reproduce " + folder + "/check.py", agrees + wrong,
       [=](const Ran& with, const Ran& without) {
         EXPECT_EQ(with.code, 1);
         EXPECT_TRUE(says(with, "\nreproduce  " + folder + "/check.py: a script for an issue; "));
         EXPECT_TRUE(says(without, "\nreproduce  --reproduce FILE.py writes a script for an issue"));
         EXPECT_TRUE(report::file_bytes(folder + "/check.py")
                         .value()
                         .starts_with("# A counterexample by posproof: "));
       }},
      {"check", "--call-time", agrees + " --case 'rows=1 t=3 n=4' --call-time 0.2 " + test_subject("late=1"),
       agrees + " --case 'rows=1 t=3 n=4' --call-time 5 " + test_subject("late=0.001"),
       [](const Ran& late, const Ran& early) {
         EXPECT_TRUE(late.code == 3 || late.code == 4) << "4: it was late to say hello";
         EXPECT_TRUE(says(late, "no answer within 600 ms")) << "three times that for the first";
         EXPECT_EQ(early.code, 0);
       }},
      {"check", "--sandbox", agrees + " --json --case 'rows=1 t=3 n=4' --sandbox " + test_subject(),
       agrees + " --json --case 'rows=1 t=3 n=4' " + test_subject(),
       [](const Ran& inside, const Ran& outside) {
         EXPECT_EQ(outside.code, 0);
         EXPECT_FALSE(parsed(outside).contains("contained"));
         expect_contained(inside);
       }},
      {"check", "--spec", "check agrees_with_its_oracle sinusoidal --cases 5 --spec " + spec + wrong,
       "check agrees_with_its_oracle sinusoidal --cases 5 --dim 8 --offset 1" + wrong,
       [](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code, 0);
         EXPECT_EQ(file.said, flags.said);
       }},
      {"check", "--config", "check agrees_with_its_oracle sinusoidal --cases 5 --config " + config + right,
       "check agrees_with_its_oracle sinusoidal --cases 5 --dim 8" + right,
       [=](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code + flags.code, 0);
         const std::string understood = "posproof: " + config + ": dim 8: dim=8\nposproof: " + config +
                                        ": model distilbert: layout=interleaved\n";
         EXPECT_EQ(file.said, understood + flags.said);
         const Ran json =
             posproof("check agrees_with_its_oracle sinusoidal --cases 5 --json --config " + config + right);
         EXPECT_TRUE(says(json, "\n  \"config\": [\"" + config + ": dim 8: dim=8\",")) << json.said;
       }},
  };
}

// `rope dim=4` is what a witness has as `dim=4`.
TEST(FlagsOfCheck, parameters_that_stand_in_a_case_apply) {
  const std::string check = "check score/decays_with_distance rope --json ",
                    inputs = "q=[1,0*3] i=6 far=6 near=3";
  const Ran inside = posproof(check + "--case 'dim=4 " + inputs + "'"),
            outside = posproof(check + "--dim 4 --case '" + inputs + "'"),
            both = posproof(check + "--dim 4 --case 'dim=4 " + inputs + "'");
  EXPECT_EQ(parsed(inside)["verdict"], "refuted") << inside.said;
  EXPECT_EQ(inside.said, outside.said);
  EXPECT_EQ(inside.said, both.said);
  const Ran other = posproof(check + "--dim 6 --case 'dim=4 " + inputs + "'");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.said, "posproof: --dim `6`: the case has `dim=4`\n");
  // Of several the one that differs, and all of them apply.
  const Ran second = posproof(check + "--base 500 --case 'dim=4 base=10000 " + inputs + "'");
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.said, "posproof: --base `500`: the case has `base=10000`\n");
  EXPECT_EQ(posproof(check + "--case 'dim=4 base=500 " + inputs + "'").said,
            posproof(check + "--dim 4 --base 500 --case '" + inputs + "'").said);
  const Ran neither = posproof(check + "--case 'dmi=4 " + inputs + "'");
  EXPECT_EQ(neither.code, 2) << neither.said;
  EXPECT_NE(neither.said.find("`dmi=4"), std::string::npos) << neither.said;
}

// Every witness that `posproof explain` prints fails as it says when its line is given to `posproof check`.
TEST(FlagsOfCheck, witnesses_replay_as_they_are_printed) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    // One of each encoding by the program, those that stand last: all are replayed in memory, see the matrix.
    const auto& claims = claims_of(*spec);
    const auto last =
        std::find_if(claims.rbegin(), claims.rend(), [](const Claim& claim) { return !claim.holds; });
    if (last == claims.rend()) continue;
    const Ran replayed =
        posproof(fmt::format("check {} {} --json --case '{}'", id_of(*last->property), id, last->witness));
    const Json said = parsed(replayed);
    EXPECT_EQ(said["verdict"], "refuted") << replayed.said;
    EXPECT_EQ(replayed.code, 0) << "it fails as claimed";
    EXPECT_TRUE(same_to_three_digits(said["residual"]["error"], last->by)) << replayed.said;
  }
}

TEST(FlagsOfCheck, do_what_they_say) {
  const Tables tables;
  run_rows(rows(tables.folder()));
}

// What is claimed to fail fails at position 2, and holds before it.
TEST(FlagsOfCheck, positions_limit_what_is_searched) {
  const Ran ran = posproof("check table/has_bounded_entries raw_index --dim 1 --positions 0:1");
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(ran.said.starts_with("HOLDS      table/has_bounded_entries ")) << ran.said;
}

}  // namespace posproof::testing::flags_of_check_test
