#include "core/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

namespace posproof {
namespace {

struct NamedUnit {
  std::string_view name;
  double unit;
};

constexpr std::array<NamedUnit, 4> formats = {
    {{"f64", unit_f64}, {"f32", unit_f32}, {"bf16", unit_bf16}, {"f16", unit_f16}}};

std::optional<double> unit(std::string_view name) {
  for (const NamedUnit& format : formats)
    if (format.name == name) return format.unit;
  return std::nullopt;
}

std::string name(double unit) {
  for (const NamedUnit& format : formats)
    if (format.unit == unit) return std::string(format.name);
  return fmt::format("a format of unit {}", unit);
}

// Of a result whose angles are not mentioned: nobody forms angles in 16 bits on purpose.
double usual_angle(double result) {
  return std::min(result, unit_f32);
}

}  // namespace

namespace {

// What may follow a plus, and the member that it sets.
struct Stage {
  std::string_view word;
  double Precision::*declared;
  double (Precision::*unit)() const;
  std::string_view of;  // as people say it
};

constexpr std::array<Stage, 3> stages = {
    {{"table", &Precision::declared_table, &Precision::table, "cosine and sine"},
     {"work", &Precision::declared_work, &Precision::work, "products"},
     {"input", &Precision::declared_input, &Precision::input, "contents"}}};

}  // namespace

Precision Precision::parse(std::string_view words) {
  const auto refuse = [&](std::string_view what, std::string_view allowed) -> std::invalid_argument {
    return std::invalid_argument(fmt::format(
        "precision `{}`: `{}` is none of {} "
        "(RESULT[/ANGLE][+table=FORMAT][+work=FORMAT][+input=FORMAT][+iterated], as in `bf16/f32`)",
        words, what, allowed));
  };
  constexpr std::string_view names = "f64, f32, bf16, f16";
  const auto format = [&](std::string_view name) {
    const auto found = unit(name);
    if (!found) throw refuse(name, names);
    return *found;
  };
  const std::string_view formats_of = words.substr(0, words.find('+'));
  const auto slash = formats_of.find('/');
  const double result = format(formats_of.substr(0, slash));
  Precision out{slash == std::string_view::npos ? usual_angle(result) : format(formats_of.substr(slash + 1)),
                result};
  for (std::string_view rest = words.substr(formats_of.size()); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('+', 1)), word = part.substr(1);
    rest.remove_prefix(part.size());
    if (word == "iterated" && out.how == Angles::product) {
      out.how = Angles::iterated;
      continue;
    }
    const auto stage = std::find_if(stages.begin(), stages.end(), [&](const Stage& one) {
      return word.starts_with(one.word) && word.substr(one.word.size()).starts_with('=');
    });
    if (stage == stages.end() || out.*stage->declared != 0)
      throw refuse(part, "+table=, +work=, +input=, +iterated, each once");
    out.*stage->declared = format(word.substr(stage->word.size() + 1));
  }
  // What is usual without saying so need not be said; the table first, on which the work depends. In 16 bits
  // it is kept, and so is the work where no table is said: what is usual there depends on who is judged
  // (subject/subject.cpp).
  for (const Stage& stage : stages) {
    const double said = std::exchange(out.*stage.declared, 0);
    const bool kept =
        result > unit_f32 && out.declared_table == 0 && stage.declared != &Precision::declared_input;
    if (said != 0 && (kept || (out.*stage.unit)() != said)) out.*stage.declared = said;
  }
  return out;
}

std::string Precision::text() const {
  std::string out = name(result);
  if (angle != result || result > unit_f32) out.append(" over ").append(name(angle));
  for (const Stage& stage : stages)
    if (this->*stage.declared != 0) out += fmt::format(", {} in {}", stage.of, name(this->*stage.declared));
  if (how == Angles::iterated) out += ", frequencies iterated";
  return out;
}

std::string Precision::word() const {
  std::string out = name(result);
  if (angle != result || result > unit_f32) out.append("/").append(name(angle));
  for (const Stage& stage : stages)
    if (this->*stage.declared != 0) out += fmt::format("+{}={}", stage.word, name(this->*stage.declared));
  if (how == Angles::iterated) out += "+iterated";
  return out;
}

}  // namespace posproof
