#include "identify/identified.h"

#include <algorithm>

#include "diagnosis/identified_number.h"

namespace posproof {
namespace {

// A word, or a convention of two whole numbers: `shift` is 0 or 1.
bool is_of_words(const Parameter& parameter) {
  if (const auto* whole = std::get_if<type::Whole>(&parameter.type))
    return parameter.convention && whole->hi - whole->lo == 1;
  return std::holds_alternative<type::Word>(parameter.type) ||
         std::holds_alternative<type::Flag>(parameter.type);
}

}  // namespace

bool makes_sense(const EncodingSpec& spec, const Parameters& parameters) {
  try {
    with(spec, parameters);
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

std::vector<Candidate> settings(const std::string& encoding, const EncodingSpec& spec,
                                const Parameters& given, std::size_t most) {
  std::vector<Parameters> all{given};
  for (const Parameter& parameter : spec.parameters) {
    if (!is_of_words(parameter) || given.has(parameter.name)) continue;
    std::vector<Parameters> more;
    for (const Parameters& one : all) {
      Parameters standard = posproof::standard(spec);
      for (const auto& [name, value] : one.fields()) standard.set(name, value);
      const bool matters = parameter.matters_where.met(standard);
      for (const Value& word : parameter.grid) {
        if (!matters && word != parameter.standard) continue;
        more.push_back(one);
        more.back().set(parameter.name, word);
      }
      if (!matters && std::ranges::find(parameter.grid, parameter.standard) == parameter.grid.end())
        more.push_back(one);
    }
    all = std::move(more);
  }
  std::vector<Candidate> out;
  for (Parameters& one : all)
    if (out.size() < most && makes_sense(spec, one)) out.push_back({encoding, std::move(one)});
  return out;
}

int complexity(const EncodingSpec& spec, const Candidate& candidate) {
  int out = 0;
  for (const auto& [name, value] : candidate.parameters.fields()) {
    const Parameter* parameter = spec.parameters.find(name);
    if (parameter == nullptr || text(parameter->standard) == text(value)) continue;
    out += 2;
    if (const auto* number = std::get_if<double>(&value)) out += digits(*number);
    if (const auto* list = std::get_if<std::vector<double>>(&value))
      for (const double number : *list) out += digits(number);
  }
  return out;
}

}  // namespace posproof
