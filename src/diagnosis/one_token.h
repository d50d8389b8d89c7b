#pragma once

#include "core/call.h"
#include "diagnosis/call_deviations.h"
#include "subject/subject.h"

namespace posproof {

// The token or query at one position, which the subject is asked for alone. What is given lives as long.
class OneToken {
 public:
  OneToken(const Model& model, const Subject& subject, const Encoding& declared, Role role)
      : model_(model), subject_(subject), declared_(declared), role_(role) {}

  // What the subject gives there.
  Tensor given(Position t) const;

  // Whether that is what the model has at the other position.
  bool is_that_of(const Tensor& given, Position other) const;

  bool is_right(Position t) const { return is_that_of(given(t), t); }

 private:
  Call at(Position t) const;

  const Model& model_;
  const Subject& subject_;
  const Encoding& declared_;
  Role role_;
};

}  // namespace posproof
