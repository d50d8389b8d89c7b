#include "gate/history_calls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "attention/mask.h"

namespace posproof::histories {
namespace {

constexpr std::int64_t most_tokens = 129, most_batch = 5, most_apart = 64, usual_behind = 512;

// One vector for all tokens, moved on by a channel from token to token and halved: the counterexample stays
// one vector, and tokens that are mixed up differ.
Tensor moved_on(const Shape& shape, const std::vector<double>& content) {
  Tensor x(shape);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < x.width(); ++c)
      x.at(r, c) = std::ldexp(content[(c + r) % content.size()], -static_cast<int>(r % 4));
  return x;
}

// Contents that nobody drew: 1, -0.5, 0.25 and so on, which every format holds.
std::vector<double> any_content(std::size_t width) {
  constexpr std::array<double, 5> values = {1, -0.5, 0.25, 0.75, -1};
  std::vector<double> out(width);
  for (std::size_t c = 0; c < width; ++c) out[c] = values[c % values.size()];
  return out;
}

// How far neighbouring tokens stand from each other, in some order.
Position apart_by(Position step) {
  return std::max<Position>(1, std::abs(step));
}

// Where a position has several numbers all are that one, or as far behind the first as the axis has room for;
// those after the first so much more, or those before the last.
TokenPositions on_every_axis(const std::vector<Position>& numbers, const Domain& domain, Position apart) {
  if (domain.axes == 1) return {numbers};
  TokenPositions out{.axes = domain.axes};
  for (const Position t : numbers)
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      const std::size_t steps = apart >= 0 ? axis : domain.axes - 1 - axis;
      const Position more = std::abs(apart) * static_cast<Position>(steps);
      out.whole.push_back(domain.lo + (t - domain.lo + more) % (domain.last(axis) - domain.lo + 1));
    }
  return out;
}

// As case fields, cut to what the domain has.
void put(const Callee& of, Case& into, Step step, const std::string& which) {
  const Signature& known = signature(of.encoding);
  const Position tokens = known.positions ? of.domain.hi - of.domain.lo + 1 : most_tokens;
  step.n = std::min(step.n, tokens);
  if (step.n + (step.n - 1) > tokens) step.step = std::min<std::int64_t>(step.step, 1);
  const Position apart = apart_by(step.step);
  step.t = std::clamp(step.t, of.domain.lo, std::max(of.domain.lo, of.domain.hi - apart * (step.n - 1)));
  into.set("n" + which, static_cast<double>(step.n));
  if (known.positions && step.n > 1) into.set("step" + which, static_cast<double>(step.step));
  if (known.positions) into.set("t" + which, static_cast<double>(step.t));
  if (known.has(Axis::batch)) into.set("batch" + which, static_cast<double>(step.batch));
  if (known.positions && of.domain.axes > 1)
    into.set("axes_apart" + which, static_cast<double>(step.axes_apart));
  if (known.has(Axis::key) && known.positions)
    into.set("behind" + which, static_cast<double>(std::min(step.behind, step.t - of.domain.lo)));
  if (known.has(Axis::batch) && known.positions && step.batch > 1)
    into.set("rows_apart" + which, static_cast<double>(step.rows_apart));
  if (known.mask) into.set("mask" + which, is_causal(of.encoding) ? "causal" : step.mask);
  if (known.role) into.set("role" + which, step.role);
}

}  // namespace

