#include "core/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/by_row.h"
#include "core/error.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/rotation.h"

namespace posproof {
namespace {

using enum Axis;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 finds it no other way

std::size_t place(const Operand& operand, Axis axis) {
  const auto found = std::find(operand.axes.begin(), operand.axes.end(), axis);
  return static_cast<std::size_t>(found - operand.axes.begin());
}

// How long an axis is in the answer to a call, or in the content that it takes.
std::size_t extent(const Encoding& encoding, const Call& call, Axis axis) {
  const auto& contents = call.contents;
  switch (axis) {
    case batch:
      return call.batch;
    case token:
      return call.positions.size() / call.batch;
    case query:
      return signature(encoding).positions ? call.positions.size() : contents.at(0).shape.at(0);
    case key:
      return signature(encoding).positions ? call.keys.size() : contents.at(1).shape.at(0);
    case head:
      return std::visit(Overloaded{[](const Rotary& rotary) { return rotary.heads; },
                                   [](const Bias& bias) { return bias.heads; },
                                   [](const Contextual& contextual) { return contextual.heads; },
                                   [](const auto&) { return std::size_t{1}; }},
                        encoding);
    case channel:
      return std::visit(Overloaded{[](const Bias&) { return std::size_t{0}; },
                                   [&](const Attention& attention) {
                                     return contents.size() == 3 ? contents[2].shape.at(1)
                                                                 : attention.value_dim;
                                   },
                                   [](const auto& kind) { return kind.dim; }},
                        encoding);
  }
  return 0;
}

template <class Number>
void keep(std::vector<Number>& numbers, std::size_t groups, std::size_t each, Indices indices) {
  if (numbers.empty()) return;
  std::vector<Number> kept;
  const std::size_t group = numbers.size() / groups;
  for (std::size_t g = 0; g < groups; ++g)
    for (const std::size_t index : indices)
      for (std::size_t c = 0; c < each; ++c) kept.push_back(numbers.at(g * group + index * each + c));
  numbers = std::move(kept);
}

// Of positions in so many groups, each of consecutive blocks of so many tokens: these blocks.
void keep(TokenPositions& positions, std::size_t groups, std::size_t tokens, Indices indices) {
  keep(positions.whole, groups, tokens * positions.axes, indices);
  keep(positions.real, groups, tokens * positions.axes, indices);
}

}  // namespace

bool Operand::has(Axis axis) const {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool Signature::has(Axis axis) const {
  return gives.has(axis);
}

Axis Signature::along() const {
  return has(token) ? token : query;
}

const Signature& signature(const Encoding& encoding) {
  // Made once: every call asks for its signature.
  static const std::vector<Axis> tokens = {batch, head, token, channel}, logits = {head, query, key};
  static const std::array<Signature, 5> signatures = {{
      {.call = "rows", .takes = {}, .gives = {"rows", {token, channel}}, .length = true},
      {.call = "rotate", .takes = {{"x", tokens}}, .gives = {"x", tokens}, .role = true},
      {.call = "bias", .takes = {}, .gives = {"bias", logits}},
      {.call = "logits",
       .takes = {{"q", {query, channel}}, {"k", {key, channel}}},
       .gives = {"logits", logits}},
      {.call = "attend",
       .takes = {{"q", {query, channel}}, {"k", {key, channel}}, {"v", {key, channel}}},
       .gives = {"y", {query, channel}},
       .positions = false,
       .mask = true},
  }};
  return signatures.at(encoding.index());
}

TokenPositions::operator Positions() const {
  return real.empty() ? Positions(std::span(whole), axes) : Positions(std::span(real), axes);
}

std::optional<Position> last_of(const TokenPositions& positions) {
  if (!positions.whole.empty()) return std::ranges::max(positions.whole);
  if (!positions.real.empty()) return static_cast<Position>(std::floor(std::ranges::max(positions.real)));
  return std::nullopt;
}

Shape shape_of_answer(const Encoding& encoding, const Call& call) {
  // What a content has is what came, not what was declared: of a rotation its own shape.
  const Signature& known = signature(encoding);
  if (!call.contents.empty() && known.takes.back().axes == known.gives.axes)
    return call.contents.back().shape;
  Shape shape;
  for (const Axis axis : signature(encoding).gives.axes) shape.push_back(extent(encoding, call, axis));
  return shape;
}

Shape shape_of_content(const Encoding& encoding, const Call& call, std::size_t content) {
  Shape shape;
  for (const Axis axis : signature(encoding).takes.at(content).axes)
    shape.push_back(axis == channel ? width_of_content(encoding, content) : extent(encoding, call, axis));
  return shape;
}

// The width of a content: of the whole operator, values have their own.
std::size_t heads_of(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) -> std::size_t {
        if constexpr (requires { kind.heads; }) return kind.heads;
        return 1;
      },
      encoding);
}

