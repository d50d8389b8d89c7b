#include "core/parameter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/asked_and_allowed.h"
#include "core/encoding.h"
#include "core/nearest.h"

namespace posproof {
namespace {

bool same_word(const Value& a, const Value& b) {
  return text(a) == text(b);
}

struct Allows {
  const Value& value;

  bool operator()(const type::Whole& whole) const {
    const auto* x = std::get_if<double>(&value);
    return x != nullptr && *x >= static_cast<double>(whole.lo) && *x <= static_cast<double>(whole.hi) &&
           *x == std::floor(*x);
  }
  bool operator()(const type::Real& real) const {
    const auto* x = std::get_if<double>(&value);
    return x != nullptr && std::isfinite(*x) && (*x > real.lo || (real.from && *x == real.lo));
  }
  bool operator()(const type::Word& word) const {
    const auto* x = std::get_if<std::string>(&value);
    return x != nullptr && std::find(word.words.begin(), word.words.end(), *x) != word.words.end();
  }
  bool operator()(const type::Flag&) const { return same_word(value, "true") || same_word(value, "false"); }
  bool operator()(const type::List& list) const {
    const auto* x = std::get_if<std::vector<double>>(&value);
    return x != nullptr && x->size() <= list.longest &&
           std::all_of(x->begin(), x->end(), [](double one) { return std::isfinite(one); });
  }
};

struct AllowedWords {
  std::string operator()(const type::Whole& whole) const {
    return fmt::format("whole numbers from {} to {}", whole.lo, whole.hi);
  }
  std::string operator()(const type::Real& real) const {
    return fmt::format("finite numbers {} {}", real.from ? "from" : "above", real.lo);
  }
  std::string operator()(const type::Word& word) const {
    return fmt::format("{}", fmt::join(word.words, ", "));
  }
  std::string operator()(const type::Flag&) const { return "true, false"; }
  std::string operator()(const type::List& list) const {
    return fmt::format("lists of up to {} finite numbers", list.longest);
  }
};

// `there are dim, base`, and those that are near the name.
std::string those_with_such_names(const Schema& schema, std::string_view name) {
  std::vector<std::string> out;
  for (const Parameter& parameter : schema) out.emplace_back(parameter.name);
  return fmt::format("there are {}{}", fmt::join(out, ", "), near_it(name, out));
}

// The words of a type that are near a value.
std::string near_words(const Type& type, const Value& value) {
  if (std::holds_alternative<type::Flag>(type)) return near_it(text(value), {"true", "false"});
  const auto* one = std::get_if<type::Word>(&type);
  return one == nullptr ? "" : near_it(text(value), {one->words.begin(), one->words.end()});
}

// `dim=0`
std::string set_to(std::string_view parameter, const Value& value) {
  return fmt::format("`{}={}`", parameter, text(value));
}

void check(const Parameter& parameter, const Value& value) {
  if (!std::visit(Allows{value}, parameter.type))
    throw Refusal(asked_and_allowed(set_to(parameter.name, value), allowed(parameter.type)) +
                  near_words(parameter.type, value));
}

void check(const Relation& relation, const Arguments& setting) {
  if (!relation.where.met(setting.parameters()) || relation.holds(setting)) return;
  std::vector<std::string> values;
  const auto name = [&](std::string_view parameter) {
    values.push_back(fmt::format("{}={}", parameter, text(*setting.parameters().find(parameter))));
  };
  for (const std::string_view parameter : relation.between) name(parameter);
  for (const auto& [parameter, among] : relation.where.all) name(parameter);
  throw Refusal(asked_and_allowed(fmt::format("`{}`", fmt::join(values, " ")), relation.allowed));
}

}  // namespace

bool Condition::met(const Parameters& parameters) const {
  return std::all_of(all.begin(), all.end(), [&](const Among& one) {
    const Value* value = parameters.find(one.parameter);
    return value != nullptr && std::any_of(one.values.begin(), one.values.end(),
                                           [&](const Value& v) { return same_word(v, *value); });
  });
}

std::string Condition::text() const {
  std::vector<std::string> parts;
  for (const Among& one : all) {
    std::vector<std::string> values;
    for (const Value& value : one.values) values.push_back(posproof::text(value));
    parts.push_back(fmt::format("{} is {}", one.parameter, fmt::join(values, " or ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

const Parameter* Schema::find(std::string_view name) const {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Parameter& parameter) { return parameter.name == name; });
  return at == all.end() ? nullptr : &*at;
}

Arguments::Arguments(const Schema& schema, const Parameters& given) : schema_(schema) {
  for (const Parameter& parameter : schema) parameters_.set(parameter.name, parameter.standard);
  for (const auto& [name, value] : given.fields()) {
    const Parameter* parameter = schema.find(name);
    if (parameter == nullptr)
      throw Refusal(fmt::format("there is no parameter `{}={}`; {}", name, text(value),
                                those_with_such_names(schema, name)));
    check(*parameter, value);
    parameters_.set(name, value);
  }
  for (const Relation& relation : schema.relations) check(relation, *this);
}

template <class T>
const Value& Arguments::at(std::string_view name) const {
  const Parameter* parameter = schema_.find(name);
  if (parameter == nullptr || !std::holds_alternative<T>(parameter->type))
    throw std::logic_error(fmt::format("no parameter of the type that is read is called `{}`", name));
  return *parameters_.find(name);
}

std::int64_t Arguments::whole(std::string_view name) const {
  return static_cast<std::int64_t>(std::get<double>(at<type::Whole>(name)));
}

std::size_t Arguments::width(std::string_view name) const {
  return static_cast<std::size_t>(whole(name));
}

double Arguments::real(std::string_view name) const {
  return std::get<double>(at<type::Real>(name));
}

const std::string& Arguments::word(std::string_view name) const {
  return std::get<std::string>(at<type::Word>(name));
}

bool Arguments::is(std::string_view name, std::string_view word) const {
  const std::string& value = this->word(name);
  const auto& words = std::get<type::Word>(schema_.find(name)->type).words;
  if (std::find(words.begin(), words.end(), word) == words.end())
    throw std::logic_error(fmt::format("`{}` is never `{}`", name, word));
  return value == word;
}

bool Arguments::flag(std::string_view name) const {
  return std::get<std::string>(at<type::Flag>(name)) == "true";
}

const std::vector<double>& Arguments::list(std::string_view name) const {
  return std::get<std::vector<double>>(at<type::List>(name));
}

std::string allowed(const Type& type) {
  return std::visit(AllowedWords{}, type);
}

std::string help(const Parameter& parameter) {
  std::vector<std::string> grid;
  for (const Value& value : parameter.grid) grid.push_back(text(value));
  const std::string where = parameter.matters_where.text();
  return fmt::format("{}{}{}{}{} ({}; standard {}; searched: {})", parameter.meaning,
                     parameter.unit.empty() ? "" : ", ", parameter.unit, where.empty() ? "" : "; where ",
                     where, allowed(parameter.type), text(parameter.standard), fmt::join(grid, " "));
}

std::optional<std::string> mistake(const Schema& schema, const Condition& condition) {
  for (const auto& [name, values] : condition.all) {
    const Parameter* parameter = schema.find(name);
    if (parameter == nullptr)
      return fmt::format("there is no parameter `{}`; {}", name, those_with_such_names(schema, name));
    for (const Value& value : values) {
      if (!std::visit(Allows{value}, parameter->type))
        return asked_and_allowed(set_to(name, value), allowed(parameter->type));
      const auto& grid = parameter->grid;
      if (std::none_of(grid.begin(), grid.end(), [&](const Value& one) { return same_word(one, value); }))
        return fmt::format("`{}={}` is not among the values that are searched", name, text(value));
    }
  }
  return std::nullopt;
}

}  // namespace posproof