Call drawn_call(const Callee& of, Draw& draw, const std::string& which) {
  const Signature& known = signature(of.encoding);
  const auto named = [&which](std::string_view name) { return std::string(name) + which; };
  const Domain& domain = of.domain;
  const Position longest = known.positions ? domain.hi - domain.lo + 1 : most_tokens;
  const auto n = draw.integer(named("n"), 1, std::min<Position>(longest, most_tokens));
  std::vector<Position> positions(static_cast<std::size_t>(n));
  if (known.positions) {
    // A cache that is found by the number of tokens and their first position, or their last, or both, holds
    // others.
    const std::vector<Value> steps =
        2 * n - 1 <= longest ? std::vector<Value>{1.0, 2.0, -1.0, 0.0} : std::vector<Value>{1.0, -1.0, 0.0};
    const auto step =
        n == 1 ? Position{1} : static_cast<Position>(std::get<double>(draw.one_of(named("step"), steps)));
    const Position apart = apart_by(step);
    const Position t = draw.position(named("t"), domain, domain.lo, domain.hi - apart * (n - 1));
    for (Position k = 0; k < n; ++k) positions[static_cast<std::size_t>(k)] = t + apart * k;
    if (step < 0) std::ranges::reverse(positions);
    if (step == 0) std::reverse(positions.begin() + 1, positions.end() - 1);
  }
  std::size_t batch = 1;
  if (known.has(Axis::batch)) batch = static_cast<std::size_t>(draw.integer(named("batch"), 1, most_batch));
  const std::int64_t rows_apart =
      batch > 1 && known.positions ? draw.integer(named("rows_apart"), 0, most_apart) : 0;
  std::vector<Position> rows;
  for (std::size_t b = 0; b < batch; ++b)
    for (const Position t : positions)
      rows.push_back(domain.lo + (t - domain.lo + rows_apart * static_cast<Position>(b)) % longest);

  const Position axes_apart =
      domain.axes > 1 && known.positions ? draw.integer(named("axes_apart"), -most_apart, most_apart) : 0;
  Call call{.batch = batch, .positions = on_every_axis(rows, domain, axes_apart)};
  if (known.positions) call.length = std::ranges::max(rows) + 1;
  if (known.has(Axis::key)) call.keys = call.positions;
  if (known.has(Axis::key) && known.positions) {
    const Position first = std::ranges::min(positions);
    const Position room = first - domain.lo;
    const Position behind =
        draw.integer(named("behind"), {0, std::min(usual_behind, room), std::min(most_behind, room)});
    std::vector<Position> before(static_cast<std::size_t>(behind));
    std::iota(before.begin(), before.end(), first - behind);
    call.keys.whole.insert(call.keys.whole.begin(), before.begin(), before.end());
  }
  if (known.mask) {
    const auto tokens = static_cast<std::size_t>(n);
    const std::vector<Value> masks =
        is_causal(of.encoding) ? std::vector<Value>{"causal"} : std::vector<Value>{"none", "causal"};
    const bool causal = std::get<std::string>(draw.one_of(named("mask"), masks)) == "causal";
    call.mask =
        causal ? mask::causal(tokens) : Mask({tokens, tokens}, std::vector<double>(tokens * tokens, 1));
    call.contents.assign(known.takes.size(), Tensor({tokens, 0}));
  }
  if (known.role)
    call.role = std::get<std::string>(draw.one_of(named("role"), {"query", "key"})) == "query" ? Role::query
                                                                                               : Role::key;
  std::vector<Tensor> contents;
  for (std::size_t c = 0; c < known.takes.size(); ++c) {
    const std::size_t width = width_of_content(of.encoding, c);
    Shape shape = shape_of_content(of.encoding, call, c);
    contents.push_back(
        moved_on(shape, which.empty() ? draw.content(known.takes[c].name, width) : any_content(width)));
  }
  call.contents = std::move(contents);
  return call;
}

Case case_of(const Callee& of, const std::vector<Step>& steps, std::size_t last) {
  Case out;
  out.set("before", static_cast<double>(last));
  for (std::size_t k = 0; k < last; ++k) put(of, out, steps[k], std::to_string(k + 1));
  put(of, out, steps[last], "");
  const Signature& known = signature(of.encoding);
  for (std::size_t c = 0; c < known.takes.size(); ++c)
    out.set(known.takes[c].name, any_content(width_of_content(of.encoding, c)));
  if (last == 0) out.set("against", a_new_object);
  return out;
}

}  // namespace posproof::histories
