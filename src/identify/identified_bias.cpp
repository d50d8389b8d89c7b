#include "identify/identified_bias.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "core/function.h"
#include "diagnosis/identified_number.h"

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

// The first heads that have a slope, where the others have none.
std::size_t heads_with_slopes(const MeasuredBias& bias) {
  std::size_t out = 0;
  while (out < bias.heads() && slope(bias, out)) ++out;
  return out;
}

// How the slopes of the first heads follow each other: each is the one before times 2^(-step), the first is
// 2^(-first).
struct Steps {
  Interval first, step;
};

std::optional<Steps> steps(const MeasuredBias& bias, std::size_t heads, const Precision& precision) {
  const double off = (16 * precision.result + 64 * precision.table()) / std::numbers::ln2;
  std::vector<double> log;
  for (std::size_t h = 0; h < heads; ++h) {
    const auto m = slope(bias, h);
    if (!m) return std::nullopt;
    log.push_back(-std::log2(*m));
  }
  Steps out{{log.front() - off, log.front() + off}, {0, 0}};
  if (heads > 1) {
    const double wide = static_cast<double>(heads - 1), step = (log.back() - log.front()) / wide;
    out.step = {step - 2 * off / wide, step + 2 * off / wide};
  }
  return out;
}

// A rule's numbers: minus log2 of the last slope, and the width whose root all slopes are divided by, 0 for
// none.
struct SlopeNumbers {
  double max_bias, head_dim = 0;
};

// The divisor of the slopes is 2^by; it is the root of a whole number from 8, or 1.
std::optional<double> head_dim(const Interval& by) {
  if (by.has(0)) return 0;
  const Interval among{std::exp2(2 * by.lo), std::exp2(2 * by.hi)};
  const double width = std::round((among.lo + among.hi) / 2);
  return width >= 8 && width <= 4096 && among.has(width) ? std::optional(width) : std::nullopt;
}

std::vector<SlopeNumbers> numbers_of(std::string_view rule, const Steps& of, std::size_t heads,
                                     std::size_t whole) {
  std::vector<SlopeNumbers> out;
  const double count = static_cast<double>(rule == "official" ? whole : heads);
  if (rule == "log_linear") {  // from 1/2 on
    const Interval by{of.first.lo - 1, of.first.hi - 1};
    const double steps = static_cast<double>(heads - 1);
    if (const auto width = head_dim(by))
      out.push_back({simplest({1 + of.step.lo * steps, 1 + of.step.hi * steps}), *width});
    return out;
  }
  if (count > 1) {
    const double most = simplest({of.step.lo * count, of.step.hi * count});
    if (const auto width = head_dim({of.first.lo - most / count, of.first.hi - most / count}))
      out.push_back({most, *width});
    else
      out.push_back({most});  // the nearest, perhaps
  }
  out.push_back({simplest({of.first.lo * count, of.first.hi * count})});
  return out;
}

// How much further away later keys are, and what their distances are times, by the first query's row.
void set_future(const MeasuredBias& bias, Parameters& to) {
  const std::size_t last = bias.size() - 1;
  const auto m = slope(bias, 0);
  if (!m) return;
  // Of one later key there is no step: 0/0.
  const double step = (bias.at(0, 0, 1) - bias.at(0, 0, last)) / static_cast<double>(last - 1);
  if (!std::isfinite(step) || !(step > 0)) return;
  to.set("form", std::string("asymmetric"));
  to.set("future_factor", simplest(around(step / *m, 1e-5)));
  to.set("future_offset", std::max(0.0, std::round(-bias.at(0, 0, 1) / step - 1)));
}

// ---- kernels of KERPLE

struct KernelNumbers {
  double r1, r2;
};

// Where a falling function takes that value, between two numbers above 0.
double where_it_falls_to(double value, const Function<double(double x)>& falling) {
  double lo = 1e-9, hi = 1e9;
  for (int step = 0; step < 200; ++step) {
    const double middle = std::sqrt(lo * hi);
    (falling(middle) > value ? lo : hi) = middle;
  }
  return lo;
}