std::size_t width_of_content(const Encoding& encoding, std::size_t content) {
  return std::visit(Overloaded{[](const Bias&) { return std::size_t{0}; },
                               [content](const Attention& attention) {
                                 return content == 2 ? attention.value_dim : attention.dim;
                               },
                               [](const auto& kind) { return kind.dim; }},
                    encoding);
}

Tensor answer(const Encoding& encoding, const Call& call) {
  const auto& contents = call.contents;
  Tensor given = std::visit(
      Overloaded{
          [&](const Table& table) { return table.rows(call.positions, call.length); },
          [&](const Rotary& rotary) { return rotary.rotate(contents.at(0), call.positions, call.role); },
          [&](const Bias& bias) { return bias.bias(call.positions, call.keys); },
          [&](const Contextual& contextual) {
            return contextual.logits(contents.at(0), contents.at(1), call.positions, call.keys);
          },
          [&](const Attention& attention) {
            return attention.attend(contents.at(0), contents.at(1), contents.at(2), call.mask);
          }},
      encoding);
  const Shape wanted = shape_of_answer(encoding, call);
  if (given.shape != wanted || given.data.size() != count(wanted))
    throw Failure::of_shape(signature(encoding).call, text(wanted), text(given.shape));
  return given;
}

Tensor take(const Operand& operand, const Tensor& values, Axis axis, Indices indices) {
  const std::size_t at = place(operand, axis);
  if (at == operand.axes.size()) return values;
  const auto first = values.shape.begin();
  const std::size_t outer =
      std::accumulate(first, first + static_cast<std::ptrdiff_t>(at), std::size_t{1}, std::multiplies<>());
  const std::size_t length = values.shape.at(at),
                    inner = values.data.size() / std::max<std::size_t>(1, outer * length);
  Shape shape = values.shape;
  shape[at] = indices.size();
  Tensor out(shape);
  auto to = out.data.begin();
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::size_t index : indices) {
      if (index >= length) throw std::out_of_range(fmt::format("entry {} of an axis of {}", index, length));
      const auto from = values.data.begin() + static_cast<std::ptrdiff_t>((o * length + index) * inner);
      to = std::copy_n(from, inner, to);
    }
  return out;
}

Call take(const Encoding& encoding, const Call& call, Axis axis, Indices indices) {
  const Signature& known = signature(encoding);
  Call out = call;
  for (std::size_t n = 0; n < known.takes.size(); ++n)
    out.contents[n] = take(known.takes[n], call.contents[n], axis, indices);
  if (known.mask) out.mask = take({"mask", {query, key}}, call.mask, axis, indices);
  if (axis == batch) {
    keep(out.positions, 1, call.positions.size() / call.batch, indices);
    out.batch = indices.size();
  }
  if (axis == token || axis == query) keep(out.positions, call.batch, 1, indices);
  if (axis == key) keep(out.keys, 1, 1, indices);
  return out;
}

Bound& Bound::operator*=(double factor) {
  for (double& one : error.data) one *= factor;
  return *this;
}

