#include "catalogue/misreadings/relative_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/function.h"
#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_relative_table_test {
namespace {

constexpr int no_row = -1;

// The row of the table of a query and a key, which have one number or two.
using Token = std::span<const Position>;
using Row = Function<int(const Arguments&, Token query, Token key)>;

int right(const Arguments& p, Token query, Token key) {
  const int h = int(p.whole("height")), w = int(p.whole("width")),
            sign = p.is("relative", "query_minus_key") ? 1 : -1;
  const auto past = [&](std::size_t axis) { return sign * int(query[axis] - key[axis]); };
  return (past(0) + h - 1) * (2 * w - 1) + past(1) + w - 1;
}

// Behind the rows of offsets, where the query, the key or both are the class token; below 0, the first of
// all.
Row of_class(int query, int key, int both) {
  return [=](const Arguments& p, Token i, Token j) {
    if (i[0] >= 0 && j[0] >= 0) return right(p, i, j);
    const int behind = int((2 * p.whole("height") - 1) * (2 * p.whole("width") - 1));
    const int row = j[0] >= 0 ? query : i[0] >= 0 ? key : both;
    return row < 0 ? 0 : behind + row;
  };
}

// Of query - key, within -most .. most; past that, none.
Row of_offset(int (*held)(int past, int most)) {
  return [=](const Arguments& p, Token i, Token j) {
    const int most = int(p.whole("width")) - 1, past = held(int(i[0] - j[0]), most);
    if (past > most) return no_row;
    return most + (p.is("relative", "query_minus_key") ? past : -past);
  };
}

const testing::Formulas<Row> formulas = {
    {"the rows of the class token as a query and as a key are exchanged", of_class(1, 0, 2)},
    {"the class token has one row as a query and as a key", of_class(0, 0, 2)},
    {"the class token has for itself the row that it has as a query", of_class(0, 1, 0)},
    {"the class token has for itself the row that it has as a key", of_class(0, 1, 1)},
    {"the rows of the class token stand in reverse order: as both, as a key, as a query", of_class(2, 1, 0)},
    {"pairs of the class token and a place have row 0 of the table", of_class(-1, -1, 2)},
    {"all pairs of the class token have row 0 of the table", of_class(-1, -1, -1)},
    {"offsets outside the window wrap: they are taken modulo 2 w - 1", of_offset([](int past, int most) {
       while (past > most) past -= 2 * most + 1;
       while (past < -most) past += 2 * most + 1;
       return past;
     })},
    {"offsets outside the window have no bias",
     of_offset([](int past, int most) { return past > most || past < -most ? most + 1 : past; })},
    {"offsets of later keys are clipped one earlier, at w - 2",
     of_offset([](int past, int most) { return std::max(std::min(past, most), -(most - 1)); })},
    {"offsets of earlier keys are clipped one earlier, at w - 2",
     of_offset([](int past, int most) { return std::max(std::min(past, most - 1), -most); })},
    {"the extents of the window are exchanged in the row: (dy + w - 1) (2 h - 1) + dx + h - 1",
     [](const Arguments& p, Token i, Token j) {
       const int h = int(p.whole("height")), w = int(p.whole("width")),
                 sign = p.is("relative", "query_minus_key") ? 1 : -1;
       const int row = (sign * int(i[0] - j[0]) + w - 1) * (2 * h - 1) + sign * int(i[1] - j[1]) + h - 1;
       return std::max(0, std::min(row, (2 * h - 1) * (2 * w - 1) - 1));
     }},
    {"the extents of the window are exchanged in the row: |dy| h + |dx|",
     [](const Arguments& p, Token i, Token j) {
       const int h = int(p.whole("height")), w = int(p.whole("width"));
       return std::min(int(std::abs(i[0] - j[0])) * h + int(std::abs(i[1] - j[1])), h * w - 1);
     }},
};

// A class token and two tokens of a window; a line past its window on both sides.
TEST(MisreadRelativeTable, has_the_rows_that_the_sentence_says) {
  testing::expect_formulas<Bias>(
      "relative_table", misreadings::relative_table, formulas,
      {"", "table=seeded scale=0.5", "fastest=columns table=seeded table_seed=3"},
      [](const Bias& made, const Arguments& p, const Row& row, const std::string& where) {
        const bool line = p.is("axes", "line"), classed = !line && p.is("class_token", "three_rows");
        std::vector<Position> places = {0, 0, 2, 1};
        if (classed) places.insert(places.begin(), {-1, -1});
        if (line) places = {0, 1, 4, 5, 6, 11, 30};
        const std::size_t axes = line ? 1 : 2, n = places.size() / axes;
        const Tensor all = made.bias(Positions(places, axes), Positions(places, axes));
        const int h = int(p.whole("height")), w = int(p.whole("width"));
        const int rows = p.is("relative", "distance") ? h * w
                         : line                       ? 2 * w - 1
                                                      : (2 * w - 1) * (2 * h - 1) + (classed ? 3 : 0);
        const auto entry = [&](int at, std::size_t head) {
          if (at == no_row) return 0.0;
          if (p.is("table", "index")) return p.real("scale") * (at + rows * int(head));
          return p.real("scale") *
                 seeded(std::uint64_t(p.whole("table_seed")), std::uint64_t(at) * 2 + head, 1.0);
        };
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              const Token tokens(places);
              const int at = row(p, tokens.subspan(i * axes, axes), tokens.subspan(j * axes, axes));
              EXPECT_EQ(all.at(h * n + i, j), entry(at, h)) << where;
            }
      });
}

// Those of offsets in the other direction.
TEST(MisreadRelativeTable, has_them_in_the_other_direction) {
  for (const Misreading& one : misreadings::relative_table.misreadings) {
    if (one.setting.find("distance") != one.setting.npos || one.setting.find("line") == one.setting.npos)
      continue;
    const std::array<Position, 5> at = {0, 3, 5, 9, 30};
    const auto bias = [&](const std::string& more) {
      return as<Bias>(one.make(with(encoding_named("relative_table"),
                                    Case::parse("heads=1 axes=line width=5" + more))))
          .bias;
    };
    const Tensor there = bias("")(at, at), back = bias(" relative=key_minus_query")(at, at);
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t j = 0; j < at.size(); ++j) {
        const bool outside = there.at(i, j) == 0 && back.at(i, j) == 0;
        EXPECT_TRUE(outside || there.at(i, j) + back.at(i, j) == 8) << one.what << i << j;
      }
  }
}

// Each is of a line, of a class token or of a window that is not square.
TEST(MisreadRelativeTable, is_none_of_another_window) {
  const struct {
    std::string words;
    std::size_t known;
  } all[] = {{"heads=2 height=4 width=4", 0},
             {"heads=2 height=3 width=4", 1},
             {"heads=2 height=3 width=4 fastest=rows", 0},
             {"heads=2 height=3 width=3 class_token=three_rows", 7},
             {"heads=2 axes=line width=4", 4},
             {"heads=2 height=3 width=4 relative=distance", 1},
             {"heads=2 height=3 width=4 relative=distance fastest=rows", 0},
             {"heads=2 height=3 width=3 relative=distance", 0},
             {"heads=2 axes=line width=4 relative=distance", 0},
             {"heads=2 axes=line width=1", 0}};
  for (const auto& [words, known] : all) {
    std::size_t made = 0;
    for (const Misreading& one : misreadings::relative_table.misreadings) try {
        one.make(with(encoding_named("relative_table"), Case::parse(words)));
        ++made;
      } catch (const Refusal&) {
      }
    EXPECT_EQ(made, known) << words;
  }
}

}  // namespace
}  // namespace posproof::misreadings_relative_table_test
