#include "diagnosis/call_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <set>
#include <span>

#include "core/error.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/call_places.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/padding_effects.h"
#include "diagnosis/token_effects.h"
#include "run/narrowed.h"

namespace posproof {

Position farthest(const Call& call) {
  Position out = 0;
  for (const auto* all : {&call.positions.whole, &call.keys.whole})
    for (const Position t : *all) out = std::max(out, t < 0 ? -t : t);
  return out;
}

namespace {

bool within(double there, double here, double error) {
  if (std::isnan(there) || std::isnan(here)) return std::isnan(there) && std::isnan(here);
  return there == here || (std::isfinite(error) && std::abs(there - here) <= error);
}

std::size_t heads_of(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) -> std::size_t {
        if constexpr (requires { kind.heads; }) return kind.heads;
        return 1;
      },
      encoding);
}

// Of the tokens or queries in a row of the batch.
std::size_t tokens_of(const Call& call) {
  if (call.batch == 0) return 0;
  return (call.mask.shape.empty() ? call.positions.size() : call.contents.front().rows()) / call.batch;
}

// Row r of an answer.
AnsweredRow place(const Encoding& declared, const Call& call, std::size_t item, std::size_t r) {
  const std::size_t tokens = tokens_of(call);
  const std::size_t heads = heads_of(declared);
  if (tokens == 0) return {item, 0, 0, 0};
  return {item, r / tokens / heads, r / tokens % heads, r % tokens};
}

// A row of an answer beside what was expected.
struct Fit {
  bool right = true;
  bool tells = false;  // some entry may be off by less than a quarter of what the row is
};

// Whether as much may be wrong with an entry as there is in its row: then nothing is told by its being right.
bool is_close(double error, double largest) {
  constexpr double nothing = 1e-30;  // what underflows
  return error <= std::max(largest / 4, nothing);
}

double largest(std::span<const double> row) {
  double most = 0;
  for (const double x : row) most = std::max(most, std::abs(x));  // NaN is passed over
  return most;
}

// Rows of the answer to one call. Entries that the mask hides are passed over, and rows count from their
// first entry where a constant on them does not matter.
std::vector<Fit> fits(const Model& model, const Encoding& declared, const Call& asked, const Tensor& given,
                      const Tensor& expected, Position far) {
  if (given.shape != expected.shape) return std::vector<Fit>(given.rows(), Fit{false});
  const Tensor error = model.error(asked, expected, far);
  const bool pairs = signature(declared).has(Axis::key) && signature(declared).positions;
  const bool causal = pairs && is_causal(declared), shifted = pairs && is_modulo_rows(declared);
  const std::size_t nq = asked.positions.size();
  std::vector<Fit> out(given.rows());
  for (std::size_t r = 0; r < given.rows(); ++r) {
    std::optional<std::size_t> own;
    const double most = largest(expected.row(r));
    for (std::size_t c = 0; c < given.width() && out[r].right; ++c) {
      if (causal && asked.keys.whole[c] > asked.positions.whole[r % nq]) continue;
      if (!own) own = c;
      const double from = shifted ? given.at(r, *own) : 0, to = shifted ? expected.at(r, *own) : 0;
      const double more = shifted ? error.at(r, *own) + unit_f32 * (std::abs(from) + std::abs(to)) : 0;
      out[r].right = within(given.at(r, c) - from, expected.at(r, c) - to, error.at(r, c) + more);
      out[r].tells = out[r].tells || std::isnan(expected.at(r, c)) || is_close(error.at(r, c) + more, most);
    }
  }
  return out;
}

std::vector<bool> right_rows(const Model& model, const Encoding& declared, const Call& asked,
                             const Tensor& given, const Tensor& expected, Position far) {
  std::vector<bool> out;
  for (const Fit& row : fits(model, declared, asked, given, expected, far)) out.push_back(row.right);
  return out;
}

Tensor made(const Model& model, const Call& asked, const Instead& instead) {
  if (instead.how == Instead::How::left_alone && !asked.contents.empty()) return asked.contents.back();
  Tensor out(shape_of_answer(model.encoding, asked));
  if (instead.how == Instead::How::zeros) return out;
  if (instead.how == Instead::How::encoded) return answer(model.encoding, instead.call);
  std::ranges::fill(out.data, std::numeric_limits<double>::quiet_NaN());
  return out;
}

