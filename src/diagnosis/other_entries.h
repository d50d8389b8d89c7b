#pragma once

#include <optional>
#include <vector>

#include "core/spec.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a bias that looks its entries up in a table: other numbers stand in the table, trained ones perhaps, and
// are looked up as declared. None where one row of the table has two numbers, where too few were asked for
// twice, or where the numbers are the declared ones in other places.
std::optional<Deviation> other_entries(const Encoding& declared, const EncodingSpec& spec,
                                       const Parameters& parameters, const std::vector<Answered>& answered);

}  // namespace posproof
