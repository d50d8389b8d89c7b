#include <cmath>

#include "catalogue/encodings/t5_bias.h"
#include "catalogue/misreadings/t5_bias.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_t5_bias {
namespace {

// A bias of one head whose entries are the numbers of the buckets.
Bias buckets_of(const Parameters& given) {
  Parameters one = given;
  one.set("heads", 1.0);
  one.set("table", std::string("index"));
  one.set("scale", 1.0);
  return std::get<Bias>(encodings::t5_bias.make(one));
}

// The row of the table [buckets, heads] and its column, of a bucket and a head.
struct Place {
  std::int64_t row, column;
};
using At = Place (*)(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t heads);

template <At at>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::t5_bias, given);
  const std::int64_t heads = p.whole("heads"), count = p.whole("buckets");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  const bool index = p.is("table", "index");
  const long double scale = p.real("scale");
  const auto entry = [=](std::int64_t bucket, std::int64_t head) {
    const auto [row, column] = at(bucket, head, count, heads);
    return static_cast<double>(scale *
                               (index ? static_cast<double>(row + count * column)
                                      : seeded(seed, static_cast<std::uint64_t>(row * heads + column), 1.0)));
  };
  Bias out = std::get<Bias>(encodings::t5_bias.make(given));
  out.bias = [=, bucket = buckets_of(given).bias](const Positions& queries, const Positions& keys) {
    const Tensor buckets = bucket(queries, keys);
    Tensor all({static_cast<std::size_t>(heads), queries.size(), keys.size()});
    for (std::size_t n = 0; n < all.data.size(); ++n)
      all.data[n] = entry(static_cast<std::int64_t>(buckets.data[n % buckets.data.size()]),
                          static_cast<std::int64_t>(n / buckets.data.size()));
    return all;
  };
  return out;
}

// As if it were [heads, buckets].
Place transposed(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t heads) {
  const std::int64_t at = head * buckets + bucket;
  return {at / heads, at % heads};
}
Place reversed(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t) {
  return {buckets - 1 - bucket, head};
}
Place first_is_last(std::int64_t bucket, std::int64_t head, std::int64_t buckets, std::int64_t) {
  return {bucket == 0 ? buckets - 1 : bucket - 1, head};
}

}  // namespace

const MisreadingFamily entry{{
    {"the table is read as [heads, buckets], not [buckets, heads]", &reads<transposed>, "heads=3"},
    {"the rows of the table are read in reverse order", &reads<reversed>, "heads=3"},
    {"the rows of the table are read one before: of bucket 0 the last", &reads<first_is_last>, "heads=3"},
}};

}  // namespace posproof::misreadings_t5_bias
