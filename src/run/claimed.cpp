#include "run/claimed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>

#include "catalogue/properties.h"
#include "run/catalogued.h"
#include "run/drawn_names.h"
#include "search/trial.h"

namespace posproof {
namespace {

Condition both(Condition a, const Condition& b) {
  a.all.insert(a.all.end(), b.all.begin(), b.all.end());
  return a;
}

bool is_witnessed(const Claim& claim) {
  return claim.holds || !claim.witness.empty();
}

// What follows from the declared facts where it can be asked, failures without a witness among them.
std::vector<Claim> following(const EncodingSpec& spec, const Encoding& encoding) {
  static const Fact is_an_encoding{.name = "is an encoding", .claims = {}};
  std::vector<Claim> out;
  for (const auto& [id, property] : catalogue::properties())
    if (property->universal && applies(*property, encoding)) {
      out.push_back(holds(*property));
      out.back().follows_from = &is_an_encoding;
      for (const EncodingSpec::Only& only : spec.only)
        if (only.property == property) out.back().when = only.where;
    }
  for (const auto& [fact, where, except, because] : spec.facts)
    for (Claim claim : fact->claims) {
      if (std::find(except.begin(), except.end(), claim.property) != except.end()) continue;
      if (!applies(*claim.property, encoding)) continue;
      claim.follows_from = fact;
      // A failure is of one setting: `mistakes` looks whether the fact is declared there.
      if (claim.holds) claim.when = both(std::move(claim.when), where);
      out.push_back(std::move(claim));
    }
  return out;
}

// Why a claim cannot be meant; empty where it can.
std::string mistake_of(const Claim& claim, const EncodingSpec& spec, const Encoding& encoding) {
  if (!applies(*claim.property, encoding)) return cannot_be_asked(*claim.property, encoding);
  if (const auto wrong = mistake(spec.parameters, claim.when)) return *wrong;
  if (claim.holds) return "";
  try {
    const Arguments setting(spec.parameters, split(spec, Case::parse(claim.witness)).first);
    Condition where = claim.when;
    for (const Declared& declared : spec.facts)
      if (declared.fact == claim.follows_from) where = both(std::move(where), declared.where);
    if (!where.met(setting.parameters()))
      return fmt::format("the witness `{}` lies outside its condition: {}", claim.witness, where.text());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::vector<Claim> derived_claims(const EncodingSpec& spec) {
  const std::vector<Claim> follow = following(spec, spec.make({}));
  std::vector<Claim> out;
  std::copy_if(follow.begin(), follow.end(), std::back_inserter(out), is_witnessed);
  for (Claim witness : spec.witnesses) {
    const auto claim = std::find_if(follow.begin(), follow.end(), [&](const Claim& one) {
      return !is_witnessed(one) && one.property == witness.property;
    });
    if (claim != follow.end()) witness.follows_from = claim->follows_from;
    out.push_back(std::move(witness));
  }
  out.insert(out.end(), spec.claims.begin(), spec.claims.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const Claim& a, const Claim& b) { return a.holds && !b.holds; });
  return out;
}

}  // namespace

std::pair<Parameters, Case> split(const EncodingSpec& spec, const Case& recorded) {
  std::pair<Parameters, Case> out;
  for (const auto& [name, value] : recorded.fields())
    (spec.parameters.find(name) != nullptr ? out.first : out.second).set(name, value);
  return out;
}

std::string cannot_be_asked(const Property& property, const Encoding& encoding) {
  return fmt::format("{} cannot be asked of a {} encoding", id_of(property), kind(encoding));
}

std::vector<std::string> mistakes(std::string_view id, const EncodingSpec& spec) {
  std::vector<std::string> out;
  const auto add = [&](const Claim& claim, std::string_view why) {
    out.push_back(fmt::format("encoding {}: {} {}: {}", id, claim.holds ? "holds" : "fails",
                              id_of(*claim.property), why));
  };
  for (const Declared& declared : spec.facts)
    if (const auto wrong = mistake(spec.parameters, declared.where))
      out.push_back(fmt::format("encoding {}: {}: {}", id, declared.fact->name, *wrong));
  if (!out.empty()) return out;

  const Encoding encoding = spec.make({});
  for (const Parameter& parameter : spec.parameters)
    if (is_drawn(parameter.name, encoding))
      out.push_back(
          fmt::format("encoding {}: parameter `{}`: properties draw under that name, and a case holds both",
                      id, parameter.name));
  const std::vector<Claim> all = derived_claims(spec);
  for (const Claim& claim : all)
    if (const std::string why = mistake_of(claim, spec, encoding); !why.empty()) add(claim, why);

  const std::vector<Claim> follow = following(spec, encoding);
  const auto fails_at = [](const Claim& claim, const Property* property) {
    return !claim.holds && !claim.witness.empty() && claim.property == property;
  };
  for (const Claim& claim : follow) {
    const auto shows = [&](const Claim& one) { return fails_at(one, claim.property); };
    if (!is_witnessed(claim) && std::none_of(all.begin(), all.end(), shows))
      add(claim, fmt::format("follows from `{}`, and there is no witness", claim.follows_from->name));
  }
  for (const Claim& witness : spec.witnesses) {
    const bool wanted = std::any_of(follow.begin(), follow.end(), [&](const Claim& claim) {
      return !is_witnessed(claim) && claim.property == witness.property;
    });
    if (!wanted) add(witness, "a witness of what follows from no fact");
  }
  for (const Claim& own : spec.claims)
    for (const Claim& claim : follow)
      if (claim.property == own.property && claim.holds == own.holds &&
          claim.when.text() == own.when.text() && is_witnessed(claim))
        add(own, fmt::format("follows from `{}`, and is claimed again", claim.follows_from->name));
  return out;
}

const std::vector<Claim>& claims_of(const EncodingSpec& spec) {
  static std::mutex mutex;
  static std::map<const EncodingSpec*, std::vector<Claim>> made;
  const std::lock_guard lock(mutex);
  if (const auto found = made.find(&spec); found != made.end()) return found->second;
  const auto wrong = mistakes(id_of(spec), spec);
  if (!wrong.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(wrong, "\n")));
  return made.emplace(&spec, derived_claims(spec)).first->second;
}

}  // namespace posproof
