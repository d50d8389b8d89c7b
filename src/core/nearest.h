#pragma once

#include <string>
#include <string_view>
#include <vector>

// What somebody may have meant by a word that is none of those that are allowed.
namespace posproof {

// At most three of the names, nearest first: those that are the word but for capitals and for `-` in the
// place of `_`, those that begin with it, those that contain it, then those that few letters tell from it
// (dropped, added, changed or swapped: half of the word's letters at most). Of an id as
// `score/depends_on_offset`, the part behind the last slash counts as a name, too.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& names);

// `; near it: rope, none`, or nothing where no name is near.
std::string near_it(std::string_view word, const std::vector<std::string>& names);

}  // namespace posproof
