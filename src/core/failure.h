#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace posproof {

// An implementation did not give the answer that it was asked for. Inside its domain that refutes it, as a
// wrong number does. An answer that is late, or an exchange that broke down, is no Failure: what the
// implementation would have answered is not known then.
struct Failure : std::runtime_error {
  enum class How {
    raised,              // an error of its own
    answered_otherwise,  // another shape or another format
    died,                // refutes only where it happens again
  };

  // `reason` says what it did, without the call; the text says what was asked as well.
  Failure(How what, std::string said, const std::string& text)
      : std::runtime_error(text), how(what), reason(std::move(said)) {}

  // Another shape than was asked for.
  static Failure of_shape(std::string_view call, const std::string& asked, const std::string& came) {
    return {How::answered_otherwise, "answers another shape",
            std::string(call) + " was asked for " + asked + " and answers " + came};
  }

  How how;
  std::string reason;
};

}  // namespace posproof
