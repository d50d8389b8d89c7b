#include "diagnosis/window_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "core/function.h"

namespace posproof {
namespace {

// The offset of a query's row and column to a key's.
struct Offset {
  Position rows, columns;
};

// Has no offset to any other token.
bool is_class(const Positions& all, std::size_t token) {
  return all.flat()[2 * token] < 0 || all.flat()[2 * token + 1] < 0;
}

class Window {
 public:
  explicit Window(const Bias& truth)
      : truth_(truth), height_(truth.positions.last(0) + 1), width_(truth.positions.last(1) + 1) {}

  std::size_t heads() const { return truth_.heads; }
  Position height() const { return height_; }
  Position width() const { return width_; }
  std::size_t offsets() const { return static_cast<std::size_t>((2 * height_ - 1) * (2 * width_ - 1)); }

  // Row by row of the offsets, the smallest first.
  std::size_t number(Offset at) const {
    return static_cast<std::size_t>((at.rows + height_ - 1) * (2 * width_ - 1) + at.columns + width_ - 1);
  }
  Offset offset(std::size_t number) const {
    const auto n = static_cast<Position>(number);
    return {n / (2 * width_ - 1) - height_ + 1, n % (2 * width_ - 1) - width_ + 1};
  }

  // What every head gives each offset: [offset, head].
  std::vector<double> entries() const {
    std::vector<double> out;
    for (std::size_t n = 0; n < offsets(); ++n) {
      const Offset at = offset(n);
      const Position query[] = {std::max<Position>(0, at.rows), std::max<Position>(0, at.columns)},
                     key[] = {std::max<Position>(0, -at.rows), std::max<Position>(0, -at.columns)};
      const Tensor one = truth_.bias(Positions(std::span(query), 2), Positions(std::span(key), 2));
      out.insert(out.end(), one.data.begin(), one.data.end());
    }
    return out;
  }

  // Another entry for each offset and head.
  Bias with(Function<double(Offset, std::size_t head)> other) const {
    Bias out = truth_;
    out.bias = [other = std::move(other), own = truth_.bias](const Positions& queries,
                                                             const Positions& keys) {
      Tensor to = own(queries, keys);
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const std::size_t query = r % queries.size();
          if (is_class(queries, query) || is_class(keys, c)) continue;
          const auto along = [&](std::size_t axis) {
            return queries.flat()[2 * query + axis] - keys.flat()[2 * c + axis];
          };
          to.at(r, c) = other({along(0), along(1)}, r / queries.size());
        }
      return to;
    };
    return out;
  }

  // Of a query, a key and a head, by their numbers in the whole window, row by row.
  using Entry = Function<double(std::size_t query, std::size_t key, std::size_t head)>;
  Bias with_entries(Entry other) const {
    Bias out = truth_;
    out.bias = [=, other = std::move(other), heads = truth_.heads, width = width_](const Positions& queries,
                                                                                   const Positions& keys) {
      const auto token = [&](const Positions& all, std::size_t n) {
        return static_cast<std::size_t>(all.flat()[2 * n] * width + all.flat()[2 * n + 1]);
      };
      Tensor to({heads, queries.size(), keys.size()});
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c)
          to.at(r, c) = other(token(queries, r % queries.size()), token(keys, c), r / queries.size());
      return to;
    };
    return out;
  }
  std::size_t tokens() const { return static_cast<std::size_t>(height_ * width_); }
  Offset between(std::size_t query, std::size_t key) const {
    const auto q = static_cast<Position>(query), k = static_cast<Position>(key);
    return {q / width_ - k / width_, q % width_ - k % width_};
  }

 private:
  Bias truth_;
  Position height_, width_;
};

// The numbers of a table in the order of its rows, and how an offset finds its row.
struct Rows {
  bool columns_fastest, key_minus_query;
  Position height, width;

  Offset counted(Offset at) const {
    const Position sign = key_minus_query ? -1 : 1;
    return {sign * at.rows + height - 1, sign * at.columns + width - 1};
  }
  Position row(Offset at) const {
    const Offset n = counted(at);
    return columns_fastest ? n.rows * (2 * width - 1) + n.columns : n.columns * (2 * height - 1) + n.rows;
  }
};

