#include "diagnosis/measured_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace posproof {

std::string number(double value, double relative_error) {
  const double known = relative_error > 0 ? std::floor(1e-9 - std::log10(relative_error)) : 7;
  const auto digits = static_cast<int>(std::clamp(known, 2.0, 7.0));
  const std::string short_one = fmt::format("{:.{}g}", value, digits);
  // In full: `500000`, and `500` where two digits are known.
  const double large = std::min(1e4, std::pow(10, digits));
  const double rounded = std::abs(std::stod(short_one));
  const bool in_full = rounded >= large && rounded < 1e9;
  return in_full ? fmt::format("{:.0f}", std::stod(short_one)) : short_one;
}

std::pair<std::string, std::string> told_apart(double value, double relative_error, double declared,
                                               double declared_error) {
  std::pair out{number(value, relative_error), number(declared, declared_error)};
  // As many digits as are known, and where those are the declared ones, or are rounded by more than a tenth
  // of how far it is from them and half of what is not known, the fewest more.
  constexpr double seven_digits = 1e-7;
  const double rounding = std::max(std::abs(value - declared) / 10, relative_error * std::abs(value) / 2);
  const auto tells = [&] {
    return out.first != out.second && std::abs(std::stod(out.first) - value) <= rounding;
  };
  for (double error = relative_error / 10; !tells() && error >= seven_digits; error /= 10)
    out.first = number(value, error);
  constexpr int most = 17;  // tell any two apart
  for (int digits = 6; out.first == out.second && digits <= most; ++digits)
    out = {fmt::format("{:.{}g}", value, digits), fmt::format("{:.{}g}", declared, digits)};
  return out;
}

std::string ratio(double value, double relative_error) {
  const std::string rounded = number(value, relative_error);
  if (rounded != "1" || value == 1) return rounded;
  return fmt::format("(1 {} {:.1g})", value > 1 ? '+' : '-', std::abs(value - 1));
}

std::string times(double by, double relative_error) {
  const double inverse = 1 / by, allowed = std::max(relative_error, 1e-12);
  const auto is_whole = [&](double x) {
    return x > 1.5 && x < 1e6 && std::abs(x / std::round(x) - 1) <= 2 * allowed;
  };
  if (is_whole(inverse)) return fmt::format("1/{:g} of", std::round(inverse));
  if (is_whole(by)) return std::round(by) == 2 ? "twice" : fmt::format("{:g} times", std::round(by));
  return ratio(by, relative_error) + " times";
}

namespace {

// Of many of one distance, which are no run: `1, 3, 5, .., 63`.
std::string in_steps(const std::vector<std::size_t>& rising) {
  constexpr std::size_t many = 6;
  if (rising.size() < many || rising[1] == rising[0] + 1) return "";
  for (std::size_t n = 2; n < rising.size(); ++n)
    if (rising[n] - rising[n - 1] != rising[1] - rising[0]) return "";
  return fmt::format("{}, {}, {}, .., {}", rising[0], rising[1], rising[2], rising.back());
}

}  // namespace

std::string numbered(std::string_view what, const std::vector<std::size_t>& rising) {
  if (const std::string steps = in_steps(rising); !steps.empty()) return fmt::format("{}s {}", what, steps);
  std::vector<std::string> runs;
  for (std::size_t n = 0; n < rising.size();) {
    std::size_t end = n + 1;
    while (end < rising.size() && rising[end] == rising[end - 1] + 1) ++end;
    if (end - n < 3) end = n + 1;
    runs.push_back(end - n == 1 ? fmt::format("{}", rising[n])
                                : fmt::format("{} to {}", rising[n], rising[end - 1]));
    n = end;
  }
  std::string out = fmt::format("{}{} ", what, rising.size() == 1 ? "" : "s");
  for (std::size_t n = 0; n < runs.size(); ++n)
    out += (n == 0 ? "" : n + 1 == runs.size() ? " and " : ", ") + runs[n];
  return out;
}

std::string numbered_heads(const std::vector<std::size_t>& rising, std::size_t all, std::size_t own) {
  std::set<std::size_t> again;
  for (const std::size_t head : rising) again.insert(head % own);
  std::size_t alike = 0;
  for (std::size_t head = 0; head < all; ++head) alike += again.contains(head % own) ? 1 : 0;
  if (alike != rising.size() || own >= all) return fmt::format("{} of {}", numbered("head", rising), all);
  return fmt::format("{} of {}", numbered("head", {again.begin(), again.end()}), own);
}

std::string_view axis_name(std::size_t axis, std::size_t axes) {
  constexpr std::array<std::string_view, 4> names = {"time", "row", "column", "token"};
  return names.at(axis + (axes == 2 ? 1 : 0));
}

}  // namespace posproof
