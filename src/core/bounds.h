#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

// Numbers after the words "at least" and "at most": a bound that is rounded to the nearest is none in half of
// the cases. core/bounded.h takes no other after these words.
namespace posproof {

enum class Side { down, up, exact };

// A number as it is printed: no larger than the one it stands for, no smaller, or that number itself.
template <Side>
struct Printed : std::string {
  explicit Printed(std::string text) : std::string(std::move(text)) {}
};
using AtLeast = Printed<Side::down>;
using AtMost = Printed<Side::up>;
using Exactly = Printed<Side::exact>;

// The nearest number of so many significant digits on that side. Of finite numbers of either sign, and of 0.
double rounded_down(double value, int digits);
double rounded_up(double value, int digits);

// So many significant digits, `0.115` and `1e-07`; as document::fixed prints it: so many decimals; and as
// document::scientific does. Of finite numbers of either sign.
AtMost figures_up(double value, int digits);
AtLeast fixed_down(long double value, int decimals);
AtMost fixed_up(long double value, int decimals);
AtMost scientific_up(long double value, int digits);

// `85.4 %` of a share of 0.85457.
AtLeast percent_at_least(long double share);

// `13 %` of a share of 0.1204, and `0.54 %` of 0.0053601.
AtMost percent_at_most(double share, int digits = 2);

}  // namespace posproof

template <posproof::Side side>
struct fmt::formatter<posproof::Printed<side>> : formatter<std::string> {};