using Add = Function<void(std::string words, Function<double(Offset, std::size_t head)>)>;

void add_of_table(const Window& window, const Parameters& parameters, const std::vector<double>& entries,
                  const Add& add) {
  const std::size_t heads = window.heads(), offsets = window.offsets();
  const Rows rows{parameters.word("fastest") == "columns", parameters.word("relative") == "key_minus_query",
                  window.height(), window.width()};
  std::vector<double> table(entries.size());  // [row, head]
  for (std::size_t n = 0; n < offsets; ++n)
    for (std::size_t head = 0; head < heads; ++head)
      table.at(static_cast<std::size_t>(rows.row(window.offset(n))) * heads + head) =
          entries[n * heads + head];
  const auto last = static_cast<Position>(offsets) - 1;
  const auto at_row = [=](Position row, std::size_t head) {
    return table.at(static_cast<std::size_t>(std::clamp<Position>(row, 0, last)) * heads + head);
  };
  add("the row of an offset is one too large",
      [=](Offset at, std::size_t head) { return at_row(rows.row(at) + 1, head); });
  add("the row of an offset is one too small",
      [=](Offset at, std::size_t head) { return at_row(rows.row(at) - 1, head); });
  // As languages count that take a negative index from the end.
  const auto from_end = [=](Position row, std::size_t head) {
    return table.at(static_cast<std::size_t>(row < 0 ? row + last + 1 : row) * heads + head);
  };
  const Position one_row = rows.columns_fastest ? 2 * rows.width - 1 : 1,
                 one_column = rows.columns_fastest ? 1 : 2 * rows.height - 1,
                 up = (rows.height - 1) * one_row, left = (rows.width - 1) * one_column;
  const auto unshifted = [&](std::string_view of, Position by) {
    if (by > 0)
      add(fmt::format(
              "the index is {} too small, and negative ones count from the end: {} not shifted to begin "
              "at 0",
              by, of),
          [=](Offset at, std::size_t head) { return from_end(rows.row(at) - by, head); });
  };
  unshifted("the offset of columns is", left);
  unshifted("the offset of rows is", up);
  unshifted("offsets are", up + left);
  // Where one is larger than its axis, the index of some offsets is past the table's end.
  if (const Position by = (rows.width - rows.height) * (one_row - one_column); by != 0)
    add(fmt::format(
            "the offset of rows is shifted by {} and that of columns by {}, in each other's place; an "
            "index outside of the table counts from its other end",
            rows.width - 1, rows.height - 1),
        [=](Offset at, std::size_t head) {
          const Position row = rows.row(at) + by, all = last + 1;
          return table.at(static_cast<std::size_t>((row % all + all) % all) * heads + head);
        });
  const Position right = rows.columns_fastest ? 2 * rows.width - 1 : 2 * rows.height - 1;
  for (const Position stride :
       {rows.width, rows.height, 2 * rows.width - 1, 2 * rows.height - 1, 2 * rows.width, 2 * rows.height})
    if (stride != right)
      add(fmt::format("an offset of one {} is {} rows of the table on, not {}",
                      rows.columns_fastest ? "row" : "column", stride, right),
          [=](Offset at, std::size_t head) {
            const Offset n = rows.counted(at);
            return at_row(rows.columns_fastest ? n.rows * stride + n.columns : n.columns * stride + n.rows,
                          head);
          });
  add("rows and columns of an offset are in each other's place in the index",
      [=](Offset at, std::size_t head) {
        const Offset n = rows.counted(at);
        return at_row(rows.columns_fastest ? n.columns * right + n.rows : n.rows * right + n.columns, head);
      });
  if (heads > 1)
    add("the table is read as one of heads by offsets, not of offsets by heads",
        [=](Offset at, std::size_t head) {
          return table.at(head * offsets + static_cast<std::size_t>(rows.row(at)));
        });
}

}  // namespace

