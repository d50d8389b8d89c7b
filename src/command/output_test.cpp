// What a command ends with where its output is lost, and what it leaves behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <tuple>

#include "command/testing/ran.h"
#include "report/file.h"

namespace posproof::output_test {
namespace {

namespace fs = std::filesystem;
using testing::posproof;
using testing::ran;

class Output : public ::testing::Test {
 protected:
  Output() {
    fs::create_directories(folder_);
    if (posproof("oracle sinusoidal --dim 8 --positions 0:99 -o " + path("x.npy")).code != 0)
      throw std::runtime_error("no table to ask");
  }
  ~Output() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string gate(const std::string& words = "") const {
    return "gate sinusoidal --dim 8 --cases 5 table:" + path("x.npy") + " " + words;
  }
  // The program with its standard output there; what it says on standard error.
  static testing::Ran lost(const std::string& words, const std::string& to) {
    return ran(std::string(POSPROOF_BINARY) + " " + words + " 2>&1 " + to);
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("posproof_output_" + std::to_string(::getpid()));
};

TEST_F(Output, that_is_lost_is_not_success) {
  const std::string full = "posproof: standard output could not be written: No space left on device\n",
                    closed = "posproof: standard output could not be written: Bad file descriptor\n";
  for (const std::string& words :
       {std::string("list"), std::string("list encodings --json"), std::string("--help"),
        std::string("--version"), std::string("gate rope --help"), std::string("explain rope"), gate(),
        gate("--json"), std::string("accuracy sinusoidal --dim 8 --positions 0:9"),
        std::string("check table/has_constant_norm sinusoidal --cases 5"),
        std::string("matrix --filter none.table --cases 5"),
        "oracle sinusoidal --dim 8 --positions 0:9 -o " + path("y.npy"),
        "accuracy sinusoidal --dim 8 --positions 0:9 -o " + path("y")}) {
    const auto over = lost(words, ">/dev/full"), none = lost(words, ">&-");
    EXPECT_EQ(over.code, 2) << words;
    EXPECT_EQ(over.said, full) << words;
    EXPECT_EQ(none.code, 2) << words;
    EXPECT_EQ(none.said, closed) << words;
  }
  EXPECT_EQ(lost(gate("--offset 1"), ">/dev/full").code, 1) << "refuted is said by the exit code alone";
}

TEST_F(Output, of_list_is_one_catalogue_or_all) {
  const auto first_line = [](const std::string& words) {
    const std::string out = posproof(words).out;
    return out.substr(0, out.find_first_of(" \n", 1));
  };
  using Json = nlohmann::json;
  EXPECT_EQ(first_line("list"), "encodings");
  EXPECT_EQ(first_line("list encodings"), "alibi");
  const Json all = Json::parse(posproof("list --json").out),
             one = Json::parse(posproof("list encodings --json").out);
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(all["encodings"], one);
  EXPECT_EQ(one[0]["id"], "alibi");
}

TEST_F(Output, of_identify_is_text_or_json) {
  const std::string table = "table:" + path("x.npy");
  const auto text = posproof("identify " + table);
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.out.substr(0, text.out.find('\n')), "IDENTIFIED  sinusoidal --dim 8 of " + table);
  const auto json = posproof("identify --json " + table);
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(nlohmann::json::parse(json.out)["identified"]["encoding"], "sinusoidal");
  for (const std::string words : {" --dim 8", " --heads 3", " --sandbox"})
    EXPECT_EQ(posproof("identify " + table + words).code, 2) << words;
}

TEST_F(Output, that_nobody_reads_any_more_is_not_success_and_nothing_is_said) {
  // The reader has gone before the first word.
  const auto to_nobody = [](const std::string& words) {
    return ran(fmt::format("bash -c 'exec 3>&1; {{ sleep 0.1; {} {} 2>&3; echo $? >&3; }} | true'",
                           POSPROOF_BINARY, words))
        .said;
  };
  EXPECT_EQ(to_nobody("list"), "2\n");
  EXPECT_EQ(to_nobody(gate()), "2\n");
  EXPECT_EQ(to_nobody(gate("--offset 1")), "1\n");
}

TEST_F(Output, a_descriptor_that_is_closed_goes_to_no_file) {
  EXPECT_EQ(lost("accuracy sinusoidal --dim 8 --positions 0:9 --json -o " + path("y"), ">&-").code, 2);
  EXPECT_EQ(report::file_bytes(path("y")).value().find("{\n  \"encoding\""), 0u);
  EXPECT_EQ(ran(std::string(POSPROOF_BINARY) + " " + gate() + " <&- 2>&-").code, 0);
}

TEST_F(Output, standard_error_may_be_lost) {
  EXPECT_EQ(ran(std::string(POSPROOF_BINARY) + " explain nothing_of_that_name 2>/dev/full").code, 2);
  EXPECT_EQ(ran(std::string(POSPROOF_BINARY) + " list >/dev/full 2>/dev/full").code, 2);
}

TEST_F(Output, the_verdict_is_printed_whatever_happens_to_the_file) {
  const std::string limit = "ulimit -f 1; ";  // KiB
  const std::string why = "posproof: `" + path("y") + "` could not be written: File too large\n";
  for (const auto& [words, verdict, code] :
       {std::tuple{gate("--junit " + path("y")), "25 holds\n", 2},
        {gate("--offset 1 --junit " + path("y")), "1 refuted\n", 1},
        {"accuracy sinusoidal --dim 8 --json -o " + path("y"), "HOLDS", 2}}) {
    // Through a pipe, which has no limit.
    const auto bash = ran(
        fmt::format("bash -c '{}{} {} 2>&1 | cat; exit ${{PIPESTATUS[0]}}'", limit, POSPROOF_BINARY, words));
    EXPECT_EQ(bash.code, code) << words;
    EXPECT_NE(bash.said.find(verdict), std::string::npos) << bash.said;
    EXPECT_NE(bash.said.find(why), std::string::npos) << bash.said;
    EXPECT_EQ(files(), 1) << words;
  }
}

TEST_F(Output, a_file_that_cannot_be_written_is_refused_before_the_run) {
  const std::string y = path("no/x.npy/y");
  fs::create_directories(folder_ / "no");
  fs::copy(path("x.npy"), path("no/x.npy"));
  for (const std::string& words : {gate("--junit " + y), "accuracy sinusoidal --dim 8 -o " + y,
                                   "oracle sinusoidal --dim 8 -o " + y + ".npy"}) {
    const auto refused = posproof(words);
    EXPECT_EQ(refused.code, 2) << words;
    EXPECT_EQ(refused.said.find("posproof: `" + y), 0u) << refused.said;
    EXPECT_NE(refused.said.find("` could not be written: Not a directory\n"), std::string::npos)
        << refused.said;
    EXPECT_EQ(std::count(refused.said.begin(), refused.said.end(), '\n'), 1) << refused.said;
  }
}

// It is misspelt more often than wanted; `report` alone makes its own.
TEST_F(Output, a_folder_that_is_not_there_is_refused_and_not_made) {
  const std::string y = path("no/such/y");
  for (const std::string& words :
       {gate("--junit " + y), gate("--reproduce " + y + ".py"), "accuracy sinusoidal --dim 8 -o " + y,
        "oracle sinusoidal --dim 8 -o " + y + ".npy"}) {
    const auto refused = posproof(words);
    EXPECT_EQ(refused.code, 2) << words;
    EXPECT_NE(refused.said.find("` could not be written: there is no folder `" + path("no/such") + "`\n"),
              std::string::npos)
        << refused.said;
  }
  EXPECT_FALSE(fs::exists(path("no")));
}

// By its index, which is written last.
TEST_F(Output, a_folder_that_cannot_be_written_to_is_refused_before_the_experiments) {
  const auto refused = posproof("report -o " + path("x.npy/y"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.said,
            "posproof: `" + path("x.npy/y/README.md") + "` could not be written: Not a directory\n");
}

TEST_F(Output, an_empty_name_is_refused) {
  for (const std::string& words : {gate("--junit \"\""), std::string("accuracy sinusoidal -o ''"),

                                   std::string("oracle sinusoidal -o ''"), std::string("report -o ''")}) {
    const auto refused = posproof(words);
    EXPECT_EQ(refused.code, 2) << words;
    EXPECT_NE(refused.said.find(": an empty word was given\n"), std::string::npos) << refused.said;
  }
}

TEST_F(Output, standard_output_is_gone_on_with) {
  for (const std::string& to : {"> " + path("y") + "; cat " + path("y"), std::string("| cat")}) {
    const auto all = ran(std::string(POSPROOF_BINARY) + " " + gate("--junit /dev/stdout") + " " + to);
    EXPECT_NE(all.said.find("25 properties asked: 25 holds\n<?xml version"), std::string::npos) << all.said;
    EXPECT_EQ(all.said.find("HOLDS  sinusoidal"), 0u) << all.said;
  }
}

// Bytes that are not UTF-8, at the end and within, and what a terminal would obey.
TEST_F(Output, is_text_whatever_files_are_called) {
  const std::string odd = path("\xff\x1b[2J.npy"), junit = path("\xe2\x82"),
                    words = "gate sinusoidal --dim 8 --cases 5 ";
  fs::rename(path("x.npy"), odd);
  for (const std::string& offset : {std::string(), std::string("--offset 1 ")}) {
    const int code = offset.empty() ? 0 : 1;
    const auto json = posproof(words + offset + "--json 'table:" + odd + "' --junit '" + junit + "'");
    EXPECT_EQ(json.code, code) << json.said;
    EXPECT_EQ(nlohmann::json::parse(json.out)["refuted"], !offset.empty());
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file(junit.c_str()));
    EXPECT_STREQ(document.child("testsuite").attribute("failures").value(), offset.empty() ? "0" : "1");
    const auto text = posproof(words + offset + "'table:" + odd + "'");
    EXPECT_EQ(text.code, code);
    EXPECT_NE(text.said.find(R"(\xff\x1b[2J.npy)"), std::string::npos) << text.said;
    EXPECT_EQ(text.said.find('\x1b'), std::string::npos);
  }
  for (const std::string& wrong :
       {"gate sinusoidal 'table:" + odd + "x'", "gate sinusoidal 'table:" + odd + "'",
        "accuracy sinusoidal --positions 0:3 -o '" + odd + "'",
        "oracle sinusoidal --positions 0:3 -o '" + odd + "'", std::string("explain '\x1b[2J\xff'"),
        std::string("gate '\x1b[2J\xff'"), std::string("'\x1b[2J\xff'"),
        std::string("gate rope '--\x1b[2J\xff' table:x"),
        std::string("gate rope --dim '\x1b[2J\xff' table:x"), std::string("check '\x1b[2J\xff' rope"),
        std::string("matrix --filter '\x1b[2J\xff'"), std::string("list '\x1b[2J\xff'"),
        std::string("report '\x1b[2J\xff'"), std::string("gate rope --spec '\x1b[2J\xff' table:x")}) {
    const std::string said = posproof(wrong).said;
    EXPECT_NE(said.find("\\x1b[2J"), std::string::npos) << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
    EXPECT_EQ(said.find('\xff'), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace posproof::output_test