// From what the bias is one key back and at the first key: their ratio is r2's alone.
std::optional<KernelNumbers> kernel_numbers(std::string_view kernel, const MeasuredBias& bias,
                                            std::size_t head, double relative_error) {
  const std::size_t last = bias.size() - 1;
  const auto distance = static_cast<double>(last);
  const double near = -bias.at(head, last, last - 1), far = -bias.at(head, last, 0), ratio = far / near;
  if (!(near > 0) || !(ratio > 1) || !std::isfinite(ratio)) return std::nullopt;
  const Interval among = around(ratio, 2 * relative_error);
  if (kernel == "power")
    return KernelNumbers{
        simplest(around(near, relative_error)),
        simplest({std::log(among.lo) / std::log(distance), std::log(among.hi) / std::log(distance)})};
  if (!(among.hi < distance)) return std::nullopt;  // no logarithm, but a line or what is steeper
  const auto growth = [distance](double r2) { return std::log1p(r2 * distance) / std::log1p(r2); };
  const double r2 = simplest({where_it_falls_to(among.hi, growth), where_it_falls_to(among.lo, growth)});
  return KernelNumbers{simplest(around(far / std::log1p(r2 * distance), relative_error)), r2};
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
  const auto& rule = as<Bias>(made);
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
  std::vector<Position> out{128, 20, 64, 256, 512, 1024, 2048, 32, 100, 200, 800, 1000, 400, 600};
  for (Position d = 3; d <= std::min<Position>(2 * reach, 1024); ++d) out.push_back(d);
  std::set<Position> seen;
  std::erase_if(out, [&](Position d) { return !seen.insert(d).second; });
  return out;
}

bool has_its_own_numbers(const EncodingSpec& spec, const Parameters& parameters, const MeasuredBias& bias) {
  const Encoding made = spec.make(parameters);
  std::vector<Position> at;
  for (std::size_t n = 0; n < bias.size(); ++n) at.push_back(bias.first + static_cast<Position>(n));
  const Tensor own = as<Bias>(made).bias(at, at);
  for (std::size_t h = 0; h < bias.heads(); ++h)
    for (std::size_t key = 0; key < bias.size(); ++key)
      if (own.at(h * bias.size() + bias.size() - 1, key) != bias.at(h, bias.size() - 1, key)) return false;
  return true;
}

}  // namespace

std::vector<Candidate> alibi_candidates(const EncodingSpec& spec, const MeasuredBias& bias,
                                        const Precision& precision) {
  std::vector<Candidate> out;
  const std::size_t measured = heads_with_slopes(bias), heads = measured == 0 ? bias.heads() : measured,
                    whole = std::bit_floor(heads);
  const auto add = [&](const Parameters& given) {
    for (Candidate& one : settings("alibi", spec, given)) out.push_back(std::move(one));
  };
  for (const Value& rule : spec.parameters.find("rule")->grid) {
    const std::string& word = std::get<std::string>(rule);
    const auto of = steps(bias, word == "official" ? whole : heads, precision);
    const std::vector<SlopeNumbers> all =
        of ? numbers_of(word, *of, heads, whole) : std::vector<SlopeNumbers>{{8}};
    for (const auto& [most, width] : all) {
      if (!(most > 0)) continue;
      Parameters given;
      given.set("heads", static_cast<double>(bias.heads()));
      given.set("rule", word);
      given.set("max_bias", most);
      if (heads != bias.heads() && spec.parameters.find("biased_heads") != nullptr)
        given.set("biased_heads", static_cast<double>(heads));
      if (width != 0 && spec.parameters.find("head_dim") != nullptr) given.set("head_dim", width);
      add(given);
      if (spec.parameters.find("future_factor") == nullptr) continue;
      set_future(bias, given);
      if (given.has("future_factor")) add(given);
    }
  }
  return out;
}

std::vector<Candidate> kerple_candidates(const EncodingSpec& spec, const MeasuredBias& bias,
                                         const Precision& precision) {
  std::vector<Candidate> out;
  if (bias.size() < 4) return out;
  for (const std::string kernel : {"log", "power"}) {
    std::vector<double> r1, r2;
    for (std::size_t h = 0; h < bias.heads(); ++h) {
      const auto one = kernel_numbers(kernel, bias, h, 8 * precision.result);
      if (!one) break;
      r1.push_back(one->r1), r2.push_back(one->r2);
    }
    if (r1.size() < bias.heads()) continue;
    // A line in every head is ALiBi's, or that of an ALiBi whose slopes are wrong.
    if (kernel == "power" && std::ranges::all_of(r2, [](double power) { return power == 1; })) continue;
    Parameters given;
    given.set("heads", static_cast<double>(bias.heads()));
    given.set("kernel", kernel);
    given.set("r1", r1);
    given.set("r2", r2);
    for (Candidate& one : settings("kerple", spec, given)) out.push_back(std::move(one));
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
    std::set<std::size_t> per_side{seen, 16, 32, 64, 128, 160};  // 160 in WavLM
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
