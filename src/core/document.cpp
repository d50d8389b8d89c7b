#include "core/document.h"

#include <cstdio>

namespace posproof::document {
namespace {

std::string printed(const char* format, int digits, long double value) {
  std::string out(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, digits, value)), '\0');
  std::snprintf(out.data(), out.size() + 1, format, digits, value);
  return out;
}

}  // namespace

std::string fixed(long double value, int decimals) {
  const std::string out = printed("%.*Lf", decimals, value);
  const bool zero = out.find_first_not_of("-0.") == std::string::npos;
  return zero && out.front() == '-' ? out.substr(1) : out;
}

std::string scientific(long double value, int digits) {
  return value == 0 ? "0" : printed("%.*Le", digits - 1, value);
}

}  // namespace posproof::document
