#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "catalogue/encodings/relative_table.h"
#include "catalogue/misreadings/relative_table.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_relative_table {
namespace {

// Which of the last three rows of the table stands for a class token: as a query, as a key, as both. Below 0,
// the first row of all: an index that nobody has set.
using ClassRows = std::array<std::int64_t, 3>;

bool is_class(const Positions& tokens, std::size_t token) {
  return std::min(tokens.at(token, 0), tokens.at(token, 1)) < 0;
}

// The entry of a head in a row of the table.
class Entries {
 public:
  explicit Entries(const Arguments& p)
      : index_(p.is("table", "index")),
        seed_(static_cast<std::uint64_t>(p.whole("table_seed"))),
        heads_(p.width("heads")),
        scale_(p.real("scale")) {}

  double at(std::int64_t row, std::int64_t rows, std::size_t head) const {
    return scale_ * (index_ ? static_cast<double>(row + rows * static_cast<std::int64_t>(head))
                            : seeded(seed_, static_cast<std::uint64_t>(row) * heads_ + head, 1.0));
  }

 private:
  bool index_;
  std::uint64_t seed_;
  std::size_t heads_;
  double scale_;
};

template <ClassRows rows>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::relative_table, given);
  if (!p.is("axes", "rows_and_columns") || p.is("class_token", "none"))
    throw Refusal("a misreading of a class token");
  const std::int64_t first = (2 * p.whole("height") - 1) * (2 * p.whole("width") - 1);
  Bias out = misread::right<Bias>(encodings::relative_table, given);
  out.bias = [=, of = Entries(p), own = out.bias, heads = out.heads](const Positions& queries,
                                                                     const Positions& keys) {
    Tensor all = own(queries, keys);
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const bool query = is_class(queries, i), key = is_class(keys, j);
        if (!query && !key) continue;
        const std::int64_t last = rows[query && key ? 2 : key ? 1 : 0], row = last < 0 ? 0 : first + last;
        for (std::size_t h = 0; h < heads; ++h) all.at(h * queries.size() + i, j) = of.at(row, first + 3, h);
      }
    return all;
  };
  return out;
}

// On a line: which offset of the table stands for query - key, where the largest is `most`. None: 0.
using Held = std::optional<Position> (*)(Position past, Position most);

std::optional<Position> wrapped(Position past, Position most) {
  const Position all = 2 * most + 1;
  return ((past + most) % all + all) % all - most;
}
std::optional<Position> none_outside(Position past, Position most) {
  return std::abs(past) > most ? std::nullopt : std::optional(past);
}
std::optional<Position> later_keys_earlier(Position past, Position most) {
  return std::clamp(past, 1 - most, most);
}
std::optional<Position> earlier_keys_earlier(Position past, Position most) {
  return std::clamp(past, -most, most - 1);
}

template <Held held>
Encoding on_a_line(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::relative_table, given);
  const Position most = p.whole("width") - 1;
  if (!p.is("axes", "line") || most < 1 || p.is("relative", "distance"))
    throw Refusal("a misreading of a line");
  const bool from_key = p.is("relative", "query_minus_key");
  return misread::with_entry(
      encodings::relative_table, given, [=, of = Entries(p)](std::size_t head, Position i, Position j) {
        const std::optional<Position> past = held(i - j, most);
        return past ? of.at((from_key ? *past : -*past) + most, 2 * most + 1, head) : 0;
      });
}

// Of distances: past the end of the table its last row.
Encoding distances_exchanged(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::relative_table, given);
  const std::int64_t h = p.whole("height"), w = p.whole("width"), rows = h * w;
  if (!p.is("axes", "rows_and_columns") || !p.is("relative", "distance") || h == w ||
      !p.is("fastest", "columns"))
    throw Refusal("a misreading of distances in a window that is not square");
  Bias out = misread::right<Bias>(encodings::relative_table, given);
  out.bias = [=, of = Entries(p), heads = out.heads](const Positions& queries, const Positions& keys) {
    Tensor all({heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const auto far = [&](std::size_t axis, std::int64_t extent) {
          return std::min(extent - 1,
                          std::abs(static_cast<std::int64_t>(queries.at(i, axis) - keys.at(j, axis))));
        };
        const std::int64_t row = std::min(far(0, h) * h + far(1, w), rows - 1);
        for (std::size_t head = 0; head < heads; ++head)
          all.at(head * queries.size() + i, j) = of.at(row, rows, head);
      }
    return all;
  };
  return out;
}

