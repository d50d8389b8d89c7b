#include "subject/command.h"

#include <fmt/format.h>

#include <memory>

#include "subject/kinds.h"
#include "subject/protocol.h"

namespace posproof {
namespace {

using Talk = std::shared_ptr<SubjectProtocol>;
using Positions = std::span<const Position>;

// The declared encoding with the subject's function in the place of its own.
struct Call {
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
      frame::Message choice;
      choice.positions("positions", positions, {positions.size()}).word("length", std::to_string(length));
      return talk->choice(std::move(choice), "rows", {positions.size(), dim});
    };
    return table;
  }

  Encoding operator()(Rotary rotary) const {
    rotary.positions = positions(rotary.positions);
    rotary.rotate = [here = *this](const Tensor& x, Positions positions, Role role) {
      frame::Message choice;
      here.add(choice, "x", x);
      choice.positions("positions", positions, {x.shape.at(0), x.shape.at(2)});
      choice.word("role", role == Role::query ? "query" : "key");
      return here.talk->choice(std::move(choice), "rotate", x.shape);
    };
    return rotary;
  }

  Encoding operator()(Bias bias) const {
    bias.positions = positions(bias.positions);
    bias.bias = [talk = talk, heads = bias.heads](Positions queries, Positions keys) {
      frame::Message choice;
      choice.positions("queries", queries, {queries.size()}).positions("keys", keys, {keys.size()});
      return talk->choice(std::move(choice), "bias", {heads, queries.size(), keys.size()});
    };
    return bias;
  }

  Encoding operator()(Contextual contextual) const {
    contextual.positions = positions(contextual.positions);
    contextual.logits = [here = *this, heads = contextual.heads](const Tensor& q, const Tensor& k,
                                                                 Positions queries, Positions keys) {
      frame::Message choice;
      here.add(choice, "q", q);
      here.add(choice, "k", k);
      choice.positions("queries", queries, {queries.size()}).positions("keys", keys, {keys.size()});
      return here.talk->choice(std::move(choice), "logits", {heads, queries.size(), keys.size()});
    };
    return contextual;
  }

  Encoding operator()(Attention attention) const {
    attention.attend = [here = *this](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
      frame::Message choice;
      here.add(choice, "q", q);
      here.add(choice, "k", k);
      here.add(choice, "v", v);
      choice.mask("mask", mask);
      return here.talk->choice(std::move(choice), "attend", {q.shape.at(0), v.shape.at(1)});
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
  const auto talk = std::make_shared<SubjectProtocol>(words.rest, split(words.rest), expected);
  const Introduction& it = talk->introduction();

  const Encoding& declared = choose(words.rest, it.kinds, expected);
  return {
      .name = "",
      .description = described(it),
      .encoding = std::visit(Call{talk}, declared),
      .precision = words.precision.value_or(it.precision),
  };
}

}  // namespace posproof
