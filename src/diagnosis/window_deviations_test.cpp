// What is said of a bias of a window whose rows are found by another index.
#include "diagnosis/window_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::window_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

// The entry of an offset, of a head, where the table is that of the window; [row, head] of seeded numbers.
struct Window {
  Position height, width;
  std::size_t heads;
  std::vector<double> table;

  Position offsets() const { return (2 * height - 1) * (2 * width - 1); }
  double at(Position row, std::size_t head) const {
    return table.at(static_cast<std::size_t>(std::clamp<Position>(row, 0, offsets() - 1)) * heads + head);
  }
};
using Entry = Function<double(const Window& window, Position rows, Position columns, std::size_t head)>;

Position right_row(const Window& window, Position rows, Position columns) {
  return (rows + window.height - 1) * (2 * window.width - 1) + columns + window.width - 1;
}

Sentences said_of(const Entry& entry, const std::string& words = "height=3 width=4 heads=3 table=seeded") {
  return said("relative_table", words, [entry](const Parameters& parameters) -> Encoding {
    Bias out = as<Bias>(encoding_named("relative_table").make(parameters));
    Window window{static_cast<Position>(parameters.real("height")),
                  static_cast<Position>(parameters.real("width")),
                  out.heads,
                  {}};
    const Position sign = parameters.word("relative") == "key_minus_query" ? -1 : 1;
    window.table.resize(static_cast<std::size_t>(window.offsets()) * window.heads);
    for (Position rows = 1 - window.height; rows < window.height; ++rows)
      for (Position columns = 1 - window.width; columns < window.width; ++columns) {
        const std::vector<Position> query = {std::max<Position>(0, rows), std::max<Position>(0, columns)},
                                    key = {std::max<Position>(0, -rows), std::max<Position>(0, -columns)};
        const Tensor one = out.bias(Positions(std::span(query), 2), Positions(std::span(key), 2));
        for (std::size_t head = 0; head < window.heads; ++head)
          window.table.at(static_cast<std::size_t>(right_row(window, sign * rows, sign * columns)) *
                              window.heads +
                          head) = one.data[head];
      }
    out.bias = [=](const Positions& queries, const Positions& keys) {
      Tensor to({window.heads, queries.size(), keys.size()});
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const auto offset = [&](std::size_t axis) {
            return static_cast<Position>(queries.at(r % queries.size(), axis) - keys.at(c, axis));
          };
          to.at(r, c) = entry(window, offset(0), offset(1), r / queries.size());
        }
      return to;
    };
    return out;
  });
}

const std::string standard = "height=3 width=4 heads=3 table=seeded";

Sentences with_row(const Function<Position(const Window&, Position rows, Position columns)>& row,
                   const std::string& words = standard) {
  return said_of([row](const Window& window, Position rows, Position columns,
                       std::size_t head) { return window.at(row(window, rows, columns), head); },
                 words);
}

TEST(WindowDeviations, say_nothing_of_the_declared_index) {
  EXPECT_EQ(with_row(&right_row), Sentences{});
}

TEST(WindowDeviations, name_offsets_without_a_sign) {
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return right_row(w, std::abs(rows), columns);
            }),
            Sentences{"the offset of rows has no sign"});
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return right_row(w, rows, std::abs(columns));
            }),
            Sentences{"the offset of columns has no sign"});
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return right_row(w, std::abs(rows), std::abs(columns));
            }),
            Sentences{"offsets have no sign"});
}

TEST(WindowDeviations, name_offsets_that_are_held) {
  const auto held = [](Position least, Position most, Position left, Position right) {
    return with_row([=](const Window& w, Position rows, Position columns) {
      return right_row(w, std::clamp(rows, least, most), std::clamp(columns, left, right));
    });
  };
  EXPECT_EQ(held(-2, 0, -3, 3), Sentences{"offsets of rows past 0 count as 0"});
  EXPECT_EQ(held(-1, 2, -3, 3), Sentences{"offsets of rows below -1 count as -1"});
  EXPECT_EQ(held(-2, 2, -3, 2), Sentences{"offsets of columns past 2 count as 2"});
  EXPECT_EQ(held(-2, 2, 1, 3), Sentences{"offsets of columns below 1 count as 1"});
  EXPECT_EQ(held(-2, 2, -1, 1), Sentences{"offsets of columns past 1 count as 1, and those below -1 as -1"});
  EXPECT_EQ(held(-2, 1, -2, 3), Sentences{});
}

