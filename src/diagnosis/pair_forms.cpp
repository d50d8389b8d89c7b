#include "diagnosis/pair_forms.h"

#include <algorithm>
#include <cstdint>

#include "core/formats.h"

namespace posproof {
namespace {

Position rounded_to_bf16(Position t) {
  return static_cast<Position>(to_bf16(static_cast<double>(t)));
}

}  // namespace

Position in_8_bits(Position distance) {
  return static_cast<std::int8_t>(distance);
}

Position in_16_bits(Position distance) {
  return static_cast<std::int16_t>(distance);
}

std::vector<PairForm> pair_forms(const std::string& entry) {
  using A = const AskedPair&;
  using Two = std::pair<Position, Position>;
  const auto at_distance = [](Position (*distance)(Position)) {
    return [distance](A a) { return Two{a.i, a.i - distance(a.i - a.j)}; };
  };
  const std::string same = "the " + entry + " is that of ";
  return {
      {"the two directions are swapped: query and key are exchanged",
       [](A a) {
         return Two{a.j, a.i};
       }},
      {"both directions have the " + entry + " of the distance",
       at_distance([](Position d) { return d < 0 ? -d : d; })},
      {"both directions have the " + entry + " of a key after the query",
       at_distance([](Position d) { return d < 0 ? d : -d; })},
      {"distances count one more", at_distance([](Position d) { return d >= 0 ? d + 1 : d - 1; })},
      {"distances count one more, 0 as it is", at_distance([](Position d) {
         return d == 0 ? d : d > 0 ? d + 1 : d - 1;
       })},
      {"distances count one less, 0 as it is", at_distance([](Position d) {
         return d == 0 ? d : d > 0 ? d - 1 : d + 1;
       })},
      {"keys stand one position behind", at_distance([](Position d) { return d + 1; })},
      {"keys stand one position ahead", at_distance([](Position d) { return d - 1; })},
      {"distances are halved, rounded down",
       at_distance([](Position d) { return d >= 0 ? d / 2 : -((-d) / 2); })},
      {"distances are doubled", at_distance([](Position d) { return 2 * d; })},
      {distances_in_8_bits, at_distance(&in_8_bits)},
      {distances_in_16_bits, at_distance(&in_16_bits)},
      {"distances are squared", at_distance([](Position d) { return d >= 0 ? d * d : -d * d; })},
      {"distances are rounded to bf16: from 257 on neighbours coincide", at_distance(&rounded_to_bf16)},
      {"positions are rounded to bf16",
       [](A a) {
         return Two{rounded_to_bf16(a.i), rounded_to_bf16(a.j)};
       }},
      {same + "the distance from the last key of the call",
       [](A a) {
         return Two{*std::ranges::max_element(a.keys), a.j};
       }},
      {same + "the last query of the call, in every row",
       [](A a) {
         return Two{a.queries.back(), a.j};
       }},
      {same + "the first query of the call, in every row",
       [](A a) {
         return Two{a.queries.front(), a.j};
       }},
      {"rows and columns are numbered from 0, whatever the positions",
       [](A a) {
         return Two{static_cast<Position>(a.row), static_cast<Position>(a.column)};
       }},
      {"queries are numbered so that the last stands at the last key, whatever their positions",
       [](A a) {
         return Two{static_cast<Position>(a.row + a.keys.size()) - static_cast<Position>(a.queries.size()),
                    static_cast<Position>(a.column)};
       }},
      // [keys, queries], read as [queries, keys].
      {"pairs of positions are laid out key by key and read query by query: reshaped, not transposed",
       [](A a) {
         const std::size_t n = a.row * a.keys.size() + a.column;
         return Two{a.queries[n % a.queries.size()], a.keys[n / a.queries.size()]};
       }},
      {same + "the query's position, the same in the whole row",
       [](A a) {
         return Two{a.i, Position{0}};
       }},
  };
}

}  // namespace posproof
