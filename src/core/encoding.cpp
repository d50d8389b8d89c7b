#include "core/encoding.h"

#include <array>

namespace posproof {

std::string_view kind(const Encoding& encoding) {
  static constexpr std::array<std::string_view, 5> names = {"table", "rotary", "bias", "contextual",
                                                            "attention"};
  return names[encoding.index()];
}

}  // namespace posproof