// A negative index counts from the end of the table.
TEST(WindowDeviations, name_offsets_that_do_not_begin_at_0) {
  const auto without = [](Position by_rows, Position by_columns) {
    return said_of([=](const Window& w, Position rows, Position columns, std::size_t head) {
      const Position row = right_row(w, rows - by_rows, columns - by_columns);
      return w.at(row < 0 ? row + w.offsets() : row, head);
    });
  };
  EXPECT_EQ(
      without(0, 3),
      Sentences{"the index is 3 too small, and negative ones count from the end: the offset of columns is "
                "not shifted to begin at 0"});
  EXPECT_EQ(
      without(2, 0),
      Sentences{"the index is 14 too small, and negative ones count from the end: the offset of rows is "
                "not shifted to begin at 0"});
  EXPECT_EQ(
      without(2, 3),
      Sentences{"the index is 17 too small, and negative ones count from the end: offsets are not shifted "
                "to begin at 0"});
  EXPECT_EQ(without(0, 2), Sentences{});
}

TEST(WindowDeviations, name_shifts_in_each_others_place) {
  const Entry exchanged = [](const Window& window, Position rows, Position columns, std::size_t head) {
    const Position row = (rows + window.width - 1) * (2 * window.width - 1) + columns + window.height - 1;
    return window.at((row + window.offsets()) % window.offsets(), head);
  };
  EXPECT_EQ(
      said_of(exchanged),
      Sentences{"the offset of rows is shifted by 3 and that of columns by 2, in each other's place; an "
                "index outside of the table counts from its other end"});
  EXPECT_EQ(
      said_of(exchanged, "height=5 width=3 heads=3 table=seeded"),
      Sentences{"the offset of rows is shifted by 2 and that of columns by 4, in each other's place; an "
                "index outside of the table counts from its other end"});
}

TEST(WindowDeviations, name_another_index) {
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return right_row(w, rows, columns) + 1;
            }),
            Sentences{"the row of an offset is one too large"});
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return right_row(w, rows, columns) - 1;
            }),
            Sentences{"the row of an offset is one too small"});
  const auto from_keys = [](Position more) {
    return [more](const Window& w, Position rows, Position columns) {
      return right_row(w, -rows, -columns) + more;
    };
  };
  EXPECT_EQ(with_row(from_keys(0), standard + " relative=key_minus_query"), Sentences{});
  EXPECT_EQ(with_row(from_keys(1), standard + " relative=key_minus_query"),
            Sentences{"the row of an offset is one too large"});
  const auto of_stride = [](const Function<Position(const Window&)>& stride) {
    return with_row([stride](const Window& w, Position rows, Position columns) {
      return (rows + w.height - 1) * stride(w) + columns + w.width - 1;
    });
  };
  EXPECT_EQ(of_stride([](const Window& w) { return 2 * w.height - 1; }),
            Sentences{"an offset of one row is 5 rows of the table on, not 7"});
  EXPECT_EQ(of_stride([](const Window& w) { return w.width; }),
            Sentences{"an offset of one row is 4 rows of the table on, not 7"});
  EXPECT_EQ(of_stride([](const Window& w) { return 2 * w.width; }),
            Sentences{"an offset of one row is 8 rows of the table on, not 7"});
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return (columns + w.width - 1) * (2 * w.width - 1) + rows + w.height - 1;
            }),
            Sentences{"rows and columns of an offset are in each other's place in the index"});
  EXPECT_EQ(with_row([](const Window& w, Position rows, Position columns) {
              return right_row(w, rows, columns) + (rows == 2 && columns == 3 ? -2 : 0);
            }),
            Sentences{});
}

TEST(WindowDeviations, name_heads_in_another_order) {
  const auto of_heads = [](const Function<std::size_t(std::size_t head)>& other) {
    return said_of([other](const Window& w, Position rows, Position columns, std::size_t head) {
      return w.at(right_row(w, rows, columns), other(head));
    });
  };
  EXPECT_EQ(of_heads([](std::size_t head) { return 2 - head; }),
            Sentences{"the same after one permutation of heads: in reverse order"});
  EXPECT_EQ(of_heads([](std::size_t) { return std::size_t{0}; }), Sentences{"every head is the first"});
  EXPECT_EQ(of_heads([](std::size_t head) { return (head + 2) % 3; }),
            Sentences{"every head is the one before, the first the last"});
  EXPECT_EQ(of_heads([](std::size_t head) { return (head + 1) % 3; }),
            Sentences{"every head is the one after, the last the first"});
  EXPECT_EQ(said_of([](const Window& w, Position rows, Position columns, std::size_t head) {
              return w.table.at(head * static_cast<std::size_t>(w.offsets()) +
                                static_cast<std::size_t>(right_row(w, rows, columns)));
            }),
            Sentences{"the table is read as one of heads by offsets, not of offsets by heads"});
}

