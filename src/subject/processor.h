#pragma once

#include <sched.h>

#include <optional>

namespace posproof {

// The processor on which this thread runs; none where the system does not say.
std::optional<int> processor();

// While it lives, this thread runs on the processor on which it was made. Who waits for another process of
// the same machine, one call at a time, is woken there without an interrupt from one processor to another,
// which takes longer than a small call where the processors are virtual. Does nothing where the system
// refuses it.
class OnThisProcessor {
 public:
  explicit OnThisProcessor(bool wanted);
  ~OnThisProcessor();
  OnThisProcessor(const OnThisProcessor&) = delete;
  OnThisProcessor& operator=(const OnThisProcessor&) = delete;

 private:
  cpu_set_t before_;
  bool moved_ = false;
};

}  // namespace posproof
