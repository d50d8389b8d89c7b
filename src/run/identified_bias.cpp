#include "run/identified_bias.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "run/identified_number.h"

namespace posproof {
namespace {

// ---- slopes

// What one step of the key changes in the last query's row, where it is the same at every step.
std::optional<double> slope(const MeasuredBias& bias, std::size_t head) {
  const std::size_t last = bias.size() - 1;
  if (last == 0) return std::nullopt;
  const double out = (bias.at(head, last, last) - bias.at(head, last, 0)) / static_cast<double>(last);
  return std::isfinite(out) && out > 0 ? std::optional(out) : std::nullopt;
}

// Minus log2 of the last slope of a geometric sequence of `of`, by each of its first slopes.
std::optional<double> max_bias(const MeasuredBias& bias, std::size_t of, const Precision& precision) {
  const double relative = 16 * precision.result + 64 * precision.table();
  std::vector<Interval> all;
  for (std::size_t h = 0; h < of; ++h) {
    const auto m = slope(bias, h);
    if (!m) continue;
    const double share = static_cast<double>(of) / static_cast<double>(h + 1),
                 off = relative / std::numbers::ln2;
    all.push_back({(-std::log2(*m) - off) * share, (-std::log2(*m) + off) * share});
  }
  const auto best = most_overlap(all);
  if (!best || !(best->hi > 0)) return std::nullopt;
  return simplest({std::max(best->lo, best->hi / 2), best->hi});
}

// ---- buckets

// The values of all heads at one offset, key minus query; none where two places of that offset hold different
// ones, or some that are no numbers.
using Column = std::vector<double>;

std::optional<Column> column(const MeasuredBias& bias, Position offset) {
  Column out;
  const auto n = static_cast<Position>(bias.size());
  for (std::size_t h = 0; h < bias.heads(); ++h) {
    std::optional<double> value;
    for (Position query = std::max<Position>(0, -offset); query < n && query + offset < n; ++query) {
      const double here =
          bias.at(h, static_cast<std::size_t>(query), static_cast<std::size_t>(query + offset));
      if (!std::isfinite(here) || (value && *value != here)) return std::nullopt;
      value = here;
    }
    out.push_back(*value);
  }
  return out;
}

struct Columns {
  Position first = 0;  // offset
  std::vector<std::optional<Column>> values;