// What an effect gives for one call, head by head where heads differ.
std::vector<Fit> fits(const Model& model, const Encoding& declared, const Steps& steps, bool by_head,
                      const Call& asked, const Tensor& given) {
  const std::size_t heads = heads_of(declared);
  std::vector<Fit> out;
  for (std::size_t head = 0; head < (by_head ? heads : 1); ++head) {
    const Instead instead = steps(asked, head, heads);
    const Position far = std::max(farthest(asked), farthest(instead.call));
    Call rounded = asked;  // what is rounded is the content that the effect gives
    rounded.contents = instead.call.contents;
    auto own = fits(model, declared, rounded, given, made(model, asked, instead), far);
    if (instead.how != Instead::How::encoded)
      for (Fit& row : own) row.tells = true;  // it is no function of positions, whose error it would have
    if (out.empty()) out.assign(own.size(), Fit{false});
    for (std::size_t r = 0; r < own.size(); ++r)
      if (!by_head || place(declared, asked, 0, r).head == head) out[r] = own[r];
  }
  return out;
}

// ---- where something differs

RowInCall seen(const AnsweredRow& row, const std::vector<Answered>& answered) {
  const Call& call = answered[row.item].call;
  const std::size_t tokens = tokens_of(call);
  if (!call.mask.shape.empty()) return {row, call, tokens, static_cast<Position>(row.token)};
  // Of several numbers the first; of one that is not whole the whole one below.
  const std::size_t n = (row.batch * tokens + row.token) * call.positions.axes;
  const Position at = call.positions.real.empty()
                          ? call.positions.whole.at(n)
                          : static_cast<Position>(std::floor(call.positions.real.at(n)));
  return {row, call, tokens, at};
}

// Places that the answers themselves give: heads that are never right.
void add_heads(const Explained& alone, std::size_t heads, std::vector<PlaceInCalls>& to) {
  std::set<std::size_t> wrong;
  for (std::size_t n = 0; n < alone.rows.size(); ++n)
    if (!alone.right[n]) wrong.insert(alone.rows[n].head);
  if (wrong.empty() || wrong.size() == heads) return;
  const std::vector<std::size_t> rising(wrong.begin(), wrong.end());
  to.push_back({fmt::format("{} of {}", numbered("head", rising), heads),
                [wrong](const RowInCall& s) { return wrong.contains(s.row.head); }});
}

// From a number of tokens or a position on: those that are right without an effect lie below those that
// need it, and no number is between them.
void add_limits(const Explained& alone, const std::vector<bool>& by_effect,
                const std::vector<Answered>& answered, std::optional<Position> first_wrong,
                std::vector<PlaceInCalls>& to) {
  std::size_t most_right = 0, least_wrong = std::numeric_limits<std::size_t>::max();
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    const std::size_t tokens = seen(alone.rows[n], answered).tokens;
    if (alone.right[n] && !by_effect[n]) most_right = std::max(most_right, tokens);
    if (!alone.right[n]) least_wrong = std::min(least_wrong, tokens);
  }
  if (most_right > 0 && most_right < least_wrong && least_wrong < std::numeric_limits<std::size_t>::max())
    to.push_back({least_wrong == most_right + 1
                      ? fmt::format("in calls of more than {} tokens", most_right)
                      : fmt::format("in calls of more tokens than some number from {} to {}", most_right,
                                    least_wrong - 1),
                  [least_wrong](const RowInCall& s) { return s.tokens >= least_wrong; }});
  if (first_wrong)
    to.push_back({fmt::format("at positions from {} on", *first_wrong),
                  [first = *first_wrong](const RowInCall& s) { return s.at >= first; }});
}

// ---- the first position whose answer is another

class Finding {
 public:
  Finding(const Model& model, const Subject& subject, const Encoding& declared)
      : model_(model),
        subject_(subject),
        declared_(declared),
        domain_(overlap(positions_of(subject.encoding), positions_of(declared))) {}

  // Along one axis, where the others are 0. None where all that were asked are right, or
  // already the first is wrong.
  std::optional<Position> first_wrong(std::size_t axis) const {
    const Domain along = domain_.axes > 1 ? domain_.on(axis) : domain_;
    std::vector<Position> at = {along.lo};
    for (Position step = 1; along.lo + step <= along.hi; step *= 2) {
      at.push_back(along.lo + step);
      if (step >= 8 && along.lo + step + step / 2 <= along.hi) at.push_back(along.lo + step + step / 2);
    }
    at.push_back(along.hi);
    std::optional<Position> first;
    while (true) {
      const auto right = are_right(at, axis);
      const auto wrong = std::ranges::find(right, false);
      if (wrong == right.end() || wrong == right.begin()) return std::nullopt;
      const auto n = static_cast<std::size_t>(wrong - right.begin());
      const Position below = at[n - 1];
      first = at[n];
      if (*first - below <= 1) return first;
      at = between(below, *first);
    }
  }

