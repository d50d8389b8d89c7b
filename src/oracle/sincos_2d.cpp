#include <fmt/format.h>

#include <memory>

#include "catalogue/oracle/sincos_2d.h"
#include "core/hard.h"
#include "exact/angle.h"
#include "exact/ladder.h"
#include "oracle/lone_sines.h"

namespace posproof {

using namespace exact;

namespace {

enum class SineOrCosine { sine, cosine };

// What a column holds: a function of a number of the position, at one of that number's frequencies. None of
// the columns that stay 0.
struct Column {
  std::size_t axis, part, number;
  SineOrCosine function;
};

// The width of the part of an axis, and from which column on it stands.
struct Share {
  std::size_t begin, width;
};

std::vector<Share> parts_of(const Arguments& p) {
  const std::size_t axes = p.width("axes"), multiple = 2 * axes;
  const auto& list = p.list("parts");
  std::size_t share = p.width("dim") / multiple;
  const bool next = p.is("uneven", "round_up") || p.is("uneven", "truncate");
  if (next && p.width("dim") % multiple != 0) ++share;
  std::vector<Share> parts;
  for (std::size_t n = 0; n < axes; ++n) {
    const std::size_t begin = n == 0 ? 0 : parts.back().begin + parts.back().width;
    parts.push_back({begin, list.size() > 1 ? static_cast<std::size_t>(list[n]) : share * 2});
  }
  return parts;
}

// The number of a position whose columns part n has.
std::size_t axis_of(const Arguments& p, std::size_t n) {
  return p.is("axis_order", "reversed") ? p.width("axes") - n - 1 : n;
}

std::optional<Column> column_of(const Arguments& p, const std::vector<Share>& parts, std::size_t c) {
  // The first half of all columns has what the first halves of the parts have, and the second half the rest.
  if (p.is("layout", "sines_first")) {
    const std::size_t half = (parts.back().begin + parts.back().width) / 2, within = c % half;
    for (std::size_t n = 0; n < parts.size() && c < 2 * half; ++n)
      if (2 * within >= parts[n].begin && 2 * within < parts[n].begin + parts[n].width)
        return Column{axis_of(p, n), n, within - parts[n].begin / 2,
                      c < half ? SineOrCosine::sine : SineOrCosine::cosine};
    return std::nullopt;
  }
  // Two columns of each axis, then the next two of each.
  if (p.is("layout", "alternating")) {
    const std::size_t n = c / 2 % parts.size(), number = c / 2 / parts.size();
    if (2 * number >= parts[n].width) return std::nullopt;
    return Column{axis_of(p, n), n, number, c % 2 == 0 ? SineOrCosine::sine : SineOrCosine::cosine};
  }
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (c < parts[n].begin || c >= parts[n].begin + parts[n].width) continue;
    const std::size_t within = c - parts[n].begin, half = parts[n].width / 2;
    const std::size_t axis = axis_of(p, n);
    if (p.is("layout", "interleaved"))
      return Column{axis, n, within / 2, within % 2 == 0 ? SineOrCosine::sine : SineOrCosine::cosine};
    const bool sine = (within < half) == p.is("layout", "sin_cos");
    return Column{axis, n, within % half, sine ? SineOrCosine::sine : SineOrCosine::cosine};
  }
  return std::nullopt;
}

Exponent exponent_of(const Arguments& p, const Share& part, std::size_t number) {
  const auto half = static_cast<std::int64_t>(part.width / 2);
  return {static_cast<std::int64_t>(number), p.is("divisor", "half_minus_one") ? half - 1 : half};
}

// What the numbers of an axis are divided by; 1 where they are normalised.
double divisor_of(const Arguments& p, std::size_t axis) {
  if (!p.is("normalize", "none")) return 1;
  const auto& own = p.list("factors");
  return own.size() > 1 ? own.at(axis) : p.real("factor");
}

double base_of(const Arguments& p, std::size_t axis) {
  const auto& own = p.list("bases");
  return own.size() > 1 ? own.at(axis) : p.real("base");
}

// The positions of an axis that the parts of a normalised table are asked at: twice the number, so that one
// half is whole.
class Axis {
 public:
  Axis(const Arguments& p, std::size_t number, std::vector<Exponent> exponents)
      : ladder_(powers(p, number, std::move(exponents))),
        offset_(p.whole("offset")),
        normalised_(!p.is("normalize", "none")),
        centred_(p.is("normalize", "centred")),
        extent_(normalised_ ? p.list("grid")[number] : 0),
        scale_(normalised_ ? p.real("scale") : 1),
        eps_(normalised_ ? p.real("eps") : 0) {}

  std::vector<Ladder::SineAndCosine> points(Position t) const {
    Position at = 0;
    if (__builtin_add_overflow(t, offset_, &at)) throw Refusal("sincos_2d: position + offset overflows");
    if (!normalised_) return ladder_.points(at);
    std::vector<Ladder::SineAndCosine> out;
    for (std::size_t i = 0; i < ladder_.size(); ++i)
      out.push_back(sine_and_cosine([&](mpfr_prec_t bits) { return angle(i, at, bits); }));
    return out;
  }

