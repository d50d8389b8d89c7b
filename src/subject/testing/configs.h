#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "subject/config.h"

namespace posproof::testing {

// The parameters, then what has to be named, then the notes, but for the one that no base is said.
inline std::string said(const std::string& json, const std::string& encoding = "rope") {
  try {
    const Configured found = configured(config_settings("config.json", json), encoding);
    std::string out = found.parameters.text();
    for (const auto& [parameter, readings] : found.ambiguous)
      out += fmt::format("; {}: {}", parameter, readings);
    for (const auto& [parameter, what] : found.missing) out += fmt::format("; no {}: {}", parameter, what);
    for (const auto& [parameter, what] : found.notes)
      if (parameter != "base") out += fmt::format("; {}{}", parameter.empty() ? "" : parameter + ": ", what);
    return out;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

struct ConfigRow {
  std::string json, said;
  std::string encoding = "rope";
};

inline void expect(const std::vector<ConfigRow>& rows) {
  for (const auto& [json, expected, encoding] : rows) EXPECT_EQ(said(json, encoding), expected) << json;
}

}  // namespace posproof::testing
