#include "tokens.h"

#include "catalogue/properties/rotary/layouts_agree_after_one_permutation.h"

namespace posproof::properties_rotary_layouts_agree_after_one_permutation {
namespace {

using namespace rotations;

// Where the channels of the subject stand in another layout: pair k at (2k, 2k+1) or at (k, k + number of
// pairs), then the tail in its order.
std::vector<std::size_t> permutation(const Rotary& rotary, bool as_neighbours) {
  const std::size_t number = rotary.pairs.size();
  std::vector<std::size_t> to(rotary.dim, rotary.dim);
  for (std::size_t k = 0; k < number; ++k) {
    to[rotary.pairs[k].first] = as_neighbours ? 2 * k : k;
    to[rotary.pairs[k].second] = as_neighbours ? 2 * k + 1 : k + number;
  }
  std::size_t tail = 2 * number;
  for (std::size_t& place : to)
    if (place == rotary.dim) place = tail++;
  return to;
}

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  if (rotary.error) throw Inapplicable{"its pairs have no frequencies of their own"};
  const std::size_t number = rotary.pairs.size();
  const bool as_neighbours =
      std::get<std::string>(draw.one_of(
          "pairs", {Value(std::string("neighbours")), Value(std::string("halves"))})) == "neighbours";
  const Tokens given = drawn_tokens(rotary, draw);  // in that layout
  const Role role = drawn_role(draw);

  const std::vector<std::size_t> to = permutation(rotary, as_neighbours);
  Tokens own = given;
  for (std::size_t r = 0; r < own.x.rows(); ++r)
    for (std::size_t c = 0; c < rotary.dim; ++c) own.x.at(r, c) = given.x.at(r, to[c]);
  const Tensor y = rotated(rotary, own.x, own.positions, role);

  // The same tokens as complex numbers, rotated exactly, and carried to the subject's channels by that
  // permutation.
  Tensor expected = own.x;
  for (std::size_t r = 0; r < own.x.rows(); ++r) {
    std::vector<double> row(given.x.row(r).begin(), given.x.row(r).end());
    for (std::size_t k = 0; k < number; ++k) {
      const std::size_t first = as_neighbours ? 2 * k : k, second = as_neighbours ? 2 * k + 1 : k + number;
      if (row[first] == 0 && row[second] == 0) continue;  // stays so
      const std::complex<long double> z(row[first], row[second]);
      const auto w = z * rotation(rotary.pairs[k], own.positions[own.place(r)]);
      row[first] = static_cast<double>(w.real());
      row[second] = static_cast<double>(w.imag());
    }
    for (std::size_t c = 0; c < rotary.dim; ++c) expected.at(r, c) = row[to[c]];
  }
  // The subject's rotation, and ours: the frequency is declared to 1 unit of double and the answer rounded to
  // 1; what `long double` adds is 2^-10 of that, well within a second unit of each.
  return compare(rotary, p, own, y, expected, [&](const Pair& pair, std::size_t place) {
    const auto t = static_cast<double>(own.positions[place]);
    return rotation_error(p, t, pair) + term(Term::ours, 2 * unit_f64 * (std::abs(t * pair.frequency) + 1));
  });
}

Encoding keys_in_the_other_layout() {
  const auto factor = [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); };
  Rotary rotary = multiplied_by(4, 2, neighbours(), factor);
  rotary.rotate = [query = rotary, key = multiplied_by(4, 2, halves(), factor)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    return (role == Role::query ? query : key).rotate(x, positions, role);
  };
  return rotary;
}

// Every batch row stands where the first one does.
Encoding positions_of_the_first_row() {
  Rotary rotary = multiplied_by(
      4, 2, neighbours(), [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); });
  rotary.rotate = [exact = rotary](const Tensor& x, std::span<const Position> positions, Role role) {
    const std::size_t n = x.shape[2];
    std::vector<Position> first;
    for (std::size_t at = 0; at < positions.size(); ++at) first.push_back(positions[at % n]);
    return exact.rotate(x, first, role);
  };
  return rotary;
}

Encoding quicker() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation({pair.first, pair.second, pair.frequency * (1 + 1e-12)}, token.t);
  });
}

Encoding backward() {
  return multiplied_by(4, 2, neighbours(),
                       [](const Pair& pair, const Rotated& token) { return rotation(pair, -token.t); });
}

}  // namespace

const Property entry{
    .statement =
        "One permutation of the channels, the same for every position, head, batch row and role, makes the "
        "encoding the rotation of complex numbers, in either layout.",
    .formula = "(P^T R_t P x)_k = e^(i t w_k) x_k with x_k = x_first + i x_second",
    .source =
        "Su et al. 2021, RoFormer, eq. 12 (complex numbers), eq. 15 (neighbours); Black et al. 2022, "
        "GPT-NeoX-20B (halves)",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject = joined(
        {{"queries that rotate in neighbours and keys that rotate in halves", &keys_in_the_other_layout},
         {"a batch of which every row has the positions of the first", &positions_of_the_first_row},
         {"frequencies that are too high by 1e-12 of themselves", &quicker},
         {"a rotation the other way", &backward},
         off("rotated keys", &near_zero, -0x1p-19, &of_key),
         off("rotated queries", &near_zero, 0x1p-19, &of_query),
         off("tokens past position 65536", &slow, 0x1p-19, &past_65536),
         off("tokens at negative positions", &of_either_sign, -0x1p-19, &at_negative_position),
         off("channels in no pair", &with_tail, 0x1p-22, &is_last)},
        last_and_first(&near_zero, 0x1p-19, 0x1p-6)),
};

}  // namespace posproof::properties_rotary_layouts_agree_after_one_permutation
