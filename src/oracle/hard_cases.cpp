#include "oracle/hard_cases.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

#include "core/asked_and_allowed.h"

namespace posproof::oracle {
namespace {

constexpr std::int64_t farthest = std::int64_t{1} << 40;
constexpr std::int64_t most_frequencies = std::int64_t{1} << 20;

std::string_view trimmed(std::string_view words) {
  const auto first = words.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return words.substr(first, words.find_last_not_of(" \t\r") - first + 1);
}

// One line, and what it is refused with.
class Line {
 public:
  Line(std::string_view file, std::size_t number, std::string_view words)
      : file_(file), number_(number), words_(words) {}

  [[noreturn]] void refuse(std::string_view why) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}", file_, number_, why));
  }

  Case parse(std::string_view words) const {
    try {
      return Case::parse(words);
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }

  std::int64_t whole(const Case& at, std::string_view name, std::int64_t lo, std::int64_t hi) const {
    const Value* value = at.find(name);
    const double* number = value == nullptr ? nullptr : std::get_if<double>(value);
    if (number == nullptr || *number != std::floor(*number) || *number < static_cast<double>(lo) ||
        *number > static_cast<double>(hi))
      refuse(asked_and_allowed(came(name, value), fmt::format("whole numbers from {} to {}", lo, hi)));
    return static_cast<std::int64_t>(*number);
  }

  const std::string& word(const Case& at, std::string_view name,
                          std::initializer_list<std::string_view> words) const {
    const Value* value = at.find(name);
    const auto* one = value == nullptr ? nullptr : std::get_if<std::string>(value);
    std::string allowed;
    for (const std::string_view each : words) {
      if (one != nullptr && *one == each) return *one;
      allowed += (allowed.empty() ? "" : ", ") + std::string(each);
    }
    refuse(asked_and_allowed(came(name, value), allowed));
  }

  HardCase hard_case() const {
    const auto mark = words_.find('#');
    if (mark == std::string_view::npos)
      refuse("a case is followed by ` # `, its distance, `ulp` or `rad`, and how it was found");
    const Case at = parse(words_.substr(0, mark));
    const bool rotations = at.has("quarters");
    HardCase out{whole(at, "t", 1, farthest),
                 static_cast<std::size_t>(whole(at, "i", 0, most_frequencies)),
                 {},
                 0,
                 {}};
    if (rotations)
      out.near = NearQuarterTurns{whole(at, "quarters", 1, farthest)};
    else
      out.near = NearBoundary{word(at, "entry", {"sine", "cosine"}) == "cosine",
                              *format(word(at, "format", {"f64", "f32", "bf16", "f16"}))};
    for (const Case::Field& field : at.fields())
      if (field.name != "t" && field.name != "i" &&
          !(rotations ? field.name == "quarters" : field.name == "entry" || field.name == "format"))
        refuse(asked_and_allowed(fmt::format("`{}` says nothing here", field.name),
                                 "t, i, and either quarters or entry and format"));
    note(trimmed(words_.substr(mark + 1)), rotations ? "rad" : "ulp", out);
    return out;
  }

 private:
  static std::string came(std::string_view name, const Value* value) {
    return value == nullptr ? fmt::format("`{}` is missing", name)
                            : fmt::format("`{}={}`", name, posproof::text(*value));
  }

  // `1.026e-10 ulp, every entry below 2^24: 1st`
  void note(std::string_view words, std::string_view unit, HardCase& out) const {
    const auto comma = words.find(", ");
    const std::string_view measured = words.substr(0, comma);
    const auto [end, error] =
        std::from_chars(measured.data(), measured.data() + measured.size(), out.distance);
    const std::string_view rest(end, static_cast<std::size_t>(measured.data() + measured.size() - end));
    if (error != std::errc{} || !(out.distance >= 0 && out.distance < 1) || trimmed(rest) != unit)
      refuse(asked_and_allowed(fmt::format("`{}` is no distance", measured),
                               fmt::format("numbers from 0 to 1 and `{}`", unit)));
    if (comma == std::string_view::npos || trimmed(words.substr(comma + 1)).empty())
      refuse(fmt::format("`{}`: a comma and how it was found are missing", words));
    out.found = trimmed(words.substr(comma + 1));
  }

  std::string_view file_;
  std::size_t number_;
  std::string_view words_;
};

}  // namespace

std::string distance_text(double distance) {
  return fmt::format("{:.3e}", distance);
}

std::string worst_text(Format format, double distance) {
  return fmt::format("{:<4}  2^{:.1f} ulp, {} bits", name(format), std::log2(distance),
                     shape(format).digits + static_cast<int>(std::ceil(-std::log2(distance))));
}

std::string text(const HardCase& one) {
  Case at;
  at.set("t", static_cast<double>(one.t));
  at.set("i", static_cast<double>(one.frequency));
  const auto* boundary = std::get_if<NearBoundary>(&one.near);
  if (boundary != nullptr) {
    at.set("entry", boundary->cosine ? "cosine" : "sine");
    at.set("format", std::string(name(boundary->format)));
  } else {
    at.set("quarters", static_cast<double>(std::get<NearQuarterTurns>(one.near).quarters));
  }
  return fmt::format("{} # {} {}, {}", at.text(), distance_text(one.distance),
                     boundary != nullptr ? "ulp" : "rad", one.found);
}

std::string text(const HardCases& all) {
  std::string out = fmt::format("encoding={} {}\n", all.encoding, all.parameters.text());
  for (const HardCase& one : all.cases) out += text(one) + "\n";
  return out;
}

HardCases hard_cases(std::string_view file, std::string_view contents) {
  HardCases out;
  std::size_t number = 0;
  while (!contents.empty()) {
    const auto end = std::min(contents.find('\n'), contents.size());
    const std::string_view words = trimmed(contents.substr(0, end));
    contents.remove_prefix(std::min(end + 1, contents.size()));
    const Line line(file, ++number, words);
    if (words.empty() || words.front() == '#') continue;
    if (!out.encoding.empty()) {
      out.cases.push_back(line.hard_case());
      continue;
    }
    const Case ladder = line.parse(words);
    out.encoding = line.word(ladder, "encoding", {"rope", "sinusoidal"});
    for (const Case::Field& field : ladder.fields())
      if (field.name != "encoding") out.parameters.set(field.name, field.value);
  }
  if (out.encoding.empty())
    throw std::invalid_argument(
        fmt::format("{}: no line names the ladder, like `encoding=rope dim=64 base=10000`", file));
  return out;
}

}  // namespace posproof::oracle
