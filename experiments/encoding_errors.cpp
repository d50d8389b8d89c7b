#include "encoding_errors.h"
#include "core/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "core/call.h"
#include "core/formats.h"
#include "measure.h"

namespace posproof::experiments {
namespace {

constexpr std::array<std::string_view, 5> precisions = {"f64", "f32", "f16", "bf16", "bf16/bf16"};

// What stands before the slash.
Format result_format(std::string_view precision) {
  return *posproof::format(precision.substr(0, precision.find('/')));
}

// A whole operator has no positions, but tokens, each of which meets every other.
std::vector<Position> positions_asked(const Encoding& encoding) {
  if (!signature(encoding).positions) return {2, 8, 32};
  const Domain& domain = positions_of(encoding);
  std::vector<Position> out;
  for (const Position t : {1, 100, 10'000, 1'000'000})
    if (t <= domain.hi) out.push_back(t);
  if (out.empty() || (out.back() < domain.hi && domain.hi < 1'000'000 && domain.ends))
    out.push_back(domain.hi);
  return out;
}

// So many tokens, each of which sees every other, or those before it.
Call call_of_tokens(const Encoding& encoding, std::size_t n) {
  Call call{.mask = Mask({n, n}, std::vector<double>(n * n, 1))};
  if (is_causal(encoding))
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) call.mask.at(i, j) = 0;
  for (std::size_t c = 0; c < signature(encoding).takes.size(); ++c)
    call.contents.emplace_back(Shape{n, width_of_content(encoding, c)});
  return call;
}

// Contents are all 1. A rotation may treat queries and keys differently: of xPos the keys grow.
std::vector<Call> calls_at(const Encoding& encoding, Position t) {
  const bool of_tokens = !signature(encoding).positions;
  Call call = of_tokens ? call_of_tokens(encoding, static_cast<std::size_t>(t)) : sequence(encoding, {0, t});
  for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
  std::vector<Call> out = {call};
  if (signature(encoding).role) {
    call.role = Role::key;
    out.push_back(std::move(call));
  }
  return out;
}

// Every entry that is compared: what it is off by, and what it may be off by.
template <class See>
void for_each_entry(const Encoding& exact, const Call& call, const Tensor& there, const Tensor& here,
                    std::string_view precision, const See& see) {
  compare(exact, call, there, here, bound(exact, call, here, Precision::parse(precision)), Freedom::none,
          see);
}

// As most programs form an angle: frequency and position in f32, and their product. None where an angle is a
// sum of products: a position has a number then that no pair is the frequency of.
std::optional<double> angle_in_f32(const Encoding& encoding, Position t) {
  const std::vector<Pair> pairs = pairs_of(encoding);
  if (pairs.empty()) return std::nullopt;
  const Call call = sequence(encoding, {t});
  const Positions at = call.positions;
  std::set<std::size_t> axes;
  for (const Pair& pair : pairs) axes.insert(pair.axis);
  if (axes.size() < at.axes()) return std::nullopt;
  long double most = 0;
  for (const Pair& pair : pairs) {
    const double number = at.at(0, pair.axis), formed = to_f32(to_f32(pair.frequency) * to_f32(number));
    most = std::max(
        most, std::abs(formed - static_cast<long double>(pair.frequency) * static_cast<long double>(number)));
  }
  return static_cast<double>(most);
}

void add(EntriesAt& out, const Encoding& reference, const Encoding& exact, const Call& call) {
  const Tensor here = answer(exact, call), there = answer(reference, call);
  // What an entry that means something is away from 0: a later key's does not where only earlier ones are
  // seen.
  for_each_entry(exact, call, Tensor(here.shape), here, "f64", [&](const Residual& one) {
    if (std::isfinite(one.error)) out.largest = std::max(out.largest, one.error);
  });
  for_each_entry(exact, call, there, here, "f64", [&](const Residual& one) {
    out.reference_share = std::max(out.reference_share, one.error_over_bound());
    out.reference_error = std::max(out.reference_error, one.error);
  });
  for (std::size_t p = 0; p < precisions.size(); ++p)
    for_each_entry(exact, call, here, here, precisions[p],
                   [&](const Residual& one) { out.allowed[p] = std::max(out.allowed[p], one.bound); });
}

EntriesAt entries_at(const Encoding& reference, const Encoding& exact, Position t) {
  EntriesAt out{.position = t,
                .angle_in_f32 = angle_in_f32(exact, t),
                .allowed = std::vector<double>(precisions.size(), 0.0)};
  for (const Call& call : calls_at(exact, t)) add(out, reference, exact, call);
  // An entry that the format has no number for is not off by a little.
  for (std::size_t p = 0; p < precisions.size(); ++p)
    if (!std::isfinite(nearest(result_format(precisions[p]), out.largest)))
      out.allowed[p] = std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace

double EncodingErrors::largest_share() const {
  return std::ranges::max(at, {}, &EntriesAt::reference_share).reference_share;
}

double EncodingErrors::largest_error() const {
  return std::ranges::max(at, {}, &EntriesAt::reference_error).reference_error;
}

EncodingErrors encoding_errors(const Encoding& reference, const Encoding& exact) {
  EncodingErrors out;
  for (const Position t : positions_asked(exact)) out.at.push_back(entries_at(reference, exact, t));
  return out;
}

document::Grid grid(const EncodingErrors& errors, bool of_tokens) {
  document::Grid grid{.columns = {of_tokens ? "tokens" : "position", "largest entry"}, .rows = {}};
  for (const std::string_view precision : precisions) grid.columns.push_back(fmt::format("`{}`", precision));
  const bool of_angles = errors.at.front().angle_in_f32.has_value();
  if (of_angles) grid.columns.emplace_back("angle in f32, rad");
  for (const EntriesAt& one : errors.at) {
    std::vector<std::string> row = {whole(one.position), fmt::format("{:.3g}", one.largest)};
    for (const double allowed : one.allowed)
      row.push_back(std::isfinite(allowed) ? document::scientific(rounded_up(allowed, 2), 2) : "overflow");
    if (of_angles) row.push_back(document::scientific(*one.angle_in_f32, 2));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

}  // namespace posproof::experiments
