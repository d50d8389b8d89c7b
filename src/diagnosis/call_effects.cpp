#include "diagnosis/call_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "core/formats.h"
#include "diagnosis/measured_words.h"

namespace posproof {
namespace {

using Other = std::function<Position(const TokenOf&)>;

TokenPositions changed(const TokenPositions& given, std::size_t batch, const Other& other, std::size_t head,
                       std::size_t heads) {
  TokenPositions out = given;
  const std::size_t all = given.whole.size() / given.axes, tokens = batch == 0 ? 0 : all / batch;
  for (std::size_t axis = 0; axis < given.axes; ++axis) {
    std::vector<Position> own(all);
    for (std::size_t n = 0; n < all; ++n) own[n] = given.whole[n * given.axes + axis];
    for (std::size_t n = 0; n < all; ++n)
      out.whole[n * given.axes + axis] =
          other({n / tokens, n % tokens, tokens, batch, own[n], own, head, heads});
  }
  return out;
}

Position rounded(Position t, int digits) {
  const auto value = static_cast<double>(t);
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return static_cast<Position>(std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits));
}

Effect always(std::string words, Instead::How how) {
  return {std::move(words), [how] {
            return [how](const Call& call, std::size_t, std::size_t) { return Instead{call, how}; };
          }};
}

// The same of another call.
Effect changing(std::string words, const std::function<void(Call&)>& change) {
  return {std::move(words), [change] {
            return [change](const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              change(out.call);
              return out;
            };
          }};
}

// ---- of one call

std::vector<Effect> of_positions() {
  using T = const TokenOf&;
  std::vector<Effect> out = {
      effect_on_positions("positions count as 0", [](T) { return Position{0}; }),
      effect_on_positions("positions are one ahead", [](T t) { return t.at + 1; }),
      effect_on_positions("positions are one behind", [](T t) { return t.at - 1; }),
      effect_on_positions("positions are one behind, 0 as it is",
                          [](T t) { return t.at == 0 ? t.at : t.at - 1; }),
      effect_on_positions("positions are two ahead", [](T t) { return t.at + 2; }),
      effect_on_positions("positions count as 1", [](T) { return Position{1}; }),
      effect_on_positions("positions are doubled", [](T t) { return 2 * t.at; }),
      effect_on_positions("positions are tripled", [](T t) { return 3 * t.at; }),
      effect_on_positions("positions are halved, rounded down",
                          [](T t) { return t.at >= 0 ? t.at / 2 : -((1 - t.at) / 2); }),
      effect_on_positions("positions have the other sign", [](T t) { return -t.at; }),
      effect_on_positions("tokens are numbered from 0 in each row, whatever their positions",
                          [](T t) { return static_cast<Position>(t.token); }),
      effect_on_positions("tokens are numbered from 1 in each row, whatever their positions",
                          [](T t) { return static_cast<Position>(t.token + 1); }),
      effect_on_positions("tokens are numbered from 0 through the whole batch, whatever their positions",
                          [](T t) { return static_cast<Position>(t.row * t.tokens + t.token); }),
      effect_on_positions("tokens are numbered from the last to the first, whatever their positions",
                          [](T t) { return static_cast<Position>(t.tokens - 1 - t.token); }),
      effect_on_positions("tokens count on from the first of their row",
                          [](T t) { return t.first() + static_cast<Position>(t.token); }),
      effect_on_positions("tokens count on from the first of the batch",
                          [](T t) { return t.all.front() + static_cast<Position>(t.token); }),
      effect_on_positions("positions are relative to the first of their row",
                          [](T t) { return t.at - t.first(); }),
      effect_on_positions("positions are relative to the last of their row",
                          [](T t) { return t.at - t.last(); }),
      effect_on_positions("positions are relative to the smallest of their row",
                          [](T t) { return t.at - *std::ranges::min_element(t.of_row()); }),
      effect_on_positions("positions are relative to the smallest of the batch",
                          [](T t) { return t.at - *std::ranges::min_element(t.all); }),
      effect_on_positions("positions of a row are sorted, the smallest first",
                          [](T t) {
                            std::vector<Position> rising(t.of_row().begin(), t.of_row().end());
                            std::ranges::sort(rising);
                            return rising[t.token];
                          }),
      effect_on_positions("every token has the position of the first of its row",
                          [](T t) { return t.first(); }),
      effect_on_positions("every token has the position of the last of its row",
                          [](T t) { return t.last(); }),
      effect_on_positions("every token has the position of the first of the batch",
                          [](T t) { return t.all.front(); }),
      effect_on_positions("every token has the largest position of the batch",
                          [](T t) { return *std::ranges::max_element(t.all); }),
      effect_on_positions("every token has the smallest position of the batch",
                          [](T t) { return *std::ranges::min_element(t.all); }),
      effect_on_positions("every token has the largest position of its row",
                          [](T t) { return *std::ranges::max_element(t.of_row()); }),
      effect_on_positions("positions count as the number of tokens in the row",
                          [](T t) { return static_cast<Position>(t.tokens); }),
      effect_on_positions("positions count as the number of tokens in the row, less one",
                          [](T t) { return static_cast<Position>(t.tokens) - 1; }),
      effect_on_positions("positions past n - 1 count as n - 1, n being the number of tokens in the row",
                          [](T t) { return std::min(t.at, static_cast<Position>(t.tokens) - 1); }),
      effect_on_positions("positions are taken modulo the number of tokens in the row",
                          [](T t) {
                            const auto n = static_cast<Position>(t.tokens);
                            return ((t.at % n) + n) % n;
                          }),
      effect_on_positions("the number of the token is added to its position",
                          [](T t) { return t.at + static_cast<Position>(t.token); }),
      effect_on_positions("the number of tokens is added to every position",
                          [](T t) { return t.at + static_cast<Position>(t.tokens); }),
      effect_on_positions("the number of the batch row is added to every position",
                          [](T t) { return t.at + static_cast<Position>(t.row); }),
      effect_on_positions("batch rows after the first have their tokens at position 0",
                          [](T t) { return t.row == 0 ? t.at : Position{0}; }),
      effect_on_positions("every row of the batch has the positions of the first",
                          [](T t) { return t.all[t.token]; }),
      effect_on_positions("every row of the batch has the positions of the last",
                          [](T t) { return t.all[(t.batch - 1) * t.tokens + t.token]; }),
      effect_on_positions("every token has the largest position that stands at its place in a row",
                          [](T t) {
                            Position most = t.at;
                            for (std::size_t row = 0; row < t.batch; ++row)
                              most = std::max(most, t.all[row * t.tokens + t.token]);
                            return most;
                          }),
      effect_on_positions("rows of the batch have each other's positions, in reverse order",
                          [](T t) { return t.all[(t.batch - 1 - t.row) * t.tokens + t.token]; }),
      effect_on_positions("every row of the batch has the positions of the row before, the first of the last",
                          [](T t) { return t.all[(t.row + t.batch - 1) % t.batch * t.tokens + t.token]; }),
      effect_on_positions("tokens of a row have each other's positions, in reverse order",
                          [](T t) { return t.all[t.row * t.tokens + t.tokens - 1 - t.token]; }),
      effect_on_positions("every token has the position of the one before it in its row",
                          [](T t) { return t.all[t.row * t.tokens + (t.token == 0 ? 0 : t.token - 1)]; }),
      effect_on_positions("every token has the position of the one after it in its row",
                          [](T t) { return t.all[t.row * t.tokens + std::min(t.token + 1, t.tokens - 1)]; }),
      effect_on_positions("positions are read column by column where they lie row by row",
                          [](T t) { return t.all[t.token * t.batch + t.row]; }),
      effect_on_positions("where the number of tokens is a multiple of 16, the first two of 16 have each "
                          "other's positions",
                          [](T t) {
                            const std::size_t n = t.row * t.tokens + t.token;
                            if (t.tokens % 16 != 0 || n % 16 > 1) return t.at;
                            return t.all[n % 16 == 0 ? n + 1 : n - 1];
                          }),
      effect_on_positions("positions are cut to 16 bits, with a sign",
                          [](T t) { return static_cast<Position>(static_cast<std::int16_t>(t.at)); }),
      effect_on_positions("positions are rounded to bf16: from 257 on neighbours coincide",
                          [](T t) { return rounded(t.at, 8); }),
      effect_on_positions(
          "positions are rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide",
          [](T t) { return rounded(t.at, 11); })};
  for (const Position step : {2, 4, 8, 16, 32})
    out.push_back(effect_on_positions(fmt::format("positions are rounded down to multiples of {}", step),
                                      [step](T t) { return t.at - ((t.at % step) + step) % step; }));
  return out;
}

std::vector<Effect> of_heads() {
  using T = const TokenOf&;
  return {effect_on_positions(
              "the number of the head is added to every position",
              [](T t) { return t.at + static_cast<Position>(t.head); }, true),
          effect_on_positions(
              "the number of the head stands for every position",
              [](T t) { return static_cast<Position>(t.head); }, true),
          effect_on_positions(
              "token n of head h has the position of token (h n_all + n) / heads mod n_all",
              [](T t) {
                const std::size_t other = (t.head * t.tokens + t.token) / t.heads % t.tokens;
                return t.all[t.row * t.tokens + other];
              },
              true)};
}

// Of positions that are no whole numbers.
Effect effect_on_reals(std::string words, double (*other)(double)) {
  return changing(std::move(words), [other](Call& call) {
    for (double& t : call.positions.real) t = other(t);
  });
}

// Code is given positions in f32.
std::vector<Effect> of_reals() {
  return {effect_on_reals("positions are rounded down to whole numbers",
                          [](double t) { return std::floor(to_f32(t)); }),
          effect_on_reals("positions are cut to whole numbers, towards 0",
                          [](double t) { return std::trunc(to_f32(t)); }),
          effect_on_reals("positions are rounded to whole numbers",
                          [](double t) { return std::nearbyint(to_f32(t)); }),
          effect_on_reals("positions are rounded to bf16", [](double t) { return to_bf16(to_f32(t)); }),
          effect_on_reals("positions are rounded to f16", [](double t) { return to_f16(to_f32(t)); }),
          effect_on_reals("positions are one ahead", [](double t) { return t + 1; }),
          effect_on_reals("positions are one behind", [](double t) { return t - 1; }),
          effect_on_reals("positions are doubled", [](double t) { return 2 * t; }),
          effect_on_reals("positions are halved", [](double t) { return t / 2; }),
          effect_on_reals("positions are a thousand times as large", [](double t) { return 1000 * t; }),
          effect_on_reals("positions are a thousandth", [](double t) { return t / 1000; }),
          effect_on_reals("positions have the other sign", [](double t) { return -t; }),
          effect_on_reals("positions count as 0", [](double) { return 0.0; })};
}

// ---- of what was asked before

std::vector<Effect> of_memory() {
  const auto remembering = [](std::string words, auto make) {
    return Effect{std::move(words), [make] { return Steps(make()); }};
  };
  const auto after_first = [](auto other) {
    return [other] {
      return [other, before = std::make_shared<std::vector<Position>>(), calls = std::make_shared<int>(0)](
                 const Call& call, std::size_t, std::size_t) {
        Instead out{call};
        const bool single = call.positions.whole.size() == call.batch;
        if (*calls > 0 && single) other(out.call.positions.whole, *before);
        ++*calls;
        *before = call.positions.whole;
        return out;
      };
    };
  };
  using All = std::vector<Position>;
  using Shape = std::pair<std::size_t, std::size_t>;  // rows, tokens in all
  const auto shape_of = [](const Call& call) { return Shape{call.batch, call.positions.whole.size()}; };
  // The first call with such a key decides.
  const auto first_of = [](auto key_of) {
    return [key_of] {
      return [key_of, first = std::make_shared<std::map<Shape, All>>()](const Call& call, std::size_t,
                                                                        std::size_t) {
        Instead out{call};
        out.call.positions.whole = first->try_emplace(key_of(call), call.positions.whole).first->second;
        return out;
      };
    };
  };
  // Kept until a call renews them.
  const auto kept_until = [](auto renews) {
    return [renews] {
      return [renews, kept = std::make_shared<Call>()](const Call& call, std::size_t, std::size_t) {
        if (renews(call, *kept)) *kept = call;
        Instead out{call};
        out.call.positions = kept->positions;
        return out;
      };
    };
  };
  return {
      remembering("after the first call a single token counts as 0",
                  after_first([](All& all, const All&) { std::ranges::fill(all, Position{0}); })),
      remembering("the first call with so many tokens decides on the positions of all later ones",
                  first_of([](const Call& call) {
                    return Shape{0, call.positions.whole.size()};
                  })),
      remembering("the first call with so many rows and tokens decides on the positions of all later ones",
                  first_of(shape_of)),
      remembering(
          "positions stay as long as calls have the same number of rows and tokens",
          kept_until([=](const Call& call, const Call& kept) { return shape_of(call) != shape_of(kept); })),
      remembering(
          "positions of queries stay for keys, as long as those have the same number of rows and tokens",
          kept_until([=](const Call& call, const Call& kept) {
            return call.role == Role::query || shape_of(call) != shape_of(kept);
          })),
      remembering("every call counts on where the one before ended",
                  [] {
                    return
                        [next = std::make_shared<Position>(0)](const Call& call, std::size_t, std::size_t) {
                          Instead out{call};
                          for (Position& t : out.call.positions.whole) t += *next;
                          if (!out.call.positions.whole.empty()) *next = out.call.positions.whole.back() + 1;
                          return out;
                        };
                  }),
      remembering("the number of tokens of all calls before is added to every position", [] {
        return [seen = std::make_shared<Position>(0)](const Call& call, std::size_t, std::size_t) {
          Instead out{call};
          for (Position& t : out.call.positions.whole) t += *seen;
          *seen += call.batch == 0 ? 0 : static_cast<Position>(call.positions.whole.size() / call.batch);
          return out;
        };
      })};
}

// Where the rows depend on how long the sequence is.
std::vector<Effect> of_lengths() {
  const auto taking = [](std::string words, std::function<Position(const Call&)> length) {
    return changing(std::move(words), [length](Call& call) { call.length = length(call); });
  };
  return {taking("the number of tokens of the call counts as the length of the sequence",
                 [](const Call& call) { return static_cast<Position>(call.positions.whole.size()); }),
          taking("the largest position and one counts as the length of the sequence",
                 [](const Call& call) {
                   const auto& all = call.positions.whole;
                   return all.empty() ? call.length : *std::ranges::max_element(all) + 1;
                 }),
          taking("the length of the sequence counts as one more",
                 [](const Call& call) { return call.length + 1; }),
          taking("the length of the sequence counts as one less",
                 [](const Call& call) { return call.length - 1; })};
}

std::vector<Effect> of_keys() {
  using T = const TokenOf&;
  return {effect_on_keys("keys count as 0", [](T) { return Position{0}; }),
          effect_on_keys("keys are one ahead", [](T t) { return t.at + 1; }),
          effect_on_keys("keys are one behind", [](T t) { return t.at - 1; }),
          effect_on_keys("keys are numbered from 0, whatever their positions",
                         [](T t) { return static_cast<Position>(t.token); })};
}

}  // namespace

