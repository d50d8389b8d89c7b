#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "core/draw.h"
#include "core/formats.h"
#include "search/generate.h"

namespace posproof {

// So many say what is wrong near a counterexample.
inline constexpr std::uint64_t near_draws = 60;

// Whether a number of a case has more digits than those that are drawn have: the eight of bf16.
inline bool has_many_digits(const Value& value) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  return list != nullptr && std::ranges::any_of(*list, [](double x) { return to_bf16(x) != x; });
}

// A case near another one: its contents are drawn anew, and of what else it says three quarters stay; of
// contents those that have more digits than any that are drawn. Case number n of a seed. The other case has
// to outlive it.
class NearDraw final : public Draw {
 public:
  NearDraw(const Case& to, std::uint64_t seed, std::uint64_t n) : to_(to), choose_(seed, n) {}

 protected:
  Value answer(std::string_view name, const Choice& choice) override {
    const Value drawn = choose_.answer(choice);
    const Value one_of_four = choose_.answer(choice::Integer{0, 3});
    const Value* value = to_.find(name);
    const bool may_stay =
        value != nullptr && (!std::holds_alternative<choice::Values>(choice) || has_many_digits(*value));
    const bool stays = may_stay && std::get<double>(one_of_four) != 0 && answers(*value, choice);
    return stays ? *value : drawn;
  }

 private:
  const Case& to_;
  RandomChoice choose_;
};

}  // namespace posproof
