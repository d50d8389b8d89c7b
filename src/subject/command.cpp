#include "subject/command.h"

#include <fmt/format.h>

#include <memory>

#include "core/call.h"
#include "core/draw.h"
#include "core/failure.h"
#include "subject/kinds.h"
#include "subject/protocol.h"

namespace posproof {
namespace {

// A number that the subject's format cannot hold would be rounded on its way in, and the subject blamed for
// it.
void add(frame::Message& message, std::string_view name, const Tensor& values, Dtype dtype) {
  for (const double value : values.data)
    if (!holds(dtype, value))
      throw SubjectError(
          fmt::format("`{}` holds {}, which {} cannot hold exactly", name, value, posproof::name(dtype)));
  message.values(name, values);
}

// A call as protocol.md has it: contents, positions, then what the call knows besides.
frame::Message message(const Encoding& declared, const Call& call, Dtype dtype) {
  const Signature& known = signature(declared);
  frame::Message out;
  for (std::size_t n = 0; n < known.takes.size(); ++n) add(out, known.takes[n].name, call.contents[n], dtype);
  const auto positions = [&out](std::string_view name, const TokenPositions& at, Shape shape) {
    if (at.axes != 1) shape.push_back(at.axes);
    out.positions(name, Positions(at).flat(), shape);
  };
  if (known.positions && known.has(Axis::token)) {
    const std::size_t n = call.positions.size() / call.batch;
    positions("positions", call.positions, known.has(Axis::batch) ? Shape{call.batch, n} : Shape{n});
  } else if (known.positions) {
    positions("queries", call.positions, {call.positions.size()});
    positions("keys", call.keys, {call.keys.size()});
  }
  if (known.length) out.word("length", std::to_string(call.length));
  if (known.role) out.word("role", call.role == Role::query ? "query" : "key");
  if (known.mask) out.mask("mask", call.mask);
  return out;
}

// The declared encoding with the subject's function in the place of its own.
Encoding answered(const Encoding& declared, const std::shared_ptr<SubjectProtocol>& talk) {
  const auto& said = talk->introduction().domain;
  Domain domain = said ? within(*said, positions_of(declared)) : positions_of(declared);
  domain.axes = positions_of(declared).axes;
  return answered_by(with_positions(declared, domain), [declared, talk](const Call& call) {
    const Shape shape = shape_of_answer(declared, call);
    try {
      return talk->ask(message(declared, call, talk->introduction().dtype), signature(declared).call, shape);
    } catch (const Failure& failure) {
      // Nobody has to answer a call without tokens; who does, in the right shape.
      if (count(shape) == 0 && failure.how == Failure::How::raised) throw Discard{};
      throw;
    }
  });
}

std::string described(const Introduction& it) {
  std::string text = it.name;
  if (!it.version.empty()) text += " " + it.version;
  if (!it.conventions.empty()) text += " (" + it.conventions + ")";
  return text;
}

}  // namespace

Subject open_command(const Words& words, const Expected& expected) {
  const auto talk = std::make_shared<SubjectProtocol>(words.rest, split(words.rest), expected);
  const Introduction& it = talk->introduction();

  const Encoding& declared = choose(words.rest, it.kinds, expected);
  return {
      .name = "",
      .description = described(it),
      .encoding = answered(declared, talk),
      .precision = words.precision.value_or(it.precision),
      .containment = talk->containment(),
      .renew = [talk] { talk->renew(); },
  };
}

}  // namespace posproof
