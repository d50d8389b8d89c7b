#include "gate/observed.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <new>

#include "attention/reference_attention.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "core/call.h"
#include "run/narrowed.h"
#include "search/budget_clock.h"
#include "search/generate.h"

namespace posproof {
namespace {

using Clock = BudgetClock;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

void add(Observation& to, const Tensor& there, const Tensor& here, const Case& at) {
  if (here.data.empty()) return;
  ++to.calls;
  bool differs = false;
  for (std::size_t n = 0; n < here.data.size(); ++n) {
    if (same_bits(there.data[n], here.data[n])) continue;
    differs = true;
    const double apart = std::abs(there.data[n] - here.data[n]);
    if (!std::isnan(to.largest) && !(apart <= to.largest)) to.largest = apart;
  }
  if (differs && to.differ++ == 0) to.first = at;
}

Axis rows_of(const Signature& known) {
  if (known.has(Axis::batch)) return Axis::batch;
  return known.has(Axis::token) ? Axis::token : Axis::query;
}

// The last row: the first is the one that is right most often.
void observe_one(const Encoding& encoding, const Call& call, const Case& at, Observations& to) {
  const Tensor first = answer(encoding, call);
  add(to.repeated, answer(encoding, call), first, at);
  const Signature& known = signature(encoding);
  const Axis axis = rows_of(known);
  if (!known.positions) return;  // whose rows see each other
  const std::size_t rows = axis == Axis::batch ? call.batch : call.positions.size() / call.batch;
  if (rows < 2) return;
  const std::size_t last = rows - 1;
  add(to.alone, answer(encoding, take(encoding, call, axis, {{last}})),
      take(known.gives, first, axis, {{last}}), at);
}

// Sixteen as they come, and then those that have an unusual size: see search/generate.cpp.
constexpr std::uint64_t as_they_come = 16, all = as_they_come + 12;
std::uint64_t drawn_number(std::uint64_t n) {
  return n < as_they_come ? n : 8 * (n - as_they_come) + 7;
}

}  // namespace

std::optional<Observations> observe(const Subject& subject, const Encoding& truth, std::uint64_t seed,
                                    std::chrono::milliseconds time) {
  if (!subject.live) return std::nullopt;
  for (const Encoding& kind : attention::in_every_kind(truth)) {
    if (kind.index() != subject.encoding.index()) continue;
    const Domain domain = overlap(positions_of(subject.encoding), positions_of(kind));
    Observations found;
    const auto deadline = Clock::now() + time;
    for (std::uint64_t n = 0; n < all && Clock::now() < deadline; ++n) {
      RandomDraw draw(seed, "observed", drawn_number(n));
      try {
        const Call call = draw_call(kind, domain, draw);
        observe_one(subject.encoding, call, draw.drawn(), found);
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception&) {  // judged elsewhere
      } catch (const Discard&) {
      }
    }
    return found;
  }
  return std::nullopt;
}

std::string words(const Observation& observation) {
  const std::uint64_t same = observation.calls - observation.differ;
  std::string out = fmt::format("same bits in {} of {} calls", same, observation.calls);
  if (observation.differ == 0) return out;
  out += std::isfinite(observation.largest)
             ? bounded(", at most {} apart", figures_up(observation.largest, 2))
             : std::string(", some of them infinitely far apart, or no numbers");
  return out + fmt::format(", first at {}", observation.first.text());
}

}  // namespace posproof
