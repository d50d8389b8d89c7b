#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/encoding.h"

namespace posproof {

// A name under which properties draw; `i#` stands for i1, i2, ...
struct DrawnName {
  std::string name;
  std::string_view kind = "";  // of encoding; empty: of several
};
std::span<const DrawnName> drawn_names();

// `i1` and `i1_x` of a grid are `i#`, `arranged_i` is `arranged`.
std::string without_number(std::string_view name);

// Whether a property draws under that name for such an encoding. A recorded case holds parameters and inputs
// side by side, so no parameter has one.
bool is_drawn(std::string_view name, const Encoding& encoding);

}  // namespace posproof
