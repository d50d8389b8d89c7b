#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/function.h"
#include "run/matrix.h"

// The matrix to look into: every judged claim as data, and a page that filters, sorts and opens them.
namespace posproof::report {

struct MatrixPage {
  const std::vector<Cell>& cells;
  // Of a refuted witness, by how much it fails: `1.95`, `3.1e-05 of 0.00049`.
  Function<std::string(const std::string& property, const Refuted&)> failed_by;
  std::string condition;  // seed and number of cases
};

// One object: `condition`, `encodings` (id, kind, summary), `properties` (id, statement, formula, source) and
// `answers`, one for each claim that was judged and each cell that was searched without one.
std::string matrix_json(const MatrixPage& matrix);

// The answers, a line each.
std::string matrix_csv(const MatrixPage& matrix);

// The page, with the data in it: a page that is opened from a disk may read no other file.
std::string matrix_html(const MatrixPage& matrix);

}  // namespace posproof::report