// The row of rows that are counted as columns are; past the ends of the table that at its end.
Encoding extents_exchanged(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::relative_table, given);
  if (!p.is("axes", "rows_and_columns") || p.is("relative", "distance"))
    throw Refusal("a misreading of offsets on a grid");
  const std::int64_t h = p.whole("height"), w = p.whole("width"),
                     to = p.is("relative", "query_minus_key") ? 1 : -1;
  if (h == w || !p.is("fastest", "columns")) throw Refusal("the same in a square window");
  const bool classed = p.is("class_token", "three_rows");
  const std::int64_t rows = (2 * h - 1) * (2 * w - 1) + (classed ? 3 : 0);
  Bias out = misread::right<Bias>(encodings::relative_table, given);
  out.bias = [=, of = Entries(p), own = out.bias, heads = out.heads](const Positions& queries,
                                                                     const Positions& keys) {
    Tensor all = own(queries, keys);
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        if (classed && (is_class(queries, i) || is_class(keys, j))) continue;
        const auto past = [&](std::size_t axis, std::int64_t extent) {
          const auto offset = static_cast<std::int64_t>(queries.at(i, axis) - keys.at(j, axis));
          return std::clamp(to * offset, 1 - extent, extent - 1);
        };
        const std::int64_t row = (past(0, h) + w - 1) * (2 * h - 1) + past(1, w) + h - 1;
        for (std::size_t head = 0; head < heads; ++head)
          all.at(head * queries.size() + i, j) =
              of.at(std::clamp<std::int64_t>(row, 0, rows - 1), rows, head);
      }
    return all;
  };
  return out;
}

constexpr std::string_view on_line = "heads=2 axes=line width=5";
constexpr std::string_view with_class = "heads=2 height=3 width=4 class_token=three_rows";

}  // namespace

const MisreadingFamily entry{{
    {"the rows of the class token as a query and as a key are exchanged", &reads<ClassRows{1, 0, 2}>,
     with_class},
    {"the class token has one row as a query and as a key", &reads<ClassRows{0, 0, 2}>, with_class},
    {"the class token has for itself the row that it has as a query", &reads<ClassRows{0, 1, 0}>, with_class},
    {"the class token has for itself the row that it has as a key", &reads<ClassRows{0, 1, 1}>, with_class},
    {"the rows of the class token stand in reverse order: as both, as a key, as a query",
     &reads<ClassRows{2, 1, 0}>, with_class},
    {"pairs of the class token and a place have row 0 of the table", &reads<ClassRows{-1, -1, 2}>,
     with_class},
    {"all pairs of the class token have row 0 of the table", &reads<ClassRows{-1, -1, -1}>, with_class},
    {"offsets outside the window wrap: they are taken modulo 2 w - 1", &on_a_line<wrapped>, on_line},
    {"offsets outside the window have no bias", &on_a_line<none_outside>, on_line},
    {"offsets of later keys are clipped one earlier, at w - 2", &on_a_line<later_keys_earlier>, on_line},
    {"offsets of earlier keys are clipped one earlier, at w - 2", &on_a_line<earlier_keys_earlier>, on_line},
    {"the extents of the window are exchanged in the row: (dy + w - 1) (2 h - 1) + dx + h - 1",
     &extents_exchanged, "heads=2 height=5 width=3"},
    {"the extents of the window are exchanged in the row: |dy| h + |dx|", &distances_exchanged,
     "heads=2 height=5 width=3 relative=distance"},
}};

}  // namespace posproof::misreadings_relative_table
