#include "search/trial.h"

#include "attention/reference_attention.h"

namespace posproof {
namespace {

// What a check of each view is given, where the encoding has it.
struct Seen {
  const Encoding& encoding;

  std::optional<Table> operator()(const CheckOf<Table>&) const { return own<Table>(); }
  std::optional<Rotary> operator()(const CheckOf<Rotary>&) const { return own<Rotary>(); }
  std::optional<Bias> operator()(const CheckOf<Bias>&) const { return own<Bias>(); }
  std::optional<Contextual> operator()(const CheckOf<Contextual>&) const { return own<Contextual>(); }
  std::optional<Score> operator()(const CheckOf<Score>&) const { return score(encoding); }
  std::optional<Attention> operator()(const CheckOf<Attention>&) const {
    return attention::reference_attention(encoding);
  }

  template <class Kind>
  std::optional<Kind> own() const {
    const auto* kind = std::get_if<Kind>(&encoding);
    return kind ? std::optional(*kind) : std::nullopt;
  }
};

}  // namespace

bool applies(const Property& property, const Encoding& encoding) {
  return trial(property, encoding, all_f64).has_value();
}

std::optional<Trial> trial(const Property& property, const Encoding& encoding, Precision precision) {
  for (const Check& check : property.checks) {
    std::optional<Trial> found = std::visit(
        [&](const auto& of_view) -> std::optional<Trial> {
          const auto view = Seen{encoding}(of_view);
          if (!view) return std::nullopt;
          return [of_view, view = *view, precision](Draw& draw) { return of_view(view, precision, draw); };
        },
        check);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace posproof
