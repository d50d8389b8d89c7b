#pragma once

#include <rapidcheck/Gen.h>

#include <iosfwd>

#include "core/draw.h"
#include "core/residual.h"

namespace posproof {

void showValue(const Case& one, std::ostream& out);
void showValue(const Residual& one, std::ostream& out);

}  // namespace posproof

namespace posproof::testing {

// Every double: simple ones as often as any pattern of 64 bits, so also infinities, NaN, subnormals and -0.
rc::Gen<double> any_double();

// A number, a list or a word.
rc::Gen<Value> any_value();

rc::Gen<Case> any_case();

// With a finite bound: a share of an infinite one is no number.
rc::Gen<Residual> any_residual();

// A question with few enough answers that two of them are often equal.
rc::Gen<Choice> any_choice();

}  // namespace posproof::testing
