#pragma once

#include <optional>
#include <string>

#include "core/encoding.h"
#include "subject/subject.h"

// What a subject does where no answer of the declared encoding can be compared with its own, in a sentence.
namespace posproof {

// Of a table that ends, and whose subject answers for positions past its end: which of its rows those get, or
// zeros. None where it is nothing of that, of a table of fewer than three rows, or where a row may be either.
std::optional<std::string> answered_past_the_end(const Encoding& truth, const Subject& subject);

// Of a subject whose answers depend on the calls before: the factor by which each call multiplies what the
// next one answers to the same question, asked of a new object. None where there is no such factor, or where
// what is multiplied is not what is declared.
std::optional<std::string> multiplied_by_calls(const Encoding& truth, const Subject& subject);

}  // namespace posproof
