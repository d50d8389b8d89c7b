#include "report/numeric_columns.h"

#include <fmt/format.h>

#include <stdexcept>

namespace posproof::report {
namespace {

bool numeric(std::string_view text) {
  return !text.empty() && text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789+-.,e% ") == std::string_view::npos;
}

}  // namespace

std::vector<bool> numeric_columns(const document::Grid& grid) {
  std::vector<int> more(grid.columns.size());
  for (const auto& row : grid.rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!row[c].empty() && row[c] != "none") more.at(c) += numeric(row[c]) ? 1 : -1;
  std::vector<bool> out;
  for (const int surplus : more) out.push_back(surplus > 0);
  return out;
}

void check_rows(const document::Grid& grid, std::string_view page) {
  for (const auto& row : grid.rows)
    if (row.size() != grid.columns.size())
      throw std::logic_error(
          fmt::format("{}: a row of {} cells under {} columns", page, row.size(), grid.columns.size()));
}

}  // namespace posproof::report
