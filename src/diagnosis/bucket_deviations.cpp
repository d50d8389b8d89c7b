#include "diagnosis/bucket_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/failure.h"
#include "core/formats.h"
#include "core/function.h"

namespace posproof {
namespace {

std::vector<Deviation> of_other_numbers(const EncodingSpec& spec, const Parameters& parameters) {
  const double buckets = parameters.real("buckets"), distance = parameters.real("max_distance");
  std::vector<std::pair<Parameters, std::string>> others;
  const auto with_other = [&](std::string_view name, Value value, std::string words) {
    Parameters other = parameters;
    other.set(name, std::move(value));
    if (other != parameters) others.emplace_back(std::move(other), std::move(words));
  };
  const bool both = parameters.word("direction") == "bidirectional",
             is_index = parameters.word("table") == "index";
  with_other("direction", both ? "unidirectional" : "bidirectional",
             both ? "all buckets are those of earlier keys, as in a decoder"
                  : "half of the buckets are those of later keys, as in an encoder");
  for (const double other : {buckets / 2, buckets * 2, buckets - 1, buckets + 1, buckets - 2, buckets + 2,
                             16.0, 32.0, 64.0, 128.0})
    with_other("buckets", other, fmt::format("there are {:g} buckets, not {:g}", other, buckets));
  for (const double other : {distance - 1, distance + 1, distance / 2, distance * 2, 20.0, 32.0, 64.0, 96.0,
                             100.0, 128.0, 256.0, 512.0, 1024.0})
    with_other("max_distance", other,
               fmt::format("buckets reach to distance {:g}, not to {:g}", other, distance));
  std::vector<Deviation> out;
  for (auto& [other, words] : others) {
    try {
      Encoding made = spec.make(other);
      const Bias& declared = as<Bias>(made);
      Bias own = spec.make<Bias>(parameters);
      own.bias = declared.bias;
      // The table stays as it is: of another number of buckets, its columns are as long as they were.
      if (const double more = buckets - other.real("buckets"); more != 0 && is_index)
        own.bias = [made = declared.bias, longer = more * parameters.real("scale")](const Positions& queries,
                                                                                    const Positions& keys) {
          Tensor biases = made(queries, keys);
          const std::size_t each = queries.size() * keys.size();
          for (std::size_t e = 0; e < biases.data.size(); ++e)
            biases.data[e] += longer * static_cast<double>(e / each);
          return biases;
        };
      out.push_back({{std::move(words)}, own, true});
    } catch (const Refusal&) {  // it makes no sense with the others
    }
  }
  return out;
}

// ---- distances in other buckets

// Of one side of the query: buckets 0 .. count - 1, of which the first `exact` hold one distance each.
struct Side {
  double count, exact, max_distance;

