#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/encoding.h"
#include "core/precision.h"
#include "subject/subject.h"

// The positions that a subject is asked for.
namespace posproof {

// The encoding with positions narrowed to [lo, hi]. Throws std::invalid_argument where none of its own are
// left.
Encoding narrowed(const Encoding& encoding, Position lo, Position hi);

// The encoding with positions from lo or to hi on top of its own, as far as the fast oracle goes, 2^40 either
// way: where its angles are products of the position with frequencies, nothing but what is usually tested
// ends there. Any other stays as it is.
Encoding widened(Encoding encoding, Position lo, Position hi);

// The encoding as far as the subject says that its own positions go, where it can be: widened, or, of a file
// of real numbers, as far as that.
Encoding as_far_as(Encoding encoding, const Subject& subject);

// Truth and subject as they are when these positions are asked for: the truth has what the subject says that
// it has, where it can, and a live subject all that the truth has, where it says nothing; neither has more
// than an encoding that ends by itself. Throws std::invalid_argument where the subject has none of the
// truth's.
void meet(const std::optional<std::pair<Position, Position>>& asked, Encoding& truth, Subject& subject);

// What of the positions asked for, first to last, is not among those that are compared, in words; empty where
// nothing is.
std::string not_covered(const std::pair<Position, Position>& asked, const Domain& compared);

// What is beyond the largest number of a format is an infinity there, and what is far below its smallest one
// 0, by rounding alone: a subject is asked for the positions whose values have a place in its own. In f16
// that ends many; the other formats reach beyond 2^127, past which only a factor goes that grows with the
// position.
void keep_within_format(const Encoding& truth, const Precision& precision, Encoding& subject);

// The positions of both.
Domain overlap(const Domain& a, const Domain& b);

}  // namespace posproof
