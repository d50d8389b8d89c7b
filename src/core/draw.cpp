#include "core/draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace posproof {
namespace {

constexpr std::uint64_t most_enumerated = std::uint64_t{1} << 20;

bool is_whole(double value, double lo, double hi) {
  return value == std::floor(value) && value >= lo && value <= hi;
}

bool is_order(const std::vector<double>& values, std::size_t size) {
  if (values.size() != size) return false;
  std::vector<bool> seen(size, false);
  for (const double value : values) {
    if (!is_whole(value, 0, static_cast<double>(size) - 1) || seen[static_cast<std::size_t>(value)])
      return false;
    seen[static_cast<std::size_t>(value)] = true;
  }
  return true;
}

struct Answers {
  const Value& value;

  bool operator()(const choice::Integer& a) const { return whole(a.lo, a.most); }
  bool operator()(const choice::PositionIn& a) const { return whole(a.lo, a.hi); }
  bool operator()(const choice::Values& a) const {
    const auto* list = std::get_if<std::vector<double>>(&value);
    return list != nullptr && list->size() == a.size;
  }
  bool operator()(const choice::Permutation& a) const {
    const auto* list = std::get_if<std::vector<double>>(&value);
    return list != nullptr && is_order(*list, a.size);
  }
  bool operator()(const choice::Size& a) const {
    const auto [least, most] = std::ranges::minmax(a.all());
    return whole(least, most);
  }
  bool operator()(const choice::OneOf& a) const {
    const auto is_it = [&](const Value& v) { return text(v) == text(value); };
    return std::ranges::any_of(a.values, is_it) || std::ranges::any_of(a.rare, is_it);
  }

  bool whole(std::int64_t lo, std::int64_t hi) const {
    const auto* real = std::get_if<double>(&value);
    return real != nullptr && is_whole(*real, static_cast<double>(lo), static_cast<double>(hi));
  }
};

struct Allowed {
  std::string operator()(const choice::Integer& a) const {
    return fmt::format("a whole number from {} to {}", a.lo, a.most);
  }
  std::string operator()(const choice::PositionIn& a) const {
    return fmt::format("a position from {} to {}", a.lo, a.hi);
  }
  std::string operator()(const choice::Values& a) const {
    return fmt::format("a list of {} numbers", a.size);
  }
  std::string operator()(const choice::Permutation& a) const {
    return fmt::format("an order of 0 to {}", a.size - 1);
  }
  std::string operator()(const choice::Size& a) const {
    const auto [least, most] = std::ranges::minmax(a.all());
    return fmt::format("a whole number from {} to {}", least, most);
  }
  std::string operator()(const choice::OneOf& a) const {
    std::vector<std::string> words;
    for (const std::vector<Value>& all : {a.values, a.rare})
      for (const Value& value : all) words.push_back(text(value));
    return fmt::format("one of {}", fmt::join(words, ", "));
  }
};

struct Count {
  std::uint64_t operator()(const auto& a) const { return static_cast<std::uint64_t>(a.hi - a.lo) + 1; }
  std::uint64_t operator()(const choice::Values&) const { return 0; }
  std::uint64_t operator()(const choice::Permutation& a) const {
    std::uint64_t product = 1;
    for (std::uint64_t i = 2; i <= a.size && product <= most_enumerated; ++i) product *= i;
    return product;
  }
  std::uint64_t operator()(const choice::OneOf& a) const { return a.values.size(); }
  std::uint64_t operator()(const choice::Size& a) const { return a.sizes.size(); }
};

// How many answers there are; 0 for "too many to count".
std::uint64_t count_of(const Choice& choice) {
  const std::uint64_t n = std::visit(Count{}, choice);
  return n > most_enumerated ? 0 : n;
}

struct Nth {
  std::uint64_t n;

  Value operator()(const auto& a) const { return static_cast<double>(a.lo + static_cast<std::int64_t>(n)); }
  Value operator()(const choice::Values&) const { throw std::logic_error("contents cannot be enumerated"); }
  Value operator()(const choice::OneOf& a) const { return a.values[n]; }
  Value operator()(const choice::Size& a) const { return static_cast<double>(a.sizes[n]); }
  // The n-th permutation, read off n in the factorial number system.
  Value operator()(const choice::Permutation& a) const {
    std::vector<double> left(a.size), order;
    for (std::size_t i = 0; i < a.size; ++i) left[i] = static_cast<double>(i);
    std::uint64_t rest = n, block = 1;
    for (std::size_t i = 2; i < a.size; ++i) block *= i;
    for (std::size_t i = a.size; i > 0; --i) {
      const auto at = static_cast<std::ptrdiff_t>(rest / block);
      rest %= block;
      order.push_back(left[static_cast<std::size_t>(at)]);
      left.erase(left.begin() + at);
      if (i > 1) block /= i - 1;
    }
    return order;
  }
};

}  // namespace

