#include "diagnosis/position_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/failure.h"
#include "diagnosis/one_token.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

constexpr Position largest_step = 4096;

Position down(Position t, Position step) {
  return t - ((t % step) + step) % step;
}

Position up(Position t, Position step) {
  return -down(-t, step);
}

// Chunks of a sequence, whose first position is rounded.
std::vector<Effect> effects_on_chunks(Position step) {
  using T = const TokenOf&;
  using Round = Position (*)(Position, Position);
  std::vector<Effect> out;
  for (const auto& [words, to] : {std::pair<const char*, Round>{"down", &down}, {"up", &up}}) {
    out.push_back(effect_on_positions(
        fmt::format("tokens count on from the first position of their row, rounded {} to a multiple of {}",
                    words, step),
        [=, round = to](T t) { return round(t.first(), step) + static_cast<Position>(t.token); }));
    out.push_back(effect_on_positions(
        fmt::format(
            "the first position of a row is rounded {} to a multiple of {}, and the others of the row "
            "move with it",
            words, step),
        [=, round = to](T t) { return round(t.first(), step) + t.at - t.first(); }));
  }
  out.push_back(effect_on_positions(
      fmt::format("tokens count on from the first position of the batch, rounded down to a multiple of {}",
                  step),
      [=](T t) { return down(t.all.front(), step) + static_cast<Position>(t.token); }));
  return out;
}

// What a step may be, by how the subject answers at 1.
std::vector<Position> steps_of(const OneToken& one, Position last) {
  const Tensor first = one.given(1);
  if (one.is_that_of(first, 1)) return {};
  if (!one.is_that_of(first, 0)) {
    for (Position step = 2; step <= std::min(last, largest_step); ++step)
      if (one.is_that_of(first, step)) return {step};
    return {};
  }
  Position same = 1, other = 2;
  const auto is_as_at_0 = [&](Position t) { return one.is_that_of(one.given(t), 0); };
  while (other < last && is_as_at_0(other)) same = other, other *= 2;
  if (other > last) return {};
  while (other - same > 1) {
    const Position middle = same + (other - same) / 2;
    (is_as_at_0(middle) ? same : other) = middle;
  }
  return steps_from(other);
}

}  // namespace

std::vector<StepMap> step_maps(Position step) {
  std::vector<StepMap> out = {
      {fmt::format("rounded down to multiples of {}", step), [=](Position t) { return down(t, step); }},
      {fmt::format("rounded towards 0 to multiples of {}", step),
       [=](Position t) { return t / step * step; }},
      {fmt::format("rounded up to multiples of {}", step), [=](Position t) { return up(t, step); }},
      {fmt::format("rounded to the nearest multiple of {}", step),
       [=](Position t) { return down(t + step / 2, step); }}};
  if (step > 2)
    out.push_back(
        {fmt::format("divided by {}, rounded down", step), [=](Position t) { return down(t, step) / step; }});
  return out;
}

std::vector<Position> steps_from(Position first) {
  return {first, 2 * first, 2 * first - 1};  // rounded down, and to the nearest one
}

std::vector<Effect> effects_of_steps(const std::vector<Position>& measured, bool keys) {
  std::set<Position> steps(measured.begin(), measured.end());
  for (Position step = 2; step <= largest_step; step *= 2) steps.insert(step);
  std::vector<Effect> out;
  for (const Position step : steps) {
    if (step < 2) continue;
    for (const StepMap& map : step_maps(step)) {
      out.push_back(effect_on_positions((keys ? "of queries: positions are " : "positions are ") + map.words,
                                        [of = map.of](const TokenOf& t) { return of(t.at); }));
      if (!keys) continue;
      out.push_back(effect_on_keys("keys have their positions " + map.words,
                                   [of = map.of](const TokenOf& t) { return of(t.at); }));
      out.push_back(effect_on_numbers("queries and keys have their positions " + map.words,
                                      [of = map.of](std::span<Position> t) { t.front() = of(t.front()); }));
    }
    if (keys) continue;
    for (Effect& one : effects_on_chunks(step)) out.push_back(std::move(one));
    // The first of a page is looked up before the page is there.
    out.push_back(effect_on_positions(
        fmt::format("positions that are multiples of {0} count as {0} less, 0 as it is", step),
        [step](const TokenOf& t) { return t.at > 0 && t.at % step == 0 ? t.at - step : t.at; }));
  }
  return out;
}

std::vector<Position> measured_steps(const Model& model, const Subject& subject, const Encoding& declared) {
  const Signature& is = signature(declared);
  const Domain domain = overlap(positions_of(subject.encoding), positions_of(declared));
  if (!subject.live || is.mask || domain.axes > 1 || domain.real || domain.lo > 0 || domain.hi < 2) return {};
  if (is.has(Axis::key) && !is.takes.empty()) return {};
  try {
    std::vector<Position> out = steps_of({model, subject, declared, Role::query}, domain.hi);
    if (out.empty() && is.role) out = steps_of({model, subject, declared, Role::key}, domain.hi);
    return out;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died
    return {};
  }
}

}  // namespace posproof
