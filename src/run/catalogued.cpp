#include "run/catalogued.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"

namespace posproof {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

template <class T>
const T& named(std::string_view id, std::span<const catalogue::Entry<T>> entries, std::string_view what,
               std::string_view list) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (entry.id == id) return *entry.value;
    names.emplace_back(entry.id);
  }
  throw std::invalid_argument(fmt::format("there is no {} `{}`; near it: {}; all: posproof list {}", what, id,
                                          fmt::join(nearest(id, names), ", "), list));
}

}  // namespace

std::string_view id_of(const Property& property) {
  for (const auto& [id, value] : catalogue::properties())
    if (value == &property) return id;
  return "";
}

std::string_view id_of(const EncodingSpec& spec) {
  for (const auto& [id, value] : catalogue::encodings())
    if (value == &spec) return id;
  return "";
}

const Property& property_named(std::string_view id) {
  return named(id, catalogue::properties(), "property", "properties");
}

const EncodingSpec& encoding_named(std::string_view id) {
  return named(id, catalogue::encodings(), "encoding", "encodings");
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  sorted.resize(std::min<std::size_t>(sorted.size(), 3));
  return sorted;
}

}  // namespace posproof
