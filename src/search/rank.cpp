#include "search/rank.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace posproof {
namespace {

using Words = std::vector<std::uint64_t>;

const std::vector<double>& numbers_of(const Value& value) {
  return std::get<std::vector<double>>(value);
}
std::int64_t whole(const Value& value) {
  return static_cast<std::int64_t>(std::get<double>(value));
}

struct Bits {
  std::uint64_t significant, after_point;
};

Bits bits(double x) {
  if (x == 0 || !std::isfinite(x)) return {0, 0};
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(mantissa);
  const int lowest = exponent - 53 + zeros;
  return {static_cast<std::uint64_t>(static_cast<int>(std::bit_width(mantissa)) - zeros),
          static_cast<std::uint64_t>(std::max(0, -lowest))};
}

std::int64_t nearest_to_0(const auto& range) {
  return std::clamp<std::int64_t>(0, range.lo, range.hi);
}

// How far from the answer that is nearest to 0; of two as far, the larger comes first.
std::uint64_t from_0(const Value& value, const auto& range) {
  const std::int64_t from = nearest_to_0(range), x = whole(value);
  return 2 * static_cast<std::uint64_t>(std::abs(x - from)) + (x < from);
}

// Each tier collects its own numbers; the rank is the tiers one after another.
struct Tiers {
  Words options, integers, sizes, orders, places, entries;
  std::uint64_t not_zero = 0;

  void add(const Value& value, const choice::OneOf& a) {
    const auto at = std::find_if(a.values.begin(), a.values.end(),
                                 [&](const Value& v) { return text(v) == text(value); });
    options.push_back(static_cast<std::uint64_t>(at - a.values.begin()));
  }
  void add(const Value& value, const choice::Integer& a) { integers.push_back(from_0(value, a)); }
  void add(const Value& value, const choice::Size& a) {
    const std::vector<std::int64_t> all = a.all();
    const auto own = std::ranges::find(all, whole(value));
    const auto before = static_cast<std::uint64_t>(own - all.begin());
    // Those that are asked for come before all others.
    integers.push_back(own == all.end() ? before + static_cast<std::uint64_t>(whole(value)) : before);
  }
  void add(const Value& value, const choice::PositionIn& a) { places.push_back(from_0(value, a)); }
  void add(const Value& value, const choice::Permutation&) {
    const auto& order = numbers_of(value);
    sizes.push_back(order.size());
    std::uint64_t inversions = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size(); ++j) inversions += order[i] > order[j];
    orders.push_back(inversions);
    // What is out of place is sought at the front: the largest numbers belong to the end.
    for (std::size_t i = order.size(); i > 0; --i)
      orders.push_back(order.size() - 1 - static_cast<std::uint64_t>(order[i - 1]));
  }
  void add(const Value& value, const choice::Values&) {
    const auto& content = numbers_of(value);
    sizes.push_back(content.size());
    for (std::size_t i = content.size(); i > 0; --i) {
      const Words words = complexity(content[i - 1]);
      entries.insert(entries.end(), words.begin(), words.end());
      not_zero += !is_zero(content[i - 1]);
    }
  }
};

}  // namespace

std::vector<double> identity(std::size_t size) {
  std::vector<double> order(size);
  std::iota(order.begin(), order.end(), 0.0);
  return order;
}

Value simplest(const Choice& choice) {
  struct {
    Value operator()(const choice::Integer& a) const { return static_cast<double>(nearest_to_0(a)); }
    Value operator()(const choice::Size& a) const { return static_cast<double>(a.sizes.front()); }
    Value operator()(const choice::PositionIn& a) const { return static_cast<double>(nearest_to_0(a)); }
    Value operator()(const choice::Values& a) const { return std::vector<double>(a.size); }
    Value operator()(const choice::Permutation& a) const { return identity(a.size); }
    Value operator()(const choice::OneOf& a) const { return a.values.front(); }
  } visitor;
  return std::visit(visitor, choice);
}

Words complexity(double entry) {
  const Bits b = bits(entry);
  const bool fraction = entry != std::trunc(entry);  // true for NaN, which is not finite anyway
  const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(std::abs(entry));
  return {(std::uint64_t{!std::isfinite(entry)} << 48) | (std::uint64_t{fraction} << 32) |
              (b.significant << 16) | b.after_point,
          (magnitude << 1) | std::uint64_t{std::signbit(entry)}};
}

Words rank(const Drawn& drawn) {
  Tiers tiers;
  const auto& fields = drawn.values.fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    std::visit([&](const auto& choice) { tiers.add(fields[f].value, choice); }, drawn.choices[f]);
  Words words = {fields.size(), tiers.options.size(), tiers.integers.size(), tiers.places.size(),
                 tiers.sizes.size()};
  const auto append = [&](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
  append(tiers.options);
  append(tiers.integers);
  append(tiers.sizes);
  append({tiers.orders.size()});
  append(tiers.orders);
  append(tiers.places);
  append({tiers.not_zero});
  append(tiers.entries);
  return words;
}

}  // namespace posproof
