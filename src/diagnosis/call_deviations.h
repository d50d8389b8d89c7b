#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/function.h"
#include "diagnosis/answered.h"
#include "diagnosis/call_effects.h"

namespace posproof {

// An encoding that stands for the subject, and how far rounding may put an answer from it.
struct Model {
  Encoding encoding;  // of the subject's kind
  // Of each entry of the answer to a call, which is `expected`; `farthest` is the largest position in it.
  Function<Tensor(const Call& call, const Tensor& expected, Position farthest)> error;
};

// The largest |position| of tokens and keys.
Position farthest(const Call& call);

// How far a call goes: the largest position of its tokens, 0 of none.
Position last_of(const Call& call);

// The declared encoding, with the error that it is allowed.
Model model_of(const Encoding& declared, const Precision& precision);

// What an answer is made of: a row of it, by its place in the call.
struct AnsweredRow {
  std::size_t item, batch, head, token;  // number of the answer; of the tokens or queries
};

// Which rows the model explains, in order.
struct Explained {
  std::vector<AnsweredRow> rows;
  std::vector<bool> right;

  std::size_t wrong() const;
};
// Whether it explains all of them: until the first row that it does not.
bool explains_all(const Model& model, const Encoding& declared, const std::vector<Answered>& answered);
Explained explained(const Model& model, const Encoding& declared, const std::vector<Answered>& answered);

// The first number of an axis at which the subject answers otherwise than the model, where the other axes are
// at 0: among numbers that double from the first on, then between two of them. None where none of these is
// wrong, or already the first is.
std::optional<Position> first_wrong_along(std::size_t axis, const Model& model, const Subject& subject,
                                          const Encoding& declared);

// Where positions of one number begin below 0: clamped on both sides of it or below it, without a sign and
// clamped. The subject is asked where: as above, but from 0 on, upwards and downwards.
std::vector<Effect> effects_around_0(const Model& model, const Subject& subject, const Encoding& declared);

// What call_deviation() looks for beside what it knows.
struct Further {
  std::vector<Effect> effects = {};  // in the place of those that are known
  bool joint = false;                // places in which several things are so: `keys, the last token of a row`
};

// The one deviation in the calls that explains every row of every answer that the model alone leaves
// unexplained: `in calls of one token a row, positions count as 0`. The subject is asked where a position
// matters: from which one on its answers are others. None where nothing known explains them all.
std::optional<std::string> call_deviation(const Model& model, const Subject& subject,
                                          const Encoding& declared, const std::vector<Answered>& answered,
                                          const Further& further = {});

// The effects that call_deviation() knows.
std::vector<Effect> all_effects(const Model& model, const Subject& subject, const Encoding& declared);

}  // namespace posproof