bool answers(const Value& value, const Choice& choice) {
  return std::visit(Answers{value}, choice);
}

Value Draw::next(std::string_view name, const Choice& choice) {
  if (drawn_.has(name)) throw std::logic_error(fmt::format("a check draws `{}` twice", name));
  Value value = answer(name, choice);
  drawn_.set(name, value);
  return value;
}

std::int64_t Draw::integer(std::string_view name, std::int64_t lo, std::int64_t hi) {
  return integer(name, choice::Integer{lo, hi});
}

std::int64_t Draw::integer(std::string_view name, choice::Integer range) {
  if (range.lo > range.hi) throw Discard{};
  return static_cast<std::int64_t>(std::get<double>(next(name, range)));
}

std::size_t Draw::size(std::string_view name, std::int64_t least, std::int64_t usual, std::int64_t most,
                       std::int64_t longest) {
  choice::Size choice{{}, 0};
  for (std::int64_t n = std::max<std::int64_t>(1, least); n <= usual; ++n) choice.sizes.push_back(n);
  choice.usual = choice.sizes.size();
  for (const std::int64_t n : tile_edges)
    if (n > usual && n <= most) choice.sizes.push_back(n);
  for (const std::int64_t n : long_sizes)
    if (n > usual && n <= longest) choice.longer.push_back(n);
  if (least <= 0) choice.sizes.push_back(0);
  return size(name, std::move(choice));
}

std::size_t Draw::size(std::string_view name, choice::Size sizes) {
  if (sizes.usual == 0) throw Discard{};
  return static_cast<std::size_t>(std::get<double>(next(name, std::move(sizes))));
}

Position Draw::position(std::string_view name, const Domain& within) {
  return position(name, within, within.lo, within.hi);
}

Position Draw::position(std::string_view name, const Domain& within, Position lo, Position hi) {
  if (lo > hi) throw Discard{};
  return static_cast<Position>(std::get<double>(next(name, choice::PositionIn{lo, hi, &within.hard})));
}

std::vector<double> Draw::content(std::string_view name, std::size_t size) {
  return std::get<std::vector<double>>(next(name, choice::Values{size}));
}

Tensor Draw::content(std::string_view name, Shape shape) {
  const std::size_t size = count(shape);
  return {std::move(shape), content(name, size)};
}

std::vector<std::size_t> Draw::permutation(std::string_view name, std::size_t size) {
  const auto list = std::get<std::vector<double>>(next(name, choice::Permutation{size}));
  std::vector<std::size_t> order;
  for (const double value : list) order.push_back(static_cast<std::size_t>(value));
  return order;
}

Value Draw::one_of(std::string_view name, std::vector<Value> values, std::vector<Value> rare) {
  if (values.empty()) throw Discard{};
  return next(name, choice::OneOf{std::move(values), std::move(rare)});
}

Value Replay::answer(std::string_view name, const Choice& choice) {
  const Value* value = recorded_.find(name);
  if (value == nullptr)
    throw NoAnswer(fmt::format("case `{}`: `{}` is missing, {} was asked for", recorded_.text(), name,
                               std::visit(Allowed{}, choice)));
  if (!answers(*value, choice))
    throw NoAnswer(fmt::format("case `{}`: `{}={}`, {} was asked for", recorded_.text(), name, text(*value),
                               std::visit(Allowed{}, choice)));
  return *value;
}

std::vector<std::string> Replay::unused() const {
  std::vector<std::string> names;
  for (const auto& field : recorded_.fields())
    if (!drawn().has(field.name)) names.push_back(field.name);
  return names;
}

Value Enumerate::answer(std::string_view name, const Choice& choice) {
  const std::uint64_t n = count_of(choice);
  if (n == 0) throw std::logic_error(fmt::format("`{}` has too many answers to enumerate", name));
  if (depth_ == digits_.size()) digits_.push_back({0, n});
  digits_[depth_].size = n;
  return std::visit(Nth{digits_[depth_++].at}, choice);
}

bool Enumerate::next() {
  // An odometer: the questions asked last rotate fastest, and those after the one that moved start anew.
  forget();
  digits_.resize(depth_);
  depth_ = 0;
  while (!digits_.empty() && digits_.back().at + 1 == digits_.back().size) digits_.pop_back();
  if (digits_.empty()) return false;
  ++digits_.back().at;
  return true;
}

}  // namespace posproof
