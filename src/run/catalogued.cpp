#include "run/catalogued.h"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/nearest.h"

namespace posproof {
namespace {

template <class T>
const T& named(std::string_view id, std::span<const catalogue::Entry<T>> entries, std::string_view what,
               std::string_view list) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (entry.id == id) return *entry.value;
    names.emplace_back(entry.id);
  }
  throw std::invalid_argument(
      fmt::format("there is no {} `{}`{}; all: posproof list {}", what, id, near_it(id, names), list));
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

}  // namespace posproof
