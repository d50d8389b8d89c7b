#include "encoding_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/call.h"
#include "core/view.h"
#include "measure.h"

namespace posproof::experiments {
namespace {

using namespace document;

using Points = std::vector<std::pair<double, double>>;

constexpr Position usual_reach = 128;  // tokens

// Where 128 tokens show nothing: a domain of real numbers, or one that changes later.
const std::map<std::string_view, double> reaches = {
    {"attention_temperature", 65536}, {"binary", 64}, {"deberta", 32},        {"fire", 1024},
    {"gaussian_fourier", 0.2},        {"nerf", 1},    {"relative_table", 12}, {"shaw", 32},
    {"timestep_embedding", 1000}};

double reach_of(std::string_view id, const Domain& domain) {
  const auto found = reaches.find(id);
  const double reach = found == reaches.end() ? static_cast<double>(usual_reach) : found->second;
  const auto last = static_cast<double>(domain.hi - std::max<Position>(domain.lo, 0));
  return domain.real ? reach : std::min(reach, last);
}

// Every token to 256 of them, else 256 steps.
std::vector<double> offsets_of(double reach, bool real) {
  if (reach <= 0) return {0};
  const double steps = real ? 200 : std::min(reach, 256.0);
  std::vector<double> out;
  for (int n = 0; n <= static_cast<int>(steps); ++n) {
    const double t = reach * n / steps;
    out.push_back(real ? t : std::floor(t));
  }
  return out;
}

std::string of_axis(const Domain& domain, std::size_t axis, std::string_view alone) {
  if (domain.axes == 1) return std::string(alone);
  return fmt::format("axis {}", axis);
}

// Of tables of sines and cosines p_0 . p_t, of others, whose row of position 0 may be zero, |p_t - p_0|; of
// real numbers too.
bool has_kernel(const Table& table) {
  return !table.pairs.empty();
}

long double product(std::span<const double> a, std::span<const double> b) {
  long double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += static_cast<long double>(a[c]) * b[c];
  return sum;
}

long double distance(std::span<const double> a, std::span<const double> b) {
  long double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const long double apart = static_cast<long double>(b[c]) - a[c];
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

Points against_the_first(const Table& table, std::size_t axis, const std::vector<double>& offsets) {
  const std::size_t axes = table.positions.axes;
  Points out;
  for (const double t : offsets) {
    std::vector<double> real(2 * axes, 0);
    real[axes + axis] = t;
    std::vector<Position> whole(real.begin(), real.end());
    const Positions at = table.positions.real ? Positions(std::span<const double>(real), axes)
                                              : Positions(std::span<const Position>(whole), axes);
    const Tensor rows = table.rows(at, static_cast<Position>(offsets.back()) + 1);
    const long double value =
        has_kernel(table) ? product(rows.row(0), rows.row(1)) : distance(rows.row(0), rows.row(1));
    out.emplace_back(t, static_cast<double>(value));
  }
  return out;
}

std::vector<Curve> curves(std::string_view id, const Table& table) {
  std::vector<Curve> out;
  const Domain& domain = table.positions;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const double reach = std::min(reach_of(id, domain), static_cast<double>(domain.last(axis)));
    out.push_back({.label = of_axis(domain, axis, has_kernel(table) ? "kernel" : "distance"),
                   .points = against_the_first(table, axis, offsets_of(reach, domain.real))});
  }
  return out;
}

// Query and key of these two positions, as far as the encoding goes: `t` after 0, or before it.
std::pair<Position, Position> places(Position first, double offset) {
  const auto t = static_cast<Position>(offset);
  return t < 0 ? std::pair{first - t, first} : std::pair{first, first + t};
}

// The key's position less the query's: to both sides, or the past alone.
std::vector<double> key_offsets(double reach, bool past_alone) {
  std::vector<double> out;
  for (const double t : offsets_of(reach, false)) out.insert(out.begin(), t == 0 ? 0 : -t);
  if (!past_alone)
    for (const double t : offsets_of(reach, false))
      if (t > 0) out.push_back(t);
  return out;
}

std::vector<Curve> curves(std::string_view id, const Rotary& rotary) {
  std::vector<Curve> out;
  const Domain& domain = rotary.positions;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const Encoding line = domain.axes == 1 ? Encoding(rotary) : on_axis(rotary, axis);
    const Score logit = *score(line);
    const std::vector<double> ones(logit.dim, 1);
    Curve curve{.label = of_axis(domain, axis, "dot product"), .points = {}};
    for (const double t : key_offsets(reach_of(id, logit.positions), true)) {
      const auto [i, j] = places(0, t);
      curve.points.emplace_back(t, logit.at(ones, ones, i, j));
    }
    out.push_back(std::move(curve));
  }
  return out;
}

// Of a grid, the curve of an axis: of the first head, where there are several.
std::string of_axis_and_first_head(const Domain& domain, std::size_t axis, std::size_t heads,
                                   std::string_view alone) {
  const std::string label = of_axis(domain, axis, alone);
  return domain.axes > 1 && heads > 1 ? label + ", head 0" : label;
}

// The first ones and the last.
std::vector<std::size_t> shown_heads(std::size_t heads) {
  std::vector<std::size_t> out(heads);
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (heads > 4) out = {0, 1, heads / 2, heads - 1};
  return out;
}

std::vector<Curve> curves(std::string_view id, const Bias& bias) {
  std::vector<Curve> out;
  const Domain& domain = bias.positions;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const Bias line = domain.axes == 1 ? bias : as<Bias>(on_axis(bias, axis));
    const auto offsets = key_offsets(reach_of(id, line.positions), bias.causal);
    const auto heads = domain.axes == 1 ? shown_heads(bias.heads) : std::vector<std::size_t>{0};
    for (const std::size_t head : heads) {
      Curve curve{.label = of_axis_and_first_head(domain, axis, bias.heads, fmt::format("head {}", head)),
                  .points = {}};
      for (const double t : offsets) {
        const auto [i, j] = places(std::max<Position>(line.positions.lo, 0), t);
        const std::array<Position, 1> query = {i}, key = {j};
        curve.points.emplace_back(t, line.bias(query, key).data.at(head));
      }
      out.push_back(std::move(curve));
    }
  }
  return out;
}

