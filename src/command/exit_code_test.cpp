// What the program ends with: by what was found, in memory; and every code of the README by the program.
#include "command/exit_code.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "command/command.h"
#include "command/testing/flags.h"

namespace posproof::command::exit_code_test {
namespace {

const Refuted refuted{Case::parse("t=1"), {1, 0, 1}, 1, 0};
const Holds held{.cases = 3, .vacuous = 0, .worst = {0, 1, 2}, .worst_at = {}};

TEST(ExitCode, of_a_verdict) {
  EXPECT_EQ(exit_of(Verdict{held}), as_claimed);
  EXPECT_EQ(exit_of(Verdict{refuted}), broken);
  EXPECT_EQ(exit_of(Verdict{Undecided{"stopped"}}), not_checked);
  EXPECT_EQ(exit_of(Verdict{Errored{"late", {}}}), not_checked);
  EXPECT_EQ(exit_of(Verdict{NotApplicable{"no bias"}}), not_checked);
}

// One verdict is as bad as several: it may stand first or last.
TEST(ExitCode, of_a_gate_is_that_of_its_worst_verdict) {
  const auto code = [](const std::vector<Verdict>& verdicts, const std::vector<std::string>& not_asked = {}) {
    GateResult gated;
    for (const Verdict& one : verdicts)
      gated.results.push_back({.id = "x", .property = nullptr, .verdict = one});
    gated.not_checked = not_asked;
    gated.skipped = {"y: a file answers no calls"};
    return exit_of(gated);
  };
  EXPECT_EQ(code({held, held}), as_claimed);
  EXPECT_EQ(code({}), not_checked) << "nothing was asked";
  EXPECT_EQ(code({held}, {"positions 5 to 9"}), not_checked);
  EXPECT_EQ(code({refuted}, {"positions 5 to 9"}), broken);
  for (const Verdict& nothing :
       {Verdict{Undecided{"stopped"}}, Verdict{Errored{"late", {}}}, Verdict{NotApplicable{"no bias"}}}) {
    EXPECT_EQ(code({nothing, held}), not_checked);
    EXPECT_EQ(code({held, nothing}), not_checked);
    EXPECT_EQ(code({refuted, nothing}), broken);
    EXPECT_EQ(code({nothing, held, refuted}), broken);
  }
}

TEST(ExitCode, of_accuracy_is_0_only_where_all_was_compared) {
  const auto code = [](auto&& spoil) {
    Accuracy found;
    found.rows = 10;
    found.entries = 40;
    found.wrong = 7;  // rounding allows it
    spoil(found);
    return exit_of(found);
  };
  EXPECT_EQ(code([](Accuracy&) {}), as_claimed);
  EXPECT_EQ(code([](Accuracy& a) { a.rows = 0; }), not_checked);
  EXPECT_EQ(code([](Accuracy& a) { a.declined = 1; }), not_checked);
  EXPECT_EQ(code([](Accuracy& a) { a.stopped = "out of time"; }), not_checked);
  EXPECT_EQ(code([](Accuracy& a) { a.errored = Errored{"late", {}}; }), not_checked);
  EXPECT_EQ(code([](Accuracy& a) { a.failed = refuted; }), broken);
  EXPECT_EQ(code([](Accuracy& a) { a.beyond = Accuracy::Beyond{{3, 1}, {}, {1, 0, 1}}; }), broken);
  EXPECT_EQ(code([](Accuracy& a) {
              a.beyond = Accuracy::Beyond{{3, 1}, {}, {1, 0, 1}};
              a.stopped = "out of time";
              a.declined = 1;
            }),
            broken);
}

TEST(ExitCode, of_identify_is_0_only_where_a_convention_holds) {
  Identified found;
  EXPECT_EQ(exit_of(found), not_checked);
  found.hold.push_back({{"rope", {}}, 0.5, false});
  EXPECT_EQ(exit_of(found), as_claimed);
}

TEST(ExitCode, of_a_matrix_is_that_of_its_worst_answer) {
  using enum ClaimStatus;
  const auto code = [](const std::vector<std::vector<ClaimStatus>>& all) {
    std::vector<Cell> cells;
    for (const auto& statuses : all) {
      cells.push_back({"rope", "score/x", {}});
      for (const ClaimStatus status : statuses) cells.back().answers.push_back({nullptr, status, held, ""});
    }
    return exit_of(cells);
  };
  EXPECT_EQ(code({}), command::not_checked) << "nothing was asked";
  EXPECT_EQ(code({{as_claimed}, {}, {as_claimed, as_claimed}}), command::as_claimed);
  EXPECT_EQ(code({{as_claimed, stale}, {as_claimed}}), command::broken);
  EXPECT_EQ(code({{as_claimed}, {as_claimed, ClaimStatus::broken}}), command::broken);
  EXPECT_EQ(code({{as_claimed}, {as_claimed, ClaimStatus::not_checked}}), command::not_checked);
  EXPECT_EQ(code({{ClaimStatus::not_checked}, {stale}}), command::broken);
  EXPECT_EQ(code({{ClaimStatus::not_checked}, {ClaimStatus::broken}}), command::broken);
}

TEST(ExitCode, of_a_claimed_failure_is_that_of_its_witness) {
  using enum ClaimStatus;
  EXPECT_EQ(exit_of(ClaimResult{as_claimed, refuted, ""}), command::as_claimed);
  EXPECT_EQ(exit_of(ClaimResult{stale, held, "no longer"}), command::broken);
  EXPECT_EQ(exit_of(ClaimResult{ClaimStatus::broken, refuted, "by 2"}), command::broken);
  EXPECT_EQ(exit_of(ClaimResult{ClaimStatus::not_checked, Undecided{"?"}, "?"}), command::broken);
}

}  // namespace
}  // namespace posproof::command::exit_code_test

