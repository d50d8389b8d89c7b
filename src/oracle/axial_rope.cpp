#include <numeric>

#include "catalogue/oracle/axial_rope.h"
#include "core/error.h"
#include "oracle/axial.h"

namespace posproof {
namespace {

// Pair by pair in the order of the channels: whose it is, and which of that axis' own.
struct Owner {
  std::size_t part, number;
};

std::vector<Owner> owners(const std::vector<std::size_t>& pairs_of_part, bool alternating) {
  std::vector<Owner> all;
  for (std::size_t part = 0; part < pairs_of_part.size(); ++part)
    for (std::size_t j = 0; j < pairs_of_part[part]; ++j) all.push_back({part, j});
  if (alternating)
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      all[rank] = {rank % pairs_of_part.size(), rank / pairs_of_part.size()};
  return all;
}

}  // namespace

Encoding oracle::axial_rope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), axes = p.width("axes");
  std::vector<std::size_t> pairs_of_part(axes, dim / 2 / axes);
  if (p.list("parts").size() > 1)
    for (std::size_t part = 0; part < axes; ++part)
      pairs_of_part[part] = static_cast<std::size_t>(p.list("parts")[part]) / 2;
  const std::size_t all_pairs = std::accumulate(pairs_of_part.begin(), pairs_of_part.end(), std::size_t{0});

  std::vector<AxialPair> pairs;
  const auto owner = owners(pairs_of_part, p.is("order", "alternating"));
  for (std::size_t rank = 0; rank < all_pairs; ++rank) {
    const auto [part, number] = owner[rank];
    AxialPair one{{.first = rank, .second = rank + all_pairs, .frequency = 0}, {}};
    if (p.is("layout", "interleaved")) one.pair.first = rank * 2, one.pair.second = rank * 2 + 1;
    // Before its part stand both halves of the parts before: rank - number pairs.
    if (p.is("layout", "half_split_by_axis"))
      one.pair.first = 2 * rank - number, one.pair.second = one.pair.first + pairs_of_part[part];
    one.pair.axis = p.is("axis_order", "reversed") ? axes - part - 1 : part;
    // Halves of the exponents' numerator and denominator.
    const bool strided = p.is("ladder", "strided");
    one.pair.index = strided ? number * axes + part : number;
    one.exponent = {static_cast<std::int64_t>(one.pair.index),
                    static_cast<std::int64_t>(strided ? all_pairs : pairs_of_part[part])};
    if (p.real("factor") != 1) one.pair.frequency_error = divided();
    pairs.push_back(one);
  }
  exact::Scaling scaling = exact::Unscaled{};
  if (p.real("factor") != 1) scaling = exact::Interpolated{p.real("factor")};
  return axial(dim, p.width("heads"), axes, p.real("base"), scaling, pairs);
}

}  // namespace posproof
