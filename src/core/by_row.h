#pragma once

#include <cstddef>
#include <memory>

#include "core/encoding.h"
#include "core/function.h"

// A rotation that depends on its call (Rotary::in_call) is that of the largest position of the whole batch,
// or of each of its rows.
namespace posproof {

// What `in_call` holds where the call that counts is the row.
struct InEachRow {
  Function<std::shared_ptr<const Rotary>(Position last)> in_row;

  std::shared_ptr<const Rotary> operator()(Position last) const { return in_row(last); }
};

bool is_by_row(const Rotary& rotary);

// The same by row: each row of a batch is rotated as it is alone.
Rotary by_row(Rotary rotary);

// What rotates that row of a batch at these positions; lives as long as `rotary` at least.
std::shared_ptr<const Rotary> in_row(const Rotary& rotary, const Positions& positions, std::size_t batch,
                                     std::size_t row);

}  // namespace posproof
