#include "entries.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "catalogue/properties.h"

namespace posproof {
namespace {

using namespace biases;

// The bucket of an offset key - query, in whole numbers. One side has `count` buckets: half of them hold one distance
// each, and of a distance n >= e = count/2 it is e + floor(log(n/e) / log(D/e) (count - e)), never past the last. The
// floor is at least s exactly when (n/e)^(count - e) >= (D/e)^s.
std::size_t bucket(const Buckets& buckets, Position offset) {
  using Whole = boost::multiprecision::cpp_int;
  const std::size_t count = buckets.bidirectional ? buckets.count / 2 : buckets.count;
  const std::size_t start = buckets.bidirectional && offset > 0 ? count : 0;
  const auto n = static_cast<std::size_t>(buckets.bidirectional ? std::abs(offset) : std::max<Position>(-offset, 0));
  const std::size_t e = count / 2;
  if (n < e) return start + n;
  if (n >= buckets.max_distance) return start + count - 1;
  const auto steps = static_cast<unsigned>(count - e);
  std::size_t of = e;
  for (unsigned s = 1; s < steps; ++s)
    if (pow(Whole(n), steps) * pow(Whole(e), s) >= pow(Whole(buckets.max_distance), s) * pow(Whole(e), steps)) of = e + s;
  return start + of;
}

// Distances near the edges, for the search: where a distance may fall into the wrong bucket.
Domain distances(const Buckets& buckets, Position most) {
  Domain domain{0, std::min<Position>(most, 2 * static_cast<Position>(buckets.max_distance))};
  const double count = static_cast<double>(buckets.bidirectional ? buckets.count / 2 : buckets.count);
  const double e = std::floor(count / 2), range = static_cast<double>(buckets.max_distance) / e;
  for (double s = 0; s <= count - e; ++s) {
    const auto edge = static_cast<Position>(std::lround(e * std::pow(range, s / (count - e))));
    for (Position n = edge - 2; n <= edge + 1; ++n)
      if (n >= domain.lo && n <= domain.hi) domain.hard.push_back(n);
  }
  return domain;
}

Residual check(const Bias& bias, Precision p, Draw& draw) {
  if (!bias.buckets) throw Discard{};
  const Domain& domain = bias.positions;
  const Position n = draw.position("n", distances(*bias.buckets, domain.hi - domain.lo - 1));
  const std::int64_t side = drawn_side(bias, draw);
  const bool mirrored = !bias.causal && std::get<std::string>(draw.option(
                                            "beside", {Value(std::string("next")), Value(std::string("mirror"))})) == "mirror";
  if (mirrored && n == 0) throw Discard{};
  const Position i = draw.position("i", domain, domain.lo + n + 1, domain.hi - n - 1);
  const Position offset = side * n, beside = mirrored ? -offset : side * (n + 1);

  const Entries b = entries(bias, {i}, {i + offset, i + beside});
  std::vector<double> there, here, allowed;
  bool differ = false;
  for (std::size_t h = 0; h < b.heads; ++h) {
    there.push_back(b.at(h, 0, 0));
    here.push_back(b.at(h, 0, 1));
    allowed.push_back(2 * bias_error(p, here.back(), 0, 0));  // one entry, read twice
    differ = differ || there.back() < here.back() || there.back() > here.back();
  }
  if (bucket(*bias.buckets, offset) == bucket(*bias.buckets, beside)) return posproof::equal(there, here, allowed);
  // Two buckets are two entries. They may be as near as they like in one head, but not the same in all.
  return exactly(differ);
}

double log_bucket(double n, double count, double most) {
  const double e = count / 2;
  return n < e ? n : std::min(count - 1, e + std::floor(std::log(n / e) / std::log(most / e) * (count - e)));
}

// One table entry for each bucket, side and head, and no two alike.
Bias bucketed(Buckets buckets, const std::function<double(Position distance)>& of) {
  const auto half = static_cast<double>(buckets.bidirectional ? buckets.count / 2 : 0);
  Bias bias = bias_of(2, [of, half](std::size_t h, Position i, Position j) {
    const double number = half != 0 ? of(std::abs(j - i)) + (j > i ? half : 0) : of(std::max<Position>(i - j, 0));
    return number + 100 * static_cast<double>(h);
  });
  bias.buckets = buckets;
  return bias;
}

// Past the edge: a logarithm that comes out a little small puts 16, 32 and 64 into the bucket below.
Encoding rounded_down() {
  return bucketed({32, 128, true}, [](Position n) { return log_bucket(static_cast<double>(n) * (1 - 1e-9), 16, 128); });
}

Encoding no_cap() {
  return bucketed({32, 128, true}, [](Position n) {
    return n < 8 ? static_cast<double>(n) : 8 + std::floor(std::log(static_cast<double>(n) / 8) / std::log(16.0) * 8);
  });
}

// The buckets of an encoder in a decoder: the same up to a distance of 8.
Encoding as_bidirectional() {
  Bias bias = bucketed({32, 128, true}, [](Position n) { return log_bucket(static_cast<double>(n), 16, 128); });
  bias.buckets = Buckets{32, 128, false};
  bias.causal = true;
  return bias;
}

Encoding without_sides() {
  Bias bias = bucketed({32, 128, false}, [](Position n) { return static_cast<double>(n); });
  bias.bias = bias_of(2, [](std::size_t, Position i, Position j) {
                return log_bucket(static_cast<double>(std::abs(i - j)), 16, 128);
              }).bias;
  bias.buckets = Buckets{32, 128, true};
  return bias;
}

}  // namespace

const Property properties::bias::has_exact_buckets{
    .statement = "Offsets of one bucket have one bias, and neighbouring buckets have different ones: half of a side's "
                 "buckets hold one distance each, the others are logarithmic up to the largest distance.",
    .formula = "b(r) = b(r') <=> bucket(r) = bucket(r'), bucket(n) = n for n < e, else "
               "min(e + floor(log(n/e) / log(D/e) (B-e)), B-1)",
    .source = "Raffel et al. 2020, T5, section 2.1, and the authors' code (mesh-tensorflow)",
    .checks = {CheckOf<Bias>(&check)},
    .rejects = {{"a logarithm that is too small by 1e-9 at the exact edges 16, 32 and 64", &rounded_down},
                {"a last bucket that does not take the distances past the largest", &no_cap},
                {"the two-sided buckets in a decoder", &as_bidirectional},
                {"one half of the buckets for both sides", &without_sides}},
};

}  // namespace posproof
