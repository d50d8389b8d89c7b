#pragma once

#include <string_view>
#include <vector>

#include "core/document.h"

namespace posproof::report {

// Which columns of a table are set to the right: those with more numbers than words, empty cells and `none`
// being neither.
std::vector<bool> numeric_columns(const document::Grid& grid);

// Throws std::logic_error with the page's name for a row that is not as long as the header.
void check_rows(const document::Grid& grid, std::string_view page);

}  // namespace posproof::report
