#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace posproof::report {

// `HOLDS` of `holds`.
inline std::string upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// `not decided` of `NOT DECIDED`.
inline std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace posproof::report
