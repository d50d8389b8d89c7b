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
  std::optional<Score> operator()(const CheckOf<Score>&) const {
    return positions_of(encoding).axes == 1 ? score(encoding) : std::nullopt;
  }
  std::optional<Attention> operator()(const CheckOf<Attention>&) const {
    return positions_of(encoding).axes == 1 ? std::optional(attention::reference_attention(encoding))
                                            : std::nullopt;
  }

  // Statements about a kind speak of positions of one number.
  template <class Kind>
  std::optional<Kind> own() const {
    const auto* kind = std::get_if<Kind>(&encoding);
    return kind && positions_of(encoding).axes == 1 ? std::optional(*kind) : std::nullopt;
  }
};

}  // namespace

bool applies(const Property& property, const Encoding& encoding) {
  return trial(property, encoding, all_f64).has_value();
}

std::optional<Trial> trial(const Property& property, const Encoding& encoding, Precision precision) {
  for (const Check& check : property.checks) {
    std::optional<Trial> found = std::visit(
        [&]<class Of>(const Of& of_view) -> std::optional<Trial> {
          if constexpr (std::is_same_v<Of, CallCheck>) {
            if (!of_view.applies(encoding)) return std::nullopt;
            return [of_view, encoding, precision](Draw& draw) { return of_view(encoding, precision, draw); };
          } else {
            const auto view = Seen{encoding}(of_view);
            if (!view) return std::nullopt;
            return [of_view, view = *view, precision](Draw& draw) { return of_view(view, precision, draw); };
          }
        },
        check);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace posproof
