#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/precision.h"

namespace posproof {

// The calls of a subject and its answers, as they come: the first thousand that are not large.
class Answers {
 public:
  struct One {
    Call call;
    Tensor answer;
  };

  // The same encoding, whose answers are kept here.
  Encoding kept_of(const Encoding& subject) const;
  const std::vector<One>& all() const { return *kept_; }

 private:
  std::shared_ptr<std::vector<One>> kept_ = std::make_shared<std::vector<One>>();
};

// The first precision, of those in use and from tight to loose, under which every answer is within rounding
// of the truth; of a refuted subject one whose coarser formats the answers show (run/format_shown.h), too.
struct SeemingPrecision {
  std::size_t answers = 0;      // that were looked at
  std::string word = {};        // reads back; empty where none holds
  double share = 0;             // largest share of what it allows
  double declared_share = 0;    // and of what the declared one does; infinite where that does not hold
  bool allowed_alone = false;   // some precision allows every answer, and none of these is shown by them
  bool tighter_by_far = false;  // the answers use at most a quarter of that share of what is declared
};

// From the answers alone, without a further call. The candidates keep the declared formats of the result and
// the contents. The truth is in the encoding's own kind.
SeemingPrecision seeming_precision(const Encoding& truth, const Encoding& subject, const Precision& declared,
                                   const Answers& answers);

// `seems to work in bf16/f32: ...`, and a warning where the declared precision hides what a tighter one would
// show; a refuted one is told which would hold. Empty where nothing was looked at, or nothing was rounded.
std::string in_words(const SeemingPrecision& seeming, const Precision& declared);

}  // namespace posproof
