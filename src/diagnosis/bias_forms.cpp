#include "diagnosis/bias_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/formats.h"
#include "diagnosis/clipped_formats.h"
#include "diagnosis/pair_forms.h"

namespace posproof {

std::vector<BiasForm> bias_forms() {
  using A = const AskedEntry&;
  using E = const BiasEntry&;
  const auto first = [](A a) { return *std::ranges::min_element(a.keys); };
  std::vector<BiasForm> out;
  for (const PairForm& form : pair_forms("bias"))
    out.push_back({form.words, [to = form.to](E entry, A a) {
                     const auto [i, j] = to({a.i, a.j, a.row, a.column, a.queries, a.keys});
                     return entry(a.head, i, j);
                   }});
  // As a factor of the distance, with the sign that it has then; a form of pairs looks where keys stand
  // then.
  const auto times_distance = [](Position (*to)(Position)) -> OtherEntry {
    return [to](E entry, A a) {
      const Position d = a.i - a.j;
      const double is = entry(a.head, a.i, a.j);
      return d == 0 ? is : is / static_cast<double>(d) * static_cast<double>(to(d));
    };
  };
  const std::vector<BiasForm> own = {
      {distances_in_8_bits, times_distance(&in_8_bits)},
      {distances_in_16_bits, times_distance(&in_16_bits)},
      {"later keys have no bias", [](E entry, A a) { return a.j > a.i ? 0 : entry(a.head, a.i, a.j); }},
      {"later keys are masked: their bias is minus infinity",
       [](E entry, A a) {
         return a.j > a.i ? -std::numeric_limits<double>::infinity() : entry(a.head, a.i, a.j);
       }},
      {"distances are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite",
       [](E entry, A a) {
         const double d = to_f16(static_cast<double>(a.i - a.j));
         if (std::isfinite(d)) return entry(a.head, a.i, a.i - static_cast<Position>(d));
         const double one = entry(a.head, 1, 0);
         return one == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), one);
       }},
      {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite",
       [](E entry, A a) {
         const double i = to_f16(static_cast<double>(a.i)), j = to_f16(static_cast<double>(a.j));
         if (std::isfinite(i) && std::isfinite(j))
           return entry(a.head, static_cast<Position>(i), static_cast<Position>(j));
         return entry(a.head, 1, 0) * (i - j);
       }},
      {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that",
       [](E entry, A a) {
         const auto in_f16 = [](Position t) {
           return static_cast<Position>(to_f16_at_most(static_cast<double>(t)));
         };
         return entry(a.head, in_f16(a.i), in_f16(a.j));
       }},
      {"the query's own key is masked: its bias is minus infinity",
       [](E entry, A a) {
         return a.j == a.i ? -std::numeric_limits<double>::infinity() : entry(a.head, a.i, a.j);
       }},
      {"distance 0 counts as 1", [](E entry, A a) { return entry(a.head, a.i == a.j ? a.i + 1 : a.i, a.j); }},
      {"every entry is divided by the number of keys",
       [](E entry, A a) { return entry(a.head, a.i, a.j) / static_cast<double>(a.keys.size()); }},
      {"where queries and keys are as many, the answer is transposed",
       [](E entry, A a) {
         const bool square = a.queries.size() == a.keys.size();
         return square ? entry(a.head, a.queries[a.column], a.keys[a.row]) : entry(a.head, a.i, a.j);
       }},
      {"the bias depends on the key alone, as of its distance from the first key",
       [first](E entry, A a) { return -entry(a.head, a.j, first(a)); }},
      {"the bias is that of the key's position, with its own sign",
       [](E entry, A a) { return -entry(a.head, a.j, 0); }},
  };
  out.insert(out.end(), own.begin(), own.end());
  for (const int bits : {8, 16, 32}) {
    const Position all = Position{1} << bits;
    out.push_back(
        {fmt::format("distances are cut to {} bits, without a sign: -1 counts as {}", bits, all - 1),
         [all](E entry, A a) {
           const Position d = a.i - a.j;
           return entry(a.head, a.j + (d % all + all) % all, a.j);
         }});
  }
  return out;
}

}  // namespace posproof
