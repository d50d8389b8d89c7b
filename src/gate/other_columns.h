#pragma once

#include <optional>
#include <string>

#include "core/encoding.h"
#include "search/search.h"
#include "subject/subject.h"

namespace posproof {

// Of the cache of a rotary encoding in one array that does not hold as it was read: how its columns lie,
// where it holds at every position when they are read so, and the words that read them so. It is a convention
// of who reads the file, which the file alone does not tell.
std::optional<std::string> other_columns(const Encoding& truth, const Subject& subject,
                                         const Expected& expected, const Budget& budget);

}  // namespace posproof
