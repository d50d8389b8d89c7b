#include "diagnosis/rows_by_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/function.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// How often a row is the declared one, and how far that may be off.
struct Factor {
  double value, error;
};

// None where the row is no such multiple, or nothing is declared in it.
std::optional<Factor> factor_of(std::span<const double> is, std::span<const double> ought,
                                std::span<const double> allowed) {
  std::size_t best = 0;
  for (std::size_t c = 0; c < ought.size(); ++c)
    if (std::abs(ought[c]) > std::abs(ought[best])) best = c;
  if (ought.empty() || ought[best] == 0 || !std::isfinite(is[best])) return std::nullopt;
  Factor out{is[best] / ought[best], 0};
  const double more = std::max(1.0, std::abs(out.value));
  out.error = 2 * more * allowed[best] / std::abs(ought[best]);
  // A factor that is written with few digits is meant.
  const double simple = std::nearbyint(64 * out.value) / 64;
  if (std::abs(simple - out.value) <= out.error) out.value = simple;
  for (std::size_t c = 0; c < ought.size(); ++c)
    if (!(std::abs(is[c] - out.value * ought[c]) <= 2 * more * allowed[c] + out.error * std::abs(ought[c])))
      return std::nullopt;
  return out;
}

class Rows {
 public:
  Rows(const Table& subject, const Table& truth, const Precision& precision)
      : subject_(subject),
        truth_(truth),
        precision_(precision),
        domain_(overlap(subject.positions, truth.positions)) {}

  // The factor of the row at a position; none where there is none.
  std::optional<Factor> factor_at(Position t) const {
    if (t < domain_.lo || t > domain_.hi) return std::nullopt;
    const Position at[] = {t};
    const Tensor is = subject_.rows(at, domain_.hi + 1), ought = truth_.rows(at, domain_.hi + 1);
    if (is.shape != ought.shape) return std::nullopt;
    return factor_of(is.row(0), ought.row(0), row_error(truth_, precision_, t, ought.row(0)));
  }

  using Where = Function<bool(Position t)>;
  std::optional<Deviation> multiplied(const std::string& rows, Position sample, const Where& where) const {
    const auto factor = factor_at(sample);
    if (!factor || std::abs(factor->value - 1) <= factor->error) return std::nullopt;
    const std::string is = factor->value == 0    ? "are 0"
                           : factor->value == -1 ? "have the other sign"
                                                 : fmt::format("are {} the declared ones",
                                                               times(factor->value, factor->error + 1e-12));
    Deviation out{{fmt::format("{} {}", rows, is)}, truth_};
    as<Table>(out.corrected).rows = [own = truth_.rows, where, by = factor->value](const Positions& positions,
                                                                                   Position length) {
      Tensor all = own(positions, length);
      for (std::size_t r = 0; r < all.rows(); ++r)
        if (where(static_cast<Position>(positions.at(r))))
          for (double& entry : all.row(r)) entry *= by;
      return all;
    };
    return out;
  }

 private:
  const Table& subject_;
  const Table& truth_;
  const Precision& precision_;
  Domain domain_;
};

// A table whose rows begin behind others: that of row 0, where a number is cut, is no position's.
std::optional<Deviation> modulo(const Table& truth, const EncodingSpec& spec, const Parameters& parameters,
                                Position first_wrong) {
  if (parameters.find("offset") == nullptr || parameters.find("length") == nullptr) return std::nullopt;
  const auto offset = static_cast<Position>(truth.offset);
  const Position all = first_wrong + offset;
  if (offset <= 0 || all < 2) return std::nullopt;
  Parameters from_row_0 = parameters;
  from_row_0.set("offset", 0.0);
  const Table whole = as<Table>(spec.oracle(from_row_0));
  Deviation out{{fmt::format("row numbers, of which position 0 has {}, are taken modulo {}", offset, all)},
                truth,
                true};
  as<Table>(out.corrected).rows = [=](const Positions& positions, Position length) {
    std::vector<Position> rows;
    for (std::size_t r = 0; r < positions.size(); ++r) rows.push_back((positions[r] + offset) % all);
    return whole.rows(rows, length);
  };
  return out;
}

}  // namespace

std::vector<Deviation> rows_by_position(const Table& subject, const Table& truth, const EncodingSpec& spec,
                                        const Parameters& parameters, std::optional<Position> first_wrong,
                                        const Precision& precision) {
  std::vector<Deviation> out;
  if (truth.positions.axes != 1 || truth.positions.real) return out;
  const auto attempt = [&](const Function<std::optional<Deviation>()>& one) {
    try {
      if (auto found = one()) out.push_back(std::move(*found));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // declined, died
    }
  };
  const Rows rows(subject, truth, precision);
  attempt(
      [&] { return rows.multiplied("rows at even positions", 2, [](Position t) { return t % 2 == 0; }); });
  attempt([&] { return rows.multiplied("rows at odd positions", 1, [](Position t) { return t % 2 != 0; }); });
  if (!first_wrong) return out;
  attempt([&, from = *first_wrong] {
    return rows.multiplied(fmt::format("rows from position {} on", from), from,
                           [from](Position t) { return t >= from; });
  });
  attempt([&] { return modulo(truth, spec, parameters, *first_wrong); });
  return out;
}

}  // namespace posproof
