#include "search/generate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "core/random.h"
#include "search/rank.h"
#include "search/rapidcheck.h"

namespace posproof {
namespace {

constexpr std::int64_t largest_whole = std::int64_t{1} << 53;  // a Value holds every whole number up to here

// Numbers from one rc::Random, which by its contract is read or split, never both.
class Stream {
 public:
  explicit Stream(const rc::Random& random) : random_(random) {}

  std::uint64_t next() { return random_.next(); }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  // Both ends included; hi - lo is below 2^54.
  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(hi - lo) + 1));
  }

  // From 0 to most, each number of bits as likely as every other.
  std::int64_t any_length(std::int64_t most) {
    const auto bits = below(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(most))) + 1);
    const auto length = std::uint64_t{1} << bits;
    return std::min(most, static_cast<std::int64_t>(bits == 0 ? 0 : length / 2 + below(length / 2)));
  }

 private:
  rc::Random random_;
};

struct Range {
  std::int64_t lo, hi;
  bool has(std::int64_t x) const { return lo <= x && x <= hi; }
  std::int64_t clamp(std::int64_t x) const { return std::clamp(x, lo, hi); }
  std::int64_t simplest() const { return clamp(0); }
};

Range range(std::int64_t lo, std::int64_t hi) {
  return {std::clamp(lo, -largest_whole, largest_whole), std::clamp(hi, -largest_whole, largest_whole)};
}

std::int64_t end(Stream& stream, Range r) {
  const auto in = std::min<std::int64_t>(r.hi - r.lo, stream.between(0, 1));
  return stream.one_in(2) ? r.lo + in : r.hi - in;
}

std::int64_t small(Stream& stream, Range r) {
  const std::int64_t from = stream.one_in(2) ? r.lo : r.simplest();
  const std::int64_t step = stream.between(0, 16);
  return r.clamp(stream.one_in(4) ? from - step : from + step);
}

std::optional<std::int64_t> power_of_two(Stream& stream, Range r) {
  const std::int64_t power = std::int64_t{1} << stream.below(54);
  const std::int64_t value = power + stream.between(-1, 1);
  if (r.has(value)) return value;
  // Most powers are beyond most ranges: those inside are hit by taking bits away.
  if (r.hi < 2) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(r.hi)));
  const std::int64_t smaller = (std::int64_t{1} << stream.below(bits)) + stream.between(-1, 1);
  return r.has(smaller) ? std::optional(smaller) : std::nullopt;
}

std::optional<std::int64_t> hard(Stream& stream, Range r, const std::vector<Position>* places) {
  if (places == nullptr || places->empty()) return std::nullopt;
  const std::size_t start = stream.below(places->size());
  const std::int64_t aside = stream.one_in(2) ? 0 : stream.between(-1, 1);
  for (std::size_t k = 0; k < places->size(); ++k) {
    const Position place = (*places)[(start + k) % places->size()];
    if (r.has(place)) return r.clamp(place + aside);
  }
  return std::nullopt;
}

std::optional<std::int64_t> near(Stream& stream, Range r, const std::vector<std::int64_t>& earlier) {
  if (earlier.empty()) return std::nullopt;
  const std::int64_t other = earlier[stream.below(earlier.size())];
  const std::int64_t away = stream.any_length(256);
  return r.clamp(stream.one_in(2) ? other - away : other + away);
}

std::int64_t place(Stream& stream, const choice::PositionIn& a, const std::vector<std::int64_t>& earlier) {
  const Range r = range(a.lo, a.hi);
  std::optional<std::int64_t> found;
  switch (stream.below(16)) {
    case 0:
    case 1:
    case 2:
      return small(stream, r);
    case 3:
      return end(stream, r);
    case 4:
    case 5:
      return stream.between(r.lo, r.hi);
    case 6:
    case 7:
      found = power_of_two(stream, r);
      break;
    case 8:
    case 9:
    case 10:
      found = hard(stream, r, a.hard);
      break;
    case 11:
    case 12:
      found = near(stream, r, earlier);
      break;
    default:
      break;
  }
  return found ? *found : r.lo + stream.any_length(r.hi - r.lo);
}

std::int64_t integer(Stream& stream, const choice::Integer& a) {
  const Range r = range(a.lo, a.hi);
  switch (stream.below(8)) {
    case 0:
      return end(stream, r);
    case 1:
    case 2:
    case 3:
      return small(stream, r);
    default:
      return stream.between(r.lo, r.hi);
  }
}

// Which of the unusual sizes, if one of them: `number` is that of the case, `asked` counts the sizes that it
// drew before. Of 16 cases two have their first size from there, three the second, and one of these both:
// there may be many keys for one query.
std::optional<std::uint64_t> unusual(Stream& stream, std::uint64_t number, std::uint64_t asked) {
  const bool first = number % 8 == 7, second = number % 8 == 3 || number % 16 == 15;
  if (asked == 0) return first ? std::optional(number / 8) : std::nullopt;
  return asked == 1 && second ? std::optional(stream.next()) : std::nullopt;
}

std::int64_t size(Stream& stream, const choice::Size& a, std::uint64_t number, std::uint64_t asked) {
  const std::size_t rest = a.sizes.size() - a.usual;
  const auto other = rest == 0 ? std::nullopt : unusual(stream, number, asked);
  if (other) return a.sizes[a.usual + *other % rest];
  return integer(stream, {a.sizes.front(), a.sizes[a.usual - 1]});
}

// A whole number of 64ths from -2 to 2, so at most 8 significant bits: exact in bf16, and so everywhere.
// `width` (1 to 128) is the largest numerator.
double entry(std::uint64_t sixteen_bits, std::uint64_t width) {
  const std::uint64_t numerator = (sixteen_bits * (2 * width + 1)) >> 16;
  return (static_cast<double>(numerator) - static_cast<double>(width)) / 64;
}