  double frequency(std::size_t i) const {
    return normalised_ ? scaled(i, 256).nearest() : ladder_.frequency(i);
  }

 private:
  static Frequencies powers(const Arguments& p, std::size_t number, std::vector<Exponent> exponents) {
    if (const double by = divisor_of(p, number); by != 1)
      return {Geometric{base_of(p, number), std::move(exponents), Interpolated{by}}};
    return {Geometric{base_of(p, number), std::move(exponents)}};
  }

  // scale w / (extent + eps), with 3 roundings on top of the frequency's own 2^12.
  Real scaled(std::size_t i, mpfr_prec_t bits) const {
    const mpfr_prec_t more = bits + 8;
    Real w = ladder_.multiprecision().with(more).frequencies.at(i), divisor(more, extent_);
    mpfr_add_d(divisor.x, divisor.x, eps_, MPFR_RNDN);
    mpfr_mul_d(w.x, w.x, scale_, MPFR_RNDN);
    mpfr_div(w.x, w.x, divisor.x, MPFR_RNDN);
    return w;
  }

  Real angle(std::size_t i, Position at, mpfr_prec_t bits) const {
    Real w = scaled(i, bits), t(w.bits());
    mpfr_set_si(t.x, at, MPFR_RNDN);
    if (centred_) mpfr_sub_d(t.x, t.x, 0.5, MPFR_RNDN);
    mpfr_mul(w.x, w.x, t.x, MPFR_RNDN);
    return w;
  }

  Ladder ladder_;
  std::int64_t offset_;
  bool normalised_, centred_;
  double extent_, scale_, eps_;
};

}  // namespace

Encoding oracle::sincos_2d(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::vector<Share> parts = parts_of(p);
  std::vector<std::optional<Column>> columns;
  for (std::size_t c = 0; c < dim; ++c) columns.push_back(column_of(p, parts, c));

  auto of_parts = std::make_shared<std::vector<Axis>>();
  for (std::size_t n = 0; n < parts.size(); ++n) {
    std::vector<Exponent> exponents;
    for (std::size_t i = 0; 2 * i < parts[n].width; ++i) exponents.push_back(exponent_of(p, parts[n], i));
    of_parts->emplace_back(p, axis_of(p, n), std::move(exponents));
  }

  Table table{.dim = dim, .offset = static_cast<double>(p.whole("offset"))};
  if (p.is("normalize", "centred")) table.offset -= 0.5;
  // Of each frequency of a part, in which column its sine and its cosine stand.
  struct Columns {
    std::optional<std::size_t> sine, cosine;
  };
  std::vector<std::vector<Columns>> held;
  for (const Share& part : parts) held.emplace_back(part.width / 2);
  for (std::size_t c = 0; c < dim; ++c)
    if (columns[c]) {
      Columns& own = held[columns[c]->part][columns[c]->number];
      (columns[c]->function == SineOrCosine::sine ? own.sine : own.cosine) = c;
    }
  // A quotient is divided by a number that was rounded. A sine whose cosine is cut off is paired with the
  // column behind the last.
  std::vector<Pair> sines;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const double roundings = !p.is("normalize", "none") ? 4 : divisor_of(p, axis_of(p, n)) == 1 ? 0 : 2;
    for (std::size_t i = 0; i < held[n].size(); ++i)
      if (held[n][i].sine)
        sines.push_back({.first = *held[n][i].sine,
                         .second = held[n][i].cosine.value_or(dim),
                         .frequency = (*of_parts)[n].frequency(i),
                         .index = i,
                         .frequency_error = {.roundings = roundings},
                         .axis = axis_of(p, n)});
  }
  for (const Pair& pair : sines)
    if (pair.second < dim) table.pairs.push_back(pair);
  if (table.pairs.size() < sines.size()) table.row_error = oracle::errors_of_sines(sines, table.offset);
  table.positions.axes = parts.size();
  if (!p.is("normalize", "none")) {
    table.positions.hi = 0;
    for (const double extent : p.list("grid")) {
      const Position last = static_cast<Position>(extent) - 1;
      table.positions.last_on_axis.push_back(last);
      table.positions.hi = std::max(table.positions.hi, last);
    }
  }
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  table.rows = [columns, of_parts, dim](const Positions& positions, Position) {
    if (positions.axes() != of_parts->size())
      throw Refusal(
          fmt::format("sincos_2d: a position has {} numbers, {} came", of_parts->size(), positions.axes()));
    const auto at = positions.flat();
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      std::vector<std::vector<Ladder::SineAndCosine>> points(of_parts->size());
      for (std::size_t c = 0; c < dim; ++c) {
        if (!columns[c]) continue;
        auto& own = points[columns[c]->part];
        if (own.empty()) own = (*of_parts)[columns[c]->part].points(at[r * points.size() + columns[c]->axis]);
        const auto& point = own[columns[c]->number];
        rows.at(r, c) = columns[c]->function == SineOrCosine::sine ? point.sine : point.cosine;
      }
    }
    return rows;
  };
  return table;
}

}  // namespace posproof
