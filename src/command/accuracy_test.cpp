// `posproof accuracy` as a user meets it: what it writes, where, and what it ends with.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "command/testing/ran.h"
#include "report/file.h"

namespace posproof::command_accuracy_test {
namespace {

namespace fs = std::filesystem;
using report::file_bytes;
using testing::posproof;

class AccuracyCommand : public ::testing::Test {
 protected:
  AccuracyCommand() { fs::create_directories(folder_); }
  ~AccuracyCommand() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_ =
      fs::path(::testing::TempDir()) / ("posproof_accuracy_command_" + std::to_string(::getpid()));
};

TEST_F(AccuracyCommand, writes_to_a_file_what_the_terminal_would_have_had) {
  const std::string words = "accuracy sinusoidal --dim 8 --positions 0:99";
  fs::create_directory(folder_ / "deeper");
  for (const std::string json : {"", " --json"}) {
    const auto shown = posproof(words + json);
    EXPECT_EQ(shown.code, 0);
    const auto wrote = posproof(words + json + " -o " + path("deeper/x"));
    EXPECT_EQ(wrote.code, 0);
    EXPECT_EQ(file_bytes(path("deeper/x")), shown.said);
    EXPECT_EQ(wrote.said.find(path("deeper/x") + "\n  800 entries in f64, positions 0 to 99: "), 0)
        << wrote.said;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "deeper"), {}), 1);
  }
  EXPECT_NE(file_bytes(path("deeper/x")).value().find("\n  \"entries\": 800,\n"), std::string::npos);
}

TEST_F(AccuracyCommand, the_verdict_is_the_same_with_a_file) {
  ASSERT_EQ(posproof("oracle sinusoidal --dim 8 --positions 0:99 -o " + path("x.npy")).code, 0);
  EXPECT_EQ(posproof("accuracy sinusoidal --dim 8 table:" + path("x.npy") + " -o " + path("right")).code, 0);
  const auto wrong =
      posproof("accuracy sinusoidal --dim 8 --offset 1 table:" + path("x.npy") + " -o " + path("wrong"));
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.said.find("REFUTED"), std::string::npos);
  EXPECT_NE(file_bytes(path("wrong")).value().find("REFUTED"), std::string::npos);
}

TEST_F(AccuracyCommand, what_cannot_be_written_is_refused_before_the_comparison) {
  const auto ran = posproof("accuracy sinusoidal --positions 0:9999999999 -o " + folder_.string());
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.said, "posproof: `" + folder_.string() + "` could not be written: Is a directory\n");
}

// Among them slopes whose double is half way between two numbers of a format.
TEST_F(AccuracyCommand, what_the_oracle_writes_of_a_bias_is_correctly_rounded_everywhere) {
  for (const std::string words :
       {"alibi --heads 12 --positions 0:99", "t5_bias --table seeded --positions 0:99",
        "alibi --heads 1 --max_bias 0.99437545080612177 --positions 0:9",
        "alibi --heads 1 --max_bias 0.98947189411351533 --positions 0:9",
        "alibi --heads 1 --max_bias 0.99999991400867705 --positions 0:9"})
    for (const std::string format : {"f64", "f32", "bf16", "f16"}) {
      const std::string file = path("x.safetensors");
      ASSERT_EQ(posproof("oracle " + words + " --dtype " + format + " -o " + file).code, 0);
      const auto ran = posproof("accuracy " + words + " table:" + file + " --json");
      EXPECT_EQ(ran.code, 0) << words << " " << format;
      EXPECT_NE(ran.said.find("\n  \"format\": \"" + format + "\",\n"), std::string::npos) << ran.said;
      EXPECT_NE(ran.said.find("\n  \"not_correctly_rounded\": 0,\n"), std::string::npos) << words << format;
    }
}

// f16 ends at 65504.
TEST_F(AccuracyCommand, compares_positions_that_the_format_has_numbers_for) {
  ASSERT_EQ(posproof("oracle raw_index --dim 1 --dtype f16 --positions 0:66000 -o " + path("x.npy")).code, 0);
  const auto ran = posproof("accuracy raw_index --dim 1 table:" + path("x.npy"));
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.said.find("  65504 entries in f16, positions 0 to 65503: "), std::string::npos) << ran.said;
  EXPECT_EQ(ran.said.find("infinite"), std::string::npos) << ran.said;
}

}  // namespace
}  // namespace posproof::command_accuracy_test
