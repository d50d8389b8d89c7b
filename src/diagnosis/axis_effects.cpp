#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/function.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/position_effects.h"

namespace posproof {
namespace {

// One number of a position, or a number that is made of all of them, in the place of each.
std::vector<Effect> effects_on_all_axes(const Domain& domain) {
  using Numbers = std::span<Position>;
  const auto of_all = [](std::string words, Position (*of)(std::span<const Position>)) {
    return effect_on_numbers(std::move(words), [of](Numbers t) { std::ranges::fill(t, of(t)); });
  };
  std::vector<Effect> out = {
      of_all("the largest number of a position stands for each of them",
             [](std::span<const Position> t) { return *std::ranges::max_element(t); }),
      of_all("the smallest number of a position stands for each of them",
             [](std::span<const Position> t) { return *std::ranges::min_element(t); })};
  for (std::size_t axis = 0; domain.axes > 2 && axis < domain.axes; ++axis)
    out.push_back(effect_on_numbers(
        fmt::format("the {} stands for all numbers of a position", axis_name(axis, domain.axes)),
        [axis](Numbers t) { std::ranges::fill(t, Position{t[axis]}); }));
  return out;
}

// A grid whose rows and columns are rolled by half, as those of a shifted window.
std::vector<Effect> effects_of_rolling(const Domain& domain) {
  if (domain.axes != 2 || domain.lo != 0) return {};
  const Position rows = domain.last(0) + 1, columns = domain.last(1) + 1;
  std::vector<Effect> out;
  const auto add = [&](Position down, Position right) {
    if (down == 0 && right == 0) return;
    std::string words;
    if (down > 0) words = fmt::format("row r counts as row r + {} modulo {}", down, rows);
    if (right > 0)
      words +=
          fmt::format("{}column c counts as column c + {} modulo {}", down > 0 ? ", " : "", right, columns);
    out.push_back(effect_on_numbers(std::move(words), [=](std::span<Position> t) {
      if (t[0] < 0 || t[1] < 0) return;  // a class token
      t[0] = (t[0] + down) % rows, t[1] = (t[1] + right) % columns;
    }));
  };
  const std::set<std::pair<Position, Position>> by = {
      {rows / 2, columns / 2}, {rows - rows / 2, columns - columns / 2},
      {rows / 2, 0},           {rows - rows / 2, 0},
      {0, columns / 2},        {0, columns - columns / 2}};
  for (const auto& [down, right] : by) add(down % rows, right % columns);
  return out;
}

// As of a table that is made for one axis and read at the end by what is past it.
Effect effect_of_a_limit(std::size_t axis, std::size_t other, std::size_t axes, bool by_row) {
  return effect_on_calls(fmt::format("a {} past the largest {} of {} counts as that", axis_name(axis, axes),
                                     axis_name(other, axes), by_row ? "its row of the batch" : "the call"),
                         [=](Call& call) {
                           std::vector<Position>& all = call.positions.whole;
                           const std::size_t rows = by_row ? std::max<std::size_t>(call.batch, 1) : 1,
                                             size = all.size() / rows;
                           for (std::size_t first = 0; size > 0 && first < all.size(); first += size) {
                             Position most = 0;
                             for (std::size_t n = first; n < first + size; n += axes)
                               most = std::max(most, all[n + other]);
                             for (std::size_t n = first; n < first + size; n += axes)
                               all[n + axis] = std::min(all[n + axis], most);
                           }
                         });
}

}  // namespace

std::vector<Effect> effects_on_axes(const Domain& domain) {
  std::vector<Effect> out = effects_on_all_axes(domain);
  if (domain.lo < 0)
    out.push_back(
        effect_on_numbers("a class token counts as the first place of the grid", [](std::span<Position> t) {
          if (std::ranges::min(t) < 0) std::ranges::fill(t, Position{0});
        }));
  for (Effect& one : effects_of_rolling(domain)) out.push_back(std::move(one));
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const std::string name(axis_name(axis, domain.axes));
    const Domain along = domain.on(axis);
    const auto add = [&](std::string_view is, const Function<Position(Position)>& other) {
      out.push_back(effect_on_numbers(fmt::format("the {} {}", name, is),
                                      [axis, other](std::span<Position> t) { t[axis] = other(t[axis]); }));
    };
    add("is one ahead", [](Position t) { return t + 1; });
    add("is one behind", [](Position t) { return t - 1; });
    add("counts as 0", [](Position) { return Position{0}; });
    add("is doubled", [](Position t) { return 2 * t; });
    for (const Position by : {2, 4, 8})
      add(fmt::format("is divided by {}, rounded down", by),
          [by](Position t) { return (t - ((t % by) + by) % by) / by; });
    add("is counted back from the last one", [along](Position t) { return along.lo + (along.hi - t); });
    add("has the other sign", [](Position t) { return -t; });
    const auto in_digits = [&](std::string_view is, int digits) {
      add(is, [digits](Position t) { return rounded_to_digits(t, digits); });
    };
    if (along.hi > 256) in_digits("is rounded to bf16: from 257 on neighbours coincide", 8);
    if (along.hi > 2048)
      in_digits("is rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide", 11);
    for (std::size_t other = 0; other < domain.axes; ++other)
      if (other != axis)
        for (const bool by_row : {false, true})
          out.push_back(effect_of_a_limit(axis, other, domain.axes, by_row));
    for (std::size_t other = 0; other < domain.axes; ++other)
      if (other != axis)
        out.push_back(
            effect_on_numbers(fmt::format("the {} stands for the {}", axis_name(other, domain.axes), name),
                              [axis, other](std::span<Position> t) { t[axis] = t[other]; }));
    for (std::size_t with = axis + 1; with < domain.axes; ++with)
      out.push_back(
          effect_on_numbers(fmt::format("{} and {} are exchanged", name, axis_name(with, domain.axes)),
                            [axis, with](std::span<Position> t) { std::swap(t[axis], t[with]); }));
  }
  return out;
}

