#pragma once

#include <vector>

#include "core/parameter.h"

namespace posproof {

// Settings that code has in place of a declared one, beyond the values that claims are searched over: of each
// number its neighbours, halves and decades, of a base the usual ones, of each list its orders, two lists in
// each other's place, and two words at once. Each as the parameters that differ. A width, a number of heads,
// a length and a seed stay as they are.
std::vector<Parameters> other_settings(const Schema& schema, const Parameters& given);

// Those in which one number of a list, its first or its last, stands for all: of one head for the others.
std::vector<Parameters> shared_numbers(const Schema& schema, const Parameters& given);

// Those in which a list of up to four numbers has them in another order: of axes that are taken for others.
// The extents of a grid stay: another grid has other tokens.
std::vector<Parameters> other_orders(const Schema& schema, const Parameters& given);

}  // namespace posproof
