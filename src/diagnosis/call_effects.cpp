#include "diagnosis/call_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/clipped_formats.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/memory_effects.h"
#include "diagnosis/position_effects.h"

namespace posproof {
namespace {

using Other = Function<Position(const TokenOf&)>;

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

}  // namespace

Effect effect_always(std::string words, Instead::How how) {
  return {std::move(words),
          [how] { return [how](const Call& call, std::size_t, std::size_t) {
                    return Instead{call, how};
                  }; },
          false,
          {},
          how != Instead::How::encoded};
}

// The same of another call.
Effect effect_on_calls(std::string words, const Function<void(Call&)>& change) {
  return {std::move(words), [change] {
            return [change](const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              change(out.call);
              return out;
            };
          }};
}

// On the numbers of each position of queries and of keys.
Effect effect_on_numbers(std::string words, const Function<void(std::span<Position>)>& other) {
  return effect_on_calls(std::move(words), [other](Call& call) {
    for (TokenPositions* all : {&call.positions, &call.keys})
      for (std::size_t n = 0; n < all->whole.size(); n += all->axes)
        other(std::span(all->whole).subspan(n, all->axes));
  });
}

namespace {

// ---- of one call

// Of positions that are no whole numbers.
Effect effect_on_reals(std::string words, const Function<double(double)>& other) {
  return effect_on_calls(std::move(words), [other](Call& call) {
    for (double& t : call.positions.real) t = other(t);
  });
}

// Of positions that are no whole numbers, each in the place of another of the call.
Effect effect_on_real_tokens(std::string words, std::size_t (*other)(std::size_t token, std::size_t tokens)) {
  return effect_on_calls(std::move(words), [other](Call& call) {
    const std::vector<double> given = call.positions.real;
    const std::size_t axes = call.positions.axes, tokens = given.size() / axes;
    for (std::size_t n = 0; n < given.size(); ++n)
      call.positions.real[n] = given[other(n / axes, tokens) * axes + n % axes];
  });
}

// Code is given positions in f32.
std::vector<Effect> of_reals() {
  using N = std::size_t;
  return {effect_on_real_tokens("every row has the position of the first", [](N, N) { return N{0}; }),
          effect_on_real_tokens("every row has the position of the last", [](N, N all) { return all - 1; }),
          effect_on_real_tokens("every row has the position of the one before it, the first its own",
                                [](N n, N) { return n == 0 ? n : n - 1; }),
          effect_on_real_tokens("rows have each other's positions, in reverse order",
                                [](N n, N all) { return all - 1 - n; }),
          effect_on_reals("positions are rounded down to whole numbers",
                          [](double t) { return std::floor(to_f32(t)); }),
          effect_on_reals("positions are cut to whole numbers, towards 0",
                          [](double t) { return std::trunc(to_f32(t)); }),
          effect_on_reals("positions are rounded to whole numbers",
                          [](double t) { return std::nearbyint(to_f32(t)); }),
          effect_on_reals("positions are rounded to bf16", [](double t) { return to_bf16(to_f32(t)); }),
          effect_on_reals("positions are rounded to f16", [](double t) { return to_f16(to_f32(t)); }),
          effect_on_reals("positions are rounded to f16, and past 65504 they count as that",
                          [](double t) { return to_f16_at_most(to_f32(t)); }),
          effect_on_reals("positions are one ahead", [](double t) { return t + 1; }),
          effect_on_reals("positions are one behind", [](double t) { return t - 1; }),
          effect_on_reals("positions are doubled", [](double t) { return 2 * t; }),
          effect_on_reals("positions are halved", [](double t) { return t / 2; }),
          effect_on_reals("positions are a thousand times as large", [](double t) { return 1000 * t; }),
          effect_on_reals("positions are a thousandth", [](double t) { return t / 1000; }),
          effect_on_reals("positions have the other sign", [](double t) { return -t; }),
          effect_on_reals("positions have no sign", [](double t) { return std::abs(t); }),
          effect_on_reals("negative positions count as 0", [](double t) { return std::max(t, 0.0); }),
          effect_on_reals("positions count as 0", [](double) { return 0.0; })};
}

// ---- of what the call says beside its positions

Position largest_and_one(const Call& call) {
  const auto& all = call.positions.whole;
  return all.empty() ? call.length : *std::ranges::max_element(all) + 1;
}

// Where the rows depend on how long the sequence is.
std::vector<Effect> of_lengths() {
  const auto taking = [](std::string words, Function<Position(const Call&)> length) {
    return effect_on_calls(std::move(words), [length](Call& call) { call.length = length(call); });
  };
  return {
      taking("the number of tokens of the call counts as the length of the sequence",
             [](const Call& call) { return static_cast<Position>(call.positions.whole.size()); }),
      taking("the largest position and one counts as the length of the sequence",
             [](const Call& call) { return largest_and_one(call); }),
      // A share of the largest position, which is divided by 1 where that is 0, or by 0.
      taking("the largest position and one counts as the length of the sequence, which is 2 where all are 0",
             [](const Call& call) { return std::max(largest_and_one(call), Position{2}); }),
      {"the largest position and one counts as the length of the sequence, and where all are 0 the answer "
       "is no number",
       [] {
         return [](const Call& call, std::size_t, std::size_t) {
           Instead out{call};
           out.call.length = std::max(largest_and_one(call), Position{2});
           if (largest_and_one(call) == 1) out.how = Instead::How::no_numbers;
           return out;
         };
       }},
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
                         [](T t) { return static_cast<Position>(t.token); }),
          effect_on_keys("the last key of a call has the position of the one before",
                         [](T t) {
                           const bool last = t.tokens > 1 && t.token + 1 == t.tokens;
                           return last ? t.of_row()[t.token - 1] : t.at;
                         }),
          effect_on_keys("the first key of a call has the position of the one behind",
                         [](T t) { return t.tokens > 1 && t.token == 0 ? t.of_row()[1] : t.at; })};
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

// As a program that aligns the last query with the last key counts, in prefill and in decode alike.
Effect numbered_to_the_last_key() {
  return effect_on_calls("queries and keys are numbered from 0, the last query as the last key",
                         [](Call& call) {
                           const auto nq = static_cast<Position>(call.positions.whole.size()),
                                      nk = static_cast<Position>(call.keys.whole.size());
                           std::iota(call.positions.whole.begin(), call.positions.whole.end(), nk - nq);
                           std::iota(call.keys.whole.begin(), call.keys.whole.end(), Position{0});
                         });
}

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
    out.push_back(effect_always("tokens stay as they are, as at position 0", Instead::How::left_alone));
  out.push_back(effect_always("the answer is 0", Instead::How::zeros));
  out.push_back(effect_always("the answer is no number", Instead::How::no_numbers));
  std::vector<Effect> positions = effects_of_row_positions();
  if (keys)
    for (Effect& one : positions) one.words = "of queries: " + one.words;
  add(std::move(positions));
  if (heads_of_tokens) add(effects_of_head_positions());
  if (!keys) add(of_reals());
  add(effects_of_memory());
  if (!keys && !heads_of_tokens) add(of_lengths());
  if (keys) {
    add(of_keys());
    using T = const TokenOf&;
    add({on_both("queries and keys are numbered from 0, whatever their positions",
                 [](T t) { return static_cast<Position>(t.token); }),
         on_both("queries and keys have their positions rounded to bf16",
                 [](T t) { return rounded_to_digits(t.at, 8); }),
         numbered_to_the_last_key()});
  }
  return out;
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
          effect_on_positions(
              fmt::format("positions are rounded to bf16, and past the last one, {0}, count as {0}", last),
              [last](T t) { return std::min(last, rounded_to_digits(t.at, 8)); }),
          effect_on_positions(
              fmt::format("positions are rounded to 11 bits, as in f16 or tf32, and past the last one, {0}, "
                          "count as {0}",
                          last),
              [last](T t) { return std::min(last, rounded_to_digits(t.at, 11)); }),
          effect_on_positions(fmt::format("positions are counted back from the last one, {}", last),
                              [first, last](T t) { return first + (last - t.at); })};
}

