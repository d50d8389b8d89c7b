#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/call.h"
#include "core/case.h"
#include "diagnosis/explains.h"
#include "subject/subject.h"

// What a refuted subject answered, recorded once: whatever is said of it is compared with these answers.
namespace posproof {

// A case of agreement (run/agreement.h), the call that it asks for, and what came.
struct Answered {
  Case asked;
  Call call;
  Tensor answer;
  bool near = false;  // drawn near the counterexample: most of what it asks for is that one's
};

// Asks the subject once, in one order: one that remembers what it was asked is compared with a candidate that
// is asked the same, and no candidate costs it a further call. The case that refuted it comes first, if it is
// longer than those that are drawn the long ones (run/long_cases.h), of a rotation those of many batch rows,
// then 120 cases as agreement draws them, and where some are wrong calls of each small number of tokens and
// around tiles, of a bias and logits also of fewer queries than keys and of fewer keys. Where fewer than 8
// are wrong, up to 240 more, and after those up to 60 that are near the one that refuted it. What it declines
// or fails at is left out.
std::vector<Answered> answers_of(const Subject& subject, const Encoding& truth, const Case& counterexample,
                                 std::uint64_t seed);

// The candidate, of which as much is declared to mean nothing (later keys, a constant on a row) as of the
// truth: a candidate that is not compared there is no explanation of what the subject gives there.
Encoding compared_as(Encoding candidate, const Encoding& truth);

// Case by case, all of them or until it can be no explanation: the first case is not explained, for which
// nothing else can make up, or more entries than `most` are not.
enum class Until { all, unexplained };
Unexplained compare(const Encoding& candidate, const Subject& subject, const std::vector<Answered>& answered,
                    Until until, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// Where the subject is wrong: in how many cases, and in how many of these rounding does not allow the truth
// to be answered as the candidate does. What is allowed is not what is wrong.
struct Told {
  std::size_t wrong = 0, told = 0;

  bool in_none() const { return told == 0; }
  bool in_few() const { return 2 * told < wrong; }
  bool in_hardly_any() const { return told < 8 && in_few(); }
};
Told told(const Encoding& candidate, const Encoding& truth, const Subject& subject,
          std::vector<Answered> answered, const Unexplained& wrong);

// The same of answers in which every entry is a quarter of the largest in its row off, one up and the next
// one down, in the place of the truth: a candidate that allows these, too, explains almost anything.
Told told_from_others(const Encoding& candidate, const Encoding& truth, const Subject& subject,
                      std::vector<Answered> answered, const Unexplained& wrong);

}  // namespace posproof