// The bias of all tokens of a window of three rows of four, written down and read otherwise.
TEST(WindowDeviations, name_axes_of_the_bias_in_each_others_place) {
  const auto read = [](const Function<std::size_t(std::size_t q, std::size_t k, std::size_t head)>& at) {
    return said("relative_table", standard, [at](const Parameters& parameters) -> Encoding {
      Bias out = as<Bias>(encoding_named("relative_table").make(parameters));
      std::vector<Position> window;
      for (Position n = 0; n < 12; ++n) window.insert(window.end(), {n / 4, n % 4});
      const Tensor by_head = out.bias(Positions(std::span(window), 2), Positions(std::span(window), 2));
      std::vector<double> written;  // [query, key, head]
      for (std::size_t q = 0; q < 12; ++q)
        for (std::size_t k = 0; k < 12; ++k)
          for (std::size_t head = 0; head < 3; ++head) written.push_back(by_head.at(head * 12 + q, k));
      out.bias = [=](const Positions& queries, const Positions& keys) {
        const auto number = [](const Positions& all, std::size_t n) {
          return static_cast<std::size_t>(4 * all.at(n, 0) + all.at(n, 1));
        };
        Tensor to({3, queries.size(), keys.size()});
        for (std::size_t r = 0; r < to.rows(); ++r)
          for (std::size_t c = 0; c < keys.size(); ++c)
            to.at(r, c) =
                written.at(at(number(queries, r % queries.size()), number(keys, c), r / queries.size()));
        return to;
      };
      return out;
    });
  };
  using N = std::size_t;
  EXPECT_EQ(read([](N q, N k, N head) { return (q * 12 + k) * 3 + head; }), Sentences{});
  EXPECT_EQ(read([](N q, N k, N head) { return (head * 12 + q) * 12 + k; }),
            Sentences{"the bias lies as [queries, keys, heads] and is read as [heads, queries, keys]"});
  EXPECT_EQ(read([](N q, N k, N head) { return (q * 3 + head) * 12 + k; }),
            Sentences{"the bias lies as [queries, keys, heads] and is read as [queries, heads, keys]"});
  EXPECT_EQ(read([](N q, N k, N head) { return (k * 12 + head) * 3 + q % 3; }), Sentences{});
}

// Heads of one shard in the place of those of another, and what no declared head is.
TEST(HeadDeviation, names_heads_that_are_others) {
  using N = std::size_t;
  const auto of = [](const Function<double(N head)>& factor, const Function<N(N head)>& other) {
    return said_of(
        [=](const Window& window, Position rows, Position columns, N head) {
          return factor(head) * window.at(right_row(window, rows, columns), other(head));
        },
        "height=3 width=4 heads=4 table=seeded");
  };
  const auto once = [](N) { return 1.0; };
  EXPECT_EQ(of(once, [](N head) { return head % 2; }),
            Sentences{"the second half of the heads is the first again"});
  EXPECT_EQ(of(once, [](N head) { return head ^ 1; }),
            Sentences{"the same after one permutation of heads: neighbours are swapped"});
  EXPECT_EQ(of([](N head) { return head < 2 ? 1.0 : 0.0; }, [](N head) { return head; }),
            Sentences{"heads 2 and 3 of 4: the answer is 0"});
  EXPECT_EQ(of(once, [](N head) { return head; }), Sentences{});
  EXPECT_EQ(said_of(
                [](const Window& window, Position rows, Position columns, N head) {
                  return window.at(right_row(window, rows, columns), head) +
                         (head == 3 ? window.at(right_row(window, rows, columns), 0) : 0);
                },
                "height=3 width=4 heads=4 table=seeded"),
            Sentences{});
}

TEST(WindowDeviations, are_none_of_a_line_or_of_many_rows) {
  const auto none = [](const std::string& words) {
    const EncodingSpec& spec = encoding_named("relative_table");
    const Parameters parameters = with(spec, Case::parse(words));
    return window_deviations(spec.make<Bias>(parameters), parameters).empty();
  };
  EXPECT_TRUE(none("axes=line"));
  EXPECT_TRUE(none("height=65"));
  EXPECT_FALSE(none("height=64 width=2"));
}

// A class token has no offset, and what is declared for it stays.
TEST(WindowDeviations, are_said_of_tokens_beside_a_class_token) {
  EXPECT_EQ(said("relative_table", "height=3 width=2 heads=2 class_token=three_rows",
                 [](const Parameters& parameters) -> Encoding {
                   Bias out = as<Bias>(encoding_named("relative_table").make(parameters));
                   out.bias = [own = out.bias](const Positions& queries, const Positions& keys) {
                     Tensor to = own(queries, keys);
                     for (std::size_t r = 0; r < to.rows(); ++r)
                       for (std::size_t c = 0; c < keys.size(); ++c) {
                         const std::size_t i = r % queries.size();
                         if (std::min({queries.at(i, 0), queries.at(i, 1), keys.at(c, 0), keys.at(c, 1)}) < 0)
                           continue;
                         const double rows = std::abs(queries.at(i, 0) - keys.at(c, 0)),
                                      columns = queries.at(i, 1) - keys.at(c, 1);
                         to.at(r, c) =
                             (rows + 2) * 3 + columns + 1 + 18.0 * static_cast<double>(r / queries.size());
                       }
                     return to;
                   };
                   return out;
                 }),
            Sentences{"the offset of rows has no sign"});
}

}  // namespace
}  // namespace posproof::window_deviations_test
