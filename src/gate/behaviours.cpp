#include "gate/behaviours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/failure.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Row = std::vector<double>;

// That of a position, asked for alone; none where it is refused.
std::optional<Row> row_at(const Table& table, Position t, Position length) {
  try {
    const Position at[] = {t};
    const Tensor answer = table.rows(at, length);
    if (answer.shape != Shape{1, table.dim}) return std::nullopt;
    return answer.data;
  } catch (const Refusal&) {
  } catch (const Failure& failure) {
    if (failure.how != Failure::How::raised) throw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> answered_past_the_end(const Encoding& truth, const Subject& subject) {
  constexpr std::size_t several = 3;
  const auto *declared = std::get_if<Table>(&truth), *own = std::get_if<Table>(&subject.encoding);
  if (declared == nullptr || own == nullptr || own->positions.axes != 1 || own->positions.real)
    return std::nullopt;
  const Domain domain = overlap(own->positions, declared->positions);
  const Position rows = domain.hi - domain.lo + 1, past = domain.hi + 1;
  if (!own->positions.ends || rows < static_cast<Position>(several)) return std::nullopt;
  bool last = true, again = true, zeros = true;
  std::size_t answered = 0;
  bool next_alone = false;
  for (const Position t : {past, past + 1, past + 2, past + rows / 2 + 1, past + rows + 1}) {
    const auto row = row_at(*own, t, t + 1);
    if (!row) continue;
    ++answered;
    next_alone = answered == 1 && t == past;
    const auto is_that_of = [&](Position other) { return row == row_at(*own, other, past); };
    last = last && is_that_of(domain.hi);
    again = again && is_that_of(domain.lo + (t - domain.lo) % rows);
    zeros = zeros && std::ranges::all_of(*row, [](double x) { return x == 0; });
  }
  if (next_alone)
    return fmt::format("position {}, the first past the end, is not refused{}", past,
                       last && !again             ? fmt::format(": it counts as {}", domain.hi)
                       : again && !last           ? fmt::format(": it counts as {}", domain.lo)
                       : zeros && !last && !again ? ": its row is 0"
                                                  : "");
  if (answered < several || last + again + zeros != 1) return std::nullopt;
  if (last) return fmt::format("positions past {0} are not refused: they count as {0}", domain.hi);
  if (zeros) return fmt::format("positions past {} are not refused: their rows are 0", domain.hi);
  return fmt::format("positions past {} are not refused: {} counts as {}, and so on, modulo {}", domain.hi,
                     past, domain.lo, rows);
}

std::optional<std::string> multiplied_by_calls(const Encoding& truth, const Subject& subject) {
  constexpr std::size_t times_asked = 5;
  if (!subject.renew) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(kinds, subject.encoding);
  if (same == nullptr) return std::nullopt;
  const Domain domain = overlap(positions_of(subject.encoding), positions_of(*same));
  if (domain.axes != 1 || domain.real || domain.hi - domain.lo < 4) return std::nullopt;
  const Call call = sequence(*same, {domain.lo, domain.lo + 1, domain.lo + 2, domain.lo + 3, domain.lo + 4});
  const Tensor ought = answer(*same, call);
  const Tensor allowed = model_of(*same, subject.precision).error(call, ought, farthest(call));
  subject.renew();
  std::array<Tensor, times_asked> is;
  for (Tensor& one : is) {
    one = answer(subject.encoding, call);
    if (one.shape != ought.shape) return std::nullopt;
  }
  std::size_t best = 0;
  for (std::size_t n = 0; n < ought.data.size(); ++n)
    if (std::abs(ought.data[n]) > std::abs(ought.data[best])) best = n;
  if (ought.data.empty() || ought.data[best] == 0) return std::nullopt;
  const double by = is[1].data[best] / is[0].data[best], first = is[0].data[best] / ought.data[best];
  // Two answers that are off by `relative`, the larger of what both are allowed, have a quotient that is off
  // by twice as much; what is multiplied again is rounded again.
  const double relative = allowed.data[best] / std::abs(ought.data[best]) + subject.precision.result,
               off = 2 * relative;
  const auto is_near = [&](double a, double b) { return std::abs(a - b) <= 2 * off * std::abs(b); };
  if (!std::isfinite(by) || by == 0 || is_near(by, 1) || number(by, off) == "1") return std::nullopt;
  const bool before = is_near(first, by);
  if (!before && !is_near(first, 1)) return std::nullopt;
  double factor = first;
  for (std::size_t nth = 0; nth < times_asked; ++nth, factor *= by)
    for (std::size_t n = 0; n < ought.data.size(); ++n) {
      const double expected = factor * ought.data[n];
      const double error =
          std::abs(factor) * allowed.data[n] + static_cast<double>(nth + 1) * 2 * off * std::abs(expected);
      if (!(std::abs(is[nth].data[n] - expected) <= error)) return std::nullopt;
    }
  return fmt::format("each call multiplies the answers by {}: {}", number(by, off),
                     before ? "those to the first are multiplied once, to the next twice"
                            : "those to the first are as declared, to the next multiplied once");
}

}  // namespace posproof
