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

struct FigureAxis {
  std::string label;  // with its unit
  bool logarithmic = false;
  std::optional<std::pair<double, double>> range = {};
  int log_base = 10;  // 2 or 10: what the ticks are powers of
};

struct Curve {
  std::string label;  // written at the curve's end; empty: none
  std::vector<std::pair<double, double>> points;
  bool dots = false;      // points instead of a line
  bool dashed = false;    // a limit, a reference: dashed and in the colour of the text
  std::string name = {};  // of the series in the figure's data; empty: the label
  // A lower and an upper end at each point, drawn as an area around the line; empty: none.
  std::vector<std::pair<double, double>> band = {};
};

struct Note {  // a word at a point, to the right of it
  double x, y;
  std::string text;
};

struct Plot {
  std::string name;  // of the file, within the report: `norm_by_position`
  std::string title;
  std::string description;  // what a reader who cannot see it would be told
  FigureAxis x, y;
  std::vector<Curve> curves;
  bool square = false;  // one unit is equally long on both axes (circles)
  int decimals = 6;     // of the data, published and drawn: a last-bit difference changes no byte
  std::vector<Note> notes = {};
  std::string caption = {};  // under the figure: what is drawn and under what condition
};

struct HeatMap {
  std::string name;
  std::string title;
  std::string description;
  FigureAxis x, y;
  std::vector<std::vector<double>> values;  // values[row][column], row 0 at the top
  double lo, hi;                            // of the colour scale
  int decimals = 4;
  std::string caption = {};  // under the figure: what is drawn and under what condition
};

struct PageVerdict {
  std::string text;  // the answer to the question, one sentence with its number and its condition
};

// How reports print numbers: `-0.0312`, never `-0.0000`.
std::string fixed(long double value, int decimals);

// A size that spans decades: `3.2e-08`, with that many digits; `0` for exactly 0.
std::string scientific(long double value, int digits);

using Block = std::variant<Paragraph, Section, Grid, Plot, HeatMap, PageVerdict>;

}  // namespace document

struct Document {
  std::string title;
  std::string finding;    // one line, for the index
  std::string condition;  // under what the numbers hold: widths, positions, precision, seed
  std::vector<document::Block> blocks;
};

}  // namespace posproof
