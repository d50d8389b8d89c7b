#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/bounds.h"

// Sentences with bounds. `bounded("off by at most {}", fixed_up(x, 2))` is fmt::format where a number beside
// such words has to be printed on their side, or does not compile:
//   at most, up to, within, less than, below, no more than    AtMost
//   at least, more than, above, no less than                  AtLeast
//   between {} and {}                                         AtLeast and AtMost
// After "no", "not" and "never" the words less than, more than, below and above ask for the other side. Whole
// numbers and Exactly fit everywhere. Pages say no such words in fmt::format: core/bounded_test.cpp.
namespace posproof {

namespace sentence {

// What a number may be printed as at one place.
enum class Asked { anything, at_least, at_most, start };

struct Words {
  std::string_view text;
  Asked asked;
  bool turns = false;  // where it is denied
};

// The longer of two that end alike comes first.
inline constexpr Words before_a_number[] = {
    {"no more than ", Asked::at_most},    {"no less than ", Asked::at_least},
    {"no fewer than ", Asked::at_least},  {"not exceed ", Asked::at_most},
    {"at most ", Asked::at_most},         {"at least ", Asked::at_least},
    {"up to ", Asked::at_most},           {"within ", Asked::at_most},
    {"less than ", Asked::at_most, true}, {"fewer than ", Asked::at_most, true},
    {"below ", Asked::at_most, true},     {"more than ", Asked::at_least, true},
    {"above ", Asked::at_least, true},    {"between ", Asked::start}};
inline constexpr Words behind_a_number[] = {{" at most", Asked::at_most},
                                            {" or less", Asked::at_most},
                                            {" or fewer", Asked::at_most},
                                            {" at least", Asked::at_least},
                                            {" or more", Asked::at_least}};

// `{} and {}`, `{} % and {}`: the text between the ends of a range.
constexpr bool joins_a_range(std::string_view between) {
  return between.size() < 16 && between.ends_with(" and ");
}

// `up to a factor of {}`, `to within {}`; not `below 5 % it is {}`.
constexpr bool leads_to_a_number(std::string_view between) {
  return between.size() < 16 && between.find_first_of("0123456789") == std::string_view::npos &&
         between.find("is ") == std::string_view::npos && between.find(" in ") == std::string_view::npos;
}

constexpr bool is_denied(std::string_view clause) {
  for (const std::string_view word : {" no ", " not ", " never ", " none ", " cannot "})
    if (clause.find(word) != std::string_view::npos || clause.starts_with(word.substr(1))) return true;
  return false;
}

// Of the text between the number before and this one, and of that up to the next.
constexpr Asked asked(std::string_view before, std::string_view behind) {
  for (const Words& words : behind_a_number)
    if (behind.starts_with(words.text)) return words.asked;
  const std::size_t clause = before.find_last_of(".,;:()") + 1;  // nothing counts of another one
  std::size_t end = clause;
  Words found{"", Asked::anything};
  for (const Words& words : before_a_number) {
    const std::size_t at = before.rfind(words.text);
    if (at == std::string_view::npos || (at > 0 && before[at - 1] != ' ' && before[at - 1] != '(')) continue;
    if (at + words.text.size() > end) end = at + words.text.size(), found = words;
  }
  if (found.asked == Asked::anything || !leads_to_a_number(before.substr(end))) return Asked::anything;
  if (found.asked == Asked::start) return joins_a_range(behind) ? Asked::start : Asked::anything;
  if (!found.turns || !is_denied(before.substr(clause))) return found.asked;
  return found.asked == Asked::at_most ? Asked::at_least : Asked::at_most;
}

constexpr int no_side = -1;

constexpr bool fits(Asked asked, int side) {
  if (side == static_cast<int>(Side::exact) || asked == Asked::anything) return true;
  return side == static_cast<int>(asked == Asked::at_most ? Side::up : Side::down);
}

// Whether each number of the sentence, printed on that side or on none, fits where it stands.
template <std::size_t count>
constexpr bool fits(std::string_view text, const std::array<int, count>& sides) {
  Asked previous = Asked::anything;
  for (const int side : sides) {
    const auto open = text.find('{'), close = text.find('}');
    if (open == std::string_view::npos || close == std::string_view::npos) return false;
    const std::string_view before = text.substr(0, open);
    text.remove_prefix(close + 1);
    const Asked now = asked(before, text.substr(0, text.find('{')));
    if (!fits(previous == Asked::start ? Asked::at_most : now, side)) return false;
    previous = now;
  }
  return true;
}

template <class T>
inline constexpr int side_of = std::is_integral_v<T> ? static_cast<int>(Side::exact) : no_side;
template <Side side>
inline constexpr int side_of<Printed<side>> = static_cast<int>(side);

template <class... Arguments>
struct Checked {
  fmt::format_string<const Arguments&...> format;

  template <std::size_t length>
  consteval Checked(const char (&text)[length]) : format(text) {
    if (!fits<sizeof...(Arguments)>(text, {side_of<Arguments>...}))
      throw "a number beside `at most`, `at least`, `between` or the like is not printed on that side";
  }
};

}  // namespace sentence

template <class... Arguments>
std::string bounded(sentence::Checked<std::type_identity_t<Arguments>...> checked,
                    const Arguments&... arguments) {
  return fmt::format(checked.format, arguments...);
}

}  // namespace posproof
