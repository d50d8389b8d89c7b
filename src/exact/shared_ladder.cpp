#include "exact/shared_ladder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace posproof::exact {
namespace {

// A recipe, word for word: lists are led by their lengths and variants by their numbers, so that no two
// recipes have the same words.
class Words {
 public:
  std::vector<std::uint64_t> all = {};

  void add(double number) { all.push_back(std::bit_cast<std::uint64_t>(number)); }
  void add(bool flag) { all.push_back(flag ? 1 : 0); }
  void add(std::int64_t number) { all.push_back(static_cast<std::uint64_t>(number)); }
  void add(const Exponent& one) { add_all(one.numerator, one.denominator); }

  void add(const Unscaled&) {}
  void add(const Interpolated& one) { add(one.factor); }
  void add(const Divided& one) { add(one.divisors); }
  void add(const NtkAware& one) { add(one.factor); }
  void add(const DynamicNtk& one) { add_all(one.factor, one.original_length, one.length); }
  void add(const ByParts& one) { add_all(one.factor, one.original_length, one.least, one.most); }
  void add(const ByIndex& one) { add_all(one.factor, one.original_length, one.fast, one.slow, one.truncate); }
  void add(const Geometric& one) { add_all(one.base, one.exponents, one.scaling); }
  void add(const Given& one) { add(one.frequencies); }
  void add(const Frequencies& one) { add_all(one.ladder, one.backward, one.multiple); }
  void add(const YarnAmplitude& one) { add_all(one.factor, one.mscale, one.mscale_all_dim); }
  void add(const LongRopeAmplitude& one) { add_all(one.factor, one.original_length); }

  template <class One>
  void add(const std::vector<One>& list) {
    all.push_back(list.size());
    for (const One& one : list) add(one);
  }
  template <class... Ones>
  void add(const std::variant<Ones...>& one) {
    all.push_back(one.index());
    std::visit([this](const auto& own) { add(own); }, one);
  }

 private:
  template <class... Ones>
  void add_all(const Ones&... ones) {
    (add(ones), ...);
  }
};

constexpr std::size_t most_kept = 8, most_frequencies_kept = 256;  // 4 MiB of tables each

struct Kept {
  std::vector<std::uint64_t> recipe;
  std::shared_ptr<const Ladder> ladder;
};

}  // namespace

std::shared_ptr<const Ladder> shared_ladder(const Frequencies& frequencies, const Amplitude& amplitude) {
  static std::mutex asking;
  static std::vector<Kept> kept;  // what was asked for last comes first
  if (frequencies.size() > most_frequencies_kept)
    return std::make_shared<const Ladder>(frequencies, amplitude);
  Words words;
  words.add(frequencies);
  words.add(amplitude);
  const std::scoped_lock locked(asking);
  auto found = std::ranges::find(kept, words.all, &Kept::recipe);
  if (found == kept.end()) {
    auto made = std::make_shared<const Ladder>(frequencies, amplitude);
    if (kept.size() == most_kept) kept.pop_back();
    found = kept.insert(kept.end(), {std::move(words.all), std::move(made)});
  }
  std::rotate(kept.begin(), found, found + 1);
  return kept.front().ladder;
}

}  // namespace posproof::exact
