#pragma once

#include <string_view>

#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {

// `cmd:PROGRAM ARGS`: a program that speaks the protocol of protocol.md, started by that command line. See
// open().
Subject open_command(const Words& words, const std::string& command, const Expected& expected);

}  // namespace posproof
