#include "search/trial.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/view.h"

namespace posproof {
namespace {

// What a check of each view is given, where the encoding has it.
struct Seen {
  Encoding encoding;

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

double largest_norm(const Tensor& rows) {
  double most = 0;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    double squares = 0;
    for (const double x : rows.row(r)) squares += x * x;
    most = std::max(most, squares);
  }
  return std::sqrt(most);
}

// A product of query and key past 65504 is an infinity in f16, whatever an encoding does. Such contents are
// not asked for: |q.k| <= |q| |k|, and half of the range is left to what the encoding adds.
Encoding within_range(const Encoding& encoding, const Precision& precision) {
  if (precision.result != unit_f16 || signature(encoding).takes.size() < 2) return encoding;
  return answered_by(encoding, [encoding](const Call& call) {
    if (largest_norm(call.contents.at(0)) * largest_norm(call.contents.at(1)) > 0x1p15) throw Discard{};
    return answer(encoding, call);
  });
}

// Statements about views speak of positions of one number: of several, on a line along each axis.
template <class Of>
std::optional<Trial> seen(const CheckOf<Of>& of_view, const Encoding& encoding, const Precision& precision) {
  const std::size_t axes = std::max<std::size_t>(1, positions_of(encoding).axes);
  std::vector<Of> views;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    auto view = Seen{axes == 1 ? encoding : on_axis(encoding, axis)}(of_view);
    if (!view) return std::nullopt;
    views.push_back(*std::move(view));
  }
  return [of_view, views, precision](Draw& draw) {
    const auto last = static_cast<std::int64_t>(views.size()) - 1;
    const auto axis = last == 0 ? 0 : static_cast<std::size_t>(draw.integer("axis", 0, last));
    return of_view(views[axis], precision, draw);
  };
}

}  // namespace

bool applies(const Property& property, const Encoding& encoding) {
  return trial(property, encoding, all_f64).has_value();
}

std::optional<Trial> trial(const Property& property, const Encoding& any, Precision precision) {
  const Encoding encoding = within_range(any, precision);
  for (const Check& check : property.checks) {
    std::optional<Trial> found = std::visit(
        [&]<class Of>(const Of& of_view) -> std::optional<Trial> {
          if constexpr (std::is_same_v<Of, CallCheck>) {
            if (!of_view.applies(encoding)) return std::nullopt;
            return [of_view, encoding, precision](Draw& draw) { return of_view(encoding, precision, draw); };
          } else {
            return seen(of_view, encoding, precision);
          }
        },
        check);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace posproof
