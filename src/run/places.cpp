#include "run/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace posproof {
namespace {

Position extent(const Places& places, std::size_t axis) {
  return std::max<Position>(0, places.last[axis] - places.first[axis] + 1);
}

TokenPositions positions(const Places& places, Position first, std::size_t count) {
  TokenPositions out{.axes = places.first.size()};
  for (std::size_t n = 0; n < count; ++n)
    std::ranges::copy(places.at(first + static_cast<Position>(n)), std::back_inserter(out.whole));
  return out;
}

}  // namespace

Position Places::count() const {
  Position out = 1;
  bool saturates = false;
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    if (extent(*this, axis) == 0) return 0;
    saturates = __builtin_mul_overflow(out, extent(*this, axis), &out) || saturates;
  }
  return saturates ? std::numeric_limits<Position>::max() : out;
}

std::vector<Position> Places::at(Position place) const {
  std::vector<Position> out(first.size());
  for (std::size_t axis = first.size(); axis-- > 0; place /= extent(*this, axis))
    out[axis] = first[axis] + place % extent(*this, axis);
  if (class_token && std::ranges::find(out, *class_token) != out.end()) std::ranges::fill(out, *class_token);
  return out;
}

std::string Places::text(Position place) const {
  return fmt::format("({})", fmt::join(at(place), ", "));
}

Places places_of(const Domain& domain) {
  Places out{.class_token = domain.class_token};
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    out.first.push_back(domain.lo);
    out.last.push_back(domain.last(axis));
  }
  return out;
}

Call call_of(const Encoding& encoding, const Places& places, Position first, std::size_t count) {
  Call call{.positions = positions(places, first, count)};
  if (signature(encoding).has(Axis::key))
    call.keys = positions(places, 0, static_cast<std::size_t>(places.count()));
  for (std::size_t n = 0; n < signature(encoding).takes.size(); ++n)
    call.contents.emplace_back(shape_of_content(encoding, call, n));
  call.length = std::ranges::max(places.last) + 1;
  return call;
}

Case case_of(const Encoding& encoding, const Domain& domain, const std::vector<Position>& place,
             const std::vector<Position>& key, const std::vector<double>& content, Role role) {
  Case one = case_of(encoding, domain, domain.lo, content, role);
  const auto set = [&one](const std::string& letter, const std::vector<Position>& numbers) {
    for (std::size_t axis = 0; axis < numbers.size(); ++axis)
      one.set(axis == 0 ? letter : fmt::format("{}_{}", letter, axis), static_cast<double>(numbers[axis]));
  };
  set(signature(encoding).has(Axis::token) ? "t" : "i", place);
  set("j", key);
  return one;
}

}  // namespace posproof
