#include "diagnosis/explains.h"

namespace posproof {

std::uint64_t most_left(const Unexplained& wrong) {
  return wrong.entries / 50;
}

bool explains(const Unexplained& left, const Unexplained& wrong) {
  constexpr std::uint64_t several = 5;
  if (left.differs.front() || left.declined.front() || left.entries > most_left(wrong)) return false;
  std::uint64_t answered = 0;  // of the cases that were wrong
  for (std::size_t n = 0; n < wrong.differs.size(); ++n)
    answered += wrong.differs[n] && !left.declined[n] ? 1 : 0;
  return answered >= several;
}

}  // namespace posproof
