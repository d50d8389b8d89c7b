#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/draw.h"
#include "core/encoding.h"
#include "core/function.h"
#include "core/precision.h"
#include "core/residual.h"
#include "core/view.h"

namespace posproof {

// A check is written against the view it needs, not against a kind; an encoding without that view is "not
// applicable". A statement that reads differently for different views has one check for each, and the first
// that the encoding has a view for is run.
template <class View>
using CheckOf = Function<Residual(const View&, Precision, Draw&)>;

// Of calls (core/call.h), whatever the kind, as far as its signature has what the statement speaks of.
struct CallCheck {
  Function<bool(const Encoding&)> applies;
  CheckOf<Encoding> check;

  Residual operator()(const Encoding& encoding, Precision precision, Draw& draw) const {
    return check(encoding, precision, draw);
  }
};

using Check = std::variant<CheckOf<Table>, CheckOf<Rotary>, CheckOf<Bias>, CheckOf<Score>,
                           CheckOf<Contextual>, CheckOf<Attention>, CallCheck>;

// An encoding that is wrong by little, and that the property must refute within the usual search. For each
// kind that the property speaks of there is one in f32 and one in bf16 or f16 whose largest error over all
// cases is at most `sharp` times what is allowed (run/sharpness.h).
struct NegativeExample {
  std::string wrong;  // what is wrong with it, as a phrase: "a bias that adds 1e-6 of the absolute position"
  Function<Encoding()> make;
  Precision precision = all_f64;  // what it claims to work in
};

// Who can be asked. A file of numbers answers no calls; what only a live implementation can get wrong is not
// asked of it.
enum class Needs { any_subject, live_subject };

// One mathematical statement about an encoding.
struct Property {
  std::string_view statement;  // a sentence
  std::string_view formula;
  std::string_view source;
  std::vector<Check> checks;
  std::vector<NegativeExample> must_reject;
  Needs needs = Needs::any_subject;
  bool universal = false;  // holds for every encoding that it can be asked of, and is claimed so here
  bool yes_or_no = false;  // nothing is wrong by little: it is refused or not, a number or none
  std::vector<std::string_view> never_fails_of = {};  // kinds of which no number that is answered breaks it
  std::string_view not_in_16_bits = {};  // why it sees nothing there, for statements that ask for an effect
};

}  // namespace posproof
