#include "subject/not_asked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace posproof {
namespace {

struct Way {
  std::string_view word;
  std::vector<std::string_view> never;  // what the positions of one call are not
  std::string_view takes;
};

const std::array<Way, 5> ways = {{
    {"shared", {}, "one row of positions for the batch"},
    {"ascending", {"out of order", "repeated"}, "ascending positions"},
    {"offset", {"out of order", "repeated", "with gaps"}, "an offset"},
    {"sequence",
     {"out of order", "repeated", "with gaps", "from another one than 0 on"},
     "whole sequences from 0 on"},
    {"mask",
     {"out of order", "repeated", "with gaps", "from another one than 0 on"},
     "a mask of whole sequences behind padding"},
}};

// `a`, `a or b`, `a, b or c`.
std::string either(const std::vector<std::string_view>& words) {
  if (words.size() == 1) return std::string(words.front());
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

}  // namespace

bool gives_logits_of_contents(const Signature& signature) {
  return signature.has(Axis::key) && !signature.takes.empty();
}

std::vector<std::string> not_asked(const Encoding& declared, std::string_view takes_positions) {
  const auto* way =
      std::find_if(ways.begin(), ways.end(), [&](const Way& one) { return one.word == takes_positions; });
  const Signature& known = signature(declared);
  if (way == ways.end() || !known.positions) return {};
  std::vector<std::string_view> never = way->never;
  if (known.has(Axis::batch)) never.push_back("different by batch row");
  if (never.empty()) return {};
  std::vector<std::string> out = {
      fmt::format("positions {} in one call: not asked, the subject takes {}", either(never), way->takes)};
  // The SDK puts both into sequences of the same length.
  if (takes_positions == "sequence" && gives_logits_of_contents(known) && positions_of(declared).axes == 1)
    out.push_back(
        "other numbers of queries than of keys in one call: not asked, the subject takes whole sequences");
  return out;
}

}  // namespace posproof
