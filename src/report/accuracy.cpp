#include "report/accuracy.h"

#include <fmt/format.h>

#include <cmath>

#include "core/bounded.h"
#include "core/bounds.h"
#include "run/catalogued.h"
#include "subject/words.h"

namespace posproof::report {
namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double all = 100 * static_cast<double>(part) / static_cast<double>(whole);
  // 100 % of what has an exception would be wrong.
  std::string out;
  for (int digits = 3; out.empty() || (out == "100" && part < whole); ++digits)
    out = fmt::format("{:.{}g}", all, digits);
  return out + " %";
}

// A position, or a place of a grid.
std::string position_text(const Accuracy& accuracy, Position position) {
  return accuracy.places ? accuracy.places->text(position) : fmt::format("{}", position);
}

std::string place(const Accuracy& accuracy, const Entry& entry) {
  const auto& [position, column] = entry;
  const std::string_view what = accuracy.of_rotations ? "channel" : "column";
  if (accuracy.keys > 0)
    return fmt::format(
        "query {}, key {}, head {}", position_text(accuracy, position),
        position_text(accuracy, accuracy.first + static_cast<Position>(column % accuracy.keys)),
        column / accuracy.keys);
  if (!accuracy.places) return fmt::format("position {}, {} {}", position, what, column);
  if (accuracy.channels == accuracy.columns || accuracy.channels == 0)
    return fmt::format("{}, {} {}", position_text(accuracy, position), what, column);
  return fmt::format("{}, head {}, {} {}", position_text(accuracy, position), column / accuracy.channels,
                     what, column % accuracy.channels);
}

// Where it is no larger.
AtMost at_most(double error) {
  return std::isfinite(error) ? figures_up(error, 6) : AtMost("infinite, or not a number");
}

std::string size(double error) {
  return std::isfinite(error) ? fmt::format("{:.6g}", error) : "infinite, or not a number";
}

std::string rounded(const Accuracy& accuracy) {
  if (accuracy.wrong == 0) return "all of them are the exact value correctly rounded";
  return fmt::format("{} ({}) are not the exact value correctly rounded", accuracy.wrong,
                     percent(accuracy.wrong, accuracy.entries));
}

std::string largest(const Accuracy& accuracy) {
  const std::string_view from = is_from_rounded(accuracy) ? " from the exact value rounded to f64" : "";
  if (!accuracy.largest_at && !accuracy.of_angles) return fmt::format("{}{}\n", size(accuracy.largest), from);
  if (!accuracy.largest_at) {
    const std::string why =
        accuracy.wrong == 0
            ? bounded("what correct rounding leaves of numbers up to {}", figures_up(accuracy.amplitude, 6))
            : fmt::format("half a unit in the last place of {:.6g}", accuracy.amplitude);
    return bounded("at most {} ({}, rounded up)\n", at_most(accuracy.largest), why);
  }
  std::string out =
      fmt::format("{}{} at {}", size(accuracy.largest), from, place(accuracy, *accuracy.largest_at));
  if (accuracy.of_angles && accuracy.amplitude == 1)
    out += ": an angle of which this is the sine or cosine is off by that many radians at least";
  return out + "\n";
}

std::string bound(const Accuracy& accuracy, const Precision& precision, const Style& style) {
  if (const auto& beyond = accuracy.beyond)
    return fmt::format(
        "{}  {} is the first beyond what rounding in {} allows\n"
        "    off by {}, bound {:.6g}\n    at  {}\n",
        style.paint("REFUTED"), place(accuracy, beyond->at), precision.text(), size(beyond->residual.error),
        beyond->residual.bound, beyond->again.text());
  return bounded("{}  every entry is within what rounding in {} allows, at most {} of it\n",
                 style.paint("HOLDS"), precision.text(), percent_at_most(accuracy.worst.error_over_bound()));
}

std::string table(const Accuracy& accuracy) {
  std::string out =
      fmt::format("  {:>19}  {:>14}  {:>12}  {:>14}\n", accuracy.places ? "largest number" : "positions",
                  "error", "bound", "largest ulp");
  for (const PositionRange& octave : by_octave(accuracy.profile)) {
    const std::string positions = octave.first == octave.last
                                      ? fmt::format("{}", octave.first)
                                      : fmt::format("{} to {}", octave.first, octave.last);
    out += fmt::format(
        "  {:>19}  {:>14}  {:>12}  {:>14}\n", positions,
        is_only_a_bound(accuracy, octave.error) ? "<= " + at_most(octave.error) : size(octave.error),
        size(octave.bound), octave.ulp == 0 ? "correct" : fmt::format("{:.4g}", octave.ulp));
  }
  return out;
}

}  // namespace

bool is_only_a_bound(const Accuracy& accuracy, double error) {
  return accuracy.of_angles && error <= accuracy.rounding;
}

bool is_from_rounded(const Accuracy& accuracy) {
  return accuracy.format == Format::f64 && !accuracy.of_angles;
}

std::string summary(const Accuracy& accuracy, const Precision& precision, const Style& style) {
  std::string out;
  if (accuracy.entries > 0) {
    out += fmt::format(
        "  {} entries {}in {}, {} {} to {}: {}\n", accuracy.entries,
        accuracy.of_rotations ? "of rotations, with each cosine and sine of a pair twice, " : "",
        name(accuracy.format), accuracy.places ? "places" : "positions",
        position_text(accuracy, accuracy.first), position_text(accuracy, accuracy.last), rounded(accuracy));
    if (accuracy.hides_later_keys)
      out += "  keys after the query are not compared: a causal mask hides them\n";
    if (accuracy.wrong > 0)
      out +=
          fmt::format("  largest error  {:.6g} ulp at {}\n", accuracy.ulp, place(accuracy, accuracy.ulp_at));
    out += fmt::format("  largest error  {}  {}", largest(accuracy), bound(accuracy, precision, style));
  }
  if (accuracy.declined > 0)
    out += fmt::format("  {}  {} {} were declined, the first is {}\n", style.paint("NOT CHECKED"),
                       accuracy.declined, accuracy.places ? "places" : "positions",
                       position_text(accuracy, accuracy.first_declined));
  if (accuracy.failed)
    out += fmt::format("  {}  {}\n    at  {}\n", style.paint("REFUTED"), printable(accuracy.failed->instead),
                       accuracy.failed->counterexample.text());
  if (accuracy.errored)
    out += fmt::format("  {}  {}\n    at  {}\n", style.paint("ERRORED"), printable(accuracy.errored->what),
                       accuracy.errored->at.text());
  if (!accuracy.stopped.empty()) out += fmt::format("  {}\n", printable(accuracy.stopped));
  if (accuracy.entries == 0) out += "  nothing was compared\n";
  return out;
}

std::string accuracy(const AccuracyReport& report, const Style& style) {
  const auto& [encoding, parameters, subject, found] = report;
  std::string out = fmt::format("accuracy {}{} of {}\n", encoding,
                                options(encoding_named(encoding), parameters), printable(subject.name));
  out += fmt::format("  {} gives {} in {}\n", printable(subject.description), kind(subject.encoding),
                     subject.precision.text());
  out += contained(subject.containment);
  out += summary(found, subject.precision, style);
  if (found.entries == 0) return out;
  for (const auto& against : found.against)
    out += fmt::format("  against frequencies first rounded to {}: {} are not correctly rounded\n",
                       name(against.frequencies), percent(against.wrong, found.entries));
  return out + table(found);
}

}  // namespace posproof::report
