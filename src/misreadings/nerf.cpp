#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "catalogue/encodings/nerf.h"
#include "catalogue/misreadings/nerf.h"
#include "misreadings/right.h"

namespace posproof::misreadings_nerf {
namespace {

using misread::Real;

// What power 2^j counts as, j from 0.
using Power = Real (*)(std::size_t j, std::size_t count);

Real right(std::size_t j, std::size_t) {
  return std::ldexp(Real{1}, static_cast<int>(j));
}
Real linear(std::size_t j, std::size_t) {
  return static_cast<Real>(j + 1);
}
Real square(std::size_t j, std::size_t) {
  return static_cast<Real>((j + 1) * (j + 1));
}
Real linear_from_0(std::size_t j, std::size_t) {
  return static_cast<Real>(j);
}
// From 1 to 2^(count - 1), evenly spaced: NeRF's `log_sampling=False`.
Real evenly(std::size_t j, std::size_t count) {
  const Real most = right(count - 1, count);
  return count == 1 ? 1 : 1 + (most - 1) * static_cast<Real>(j) / static_cast<Real>(count - 1);
}
Real to_the_count(std::size_t j, std::size_t count) {
  const auto whole = static_cast<Real>(count);
  return count == 1 ? 1 : std::exp2(static_cast<Real>(j) * whole / (whole - 1));
}
Real exponential(std::size_t j, std::size_t) {
  return std::exp(static_cast<Real>(j));
}

// Of the columns of sines and cosines, that of a frequency, a part (0: the sine) and an axis.
struct Of {
  std::size_t frequency, part, axis;
};
using Place = std::size_t (*)(const Of& of, std::size_t axes, std::size_t count);

std::size_t by_frequency_axis_part(const Of& of, std::size_t axes, std::size_t) {
  return (of.frequency * axes + of.axis) * 2 + of.part;
}
std::size_t by_axis_part_frequency(const Of& of, std::size_t, std::size_t count) {
  return (of.axis * 2 + of.part) * count + of.frequency;
}

struct Form {
  Power power = &right;
  bool axes_reversed = false;    // of sines and cosines
  bool inputs_reversed = false;  // of the coordinates themselves
  bool frequencies_reversed = false;
  bool input_scaled = false;  // the coordinates are multiplied with pi as the angles are
  Place place = nullptr;  // where sines and cosines stand, where that is another order than any declared one
  Real pi = std::numbers::pi_v<Real>;
};

Encoding reads(const Parameters& given, const Form& form) {
  const Arguments p = misread::arguments(encodings::nerf, given);
  Table table = misread::right<Table>(encodings::nerf, given);
  if (!p.is("bands", "powers_of_two")) throw Refusal("said of powers of 2");
  const std::size_t axes = table.positions.axes, count = p.width("frequencies");
  const bool several = form.axes_reversed || form.inputs_reversed;
  if (several && axes == 1) throw Refusal("the same on one axis");
  const bool of_input = form.inputs_reversed || form.input_scaled;
  if (of_input && p.is("input", "none")) throw Refusal("the same without the coordinates");
  const Real unit = p.is("factor", "one") ? 1 : p.is("factor", "pi") ? form.pi : 2 * form.pi;
  const bool of_pi = form.input_scaled || form.pi != std::numbers::pi_v<Real>;
  if (of_pi && unit == 1) throw Refusal("the same without pi");
  for (Pair& pair : table.pairs) {
    const std::size_t j = form.frequencies_reversed ? count - 1 - pair.index : pair.index;
    pair.frequency = static_cast<double>(unit * form.power(j, count));
    if (form.axes_reversed) pair.axis = axes - 1 - pair.axis;
  }
  if (form.place != nullptr) {
    const std::vector<Pair> declared = table.pairs;
    const std::size_t first = p.is("input", "first") ? axes : 0;
    for (Pair& pair : table.pairs) {
      pair.first = first + form.place({pair.index, 0, pair.axis}, axes, count);
      pair.second = first + form.place({pair.index, 1, pair.axis}, axes, count);
    }
    if (std::ranges::equal(table.pairs, declared, [](const Pair& a, const Pair& b) {
          return a.first == b.first && a.second == b.second;
        }))
      throw Refusal("the same order of columns");
  }
  const std::size_t inputs = p.is("input", "last") ? table.dim - axes : 0;
  const bool has_input = !p.is("input", "none");
  return misread::with_rows(table, [=, pairs = table.pairs](std::span<const Real> x, std::span<double> row) {
    for (std::size_t axis = 0; has_input && axis < axes; ++axis)
      row[inputs + axis] = static_cast<double>((form.input_scaled ? unit : 1) *
                                               x[form.inputs_reversed ? axes - 1 - axis : axis]);
    for (const Pair& pair : pairs) {
      const std::size_t j = form.frequencies_reversed ? count - 1 - pair.index : pair.index;
      const Real angle = unit * form.power(j, count) * x[pair.axis];
      row[pair.first] = static_cast<double>(std::sin(angle));
      row[pair.second] = static_cast<double>(std::cos(angle));
    }
  });
}

misread::Make with(const Form& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

constexpr std::string_view two_axes = "axes=2 input=first", with_input = "input=first factor=pi",
                           with_pi = "factor=pi";

}  // namespace

const MisreadingFamily entry{{
    {"the frequencies are 1, 2, 3, .., not 1, 2, 4, ..", with({.power = &linear})},
    {"the frequencies are 0, 1, 2, .., not 1, 2, 4, ..", with({.power = &linear_from_0})},
    {"the frequencies are squares, 1, 4, 9, .., not 1, 2, 4, ..", with({.power = &square})},
    {"the frequencies are evenly spaced from the first to the last, not powers of 2",
     with({.power = &evenly})},
    {"the frequencies run to 2^frequencies, not to 2^(frequencies - 1)", with({.power = &to_the_count})},
    {"the frequencies are powers of e, not of 2", with({.power = &exponential})},
    {"the frequencies are in reverse order", with({.frequencies_reversed = true})},
    {"the sines and cosines have the axes in reverse order", with({.axes_reversed = true}), two_axes},
    {"the coordinates themselves are in reverse order", with({.inputs_reversed = true}), two_axes},
    {"the axes are in reverse order", with({.axes_reversed = true, .inputs_reversed = true}), two_axes},
    {"of each frequency sine and cosine alternate axis by axis: the part counts fastest, the frequency slowest",
     with({.place = &by_frequency_axis_part}), two_axes},
    {"of each axis all sines come first, then all cosines: the frequency counts fastest, the axis slowest",
     with({.place = &by_axis_part_frequency}), two_axes},
    {"the coordinates themselves are multiplied by pi as the angles are", with({.input_scaled = true}),
     with_input},
    {"pi is 3.1416", with({.pi = 3.1416L}), with_pi},
    {"pi is 3.1415", with({.pi = 3.1415L}), with_pi},
    {"pi is 3.14", with({.pi = 3.14L}), with_pi},
    {"pi is 22/7", with({.pi = 22 / 7.0L}), with_pi},
}};

}  // namespace posproof::misreadings_nerf
