#include "core/spoiled.h"
#include "core/function.h"

#include <algorithm>
#include <memory>

namespace posproof {
namespace {

// Where an entry is, as every operand of an answer counts: the last axis fastest.
AnswerEntry entry(const Operand& gives, const Shape& shape, std::size_t index) {
  AnswerEntry at;
  for (std::size_t n = shape.size(); n-- > 0; index /= shape[n]) {
    const std::size_t here = index % shape[n];
    switch (gives.axes[n]) {
      case Axis::batch:
        at.batch = here, at.batches = shape[n];
        break;
      case Axis::head:
        at.head = here, at.heads = shape[n];
        break;
      case Axis::token:
      case Axis::query:
        at.token = here, at.tokens = shape[n];
        break;
      case Axis::key:
        at.key = here, at.keys = shape[n];
        break;
      case Axis::channel:
        at.channel = here, at.channels = shape[n];
        break;
    }
  }
  return at;
}

// The first number of a token's position; its row where the call names none.
Position position(const TokenPositions& positions, std::size_t token) {
  if (!positions.whole.empty()) return positions.whole.at(token * positions.axes);
  if (!positions.real.empty()) return static_cast<Position>(positions.real.at(token * positions.axes));
  return static_cast<Position>(token);
}

bool repeated(const AnswerEntry& at, const TokenPositions& positions) {
  const std::size_t first = at.batch * at.tokens;
  for (std::size_t before = 0; before < at.token; ++before)
    if (position(positions, first + before) == at.position) return true;
  return false;
}

}  // namespace

Encoding spoiled(const Encoding& right, const Function<double(const AnswerEntry& at, double exact)>& value) {
  return answered_by(right, [right, value, calls = std::make_shared<std::size_t>(0)](const Call& call) {
    Tensor out = answer(right, call);
    for (std::size_t index = 0; index < out.data.size(); ++index) {
      AnswerEntry at = entry(signature(right).gives, out.shape, index);
      at.position = position(call.positions, at.batch * at.tokens + at.token);
      at.key_position = position(call.keys, at.key);
      at.repeated = repeated(at, call.positions);
      at.role = call.role;
      at.calls = *calls;
      at.call = &call;
      out.data[index] = value(at, out.data[index]);
    }
    ++*calls;
    return out;
  });
}

Encoding last_entry_larger(const Encoding& right, double by) {
  return spoiled(
      right, [by](const AnswerEntry& at, double exact) { return at.is_last() ? exact * (1 + by) : exact; });
}

Encoding first_entry_larger(const Encoding& right, double by) {
  return spoiled(
      right, [by](const AnswerEntry& at, double exact) { return at.is_first() ? exact * (1 + by) : exact; });
}

}  // namespace posproof
