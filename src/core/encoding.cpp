#include "core/encoding.h"

#include <algorithm>
#include <array>

namespace posproof {

Domain Domain::on(std::size_t axis) const {
  Domain one(lo, last(axis));
  for (const Position t : hard)
    if (t <= one.hi) one.hard.push_back(t);
  one.ends = ends;
  one.real = real;
  return one;
}

void Domain::complete(std::span<Position> token) const {
  if (class_token && std::ranges::find(token, *class_token) != token.end())
    std::ranges::fill(token, *class_token);
}

std::string_view kind(const Encoding& encoding) {
  static constexpr std::array<std::string_view, 5> names = {"table", "rotary", "bias", "contextual",
                                                            "attention"};
  return names[encoding.index()];
}

double logit_error(const Contextual& contextual, std::span<const double> q, std::span<const double> k,
                   Position query, Position key, const Precision& precision) {
  const double i = static_cast<double>(query), j = static_cast<double>(key);
  return contextual.error(q, k, {&i, 1}, {&j, 1}, precision);
}

double largest_error(const Attention& attention, const Tensor& q, const Tensor& k, const Tensor& v,
                     const Mask& mask, const Precision& precision) {
  const Tensor errors = attention.errors(q, k, v, mask, precision);
  return errors.data.empty() ? 0 : std::ranges::max(errors.data);
}

Attention as_other_operators(Attention attention, double times) {
  if (attention.errors)
    attention.errors = [own = attention, times](const Tensor& q, const Tensor& k, const Tensor& v,
                                                const Mask& mask, const Precision& precision) {
      Tensor errors({q.rows(), own.value_dim});
      std::ranges::fill(errors.data, times * largest_error(own, q, k, v, mask, precision));
      return errors;
    };
  return attention;
}

const std::vector<Pair>& pairs_of(const Encoding& encoding) {
  static const std::vector<Pair> none;
  return std::visit(
      [](const auto& kind) -> const std::vector<Pair>& {
        if constexpr (requires { kind.pairs; }) return kind.pairs;
        return none;
      },
      encoding);
}

std::optional<double> amplitude_of(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) -> std::optional<double> {
        if constexpr (requires { kind.amplitude; }) return kind.amplitude;
        return std::nullopt;
      },
      encoding);
}

bool is_stretched(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.stretch; }) return kind.stretch != nullptr;
        return false;
      },
      encoding);
}

bool depends_on_the_call(const Encoding& encoding) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.in_call; }) return kind.in_call != nullptr;
        return false;
      },
      encoding);
}

const Domain& positions_of(const Encoding& encoding) {
  static const Domain none(0, -1);
  return std::visit(
      [](const auto& kind) -> const Domain& {
        if constexpr (requires { kind.positions; }) return kind.positions;
        return none;
      },
      encoding);
}

Encoding with_positions(Encoding encoding, Domain positions) {
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.positions; }) kind.positions = std::move(positions);
      },
      encoding);
  return encoding;
}

std::shared_ptr<const Rotary> in_call(const Rotary& rotary, Position last) {
  if (rotary.in_call) return rotary.in_call(last);
  return {std::shared_ptr<const void>(), &rotary};
}

Tensor in_place(const Rotary& rotary, Tensor answer) {
  if (rotary.order.empty() || answer.shape.empty() || answer.shape.back() != rotary.order.size())
    return answer;
  Tensor out(answer.shape);
  for (std::size_t r = 0; r < answer.rows(); ++r)
    for (std::size_t c = 0; c < rotary.order.size(); ++c) out.at(r, rotary.order[c]) = answer.at(r, c);
  return out;
}

Tensor in_order(const Rotary& rotary, Tensor rotated) {
  return rotary.order.empty() ? rotated : columns_in_order(rotated, rotary.order);
}

std::vector<std::size_t> channels_in_no_pair(const Rotary& rotary) {
  std::vector<bool> rotations(rotary.dim, false);
  for (const Pair& pair : rotary.pairs) rotations[pair.first] = rotations[pair.second] = true;
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < rotary.dim; ++c)
    if (!rotations[c]) out.push_back(c);
  return out;
}

}  // namespace posproof
