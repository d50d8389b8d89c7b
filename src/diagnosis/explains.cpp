#include "diagnosis/explains.h"

namespace posproof {

bool explains(const Unexplained& left, const Unexplained& wrong) {
  constexpr std::uint64_t several = 5;
  if (left.differs.front() || left.declined.front()) return false;
  std::uint64_t answered = 0;  // of the cases that were wrong
  for (std::size_t n = 0; n < wrong.differs.size(); ++n)
    answered += wrong.differs[n] && !left.declined[n] ? 1 : 0;
  return answered >= several && 50 * left.entries <= wrong.entries;
}

}  // namespace posproof
