#include "subject/processor.h"

namespace posproof {

std::optional<int> processor() {
  const int number = ::sched_getcpu();
  return number >= 0 && number < CPU_SETSIZE ? std::optional(number) : std::nullopt;
}

OnThisProcessor::OnThisProcessor(bool wanted) {
  const auto here = wanted ? processor() : std::nullopt;
  if (!here || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*here, &one);
  moved_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

OnThisProcessor::~OnThisProcessor() {
  if (moved_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace posproof
