#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/property.h"

namespace posproof {

// For which parameters a claim is made: each named parameter is one of the listed values. Empty: for all.
struct Condition {
  struct Among {
    std::string_view parameter;
    std::vector<Value> values;
  };
  std::vector<Among> all = {};

  bool met(const Parameters& parameters) const;
  std::string text() const;  // `odd is refuse or zero_pad`; empty for all
};

// What an encoding says of itself. A `holds` is searched for a counterexample over the encoding's grid of
// parameters. A `fails` is replayed: the recorded case (parameters first), the size of the failure to three
// digits, and the reason. A claimed failure that stopped failing, or fails by another amount, is broken.
struct Claim {
  const Property* property;
  bool holds;
  Condition when = {};
  std::string_view witness = {};
  double by = 0;
  std::string_view because = {};
};

Claim holds(const Property& property, Condition when = {});
Claim fails(const Property& property, std::string_view witness, double by, std::string_view because,
            Condition when = {});

// Whether two sizes agree to three significant digits: |measured - by| is at most half a unit of the third.
bool same_to_three_digits(double measured, double by);

}  // namespace posproof
