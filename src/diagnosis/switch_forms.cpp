#include "diagnosis/switch_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/by_row.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/call_fits.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Made = std::shared_ptr<const Rotary>;

class Switch {
 public:
  Switch(const Rotary& subject, const Rotary& truth, const Precision& precision)
      : subject_(subject),
        truth_(truth),
        domain_(overlap(subject.positions, truth.positions)),
        short_(in_call(truth, 0)),
        long_(in_call(truth, truth.positions.hi)),
        models_{model_of(*short_, precision), model_of(*long_, precision)} {}

  // The first position whose call is a long one; past the last position where none is. None where a call is
  // neither, or where the first position that tells says long.
  std::optional<Position> first_long() const {
    Position below = 0;  // is no long one
    bool told = false;   // some call is a short one, and no long one
    for (Position t = 1; t <= domain_.hi; t = t == domain_.hi ? t + 1 : std::min(2 * t, domain_.hi)) {
      const auto is = kind_at(t);
      if (!is) return std::nullopt;
      if (*is == Kind::longer) return told ? std::optional(between(below, t)) : std::nullopt;
      told = told || *is == Kind::shorter;
      below = t;
    }
    return domain_.hi + 1;
  }

  // Long from that position on.
  Rotary from(Position first) const {
    Rotary out = truth_;
    out.in_call = [first, shorter = short_, longer = long_](Position last) {
      return last < first ? shorter : longer;
    };
    out.rotate = [in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
      return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, positions, role);
    };
    return is_by_row(truth_) ? by_row(std::move(out)) : out;
  }

  // Of one table of short rows and of long ones behind them, from that position on: a call that ends there
  // takes short rows, past whose last one the first long one lies.
  Rotary of_one_table(Position first) const {
    Rotary out = truth_;
    out.rotate = [first, in_call = truth_.in_call, shorter = short_](const Tensor& x,
                                                                     const Positions& positions, Role role) {
      const Position last = positions.empty() ? 0 : std::ranges::max(positions);
      if (last != first) return in_call(last)->rotate(x, positions, role);
      std::vector<Position> at(positions.begin(), positions.end());
      std::ranges::replace(at, first, Position{0});
      return shorter->rotate(x, at, role);
    };
    return is_by_row(truth_) ? by_row(std::move(out)) : out;
  }

  // As long as one row of the batch says, the first or the last.
  Rotary decided_by(bool last_row) const {
    Rotary out = truth_;
    out.rotate = [last_row, in_call = truth_.in_call](const Tensor& x, const Positions& positions,
                                                      Role role) {
      const std::size_t tokens = x.shape[0] == 0 ? 0 : positions.size() / x.shape[0];
      const std::vector<Position> all(positions.begin(), positions.end());
      const auto from = last_row ? all.end() - static_cast<std::ptrdiff_t>(tokens) : all.begin();
      const Position last =
          tokens == 0 ? 0 : *std::max_element(from, from + static_cast<std::ptrdiff_t>(tokens));
      return in_call(last)->rotate(x, positions, role);
    };
    return out;
  }

  Position last() const { return domain_.hi; }

 private:
  enum class Kind { shorter, longer, either };

  std::optional<Kind> kind_at(Position t) const {
    const Encoding declared = truth_;
    Call call = sequence(declared, {t});
    for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
    const Tensor given = answer(subject_, call);
    std::array<bool, 2> is{};
    for (std::size_t n = 0; n < 2; ++n)
      is[n] = std::ranges::all_of(
          right_rows(models_[n], models_[n].encoding, call, given, answer(models_[n].encoding, call), t),
          [](bool right) { return right; });
    if (is[0] && is[1]) return Kind::either;
    if (is[0] || is[1]) return is[0] ? Kind::shorter : Kind::longer;
    return std::nullopt;
  }

  // Of a position that is no long one and one that is.
  Position between(Position below, Position first) const {
    while (first - below > 1) {
      const Position middle = below + (first - below) / 2;
      (kind_at(middle) == Kind::longer ? first : below) = middle;
    }
    return first;
  }

  const Rotary &subject_, &truth_;
  Domain domain_;
  Made short_, long_;
  std::array<Model, 2> models_;
};

}  // namespace

std::vector<RotationForm> switch_forms(const Rotary& subject, const Rotary& truth,
                                       const Parameters& parameters, const Precision& precision) {
  const bool scaled = truth.in_call && parameters.find("scaling") != nullptr;
  if (!scaled || parameters.word("scaling") != "longrope") return {};
  const Switch all(subject, truth, precision);
  std::vector<RotationForm> out = {{"calls of every length take the divisors of long ones", all.from(0)}};
  if (const auto length = static_cast<Position>(parameters.real("original_length")); length <= all.last())
    out.push_back(
        {fmt::format("calls that end at position {0} take the divisors of short ones, and {0} itself "
                     "the first row of the long ones, that of 0",
                     length),
         all.of_one_table(length)});
  if (!is_by_row(truth)) {
    out.push_back({"the first row of the batch decides whether a call is long, not the longest",
                   all.decided_by(false)});
    out.push_back(
        {"the last row of the batch decides whether a call is long, not the longest", all.decided_by(true)});
  }
  const auto first = all.first_long();
  if (first && *first <= all.last())
    out.push_back(
        {fmt::format("calls take the divisors of long ones from position {} on", *first), all.from(*first)});
  return out;
}

}  // namespace posproof
