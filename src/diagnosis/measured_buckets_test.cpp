// What is said of a bias whose buckets begin at other distances, whatever the formula that puts them there.
#include "diagnosis/measured_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::measured_buckets_test {
namespace {

using testing::Sentences;

// The distance whose entries stand at a distance, for later keys or not.
using Instead = Function<Position(Position d, bool later)>;

Sentences said_of(const std::string& words, const Instead& instead) {
  return testing::said("t5_bias", words, [instead](const Parameters& parameters) -> Encoding {
    Bias out = as<Bias>(encoding_named("t5_bias").make(parameters));
    out.bias = [=, heads = out.heads, right = out.bias](const Positions& queries, const Positions& keys) {
      Tensor to({heads, queries.size(), keys.size()});
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const Position offset = keys[c] - queries[r % queries.size()];
          const Position d = instead(std::abs(offset), offset > 0);
          const Position query[] = {offset < 0 ? d : 0}, key[] = {offset < 0 ? 0 : d};
          to.at(r, c) = static_cast<float>(right(query, key).data.at(r / queries.size()));
        }
      return to;
    };
    return out;
  });
}

const std::string seeded = "heads=3 table=seeded";

// Buckets begin at 8, 12, 16, 23, 32, 46, 64 and 91.
TEST(MeasuredBuckets, are_named_by_where_they_begin) {
  const Instead early = [](Position d, bool) { return d == 11 || d == 15 ? d + 1 : d; };
  EXPECT_EQ(said_of(seeded, early),
            Sentences{"buckets begin at distances 11, 15, 23, .., not at 12, 16, 23, .."});
  EXPECT_EQ(said_of(seeded, [=](Position d, bool later) { return later ? d : early(d, later); }),
            Sentences{"buckets of earlier keys begin at distances 11, 15, 23, .., not at 12, 16, 23, .."});
  EXPECT_EQ(said_of(seeded, [=](Position d, bool later) { return later ? early(d, later) : d; }),
            Sentences{"buckets of later keys begin at distances 11, 15, 23, .., not at 12, 16, 23, .."});
  EXPECT_EQ(said_of(seeded + " direction=unidirectional", [](Position d, bool) { return d == 18 ? 19 : d; }),
            Sentences{"buckets of earlier keys begin at distances 18, 21, 24, .., not at 19, 21, 24, .."});
  EXPECT_EQ(said_of(seeded, [](Position d, bool later) { return later ? std::min<Position>(d, 70) : d; }),
            Sentences{"buckets of later keys end with that of distance 64: none begins at 91"});
}

TEST(MeasuredBuckets, of_one_head_are_named_too) {
  EXPECT_EQ(said_of("heads=1 buckets=8 max_distance=16 table=seeded direction=unidirectional",
                    [](Position d, bool) { return d == 7 ? 8 : d; }),
            Sentences{"buckets of earlier keys begin at distances 7, 12, not at 8, 12"});
}

TEST(MeasuredBuckets, are_none_where_distances_have_no_declared_entry_or_fall_back) {
  EXPECT_EQ(said_of(seeded, [](Position d, bool) { return d; }), Sentences{});
  EXPECT_EQ(said_of(seeded, [](Position d, bool) { return d == 30 ? Position{3} : d; }),
            Sentences{"distance 30 has the bias of distance 3"});
  const Sentences halved = testing::said("t5_bias", seeded, [](const Parameters& parameters) -> Encoding {
    Bias out = as<Bias>(encoding_named("t5_bias").make(parameters));
    out.bias = [right = out.bias](const Positions& queries, const Positions& keys) {
      Tensor to = right(queries, keys);
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const Position d = std::abs(keys[c] - queries[r % queries.size()]);
          if (d > 20) to.at(r, c) /= 1 + static_cast<double>(d) / 64;
        }
      return to;
    };
    return out;
  });
  EXPECT_EQ(halved, Sentences{});
}

}  // namespace
}  // namespace posproof::measured_buckets_test