std::vector<Curve> curves(std::string_view id, const Contextual& contextual) {
  std::vector<Curve> out;
  const Tensor ones({1, contextual.dim}, std::vector<double>(contextual.dim, 1));
  const Domain& domain = contextual.positions;
  const auto heads = domain.axes == 1 ? shown_heads(contextual.heads) : std::vector<std::size_t>{0};
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const Contextual line = domain.axes == 1 ? contextual : as<Contextual>(on_axis(contextual, axis));
    Domain behind_the_first = line.positions;  // whose position 0 may be a class token's
    behind_the_first.lo = 1;
    const double reach = reach_of(id, behind_the_first);
    for (const std::size_t head : heads) {
      const std::string alone = heads.size() == 1 ? "logit" : fmt::format("head {}", head);
      Curve curve{.label = of_axis_and_first_head(domain, axis, contextual.heads, alone), .points = {}};
      for (const double t : key_offsets(reach, line.causal)) {
        const auto [i, j] = places(1, t);
        const std::array<Position, 1> query = {i}, key = {j};
        curve.points.emplace_back(t, line.logits(ones, ones, query, key).data.at(head));
      }
      out.push_back(std::move(curve));
    }
  }
  return out;
}

constexpr std::size_t tokens = 32;

// By how much the answer of the last token changes where the value of one token is 1 instead of 0.
std::vector<Curve> curves(std::string_view, const Attention& attention) {
  const Tensor ones({tokens, attention.dim}, std::vector<double>(tokens * attention.dim, 1));
  Mask mask({tokens, tokens}, std::vector<double>(tokens * tokens, 1));
  if (attention.causal)
    for (std::size_t i = 0; i < tokens; ++i)
      for (std::size_t j = i + 1; j < tokens; ++j) mask.at(i, j) = 0;
  const std::size_t width = attention.value_dim;
  // One token of every channel at a time.
  const auto read = [&](std::size_t first) {
    Tensor values({tokens, width});
    for (std::size_t c = 0; c < width && first + c < tokens; ++c) values.at(first + c, c) = 1;
    return attention.attend(ones, ones, values, mask);
  };
  const Tensor nothing = read(tokens);
  Curve curve{.label = "weight", .points = {}};
  for (std::size_t first = 0; first < tokens; first += width) {
    const Tensor answer = read(first);
    for (std::size_t c = 0; c < width && first + c < tokens; ++c)
      curve.points.emplace_back(static_cast<double>(first + c) - (tokens - 1.0),
                                answer.at(tokens - 1, c) - nothing.at(tokens - 1, c));
  }
  return {std::move(curve)};
}

// What the figure shows, by kind.
struct Shown {
  std::string_view title, y, x, caption;
};