Effect effect_on_positions(std::string words, Other other, bool by_head) {
  return {std::move(words),
          [other = std::move(other)] {
            return [other](const Call& call, std::size_t head, std::size_t heads) {
              Instead out{call};
              out.call.positions = changed(call.positions, call.batch, other, head, heads);
              return out;
            };
          },
          by_head};
}

Effect effect_on_keys(std::string words, Other other) {
  return {std::move(words), [other = std::move(other)] {
            return [other](const Call& call, std::size_t head, std::size_t heads) {
              Instead out{call};
              out.call.keys = changed(call.keys, 1, other, head, heads);
              return out;
            };
          }};
}

namespace {

// On queries and keys at once, for kinds where both have positions.
Effect on_both(std::string words, const Other& other) {
  return {std::move(words), [other] {
            return [other](const Call& call, std::size_t head, std::size_t heads) {
              Instead out{call};
              out.call.positions = changed(call.positions, call.batch, other, head, heads);
              out.call.keys = changed(call.keys, 1, other, head, heads);
              return out;
            };
          }};
}

}  // namespace

std::vector<Effect> known_effects(bool keys, bool heads_of_tokens) {
  std::vector<Effect> out;
  const auto add = [&out](std::vector<Effect> more) {
    for (Effect& one : more) out.push_back(std::move(one));
  };
  if (heads_of_tokens)
    out.push_back(always("tokens stay as they are, as at position 0", Instead::How::left_alone));
  out.push_back(always("the answer is 0", Instead::How::zeros));
  out.push_back(always("the answer is no number", Instead::How::no_numbers));
  std::vector<Effect> positions = of_positions();
  if (keys)
    for (Effect& one : positions) one.words = "of queries: " + one.words;
  add(std::move(positions));
  if (heads_of_tokens) add(of_heads());
  if (!keys) add(of_reals());
  add(of_memory());
  if (!keys && !heads_of_tokens) add(of_lengths());
  if (keys) {
    add(of_keys());
    using T = const TokenOf&;
    add({on_both("queries and keys are numbered from 0, whatever their positions",
                 [](T t) { return static_cast<Position>(t.token); }),
         on_both("queries and keys have their positions rounded to bf16",
                 [](T t) { return rounded(t.at, 8); })});
  }
  return out;
}

