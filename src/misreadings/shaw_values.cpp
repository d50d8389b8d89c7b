#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "catalogue/encodings/shaw_values.h"
#include "catalogue/misreadings/shaw_values.h"
#include "core/function.h"
#include "encodings/clipped.h"
#include "misreadings/right.h"

namespace posproof::misreadings_shaw_values {
namespace {

using namespace inside;

// What multiplies the row of a value, beside the weight of its key.
enum class Share { whole, over_keys, logit };

struct Rows {
  bool of_keys = true, of_values = true;
  bool keys_mirrored = false, values_mirrored = false;
  bool values_of_keys = false, keys_of_values = false;  // which table they are read from
  bool undivided = false;                               // q . a^K is not divided by sqrt(dim)
  Position less = 0;                                    // the clip is smaller by it
  std::string_view beyond = "";                         // said where offsets beyond it are so, or of both
  Share share = Share::whole;
};

// Of each query that of sum e^logit over the keys that it sees.
std::vector<Real> logarithms_of_sums(const Function<Real(std::size_t, std::size_t)>& logit,
                                     const Mask& mask) {
  std::vector<Real> out;
  for (std::size_t i = 0; i < mask.rows(); ++i) {
    std::vector<Real> seen;
    for (std::size_t j = 0; j < mask.width(); ++j)
      if (mask.at(i, j) != 0) seen.push_back(logit(i, j));
    const Real most = seen.empty() ? 0 : std::ranges::max(seen);
    Real sum = 0;
    for (const Real one : seen) sum += std::exp(one - most);
    out.push_back(most + std::log(sum));
  }
  return out;
}

Encoding reads(const Parameters& given, const Rows& rows) {
  const Arguments p = misread::arguments(encodings::shaw_values, given);
  const std::size_t dim = p.width("dim");
  const clipped::Rows declared(p);
  const Position first = declared.first() + rows.less, last = declared.last() - rows.less;
  if (first > last) throw Refusal("nothing is left");
  if (rows.less > 0 && p.whole("clip_right") >= 0) throw Refusal("said of clip alone");
  if (!rows.beyond.empty() && !p.is("beyond", rows.beyond)) throw Refusal("said of another convention");
  const bool repeats = p.is("beyond", "repeat");
  const bool key_minus_query = p.is("relative", "key_minus_query");
  const auto seed = p.whole("table_seed");
  const Tensor one = trained(declared.count(), dim, seed), other = trained(declared.count(), dim, seed + 1);
  const Tensor of_keys = rows.keys_of_values ? other : one, of_values = rows.values_of_keys ? one : other;
  return misread::with_pairs(
      encodings::shaw_values, given,
      [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
        const auto row = [=](std::size_t i, std::size_t j, bool mirrored) -> std::optional<std::size_t> {
          const auto ahead = static_cast<Position>(j) - static_cast<Position>(i);
          const Position offset = key_minus_query != mirrored ? ahead : -ahead;
          const Position nearest = std::clamp(offset, first, last);
          if (nearest != offset && !repeats) return std::nullopt;
          return static_cast<std::size_t>(nearest - declared.first());
        };
        const auto logit = [=, &q, &k](std::size_t i, std::size_t j) {
          const auto r = row(i, j, rows.keys_mirrored);
          const Real met = rows.of_keys && r ? dot(q.row(i), of_keys.row(*r)) : 0;
          return (dot(q.row(i), k.row(j)) + met * (rows.undivided ? root(dim) : 1)) / root(dim);
        };
        const std::vector<Real> whole =
            rows.share == Share::logit ? logarithms_of_sums(logit, mask) : std::vector<Real>{};
        const auto share = [=, n = static_cast<Real>(k.rows())](std::size_t i, std::size_t j) -> Real {
          if (rows.share == Share::over_keys) return 1 / n;
          return rows.share == Share::whole ? 1 : logit(i, j) * std::exp(whole[i] - logit(i, j));
        };
        return Pairwise{logit, [=, &v](std::size_t i, std::size_t j, std::size_t c) {
                          if (!rows.of_values) return Real{v.at(j, c)};
                          return v.at(j, c) +
                                 share(i, j) * clipped::entry(of_values, row(i, j, rows.values_mirrored), c);
                        }};
      });
}

misread::Make with(const Rows& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the values have no rows added: a^V is left out", with({.of_values = false}), "dim=4 clip=3"},
    {"the keys have no rows added: a^K is left out", with({.of_keys = false}), "dim=4 clip=3"},
    {"no rows are added, to the keys or to the values", with({.of_keys = false, .of_values = false}),
     "dim=4 clip=3"},
    {"the rows of the values are read in the other direction: at i - j for j - i",
     with({.values_mirrored = true}), "dim=4 clip=3"},
    {"the rows of the keys are read in the other direction: at i - j for j - i",
     with({.keys_mirrored = true}), "dim=4 clip=3"},
    {"the rows of the values are read from the table of the keys", with({.values_of_keys = true}),
     "dim=4 clip=3"},
    {"the rows of the keys are read from the table of the values", with({.keys_of_values = true}),
     "dim=4 clip=3"},
    {"the two tables stand in each other's place", with({.values_of_keys = true, .keys_of_values = true}),
     "dim=4 clip=3"},
    {"q.a^K is not divided by sqrt(dim)", with({.undivided = true}), "dim=4 clip=3"},
    {"what the rows of the values add is divided by the number of keys", with({.share = Share::over_keys}),
     "dim=4 clip=3"},
    {"the rows of the values are multiplied by the logits, not by their softmax",
     with({.share = Share::logit}), "dim=4 clip=3"},
    {"offsets are clipped one earlier, at clip - 1", with({.less = 1, .beyond = "repeat"}), "dim=4 clip=3"},
    {"the window ends one earlier, at clip - 1: the largest offset has no vector",
     with({.less = 1, .beyond = "zero"}), "dim=4 clip=3 beyond=zero"},
}};

}  // namespace posproof::misreadings_shaw_values
