// What is taken of the program that draws: of one that stands in its place on the PATH.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "report/figure.h"
#include "report/file.h"

namespace posproof::report::gnuplot_test {
namespace {

namespace fs = std::filesystem;

// `gnuplot` is a shell script of these lines, while this stands.
class InItsPlace {
 public:
  explicit InItsPlace(const std::string& lines) {
    replace_file(folder_ / "gnuplot", "#!/bin/sh\n" + lines);
    fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
    ::setenv("PATH", folder_.c_str(), 1);
  }
  ~InItsPlace() {
    ::setenv("PATH", before_.c_str(), 1);
    fs::remove_all(folder_);
  }
  InItsPlace(const InItsPlace&) = delete;
  InItsPlace& operator=(const InItsPlace&) = delete;

 private:
  std::string before_ = ::getenv("PATH");
  fs::path folder_ = fs::path(::testing::TempDir()) / ("posproof_gnuplot_" + std::to_string(::getpid()));
};

std::string drawn_by_lines(const std::string& lines) {
  const InItsPlace program(lines);
  try {
    return gnuplot("plot x\n");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

// gnuplot itself ends with 0 after most mistakes in a script.
TEST(Gnuplot, that_complains_fails_or_stops_early_has_drawn_nothing) {
  const std::string svg = "echo '</svg>'; echo\n";
  EXPECT_EQ(drawn_by_lines(svg), "</svg>\n\n");
  EXPECT_EQ(drawn_by_lines(svg + "echo no such range >&2\n"), "`gnuplot` drew no figure: no such range\n");
  EXPECT_EQ(drawn_by_lines(svg + "exit 1\n"), "`gnuplot` drew no figure: ");
  EXPECT_EQ(drawn_by_lines("echo '<svg>'\n"), "`gnuplot` drew no figure: ");
}

TEST(Gnuplot, is_asked_without_a_start_up_file_and_in_one_locale) {
  EXPECT_EQ(drawn_by_lines("read -r script; echo \"$script $* $LC_ALL\"; echo '</svg>'; echo\n"),
            "plot x -d C.UTF-8\n</svg>\n\n");
}

}  // namespace
}  // namespace posproof::report::gnuplot_test
