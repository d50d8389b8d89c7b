#include "subject/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "core/call.h"
#include "core/draw.h"
#include "core/failure.h"
#include "subject/arrays.h"
#include "subject/kinds.h"
#include "subject/not_asked.h"
#include "subject/protocol.h"

namespace posproof {
namespace {

// A number that the subject's format cannot hold would be rounded on its way in, and the subject blamed for
// it.
void add(frame::Message& message, std::string_view name, const Tensor& values, Dtype dtype) {
  if (const auto value = first_not_held(dtype, values.data))
    throw SubjectError(
        fmt::format("`{}` holds {}, which {} cannot hold exactly", name, *value, posproof::name(dtype)));
  message.values(name, values);
}

bool holds_exactly(std::string_view dtype, const TokenPositions& positions) {
  const Position most = dtype == "float32"   ? Position{1} << 24
                        : dtype == "int32"   ? (Position{1} << 31) - 1
                        : dtype == "float64" ? Position{1} << 53
                                             : std::numeric_limits<Position>::max();
  return std::all_of(positions.whole.begin(), positions.whole.end(),
                     [most](Position t) { return t >= -most && t <= most; });
}

// The dtype of the positions, of those that the subject declares and that hold them.
void vary_positions(frame::Message& message, const Call& call, const Shape& shape,
                    const std::vector<std::string>& dtypes) {
  const std::uint64_t number = number_of(call, shape);
  std::vector<std::string_view> exact;
  for (const std::string& one : dtypes)
    if (holds_exactly(one, call.positions) && holds_exactly(one, call.keys)) exact.push_back(one);
  if (exact.empty()) return;
  const std::string_view chosen = exact[number / 4 % exact.size()];
  if (chosen != "int64") message.word("positions", chosen);
}

std::vector<double> as_real(const TokenPositions& at) {
  return at.real.empty() ? std::vector<double>(at.whole.begin(), at.whole.end()) : at.real;
}

// The same where all of them are whole.
TokenPositions as_whole(TokenPositions at) {
  for (const double t : at.real) {
    if (t != std::floor(t))
      throw Refusal(fmt::format("position {} is no whole number, and the subject takes these alone", t));
    at.whole.push_back(static_cast<Position>(t));
  }
  at.real.clear();
  return at;
}

// A call as protocol.md has it: contents, positions, then what the call knows besides. Of real positions
// whole ones are real, too: code that takes a float takes no integer.
frame::Message message(const Encoding& declared, const Call& call, Dtype dtype, bool real) {
  const Signature& known = signature(declared);
  frame::Message out;
  for (std::size_t n = 0; n < known.takes.size(); ++n) add(out, known.takes[n].name, call.contents[n], dtype);
  const auto positions = [&out, real](std::string_view name, const TokenPositions& at, Shape shape) {
    if (at.axes != 1) shape.push_back(at.axes);
    if (real)
      add(out, name, Tensor(shape, as_real(at)), Dtype::F64);
    else
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

std::size_t most_copies(const TokenPositions& at) {
  std::map<Position, std::size_t> copies;
  std::size_t most = 0;
  for (const Position t : at.whole) most = std::max(most, ++copies[t]);
  return most;
}

// A function that takes whole sequences has one token at each position: logits of queries and keys whose
// positions repeat take a call of it for each pair of copies. Behind left padding of 128 tokens on both sides
// that are 16384 calls for one question; a few show as much.
bool takes_too_many_calls(const Encoding& declared, const Call& call, std::string_view takes_positions) {
  constexpr std::size_t most = 64;
  return takes_positions == "sequence" && gives_logits_of_contents(signature(declared)) &&
         most_copies(call.positions) * most_copies(call.keys) > most;
}

// Queries of one sequence and keys of another.
bool is_across(const Encoding& declared, const Call& call) {
  return signature(declared).mask && call.contents[0].rows() != call.contents[1].rows();
}

// The arrays lie as `arrays` says. Nobody has to take any that are not contiguous: an error says so aloud,
// and they are given as they usually lie. A wrong number there is wrong.
Tensor asked_with(std::string_view arrays, SubjectProtocol& talk, const frame::Message& plain,
                  std::string_view name, const Shape& shape) {
  if (arrays.empty()) return talk.ask(plain, {}, name, shape);
  try {
    return talk.ask(plain, {{"arrays", std::string(arrays)}}, name, shape);
  } catch (const Failure& failure) {
    if (failure.how != Failure::How::raised) throw;
    return talk.ask(plain, {}, name, shape);
  }
}

bool gives_real_positions(const Encoding& declared, const Introduction& it) {
  return positions_of(declared).real && !it.whole_positions;
}

Tensor asked(SubjectProtocol& talk, const Encoding& declared, const Call& drawn, bool backward) {
  if (takes_too_many_calls(declared, drawn, talk.introduction().takes_positions)) throw Discard{};
  const bool real = gives_real_positions(declared, talk.introduction());
  Call call = drawn;
  if (!real) call.positions = as_whole(std::move(call.positions)), call.keys = as_whole(std::move(call.keys));
  const Shape shape = shape_of_answer(declared, call);
  frame::Message plain = message(declared, call, talk.introduction().dtype, real);
  if (!real) vary_positions(plain, call, shape, talk.introduction().positions);
  if (backward) plain.word("backward", "yes");
  try {
    return asked_with(arrays_of(call, shape), talk, plain, signature(declared).call, shape);
  } catch (const Failure& failure) {
    if (failure.how != Failure::How::raised) throw;
    // Nobody has to answer a call without tokens; who does, in the right shape.
    if (count(shape) == 0) throw Discard{};
    // Nor attend from one sequence to another: most code is self-attention.
    if (is_across(declared, call))
      throw Inapplicable{"it takes as many queries as keys: with other numbers of them it raises an error"};
    throw;
  }
}

// The extents of the grid whose tokens, all of them, are a whole sequence of the subject, where the encoding
// itself has no use for them and its axes end nowhere; else none.
std::vector<double> grid_of(const Introduction& it, const Expected& expected, const Domain& declared) {
  const bool whole = it.takes_positions == "sequence" && declared.last_on_axis.empty();
  const Value* const given = whole ? expected.parameters.find("grid") : nullptr;
  const auto* const grid = given == nullptr ? nullptr : std::get_if<std::vector<double>>(given);
  return grid == nullptr || grid->size() != declared.axes ? std::vector<double>{} : *grid;
}

// The declared encoding with the subject's function in the place of its own, or with its backward pass.
Encoding answered(const Encoding& declared, const std::shared_ptr<SubjectProtocol>& talk,
                  const Expected& expected, bool backward = false) {
  const auto& said = talk->introduction().domain;
  Domain domain = said ? within(*said, positions_of(declared)) : positions_of(declared);
  domain.axes = positions_of(declared).axes;
  domain.class_token = positions_of(declared).class_token;
  domain.last_on_axis.clear();
  const std::vector<double> grid = grid_of(talk->introduction(), expected, positions_of(declared));
  for (std::size_t axis = 0; domain.axes > 1 && axis < domain.axes; ++axis) {
    const Position last = std::min(domain.hi, positions_of(declared).last(axis));
    domain.last_on_axis.push_back(grid.empty() ? last
                                               : std::min(last, static_cast<Position>(grid[axis]) - 1));
  }
  domain.real = gives_real_positions(declared, talk->introduction());
  return answered_by(with_positions(declared, domain), [declared, talk, backward](const Call& call) {
    return asked(*talk, declared, call, backward);
  });
}

std::vector<std::string> never_asked(const Encoding& declared, const Introduction& it) {
  std::vector<std::string> out = not_asked(declared, it.takes_positions);
  if (positions_of(declared).real && it.whole_positions)
    out.push_back("positions between whole numbers: not asked, the subject takes whole ones");
  return out;
}

std::string description_of(const Introduction& it) {
  std::string text = it.name;
  if (!it.version.empty()) text += " " + it.version;
  if (!it.conventions.empty()) text += " (" + it.conventions + ")";
  return text;
}

}  // namespace

Subject open_command(const Words& words, std::vector<std::string> argv, const Expected& expected) {
  const auto talk = std::make_shared<SubjectProtocol>(words.rest, std::move(argv), expected);
  const Introduction& it = talk->introduction();

  const Encoding& declared = choose(words.rest, it.kinds, expected);
  return {
      .name = "",
      .description = description_of(it),
      .encoding = answered(declared, talk, expected),
      .precision = words.precision.value_or(it.precision),
      .containment = talk->containment(),
      .renew = [talk] { talk->renew(); },
      .takes_positions = it.takes_positions,
      .own_heads = it.heads,
      .not_asked = never_asked(declared, it),
      .backward = it.backward && signature(declared).role
                      ? std::optional(answered(declared, talk, expected, true))
                      : std::nullopt,
  };
}

}  // namespace posproof
