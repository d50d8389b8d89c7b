#include "diagnosis/explains.h"

namespace posproof {

std::uint64_t most_left(const Unexplained& wrong) {
  return wrong.entries / 50;
}

// Where a tie decides, the subject is half a unit off: that is no case that was right, unless rounding allows
// half a unit there and not a whole one. Several cases that were right, and that the candidate would have
// otherwise, contradict it.
bool explains(const Unexplained& left, const Unexplained& wrong) {
  constexpr std::uint64_t several = 5;
  if (left.differs.front() || left.declined.front() || left.entries > most_left(wrong)) return false;
  std::uint64_t answered = 0, contradicted = 0;  // of the cases that were wrong; of those that were right
  for (std::size_t n = 0; n < wrong.differs.size(); ++n) {
    answered += wrong.differs[n] && !left.declined[n] ? 1 : 0;
    contradicted += !wrong.differs[n] && left.differs[n] ? 1 : 0;
  }
  return answered >= several && contradicted < several;
}

}  // namespace posproof