std::vector<Effect> effects_from(Position wrong, std::size_t axes) {
  const Position last = wrong - 1;
  std::vector<Effect> out;
  const auto add = [&](const std::string& words, const Function<Position(Position)>& other) {
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
  // An integer of few bits, of which the highest is the sign; or a product with a stride that is in one.
  if (wrong >= 128 && std::has_single_bit(static_cast<std::uint64_t>(wrong))) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(wrong)));
    add(bits == 8 || bits == 16 || bits == 32
            ? fmt::format("positions are cut to {} bits, with a sign: {} counts as {}", bits, wrong, -wrong)
            : fmt::format(
                  "positions wrap as a number with a sign, {0} to -{0}: a product with them overflows",
                  wrong),
        [wrong](Position t) { return ((t + wrong) % (2 * wrong) + 2 * wrong) % (2 * wrong) - wrong; });
  }
  // Tokens are numbered row by row, in rows of so many, and the number is divided again.
  if (axes == 2 && wrong > 1)
    out.push_back(effect_on_numbers(
        fmt::format("tokens are numbered in rows of {0}: column {0} is the first one of the next row", wrong),
        [wrong](std::span<Position> t) {
          if (t[0] >= 0 && t[1] >= 0) t[0] += t[1] / wrong, t[1] %= wrong;
        }));
  // A cache that has so many tokens at most, whose number is taken for the next position.
  if (axes == 1)
    out.push_back(
        effect_on_positions(fmt::format("tokens count on from {0} where their row begins past {0}", last),
                            [last](const TokenOf& t) {
                              return t.first() > last ? last + static_cast<Position>(t.token) : t.at;
                            }));
  // A cache whose first half is given up where it is full.
  if (wrong > 1 && wrong % 2 == 0)
    add(fmt::format("positions past {} are {} behind", last, wrong / 2),
        [last](Position t) { return t > last ? t - (last + 1) / 2 : t; });
  return out;
}

// Real positions in whole parts of 1, as fixed-point numbers or a table of so many rows have them.
std::vector<Effect> effects_on_reals() {
  std::vector<double> parts = {10, 100, 1000, 10000, 100000};
  for (double part = 2; part <= 65536; part *= 2) parts.push_back(part);
  const struct {
    const char* words;
    double (*to)(double);
  } ways[] = {{"rounded down to multiples of", &std::floor},
              {"cut to multiples of", &std::trunc},
              {"rounded to the nearest multiple of", &std::nearbyint}};
  std::vector<Effect> out;
  for (const auto& way : ways)
    for (const double part : parts)
      out.push_back(effect_on_reals(fmt::format("positions are {} 1/{:.0f}", way.words, part),
                                    [part, to = way.to](double t) { return to(to_f32(t) * part) / part; }));
  return out;
}

std::vector<Effect> effects_on_reals_from(Position wrong) {
  const auto last = static_cast<double>(wrong - 1);
  return {effect_on_calls(fmt::format("positions past {0} count as {0}", wrong - 1), [last](Call& call) {
    for (double& t : call.positions.real) t = std::min(t, last);
  })};
}

}  // namespace posproof
