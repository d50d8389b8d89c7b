#include "core/strided.h"

#include <cstdint>
#include <cstring>

namespace posproof {
namespace {

template <class Word>
Word word(const std::byte* numbers, std::size_t n) {
  Word out;
  std::memcpy(&out, numbers + n * sizeof out, sizeof out);
  return out;
}

template <class Work>
auto with_words(std::size_t size, Work work) {
  if (size == 2) return work(std::uint16_t{});
  if (size == 4) return work(std::uint32_t{});
  return work(std::uint64_t{});
}

}  // namespace

void copy(const std::byte* from, const Strided& numbers, std::byte* to, std::size_t step) {
  if (numbers.step == 1 && step == 1) {
    std::memcpy(to, from, numbers.count * numbers.size);
    return;
  }
  with_words(numbers.size, [&](auto one) {
    for (std::size_t n = 0; n < numbers.count; ++n) {
      one = word<decltype(one)>(from, n * numbers.step);
      std::memcpy(to + n * step * sizeof one, &one, sizeof one);
    }
  });
}

bool have_the_same_bits(const std::byte* some, const Strided& numbers, const std::byte* others,
                        std::size_t step) {
  if (numbers.step == 1 && step == 1) return std::memcmp(some, others, numbers.count * numbers.size) == 0;
  return with_words(numbers.size, [&](auto differ) {
    for (std::size_t n = 0; n < numbers.count; ++n)
      differ = static_cast<decltype(differ)>(differ | (word<decltype(differ)>(some, n * numbers.step) ^
                                                       word<decltype(differ)>(others, n * step)));
    return differ == 0;
  });
}

}  // namespace posproof
