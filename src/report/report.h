#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment.h"
#include "core/function.h"
#include "report/markdown.h"

// The reports as files: one page for each experiment, its figures with their data, and an index of all.
namespace posproof::report {

// The page that `./run performance` writes; no experiment does.
constexpr std::string_view performance_name = "performance";

struct File {
  std::string path;  // within the reports' folder, with `/`: `constant_norm_and_the_sphere.md`
  std::string bytes;
};

// Every experiment's name, in alphabetical order.
std::vector<std::string> names();

// The page of every encoding, in the same order: `encodings/rope`.
std::vector<std::string> encoding_pages();

// Everything that `files` has: the experiments first, then the pages of encodings.
std::vector<std::string> page_names();

// Runs one experiment, or measures one encoding: its page first, then each figure's data as CSV, then the
// drawings, light and dark. Throws std::invalid_argument for a name that no page has, NoGnuplot where figures
// cannot be drawn.
std::vector<File> files(std::string_view name);

// The same for an experiment that is not in the catalogue.
std::vector<File> files(std::string_view name, const Experiment& experiment);

// Writes a page that is no experiment's, with its figures, and the index anew; the paths of the files that
// changed. Where gnuplot is missing, the page and the data are written and the drawings are left as they are.
std::vector<std::string> write_page(const std::filesystem::path& folder, const Page& page,
                                    const Document& document);

// README.md: one line for each page in `pages`, grouped by who asks (paths and bytes as `files` gives them;
// figures are passed over; of the performance page, whose numbers are another machine's, only that it is
// there), and the lines of `questions`, which say where each founding question is answered (empty: none).
File index(const std::vector<File>& pages, std::string_view questions = {});

// Runs these experiments and pages of encodings (none: all) and writes their files, the glossary, the
// founding questions (where the folder has all pages), the index, and nothing else into the folder: the
// performance page stays as it is. Figures and data that the experiment no longer has are removed, and so is
// what belongs to an encoding that there is no longer. A file is written aside and then renamed; one that has
// these bytes already is not touched. `progress` is called before each experiment. The paths of the files
// that changed.
using Progress = Function<void(std::string_view name, std::size_t number, std::size_t of)>;
std::vector<std::string> write_all(const std::filesystem::path& folder,
                                   const std::vector<std::string>& only = {}, const Progress& progress = {},
                                   bool html = false);

// A file that is not what the experiment gives.
struct Difference {
  std::string path;
  std::size_t line;  // the first that differs, from 1; 0: the file is missing, or should not be there
  std::string checked_in;
  std::string now;
  std::string text() const;
};

struct Comparison {
  std::vector<Difference> differences;
  std::string drawings_not_compared;  // why; empty: they were
};

// Runs one experiment and compares its files with those in the folder. The page and the data of its figures
// are compared byte for byte, always. So are the drawings that this version of gnuplot wrote; of those that
// another one wrote, and of all where gnuplot is missing, only that they are there.
Comparison compare(const std::filesystem::path& folder, std::string_view name);

// What is in the folder of encodings that there is no longer.

std::vector<Difference> compare_pages_of_encodings(const std::filesystem::path& folder);
// Compares the page of the founding questions with what the pages in the folder give; all of them have to be
// there.
std::vector<Difference> compare_founding(const std::filesystem::path& folder);

// Compares the index with the pages in the folder.
std::vector<Difference> compare_index(const std::filesystem::path& folder);

}  // namespace posproof::report
