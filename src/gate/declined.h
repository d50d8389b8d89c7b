#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/encoding.h"

// A subject may decline what is outside its domain. One that declines inside has not been checked there, and
// has not said that it ends.
namespace posproof {

struct Declined {
  std::uint64_t calls = 0;  // with every position inside the domain
  std::optional<Position> first =
      {};                   // of these calls, the smallest farthest position; none where calls have none
  std::string reason = {};  // of that call
};

// The same encoding, which counts in `declined` what it declines inside its domain.
Encoding counting_declined(Encoding encoding, std::shared_ptr<Declined> declined);

// The first position inside the domain that the subject declines when it is asked for it alone; none where it
// answers at the domain's begin or declines for another reason. Some twenty calls.
std::optional<Position> first_declined(const Encoding& subject, const Declined& declined);

// What was declined, and how to declare where the subject ends. Empty where nothing was.
std::string in_words(const Encoding& subject, const Declined& declined);

}  // namespace posproof
