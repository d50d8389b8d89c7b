#pragma once

#include <memory>
#include <span>

#include "core/encoding.h"
#include "exact/exact_table.h"

namespace posproof::exact {

// The table of the same form (columns, offset, amplitude) whose frequencies are exactly these numbers: what
// an implementation that rounded its frequencies first should hold. Throws std::invalid_argument where they
// are not as many as the table has.
std::shared_ptr<const ExactTable> with_frequencies(const ExactTable& table,
                                                   std::span<const double> frequencies, Position offset);

}  // namespace posproof::exact
