#pragma once

#include <string>
#include <vector>

#include "core/document.h"

namespace posproof::experiments {

// What the page says about a statement of the documents that the project started from, in our words.
struct Answer {
  std::string statement;
  std::string verdict;  // `true`, `false`, or under which condition
  std::string shown;    // the number, with its condition
};

// The last section before the verdict.
inline std::vector<document::Block> answers(const std::vector<Answer>& all) {
  document::Grid grid{.columns = {"statement or question", "verdict", "shown by"}, .rows = {}};
  for (const auto& [statement, verdict, shown] : all) grid.rows.push_back({statement, verdict, shown});
  return {document::Section{"What this page answers"}, std::move(grid)};
}

}  // namespace posproof::experiments
