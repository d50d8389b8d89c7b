#include "catalogue/properties/axes/swaps_axes_by_a_permutation.h"
#include "grid.h"

namespace posproof::properties_axes_swaps_axes_by_a_permutation {
namespace {

using namespace grid;
using namespace corners;

// For each channel the one that takes its place when two numbers are exchanged: the n-th pair of one axis and
// the n-th of the other change places.
std::vector<std::size_t> exchanged(const std::vector<Pair>& pairs, std::size_t dim, std::size_t a,
                                   std::size_t b) {
  std::vector<std::size_t> place(dim);
  for (std::size_t c = 0; c < dim; ++c) place[c] = c;
  std::vector<Pair> one, other;
  for (const Pair& pair : pairs) {
    if (pair.axis == a) one.push_back(pair);
    if (pair.axis == b) other.push_back(pair);
  }
  if (one.size() != other.size()) throw Inapplicable{"its axes have different numbers of channels"};
  for (std::vector<Pair>* all : {&one, &other}) std::ranges::sort(*all, {}, &Pair::index);
  for (std::size_t n = 0; n < one.size(); ++n) {
    std::swap(place[one[n].first], place[other[n].first]);
    std::swap(place[one[n].second], place[other[n].second]);
  }
  return place;
}

void permute(Tensor& rows, const std::vector<std::size_t>& place) {
  const Tensor before = rows;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (std::size_t c = 0; c < place.size(); ++c) rows.at(r, c) = before.at(r, place[c]);
}

Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  const bool rotates = signature(encoding).role;
  const std::vector<Pair>& pairs = pairs_of(encoding);
  const std::size_t dim = rotates ? width_of_content(encoding, 0) : as<Table>(encoding).dim;
  if (pairs.empty()) throw Inapplicable{"it declares no pairs"};
  const auto last = static_cast<std::int64_t>(domain.axes) - 1;
  const auto a = static_cast<std::size_t>(draw.integer("a", 0, last - 1));
  const auto b = static_cast<std::size_t>(draw.integer("b", static_cast<std::int64_t>(a) + 1, last));
  const auto channels = exchanged(pairs, dim, a, b);
  const auto x = rotates ? draw.content("x", dim) : std::vector<double>{};
  const Role role = rotates ? drawn_role(draw) : Role::query;
  const Numbers place = drawn_place(domain, "i", draw);
  if (place[a] == place[b] || place[a] > domain.last(b) || place[b] > domain.last(a)) throw Discard{};
  Numbers other = place;
  std::swap(other[a], other[b]);

  Answered here = answered(encoding, call_at(encoding, {place}, role, {x}), p);
  permute(here.values, channels), permute(here.error, channels);
  Call moved = call_at(encoding, {other}, role, {x});
  if (rotates) permute(moved.contents[0], channels);
  const Answered there = answered(encoding, moved, p);

  Residual worst{0, 0, 0};
  for (std::size_t n = 0; n < here.values.data.size(); ++n)
    worst = worse(worst, difference(there.values.data[n], here.values.data[n],
                                    there.error.data[n] + here.error.data[n]));
  return worst;
}

// The second axis has frequencies of its own.
AngleAt quicker(double by) {
  return [by](const Pair& pair, std::span<const Position> place) {
    return right_angle(pair, place) * (pair.axis == 1 ? 1 + by : 1);
  };
}
NegativeExample quicker_axis(const char* what, bool of_table, double by, const Precision& p) {
  return {fmt::format("{} whose second axis has frequencies 1 + 2^{} times as large, in {}", what,
                      std::ilogb(by), p == in_bf16 ? "bf16" : p.word()),
          [=]() -> Encoding {
            if (of_table) return table(quicker(by));
            return rotation(quicker(by));
          },
          p};
}

}  // namespace

const Property entry{
    .statement =
        "Axes with equally many channels are alike: exchanging their numbers of a position exchanges channels.",
    .formula = "p(b,a) = P p(a,b) and R(b,a) P = P R(a,b) for one permutation P of the channels",
    .source =
        "Wang et al. 2024, Qwen2-VL; He et al. 2021, Masked Autoencoders: one set of frequencies for both axes",
    .checks = {CallCheck{&is_table_or_rotation, &check}},
    .must_reject = joined(
        {quicker_axis("a rotation", false, 0x1p-17, all_f32), quicker_axis("a table", true, 0x1p-17, all_f32),
         quicker_axis("a rotation", false, 0x1p-4, in_bf16), quicker_axis("a table", true, 0x1p-4, in_bf16),
         off("rotated keys past row 7", &right_rotation, 0x1p-18, &of_key_past_row_7),
         off("rotated queries past row 7", &right_rotation, -0x1p-18, &of_query_past_row_7)},
        joined(last_and_first(&right_rotation_of_three, 0x1p-18, 0x1p-5),
               last_and_first(&right_table_of_three, 0x1p-18, 0x1p-5))),
};

}  // namespace posproof::properties_axes_swaps_axes_by_a_permutation
