#pragma once

#include <optional>
#include <vector>

#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// The declared encoding with something done to its answers once they are there, which code does to tokens
// beside it: rows that are normalised, entries that are put through a function. A row is one of a table, a
// rotated token, or a token that an operator answers with. What is done is rounded once more.
std::vector<Deviation> answer_deviations(const Encoding& declared);

// The same whose answers are all multiplied by one number, as it was answered; none where that is 1.
std::optional<Deviation> multiplied_answers(const Encoding& declared, const Precision& precision,
                                            const std::vector<Answered>& answered);

// The same whose small entries are 0: below which size, as they were answered. None where some entry that is
// wrong is not 0, or where a smaller one is kept.
std::optional<Deviation> flushed_answers(const Encoding& declared, const Precision& precision,
                                         const std::vector<Answered>& answered);

// The same whose answers are kept in fewer digits than that precision has. Where rounding has put the
// subject's on the other side of a tie, they are a unit of those digits apart.
std::vector<Deviation> rounded_answers(const Encoding& declared, const Precision& precision);

}  // namespace posproof
