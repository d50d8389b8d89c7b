#include <cmath>

#include "catalogue/defects/t5_bias.h"
#include "catalogue/encodings/t5_bias.h"
#include "catalogue/properties/bias/has_exact_buckets.h"
#include "catalogue/properties/bias/saturates.h"
#include "encodings/seeded.h"

namespace posproof::defects_t5_bias {
namespace {

Bias right(const Parameters& parameters) {
  return encodings::t5_bias.make<Bias>(parameters);
}

Encoding decoder_bidirectional(const Parameters& p) {
  if (p.word("direction") != "unidirectional")
    throw Refusal("the same where the direction is bidirectional by right");
  Parameters other = p;
  other.set("direction", "bidirectional");
  Bias bias = right(p);
  bias.bias = right(other).bias;
  return bias;
}

// A bucket past the last reads what stands behind: of the past, a bucket of the future; of the future, the
// memory after the table (here: as if the table went on).
Encoding missing_cap(const Parameters& p) {
  Bias bias = right(p);
  const Buckets buckets = *bias.buckets;
  const auto count = static_cast<Position>(buckets.count);
  const Position side = buckets.bidirectional ? count / 2 : count, exact = side / 2;
  const bool seeded_table = p.word("table") == "seeded",
             key_minus_query = p.word("relative") == "key_minus_query";
  const auto seed = static_cast<std::uint64_t>(p.integer("table_seed"));
  const long double whole_range = std::log(static_cast<long double>(buckets.max_distance) / exact);
  const auto bucket = [=](Position distance) {
    if (distance < exact) return distance;
    const long double share = std::log(static_cast<long double>(distance) / exact) / whole_range;
    return exact + static_cast<Position>(std::floor(share * (side - exact)));
  };
  bias.bias = [=, scale = p.real("scale"), heads = bias.heads, capped = bias.bias,
               last = static_cast<Position>(buckets.max_distance)](std::span<const Position> i,
                                                                   std::span<const Position> j) {
    Tensor out = capped(i, j);
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < j.size(); ++c) {
        const Position offset = (j[c] - i[r % i.size()]) * (key_minus_query ? 1 : -1);
        if (std::abs(offset) < last || (!buckets.bidirectional && offset > 0))
          continue;  // the same before the cap
        const Position b = (buckets.bidirectional && offset > 0 ? side : 0) + bucket(std::abs(offset));
        const std::size_t head = r / i.size();
        out.at(r, c) = scale * (seeded_table ? seeded(seed, static_cast<std::uint64_t>(b) * heads + head, 1.0)
                                             : static_cast<double>(b + count * static_cast<Position>(head)));
      }
    return out;
  };
  return bias;
}

using namespace properties;

}  // namespace

const DefectFamily entry{{
    {.name = "decoder_bidirectional",
     .wrong = "a decoder shares its buckets between both directions: half of them are left for its distances",
     .sources = "TransformerLens#1681",
     .recorded = {"t5-decoder-bidirectional"},
     .make = &decoder_bidirectional,
     .setting = "heads=1 direction=unidirectional",
     .refuted_by = &bias::has_exact_buckets},
    {.name = "missing_cap",
     .wrong = "the bucket is not limited to the last: it keeps growing beyond max_distance",
     .sources = "candle#727, candle#1312",
     .make = &missing_cap,
     .setting = "heads=1",
     .refuted_by = &bias::saturates},
}};

}  // namespace posproof::defects_t5_bias