std::vector<Deviation> window_deviations(const Bias& truth, const Parameters& parameters) {
  constexpr Position most = 64;  // rows or columns: all offsets are asked
  const Domain& domain = truth.positions;
  const bool class_token = domain.lo == -1;
  if (domain.axes != 2 || (domain.lo != 0 && !class_token) || domain.last(0) >= most ||
      domain.last(1) >= most)
    return {};
  const Window window(truth);
  const std::vector<double> entries = window.entries();
  const std::size_t heads = window.heads();
  std::vector<Deviation> out;
  const Add add = [&](std::string words, Function<double(Offset, std::size_t)> other) {
    out.push_back({{std::move(words)}, window.with(std::move(other)), true});
  };
  const auto entry = [=](Offset at, std::size_t head) {
    return entries.at(window.number(at) * heads + head);
  };
  add("the offset of rows has no sign", [=](Offset at, std::size_t head) {
    return entry({std::abs(at.rows), at.columns}, head);
  });
  add("the offset of columns has no sign", [=](Offset at, std::size_t head) {
    return entry({at.rows, std::abs(at.columns)}, head);
  });
  add("offsets have no sign", [=](Offset at, std::size_t head) {
    return entry({std::abs(at.rows), std::abs(at.columns)}, head);
  });
  const auto held = [&](std::string_view axis, Position most, Position Offset::*along) {
    for (Position limit = 1 - most; limit < most; ++limit) {
      const auto with = [=](Offset at, Position to) {
        at.*along = to;
        return at;
      };
      if (limit + 1 < most)
        add(fmt::format("offsets of {} past {} count as {}", axis, limit, limit),
            [=](Offset at, std::size_t head) { return entry(with(at, std::min(at.*along, limit)), head); });
      if (limit - 1 > -most)
        add(fmt::format("offsets of {} below {} count as {}", axis, limit, limit),
            [=](Offset at, std::size_t head) { return entry(with(at, std::max(at.*along, limit)), head); });
      if (limit > 0 && limit + 1 < most)
        add(fmt::format("offsets of {0} past {1} count as {1}, and those below -{1} as -{1}", axis, limit),
            [=](Offset at, std::size_t head) {
              return entry(with(at, std::clamp(at.*along, -limit, limit)), head);
            });
    }
  };
  held("rows", window.height(), &Offset::rows);
  held("columns", window.width(), &Offset::columns);
  if (heads > 1 && !class_token) {
    add("the same after one permutation of heads: in reverse order",
        [=](Offset at, std::size_t head) { return entry(at, heads - 1 - head); });
    const auto lying = [&](const char* words,
                           Function<std::size_t(std::size_t q, std::size_t k, std::size_t head)> flat) {
      out.push_back(
          {{words},
           window.with_entries([=, flat = std::move(flat)](std::size_t q, std::size_t k, std::size_t head) {
             const std::size_t at = flat(q, k, head), n = window.tokens();
             return entry(window.between(at / heads / n, at / heads % n), at % heads);
           }),
           true});
    };
    lying("the bias lies as [queries, keys, heads] and is read as [heads, queries, keys]",
          [n = window.tokens()](std::size_t q, std::size_t k, std::size_t head) {
            return (head * n + q) * n + k;
          });
    lying("the bias lies as [queries, keys, heads] and is read as [queries, heads, keys]",
          [n = window.tokens(), heads](std::size_t q, std::size_t k, std::size_t head) {
            return (q * heads + head) * n + k;
          });
    add("every head is the first", [=](Offset at, std::size_t) { return entry(at, 0); });
    add("every head is the one before, the first the last",
        [=](Offset at, std::size_t head) { return entry(at, (head + heads - 1) % heads); });
    add("every head is the one after, the last the first",
        [=](Offset at, std::size_t head) { return entry(at, (head + 1) % heads); });
  }
  if (parameters.find("fastest") != nullptr && !class_token) add_of_table(window, parameters, entries, add);
  return out;
}

}  // namespace posproof
