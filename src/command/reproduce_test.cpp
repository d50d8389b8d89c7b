// `--reproduce`: the scripts that gate and check write, run by Python without posproof.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "command/testing/flags.h"
#include "subject/testing/subjects.h"

namespace posproof::testing::command_reproduce_test {
namespace {

std::string python_subject(const std::string& file, const std::string& words = "") {
  return fmt::format("\"{}\"", python(file, words));
}
std::string contract(const std::string& what) {
  return python_subject("src/subject/testing/contract.py", what);
}

// A script, the implementations in testing/reproduced.py that it is run with, and the command that writes it.
struct Script {
  std::string implementation, command;
};

const std::string agrees = "check agrees_with_its_oracle ";

std::vector<Script> scripts(const Tables& tables) {
  const std::string gate_rope = "gate rope --dim 8 --filter agrees_with ";
  return {
      {"rotary", gate_rope + test_subject("wrong=7")},
      {"rotary", "check rotary/composes rope --dim 8 --heads 2 " + test_subject("wrong=7")},
      {"raises", agrees + "rope --dim 8 --layout interleaved " + test_subject("raises=3")},
      {"table", "gate sinusoidal --dim 8 --filter agrees_with table:" + tables.folder() + "/y.npy"},
      {"bias", agrees + "alibi --heads 4 " + test_subject("wrong=-2")},
      {"shifted", agrees + "alibi --heads 4 --rows any " + test_subject("wrong=-2")},
      {"logits", agrees + "rope --dim 8 " + python_subject("src/command/testing/wrong_logits.py")},
      {"attention", agrees + "rope --dim 8 " +
                        python_subject("examples/numpy_attention.py", "--wrong keys_are_not_rotated")},
      {"remembers", "check answers_like_a_new_object rope --dim 8 " + contract("keyed_by_shape")},
      {"wide", agrees + "rope --dim 8 " + contract("wide")},
      {"narrow", gate_rope + contract("narrow")},
  };
}

// Writes them, and gives what the Python file says of each.
std::vector<std::string> ran_without_posproof(const std::vector<Script>& all, const std::string& folder) {
  std::string words;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string file = fmt::format("{}/{}.py", folder, n);
    const Ran ran = posproof(all[n].command + " --cases 40 --reproduce " + file);
    EXPECT_EQ(ran.code, 1) << ran.said;
    EXPECT_TRUE(says(ran, "\nreproduce  " + file + ": ")) << ran.said;
    words += fmt::format(" {}={}", file, all[n].implementation);
  }
  return lines(ran(fmt::format("env PYTHONDONTWRITEBYTECODE=1 {} {}/src/command/testing/reproduced.py{} 2>&1",
                               POSPROOF_PYTHON, POSPROOF_SOURCE, words))
                   .said);
}

void expect_all_reproduce(const std::vector<Script>& all, const std::string& folder) {
  const std::vector<std::string> said = ran_without_posproof(all, folder);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string line = n < said.size() ? said[n] : "nothing";
    const std::string script = report::file_bytes(fmt::format("{}/{}.py", folder, n)).value_or("none");
    const std::size_t size = lines(script).size();
    EXPECT_LE(size, 30u) << script;
    EXPECT_EQ(line,
              fmt::format("{} {} NotImplementedError passes AssertionError", all[n].implementation, size))
        << all[n].command << "\n"
        << script;
  }
}

TEST(Reproduce, writes_scripts_that_pass_what_is_right_and_refuse_what_is_wrong) {
  const Tables tables;
  expect_all_reproduce(scripts(tables), tables.folder());
}

TEST(Reproduce, uses_pytorch_where_numpy_has_no_format) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "no PyTorch";
  const Tables tables;
  expect_all_reproduce(
      {{"bf16", agrees + "rope --dim 16 " +
                    fmt::format("\"{}@bf16+table=f32\"",
                                python("src/subject/testing/contract.py", "bf16_products"))}},
      tables.folder());
}

TEST(Reproduce, takes_the_place_of_its_own_scripts_alone_and_before_anything_runs) {
  const Tables tables;
  const std::string file = tables.folder() + "/x.py", started = tables.folder() + "/started";
  const std::string words = "gate rope --dim 4 --filter agrees_with --cases 5 ";
  const std::string wrong = words + test_subject("wrong=0") + " --reproduce " + file;
  EXPECT_EQ(posproof(wrong).code, 1);
  const std::string script = report::file_bytes(file).value();
  EXPECT_EQ(posproof(wrong).code, 1) << "ours is replaced";
  EXPECT_EQ(report::file_bytes(file).value(), script) << "the same seed, the same script";

  report::replace_file(file, "print('mine')\n");
  for (const std::string command : {"gate ", "check agrees_with_its_oracle "}) {
    const Ran refused =
        posproof(command + "rope --dim 4 " + test_subject("log=" + started) + " --reproduce " + file);
    EXPECT_EQ(refused.code, 2) << refused.said;
    EXPECT_EQ(
        refused.said,
        fmt::format("posproof: `{}` is there and is no script of posproof: another name, or remove it\n",
                    file));
    EXPECT_EQ(
        posproof(command + "rope --dim 4 " + test_subject("log=" + started) + " --reproduce /proc/x.py").code,
        2);
  }
  EXPECT_FALSE(std::filesystem::exists(started)) << "nothing was asked";
  EXPECT_EQ(report::file_bytes(file).value(), "print('mine')\n");

  report::replace_file(file, "");
  EXPECT_EQ(posproof(wrong).code, 1) << "an empty file is nobody's";
  EXPECT_EQ(report::file_bytes(file).value(), script);
}

TEST(Reproduce, writes_nothing_where_no_answer_is_wrong) {
  const Tables tables;
  const std::string file = tables.folder() + "/x.py";
  for (const std::string& words : {"gate rope --dim 4 --filter agrees_with --cases 5 " + test_subject(),
                                   std::string("check score/decays_with_distance rope --cases 5")}) {
    const Ran ran = posproof(words + " --reproduce " + file);
    EXPECT_EQ(ran.code, 0) << ran.said;
    EXPECT_TRUE(says(ran, "posproof: `" + file + "` was not written: no single answer was found wrong\n"))
        << ran.said;
    EXPECT_FALSE(says(ran, "\nreproduce"));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

}  // namespace
}  // namespace posproof::testing::command_reproduce_test