Shown shown(const Encoding& encoding) {
  struct {
    Shown operator()(const Table& table) const {
      if (!has_kernel(table))
        return {"Distance", "|p(t) - p(0)|", "position t",
                "Distance of the row of position t from that of 0"};
      return {"Kernel", "p(0) . p(t)", "position t", "Dot product of the rows of positions 0 and t"};
    }
    Shown operator()(const Rotary&) const {
      return {
          "Dot product", "q . k", "key's position less the query's",
          "Dot product, not divided by sqrt(dim), of a rotated query and a rotated key whose channels are all 1, the key at position 0"};
    }
    Shown operator()(const Bias&) const {
      return {"Bias", "bias", "key's position less the query's",
              "Bias between a query and a key, the earlier of the two at position 0"};
    }
    Shown operator()(const Contextual&) const {
      return {"Logit", "logit", "key's position less the query's",
              "Logit of a query and a key whose channels are all 1, the earlier of the two at position 1"};
    }
    Shown operator()(const Attention&) const {
      return {"Weight", "weight", "key's position less the query's",
              "Weight of each of 32 tokens in what the last one reads, queries and keys being all 1"};
    }
  } one;
  return std::visit(one, encoding);
}

// Of rows that depend on the length of the sequence, that of the one that is shown.
std::string in_what_length(const Encoding& encoding, const Curve& curve) {
  const auto* table = std::get_if<Table>(&encoding);
  if (table == nullptr || table->positions.axes > 1 || table->positions.real || table->positions.ends)
    return "";
  const auto length = static_cast<Position>(curve.points.back().first) + 1;
  const std::array<Position, 1> one = {1};
  if (table->rows(one, length).data == table->rows(one, length + 1).data) return "";
  return fmt::format(", in a sequence of {} tokens", length);
}

// Within the digits that are published.
bool alike(const Points& a, const Points& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.first == other.first && std::abs(one.second - other.second) < 5e-7;
  });
}

// Those that lie on one another are one, under all their names.
std::vector<Curve> merged(std::vector<Curve> all) {
  std::vector<Curve> out;
  for (Curve& curve : all) {
    const auto same =
        std::ranges::find_if(out, [&](const Curve& one) { return alike(one.points, curve.points); });
    if (same == out.end())
      out.push_back(std::move(curve));
    else
      same->label += fmt::format(", {}", curve.label);
  }
  if (all.size() > 1 && out.size() == 1)
    out.front().label = out.front().label.starts_with("axis") ? "every axis" : "every head";
  return out;
}

// ` head 0: -32.0000 at -64, 0.0000 at 0; of the 65 points shown the smallest is -32.0000, the largest
// 0.0000.`
std::string described(const std::vector<Curve>& all) {
  std::string out;
  for (const Curve& curve : all) {
    const auto [least, most] =
        std::ranges::minmax_element(curve.points, {}, &std::pair<double, double>::second);
    out +=
        fmt::format(" {}: {} at {:g}, {} at {:g}; of the {} points shown the smallest is {}, the largest {}.",
                    curve.label, fixed(curve.points.front().second, 4), curve.points.front().first,
                    fixed(curve.points.back().second, 4), curve.points.back().first, curve.points.size(),
                    fixed(least->second, 4), fixed(most->second, 4));
  }
  return out;
}

}  // namespace

std::optional<Plot> encoding_curve(std::string_view id, const Encoding& exact, const std::string& words) {
  std::vector<Curve> all = std::visit([&](const auto& kind) { return curves(id, kind); }, exact);
  if (all.empty() || all.front().points.size() < 2) return std::nullopt;
  all = merged(std::move(all));
  const Shown what = shown(exact);
  const std::string caption = std::string(what.caption) + in_what_length(exact, all.front());
  return Plot{.name = "curve",
              .title = fmt::format("{} of {}", what.title, id),
              .description = fmt::format("{}, by {}{}.{}", caption, what.x.starts_with("key") ? "the " : "",
                                         what.x, described(all)),
              .x = {std::string(what.x)},
              .y = {std::string(what.y)},
              .curves = std::move(all),
              .decimals = 6,
              .caption = fmt::format("{}; {}.", caption, words)};
}

std::string of_stand_ins(std::string_view id, const EncodingSpec& spec, const Parameters& parameters,
                         const Plot& curve) {
  const Value* table = parameters.find("table");
  if (table != nullptr && text(*table) == "index")
    return " The numbers of their places stand for the trained ones (`table=index`): size and slope are theirs, and no result.";
  for (const Case::Field& field : parameters.fields()) {
    if (!field.name.ends_with("_seed")) continue;
    Parameters other = parameters;
    other.set(field.name, parameters.real(field.name) + 1);
    const auto there = encoding_curve(id, spec.oracle(with(spec, other)), "");
    if (there && !std::ranges::equal(there->curves, curve.curves, {}, &Curve::points, &Curve::points))
      return " Numbers that are trained or drawn are those of the seed: another seed has another curve.";
  }
  return "";
}

}  // namespace posproof::experiments
