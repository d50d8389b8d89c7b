#include "diagnosis/calls_apart.h"

#include <algorithm>
#include <utility>

#include "diagnosis/call_fits.h"
#include "diagnosis/call_places.h"

namespace posproof {
namespace {

constexpr std::size_t most_asked = 256;  // tokens, each of them a call

// The answer to each token or query, as it is when nothing else is asked for, in the place of its own in
// `of`.
void put(const Operand& gives, const Tensor& one, Axis along, std::size_t n, Tensor& of) {
  const auto axis = static_cast<std::size_t>(std::ranges::find(gives.axes, along) - gives.axes.begin());
  std::size_t outer = 1, inner = 1;
  for (std::size_t a = 0; a < of.shape.size(); ++a) (a < axis ? outer : inner) *= a == axis ? 1 : of.shape[a];
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i)
      of.data[(o * of.shape[axis] + n) * inner + i] = one.data[o * inner + i];
}

Encoding one_by_one(const Encoding& subject, const Encoding& declared) {
  return answered_by(subject, [subject, declared](const Call& call) {
    const Axis along = signature(declared).along();
    const std::size_t tokens = tokens_of(call);
    if (tokens > most_asked) throw Refusal("too many tokens to ask for each alone");
    Tensor out(shape_of_answer(declared, call));
    for (std::size_t n = 0; n < tokens; ++n) {
      const std::size_t own[] = {n};
      put(signature(declared).gives, answer(subject, take(declared, call, along, own)), along, n, out);
    }
    return out;
  });
}

// One token is asked twice.
Encoding with_others(const Encoding& subject, const Encoding& declared) {
  return answered_by(subject, [subject, declared](const Call& call) {
    if (tokens_of(call) != 1) return answer(subject, call);
    const Axis along = signature(declared).along();
    const std::size_t twice[] = {0, 0}, first[] = {0};
    return take(signature(declared).gives, answer(subject, take(declared, call, along, twice)), along, first);
  });
}

}  // namespace

std::optional<CallsApart> calls_apart(const Model& model, const Subject& subject, const Encoding& declared,
                                      const std::vector<Answered>& answered) {
  constexpr std::size_t several = 8;  // calls: of fewer all may be right by chance
  const Signature& is = signature(declared);
  if (is.mask) return std::nullopt;
  const Explained alone = explained(model, declared, answered);
  std::vector<bool> wrong(answered.size());
  for (std::size_t n = 0; n < alone.rows.size(); ++n)
    if (!alone.right[n]) wrong[alone.rows[n].item] = true;
  const bool singles = [&] {
    const auto first = std::ranges::find(wrong, true);
    return first != wrong.end() &&
           tokens_of(answered[static_cast<std::size_t>(first - wrong.begin())].call) == 1;
  }();
  std::vector<Answered> own;
  std::size_t others = 0;
  for (std::size_t n = 0; n < answered.size(); ++n) {
    const std::size_t tokens = tokens_of(answered[n].call);
    if (tokens == 0) continue;
    if ((tokens == 1) == singles) {
      own.push_back(answered[n]);
    } else {
      if (wrong[n]) return std::nullopt;
      ++others;
    }
  }
  if (own.size() < several || others < several) return std::nullopt;
  Subject apart = subject;
  apart.encoding = singles ? one_by_one(subject.encoding, declared) : with_others(subject.encoding, declared);
  const auto places = known_places(is.has(Axis::batch), is.has(Axis::token));
  return CallsApart{places.at(singles ? 1 : 2).words, std::move(apart), std::move(own)};
}

}  // namespace posproof
