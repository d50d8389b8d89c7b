#include "gate/checked.h"

#include "gate/backward.h"
#include "gate/history.h"

namespace posproof {

Checked checked(std::string_view id, const Property& property, const Encoding& truth,
                const Subject& subject) {
  const bool backward = id == backward_id;
  return {.encoding =
              backward ? with_positions(*subject.backward, positions_of(subject.encoding)) : subject.encoding,
          .truth = backward ? transposed(as<Rotary>(truth)) : truth,
          .trial = id == history_id ? history_of(truth, subject) : trial_of(property, subject.precision)};
}

Shown look_at_answers(const Checked& one, const Precision& precision, Refuted& refuted) {
  const Shown found = shown(one.trial, one.truth, one.encoding, precision, refuted.counterexample);
  if (found.wrong) refuted.place = found.wrong->place;
  return found;
}

}  // namespace posproof
