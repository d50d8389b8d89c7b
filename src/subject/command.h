#pragma once

#include <string>
#include <vector>

#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {

// A program that speaks the protocol of protocol.md, started with these arguments, itself the first. See
// open().
Subject open_command(const Words& words, std::vector<std::string> argv, const Expected& expected);

}  // namespace posproof
