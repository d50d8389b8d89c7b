#include "subject/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "subject/conversation.h"

namespace posproof {
namespace {

using Talk = std::shared_ptr<Conversation>;
using Positions = std::span<const Position>;

// The call that answers for each kind of encoding, in the order of the variant.
constexpr std::array<std::string_view, 5> calls = {"rows", "turn", "bias", "logits", "attend"};

// The declared encoding with the subject's function in the place of its own.
struct Ask {
  Talk talk;

  void place(Domain& domain) const {
    const auto& said = talk->introduction().domain;
    if (!said) return;
    const std::vector<Position> hard = std::exchange(domain, *said).hard;
    std::copy_if(hard.begin(), hard.end(), std::back_inserter(domain.hard),
                 [&](Position t) { return t >= domain.lo && t <= domain.hi; });
  }

  // A number that the subject's format cannot hold would be rounded on its way in, and the subject blamed for it.
  void add(frame::Message& message, std::string_view name, const Tensor& values) const {
    const Dtype dtype = talk->introduction().dtype;
    for (const double value : values.data)
      if (!holds(dtype, value))
        throw SubjectError(fmt::format("`{}` holds {}, which {} cannot hold exactly", name, value, posproof::name(dtype)));
    message.values(name, values);
  }

  Encoding operator()(Table table) const {
    place(table.positions);
    table.rows = [talk = talk, dim = table.dim](Positions positions, Position length) {
      frame::Message ask;
      ask.positions("positions", positions, {positions.size()}).word("length", std::to_string(length));
      return talk->ask(std::move(ask), "rows", {positions.size(), dim});
    };
    return table;
  }

  Encoding operator()(Rotary rotary) const {
    place(rotary.positions);
    rotary.turn = [here = *this](const Tensor& x, Positions positions, Role role) {
      frame::Message ask;
      here.add(ask, "x", x);
      ask.positions("positions", positions, {x.shape.at(0), x.shape.at(2)});
      ask.word("role", role == Role::query ? "query" : "key");
      return here.talk->ask(std::move(ask), "turn", x.shape);
    };
    return rotary;
  }

  Encoding operator()(Bias bias) const {
    place(bias.positions);
    bias.bias = [talk = talk, heads = bias.heads](Positions queries, Positions keys) {
      frame::Message ask;
      ask.positions("queries", queries, {queries.size()}).positions("keys", keys, {keys.size()});
      return talk->ask(std::move(ask), "bias", {heads, queries.size(), keys.size()});
    };
    return bias;
  }

  Encoding operator()(Contextual contextual) const {
    place(contextual.positions);
    contextual.logits = [here = *this, heads = contextual.heads](const Tensor& q, const Tensor& k, Positions queries,
                                                                 Positions keys) {
      frame::Message ask;
      here.add(ask, "q", q);
      here.add(ask, "k", k);
      ask.positions("queries", queries, {queries.size()}).positions("keys", keys, {keys.size()});
      return here.talk->ask(std::move(ask), "logits", {heads, queries.size(), keys.size()});
    };
    return contextual;
  }

  Encoding operator()(Attention attention) const {
    attention.attend = [here = *this](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
      frame::Message ask;
      here.add(ask, "q", q);
      here.add(ask, "k", k);
      here.add(ask, "v", v);
      ask.mask("mask", mask);
      return here.talk->ask(std::move(ask), "attend", {q.shape.at(0), v.shape.at(1)});
    };
    return attention;
  }
};

std::string described(const Introduction& it) {
  std::string text = it.name;
  if (!it.version.empty()) text += " " + it.version;
  if (!it.conventions.empty()) text += " (" + it.conventions + ")";
  return text;
}

}  // namespace

Subject open_command(const Words& words, const Expected& expected) {
  const auto talk = std::make_shared<Conversation>(words.rest, split(words.rest), expected);
  const Introduction& it = talk->introduction();

  std::vector<std::string_view> askable;
  for (const Encoding& declared : expected.declared) {
    const std::string_view call = calls[declared.index()];
    if (std::find(it.kinds.begin(), it.kinds.end(), call) != it.kinds.end())
      return {"", described(it), std::visit(Ask{talk}, declared), words.precision.value_or(it.precision)};
    askable.push_back(call);
  }
  throw SubjectError(fmt::format("{}: implements {}; `{}` can be asked as {}", words.rest, fmt::join(it.kinds, ", "),
                                 expected.encoding, fmt::join(askable, ", ")));
}

}  // namespace posproof