  const std::optional<Column>& at(Position offset) const {
    return values[static_cast<std::size_t>(offset - first)];
  }
};

Columns columns(const MeasuredBias& bias) {
  const auto n = static_cast<Position>(bias.size());
  Columns out{1 - n, {}};
  for (Position offset = 1 - n; offset < n; ++offset) out.values.push_back(column(bias, offset));
  return out;
}

// Whether each bucket has one column, and neighbouring ones others. Of a unidirectional rule keys after the
// query are the mask's affair.
bool fits(const Bias& rule, const Columns& columns, Position within) {
  const Position reach = std::min(within, static_cast<Position>(columns.values.size()) / 2);
  std::vector<Position> keys;
  for (Position offset = -reach; offset <= (rule.causal ? 0 : reach); ++offset)
    keys.push_back(reach + offset);
  const Position query[] = {reach};
  const Tensor buckets = rule.bias(query, keys);
  std::map<double, const Column*> of;
  const Column* before = nullptr;
  double bucket_before = 0;
  for (std::size_t n = 0; n < keys.size(); ++n) {
    const auto& column = columns.at(keys[n] - reach);
    if (!column) return false;
    const double bucket = buckets.data[n];
    const auto [known, is_new] = of.emplace(bucket, &*column);
    if (!is_new && *known->second != *column) return false;
    if (before != nullptr && bucket != bucket_before && *before == *column) return false;
    before = &*column, bucket_before = bucket;
  }
  // Distances that each have a bucket share nothing.
  return of.size() > 1 &&
         (of.size() + 1 < keys.size() || reach < static_cast<Position>(columns.values.size()) / 2);
}

bool fits(const EncodingSpec& spec, Parameters parameters, const Columns& columns) {
  parameters.set("heads", 1.0);
  parameters.set("table", std::string("index"));
  const Encoding made = spec.make(parameters);
  const auto& rule = std::get<Bias>(made);
  return fits(rule, columns, 32) && fits(rule, columns, Position{1} << 20);
}

// Different columns that follow each other on one side, the offset 0 among them.
std::size_t runs(const Columns& columns, Position step) {
  std::size_t out = 1;
  const auto reach = static_cast<Position>(columns.values.size()) / 2;
  for (Position distance = 1; distance <= reach; ++distance) {
    const auto &here = columns.at(step * distance), &before = columns.at(step * (distance - 1));
    if (here && before && *here != *before) ++out;
  }
  return out;
}

// The distances that a rule is asked for: those in use, and every one that there is room for.
std::vector<Position> distances(Position reach) {
  std::vector<Position> out{128, 20, 64, 256, 512, 1024, 2048, 32, 100, 200, 1000};
  for (Position d = 3; d <= std::min<Position>(2 * reach, 1024); ++d) out.push_back(d);
  std::set<Position> seen;
  std::erase_if(out, [&](Position d) { return !seen.insert(d).second; });
  return out;
}

bool has_its_own_numbers(const EncodingSpec& spec, const Parameters& parameters, const MeasuredBias& bias) {
  const Encoding made = spec.make(parameters);
  std::vector<Position> at;
  for (std::size_t n = 0; n < bias.size(); ++n) at.push_back(bias.first + static_cast<Position>(n));
  const Tensor own = std::get<Bias>(made).bias(at, at);
  for (std::size_t h = 0; h < bias.heads(); ++h)
    for (std::size_t key = 0; key < bias.size(); ++key)
      if (own.at(h * bias.size() + bias.size() - 1, key) != bias.at(h, bias.size() - 1, key)) return false;
  return true;
}

}  // namespace

std::vector<Candidate> alibi_candidates(const EncodingSpec& spec, const MeasuredBias& bias,
                                        const Precision& precision) {
  std::vector<Candidate> out;
  for (const bool official : {true, false}) {
    const std::size_t of = official ? std::bit_floor(bias.heads()) : bias.heads();
    Parameters given;
    given.set("heads", static_cast<double>(bias.heads()));
    given.set("rule", std::string(official ? "official" : "geometric"));
    given.set("max_bias", max_bias(bias, of, precision).value_or(8));
    for (Candidate& one : settings("alibi", spec, given)) out.push_back(std::move(one));
  }
  return out;
}

std::vector<BucketCandidate> bucket_candidates(const EncodingSpec& spec, const MeasuredBias& bias) {
  std::vector<BucketCandidate> out;
  const Columns measured = columns(bias);
  const auto reach = static_cast<Position>(bias.size()) - 1;
  for (const auto& [direction, relative] : {std::pair{"bidirectional", "key_minus_query"},
                                            {"bidirectional", "query_minus_key"},
                                            {"unidirectional", "key_minus_query"},
                                            {"unidirectional", "query_minus_key"}}) {
    const bool both = std::string_view(direction) == "bidirectional",
               past = std::string_view(relative)[0] == 'k';
    // All of the side's buckets, or more where the farthest are out of reach.
    const std::size_t seen = runs(measured, past ? -1 : 1);
    std::set<std::size_t> per_side{seen, 16, 32, 64, 128};
    for (const std::size_t buckets : per_side) {
      if (buckets < seen || buckets > 512) continue;
      for (const Position distance : distances(reach)) {
        Candidate one{"t5_bias", {}};
        one.parameters.set("heads", static_cast<double>(bias.heads()));
        one.parameters.set("buckets", static_cast<double>(both ? 2 * buckets : buckets));
        one.parameters.set("max_distance", static_cast<double>(distance));
        one.parameters.set("direction", std::string(direction));
        one.parameters.set("relative", std::string(relative));
        if (!makes_sense(spec, one.parameters) || !fits(spec, one.parameters, measured)) continue;
        const bool own = has_its_own_numbers(spec, one.parameters, bias);
        out.push_back({std::move(one), !own});
      }
    }
  }
  return out;
}

}  // namespace posproof