  // exact + floor((count - exact) ln(d/exact) / ln(max_distance/exact)), rounded as it is said.
  double bucket(double d, double (*rounded)(double)) const {
    if (d < exact) return d;
    const double share = std::log(d / exact) / std::log(max_distance / exact);
    return std::min(count - 1, exact + std::max(0.0, rounded((count - exact) * share)));
  }
};

// The same in numbers of few digits, each operation rounded: a quotient, its logarithm, that over another
// one, times the number of buckets. The other logarithm is a number of the program, which PyTorch rounds to
// the same format on a CPU and not on a GPU.
double in_few_digits(const Side& side, double d, double (*rounded)(double), bool divisor_is_rounded) {
  if (d < side.exact) return d;
  const double logarithm = rounded(std::log(rounded(rounded(d) / side.exact)));
  const double divisor = std::log(side.max_distance / side.exact);
  const double share = rounded(logarithm / (divisor_is_rounded ? rounded(divisor) : divisor));
  return std::min(side.count - 1, side.exact + std::trunc(rounded((side.count - side.exact) * share)));
}

// At a power that has a bucket of its own a logarithm may be off by a unit in either direction.
double down(double x) {
  return std::floor(x + 1e-9);
}
double up(double x) {
  return std::ceil(x - 1e-9);
}

using BucketOf = Function<double(double distance)>;

// The declared bias with every distance as one that has the other bucket.
Bias in_other_buckets(const Bias& truth, const Side& declared, const BucketOf& other) {
  std::vector<Position> first_of(static_cast<std::size_t>(declared.count), -1);
  for (Position d = static_cast<Position>(declared.max_distance); d >= 0; --d)
    first_of.at(static_cast<std::size_t>(declared.bucket(static_cast<double>(d), &down))) = d;
  Bias out = truth;
  out.bias = [=, lo = truth.positions.lo, own = truth.bias](const Positions& queries, const Positions& keys) {
    std::map<Position, Tensor> by_offset;
    Tensor to({truth.heads, queries.size(), keys.size()});
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c) {
        const Position offset = keys[c] - queries[r % queries.size()];
        Tensor& entries = by_offset[offset];
        if (entries.data.empty()) {
          const Position d = offset < 0 ? -offset : offset;
          const Position as =
              first_of.at(static_cast<std::size_t>(std::max(0.0, other(static_cast<double>(d)))));
          if (as < 0) throw Refusal("no distance has that bucket");
          const Position query[] = {offset < 0 ? lo + as : lo}, key[] = {offset < 0 ? lo : lo + as};
          entries = own(query, key);
        }
        to.at(r, c) = entries.data.at(r / queries.size());
      }
    return to;
  };
  return out;
}

std::vector<Deviation> of_other_distances(const EncodingSpec& spec, const Parameters& parameters) {
  const Bias truth = spec.make<Bias>(parameters);
  const double all = parameters.real("buckets"),
               count = parameters.word("direction") == "bidirectional" ? all / 2 : all;
  const Side side{count, std::floor(count / 2), parameters.real("max_distance")};
  std::vector<Deviation> out;
  const auto add = [&](std::string words, BucketOf other) {
    out.push_back({{std::move(words)}, in_other_buckets(truth, side, other), true});
  };
  add("the logarithm of a distance is rounded to the nearest bucket, not down",
      [side](double d) { return side.bucket(d, [](double x) { return std::floor(x + 0.5); }); });
  add("the logarithm of a distance is rounded up to a bucket, not down",
      [side](double d) { return side.bucket(d, &up); });
  add("buckets double with the distance, whatever max_distance is", [side](double d) {
    return d < side.exact
               ? d
               : std::min(side.count - 1, side.exact + std::floor(std::log2(d / side.exact) + 1e-9));
  });
  for (const double exact : {std::floor(count / 4), std::floor(count / 3), std::floor(3 * count / 4),
                             side.exact - 1, side.exact + 1})
    if (exact >= 1 && exact < count && exact != side.exact)
      add(fmt::format("{:g} buckets of a direction hold one distance each, not {:g}", exact, side.exact),
          [own = Side{count, exact, side.max_distance}](double d) { return own.bucket(d, &down); });
  // max_exact = num_buckets / 2 before num_buckets is halved.
  if (count < all)
    add(fmt::format(
            "every bucket of a direction holds one distance, not the first {:g}: half of all buckets do, "
            "taken before they are halved for the two directions",
            side.exact),
        [side](double d) { return std::min(d, side.count - 1); });
  add("a distance whose logarithm is a whole number of buckets has the bucket before, which ends there",
      [side](double d) { return side.bucket(d, [](double x) { return up(x) - 1; }); });
  for (const auto& [format, rounded] : {std::pair{"bf16", +[](double x) { return to_bf16(x); }},
                                        std::pair{"f16", +[](double x) { return to_f16(x); }}})
    for (const bool divisor : {true, false})
      add(fmt::format("the bucket of a distance is computed in {}", format),
          [side, rounded = rounded, divisor](double d) { return in_few_digits(side, d, rounded, divisor); });
  add("the bucket of a distance is one too large",
      [side](double d) { return std::min(side.count - 1, side.bucket(d, &down) + 1); });
  add("the bucket of a distance past 0 is one too small",
      [side](double d) { return std::max(0.0, side.bucket(d, &down) - 1); });
  return out;
}

}  // namespace

std::vector<Deviation> bucket_deviations(const EncodingSpec& spec, const Parameters& parameters) {
  std::vector<Deviation> out = of_other_numbers(spec, parameters);
  for (Deviation& one : of_other_distances(spec, parameters)) out.push_back(std::move(one));
  return out;
}

}  // namespace posproof
