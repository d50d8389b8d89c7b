#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace posproof {

// What an experiment learned, as a value: no file, no Markdown, no plot program. report/ writes it.
namespace document {

struct Paragraph {
  std::string text;  // Markdown within a line: emphasis, code, formulas as `code`
};

struct Section {
  std::string heading;
};

struct Grid {  // a table
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // cells as they are printed
  std::string caption = {};
};

struct Axis {
  std::string label;  // with its unit
  bool logarithmic = false;
  std::optional<std::pair<double, double>> range = {};
};

struct Curve {
  std::string label;  // written at the curve's end
  std::vector<std::pair<double, double>> points;
  bool dots = false;  // points instead of a line
};

struct Plot {
  std::string name;  // of the file, within the report: `norm_by_position`
  std::string title;
  std::string description;  // what a reader who cannot see it would be told
  Axis x, y;
  std::vector<Curve> curves;
  bool square = false;  // one unit is equally long on both axes (circles)
  int decimals = 6;     // of the printed data, so that a last-bit difference cannot move a pixel
};

struct HeatMap {
  std::string name;
  std::string title;
  std::string description;
  Axis x, y;
  std::vector<std::vector<double>> values;  // values[row][column], row 0 at the top
  double lo, hi;                            // of the colour scale
  int decimals = 4;
};

struct Verdict {
  std::string text;  // the answer to the question, one sentence with its number and its condition
};

using Block = std::variant<Paragraph, Section, Grid, Plot, HeatMap, Verdict>;

}  // namespace document

struct Document {
  std::string title;
  std::string finding;    // one line, for the index
  std::string condition;  // under what the numbers hold: widths, positions, precision, seed
  std::vector<document::Block> blocks;
};

}  // namespace posproof
