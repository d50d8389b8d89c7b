#include "diagnosis/other_values.h"

#include <algorithm>
#include <cmath>

namespace posproof {
namespace {

bool stays(const Parameter& parameter) {
  return parameter.name == "dim" || parameter.name == "heads" || parameter.name == "length" ||
         parameter.name.ends_with("seed");
}

// Models have bases to a million; of another number that would be no setting but its limit.
std::vector<Value> numbers(double v, bool whole, bool base) {
  std::vector<double> all = {v - 1, v + 1, v - 2, v + 2, 2 * v, v / 2, 0, 1};
  if (!whole)
    for (const double other : {10 * v, v / 10, v * v, std::sqrt(v), 1 / v, 10.0, 100.0}) all.push_back(other);
  if (base)
    for (const double other : {1e3, 1e4, 1e5, 5e5, 1e6}) all.push_back(other);
  std::vector<Value> out;
  for (const double other : all)
    if (std::isfinite(other) && (!whole || other == std::floor(other))) out.emplace_back(other);
  return out;
}

std::vector<Value> orders(const std::vector<double>& list) {
  std::vector<Value> out;
  const auto add = [&out](std::vector<double> other) { out.emplace_back(std::move(other)); };
  add({list.rbegin(), list.rend()});
  for (std::size_t n = 1; n < list.size(); ++n) {
    std::vector<double> swapped = list, rotated = list;
    std::swap(swapped[n - 1], swapped[n]);
    add(std::move(swapped));
    std::rotate(rotated.begin(), rotated.begin() + static_cast<std::ptrdiff_t>(n), rotated.end());
    add(std::move(rotated));
  }
  for (const double factor : {0.5, 2.0}) {
    std::vector<double> scaled = list;
    for (double& one : scaled) one *= factor;
    add(std::move(scaled));
  }
  return out;
}

std::vector<Value> others(const Parameter& parameter, const Value& value) {
  if (const auto* number = std::get_if<double>(&value))
    return numbers(*number, std::holds_alternative<type::Whole>(parameter.type),
                   parameter.name.ends_with("base"));
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return orders(*list);
  return {};
}

bool is_chosen(const Parameter& parameter) {
  return std::holds_alternative<type::Word>(parameter.type) ||
         std::holds_alternative<type::Flag>(parameter.type);
}

}  // namespace

std::vector<Parameters> other_settings(const Schema& schema, const Parameters& given) {
  const Parameters declared = Arguments(schema, given).parameters();
  std::vector<Parameters> out;
  const auto add = [&](Parameters other) {
    if (other != declared && std::ranges::find(out, other) == out.end()) out.push_back(std::move(other));
  };
  std::vector<const Parameter*> chosen, lists;
  for (const Parameter& parameter : schema) {
    const Value* value = declared.find(parameter.name);
    if (value == nullptr || stays(parameter) || !parameter.matters_where.met(declared)) continue;
    if (is_chosen(parameter)) chosen.push_back(&parameter);
    if (std::holds_alternative<type::List>(parameter.type)) lists.push_back(&parameter);
    for (Value& other : others(parameter, *value)) {
      Parameters changed = declared;
      changed.set(parameter.name, std::move(other));
      add(std::move(changed));
    }
  }
  for (std::size_t a = 0; a < lists.size(); ++a)
    for (std::size_t b = a + 1; b < lists.size(); ++b) {
      Parameters exchanged = declared;
      exchanged.set(lists[a]->name, *declared.find(lists[b]->name));
      exchanged.set(lists[b]->name, *declared.find(lists[a]->name));
      add(std::move(exchanged));
    }
  for (std::size_t a = 0; a < chosen.size(); ++a)
    for (std::size_t b = a + 1; b < chosen.size(); ++b)
      for (const Value& one : chosen[a]->grid)
        for (const Value& two : chosen[b]->grid) {
          if (one == *declared.find(chosen[a]->name) || two == *declared.find(chosen[b]->name)) continue;
          Parameters changed = declared;
          changed.set(chosen[a]->name, one);
          changed.set(chosen[b]->name, two);
          add(std::move(changed));
        }
  // A number on which projects disagree may go with a word: PyTorch's cubic filter has another coefficient
  // with antialias than without.
  for (const Parameter* word : chosen)
    for (const Parameter& number : schema) {
      if (!number.convention || !std::holds_alternative<double>(number.standard)) continue;
      for (const Value& one : word->grid)
        for (const Value& two : number.grid) {
          if (one == *declared.find(word->name) || two == *declared.find(number.name)) continue;
          Parameters changed = declared;
          changed.set(word->name, one);
          changed.set(number.name, two);
          if (number.matters_where.met(changed)) add(std::move(changed));
        }
    }
  return out;
}

std::vector<Parameters> shared_numbers(const Schema& schema, const Parameters& given) {
  const Parameters declared = Arguments(schema, given).parameters();
  std::vector<Parameters> out;
  for (const Parameter& parameter : schema) {
    const auto* list = std::get_if<std::vector<double>>(declared.find(parameter.name));
    if (list == nullptr || list->size() < 2 || !parameter.matters_where.met(declared)) continue;
    for (const double one : {list->front(), list->back()}) {
      Parameters shared = declared;
      shared.set(parameter.name, std::vector<double>(list->size(), one));
      out.push_back(std::move(shared));
    }
  }
  return out;
}

std::vector<Parameters> other_orders(const Schema& schema, const Parameters& given) {
  constexpr std::size_t most = 4;
  const Parameters declared = Arguments(schema, given).parameters();
  std::vector<Parameters> out;
  for (const Parameter& parameter : schema) {
    const auto* list = std::get_if<std::vector<double>>(declared.find(parameter.name));
    if (list == nullptr || list->size() > most || parameter.name == "grid" ||
        !parameter.matters_where.met(declared))
      continue;
    std::vector<double> other = *list;
    std::ranges::sort(other);
    do {
      if (other == *list) continue;
      Parameters changed = declared;
      changed.set(parameter.name, other);
      out.push_back(std::move(changed));
    } while (std::ranges::next_permutation(other).found);
  }
  return out;
}

}  // namespace posproof
