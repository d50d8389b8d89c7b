#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command/testing/ran.h"
#include "core/bounds.h"
#include "core/function.h"
#include "report/file.h"

// What every flag of the program does, as a table: two command lines that differ in the flag alone, and what
// must be so of what they say. flags_test.cpp refuses a flag that has no row.
namespace posproof::testing {

struct FlagRow {
  std::string command;     // `gate`; empty: of the program itself
  std::string name;        // as the help has it: `--seed`, `-o,--output`, `SUBJECT`
  std::string one, other;  // command lines
  Function<void(const Ran& one, const Ran& other)> differ;
};

// Every row of a command. The folder is there, and empty but for what flag_tables() puts there.
namespace flags_of_accuracy_test {
std::vector<FlagRow> rows(const std::string& folder);
}
namespace flags_of_check_test {
std::vector<FlagRow> rows(const std::string& folder);
}
namespace flags_of_gate_test {
std::vector<FlagRow> rows(const std::string& folder);
}
namespace flags_of_identify_test {
std::vector<FlagRow> rows(const std::string& folder);
}
namespace flags_of_matrix_test {
std::vector<FlagRow> rows(const std::string& folder);
}
namespace flags_of_oracle_test {
std::vector<FlagRow> rows(const std::string& folder);
}
namespace flags_of_words_test {
std::vector<FlagRow> rows(const std::string& folder);  // report, list, explain, and the program
}

// A model's configuration that says `dim 8` of a table, in that folder.
inline std::string config_of_8(const std::string& folder) {
  const std::string path = folder + "/config.json";
  report::replace_file(path, R"({"model_type": "distilbert", "dim": 8, "sinusoidal_pos_embds": true})");
  return path;
}

// A folder that is gone at the end. It has `x.npy`, the table of `sinusoidal --dim 8` at positions 0:99 in
// f32, and `y.npy`, the same with `--offset 1`.
class Tables {
 public:
  Tables() {
    std::filesystem::create_directories(folder_);
    for (const std::string& words : {std::string("x.npy"), std::string("y.npy --offset 1")})
      if (posproof("oracle sinusoidal --dim 8 --positions 0:99 -o " + folder() + "/" + words).code != 0)
        throw std::runtime_error("no tables to ask");
  }
  ~Tables() { std::filesystem::remove_all(folder_); }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("posproof_flags_" + std::to_string(::getpid()));
};

// Runs both command lines of every row, a few rows at once: some of them wait.
inline void run_rows(const std::vector<FlagRow>& rows) {
  constexpr std::size_t at_once = 4;
  for (std::size_t from = 0; from < rows.size(); from += at_once) {
    std::vector<std::future<std::pair<Ran, Ran>>> running;
    for (std::size_t n = from; n < std::min(from + at_once, rows.size()); ++n)
      running.push_back(std::async(std::launch::async, [&row = rows[n]] {
        Ran one = posproof(row.one);
        return std::pair{std::move(one), posproof(row.other)};
      }));
    for (std::size_t n = 0; n < running.size(); ++n) {
      const FlagRow& row = rows[from + n];
      const auto [one, other] = running[n].get();
      SCOPED_TRACE(fmt::format("{} {}\n  {}\n  {}\n  say, with exit {} and {},\n{}\n{}", row.command,
                               row.name, row.one, row.other, one.code, other.code, one.said.substr(0, 2000),
                               other.said.substr(0, 2000)));
      try {
        row.differ(one, other);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

inline nlohmann::json parsed(const Ran& ran) {
  return nlohmann::json::parse(ran.out);
}

inline bool says(const Ran& ran, std::string_view part) {
  return ran.said.find(part) != std::string::npos;
}

// In the JSON of a command that started its subject in a sandbox; or why it could not.
inline void expect_contained(const Ran& ran) {
#ifdef __SANITIZE_ADDRESS__
  constexpr std::string_view why = "AddressSanitizer failed to allocate";  // more than a sandbox lets it have
#else
  constexpr std::string_view why = "bubblewrap";
#endif
  if (ran.code == 4) {
    EXPECT_TRUE(says(ran, why));
    return;
  }
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(parsed(ran)["contained"][0], "no network");
}

// The words of a subject that is started: see subject.cpp.
inline std::string test_subject(const std::string& words = "") {
  return fmt::format("'cmd:{} {}'", POSPROOF_TEST_SUBJECT, words);
}

// The lines of a file, or of what was said.
inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// What text and JSON of one search must have in common: `HOLDS  ID  7 cases, ...`, or the verdict in capitals
// and what JSON says of it.
inline void expect_same_verdict(const nlohmann::json& found, const std::string& id, const std::string& text) {
  std::string word = found["verdict"].get<std::string>();
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_NE(text.find(word), std::string::npos) << word << " is not said";
  EXPECT_NE(text.find(id), std::string::npos);
  if (word == "HOLDS") {
    const double error = found["worst"]["error"], bound = found["worst"]["bound"];
    EXPECT_NE(text.find(fmt::format("  {} cases, {} of them vacuous, error at most {} of the bound\n",
                                    found["cases"].get<int>(), found["vacuous"].get<int>(),
                                    percent_at_most(error == 0 ? 0 : error / bound))),
              std::string::npos);
  } else if (word == "REFUTED") {
    EXPECT_TRUE(text.find(fmt::format("off by {:.6g}, rounding in ",
                                      found["residual"]["error"].get<double>())) != std::string::npos ||
                text.find(fmt::format("off by {:.6g}; rounding in ",
                                      found["residual"]["error"].get<double>())) != std::string::npos);
    EXPECT_NE(text.find(fmt::format(" allows {:.6g}\n", found["residual"]["bound"].get<double>())),
              std::string::npos);
    EXPECT_NE(text.find(fmt::format("\n  at  {}\n", found["case"].get<std::string>())), std::string::npos);
  } else {
    EXPECT_NE(text.find("  " + found["why"].get<std::string>() + "\n"), std::string::npos);
  }
}

}  // namespace posproof::testing
