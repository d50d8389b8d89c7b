#include "core/encoding.h"

#include <array>

namespace posproof {

std::string_view kind(const Encoding& encoding) {
  static constexpr std::array<std::string_view, 5> names = {"table", "rotary", "bias", "contextual",
                                                            "attention"};
  return names[encoding.index()];
}

std::vector<std::size_t> channels_in_no_pair(const Rotary& rotary) {
  std::vector<bool> turns(rotary.dim, false);
  for (const Pair& pair : rotary.pairs) turns[pair.first] = turns[pair.second] = true;
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < rotary.dim; ++c)
    if (!turns[c]) out.push_back(c);
  return out;
}

}  // namespace posproof