double entry(Stream& stream, std::uint64_t width) {
  return entry(stream.below(1 << 16), width);
}

std::vector<double> dense(Stream& stream, std::size_t size, std::uint64_t width) {
  std::vector<double> values(size);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i, bits >>= 16) {
    if (i % 4 == 0) bits = stream.next();  // a large content is most of the time of a cheap case
    values[i] = entry(bits & 0xffff, width);
  }
  return values;
}

std::vector<double> few_values(Stream& stream, std::size_t size, std::uint64_t width,
                               std::uint64_t distinct) {
  const std::vector<double> from = dense(stream, distinct, width);
  std::vector<double> values(size);
  for (double& value : values) value = from[distinct == 1 ? 0 : stream.below(distinct)];
  return values;
}

std::vector<double> sparse(Stream& stream, std::size_t size, std::uint64_t width, std::uint64_t count) {
  std::vector<double> values(size);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::size_t at = stream.below(size);
    values[at] = stream.one_in(2) ? 1.0 : entry(stream, width);
  }
  return values;
}

std::vector<double> content(Stream& stream, std::size_t size, int scale) {
  if (size == 0) return {};
  const std::uint64_t width = 1 + static_cast<std::uint64_t>(scale) * 127 / rc::kNominalSize;
  const std::uint64_t kind = stream.below(32);
  std::vector<double> values = kind < 1    ? std::vector<double>(size)
                               : kind < 6  ? sparse(stream, size, width, 1)
                               : kind < 12 ? sparse(stream, size, width, 2 + stream.below(3))
                               : kind < 15 ? few_values(stream, size, width, 2 + stream.below(2))
                               : kind < 17 ? few_values(stream, size, width, 1)
                                           : dense(stream, size, width);
  if (stream.one_in(8)) {
    const double factor = std::ldexp(1.0, static_cast<int>(stream.between(-10, 10)));
    for (double& value : values) value *= factor;
  }
  if (stream.one_in(16)) {
    double& value = values[stream.below(size)];
    if (value == 0 || stream.one_in(4)) value = -0.0;
  }
  return values;
}

std::vector<double> order(Stream& stream, std::size_t size) {
  std::vector<double> values = identity(size);
  if (size < 2) return values;
  switch (stream.below(8)) {
    case 0:
    case 1: {  // two change places
      const std::size_t a = stream.below(size);
      const std::size_t b = (a + 1 + stream.below(size - 1)) % size;
      std::swap(values[a], values[b]);
      break;
    }
    case 2:
      std::reverse(values.begin(), values.end());
      break;
    case 3: {
      const auto by = static_cast<std::ptrdiff_t>(1 + stream.below(size - 1));
      std::rotate(values.begin(), values.begin() + by, values.end());
      break;
    }
    default:
      for (std::size_t i = size; i > 1; --i) std::swap(values[i - 1], values[stream.below(i)]);
  }
  return values;
}

// What this case is, and what it drew so far.
struct Drawing {
  std::uint64_t number;
  std::uint64_t sizes = 0;
  std::vector<std::int64_t> positions = {};
};

// One generator for each kind of question.
rc::Gen<Value> generator(const Choice& choice, const Drawing& drawing) {
  return [&](const rc::Random& random, int size) {
    Stream stream(random);
    Value value = 0.0;
    if (const auto* i = std::get_if<choice::Integer>(&choice))
      value = static_cast<double>(integer(stream, *i));
    if (const auto* p = std::get_if<choice::PositionIn>(&choice))
      value = static_cast<double>(place(stream, *p, drawing.positions));
    if (const auto* s = std::get_if<choice::Size>(&choice))
      value = static_cast<double>(posproof::size(stream, *s, drawing.number, drawing.sizes));
    if (const auto* c = std::get_if<choice::Values>(&choice)) value = content(stream, c->size, size);
    if (const auto* o = std::get_if<choice::Permutation>(&choice)) value = order(stream, o->size);
    if (const auto* o = std::get_if<choice::OneOf>(&choice))
      value = o->values[stream.one_in(8) ? 0 : stream.below(o->values.size())];
    return rc::shrinkable::just(std::move(value));
  };
}

}  // namespace

struct RandomChoice::State {
  rc::Random random;
  int size;
  Drawing drawing;
};

RandomChoice::RandomChoice(std::uint64_t key, std::uint64_t attempt, std::optional<std::uint64_t> number) {
  rc::Random random(rc::Random::Key{key, mixed(key), attempt, 0});
  // Drawn, not counted up from 0: otherwise a run of one case would always be of size 0.
  const int size = static_cast<int>(random.split().next() % (rc::kNominalSize + 1));
  // What is drawn again, is of another size: none is discarded for ever.
  state_.reset(new State{random, size, {.number = number.value_or(mixed(key)) + 8 * attempt}});
}

RandomChoice::~RandomChoice() = default;
RandomChoice::RandomChoice(RandomChoice&&) noexcept = default;

Value RandomChoice::answer(const Choice& choice) {
  Value value = generator(choice, state_->drawing)(state_->random.split(), state_->size).value();
  if (std::holds_alternative<choice::PositionIn>(choice))
    state_->drawing.positions.push_back(static_cast<std::int64_t>(std::get<double>(value)));
  if (std::holds_alternative<choice::Size>(choice)) ++state_->drawing.sizes;
  return value;
}

RandomDraw::RandomDraw(std::uint64_t seed, std::string_view id, std::uint64_t n, std::uint64_t attempt)
    : choose_(hash(seed, id, n), attempt, n) {}

}  // namespace posproof