namespace {

// Of a grid of times, rows and columns, whose tokens are numbered time by time, row by row: np.tile and
// np.repeat in each other's place.
std::vector<Effect> effects_of_tiling(const Domain& domain) {
  const Position times = domain.last(0) + 1, rows = domain.last(1) + 1, columns = domain.last(2) + 1;
  if (times < 2 || rows * columns < 2) return {};
  const auto numbered = [=](std::string words, bool time, bool place) {
    return effect_on_numbers(std::move(words), [=](std::span<Position> t) {
      const Position number = (t[0] * rows + t[1]) * columns + t[2];
      if (time) t[0] = number % times;
      if (place) t[1] = number / times / columns, t[2] = number / times % columns;
    });
  };
  const std::string of =
      fmt::format("of token n of a grid of {} times, {} rows and {} columns, ", times, rows, columns);
  return {numbered(fmt::format("{}the time is n modulo {}: tiled, not repeated", of, times), true, false),
          numbered(fmt::format("{}row and column are those of n / {}: repeated, not tiled", of, times), false,
                   true),
          numbered(fmt::format("{}the time is n modulo {}, row and column are those of n / {}: the time "
                               "counts fastest",
                               of, times, times),
                   true, true)};
}

// A grid with rows of another length than columns, whose numbers are read by the wrong extent.
std::vector<Effect> effects_of_reading(const Domain& domain) {
  if (domain.axes == 3 && domain.lo == 0 && !domain.last_on_axis.empty()) return effects_of_tiling(domain);
  if (domain.axes != 2 || domain.lo != 0 || domain.last(0) == domain.last(1)) return {};
  const Position rows = domain.last(0) + 1, columns = domain.last(1) + 1;
  const auto reading = [&](std::string words,
                           const Function<void(Position number, Position & row, Position & column)>& other) {
    return effect_on_numbers(std::move(words), [=](std::span<Position> t) {
      if (t[0] >= 0 && t[1] >= 0) other(t[0] * columns + t[1], t[0], t[1]);
    });
  };
  const std::string numbered = fmt::format("tokens are numbered in rows of {}, and ", columns);
  // By the wrong extent.
  const auto numbering = [&](std::string words, Position of_row, Position of_column) {
    return effect_on_numbers(std::move(words), [=](std::span<Position> t) {
      if (t[0] < 0 || t[1] < 0) return;
      const Position number = of_row * t[0] + of_column * t[1];
      t[0] = number / columns, t[1] = number % columns;
    });
  };
  return {
      numbering(fmt::format("tokens are numbered in rows of {}, and read in rows of {}", rows, columns), rows,
                1),
      numbering(fmt::format("tokens are numbered in columns of {}, and read in rows of {}", rows, columns), 1,
                rows),
      reading(fmt::format("{}read in rows of {}", numbered, rows),
              [rows](Position n, Position& row, Position& column) { row = n / rows, column = n % rows; }),
      reading(fmt::format("{}read in columns of {}", numbered, rows),
              [rows](Position n, Position& row, Position& column) { row = n % rows, column = n / rows; }),
      reading(fmt::format("{}a number is divided by {} for its row", numbered, rows),
              [rows](Position n, Position& row, Position&) { row = n / rows; }),
      reading(fmt::format("{}a number is taken modulo {} for its column", numbered, rows),
              [rows](Position n, Position&, Position& column) { column = n % rows; })};
}

// A table of all places in a row, row by row, that is read one place beside; at its end stays what is there.
std::vector<Effect> effects_of_the_next_place(const Domain& domain) {
  if (domain.axes < 2 || domain.lo != 0) return {};
  std::vector<Position> extents;
  Position places = 1;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    extents.push_back(domain.last(axis) + 1);
    constexpr Position most = Position{1} << 20;  // of each extent: fewer places than a number holds
    if (extents.back() > most) return {};
    places *= extents.back();
  }
  const auto beside = [=](std::string words, Position by) {
    return effect_on_numbers(std::move(words), [=](std::span<Position> t) {
      Position number = 0;
      for (std::size_t axis = 0; axis < t.size(); ++axis) number = number * extents[axis] + t[axis];
      number = std::clamp<Position>(number + by, 0, places - 1);
      for (std::size_t axis = t.size(); axis-- > 0; number /= extents[axis]) t[axis] = number % extents[axis];
    });
  };
  return {beside("each place counts as the one before it, row by row; the first as itself", -1),
          beside("each place counts as the one behind it, row by row; the last as itself", 1)};
}

}  // namespace

std::vector<Effect> effects_on_a_grid(const Domain& domain) {
  std::vector<Effect> out = effects_of_reading(domain);
  for (Effect& one : effects_of_the_next_place(domain)) out.push_back(std::move(one));
  return out;
}
}  // namespace posproof
