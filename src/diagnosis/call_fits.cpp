#include "diagnosis/call_fits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "core/call.h"
#include "core/error.h"
#include "diagnosis/time_limit.h"

namespace posproof {

Position farthest(const Call& call) {
  Position out = 0;
  for (const auto* all : {&call.positions.whole, &call.keys.whole})
    for (const Position t : *all) out = std::max(out, t < 0 ? -t : t);
  return out;
}

Position last_of(const Call& call) {
  return call.positions.whole.empty() ? 0 : std::ranges::max(call.positions.whole);
}

std::size_t tokens_of(const Call& call) {
  if (call.batch == 0) return 0;
  return (call.mask.shape.empty() ? call.positions.size() : call.contents.front().rows()) / call.batch;
}

namespace {

bool within(double there, double here, double error) {
  if (std::isnan(there) || std::isnan(here)) return std::isnan(there) && std::isnan(here);
  return there == here || (std::isfinite(error) && std::abs(there - here) <= error);
}

// Row r of an answer.
AnsweredRow place(const Encoding& declared, const Call& call, std::size_t item, std::size_t r) {
  const std::size_t tokens = tokens_of(call);
  const std::size_t heads = heads_of(declared);
  if (tokens == 0) return {item, 0, 0, 0};
  return {item, r / tokens / heads, r / tokens % heads, r % tokens};
}

// Whether as much may be wrong with an entry as there is in its row: then nothing is told by its being right.
bool is_close(double error, double largest) {
  constexpr double nothing = 1e-30;  // what underflows
  return error <= std::max(largest / 4, nothing);
}

Tensor made_by(const Model& model, const Call& asked, const Instead& instead) {
  if (instead.how == Instead::How::left_alone && !asked.contents.empty()) return asked.contents.back();
  Tensor out(shape_of_answer(model.encoding, asked));
  if (instead.how == Instead::How::zeros) return out;
  if (instead.how == Instead::How::encoded)
    return answer((instead.by ? *instead.by : model).encoding, instead.call);
  std::ranges::fill(out.data, std::numeric_limits<double>::quiet_NaN());
  return out;
}

// The answer, with these columns as in the other.
Tensor with_columns(Tensor out, const Tensor& other, const std::vector<std::size_t>& columns) {
  if (out.shape != other.shape) return other;
  for (std::size_t r = 0; r < out.rows(); ++r)
    for (const std::size_t c : columns) out.at(r, c) = other.at(r, c);
  return out;
}

}  // namespace

std::vector<RowFit> fits(const Model& model, const Encoding& declared, const Call& asked, const Tensor& given,
                         const Tensor& expected, Position far, const std::vector<std::size_t>& columns) {
  TimeLimit::go_on();
  if (given.shape != expected.shape) return std::vector<RowFit>(given.rows(), RowFit{false});
  Tensor error = model.error(asked, expected, far);
  const bool pairs = signature(declared).has(Axis::key) && signature(declared).positions;
  const bool causal = pairs && is_causal(declared), shifted = pairs && is_modulo_rows(declared);
  // What a row has more is rounded with its entries.
  if (shifted) {
    const Tensor with_shift = model.error(asked, given, far);
    for (std::size_t n = 0; n < error.data.size(); ++n)
      error.data[n] = std::max(error.data[n], with_shift.data[n]);
  }
  const std::size_t nq = asked.positions.size();
  std::vector<bool> tell(given.width(), columns.empty());
  for (const std::size_t c : columns) tell.at(c) = true;
  std::vector<RowFit> out(given.rows());
  for (std::size_t r = 0; r < given.rows(); ++r) {
    std::optional<std::size_t> own;
    double most = 0;  // NaN is passed over
    for (std::size_t c = 0; c < given.width(); ++c)
      if (tell[c]) most = std::max(most, std::abs(expected.at(r, c)));
    for (std::size_t c = 0; c < given.width() && out[r].right; ++c) {
      if (causal && asked.keys.whole[c] > asked.positions.whole[r % nq]) continue;
      if (!own) own = c;
      const double from = shifted ? given.at(r, *own) : 0, to = shifted ? expected.at(r, *own) : 0;
      const double more = shifted ? error.at(r, *own) + unit_f32 * (std::abs(from) + std::abs(to)) : 0;
      out[r].right = within(given.at(r, c) - from, expected.at(r, c) - to, error.at(r, c) + more);
      out[r].tells = out[r].tells ||
                     (tell[c] && (std::isnan(expected.at(r, c)) || is_close(error.at(r, c) + more, most)));
    }
  }
  return out;
}

std::vector<bool> right_rows(const Model& model, const Encoding& declared, const Call& asked,
                             const Tensor& given, const Tensor& expected, Position far) {
  std::vector<bool> out;
  for (const RowFit& row : fits(model, declared, asked, given, expected, far)) out.push_back(row.right);
  return out;
}

namespace {

// In these columns as far as the one is off, in the others as far as the other is.
Model in_columns(const Model& one, const Model& others, const std::vector<std::size_t>& columns) {
  return {one.encoding, [one = one.error, others = others.error, columns](
                            const Call& call, const Tensor& expected, Position far) {
            return with_columns(others(call, expected, far), one(call, expected, far), columns);
          }};
}

// What is 0 is just that.
Model exactly(const Model& model) {
  return {model.encoding,
          [](const Call&, const Tensor& expected, Position) { return Tensor(expected.shape); }};
}

}  // namespace

std::vector<RowFit> fits(const Effect& effect, const Steps& steps, const Model& model,
                         const Encoding& declared, const Call& asked, const Tensor& given) {
  const std::size_t heads = heads_of(declared);
  std::vector<RowFit> out;
  for (std::size_t head = 0; head < (effect.by_head ? heads : 1); ++head) {
    const Instead instead = steps(asked, head, heads);
    const Position far = std::max(farthest(asked), farthest(instead.call));
    Call rounded = asked;  // what is rounded is the content that the effect gives
    rounded.contents = instead.call.contents;
    // Of positions that are no whole numbers each is allowed the error of the farther one, its own or other.
    const std::vector<double>& other = instead.call.positions.real;
    std::vector<double>& own_reals = rounded.positions.real;
    for (std::size_t n = 0; n < own_reals.size() && other.size() == own_reals.size(); ++n)
      if (std::abs(other[n]) > std::abs(own_reals[n])) own_reals[n] = other[n];
    Tensor expected = made_by(model, asked, instead);
    if (!effect.columns.empty())
      expected = with_columns(answer(model.encoding, asked), expected, effect.columns);
    const bool zeros = instead.how == Instead::How::zeros, other_error = zeros || instead.by;
    const Model other_model = zeros ? exactly(model) : instead.by ? *instead.by : model;
    const Model by =
        other_error && !effect.columns.empty() ? in_columns(other_model, model, effect.columns) : other_model;
    auto own = fits(by, declared, rounded, given, expected, far, effect.columns);
    if (instead.how != Instead::How::encoded)
      for (RowFit& row : own) row.tells = true;  // it is no function of positions, whose error it would have
    if (out.empty()) out.assign(own.size(), RowFit{false});
    for (std::size_t r = 0; r < own.size(); ++r)
      if (!effect.by_head || place(declared, asked, 0, r).head == head) out[r] = own[r];
  }
  return out;
}

std::vector<std::size_t> wrong_columns(const Model& model, const Encoding& declared,
                                       const std::vector<Answered>& answered) {
  std::set<std::size_t> out;
  for (const auto& [asked, call, given, near] : answered) {
    const Tensor expected = answer(declared, call);
    if (given.shape != expected.shape) return {};
    const Tensor error = model.error(call, expected, farthest(call));
    for (std::size_t r = 0; r < given.rows(); ++r)
      for (std::size_t c = 0; c < given.width(); ++c)
        if (!within(given.at(r, c), expected.at(r, c), error.at(r, c))) out.insert(c);
  }
  return {out.begin(), out.end()};
}

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

// Where a pair is multiplied by what depends on the position, the share of what it is then: of the farthest
// token alone that would be less, or more, than of the others.
Tensor stretched_errors(const Rotary& declared, const Precision& precision, const Tensor& expected,
                        Position far) {
  Rotary plain = declared;
  plain.stretch = nullptr, plain.stretch_error = nullptr;
  std::vector<double> one(declared.dim);
  for (const Pair& pair : declared.pairs) one[pair.first] = 1 / declared.amplitude;
  const std::vector<double> share = rotated_error(plain, precision, far, one);
  const double least = rotation_underflow(precision);
  const Tensor y = in_place(declared, expected);
  Tensor out(y.shape);
  for (const Pair& pair : declared.pairs) {
    const double more =
        declared.stretch_error ? declared.stretch_error(pair, static_cast<double>(far), precision) : 0;
    for (std::size_t r = 0; r < y.rows(); ++r) {
      const double norm = std::hypot(y.at(r, pair.first), y.at(r, pair.second));
      out.at(r, pair.first) = out.at(r, pair.second) =
          norm == 0 ? 0 : norm * (share[pair.first] + more + unit_f64) + least;
    }
  }
  return in_order(declared, std::move(out));
}

}  // namespace

