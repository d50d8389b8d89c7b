#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/encoding.h"

namespace posproof::oracle {

constexpr std::int64_t widest = std::int64_t{1}
                                << 20;  // no encoding is asked for with more channels or heads
constexpr std::int64_t largest_whole = std::int64_t{1} << 53;

// Reads the parameters of one encoding. Everything throws Refusal with the parameter, what came and what is
// allowed.
class Asked {
 public:
  // Refuses a parameter that is not among the names.
  Asked(const Parameters& parameters, std::string_view encoding,
        std::initializer_list<std::string_view> names);

  std::int64_t whole(std::string_view name, std::int64_t standard, std::int64_t lo, std::int64_t hi) const;
  std::size_t width(std::string_view name, std::int64_t standard) const;  // 1 .. widest
  double positive(std::string_view name, double standard) const;          // finite
  // One of the words; the first is the standard.
  std::string word(std::string_view name, std::initializer_list<std::string_view> words) const;

  [[noreturn]] void refuse(std::string_view why) const;

 private:
  const Parameters& parameters_;
  std::string_view encoding_;
};

// Refuses a position outside lo .. hi.
void within(std::string_view encoding, Position t, Position lo, Position hi);

}  // namespace posproof::oracle