namespace {

// The numbers of one token's position.
std::vector<double> numbers(const Positions& positions, std::size_t token) {
  std::vector<double> out(positions.axes());
  for (std::size_t axis = 0; axis < out.size(); ++axis) out[axis] = positions.at(token, axis);
  return out;
}

// The errors of a row, each pair's at the number of its own axis.
void row_errors(const Table& table, const RowErrors& errors, std::span<const double> position,
                const Precision& precision, std::span<const double> row, std::span<double> error,
                InProportionTo what) {
  const auto at = [&](double t, std::span<double> of) {
    what == InProportionTo::entry ? errors.narrowed(t, row, of) : errors.at(t, row, of);
  };
  if (table.row_error && position.size() > 1) {
    table.row_error(position, row, precision, error);
    return;
  }
  at(position[0], error);
  std::vector<double> other(position.size() > 1 ? error.size() : 0);
  for (std::size_t axis = 1; axis < position.size(); ++axis) {
    at(position[axis], other);
    for (const Pair& pair : table.pairs)
      if (pair.axis == axis)
        for (const std::size_t c : {pair.first, pair.second}) error[c] = other[c];
  }
}

// The errors of a rotated token, before its channels were put in their order.
std::vector<double> token_errors(const Rotary& rotary, const Precision& precision, std::span<const double> at,
                                 std::span<const double> x, std::span<const double> answered, Role role,
                                 InProportionTo what) {
  if (what == InProportionTo::pair) return rotated_error(rotary, precision, at, x, role);
  if (rotary.order.empty()) return rotated_error(rotary, precision, at, x, answered, role);
  std::vector<double> rotated(answered.size());
  for (std::size_t c = 0; c < rotary.order.size(); ++c) rotated[rotary.order[c]] = answered[c];
  return rotated_error(rotary, precision, at, x, rotated, role);
}

}  // namespace

Bound bound(const Encoding& declared, const Call& call, const Tensor& answer, const Precision& precision,
            InProportionTo what) {
  Bound out{Tensor(answer.shape), Tensor(answer.shape)};
  std::fill(out.ceiling.data.begin(), out.ceiling.data.end(), no_ceiling);
  if (answer.data.empty()) return out;
  const auto row_by_row = [&](const auto& each) {
    for (std::size_t r = 0; r < answer.rows(); ++r) each(r);
  };
  const Positions positions = call.positions, keys = call.keys;
  std::visit(
      Overloaded{[&](const Table& table) {
                   const RowErrors errors(table, precision, RowErrors::Against::declared);
                   row_by_row([&](std::size_t r) {
                     row_errors(table, errors, numbers(positions, r), precision, answer.row(r),
                                out.error.row(r), what);
                   });
                   // A table with a ladder cannot be further off than from -A to A; the others have no
                   // bound.
                   if (!table.pairs.empty())
                     std::fill(out.ceiling.data.begin(), out.ceiling.data.end(), 2 * table.amplitude);
                 },
                 [&](const Rotary& rotary) {
                   const std::size_t n = call.positions.size() / call.batch;
                   std::vector<std::shared_ptr<const Rotary>> rows;
                   for (std::size_t b = 0; b < call.batch; ++b)
                     rows.push_back(in_row(rotary, positions, call.batch, b));
                   row_by_row([&](std::size_t r) {
                     const Rotary& own = *rows[r / (rotary.heads * n)];
                     const auto x = call.contents.at(0).row(r);
                     const auto at = numbers(positions, r / (rotary.heads * n) * n + r % n);
                     std::ranges::copy(token_errors(own, precision, at, x, answer.row(r), call.role, what),
                                       out.error.row(r).begin());
                     for (const Pair& pair : own.pairs)
                       out.ceiling.at(r, pair.first) = out.ceiling.at(r, pair.second) =
                           2 * stretched(own, precision, pair, at[pair.axis], call.role).size *
                           pair_norm(x[pair.first], x[pair.second]);
                   });
                   if (rotary.order.empty()) return;
                   for (Tensor* of : {&out.error, &out.ceiling})
                     *of = take(signature(declared).gives, *of, channel, rotary.order);
                 },
                 [&](const Bias& bias) {
                   std::vector<std::vector<double>> key_at;
                   for (std::size_t c = 0; c < keys.size(); ++c) key_at.push_back(numbers(keys, c));
                   row_by_row([&](std::size_t r) {
                     const std::size_t h = r / positions.size();
                     const auto query = numbers(positions, r % positions.size());
                     for (std::size_t c = 0; c < keys.size(); ++c)
                       out.error.at(r, c) = bias_error(precision, answer.at(r, c), bias, h, query, key_at[c]);
                   });
                 },
                 [&](const Contextual& contextual) {
                   std::vector<std::vector<double>> key_at;
                   for (std::size_t c = 0; c < keys.size(); ++c) key_at.push_back(numbers(keys, c));
                   row_by_row([&](std::size_t r) {
                     const std::size_t i = r % positions.size();
                     const auto query = numbers(positions, i);
                     for (std::size_t c = 0; c < keys.size(); ++c) {
                       out.error.at(r, c) =
                           contextual.error(call.contents.at(0).row(i), call.contents.at(1).row(c), query,
                                            key_at[c], precision);
                       if (answer.at(r, c) == 0 && out.error.at(r, c) == 0) out.ceiling.at(r, c) = 0;
                     }
                   });
                 },
                 [&](const Attention& attention) {
                   const auto& values = call.contents.at(2).data;
                   const auto [least, most] = std::minmax_element(values.begin(), values.end());
                   out.error = attention.errors(call.contents.at(0), call.contents.at(1), call.contents.at(2),
                                                call.mask, precision);
                   // An average of values cannot be further off than their spread.
                   std::fill(out.ceiling.data.begin(), out.ceiling.data.end(), *most - *least);
                 }},
      declared);
  return out;
}

