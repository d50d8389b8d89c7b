#include "diagnosis/place_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "attention/reference_attention.h"
#include "catalogue/misreadings.h"
#include "core/call.h"
#include "core/function.h"
#include "diagnosis/as_called.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/circle_forms.h"
#include "diagnosis/made_candidate.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/named_orders.h"
#include "diagnosis/other_values.h"
#include "diagnosis/remembered.h"
#include "diagnosis/rotation_forms.h"
#include "diagnosis/stretch_forms.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

// The same call, encoded by another one.
Effect encoded_by(std::string words, const std::shared_ptr<const Model>& by) {
  return {std::move(words), [by] {
            return [by](const Call& call, std::size_t, std::size_t) {
              return Instead{call, Instead::How::encoded, by};
            };
          }};
}

Effect encoded_by(std::string words, const Encoding& other, const Precision& precision) {
  return encoded_by(std::move(words), std::make_shared<const Model>(model_of(remembering(other), precision)));
}

bool decides_on_shapes(std::string_view parameter) {
  return parameter == "dim" || parameter == "heads" || parameter == "length";
}

// In the kind of the declared encoding, and compared as that is; none where it cannot be made.
std::optional<Encoding> made_like(const Encoding& declared, const Function<Encoding()>& candidate) {
  const auto made = made_candidate(candidate);
  if (!made) return std::nullopt;
  const std::vector<Encoding> kinds = attention::in_every_kind(*made);
  const Encoding* same = attention::same_kind(kinds, declared);
  return same ? std::optional(compared_as(*same, declared)) : std::nullopt;
}

// A list of as many numbers as the declared one has: of each axis, say.
void as_long(const Value& declared, Value& value) {
  const auto* ought = std::get_if<std::vector<double>>(&declared);
  auto* is = std::get_if<std::vector<double>>(&value);
  if (ought != nullptr && is != nullptr && !ought->empty() && !is->empty())
    is->resize(ought->size(), is->back());
}

// With one parameter that has another value of those that claims are searched over.
std::vector<Effect> other_parameters(const EncodingSpec& spec, const Parameters& parameters,
                                     const Encoding& declared, const Precision& precision) {
  std::vector<Effect> out;
  for (const Parameter& parameter : spec.parameters) {
    if (decides_on_shapes(parameter.name)) continue;
    for (Value value : parameter.grid) {
      Parameters other = parameters;
      as_long(*parameters.find(parameter.name), value);
      other.set(parameter.name, value);
      if (other == parameters) continue;
      if (const auto made = made_like(declared, [&] { return spec.make(other); }))
        out.push_back(
            encoded_by(fmt::format("as with --{} {}", parameter.name, text(value)), *made, precision));
    }
  }
  return out;
}

// With one parameter that has another number than those: bases that models have, halves and doubles.
std::vector<Effect> other_numbers(const EncodingSpec& spec, const Parameters& parameters,
                                  const Encoding& declared, const Precision& precision) {
  std::vector<Effect> out;
  for (const Parameters& other : other_settings(spec.parameters, parameters)) {
    const Parameter* changed = nullptr;
    std::size_t several = 0;
    for (const Parameter& parameter : spec.parameters)
      if (*other.find(parameter.name) != *parameters.find(parameter.name)) changed = &parameter, ++several;
    if (several != 1 || !std::holds_alternative<double>(*other.find(changed->name)) ||
        std::ranges::find(changed->grid, *other.find(changed->name)) != changed->grid.end())
      continue;
    if (const auto made = made_like(declared, [&] { return spec.make(other); }))
      out.push_back(encoded_by(
          fmt::format("as with --{} {}", changed->name, text(*other.find(changed->name))), *made, precision));
  }
  return out;
}

// Channels of an answer that stand in each other's place.
std::vector<Effect> other_orders(const Encoding& declared, std::size_t width, const Precision& precision) {
  const bool table = signature(declared).takes.empty();
  std::vector<NamedOrder> all = named_orders(width);
  all.push_back({"each is the next one, the last the first", [=](std::size_t c) { return (c + 1) % width; }});
  all.push_back(
      {"each is the one before, the first the last", [=](std::size_t c) { return (c + width - 1) % width; }});
  std::vector<Effect> out;
  for (const auto& [words, of] : all) {
    const Model right = model_of(declared, precision);
    const auto in_other_order = [of = of](const Tensor& from) {
      Tensor to(from.shape);
      for (std::size_t r = 0; r < from.rows(); ++r)
        for (std::size_t c = 0; c < from.width(); ++c) to.at(r, c) = from.at(r, of(c));
      return to;
    };
    const Model other{
        answered_by(declared, [=](const Call& call) { return in_other_order(answer(declared, call)); }),
        [=](const Call& call, const Tensor&, Position far) {
          return in_other_order(right.error(call, answer(declared, call), far));
        }};
    out.push_back(encoded_by(
        fmt::format("the same after one permutation of {}: {}", table ? "columns" : "channels", words),
        std::make_shared<const Model>(other)));
  }
  return out;
}

