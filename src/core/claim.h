#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.h"
#include "core/property.h"

namespace posproof {

struct Fact;

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
  const Fact* follows_from = nullptr;  // nullptr: the encoding claims it itself
};

Claim holds(const Property& property, Condition when = {});
Claim fails(const Property& property, std::string_view witness, double by, std::string_view because,
            Condition when = {});
// Of a fact: every encoding that declares it has a witness of its own.
Claim fails(const Property& property);

// What can be declared of an encoding in one word, and what follows: claimed here, once.
struct Fact {
  std::string_view name;  // a sentence without its subject: `acts on the logits alone`
  std::vector<Claim> claims;
};

// A fact as an encoding declares it: for which parameters, and which properties do not follow for it.
struct Declared {
  const Fact* fact;
  Condition where = {};
  std::vector<const Property*> except = {};
  std::string_view because = {};  // of those that are not claimed otherwise: why not
};

// Whether two sizes agree to three significant digits: |measured - by| is at most half a unit of the third.
bool same_to_three_digits(double measured, double by);

}  // namespace posproof