namespace posproof::testing::exit_code_test {
namespace {

struct Way {
  int code;
  std::string words;
  std::string said;  // somewhere
};

// Ways to each code, in a folder of Tables.
std::vector<Way> ways(const std::string& folder) {
  const std::string right = "table:" + folder + "/x.npy", wrong = "table:" + folder + "/y.npy",
                    gate = "gate sinusoidal --dim 8 --cases 5 --filter agrees_with ",
                    live = gate + "--positions 0:99 ", missing = "cmd:" + folder + "/nothing_of_that_name";
  return {
      {0, "list", "encodings\n"},
      {0, "--version", "posproof 0.1.0\n"},
      {0, gate + right, "1 properties asked: 1 holds\n"},
      {0, "gate sinusoidal --dim 8 --cases 5 " + right, "25 properties asked: 25 holds\n"},
      {0, live + test_subject(), "1 properties asked: 1 holds\n"},
      // It is told which of its tokens are keys.
      {0, "gate xpos --dim 4 --filter agrees_with --cases 5 " + test_subject(),
       "1 properties asked: 1 holds\n"},
      {0, "accuracy sinusoidal --dim 8 " + right, "HOLDS"},
      {0, "check agrees_with_its_oracle sinusoidal --dim 8 --cases 5 " + right, "HOLDS"},
      {0, "check score/decays_with_distance rope --cases 5", "fails as claimed"},
      {0, "identify " + right, "IDENTIFIED  sinusoidal --dim 8 of table:"},
      {0, "identify --dim 8 " + test_subject(), "IDENTIFIED  rope --dim 8 of cmd:"},
      {0, "matrix --filter none.score --cases 5", "fails"},
      {0, "matrix --filter nerf.table/keeps_pairs --cases 5",
       "\ntable/keeps_pairs_on_the_unit_circle  holds?\n"},
      {1, gate + wrong, "1 properties asked: 1 refuted\n"},
      {1, live + test_subject("wrong=50"), "1 properties asked: 1 refuted\n"},
      {1, live + test_subject("raises=50"), "fails at position "},
      {1, "accuracy sinusoidal --dim 8 " + wrong, "REFUTED"},
      {1, "accuracy sinusoidal --dim 8 --positions 0:9 " + test_subject("raises=5"), "fails at position "},
      {1, "check agrees_with_its_oracle sinusoidal --dim 8 --cases 5 " + wrong, "REFUTED"},
      {1, "check call/agrees_in_chunks sinusoidal --dim 8 --cases 20 " + test_subject("raises=5"), "REFUTED"},
      {2, "gate sinusoidal", "posproof: SUBJECT is required"},
      {2, "oracle sinusoidal", "posproof: --output is required"},
      {2, "identify", "posproof: SUBJECT is required"},
      {2, "identify --dim 8 " + right,
       "are for a program, `cmd:PROGRAM ARGS` or `lib:LIBRARY`; a file has its shape\n"},
      {2, "", "posproof: a command is required"},
      {2, "gate rope --dim 0 " + right, "posproof: `dim=0`; allowed: whole numbers from 1 to 1048576\n"},
      {2, "gate rope --dmi 64 " + right,
       "posproof: there is no option `--dmi` of `posproof gate rope`; near it: --dim; "},
      {2, "gates rope " + right, "posproof: there is no command `gates`; near it: gate; "},
      {2, "check rotary/is_linaer rope", "posproof: "},
      {2, "check backward_agrees_with_its_oracle rope --dim 4",
       "posproof: `backward_agrees_with_its_oracle` is asked of a program that has a backward pass: "},
      {2, gate + "--junit " + folder + " " + right, "could not be written: Is a directory\n"},
      {2, "report -o " + folder + "/x.npy/y", "could not be written: Not a directory\n"},
      {3, "gate sinusoidal --dim 8 --filter translatse " + right,
       "no property that is asked of `sinusoidal` here contains `translatse`\n"},
      {3, live + test_subject("declines=50"), "\nNOT CHECKED  "},
      {3, "gate sinusoidal --dim 8 --cases 1000000000 --time 0.01 --filter translates " + right, "UNDECIDED"},
      {3, "gate sinusoidal --dim 8 --cases 1000000000 --time 0.01 --filter translates " + test_subject(),
       "UNDECIDED"},
      {3, "accuracy sinusoidal --dim 8 --positions 0:99 " + test_subject("declines=50"),
       "NOT CHECKED  50 positions were declined, the first is 50\n"},
      {3, "identify --dim 8 " + test_subject("wrong=7"), "NOT IDENTIFIED  cmd:"},
      {3, "identify --dim 8 --json " + test_subject("wrong=7"), "\"identified\": null"},
      {3, "check bias/saturates sinusoidal", "NOT APPLICABLE  sinusoidal  bias/saturates\n"},
      {3, "matrix --filter nothing_of_that_name",
       "posproof: no `encoding.property` contains `nothing_of_that_name`; nothing was checked\n"},
      {4, "gate rope " + missing, "posproof: "},
      {4, "check rotary/is_linear rope " + missing, "posproof: "},
      {4, "accuracy rope " + missing, "posproof: "},
      {4, "identify " + missing, "posproof: "},
  };
}

// An interrupt comes while the subject is asked; it is the subject that sends it.
std::vector<Way> interrupted_ways(const std::string& folder) {
  const auto by = [&](int signal) {
    return test_subject(fmt::format("interrupts={}/process:{}", folder, signal));
  };
  return {
      {130, "gate sinusoidal --dim 8 --filter agrees_with " + by(SIGINT),
       "interrupted by SIGINT while it was asked"},
      {130, "accuracy sinusoidal --dim 8 " + by(SIGINT), "interrupted by SIGINT"},
      {130, "identify --dim 8 " + by(SIGINT), "interrupted by SIGINT"},
      {130, "check table/is_prefix_stable sinusoidal --dim 8 " + by(SIGINT), "interrupted by SIGINT"},
      {143, "gate sinusoidal --dim 8 --filter agrees_with " + by(SIGTERM),
       "interrupted by SIGTERM while it was asked"},
      {143, "accuracy sinusoidal --dim 8 " + by(SIGTERM), "interrupted by SIGTERM"},
      {129, "accuracy sinusoidal --dim 8 " + by(SIGHUP), "interrupted by SIGHUP"},
      {129, "gate sinusoidal --dim 8 " + by(SIGHUP), "interrupted by SIGHUP before it was asked"},
  };
}

void expect(const Way& way, const Ran& ran) {
  EXPECT_EQ(ran.code, way.code) << way.words << "\n" << ran.said;
  EXPECT_NE(ran.said.find(way.said), std::string::npos) << way.words << "\n" << ran.said;
}

TEST(ExitCodes, are_reached) {
  const Tables tables;
  for (const Way& way : ways(tables.folder())) expect(way, posproof(way.words));
}

TEST(ExitCodes, of_interrupts_are_reached) {
  const Tables tables;
  for (const Way& way : interrupted_ways(tables.folder()))
    expect(way, ran(fmt::format("echo $$ >{}/process; exec {} {} 2>&1", tables.folder(), POSPROOF_BINARY,
                                way.words)));
}

// What is no verdict and nobody's mistake: nothing was written.
TEST(ExitCodes, of_a_missing_component_is_3) {
  const Tables tables;
  const Ran none = ran(fmt::format("PATH=/nowhere {} report translation_is_a_rotation -o {}/r 2>&1",
                                   POSPROOF_BINARY, tables.folder()));
  EXPECT_EQ(none.code, 3);
  EXPECT_EQ(
      none.said,
      "posproof: figures need `gnuplot`, which is not on the PATH; on Debian: apt install gnuplot-nox\n");
}

TEST(ExitCodes, of_a_command_without_what_it_needs_is_2) {
  const Ran serves = posproof("serve");
  EXPECT_EQ(serves.code, 2);
  EXPECT_EQ(serves.said.substr(0, serves.said.find('\n')), "posproof: LIBRARY is required");
}

// The codes of the README's table, and those in its brackets.
TEST(ExitCodes, of_the_readme_are_reached_in_two_ways_each) {
  std::map<int, int> reached;
  for (const Way& way : ways("folder")) ++reached[way.code];
  for (const Way& way : interrupted_ways("folder")) ++reached[way.code];
  std::map<int, int> documented;
  for (const std::string& line : lines(report::file_bytes(POSPROOF_SOURCE "/README.md").value()))
    if (line.starts_with("| ") && std::isdigit(static_cast<unsigned char>(line[2]))) {
      documented[std::stoi(line.substr(2))];
      for (auto by = line.find(" by SIG"); by != std::string::npos; by = line.find(" by SIG", by + 1))
        if (std::isdigit(static_cast<unsigned char>(line[by - 1])))
          documented[std::stoi(line.substr(by - 3))];
    }
  EXPECT_EQ(documented.size(), 8u);
  for (const auto& [code, none] : documented)
    EXPECT_GE(reached[code], 2) << "exit code " << code << " of the README is not reached in two ways";
  EXPECT_EQ(reached.size(), documented.size()) << "a code that the README does not have";
}

}  // namespace
}  // namespace posproof::testing::exit_code_test