bool is_causal(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.causal; }) return kind.causal;
        return false;
      },
      encoding);
}

bool is_modulo_rows(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.modulo_rows; }) return kind.modulo_rows;
        return false;
      },
      encoding);
}

namespace {

// An initializer list would copy each twice.
template <class... Tensors>
std::vector<Tensor> copies(const Tensors&... of) {
  std::vector<Tensor> out;
  out.reserve(sizeof...(of));
  (out.push_back(of), ...);
  return out;
}

}  // namespace

Encoding answered_by(Encoding encoding, Function<Tensor(const Call&)> answer) {
  const auto held = [](const Positions& positions) {
    TokenPositions out{.axes = positions.axes()};
    if (positions.are_whole())
      out.whole.assign(positions.flat().begin(), positions.flat().end());
    else
      for (std::size_t n = 0; n < positions.size() * positions.axes(); ++n)
        out.real.push_back(positions.at(n / positions.axes(), n % positions.axes()));
    return out;
  };
  std::visit(Overloaded{[&](Table& table) {
                          table.rows = [=](const Positions& positions, Position length) {
                            return answer({.positions = held(positions), .length = length});
                          };
                        },
                        [&](Rotary& rotary) {
                          rotary.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
                            return answer({.batch = x.shape.at(0),
                                           .positions = held(positions),
                                           .contents = copies(x),
                                           .role = role});
                          };
                        },
                        [&](Bias& bias) {
                          bias.bias = [=](const Positions& queries, const Positions& keys) {
                            return answer({.positions = held(queries), .keys = held(keys)});
                          };
                        },
                        [&](Contextual& contextual) {
                          contextual.logits = [=](const Tensor& q, const Tensor& k, const Positions& queries,
                                                  const Positions& keys) {
                            return answer(
                                {.positions = held(queries), .keys = held(keys), .contents = copies(q, k)});
                          };
                        },
                        [&](Attention& attention) {
                          attention.attend = [=](const Tensor& q, const Tensor& k, const Tensor& v,
                                                 const Mask& mask) {
                            return answer({.contents = copies(q, k, v), .mask = mask});
                          };
                        }},
             encoding);
  return encoding;
}

}  // namespace posproof
