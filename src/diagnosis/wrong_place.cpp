#include "diagnosis/wrong_place.h"

#include "attention/reference_attention.h"
#include "diagnosis/located.h"
#include "diagnosis/term_places.h"

namespace posproof {

std::optional<std::string> wrong_place(const EncodingSpec& spec, const Parameters& parameters,
                                       const Subject& subject, const Encoding& declared,
                                       const std::vector<Answered>& answered) {
  const std::vector<Encoding> kinds = attention::in_every_kind(declared);
  const Encoding* truth = attention::same_kind(kinds, subject.encoding);
  if (truth == nullptr) return std::nullopt;
  if (const auto* terms = std::get_if<Contextual>(truth)) {
    const std::vector<Encoding> made = attention::in_every_kind(spec.make(parameters));
    const auto& reference = as<Contextual>(*attention::same_kind(made, subject.encoding));
    const auto& own = as<Contextual>(subject.encoding);
    if (auto pairs = wrong_pairs(own, reference, *terms, subject.precision, answered)) return pairs;
  }
  return located(*truth, subject.precision, answered);
}

}  // namespace posproof