namespace {

// Whether a query sees a key in the place of what the mask says.
using Sees = std::function<bool(const Mask& mask, std::size_t query, std::size_t key)>;

// Keys at the end that no query sees.
bool is_padding(const Mask& mask) {
  return mask.rows() > 0 && mask.width() > 0 && mask.at(mask.rows() - 1, mask.width() - 1) == 0;
}

// A query that would see no key sees what the mask says: no softmax is over none.
Effect effect_on_mask(std::string words, const Sees& sees) {
  return {std::move(words), [sees] {
            return [sees](const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              for (std::size_t i = 0; i < call.mask.rows(); ++i) {
                bool any = false;
                for (std::size_t j = 0; j < call.mask.width(); ++j) any = any || sees(call.mask, i, j);
                for (std::size_t j = 0; any && j < call.mask.width(); ++j)
                  out.call.mask.at(i, j) = sees(call.mask, i, j) ? 1 : 0;
              }
              return out;
            };
          }};
}

Effect effect_on_queries(std::string words, double (*factor)(double root_of_width)) {
  return changing(std::move(words), [factor](Call& call) {
    Tensor& q = call.contents.front();
    const double by = factor(std::sqrt(static_cast<double>(q.width())));
    for (double& x : q.data) x *= by;
  });
}

}  // namespace

