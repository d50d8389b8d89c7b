#include "subject/command.h"

#include <fmt/format.h>

#include <memory>

#include "subject/protocol.h"
#include "subject/kinds.h"

namespace posproof {
namespace {

using Talk = std::shared_ptr<Conversation>;
using Positions = std::span<const Position>;

// The declared encoding with the subject's function in the place of its own.
struct Ask {
  Talk talk;

  Domain positions(const Domain& declared) const {
    const auto& said = talk->introduction().domain;
    return said ? within(*said, declared) : declared;
  }

  // A number that the subject's format cannot hold would be rounded on its way in, and the subject blamed for
  // it.
  void add(frame::Message& message, std::string_view name, const Tensor& values) const {
    const Dtype dtype = talk->introduction().dtype;
    for (const double value : values.data)
      if (!holds(dtype, value))
        throw SubjectError(
            fmt::format("`{}` holds {}, which {} cannot hold exactly", name, value, posproof::name(dtype)));
    message.values(name, values);
  }

  Encoding operator()(Table table) const {
    table.positions = positions(table.positions);
    table.rows = [talk = talk, dim = table.dim](Positions positions, Position length) {
      frame::Message ask;
      ask.positions("positions", positions, {positions.size()}).word("length", std::to_string(length));
      return talk->ask(std::move(ask), "rows", {positions.size(), dim});
    };
    return table;
  }

  Encoding operator()(Rotary rotary) const {
    rotary.positions = positions(rotary.positions);
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
    bias.positions = positions(bias.positions);
    bias.bias = [talk = talk, heads = bias.heads](Positions queries, Positions keys) {
      frame::Message ask;
      ask.positions("queries", queries, {queries.size()}).positions("keys", keys, {keys.size()});
      return talk->ask(std::move(ask), "bias", {heads, queries.size(), keys.size()});
    };
    return bias;
  }

  Encoding operator()(Contextual contextual) const {
    contextual.positions = positions(contextual.positions);
    contextual.logits = [here = *this, heads = contextual.heads](const Tensor& q, const Tensor& k,
                                                                 Positions queries, Positions keys) {
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

  const Encoding& declared = choose(words.rest, it.kinds, expected);
  return {
      .name = "",
      .description = described(it),
      .encoding = std::visit(Ask{talk}, declared),
      .precision = words.precision.value_or(it.precision),
  };
}

}  // namespace posproof
