#include "gate/declined.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/call.h"

namespace posproof {
namespace {

// The farthest position of a call; none where it has none, or one outside.
std::optional<Position> farthest(const Call& call, const Domain& domain) {
  std::optional<Position> far;
  for (const std::vector<Position>* positions : {&call.positions.whole, &call.keys.whole})
    for (std::size_t n = 0; n < positions->size(); ++n) {
      const Position t = (*positions)[n];
      if (t < domain.lo || t > domain.last(n % domain.axes)) return std::nullopt;
      far = std::max(far.value_or(t), t);
    }
  return far;
}

bool declines(const Encoding& subject, Position t) {
  try {
    answer(subject, sequence(subject, {t}));
    return false;
  } catch (const Refusal&) {
    return true;
  }
}

}  // namespace

Encoding counting_declined(Encoding encoding, std::shared_ptr<Declined> declined) {
  Encoding asked = encoding;
  return answered_by(
      std::move(encoding), [asked = std::move(asked), declined = std::move(declined)](const Call& call) {
        try {
          return answer(asked, call);
        } catch (const Refusal& refusal) {
          const auto far = farthest(call, positions_of(asked));
          if (signature(asked).positions && !far) throw;  // outside, or no token at all
          ++declined->calls;
          if (declined->reason.empty() || (far && (!declined->first || *far < *declined->first))) {
            declined->first = far;
            declined->reason = refusal.what();
          }
          throw;
        }
      });
}

std::optional<Position> first_declined(const Encoding& subject, const Declined& declined) {
  Position answered = positions_of(subject).lo;
  if (!declined.first || !declines(subject, *declined.first) || declines(subject, answered))
    return std::nullopt;
  Position first = *declined.first;
  while (first - answered > 1) {
    const Position middle = answered + (first - answered) / 2;
    (declines(subject, middle) ? first : answered) = middle;
  }
  return first;
}

std::string in_words(const Encoding& subject, const Declined& declined) {
  if (declined.calls == 0) return {};
  const Domain& domain = positions_of(subject);
  std::string out =
      fmt::format("{} calls inside the domain {} to {} were declined, and what they ask is not checked",
                  declined.calls, domain.lo, domain.hi);
  std::optional<Position> first;
  try {
    first = first_declined(subject, declined);
  } catch (const std::exception&) {  // it died or is late by now: what is known is said
  }
  if (first)
    out += fmt::format(", from position {} on; if it ends there, declare domain=({}, {}), ends=True", *first,
                       domain.lo, *first - 1);
  return out + fmt::format(" ({})", declined.reason);
}

}  // namespace posproof
