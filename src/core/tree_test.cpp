// Includes run one way: a folder sees those below it and nothing above.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "test_paths.h"

namespace posproof::tree_test {

namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> may_see = {
    {"src/core", {"core"}},
    {"src/exact", {"core", "exact"}},
    {"src/oracle", {"core", "exact", "oracle", "catalogue"}},
    {"src/attention", {"core", "attention"}},
    {"properties",
     {"core", "attention", "properties", "catalogue", ".."}},  // call/ sees its neighbours' headers
    {"src/encodings", {"core", "oracle", "encodings", "catalogue"}},
    {"src/defects", {"core", "encodings", "defects", "catalogue"}},
    {"src/misreadings", {"core", "oracle", "encodings", "misreadings", "catalogue"}},
    {"src/identities", {"core", "attention", "identities", "catalogue"}},
    {"src/subject", {"core", "subject"}},
    {"src/search", {"core", "attention", "search"}},
    {"src/run", {"core", "exact", "oracle", "attention", "search", "subject", "run", "catalogue"}},
    {"src/diagnosis",
     {"core", "exact", "oracle", "attention", "search", "subject", "run", "diagnosis", "catalogue"}},
    {"src/identify",
     {"core", "exact", "oracle", "attention", "search", "subject", "run", "diagnosis", "identify",
      "catalogue"}},
    {"src/gate",
     {"core", "exact", "oracle", "attention", "search", "subject", "run", "diagnosis", "gate", "catalogue"}},
    {"experiments",
     {"core", "exact", "oracle", "attention", "defects", "search", "subject", "run", "diagnosis", "identify",
      "gate", "experiments", "catalogue"}},
    {"src/report",
     {"core", "defects", "subject", "search", "run", "diagnosis", "identify", "gate", "experiments", "report",
      "catalogue"}},
    {"src/command",
     {"core", "exact", "attention", "subject", "search", "run", "diagnosis", "identify", "gate", "report",
      "command", "catalogue"}},
    {"benchmarks",
     {"core", "exact", "attention", "subject", "search", "run", "diagnosis", "identify", "gate", "report",
      "command", "benchmarks", "catalogue"}},
};

// The first part of `#include "core/case.h"`; empty for a line that includes none of ours. A header beside
// the file that includes it is named without a folder and is always seen.
std::string folder_included(const std::string& line) {
  constexpr std::string_view start = "#include \"";
  if (line.rfind(start, 0) != 0) return "";
  const std::string path = line.substr(start.size());
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// Tests, and the program that records hard cases, stand on top of all folders.
bool is_on_top(const std::string& file) {
  return file.ends_with("_test.cpp") || file.ends_with("_search.cpp");
}

TEST(Tree, includes_run_one_way) {
  std::size_t files = 0;
  for (const auto& [folder, seen] : may_see) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(POSPROOF_SOURCE) / folder)) {
      const std::string name = entry.path().filename().string();
      const std::string extension = entry.path().extension().string();
      if ((extension != ".cpp" && extension != ".h") || is_on_top(name)) continue;
      ++files;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        const std::string included = folder_included(line);
        EXPECT_TRUE(included.empty() || seen.contains(included) || folder.ends_with("/" + included))
            << fs::relative(entry.path(), POSPROOF_SOURCE).string() << " may not see " << included << ": "
            << line;
      }
    }
  }
  EXPECT_GT(files, 100u);
}

// Only one folder knows MPFR, one file RapidCheck; the headers of testing/ are a part of the tests.
TEST(Tree, heavy_libraries_have_one_door) {
  const std::map<std::string, std::string> doors = {{"boost/multiprecision/mpfr.hpp", "src/exact/"},
                                                    {"<mpfr.h>", "src/exact/"},
                                                    {"<rapidcheck", "src/search/rapidcheck.h"},
                                                    {"<CLI/", "src/command/command_line.cpp"},
                                                    {"<pugixml", "src/report/junit.cpp"}};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(POSPROOF_SOURCE) / "src")) {
    const std::string path = fs::relative(entry.path(), POSPROOF_SOURCE).generic_string();
    if (!entry.is_regular_file() || path.find("_test.cpp") != std::string::npos ||
        path.starts_with("src/testing/"))
      continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      for (const auto& [header, door] : doors) {
        const bool included = line.rfind("#include", 0) == 0 && line.find(header) != std::string::npos;
        EXPECT_TRUE(!included || path.rfind(door, 0) == 0) << path << " includes " << header;
      }
  }
}

