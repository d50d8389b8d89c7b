#include "readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/bounds.h"
#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::experiments {
namespace {

Call call_of(const Encoding& encoding, const std::vector<Position>& at, std::size_t axes) {
  Call call{.positions = {.whole = at, .axes = axes}};
  call.length = *last_of(call.positions) + 1;
  if (signature(encoding).role) {
    const std::size_t n = at.size() / axes, dim = width_of_content(encoding, 0);
    call.batch = n;
    call.positions.whole.clear();
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t c = 0; c < dim; ++c)
        for (std::size_t axis = 0; axis < axes; ++axis) call.positions.whole.push_back(at[b * axes + axis]);
    Tensor x(shape_of_content(encoding, call, 0));
    for (std::size_t row = 0; row < x.rows(); ++row) x.at(row, row % dim) = 1;
    call.contents = {std::move(x)};
    return call;
  }
  if (signature(encoding).has(posproof::Axis::key)) call.keys = call.positions;
  for (std::size_t n = 0; n < signature(encoding).takes.size(); ++n) {
    call.contents.emplace_back(shape_of_content(encoding, call, n));
    std::ranges::fill(call.contents.back().data, 1.0);
  }
  return call;
}

}  // namespace

Encoding oracle(const Reading& of) {
  return encoding_named(of.encoding).oracle(Case::parse(of.words));
}

double apart(const Reading& a, const Reading& b, const std::vector<Position>& at, std::size_t axes) {
  const Encoding one = oracle(a), other = oracle(b);
  const Call call = call_of(one, at, axes);
  const Tensor x = answer(one, call), y = answer(other, call);
  double most = 0;
  for (std::size_t n = 0; n < x.data.size(); ++n) most = std::max(most, std::abs(x.data[n] - y.data[n]));
  return most;
}

std::vector<Position> up_to(Position n) {
  std::vector<Position> out;
  for (Position t = 0; t < n; ++t) out.push_back(t);
  return out;
}

Ratio ratio(const Reading& a, const Reading& b) {
  const auto x = as<Rotary>(oracle(a)).pairs, y = as<Rotary>(oracle(b)).pairs;
  Ratio out;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const double one = x[i].frequency / y[i].frequency; std::max(one, 1 / one) > out.most)
      out = {std::max(one, 1 / one), i};
  return out;
}

std::vector<std::size_t> pairs_that_differ(const Reading& a, const Reading& b) {
  const auto x = as<Rotary>(oracle(a)).pairs, y = as<Rotary>(oracle(b)).pairs;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i].frequency != y[i].frequency) out.push_back(i);
  return out;
}

std::string link(std::string_view name, std::string_view where) {
  return fmt::format("[{}](https://{})", name, where);
}
std::string arxiv(std::string_view name, std::string_view number) {
  return link(name, fmt::format("arxiv.org/abs/{}", number));
}
std::string github(std::string_view name, std::string_view path) {
  return link(name, fmt::format("github.com/{}", path));
}

AtMost three(double most) {
  return figures_up(most, 3);
}

}  // namespace posproof::experiments
