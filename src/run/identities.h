#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/identity.h"
#include "core/property.h"
#include "core/verdict.h"
#include "search/search.h"

// Identities (core/identity.h), searched and replayed like properties of their left encoding.
namespace posproof {

// By id; nullptr where there is none.
const Identity* identity_named(std::string_view id);
std::string_view id_of(const Identity& identity);

// The identity as a property of its left encoding with these parameters, which are completed by the first of
// the values for which it is said where a standard one is none of them. Throws Refusal for parameters of
// which it says nothing.
Property property_of(const Identity& identity, const Parameters& left);
Parameters completed(const Identity& identity, const Parameters& given);

// Of our own references, over the parameters of which it is said.
Trial identity_over_grid(const Identity& identity);
Verdict identity_searched(const Identity& identity, const Plan& plan);

// `sinusoidal where divisor is half`.
std::string left_of(const Identity& identity);

}  // namespace posproof