// clang 14 does not compile GCC 12's views, nor what returns a subrange: fuzz, coverage and clang-tidy are
// built by it.
TEST(Tree, ranges_are_those_that_clang_14_compiles) {
  static const std::regex refused(
      R"(#include <ranges>|std::views|std::ranges::(\w*_?view\b|subrange|)"
      R"((unique|remove|remove_if|partition|stable_partition|rotate|search|search_n|equal_range|find_end)\())");
  EXPECT_TRUE(
      std::regex_search("const auto again = std::ranges::"
                        "unique(distinct);",
                        refused));
  EXPECT_FALSE(std::regex_search("std::ranges::sort(all);", refused));
  std::size_t files = 0;
  for (const char* folder : {"src", "properties", "benchmarks", "experiments", "fuzz"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(POSPROOF_SOURCE) / folder)) {
      const fs::path path = entry.path();
      if ((path.extension() != ".cpp" && path.extension() != ".h") || path.filename() == "tree_test.cpp")
        continue;
      ++files;
      std::ifstream in(path);
      for (std::string line; std::getline(in, line);)
        if (line.find("ranges") != std::string::npos || line.find("std::views") != std::string::npos) {
          EXPECT_FALSE(std::regex_search(line, refused)) << path << ": " << line;
        }
    }
  EXPECT_GT(files, 1000u);
}

// The namespaces that the file opens from column 0, but those without a name.
std::vector<std::string> opened_by(const fs::path& file) {
  static const std::regex opens(R"(^namespace ([\w:]+) \{)");
  std::vector<std::string> out;
  std::ifstream in(file);
  std::smatch found;
  for (std::string line; std::getline(in, line);)
    if (std::regex_search(line, found, opens)) out.push_back(found[1]);
  return out;
}

// Several tests are compiled as one (cmake/unity.cmake), and their names do not meet: each has a namespace of
// its own, with the name of its file, or of its folder and its file.
TEST(Tree, a_test_has_a_namespace_of_its_own) {
  std::map<std::string, std::set<std::string>> files_of;
  for (const char* folder : {"src", "properties", "benchmarks", "experiments"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(POSPROOF_SOURCE) / folder)) {
      const fs::path path = entry.path();
      if (!path.filename().string().ends_with("_test.cpp")) continue;
      const std::string stem = path.stem().string(),
                        in_folder = path.parent_path().filename().string() + "_" + stem;
      const auto opened = opened_by(path);
      EXPECT_FALSE(opened.empty()) << path << " opens no namespace `posproof::" << stem << "`";
      for (const std::string& one : opened) {
        EXPECT_TRUE(one.ends_with("::" + stem) || one.ends_with("::" + in_folder))
            << path << " opens `" << one << "`, not `posproof::" << stem << "`";
        files_of[one].insert(path.string());
      }
    }
  EXPECT_GT(files_of.size(), 200u);
  for (const auto& [space, files] : files_of)
    EXPECT_EQ(files.size(), 1u) << space << ": " << fmt::to_string(fmt::join(files, ", "));
}

// The types that the headers define, `posproof::exact::Powers`, and where.
std::map<std::string, std::set<std::string>> types_of_headers() {
  static const std::regex opens(R"(^namespace ([\w:]+) \{)"),
      defines(R"(^(?:struct|class) (\w+)(?: :[^:].*)? \{)");
  std::map<std::string, std::set<std::string>> out;
  for (const char* folder : {"src", "properties", "benchmarks", "experiments"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(POSPROOF_SOURCE) / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      std::string space;
      std::smatch found;
      for (std::string line; std::getline(in, line);)
        if (std::regex_search(line, found, opens))
          space = found[1];
        else if (std::regex_search(line, found, defines))
          out[space + "::" + found[1].str()].insert(
              fs::relative(entry.path(), POSPROOF_SOURCE).generic_string());
    }
  return out;
}

// Two types of one name that no file sees together compile, link, and share the functions of the standard
// library's templates: a variant of the one is then read as a variant of the other.
TEST(Tree, a_type_is_defined_in_one_header) {
  const auto types = types_of_headers();
  EXPECT_GT(types.size(), 150u);
  for (const auto& [type, files] : types)
    EXPECT_EQ(files.size(), 1u) << type << ": " << fmt::to_string(fmt::join(files, ", "));
}

}  // namespace

}  // namespace posproof::tree_test
