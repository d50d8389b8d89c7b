#pragma once

#include <optional>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"
#include "diagnosis/measured_columns.h"

namespace posproof {

// Columns of a table that are another declared one, or times a factor: from its rows, what was declared
// there, and how far rounding may put them from it.
std::optional<Deviation> deviation_of_columns(const Table& truth, const Entries& values,
                                              const Entries& declared, const Entries& allowed);

// Of a table, from the rows that were answered, whatever its positions are: one row in the place of all.
// Rather than as pairs that do not rotate.
std::optional<Deviation> same_row_deviation(const Table& truth, const Precision& precision,
                                            const std::vector<Answered>& answered);

// Likewise columns that are others, one row that is added to all, and a largest norm of rows. The most likely
// first; none is confirmed.
std::vector<Deviation> row_deviations(const Table& truth, const Precision& precision,
                                      const std::vector<Answered>& answered);

}  // namespace posproof
