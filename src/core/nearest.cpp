#include "core/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace posproof {
namespace {

constexpr std::size_t most = 3;
constexpr std::size_t least_shared = 3;  // letters that a name must share to be found by a part of it

std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word)
    out += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Letters dropped, added, changed, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

using Rank = std::pair<int, std::size_t>;  // the kind of likeness, and how far within it

// None where they are not alike.
std::optional<Rank> rank(const std::string& word, const std::string& name) {
  if (word == name) return Rank{0, 0};
  if (word.empty()) return std::nullopt;
  if (name.starts_with(word)) return Rank{1, name.size()};
  if (word.size() >= least_shared && name.find(word) != std::string::npos) return Rank{2, name.size()};
  const std::size_t distance = edit_distance(word, name);
  if (distance > std::max<std::size_t>(1, word.size() / 2) || distance >= word.size()) return std::nullopt;
  return Rank{3, distance};
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& names) {
  const std::string wanted = plain(word);
  std::vector<std::pair<Rank, std::string>> found;
  for (const std::string& name : names) {
    const std::string whole = plain(name), part = whole.substr(whole.rfind('/') + 1);
    std::optional<Rank> best = rank(wanted, whole);
    if (const auto of_part = rank(wanted, part); of_part && (!best || *of_part < *best)) best = of_part;
    if (best) found.emplace_back(*best, name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& [by, name] : found)
    if (out.size() < most && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

std::string near_it(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string> near = nearest(word, names);
  return near.empty() ? "" : fmt::format("; near it: {}", fmt::join(near, ", "));
}

}  // namespace posproof
