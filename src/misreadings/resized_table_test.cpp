#include "catalogue/misreadings/resized_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/function.h"
#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_resized_table_test {
namespace {

// All entries of the cells, in the order in which they are read.
using Flat = Function<std::vector<double>(const Tensor& cells, const Arguments& p)>;

// How much of entry i of `from` stands in entry o of `to`, where entries are squares (linear).
double share(std::size_t from, std::size_t to, std::size_t o, std::size_t i) {
  const double last = static_cast<double>(from) - 1,
               at = std::clamp(
                   (static_cast<double>(o) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5,
                   0.0, last);
  return std::max(0.0, 1 - std::abs(at - static_cast<double>(i)));
}

// The trained entry of row i and column j is number j * from_height + i behind the rows that are kept.
std::vector<double> of_transposed(const Tensor&, const Arguments& p) {
  const std::size_t dim = p.width("dim"), rows = p.width("from_height"), columns = p.width("from_width"),
                    height = p.width("height"), width = p.width("width");
  std::vector<double> out;
  for (std::size_t cell = 0; cell < height * width; ++cell)
    for (std::size_t c = 0; c < dim; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          sum += share(rows, height, cell / width, i) * share(columns, width, cell % width, j) *
                 seeded(static_cast<std::uint64_t>(p.whole("table_seed")),
                        (p.width("kept_rows") + j * rows + i) * dim + c, p.real("std"));
      out.push_back(sum);
    }
  return out;
}

std::vector<double> of_the_first_rows(const Tensor&, const Arguments& p) {
  const std::size_t dim = p.width("dim"), rows = p.width("from_height"), columns = p.width("from_width"),
                    height = p.width("height"), width = p.width("width");
  std::vector<double> out;
  for (std::size_t cell = 0; cell < height * width; ++cell)
    for (std::size_t c = 0; c < dim; ++c) {
      double sum = 0;
      for (std::size_t n = 0; n < rows * columns; ++n)
        sum += share(rows, height, cell / width, n / columns) *
               share(columns, width, cell % width, n % columns) *
               seeded(static_cast<std::uint64_t>(p.whole("table_seed")), n * dim + c, p.real("std"));
      out.push_back(sum);
    }
  return out;
}

// Entry n of so many, in steps of another axis.
long double share_in_steps(std::size_t from, long double step, std::size_t n, std::size_t i) {
  const long double at = std::clamp((static_cast<long double>(n) + 0.5L) * step - 0.5L, 0.0L,
                                    static_cast<long double>(from) - 1);
  return std::max(0.0L, 1 - std::abs(at - static_cast<long double>(i)));
}

// The steps down and across, of those of rows and of columns.
template <bool down_by_rows, bool across_by_rows>
std::vector<double> of_other_steps(const Tensor&, const Arguments& p) {
  const std::size_t dim = p.width("dim"), rows = p.width("from_height"), columns = p.width("from_width"),
                    height = p.width("height"), width = p.width("width");
  const long double of_rows = static_cast<long double>(rows) / static_cast<long double>(height),
                    of_columns = static_cast<long double>(columns) / static_cast<long double>(width),
                    down = down_by_rows ? of_rows : of_columns,
                    across = across_by_rows ? of_rows : of_columns;
  std::vector<double> out;
  for (std::size_t cell = 0; cell < height * width; ++cell)
    for (std::size_t c = 0; c < dim; ++c) {
      long double sum = 0;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          sum += share_in_steps(rows, down, cell / width, i) *
                 share_in_steps(columns, across, cell % width, j) *
                 seeded(static_cast<std::uint64_t>(p.whole("table_seed")),
                        (p.width("kept_rows") + i * columns + j) * dim + c, p.real("std"));
      out.push_back(static_cast<double>(sum));
    }
  return out;
}

// Keys' cubic with a = -3/4 over a line without ends, whose entry i is the trained one that `inside` says; -1
// is none.
long double keys(long double x) {
  const long double d = std::abs(x);
  if (d < 1) return 1.25 * d * d * d - 2.25 * d * d + 1;
  return d < 2 ? -0.75L * d * d * d + 3.75 * d * d - 6 * d + 3 : 0;
}
template <int (*inside)(int i, int n)>
std::vector<double> of_endless_lines(const Tensor&, const Arguments& p) {
  const int rows = static_cast<int>(p.whole("from_height")),
            columns = static_cast<int>(p.whole("from_width")), height = static_cast<int>(p.whole("height")),
            width = static_cast<int>(p.whole("width"));
  const auto at = [](int o, int from, int to) { return (o + 0.5L) * from / to - 0.5L; };
  std::vector<double> out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (std::size_t c = 0; c < p.width("dim"); ++c) {
        long double sum = 0;
        for (int i = -3; i < rows + 3; ++i)
          for (int j = -3; j < columns + 3; ++j) {
            const int row = inside(i, rows), column = inside(j, columns);
            if (row < 0 || column < 0) continue;
            const auto entry = p.width("kept_rows") + static_cast<std::size_t>(row * columns + column);
            sum += keys(at(y, rows, height) - i) * keys(at(x, columns, width) - j) *
                   seeded(static_cast<std::uint64_t>(p.whole("table_seed")), entry * p.width("dim") + c,
                          p.real("std"));
          }
        out.push_back(static_cast<double>(sum));
      }
  return out;
}
int about_the_last(int i, int n) {  // 2 1 | 0 1 2 3 | 2 1
  return i < 0 ? -i : i < n ? i : 2 * n - 2 - i;
}
int behind_the_last(int i, int n) {  // 1 0 | 0 1 2 3 | 3 2
  return i < 0 ? -i - 1 : i < n ? i : 2 * n - 1 - i;
}
int nothing_past(int i, int n) {
  return i < n ? i : -1;
}

// By the shares of trained entries i and j in a cell's row y and column x, of so many entries each in so many
// cells.
using Shares = double (*)(int from, int to, int o, int i);
template <Shares shares>
std::vector<double> of_shares(const Tensor&, const Arguments& p) {
  const int rows = static_cast<int>(p.whole("from_height")),
            columns = static_cast<int>(p.whole("from_width")), height = static_cast<int>(p.whole("height")),
            width = static_cast<int>(p.whole("width"));
  std::vector<double> out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (std::size_t c = 0; c < p.width("dim"); ++c) {
        double sum = 0;
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            const auto entry = p.width("kept_rows") + static_cast<std::size_t>(i * columns + j);
            sum += shares(rows, height, y, i) * shares(columns, width, x, j) *
                   seeded(static_cast<std::uint64_t>(p.whole("table_seed")), entry * p.width("dim") + c,
                          p.real("std"));
          }
        out.push_back(sum);
      }
  return out;
}
double from_the_corner(int from, int to, int o, int i) {
  const double at = std::min(static_cast<double>(o * from) / to, from - 1.0);
  return std::max(0.0, 1 - std::abs(at - i));
}
double of_the_corner(int from, int to, int o, int i) {
  return o * from / to == i ? 1 : 0;
}
double of_the_middle(int from, int to, int o, int i) {
  return (2 * o + 1) * from / (2 * to) == i ? 1 : 0;
}

const testing::Formulas<Flat> formulas = {
    {"channels are not moved behind rows and columns: [dim, height, width] is read as [height width, dim]",
     [](const Tensor& cells, const Arguments&) {
       std::vector<double> out;
       for (std::size_t c = 0; c < cells.width(); ++c)
         for (std::size_t r = 0; r < cells.rows(); ++r) out.push_back(cells.at(r, c));
       return out;
     }},
    {"the trained grid is read column by column: as [from_width, from_height], transposed", &of_transposed},
    {"the resized grid is laid out column by column: as [width, height]",
     [](const Tensor& cells, const Arguments& p) {
       const std::size_t height = p.width("height"), width = p.width("width");
       std::vector<double> out;
       for (std::size_t x = 0; x < width; ++x)
         for (std::size_t y = 0; y < height; ++y)
           for (const double entry : cells.row(y * width + x)) out.push_back(entry);
       // Cell n of the answer is number n of the columns, one after the other.
       return out;
     }},
    {"the steps of rows and columns are exchanged: down the grid from_width / width, across it from_height / "
     "height",
     &of_other_steps<false, true>},
    {"the step of rows serves for columns, too: from_height / height across the grid",
     &of_other_steps<true, true>},
    {"the step of columns serves for rows, too: from_width / width down the grid",
     &of_other_steps<false, false>},
    {"the trained grid is taken from the first row of the table on, kept rows among it", &of_the_first_rows},
    {"past the border the grid is mirrored about its last row and column, which are not repeated",
     &of_endless_lines<about_the_last>},
    {"past the border the grid is mirrored, its last row and column first, which are not repeated further",
     &of_endless_lines<behind_the_last>},
    {"past the border stands 0; the last row and column are not repeated", &of_endless_lines<nothing_past>},
    {"half an entry is missing: cell n is taken from n before / after, its corner, not its middle",
     &of_shares<from_the_corner>},
    {"no filter: each cell is the entry in which its corner lies, number floor(n before / after)",
     &of_shares<of_the_corner>},
    {"no filter: each cell is the entry in which its middle lies, number floor((n + 1/2) before / after)",
     &of_shares<of_the_middle>},
};

TEST(MisreadResizedTable, has_the_rows_that_the_sentence_says) {
  testing::expect_formulas<Table>(
      "resized_table", misreadings::resized_table, formulas, {"", "std=1 table_seed=2"},
      [](const Table& made, const Arguments& p, const Flat& flat, const std::string& where) {
        const Table right = as<Table>(encoding_named("resized_table").make(p.parameters()));
        const std::size_t kept = p.width("kept_rows"), cells = p.width("height") * p.width("width");
        std::vector<Position> all(kept + cells), of_cells(cells);
        std::iota(all.begin(), all.end(), 0);
        std::iota(of_cells.begin(), of_cells.end(), static_cast<Position>(kept));
        const Tensor found = made.rows(all, 1), before = right.rows(all, 1);
        std::vector<double> expected(before.data.begin(),
                                     before.data.begin() + static_cast<std::ptrdiff_t>(kept * made.dim));
        for (const double entry : flat(right.rows(of_cells, 1), p)) expected.push_back(entry);
        ASSERT_EQ(found.data.size(), expected.size());
        // Of numbers below sqrt(3) bicubic weights, whose sizes add up to 1.375 on each axis, make less
        // than 4. Their sums in long double, in another order, are the same double or its neighbour: 2^-51
        // away.
        for (std::size_t n = 0; n < expected.size(); ++n)
          EXPECT_NEAR(found.data[n], expected[n], 0x1p-51) << where << " " << n;
      });
}

TEST(MisreadResizedTable, is_none_where_it_is_the_same) {
  const std::multimap<std::string, std::string> none = {
      {"channels", "dim=1 table=seeded"},
      {"channels", "dim=4 height=1 width=1"},
      {"the trained grid is read", "from_width=1"},
      {"the trained grid is read", "from_height=1"},
      {"the trained grid is taken", "kept_rows=0"},
      {"the trained grid is taken", "kept_rows=1 table=constant"},
      {"the resized", "height=1"},
      {"the resized", "width=1"},
      {"the steps", "method=first"},
      {"the steps", "antialias=true"},
      {"the steps", "from_height=7 from_width=5 height=14 width=10"},
      {"half", "method=first"},
      {"half", "align_corners=true"},
      {"half", "antialias=true height=20"},
      {"half", "from_height=5 height=5 from_width=3 width=3"},
      {"no filter", "method=first"},
      {"no filter", "from_height=5 height=5 from_width=3 width=3"},
      {"past the border", "method=first"},
      {"past the border", "antialias=true height=20"},
      {"past the border", "from_height=1 from_width=1"},
      {"past the border", "align_corners=true method=linear"},
      {"past the border the grid is mirrored, its", "method=linear"}};
  for (const auto& [what, words] : none)
    for (const Misreading& one : misreadings::resized_table.misreadings)
      if (one.what.starts_with(what)) {
        EXPECT_THROW(one.make(with(encoding_named("resized_table"), Case::parse(words))), Refusal) << words;
      }
}

}  // namespace
}  // namespace posproof::misreadings_resized_table_test