std::vector<Effect> effects_on_operands() {
  using M = const Mask&;
  using N = std::size_t;
  return {always("the answer is 0", Instead::How::zeros),
          always("the answer is no number", Instead::How::no_numbers),
          effect_on_mask("the mask is ignored: every key is seen", [](M, N, N) { return true; }),
          effect_on_mask("the mask is taken for a causal one: every key up to the query's own is seen",
                         [](M, N i, N j) { return j <= i; }),
          effect_on_mask("a padding mask is ignored: every key is seen",
                         [](M mask, N i, N j) { return mask.at(i, j) != 0 || is_padding(mask); }),
          effect_on_mask("a padding mask is taken for a causal one",
                         [](M mask, N i, N j) { return is_padding(mask) ? j <= i : mask.at(i, j) != 0; }),
          effect_on_mask("keys after the query are hidden, whatever the mask says",
                         [](M mask, N i, N j) { return mask.at(i, j) != 0 && j <= i; }),
          effect_on_mask("the mask is inverted: hidden keys are seen, and no others",
                         [](M mask, N i, N j) { return mask.at(i, j) == 0; }),
          effect_on_mask("the query's own key is hidden",
                         [](M mask, N i, N j) { return mask.at(i, j) != 0 && j != i; }),
          effect_on_mask("the key after the query is seen, too",
                         [](M mask, N i, N j) { return mask.at(i, j) != 0 || j == i + 1; }),
          effect_on_mask(
              "the mask is transposed",
              [](M mask, N i, N j) { return j < mask.rows() && i < mask.width() && mask.at(j, i) != 0; }),
          effect_on_queries("products of query and key are not divided by the root of the width",
                            [](double root) { return root; }),
          effect_on_queries("products of query and key are divided by the root of the width twice",
                            [](double root) { return 1 / root; }),
          effect_on_queries("products of query and key have the other sign", [](double) { return -1.0; })};
}

