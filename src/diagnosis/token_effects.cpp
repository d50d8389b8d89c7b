#include "diagnosis/token_effects.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/function.h"
#include "subject/arrays.h"

namespace posproof {
namespace {

struct Place {
  std::size_t row, head, token;
};

struct Sizes {
  std::size_t batch, heads, tokens;

  std::size_t flat(const Place& at) const { return (at.row * heads + at.head) * tokens + at.token; }
  Place place(std::size_t flat) const {
    return {flat / tokens / heads, flat / tokens % heads, flat % tokens};
  }
};

// The place whose content is answered at another.
using Other = Function<Place(const Place& at, const Sizes& sizes)>;

enum class ItsPosition { stays_behind, comes_along };

// As head `head` sees it, where heads differ in the positions that come along.
Call moved(const Call& call, const Other& other, ItsPosition position, std::size_t head) {
  Call out = call;
  const Tensor& from = call.contents.front();
  Tensor& to = out.contents.front();
  const Sizes sizes{from.shape[0], from.shape[1], from.shape[2]};
  const auto number = [&](const Place& at) { return at.row * sizes.tokens + at.token; };
  const std::size_t axes = call.positions.axes;
  for (std::size_t flat = 0; flat < from.rows(); ++flat) {
    const Place at = sizes.place(flat), there = other(at, sizes);
    for (std::size_t c = 0; c < from.width(); ++c) to.at(flat, c) = from.at(sizes.flat(there), c);
    if (position == ItsPosition::stays_behind || at.head != head || call.positions.whole.empty()) continue;
    for (std::size_t axis = 0; axis < axes; ++axis)
      out.positions.whole[number(at) * axes + axis] = call.positions.whole[number(there) * axes + axis];
  }
  return out;
}

// The content stays: each has the position of another.
Effect moving_positions(std::string words, Other other) {
  return {std::move(words),
          [other = std::move(other)] {
            return [other](const Call& call, std::size_t head, std::size_t) {
              Instead out{moved(call, other, ItsPosition::comes_along, head)};
              out.call.contents = call.contents;
              return out;
            };
          },
          true};
}

Effect moving(std::string words, Other other, ItsPosition position, bool by_head = false) {
  return {std::move(words),
          [other = std::move(other), position] {
            return [other, position](const Call& call, std::size_t head, std::size_t) {
              return Instead{moved(call, other, position, head)};
            };
          },
          by_head};
}

using P = const Place&;
using S = const Sizes&;

std::vector<Effect> of_heads() {
  const auto content = [](std::string words, Other other) {
    return moving(std::move(words), std::move(other), ItsPosition::stays_behind);
  };
  return {content("heads have each other's content, in reverse order",
                  [](P at, S all) {
                    return Place{at.row, all.heads - 1 - at.head, at.token};
                  }),
          content("every head has the content of the one before, the first that of the last",
                  [](P at, S all) {
                    return Place{at.row, (at.head + all.heads - 1) % all.heads, at.token};
                  }),
          content("every head has the content of the one after, the last that of the first",
                  [](P at, S all) {
                    return Place{at.row, (at.head + 1) % all.heads, at.token};
                  }),
          content("every head has the content of the first",
                  [](P at, S) {
                    return Place{at.row, 0, at.token};
                  }),
          content("every head has the content of the last", [](P at, S all) {
            return Place{at.row, all.heads - 1, at.token};
          })};
}

// Of a call's tokens as [batch, tokens]: what is answered, and what is rotated by the position that stands
// there.
std::vector<Effect> of_rows_and_tokens() {
  const struct {
    const char *answer, *content;
    Other other;
  } all[] = {
      {"rows of the batch have each other's answers, in reverse order",
       "rows of the batch have each other's content, in reverse order",
       [](P at, S of) {
         return Place{of.batch - 1 - at.row, at.head, at.token};
       }},
      {"every row of the batch is answered as the one before, the first as the last",
       "every row of the batch has the content of the one before, the first that of the last",
       [](P at, S of) {
         return Place{(at.row + of.batch - 1) % of.batch, at.head, at.token};
       }},
      {"every row of the batch is answered as the one after, the last as the first",
       "every row of the batch has the content of the one after, the last that of the first",
       [](P at, S of) {
         return Place{(at.row + 1) % of.batch, at.head, at.token};
       }},
      {"every row of the batch is answered as the first",
       "every row of the batch has the content of the first",
       [](P at, S) {
         return Place{0, at.head, at.token};
       }},
      {"every row of the batch is answered as the last", "every row of the batch has the content of the last",
       [](P at, S of) {
         return Place{of.batch - 1, at.head, at.token};
       }},
      {"tokens of a row have each other's answers, in reverse order",
       "tokens of a row have each other's content, in reverse order",
       [](P at, S of) {
         return Place{at.row, at.head, of.tokens - 1 - at.token};
       }},
      {"every token is answered as the one before it in its row, the first as the last",
       "every token has the content of the one before it in its row, the first that of the last",
       [](P at, S of) {
         return Place{at.row, at.head, (at.token + of.tokens - 1) % of.tokens};
       }},
      {"every token is answered as the one after it in its row, the last as the first",
       "every token has the content of the one after it in its row, the last that of the first",
       [](P at, S of) {
         return Place{at.row, at.head, (at.token + 1) % of.tokens};
       }},
      {"every token is answered as the first of its row",
       "every token has the content of the first of its row",
       [](P at, S) {
         return Place{at.row, at.head, 0};
       }},
      {"every token is answered as the last of its row", "every token has the content of the last of its row",
       [](P at, S of) {
         return Place{at.row, at.head, of.tokens - 1};
       }},
  };
  std::vector<Effect> out;
  for (const auto& one : all) {
    out.push_back(moving(one.answer, one.other, ItsPosition::comes_along));
    out.push_back(moving(one.content, one.other, ItsPosition::stays_behind));
  }
  return out;
}

// What lies as [batch, heads, n, dim] is read as [batch, n, heads, dim]: the place at which a token of a head
// is found.
Place as_tokens_of_heads(P at, S all) {
  const std::size_t flat = at.token * all.heads + at.head;
  return {at.row, flat / all.tokens, flat % all.tokens};
}

// And what lies so is read as [batch, heads, n, dim].
Place as_heads_of_tokens(P at, S all) {
  const std::size_t flat = at.head * all.tokens + at.token;
  return {at.row, flat % all.heads, flat / all.heads};
}

// What lies as [batch, heads, n, dim] is read as [heads, batch, n, dim], and the other way round.
Place as_rows_of_heads(P at, S all) {
  const std::size_t flat = at.head * all.batch + at.row;
  return {flat / all.heads, flat % all.heads, at.token};
}

Place as_heads_of_rows(P at, S all) {
  const std::size_t flat = at.row * all.heads + at.head;
  return {flat % all.batch, flat / all.batch, at.token};
}

std::vector<Effect> of_axes() {
  return {
      moving("the content is read as [heads, batch, n, dim]", as_rows_of_heads, ItsPosition::stays_behind),
      moving("the answer lies as [heads, batch, n, dim]", as_heads_of_rows, ItsPosition::comes_along, true),
      moving_positions("tokens are rotated as if they lay as [heads, batch, n, dim]", as_heads_of_rows),
      moving("the content is read as [batch, n, heads, dim]", as_tokens_of_heads, ItsPosition::stays_behind),
      moving("the answer lies as [batch, n, heads, dim]", as_heads_of_tokens, ItsPosition::comes_along,
             true)};
}

// Of packed rows: row b is given that which stands at b in the sorted ones, and not the one that went there.
Effect put_back_by_what_sorts_them() {
  return {
      "rows of the batch are sorted by their first position, and their answers put back by the permutation "
      "that sorts them instead of its inverse",
      [] {
        return [](const Call& call, std::size_t, std::size_t) {
          const std::vector<Position>& all = call.positions.whole;
          if (call.batch == 0 || all.empty() || call.contents.front().rows() == 0) return Instead{call};
          std::vector<std::size_t> order(call.batch);
          std::iota(order.begin(), order.end(), std::size_t{0});
          std::ranges::stable_sort(order, {},
                                   [&](std::size_t b) { return all[b * all.size() / call.batch]; });
          const Other there = [&order](P at, S) { return Place{order[order[at.row]], at.head, at.token}; };
          return Instead{moved(call, there, ItsPosition::comes_along, 0)};
        };
      }};
}

}  // namespace

std::vector<Effect> effects_on_tokens() {
  std::vector<Effect> out = of_heads();
  for (auto more : {of_rows_and_tokens(), of_axes()})
    for (Effect& one : more) out.push_back(std::move(one));
  out.push_back(put_back_by_what_sorts_them());
  return out;
}

namespace {

enum class Strides { transposed, sliced, all };

// What a kernel finds that is given the first element of x and takes rows of it to follow each other. Beside
// the rows of a slice stand two as wide, without a number.
Call read_as_contiguous(const Call& call, const Encoding& declared, Strides ignored) {
  const std::string_view lie = arrays_of(call, shape_of_answer(declared, call));
  if (lie == "transposed" && ignored != Strides::sliced)
    return moved(call, as_heads_of_tokens, ItsPosition::stays_behind, 0);
  if (lie != "slice" || ignored == Strides::transposed) return call;
  Call out = call;
  Tensor& x = out.contents.front();
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < x.width(); ++c)
      x.at(r, c) = r % 3 == 0 ? call.contents.front().at(r / 3, c) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace

std::vector<Effect> effects_of_strides(const Encoding& declared) {
  const auto ignoring = [&](std::string words, Strides ignored) {
    return effect_on_calls(std::move(words), [declared, ignored](Call& call) {
      call = read_as_contiguous(call, declared, ignored);
    });
  };
  return {ignoring("the strides of x are ignored: it is read as if it were contiguous", Strides::all),
          ignoring("where x lies in memory as [batch, n, heads, dim], it is read as if it were contiguous",
                   Strides::transposed),
          ignoring("where x is a slice of wider rows, it is read as if it were contiguous", Strides::sliced)};
}

}  // namespace posproof
