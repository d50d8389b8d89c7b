#pragma once
// The gate on subjects within this process, and what it found by the name of a property.
#include <algorithm>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "gate/gate.h"
#include "run/catalogued.h"

namespace posproof::gated {

using Answering = Function<Tensor(const Encoding& right, const Call& call)>;
using Texts = std::vector<std::string>;

// An encoding, its parameters, and how a subject answers for it.
struct Gated {
  std::string encoding, parameters;
  Answering answering = [](const Encoding& right, const Call& call) { return answer(right, call); };
  Function<void(Subject&)> change = [](Subject&) {};

  const EncodingSpec& spec() const { return encoding_named(encoding); }
  Parameters all() const { return with(spec(), Case::parse(parameters)); }

  GateResult with_options(const GateOptions& options) const {
    const Encoding right = spec().make(all());
    const auto opening = [&](const Expected&) {
      Subject subject{"made", "", right, all_f64};
      change(subject);
      subject.encoding = answered_by(subject.encoding, [right = subject.encoding, this](const Call& call) {
        return answering(right, call);
      });
      return subject;
    };
    return gate(encoding, spec(), all(), opening, options);
  }
  GateResult operator()(std::uint64_t cases = 40, const std::string& filter = "") const {
    return with_options({.budget = {.cases = cases}, .filter = filter});
  }
};

inline Tensor all_zero(Tensor out) {
  std::ranges::fill(out.data, 0.0);
  return out;
}

inline const PropertyResult* asking(const GateResult& found, std::string_view id) {
  const auto at = std::ranges::find(found.results, id, &PropertyResult::id);
  return at == found.results.end() ? nullptr : &*at;
}

template <class Kind>
const Kind& verdict(const GateResult& found, std::string_view id) {
  const PropertyResult* one = asking(found, id);
  if (one == nullptr) throw std::logic_error("not asked: " + std::string(id));
  if (const auto* kind = std::get_if<Kind>(&one->verdict)) return *kind;
  throw std::logic_error(std::string(id) + ": " + std::string(name(one->verdict)));
}

inline Texts asked_of(const GateResult& found) {
  Texts ids;
  for (const PropertyResult& one : found.results) ids.push_back(one.id);
  return ids;
}

inline bool has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

inline std::string starting_with(const Texts& texts, std::string_view start) {
  for (const std::string& text : texts)
    if (text.starts_with(start)) return text;
  return "";
}

inline std::string not_holding(const GateResult& found) {
  std::string out;
  for (const PropertyResult& one : found.results)
    if (!std::holds_alternative<Holds>(one.verdict))
      out += one.id + " " + std::string(name(one.verdict)) + "\n";
  for (const std::string& why : found.not_checked) out += why + "\n";
  return out;
}

}  // namespace posproof::gated
