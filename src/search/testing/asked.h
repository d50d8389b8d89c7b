#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "core/property.h"
#include "search/trial.h"

// For tests of checks: what a check draws in a recorded case, and what it asks of the encoding.
namespace posproof::watched {

// Answers from a case, and writes down what is asked.
class Watched final : public Draw {
 public:
  explicit Watched(std::string_view words) : case_(Case::parse(words)) {}

  std::string asked() const { return fmt::format("{}", fmt::join(asked_, ", ")); }
  std::set<std::string> unused() const {
    std::set<std::string> names;
    for (const auto& field : case_.fields())
      if (!drawn().has(field.name)) names.insert(field.name);
    return names;
  }

 protected:
  Value answer(std::string_view name, const Choice& choice) override {
    asked_.push_back(fmt::format("{} {}", name, std::visit(Words{}, choice)));
    const Value value = *case_.find(name);
    EXPECT_TRUE(answers(value, choice)) << asked_.back() << ": " << text(value);
    return value;
  }

 private:
  struct Words {
    std::string operator()(const choice::Integer& a) const { return fmt::format("{}..{}", a.lo, a.hi); }
    std::string operator()(const choice::PositionIn& a) const { return fmt::format("{}..{}", a.lo, a.hi); }
    std::string operator()(const choice::Values& a) const { return fmt::format("[{}]", a.size); }
    std::string operator()(const choice::Permutation& a) const { return fmt::format("order of {}", a.size); }
    std::string operator()(const choice::Size& a) const {
      const auto middle = a.sizes.begin() + static_cast<std::ptrdiff_t>(a.usual);
      return fmt::format("{}|{}", fmt::join(a.sizes.begin(), middle, ","),
                         fmt::join(middle, a.sizes.end(), ","));
    }
    std::string operator()(const choice::OneOf& a) const {
      std::vector<std::string> words;
      for (const Value& value : a.values) words.push_back(text(value));
      return fmt::format("{}", fmt::join(words, "/"));
    }
  };

  Case case_;
  std::vector<std::string> asked_;
};

inline std::string words_of(const Encoding& encoding, const Call& call) {
  const Signature& known = signature(encoding);
  std::string out = fmt::format("{} [{}]", known.call, fmt::join(call.positions.whole, ","));
  if (known.has(Axis::key)) out += fmt::format(" x [{}]", fmt::join(call.keys.whole, ","));
  if (known.has(Axis::batch))
    out += fmt::format(" in {} rows as {}", call.batch, call.role == Role::key ? "keys" : "queries");
  if (known.length) out += fmt::format(" of {}", call.length);
  return out;
}

struct Asked {
  std::vector<Call> calls;
  std::string drawn;
  Residual residual;
};

// `change` may change the answer to call number n.
inline Asked ask(
    const Property& property, const Encoding& encoding, Precision p, std::string_view words,
    const Function<void(std::size_t n, Tensor& answer)>& change = [](std::size_t, Tensor&) {}) {
  Asked out;
  const Encoding heard = answered_by(encoding, [&](const Call& call) {
    Tensor given = answer(encoding, call);
    change(out.calls.size(), given);
    out.calls.push_back(call);
    return given;
  });
  Watched draw(words);
  out.residual = (*trial(property, heard, p))(draw);
  out.drawn = draw.asked();
  EXPECT_EQ(draw.unused(), std::set<std::string>{}) << words;
  return out;
}

}  // namespace posproof::watched
