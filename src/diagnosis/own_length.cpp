#include "diagnosis/own_length.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/by_row.h"
#include "diagnosis/call_fits.h"

namespace posproof {
namespace {

bool moves_the_last(const Effect& effect, const Encoding& declared, const std::vector<Answered>& answered) {
  const Steps steps = effect.begin();
  return std::ranges::any_of(answered, [&](const Answered& one) {
    const Instead instead = steps(one.call, 0, heads_of(declared));
    return instead.how == Instead::How::encoded && !instead.by && last_of(instead.call) != last_of(one.call);
  });
}

}  // namespace

std::vector<Effect> effects_at_the_own_length(const std::vector<Effect>& effects, const Encoding& declared,
                                              const Precision& precision,
                                              const std::vector<Answered>& answered) {
  const auto* rotary = std::get_if<Rotary>(&declared);
  if (rotary == nullptr || !rotary->in_call || is_by_row(*rotary)) return {};
  using Made = std::map<Position, std::shared_ptr<const Model>>;
  const auto made = std::make_shared<Made>();
  const auto of_length = [made, rotary = *rotary, precision](Position last) {
    std::shared_ptr<const Model>& one = (*made)[last];
    if (!one) one = std::make_shared<const Model>(model_of(*in_call(rotary, last), precision));
    return one;
  };
  std::vector<Effect> out;
  for (const Effect& effect : effects) {
    if (effect.remembers || !moves_the_last(effect, declared, answered)) continue;
    Effect other = effect;
    other.begin = [begin = effect.begin, of_length]() -> Steps {
      return [steps = begin(), of_length](const Call& call, std::size_t head, std::size_t heads) {
        Instead instead = steps(call, head, heads);
        if (instead.how == Instead::How::encoded && !instead.by) instead.by = of_length(last_of(call));
        return instead;
      };
    };
    out.push_back(std::move(other));
  }
  return out;
}

}  // namespace posproof
