#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/property.h"
#include "search/search.h"

// How little has to be wrong for a property to see it, as its negative examples prove.
namespace posproof {

// What a negative example may be wrong by at most for the suite to notice that a bound was made 16 times as
// large.
constexpr double sharp = 16;

// What is multiplied for a negative example to be refuted no longer.
enum class Measure {
  bound,      // in bounds: the largest error over bound
  units,      // the statement allows nothing: in units of the answer's precision
  threshold,  // the statement asks for a least effect: by what that would have to be divided
};

// Of one negative example, over all cases of the usual search.
struct Sharpness {
  Measure measure = Measure::bound;
  double times = 0;  // above 1: it is refuted; above `sharp`: it is wrong by too much to say how much is seen

  bool refuted() const { return times > 1; }
  bool is_sharp() const { return refuted() && times <= sharp; }
  std::string text() const;  // `2.3 bounds`, `4 units`, `a threshold divided by 2`
};
Sharpness sharpness(const Property& property, const NegativeExample& example, const Plan& plan);

// A negative example in f32 or in 16 bits.
struct MeasuredExample {
  std::string_view kind;                     // `table`, `rotary`, `bias`, `contextual`, `attention`
  bool in_16_bits = false;                   // else in f32
  const NegativeExample* example = nullptr;  // nullptr: there is none
  Sharpness sharpness = {};
};
std::vector<MeasuredExample> measured_examples(std::string_view id, const Property& property);

// For each kind that a property speaks of and each class of formats: the sharpest of them.
std::vector<MeasuredExample> sharpest(const Property& property, const std::vector<MeasuredExample>& examples);
std::vector<MeasuredExample> sharpest(std::string_view id, const Property& property);

// The kinds that a property speaks of.
std::vector<std::string_view> kinds_of(const Property& property);

}  // namespace posproof