std::vector<Effect> effects_at_the_ends(const Domain& domain) {
  using T = const TokenOf&;
  const Position first = domain.lo, last = domain.hi;
  return {effect_on_positions(fmt::format("positions are one behind, and 0 counts as the last one, {}", last),
                              [last](T t) { return t.at == 0 ? last : t.at - 1; }),
          effect_on_positions(fmt::format("positions are one ahead, the last one, {}, as it is", last),
                              [last](T t) { return std::min(last, t.at + 1); }),
          effect_on_positions(
              fmt::format("positions are one ahead, and the last one, {}, counts as {}", last, first),
              [first, last](T t) { return t.at == last ? first : t.at + 1; }),
          effect_on_positions(fmt::format("positions are counted back from the last one, {}", last),
                              [first, last](T t) { return first + (last - t.at); })};
}

namespace {

// On the numbers of each position of queries and of keys.
Effect effect_on_numbers(std::string words, const std::function<void(std::span<Position>)>& other) {
  return changing(std::move(words), [other](Call& call) {
    for (TokenPositions* all : {&call.positions, &call.keys})
      for (std::size_t n = 0; n < all->whole.size(); n += all->axes)
        other(std::span(all->whole).subspan(n, all->axes));
  });
}

}  // namespace

std::vector<Effect> effects_on_axes(const Domain& domain) {
  std::vector<Effect> out;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const std::string name(axis_name(axis, domain.axes));
    const Domain along = domain.on(axis);
    const auto add = [&](std::string_view is, const std::function<Position(Position)>& other) {
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

std::vector<Effect> effects_on_a_grid(const Domain& domain) {
  if (domain.axes != 2 || domain.lo != 0 || domain.last(0) == domain.last(1)) return {};
  const Position rows = domain.last(0) + 1, columns = domain.last(1) + 1;
  const auto reading =
      [&](std::string words,
          const std::function<void(Position number, Position & row, Position & column)>& other) {
        return effect_on_numbers(std::move(words), [=](std::span<Position> t) {
          if (t[0] >= 0 && t[1] >= 0) other(t[0] * columns + t[1], t[0], t[1]);
        });
      };
  const std::string numbered = fmt::format("tokens are numbered in rows of {}, and ", columns);
  return {reading(fmt::format("{}read in rows of {}", numbered, rows),
                  [rows](Position n, Position& row, Position& column) { row = n / rows, column = n % rows; }),
          reading(fmt::format("{}read in columns of {}", numbered, rows),
                  [rows](Position n, Position& row, Position& column) { row = n % rows, column = n / rows; }),
          reading(fmt::format("{}a number is divided by {} for its row", numbered, rows),
                  [rows](Position n, Position& row, Position&) { row = n / rows; }),
          reading(fmt::format("{}a number is taken modulo {} for its column", numbered, rows),
                  [rows](Position n, Position&, Position& column) { column = n % rows; })};
}

std::vector<Effect> effects_from(Position wrong, std::size_t axes) {
  const Position last = wrong - 1;
  std::vector<Effect> out;
  const auto add = [&](const std::string& words, const std::function<Position(Position)>& other) {
    out.push_back(effect_on_positions(words, [other](const TokenOf& t) { return other(t.at); }));
    for (std::size_t axis = 0; axes > 1 && axis < axes; ++axis)
      out.push_back(effect_on_numbers(fmt::format("of the {}: {}", axis_name(axis, axes), words),
                                      [axis, other](std::span<Position> t) { t[axis] = other(t[axis]); }));
  };
  add(fmt::format("positions past {0} count as {0}", last), [last](Position t) { return std::min(t, last); });
  if (wrong > 0)
    add(fmt::format("positions are taken modulo {}", wrong),
        [wrong](Position t) { return ((t % wrong) + wrong) % wrong; });
  add(fmt::format("positions past {} count as 0", last),
      [last](Position t) { return t > last ? Position{0} : t; });
  return out;
}

std::vector<Effect> effects_on_reals_from(Position wrong) {
  const auto last = static_cast<double>(wrong - 1);
  return {changing(fmt::format("positions past {0} count as {0}", wrong - 1), [last](Call& call) {
    for (double& t : call.positions.real) t = std::min(t, last);
  })};
}

}  // namespace posproof
