#include "report/named.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "gate/backward.h"
#include "gate/history.h"
#include "report/glossary.h"
#include "report/printed_words.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::report {
namespace {

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name.substr(std::min(name.find_first_not_of('-'), name.size())))
    out += c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <class T>
std::shared_ptr<const T> catalogued(const T* value) {
  return {value, [](const T*) {}};
}

// Those that are made for each subject are in no catalogue, but in the results of a gate.
std::vector<Entry<Property>> properties() {
  const EncodingSpec& spec = encoding_named("none");
  const Encoding any = spec.oracle({});
  std::vector<Entry<Property>> out = {
      {std::string(agreement_id), std::make_shared<const Property>(agreement(any))},
      {std::string(backward_id), std::make_shared<const Property>(backward_agreement(Rotary{}))},
      {std::string(history_id), std::make_shared<const Property>(history(any, {}))}};
  for (const auto& [id, value] : catalogue::properties()) out.push_back({std::string(id), catalogued(value)});
  return out;
}

std::vector<Entry<Defect>> defects() {
  std::vector<Entry<Defect>> out;
  for (const auto& [family, all] : catalogue::defects())
    for (const Defect& defect : all->defects)
      out.push_back({fmt::format("{}/{}", family, defect.name), catalogued(&defect)});
  return out;
}

// The parameters, those of one name and one help together, in the order of the catalogue.
std::vector<NamedParameter> parameters() {
  std::vector<NamedParameter> out;
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& parameter : spec->parameters) {
      const auto same = std::find_if(out.begin(), out.end(), [&](const NamedParameter& one) {
        return one.parameter->name == parameter.name && help(*one.parameter) == help(parameter);
      });
      if (same == out.end())
        out.push_back({&parameter, {std::string(id)}});
      else
        same->encodings.emplace_back(id);
    }
  return out;
}

std::vector<std::string> names_of(const Parameter& parameter) {
  std::vector<std::string> out = {std::string(parameter.name)};
  if (const auto* one = std::get_if<type::Word>(&parameter.type))
    for (const std::string_view word : one->words) {
      out.emplace_back(word);
      out.push_back(fmt::format("{}={}", parameter.name, word));
    }
  return out;
}

Meaning meaning_of(const Term& term) {
  return {{term.names.begin(), term.names.end()}, std::string(term.definition), std::string(term.used_in)};
}

// `depends on the offset alone`: which encodings declare it, and what follows.
std::vector<Meaning> facts() {
  std::vector<const Fact*> order;
  std::map<const Fact*, std::vector<std::string>> having;
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Declared& declared : spec->facts) {
      if (having[declared.fact].empty()) order.push_back(declared.fact);
      having[declared.fact].emplace_back(id);
    }
  std::vector<Meaning> out;
  for (const Fact* fact : order) {
    std::vector<std::string> claims;
    for (const Claim& claim : fact->claims)
      claims.push_back(fmt::format("{} {}", claim.holds ? "holds" : "fails", id_of(*claim.property)));
    out.push_back(
        {{std::string(fact->name)},
         fmt::format(
             "A fact that encodings declare: {}. What follows where it can be asked, unless the encoding withdraws it or claims the contrary: {}.",
             fmt::join(having[fact], ", "), fmt::join(claims, ", ")),
         "explain, matrix"});
  }
  return out;
}

std::vector<Meaning> meanings() {
  std::vector<Meaning> out;
  for (const Term& term : glossary()) out.push_back(meaning_of(term));
  for (const Term& term : printed_words()) out.push_back(meaning_of(term));
  for (Meaning& fact : facts()) out.push_back(std::move(fact));
  return out;
}

std::vector<Meaning> precisions(std::string_view name) {
  const std::string_view words = name.substr(name.starts_with('@') ? 1 : 0);
  try {
    const Precision precision = Precision::parse(words);
    return {
        {{std::string(words)},
         fmt::format(
             "A precision: {}. Unit roundoffs: angles {:.6g}, cosines and sines (of a bias: slopes) {:.6g}, "
             "products {:.6g}, result {:.6g}, contents {:.6g}.",
             precision.text(), precision.angle, precision.table(), precision.work(), precision.result,
             precision.input()),
         "@PRECISION behind a subject"}};
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return plain(a) == plain(b);
}

std::vector<Named> everything_called(std::string_view name) {
  std::vector<Named> out;
  const auto add = [&](auto entries, const auto& names) {
    for (auto& entry : entries) {
      const std::vector<std::string> all = names(entry);
      if (std::any_of(all.begin(), all.end(), [&](const std::string& one) { return same_name(one, name); }))
        out.emplace_back(std::move(entry));
    }
  };
  const auto by_id = [](const auto& entry) { return std::vector<std::string>{entry.id}; };
  add(properties(), by_id);
  for (const auto& [id, value] : catalogue::encodings())
    if (same_name(id, name)) out.emplace_back(Entry<EncodingSpec>{std::string(id), catalogued(value)});
  for (const auto& [id, value] : catalogue::identities())
    if (same_name(id, name)) out.emplace_back(Entry<Identity>{std::string(id), catalogued(value)});
  for (const auto& [id, value] : catalogue::experiments())
    if (same_name(id, name)) out.emplace_back(Entry<Experiment>{std::string(id), catalogued(value)});
  add(defects(), by_id);
  add(meanings(), [](const Meaning& one) {
    std::vector<std::string> names = one.names;
    names.push_back(fmt::format("{}", fmt::join(one.names, ", ")));  // as the page has them in its heading
    return names;
  });
  add(parameters(), [](const NamedParameter& one) { return names_of(*one.parameter); });
  for (Meaning& one : precisions(name)) out.emplace_back(std::move(one));
  return out;
}

std::vector<std::string> all_names() {
  std::set<std::string> seen;
  std::vector<std::string> out;
  const auto add = [&](std::string name) {
    if (seen.insert(name).second) out.push_back(std::move(name));
  };
  for (const auto& entry : properties()) add(entry.id);
  for (const auto& [id, value] : catalogue::encodings()) add(std::string(id));
  for (const auto& [id, value] : catalogue::identities()) add(std::string(id));
  for (const auto& [id, value] : catalogue::experiments()) add(std::string(id));
  for (const auto& entry : defects()) add(entry.id);
  for (const Meaning& one : meanings())
    for (const std::string& name : one.names) add(name);
  for (const NamedParameter& one : parameters())
    for (const std::string& name : names_of(*one.parameter)) add(name);
  return out;
}

}  // namespace posproof::report
