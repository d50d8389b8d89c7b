#pragma once

#include <array>
#include <string>
#include <string_view>

namespace posproof {

// A pi of few digits, cut or rounded, as code that reduces angles to one turn has it.
struct ShortPi {
  const char* digits;

  // So far from pi that the frequencies that come near to it explain little.
  bool is_short() const { return std::string_view(digits).size() <= 6; }
  long double turn() const { return 2 * static_cast<long double>(std::stod(digits)); }
  std::string words() const { return std::string("angles are reduced modulo 2 x ") + digits + ", not 2 pi"; }
};

// Rising in the number of digits.
inline constexpr std::array short_pis{ShortPi{"3.14"}, ShortPi{"3.142"}, ShortPi{"3.1415"}, ShortPi{"3.1416"},
                                      ShortPi{"3.14159"}};

}  // namespace posproof
