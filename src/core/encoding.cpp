#include "core/encoding.h"

#include <array>

namespace posproof {

std::string_view kind(const Encoding& encoding) {
  static constexpr std::array<std::string_view, 5> names = {"table", "rotary", "bias", "contextual",
                                                            "attention"};
  return names[encoding.index()];
}

std::vector<std::size_t> channels_in_no_pair(const Rotary& rotary) {
  std::vector<bool> rotations(rotary.dim, false);
  for (const Pair& pair : rotary.pairs) rotations[pair.first] = rotations[pair.second] = true;
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < rotary.dim; ++c)
    if (!rotations[c]) out.push_back(c);
  return out;
}

}  // namespace posproof
