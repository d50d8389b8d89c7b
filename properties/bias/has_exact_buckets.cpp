#include "entries.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "catalogue/properties/bias/has_exact_buckets.h"
#include "core/function.h"

namespace posproof::properties_bias_has_exact_buckets {
namespace {

using namespace biases;

// The bucket of an offset key - query, in whole numbers. One side has `count` buckets: half of them hold one
// distance each, and of a distance n >= e = count/2 it is e + floor(log(n/e) / log(D/e) (count - e)), never
// past the last. The floor is at least s exactly when (n/e)^(count - e) >= (D/e)^s.
std::size_t bucket(const Buckets& buckets, Position offset) {
  using Whole = boost::multiprecision::cpp_int;
  const std::size_t count = buckets.bidirectional ? buckets.count / 2 : buckets.count;
  const std::size_t start = buckets.bidirectional && offset > 0 ? count : 0;
  const auto n =
      static_cast<std::size_t>(buckets.bidirectional ? std::abs(offset) : std::max<Position>(-offset, 0));
  const std::size_t e = count / 2;
  if (n < e) return start + n;
  if (n >= buckets.max_distance) return start + count - 1;
  const auto steps = static_cast<unsigned>(count - e);
  std::size_t of = e;
  for (unsigned s = 1; s < steps; ++s)
    if (pow(Whole(n), steps) * pow(Whole(e), s) >= pow(Whole(buckets.max_distance), s) * pow(Whole(e), steps))
      of = e + s;
  return start + of;
}

Residual check(const Bias& bias, Precision p, Draw& draw) {
  if (!bias.buckets) throw Inapplicable{"it has no buckets"};
  const Domain& domain = bias.positions;
  const Domain within = distances(bias);
  const Position n = draw.position("n", within, 0, within.hi - 1),
                 t = draw.position("t", within, 1, within.hi - n);
  const std::int64_t side = drawn_side(bias, draw);
  const Position i = draw.position("i", domain, domain.lo + n + t, domain.hi - n - t);

  // Against its neighbours, which is where a bucket ends; against one further on, which no bucket of its own
  // may have gone back to; and against the other side.
  std::vector<Position> offsets = {side * n, side * (n + 1), side * (n + t)};
  if (n > 0) offsets.push_back(side * (n - 1));
  if (!bias.causal) offsets.push_back(-side * n);
  std::vector<Position> keys;
  for (const Position offset : offsets) keys.push_back(i + offset);
  const Entries b = entries(bias, {i}, keys);

  Residual worst{0, 0, 0};
  for (std::size_t beside = 1; beside < offsets.size(); ++beside) {
    // Two buckets are two entries. They may be as near as they like in one head, but not the same in all.
    const bool same = bucket(*bias.buckets, offsets[0]) == bucket(*bias.buckets, offsets[beside]);
    bool differ = false;
    for (std::size_t h = 0; h < b.heads; ++h) {
      const double here = b.at(h, 0, 0), there = b.at(h, 0, beside);
      const double bound = 2 * bias_error(p, here, 0, 0);  // one entry, read twice
      if (same) worst = worse(worst, difference(there, here, bound));
      differ = differ || there < here || there > here;
    }
    if (!same) worst = worse(worst, holds_if(differ));
  }
  return worst;
}

// The number of a distance among `count` buckets up to `most`, by a logarithm that comes out this much
// larger.
double log_bucket(Position n, double count, double most, double larger = 1e-12) {
  const double e = count / 2, distance = static_cast<double>(n);
  if (distance < e) return distance;
  return std::min(count - 1,
                  e + std::floor(std::log(distance / e) / std::log(most / e) * (count - e) + larger));
}

// One table entry for each bucket, side and head, and no two alike.
Bias bucketed(Buckets buckets, const Function<double(Position distance)>& of) {
  const auto half = static_cast<double>(buckets.bidirectional ? buckets.count / 2 : 0);
  Bias bias = bias_of(2, [of, half](std::size_t h, Position i, Position j) {
    const double number =
        half != 0 ? of(std::abs(j - i)) + (j > i ? half : 0) : of(std::max<Position>(i - j, 0));
    return number + 100 * static_cast<double>(h);
  });
  bias.buckets = buckets;
  return bias;
}

// What is right: the buckets of a decoder, and of an encoder.
Encoding decoder() {
  Bias bias = bucketed({32, 128, false}, [](Position n) { return log_bucket(n, 32, 128); });
  bias.causal = true;
  return bias;
}
Encoding encoder() {
  return bucketed({32, 128, true}, [](Position n) { return log_bucket(n, 16, 128); });
}
// Of the keys beside the first, in order: one further, some further, one nearer, on the other side.
bool is_second_key_past_65536(const AnswerEntry& at) {
  return is_second_key(at) && past_65536(at);
}

// Where the logarithm is a whole number, one that comes out a little small gives the bucket below.
Encoding rounded_down() {
  return bucketed({32, 128, true}, [](Position n) { return log_bucket(n, 16, 128, -1e-12); });
}

Encoding no_cap() {
  return bucketed({32, 128, true}, [](Position n) { return n < 128 ? log_bucket(n, 16, 128) : 16; });
}

// The buckets of an encoder in a decoder: the same up to a distance of 8.
Encoding as_bidirectional() {
  Bias bias = bucketed({32, 128, true}, [](Position n) { return log_bucket(n, 16, 128); });
  bias.buckets = Buckets{32, 128, false};
  bias.causal = true;
  return bias;
}

Encoding without_sides() {
  Bias bias = bucketed({32, 128, false}, [](Position n) { return static_cast<double>(n); });
  bias.bias = bias_of(2, [](std::size_t, Position i, Position j) {
                return log_bucket(std::abs(i - j), 16, 128);
              }).bias;
  bias.buckets = Buckets{32, 128, true};
  return bias;
}

}  // namespace

const Property entry{
    .statement =
        "Two offsets have the same bias if and only if they are in one bucket: half of a side's buckets, rounded down, hold one distance each, the others are logarithmic up to the largest distance.",
    .formula =
        "b(r) = b(r') <=> bucket(r) = bucket(r'), bucket(n) = n for n < e, else "
        "min(e + floor(log(n/e) / log(D/e) (B-e)), B-1)",
    .source = "Raffel et al. 2020, T5, section 2.1, and the authors' code (mesh-tensorflow)",
    .checks = {CheckOf<Bias>(&check)},
    .must_reject =
        joined({{"a logarithm that is too small by 1e-12, which shows at 16, 32 and 64", &rounded_down},
                {"a bucket of their own for the distances past the largest", &no_cap},
                {"the two-sided buckets in a decoder", &as_bidirectional},
                {"one half of the buckets for both sides", &without_sides},
                off("entries of the second key", &decoder, -0x1p-20, &is_second_key),
                off("entries of the third key", &decoder, 0x1p-20, &is_third_key),
                off("entries of queries past position 65536", &encoder, 0x1p-20, &is_second_key_past_65536)},
               joined(last_and_first(&decoder, 0x1p-20, 0x1p-4), last_and_first(&encoder, 0x1p-20, 0x1p-4))),
};

}  // namespace posproof::properties_bias_has_exact_buckets