 private:
  static std::vector<Position> between(Position below, Position first) {
    constexpr Position parts = 48;
    std::vector<Position> out;
    for (Position part = 0; part <= parts; ++part) out.push_back(below + (first - below) * part / parts);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  std::vector<bool> are_right(const std::vector<Position>& at, std::size_t axis) const {
    Call call = sequence(declared_, at);
    if (domain_.axes > 1) {
      std::ranges::fill(call.positions.whole, std::max<Position>(0, domain_.lo));
      for (std::size_t n = 0; n < at.size(); ++n) call.positions.whole[n * domain_.axes + axis] = at[n];
    }
    if (signature(declared_).has(Axis::key)) call.keys.whole.assign(domain_.axes, domain_.lo);
    for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
    if (signature(declared_).has(Axis::key) && !call.contents.empty()) throw Refusal("not asked");
    const Tensor given = answer(subject_.encoding, call), expected = answer(model_.encoding, call);
    // Each with the error of its own position.
    const Axis along = signature(declared_).along();
    const Operand& gives = signature(declared_).gives;
    std::vector<bool> out;
    for (std::size_t token = 0; token < at.size(); ++token) {
      const std::size_t one[] = {token};
      const Call own = take(declared_, call, along, one);
      const auto rows = right_rows(model_, declared_, own, take(gives, given, along, one),
                                   take(gives, expected, along, one), farthest(own));
      out.push_back(std::ranges::find(rows, false) == rows.end());
    }
    return out;
  }

  const Model& model_;
  const Subject& subject_;
  const Encoding& declared_;
  Domain domain_;
};

}  // namespace

std::optional<Position> first_wrong_along(std::size_t axis, const Model& model, const Subject& subject,
                                          const Encoding& declared) {
  try {
    return Finding(model, subject, declared).first_wrong(axis);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died
    return std::nullopt;
  }
}

namespace {

// ---- effects

constexpr std::size_t several = 3;  // rows that are wrong are more than an accident

// Whether the effect explains each row; none where one that the model leaves unexplained stays so. An effect
// is allowed the error of the positions that it leads to: where the model's own answers are within that, too,
// in all rows that it explains, it explains nothing; nor where that is as large as what is answered in all
// but a few of them.
std::optional<std::vector<bool>> explained_by(const Effect& effect, const Model& model,
                                              const Encoding& declared, const std::vector<Answered>& answered,
                                              const Explained& alone) {
  std::vector<bool> out;
  bool differs = false;
  std::size_t told = 0;
  const Steps steps = effect.begin(), again = effect.begin();
  try {
    for (const Answered& one : answered) {
      const auto rows = fits(model, declared, steps, effect.by_head, one.call, one.answer);
      const std::size_t first = out.size();
      for (const Fit& row : rows) {
        if (!alone.right[out.size()]) {
          if (!row.right) return std::nullopt;
          if (row.tells) ++told;
        }
        out.push_back(row.right);
      }
      if (differs) continue;
      const auto of_model =
          fits(model, declared, again, effect.by_head, one.call, answer(model.encoding, one.call));
      for (std::size_t r = 0; r < rows.size(); ++r)
        differs = differs || (!alone.right[first + r] && !of_model[r].right);
    }
  } catch (const Refusal&) {  // the declared encoding is not defined at these positions
    return std::nullopt;
  }
  return differs && told >= several ? std::optional(out) : std::nullopt;
}

// One operand, [batch, head, token, channel].
bool takes_tokens_of_heads(const Signature& signature) {
  constexpr std::array axes{Axis::batch, Axis::head, Axis::token, Axis::channel};
  return signature.takes.size() == 1 && std::ranges::equal(signature.takes.front().axes, axes);
}

bool holds_at(const PlaceInCalls& where, const Explained& alone, const std::vector<bool>& by_effect,
              const std::vector<Answered>& answered) {
  for (std::size_t n = 0; n < alone.rows.size(); ++n)
    if (!(where.is(seen(alone.rows[n], answered)) ? by_effect[n] : alone.right[n])) return false;
  return true;
}

}  // namespace

