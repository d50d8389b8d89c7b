#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

// A bound is a sum of named terms, one for each place where an implementation or a check may round. The names
// let the suite prove of each that it is needed and that it is no larger than it has to be: with one term
// left out something right is refuted, with one term 16 times as large something wrong is not.
namespace posproof {

enum class Term {
  power,             // a power of the base, or an exponential, as computed and kept
  exponent,          // the roundings of its exponent
  ladder_step,       // one step of an iterated ladder, or of a rounded common ratio
  scaled_frequency,  // what a frequency loses that is made from a power of the base
  position,          // a position that the format cannot hold
  angle_product,     // position times frequency
  library,           // sine and cosine of a library
  table,             // storing what is kept in a table
  product,           // of a rotation, or of a slope with a distance
  sum,               // of the two products of a rotation
  result,            // storing the answer
  amplitude,         // what multiplies every entry
  underflow,         // below the smallest normal number
  operation,         // one operation of an entry that no ladder makes
  ours,              // the check's own arithmetic, in double
  dot,               // sums of products, of contents
  softmax,           // exponentials of logits
  mean,              // sums weighted by a softmax
  own,               // a bound that an encoding brings itself
  equality,          // of a statement that allows nothing: see units_apart
  threshold,         // of a statement that asks for a least effect: see least_effect
};
constexpr std::array<std::string_view, 21> term_names = {
    "power",     "exponent",      "ladder_step", "scaled_frequency",
    "position",  "angle_product", "library",     "table",
    "product",   "sum",           "result",      "amplitude",
    "underflow", "operation",     "ours",        "dot",
    "softmax",   "mean",          "own",         "equality",
    "threshold"};

namespace terms {
struct Scales {
  std::array<double, term_names.size()> of = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1};
  unsigned changes = 0;  // what was kept of bounds under other scales is out of date
};
inline constinit thread_local Scales scales;
}  // namespace terms

// One term of a bound, by name.
inline double term(Term name, double value) {
  return terms::scales.of[static_cast<std::size_t>(name)] * value;
}

// The bound of a statement whose two sides are equal bit for bit: 0. Where the suite measures how much of a
// difference is seen, so many units of the value.
inline double units_apart(double unit, double value) {
  const double units = terms::scales.of[static_cast<std::size_t>(Term::equality)];
  return units == 0 ? 0 : units * unit * std::abs(value);
}

// The least effect that a statement asks for.
inline double least_effect(double value) {
  return term(Term::threshold, value);
}

// For the suite's own tests: as long as it lives, that term of every bound computed in this thread is
// multiplied by `by`; of an equality, it is the number of units.
class ScaledTerm {
 public:
  ScaledTerm(Term name, double by) : name_(static_cast<std::size_t>(name)), before_(terms::scales.of[name_]) {
    set(by);
  }
  ~ScaledTerm() { set(before_); }
  ScaledTerm(const ScaledTerm&) = delete;
  ScaledTerm& operator=(const ScaledTerm&) = delete;

 private:
  void set(double by) {
    terms::scales.of[name_] = by;
    ++terms::scales.changes;
  }
  std::size_t name_;
  double before_;
};

}  // namespace posproof
