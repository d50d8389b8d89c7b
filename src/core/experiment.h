#pragma once

#include <string_view>

#include "core/document.h"

namespace posproof {

// Who asks its question: the part of the index that its page stands in.
enum class Asker { choosing, implementing, understanding, numerics };

// A question, a method, and a function that answers it. The report has the file's name. Same seed, same
// bytes.
struct Experiment {
  std::string_view question;
  std::string_view method;
  Document (*run)();
  Asker asked_by;
};

}  // namespace posproof
