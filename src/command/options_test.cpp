#include "command/options.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "catalogue/encodings.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "command/commands.h"
#include "report/file.h"

namespace posproof::command::options_test {
namespace {

using namespace std::chrono_literals;

template <class E>
std::string thrown(const auto& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Options, are_what_the_help_says_before_anything_is_parsed) {
  const Common common;
  EXPECT_EQ(common.seed, 1u);
  EXPECT_EQ(common.budget().cases, 300u);
  EXPECT_EQ(common.budget().time, 30s);
  EXPECT_EQ(common.call_time(), 20s);
  EXPECT_EQ(common.total_seconds, 120);
  EXPECT_FALSE(common.json);
  Common other;
  other.cases = 7;
  other.seconds = 0.25;
  other.call_seconds = 1.5;
  EXPECT_EQ(other.budget().cases, 7u);
  EXPECT_EQ(other.budget().time, 250ms);
  EXPECT_EQ(other.call_time(), 1500ms);
  EXPECT_EQ(milliseconds(86400), 86400s);
  EXPECT_EQ(milliseconds(0.001), 1ms);
}

// Each option writes to its own field, and says from where to where it goes.
TEST(Options, write_to_their_own_fields) {
  Common common;
  bool sandboxed = false;
  std::vector<Option> all = with_common(
      common, {sandbox(sandboxed), call_time(common.call_seconds), total_time(common.total_seconds)});
  std::vector<std::string> names;
  for (const Option& option : all) names.push_back(option.names);
  EXPECT_EQ(names, (std::vector<std::string>{"--seed", "--cases", "--time", "--json", "--sandbox",
                                             "--call-time", "--budget"}));
  *std::get<std::uint64_t*>(all[0].field) = 11;
  *std::get<std::uint64_t*>(all[1].field) = 12;
  *std::get<double*>(all[2].field) = 13;
  *std::get<bool*>(all[3].field) = true;
  *std::get<bool*>(all[4].field) = true;
  *std::get<double*>(all[5].field) = 15;
  *std::get<double*>(all[6].field) = 16;
  EXPECT_EQ(common.seed, 11u);
  EXPECT_EQ(common.cases, 12u);
  EXPECT_EQ(common.seconds, 13);
  EXPECT_TRUE(common.json);
  EXPECT_TRUE(sandboxed);
  EXPECT_EQ(common.call_seconds, 15);
  EXPECT_EQ(common.total_seconds, 16);
  const auto range_of = [&](std::size_t n) {
    const auto& range = std::get<Option::Range>(all[n].allowed);
    return std::pair{range.lo, range.hi};
  };
  EXPECT_EQ(range_of(1), (std::pair{1.0, 0x1p40}));
  for (const std::size_t time : {2u, 5u, 6u}) EXPECT_EQ(range_of(time), (std::pair{0.001, 86400.0}));
}

TEST(Options, of_a_sandbox_need_a_program) {
  refuse_sandbox_of_our_own(true, "cmd:x");
  refuse_sandbox_of_our_own(false, "");
  EXPECT_EQ(thrown<std::invalid_argument>([] { refuse_sandbox_of_our_own(true, ""); }),
            "--sandbox is for a program, `cmd:PROGRAM ARGS` or `lib:LIBRARY`; no SUBJECT is named");
}

TEST(Options, read_a_range_of_positions) {
  using Pair = std::pair<Position, Position>;
  EXPECT_EQ(range(""), std::nullopt);
  EXPECT_EQ(range("0:4095"), (Pair{0, 4095}));
  EXPECT_EQ(range("-7:-7"), (Pair{-7, -7}));
  EXPECT_EQ(range("3:1048576"), (Pair{3, 1048576}));
  for (const std::string wrong :
       {"5", ":", "1:", ":2", "a:2", "1:b", "1:2:3", "1.5:2", "1:2.5", "[1]:2", "1 2:3"})
    EXPECT_EQ(thrown<std::invalid_argument>([&] { range(wrong); }),
              fmt::format("--positions `{}`; allowed: FIRST:LAST, as in 0:4095", wrong));
  EXPECT_EQ(thrown<std::invalid_argument>([] { range("5:4"); }),
            "positions `5:4`; allowed: FIRST:LAST, the first not past the last");
}

// Another value of its grid, or the standard one where there is no other.
const Value& another(const Parameter& parameter) {
  for (const Value& value : parameter.grid)
    if (text(value) != text(parameter.standard)) return value;
  return parameter.standard;
}

// Every parameter of every encoding has an option of its name, and what is given there is what is read.
TEST(Parameters, are_options_of_their_own) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    for (std::size_t n = 0; n < spec->parameters.all.size(); ++n) {
      const Parameter& parameter = spec->parameters.all[n];
      GivenParameters given;
      const std::vector<Option> options = given.options(*spec);
      ASSERT_EQ(options.size(), spec->parameters.all.size() + 2) << id;
      EXPECT_EQ(options[options.size() - 2].names, "--spec");
      EXPECT_EQ(options.back().names, "--config");
      EXPECT_EQ(options[n].names, fmt::format("--{}", parameter.name));
      EXPECT_EQ(options[n].help, help(parameter));
      EXPECT_EQ(options[n].group, "Parameters");
      EXPECT_TRUE(given.given().empty());
      const std::string word = text(another(parameter));
      *std::get<std::string*>(options[n].field) = word;
      EXPECT_EQ(given.given().text(), fmt::format("{}={}", parameter.name, word));
      try {
        const Parameters read = given.read(*spec);
        EXPECT_EQ(read.fields().size(), spec->parameters.all.size());
        EXPECT_EQ(text(*read.find(parameter.name)), word);
      } catch (const Refusal&) {  // not together with the standard values of the others
      }
    }
  }
}

TEST(Parameters, of_a_file_give_way_to_options) {
  const std::string file = ::testing::TempDir() + "posproof_options_" + std::to_string(::getpid()) + ".json";
  report::replace_file(file, R"({"dim": 8, "offset": 1, "layout": "sin_cos"})");
  GivenParameters given;
  const std::vector<Option> options = given.options(encodings::sinusoidal);
  const auto spec = std::ranges::find(options, "--spec", &Option::names);
  ASSERT_NE(spec, options.end());
  *std::get<std::string*>(spec->field) = file;
  EXPECT_EQ(given.given().text(), "dim=8 layout=sin_cos offset=1");
  for (const Option& option : options)
    if (option.names == "--offset") *std::get<std::string*>(option.field) = "2";
  EXPECT_EQ(given.given().text(), "dim=8 layout=sin_cos offset=2");
  EXPECT_EQ(given.read(encodings::sinusoidal).text(),
            "dim=8 base=10000 layout=sin_cos divisor=half offset=2 odd=refuse amplitude=1 "
            "scale=1 direction=forward padding_row=-1");
  report::replace_file(file, "");
  std::remove(file.c_str());
}

TEST(Parameters, are_one_value_each) {
  for (const auto& [word, why] :
       {std::pair{"8 base=2", "--dim `8 base=2`: takes one value"}, {"x", ""}, {"[8]", ""}}) {
    GivenParameters given;
    for (const Option& option : given.options(encodings::rope))
      if (option.names == "--dim") *std::get<std::string*>(option.field) = word;
    const std::string said = thrown<std::exception>([&] { given.read(encodings::rope); });
    EXPECT_NE(said, "nothing was thrown") << word;
    EXPECT_EQ(said.find(why), 0u) << said;
  }
}

}  // namespace
}  // namespace posproof::command::options_test
