#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/draw.h"

namespace posproof {

// Answers at random, sought where errors gather: small numbers, ends, powers of two and their neighbours,
// hard positions of the domain, positions near an earlier one; sparse, dense, equal and scaled contents. Only
// integer arithmetic decides, so the answers are the same over compilers and machines.
class RandomChoice {
 public:
  // Equal keys and equal questions give equal answers. `number`: of the case. Unusual sizes are spread over
  // the numbers, so that a few hundred cases visit each of them several times.
  RandomChoice(std::uint64_t key, std::uint64_t attempt, std::optional<std::uint64_t> number = {});
  ~RandomChoice();
  RandomChoice(RandomChoice&&) noexcept;
  Value answer(const Choice& choice);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Case number n of a property. `attempt` counts what was drawn for that number before and discarded.
class RandomDraw final : public Draw {
 public:
  RandomDraw(std::uint64_t seed, std::string_view id, std::uint64_t n, std::uint64_t attempt = 0);

 protected:
  Value answer(std::string_view, const Choice& choice) override { return choose_.answer(choice); }

 private:
  RandomChoice choose_;
};

}  // namespace posproof