namespace {

// Of a rotation all tokens are allowed the same share of their pairs' norms: found once for a call.
Tensor rotation_errors(const Rotary& declared, const Precision& precision, const Call& call, Position far) {
  const Tensor& x = call.contents.front();
  std::vector<double> one(x.width());
  for (const Pair& pair : declared.pairs) one[pair.first] = 1;
  const std::vector<double> share = rotated_error(declared, precision, far, one);
  const double least = rotation_underflow(precision);
  Tensor out(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (const Pair& pair : declared.pairs) {
      // Nothing underflows where there is nothing; the declared values are rounded themselves.
      const double norm = std::hypot(x.at(r, pair.first), x.at(r, pair.second));
      out.at(r, pair.first) = out.at(r, pair.second) =
          norm == 0 ? 0 : norm * (share[pair.first] + unit_f64) + least;
    }
  return out;
}

}  // namespace

Model model_of(const Encoding& declared, const Precision& precision) {
  if (const auto* rotary = std::get_if<Rotary>(&declared))
    return {declared, [rotary = *rotary, precision](const Call& call, const Tensor&, Position far) {
              return rotation_errors(rotary, precision, call, far);
            }};
  return {declared, [declared, precision](const Call& call, const Tensor& expected, Position far) {
            Call there = call;
            std::ranges::fill(there.positions.whole, far);
            Tensor error = bound(declared, there, expected, precision).error;
            // The farthest query is none of the farthest from a key that is past the others.
            if (call.keys.size() > 0) {
              const Tensor own = bound(declared, call, expected, precision).error;
              for (std::size_t n = 0; n < error.data.size(); ++n)
                error.data[n] = std::max(error.data[n], own.data[n]);
            }
            for (std::size_t n = 0; n < error.data.size(); ++n)
              error.data[n] += unit_f64 * std::abs(expected.data[n]);
            return error;
          }};
}

std::size_t Explained::wrong() const {
  return static_cast<std::size_t>(std::ranges::count(right, false));
}

bool explains_all(const Model& model, const Encoding& declared, const std::vector<Answered>& answered) {
  return std::ranges::all_of(answered, [&](const Answered& one) {
    const auto rows = right_rows(model, declared, one.call, one.answer, answer(model.encoding, one.call),
                                 farthest(one.call));
    return std::ranges::all_of(rows, [](bool right) { return right; });
  });
}

Explained explained(const Model& model, const Encoding& declared, const std::vector<Answered>& answered) {
  Explained out;
  for (std::size_t item = 0; item < answered.size(); ++item) {
    const auto& [asked, call, given] = answered[item];
    const auto rows = right_rows(model, declared, call, given, answer(model.encoding, call), farthest(call));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      out.rows.push_back(place(declared, call, item, r));
      out.right.push_back(rows[r]);
    }
  }
  return out;
}

std::optional<std::string> call_deviation(const Model& model, const Subject& subject,
                                          const Encoding& declared, const std::vector<Answered>& answered) {
  const Explained alone = explained(model, declared, answered);
  if (alone.wrong() < several) return std::nullopt;
  const bool batch = signature(declared).has(Axis::batch), tokens = signature(declared).has(Axis::token);
  const bool masked = signature(declared).mask;
  std::set<Position> all_first_wrong;
  std::optional<Position> first_wrong;  // of positions of several numbers: of the first of these
  for (std::size_t axis = 0; !masked && axis < positions_of(declared).axes; ++axis)
    if (const auto one = first_wrong_along(axis, model, subject, declared)) {
      all_first_wrong.insert(*one);
      if (axis == 0) first_wrong = one;
    }
  std::vector<Effect> effects =
      masked ? effects_on_operands() : known_effects(signature(declared).has(Axis::key), batch);
  if (takes_tokens_of_heads(signature(declared)))
    for (Effect& one : effects_on_tokens()) effects.push_back(std::move(one));
  if (subject.takes_positions == "mask" && !signature(declared).has(Axis::key))
    for (Effect& one : effects_of_padding()) effects.push_back(std::move(one));
  if (signature(declared).positions) {
    const Domain domain = overlap(positions_of(subject.encoding), positions_of(declared));
    for (Effect& one : domain.axes > 1 ? effects_on_axes(domain) : effects_at_the_ends(domain))
      effects.push_back(std::move(one));
  }
  for (const Position from : all_first_wrong)
    for (Effect& one : effects_from(from, positions_of(declared).axes)) effects.push_back(std::move(one));
  std::vector<PlaceInCalls> places = known_places(batch, tokens);
  add_heads(alone, heads_of(declared), places);
  std::optional<std::pair<std::size_t, std::string>> best;
  for (const Effect& effect : effects) {
    const auto by_effect = explained_by(effect, model, declared, answered, alone);
    if (!by_effect) continue;
    std::vector<PlaceInCalls> own = places;
    add_limits(alone, *by_effect, answered, first_wrong, own);
    for (std::size_t n = 0; n < own.size() && (!best || n < best->first); ++n)
      if (holds_at(own[n], alone, *by_effect, answered))
        best = {n, own[n].words.empty() ? effect.words : own[n].words + ": " + effect.words};
  }
  return best ? std::optional(best->second) : std::nullopt;
}

}  // namespace posproof