Model model_of(const Encoding& declared, const Precision& precision) {
  if (signature(declared).role)
    return {declared, [rotary = as<Rotary>(declared), precision](const Call& call, const Tensor& expected,
                                                                 Position far) {
              return rotary.stretch ? stretched_errors(rotary, precision, expected, far)
                                    : rotation_errors(rotary, precision, call, far);
            }};
  return {declared, [declared, precision](const Call& call, const Tensor& expected, Position far) {
            Call there = call;
            std::ranges::fill(there.positions.whole, far);
            Tensor error = bound(declared, there, expected, precision).error;
            // The farthest query is none of the farthest from a key that is past the others, nor is the
            // farthest position the largest angle where an offset is taken from it.
            const Tensor own = bound(declared, call, expected, precision).error;
            for (std::size_t n = 0; n < error.data.size(); ++n)
              error.data[n] = std::max(error.data[n], own.data[n]) + unit_f64 * std::abs(expected.data[n]);
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

bool tells_of_most(const Model& model, const Encoding& declared, const std::vector<Answered>& answered,
                   const Explained& alone) {
  std::size_t n = 0, told = 0;
  for (const Answered& one : answered)
    for (const RowFit& row :
         fits(model, declared, one.call, one.answer, answer(model.encoding, one.call), farthest(one.call))) {
      if (!alone.right.at(n++) && row.tells) ++told;
    }
  constexpr std::size_t enough = 8;
  return told >= std::min(enough, (alone.wrong() + 1) / 2);
}

Explained explained(const Model& model, const Encoding& declared, const std::vector<Answered>& answered) {
  Explained out;
  for (std::size_t item = 0; item < answered.size(); ++item) {
    const auto& [asked, call, given, near] = answered[item];
    const auto rows = right_rows(model, declared, call, given, answer(model.encoding, call), farthest(call));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      out.rows.push_back(place(declared, call, item, r));
      out.right.push_back(rows[r]);
    }
  }
  return out;
}

}  // namespace posproof