std::vector<Effect> other_forms(const Rotary& own, const Rotary& declared, const EncodingSpec& spec,
                                const Parameters& parameters, const Precision& precision) {
  std::vector<Effect> out;
  for (const auto& forms : {rotation_forms(declared), circle_forms(declared),
                            stretch_forms(own, declared, spec, parameters, precision)})
    for (const RotationForm& form : forms) out.push_back(encoded_by(form.words, form.rotation, precision));
  return out;
}

// The encoding's formula, misread.
std::vector<Effect> misread(const EncodingSpec& spec, const Parameters& parameters, const Encoding& declared,
                            const Precision& precision) {
  std::vector<Effect> out;
  for (const auto& [id, family] : catalogue::misreadings()) {
    if (&encoding_named(std::string(id)) != &spec) continue;
    for (const Misreading& one : family->misreadings)
      if (const auto made = made_like(declared, [&] { return one.make(parameters); }))
        out.push_back(encoded_by(std::string(one.what), *made, precision));
  }
  return out;
}

// Channels that are wrong, and how they are called: where all of them rotate by one number of a position,
// those that rotate by that.
struct WrongPart {
  std::vector<std::size_t> columns;
  std::string words;
};

std::optional<WrongPart> wrong_part(const Encoding& declared, const std::vector<std::size_t>& wrong,
                                    std::size_t width) {
  if (wrong.empty()) return std::nullopt;
  const std::size_t axes = positions_of(declared).axes;
  for (std::size_t axis = 0; axes > 1 && axis < axes; ++axis) {
    WrongPart out{{}, fmt::format("of the {}", axis_name(axis, axes))};
    for (const Pair& pair : pairs_of(declared))
      if (pair.axis == axis) out.columns.insert(out.columns.end(), {pair.first, pair.second});
    std::ranges::sort(out.columns);
    if (std::ranges::includes(out.columns, wrong)) return out;
  }
  if (wrong.size() == width) return std::nullopt;
  const char* name = signature(declared).takes.empty() ? "column" : "channel";
  return WrongPart{wrong, fmt::format("{} of {}", numbered(name, wrong), width)};
}

std::vector<Effect> in_part(std::vector<Effect> all, const WrongPart& part) {
  for (Effect& one : all) {
    one.columns = part.columns;
    one.words = part.words + ": " + one.words;
  }
  return all;
}

}  // namespace

std::optional<std::string> place_deviation(const Model& model, const EncodingSpec& spec,
                                           const Parameters& given, const Subject& subject,
                                           const Encoding& declared, const std::vector<Answered>& answered) {
  const Parameters parameters = with(spec, given);  // those that are not given, too, may be others somewhere
  const auto said = [&](const std::vector<Answered>& of, std::vector<Effect> effects) {
    return call_deviation(model, subject, declared, of, {std::move(effects), true});
  };
  if (const auto one = said(answered, {})) return one;
  const auto calls = as_called(subject.takes_positions, declared, answered);
  if (calls)
    if (const auto one = said(*calls, {})) return one;
  std::optional<WrongPart> part;
  if (!signature(declared).has(Axis::key) && !signature(declared).mask && !answered.empty())
    part = wrong_part(declared, wrong_columns(model, declared, answered), answered.front().answer.width());
  if (part) {
    const auto effects = in_part(all_effects(model, subject, declared), *part);
    if (const auto one = said(answered, effects)) return one;
    if (calls)
      if (const auto one = said(*calls, effects)) return one;
  }
  std::vector<Effect> other = other_parameters(spec, parameters, declared, subject.precision);
  if (signature(declared).role)
    for (Effect& one :
         other_forms(as<Rotary>(subject.encoding), as<Rotary>(declared), spec, parameters, subject.precision))
      other.push_back(std::move(one));
  for (Effect& one : misread(spec, parameters, declared, subject.precision)) other.push_back(std::move(one));
  for (Effect& one : other_numbers(spec, parameters, declared, subject.precision))
    other.push_back(std::move(one));
  if (!signature(declared).has(Axis::key) && !answered.empty())
    for (Effect& one : other_orders(declared, answered.front().answer.width(), subject.precision))
      other.push_back(std::move(one));
  if (other.empty()) return std::nullopt;
  // Everywhere, others have been tried.
  const auto one = said(answered, other);
  if (one && std::ranges::find(other, *one, &Effect::words) == other.end()) return one;
  // Where the calls that the program saw are others, none has been tried.
  if (calls)
    if (const auto of_calls = said(*calls, other)) return of_calls;
  return part ? said(answered, in_part(std::move(other), *part)) : std::nullopt;
}

}  // namespace posproof
